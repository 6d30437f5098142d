package enginetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// lengths are the lengths around the boundaries of vectors, lanes, blocks and
// chunks.
var lengths = []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 511, 512, 513, 1023, 1025, 4095, 4096, 4097, 10000}

// Lengths tests loops of all lengths over operands and targets in all layouts.
// Neither length nor layout may change the bits.
func Lengths(t *testing.T, o Options) {
	t.Run("vectors", func(t *testing.T) {
		for k, typ := range dtype.Real() {
			for i, n := range lengths {
				if !testlevel.Deep() && (i+k)%6 != 0 {
					continue
				}
				vectors(suite{t, o}, typ, n)
			}
		}
	})
	t.Run("matrices", func(t *testing.T) {
		for i, dims := range [][]int{{1, 70}, {70, 1}, {2, 3}, {3, 33}, {33, 3}, {17, 65}, {5, 513}, {513, 5}, {3, 4097}, {7, 3, 34}, {2, 3, 4, 31}, {0, 5}, {5, 0}} {
			for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16, dtype.I8, dtype.I16, dtype.I64, dtype.Bool} {
				matrices(suite{t, o}, typ, dims, i)
			}
		}
	})
	t.Run("chunks", func(t *testing.T) { chunks(suite{t, o}) })
}

// formula returns a tree of a few operators that the type has.
func formula(t dtype.Type, x, y *tree.Node) *tree.Node {
	switch {
	case t == dtype.Bool:
		return apply("bitwise_xor", x, apply("invert", y))
	case t.IsFloat():
		return apply("sub", apply("mul", x, y), apply("where", apply("less", x, y), apply("sqrt", x), y))
	}
	return apply("sub", apply("mul", x, y), apply("where", apply("less", x, y), apply("square", x), y))
}

// vectors tests a loop of length n with every layout of one operand.
func vectors(s suite, t dtype.Type, n int) {
	s.Helper()
	r := newRand(uint64(n))
	for l := range numLayouts {
		x := place(r, t, l, wild, n).Named("x").Node()
		y := place(r, t, layout(r.IntN(int(numLayouts))), wild, n).Named("y").Node()
		if r.IntN(2) == 0 {
			x, y = y, x
		}
		out := place(r, t, l%repeated, tame, n).Named("out").Node()
		if !s.check(expr.Statement{Target: out, Value: formula(t, x, y)}) {
			return
		}
	}
}

// matrices tests all layouts of an operand with all layouts of the target, and
// broadcasts the other operand.
func matrices(s suite, t dtype.Type, dims []int, seed int) {
	s.Helper()
	r := newRand(uint64(seed))
	for l := range numLayouts {
		for to := range repeated {
			if step := testlevel.Every(2, 12); (int(l)+int(to)+seed)%step != 0 && (!testlevel.Deep() || t != dtype.F32) {
				continue
			}
			x := place(r, t, l, wild, dims...).Named("x").Node()
			other := slices.Clone(dims)
			for i := range other {
				if r.IntN(3) == 0 {
					other[i] = 1
				}
			}
			y := place(r, t, layout(r.IntN(int(numLayouts))), wild, other[r.IntN(len(other)):]...).Named("y").Node()
			out := place(r, t, to, tame, dims...).Named("out").Node()
			if !s.check(expr.Statement{Target: out, Value: formula(t, x, y)}) {
				return
			}
		}
	}
}

// chunks tests loops that the engine cuts into many chunks. A chunk computes its
// first position from its number.
func chunks(s suite) {
	r := newRand(3)
	for _, dims := range [][]int{{100003}, {317, 331}, {7, 11, 13, 107}} {
		x := place(r, dtype.F32, columnMajor, wild, dims...).Named("x").Node()
		y := place(r, dtype.F32, packed, wild, dims[len(dims)-1]).Named("y").Node()
		out := place(r, dtype.F32, gaps, tame, dims...).Named("out").Node()
		s.check(expr.Statement{Target: out, Value: formula(dtype.F32, x, y)})
		flat := blank(r, dtype.F32, sizeOf(dims...)).Named("flat").Node()
		s.check(expr.Statement{Target: flat, Value: untyped.Reshape(untyped.Compose("flip", untyped.Options{}, x), []int{-1})})
	}
}

