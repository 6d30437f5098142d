package autograd_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// Gradients add up until ZeroGrad.
func Example() {
	ctx := context.Background()
	w := autograd.New(engine.MustFromSlice([]float64{1, 2, 3}))
	g, err := autograd.Record(op.Sum(op.Square(w)), w)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Backward(ctx), g.Loss(), w.Grad())
	fmt.Println(g.Backward(ctx), g.Loss(), w.Grad())
	fmt.Println(w.ZeroGrad(), w.Grad())
	// Output:
	// <nil> 14 [2 4 6]
	// <nil> 14 [4 8 12]
	// <nil> [0 0 0]
}

// The loss, the gradient and the update are one program. The sum is a loop, and
// the gradient and the update share another.
func ExampleGraph_Statements() {
	ctx := context.Background()
	x := engine.MustFromSlice([]float64{0, 1, 2, 3}).Named("x")
	y := engine.MustFromSlice([]float64{1, 3, 5, 7}).Named("y")
	w := autograd.New(engine.MustFromSlice([]float64{1, 1, 1, 1}).Named("w"))
	g, err := autograd.Record(op.Sum(op.Square(op.Sub(op.Mul(w, x), y))), w)
	if err != nil {
		fmt.Println(err)
		return
	}
	step, err := engine.Compile(ctx, append(g.Statements(expr.Set), expr.LetSub(w.Value(), op.Scale(.1, w.Grad())))...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(step.Explain())
	for range 100 {
		if err := step.Run(ctx); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("%.3f, loss %v\n", w.Value().Values(), g.Loss())
	// Output:
	// 2 stages, 0 temporaries, 0 bytes of scratch
	// stage 0: loop: stores to the program's arrays
	//   reads w float64[4], x float64[4], y float64[4]; writes loss float64[]; 104 bytes
	// stage 1: loop: stores to the program's arrays
	//   reads w float64[4], x float64[4], y float64[4]; writes w float64[4], grad float64[4]; 160 bytes
	// [1.000 3.000 2.500 2.333], loss 1
}

// A hook changes a gradient: this one clips it.
func ExampleVariable_Hook() {
	w := autograd.New(engine.MustFromSlice([]float64{-3, .2, 3}))
	w.Hook(func(g expr.Exp[float64]) expr.Exp[float64] {
		return op.Clip(g, op.Full[float64](-1), op.Full[float64](1))
	})
	g, err := autograd.Record(op.Sum(op.Square(w)), w)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Backward(context.Background()), w.Grad())
	// Output: <nil> [-1 0.4 1]
}

// Check is for operators of the caller's own, and for whole losses.
func ExampleCheck() {
	cube := op.Define("cube", 1, func(b *op.B, x ...op.V) op.V { return b.Mul(x[0], b.Mul(x[0], x[0])) },
		op.Derivative(func(g *tree.Adjoint, _ int) *tree.Node {
			return g.Mul(g.Out, g.Mul(g.Const(3), g.Op("square", g.Arg(0))))
		}))
	w := autograd.New(engine.MustFromSlice([]float64{-1, 0, 2}))
	fmt.Println(autograd.Check(op.Sum(op.Map1(cube, w)), 1e-6, w))
	// Output: <nil>
}

func ExampleVariable_Format() {
	v := autograd.New(engine.MustFromSlice([]float64{1, 2.25}))
	fmt.Printf("%v %.1f %v\n", v, v, (*autograd.Variable[float64])(nil))
	// Output: [1 2.25] [1.0 2.2] <nil>
}
