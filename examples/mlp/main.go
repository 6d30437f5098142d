// Command mlp trains a network of two layers on random numbers: 64 samples of 1000
// numbers, 100 hidden ones, 10 outputs, the sum of squared errors, and Adam. One
// program computes the loss, all gradients and all updates of a step.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

const samples, inputs, hidden, outputs, steps = 64, 1000, 100, 10, 500

func main() {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	random := func(dims ...int) *engine.Tensor[float32] {
		p := nn.NewParam[float32]("data", dims...)
		if err := p.Init(r, nn.Normal(0, 1)); err != nil {
			log.Fatal(err)
		}
		return p.Value()
	}
	x, y := random(samples, inputs), random(samples, outputs)
	model := nn.NewSequential[float32](
		nn.NewLinear[float32](r, inputs, hidden),
		nn.Func[float32](op.ReLU[float32]),
		nn.NewLinear[float32](r, hidden, outputs))
	squares := func(out, want expr.Exp[float32]) expr.Exp[float32] {
		return op.Sum(op.Square(op.Sub(out, want)))
	}
	t := nn.NewTrainer(model, squares, nn.Adam[float32](1e-4))
	p, err := t.Program(ctx, x, y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a step:", nn.Cost(p))
	for step := range steps {
		loss, err := t.TrainOnBatch(ctx, x, y)
		if err != nil {
			log.Fatal(err)
		}
		if step%100 == 0 {
			fmt.Printf("step %d: loss %.4g\n", step, loss)
		}
	}
}
