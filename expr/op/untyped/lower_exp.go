package untyped

import (
	"math"
)

// The exponential functions reduce their argument to x = n log 2 + r with |r|
// <= log(2)/2 (Cody & Waite 1980) and scale a polynomial in r by 2^n. Adding
// and subtracting 1.5*2^mant rounds to an integer. The low bits of the sum are
// that integer, so no conversion is needed.

// reduceExp returns the reduction of x: n as an integer, and r.
func reduceExp(b *B, f *format, x V) (k, r V) {
	magic := f.c(b, f.magic)
	t := b.Fma(x, f.at(b, log2e, 0), magic)
	n := b.Sub(t, magic)
	k = b.Sub(f.bits(b, t), f.bits(b, magic))
	r = b.Fma(n, f.c(b, -ln2Near[f.row][0]), x) // exact
	r = b.Fma(n, f.c(b, -ln2Near[f.row][1]), r)
	return k, r
}

// powerOf2 returns n, with x within log(2)/2 of n log 2, and 2^(n+shift), which must be a normal
// number: the bits of a sum end with its exponent.
func powerOf2(b *B, f *format, x V, shift int64) (n, power V) {
	magic := f.c(b, f.magic+float64(f.bias+shift))
	t := b.Fma(x, f.at(b, log2e, 0), magic)
	return b.Sub(t, magic), f.float(b, b.Shl(f.bits(b, t), f.int(b, f.mant)))
}

// inversePower returns 2^shift over a power of 2, or 0 if that is not a normal number.
func inversePower(b *B, f *format, power V, shift int64) V {
	return f.float(b, b.Max(b.Sub(f.int(b, (2*f.bias+shift)<<f.mant), f.bits(b, power)), f.int(b, 0)))
}

// clampExp returns y, but zero or below for x under lo, and infinity for x
// above hi. A NaN is neither.
func clampExp(b *B, x, y, below V, lo, hi float64) V {
	y = b.Select(b.Lt(b.Like(x, hi), x), b.Like(x, math.Inf(1)), y)
	return b.Select(b.Lt(x, b.Like(x, lo)), below, y)
}

func lowerExp(b *B, x ...V) V {
	f := formatOf(b, x[0])
	k, r := reduceExp(b, f, x[0])
	one := f.c(b, 1)
	y := b.Scale(horner(b, r, expPoly[f.row], one, one), k)
	return clampExp(b, x[0], y, f.c(b, 0), f.exp[0], f.exp[1])
}

// lowerExp2 needs no reduction modulo log 2, and is exact for integers.
func lowerExp2(b *B, x ...V) V {
	f := formatOf(b, x[0])
	magic := f.c(b, f.magic)
	t := b.Add(x[0], magic)
	r := b.Sub(x[0], b.Sub(t, magic))
	k := b.Sub(f.bits(b, t), f.bits(b, magic))
	y := b.Scale(horner(b, r, exp2Poly[f.row], f.c(b, 1)), k)
	return clampExp(b, x[0], y, f.c(b, 0), float64(-f.bias-f.mant-1), float64(f.bias+1))
}

// expm1Of returns exp(r) - 1 for a reduced argument, with an error well below 1
// ULP.
func expm1Of(b *B, f *format, r V) V {
	r2 := b.Mul(r, r)
	return b.Fma(r2, horner2(b, r, r2, expPoly[f.row]), r)
}

// lowerExpm1 returns 2^n ((r + (1 - 2^-n)) + (exp(r) - 1 - r)). Near x =
// log(2)/2 the sum cancels. So the small last part includes the tail of r and
// the errors of the first sum (Dekker's Fast2Sum) and of 1 - 2^-n. It also
// includes the rounding error of r times r, except in float32, where r is exact
// if |n| is small. The argument is clamped to where the result is -1 or infinite.
// The sign is set last, for -0.
func lowerExpm1(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one, low := f.c(b, 1), f.c(b, -ln2Near[f.row][1])
	a := clampTo(b, x[0], -float64(f.mant)*.75-1, f.exp[1])
	n, s := powerOf2(b, f, a, -1)
	w := inversePower(b, f, s, -1)
	r1 := b.Fma(n, f.c(b, -ln2Near[f.row][0]), a) // exact
	r := b.Fma(n, low, r1)
	o := b.Sub(one, w)
	tail := b.Fma(n, low, b.Sub(b.Sub(one, o), w))
	if f.row == 1 {
		tail = b.Fma(b.Fma(n, low, b.Sub(r1, r)), r, tail)
	}
	r2 := b.Mul(r, r)
	tail = b.Fma(r2, horner2(b, r, r2, expm1Poly[f.row]), tail)
	v := b.Add(o, r1)
	err := b.Add(b.Sub(o, v), r1)
	y := b.Add(v, b.Add(tail, err))
	return f.withSign(b, b.Mul(b.Add(y, y), s), x[0])
}
