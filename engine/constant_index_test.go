package engine_test

import (
	"fmt"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// TestConstantIndices reads two rows of one value at constant positions.
func TestConstantIndices(t *testing.T) {
	row := func(i int64) *tree.Operator {
		return op.DefineView(fmt.Sprint("row", i), 1,
			func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape()[1:], nil },
			func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Const(i), g.Out[0]}) })
	}
	x := engine.MustFromSlice([]float32{1, 2, 3, 4}, 2, 2)
	c := engine.MustFromSlice([]float32{10, 100}, 2, 1)
	e := op.Mul(x, c)
	for _, backend := range engine.Backends() {
		y := engine.Zeros[float32](2)
		sum := op.Add(op.View(row(0), nil, e), op.View(row(1), nil, e))
		if err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, sum)); err != nil || y.At(0) != 310 || y.At(1) != 420 {
			t.Error(backend, err, y)
		}
	}
}
