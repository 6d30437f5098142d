package op

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

// lowerPow returns 2^(y log2 |x|) with the sign and the special cases of C99
// (annex F.10.4.4). Negative bases are hot, because squares are common. Zeros,
// subnormals, infinities and NaN are cold.
//
// float32 is computed in float64, so it is nearly correctly rounded. float64
// has the logarithm and the product in double-double arithmetic.
func lowerPow(b *B, x ...V) V {
	f := formatOf(b, x[0])
	if x[1].Type != x[0].Type {
		b.Fail(errTypes)
		return x[0]
	}
	a, y := b.Abs(x[0]), x[1]
	zero := f.c(b, 0)
	hot := signPow(b, f, x[0], y, powCore(b, f, a, y))
	odd := b.Or(notNormal(b, f, a, f.bias), b.Not(b.Lt(b.Abs(y), f.c(b, math.Inf(1)))))
	return b.Cold(odd, hot, func() V {
		one, inf := f.c(b, 1), f.c(b, math.Inf(1))
		// A subnormal base is computed as a normal one; all others are 0, inf or NaN.
		up := f.c(b, math.Ldexp(1, int(f.mant+1)))
		r := powCoreShift(b, f, b.Mul(a, up), y, -f.mant-1)
		r = b.Select(notNormal(b, f, a, f.bias), r, hot)
		// Base 0 or infinity: the power is 0 or infinite.
		up0 := b.Xor(b.Eq(a, zero), b.Lt(zero, y)) // the power is infinite
		edge := b.Or(b.Eq(a, zero), b.Eq(a, inf))
		r = b.Select(edge, b.Select(up0, inf, zero), r)
		// Exponent infinite: the power depends on whether |x| is above 1.
		yinf := b.Eq(b.Abs(y), inf)
		grow := b.Eq(b.Lt(one, a), b.Lt(zero, y))
		r = b.Select(yinf, b.Select(grow, inf, zero), r)
		r = b.Select(b.And(yinf, b.Eq(a, one)), one, r)
		r = signPow(b, f, x[0], y, r)
		// NaN operands, but x^0 = 1 and 1^y = 1.
		nan := b.Or(b.Ne(x[0], x[0]), b.Ne(y, y))
		r = b.Select(nan, b.Add(x[0], y), r)
		return b.Select(b.Or(b.Eq(y, zero), b.Eq(x[0], one)), one, r)
	})
}

// signPow returns the power of x, given the power r of |x|: negative for
// negative x and odd y, and NaN for negative x and a finite y that is no
// integer. x = -0 and x = -inf follow the first rule and not the second.
func signPow(b *B, f *format, x, y, r V) V {
	half := b.Mul(y, f.c(b, .5))
	integer := b.Eq(b.Rint(y), y)
	oddly := b.And(integer, b.Ne(b.Rint(half), half))
	sign := f.int(b, math.MinInt64>>(64-f.width))
	bits := b.And(f.bits(b, x), sign)
	r = b.Select(oddly, f.float(b, b.Or(f.bits(b, r), bits)), r)
	neg := b.And(b.Lt(x, f.c(b, 0)), b.Lt(f.c(b, math.Inf(-1)), x))
	return b.Select(b.And(neg, b.Not(integer)), f.c(b, math.NaN()), r)
}

func powCore(b *B, f *format, a, y V) V { return powCoreShift(b, f, a, y, 0) }

// powCoreShift returns (a 2^shift)^y for a normal a and a finite y.
func powCoreShift(b *B, f *format, a, y V, shift int64) V {
	if f.t == dtype.F64 {
		return pow64(b, f, a, y, shift)
	}
	g := &formats[1]
	e, m := splitLog(b, g, b.Cvt(dtype.F64, a), math.Sqrt2/2)
	if shift != 0 {
		e = b.Add(e, g.c(b, float64(shift)))
	}
	m2 := b.Mul(m, m)
	l := b.Fma(m, horner2(b, m, m2, pow32Log), e)
	t := clampTo(b, b.Mul(b.Cvt(dtype.F64, y), l), -200, 200)
	n := b.Add(t, g.c(b, g.magic))
	r := b.Sub(t, b.Sub(n, g.c(b, g.magic)))
	k := b.Sub(g.bits(b, n), g.bits(b, g.c(b, g.magic)))
	return b.Cvt(dtype.F32, b.Scale(horner(b, r, pow32Exp), k))
}

