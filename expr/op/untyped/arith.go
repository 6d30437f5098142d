package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

var arithmetic = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: numbers}, []tree.Row{
	{Name: "add", Symbol: "+", ULP: .5, Lower: primitive(prim.Add), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Out }, Doc: "x + y; integers wrap."},
	{Name: "sub", Symbol: "-", ULP: .5, Lower: primitive(prim.Sub), Grad: gradSub, Doc: "x - y; integers wrap."},
	{Name: "mul", Symbol: "*", ULP: .5, Lower: primitive(prim.Mul), Grad: func(g *tree.Adjoint, arg int) *tree.Node { return g.Mul(g.Out, g.Arg(1-arg)) }, Doc: "x * y; integers wrap."},
	{
		Name: "div", Symbol: "/", ULP: .5, Lower: primitive(prim.Div), Fault: zeroDivisor,
		FaultKind: tree.ErrDivide, Grad: gradDiv,
		Doc: "x / y; integers truncate towards zero and division by zero is an error.",
	},
	{
		Name: "floor_divide", Symbol: "//", GoName: "FloorDiv", ULP: .5,
		Lower: byClass(onFloats(floorDivFloat), floorDivInt, floorDivInt), Fault: zeroDivisor,
		FaultKind: tree.ErrDivide, Grad: flat,
		Doc: "floor(x / y) as NumPy's //: of floats it agrees with mod; of integers division by zero is an error.",
	},
	{
		Name: "mod", Symbol: "%", ULP: .5, Lower: byClass(onFloats(modFloat), modInt, modInt),
		Fault: zeroDivisor, FaultKind: tree.ErrDivide, Grad: gradMod,
		Doc: "x - y*floor(x/y) as NumPy's %: the sign is that of y; exact but for the rounding where that moves the remainder to the sign of y; of integers division by zero is an error.",
	},
	{
		Name: "fmod", Lower: byClass(onFloats(fmodFloat), fmodInt, fmodInt), Fault: zeroDivisor, FaultKind: tree.ErrDivide, Grad: gradFmod,
		Doc: "x - y*trunc(x/y): the sign is that of x; exact; of integers division by zero is an error.",
	},
	{Name: "fma", GoName: "FMA", Arity: 3, Types: floats, ULP: .5, Lower: primitive(prim.Fma), Grad: gradFMA, Doc: "x*y + z, rounded once."},
	{Name: "neg", Arity: 1, Lower: primitive(prim.Neg), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", g.Out) }, Doc: "-x; integers wrap."},
	{
		Name: "abs", Arity: 1, Result: tree.ResultPart, Lower: byClass(primitive(prim.Abs), primitive(prim.Abs), identity), Grad: gradAbs,
		Doc: "x without its sign; the least integer stays.",
	},
	{Name: "sign", Arity: 1, Lower: lowerSign, Grad: flat, Doc: "-1, 0 or 1 by the sign of x; +0 for both zeros; NaN stays."},
	{
		Name: "square", Arity: 1, ULP: .5, Lower: func(b *B, x ...V) V { return b.Mul(x[0], x[0]) },
		Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Mul(g.Const(2), g.Arg(0))) },
		Doc:  "x * x.",
	},
	{
		Name: "reciprocal", Arity: 1, Types: floats, ULP: .5,
		Lower: func(b *B, x ...V) V { return b.Div(b.Like(x[0], 1), x[0]) }, Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", g.Mul(g.Out, g.Op("square", g.Node))) },
		Doc: "1 / x.",
	},
	{
		Name: "copysign", GoName: "CopySign", Types: floats, Lower: signOfNumber, Grad: gradCopySign,
		Doc: "the magnitude of x with the sign of y, of which NaN has none.",
	},
})

// zeroDivisor returns the condition under which an integer division is
// undefined.
func zeroDivisor(b *B, x ...V) V {
	if prim.Float.Has(x[1].Type) {
		return V{}
	}
	return b.Eq(x[1], b.Like(x[1], 0))
}

// lowerSign adds 0 to values that are neither above nor below 0: the sum is +0 for -0,
// and NaN for NaN.
func lowerSign(b *B, x ...V) V {
	v, zero, one := x[0], b.Like(x[0], 0), b.Like(x[0], 1)
	switch {
	case prim.Float.Has(v.Type):
		return b.Select(b.Lt(v, zero), b.Like(v, -1), b.Select(b.Lt(zero, v), one, b.Add(v, zero)))
	case prim.Uint.Has(v.Type):
		return b.Min(v, one)
	}
	return b.Max(b.Min(v, one), b.Like(v, -1))
}

func signMask(b *B, x V) (bits, sign V) {
	t := prim.IntOf(x.Type)
	return b.Bitcast(t, x), b.Bits(t, 1<<(8*t.Size()-1))
}

