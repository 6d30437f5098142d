package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestPerfMap tests that Options.Profile names kernels in the map for perf.
func TestPerfMap(t *testing.T) {
	if runtime.GOOS != "linux" || engine.Backends()[0] == "interp" {
		t.Skip("no machine code for perf on this machine")
	}
	x := engine.Zeros[float32](7).Named("mapped")
	_, err := engine.CompileWith(t.Context(), engine.Options{Profile: true}, expr.Let(x, op.AddScalar[float32](x, 1)))
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	t.Cleanup(func() { os.Remove(path) })
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), " oneloop:add(mapped float32[7])") {
		t.Errorf("the map has\n%s", text)
	}
}
