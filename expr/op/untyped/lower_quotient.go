package untyped

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// modInt returns x - y*floor(x / y) of integers, or 0 if y is 0. It needs the reciprocal of y, which a loop computes
// once if y is the same for all elements.
func modInt(b *B, x ...V) V { return divideInt(b, x[0], x[1], true) }

// floorDivInt returns floor(x / y) of integers, or 0 if y is 0. It needs the reciprocal of y, as modInt does.
func floorDivInt(b *B, x ...V) V { return divideInt(b, x[0], x[1], false) }

// divideInt returns q = floor(x / y) of integers, or x - q*y if rest is set.
func divideInt(b *B, x, y V, rest bool) V {
	pick := func(q, r V) V {
		if rest {
			return r
		}
		return q
	}
	switch {
	case x.Type.Size() < 8:
		return floorDivision(b, x, y, rest)
	case b.Uniform(y):
		return uniformDivision64(b, x, y, pick)
	}
	return divide64(b, x, y, pick)
}

// floorDivision returns q = floor(x / y) of integers of at most 32 bits, or x - q*y if rest is set, or 0 if y is 0.
func floorDivision(b *B, x, y V, rest bool) V {
	t, uniform := x.Type, b.Uniform(y)
	var q V
	if rest && uniform { // by 1 the rest is 0, too
		y = b.Select(b.Eq(y, b.Like(y, 0)), b.Like(y, 1), y)
	}
	switch {
	case rest && uniform && (t == dtype.U16 || t == dtype.U32):
		return uniformRemainder(b, x, y)
	case t == dtype.U32 && uniform:
		q = uniformQuotient(b, x, y)
	case uniform && (t == dtype.I16 || t == dtype.I32):
		q = uniformSignedQuotient(b, x, y)
	case t.Size() == 4:
		q = floatQuotient(b, dtype.F64, 3<<51, x, y)
	case !uniform:
		q = floatQuotient(b, dtype.F32, 3<<22, x, y)
	case t == dtype.U8:
		x, y = b.Cvt(dtype.U16, x), b.Cvt(dtype.U16, y)
		q = octetQuotient(b, x, y)
	case t == dtype.I8:
		x, y = b.Cvt(dtype.I16, x), b.Cvt(dtype.I16, y)
		q = signedOctetQuotient(b, x, y)
	default:
		q = wordQuotient(b, x, y)
	}
	if !rest {
		return b.Cvt(t, q)
	}
	r := b.Sub(x, b.Mul(q, y))
	if !uniform {
		zero := b.Like(x, 0)
		r = b.And(b.Select(b.Eq(y, zero), zero, b.Like(x, -1)), r)
	}
	return b.Cvt(t, r)
}

// uniformRemainder is the remainder of numbers of 16 or 32 bits without sign by a number that is not 0. With k bits, m = floor(2^k/y) is less
// than 1 below 2^k/y, so x*m/2^k is less than 1 below x/y, and the rest of x is below 2y. Where y may still be
// subtracted, the difference is the lesser number: it wraps where the rest is below y. For y = 1, m is 2^k - 1, which is 1 below.
func uniformRemainder(b *B, x, y V) V {
	t, float := x.Type, dtype.F32
	if t == dtype.U32 {
		float = dtype.F64
	}
	m := b.Cvt(t, b.Div(b.Const(float, float64(t.Mask())+1), b.Cvt(float, y)))
	r := b.Sub(x, b.Mul(b.MulHi(x, m), y))
	return b.Min(r, b.Sub(r, y))
}

// floatQuotient returns floor(x / y) of integers of at most 32 bits, and 0 if y is 0, as floats of a type.
// It is also the floor of (x + h) / y, where h is 1/2 with the sign of y. That is
// 1/(2|y|) or more off an integer, and the errors are less. Adding round, 3*2^51 or 3*2^22, rounds to
// an integer, which the low bits hold. They wrap.
func floatQuotient(b *B, float dtype.Type, round float64, x, y V) V {
	fy := b.Cvt(float, y)
	zero, half := b.Like(fy, 0), b.Like(fy, .5)
	inverse := b.Div(b.Like(fy, 1), fy)
	inverse = b.Select(b.Eq(fy, zero), zero, inverse)
	shift := b.Sub(b.Mul(b.Abs(inverse), half), half)
	q := b.Add(b.Fma(b.Cvt(float, x), inverse, shift), b.Like(fy, round))
	return b.Cvt(x.Type, b.Bitcast(prim.IntOf(float), q))
}

