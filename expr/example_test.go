package expr_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// An expression is a tree. Its kind tells how it will be computed.
func ExampleKind() {
	x := engine.Zeros[float32](2, 3).Named("x")
	for _, e := range []expr.Exp[float32]{
		x,
		op.Exp(x),
		op.Add(x, op.Index(x, 0, 1)),
		op.Sum(x, op.Axis(1)),
	} {
		fmt.Println(e.Node().Kind(), "\t", e.Node())
	}
	// Output:
	// RValue 	 x
	// Map 	 exp(x)
	// Chainer 	 (x + transpose(slice(x, [1 1 1 0 1 3]), [1]))
	// Complex 	 transpose(sum(x, axis=[1], keepdims=True), [0])
}

// A variable that is first a tensor and later an expression needs the type of
// the interface.
func ExampleExp() {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	var power expr.Exp[float64] = x
	for range 3 {
		power = op.Mul(power, x)
	}
	y := engine.Zeros[float64](3)
	fmt.Println(y.Assign(power), y)
	// Output: <nil> [1 16 81]
}

// A parameter is read at each run. A program need not be compiled again when
// the parameter changes.
func ExampleParam() {
	ctx := context.Background()
	w := engine.MustFromSlice([]float32{1, 2})
	g := engine.MustFromSlice([]float32{1, 1})
	rate := expr.NewParam[float32](.5)
	p, err := engine.Compile(ctx, expr.LetSub(w, op.Mul(rate, g)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Run(ctx), w)
	rate.Set(.25)
	fmt.Println(p.Run(ctx), w)
	// Output:
	// <nil> [0.5 1.5]
	// <nil> [0.25 1.25]
}

// Statements have the effect of running them in order: the second one reads the
// values that the first one stored. Here both run in one loop.
func ExampleStatement() {
	x := engine.MustFromSlice([]float64{1, 2, 3}).Named("x")
	y := engine.Zeros[float64](3).Named("y")
	grow := expr.LetAdd(x, op.Full[float64](10))
	copied := expr.Let(y, op.Scale(2, x))
	fmt.Println(grow)
	fmt.Println(copied)
	fmt.Println(engine.Run(context.Background(), grow, copied), x, y)
	// Output:
	// x += 10
	// y = (2 * x)
	// <nil> [11 12 13] [22 24 26]
}

// A mistake stays in the tree. The assignment returns it, with the line of the
// call that made it.
func ExampleError() {
	a, b := engine.Zeros[float32](3, 4), engine.Zeros[float32](5)
	sum := op.Add(a, b) // does not panic
	err := a.Assign(op.Exp(sum))
	var e *expr.Error
	fmt.Println(errors.As(err, &e), errors.Is(err, expr.ErrShape))
	fmt.Println(e.Op, e.File, e.Msg)
	// Output:
	// true true
	// Add example_test.go shapes [3 4] and [5] do not broadcast
}

// Tree returns kinds, element types and shapes, and marks shared nodes.
func ExampleNode_Tree() {
	x := engine.Zeros[float32](2, 3).Named("x")
	e := op.Exp(x)
	fmt.Print(op.Div(e, op.Sum(e, op.Axis(1), op.KeepDims())).Node().Tree())
	// Output:
	// #1 div  Complex float32[2 3]
	//   #2 exp  Map float32[2 3]
	//     #3 x  RValue float32[2 3]
	//   #4 sum axis=[1], keepdims=True  Complex float32[2 1]
	//     #2 exp (shared, see above)
}

// Walk visits every node once, operands first.
func ExampleWalk() {
	x := engine.Zeros[float32](3).Named("x")
	d := op.Square(x)
	expr.Walk(op.Add(d, op.Neg(d)).Node(), func(n *expr.Node) { fmt.Println(n.Op.Name()) })
	// Output:
	// storage
	// square
	// neg
	// add
}
