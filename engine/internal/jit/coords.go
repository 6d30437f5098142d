package jit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Machine code computes a coordinate in three cases. It depends on values of the
// lanes. Or each row of a seq loop must compare it with the extent. Or the phase both
// stores and loads the array, so that staging would change the order of accesses.

// varies reports whether ix depends on values that are not in cells.
func (l *lowerer) varies(ix prim.Ix) bool {
	for x := range l.k.Nodes(ix) {
		if x.Op == prim.IxValue && l.cur.nodes[l.use(ir.Value(x.K))].op != opCell {
			return true
		}
	}
	return false
}

// cellValues adds the values in ix, all of them in cells, to list.
func (l *lowerer) cellValues(list []valueRef, ix prim.Ix) []valueRef {
	for x := range l.k.Nodes(ix) {
		v := ir.Value(x.K)
		if x.Op == prim.IxValue && !slices.ContainsFunc(list, func(r valueRef) bool { return r.value == v }) {
			list = append(list, valueRef{v, l.use(v)})
		}
	}
	return list
}

// coordinates sets the coordinates of an access if machine code may have to compute
// its offsets, or if always is set.
func (l *lowerer) coordinates(s *site, always bool) {
	a := &l.k.Access[s.access]
	need := always || l.cur.kind == seqPhase && a.Bounds != ir.InBounds
	for _, ix := range a.Coords {
		need = need || l.varies(ix)
	}
	if !need {
		return
	}
	for _, ix := range a.Coords {
		c := coord{none, none}
		if l.varies(ix) {
			c.node = l.expression(ix)
		} else {
			c.site = l.coordSite(ix)
		}
		s.coords = append(s.coords, c)
	}
}

// coordSite adds a site for an index expression without values of lanes, and returns
// its index.
func (l *lowerer) coordSite(ix prim.Ix) int32 {
	ph := l.cur
	ph.sites = append(ph.sites, site{access: -1, buf: -1, array: -1, typ: dtype.I64, ix: ix, coord: true, values: l.cellValues(nil, ix)})
	return int32(len(ph.sites) - 1)
}

// expression adds the nodes of an index expression with values of lanes, and returns
// the node of its result.
func (l *lowerer) expression(ix prim.Ix) int32 {
	ph := l.cur
	if !l.varies(ix) {
		s := l.coordSite(ix)
		ph.sites[s].coord = false
		return ph.add(node{op: ir.Index, typ: dtype.I64, in: dtype.I64, args: [3]int32{none, none, none}, aux: s}, ir.None)
	}
	x := l.k.Index.At(ix)
	if x.Op == prim.IxValue {
		return l.use(ir.Value(x.K))
	}
	a := l.expression(x.A)
	number := func(k int) int32 { return ph.constant(dtype.I64, uint64(k), ir.None) }
	i64 := func(op prim.Op, args ...int32) int32 {
		n := node{op: op, typ: dtype.I64, in: dtype.I64, args: [3]int32{none, none, none}}
		copy(n.args[:], args)
		return ph.add(n, ir.None)
	}
	d := l.k.Index.At(x.B)
	power := d.Op == prim.IxConst && d.K&(d.K-1) == 0
	switch {
	case x.Op == prim.IxDiv && power:
		return i64(prim.Shr, a, number(bits.TrailingZeros64(uint64(d.K))))
	case x.Op == prim.IxMod && power:
		return i64(prim.And, a, number(int(d.K-1)))
	}
	b := l.expression(x.B)
	switch x.Op {
	case prim.IxAdd:
		return i64(prim.Add, a, b)
	case prim.IxMul:
		return i64(prim.Mul, a, b)
	}
	// Division is floored: if the remainder is negative, add the divisor to it and
	// subtract one from the quotient.
	rem := i64(prim.Rem, a, b)
	low := i64(prim.Shr, rem, number(63)) // all ones, or zero
	if x.Op == prim.IxMod {
		return i64(prim.Add, rem, i64(prim.And, low, b))
	}
	return i64(prim.Add, i64(prim.Div, a, b), low)
}

// conflicts gives coordinates to the accesses of arrays that the phase stores and
// also accesses at another site.
func (l *lowerer) conflicts(ph *phase) {
	l.cur = ph
	for i := range ph.sites {
		s := &ph.sites[i]
		if s.access >= 0 && s.coords == nil && ph.conflict(i) {
			own := *s // coordinates may reallocate ph.sites
			l.coordinates(&own, true)
			ph.sites[i].coords = own.coords
		}
	}
	l.cur = nil
}

// conflict reports whether another site accesses the array of site i so that staging
// would change the order of accesses: loads before the phase, stores after it.
func (ph *phase) conflict(i int) bool {
	for j := range ph.sites {
		if j == i || ph.sites[i].buf < 0 || ph.sites[j].buf != ph.sites[i].buf {
			continue
		}
		first, second := &ph.sites[min(i, j)], &ph.sites[max(i, j)]
		if first.store || second.store && ph.kind == seqPhase {
			return true
		}
	}
	return false
}

// computed makes machine code compute the offsets of a site. If merge is set, affine
// coordinates are part of the address, unless they are clamped. Machine code still
// compares the guarded ones.
func (l *layouter) computed(i int, merge bool) {
	b, info, s := l.binder, &l.ph.sites[i], &l.bp.sites[i]
	a := &b.Access[info.access]
	g, offset := &gatherPlan{}, b.Constant(0)
	joined := none // the site that has the sum of the affine coordinates
	for d := range a.Dims {
		x := &a.Dims[d]
		dim := gatherDim{info.coords[d], x.Stride, x.Extent, x.Bounds}
		switch {
		case x.Affine && merge && x.Bounds != ir.Clamped:
			offset.Plus(x.Form, x.Stride)
			if x.Bounds == ir.InBounds {
				continue
			}
			dim.stride = 0
		case x.Direct():
			c := dim.coord.site
			if joined == none {
				joined, dim.stride = c, 1
				l.bp.sites[c] = boundSite{kind: iotaSite, buf: -1, array: -1, size: 1, arg: l.bp.sites[c].arg}
				l.offsets[c] = b.Constant(0)
				g.dims = append(g.dims, dim)
			}
			l.offsets[joined].Plus(x.Form, x.Stride)
			continue
		}
		g.dims = append(g.dims, dim)
		if c := dim.coord.site; c != none && l.bp.sites[c].kind == noSite {
			l.analyse(int(c))
		}
	}
	l.offsets[i], l.guards[i] = offset, nil
	*s = boundSite{kind: gatherSite, buf: info.buf, array: -1, size: s.size, arg: s.arg, gather: g}
}
