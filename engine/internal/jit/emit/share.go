package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// What depends on a position without one of its bits is the same in two vectors of a group that begins at a multiple of twice
// the bit. Such a group computes it once, before all else, and takes no instruction for a selection by the bit. Other
// vectors compute all for each of their lanes, to the same bits.
//
// The rest needs few of the shared values, such as the random bits of numbers. So a target with few registers computes the shared values of
// partVectors vectors, then those of as many others, and then the rest of all. The rest of a normal number is a chain of some 110 cycles,
// with 45 instructions: with three vectors the processor waits, and for all values of six there are no registers.

// partVectors is the vectors at once of the first part.
const partVectors = 3

// shortPart is the fewest nodes that are worth sharing.
const shortPart = 30

// findShared finds what vectors share, and moves it to the front of the body. Stores past the caches need whole lines, so their loops
// share nothing.
func (f *phaseCode) findShared() {
	s := &f.share
	if f.Phase.Kind != lower.MapPhase || len(f.Phase.Reds) > 0 || f.LaneSize > 0 || f.Stream || len(f.top) < 2*shortPart || f.apart() || !f.findBit() {
		return
	}
	s.roles = make([]role, len(f.Nodes))
	var front, rest []int32
	for _, id := range f.top {
		if s.roles[id] = f.roleOf(&f.Nodes[id]); s.roles[id] != ownRole && s.roles[id] != choiceRole {
			front = append(front, id)
		} else {
			rest = append(rest, id)
		}
	}
	if len(front) < shortPart {
		*s = sharing{}
		return
	}
	f.firstPart, f.top = len(front), append(append(f.top[:0], front...), rest...)
	own := f.zeros()
	f.demand(f.top, own)
	f.Shared = make([]bool, len(f.Nodes))
	for id, r := range s.roles {
		f.Shared[id] = r == sharedRole || r == positionRole && own[id] == 0
		if r == bitRole && own[id] > 0 {
			s.roles[id] = ownRole
		}
	}
}

// apart reports whether some access goes to elements that are not neighbours. Its code is for all vectors of a group, not for batches.
func (f *phaseCode) apart() bool {
	return slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool {
		return s.Kind == layout.Strided || s.Kind == layout.Computed || s.Kind == layout.Transposed || s.Kind == layout.Laid
	})
}

// findBit finds the bit, and reports whether there is one that four vectors span twice.
func (f *phaseCode) findBit() bool {
	for _, id := range f.top {
		n := &f.Nodes[id]
		if n.Op != prim.And || !isa.Wide(n.In) || f.Nodes[n.Args[1]].Op != prim.Const {
			continue
		}
		x := &f.Nodes[n.Args[0]]
		if x.Op == prim.Cvt && x.In == dtype.I64 {
			x = &f.Nodes[x.Args[0]]
		}
		bit := ^f.Nodes[n.Args[1]].Imm
		if x.Op == ir.Index && f.Layout.Sites[x.Aux].Counts() && bits.OnesCount64(bit) == 1 && bit >= uint64(f.W) && bit <= uint64(2*f.W) {
			f.share.bit, f.share.site = bit, x.Aux
			return true
		}
	}
	return false
}

// roleOf returns the role of a node whose operands have theirs.
func (f *phaseCode) roleOf(n *lower.Node) role {
	s, x := &f.share, n.Args[0]
	switch {
	case n.Op == ir.Index && n.Aux == s.site:
		return positionRole
	case n.Op >= prim.NumOps && n.Op != lower.OpMulLow && n.Op != lower.OpTernary || x == lower.None:
		return ownRole
	case s.roles[x] == positionRole && n.Op == prim.Cvt && n.In == dtype.I64 && n.Type == dtype.U64:
		return positionRole
	case s.roles[x] == positionRole && n.Op == prim.And && f.isConst(n.Args[1], ^s.bit):
		return sharedRole
	case s.roles[x] == positionRole && n.Op == prim.And && f.isConst(n.Args[1], s.bit), s.roles[x] == bitRole && n.Op == prim.Eq && f.isConst(n.Args[1], s.bit):
		return bitRole
	}
	is, args := sharedRole, n.Args[:]
	if n.Op == prim.Select && s.roles[x] == bitRole && n.Type != dtype.Bool && n.Args[1] != n.Args[2] {
		is, args = choiceRole, args[1:]
	}
	some := false
	for _, a := range args {
		if a == lower.None || f.Uniform[a] {
			continue
		}
		if s.roles[a] != sharedRole {
			return ownRole
		}
		some = true
	}
	if !some {
		return ownRole
	}
	return is
}

func (f *phaseCode) isConst(id int32, x uint64) bool {
	return f.Nodes[id].Op == prim.Const && f.Nodes[id].Imm == x
}

// demand counts the uses of nodes for which each vector needs its own value.
func (f *phaseCode) demand(list []int32, own []int32) {
	for _, id := range slices.Backward(list) {
		n, r := &f.Nodes[id], f.share.roles[id]
		if n.Op == ir.Cold {
			own[n.Yield]++
			f.demand(n.Body, own)
		}
		if r == sharedRole || r == choiceRole || (r == positionRole || r == bitRole) && own[id] == 0 {
			continue
		}
		for _, a := range n.Args {
			if a != lower.None {
				own[a]++
			}
		}
	}
}

// shareGroup returns the vectors of a group that shares values, where one that shares nothing has group. With few registers
// the loop has partVectors times the vectors of a span: body emits the shared values of partVectors vectors at once, then the rest
// of one span after the other.
func (f *phaseCode) shareGroup(group int) int {
	if f.Vectors > 16 {
		return max(group, f.span())
	}
	return partVectors * f.span()
}

// span returns the vectors that have the positions of twice the bit.
func (f *phaseCode) span() int { return 2 * int(f.share.bit) / f.W }

// aheadOfStores emits the prefetches of the lines that a loop with two parts stores some iterations later. Its values in
// memory wait for earlier stores, so a store that waits for its line would stop the loop.
func (f *phaseCode) aheadOfStores(lanes int) {
	if f.firstPart == 0 {
		return
	}
	for i := range f.Layout.Sites {
		s, r := &f.Layout.Sites[i], f.SiteReg[i]
		if s.Kind != layout.Unit || !f.Phase.Sites[i].Store || r < 0 {
			continue
		}
		for at := 0; at < lanes*s.Size; at += layout.LineBytes {
			f.Prefetch(isa.AtX(isa.SiteReg(int(r)), isa.Lane, s.Size, f.SiteApart[i]+storesAhead+at))
		}
	}
}

// storesAhead is the bytes from a store to its prefetch.
const storesAhead = 768
