package plan

import (
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// rows holds the phases of a nest with reductions. Phases are loops over the
// same rows or columns. Each phase computes the reductions whose operands
// depend only on reductions of earlier phases. A value along a row that a later
// phase needs again is kept in a row buffer, or computed again where that is
// cheaper.
//
// To find the phases, the kernel is first generated into builders that are
// thrown away. The finding pass opens all loops at once, and finds the
// reductions and their depths. The keeping pass generates phase by phase, and
// finds the values to keep.
type rows struct {
	mode       rowMode
	reductions []*reduction
	last, now  int // last phase with reductions; current phase

	depth  int // finding: the greatest phase of the reductions in the current value
	inside int // finding: number of reductions whose operand holds the current value
	depths map[valueKey]int

	seen map[*node]int  // keeping: the phase that computes a node along the row
	keep map[*node]bool // nodes with a row buffer
	bufs map[*node]int
}

type rowMode uint8

const (
	writing rowMode = iota
	finding
	keeping
)

type reduction struct {
	node  *node
	phase int
	value prim.V
}

const (
	keepCost = 5       // primitives from which a row buffer is cheaper than computing again
	keepSize = 1 << 16 // elements of the longest row whose row buffer stays in cache
)

// phases returns the reductions that fuse into nest n, the values to keep in
// row buffers, and the nodes that need stages before this one.
func (c *compiler) phases(roots []root, n nest) (rows, []*node, error) {
	k := c.newGen(roots, n, noFaultCheck)
	k.rows = rows{mode: finding, depths: map[valueKey]int{}}
	outer, inner := k.outerAxes(), k.innerAxes()
	kinds := [2]ir.LoopKind{ir.Par, ir.Vec}
	if len(outer) > 0 {
		k.b.Open(kinds[0], outer...)
	}
	k.b.Open(kinds[1], inner...)
	axes := outer
	if n.storesInner {
		axes = k.axes
	}
	k.roots(roots, axes)
	if k.err != nil {
		return rows{}, nil, k.err
	}
	found := rows{last: k.rows.last, reductions: k.rows.reductions, keep: map[*node]bool{}, bufs: map[*node]int{}}
	needs := k.needs
	size := 1
	for _, d := range n.inner {
		size *= d
	}
	if n.kind == rowNest && size <= keepSize && !n.singleRow && (found.last > 1 || n.storesInner) {
		k := c.newGen(roots, n, noFaultCheck)
		k.rows = found
		k.rows.mode, k.rows.seen = keeping, map[*node]int{}
		k.loops(roots)
		if k.err != nil {
			return rows{}, nil, k.err
		}
		needs = append(needs, k.needs...)
	}
	return found, needs, nil
}

// touch records another use of a value that was already written.
func (r *rows) touch(key valueKey) {
	if r.mode == finding {
		r.depth = max(r.depth, r.depths[key])
	}
}

// enter calls write for the value of n and does the work of the current mode.
// In mode writing it may store the value to a row buffer, or load it from
// there.
func (r *rows) enter(k *gen, key valueKey, n *node, coords []prim.Ix, write func() prim.V) prim.V {
	if r.mode == finding {
		outer := r.depth
		r.depth = 0
		v := write()
		r.depths[key] = r.depth
		r.depth = max(outer, r.depth)
		return v
	}
	if r.keep == nil || n.array != nil || n.src.Op.Class != expr.Elementwise || n.work < keepCost || key.bounds != ir.InBounds || !k.alongRow(n, coords) {
		return write()
	}
	if r.mode == keeping {
		if p, ok := r.seen[n]; ok && p < r.now {
			r.keep[n] = true
			return k.p.Bits(n.typ.Register(), 0)
		}
		r.seen[n] = r.now
		return write()
	}
	if !r.keep[n] {
		return write()
	}
	at := make([]prim.Ix, len(k.nest.inner))
	for i, a := range k.innerAxes() {
		at[i] = k.ix.Axis(a)
	}
	if buf, ok := r.bufs[n]; ok {
		return k.b.Load(buf, ir.InBounds, at, prim.V{})
	}
	v := write()
	buf := k.rowBuf(n)
	r.bufs[n] = buf
	k.b.Store(buf, at, v)
	return v
}

func (k *gen) rowBuf(n *node) int {
	b := ir.Buf{Name: "r" + strconv.Itoa(len(k.ops)), Type: n.typ.Register(), Mode: ir.Row, Rank: len(k.nest.inner)}
	for _, a := range k.innerAxes() {
		b.Axes = append(b.Axes, int32(a))
	}
	k.ops = append(k.ops, Operand{})
	return k.b.Buf(b)
}

// alongRow reports whether coords are the axes of the kernel in order, outer
// and inner: whether n is read at its own position along a whole row.
func (k *gen) alongRow(n *node, coords []prim.Ix) bool {
	if len(loopShape(n.shape)) != len(k.axes) {
		return false
	}
	next := 0
	for i, d := range n.shape {
		if d == 1 {
			continue
		}
		if c := k.ix.At(coords[i]); c.Op != prim.IxAxis || int(c.K) != k.axes[next] {
			return false
		}
		next++
	}
	return true
}

// reduced returns the value of a reduction that is fused into this kernel. It
// returns false if the reduction is not fused.
func (k *gen) reduced(n *node, coords []prim.Ix) (prim.V, bool) {
	for _, r := range k.rows.reductions {
		if r.node == n && k.rows.mode != finding {
			return r.value, r.value.Type.Valid() && k.fuses(n, coords)
		}
	}
	if k.rows.mode != finding || !k.fuses(n, coords) || k.nest.singleRow && k.rows.inside > 0 {
		return prim.V{}, false
	}
	r := &k.rows
	phase := 0
	for _, f := range r.reductions {
		if f.node == n {
			phase = f.phase
		}
	}
	if phase == 0 {
		outer := r.depth
		r.depth = 0
		r.inside++
		k.value(n.args[0], k.operandCoords(n))
		r.inside--
		phase = r.depth + 1
		r.depth = outer
		r.reductions = append(r.reductions, &reduction{node: n, phase: phase})
		r.last = max(r.last, phase)
	}
	r.depth = max(r.depth, phase)
	return k.b.Scalar(n.typ.Register()), true
}

// fuses reports whether reduction n at these coordinates runs along the inner
// axes of the nest, at the current position of the outer axes.
func (k *gen) fuses(n *node, coords []prim.Ix) bool {
	if k.bounds != ir.InBounds || !k.nest.fits(n) {
		return false
	}
	next := 0
	for i, d := range n.args[0].shape {
		if d == 1 || slices.Contains(n.src.Axes, i) {
			continue
		}
		if c := k.ix.At(coords[i]); c.Op != prim.IxAxis || int(c.K) != k.axes[next] {
			return false
		}
		next++
	}
	return true
}
