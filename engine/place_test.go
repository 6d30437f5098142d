package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
)

// TestErrorsOfViewsNameTheUser tests that errors of views name the user's line,
// although the compiler inlines the closures of views into the user's function.
func TestErrorsOfViewsNameTheUser(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	for name, got := range map[string]string{
		"Reshape":   fmt.Sprint(x.Reshape(2, 2).Err()),
		"Transpose": fmt.Sprint(x.Transpose(1).Err()),
	} {
		if !strings.Contains(got, "(place_test.go:") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
