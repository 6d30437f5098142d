package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"text/template"

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

// TestErrorsInsideTheStandardLibrary tests that errors name the user's line where
// packages of the standard library call methods of tensors.
func TestErrorsInsideTheStandardLibrary(t *testing.T) {
	var page strings.Builder
	if err := template.Must(template.New("").Parse("{{.Reshape 3}}")).Execute(&page, engine.Zeros[float64](2)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"json":     fmt.Sprint(json.Unmarshal([]byte("[[1, 2], [3]]"), engine.Zeros[float64](2))),
		"template": page.String(),
	} {
		if !strings.Contains(got, "(place_test.go:") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
