package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// AVX2 has few registers. What loops keep free for temporaries decides how many vectors they compute at
// once, and how many constants stay in registers.

const (
	fewTemporaries  = 3
	mostTemporaries = 6
)

// simpleOps are the operations that take few temporaries, two of which may be operands that come from memory.
var simpleOps = [1 << 8]bool{
	prim.Const: true, lower.OpCell: true, ir.Cold: true, prim.Add: true, prim.Sub: true, prim.Mul: true, prim.MulHi: true, prim.Div: true, prim.Neg: true,
	prim.Abs: true, prim.Sqrt: true, prim.Fma: true, prim.And: true, prim.Or: true, prim.Xor: true, prim.Not: true,
	prim.Shl: true, prim.Shr: true, prim.Min: true, prim.Max: true, prim.Eq: true, prim.Ne: true, prim.Lt: true, prim.Le: true,
	prim.Select: true, prim.Floor: true, prim.Ceil: true, prim.Trunc: true, prim.Rint: true, prim.Bitcast: true, prim.Cvt: true,
	lower.OpShift: true, lower.OpAverage: true, lower.OpTimes: true, lower.OpMulLow: true, lower.OpLesser: true, lower.OpGreater: true,
}

// temporaries is the field of [isa.Facts] for AVX2.
func temporaries(f *isa.Emitter, n *lower.Node) int {
	switch {
	case n.Op == prim.MulHi && isa.Wide(n.In): // three, and an operand from memory
		return fewTemporaries + 1
	case n.Op == ir.Load || n.Op == ir.Store:
		s := &f.Layout.Sites[n.Aux]
		plain := s.Kind == layout.Unit || s.Kind == layout.Uniform || s.Kind == layout.Scratch
		if !plain || s.Guard || n.Args[1] != lower.None {
			return mostTemporaries
		}
		if n.Op == ir.Store && f.LaneSize == 0 && f.Phase.Sites[n.Aux].Type.Size() < 4 { // several vectors at once
			return mostTemporaries
		}
		return fewTemporaries
	case !simpleOps[n.Op], f.LaneSize > 0 && (n.Op == prim.Shl || n.Op == prim.Shr):
		return mostTemporaries
	case n.Op == prim.Cvt && n.In.IsFloat() && !n.Type.IsFloat() && n.Type.Size() >= 4 && n.Type != dtype.I32, n.Op == prim.Cvt && isa.Wide(n.In) && n.In.IsInt() && n.Type == dtype.F32:
		return mostTemporaries // their code is long
	}
	return fewTemporaries
}
