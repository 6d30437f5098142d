package untyped

import "math"

// Sine and cosine reduce x = n pi/2 + r - d with |r| <= pi/4. The tail d is
// about as small as the last place of 1. r is the argument within a quadrant,
// and d keeps the result within 1 ULP. Below reductionLimit the reduction
// follows Cody & Waite (1980) with fused multiply-adds. Above, it follows Payne
// & Hanek (1983), in integers, in a cold region.

// reductionLimit bounds |x| so that the steps marked exact are exact, and the
// error of the third part of pi/2 does not count even for the x nearest to a
// multiple of pi/2.
var reductionLimit = coefs{{4608}, {0x1p24}}

// reducePi returns the reduction for |x| < reductionLimit. The low bits of t
// are n. The sign of the tail is such that -0 gives r = -0, d = +0.
func reducePi(b builder, x V) (r, d, t V) {
	magic := b.c(b.magic)
	t = b.Fma(x, b.at(twoOverPi, 0), magic)
	n := b.Sub(t, magic)
	r1 := b.Fma(n, b.c(-piOver2[b.row][0]), x) // exact
	r = b.Fma(n, b.c(-piOver2[b.row][1]), r1)  // the next line adds its rounding error to d
	d = b.Fma(n, b.at(piOver2, 1), b.Sub(r, r1))
	d = b.Fma(n, b.at(piOver2, 2), d)
	return r, d, b.bits(t)
}

// sinCosOf returns sin r - d cos r and cos r + d r, which approximate sin(r -
// d) and cos(r - d). The cosine is 1 - z/2, with the rounding error of that
// kept, plus a small rest.
func sinCosOf(b builder, r, d V) (sin, cos V) {
	z := b.Mul(r, r)
	one, half := b.c(1), b.c(-.5)
	w := b.Fma(z, half, one)
	e := b.Fma(r, d, b.Fma(z, half, b.Sub(one, w)))
	cos = b.Add(w, b.Fma(b.Mul(z, z), horner(b, z, cosPoly[b.row]), e))
	sin = b.Sub(r, b.Fma(b.Mul(r, z), horner(b, z, sinPoly[b.row]), b.Mul(d, cos)))
	return sin, cos
}

// quadrant returns sine or cosine with the sign for quadrant n: the sine of an
// angle in that quadrant.
func quadrant(b builder, sin, cos, n V) V {
	one := b.int(1)
	y := b.Select(b.Eq(b.And(n, one), one), cos, sin)
	s := b.And(b.Shl(n, b.int(b.width-2)), b.signBit())
	return b.float(b.Xor(b.bits(y), s))
}

func lowerSin(b builder, x ...V) V {
	a := b.Abs(x[0])
	r, d, n := reducePi(b, x[0])
	sin, cos := sinCosOf(b, r, d)
	return b.Cold(b.Le(b.at(reductionLimit, 0), a), quadrant(b, sin, cos, n), func() V {
		r, d, n := reduceHuge(b, a)
		sin, cos := sinCosOf(b, r, d)
		y := b.bits(quadrant(b, sin, cos, n))
		y = b.float(b.Xor(y, b.And(b.bits(x[0]), b.signBit())))
		return b.Select(b.Eq(a, b.c(math.Inf(1))), b.c(math.NaN()), y)
	})
}

func lowerCos(b builder, x ...V) V {
	a := b.Abs(x[0])
	r, d, n := reducePi(b, x[0])
	sin, cos := sinCosOf(b, r, d)
	y := quadrant(b, sin, cos, b.Add(n, b.int(1)))
	return b.Cold(b.Le(b.at(reductionLimit, 0), a), y, func() V {
		r, d, n := reduceHuge(b, a)
		sin, cos := sinCosOf(b, r, d)
		y := quadrant(b, sin, cos, b.Add(n, b.int(1)))
		return b.Select(b.Eq(a, b.c(math.Inf(1))), b.c(math.NaN()), y)
	})
}