// Borders tests concatenations and paddings under other views and under
// operations. The plan cuts a loop over many elements at their borders.
func Borders(t *testing.T, o Options) {
	s := suite{t, o}
	types := []dtype.Type{dtype.F32, dtype.I8, dtype.U16, dtype.F64, dtype.BF16, dtype.I64, dtype.Bool}
	for seed := range uint64(testlevel.Every(400, 60)) {
		r := newRand(seed)
		g := borderTree{r, types[r.IntN(len(types))]}
		dims := [][]int{{400 + r.IntN(300)}, {3 + r.IntN(40), 40}, {200, 1 + r.IntN(5)}, {6, 5 + r.IntN(9), 11}}[r.IntN(4)]
		value := g.tree(dims, 3)
		out := place(r, g.typ, layout(r.IntN(int(repeated))), tame, dims...).Named("out").Node()
		saver := expr.Set
		if g.typ != dtype.Bool && r.IntN(4) == 0 {
			saver = expr.Plus
		}
		if !s.check(expr.Statement{Target: out, Saver: saver, Value: value}) {
			t.Logf("seed %d", seed)
			return
		}
	}
	// A rotation of an array into itself must read each element before it is stored.
	r := newRand(1)
	x := place(r, dtype.F32, packed, tame, 600).Named("x").Node()
	for _, shift := range []int{1, 599, 300} {
		s.check(expr.Statement{Target: x, Value: untyped.Compose("roll", untyped.Options{Axes: []int{0}, Ints: []int{shift}}, x)})
	}
	// Rows of one element that an index of no choice selects.
	one := place(r, dtype.F32, packed, tame, 1).Named("one").Node()
	index := place(r, dtype.U16, packed, tame, 3, 1).Named("index").Node()
	for _, n := range []int{4, 7, 16} {
		zero := apply("mod", index, tree.ConstInt(dtype.U16, 1))
		s.check(set(place(r, dtype.F32, packed, tame, 3, n).Named("out").Node(), untyped.Take(one, zero, 0)))
	}
	// The target may repeat a concatenation with scans, whose other operands may have no elements.
	in := func(dims ...int) *tree.Node { return place(r, dtype.F32, packed, tame, dims...).Named("in").Node() }
	for _, c := range []struct{ to, sums, rest []int }{
		{[]int{30, 40}, []int{10, 40}, []int{20, 40}},
		{[]int{4, 30, 40}, []int{10, 40}, []int{20, 40}},
		{[]int{30, 40}, []int{1, 40}, []int{0, 40}},
		{[]int{30, 40}, []int{30, 40}, []int{0, 40}},
	} {
		half := in(c.rest[0], 20)
		sums := untyped.Compose("cumsum", untyped.Options{Axes: []int{1}}, in(c.sums...))
		s.check(set(in(c.to...), concat(0, sums, concat(1, half, half))))
	}
}

// A borderTree makes random trees of one type.
type borderTree struct {
	r   *rand.Rand
	typ dtype.Type
}

func (g borderTree) tree(dims []int, depth int) *tree.Node {
	r, axis := g.r, g.r.IntN(len(dims))
	with := func(d int) []int {
		out := slices.Clone(dims)
		out[axis] = d
		return out
	}
	kind := r.IntN(8)
	if depth == 0 {
		kind = -1
	}
	switch d := dims[axis]; kind {
	case 0, 1:
		if at := r.IntN(d + 1); at > 0 && at < d {
			return untyped.Concat(axis, []*tree.Node{g.tree(with(at), depth-1), g.tree(with(d-at), depth-1)})
		}
	case 2:
		if before, after := r.IntN(min(3, d)), r.IntN(2); d > before+after {
			widths := make([]int, 2*len(dims))
			widths[2*axis], widths[2*axis+1] = before, after
			return untyped.Pad(g.tree(with(d-before-after), depth-1), widths, tree.ConstInt(g.typ, 1))
		}
	case 3:
		before, after := r.IntN(4), r.IntN(4)
		spans := slices.Repeat([]op.Span{op.From(0)}, axis+1)
		spans[axis] = op.Range(before, before+d)
		return untyped.Slice(g.tree(with(before+d+after), depth-1), spans)
	case 4:
		perm, from := r.Perm(len(dims)), make([]int, len(dims))
		for i, a := range perm {
			from[a] = dims[i]
		}
		return untyped.Transpose(g.tree(from, depth-1), perm)
	case 5:
		to := slices.Insert(slices.Clone(dims), axis, 1)
		return untyped.Reshape(g.tree(to, depth-1), dims)
	case 6:
		return untyped.Compose("flip", untyped.Options{Axes: []int{axis}}, g.tree(dims, depth-1))
	case 7:
		other := dims[min(axis, len(dims)-1):]
		if r.IntN(2) == 0 {
			other = slices.Clone(other)
			other[0] = 1
		}
		return formula(g.typ, g.tree(dims, depth-1), untyped.BroadcastTo(g.tree(other, 0), dims))
	}
	return place(r, g.typ, layout(r.IntN(int(numLayouts))), wild, dims...).Node()
}
