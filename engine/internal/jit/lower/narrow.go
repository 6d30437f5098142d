package lower

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Integers of 32 and 64 bits that come from narrow elements and go to narrow elements need fewer
// bits in between. The lower bits of sums, products and bitwise operations depend on the lower
// bits of their operands alone. Other operations, such as comparisons and shifts to the right,
// need whole operands: those whose range is known to fit.

// A Narrowing is the nodes of a phase with types that narrow lanes hold. Results have the same
// bits while the scalars are in the ranges of Assumed.
type Narrowing struct {
	Nodes   []Node
	Size    int // of the lanes, in bytes: 1 or 2
	Assumed []Assumed
}

// An Assumed is a range of a scalar of the kernel.
type Assumed struct {
	Scalar int32
	Type   dtype.Type
	Lo, Hi int64
}

// Holds reports whether the bits of the scalar are in the range.
func (a *Assumed) Holds(bits uint64) bool {
	x := number(a.Type, bits)
	return a.Lo <= x && x <= a.Hi
}

// number returns an integer of type t. It wraps integers of 64 bits without sign.
func number(t dtype.Type, bits uint64) int64 {
	shift := 64 - 8*t.Size()
	if t.IsSigned() {
		return int64(bits<<shift) >> shift
	}
	return int64(bits << shift >> shift)
}

// widens reports whether narrow lanes may hold the values of a phase although its nodes have
// wider types.
func (ph *Phase) widens() bool {
	if ph.Kind != MapPhase || ph.LaneSize > 0 {
		return false
	}
	for i := range ph.Reds {
		if r := &ph.Reds[i]; r.Prog != nil || r.Kern.Arg || !narrow(r.Type) && ph.Widened(r) == None {
			return false
		}
	}
	for i := range ph.Sites {
		if s := &ph.Sites[i]; !narrow(s.Type) || len(s.values) > 0 || len(s.Coords) > 0 {
			return false
		}
	}
	integer := func(t dtype.Type) bool { return t == dtype.Bool || t.IsInt() }
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		if !narrowOps[n.Op] || n.Cold || n.HasResult() && !integer(n.Type) || !integer(n.In) || n.Op == prim.MulHi && !narrow(n.In) {
			return false
		}
	}
	return true
}

// Narrowed returns the nodes of the phase in the narrowest lanes that give the same bits while
// the scalars of the kernel, of some types, are about as large as these. It returns nil if there
// are no such lanes.
func (ph *Phase) Narrowed(scalars []uint64, types []dtype.Type) *Narrowing {
	if !ph.Widens {
		return nil
	}
	r := ranger{ph: ph, scalars: scalars, types: types, ranges: make([]extent, len(ph.Nodes))}
	r.averages = slices.ContainsFunc(ph.Nodes, func(n Node) bool {
		_, _, ok := r.average(&n)
		return ok
	})
	for i := range ph.Nodes {
		r.ranges[i] = r.rangeOf(&ph.Nodes[i])
	}
	for size := 1; size <= 2; size++ {
		if nodes := r.narrowed(size); nodes != nil {
			return &Narrowing{nodes, size, r.assumed}
		}
	}
	return nil
}

// An extent is the least and the greatest value that a node may have.
type extent struct{ lo, hi int64 }

// far is beyond the range of all integers that narrow lanes hold. Bounds are at most this far
// from 0, so that no computation of them overflows.
const far = 1 << 60

// all returns the range of a type. A range of 64 bits is cut at far.
func all(t dtype.Type) extent {
	n := 8 * t.Size()
	switch {
	case t == dtype.Bool:
		return extent{0, 1}
	case t.IsSigned() && n < 64:
		return extent{-1 << (n - 1), 1<<(n-1) - 1}
	case t.IsSigned():
		return extent{-far, far}
	case n < 64:
		return extent{0, 1<<n - 1}
	}
	return extent{0, far}
}

func (e extent) in(x extent) bool { return x.lo <= e.lo && e.hi <= x.hi }

// fits reports whether lanes of size bytes hold all values of e, in a signed type and in an
// unsigned one.
func (e extent) fits(size int) (signed, unsigned bool) {
	n := 8 * size
	return e.in(extent{-1 << (n - 1), 1<<(n-1) - 1}), e.in(extent{0, 1<<n - 1})
}

