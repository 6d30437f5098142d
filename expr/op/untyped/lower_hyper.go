package untyped

import "math"

// lowerTanh returns x + x^3 P(x^2) for small x and 1 - 2/(exp(2|x|) + 1) for
// others. The sum exp(2|x|) + 1 is rounded once: 2^n (exp(r) - 1) + (2^n + 1).
// Both formulas are computed; a NaN comes from the first.
func lowerTanh(b builder, x ...V) V {
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, tanhPoly[b.row]), a)

	// Beyond 20 tanh is 1. The minimum of the bits as integers also brings infinity
	// and NaN to 20.
	c := b.float(b.Min(b.bits(a), b.bits(b.c(20))))
	magic := b.c(b.magic + float64(b.bias)) // n + bias in the low bits
	t := b.Fma(c, b.c(2*log2e[b.row][0]), magic)
	n := b.Sub(t, magic)
	c = b.Fma(n, b.c(-ln2Near[b.row][0]), b.Add(c, c))
	if b.row != 0 {
		c = b.Fma(n, b.c(-ln2Near[b.row][1]), c)
	}
	s := b.float(b.Shl(b.bits(t), b.int(b.mant)))
	one := b.c(1)
	d := b.Fma(s, expm1Of(b, c), b.Add(s, one))
	big := b.Sub(one, b.Div(b.c(2), d))
	return b.withSign(b.Select(b.Lt(b.at(tanhSplit, 0), a), big, small), x[0])
}

// lowerSigmoid returns y = 1/(1 + exp(|x|)) for negative x and 1 - y for
// others. The denominator, times w = 2^-n, is dh + dl, because one part alone would
// cost a whole ULP. A Newton step corrects the quotient for dl.
func lowerSigmoid(b builder, x ...V) V {
	zero, one := b.c(0), b.c(1)
	a := b.Abs(x[0])
	m := b.Neg(a)
	n, w := powerOf2(b, m, 0)
	w = b.float(b.Max(b.bits(w), b.int(0)))                        // 0 if it is no normal number
	r := b.Fma(n, b.at(ln2Near, 1), b.Fma(n, b.at(ln2Near, 0), a)) // exp(|x|) = exp(r)/w
	q := expm1Of(b, r)
	w1 := b.Add(w, one)
	dh := b.Add(w1, q)
	var dl V
	if b.row == 0 { // w may be rounded away, an error of a quarter of an ULP
		dl = b.Add(b.Sub(w, b.Sub(dh, one)), q)
	} else {
		dl = b.Add(b.Sub(q, b.Sub(dh, w1)), b.Sub(w, b.Sub(w1, one)))
	}
	y0 := b.Div(one, dh)
	e := b.Fma(b.Neg(y0), dl, b.Fma(b.Neg(y0), dh, one))
	y1 := b.Fma(y0, e, y0)
	y := b.Mul(y1, w)
	y = b.Cold(b.Lt(b.c(b.farExp()), a), y, func() V {
		k, _ := nearestPower(b, m)
		return b.Select(b.Lt(m, b.c(b.exp[0])), zero, b.Scale(y1, k))
	})
	return b.Select(b.Lt(x[0], zero), y, b.Sub(one, y))
}

// sinhParts returns hi and rest. Their sum is exp(a)/4 + minus exp(-a)/4, where
// minus is 1 or -1, for a from 0 to overflowing. With a = n log 2 + r, u = 2^n/4 and w =
// minus 2^-n/4 the sum is (u + w) cosh r + (u - w) sinh r. hi is u + w, which has few bits. rest is
// added from its least term up. Only the last sum, with u r, has a large rounding error.
func sinhParts(b builder, a V, minus float64) (hi, rest V) {
	n, u := powerOf2(b, a, -2)
	w := inversePower(b, u, -4)
	less, sign := b.Sub, w
	if minus > 0 {
		less, sign = b.Add, b.Neg(w)
	}
	r1 := b.Fma(n, b.c(-ln2Near[b.row][0]), a) // exact
	r := b.Fma(n, b.c(-ln2Near[b.row][1]), r1)
	z := b.Mul(r, r)
	even, odd := split(expPoly[b.row])
	cosh := b.Mul(z, horner(b, z, even)) // cosh r - 1
	tail := b.Fma(b.Mul(r, z), horner(b, z, odd), b.Mul(n, b.c(-ln2Near[b.row][1])))
	hi = less(u, w)
	rest = b.Fma(sign, b.Add(r1, tail), less(b.Sub(u, hi), w))
	return hi, b.Fma(u, r1, b.Fma(u, tail, b.Fma(hi, cosh, rest)))
}

// overflowing is a bound beyond which cosh and sinh are infinite: so is twice the sum of
// sinhParts there.
func (b builder) overflowing() float64 { return b.exp[1] + .6 }

// lowerSinh returns x + x^3 P(x^2) for |x| <= 1 and (exp(|x|) - exp(-|x|))/2
// beyond.
func lowerSinh(b builder, x ...V) V {
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, sinhPoly[b.row]), a)
	// The clamp works on integers. A NaN takes the other formula.
	s, rest := sinhParts(b, b.float(b.Min(b.bits(a), b.bits(b.c(b.overflowing())))), -1)
	big := b.Add(s, rest)
	big = b.Add(big, big)
	return b.withSign(b.Select(b.Lt(b.c(1), a), big, small), x[0])
}

// lowerCosh returns (exp(|x|) + exp(-|x|))/2.
func lowerCosh(b builder, x ...V) V {
	a := b.Abs(x[0])
	limit := b.c(b.overflowing())
	s, rest := sinhParts(b, b.Select(b.Lt(limit, a), limit, a), 1)
	y := b.Add(s, rest)
	return b.Add(y, y)
}

