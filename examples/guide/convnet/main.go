// Command convnet trains the convolution network of mshadow's guide: a convolution,
// rectification, max pooling and a softmax. Reverse mode gives the gradients as
// trees, and one step is one program.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

const samples, side, channels, classes = 30, 8, 4, 3

func main() {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	gauss := func(dims ...int) *engine.Tensor[float32] {
		m := engine.Zeros[float32](dims...)
		for i := range m.Data() {
			m.Data()[i] = float32(r.NormFloat64()) * .1
		}
		return m
	}
	const pooled = channels * (side / 2) * (side / 2)
	kernel, bias, weight := gauss(channels, 1, 3, 3), engine.Zeros[float32](channels, 1, 1), gauss(pooled, classes)
	x, label := bars(r)

	image := op.ReLU(op.Add(op.Conv[float32](x, kernel, op.Sliding{Padding: []int{1}}), bias))
	flat := op.Reshape(op.MaxPool(image, op.Sliding{Kernel: []int{2, 2}}), samples, pooled)
	logits := op.MatMul(flat, weight)
	chance := op.Pick(op.Softmax(logits, -1), expr.Exp[int32](label))
	loss := op.Neg(op.Mean(op.Log(chance)))

	params := []*engine.Tensor[float32]{kernel, bias, weight}
	g, err := grad.Of(loss, kernel, bias, weight)
	if err != nil {
		log.Fatal(err)
	}
	value := engine.Zeros[float32]()
	statements := []expr.Statement{expr.Let(value, loss)}
	for i, p := range params {
		statements = append(statements, expr.LetSub(p, op.Scale(.5, g[i])))
	}
	step, err := engine.Compile(ctx, engine.Together(statements...)...)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 31 {
		if err := step.Run(ctx); err != nil {
			log.Fatal(err)
		}
		if i%10 == 0 {
			fmt.Printf("step %d: loss %.2f\n", i, value.At())
		}
	}
	right, err := engine.Item(op.Count(op.Equal(op.Cast[int32](op.ArgMax(logits, op.Axis(1))), label)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d are right\n", right, samples)
}

// bars returns noisy images with a row, a column or a diagonal.
func bars(r *rand.Rand) (*engine.Tensor[float32], *engine.Tensor[int32]) {
	x, label := engine.Zeros[float32](samples, 1, side, side), engine.Zeros[int32](samples)
	for i := range samples {
		c, at := i%classes, r.IntN(side)
		label.Data()[i] = int32(c)
		for k := range side * side {
			row, column := k/side, k%side
			x.Data()[i*side*side+k] = float32(r.NormFloat64()) * .1
			if [...]bool{row == at, column == at, (row+at)%side == column}[c] {
				x.Data()[i*side*side+k]++
			}
		}
	}
	return x, label
}
