// Command heat solves the heat equation on a square: each step overwrites the
// grid that it reads, and the plan sees to it that this is safe. It prints a
// picture of the result.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func main() {
	ctx := context.Background()
	const n, r = 16, .2
	u := engine.Zeros[float64](n+2, n+2).Named("u") // with a cold rim
	if err := u.Span(op.Range(4, 8), op.Range(3, 13)).Assign(op.Full[float64](100)); err != nil {
		log.Fatal(err)
	}
	part := func(di, dj int) expr.Exp[float64] {
		return u.Span(op.Range(1+di, n+1+di), op.Range(1+dj, n+1+dj))
	}
	inner := u.Span(op.Range(1, -1), op.Range(1, -1))
	around := op.Add(op.Add(part(-1, 0), part(1, 0)), op.Add(part(0, -1), part(0, 1)))
	p, err := engine.Compile(ctx, expr.LetAdd(inner, op.Scale(r, op.Sub(around, op.Scale(4, inner)))))
	if err != nil {
		log.Fatal(err)
	}
	for range 50 {
		if err := p.Run(ctx); err != nil {
			log.Fatal(err)
		}
	}
	for i := range n + 2 {
		for j := range n + 2 {
			fmt.Print(string(".:-=+*#%@"[min(int(u.At(i, j)/5), 8)]))
		}
		fmt.Println()
	}
}
