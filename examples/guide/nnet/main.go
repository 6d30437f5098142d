// Command nnet trains the network of mshadow's guide: a hidden layer with sigmoids,
// a softmax, gradient descent with rate 0.8 and weight decay 1e-5. The gradients are
// written out as in the guide, with op.SoftmaxGrad in place of reverse mode. One step
// is one program.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

const (
	samples, inputs, hidden, classes = 100, 16, 24, 4
	rate, decay                      = .8, 1e-5
)

type matrix = engine.Tensor[float32]

func main() {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	gauss := func(dims ...int) *matrix {
		m := engine.Zeros[float32](dims...)
		for i := range m.Data() {
			m.Data()[i] = float32(r.NormFloat64()) * .3
		}
		return m
	}
	w1, b1, w2, b2 := gauss(inputs, hidden), engine.Zeros[float32](hidden), gauss(hidden, classes), engine.Zeros[float32](classes)
	x, label := patterns(r)
	h, out := engine.Zeros[float32](samples, hidden), engine.Zeros[float32](samples, classes)

	delta := op.Scale(1./samples, op.SoftmaxGrad(expr.Exp[float32](out), expr.Exp[int32](label)))
	back := op.Mul(op.MatMul(delta, op.T(w2)), op.Mul(h, op.ScalarSub(1, h)))
	descend := func(w *matrix, g expr.Exp[float32]) expr.Statement {
		return expr.LetSub(w, op.Scale(rate, op.Add(g, op.Scale(decay, w))))
	}
	step, err := engine.Compile(ctx,
		expr.Let(h, op.Sigmoid(op.Add(op.MatMul(x, w1), b1))),
		expr.Let(out, op.Softmax(op.Add(op.MatMul(h, w2), b2), -1)),
		descend(w1, op.MatMul(op.T(x), back)), descend(b1, op.Sum(back, op.Axis(0))),
		descend(w2, op.MatMul(op.T(h), delta)), descend(b2, op.Sum(delta, op.Axis(0))))
	if err != nil {
		log.Fatal(err)
	}
	for round := range 4 {
		for range 5 {
			if err := step.Run(ctx); err != nil {
				log.Fatal(err)
			}
		}
		right, err := engine.Item(op.Count(op.Equal(op.Cast[int32](op.ArgMax(out, op.Axis(1))), label)))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("round %d: %d of %d are right\n", round, right, samples)
	}
}

// patterns returns noisy copies of one pattern for each class.
func patterns(r *rand.Rand) (x *matrix, label *engine.Tensor[int32]) {
	x, label = engine.Zeros[float32](samples, inputs), engine.Zeros[int32](samples)
	for i := range samples {
		c := i % classes
		label.Data()[i] = int32(c)
		for j := range inputs {
			x.Data()[i*inputs+j] = float32(r.NormFloat64()) * .3
			if j%classes == c {
				x.Data()[i*inputs+j]++
			}
		}
	}
	return x, label
}
