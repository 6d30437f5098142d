// Command edges reads a picture, stretches its contrast, smooths it, finds the
// edges and blends them over the picture. Each of the results is one loop.
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

type exp = expr.Exp[float32]

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// filter returns the sum of neighbours along an axis with weights, with the edge
// repeated outside.
func filter(x exp, axis int, weights ...float32) exp {
	widths := make([][2]int, 2)
	widths[axis] = [2]int{1, 1}
	padded := op.PadMode(x, widths, "edge")
	sum := op.Full[float32](0)
	n := x.Node().Shape()[axis]
	for i, w := range weights {
		spans := make([]op.Span, 2)
		spans[axis] = op.Range(i, i+n)
		sum = op.Add(sum, op.Scale(w, op.Slice(padded, spans...)))
	}
	return sum
}

// edges returns where the brightness of a picture changes, from 0 to 1.
func edges(rgb exp) exp {
	grey := op.Mean(rgb, op.Axis(2))
	low, high := op.Min(grey), op.Max(grey)
	contrast := op.Div(op.Sub(grey, low), op.Sub(high, low))
	smooth := filter(filter(contrast, 0, .25, .5, .25), 1, .25, .5, .25)
	across := filter(filter(smooth, 0, 1, 2, 1), 1, -1, 0, 1)
	down := filter(filter(smooth, 0, -1, 0, 1), 1, 1, 2, 1)
	return op.ClipScalar(op.Hypot(across, down), 0, 1)
}

func main() {
	flag.Parse()
	rgb := must(picture.ReadFile[float32]("testdata/flower/flower.png")).Span(op.Span{}, op.Span{}, op.Until(3))
	e := edges(rgb)
	red := engine.MustFromSlice([]float32{1, 0, 0})
	shown := op.NewAxis(e, 2)
	y := must(engine.Eval(op.Add(op.Mul(rgb, op.ScalarSub(1, shown)), op.Mul(red, shown))))
	if flag.NArg() > 0 {
		must(y, picture.WriteFile(flag.Arg(0), y))
	}
	mean := must(engine.Item(op.Mean(op.Cast[float64](y))))
	share := must(engine.Item(op.Mean(op.Cast[float64](op.GreaterScalar(e, .5)))))
	fmt.Printf("%v, mean %.5f, %.4f of it edges\n", y.Shape(), mean, share)
}