// A divisor has what the quotients by y need that is the same for all elements. Its numbers have 32 bits.
type divisor struct {
	size V // |y|
	none V // whether it is 0
	log  V // the least l with |y| <= 2^l
	zero V
}

func newDivisor(b *B, y V) divisor {
	y = b.Cvt(dtype.I32, y)
	d := divisor{size: b.Abs(y), zero: b.Like(y, 0)}
	d.none = b.Eq(y, d.zero)
	// The exponent of |y| - 1 as a float is that of 2^(l-1).
	exponent := b.Shr(b.Bitcast(dtype.I32, b.Cvt(dtype.F32, b.Sub(d.size, b.Like(y, 1)))), b.Like(y, 23))
	d.log = b.Max(b.Sub(exponent, b.Like(y, 126)), d.zero)
	return d
}

// octetQuotient is the quotient of numbers of 8 bits in 16. With m = floor((2^16-1)/y), the difference 2^16/y - m is from 1/y to 1. So
// (x+1)/y - (x+1)*m/2^16 is more than 0, and at most 1/256, which is less than 1/y. So (x+1)*m/2^16 lies between x/y and (x+1)/y, where
// no integer is: it has the floor of x/y.
func octetQuotient(b *B, x, y V) V {
	m := b.Cvt(x.Type, b.Div(b.Const(dtype.F32, 1<<16-1), b.Cvt(dtype.F32, y)))
	m = b.Select(b.Eq(y, b.Like(y, 0)), b.Like(m, 0), m)
	return b.MulHi(b.Add(x, b.Like(x, 1)), m)
}

// signedOctetQuotient is the quotient of signed numbers of 8 bits in 16. It is the floor of (x + h) / y, where h is 1/2 with
// the sign of y, which is 1/(2|y|) or more off an integer. With 2^(l-1) < |y| <= 2^l, m is the integer nearest to 2^(7+l)/y, and
// has at most 8 bits and a sign. The error of (x*m + |m|/2) / 2^(7+l) is less than that for all x and y.
func signedOctetQuotient(b *B, x, y V) V {
	d := newDivisor(b, y)
	shift := b.Add(d.log, b.Like(d.log, 7))
	power := b.Shl(b.Like(d.log, 1), shift)
	m := b.Cvt(dtype.I32, b.Rint(b.Div(b.Cvt(dtype.F64, power), b.Cvt(dtype.F64, y))))
	m = b.Cvt(x.Type, b.Select(d.none, d.zero, m))
	return b.Shr(b.Add(b.Mul(x, m), b.Shr(b.Abs(m), b.Like(m, 1))), b.Cvt(x.Type, shift))
}

// wordQuotient is the quotient of numbers of 16 bits, by the method of Granlund and
// Montgomery (1994): with 2^(l-1) < y <= 2^l, the upper half of x * floor(2^16 (2^l-y)/y + 1)
// is added to x in two shifts, which need no more than 16 bits. A shift by 16 gives 0, which is the quotient by 0.
func wordQuotient(b *B, x, y V) V {
	d, t := newDivisor(b, y), x.Type
	one := b.Like(d.size, 1)
	over := b.Mul(b.Cvt(dtype.F64, b.Sub(b.Shl(one, d.log), d.size)), b.Const(dtype.F64, 1<<16))
	m := b.Add(b.Cvt(dtype.I32, b.Div(over, b.Cvt(dtype.F64, d.size))), one)
	first := b.Cvt(t, b.Min(d.log, one))
	second := b.Select(d.none, b.Like(d.log, 16), b.Max(b.Sub(d.log, one), d.zero))
	high := b.MulHi(x, b.Cvt(t, m))
	return b.Shr(b.Add(high, b.Shr(b.Sub(x, high), first)), b.Cvt(t, second))
}

