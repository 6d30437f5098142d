package untyped

import "math"

// lowerTanh returns x + x^3 P(x^2) for small x and 1 - 2/(exp(2|x|) + 1) for
// others. The sum exp(2|x|) + 1 is rounded once: 2^n (exp(r) - 1) + (2^n + 1).
// Both formulas are computed; a NaN comes from the first.
func lowerTanh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, tanhPoly[f.row]), a)

	// Beyond 20 tanh is 1. The minimum of the bits as integers also brings infinity
	// and NaN to 20.
	c := f.float(b, b.Min(f.bits(b, a), f.bits(b, f.c(b, 20))))
	magic := f.c(b, f.magic+float64(f.bias)) // n + bias in the low bits
	t := b.Fma(c, f.c(b, 2*log2e[f.row][0]), magic)
	n := b.Sub(t, magic)
	c = b.Fma(n, f.c(b, -ln2Near[f.row][0]), b.Add(c, c))
	if f.row != 0 {
		c = b.Fma(n, f.c(b, -ln2Near[f.row][1]), c)
	}
	s := f.float(b, b.Shl(f.bits(b, t), f.int(b, f.mant)))
	one := f.c(b, 1)
	d := b.Fma(s, expm1Of(b, f, c), b.Add(s, one))
	big := b.Sub(one, b.Div(f.c(b, 2), d))
	return f.withSign(b, b.Select(b.Lt(f.at(b, tanhSplit, 0), a), big, small), x[0])
}

// lowerSigmoid returns y = 1/(1 + exp(|x|)) for negative x and 1 - y for
// others. The denominator, times 2^-n, is dh + dl, because one part alone would
// cost a whole ULP. A Newton step corrects the quotient for dl.
func lowerSigmoid(b *B, x ...V) V {
	f := formatOf(b, x[0])
	zero, one := f.c(b, 0), f.c(b, 1)
	a := b.Abs(x[0])
	lim := f.c(b, -f.exp[0])
	a = b.Select(b.Lt(lim, a), lim, a)
	k, r := reduceExp(b, f, b.Neg(a)) // exp(|x|) = 2^-k exp(-r)
	w := b.Scale(one, k)
	q := expm1Of(b, f, b.Neg(r))
	w1 := b.Add(w, one)
	dh := b.Add(w1, q)
	var dl V
	if f.row == 0 { // w may be rounded away, an error of a quarter of an ULP
		dl = b.Add(b.Sub(w, b.Sub(dh, one)), q)
	} else {
		dl = b.Add(b.Sub(q, b.Sub(dh, w1)), b.Sub(w, b.Sub(w1, one)))
	}
	y0 := b.Div(one, dh)
	m := b.Neg(y0)
	e := b.Fma(m, dl, b.Fma(m, dh, one))
	y := b.Scale(b.Fma(y0, e, y0), k)
	return b.Select(b.Lt(x[0], zero), y, b.Sub(one, y))
}

// sinhParts returns hi and rest. Their sum is exp(a)/4 + minus exp(-a)/4, where
// minus is 1 or -1, for a from 0 to overflowing. With a = n log 2 + r, u = 2^n/4 and w =
// minus 2^-n/4 the sum is (u + w) cosh r + (u - w) sinh r. hi is u + w, which has few bits. rest is
// added from its least term up. Only the last sum, with u r, has a large rounding error.
func sinhParts(b *B, f *format, a V, minus float64) (hi, rest V) {
	n, u := powerOf2(b, f, a, -2)
	w := inversePower(b, f, u, -4)
	less, sign := b.Sub, w
	if minus > 0 {
		less, sign = b.Add, b.Neg(w)
	}
	r1 := b.Fma(n, f.c(b, -ln2Near[f.row][0]), a) // exact
	r := b.Fma(n, f.c(b, -ln2Near[f.row][1]), r1)
	z := b.Mul(r, r)
	even, odd := split(expPoly[f.row])
	cosh := b.Mul(z, horner(b, z, even)) // cosh r - 1
	tail := b.Fma(b.Mul(r, z), horner(b, z, odd), b.Mul(n, f.c(b, -ln2Near[f.row][1])))
	hi = less(u, w)
	rest = b.Fma(sign, b.Add(r1, tail), less(b.Sub(u, hi), w))
	return hi, b.Fma(u, r1, b.Fma(u, tail, b.Fma(hi, cosh, rest)))
}

// overflowing is a bound beyond which cosh and sinh are infinite: so is twice the sum of
// sinhParts there.
func (f *format) overflowing() float64 { return f.exp[1] + .6 }

// lowerSinh returns x + x^3 P(x^2) for |x| <= 1 and (exp(|x|) - exp(-|x|))/2
// beyond.
func lowerSinh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, sinhPoly[f.row]), a)
	// The clamp works on integers. A NaN takes the other formula.
	s, rest := sinhParts(b, f, f.float(b, b.Min(f.bits(b, a), f.bits(b, f.c(b, f.overflowing())))), -1)
	big := b.Add(s, rest)
	big = b.Add(big, big)
	return f.withSign(b, b.Select(b.Lt(f.c(b, 1), a), big, small), x[0])
}

// lowerCosh returns (exp(|x|) + exp(-|x|))/2.
func lowerCosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	limit := f.c(b, f.overflowing())
	s, rest := sinhParts(b, f, b.Select(b.Lt(limit, a), limit, a), 1)
	y := b.Add(s, rest)
	return b.Add(y, y)
}

// The inverse hyperbolic functions. Near 0, or near 1 for acosh, they are
// polynomials. Elsewhere they are logarithms of a sum of two numbers.

