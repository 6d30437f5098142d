package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// TestColdCoordinates reads at positions that a cold region computes.
func TestColdCoordinates(t *testing.T) {
	cold := op.DefineView("cold", 1,
		func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
		func(g *tree.Gather) op.V {
			v, b := g.At(0, g.Out), g.B
			return b.Cold(b.Lt(b.Like(v, 3), v), v, func() op.V {
				i := b.Cvt(dtype.I64, b.Sqrt(b.Sub(v, b.Like(v, 3))))
				return b.Add(g.Checked(0, []prim.Ix{g.IxTable.Value(i)}), b.Sqrt(v))
			})
		})
	x := engine.MustFromSlice([]float32{1, 4, 2, 9, 1}, 5)
	for _, backend := range engine.Backends() {
		y := engine.Zeros[float32](5)
		err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, op.View[float32](cold, nil, x)))
		for i, want := range []float32{1, 6, 2, 5, 1} {
			if err != nil || y.At(i) != want {
				t.Errorf("%s: element %d is %v, want %v, error %v", backend, i, y.At(i), want, err)
			}
		}
	}
}