// The inverse hyperbolic functions. Near 0, or near 1 for acosh, they are
// polynomials. Elsewhere they are logarithms of a sum of two numbers.

// halfInverse returns 1/(2r) within 2% for r >= 0, or any number for 0: a difference of
// bits is within 12%, and a Newton step squares that. It scales rounding errors.
func halfInverse(b builder, r V) V {
	y := b.float(b.Sub(b.int(inverseBias[b.row]), b.bits(r)))
	return b.Mul(y, b.Fma(b.Mul(r, b.c(-.5)), y, b.c(1)))
}

// roughHalf returns 1/(2r) within 12%, for the errors of roots.
func roughHalf(b builder, r V) V {
	return b.float(b.Sub(b.int(inverseBias[b.row]-1<<b.mant), b.bits(r)))
}

// inverseBias is the constant for the best approximation: twice the exponent's bias, less a
// value that balances the error.
var inverseBias = [2]int64{0x7ef311c3, 0x7fde623822fc16e6}

// logRoot returns log(big + small + low), where one of the terms is a and the other is the root of
// a^2 + 1 or a^2 - 1, with the error low; the zero V as low means 0. If a is so large that 1 does not
// count, both are a. Where the sum could overflow, and for infinity, the logarithm is cold.
func logRoot(b builder, a, big, small, low V) V {
	large := b.Lt(b.c(math.Ldexp(1, int(b.mant)/2+2)), a)
	for _, term := range []*V{&big, &small} {
		if *term != a {
			*term = b.Select(large, a, *term)
		}
	}
	s := b.Add(big, small)
	sl := b.Add(b.Sub(big, s), small)
	if low != (V{}) {
		sl = b.Add(sl, b.Select(large, b.c(0), low))
	}
	return b.Cold(b.Le(b.c(math.Ldexp(1, int(b.bias)-1)), a), logOfSum(b, s, sl, V{}), func() V {
		y := logOfSum(b, b.Mul(a, b.c(.5)), V{}, b.c(2))
		return b.Select(b.Lt(a, b.c(math.Inf(1))), y, a)
	})
}

// twoSum returns the rounded sum and its error.
func twoSum(b builder, x, y V) (sum, err V) {
	sum = b.Add(x, y)
	z := b.Sub(sum, x)
	return sum, b.Add(b.Sub(x, b.Sub(sum, z)), b.Sub(y, z))
}

// rootParts returns the root of z + zl in two parts. The zero V as zl means 0.
func rootParts(b builder, z, zl V) (r, rl V) {
	r = b.Sqrt(z)
	rest := b.Fma(b.Neg(r), r, z)
	if zl != (V{}) {
		rest = b.Add(rest, zl)
	}
	return r, b.Mul(rest, halfInverse(b, r))
}

// lowerAsinh returns x + x^3 P(x^2) for |x| <= 1/8, and a logarithm beyond.
func lowerAsinh(b builder, x ...V) V {
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, asinhPoly[b.row]), a)
	t, tl := twoSum(b, z, b.c(1))
	r, rl := rootParts(b, t, b.Add(tl, b.Fma(a, a, b.Neg(z))))
	return b.withSign(b.Select(b.Lt(b.c(.125), a), logRoot(b, a, r, a, rl), small), x[0])
}

// acoshSplit is where acosh changes its formula.
var acoshSplit = coefs{{2}, {33. / 32}}

// lowerAcosh returns 2 asinh(w) for x <= acoshSplit, where w is the root of (x-1)/2, and a logarithm
// beyond. There the rounding errors of the root count little in float32, as x is large. The root of
// a negative number is NaN.
func lowerAcosh(b builder, x ...V) V {
	big := b.Lt(b.at(acoshSplit, 0), x[0])
	minus := b.c(-1)
	z := b.Mul(b.Add(x[0], minus), b.c(.5))
	var r, rl, low V
	if b.row == 0 {
		square := b.Select(big, b.Fma(x[0], x[0], minus), z)
		r = b.Sqrt(square)
		rl = b.Mul(b.Fma(b.Neg(r), r, square), roughHalf(b, r))
	} else {
		h := b.Mul(x[0], x[0])
		t := b.Add(h, minus)
		tl := b.Add(b.Add(b.Sub(h, t), minus), b.Fma(x[0], x[0], b.Neg(h)))
		r, rl = rootParts(b, b.Select(big, t, z), b.Select(big, tl, b.c(0)))
		low = rl
	}
	small := b.Add(r, b.Fma(b.Mul(r, z), horner(b, z, acoshPoly[b.row]), rl))
	return b.Select(big, logRoot(b, x[0], x[0], r, low), b.Add(small, small))
}

// lowerAtanh returns x + x^3 P(x^2) for |x| <= 1/8, and half the logarithm of
// (1+a)/(1-a) beyond. At 1, which is cold, it is infinite, and beyond NaN.
func lowerAtanh(b builder, x ...V) V {
	one := b.c(1)
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, atanhPoly[b.row]), a)
	n := b.Add(one, a)
	nl := b.Add(b.Sub(one, n), a)
	d := b.Sub(one, a)
	dl := b.Sub(b.Sub(one, d), a)
	inv := b.Div(one, d)
	q := b.Mul(n, inv)
	m := b.Neg(q)
	ql := b.Mul(b.Add(b.Fma(m, d, n), b.Fma(m, dl, nl)), inv)
	y := b.Mul(logOfSum(b, q, ql, V{}), b.c(.5))
	y = b.withSign(b.Select(b.Lt(b.c(.125), a), y, small), x[0])
	return b.Cold(b.Le(b.bits(one), b.bits(a)), y, func() V {
		edge := b.Select(b.Eq(a, one), b.c(math.Inf(1)), b.c(math.NaN()))
		return b.withSign(edge, x[0])
	})
}
