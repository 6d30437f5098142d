package op_test

import (
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

type floats = []expr.Exp[float64]

// A weighted mean that forgets: y[t] = y[t-1] + (x[t] - y[t-1])/4.
func ExampleScan() {
	x := engine.MustFromSlice([]float64{4, 8, 0, 4})
	r := op.Scan(floats{expr.Const(0.0)}, floats{x}, op.ScanOptions{}, func(s op.Step[float64]) (next, out floats) {
		y := op.Add(s.State[0], op.MulScalar(op.Sub(s.X[0], s.State[0]), .25))
		return floats{y}, floats{y}
	})
	fmt.Println(engine.Eval(r.Out(0)))
	// Output: [1 2.75 2.0625 2.546875] <nil>
}

// A filter of second order in transposed direct form: y[t] depends on two states.
func ExampleScan_filter() {
	const b0, b1, b2, a1, a2 = .25, .5, .25, -.5, .25
	x := engine.MustFromSlice([]float64{1, 0, 0, 0, 0})
	zero := expr.Const(0.0)
	r := op.Scan(floats{zero, zero}, floats{x}, op.ScanOptions{}, func(s op.Step[float64]) (next, out floats) {
		y := op.Add(op.MulScalar(s.X[0], b0), s.State[0])
		z0 := op.Add(op.Sub(op.MulScalar(s.X[0], b1), op.MulScalar(y, a1)), s.State[1])
		z1 := op.Sub(op.MulScalar(s.X[0], b2), op.MulScalar(y, a2))
		return floats{z0, z1}, floats{y}
	})
	fmt.Println(engine.Eval(r.Out(0)))
	// Output: [0.25 0.625 0.5 0.09375 -0.078125] <nil>
}

// Welford's variance in one pass: the mean and the sum of squared distances so far.
func ExampleScan_welford() {
	x := engine.MustFromSlice([]float64{1, 2, 4, 9, 1, 2, 4, 9}, 4, 2)
	zero := expr.Const(0.0)
	r := op.Scan(floats{zero, zero}, floats{x}, op.ScanOptions{}, func(s op.Step[float64]) (next, out floats) {
		d := op.Sub(s.X[0], s.State[0])
		mean := op.Add(s.State[0], op.Div(d, op.Cast[float64](op.AddScalar(s.Index, 1))))
		return floats{mean, op.Add(s.State[1], op.Mul(d, op.Sub(s.X[0], mean)))}, nil
	})
	fmt.Println(engine.Eval(op.MulScalar(r.Last(1), 1.0/4)))
	// Output: [2.25 12.25] <nil>
}

// Kahan's sum: the second state is what the sum has lost.
func ExampleScan_kahan() {
	x := engine.MustFromSlice([]float64{1e16, 1, 1, -1e16})
	zero := expr.Const(0.0)
	r := op.Scan(floats{zero, zero}, floats{x}, op.ScanOptions{}, func(s op.Step[float64]) (next, out floats) {
		y := op.Sub(s.X[0], s.State[1])
		sum := op.Add(s.State[0], y)
		return floats{sum, op.Sub(op.Sub(sum, s.State[0]), y)}, nil
	})
	fmt.Println(engine.Eval(op.Stack(0, op.Sum(x), r.Last(0))))
	// Output: [0 2] <nil>
}

func ExampleCumSum() {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Println(engine.Eval(op.CumSum(x, 1)))
	// Output:
	// [[ 1  3  6]
	//  [ 4  9 15]] <nil>
}

// A value and its index, as untyped trees: the position of the running maximum.
func ExampleScan_untyped() {
	x := engine.MustFromSlice([]float64{1, 3, 2, 5, 4})
	first := []*tree.Node{expr.Const(int64(0)).Node(), expr.Const(-1e308).Node()}
	r := untyped.Scan(first, []*tree.Node{x.Node()}, untyped.ScanOptions{}, func(i *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
		better := untyped.Call("greater", x[0], state[1])
		at := untyped.Call("where", better, i, state[0])
		return []*tree.Node{at, untyped.Call("maximum", x[0], state[1])}, []*tree.Node{at}
	})
	fmt.Println(engine.Eval(expr.Of[int64](r.Out(0))))
	// Output: [0 1 1 3 3] <nil>
}
