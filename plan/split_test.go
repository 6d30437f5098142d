package plan_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
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
		{[]int{1000}, [][2]int{{1, 0}}, "loop"},
		{[]int{1000}, [][2]int{{1, 1}}, "loop"},
		{[]int{100, 20}, [][2]int{{1, 1}, {1, 1}}, "loop loop"},
		{[]int{100, 20}, [][2]int{{}, {}}, "loop"},
		{[]int{100, 100}, [][2]int{{0, 2}, {3, 0}}, "loop loop"},
		{[]int{20, 70}, [][2]int{{1, 1}, {1, 1}}, "loop loop"},
		{[]int{60, 50}, [][2]int{{1, 1}, {1, 1}}, "loop loop loop"},
		{[]int{5000, 30}, [][2]int{{0, 0}, {1, 1}}, "loop"},
		{[]int{5000, 24}, [][2]int{{0, 0}, {1, 1}}, "loop loop"},
		{[]int{5000, 3000}, [][2]int{{0, 0}, {1, 1}}, "loop loop loop"},
		{[]int{5000, 6}, [][2]int{{0, 0}, {1, 1}}, "loop loop"},
		{[]int{10, 30, 20}, [][2]int{{1, 1}, {1, 1}, {1, 1}}, "loop loop"},
		{[]int{500, 500}, [][2]int{{1, 1}, {1, 1}}, "loop loop loop"},
		{[]int{100_000}, [][2]int{{3, 3}}, "loop loop loop"},
	} {
		e := op.Pad(leaf("x", c.dims...), c.widths, 1)
		y := leaf("y", expr.NodeOf(e).Shape()...)
		p := splitLoops(t, expr.Let(y, e))
		if got := stages(p); got != c.want {
			t.Errorf("%v padded by %v: %s, want %s", c.dims, c.widths, got, c.want)
		}
	}
}

// TestSteps looks which scans are a loop that stores all their steps, and of how many.
func TestSteps(t *testing.T) {
	sum := op.CumSum[float32]
	x, y, words := leaf("x", 100, 3), leaf("y", 100, 3), typed[int16]("y", 500, 5)
	to := func(e expr.Exp[float32]) expr.Statement { return expr.Let(leaf("y", expr.NodeOf(e).Shape()...), e) }
	for _, c := range []struct {
		name  string
		s     expr.Statement
		steps int
	}{
		{"columns", to(sum(x, 1)), 3},
		{"rows", to(sum(leaf("x", 8, 70), 0)), 8},
		{"planes", to(sum(leaf("x", 20, 2, 40), 1)), 2},
		{"converted", expr.Let(typed[int32]("y", 100, 5), op.Cast[int32](op.CumSum(op.Cast[int64](typed[int32]("x", 100, 5)), 1))), 5},
		{"words", expr.Let(typed[int16]("y", 500, 4), op.CumSum(typed[int16]("x", 500, 4), 1)), 4},
		{"more words", expr.Let(words, op.CumSum(typed[int16]("x", 500, 5), 1)), 0},
		{"more words, in two arrays", expr.Let(words, op.Add(op.CumSum(typed[int16]("x", 500, 5), 1), typed[int16]("z", 500, 5))), 0},
		{"more words and a number", expr.Let(words, op.CumSum(op.Add(typed[int16]("x", 500, 5), typed[int16]("z", 1)), 1)), 0},
		{"more words of two scans", expr.Let(words, op.Sub(op.CumMax(typed[int16]("x", 500, 5), 1), op.CumMin(typed[int16]("x", 500, 5), 1))), 5},
		{"more words backwards", expr.Let(words, op.CumSum(op.Flip(typed[int16]("x", 500, 5), 1), 1)), 5},
		{"more words of columns", expr.Let(words, op.CumSum(op.Transpose(typed[int16]("x", 5, 500)), 1)), 5},
		{"more words and a row", expr.Let(words, op.CumSum(op.Add(typed[int16]("x", 500, 5), typed[int16]("z", 5)), 1)), 5},
		{"more words and one of each row", expr.Let(words, op.CumSum(op.Add(typed[int16]("x", 500, 5), typed[int16]("z", 500, 1)), 1)), 5},
		{"words of bytes", expr.Let(words, op.CumSum(op.Cast[int16](typed[int8]("x", 500, 5)), 1)), 0},
		{"words of halves", expr.Let(words, op.CumSum(op.Cast[int16](typed[dtype.Float16]("x", 500, 5)), 1)), 5},
		{"bytes", expr.Let(typed[uint8]("y", 500, 4), op.CumSum(typed[uint8]("x", 500, 4), 1)), 4},
		{"more bytes", expr.Let(typed[uint8]("y", 500, 5), op.CumMax(typed[uint8]("x", 500, 5), 1)), 0},
		{"products of bytes", expr.Let(typed[uint8]("y", 500, 5), op.CumProd(typed[uint8]("x", 500, 5), 1)), 5},
		{"quotients of bytes", expr.Let(typed[uint8]("y", 500, 5), op.FloorDiv(op.CumSum(typed[uint8]("x", 500, 5), 1), expr.Const[uint8](3))), 5},
		{"a function of two scans", to(op.Div(sum(x, 1), op.CumMax[float32](x, 1))), 3},
		{"a scan of a scan", to(sum(sum(x, 1), 1)), 3},
		{"many steps", to(sum(leaf("x", 100, 9), 1)), 0},
		{"few scans", to(sum(leaf("x", 60, 3), 1)), 0},
		{"much work", to(sum(op.Exp(op.Sin[float32](leaf("x", 100, 8))), 1)), 0},
		{"scans along two axes, of which one is stored", to(op.Add(sum(leaf("x", 8, 8, 20), 0), sum(leaf("z", 8, 8, 20), 1))), 0},
		{"a scan that is stored in reverse", to(op.Flip(sum(op.Flip[float32](x, 1), 1), 1)), 3},
		{"a scan that a view reads", to(op.Roll(sum(x, 1), 1, 1)), 0},
		{"rows of pages", to(sum(leaf("x", 5, 1024), 0)), 0},
		{"fewer rows of pages", to(sum(leaf("x", 4, 1024), 0)), 4},
		{"in place", expr.Let(y, sum(y, 1)), 0},
	} {
		p := splitLoops(t, c.s)
		text := fmt.Sprint(p.Stages[0].Kernel)
		got := strings.Count(text, "store")
		if strings.Contains(text, "carry") {
			got = 0
		}
		if got != c.steps {
			t.Errorf("%s: %d steps, want %d\n%s", c.name, got, c.steps, text)
		}
	}
}

