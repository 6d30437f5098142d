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
	y, w := engine.Zeros[float32](512, 28, 28).Named("chained"), op.Sliding{Kernel: []int{3, 3}, Stride: []int{2}, Padding: []int{1}}
	for _, s := range []expr.Statement{
		expr.Let(x, op.AddScalar[float32](x, 1)),
		expr.Let(y, op.MaxPool(engine.Zeros[float32](512, 56, 56), w)), // a chain
	} {
		if _, err := engine.CompileWith(t.Context(), engine.Options{Profile: true}, s); err != nil {
			t.Fatal(err)
		}
	}
	path := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	t.Cleanup(func() { os.Remove(path) })
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{" oneloop:add(mapped float32[7])", " oneloop:max_max(chained float32[512 28 27])"} {
		if !strings.Contains(string(text), name) {
			t.Errorf("the map has no%s:\n%s", name, text)
		}
	}
}
