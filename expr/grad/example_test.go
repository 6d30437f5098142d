package grad_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// The gradient of the Rosenbrock function (1-x)^2 + 100*(y-x^2)^2 at (-1.2, 1).
func ExampleOf() {
	x, y := engine.MustFromSlice([]float64{-1.2}), engine.MustFromSlice([]float64{1})
	a := op.Sub(op.Full[float64](1), x)
	b := op.Sub(y, op.Square(x))
	loss := op.Sum(op.Add(op.Square(a), op.Scale(100, op.Square(b))))

	g, err := grad.Of[float64](loss, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	dx, dy := engine.Zeros[float64](1), engine.Zeros[float64](1)
	fmt.Println(engine.Run(context.Background(), expr.Let(dx, g[0]), expr.Let(dy, g[1])))
	fmt.Printf("%.4f %.4f\n", dx.At(0), dy.At(0))
	// Output:
	// <nil>
	// -215.6000 -88.0000
}

// A gradient is a tree: a step of gradient descent on it is one loop.
func ExampleOf_descent() {
	x := engine.MustFromSlice([]float64{0, 1, 2, 3}).Named("x")
	y := engine.MustFromSlice([]float64{1, 3, 5, 7}).Named("y")
	w := engine.MustFromSlice([]float64{1, 1, 1, 1}).Named("w")
	loss := op.Sum(op.Square(op.Sub(op.Mul(w, x), y)))
	g, err := grad.Of[float64](loss, w)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g[0])
	step := expr.LetSub(w, op.Scale(.1, g[0]))
	p, err := engine.Compile(context.Background(), step)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.Plan().Stages), "stage")
	for range 100 {
		if err := p.Run(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("%.3f\n", w.Values())
	// Output:
	// ((2 * ((w * x) - y)) * x)
	// 1 stage
	// [1.000 3.000 2.500 2.333]
}

// The gradient of a gradient: d2/dx2 of sin(x) is -sin(x).
func ExampleOf_second() {
	x := engine.MustFromSlice([]float64{0, math.Pi / 2})
	first, err := grad.Of[float64](op.Sum(op.Sin(x)), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := grad.Of[float64](op.Sum(first[0]), x)
	fmt.Println(first[0], second[0], err)
	// Output: cos(array) neg(sin(array)) <nil>
}

// A user's operator gets its derivative as a rule. Without a rule it cannot be
// differentiated.
func ExampleOf_derivative() {
	gamma := op.GoFunc("gamma", math.Gamma)
	x := engine.MustFromSlice([]float64{1, 4})
	_, err := grad.Of[float64](op.Sum(gamma(x)), x)
	fmt.Println(errors.Is(err, expr.ErrUnsupported))

	softsign := op.Define("softsign", 1, func(b *op.B, x ...op.V) op.V {
		return b.Div(x[0], b.Add(b.Like(x[0], 1), b.Abs(x[0])))
	}, op.Derivative(func(g *tree.Adjoint, _ int) *tree.Node {
		return g.Div(g.Out, g.Op("square", g.Add(g.Op("abs", g.Arg(0)), g.Const(1))))
	}))
	g, err := grad.Of[float64](op.Sum(op.Map1(softsign, x)), x)
	dx := engine.Zeros[float64](2)
	fmt.Println(err, dx.Assign(g[0]), dx)
	// Output:
	// true
	// <nil> <nil> [0.25 0.04]
}

// The value of a function and its gradient, as an optimiser asks for them.
func ExampleValueAnd() {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	value, g, err := grad.ValueAnd[float64](context.Background(), op.Sum(op.Square(x)), x)
	fmt.Println(value, g[0], err)
	// Output: 14 [2 4 6] <nil>
}

// The curvature of a function along a direction, without its Hessian.
func ExampleHVP() {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	v := engine.MustFromSlice([]float64{1, 0, -1})
	h, err := grad.HVP(op.Sum(op.Cube(x)), []expr.Exp[float64]{x}, []expr.Exp[float64]{v})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(engine.Eval(h[0]))
	// Output: [6 0 -18] <nil>
}