func lowerTan(b builder, x ...V) V {
	a := b.Abs(x[0])
	r, d, n := reducePi(b, x[0])
	return b.Cold(b.Le(b.at(reductionLimit, 0), a), tanOf(b, r, d, n), func() V {
		r2, d2, n := reduceHuge(b, a)
		r := b.Sub(r2, d2) // normalised: Dekker's Fast2Sum
		y := b.bits(tanOf(b, r, b.Sub(d2, b.Sub(r2, r)), n))
		y = b.float(b.Xor(y, b.And(b.bits(x[0]), b.signBit())))
		return b.Select(b.Eq(a, b.c(math.Inf(1))), b.c(math.NaN()), y)
	})
}

// tanOf returns tan(r - d), or minus its reciprocal if n is odd. u + ul is 2 tan((r - d)/2), so the
// tangent is (u + ul)/(w + wl) with w + wl = 1 - u^2/4. A polynomial for half the angle needs fewer
// terms. The derivative of 2 tan(r/2), between 1 and 1.18, counts as 1 for d. In w, ul does not count;
// instead it is multiplied by 1.16, near the factor between 1 and 1.42 that it has in the quotient.
// The remainder of the quotient has such a sign that -0 gives -0.
func tanOf(b builder, r, d, n V) V {
	one := b.c(1)
	z := b.Mul(r, r)
	m := b.Fma(b.Mul(r, z), horner(b, z, tanPoly[b.row]), b.Neg(d))
	u := b.Add(r, m)
	ul := b.Mul(b.Sub(m, b.Sub(u, r)), b.c(1.16))
	v := b.Mul(u, b.c(-.25))
	w := b.Fma(v, u, one)
	wl := b.Fma(v, u, b.Sub(one, w))
	sign := b.Shl(n, b.int(b.width-1))
	odd := b.Lt(sign, b.int(0))
	num, den := b.Select(odd, w, u), b.Select(odd, u, w)
	numLow, denLow := b.Select(odd, wl, ul), b.Select(odd, ul, wl)
	inv := b.Div(one, den)
	q := b.Mul(num, inv)
	e := b.Fma(q, denLow, b.Sub(b.Fma(q, den, b.Neg(num)), numLow))
	y := b.bits(b.Fma(e, b.Neg(inv), q))
	return b.float(b.Xor(y, sign))
}

// reduceHuge returns the reduction of Payne & Hanek for finite a >= 1. a is m
// 2^e with an integer m, and only m 2^e 2/pi modulo 4 matters. Earlier bits of
// 2/pi are dropped; three words of the others are enough.
func reduceHuge(b builder, a V) (r, d, n V) {
	w, p := b.width, b.mant+1
	word := func(v int64) V { return b.Int(b.u, v) }
	ab := b.Bitcast(b.u, a)
	m := b.Or(b.And(ab, word(1<<b.mant-1)), word(1<<b.mant))
	// The first bit of weight 2 is number e-1; a word of zeros precedes it.
	pos := b.Add(b.Shr(ab, word(b.mant)), word(w-2-b.bias-b.mant))
	j := b.Shr(pos, word(int64(5+b.row)))
	left := b.And(pos, word(w-1))
	right := b.Sub(word(w), left)
	var raw [4]V
	for i := range raw {
		raw[i] = b.Lookup(b.u, twoOverPiBits[b.row], b.Add(j, word(int64(i))))
	}
	var win [3]V
	for i := range win {
		win[i] = b.Or(b.Shl(raw[i], left), b.Shr(raw[i+1], right))
	}
	// The product modulo 2^(3w), without its lowest word.
	low := b.MulHi(m, win[2])
	mid := b.Add(b.Mul(m, win[1]), low)
	carry := b.Cvt(b.u, b.Lt(mid, low))
	top := b.Add(b.Add(b.Mul(m, win[0]), b.MulHi(m, win[1])), carry)
	// The two top bits are the quadrant, rounded to nearest.
	q := b.Shr(b.Add(top, word(1<<(w-3))), word(w-2))
	top = b.Sub(top, b.Shl(q, word(w-2)))
	// The rest is a signed fraction, in parts that floats hold exactly.
	lowHalf := word(1<<(w/2) - 1)
	fa := b.Cvt(b.t, b.Bitcast(b.i, b.And(top, b.Not(lowHalf))))
	fb := b.Cvt(b.t, b.Bitcast(b.i, b.And(top, lowHalf)))
	fc := b.Cvt(b.t, b.Bitcast(b.i, b.Shr(mid, word(w-p))))
	unit := b.c(math.Ldexp(1, int(-p)))
	s := b.Fma(fc, unit, fb)
	lo2 := b.Fma(fc, unit, b.Sub(fb, s))
	hi := b.Add(fa, s)
	lo := b.Add(b.Add(b.Sub(fa, hi), s), lo2)
	// Times pi/2.
	c := b.at(piOver2Near, 0)
	r = b.Mul(hi, c)
	d = b.Fma(hi, c, b.Neg(r))
	d = b.Fma(hi, b.at(piOver2Near, 1), d)
	d = b.Fma(lo, c, d)
	return r, b.Neg(d), b.Bitcast(b.i, q)
}

