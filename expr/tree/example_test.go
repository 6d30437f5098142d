package tree_test

import (
	"errors"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
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

// A mistake stays in the tree. The assignment returns it, with the line of the
// call that made it.
func ExampleError() {
	a, b := engine.Zeros[float32](3, 4), engine.Zeros[float32](5)
	sum := op.Add(a, b) // does not panic
	err := a.Assign(op.Exp(sum))
	var e *tree.Error
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
	tree.Walk(op.Add(d, op.Neg(d)).Node(), func(n *tree.Node) { fmt.Println(n.Op.Name()) })
	// Output:
	// storage
	// square
	// neg
	// add
}
