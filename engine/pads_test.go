package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestTemporariesAreCut checks that a padded temporary is stored in parts, each without
// borders, also if what is padded or joined depends on reductions or products, and that a
// reduction does not compute the parts of a concatenation again.
func TestTemporariesAreCut(t *testing.T) {
	x, w := numbers(4, 8, 16, 16), numbers(8, 8, 3, 3)
	mean := op.Mean[float32](x, op.Axis(0, 2, 3), op.KeepDims())
	conv := op.Conv(op.Tanh(op.Sub(expr.Exp[float32](x), mean)), expr.Exp[float32](w), op.Sliding{Padding: []int{1}})
	parts := op.Concat(3, op.Tanh(expr.Exp[float32](x)), op.Exp(expr.Exp[float32](x)))
	product := op.MatMul(op.Reshape(op.Tanh(expr.Exp[float32](x)), 4, 8, 256), expr.Exp[float32](numbers(256, 16)))
	rows := op.Reshape(product, 4, 8, 1, 16)
	woven := op.Concat(2, op.Tanh(rows), op.Exp(rows))
	for name, c := range map[string]struct {
		e      expr.Exp[float32]
		dims   []int
		reason string
		stages int
	}{
		"padded":  {conv, []int{4, 8, 16, 16}, "an operand of a matrix product", 2},
		"joined":  {op.Sum(parts, op.Axis(2, 3)), []int{4, 8}, "its parts would be computed again", 2},
		"product": {op.Sum(woven, op.Axis(2, 3)), []int{4, 8}, "its parts would be computed again", 2},
	} {
		y := engine.Zeros[float32](c.dims...)
		p, err := engine.Compile(context.Background(), expr.Let[float32](y, c.e))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.Explain(), c.reason); n != c.stages {
			t.Errorf("%s: %d stages for %q, want %d:\n%s", name, n, c.reason, c.stages, p.Explain())
		}
	}
}
