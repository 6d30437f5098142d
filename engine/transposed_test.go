package engine_test

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestTransposedRows compares reductions of rows that are columns in memory, with what uses them, with those of rows
// that are side by side: the bits are the same. Of long rows a reduction has a stage of its own, which reads many at once.
func TestTransposedRows(t *testing.T) {
	transposedRows[float64](t)
	transposedRows[float32](t)
}

func transposedRows[T expr.Float](t *testing.T) {
	along, keep := op.Axis(-1), op.KeepDims()
	for _, dims := range [][]int{{100, 9}, {128, 40}, {129, 40}, {2000, 3}, {300, 33}} {
		x, err := engine.Eval(op.Normal[T](expr.Const[uint64](7), dims...))
		if err != nil {
			t.Fatal(err)
		}
		transposed := x.Transpose()
		side := transposed.Clone()
		for name, f := range map[string]func(x expr.Exp[T]) expr.Exp[T]{
			"centre":    func(x expr.Exp[T]) expr.Exp[T] { return op.Sub(x, op.Mean(x, along, keep)) },
			"std":       func(x expr.Exp[T]) expr.Exp[T] { return op.Div(x, op.Std(x, along, keep)) },
			"variance":  func(x expr.Exp[T]) expr.Exp[T] { return op.Var(op.Scale(3, x), along) },
			"layernorm": func(x expr.Exp[T]) expr.Exp[T] { return op.LayerNorm(x, nil, nil, 1e-5) },
			"two": func(x expr.Exp[T]) expr.Exp[T] {
				return op.Mul(op.Sub(x, op.Mean(x, along, keep)), op.Sum(x, along, keep))
			},
		} {
			same, err := engine.Item(op.ArrayEqual(f(transposed), f(side)))
			if err != nil || !same {
				t.Errorf("%s of rows of %d: the bits depend on the layout, %v", name, dims[0], err)
			}
			y := f(transposed)
			p, err := engine.Compile(t.Context(), expr.Let(engine.Zeros[T](y.Node().Shape()...), y))
			if err != nil {
				t.Fatal(err)
			}
			if apart := strings.Contains(p.Explain(), "vectors make it for many rows at once"); apart != (dims[0] > 63 && dims[0]*dims[1] >= 1024) {
				t.Errorf("%s of rows of %d: %v", name, dims[0], p)
			}
		}
	}
}
