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
		before, after := r.IntN(min(3, d)), r.IntN(2)
		if d > before+after {
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
