package lower

import (
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
	if ph.Kind != MapPhase || len(ph.Reds) > 0 {
		return false
	}
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		if !octetOps[n.Op] || n.Cold || !octet(n.Type) && n.HasResult() || !octet(n.In) {
			return false
		}
	}
	return true
}

func octet(t dtype.Type) bool { return t == dtype.Bool || t == dtype.I8 || t == dtype.U8 }
