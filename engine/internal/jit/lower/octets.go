package lower

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Lanes of 8 bits: a map that computes with integers of 8 bits and predicates alone needs
// no wider lanes, so a vector holds four times as many.

// octetOps are the operations that targets have on lanes of 8 bits.
var octetOps = [1 << 8]bool{
	ir.Load: true, ir.Store: true, ir.Fault: true, OpCell: true,
	prim.Const: true, prim.Add: true, prim.Sub: true, prim.Mul: true, prim.MulHi: true, prim.Neg: true, prim.Abs: true,
	prim.Min: true, prim.Max: true, prim.And: true, prim.Or: true, prim.Xor: true, prim.Not: true, prim.Shl: true, prim.Shr: true,
	prim.Eq: true, prim.Ne: true, prim.Lt: true, prim.Le: true, prim.Select: true, prim.Cvt: true, prim.Bitcast: true,
}

// octets reports whether lanes of 8 bits hold all values of a phase, and targets compute
// them there.
func (ph *Phase) octets() bool {
	if ph.Kind != MapPhase {
		return false
	}
	widened := map[int32]bool{}
	for i := range ph.Reds {
		r := &ph.Reds[i]
		switch {
		case r.Prog != nil || r.Kern.Arg:
			return false
		case ph.Widened(r) != None:
			widened[r.Arg] = true
		case !octet(r.Type):
			return false
		}
	}
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		if widened[int32(i)] {
			continue
		}
		if !octetOps[n.Op] || n.Cold || !octet(n.Type) && n.HasResult() || !octet(n.In) {
			return false
		}
	}
	return true
}

// Widened returns the operand of 8 bits of a sum of wider integers, or None: the sum needs
// no wide lanes, but for its accumulators.
func (ph *Phase) Widened(r *Red) int32 {
	n := &ph.Nodes[r.Arg]
	if r.Kern.Op != prim.Add || r.Kern.Ordered || r.Prog != nil || n.Op != prim.Cvt || !octet(n.In) || octet(n.Type) {
		return None
	}
	for i := range ph.Nodes {
		if slices.Contains(ph.Nodes[i].Args[:], r.Arg) {
			return None
		}
	}
	return n.Args[0]
}

func octet(t dtype.Type) bool { return t == dtype.Bool || t == dtype.I8 || t == dtype.U8 }