// A ranger finds the ranges of the nodes of a phase.
type ranger struct {
	ph      *Phase
	scalars []uint64
	types   []dtype.Type
	ranges  []extent
	assumed []Assumed
	// averages says that a node is an average.
	averages bool
}

// rangeOf returns the range of a node whose operands have theirs. A value that may wrap has the
// range of its type.
func (r *ranger) rangeOf(n *Node) extent {
	t := n.Type
	if !n.HasResult() {
		return extent{}
	}
	full := all(t)
	var e extent
	switch n.Op {
	case prim.Const:
		x := number(t, n.Imm)
		e = extent{x, x}
	case OpCell:
		e = r.scalar(n)
	case ir.Load, prim.MulHi:
		e = full
	default:
		e = r.computed(n)
	}
	if !e.in(full) {
		return full
	}
	return e
}

// scalar returns the range of a cell. For the cell of a scalar it assumes one: the numbers with
// no more bits than the scalar's value, and at least 4. It assumes that value alone if all its bits are ones and something is subtracted
// from it, as in 255 - a, if it is the greatest byte or word and limits a sum, or if it may be the 1 of an average.
func (r *ranger) scalar(n *Node) extent {
	t := n.Type
	if int(n.Aux) >= len(r.types) || narrow(t) {
		return all(t)
	}
	x := number(t, r.scalars[n.Aux])
	e := extent{0, 1<<max(4, bits.Len64(uint64(x^x>>63))) - 1}
	if x < 0 {
		e.lo = -e.hi - 1
	}
	if e.hi >= 1<<31 {
		return all(t)
	}
	if x == 1 && r.averages {
		e = extent{1, 1}
	}
	if x == e.hi && slices.ContainsFunc(r.ph.Nodes, func(m Node) bool {
		limits := m.Op == prim.Min && n == &r.ph.Nodes[m.Args[1]] && r.ph.Nodes[m.Args[0]].Op == prim.Add && (x == 0xff || x == 0xffff)
		return limits || m.Op == prim.Sub && n == &r.ph.Nodes[m.Args[0]]
	}) {
		e.lo = x
	}
	r.assumed = append(r.assumed, Assumed{Scalar: n.Aux, Type: t, Lo: e.lo, Hi: e.hi})
	return e
}

// computed returns the range of the result of an operation, without the bounds of its type.
func (r *ranger) computed(n *Node) extent {
	var a [3]extent
	for i, x := range n.Args {
		if x != None {
			a[i] = r.ranges[x]
		}
	}
	x, y := a[0], a[1]
	switch n.Op {
	case prim.Add:
		if e, ok := r.mix(n.Args[0], n.Args[1]); ok {
			return e
		}
		return extent{x.lo + y.lo, x.hi + y.hi}
	case prim.Sub:
		return extent{x.lo - y.hi, x.hi - y.lo}
	case prim.Neg:
		return extent{-x.hi, -x.lo}
	case prim.Not:
		return extent{^x.hi, ^x.lo}
	case prim.Abs:
		if x.lo >= 0 {
			return x
		}
		return extent{0, max(-x.lo, x.hi)}
	case prim.Mul:
		if e := product(x, y); n.Args[0] != n.Args[1] {
			return e
		}
		return product(extent{0, max(x.hi, -x.lo)}, extent{0, max(x.hi, -x.lo)}) // a square
	case prim.Min:
		return extent{min(x.lo, y.lo), min(x.hi, y.hi)}
	case prim.Max:
		return extent{max(x.lo, y.lo), max(x.hi, y.hi)}
	case prim.And, prim.Or, prim.Xor:
		return bitwise(n.Op, x, y)
	case prim.Shl, prim.Shr:
		return shifted(n.Op, x, y)
	case prim.Select:
		return extent{min(y.lo, a[2].lo), max(y.hi, a[2].hi)}
	case prim.Cvt, prim.Bitcast:
		if n.Type == dtype.Bool {
			return extent{0, 1}
		}
		return x
	}
	return all(n.Type)
}

