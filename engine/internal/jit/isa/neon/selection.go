package neon

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

var rules = isa.Table(
	on((*neon).binary, isa.Floats, prim.Add, prim.Sub, prim.Mul, prim.Div, prim.Min, prim.Max),
	on((*neon).binary, isa.Ints, prim.Add, prim.Sub),
	on((*neon).binary, ints32, prim.Mul, prim.Min, prim.Max),
	on((*neon).mul64, wideInts, prim.Mul),
	on((*neon).minMax64, wideInts, prim.Min, prim.Max),
	on((*neon).logic, isa.All, prim.And, prim.Or, prim.Xor),
	on((*neon).logic, types{dtype.Bool}, prim.Ne),
	on((*neon).not, isa.All, prim.Not),
	on((*neon).shift, isa.Ints, prim.Shl, prim.Shr),
	on((*neon).unary, isa.Floats, prim.Neg, prim.Abs, prim.Sqrt, prim.Floor, prim.Ceil, prim.Trunc, prim.Rint),
	on((*neon).unary, isa.Ints, prim.Neg),
	on((*neon).unary, isa.IntsOf(true, 8), prim.Abs),
	on((*neon).move, isa.IntsOf(false, 8), prim.Abs),
	on((*neon).fma, isa.Floats, prim.Fma),
	on((*neon).scale32, types{dtype.F32}, prim.Scale),
	on((*neon).scale64, types{dtype.F64}, prim.Scale),
	on((*neon).remainder, isa.Floats, prim.Rem),
	on((*neon).divide, isa.Ints, prim.Div, prim.Rem),
	on((*neon).mulHiNarrow, isa.IntsOf(false, 2), prim.MulHi),
	on((*neon).mulHi32, types{dtype.U32}, prim.MulHi),
	on((*neon).mulHi64, types{dtype.U64}, prim.MulHi),
	on((*neon).compareNode, isa.Nums, prim.Eq, prim.Ne, prim.Lt, prim.Le),
	on((*neon).predicateEq, types{dtype.Bool}, prim.Eq),
	on((*neon).choose, isa.All, prim.Select),
	on((*neon).convert, isa.All, prim.Cvt),
	on((*neon).bitcast, isa.Nums, prim.Bitcast),
	on((*neon).roundF16, types{dtype.F32}, prim.RoundF16),
	on((*neon).roundBF16, types{dtype.F32}, prim.RoundBF16),
	on((*neon).lookup, isa.Ints, prim.Lookup),
	on((*neon).shiftUp, isa.Nums, lower.OpShiftUp),
	on((*neon).cell, isa.All, lower.OpCell),
	on((*neon).export, nil, lower.OpExport),
	on((*neon).fault, nil, ir.Fault),
	on((*neon).load, nil, ir.Load),
	on((*neon).gather, nil, lower.OpGather),
	on((*neon).index, nil, ir.Index),
	on((*neon).iota, nil, lower.OpIota),
)

func (f *neon) Emit(n *lower.Node) bool {
	emit, ok := rules.Find(n.Op, n.In)
	if ok {
		emit(f, n)
	}
	return ok
}
