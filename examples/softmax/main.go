// Command softmax classifies: a matrix product, then bias and softmax in one
// loop over the rows of the result, then the most likely class of every row.
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
	const rows, features, classes = 1000, 16, 20
	x := engine.Zeros[float32](rows, features).Named("x")
	weights := engine.Zeros[float32](features, classes).Named("weights")
	for i := range x.Data() {
		x.Data()[i] = float32(i*31%17) / 17
	}
	for i := range weights.Data() {
		weights.Data()[i] = float32(i*13%11)/11 - .5
	}
	bias := engine.Zeros[float32](classes).Named("bias")
	p, best := engine.Zeros[float32](rows, classes).Named("p"), engine.Zeros[int64](rows).Named("best")

	logits := op.Add(op.MatMul(x, weights), bias)
	prog, err := engine.Compile(ctx,
		expr.Let(p, op.Softmax(logits, -1)),
		expr.Let(best, op.ArgMax(p, op.Axis(-1))))
	if err != nil {
		log.Fatal(err)
	}
	if err := prog.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Print(prog.Explain())

	sums := engine.Zeros[float32](rows)
	if err := sums.Assign(op.Sum(p, op.Axis(-1))); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("row 0: class %d with %.1f%%, all classes %.1f%%\n", best.At(0), 100*p.At(0, int(best.At(0))), 100*sums.At(0))
}