// clampTo returns x clamped to lo..hi. x must not be NaN.
func clampTo(b *B, x V, lo, hi float64) V {
	l, h := b.Like(x, lo), b.Like(x, hi)
	x = b.Select(b.Lt(h, x), h, x)
	return b.Select(b.Lt(x, l), l, x)
}

// pow64 computes log m = 2 atanh s with s = (m-1)/(m+1) as an unevaluated sum
// of two float64. It uses the series of fdlibm's pow with fused multiply-adds.
func pow64(b *B, f *format, a, y V, shift int64) V {
	one := f.c(b, 1)
	e, m1 := splitLog(b, f, a, math.Sqrt2/2)
	if shift != 0 {
		e = b.Add(e, f.c(b, float64(shift)))
	}
	// s + sl = m1/(m1 + 2)
	two := f.c(b, 2)
	d := b.Add(m1, two)
	dl := b.Sub(m1, b.Sub(d, two))
	rc := b.Div(one, d)
	s := b.Mul(m1, rc)
	ns := b.Neg(s)
	sl := b.Mul(b.Fma(ns, dl, b.Fma(ns, d, m1)), rc)
	// z + zl = s^2
	z := b.Mul(s, s)
	zl := b.Fma(s, b.Add(sl, sl), b.Fma(s, s, b.Neg(z)))
	// c + cl = 2/3 + z p(z), then u + ul = z (c + cl), |u| < 0.02
	p := b.Mul(z, horner2(b, z, b.Mul(z, z), pow64Log))
	third := f.c(b, 2./3)
	c := b.Add(third, p)
	cl := b.Add(b.Sub(p, b.Sub(c, third)), f.c(b, twoThirdsLow))
	u := b.Mul(z, c)
	ul := b.Fma(zl, c, b.Fma(z, cl, b.Fma(z, c, b.Neg(u))))
	// log m = s (2 + u): h + hl = 2s + s u + 2 sl + ...
	v := b.Add(two, u)
	vl := b.Add(b.Sub(u, b.Sub(v, two)), ul)
	h := b.Mul(s, v)
	hl := b.Fma(sl, v, b.Fma(s, vl, b.Fma(s, v, b.Neg(h))))
	// times 1/log 2
	q := f.at(b, log2e, 0)
	g := b.Mul(h, q)
	gl := b.Fma(hl, q, b.Fma(h, f.at(b, log2e, 1), b.Fma(h, q, b.Neg(g))))
	// plus e: Fast2Sum, for |e| >= 1 > |g| or e = 0
	l := b.Add(e, g)
	ll := b.Add(b.Sub(g, b.Sub(l, e)), gl)
	// times y
	t := b.Mul(y, l)
	tl := b.Fma(y, ll, b.Fma(y, l, b.Neg(t)))
	far := b.Le(f.c(b, 1100), b.Abs(t)) // over or underflow; tl may be infinite
	t = clampTo(b, t, -1100, 1100)
	tl = b.Select(far, f.c(b, 0), tl)
	magic := f.c(b, f.magic)
	n := b.Add(t, magic)
	r := b.Sub(t, b.Sub(n, magic))
	k := b.Sub(f.bits(b, n), f.bits(b, magic))
	// 2^(w + wl) = 1 + w (c0 + w P(w)) + c0 wl up to a negligible error, with w
	// c0 in two parts.
	w := b.Add(r, tl)
	wl := b.Add(b.Sub(r, w), tl)
	c0, p2 := exp2Poly[f.row][0], horner(b, w, exp2Poly[f.row][1:])
	nv := b.Mul(w, f.c(b, -c0))
	low := b.Fma(wl, f.c(b, c0), b.Fma(w, f.c(b, c0), nv))
	low = b.Fma(w, b.Mul(w, p2), low)
	top := b.Sub(one, nv)
	low = b.Sub(low, b.Add(b.Sub(top, one), nv))
	return b.Scale(b.Add(top, low), k)
}

const twoThirdsLow = 0x1.5555555555555p-55 // 2/3 less the nearest float64
