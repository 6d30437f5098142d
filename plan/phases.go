package plan

import (
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A nest with reductions runs in phases: loops over the same rows (or columns),
// each of which computes the reductions whose operands depend on reductions of
// earlier phases only. Values along a row that a later phase needs again are
// kept in a row buffer, or computed anew where that is cheaper.
//
// The phases are found by generating the kernel twice beforehand, into builders
// that are thrown away: once with all loops open, to find the reductions and
// how deep they nest, and once phase by phase, to find the values to keep.
type rows struct {
	mode       rowMode
	reductions []*reduction
	last, now  int // number of phases with reductions; the current phase

	depth  int // finding: of the reductions met in the current value
	inside int // finding: reductions around the current value
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
	keepCost = 5       // primitives from which on keeping beats computing again
	keepSize = 1 << 16 // elements of a row up to which a row buffer stays in cache
)

// phases finds the reductions that fuse into nest n, and what to keep.
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

// touch notes that a remembered value is used again.
func (r *rows) touch(key valueKey) {
	if r.mode == finding {
		r.depth = max(r.depth, r.depths[key])
	}
}

// enter surrounds the writing of a value with what the current pass needs.
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

// alongRow reports whether coordinates are those of a whole row: every outer
// and every inner axis in order.
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

// reduced is the value of a reduction that is fused into this kernel.
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

// fuses reports whether reduction n, wanted at coordinates, runs along the
// inner axes of the nest, for exactly the current position on the outer ones.
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
