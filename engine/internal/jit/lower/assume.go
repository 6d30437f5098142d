package lower

import (
	"math/bits"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Some operations of narrow lanes take fewer instructions for the scalars that a kernel has now. The code assumes ranges of them.

// mostAdditions is the most additions that replace a product: lanes of 8 bits have none, and two products of lanes of 16 bits
// take as long.
const mostAdditions = 4

// Assuming returns the nodes of a map with narrow lanes, some of which take fewer instructions while the scalars of the kernel,
// of some types, are about these. It returns nil if there are no such nodes.
func (ph *Phase) Assuming(scalars []uint64, types []dtype.Type) *Narrowing {
	if ph.Kind != MapPhase || ph.LaneSize == 0 {
		return nil
	}
	a := assumer{ph: ph, scalars: scalars, types: types}
	for i := range ph.Nodes {
		switch n := &ph.Nodes[i]; {
		case n.Op == prim.Mul && ph.LaneSize == 1:
			a.multiple(i)
		case n.Op == prim.And && n.Type == dtype.Bool:
			a.span(i)
		case n.Op == prim.And && n.Type == dtype.I8 && ph.LaneSize == 1:
			a.field(i)
		}
	}
	return a.out
}

type assumer struct {
	ph      *Phase
	scalars []uint64
	types   []dtype.Type
	uses    []int32
	out     *Narrowing
}

// known returns the number that a node is: a constant, or a scalar now.
func (a *assumer) known(id int32) (x int64, ok bool) {
	switch n := &a.ph.Nodes[id]; {
	case n.Op == prim.Const:
		return number(n.Type, n.Imm), true
	case n.Op == OpCell && int(n.Aux) < len(a.types):
		return number(n.Type, a.scalars[n.Aux]), true
	}
	return 0, false
}

// assume adds the range of a known node, if it is a scalar, and returns the nodes to change.
func (a *assumer) assume(id int32, e extent) []Node {
	if a.out == nil {
		a.out = &Narrowing{Nodes: append([]Node(nil), a.ph.Nodes...), Size: a.ph.LaneSize}
	}
	if n := &a.ph.Nodes[id]; n.Op == OpCell {
		a.out.Assumed = append(a.out.Assumed, Assumed{Scalar: n.Aux, Type: n.Type, Lo: e.lo, Hi: e.hi})
	}
	return a.out.Nodes
}

// once reports whether one node alone uses another one, once.
func (a *assumer) once(id int32) bool {
	if a.uses == nil {
		a.uses = a.ph.uses()
	}
	return a.uses[id] == 1
}

// multiple makes a few additions of a product with a small number.
func (a *assumer) multiple(i int) {
	n := &a.ph.Nodes[i]
	for k, y := range n.Args[:2] {
		at, ok := a.known(y)
		x := uint64(at) & n.Type.Mask()
		if !ok || x < 2 || bits.Len64(x)+bits.OnesCount64(x)-2 > mostAdditions {
			continue
		}
		m := &a.assume(y, extent{at, at})[i]
		m.Op, m.Args, m.Imm = OpTimes, [3]int32{n.Args[1-k], None, None}, x
		return
	}
}

// span makes one comparison of two: of a number with a known lower limit, and with a known upper limit. The number is inside if its
// difference from the one limit is at most the difference of the limits, as unsigned integers. The code holds while each limit stays on
// its side of the middle of both, and while they are not the least and the greatest number.
func (a *assumer) span(i int) {
	n := &a.ph.Nodes[i]
	less := func(n *Node) bool {
		return (n.Op == prim.Lt || n.Op == prim.Le) && n.In.IsInt() && n.In.Size() == a.ph.LaneSize
	}
	for k, first := range n.Args[:2] {
		second := n.Args[1-k]
		p, q := &a.ph.Nodes[first], &a.ph.Nodes[second]
		if !less(p) || !less(q) || p.Args[1] != q.Args[0] || p.Op == prim.Lt && q.Op == prim.Lt || p.In != q.In || !a.once(first) || !a.once(second) {
			continue
		}
		x, lower, upper := p.Args[1], p.Args[0], q.Args[1]
		lo, known := a.known(lower)
		hi, both := a.known(upper)
		if !known || !both || lo > hi {
			continue
		}
		middle, below, above := lo+(hi-lo)/2, all(p.In), all(p.In)
		if below.hi, above.lo = middle, middle; hi < above.hi {
			above.hi--
		} else {
			below.lo++
		}
		if lo < below.lo { // all numbers
			continue
		}
		a.assume(lower, below)
		nodes := a.assume(upper, above)
		t := dtype.Integer(a.ph.LaneSize, false)
		from, op := [3]int32{x, lower, None}, q.Op
		if p.Op == prim.Lt {
			from, op = [3]int32{upper, x, None}, prim.Lt
		}
		nodes[first] = Node{Op: prim.Sub, Type: t, In: t, Args: from}
		nodes[second] = Node{Op: prim.Sub, Type: t, In: t, Args: [3]int32{upper, lower, None}}
		nodes[i] = Node{Op: op, Type: dtype.Bool, In: t, Args: [3]int32{first, second, None}, Imm: NotGreatest}
		return
	}
}

// field makes a shift without sign of one whose upper bits a known mask clears.
func (a *assumer) field(i int) {
	n := &a.ph.Nodes[i]
	for k, mask := range n.Args[:2] {
		x := n.Args[1-k]
		shift := &a.ph.Nodes[x]
		if shift.Op != prim.Shr || shift.In != dtype.I8 || !a.once(x) {
			continue
		}
		count, known := a.known(shift.Args[1])
		m, both := a.known(mask)
		if most := int64(0xff) >> (count & 7); known && both && 0 < count && count < 8 && 0 <= m && m <= most {
			a.assume(shift.Args[1], extent{0, count})
			s := &a.assume(mask, extent{0, most})[x]
			s.Type, s.In = dtype.U8, dtype.U8
			return
		}
	}
}
