// Command defop defines operators of one, two and three operands. Each is one
// function over primitives, and runs fused on every back end.
package main

import (
	"fmt"
	"log"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

var (
	addOne   = op.Define("add_one", 1, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], b.Const(x[0].Type, 1)) })
	maxOfTwo = op.Define("max_of_two", 2, func(b *op.B, x ...op.V) op.V { return b.Select(b.Gt(x[0], x[1]), x[0], x[1]) })
	mix      = op.Define("mix", 3, func(b *op.B, x ...op.V) op.V {
		return b.Add(b.Mul(x[0], x[2]), b.Mul(x[1], b.Sub(b.Const(x[0].Type, 1), x[2])))
	})
)

func main() {
	a := engine.MustFromSlice([]float32{1, 2, 3, 4})
	b := engine.MustFromSlice([]float32{4, 3, 2, 1})
	half := expr.Exp[float32](op.Full[float32](.5))
	for _, e := range []expr.Exp[float32]{
		op.Map1(addOne, expr.Exp[float32](a)),
		op.Map2(maxOfTwo, op.AddScalar(op.Map1(addOne, expr.Exp[float32](a)), .5), b),
		op.Map3(mix, expr.Exp[float32](a), b, half),
	} {
		y, err := engine.Eval(e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(y)
	}
}
