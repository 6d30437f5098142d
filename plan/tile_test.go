package plan_test

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// TestTiles tests which loops run on tiles of the product before them, and the number of
// columns of a block.
func TestTiles(t *testing.T) {
	const m, k, n = 600, 300, 520
	x, w, b := leaf("x", m, k), leaf("w", k, n), leaf("b", n)
	y := leaf("y", m, n)
	dot := op.MatMul(x, w)
	square := leaf("square", m, m)
	image := leaf("image", 4, k, 8, 64)
	for _, c := range []struct {
		name    string
		stmts   []expr.Statement
		columns int // 0: there are no tiles
	}{
		{"bias and activation", []expr.Statement{expr.Let(y, op.ReLU(op.Add(dot, b)))}, 256},
		{"residual", []expr.Statement{expr.LetAdd(y, op.ReLU(dot))}, 256},
		{"halves", []expr.Statement{expr.Let(typed[expr.Float16]("h", m, n), op.Cast[expr.Float16](op.Add(dot, b)))}, 256},
		{"several outputs", []expr.Statement{expr.Let(y, op.Exp(dot)), expr.Let(leaf("z", m, n), op.Sin(dot))}, 256},
		{"columns of several axes", []expr.Statement{expr.Let(leaf("q", 4, m, 8, 64), op.ReLU(op.Reshape(op.MatMul(x, op.Reshape(image, 4, k, 512)), 4, m, 8, 64)))}, 256},
		{"sums of rows", []expr.Statement{expr.Let(leaf("r", m), op.Sum(op.Exp(dot), op.Axis(1)))}, n},
		{"probabilities", []expr.Statement{expr.Let(y, op.Softmax(op.Add(dot, b), -1))}, n},
		{"reversed columns", []expr.Statement{expr.Let(y, op.Flip(dot, 1))}, n},
		{"reversed rows", []expr.Statement{expr.Let(y, op.Exp(op.Flip(dot, 0)))}, 0},
		{"sums of columns", []expr.Statement{expr.Let(leaf("c", n), op.Sum(op.Exp(dot), op.Axis(0)))}, 0},
		{"the sum", []expr.Statement{expr.Let(leaf("s", 1), op.Reshape(op.Sum(op.Exp(dot)), 1))}, n},
		{"transposed", []expr.Statement{expr.Let(leaf("q", n, m), op.Exp(op.T(dot)))}, 0},
		{"into the right operand", []expr.Statement{expr.Let(square, op.Exp(op.MatMul(leaf("u", m, m), square)))}, 0},
		{"long sums", []expr.Statement{expr.Let(y, op.ReLU(op.MatMul(leaf("p", m, 10_000), leaf("q", 10_000, n))))}, 0},
		{"a small result", []expr.Statement{expr.Let(leaf("q", 8, 8), op.ReLU(op.MatMul(leaf("p", 8, k), leaf("v", k, 8))))}, 0},
		{"faulty", []expr.Statement{expr.Let(typed[int32]("i", m, n), op.Div(op.MatMul(typed[int32]("p", m, k), typed[int32]("v", k, n)), typed[int32]("d", n)))}, 0},
	} {
		p, err := plan.Compile(t.Context(), c.stmts, plan.CombineProducts, plan.ChainProducts)
		if err != nil {
			t.Fatal(err)
		}
		columns := 0
		for _, s := range p.Stages {
			if s.Tiles != nil {
				columns = s.Tiles.Columns
			}
		}
		if columns != c.columns {
			t.Errorf("%s: tiles of %d columns, want %d\n%s", c.name, columns, c.columns, p.Explain())
		}
	}
}