// uniformSignedQuotient is the quotient of signed numbers of k = 16 or 32 bits. The floor of a negative quotient is the complement of
// the quotient of n's complement, where n is the dividend. -x is divided by -y if y is negative: its complement is x - 1.
// So n has at most 2^(k-1). With 2^f <= |y| < 2^(f+1), m = floor((2^(k+f)-1)/|y|) has k bits, and 2^(k+f)/|y| - m is more than 0 and at
// most 1. So (n+1)*m/2^(k+f) is below (n+1)/|y|, by at most (n+1)/2^(k+f), which is at most 1/|y|. So it lies from n/|y| to below
// (n+1)/|y|, and has the floor of n/|y|. The bound (n+1)*|y| <= 2^(k+f) holds for f <= k-2, where |y| <= 2^(f+1)-1, and for f = k-1, where
// |y| = 2^(k-1).
func uniformSignedQuotient(b *B, x, y V) V {
	t, w := x.Type, builder{b, &formats[x.Type.Size()/4]} // of 2*k bits
	k := w.width / 2
	size, one := b.Abs(b.Cvt(w.i, y)), b.Int(w.u, 1)
	f := b.Sub(b.Shr(w.bits(b.Cvt(w.t, size)), w.int(w.mant)), w.int(w.bias))
	most := b.Sub(b.Shl(one, b.Bitcast(w.u, b.Add(f, w.int(k)))), one)
	m := b.Div(most, b.Bitcast(w.u, size)) // 0 if y is 0
	if k == 16 {                           // a float64 holds these numbers exactly, and divides faster
		wide := func(x V) V { return b.Cvt(dtype.F64, b.Bitcast(w.i, x)) }
		m = b.Select(b.Cvt(dtype.Bool, y), b.Cvt(w.i, b.Div(wide(most), wide(size))), w.int(0))
	}

	negative := b.Shr(y, b.Int(t, k-1))                                           // -1 for a negative divisor
	least := b.Select(b.Cvt(dtype.Bool, y), b.Neg(negative), b.Int(t, -1<<(k-1))) // of the numbers that are not complemented
	sign := b.Select(b.Lt(x, least), b.Like(x, -1), b.Like(x, 0))
	n := b.Bitcast(t.Unsigned(), b.Xor(b.Add(x, negative), sign))
	q := b.Shr(b.MulHi(b.Add(n, b.Like(n, 1)), b.Cvt(n.Type, m)), b.Cvt(n.Type, f))
	return b.Xor(b.Bitcast(t, q), b.Xor(sign, negative))
}

// uniformQuotient is the quotient of numbers of 32 bits without sign, as wordQuotient. m = ceil(2^(32+l)/y) - 2^32 is the
// quotient of floats rounded down, and one more if that times y is below the power. Floats of 64 bits would have half as many lanes as x.
func uniformQuotient(b *B, x, y V) V {
	wide := b.Cvt(dtype.I64, y)
	zero, one := b.Like(wide, 0), b.Like(wide, 1)
	exponent := b.Shr(b.Bitcast(dtype.I64, b.Cvt(dtype.F64, b.Sub(wide, one))), b.Like(wide, 52))
	log := b.Max(b.Sub(exponent, b.Like(wide, 1022)), zero) // the least l with y <= 2^l
	log = b.Select(b.Le(wide, one), zero, log)
	over := b.Shl(b.Sub(b.Shl(one, log), wide), b.Like(wide, 32))
	m := b.Cvt(dtype.I64, b.Floor(b.Div(b.Cvt(dtype.F64, over), b.Cvt(dtype.F64, wide))))
	m = b.Add(m, b.Select(b.Lt(b.Mul(m, wide), over), one, zero))
	first := b.Cvt(x.Type, b.Min(log, one))
	second := b.Select(b.Eq(wide, zero), b.Like(wide, 32), b.Max(b.Sub(log, one), zero))
	high := b.MulHi(x, b.Cvt(x.Type, m))
	return b.Shr(b.Add(high, b.Shr(b.Sub(x, high), first)), b.Cvt(x.Type, second))
}

// wideFloats converts integers of 64 bits to floats and back, which is exact from -2^51 to 2^51: the sum of their bits and
// the bits of 3*2^51 has the bits of the sum of the numbers.
type wideFloats struct {
	builder
	magic V
}

func newWideFloats(b *B) wideFloats {
	w := builder{b, &formats[1]}
	return wideFloats{w, w.c(w.magic)}
}

func (w *wideFloats) float(x V) V {
	return w.Sub(w.builder.float(w.Add(w.Bitcast(dtype.I64, x), w.builder.bits(w.magic))), w.magic)
}

// integer returns x, which has no fraction, as an integer of a type.
func (w *wideFloats) integer(t dtype.Type, x V) V { return w.bits(t, w.Add(x, w.magic)) }

