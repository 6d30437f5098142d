package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// testScaled compares products that are scaled and combined with the target, which one
// call of cuBLAS computes, with those of the interpreter. The values are small integers.
func testScaled(t *testing.T, _ *standIn) {
	d := open(t)
	scaledOf[float32](t, d)
	scaledOf[float64](t, d)
}

func scaledOf[T float32 | float64](t *testing.T, d driver.Device) {
	t.Helper()
	type tensor = *engine.Tensor[T]
	s := expr.NewParam[T](3)
	for _, c := range []struct {
		name    string
		a, b, y []int
		target  func(y tensor) tensor // a view of y
		stmt    func(y, a, b tensor) expr.Statement
		stages  string
	}{
		{name: "added", stmt: func(y, a, b tensor) expr.Statement { return expr.LetAdd(y, op.MatMul(a, b)) }},
		{name: "subtracted", stmt: func(y, a, b tensor) expr.Statement { return expr.LetSub(y, op.MatMul(a, b)) }},
		{name: "scaled", stmt: func(y, a, b tensor) expr.Statement { return expr.Let(y, op.Scale(2, op.MatMul(a, b))) }},
		{name: "alpha", stmt: func(y, a, b tensor) expr.Statement { return expr.LetSub(y, op.Scale(2, op.MatMul(a, b))) }},
		{name: "both", stmt: func(y, a, b tensor) expr.Statement {
			return expr.Let(y, op.Add(op.Scale(4, y), op.Scale(2, op.MatMul(a, b))))
		}},
		{name: "parameter", stmt: func(y, a, b tensor) expr.Statement { return expr.LetAdd(y, op.Mul(s, op.MatMul(a, b))) }},
		{name: "transposed", stmt: func(y, a, b tensor) expr.Statement {
			return expr.LetAdd(y, op.MatMul(op.T(b), op.T(a)))
		}, a: []int{5, 6}, b: []int{6, 4}, y: []int{4, 5}},
		{
			name: "stack", stmt: func(y, a, b tensor) expr.Statement { return expr.LetAdd(y, op.MatMul(a, b)) },
			a: []int{3, 4, 5}, b: []int{3, 5, 2}, y: []int{3, 4, 2},
		},
		{
			name: "irregular stack", stmt: func(y, a, b tensor) expr.Statement { return expr.LetAdd(y, op.MatMul(a, b)) },
			a: []int{3, 1, 4, 5}, b: []int{2, 5, 2}, y: []int{3, 2, 4, 2},
		},
		{
			name: "columns of a matrix", target: func(y tensor) tensor { return y.Span(op.Range(0, 3), op.Range(1, 5)) },
			stmt: func(y, a, b tensor) expr.Statement { return expr.LetAdd(y, op.MatMul(a, b)) },
			a:    []int{3, 6}, b: []int{6, 4}, y: []int{3, 7},
		},
		{
			name: "stored to columns", target: func(y tensor) tensor { return y.Span(op.Range(0, 3), op.Range(1, 5)) },
			stmt: func(y, a, b tensor) expr.Statement { return expr.Let(y, op.MatMul(a, b)) },
			a:    []int{3, 6}, b: []int{6, 4}, y: []int{3, 7},
		},
		{
			name: "no terms", stmt: func(y, a, b tensor) expr.Statement { return expr.LetAdd(y, op.MatMul(a, b)) },
			a: []int{3, 0}, b: []int{0, 4}, y: []int{3, 4}, stages: "product loop",
		},
		{name: "times", stmt: func(y, a, b tensor) expr.Statement { return expr.LetMul(y, op.MatMul(a, b)) }, stages: "product loop"},
		{
			name: "itself", stmt: func(y, a, _ tensor) expr.Statement { return expr.LetAdd(y, op.MatMul(a, y)) },
			a: []int{4, 4}, b: []int{1}, y: []int{4, 4}, stages: "product loop",
		},
	} {
		if c.a == nil {
			c.a, c.b, c.y = []int{4, 6}, []int{6, 5}, []int{4, 5}
		}
		if c.target == nil {
			c.target = func(y tensor) tensor { return y }
		}
		if c.stages == "" {
			c.stages = "product"
		}
		a, b, y := squares[T](c.a...), squares[T](c.b...), squares[T](c.y...)
		da, db, dy := there(t, d, a), there(t, d, b), there(t, d, y)
		p, err := engine.Compile(ctx, c.stmt(c.target(dy), da, db))
		check(t, err)
		if got := kinds(p.Plan()); got != c.stages {
			t.Errorf("%s: stages %s, want %s", c.name, got, c.stages)
		}
		for run, value := range []T{3, -2, -2, 5} {
			s.Set(value)
			check(t, p.Run(ctx))
			check(t, engine.RunWith(ctx, engine.Options{Backend: "interp"}, c.stmt(c.target(y), a, b)))
			if fmt.Sprint(dy.Values()) != fmt.Sprint(y.Data()) {
				t.Errorf("%s, run %d: %v, want %v", c.name, run, dy, y)
			}
		}
	}
}

// TestPlanOptions tests what Explain says of a product that cuBLAS scales.
func TestPlanOptions(t *testing.T) {
	y, a := squares[float32](3, 3), squares[float32](3, 3)
	pl, err := plan.Compile(t.Context(), []expr.Statement{expr.LetAdd(y, op.Scale(2, op.MatMul(a, a)))}, PlanOptions()...)
	check(t, err)
	if text := pl.Explain(); len(pl.Stages) != 1 || !strings.Contains(text, ", scaled, by +=") {
		t.Errorf("the plan is\n%s", text)
	}
}
