package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// TestNamesOfRows defines operators with the names of all rows of the operator
// table. The engine must not treat one as the built-in operator of that name.
func TestNamesOfRows(t *testing.T) {
	x := engine.MustFromSlice([]float32{1, 2, 3, 4})
	for _, row := range untyped.Table() {
		reverse := op.DefineView(row.Name(), 1,
			func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
			func(g *tree.Gather) op.V {
				last := g.Int(g.Node.Args[0].Shape()[0] - 1)
				return g.At(0, []prim.Ix{g.Add(last, g.Mul(g.Out[0], g.Const(-1)))})
			})
		thrice := op.Define(row.Name(), 1, func(b *op.B, x ...op.V) op.V { return b.Mul(x[0], b.Like(x[0], 3)) }, op.On(x.Node().DType()))
		view := op.View(reverse, nil, x)
		for _, backend := range engine.Backends() {
			y, z, w := engine.Zeros[float32](4), engine.Zeros[float32](2, 2), engine.Zeros[float32](4)
			err := engine.RunWith(t.Context(), engine.Options{Backend: backend},
				expr.Let(y, view),
				expr.Let(z, op.Reshape(op.Map1(thrice, op.AddScalar(view, 1)), 2, 2)),
				expr.Let(w, op.Add(op.View(reverse, nil, op.Map1(thrice, x)), op.View(reverse, nil, view))))
			if err != nil || !slices.Equal(y.Data(), []float32{4, 3, 2, 1}) || !slices.Equal(z.Data(), []float32{15, 12, 9, 6}) || !slices.Equal(w.Data(), []float32{13, 11, 9, 7}) {
				t.Errorf("%s on %s: %v, %v, %v, %v", row.Name(), backend, y.Data(), z.Data(), w.Data(), err)
			}
		}
		err := engine.Run(t.Context(), expr.Statement{Target: view.Node(), Value: x.Node()})
		if err == nil {
			t.Errorf("a view of a user named %s is a target", row.Name())
		}
	}
}

// TestPlacesOfViews checks that the error of a view of a user which leaves its operand states where the view
// was made, whatever its name and its number of operands are.
func TestPlacesOfViews(t *testing.T) {
	x, at := engine.MustFromSlice([]float32{1, 2, 3, 4}), engine.MustFromSlice([]float32{1, 2, 3, 9})
	like := func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil }
	for _, name := range []string{"concat", "pad", "mine"} {
		behind := op.DefineView(name, 1, like, func(g *tree.Gather) op.V { return g.Checked(0, []prim.Ix{g.Add(g.Out[0], g.Const(1))}) })
		indexed := op.DefineView(name, 2, like, func(g *tree.Gather) op.V {
			return g.Checked(0, []prim.Ix{g.IxTable.Value(g.B.Cvt(dtype.I64, g.At(1, g.Out)))})
		})
		want := line() + 1
		views := []expr.Exp[float32]{op.View(behind, nil, x), op.View(indexed, nil, x, at)}
		for i, view := range views {
			_, err := engine.Eval(view)
			if e, ok := errors.AsType[*tree.Error](err); !ok || !errors.Is(err, expr.ErrIndex) || e.Line != want || e.Op != "View" {
				t.Errorf("%s of %d operands: %v, not at line %d", name, i+1, err, want)
			}
		}
	}
}
