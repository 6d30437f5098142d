package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// commonRules are the rules of operations for which a target has no rule of its own.
var commonRules = isa.Table(
	on(binary, isa.Ints, prim.Add, prim.Sub, prim.Mul, prim.Min, prim.Max, prim.And, prim.Or, prim.Xor, prim.Shl, prim.Shr),
	on(binary, isa.Floats, prim.Add, prim.Sub, prim.Mul, prim.Div),
	on(floatMinMax, isa.Floats, prim.Min, prim.Max),
	on(extreme, isa.Floats, lower.OpLesser, lower.OpGreater),
	on(fma, isa.Floats, prim.Fma),
	on(negInt, isa.Ints, prim.Neg),
	on(sign, isa.Floats, prim.Neg, prim.Abs),
	on(absInt, isa.IntsOf(true, 4), prim.Abs),
	on(move, isa.IntsOf(false, 8), prim.Abs),
	on(round, isa.Floats, prim.Floor, prim.Ceil, prim.Trunc, prim.Rint),
	on(sqrt, isa.Floats, prim.Sqrt),
	on(convert, isa.All, prim.Cvt),
	on(bitcast, isa.Nums, prim.Bitcast),
	on(mulLow, isa.IntsOf(false, 8), lower.OpMulLow),
	on(mulLow, isa.IntsOf(true, 8), lower.OpMulLow),
	on(mulHiNarrow, isa.IntsOf(false, 2), prim.MulHi),
	on(mulHi64, types{dtype.U64}, prim.MulHi),
	on(scalarDivide, isa.Ints, prim.Div, prim.Rem),
	on(scalarRem, isa.Floats, prim.Rem),
	on(roundF16, types{dtype.F32}, prim.RoundF16),
	on(roundBF16, types{dtype.F32}, prim.RoundBF16),
	on(not, isa.All, prim.Not),
	on(mulHi32, types{dtype.U32}, prim.MulHi),
	on(lookup, isa.Ints, prim.Lookup),
	on(index, nil, ir.Index),
	on(fault, nil, ir.Fault),
	on(export, nil, lower.OpExport),
	on(gather, nil, lower.OpGather),
	on(iotaNode, nil, lower.OpIota),
	on(shiftUp, isa.Nums, lower.OpShiftUp),
)

func (f *emitter) Emit(n *lower.Node) bool {
	var emit rule
	ok := false
	if f.LaneSize > 0 {
		emit, ok = narrowRules[f.LaneSize-1].Find(n.Op, n.In)
	}
	if !ok {
		emit, ok = f.rules.Find(n.Op, n.In)
	}
	if !ok {
		emit, ok = commonRules.Find(n.Op, n.In)
	}
	if ok {
		emit(f, n)
	}
	return ok
}
