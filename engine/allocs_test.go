//go:build !race

package engine_test

import (
	"context"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestCompileAllocates bounds the allocations of a compilation, which take a third of its
// time. The limits are a tenth above the most of machine code, and of the interpreter.
func TestCompileAllocates(t *testing.T) {
	w, g := engine.MustFromSlice(ramp(100)), engine.MustFromSlice(ramp(100))
	for _, name := range engine.Backends() {
		for _, c := range []struct{ operators, code, interp int }{{1, 80, 114}, {10, 80, 138}, {100, 95, 357}} {
			most := c.code
			if name == "interp" {
				most = c.interp
			}
			s := expr.Let(w, chain(w, g, c.operators))
			n := testlevel.Allocs(10, func() {
				if _, err := engine.CompileWith(context.Background(), engine.Options{Backend: name}, s); err != nil {
					t.Fatal(err)
				}
			})
			if n > float64(most) {
				t.Errorf("%s: compiling %d operators makes %v allocations, more than %d", name, c.operators, n, most)
			}
			t.Logf("%s, %d operators: %v", name, c.operators, n)
		}
	}
}
