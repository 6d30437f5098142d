package grad_test

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestScans compares gradients through scans with differences, to second order.
func TestScans(t *testing.T) {
	matrix := func(rows, cols int) T {
		x, err := engine.New[float64](rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Data() {
			x.Data()[i] = 1 + .5*math.Sin(float64(3*i))
		}
		return x
	}
	x, a, s := matrix(5, 3), vec(.3, .5, .7), vec(1.25)
	scan := func(o op.ScanOptions, step func(s op.Step[float64]) (next, out []expr.Exp[float64])) op.Scanned[float64] {
		first := []expr.Exp[float64]{op.Reshape(s), op.MulScalar(a, 2)}
		return op.Scan(first, []expr.Exp[float64]{x}, o, step)
	}
	step := func(s op.Step[float64]) (next, out []expr.Exp[float64]) {
		y := op.Add(op.Mul(a, s.State[0]), op.Mul(s.X[0], s.State[1]))
		z := op.Sub(s.State[1], op.Square(op.Mul(op.Sin(s.State[0]), op.MulScalar(op.Cast[float64](s.Index), .3))))
		return []expr.Exp[float64]{y, op.MulScalar(z, .25)}, []expr.Exp[float64]{op.Exp(op.MulScalar(y, -.5)), y}
	}
	for name, e := range map[string]expr.Exp[float64]{
		"cumsum of rows":    op.CumSum(x, 1),
		"cumsum of columns": op.CumSum(op.Square(x), 0),
		"cumprod":           op.CumProd(x, 0),
		"cummax":            op.CumMax(op.Sin(op.MulScalar(x, 9)), 1),
		"output":            scan(op.ScanOptions{}, step).Out(0),
		"state and output":  scan(op.ScanOptions{}, step).Out(1),
		"reversed":          scan(op.ScanOptions{Reverse: true}, step).Out(0),
		"last":              scan(op.ScanOptions{}, step).Last(0),
		"other state":       scan(op.ScanOptions{Reverse: true}, step).Last(1),
		"both": func() expr.Exp[float64] {
			r := scan(op.ScanOptions{}, step)
			return op.Add(op.Mul(r.Out(0), r.Out(1)), r.Last(1))
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "cumsum of columns" || name == "state and output" {
				twice(t, name, e.Node(), x, a, s)
				return
			}
			differences(t, name, weighted(t, e.Node()), x, a, s)
		})
	}
}

// TestScanOfPositions checks that states of integers pass no gradient on, and that the
// choice they make does.
func TestScanOfPositions(t *testing.T) {
	x := vec(1, 3, 2, 5, 4)
	r := untyped.Scan([]*tree.Node{tree.ConstInt(dtype.I64, 0), tree.ConstFloat(dtype.F64, 0)}, []*tree.Node{x.Node()}, op.ScanOptions{},
		func(i *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
			better := tree.Apply(untyped.Row("greater"), x[0], s[1])
			w := tree.Apply(untyped.Row("where"), better, x[0], s[1])
			return []*tree.Node{tree.Apply(untyped.Row("where"), better, i, s[0]), w}, nil
		})
	same(t, "maximum", of(t, expr.Of[float64](r.Last(1)), x), 0, 0, 0, 1, 0)
}
