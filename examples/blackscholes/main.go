// Command blackscholes prices European options: call, put and delta of a
// million of them in one loop.
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

type exp = expr.Exp[float64]

// cdf is the distribution function of the normal distribution.
func cdf(x exp) exp {
	return op.Scale(.5, op.AddScalar(op.Erf(op.Scale(1/math.Sqrt2, x)), 1))
}

// price is the value of a call and of a put, and the delta of the call.
func price(s, k, t, r, sigma exp) (call, put, delta exp) {
	vol := op.Mul(sigma, op.Sqrt(t))
	drift := op.Mul(op.Add(r, op.Scale(.5, op.Square(sigma))), t)
	d1 := op.Div(op.Add(op.Log(op.Div(s, k)), drift), vol)
	d2 := op.Sub(d1, vol)
	paid := op.Mul(k, op.Exp(op.Neg(op.Mul(r, t)))) // the strike, discounted
	call = op.Sub(op.Mul(s, cdf(d1)), op.Mul(paid, cdf(d2)))
	put = op.Sub(op.Mul(paid, cdf(op.Neg(d2))), op.Mul(s, cdf(op.Neg(d1))))
	return call, put, cdf(d1)
}

func main() {
	const n = 1_000_000
	spot := engine.Zeros[float64](n)
	for i := range spot.Data() {
		spot.Data()[i] = 50 + float64(i)/10000
	}
	c, p, d := engine.Zeros[float64](n), engine.Zeros[float64](n), engine.Zeros[float64](n)
	call, put, delta := price(spot, op.Full[float64](100), op.Full[float64](1), op.Full[float64](.05), op.Full[float64](.2))
	prog, err := engine.Compile(context.Background(), expr.Let(c, call), expr.Let(p, put), expr.Let(d, delta))
	if err != nil {
		log.Fatal(err)
	}
	if err := prog.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d loop, %d temporaries\n", len(prog.Plan().Stages), len(prog.Plan().Temps))
	at := n / 2 // a spot of 100
	fmt.Printf("call %.10f, put %.10f, delta %.10f\n", c.At(at), p.At(at), d.At(at))
}
