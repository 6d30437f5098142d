package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

var comparisons = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: elems, Result: tree.ResultBool}, []tree.Row{
	{Name: "equal", Symbol: "==", Lower: primitive(prim.Eq), Doc: "x == y; false for NaN."},
	{Name: "not_equal", Symbol: "!=", GoName: "NotEqual", Lower: primitive(prim.Ne), Doc: "x != y; true for NaN."},
	{Name: "less", Symbol: "<", Lower: onBools(primitive(prim.Lt), func(b *B, x ...V) V { return b.And(b.Not(x[0]), x[1]) }), Doc: "x < y."},
	{Name: "less_equal", Symbol: "<=", GoName: "LessEqual", Lower: onBools(primitive(prim.Le), func(b *B, x ...V) V { return b.Or(b.Not(x[0]), x[1]) }), Doc: "x <= y."},
	{Name: "greater", Symbol: ">", Lower: onBools(func(b *B, x ...V) V { return b.Gt(x[0], x[1]) }, func(b *B, x ...V) V { return b.And(b.Not(x[1]), x[0]) }), Doc: "x > y."},
	{
		Name: "greater_equal", Symbol: ">=", GoName: "GreaterEqual",
		Lower: onBools(func(b *B, x ...V) V { return b.Ge(x[0], x[1]) }, func(b *B, x ...V) V { return b.Or(b.Not(x[1]), x[0]) }),
		Doc:   "x >= y.",
	},
	{Name: "isnan", GoName: "IsNaN", Arity: 1, Types: floats, Lower: func(b *B, x ...V) V { return b.Ne(x[0], x[0]) }, Doc: "whether x is NaN."},
	{Name: "isinf", GoName: "IsInf", Arity: 1, Types: floats, Lower: func(b *B, x ...V) V { return b.Eq(b.Abs(x[0]), inf(b, x[0])) }, Doc: "whether x is infinite."},
	{
		Name: "isfinite", GoName: "IsFinite", Arity: 1, Types: floats,
		Lower: func(b *B, x ...V) V { return b.Lt(b.Abs(x[0]), inf(b, x[0])) },
		Doc:   "whether x is neither infinite nor NaN.",
	},
	{Name: "signbit", GoName: "SignBit", Arity: 1, Lower: lowerSignBit, Doc: "whether x has a sign, as -0 has; a NaN has none."},
	{Name: "logical_and", GoName: "LogicalAnd", Lower: func(b *B, x ...V) V { return b.And(nonzero(b, x[0]), nonzero(b, x[1])) }, Doc: "whether x and y are both nonzero."},
	{Name: "logical_or", GoName: "LogicalOr", Lower: func(b *B, x ...V) V { return b.Or(nonzero(b, x[0]), nonzero(b, x[1])) }, Doc: "whether x or y is nonzero."},
	{Name: "logical_xor", GoName: "LogicalXor", Lower: func(b *B, x ...V) V { return b.Xor(nonzero(b, x[0]), nonzero(b, x[1])) }, Doc: "whether exactly one of x and y is nonzero."},
	{Name: "logical_not", GoName: "LogicalNot", Arity: 1, Lower: func(b *B, x ...V) V { return b.Not(nonzero(b, x[0])) }, Doc: "whether x is zero."},
})

var bitwise = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: ints | bools}, []tree.Row{
	{Name: "bitwise_and", Symbol: "&", GoName: "And", Lower: primitive(prim.And), Doc: "bitwise x & y; of bools the conjunction."},
	{Name: "bitwise_or", Symbol: "|", GoName: "Or", Lower: primitive(prim.Or), Doc: "bitwise x | y; of bools the disjunction."},
	{Name: "bitwise_xor", Symbol: "^", GoName: "Xor", Lower: primitive(prim.Xor), Doc: "bitwise exclusive or."},
	{Name: "invert", GoName: "Not", Arity: 1, Lower: primitive(prim.Not), Doc: "bitwise complement; of bools the negation."},
	{Name: "left_shift", Symbol: "<<", GoName: "Shl", Types: ints, Lower: primitive(prim.Shl), Doc: "x << y; a count below zero or of the width and more gives 0."},
	{
		Name: "right_shift", Symbol: ">>", GoName: "Shr", Types: ints, Lower: primitive(prim.Shr),
		Doc: "x >> y, arithmetic for signed types; a count below zero or of the width and more gives 0, or the sign.",
	},
})

func inf(b *B, like V) V { return b.Const(like.Type, math.Inf(1)) }

func lowerSignBit(b *B, x ...V) V {
	switch v := x[0]; {
	case prim.Float.Has(v.Type):
		return negative(b, v)
	case prim.Pred.Has(v.Type) || prim.Uint.Has(v.Type):
		return b.Ne(v, v)
	default:
		return b.Lt(v, b.Like(v, 0))
	}
}

// negative returns whether the sign of a float is set, which is no NaN. As integers, the bits of a negative
// number are at most the bits of -inf, and the bits of a NaN with a sign are greater.
func negative(b *B, v V) V {
	bits := b.Bitcast(prim.IntOf(v.Type), v)
	nan := b.Add(b.Bitcast(bits.Type, b.Like(v, math.Inf(-1))), b.Like(bits, 1))
	return b.Lt(bits, nan)
}

func nonzero(b *B, x V) V {
	if prim.Pred.Has(x.Type) {
		return x
	}
	return b.Ne(x, b.Like(x, 0))
}

// onBools uses another lowering for predicates, because the primitives do not
// order them.
func onBools(lower, pred func(*B, ...V) V) func(*B, ...V) V {
	return func(b *B, x ...V) V {
		if prim.Pred.Has(x[0].Type) {
			return pred(b, x...)
		}
		return lower(b, x...)
	}
}