// The inverse circular functions.

// asinParts reduces a with asin a = pi/2 - 2 asin sqrt((1-a)/2) if a > 1/2;
// then big is true. s + t is asin a, or asin of the root; t then includes the
// rounding error of the root.
func asinParts(b builder, a V) (big, s, t V) {
	half, one := b.c(.5), b.c(1)
	big = b.Lt(half, a)
	z := b.Select(big, b.Mul(b.Sub(one, a), half), b.Mul(a, a))
	root, c := rootParts(b, z, V{})
	s = b.Select(big, root, a)
	c = b.Select(big, c, b.c(0))
	t = b.Fma(b.Mul(s, z), horner(b, z, asinPoly[b.row]), c)
	return big, s, t
}

func lowerAsin(b builder, x ...V) V {
	big, s, t := asinParts(b, b.Abs(x[0]))
	two := b.c(-2)
	hi := b.c(2 * piOver4[b.row][0])
	c := b.Fma(two, s, hi)
	e := b.Fma(two, s, b.Sub(hi, c)) // the rounding error of c
	y := b.Add(c, b.Fma(two, t, b.Add(e, b.c(2*piOver4[b.row][1]))))
	return b.withSign(b.Select(big, y, b.Add(s, t)), x[0])
}

// lowerAcos returns pi/2 - asin x for |x| <= 1/2, 2 asin sqrt((1-x)/2) for
// larger x, and pi - acos(-x) for smaller x. With w = s + t each of the three
// is base + factor*w.
func lowerAcos(b builder, x ...V) V {
	big, s, t := asinParts(b, b.Abs(x[0]))
	zero := b.c(0)
	neg := b.Lt(x[0], zero)
	// hi + lo is the base: pi/2, 0 or pi.
	hi := b.Select(big, b.Select(neg, b.c(4*piOver4[b.row][0]), zero), b.c(2*piOver4[b.row][0]))
	lo := b.Select(big, b.Select(neg, b.c(4*piOver4[b.row][1]), zero), b.c(2*piOver4[b.row][1]))
	// The factor is -1, 2 or -2, and -1 becomes 1 for negative x.
	k := b.Select(big, b.c(2), b.c(-1))
	k = b.Select(neg, b.Neg(k), k)
	c := b.Fma(k, s, hi)
	e := b.Fma(k, s, b.Sub(hi, c)) // the rounding error of c
	return b.Add(c, b.Fma(k, t, b.Add(lo, e)))
}

// lowerAtan uses atan a = pi/4 + atan((a-1)/(a+1)) in the middle and pi/2 -
// atan(1/a) above. One division then gives |t| <= 9/16.
func lowerAtan(b builder, x ...V) V {
	a := b.Abs(x[0])
	one, zero := b.c(1), b.c(0)
	mid, big := b.Lt(b.c(.5625), a), b.Lt(b.c(2.4375), a)
	num := b.Select(big, b.c(-1), b.Select(mid, b.Sub(a, one), a))
	den := b.Select(big, a, b.Select(mid, b.Add(a, one), one))
	t := b.Div(num, den)
	z := b.Mul(t, t)
	hi := b.Select(big, b.c(2*piOver4[b.row][0]), b.Select(mid, b.c(piOver4[b.row][0]), zero))
	lo := b.Select(big, b.c(2*piOver4[b.row][1]), b.Select(mid, b.c(piOver4[b.row][1]), zero))
	tail := b.Fma(b.Mul(t, z), horner(b, z, atanPoly[b.row]), lo)
	// hi + t + tail by Fast2Sum: hi is 0 or above |t|.
	s := b.Add(hi, t)
	e := b.Add(b.Sub(hi, s), t)
	return b.withSign(b.Add(s, b.Add(tail, e)), x[0])
}