// splitLoops returns a plan of statements whose loops may be split.
func splitLoops(t *testing.T, s ...expr.Statement) *plan.Plan {
	t.Helper()
	p, err := plan.Compile(t.Context(), s, plan.SplitLoops)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// outline returns the loops and the stores of the kernels of a plan, stage by stage, without cold regions.
func outline(p *plan.Plan) string {
	var out []string
	for _, s := range p.Stages {
		text := strings.Join(regexp.MustCompile(`(?m)par|vec|store|[{}]$`).FindAllString(fmt.Sprint(s.Kernel), -1), "")
		text = strings.ReplaceAll(text, "{}", "")
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	}
	return strings.Join(out, " ")
}

// TestBeside looks which parts of a map are one stage: those of a short row, and narrow ones beside a wide one.
func TestBeside(t *testing.T) {
	x, z, w := leaf("x", 4), leaf("z", 3), leaf("w", 9, 8)
	u, v := expr.Exp[float32](leaf("u", 40, 1, 500)), expr.Exp[float32](leaf("v", 40, 1, 500))
	second := func(x expr.Exp[float32], axis int) expr.Exp[float32] {
		return op.Add(op.Sub(op.Roll(x, 1, axis), op.Scale(2, x)), op.Roll(x, -1, axis))
	}
	joined := func(rows, first, next int) expr.Exp[float32] {
		return op.Concat[float32](1, leaf("a", rows, first), leaf("b", rows, next))
	}
	const row = "vec{store}storestore"
	const rows = "par{" + row + "}"
	for _, c := range []struct {
		name string
		e    expr.Exp[float32]
		want string
	}{
		{"two operands", op.Concat[float32](0, x, z), "vec{store}vec{store}"},
		{"six operands", op.Concat[float32](0, x, z, x, z, x, z), strings.Repeat("vec{store}", 6)},
		{"a roll", op.Roll[float32](x, 1, 0), "vec{store}store"},
		{"a stencil", second(leaf("v", 300), 0), row},
		{"a stencil of functions", second(op.Exp[float32](leaf("v", 10_000)), 0), "vec{store} " + row},
		{"a long row", second(leaf("v", 100_000), 0), "store vec{store} store"},
		{"many operands that take long", op.Concat(0, op.Exp[float32](leaf("v", 9_000)), op.Exp[float32](leaf("u", 9_000))), "vec{store} vec{store}"},
		{"stencils of rows", second(leaf("v", 40, 50), 1), rows},
		{"stencils down columns", second(leaf("v", 40, 50), 0), "vec{store} vec{store} vec{store}"},
		{"both", op.Add(second(leaf("v", 40, 50), 0), second(leaf("v", 40, 50), 1)), row + " " + rows + " " + row},
		{"short rows", second(leaf("v", 40, 10), 1), "vec{store} vec{store} vec{store}"},
		{"much memory", second(leaf("v", 2000, 100), 1), "vec{store} vec{store} vec{store}"},
		{"small rows", op.Add(op.Roll[float32](w, 1, 0), op.Roll[float32](w, -1, 1)), "vec{store}store vec{store} vec{store}"},
		{"two elements after a wide part", joined(30, 40, 2), "par{vec{store}vec{store}}"},
		{"a short row in two parts", op.Cast[float32](op.Concat[uint8](1, typed[uint8]("a", 30, 17), typed[uint8]("b", 30, 20))), "vec{store} vec{store}"},
		{"wide parts of planes", op.Concat[float32](1, leaf("a", 9, 4, 10), leaf("b", 9, 5, 10)), "par{vec{store}vec{store}}"},
		{"a transposed part", op.Concat[float32](1, leaf("a", 30, 40), op.T(leaf("b", 50, 30))), "vec{store} vec{store}"},
		{"parts of five arrays", op.Concat[float32](1, leaf("a", 30, 7), leaf("b", 30, 8), leaf("c", 30, 9), leaf("u", 30, 10), leaf("v", 30, 11)), "vec{store} par{vec{store}vec{store}vec{store}vec{store}}"},
		{"one element after a wide part", joined(30, 40, 1), "par{vec{store}store}"},
		{"one element before a wide part", joined(30, 1, 40), "par{vec{store}store}"},
		{"one element of many rows", joined(40, 40, 1), "par{vec{store}store}"},
		{"few columns", joined(40, 1, 2), "vec{storestorestore}"},
		{"few columns of few rows", joined(20, 1, 2), "vec{store} vec{store}"},
		{"few columns of rolls", second(leaf("v", 40, 3), 1), "vec{storestorestore}"},
		{"few columns of a padding", op.Pad[float32](leaf("v", 40, 2), [][2]int{{}, {1, 1}}, 1), "vec{storestorestorestore}"},
		{"few columns of a transpose", op.Transpose(op.Concat[float32](0, leaf("a", 1, 40), leaf("b", 2, 40)), 1, 0), "vec{storestorestore}"},
		{"one element on each side that loads nothing", op.Pad[float32](leaf("v", 40, 500), [][2]int{{}, {1, 1}}, 1), "par{vec{store}storestore}"},
		{"two rows of the same operands", op.Concat(1, op.Sub(u, v), op.Add(u, v)), "vec{storestore}"},
		{"two rows of other operands", op.Concat(1, op.Exp(u), op.Exp(v)), "vec{store} vec{store}"},
		{"a transposed target", op.Transpose(second(leaf("v", 40, 50), 1), 1, 0), rows},
		{"fields of records", op.Transpose[float32](leaf("x", 70, 3), 1, 0), "vec{storestorestore}"},
		{"fields and other operands", op.Add(op.Transpose[float32](leaf("x", 70, 2), 1, 0), leaf("z", 2, 70)), "vec{storestore}"},
		{"fields of pictures", op.Transpose[float32](leaf("x", 5, 20, 20, 3), 0, 3, 1, 2), "vec{storestorestore}"},
		{"three fields of bytes", op.Cast[float32](op.Transpose[uint8](typed[uint8]("x", 70, 3), 1, 0)), "vec{storestorestore}"},
		{"two fields of bytes", op.Cast[float32](op.Transpose[uint8](typed[uint8]("x", 70, 2), 1, 0)), "vec{storestore}"},
		{"seven fields of two bytes", op.Cast[float32](op.Transpose[int16](typed[int16]("x", 70, 7), 1, 0)), "vec{" + strings.Repeat("store", 7) + "}"},
		{"fields of few records", op.Transpose[float32](leaf("x", 60, 3), 1, 0), "vec{store}"},
		{"fields of short runs", op.Transpose[float32](leaf("x", 40, 15, 2), 0, 2, 1), "vec{store}"},
		{"many fields", op.Transpose[float32](leaf("x", 70, 9), 1, 0), "vec{store}"},
		{"some fields", op.Transpose(op.Slice[float32](leaf("x", 70, 5), op.Span{}, op.Range(0, 3)), 1, 0), "vec{store}"},
		{"fields that become records", op.Scale[float32](2, leaf("x", 70, 3)), "vec{store}"},
		{"fields that take long", op.Exp(op.Transpose[float32](leaf("x", 70, 3), 1, 0)), "vec{store}"},
		{"fields and many operands", op.Add(op.Add(op.Transpose[float32](leaf("x", 70, 8), 1, 0), leaf("z", 8, 70)), op.Add(leaf("u", 8, 70), leaf("v", 8, 70))), "vec{store}"},
	} {
		p := splitLoops(t, expr.Let(leaf("y", expr.NodeOf(c.e).Shape()...), c.e))
		if got := outline(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPieces looks how many loops store pieces of the same rows, and how many stores these have: one loop stores all columns of short rows.
func TestPieces(t *testing.T) {
	x, y, z := leaf("x", 1000, 4), leaf("y", 1000, 4), leaf("z", 1000, 4)
	wide, few, records := leaf("wide", 1000, 5), leaf("few", 999, 4), leaf("records", 40, 25, 4)
	piece := func(x leafOf[float32], from, to int) leafOf[float32] { // a vector, if to is 0
		l, s := *x.node.Leaf, slices.Clone(x.node.Shape())
		if s[len(s)-1], l.Offset = to-from, from; to == 0 {
			s, l.Strides = s[:len(s)-1], l.Strides[:len(s)-1]
		}
		return leafOf[float32]{node: tree.NewLeaf(dtype.F32, s, &l)}
	}
	const four = "vec{storestorestorestore}"
	for _, c := range []struct {
		name string
		to   leafOf[float32]
		from expr.Exp[float32]
		next leafOf[float32]
		then expr.Exp[float32]
		want string
	}{
		{"three columns and a vector", piece(y, 0, 3), piece(x, 1, 4), piece(y, 3, 0), expr.Const[float32](1), four},
		{"the last first", piece(y, 3, 4), piece(x, 0, 1), piece(y, 0, 3), op.Exp[float32](piece(x, 0, 3)), four},
		{"two and two", piece(y, 0, 2), piece(x, 1, 3), piece(y, 2, 4), piece(z, 1, 3), four},
		{"two and one", piece(y, 0, 2), piece(x, 1, 3), piece(y, 3, 4), piece(z, 1, 2), "vec{storestorestore}"},
		{"pictures", piece(records, 0, 3), expr.Const[float32](2), piece(records, 3, 0), expr.Const[float32](1), four},
		{"exchanged", piece(y, 0, 2), piece(y, 2, 4), piece(y, 2, 4), piece(x, 0, 2), "vec{store} vec{store} vec{store}"},
		{"what the first stores", piece(y, 0, 2), piece(x, 0, 2), piece(y, 2, 4), piece(y, 0, 2), "vec{store} vec{store} vec{store}"},
		{"what the second stores, in other columns", piece(y, 0, 3), op.Scale[float32](2, piece(y, 1, 4)), piece(y, 3, 4), piece(x, 0, 1), "vec{store} vec{store} vec{store}"},
		{"columns of another array", piece(y, 0, 3), piece(x, 0, 3), piece(z, 3, 4), piece(x, 0, 1), "vec{store} vec{store}"},
		{"the same column", piece(y, 0, 3), piece(x, 0, 3), piece(y, 2, 3), piece(x, 0, 1), "vec{store} vec{store}"},
		{"a running sum", piece(y, 0, 1), op.CumSum[float32](piece(x, 0, 1), 0), piece(y, 1, 4), piece(x, 0, 3), "vec{{store}} vec{store}"},
		{"short running sums", piece(y, 0, 3), op.CumSum[float32](piece(x, 0, 3), 1), piece(y, 3, 4), piece(x, 0, 1), "vec{storestorestore} vec{store}"},
		{"many columns", piece(wide, 0, 3), piece(x, 0, 3), piece(wide, 3, 5), piece(x, 0, 2), "vec{store} vec{store}"},
		{"few rows", piece(few, 0, 3), expr.Const[float32](2), piece(few, 3, 4), expr.Const[float32](1), "vec{store} vec{store}"},
	} {
		p := splitLoops(t, expr.Let(c.to, c.from), expr.Let(c.next, c.then))
		if got := outline(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPiecesShareLoops looks for the loop of pieces that lie between each other, one of which may fail: as any other targets of one shape they
// share a loop, which stores nothing if one fails.
func TestPiecesShareLoops(t *testing.T) {
	y, x := typed[int32]("y", 1000, 8), typed[int32]("x", 1000, 8)
	every2 := func(x leafOf[int32], at int) leafOf[int32] {
		l := *x.node.Leaf
		l.Offset, l.Strides = at, []int{8, 2}
		return leafOf[int32]{node: tree.NewLeaf(dtype.I32, []int{1000, 2}, &l)}
	}
	p := splitLoops(t,
		expr.Let(every2(y, 0), every2(x, 0)), expr.Let(every2(y, 3), op.FloorDiv(every2(x, 0), every2(x, 3))),
	)
	if got, want := outline(p), "vec vec{storestore}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestMemoryOrder compares the loops of reductions: those of maxima follow the arrays if these have one order, those of sums the tree.
func TestMemoryOrder(t *testing.T) {
	x, z := leaf("x", 70, 80, 90), leaf("z", 70, 80, 90)
	transposed := func(x expr.Exp[float32], axes ...int) expr.Exp[float32] { return op.Transpose(x, axes...) }
	rows, columns, all := "par i0 i1 [70 80 90] b0[i0, i1, i2]", "vec i0 i1 [80 90 70] b0[i2, i0, i1]", "vec i0 i1 i2 [70 80 90] b0[i0, i1, i2]"
	for name, c := range map[string]struct {
		e    expr.Exp[float32]
		want string
	}{
		"sum":         {op.Sum(transposed(x, 2, 0, 1), op.Axis(0)), "vec i0 i1 [70 80 90] b0[i2, i0, i1]"},
		"rows":        {op.Max(transposed(x, 2, 0, 1), op.Axis(0)), rows},
		"columns":     {op.Max(transposed(x, 1, 2, 0), op.Axis(2)), columns},
		"all":         {op.Max(transposed(x, 2, 0, 1)), all},
		"two arrays":  {op.Max(op.Add(transposed(x, 2, 0, 1), transposed(z, 2, 0, 1))), "vec i0 i1 i2 [70 80 90] b0[i2, i0, i1]"},
		"two orders":  {op.Max(op.Add(transposed(x, 1, 2, 0), op.Reshape[float32](z, 80, 90, 70))), "vec i0 i1 i2 [80 90 70] b0[i0, i1, i2], vec i0 i1 i2 [80 90 70] b0[i0, i1, i2]"}, // the first stores
		"two groups":  {op.Max(transposed(x, 2, 0, 1), op.Axis(0, 1)), rows + ", vec i0 [80 70] b0[i1, i0]"},
		"two in tree": {op.Max[float32](leaf("w", 700, 5, 30), op.Axis(0, 2)), "vec i0 i1 [5 30 700] b0[i2, i0, i1], par i0 [5 30] b0[i0, i1]"},
	} {
		p := splitLoops(t, expr.Let(leaf("y", expr.NodeOf(c.e).Shape()...), c.e))
		var got []string
		for _, s := range p.Stages {
			m := regexp.MustCompile(`(?s)\{\n *(.*?) \{.*?load f32 (.*?)\n`).FindStringSubmatch(fmt.Sprint(s.Kernel))
			got = append(got, fmt.Sprintf("%s %v %s", m[1], s.Extents, m[2]))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestShortRows looks which reductions of short rows, and of blocks of short rows, are loops. The others are written out.
func TestShortRows(t *testing.T) {
	words := func(n int) expr.Exp[int16] { return typed[int16]("x", 100, n) }
	for name, c := range map[string]struct {
		e    *tree.Node
		loop bool
	}{
		"7 of 2 bytes":        {expr.NodeOf(op.Max(words(7), op.Axis(1))), false},
		"8 of 2 bytes":        {expr.NodeOf(op.Max(words(8), op.Axis(1))), true},
		"9 of 2 bytes":        {expr.NodeOf(op.Max(words(9), op.Axis(1))), true},
		"16 of 2 bytes":       {expr.NodeOf(op.Max(words(16), op.Axis(1))), true},
		"8 predicates":        {expr.NodeOf(op.Any(op.Greater(words(8), words(8)), op.Axis(1))), true},
		"12 predicates":       {expr.NodeOf(op.Any(op.Greater(words(12), words(12)), op.Axis(1))), false},
		"16 predicates":       {expr.NodeOf(op.Any(op.Greater(words(16), words(16)), op.Axis(1))), true},
		"9 of 2 bytes, twice": {expr.NodeOf(op.Sub(op.Max(words(9), op.Axis(1)), op.Min(words(9), op.Axis(1)))), false},
		"their position":      {expr.NodeOf(op.ArgMax(words(9), op.Axis(1))), false},
		"15 of 4 bytes":       {expr.NodeOf(op.Sum[float32](leaf("x", 100, 15), op.Axis(1))), false},
		"16 of 4 bytes":       {expr.NodeOf(op.Mean[float32](leaf("x", 100, 16), op.Axis(1))), true},
		"their variance":      {expr.NodeOf(op.Var[float32](leaf("x", 100, 16), op.Axis(1))), false},
		"3 in 10 rows":        {expr.NodeOf(op.Sum[float32](leaf("x", 100, 10, 10, 3), op.Axis(1, 3))), false},
		"4 in 10 rows":        {expr.NodeOf(op.Sum[float32](leaf("x", 100, 10, 10, 4), op.Axis(1, 3))), true},
		"100 in 10 rows":      {expr.NodeOf(op.Sum[float32](leaf("x", 100, 10, 10, 100), op.Axis(1, 3))), false},
	} {
		s, dt := c.e.Shape(), c.e.DType()
		y := tree.NewLeaf(dt, s, &tree.Leaf{Mem: &memory{s.Size() * dt.Size()}, Strides: s.Strides()})
		p, err := plan.Compile(t.Context(), []expr.Statement{{Target: y, Value: c.e}})
		if err != nil {
			t.Fatal(err)
		}
		if last := fmt.Sprint(p.Stages[len(p.Stages)-1].Kernel); (strings.Contains(last, "par i0") || strings.Contains(last, "seq")) != c.loop {
			t.Errorf("%s: a loop over the row: %v, want %v", name, !c.loop, c.loop)
		}
	}
}

// TestNarrowSums looks for the type in which the sums of few integers and predicates are computed before they are converted.
func TestNarrowSums(t *testing.T) {
	for _, c := range []struct {
		e   expr.Exp[int64]
		sum string
	}{
		{op.SumInt(typed[int8]("x", 2000, 3), op.Axis(1)), "add i16"},
		{op.SumInt(typed[int8]("x", 2000, 9), op.Axis(1)), "reduce sum i64"},
		{op.SumInt(typed[int8]("x", 9, 2000), op.Axis(0)), "add i16"},
		{op.SumInt(typed[int8]("x", 100, 3), op.Axis(1)), "add i64"},
		{op.SumInt(typed[int16]("x", 2000, 5), op.Axis(1)), "add i32"},
		{op.SumInt(typed[int16]("x", 2000, 8), op.Axis(1)), "reduce sum i64"},
		{op.SumInt(typed[int32]("x", 2000, 4), op.Axis(1)), "add i64"},
		{op.CountNonzero(typed[int8]("x", 2000, 5), op.Axis(1)), "add u8"},
		{op.CountNonzero(typed[int8]("x", 150, 7), op.Axis(1)), "add u8"},
		{op.CountNonzero(typed[int16]("x", 2000, 5), op.Axis(1)), "add u16"},
		{op.CountNonzero(leaf("x", 2000, 5), op.Axis(1)), "add u32"},
		{op.CountNonzero(leaf("x", 2000, 2), op.Axis(1)), "add i64"},
		{op.CountNonzero(typed[float64]("x", 2000, 5), op.Axis(1)), "add i64"},
	} {
		p := splitLoops(t, expr.Let(typed[int64]("y", expr.NodeOf(c.e).Shape()...), c.e))
		if !strings.Contains(fmt.Sprint(p.Stages[0].Kernel), c.sum) {
			t.Errorf("%s: no %s in %s", expr.NodeOf(c.e), c.sum, p.Stages[0].Kernel)
		}
	}
}

// TestSumsDownMemory looks which sums of rows that are columns in memory are written out: those of few elements of each lane, unless
// their lines share sets of the caches.
func TestSumsDownMemory(t *testing.T) {
	for _, c := range []struct {
		n, rows    int
		f32, whole bool
	}{{400, 100, true, true}, {449, 100, true, false}, {127, 256, true, true}, {128, 256, true, false}, {224, 100, false, true}, {225, 100, false, false}, {63, 128, false, true}, {64, 128, false, false}} {
		s := expr.Let(leaf("y", c.rows), op.Sum(op.Transpose[float32](leaf("x", c.n, c.rows)), op.Axis(1)))
		if !c.f32 {
			s = expr.Let(typed[float64]("y", c.rows), op.Sum(op.Transpose[float64](typed[float64]("x", c.n, c.rows)), op.Axis(1)))
		}
		p := splitLoops(t, s)
		if got := !strings.Contains(fmt.Sprint(p.Stages[0].Kernel), "reduce"); got != c.whole {
			t.Errorf("%d elements of %d rows, float32 %t: written out %t, want %t", c.n, c.rows, c.f32, got, c.whole)
		}
	}
}

// TestJoinedInRows looks which concatenations are one loop that copies rows of as many elements, or columns.
func TestJoinedInRows(t *testing.T) {
	for _, c := range []struct {
		name string
		e    expr.Exp[float32]
		want string
	}{
		{"twice", op.Concat[float32](1, leaf("a", 100, 17), leaf("b", 100, 17), leaf("a", 100, 17)), "loop"},
		{"of five", op.Concat[float32](1, leaf("a", 100, 8), leaf("b", 100, 8), leaf("c", 100, 8), leaf("d", 100, 8), leaf("e", 100, 8)), "loop loop"},
		{"in a slice", op.Concat[float32](2, op.Slice(leaf("a", 5, 20, 9), op.Span{}, op.Span{}, op.Range(2, 9)), leaf("b", 5, 20, 7)), "loop"},
		{"multiples", op.Concat[float32](1, leaf("a", 100, 8), leaf("b", 100, 24)), "loop"},
		{"of few bytes", op.Concat[float32](1, leaf("a", 100, 3), leaf("b", 100, 6)), "loop"},
		{"of five of few bytes", op.Concat[float32](1, leaf("a", 100, 2), leaf("b", 100, 2), leaf("c", 100, 2), leaf("d", 100, 2), leaf("e", 100, 2)), "loop loop loop loop loop"},
		{"of one column", op.Concat[float32](1, leaf("a", 100, 1), leaf("b", 100, 14)), "loop loop"},
		{"of few bytes, flipped", op.Concat[float32](1, leaf("a", 100, 3), op.Flip[float32](leaf("b", 100, 5), 0)), "loop loop"},
		{"of more bytes", op.Concat[float32](1, leaf("a", 100, 6), leaf("b", 100, 13)), "loop"},
		{"too long", op.Concat[float32](1, leaf("a", 100, 2000), leaf("b", 100, 2000)), "loop loop"},
		{"transposed", op.Concat[float32](1, leaf("a", 100, 17), op.T(leaf("b", 17, 100))), "loop loop"},
		{"computed", op.Concat[float32](1, leaf("a", 100, 17), op.Neg(leaf("b", 100, 17))), "loop loop"},
		{"computed at other positions", op.Concat[float32](1, op.Neg(leaf("a", 100, 8)), op.Reshape(op.T(op.FMA(leaf("b", 100, 24), leaf("b", 100, 24), leaf("c", 100, 24))), 100, 24)), "loop loop"},
	} {
		p := splitLoops(t, expr.Let(leaf("y", expr.NodeOf(c.e).Shape()...), c.e))
		if got := stages(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSplitTriangles counts the loops of triangles. The first stores the positions of the rows, and the second those of the columns.
func TestSplitTriangles(t *testing.T) {
	for _, c := range []struct {
		name string
		e    expr.Exp[float32]
		want string
	}{
		{"wide", op.TriL(leaf("x", 100, 1000), 0), "loop loop loop loop"},
		{"wide, transposed", op.T(op.TriL(leaf("x", 100, 1000), 0)), "loop loop loop loop"},
		{"tall", op.TriU(leaf("x", 1000, 100), 0), "loop loop loop loop"},
		{"tall, a copy", op.TriL(leaf("x", 1000, 100), 0), "loop loop loop loop"},
		{"wide, a copy", op.TriU(leaf("x", 100, 1000), 0), "loop loop loop"},
		{"square", op.TriU(leaf("x", 100, 100), 0), "loop loop loop"},
		{"small", op.TriU(leaf("x", 10, 100), 0), "loop loop loop"},
		{"in a sum", op.Add(op.TriL(leaf("x", 100, 1000), 0), leaf("x", 100, 1000)), "loop loop loop"},
	} {
		p := splitLoops(t, expr.Let(leaf("y", expr.NodeOf(c.e).Shape()...), c.e))
		if got := stages(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSplitPositions counts the loops of positions: few columns are copied to rows first, unless they are rows in memory.
func TestSplitPositions(t *testing.T) {
	for _, c := range []struct {
		name string
		e    expr.Exp[int64]
		want string
	}{
		{"columns", op.ArgMax(leaf("x", 1000, 3), op.Axis(0)), "loop loop"},
		{"columns of planes", op.ArgMin(leaf("x", 1000, 2, 3), op.Axis(0)), "loop loop"},
		{"many columns", op.ArgMax(leaf("x", 1000, 9), op.Axis(0)), "loop"},
		{"wide columns", op.ArgMax(typed[float64]("x", 1000, 5), op.Axis(0)), "loop"},
		{"short columns", op.ArgMax(leaf("x", 100, 3), op.Axis(0)), "loop"},
		{"rows", op.ArgMax(leaf("x", 3, 1000), op.Axis(1)), "loop"},
		{"short rows of bytes", op.ArgMax(typed[uint8]("x", 100, 16), op.Axis(1)), "loop loop"},
		{"few short rows of bytes", op.ArgMax(typed[uint8]("x", 64, 3), op.Axis(1)), "loop"},
		{"rows in memory", op.ArgMax(op.T(leaf("x", 3, 1000)), op.Axis(0)), "loop"},
	} {
		p := splitLoops(t, expr.Let(typed[int64]("y", expr.NodeOf(c.e).Shape()...), c.e))
		if got := stages(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSplitScans tests which scans are a loop that computes and one that scans what that one has stored: those of one row with steps that
// are much work, but for accumulations that go along a row by whole vectors.
func TestSplitScans(t *testing.T) {
	exp := func(n ...int) expr.Exp[float32] { return op.Exp[float32](leaf("x", n...)) }
	for _, c := range []struct {
		name   string
		s      expr.Statement
		stages int
	}{
		{"one row", expr.Let(leaf("y", 500), op.CumSum(exp(500), 0)), 2},
		{"columns of one element", expr.Let(leaf("y", 500, 1), op.CumProd(exp(500, 1), 0)), 2},
		{"from the end", expr.Let(leaf("y", 500), op.Flip(op.CumSum(op.Flip(exp(500), 0), 0), 0)), 2},
		{"in place", expr.Let(leaf("x", 500), op.CumSum(exp(500), 0)), 2},
		{"a short row", expr.Let(leaf("y", 100), op.CumSum(exp(100), 0)), 1},
		{"little work", expr.Let(leaf("y", 500), op.CumSum(op.Add(leaf("x", 500), leaf("z", 500)), 0)), 1},
		{"rows", expr.Let(leaf("y", 500, 500), op.CumSum(exp(500, 500), 1)), 1},
		{"columns", expr.Let(leaf("y", 500, 500), op.CumSum(exp(500, 500), 0)), 1},
		{"a maximum", expr.Let(leaf("y", 500), op.CumMax(exp(500), 0)), 1},
		{"integers", expr.Let(typed[int32]("y", 500), op.CumSum(op.Cast[int32](exp(500)), 0)), 1},
	} {
		p := splitLoops(t, c.s)
		if len(p.Stages) != c.stages {
			t.Errorf("%s: %d stages, want %d\n%s", c.name, len(p.Stages), c.stages, p.Explain())
		}
	}
}

// TestBordersOfScans counts the loops and temporaries of running sums below borders: those of a concatenation are stored where they belong,
// and others to a temporary, which loops without borders read.
func TestBordersOfScans(t *testing.T) {
	sums := op.CumSum[float32](leaf("x", 100, 70), 1)
	joined := op.Concat(1, expr.Exp[float32](leaf("z", 100, 1)), sums)
	for _, c := range []struct {
		name          string
		e             expr.Exp[float32]
		stages, temps int
	}{
		{"joined", joined, 2, 0},
		{"joined and changed", op.Exp(joined), 3, 1},
		{"padded", op.Pad(sums, [][2]int{{1, 1}, {0, 0}}, 0), 3, 1},
	} {
		p := splitLoops(t, expr.Let(leaf("y", expr.NodeOf(c.e).Shape()...), c.e))
		if len(p.Stages) != c.stages || len(p.Temps) != c.temps {
			t.Errorf("%s: %d stages and %d temporaries, want %d and %d\n%s", c.name, len(p.Stages), len(p.Temps), c.stages, c.temps, p.Explain())
		}
	}
}

// TestSplitFewColumns counts the loops of reductions down few columns of computed values: groups of rows are reduced, then the groups.
func TestSplitFewColumns(t *testing.T) {
	x, z := typed[int64]("x", 30000, 3), typed[int64]("z", 30000, 3)
	for _, c := range []struct {
		name string
		e    expr.Exp[int64]
		want string
	}{
		{"products", op.Sum(op.Mul(x, z), op.Axis(0)), "loop loop"},
		{"extremes", op.Max(op.Abs(x), op.Axis(0), op.KeepDims()), "loop loop"},
		{"over two axes", op.Sum(op.Abs(typed[int64]("x", 100, 60, 3)), op.Axis(0, 1)), "loop loop"},
		{"one array", op.Max(x, op.Axis(0)), "loop"},
		{"prime", op.Max(op.Abs(typed[int64]("x", 29989, 3)), op.Axis(0)), "loop"},
		{"short", op.Max(op.Abs(typed[int64]("x", 1000, 3)), op.Axis(0)), "loop"},
		{"many columns", op.Max(op.Abs(typed[int64]("x", 10000, 25)), op.Axis(0)), "loop"},
		{"rows", op.Max(op.Abs(x), op.Axis(1)), "loop"},
		{"sums of floats", op.Cast[int64](op.Sum(op.Abs(leaf("x", 30000, 3)), op.Axis(0))), "loop"},
	} {
		p := splitLoops(t, expr.Let(typed[int64]("y", expr.NodeOf(c.e).Shape()...), c.e))
		if got := stages(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWaysOfScans counts the loops of two scans of one shape: those that walk one way share a loop, and others store their targets
// in one each.
func TestWaysOfScans(t *testing.T) {
	sum, x := op.CumSum[float32], leaf("x", 100, 70)
	from := func(axis int, reverse bool) expr.Exp[float32] {
		return op.Scan([]expr.Exp[float32]{expr.Const[float32](0)}, []expr.Exp[float32]{x}, op.ScanOptions{Axis: axis, Reverse: reverse}, func(s op.Step[float32]) (next, out []expr.Exp[float32]) {
			y := op.Add(s.State[0], s.X[0])
			return []expr.Exp[float32]{y}, []expr.Exp[float32]{y}
		}).Out(0)
	}
	p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(leaf("y", 100, 70), op.Flip(sum(op.Flip(x, 1), 1), 1))}, plan.SplitLoops)
	if err != nil || len(p.Stages) != 1 || len(p.Temps) > 0 {
		t.Errorf("a reversed scan of what is reversed: %s, %d temporaries, %v", stages(p), len(p.Temps), err)
	}
	for _, c := range []struct {
		first, second expr.Exp[float32]
		want          string
	}{
		{sum(x, 0), op.CumMax(x, 0), "loop"},
		{sum(x, 0), op.Exp(x), "loop"},
		{sum(x, 0), sum(x, 1), "loop loop"},
		{sum(x, 1), from(1, true), "loop loop"},
		{from(1, true), from(1, true), "loop"},
		{op.Exp(from(0, true)), op.Mul(x, sum(x, 0)), "loop loop"},
	} {
		p := splitLoops(t, expr.Let(leaf("y", 100, 70), c.first), expr.Let(leaf("z", 100, 70), c.second))
		if got := stages(p); got != c.want {
			t.Errorf("%v and %v: %s, want %s", c.first, c.second, got, c.want)
		}
	}
}