// bits returns the integer of which sum is the sum with magic.
func (w *wideFloats) bits(t dtype.Type, sum V) V {
	return w.Bitcast(t, w.Sub(w.builder.bits(sum), w.builder.bits(w.magic)))
}

// excess returns 0 for integers of 64 bits from -2^k to 2^k, or below 2^k without sign, and a positive number for all others.
func excess(b *B, x V, k int) V {
	u := b.Bitcast(dtype.U64, x)
	if x.Type.IsSigned() {
		u, k = b.Add(u, b.Int(dtype.U64, 1<<k)), k+1
	}
	return b.Bitcast(dtype.I64, b.Shr(u, b.Int(dtype.U64, int64(k))))
}

// uniformDivision64 returns q = floor(x / y) or r = x - q*y of integers of 64 bits, as pick chooses, or 0 if y is 0. With numbers
// below 2^50, q is found as in floatQuotient: the error of (x + h) * inverse - 1/2 is below 1/(2|y|), as y times that is below
// x * 2^-52 + y * 2^-53.
func uniformDivision64(b *B, x, y V, pick func(q, r V) V) V {
	w, t, zero := newWideFloats(b), x.Type, b.Int(dtype.I64, 0)
	d := w.float(y)
	none, half := b.Eq(y, b.Like(y, 0)), b.Like(d, .5)
	inverse := b.Select(none, b.Like(d, 0), b.Div(b.Like(d, 1), d))
	shift := b.Sub(b.Mul(b.Abs(inverse), half), half)
	limit := b.Select(b.Eq(excess(b, y, 50), zero), zero, b.Int(dtype.I64, -1))
	p := w.float(x)
	sum := b.Add(b.Fma(p, inverse, shift), w.magic)
	r := b.Fma(b.Neg(b.Sub(sum, w.magic)), d, p) // exact
	r = b.And(w.integer(t, r), b.Select(none, b.Like(y, 0), b.Int(t, -1)))
	far := b.Lt(limit, excess(b, x, 50))
	return b.Cold(far, pick(w.bits(t, sum), r), func() V { return pick(divideWide(b, x, y)) })
}

