package lower

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
		if x.Op == prim.IxValue && l.cur.Nodes[l.use(ir.Value(x.K))].Op != OpCell {
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
	a := &l.k.Access[s.Access]
	need := always || l.cur.Kind == SeqPhase && a.Bounds != ir.InBounds
	for _, ix := range a.Coords {
		need = need || l.varies(ix)
	}
	if !need {
		return
	}
	for _, ix := range a.Coords {
		c := Coord{None, None}
		if l.varies(ix) {
			c.Node = l.expression(ix)
		} else {
			c.Site = l.coordSite(ix)
		}
		s.Coords = append(s.Coords, c)
	}
}

// coordSite adds a site for an index expression without values of lanes, and returns
// its index.
func (l *lowerer) coordSite(ix prim.Ix) int32 {
	ph := l.cur
	ph.Sites = append(ph.Sites, site{Access: -1, Buf: -1, Array: -1, Type: dtype.I64, Ix: ix, Coord: true, values: l.cellValues(nil, ix)})
	return int32(len(ph.Sites) - 1)
}

// expression adds the nodes of an index expression with values of lanes, and returns
// the node of its result.
func (l *lowerer) expression(ix prim.Ix) int32 {
	ph := l.cur
	if !l.varies(ix) {
		s := l.coordSite(ix)
		ph.Sites[s].Coord = false
		return ph.add(Node{Op: ir.Index, Type: dtype.I64, In: dtype.I64, Args: [3]int32{None, None, None}, Aux: s}, ir.None)
	}
	x := l.k.Index.At(ix)
	if x.Op == prim.IxValue {
		return l.use(ir.Value(x.K))
	}
	a := l.expression(x.A)
	number := func(k int) int32 { return ph.constant(dtype.I64, uint64(k), ir.None) }
	i64 := func(op prim.Op, args ...int32) int32 {
		n := Node{Op: op, Type: dtype.I64, In: dtype.I64, Args: [3]int32{None, None, None}}
		copy(n.Args[:], args)
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
func (l *lowerer) conflicts(ph *Phase) {
	l.cur = ph
	for i := range ph.Sites {
		s := &ph.Sites[i]
		if s.Access >= 0 && s.Coords == nil && ph.Conflict(i) {
			own := *s // coordinates may reallocate ph.sites
			l.coordinates(&own, true)
			ph.Sites[i].Coords = own.Coords
		}
	}
	l.cur = nil
}
