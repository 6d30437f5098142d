// Command wave solves the wave equation on a square with a fixed rim and writes a
// picture of the result. Three time levels rotate without a copy.
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

// solve returns the displacement of n by n points after some steps.
func solve(n, steps int) *engine.Tensor[float64] {
	before, now, next := engine.Zeros[float64](n, n), engine.Zeros[float64](n, n), engine.Zeros[float64](n, n)
	now.Set(1, n/3, n/2)
	part := func(x *engine.Tensor[float64], i, j int) *engine.Tensor[float64] {
		return x.Span(op.Range(1+i, n-1+i), op.Range(1+j, n-1+j))
	}
	around := op.Add(op.Add(part(now, -1, 0), part(now, 1, 0)), op.Add(part(now, 0, -1), part(now, 0, 1)))
	inertia := op.Sub(op.Scale(2, part(now, 0, 0)), part(before, 0, 0))
	force := op.Scale(.25, op.Sub(around, op.Scale(4, part(now, 0, 0))))
	p := must(engine.Compile(context.Background(), expr.Let(part(next, 0, 0), op.Add(inertia, force))))
	for range steps {
		must(p, p.Run(context.Background()))
		must(now, engine.Rotate(before, now, next))
	}
	return now
}

func main() {
	flag.Parse()
	u := solve(128, 150)
	grey := must(engine.Eval(op.AddScalar(op.Scale(20, u), .5)))
	if flag.NArg() > 0 {
		must(grey, picture.WriteFile(flag.Arg(0), grey))
	}
	energy := must(engine.Item(op.Sum(op.Square(u))))
	fmt.Printf("%.12f %.12f\n", u.At(64, 64), energy)
}
