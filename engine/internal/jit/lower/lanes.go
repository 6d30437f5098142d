package lower

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Narrow lanes: a loop that computes with integers of 8 or of 16 bits and predicates alone needs
// no wider lanes, so a vector holds four times or twice as many.

// narrowOps are the operations that targets have on lanes of 8 and of 16 bits.
var narrowOps = [1 << 8]bool{
	ir.Load: true, ir.Store: true, ir.Fault: true, OpCell: true,
	prim.Const: true, prim.Add: true, prim.Sub: true, prim.Mul: true, prim.MulHi: true, prim.Neg: true, prim.Abs: true,
	prim.Min: true, prim.Max: true, prim.And: true, prim.Or: true, prim.Xor: true, prim.Not: true, prim.Shl: true, prim.Shr: true,
	prim.Eq: true, prim.Ne: true, prim.Lt: true, prim.Le: true, prim.Select: true, prim.Cvt: true, prim.Bitcast: true,
}

// laneSize returns the bytes of the narrow lanes that hold all values of a phase, in which
// targets compute them, or 0.
func (ph *Phase) laneSize() int {
	if ph.Kind == ScalarPhase {
		return 0
	}
	size := 1
	fits := func(t dtype.Type) bool {
		size = max(size, t.Size())
		return narrow(t)
	}
	widened := map[int32]bool{}
	for i := range ph.Reds {
		r := &ph.Reds[i]
		switch {
		case r.Prog != nil || r.Kern.Arg:
			return 0
		case ph.Kind == MapPhase && ph.Widened(r) != None:
			widened[r.Arg] = true
		case !fits(r.Type):
			return 0
		}
	}
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		if widened[int32(i)] {
			continue
		}
		if !narrowOps[n.Op] || n.Cold || n.HasResult() && !fits(n.Type) || !fits(n.In) {
			return 0
		}
	}
	return size
}

// Widened returns the operand of 8 or 16 bits of a sum of wider integers, or None: the sum needs
// no wide lanes, but for its accumulators.
func (ph *Phase) Widened(r *Red) int32 {
	n := &ph.Nodes[r.Arg]
	if r.Kern.Op != prim.Add || r.Kern.Ordered || r.Prog != nil || n.Op != prim.Cvt || !narrow(n.In) || n.Type.Size() < 4 {
		return None
	}
	for i := range ph.Nodes {
		if slices.Contains(ph.Nodes[i].Args[:], r.Arg) {
			return None
		}
	}
	return n.Args[0]
}

// counts reports whether nothing but sums of predicates needs lanes of 8 bytes: lanes of 4 bytes hold what a call counts.
func (ph *Phase) counts() bool {
	if ph.Kind != MapPhase || ph.LaneSize > 0 || ph.Widest == 4 {
		return false
	}
	nodes := slices.Clone(ph.Nodes)
	for i := range ph.Reds {
		switch r := &ph.Reds[i]; {
		case ph.Counted(r):
			nodes[r.Arg].Type = dtype.I32
		case r.Prog != nil || r.Kern.Arg || r.Type.Size() > 4:
			return false
		}
	}
	return Widest(nodes) == 4
}

// Counted reports whether a reduction is the sum of a predicate, as integers.
func (ph *Phase) Counted(r *Red) bool {
	x := ph.Widened(r)
	return x != None && ph.Nodes[x].Type == dtype.Bool
}

// Narrow returns a reduction of a seq loop in lanes of size bytes, 1 or 2.
func (r *Red) Narrow(size int) *Red {
	x := *r
	x.Kern = r.Kern.Narrow(r.Type, size, false)
	return &x
}

// narrow reports whether t is a predicate or an integer of less than 32 bits.
func narrow(t dtype.Type) bool { return t == dtype.Bool || frame.Narrow(t) }
