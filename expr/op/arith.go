package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

var arithmetic = family(expr.Row{Class: expr.Elementwise, Arity: 2, Types: numbers}, []expr.Row{
	{Name: "add", Symbol: "+", ULP: .5, Lower: prim2(prim.Add), Grad: gradAdd, Doc: "x + y; integers wrap."},
	{Name: "sub", Symbol: "-", ULP: .5, Lower: prim2(prim.Sub), Grad: gradSub, Doc: "x - y; integers wrap."},
	{Name: "mul", Symbol: "*", ULP: .5, Lower: prim2(prim.Mul), Grad: gradMul, Doc: "x * y; integers wrap."},
	{
		Name: "div", Symbol: "/", ULP: .5, Lower: prim2(prim.Div), Fault: zeroDivisor,
		FaultKind: expr.ErrDivide, Grad: gradDiv,
		Doc: "x / y; integers truncate towards zero and division by zero is an error.",
	},
	{
		Name: "floor_divide", Symbol: "//", GoName: "FloorDiv", ULP: .5,
		Lower: byClass(floorDivFloat, floorDivInt, floorDivInt), Fault: zeroDivisor,
		FaultKind: expr.ErrDivide, Grad: flat,
		Doc: "floor(x / y) as NumPy's //: of floats it agrees with mod; of integers division by zero is an error.",
	},
	{
		Name: "mod", Symbol: "%", ULP: .5, Lower: byClass(modFloat, modInt, modInt),
		Fault: zeroDivisor, FaultKind: expr.ErrDivide, Grad: gradMod,
		Doc: "x - y*floor(x/y) as NumPy's %: the sign is that of y; exact but for the rounding where that moves the remainder to the sign of y; of integers division by zero is an error.",
	},
	{
		Name: "fmod", Lower: prim2(prim.Rem), Fault: zeroDivisor, FaultKind: expr.ErrDivide, Grad: gradFmod,
		Doc: "x - y*trunc(x/y): the sign is that of x; exact; of integers division by zero is an error.",
	},
	{
		Name: "fma", GoName: "FMA", Arity: 3, Types: floats, ULP: .5, Lower: prim3(prim.Fma), Grad: gradFMA,
		Doc: "x*y + z, rounded once.",
	},
	{Name: "neg", Arity: 1, Lower: prim1(prim.Neg), Grad: gradNeg, Doc: "-x; integers wrap."},
	{
		Name: "abs", Arity: 1, Result: expr.ResultPart, Lower: byClass(prim1(prim.Abs), prim1(prim.Abs), identity), Grad: gradAbs,
		Doc: "x without its sign; the least integer stays.",
	},
	{
		Name: "sign", Arity: 1, Lower: lowerSign, Grad: flat,
		Doc: "-1, 0 or 1 by the sign of x; +0 for both zeros; NaN stays.",
	},
	{
		Name: "square", Arity: 1, ULP: .5, Lower: func(b *B, x ...V) V { return b.Mul(x[0], x[0]) },
		Grad: gradSquare,
		Doc:  "x * x.",
	},
	{
		Name: "reciprocal", Arity: 1, Types: floats, ULP: .5,
		Lower: func(b *B, x ...V) V { return b.Div(b.Like(x[0], 1), x[0]) }, Grad: gradReciprocal,
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

// modSigned returns the remainder with the sign of the divisor.
func modInt(b *B, x ...V) V {
	_, r := floorDivision(b, x[0], x[1])
	return r
}

func floorDivInt(b *B, x ...V) V {
	q, _ := floorDivision(b, x[0], x[1])
	return q
}

// floorDivision returns floor(x / y) and x - y*floor(x / y) of integers, or 0 and 0 if
// y is 0. They are computed with the reciprocal of y, which a loop computes once if y is the same for
// all elements.
func floorDivision(b *B, x, y V) (q, r V) {
	switch x.Type {
	case dtype.U64:
		return b.Div(x, y), b.Rem(x, y)
	case dtype.I64:
		return floorDivision64(b, x, y)
	}
	q = shortQuotient(b, x, y)
	zero := b.Like(x, 0)
	return q, b.Select(b.Eq(y, zero), zero, b.Sub(x, b.Mul(q, y)))
}

// shortQuotient returns floor(x / y) of integers of at most 32 bits, and 0 if y is 0.
// It is also the floor of (x + h) / y, where h is 1/2 with the sign of y. That is
// 1/(2|y|) or more off an integer, and the errors are less.
func shortQuotient(b *B, x, y V) V {
	t := x.Type
	if t.Size() == 1 {
		return byteQuotient(b, x, y)
	}
	// Adding 3*2^51 rounds to an integer, which the low bits hold. They wrap.
	fy := b.Cvt(dtype.F64, y)
	zero, half := b.Like(fy, 0), b.Like(fy, .5)
	inverse := b.Div(b.Like(fy, 1), fy)
	inverse = b.Select(b.Eq(fy, zero), zero, inverse)
	shift := b.Sub(b.Mul(b.Abs(inverse), half), half)
	q := b.Add(b.Fma(b.Cvt(dtype.F64, x), inverse, shift), b.Like(fy, 3<<51))
	return b.Cvt(t, b.Bitcast(dtype.I64, q))
}

// byteQuotient is shortQuotient of 8 bits. The quotient of a negative number n and a
// positive one is the complement of the quotient of n's complement.
func byteQuotient(b *B, x, y V) V {
	if x.Type == dtype.U8 {
		return octetQuotient(b, x, y)
	}
	zero := b.Like(x, 0)
	turned := b.Lt(y, zero) // then -x is divided by -y
	n := b.Select(turned, b.Neg(x), x)
	negative := b.And(b.Select(turned, b.Lt(zero, x), b.Lt(x, zero)), b.Ne(y, zero))
	sign := b.Select(negative, b.Like(x, -1), zero)
	q := octetQuotient(b, b.Bitcast(dtype.U8, b.Xor(n, sign)), b.Bitcast(dtype.U8, b.Abs(y)))
	return b.Xor(b.Bitcast(dtype.I8, q), sign)
}

// octetQuotient is byteQuotient without a sign, by the method of Granlund and
// Montgomery (1994): with 2^(l-1) < y <= 2^l, the upper half of x * floor(2^8 (2^l-y)/y + 1)
// is added to x in two shifts, which need no more than 8 bits. So they stay in lanes of 8
// bits.
func octetQuotient(b *B, x, y V) V {
	y32, t := b.Cvt(dtype.I32, y), dtype.U8
	zero, one := b.Like(y32, 0), b.Like(y32, 1)
	exponent := b.Shr(b.Bitcast(dtype.I32, b.Cvt(dtype.F32, b.Sub(y32, one))), b.Like(y32, 23))
	l := b.Max(b.Sub(exponent, b.Like(y32, 126)), zero)
	over := b.Mul(b.Sub(b.Shl(one, l), y32), b.Like(y32, 256))
	m := b.Add(b.Cvt(dtype.I32, b.Div(b.Cvt(dtype.F32, over), b.Cvt(dtype.F32, y32))), one)
	first := b.Cvt(t, b.Min(l, one))
	second := b.Cvt(t, b.Select(b.Eq(y32, zero), b.Like(y32, 8), b.Max(b.Sub(l, one), zero)))
	high := b.MulHi(x, b.Cvt(t, m))
	return b.Shr(b.Add(high, b.Shr(b.Sub(x, high), first)), second)
}

// floorDivision64 is floorDivision of 64 bits. The quotient of the numbers as float64
// leaves a remainder below |y| + 2^12, which is divided in the same way. What that
// leaves is about |y|/2 at most. Products and differences wrap, so that the remainders
// are exact.
func floorDivision64(b *B, x, y V) (q, r V) {
	fy := b.Cvt(dtype.F64, y)
	inverse := b.Select(b.Eq(fy, b.Like(fy, 0)), b.Like(fy, 0), b.Div(b.Like(fy, 1), fy))
	nearest := func(x V) V { return b.Cvt(dtype.I64, b.Rint(b.Mul(b.Cvt(dtype.F64, x), inverse))) }
	q = nearest(x)
	r = b.Sub(x, b.Mul(q, y))
	more := nearest(r)
	q, r = b.Add(q, more), b.Sub(r, b.Mul(more, y))
	zero := b.Like(x, 0)
	r = b.Select(b.Eq(y, zero), zero, r)
	off := b.And(b.Ne(r, zero), b.Lt(b.Xor(r, y), zero))
	return b.Select(off, b.Sub(q, b.Like(q, 1)), q), b.Select(off, b.Add(r, y), r)
}

// modFloat returns Python's remainder, which has the sign of the divisor even
// if it is zero.
func modFloat(b *B, x ...V) V {
	r := b.Rem(x[0], x[1])
	zero := b.Like(r, 0)
	off := b.Xor(b.Lt(r, zero), b.Lt(x[1], zero))
	return b.Select(b.Eq(r, zero), lowerCopySign(b, zero, x[1]), b.Select(off, b.Add(r, x[1]), r))
}

// floorDivFloat returns Python's quotient: (x - mod) / y, which is nearly an
// integer, rounded to the nearest one. Division by zero gives x / y.
func floorDivFloat(b *B, x ...V) V {
	zero, one := b.Like(x[0], 0), b.Like(x[0], 1)
	r := b.Rem(x[0], x[1])
	div := b.Div(b.Sub(x[0], r), x[1])
	off := b.And(b.Ne(r, zero), b.Xor(b.Lt(r, zero), b.Lt(x[1], zero)))
	div = b.Select(off, b.Sub(div, one), div)
	down := b.Floor(div)
	down = b.Select(b.Lt(b.Like(x[0], .5), b.Sub(div, down)), b.Add(down, one), down)
	quo := b.Div(x[0], x[1])
	down = b.Select(b.Eq(div, zero), lowerCopySign(b, zero, quo), down)
	return b.Select(b.Eq(x[1], zero), quo, down)
}

// lowerSign adds 0 to values that are neither above nor below 0. That turns -0
// into +0 and keeps a NaN.
func lowerSign(b *B, x ...V) V {
	zero, one := b.Like(x[0], 0), b.Like(x[0], 1)
	rest := x[0]
	if prim.Float.Has(rest.Type) {
		rest = b.Add(rest, zero)
	}
	up := b.Select(b.Lt(zero, x[0]), one, rest)
	if prim.Uint.Has(x[0].Type) {
		return up
	}
	return b.Select(b.Lt(x[0], zero), b.Like(x[0], -1), up)
}

func signMask(b *B, x V) (bits, sign V) {
	t := prim.IntOf(x.Type)
	if t == dtype.I64 {
		return b.Bitcast(t, x), b.Bits(t, 1<<63)
	}
	return b.Bitcast(t, x), b.Bits(t, 1<<31)
}

// signOfNumber treats a NaN as positive, because the sign of a NaN is not
// defined.
func signOfNumber(b *B, x ...V) V {
	return lowerCopySign(b, x[0], b.Select(b.Ne(x[1], x[1]), b.Like(x[1], 0), x[1]))
}

func lowerCopySign(b *B, x ...V) V {
	mag, sign := signMask(b, x[0])
	from, _ := signMask(b, x[1])
	return b.Bitcast(x[0].Type, b.Or(b.And(mag, b.Not(sign)), b.And(from, sign)))
}