// halfInverse returns 1/(2r) within 2% for r >= 0, or any number for 0: a difference of
// bits is within 12%, and a Newton step squares that. It scales rounding errors.
func halfInverse(b *B, f *format, r V) V {
	y := f.float(b, b.Sub(f.int(b, inverseBias[f.row]), f.bits(b, r)))
	return b.Mul(y, b.Fma(b.Mul(r, f.c(b, -.5)), y, f.c(b, 1)))
}

// roughHalf returns 1/(2r) within 12%, for the errors of roots.
func roughHalf(b *B, f *format, r V) V {
	return f.float(b, b.Sub(f.int(b, inverseBias[f.row]-1<<f.mant), f.bits(b, r)))
}

// inverseBias is the constant for the best approximation: twice the exponent's bias, less a
// value that balances the error.
var inverseBias = [2]int64{0x7ef311c3, 0x7fde623822fc16e6}

// logRoot returns log(big + small + low), where one of the terms is a and the other is the root of
// a^2 + 1 or a^2 - 1, with the error low; the zero V as low means 0. If a is so large that 1 does not
// count, both are a. Where the sum could overflow, and for infinity, the logarithm is cold.
func logRoot(b *B, f *format, a, big, small, low V) V {
	large := b.Lt(f.c(b, math.Ldexp(1, int(f.mant)/2+2)), a)
	for _, term := range []*V{&big, &small} {
		if *term != a {
			*term = b.Select(large, a, *term)
		}
	}
	s := b.Add(big, small)
	sl := b.Add(b.Sub(big, s), small)
	if low != (V{}) {
		sl = b.Add(sl, b.Select(large, f.c(b, 0), low))
	}
	return b.Cold(b.Le(f.c(b, math.Ldexp(1, int(f.bias)-1)), a), logOfSum(b, f, s, sl, V{}), func() V {
		y := logOfSum(b, f, b.Mul(a, f.c(b, .5)), V{}, f.c(b, 2))
		return b.Select(b.Lt(a, f.c(b, math.Inf(1))), y, a)
	})
}

// twoSum returns the rounded sum and its error.
func twoSum(b *B, x, y V) (sum, err V) {
	sum = b.Add(x, y)
	z := b.Sub(sum, x)
	return sum, b.Add(b.Sub(x, b.Sub(sum, z)), b.Sub(y, z))
}

// rootParts returns the root of z + zl in two parts. The zero V as zl means 0.
func rootParts(b *B, f *format, z, zl V) (r, rl V) {
	r = b.Sqrt(z)
	rest := b.Fma(b.Neg(r), r, z)
	if zl != (V{}) {
		rest = b.Add(rest, zl)
	}
	return r, b.Mul(rest, halfInverse(b, f, r))
}

// lowerAsinh returns x + x^3 P(x^2) for |x| <= 1/8, and a logarithm beyond.
func lowerAsinh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, asinhPoly[f.row]), a)
	t, tl := twoSum(b, z, f.c(b, 1))
	r, rl := rootParts(b, f, t, b.Add(tl, b.Fma(a, a, b.Neg(z))))
	return f.withSign(b, b.Select(b.Lt(f.c(b, .125), a), logRoot(b, f, a, r, a, rl), small), x[0])
}

// acoshSplit is where acosh changes its formula.
var acoshSplit = coefs{{2}, {33. / 32}}

// lowerAcosh returns 2 asinh(w) for x <= acoshSplit, where w is the root of (x-1)/2, and a logarithm
// beyond. There the rounding errors of the root count little in float32, as x is large. The root of
// a negative number is NaN.
func lowerAcosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	big := b.Lt(f.at(b, acoshSplit, 0), x[0])
	minus := f.c(b, -1)
	z := b.Mul(b.Add(x[0], minus), f.c(b, .5))
	var r, rl, low V
	if f.row == 0 {
		square := b.Select(big, b.Fma(x[0], x[0], minus), z)
		r = b.Sqrt(square)
		rl = b.Mul(b.Fma(b.Neg(r), r, square), roughHalf(b, f, r))
	} else {
		h := b.Mul(x[0], x[0])
		t := b.Add(h, minus)
		tl := b.Add(b.Add(b.Sub(h, t), minus), b.Fma(x[0], x[0], b.Neg(h)))
		r, rl = rootParts(b, f, b.Select(big, t, z), b.Select(big, tl, f.c(b, 0)))
		low = rl
	}
	small := b.Add(r, b.Fma(b.Mul(r, z), horner(b, z, acoshPoly[f.row]), rl))
	return b.Select(big, logRoot(b, f, x[0], x[0], r, low), b.Add(small, small))
}

// lowerAtanh returns x + x^3 P(x^2) for |x| <= 1/8, and half the logarithm of
// (1+a)/(1-a) beyond. At 1, which is cold, it is infinite, and beyond NaN.
func lowerAtanh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one := f.c(b, 1)
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, atanhPoly[f.row]), a)
	n := b.Add(one, a)
	nl := b.Add(b.Sub(one, n), a)
	d := b.Sub(one, a)
	dl := b.Sub(b.Sub(one, d), a)
	inv := b.Div(one, d)
	q := b.Mul(n, inv)
	m := b.Neg(q)
	ql := b.Mul(b.Add(b.Fma(m, d, n), b.Fma(m, dl, nl)), inv)
	y := b.Mul(logOfSum(b, f, q, ql, V{}), f.c(b, .5))
	y = f.withSign(b, b.Select(b.Lt(f.c(b, .125), a), y, small), x[0])
	return b.Cold(b.Le(f.bits(b, one), f.bits(b, a)), y, func() V {
		edge := b.Select(b.Eq(a, one), f.c(b, math.Inf(1)), f.c(b, math.NaN()))
		return f.withSign(b, edge, x[0])
	})
}