// lowerAtan2 returns the angle of the point (x[1], x[0]): atan of the smaller
// coordinate over the larger, moved to its octant. Special cases follow C99
// (F.10.1.4). Infinities, zeros and coordinates so large or small that sums or
// remainders are not numbers are cold.
func lowerAtan2(b builder, x ...V) V {
	ay, ax := b.Abs(x[0]), b.Abs(x[1])
	swap := b.Lt(ax, ay)
	num, den := b.Select(swap, ax, ay), b.Select(swap, ay, ax)
	left := b.Lt(b.bits(x[1]), b.int(0)) // the sign bit: -0 counts
	far := b.bias / 8 * 7
	low, high := (b.bias-far)<<b.mant, (b.bias+far)<<b.mant
	u := b.Sub(b.Bitcast(b.u, den), b.Int(b.u, low))
	y := b.Cold(b.Le(b.Int(b.u, high-low), u), atanOf(b, num, den, swap, left), func() V {
		zero, one := b.c(0), b.c(1)
		scale := b.Select(b.Lt(den, one), b.c(math.Ldexp(1, int(far/2))), b.c(math.Ldexp(1, int(-far/2))))
		n, d := b.Mul(num, scale), b.Mul(den, scale)
		same := b.Eq(num, den)                                                         // 0/0, inf/inf
		flat := b.Eq(b.Select(same, den, b.c(math.Inf(1))), b.Select(same, zero, den)) // 0/0, x/inf
		n = b.Select(flat, b.Mul(num, zero), b.Select(same, one, n))                   // or NaN
		return atanOf(b, n, b.Select(b.Or(flat, same), one, d), swap, left)
	})
	return b.withSign(y, x[0])
}

// atanOf returns atan(num/den), for 0 <= num <= den, of the octant that swap and left give.
// With mid it is pi/4 + atan((num-den)/(num+den)). The difference is exact; the low
// part of the sum and the remainder of the division make e.
func atanOf(b builder, num, den, swap, left V) V {
	one, zero := b.c(1), b.c(0)
	mid := b.Lt(b.Mul(den, b.c(.5625)), num)
	d := b.Add(den, b.Select(mid, num, zero))
	dl := b.Add(b.Sub(den, d), b.Select(mid, num, zero))
	n := b.Sub(num, b.Select(mid, den, zero))
	u := b.Div(n, d)
	m := b.Neg(u)
	e := b.Fma(m, dl, b.Fma(m, d, n))
	e = b.Mul(b.Add(e, e), halfInverse(b, d))
	z := b.Mul(u, u)
	hi := b.Select(mid, b.at(piOver4, 0), zero)
	lo := b.Select(mid, b.at(piOver4, 1), zero)
	tail := b.Add(b.Fma(b.Mul(u, z), horner(b, z, atanPoly[b.row]), lo), b.Fma(b.Neg(z), e, e))
	// base + sign*(hi + u + tail)
	neg := b.Ne(swap, left)
	base := b.Select(swap, b.c(2*piOver4[b.row][0]), b.Select(left, b.c(4*piOver4[b.row][0]), zero))
	baseLow := b.Select(swap, b.c(2*piOver4[b.row][1]), b.Select(left, b.c(4*piOver4[b.row][1]), zero))
	s := b.Select(neg, b.c(-1), one)
	h := b.Fma(s, hi, base) // exact: multiples of pi/4 of the same significand
	c := b.Fma(s, u, h)
	l := b.Fma(s, u, b.Sub(h, c))
	return b.Add(c, b.Fma(s, tail, b.Add(baseLow, l)))
}
