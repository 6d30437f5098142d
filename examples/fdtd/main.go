// Command fdtd computes a pulse of light in the plane by finite differences in time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// solve returns the electric field of n by n cells after some steps.
func solve(n, steps int) *engine.Tensor[float64] {
	e, hx, hy := engine.Zeros[float64](n, n), engine.Zeros[float64](n, n-1), engine.Zeros[float64](n-1, n)
	half, at := op.Range(1, n-1), expr.NewParam(0.) // at is the time
	curl := op.Sub(op.Diff(hy.Span(op.Span{}, half), 0), op.Diff(hx.Span(half), 1))
	p := must(engine.Compile(context.Background(), expr.LetSub(hx, op.Scale(.5, op.Diff(e, 1))), expr.LetAdd(hy, op.Scale(.5, op.Diff(e, 0))),
		expr.LetAdd(e.Span(half, half), op.Scale(.5, curl)), expr.LetAdd(e.Index(n/2, n/3), op.Exp(op.Neg(op.Square(op.DivScalar(op.SubScalar(at, 30), 10)))))))
	for t := range steps {
		at.Set(float64(t))
		must(p, p.Run(context.Background()))
	}
	return e
}

func main() {
	flag.Parse()
	e := solve(200, 220)
	grey := must(engine.Eval(op.ClipScalar(op.AddScalar(op.Scale(20, e), .5), 0, 1)))
	if flag.NArg() > 0 {
		must(grey, picture.WriteFile(flag.Arg(0), grey))
	}
	fmt.Printf("%.12f %.12f\n", e.At(100, 100), must(engine.Item(op.Mean(grey))))
}
