package untyped

import (
	"math"
)

// lowerPow returns exp(y log |x|) with the sign and the special cases of C99
// (annex F.10.4.4). The logarithm has two parts. Negative bases are hot, because
// squares are common. Zeros, subnormals, infinities, NaN, and powers that are
// about as large or small as numbers get are cold.
func lowerPow(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a, y := b.Abs(x[0]), x[1]
	hi, lo := logParts(b, f, a, V{})
	t, tl := timesParts(b, y, hi, lo)
	hot := signPow(b, f, x[0], y, expParts(b, f, t, tl), false)
	far := b.Le(f.bits(b, f.c(b, f.exp[1]-10)), f.bits(b, b.Abs(t))) // or NaN
	return b.Cold(b.Or(notNormal(b, f, a, f.bias), far), hot, func() V {
		zero, one, inf := f.c(b, 0), f.c(b, 1), f.c(b, math.Inf(1))
		// A subnormal base is computed as a normal one; all others are 0, inf or NaN.
		small := b.Lt(a, f.c(b, math.Ldexp(1, int(1-f.bias))))
		m := b.Select(small, b.Mul(a, f.c(b, math.Ldexp(1, int(f.mant+1)))), a)
		hi, lo := logParts(b, f, m, b.Select(small, f.c(b, float64(-f.mant-1)), zero))
		t, tl := timesParts(b, y, hi, lo)
		// The power is 0 or infinite beyond the limits; tl may be infinite there.
		out := b.Le(f.c(b, 1-f.exp[0]), b.Abs(t))
		tl = b.Select(out, zero, tl)
		k, e := expScaled(b, f, clampTo(b, t, f.exp[0]-1, 1-f.exp[0]), tl)
		r := b.Scale(e, k)
		// Base 0 or infinity: the power is 0 or infinite.
		up0 := b.Xor(b.Eq(a, zero), b.Lt(zero, y)) // the power is infinite
		edge := b.Or(b.Eq(a, zero), b.Eq(a, inf))
		r = b.Select(edge, b.Select(up0, inf, zero), r)
		// Exponent infinite: the power depends on whether |x| is above 1.
		yinf := b.Eq(b.Abs(y), inf)
		grow := b.Eq(b.Lt(one, a), b.Lt(zero, y))
		r = b.Select(yinf, b.Select(grow, inf, zero), r)
		r = b.Select(b.And(yinf, b.Eq(a, one)), one, r)
		r = signPow(b, f, x[0], y, r, true)
		// NaN operands, but x^0 = 1 and 1^y = 1.
		nan := b.Or(b.Ne(x[0], x[0]), b.Ne(y, y))
		r = b.Select(nan, b.Add(x[0], y), r)
		return b.Select(b.Or(b.Eq(y, zero), b.Eq(x[0], one)), one, r)
	})
}

// signPow returns the power of x, given the power r of |x|: negative for
// negative x and odd y, and NaN for negative x and a finite y that is no
// integer. x = -0 and x = -inf follow the first rule and not the second; special
// tells that they occur.
func signPow(b *B, f *format, x, y, r V, special bool) V {
	half := b.Mul(y, f.c(b, .5))
	integer := b.Eq(b.Rint(y), y)
	odd := b.Ne(b.Rint(half), half) // or y is no integer
	root := b.And(b.Lt(x, f.c(b, 0)), b.Not(integer))
	if special {
		odd = b.And(odd, integer)
		root = b.And(root, b.Lt(f.c(b, math.Inf(-1)), x))
	}
	s := b.And(f.bits(b, x), b.Select(odd, f.signBit(b), f.int(b, 0)))
	return b.Select(root, f.c(b, math.NaN()), f.float(b, b.Or(f.bits(b, r), s)))
}

// clampTo returns x clamped to lo..hi. x must not be NaN.
func clampTo(b *B, x V, lo, hi float64) V {
	l, h := b.Like(x, lo), b.Like(x, hi)
	x = b.Select(b.Lt(h, x), h, x)
	return b.Select(b.Lt(x, l), l, x)
}

// timesParts returns y (hi + lo) in two parts.
func timesParts(b *B, y, hi, lo V) (t, tl V) {
	t = b.Mul(y, hi)
	return t, b.Fma(y, lo, b.Fma(y, hi, b.Neg(t)))
}

