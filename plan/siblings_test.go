package plan_test

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// TestSiblings counts the loops of reductions that one loop loads: those over the same axes of
// what reads a common array share a loop, if none depends on another.
func TestSiblings(t *testing.T) {
	x, g, z := leaf("x", 17, 8, 6, 6), leaf("g", 17, 8, 6, 6), leaf("z", 17, 8, 6, 6)
	over := func(e expr.Exp[float32]) expr.Exp[float32] { return op.Sum(e, op.Axis(0, 2, 3)) }
	mean := op.Mean(x, op.Axis(0, 2, 3), op.KeepDims())
	for _, c := range []struct {
		name  string
		a, b  expr.Exp[float32]
		loops int
	}{
		{"sums that share an operand", over(op.Mul(x, g)), over(op.Tanh(g)), 2},
		{"sums of other arrays", over(op.Mul(x, g)), over(z), 3},
		{"sums over other axes", over(x), op.Sum(x, op.Axis(0, 1, 3)), 3},
		{"a sum that depends on the other", op.Mean(x, op.Axis(0, 2, 3)), over(op.Square(op.Sub(x, mean))), 4},
	} {
		n := c.b.Node().Shape().Size()
		y, w := leaf("y", 8), leaf("w", n)
		p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(y, c.a), expr.Let(w, c.b)})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.Stages); got != c.loops {
			t.Errorf("%s: %d loops, want %d: %s", c.name, got, c.loops, stages(p))
		}
	}
}

// TestRowsInMemoryOrder tests the axes of the first loop of sums along rows that are columns in memory: the rows are in the order of
// memory, the elements of each in their own. Rows of memory keep their order.
func TestRowsInMemoryOrder(t *testing.T) {
	for _, c := range []struct {
		dims, order []int
		axes        []int
		want        string
	}{
		{[]int{500, 40, 30}, []int{2, 1, 0}, []int{2}, "[40 30 500]"},
		{[]int{500, 40, 30}, []int{1, 2, 0}, []int{2}, "[40 30 500]"},
		{[]int{9, 70, 40, 30}, []int{3, 2, 1, 0}, []int{2, 3}, "[40 30 70 9]"},
		{[]int{40, 30, 500}, []int{1, 0, 2}, []int{2}, "[30 40 500]"},
		{[]int{500, 40, 30}, []int{2, 1, 0}, []int{0}, "[30 40 500]"},
	} {
		e := op.Sum(op.Transpose(leaf("x", c.dims...), c.order...), op.Axis(c.axes...))
		if p := splitLoops(t, expr.Let(leaf("y", e.Node().Shape()...), e)); !strings.Contains(p.Explain(), "reads x float32"+c.want) {
			t.Errorf("%v in order %v over %v: want %s\n%s", c.dims, c.order, c.axes, c.want, p.Explain())
		}
	}
}

// TestTakenApart counts the loops of sums of records: small operands whose fields are apart, and which many rows read, are copied first.
func TestTakenApart(t *testing.T) {
	for _, c := range []struct{ rows, columns, loops int }{
		{500, 500, 4}, {4000, 16, 4}, {31, 4000, 1}, {30, 30, 1},
	} {
		x, z, y := leaf("x", c.rows, 1, 3), leaf("z", 1, c.columns, 3), leaf("y", c.rows, c.columns)
		p := splitLoops(t, expr.Let(y, op.Sum(op.Square(op.Sub(x, z)), op.Axis(2))))
		if got := len(p.Stages); got != c.loops {
			t.Errorf("%v: %d loops, want %d: %s", c, got, c.loops, stages(p))
		}
	}
}

// TestSelectedRows counts the loops over rows that an index selects: short rows are copied before they are reduced, and the copy looks for
// faults itself. Long rows, very many rows of one sum, and elements whose index changes along the vectors, are read where they are, after
// a look for faults.
func TestSelectedRows(t *testing.T) {
	for _, c := range []struct {
		what   string
		rows   []int
		index  []int
		axis   int // of the reduction
		copied bool
	}{
		{"rows", []int{50, 8}, []int{300}, 1, true},
		{"rows down columns", []int{50, 8}, []int{300}, 0, true},
		{"bags of rows", []int{50, 8}, []int{300, 10}, 1, true},
		{"many bags of rows", []int{50, 8}, []int{1 << 20, 10}, 1, true},
		{"rows of one large sum", []int{50, 8}, []int{1 << 22}, 0, false},
		{"long rows", []int{50, 2000}, []int{300}, 1, false},
		{"elements", []int{50}, []int{300, 20}, 1, false},
		{"elements down columns", []int{50}, []int{300, 20}, 0, false},
	} {
		x, i := leaf("x", c.rows...), typed[int64]("i", c.index...)
		e := op.Sum(op.Take(x, i, 0), op.Axis(c.axis))
		p := splitLoops(t, expr.Let(leaf("y", e.Node().Shape()...), e))
		if len(p.Stages) != 2 || p.Stages[0].Prescan == c.copied {
			t.Errorf("%s: rows are copied: %v, want %v: %s", c.what, !c.copied, c.copied, stages(p))
		}
	}
}
