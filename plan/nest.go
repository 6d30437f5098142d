package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A nestKind is the loop structure of a kernel.
type nestKind uint8

const (
	mapNest nestKind = iota // one vec loop over all axes
	rowNest                 // par loop over rows, vec loops along them
	colNest                 // vec loop over columns, seq loops along them
)

// A nest is the loop structure of a kernel and the extents of its axes. Axes of
// size 1 are left out.
type nest struct {
	kind        nestKind
	outer       []int
	inner       []int
	storesInner bool // the inner loop stores the roots, not the outer one
	singleRow   bool // there is one row only; its loop runs in parallel blocks
}

// longRow is the extent above which a single row runs in parallel blocks.
const longRow = 1 << 15

// choose returns the nest for roots of loop shape dims. It takes the nest of
// the first reduction from the roots downwards that fits, or else a map.
func choose(roots []root, dims []int) nest {
	var found *nest
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if found != nil || n.array != nil || !n.complex || seen[n] {
			return
		}
		seen[n] = true
		if n.src.Op.Class == expr.Reduction {
			if f, ok := fit(n, dims); ok {
				found = &f
				return
			}
		}
		for _, a := range n.args {
			visit(a)
		}
	}
	for _, r := range roots {
		visit(r.value)
	}
	if found == nil {
		return nest{kind: mapNest, outer: dims}
	}
	return *found
}

// fit returns the nest in which reduction n runs together with roots of loop
// shape dims. It returns false if there is none.
func fit(n *node, dims []int) (nest, bool) {
	outer, inner, last := axesOf(n)
	size := 1
	for _, d := range inner {
		size *= d
	}
	switch {
	case !last && (slices.Equal(outer, dims) || len(dims) == 0 && slices.Equal(outer, oneColumn)):
		return nest{kind: colNest, outer: outer, inner: inner}, true
	case last && slices.Equal(outer, dims):
		return nest{kind: rowNest, outer: outer, inner: inner, singleRow: len(outer) == 0 && size > longRow}, true
	case last && slices.Equal(slices.Concat(outer, inner), dims) && (len(outer) > 0 || size <= longRow):
		return nest{kind: rowNest, outer: outer, inner: inner, storesInner: true}, true
	}
	return nest{}, false
}

// axesOf returns the extents of the kept and of the reduced axes of a
// reduction, without axes of size 1. last tells whether the last axis is
// reduced, which decides the order.
func axesOf(n *node) (outer, inner []int, last bool) {
	s := n.args[0].shape
	for i, d := range s {
		switch reduced := slices.Contains(n.src.Axes, i); {
		case d == 1:
		case reduced:
			inner = append(inner, d)
		default:
			outer = append(outer, d)
		}
	}
	last = slices.Contains(n.src.Axes, len(s)-1)
	if !last && len(outer) == 0 {
		outer = oneColumn
	}
	return outer, inner, last
}

// oneColumn replaces the kept axes if all have size 1: the columns nest needs a
// vec loop.
var oneColumn = []int{1}

// generate returns the kernel that stores the roots, for one task.
func (c *compiler) generate(roots []root, t task) (*gen, error) {
	if err := c.cancelled(); err != nil {
		return nil, err
	}
	dims := loopShape(roots[0].target.Shape)
	n := choose(roots, dims)
	c.share(roots, n)
	var plan rows
	var needs []*node
	if n.kind != mapNest {
		var err error
		if plan, needs, err = c.phases(roots, n); err != nil {
			return nil, err
		}
	}
	if t == storing && c.show != nil {
		c.made("fuse", &fusion{roots, n, plan})
	}
	k := c.newGen(roots, n, t)
	k.rows = plan
	k.needs = needs
	k.faults.on = t != noFaultCheck && mayFault(roots)
	k.loops(roots)
	return k, k.err
}

// loops writes the loops of the nest.
func (k *gen) loops(roots []root) {
	outer, inner := k.outerAxes(), k.innerAxes()
	kinds := map[nestKind][2]ir.LoopKind{mapNest: {ir.Vec}, rowNest: {ir.Par, ir.Vec}, colNest: {ir.Vec, ir.Seq}}[k.nest.kind]
	if len(outer) > 0 {
		k.b.Open(kinds[0], outer...)
	}
	for p := 1; p <= k.rows.last; p++ {
		k.b.Open(kinds[1], inner...)
		k.rows.now = p
		for _, r := range k.rows.reductions {
			if r.phase == p {
				v := k.value(r.node.args[0], k.operandCoords(r.node))
				r.value = k.b.Reduce(r.node.src.Op.Reduce, v)
				k.faults.root(k.key(r.node.args[0], k.operandCoords(r.node)))
			}
		}
		k.raise()
		k.b.Close()
	}
	k.rows.now = k.rows.last + 1
	axes := outer
	if k.nest.storesInner {
		k.b.Open(kinds[1], inner...)
		axes = k.axes
	}
	k.roots(roots, axes)
	k.raise()
	if k.nest.storesInner {
		k.b.Close()
	}
	if len(outer) > 0 {
		k.b.Close()
	}
}

