package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
)

var comparisons = []expr.Operator{
	{Name: "equal", Symbol: "==", Doc: "x == y; false for NaN.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: prim2(prim.Eq)},
	{Name: "not_equal", Symbol: "!=", GoName: "NotEqual", Doc: "x != y; true for NaN.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: prim2(prim.Ne)},
	{Name: "less", Symbol: "<", Doc: "x < y.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: onBools(prim2(prim.Lt), func(b *B, x ...V) V { return b.And(b.Not(x[0]), x[1]) })},
	{Name: "less_equal", Symbol: "<=", GoName: "LessEqual", Doc: "x <= y.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: onBools(prim2(prim.Le), func(b *B, x ...V) V { return b.Or(b.Not(x[0]), x[1]) })},
	{Name: "greater", Symbol: ">", Doc: "x > y.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: onBools(func(b *B, x ...V) V { return b.Gt(x[0], x[1]) }, func(b *B, x ...V) V { return b.And(b.Not(x[1]), x[0]) })},
	{Name: "greater_equal", Symbol: ">=", GoName: "GreaterEqual", Doc: "x >= y.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: onBools(func(b *B, x ...V) V { return b.Ge(x[0], x[1]) }, func(b *B, x ...V) V { return b.Or(b.Not(x[1]), x[0]) })},
	{Name: "isnan", GoName: "IsNaN", Doc: "whether x is NaN.", Class: expr.Elementwise, Arity: 1, Types: floats, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.Ne(x[0], x[0]) }},
	{Name: "isinf", GoName: "IsInf", Doc: "whether x is infinite.", Class: expr.Elementwise, Arity: 1, Types: floats, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.Eq(b.Abs(x[0]), inf(b, x[0])) }},
	{Name: "isfinite", GoName: "IsFinite", Doc: "whether x is neither infinite nor NaN.", Class: expr.Elementwise, Arity: 1, Types: floats, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.Lt(b.Abs(x[0]), inf(b, x[0])) }},
	{Name: "logical_and", GoName: "LogicalAnd", Doc: "whether x and y are both nonzero.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.And(nonzero(b, x[0]), nonzero(b, x[1])) }},
	{Name: "logical_or", GoName: "LogicalOr", Doc: "whether x or y is nonzero.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.Or(nonzero(b, x[0]), nonzero(b, x[1])) }},
	{Name: "logical_xor", GoName: "LogicalXor", Doc: "whether exactly one of x and y is nonzero.", Class: expr.Elementwise, Arity: 2, Types: elems, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.Xor(nonzero(b, x[0]), nonzero(b, x[1])) }},
	{Name: "logical_not", GoName: "LogicalNot", Doc: "whether x is zero.", Class: expr.Elementwise, Arity: 1, Types: elems, Result: expr.Bool, Lower: func(b *B, x ...V) V { return b.Not(nonzero(b, x[0])) }},
}

var bitwise = []expr.Operator{
	{Name: "bitwise_and", Symbol: "&", GoName: "And", Doc: "bitwise x & y; of bools the conjunction.", Class: expr.Elementwise, Arity: 2, Types: ints | bools, Lower: prim2(prim.And)},
	{Name: "bitwise_or", Symbol: "|", GoName: "Or", Doc: "bitwise x | y; of bools the disjunction.", Class: expr.Elementwise, Arity: 2, Types: ints | bools, Lower: prim2(prim.Or)},
	{Name: "bitwise_xor", Symbol: "^", GoName: "Xor", Doc: "bitwise exclusive or.", Class: expr.Elementwise, Arity: 2, Types: ints | bools, Lower: prim2(prim.Xor)},
	{Name: "invert", GoName: "Not", Doc: "bitwise complement; of bools the negation.", Class: expr.Elementwise, Arity: 1, Types: ints | bools, Lower: prim1(prim.Not)},
	{Name: "left_shift", Symbol: "<<", GoName: "Shl", Doc: "x << y; a count below zero or of the width and more gives 0.", Class: expr.Elementwise, Arity: 2, Types: ints, Lower: prim2(prim.Shl)},
	{Name: "right_shift", Symbol: ">>", GoName: "Shr", Doc: "x >> y, arithmetic for signed types; a count below zero or of the width and more gives 0, or the sign.", Class: expr.Elementwise, Arity: 2, Types: ints, Lower: prim2(prim.Shr)},
}

func inf(b *B, like V) V { return b.Const(like.Type, math.Inf(1)) }

func nonzero(b *B, x V) V {
	if prim.Pred.Has(x.Type) {
		return x
	}
	return b.Ne(x, b.Like(x, 0))
}

// onBools replaces a lowering where the operands are predicates, which have no
// order among the primitives.
func onBools(lower, pred func(*B, ...V) V) func(*B, ...V) V {
	return func(b *B, x ...V) V {
		if prim.Pred.Has(x[0].Type) {
			return pred(b, x...)
		}
		return lower(b, x...)
	}
}
