// Command adam fits a line to points with the Adam optimiser. A step of it, for
// all weights and both moments, is one loop; the rate is a parameter, so that
// the program is compiled once.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

const b1, b2, eps = .9, .999, 1e-8

func main() {
	ctx := context.Background()
	const n = 100
	x, y := engine.Zeros[float64](n, 2), engine.Zeros[float64](n)
	for i := range n {
		t := float64(i)/n - .5
		x.Data()[2*i], x.Data()[2*i+1] = 1, t
		y.Data()[i] = 3 - 2*t
	}
	w, g := engine.Zeros[float64](2).Named("w"), engine.Zeros[float64](2).Named("g")
	m, v := engine.Zeros[float64](2).Named("m"), engine.Zeros[float64](2).Named("v")
	rate := expr.NewParam(0.)

	miss := op.Sub(op.MatMul(x, w), y)
	gradient, err := engine.Compile(ctx, expr.Let(g, op.Scale(2./n, op.MatMul(op.T(x), miss))))
	if err != nil {
		log.Fatal(err)
	}
	step, err := engine.Compile(ctx,
		expr.Let(m, op.Add(op.Scale(b1, m), op.Scale(1-b1, g))),
		expr.Let(v, op.Add(op.Scale(b2, v), op.Scale(1-b2, op.Square(g)))),
		expr.LetSub(w, op.Div(op.Mul(rate, m), op.AddScalar(op.Sqrt(v), eps))))
	if err != nil {
		log.Fatal(err)
	}
	for i := 1; i <= 2000; i++ {
		rate.Set(.05 * math.Sqrt(1-math.Pow(b2, float64(i))) / (1 - math.Pow(b1, float64(i))))
		if err := gradient.Run(ctx); err != nil {
			log.Fatal(err)
		}
		if err := step.Run(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Print(step.Explain())
	fmt.Printf("intercept %.3f, slope %.3f\n", w.At(0), w.At(1))
}