// logReduce returns s, l and r with log(x + low) + shift log 2 = s + l + log(1+r) - r, for a
// normal positive x and a low far below it; with a low, x is at most half the greatest
// number. x = 2^e m; a table has c near 1/m and -log c. So s is e log 2 - log c plus r =
// c m - 1, both of which are exact, and l is the rounding error of that sum, and low parts.
// The zero V as low or shift means 0.
func logReduce(b *B, f *format, x, low, shift V) (s, l, r V) {
	from := f.bits(b, f.at(b, logTableFrom, 0))
	k := b.Sub(f.bits(b, x), from)
	whole := b.And(k, f.int(b, -1<<f.mant))
	m := f.float(b, b.Sub(f.bits(b, x), whole))
	e := addShift(b, b.Cvt(f.t, b.Shr(k, f.int(b, f.mant))), shift)
	i := b.Shr(k, f.int(b, f.mant-5))
	c := f.lookup(b, logTable, i)
	r = b.Fma(m, c, f.c(b, -1))
	h := b.Fma(e, f.at(b, ln2Short, 0), f.lookup(b, logTableHigh, i)) // exact
	l = b.Fma(e, f.at(b, ln2Short, 1), f.lookup(b, logTableLow, i))
	if low != (V{}) {
		scale := f.float(b, b.Sub(f.bits(b, f.c(b, 1)), whole))
		l = b.Fma(b.Mul(low, scale), c, l)
	}
	s = b.Add(h, r)
	return s, b.Add(b.Add(b.Sub(h, s), r), l), r
}

// logOfSum returns log(hi + lo) + shift log 2, where lo is far below hi.
func logOfSum(b *B, f *format, hi, lo, shift V) V {
	s, l, r := logReduce(b, f, hi, lo, shift)
	r2 := b.Mul(r, r)
	p := b.Fma(horner2(b, r, r2, logTablePoly[f.row]), r, f.c(b, -.5))
	return b.Add(s, b.Fma(r2, p, l))
}

// logParts returns log(x) + shift log 2 in two parts, for a normal positive x. The logarithm
// is s + l - r^2/2 + r^3 P(r); the second term has two parts as well.
func logParts(b *B, f *format, x, shift V) (hi, lo V) {
	s, l, r := logReduce(b, f, x, V{}, shift)
	minus := f.c(b, -.5)
	r2 := b.Mul(r, r)
	r2l := b.Fma(r, r, b.Neg(r2))
	hi = b.Fma(r2, minus, s)
	hl := b.Fma(r2, minus, b.Sub(s, hi))
	p := horner2(b, r, r2, logTablePoly[f.row])
	return hi, b.Fma(b.Mul(r2, r), p, b.Add(hl, b.Fma(r2l, minus, l)))
}

// expScaled returns exp(t + tl) as y 2^k, with y near 1 and a small tl.
func expScaled(b *B, f *format, t, tl V) (k, y V) {
	n, y := expReduced(b, f, t, tl)
	return b.Sub(f.bits(b, n), f.bits(b, f.c(b, f.magic))), y
}

// expParts returns exp(t + tl), which must be a normal number.
func expParts(b *B, f *format, t, tl V) V {
	n, y := expReduced(b, f, t, tl)
	return f.float(b, b.Add(f.bits(b, y), b.Shl(f.bits(b, n), f.int(b, f.mant))))
}

// expReduced returns exp(t + tl) as y 2^n, where the low bits of the first result are n. In float32 tl is
// below 0.02, so it does not count for n, and the rounding error of r is below 0.2 ULP. In float64 y is a sum
// of 1 + r, whose rounding error is kept, and a small rest.
func expReduced(b *B, f *format, t, tl V) (magic, y V) {
	near := t
	if f.row == 1 {
		near = b.Add(t, tl)
	}
	magic = b.Fma(near, f.at(b, log2e, 0), f.c(b, f.magic))
	n := b.Sub(magic, f.c(b, f.magic))
	r1 := b.Fma(n, f.c(b, -ln2Near[f.row][0]), t) // exact
	tl = b.Fma(n, f.c(b, -ln2Near[f.row][1]), tl)
	r := b.Add(r1, tl)
	one := f.c(b, 1)
	r2 := b.Mul(r, r)
	if f.row == 0 {
		return magic, b.Fma(b.Fma(horner2(b, r, r2, expPoly[0]), r, one), r, one)
	}
	top := b.Add(one, r)
	rest := b.Add(b.Sub(one, top), r)
	rest = b.Add(rest, b.Add(b.Sub(r1, r), tl))
	return magic, b.Add(top, b.Fma(r2, horner2(b, r, r2, expPoly[f.row]), rest))
}