// signOfNumber treats a NaN as positive, because the sign of a NaN is not
// defined.
func signOfNumber(b *B, x ...V) V {
	mag, sign := signMask(b, x[0])
	set := b.Select(negative(b, x[1]), sign, b.Like(sign, 0))
	return b.Bitcast(x[0].Type, b.Or(b.And(mag, b.Not(sign)), set))
}

func lowerCopySign(b *B, x ...V) V {
	mag, sign := signMask(b, x[0])
	from, _ := signMask(b, x[1])
	return b.Bitcast(x[0].Type, b.Or(b.And(mag, b.Not(sign)), b.And(from, sign)))
}

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

var rounding = family(tree.Row{Class: tree.Elementwise, Arity: 1, Types: floats}, []tree.Row{
	{Name: "floor", Lower: primitive(prim.Floor), Grad: flat, Doc: "the greatest integer <= x."},
	{Name: "ceil", Lower: primitive(prim.Ceil), Grad: flat, Doc: "the least integer >= x."},
	{Name: "trunc", Lower: primitive(prim.Trunc), Grad: flat, Doc: "x without its fraction."},
	{Name: "rint", Lower: primitive(prim.Rint), Grad: flat, Doc: "the nearest integer, ties to even."},
	{Name: "mantissa", Lower: onFloats(lowerMantissa), Grad: gradMantissa, Doc: "m of x = m * 2**e with 0.5 <= |m| < 1; 0, infinity and NaN stay."},
	{Name: "exponent", Lower: onFloats(lowerExponent), Grad: flat, Doc: "e of x = m * 2**e with 0.5 <= |m| < 1; 0 for 0, infinity and NaN."},
	{
		Name: "ldexp", Arity: 2, ULP: .5, Lower: onFloats(lowerLdexp), Grad: gradLdexp,
		Doc: "x * 2**y, rounded once, for an integer y; of other numbers the part before the point counts.",
	},
})

var selection = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: numbers}, []tree.Row{
	{Name: "maximum", Lower: primitive(prim.Max), Grad: gradExtreme("less"), Doc: "the larger of x and y; NaN if one is NaN, -0 < +0."},
	{Name: "minimum", Lower: primitive(prim.Min), Grad: gradExtreme("greater"), Doc: "the smaller of x and y; NaN if one is NaN, -0 < +0."},
	{
		Name: "fmax", GoName: "FMax", Lower: ignoreNaN(prim.Max), Grad: gradNumber("greater"),
		Doc: "the larger of x and y; a NaN is ignored where the other is none.",
	},
	{
		Name: "fmin", GoName: "FMin", Lower: ignoreNaN(prim.Min), Grad: gradNumber("less"),
		Doc: "the smaller of x and y; a NaN is ignored where the other is none.",
	},
	{
		Name: "clip", Operands: "x lo hi", Arity: 3,
		Lower: func(b *B, x ...V) V { return b.Min(b.Max(x[0], x[1]), x[2]) }, Grad: gradClip,
		Doc: "x brought into lo..hi: minimum(maximum(x, lo), hi).",
	},
	{
		Name: "relu", GoName: "ReLU", Arity: 1,
		Lower: func(b *B, x ...V) V { return b.Max(x[0], b.Like(x[0], 0)) }, Grad: gradReLU,
		Doc: "x where x > 0, else +0; NaN stays.",
	},
	{
		Name: "where", Operands: "cond x y", Arity: 3, Types: elems, Cond: true, Lower: primitive(prim.Select),
		Grad: gradWhere,
		Doc:  "x where the condition holds, else y.",
	},
	{
		Name: "cast", Arity: 1, Types: elems, Result: tree.ResultTo, ULP: .5, Lower: identity, Grad: gradCast,
		Doc: "x as another element type: to float rounds to nearest even; float to integer truncates and saturates, NaN gives 0; integer to integer wraps; to bool: x != 0.",
	},
	{Name: "stop_gradient", Arity: 1, Types: elems, Lower: identity, Same: true, Grad: flat, Doc: "x, as a constant to derivatives."},
})

func ignoreNaN(p prim.Op) func(*B, ...V) V {
	return func(b *B, x ...V) V {
		m := b.Op(p, x[0], x[1])
		if !prim.Float.Has(x[0].Type) {
			return m
		}
		m = b.Select(b.Ne(x[1], x[1]), x[0], m)
		return b.Select(b.Ne(x[0], x[0]), x[1], m)
	}
}

// Cast returns op.Cast of untyped trees. If the type fits, it returns a.
func Cast(a *tree.Node, to dtype.Type) *tree.Node {
	if a != nil && a.Err() == nil && a.DType() == to && !to.IsHalf() {
		return a
	}
	return tree.ApplyWith(Row("cast"), tree.Attributes{To: to}, a)
}
