package untyped

import (
	"math"
)

// The logarithms split x = 2^e m with a <= m < 2a and use a polynomial in m -
// 1, which is exact. a is 3/4 for the natural logarithm. Then the sum e log 2 +
// log m is exact for e = ±1, where the two parts cancel, and log1p also gets m
// - 1 exactly. Elsewhere a is sqrt(1/2).

// splitLog returns e, as a float, and m - 1 of a positive normal number x.
func splitLog(b *B, f *format, x V, a float64) (e, m1 V) {
	bits := f.bits(b, x)
	k := b.Sub(bits, f.bits(b, f.c(b, a)))
	e = b.Cvt(f.t, b.Shr(k, f.int(b, f.mant)))
	m := b.Sub(bits, b.And(k, f.int(b, -1<<f.mant)))
	return e, b.Sub(f.float(b, m), f.c(b, 1))
}

// notNormal returns whether x is anything but a positive normal number below
// 2^(1+top). It costs one unsigned comparison.
func notNormal(b *B, f *format, x V, top int64) V {
	u := b.Sub(b.Bitcast(f.u, x), b.Int(f.u, 1<<f.mant))
	return b.Le(b.Int(f.u, (top+f.bias)<<f.mant), u)
}

// lowerLogWith returns a logarithm made from core. core takes a positive normal
// number and a shift that it adds to the exponent; the zero V means none.
func lowerLogWith(b *B, x V, core func(f *format, x, shift V) V) V {
	f := formatOf(b, x)
	return b.Cold(notNormal(b, f, x, f.bias), core(f, x, V{}), func() V {
		zero := f.c(b, 0)
		y := core(f, b.Mul(x, f.c(b, math.Ldexp(1, int(f.mant)+1))), f.c(b, float64(-f.mant-1)))
		y = b.Select(b.Eq(x, zero), f.c(b, math.Inf(-1)), y)
		y = b.Select(b.Lt(x, zero), f.c(b, math.NaN()), y)
		return b.Select(b.Lt(x, f.c(b, math.Ldexp(1, int(1-f.bias)))), y, x) // infinity and NaN are unchanged
	})
}

// logOf returns e log 2 + log(1 + m1).
func logOf(b *B, f *format, e, m1 V) V { return logPlus(b, f, e, m1, V{}) }

// logPlus returns e log 2 + log(1 + m1) + c. c is small; the zero V means 0.
func logPlus(b *B, f *format, e, m1, c V) V {
	m2 := b.Mul(m1, m1)
	p := horner2(b, m1, m2, logPoly[f.row])
	if c != (V{}) {
		t := b.Fma(m2, p, b.Fma(e, f.at(b, ln2Near, 1), c))
		return b.Fma(e, f.at(b, ln2Near, 0), b.Add(m1, t))
	}
	if f.row == 0 { // the float32 nearest to log 2 is better than most: an error of 0.06 ULP
		return b.Fma(e, f.at(b, ln2Near, 0), b.Fma(m2, p, m1))
	}
	t := b.Fma(m2, p, b.Mul(e, f.at(b, ln2Near, 1)))
	return b.Fma(e, f.at(b, ln2Near, 0), b.Add(m1, t))
}

func addShift(b *B, e, shift V) V {
	if shift == (V{}) {
		return e
	}
	return b.Add(e, shift)
}

func lowerLog(b *B, x ...V) V {
	return lowerLogWith(b, x[0], func(f *format, x, shift V) V {
		e, m1 := splitLog(b, f, x, .75)
		return logOf(b, f, addShift(b, e, shift), m1)
	})
}

func lowerLog2(b *B, x ...V) V {
	return lowerLogWith(b, x[0], func(f *format, x, shift V) V {
		e, m := splitLog(b, f, x, math.Sqrt2/2)
		m2 := b.Mul(m, m)
		t := b.Fma(m2, horner2(b, m, m2, log2Poly[f.row]), b.Mul(m, f.at(b, log2e, 1)))
		return b.Add(addShift(b, e, shift), b.Fma(m, f.at(b, log2e, 0), t))
	})
}

func lowerLog10(b *B, x ...V) V {
	return lowerLogWith(b, x[0], func(f *format, x, shift V) V {
		e, m := splitLog(b, f, x, math.Sqrt2/2)
		e = addShift(b, e, shift)
		m2 := b.Mul(m, m)
		t := b.Fma(e, f.at(b, log10of2, 1), b.Mul(m, f.at(b, log10e, 1)))
		t = b.Fma(m2, horner2(b, m, m2, log10Poly[f.row]), t)
		return b.Fma(e, f.at(b, log10of2, 0), b.Fma(m, f.at(b, log10e, 0), t))
	})
}

// lowerLog1p splits u = 1 + x, but computes m - 1 = x 2^-e + (2^-e - 1) from x,
// which is exact. Above 2^100, where 2^-e would become subnormal, log(1+x) is
// log x. The sign is set last, for -0.
func lowerLog1p(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one := f.c(b, 1)
	u := b.Add(x[0], one)
	k := b.Sub(f.bits(b, u), f.bits(b, f.c(b, .75)))
	e := b.Shr(k, f.int(b, f.mant))
	s := f.float(b, b.Sub(f.bits(b, one), b.And(k, f.int(b, -1<<f.mant))))
	y := logOf(b, f, b.Cvt(f.t, e), b.Fma(x[0], s, b.Sub(s, one)))
	y = f.withSign(b, y, x[0])
	return b.Cold(notNormal(b, f, u, 100), y, func() V {
		minus := f.c(b, -1)
		e, m1 := splitLog(b, f, x[0], .75)
		y := logOf(b, f, e, m1)
		y = b.Select(b.Eq(x[0], minus), f.c(b, math.Inf(-1)), y)
		y = b.Select(b.Lt(x[0], minus), f.c(b, math.NaN()), y)
		return b.Select(b.Lt(x[0], f.c(b, math.Inf(1))), y, x[0])
	})
}