// divide64 returns q = floor(x / y) or r = x - q*y of integers of 64 bits, as pick chooses, or 0 if y is 0.
// Numbers below 2^51 are divided as float64. The quotient that is nearest is at most one too great.
func divide64(b *B, x, y V, pick func(q, r V) V) V {
	w, t := newWideFloats(b), x.Type
	zero := b.Like(w.magic, 0)
	p, d := w.float(x), w.float(y)
	none := b.Eq(d, zero)
	inverse := b.Select(none, zero, b.Div(b.Like(d, 1), d))
	q := b.Sub(b.Fma(p, inverse, w.magic), w.magic)
	r := b.Fma(b.Neg(q), d, p) // exact
	off := b.Lt(b.Mul(r, d), zero)
	q = b.Select(off, b.Sub(q, b.Like(d, 1)), q)
	r = b.Select(none, zero, b.Select(off, b.Add(r, d), r))
	far := b.Lt(b.Int(dtype.I64, 0), b.Or(excess(b, x, 51), excess(b, y, 51)))
	return b.Cold(far, w.integer(t, pick(q, r)), func() V { return pick(divideWide(b, x, y)) })
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

// fmodInt returns the remainder of integers with the sign of x, or 0 if y is 0. It divides the numbers without
// their signs.
func fmodInt(b *B, x ...V) V {
	t, w := x[0].Type, newWideFloats(b)
	size := func(x V) V { return b.Bitcast(t.Unsigned(), b.Abs(x)) }
	signed := func(r V) V {
		return b.Select(b.Lt(x[0], b.Like(x[0], 0)), b.Neg(b.Bitcast(t, r)), b.Bitcast(t, r))
	}
	switch {
	case !t.IsSigned():
		return modInt(b, x...)
	case t.Size() < 4 || b.Uniform(x[1]):
		return signed(modInt(b, size(x[0]), size(x[1])))
	case t == dtype.I32:
		r := w.fmod(b.Cvt(dtype.F64, x[0]), b.Cvt(dtype.F64, x[1]))
		return b.Cvt(t, w.integer(dtype.I64, r))
	}
	far := b.Lt(b.Int(dtype.I64, 0), b.Or(excess(b, x[0], 50), excess(b, x[1], 50)))
	return b.Cold(far, w.integer(t, w.fmod(w.float(x[0]), w.float(x[1]))), func() V {
		_, r := divideWide(b, size(x[0]), size(x[1]))
		return signed(r)
	})
}

// fmod returns the remainder of floats without a fraction from -2^50 to 2^50, or 0 if y is 0. The quotient is found as in
// floatQuotient.
func (w *wideFloats) fmod(x, y V) V {
	b := w.B
	n, d := b.Abs(x), b.Abs(y)
	zero, half := b.Like(x, 0), b.Like(x, .5)
	none := b.Eq(y, zero)
	inverse := b.Select(none, zero, b.Div(b.Like(x, 1), d))
	sum := b.Add(b.Fma(n, inverse, b.Fma(inverse, half, b.Neg(half))), w.magic)
	r := b.Fma(b.Neg(b.Sub(sum, w.magic)), d, n) // exact
	return lowerCopySign(b, b.Select(none, zero, r), x)
}

// A division of floats x / y has the integer n below |x / y| and the remainder |x| - n|y|, which is exact.
// Both are wrong where exact is false: n has too many bits, or a result is infinite or NaN.
type division struct {
	quotient V // x / y, rounded
	n, rest  V
	exact    V
}

// maxQuotient is a bound of n. Up to it (x - fmod(x, y)) / y in floats is nearer to n than to other integers.
var maxQuotient = coefs{{1 << 20}, {1 << 49}}

// divide returns the division of two floats. The rounded quotient may be the next integer above the exact one.
// Then the remainder, which the fused operation computes exactly, is negative, and |y| is added.
func divide(b builder, x, y V) division {
	d := division{quotient: b.Div(x, y)}
	size := b.Abs(y)
	n := b.Trunc(b.Abs(d.quotient))
	rest := b.Fma(b.Neg(n), size, b.Abs(x))
	over := b.Lt(rest, b.c(0))
	d.rest = b.Select(over, b.Add(rest, size), rest)
	d.n = b.Select(over, b.Sub(n, b.c(1)), n)
	d.exact = b.And(b.Lt(d.rest, size), b.Lt(n, b.at(maxQuotient, 0)))
	return d
}

// below returns whether the quotient is below zero and is no integer.
func (d *division) below(b builder) V {
	return b.And(b.Lt(b.c(0), d.rest), b.Lt(b.bits(d.quotient), b.int(0)))
}

// fmodFloat returns the exact remainder with the sign of x.
func fmodFloat(b builder, x ...V) V {
	d := divide(b, x[0], x[1])
	return b.Cold(b.Not(d.exact), b.withSign(d.rest, x[0]), func() V { return b.Rem(x[0], x[1]) })
}

// modFloat returns Python's remainder, which has the sign of the divisor even
// if it is zero.
func modFloat(b builder, x ...V) V {
	d := divide(b, x[0], x[1])
	y := b.Select(d.below(b), b.Sub(b.Abs(x[1]), d.rest), d.rest)
	return b.Cold(b.Not(d.exact), b.withSign(y, x[1]), func() V {
		r := b.Rem(x[0], x[1])
		zero := b.Like(r, 0)
		off := b.Xor(b.Lt(r, zero), b.Lt(x[1], zero))
		return b.Select(b.Eq(r, zero), lowerCopySign(b.B, zero, x[1]), b.Select(off, b.Add(r, x[1]), r))
	})
}

// floorDivFloat returns Python's quotient: (x - mod) / y, which is nearly an
// integer, rounded to the nearest one. Division by zero gives x / y.
func floorDivFloat(b builder, x ...V) V {
	d, one := divide(b, x[0], x[1]), b.c(1)
	y := b.withSign(d.n, d.quotient)
	y = b.Select(d.below(b), b.Sub(y, one), y)
	return b.Cold(b.Not(d.exact), y, func() V {
		zero := b.c(0)
		r := b.Rem(x[0], x[1])
		div := b.Div(b.Sub(x[0], r), x[1])
		off := b.And(b.Ne(r, zero), b.Xor(b.Lt(r, zero), b.Lt(x[1], zero)))
		div = b.Select(off, b.Sub(div, one), div)
		down := b.Floor(div)
		down = b.Select(b.Lt(b.c(.5), b.Sub(div, down)), b.Add(down, one), down)
		down = b.Select(b.Eq(div, zero), lowerCopySign(b.B, zero, d.quotient), down)
		return b.Select(b.Eq(x[1], zero), d.quotient, down)
	})
}
