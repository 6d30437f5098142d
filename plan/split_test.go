package plan_test

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// TestSplitPadding counts the loops of paddings of small and large arrays, with long and short rows.
func TestSplitPadding(t *testing.T) {
	for _, c := range []struct {
		dims   []int
		widths [][2]int
		want   string
	}{
		{[]int{4, 4}, [][2]int{{1, 1}, {1, 1}}, "loop loop"},
		{[]int{3}, [][2]int{{1, 1}}, "loop loop"},
		{[]int{1000}, [][2]int{{1, 0}}, "loop loop"},
		{[]int{1000}, [][2]int{{1, 1}}, "loop loop loop"},
		{[]int{100, 20}, [][2]int{{1, 1}, {1, 1}}, "loop loop"},
		{[]int{100, 100}, [][2]int{{0, 2}, {3, 0}}, "loop loop"},
		{[]int{5000, 6}, [][2]int{{0, 0}, {1, 1}}, "loop loop"},
		{[]int{10, 30, 20}, [][2]int{{1, 1}, {1, 1}, {1, 1}}, "loop loop"},
		{[]int{500, 500}, [][2]int{{1, 1}, {1, 1}}, "loop loop loop loop loop"},
		{[]int{100_000}, [][2]int{{3, 3}}, "loop loop loop"},
	} {
		e := op.Pad(leaf("x", c.dims...), c.widths, 1)
		y := leaf("y", expr.NodeOf(e).Shape()...)
		p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(y, e)}, plan.SplitLoops)
		if err != nil {
			t.Fatal(err)
		}
		if got := stages(p); got != c.want {
			t.Errorf("%v padded by %v: %s, want %s", c.dims, c.widths, got, c.want)
		}
	}
}

// TestSplitSmall counts the loops of concatenations and rolls of few elements: each operand has a loop.
func TestSplitSmall(t *testing.T) {
	x, z := leaf("x", 4), leaf("z", 3)
	for _, c := range []struct {
		e    expr.Exp[float32]
		want string
	}{
		{op.Concat[float32](0, x, z), "loop loop"},
		{op.Roll[float32](x, 1, 0), "loop loop"},
		{op.Add(op.Roll[float32](x, 1, 0), op.Roll[float32](x, -1, 0)), "loop loop loop"},
	} {
		p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(leaf("y", expr.NodeOf(c.e).Shape()...), c.e)}, plan.SplitLoops)
		if err != nil {
			t.Fatal(err)
		}
		if got := stages(p); got != c.want {
			t.Errorf("%s: %s, want %s", expr.NodeOf(c.e).Op.Name(), got, c.want)
		}
	}
}
