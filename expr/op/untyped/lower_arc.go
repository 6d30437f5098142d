package untyped

import (
	"math"
)

// The inverse circular functions.

// asinParts reduces a with asin a = pi/2 - 2 asin sqrt((1-a)/2) if a > 1/2,
// which big tells. s + t is asin a, or asin of the root; t then includes the
// rounding error of the root.
func asinParts(b *B, f *format, a V) (big, s, t V) {
	half, one := f.c(b, .5), f.c(b, 1)
	big = b.Lt(half, a)
	z := b.Select(big, b.Mul(b.Sub(one, a), half), b.Mul(a, a))
	root, c := rootParts(b, f, z, V{})
	s = b.Select(big, root, a)
	c = b.Select(big, c, f.c(b, 0))
	t = b.Fma(b.Mul(s, z), horner(b, z, asinPoly[f.row]), c)
	return big, s, t
}

func lowerAsin(b *B, x ...V) V {
	f := formatOf(b, x[0])
	big, s, t := asinParts(b, f, b.Abs(x[0]))
	two := f.c(b, -2)
	hi := f.c(b, 2*piOver4[f.row][0])
	c := b.Fma(two, s, hi)
	e := b.Fma(two, s, b.Sub(hi, c)) // the rounding error of c
	y := b.Add(c, b.Fma(two, t, b.Add(e, f.c(b, 2*piOver4[f.row][1]))))
	return f.withSign(b, b.Select(big, y, b.Add(s, t)), x[0])
}

// lowerAcos returns pi/2 - asin x for |x| <= 1/2, 2 asin sqrt((1-x)/2) for
// larger x, and pi - acos(-x) for smaller x. With w = s + t each of the three
// is base + factor*w.
func lowerAcos(b *B, x ...V) V {
	f := formatOf(b, x[0])
	big, s, t := asinParts(b, f, b.Abs(x[0]))
	zero := f.c(b, 0)
	neg := b.Lt(x[0], zero)
	// hi + lo is the base: pi/2, 0 or pi.
	hi := b.Select(big, b.Select(neg, f.c(b, 4*piOver4[f.row][0]), zero), f.c(b, 2*piOver4[f.row][0]))
	lo := b.Select(big, b.Select(neg, f.c(b, 4*piOver4[f.row][1]), zero), f.c(b, 2*piOver4[f.row][1]))
	// The factor is -1, 2 or -2, and -1 becomes 1 for negative x.
	k := b.Select(big, f.c(b, 2), f.c(b, -1))
	k = b.Select(neg, b.Neg(k), k)
	c := b.Fma(k, s, hi)
	e := b.Fma(k, s, b.Sub(hi, c)) // the rounding error of c
	return b.Add(c, b.Fma(k, t, b.Add(lo, e)))
}

// lowerAtan uses atan a = pi/4 + atan((a-1)/(a+1)) in the middle and pi/2 -
// atan(1/a) above. One division then gives |t| <= 9/16.
func lowerAtan(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	one, zero := f.c(b, 1), f.c(b, 0)
	mid, big := b.Lt(f.c(b, .5625), a), b.Lt(f.c(b, 2.4375), a)
	num := b.Select(big, f.c(b, -1), b.Select(mid, b.Sub(a, one), a))
	den := b.Select(big, a, b.Select(mid, b.Add(a, one), one))
	t := b.Div(num, den)
	z := b.Mul(t, t)
	hi := b.Select(big, f.c(b, 2*piOver4[f.row][0]), b.Select(mid, f.c(b, piOver4[f.row][0]), zero))
	lo := b.Select(big, f.c(b, 2*piOver4[f.row][1]), b.Select(mid, f.c(b, piOver4[f.row][1]), zero))
	tail := b.Fma(b.Mul(t, z), horner(b, z, atanPoly[f.row]), lo)
	// hi + t + tail by Fast2Sum: hi is 0 or above |t|.
	s := b.Add(hi, t)
	e := b.Add(b.Sub(hi, s), t)
	return f.withSign(b, b.Add(s, b.Add(tail, e)), x[0])
}