// roots computes all roots before it stores the first, so that no root reads an
// element that another root stored.
func (k *gen) roots(roots []root, axes []int) {
	values := make([]prim.V, len(roots))
	for i, r := range roots {
		at := k.positions(r.target.Shape, axes)
		off := len(at) - len(r.value.shape)
		coords := make([]prim.Ix, len(r.value.shape))
		for j, d := range r.value.shape {
			if coords[j] = at[off+j]; d == 1 {
				coords[j] = k.ix.Const(0)
			}
		}
		if r.value.shape.Size() != r.target.Shape.Size() && k.repeatsRoot(r, coords) {
			k.c.materialise(r.value, "it is broadcast, and would be computed again for every element")
		}
		values[i] = k.value(r.value, coords)
		k.faults.root(k.key(r.value, coords))
	}
	if k.task == scanning {
		return
	}
	for i, r := range roots {
		at := k.positions(r.target.Shape, axes)
		k.b.Store(k.buf(r.target, false, ir.Out), dropUnit(at, r.target.Shape), values[i])
	}
}

func (k *gen) repeatsRoot(r root, coords []prim.Ix) bool {
	whole := &node{shape: r.target.Shape}
	return k.repeats(whole, r.value, coords)
}

// operandCoords returns the coordinates of the operand of a fused reduction.
func (k *gen) operandCoords(n *node) []prim.Ix {
	s := n.args[0].shape
	out := make([]prim.Ix, len(s))
	outer, inner := k.outerAxes(), k.innerAxes()
	for i, d := range s {
		switch {
		case d == 1:
			out[i] = k.ix.Const(0)
		case slices.Contains(n.src.Axes, i):
			out[i] = k.ix.Axis(inner[0])
			inner = inner[1:]
		default:
			out[i] = k.ix.Axis(outer[0])
			outer = outer[1:]
		}
	}
	return out
}

// hazard reports whether the kernel reads an array that it writes, at
// coordinates other than those it writes.
func (k *gen) hazard() bool {
	kern := k.b.K
	for i, w := range kern.Access {
		if kern.Bufs[w.Buf].Mode == ir.In || kern.Bufs[w.Buf].Mode == ir.Row {
			continue
		}
		for j, r := range kern.Access {
			rb, wb := k.ops[r.Buf].Array, k.ops[w.Buf].Array
			if i == j || rb == nil || kern.Bufs[r.Buf].Mode == ir.Out || !rb.overlaps(wb) {
				continue
			}
			if !(rb.sameElements(wb) && slices.Equal(r.Coords, w.Coords)) {
				return true
			}
		}
	}
	return false
}

// share materialises values that the kernel and an earlier stage both compute:
// values that the roots need and that a reduction outside of nest n needs too.
// It does so only for values of at least keepCost primitives.
func (c *compiler) share(roots []root, n nest) {
	const above, below = 1, 2
	seen := map[*node]int{}
	apart := false
	var visit func(x *node, side int)
	visit = func(x *node, side int) {
		if x.array != nil || seen[x]&side != 0 {
			return
		}
		seen[x] |= side
		if x.src.Op.Class == expr.Reduction && !n.fits(x) {
			side, apart = below, true
		}
		for _, a := range x.args {
			visit(a, side)
		}
	}
	complex := false
	for _, r := range roots {
		complex = complex || r.value.complex
	}
	if !complex || mayFault(roots) {
		return
	}
	for _, r := range roots {
		visit(r.value, above)
	}
	if !apart {
		return
	}
	done := map[*node]bool{}
	var mark func(x *node)
	mark = func(x *node) {
		if x.array != nil || done[x] || x.src.Op.Class == expr.Reduction && !n.fits(x) {
			return
		}
		done[x] = true
		if seen[x] == above|below && x.work >= keepCost && x.src.Op.Class == expr.Elementwise && x.shape.Size() > 1 {
			c.materialise(x, "a reduction that is not fused needs it too, and computing it twice costs more")
			x.shared = roots[0].value
			return
		}
		for _, a := range x.args {
			mark(a)
		}
	}
	for _, r := range roots {
		mark(r.value)
	}
}

// fits reports whether reduction x runs in the loops of the nest.
func (n nest) fits(x *node) bool {
	if n.kind == mapNest {
		return false
	}
	outer, inner, last := axesOf(x)
	return last == (n.kind == rowNest) && slices.Equal(outer, n.outer) && slices.Equal(inner, n.inner)
}
