package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestEmptyTarget assigns to arrays without elements, whose strides do not
// matter: NumPy makes zero strides for some.
func TestEmptyTarget(t *testing.T) {
	for _, dims := range [][]int{{0, 6}, {6, 0}, {2, 0, 3}} {
		m, err := engine.NewMemory(0)
		if err != nil {
			t.Fatal(err)
		}
		a, err := engine.ArrayOf(m, dtype.F32, dims, make([]int, len(dims)), 0)
		if err != nil {
			t.Fatal(err)
		}
		s := expr.Statement{Saver: expr.Plus, Target: a.Node(), Value: tree.ConstFloat(dtype.F32, 1)}
		if err := engine.Run(t.Context(), s); err != nil {
			t.Errorf("%v: %v", dims, err)
		}
	}
}