// lowerAtan2 returns the angle of the point (x[1], x[0]): atan of the smaller
// coordinate over the larger, moved to its octant. Special cases follow C99
// (F.10.1.4). Infinities, zeros and coordinates so large or small that sums or
// remainders are not numbers are cold.
func lowerAtan2(b *B, x ...V) V {
	f := formatOf(b, x[0])
	if x[1].Type != x[0].Type {
		b.Fail(errTypes)
		return x[0]
	}
	ay, ax := b.Abs(x[0]), b.Abs(x[1])
	swap := b.Lt(ax, ay)
	num, den := b.Select(swap, ax, ay), b.Select(swap, ay, ax)
	left := b.Lt(f.bits(b, x[1]), f.int(b, 0)) // the sign bit: -0 counts
	far := f.bias / 8 * 7
	low, high := (f.bias-far)<<f.mant, (f.bias+far)<<f.mant
	u := b.Sub(b.Bitcast(f.u, den), b.Int(f.u, low))
	y := b.Cold(b.Le(b.Int(f.u, high-low), u), atanOf(b, f, num, den, swap, left), func() V {
		zero, one := f.c(b, 0), f.c(b, 1)
		scale := b.Select(b.Lt(den, one), f.c(b, math.Ldexp(1, int(far/2))), f.c(b, math.Ldexp(1, int(-far/2))))
		n, d := b.Mul(num, scale), b.Mul(den, scale)
		same := b.Eq(num, den)                                                            // 0/0, inf/inf
		flat := b.Eq(b.Select(same, den, f.c(b, math.Inf(1))), b.Select(same, zero, den)) // 0/0, x/inf
		n = b.Select(flat, b.Mul(num, zero), b.Select(same, one, n))                      // or NaN
		return atanOf(b, f, n, b.Select(b.Or(flat, same), one, d), swap, left)
	})
	return f.withSign(b, y, x[0])
}

// atanOf returns atan(num/den), for 0 <= num <= den, of the octant that swap and left give.
// With mid it is pi/4 + atan((num-den)/(num+den)). The difference is exact; the low
// part of the sum and the remainder of the division make e.
func atanOf(b *B, f *format, num, den, swap, left V) V {
	one, zero := f.c(b, 1), f.c(b, 0)
	mid := b.Lt(b.Mul(den, f.c(b, .5625)), num)
	d := b.Add(den, b.Select(mid, num, zero))
	dl := b.Add(b.Sub(den, d), b.Select(mid, num, zero))
	n := b.Sub(num, b.Select(mid, den, zero))
	u := b.Div(n, d)
	m := b.Neg(u)
	e := b.Fma(m, dl, b.Fma(m, d, n))
	e = b.Mul(b.Add(e, e), halfInverse(b, f, d))
	z := b.Mul(u, u)
	hi := b.Select(mid, f.at(b, piOver4, 0), zero)
	lo := b.Select(mid, f.at(b, piOver4, 1), zero)
	tail := b.Add(b.Fma(b.Mul(u, z), horner(b, z, atanPoly[f.row]), lo), b.Fma(b.Neg(z), e, e))
	// base + sign*(hi + u + tail)
	neg := b.Ne(swap, left)
	base := b.Select(swap, f.c(b, 2*piOver4[f.row][0]), b.Select(left, f.c(b, 4*piOver4[f.row][0]), zero))
	baseLow := b.Select(swap, f.c(b, 2*piOver4[f.row][1]), b.Select(left, f.c(b, 4*piOver4[f.row][1]), zero))
	s := b.Select(neg, f.c(b, -1), one)
	h := b.Fma(s, hi, base) // exact: multiples of pi/4 of the same significand
	c := b.Fma(s, u, h)
	l := b.Fma(s, u, b.Sub(h, c))
	return b.Add(c, b.Fma(s, tail, b.Add(baseLow, l)))
}
