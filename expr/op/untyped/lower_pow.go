package untyped

import (
	"math"
)

// lowerPow returns exp(y log |x|) with the sign and the special cases of C99
// (annex F.10.4.4). The logarithm has two parts. Negative bases are hot, because
// squares are common. Zeros, subnormals, infinities, NaN, and powers that are
// about as large or small as numbers get are cold.
func lowerPow(b builder, x ...V) V {
	a, y := b.Abs(x[0]), x[1]
	hi, lo := logParts(b, a, V{})
	t, tl := timesParts(b, y, hi, lo)
	hot := signPow(b, x[0], y, expParts(b, t, tl), false)
	far := b.Le(b.bits(b.c(b.exp[1]-10)), b.bits(b.Abs(t))) // or NaN
	return b.Cold(b.Or(notNormal(b, a, b.bias), far), hot, func() V {
		zero, one, inf := b.c(0), b.c(1), b.c(math.Inf(1))
		// A subnormal base is computed as a normal one; all others are 0, inf or NaN.
		small := b.Lt(a, b.c(math.Ldexp(1, int(1-b.bias))))
		m := b.Select(small, b.Mul(a, b.c(math.Ldexp(1, int(b.mant+1)))), a)
		hi, lo := logParts(b, m, b.Select(small, b.c(float64(-b.mant-1)), zero))
		t, tl := timesParts(b, y, hi, lo)
		// The power is 0 or infinite beyond the limits; tl may be infinite there.
		out := b.Le(b.c(1-b.exp[0]), b.Abs(t))
		tl = b.Select(out, zero, tl)
		k, e := expScaled(b, clampTo(b, t, b.exp[0]-1, 1-b.exp[0]), tl)
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
		r = signPow(b, x[0], y, r, true)
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
func signPow(b builder, x, y, r V, special bool) V {
	half := b.Mul(y, b.c(.5))
	integer := b.Eq(b.Rint(y), y)
	odd := b.Ne(b.Rint(half), half) // or y is no integer
	root := b.And(b.Lt(x, b.c(0)), b.Not(integer))
	if special {
		odd = b.And(odd, integer)
		root = b.And(root, b.Lt(b.c(math.Inf(-1)), x))
	}
	s := b.And(b.bits(x), b.Select(odd, b.signBit(), b.int(0)))
	return b.Select(root, b.c(math.NaN()), b.float(b.Or(b.bits(r), s)))
}

// clampTo returns x clamped to lo..hi. x must not be NaN.
func clampTo(b builder, x V, lo, hi float64) V {
	l, h := b.Like(x, lo), b.Like(x, hi)
	x = b.Select(b.Lt(h, x), h, x)
	return b.Select(b.Lt(x, l), l, x)
}

// timesParts returns y (hi + lo) in two parts.
func timesParts(b builder, y, hi, lo V) (t, tl V) {
	t = b.Mul(y, hi)
	return t, b.Fma(y, lo, b.Fma(y, hi, b.Neg(t)))
}

// logReduce returns s, l and r with log(x + low) + shift log 2 = s + l + log(1+r) - r, for a
// normal positive x and a low far below it; with a low, x is at most half the greatest
// number. x = 2^e m; a table has c near 1/m and -log c. So s is e log 2 - log c plus r =
// c m - 1, both of which are exact, and l is the rounding error of that sum, and low parts.
// The zero V as low or shift means 0.
func logReduce(b builder, x, low, shift V) (s, l, r V) {
	from := b.bits(b.at(logTableFrom, 0))
	k := b.Sub(b.bits(x), from)
	whole := b.And(k, b.int(-1<<b.mant))
	m := b.float(b.Sub(b.bits(x), whole))
	e := addShift(b, b.Cvt(b.t, b.Shr(k, b.int(b.mant))), shift)
	i := b.Shr(k, b.int(b.mant-5))
	c := b.lookup(logTable, i)
	r = b.Fma(m, c, b.c(-1))
	h := b.Fma(e, b.at(ln2Short, 0), b.lookup(logTableHigh, i)) // exact
	l = b.Fma(e, b.at(ln2Short, 1), b.lookup(logTableLow, i))
	if low != (V{}) {
		scale := b.float(b.Sub(b.bits(b.c(1)), whole))
		l = b.Fma(b.Mul(low, scale), c, l)
	}
	s = b.Add(h, r)
	return s, b.Add(b.Add(b.Sub(h, s), r), l), r
}

// logOfSum returns log(hi + lo) + shift log 2, where lo is far below hi.
func logOfSum(b builder, hi, lo, shift V) V {
	s, l, r := logReduce(b, hi, lo, shift)
	r2 := b.Mul(r, r)
	p := b.Fma(horner2(b, r, r2, logTablePoly[b.row]), r, b.c(-.5))
	return b.Add(s, b.Fma(r2, p, l))
}

// logParts returns log(x) + shift log 2 in two parts, for a normal positive x. The logarithm
// is s + l - r^2/2 + r^3 P(r); the second term has two parts as well.
func logParts(b builder, x, shift V) (hi, lo V) {
	s, l, r := logReduce(b, x, V{}, shift)
	minus := b.c(-.5)
	r2 := b.Mul(r, r)
	r2l := b.Fma(r, r, b.Neg(r2))
	hi = b.Fma(r2, minus, s)
	hl := b.Fma(r2, minus, b.Sub(s, hi))
	p := horner2(b, r, r2, logTablePoly[b.row])
	return hi, b.Fma(b.Mul(r2, r), p, b.Add(hl, b.Fma(r2l, minus, l)))
}

// expScaled returns exp(t + tl) as y 2^k, with y near 1 and a small tl.
func expScaled(b builder, t, tl V) (k, y V) {
	n, y := expReduced(b, t, tl)
	return b.Sub(b.bits(n), b.bits(b.c(b.magic))), y
}

// expParts returns exp(t + tl), which must be a normal number.
func expParts(b builder, t, tl V) V {
	n, y := expReduced(b, t, tl)
	return b.float(b.Add(b.bits(y), b.Shl(b.bits(n), b.int(b.mant))))
}

// expReduced returns exp(t + tl) as y 2^n, where the low bits of the first result are n. In float32 tl is
// below 0.02, so it does not count for n, and the rounding error of r is below 0.2 ULP. In float64 y is a sum
// of 1 + r, whose rounding error is kept, and a small rest.
func expReduced(b builder, t, tl V) (magic, y V) {
	near := t
	if b.row == 1 {
		near = b.Add(t, tl)
	}
	magic = b.Fma(near, b.at(log2e, 0), b.c(b.magic))
	n := b.Sub(magic, b.c(b.magic))
	r1 := b.Fma(n, b.c(-ln2Near[b.row][0]), t) // exact
	tl = b.Fma(n, b.c(-ln2Near[b.row][1]), tl)
	r := b.Add(r1, tl)
	one := b.c(1)
	r2 := b.Mul(r, r)
	if b.row == 0 {
		return magic, b.Fma(b.Fma(horner2(b, r, r2, expPoly[0]), r, one), r, one)
	}
	top := b.Add(one, r)
	rest := b.Add(b.Sub(one, top), r)
	rest = b.Add(rest, b.Add(b.Sub(r1, r), tl))
	return magic, b.Add(top, b.Fma(r2, horner2(b, r, r2, expPoly[b.row]), rest))
}
