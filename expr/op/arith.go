package op

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

var arithmetic = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: numbers}, []tree.Row{
	{Name: "add", Symbol: "+", ULP: .5, Lower: prim2(prim.Add), Grad: gradAdd, Doc: "x + y; integers wrap."},
	{Name: "sub", Symbol: "-", ULP: .5, Lower: prim2(prim.Sub), Grad: gradSub, Doc: "x - y; integers wrap."},
	{Name: "mul", Symbol: "*", ULP: .5, Lower: prim2(prim.Mul), Grad: gradMul, Doc: "x * y; integers wrap."},
	{
		Name: "div", Symbol: "/", ULP: .5, Lower: prim2(prim.Div), Fault: zeroDivisor,
		FaultKind: tree.ErrDivide, Grad: gradDiv,
		Doc: "x / y; integers truncate towards zero and division by zero is an error.",
	},
	{
		Name: "floor_divide", Symbol: "//", GoName: "FloorDiv", ULP: .5,
		Lower: byClass(floorDivFloat, floorDivInt, floorDivInt), Fault: zeroDivisor,
		FaultKind: tree.ErrDivide, Grad: flat,
		Doc: "floor(x / y) as NumPy's //: of floats it agrees with mod; of integers division by zero is an error.",
	},
	{
		Name: "mod", Symbol: "%", ULP: .5, Lower: byClass(modFloat, modInt, modInt),
		Fault: zeroDivisor, FaultKind: tree.ErrDivide, Grad: gradMod,
		Doc: "x - y*floor(x/y) as NumPy's %: the sign is that of y; exact but for the rounding where that moves the remainder to the sign of y; of integers division by zero is an error.",
	},
	{
		Name: "fmod", Lower: byClass(fmodFloat, fmodInt, fmodInt), Fault: zeroDivisor, FaultKind: tree.ErrDivide, Grad: gradFmod,
		Doc: "x - y*trunc(x/y): the sign is that of x; exact; of integers division by zero is an error.",
	},
	{
		Name: "fma", GoName: "FMA", Arity: 3, Types: floats, ULP: .5, Lower: prim3(prim.Fma), Grad: gradFMA,
		Doc: "x*y + z, rounded once.",
	},
	{Name: "neg", Arity: 1, Lower: prim1(prim.Neg), Grad: gradNeg, Doc: "-x; integers wrap."},
	{
		Name: "abs", Arity: 1, Result: tree.ResultPart, Lower: byClass(prim1(prim.Abs), prim1(prim.Abs), identity), Grad: gradAbs,
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

func quotientOf(q, _ V) V { return q }

func remainderOf(_, r V) V { return r }

// modInt returns x - y*floor(x / y) of integers, or 0 if y is 0.
func modInt(b *B, x ...V) V { return floorDivision(b, x[0], x[1], remainderOf) }

// floorDivInt returns floor(x / y) of integers, or 0 if y is 0.
func floorDivInt(b *B, x ...V) V { return floorDivision(b, x[0], x[1], quotientOf) }

// floorDivision returns q = floor(x / y) or r = x - q*y, as pick chooses. They are computed with the reciprocal
// of y, which a loop computes once if y is the same for all elements.
func floorDivision(b *B, x, y V, pick func(q, r V) V) V {
	if x.Type.Size() == 8 {
		return divide64(b, x, y, pick)
	}
	q, zero := shortQuotient(b, x, y), b.Like(x, 0)
	return pick(q, b.Select(b.Eq(y, zero), zero, b.Sub(x, b.Mul(q, y))))
}

// shortQuotient returns floor(x / y) of integers of at most 32 bits, and 0 if y is 0.
// It is also the floor of (x + h) / y, where h is 1/2 with the sign of y. That is
// 1/(2|y|) or more off an integer, and the errors are less.
func shortQuotient(b *B, x, y V) V {
	t := x.Type
	if t.Size() == 1 {
		return byteQuotient(b, x, y)
	}
	// Adding 3*2^51, or 3*2^22, rounds to an integer, which the low bits hold. They wrap.
	float, round := dtype.F64, float64(3<<51)
	if t.Size() == 2 {
		float, round = dtype.F32, 3<<22
	}
	fy := b.Cvt(float, y)
	zero, half := b.Like(fy, 0), b.Like(fy, .5)
	inverse := b.Div(b.Like(fy, 1), fy)
	inverse = b.Select(b.Eq(fy, zero), zero, inverse)
	shift := b.Sub(b.Mul(b.Abs(inverse), half), half)
	q := b.Add(b.Fma(b.Cvt(float, x), inverse, shift), b.Like(fy, round))
	return b.Cvt(t, b.Bitcast(prim.IntOf(float), q))
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

// divide64 returns q = floor(x / y) or r = x - q*y of integers of 64 bits, as pick chooses, or 0 if y is 0.
// Numbers below 2^51 are divided as float64, in which the sum with magic and the bits of that convert.
// The quotient that is nearest is at most one too great.
func divide64(b *B, x, y V, pick func(q, r V) V) V {
	f, t := &formats[1], x.Type
	magic, zero := f.c(b, f.magic), f.c(b, 0)
	size := func(x V) (size, limit V) {
		size = b.Bitcast(dtype.U64, x)
		if t.IsSigned() {
			return b.Add(size, b.Int(dtype.U64, 1<<51)), b.Int(dtype.U64, 1<<52)
		}
		return size, b.Int(dtype.U64, 1<<51)
	}
	far := func(x V) V {
		size, limit := size(x)
		return b.Le(limit, size)
	}
	float := func(x V) V { return b.Sub(f.float(b, b.Add(b.Bitcast(dtype.I64, x), f.bits(b, magic))), magic) }
	integer := func(x V) V { return b.Bitcast(t, b.Sub(f.bits(b, b.Add(x, magic)), f.bits(b, magic))) }
	p, d := float(x), float(y)
	none := b.Eq(d, zero)
	inverse := b.Select(none, zero, b.Div(f.c(b, 1), d))
	q := b.Sub(b.Fma(p, inverse, magic), magic)
	r := b.Fma(b.Neg(q), d, p) // exact
	off := b.Lt(b.Mul(r, d), zero)
	q = b.Select(off, b.Sub(q, f.c(b, 1)), q)
	r = b.Select(none, zero, b.Select(off, b.Add(r, d), r))
	return b.Cold(b.Or(far(x), far(y)), integer(pick(q, r)), func() V { return pick(divideWide(b, x, y)) })
}

// divideWide returns floor(x / y) and x - y*floor(x / y), or 0 and 0 if y is 0. The quotient of the numbers as
// float64 leaves a remainder below |y| + 2^13, which is divided in the same way. What that leaves is about |y|/2 at
// most; a divisor without a sign from 2^63 is compared instead. Products and differences wrap, so that
// the remainders are exact.
func divideWide(b *B, x, y V) (q, r V) {
	t := x.Type
	zero, one := b.Like(x, 0), b.Like(x, 1)
	fy := b.Cvt(dtype.F64, y)
	inverse := b.Select(b.Eq(fy, b.Like(fy, 0)), b.Like(fy, 0), b.Div(b.Like(fy, 1), fy))
	nearest := func(t dtype.Type, x V) V { return b.Cvt(t, b.Rint(b.Mul(b.Cvt(dtype.F64, x), inverse))) }
	signed := func(x V) V { return b.Bitcast(dtype.I64, x) }
	q = nearest(t, x)
	q = b.Add(q, b.Bitcast(t, nearest(dtype.I64, signed(b.Sub(x, b.Mul(q, y))))))
	if !t.IsSigned() {
		q = b.Select(b.Lt(signed(y), b.Int(dtype.I64, 0)), b.Select(b.Le(y, x), one, zero), q)
	}
	r = b.Select(b.Eq(y, zero), zero, b.Sub(x, b.Mul(q, y)))
	off := b.Lt(b.Sub(y, one), r) // r is below 0, but has no sign
	if t.IsSigned() {
		off = b.And(b.Ne(r, zero), b.Lt(b.Xor(r, y), zero))
	}
	return b.Select(off, b.Sub(q, one), q), b.Select(off, b.Add(r, y), r)
}

// fmodInt returns the remainder of integers with the sign of x, or 0 if y is 0.
func fmodInt(b *B, x ...V) V {
	if x[0].Type.Size() < 8 {
		return b.Rem(x[0], x[1])
	}
	size := func(x V) V { return b.Bitcast(dtype.U64, b.Abs(x)) }
	r := divide64(b, size(x[0]), size(x[1]), remainderOf)
	if !x[0].Type.IsSigned() {
		return r
	}
	r = b.Bitcast(dtype.I64, r)
	return b.Select(b.Lt(x[0], b.Like(x[0], 0)), b.Neg(r), r)
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
