// Command twolayers recognises handwritten digits by two layers. A step, with the loss
// and the derivatives of all weights, is one program.
package main

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

type (
	tensor = *engine.Tensor[float64]
	tree   = expr.Exp[float64]
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// read returns images with values from 0 to 1, and their digits.
func read(path string) (images tensor, digits *engine.Tensor[int64]) {
	file := must(gzip.NewReader(must(os.Open(path))))
	table := must(csv.Read[float64](file, csv.NoHeader()))
	images = must(engine.Eval(op.DivScalar(table.Matrix().Span(op.Span{}, op.Range(0, 64)), 16)))
	return images, must(engine.Eval(op.Cast[int64](table.Column("64"))))
}

// initial returns numbers that look random, with a deviation that fits the number of rows.
func initial(rows, columns int) tensor {
	k := op.Reshape(op.Arange[float64](0, float64(rows*columns), 1), rows, columns)
	return must(engine.Eval(op.Div(op.Sin(op.Square(k)), op.Sqrt(op.Full[float64](float64(rows))))))
}

func forward(x tree, w []tensor) tree {
	hidden := op.Tanh(op.Add(op.MatMul(x, w[0]), w[1]))
	return op.Add(op.MatMul(hidden, w[2]), w[3])
}

// train returns the weights, and prints the loss of some steps.
func train(x tensor, digits *engine.Tensor[int64], steps int, rate float64) []tensor {
	w := []tensor{initial(64, 32), engine.Zeros[float64](32), initial(32, 10), engine.Zeros[float64](10)}
	z, loss := forward(x, w), engine.Zeros[float64]()
	mean := op.Mean(op.Sub(op.LogSumExp(z, op.Axis(1)), op.Sum(op.Mul(z, op.OneHot[float64](digits, 10)), op.Axis(1))))
	d := must(grad.Of(mean, w[0], w[1], w[2], w[3]))
	stmts := []expr.Statement{expr.Let(loss, mean)}
	for i := range w {
		stmts = append(stmts, expr.LetSub(w[i], op.Scale(rate, d[i])))
	}
	p := must(engine.Compile(context.Background(), engine.Together(stmts...)...))
	for step := range steps {
		if err := p.Run(context.Background()); err != nil {
			log.Fatal(err)
		}
		if step%100 == 0 {
			fmt.Printf("loss %.6f\n", loss.At())
		}
	}
	return w
}

func main() {
	path := flag.String("data", "testdata/digits/digits.csv.gz", "images and digits")
	flag.Parse()
	x, digits := read(*path)
	w := train(x.Slice(0, 1437), digits.Slice(0, 1437), 300, .5)
	held := digits.Slice(1437, digits.Size())
	guess := op.ArgMax(forward(x.Slice(1437, digits.Size()), w), op.Axis(1))
	right := must(engine.Item(op.Mean(op.Cast[float64](op.Equal(guess, held)))))
	fmt.Printf("%.6f of %d digits are right\n", right, held.Size())
}
