// Command blackscholes prices European calls of a million spots, and derives the
// Greeks from the price: delta, gamma, vega, theta and rho.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

type (
	exp    = expr.Exp[float64]
	tensor = *engine.Tensor[float64]
)

// cdf is the distribution function of the normal distribution.
func cdf(x exp) exp { return op.Scale(.5, op.AddScalar(op.Erf(op.Scale(1/math.Sqrt2, x)), 1)) }

// price is the value of a call on a spot s with a strike k in t years.
func price(s, k, t, r, sigma exp) exp {
	vol := op.Mul(sigma, op.Sqrt(t))
	drift := op.Mul(op.Add(r, op.Scale(.5, op.Square(sigma))), t)
	d1 := op.Div(op.Add(op.Log(op.Div(s, k)), drift), vol)
	paid := op.Mul(k, op.Exp(op.Neg(op.Mul(r, t)))) // the strike, discounted
	return op.Sub(op.Mul(s, cdf(d1)), op.Mul(paid, cdf(op.Sub(d1, vol))))
}

// compile returns a program that stores the price and the Greeks of n spots.
func compile(n int) (*engine.Program, []tensor, error) {
	s := engine.Linspace[float64](50, 150, n)
	number := func(v float64) exp { return op.BroadcastTo(op.Full[float64](v), n) }
	t, r, sigma := number(1), number(.05), number(.2)
	call := price(s, op.Full[float64](100), t, r, sigma)
	g, err := grad.Of(op.Sum(call), s, t, r, sigma)
	if err != nil {
		return nil, nil, err
	}
	gamma, err := grad.Of(op.Sum(g[0]), exp(s))
	if err != nil {
		return nil, nil, err
	}
	var stmts []expr.Statement
	var results []tensor
	for _, e := range []exp{call, g[0], gamma[0], g[3], op.Neg(g[1]), g[2]} {
		results = append(results, engine.Zeros[float64](n))
		stmts = append(stmts, expr.Let(results[len(results)-1], e))
	}
	p, err := engine.Compile(context.Background(), stmts...)
	return p, results, err
}

func main() {
	p, results, err := compile(1_000_001)
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	for i, name := range []string{"price", "delta", "gamma", "vega", "theta", "rho"} {
		fmt.Printf("%-5s %.10f\n", name, results[i].At(500_000)) // at a spot of 100
	}
}
