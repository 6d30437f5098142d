package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// TestPartlyReduced needs a value in two stages. The first reads a part of it.
func TestPartlyReduced(t *testing.T) {
	head := op.DefineView("head", 1,
		func(n *tree.Node) (shape.Shape, error) { return shape.Shape{n.Args[0].Shape()[0] - 4}, nil },
		func(g *tree.Gather) op.V { v := g.At(0, g.Out); return g.B.Add(v, v) })
	const n = 100
	x := engine.Zeros[float32](n)
	for i := range n {
		x.Set(float32(i)/n, i)
	}
	for _, backend := range engine.Backends() {
		o := engine.Options{Backend: backend}
		run := func(s ...expr.Statement) {
			if err := engine.RunWith(t.Context(), o, s...); err != nil {
				t.Fatal(backend, err)
			}
		}
		e, stored := op.Exp(op.Sin(x)), engine.Zeros[float32](n)
		got, want, sum := engine.Zeros[float32](n), engine.Zeros[float32](n), engine.Zeros[float32](1)
		run(expr.Let(got, op.Sub(e, op.Sum(op.View(head, nil, e)))))
		run(expr.Let(stored, e))
		run(expr.Let(sum, op.Sum(op.View[float32](head, nil, stored))))
		run(expr.Let(want, op.Sub(stored, sum)))
		for i := range n {
			if got.At(i) != want.At(i) {
				t.Errorf("%s: element %d is %v, want %v", backend, i, got.At(i), want.At(i))
			}
		}
	}
}