// mix returns the range of x*a + z*(c - a) for a constant c and an a from 0 to c: it is between x*c and z*c.
// The range of a sum of products would be twice as large.
func (r *ranger) mix(first, second int32) (e extent, ok bool) {
	for range 2 {
		p, q := &r.ph.Nodes[first], &r.ph.Nodes[second]
		for i := range 4 {
			if p.Op != prim.Mul || q.Op != prim.Mul {
				return e, false
			}
			a, rest := p.Args[i/2], &r.ph.Nodes[q.Args[i%2]]
			if rest.Op != prim.Sub || rest.Args[1] != a {
				continue
			}
			c, x, z := r.ranges[rest.Args[0]], r.ranges[p.Args[1-i/2]], r.ranges[q.Args[1-i%2]]
			if c.lo == c.hi && r.ranges[a].in(extent{0, c.hi}) {
				return product(extent{min(x.lo, z.lo), max(x.hi, z.hi)}, c), true
			}
		}
		first, second = second, first
	}
	return e, false
}

func product(x, y extent) extent {
	if small := (extent{-1 << 30, 1 << 30}); !x.in(small) || !y.in(small) {
		return extent{-far, far}
	}
	a, b, c, d := x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi
	return extent{min(a, b, c, d), max(a, b, c, d)}
}

func bitwise(op prim.Op, x, y extent) extent {
	switch {
	case op == prim.And && x.lo >= 0 && y.lo >= 0:
		return extent{0, min(x.hi, y.hi)}
	case op == prim.And && x.lo >= 0:
		return extent{0, x.hi}
	case op == prim.And && y.lo >= 0:
		return extent{0, y.hi}
	}
	e := extent{0, 1<<bits.Len64(uint64(max(x.hi, y.hi, ^x.lo, ^y.lo))) - 1}
	if x.lo < 0 || y.lo < 0 {
		e.lo = ^e.hi
	}
	return e
}

// shifted returns the range of a shift. Counts out of range may give 0 and -1.
func shifted(op prim.Op, x, y extent) extent {
	switch {
	case op == prim.Shr:
		return extent{min(x.lo, 0), max(x.hi, 0)}
	case y.lo < 0 || y.hi > 16 || x.lo < -1<<31 || x.hi > 1<<31:
		return extent{-far, far}
	}
	return extent{min(x.lo, x.lo<<y.hi), max(x.hi, x.hi<<y.hi)}
}

// average returns the operands of a node (x + z + 1) >> 1, and whether it is one.
func (r *ranger) average(n *Node) (x, z int32, ok bool) {
	if n.Op != prim.Shr || !r.one(n.Args[1]) || r.ph.Nodes[n.Args[0]].Op != prim.Add {
		return None, None, false
	}
	sum := r.ph.Nodes[n.Args[0]].Args
	if r.one(sum[0]) {
		sum[0], sum[1] = sum[1], sum[0]
	}
	if x := &r.ph.Nodes[sum[0]]; r.one(sum[1]) && x.Op == prim.Add {
		return x.Args[0], x.Args[1], true
	}
	return None, None, false
}

// one reports whether a node is 1: a constant, or the cell of a scalar that is 1 now.
func (r *ranger) one(id int32) bool {
	n := &r.ph.Nodes[id]
	return n.Op == prim.Const && n.Imm == 1 || n.Op == OpCell && int(n.Aux) < len(r.types) && number(n.Type, r.scalars[n.Aux]) == 1
}

// lowBits reports whether the lower bits of the operands suffice for those of the result. The count of a shift is needed whole.
func lowBits(op prim.Op) bool { return op.Info().LowBits || op == prim.Shl || op == prim.Bitcast }

