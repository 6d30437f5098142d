// Command stream queues runs of programs on two streams. The second waits for the
// first by an event, and the caller for both.
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
	x, y := engine.MustFromSlice([]float32{1, 2, 3}), engine.Zeros[float32](3)
	double, err := engine.Compile(ctx, expr.LetMul(x, op.Full[float32](2)))
	if err != nil {
		log.Fatal(err)
	}
	copies, err := engine.Compile(ctx, expr.Let(y, op.AddScalar(x, 1)))
	if err != nil {
		log.Fatal(err)
	}
	first, second := engine.NewStream(), engine.NewStream()
	defer first.Close()
	defer second.Close()
	for range 3 {
		double.RunAsync(first)
	}
	second.After(first.Record())
	done := copies.RunAsync(second)
	if err := done.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x, y)
}