// narrowed returns the nodes in lanes of size bytes, or nil.
func (r *ranger) narrowed(size int) []Node {
	nodes := make([]Node, len(r.ph.Nodes))
	r.saturate(nodes, size)
	for i := range nodes {
		n := r.ph.Nodes[i]
		if nodes[i].Op != prim.Invalid {
			continue
		}
		if x, z, ok := r.average(&n); ok && !narrow(n.Type) && r.unsigned(x, size) && r.unsigned(z, size) {
			t := laneOf(size, extent{0, 1<<(8*size) - 1})
			nodes[i] = Node{Op: OpAverage, Type: t, In: t, Args: [3]int32{x, z, None}}
			continue
		}
		if n.Op == ir.Load && n.Type.Size() > size || n.Op == ir.Store && n.In.Size() > size || !r.suits(&n, size) {
			return nil
		}
		if n.HasResult() && (!narrow(n.Type) || n.Type.Size() > size) {
			if narrow(n.Type) { // its elements need wider lanes
				return nil
			}
			n.Type = laneOf(size, r.ranges[i])
		}
		switch {
		case narrow(n.In) && n.In.Size() > size:
			return nil
		case narrow(n.In):
		case n.Op == prim.Cvt || n.Op == prim.Bitcast:
			n.In = nodes[n.Args[0]].Type
		case lowBits(n.Op) || n.Op == prim.Const || n.Op == OpCell:
			n.In = n.Type
		default:
			n.In = laneOf(size, r.operands(&n))
		}
		nodes[i] = n
	}
	return nodes
}

// saturate makes x + min(z, ^x) of the minimum of a sum x + z and the greatest number without sign of size bytes: lanes of so many bytes
// hold all of it, but not the sum. The complement takes the place of a conversion of x that nothing else uses.
func (r *ranger) saturate(nodes []Node, size int) {
	most := int64(1)<<(8*size) - 1
	t := laneOf(size, extent{0, most})
	var uses []int32
	for i := range r.ph.Nodes {
		n := &r.ph.Nodes[i]
		if n.Op != prim.Min || narrow(n.Type) || r.ranges[n.Args[1]] != (extent{most, most}) {
			continue
		}
		if uses == nil {
			uses = r.ph.uses()
		}
		sum := &r.ph.Nodes[n.Args[0]]
		if sum.Op != prim.Add || uses[n.Args[0]] != 1 || !r.unsigned(sum.Args[0], size) || !r.unsigned(sum.Args[1], size) {
			continue
		}
		for k, c := range sum.Args[:2] {
			if x := r.ph.Nodes[c].Args[0]; r.ph.Nodes[c].Op == prim.Cvt && uses[c] == 1 && r.ph.Nodes[x].Type == t && sum.Args[1-k] != c {
				nodes[c] = Node{Op: prim.Not, Type: t, In: t, Args: [3]int32{x, None, None}}
				nodes[n.Args[0]] = Node{Op: prim.Min, Type: t, In: t, Args: [3]int32{c, sum.Args[1-k], None}}
				nodes[i] = Node{Op: prim.Add, Type: t, In: t, Args: [3]int32{x, n.Args[0], None}}
				break
			}
		}
	}
}

// unsigned reports whether lanes of size bytes hold a node without sign.
func (r *ranger) unsigned(id int32, size int) bool {
	_, ok := r.ranges[id].fits(size)
	return ok
}

// operands returns the range of the operands that decide the instruction of a node.
func (r *ranger) operands(n *Node) extent {
	e := r.ranges[n.Args[0]]
	if n.Op != prim.Shr && n.Args[1] != None {
		y := r.ranges[n.Args[1]]
		e = extent{min(e.lo, y.lo), max(e.hi, y.hi)}
	}
	return e
}

// suits reports whether lanes of size bytes hold the operands of a node that it needs whole.
func (r *ranger) suits(n *Node, size int) bool {
	whole := func(e extent) bool {
		signed, unsigned := e.fits(size)
		return signed || unsigned
	}
	switch {
	case narrow(n.In) || n.Op == prim.Const || n.Op == OpCell:
		return true
	case n.Op == prim.Shl || n.Op == prim.Shr:
		return whole(r.ranges[n.Args[1]]) && (n.Op == prim.Shl || whole(r.ranges[n.Args[0]]))
	case lowBits(n.Op) && n.Type != dtype.Bool:
		return true
	}
	return whole(r.operands(n))
}

// laneOf returns the type of a value in lanes of size bytes: a signed one if it fits, or if only
// its lower bits matter.
func laneOf(size int, e extent) dtype.Type {
	signed, unsigned := e.fits(size)
	switch {
	case size == 1 && unsigned && !signed:
		return dtype.U8
	case size == 1:
		return dtype.I8
	case unsigned && !signed:
		return dtype.U16
	}
	return dtype.I16
}
