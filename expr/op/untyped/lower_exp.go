package untyped

import "math"

// The exponential functions reduce their argument to x = n log 2 + r with |r|
// <= log(2)/2 (Cody & Waite 1980) and scale a polynomial in r by 2^n. Adding
// and subtracting 1.5*2^mant rounds to an integer. The low bits of the sum are
// that integer, so no conversion is needed.

// reduceExp returns the reduction of x: n as an integer, and r.
func reduceExp(b builder, x V) (k, r V) {
	k, n := nearestPower(b, x)
	return k, lessLog2(b, x, n)
}

// nearestPower returns n as an integer and as a float.
func nearestPower(b builder, x V) (k, n V) {
	magic := b.c(b.magic)
	t := b.Fma(x, b.at(log2e, 0), magic)
	return b.Sub(b.bits(t), b.bits(magic)), b.Sub(t, magic)
}

// lessLog2 returns x - n log 2.
func lessLog2(b builder, x, n V) V {
	r := b.Fma(n, b.c(-ln2Near[b.row][0]), x) // exact
	return b.Fma(n, b.c(-ln2Near[b.row][1]), r)
}

// farExp is a bound of |x| up to which exp(x) is a normal number.
func (b builder) farExp() float64 { return b.exp[1] - 2 }

// powerOf2 returns n, with x within log(2)/2 of n log 2, and 2^(n+shift) where that is a normal
// number: the bits of a sum end with its exponent.
func powerOf2(b builder, x V, shift int64) (n, power V) {
	magic := b.c(b.magic + float64(b.bias+shift))
	t := b.Fma(x, b.at(log2e, 0), magic)
	return b.Sub(t, magic), b.float(b.Shl(b.bits(t), b.int(b.mant)))
}

// inversePower returns 2^shift over a power of 2, or 0 if that is not a normal number.
func inversePower(b builder, power V, shift int64) V {
	return b.float(b.Max(b.Sub(b.int((2*b.bias+shift)<<b.mant), b.bits(power)), b.int(0)))
}

// clampExp returns y, but zero for x under lo, and infinity for x above hi. A NaN is neither.
func clampExp(b builder, x, y V, lo, hi float64) V {
	y = b.Select(b.Lt(b.c(hi), x), b.c(math.Inf(1)), y)
	return b.Select(b.Lt(x, b.c(lo)), b.c(0), y)
}

// lowerExp multiplies by a power of 2. Where that or the result may be no normal number is cold.
func lowerExp(b builder, x ...V) V {
	one := b.c(1)
	n, power := powerOf2(b, x[0], 0)
	y := horner(b, lessLog2(b, x[0], n), expPoly[b.row], one, one)
	near := b.Mul(y, power)
	return b.Cold(b.Lt(b.c(b.farExp()), b.Abs(x[0])), near, func() V {
		k, _ := nearestPower(b, x[0])
		return clampExp(b, x[0], b.Scale(y, k), b.exp[0], b.exp[1])
	})
}

// lowerExp2 needs no reduction modulo log 2, and is exact for integers.
func lowerExp2(b builder, x ...V) V {
	magic := b.c(b.magic + float64(b.bias))
	t := b.Add(x[0], magic)
	y := horner(b, b.Sub(x[0], b.Sub(t, magic)), exp2Poly[b.row], b.c(1))
	near := b.Mul(y, b.float(b.Shl(b.bits(t), b.int(b.mant))))
	return b.Cold(b.Lt(b.c(float64(b.bias-1)), b.Abs(x[0])), near, func() V {
		k := b.Sub(b.bits(t), b.bits(magic))
		return clampExp(b, x[0], b.Scale(y, k), float64(-b.bias-b.mant-1), float64(b.bias+1))
	})
}

// expm1Of returns exp(r) - 1 for a reduced argument, with an error well below 1
// ULP.
func expm1Of(b builder, r V) V {
	r2 := b.Mul(r, r)
	return b.Fma(r2, horner2(b, r, r2, expPoly[b.row]), r)
}

// lowerExpm1 returns 2^n ((r + (1 - 2^-n)) + (exp(r) - 1 - r)). Near x =
// log(2)/2 the sum cancels. So the small last part includes the tail of r and
// the errors of the first sum (Dekker's Fast2Sum) and of 1 - 2^-n. It also
// includes the rounding error of r times r, except in float32, where r is exact
// if |n| is small. The argument is clamped to where the result is -1 or infinite.
// The sign is set last, for -0.
func lowerExpm1(b builder, x ...V) V {
	one, low := b.c(1), b.c(-ln2Near[b.row][1])
	a := clampTo(b, x[0], -float64(b.mant)*.75-1, b.exp[1])
	n, s := powerOf2(b, a, -1)
	w := inversePower(b, s, -1)
	r1 := b.Fma(n, b.c(-ln2Near[b.row][0]), a) // exact
	r := b.Fma(n, low, r1)
	o := b.Sub(one, w)
	tail := b.Fma(n, low, b.Sub(b.Sub(one, o), w))
	if b.row == 1 {
		tail = b.Fma(b.Fma(n, low, b.Sub(r1, r)), r, tail)
	}
	r2 := b.Mul(r, r)
	tail = b.Fma(r2, horner2(b, r, r2, expm1Poly[b.row]), tail)
	v := b.Add(o, r1)
	err := b.Add(b.Sub(o, v), r1)
	y := b.Add(v, b.Add(tail, err))
	return b.withSign(b.Mul(b.Add(y, y), s), x[0])
}

// The logarithms split x = 2^e m with a <= m < 2a and use a polynomial in m -
// 1, which is exact. a is 3/4 for the natural logarithm. Then the sum e log 2 +
// log m is exact for e = ±1, where the two parts cancel, and log1p also gets m
// - 1 exactly. Elsewhere a is sqrt(1/2).

// splitLog returns e, as a float, and m - 1 of a positive normal number x.
func splitLog(b builder, x V, a float64) (e, m1 V) {
	bits := b.bits(x)
	k := b.Sub(bits, b.bits(b.c(a)))
	e = b.Cvt(b.t, b.Shr(k, b.int(b.mant)))
	m := b.Sub(bits, b.And(k, b.int(-1<<b.mant)))
	return e, b.Sub(b.float(m), b.c(1))
}

// notNormal returns whether x is anything but a positive normal number below
// 2^(1+top). It costs one unsigned comparison.
func notNormal(b builder, x V, top int64) V {
	u := b.Sub(b.Bitcast(b.u, x), b.Int(b.u, 1<<b.mant))
	return b.Le(b.Int(b.u, (top+b.bias)<<b.mant), u)
}

// lowerLogWith returns a logarithm made from core. core takes a positive normal
// number and a shift that it adds to the exponent; the zero V means none.
func lowerLogWith(b builder, x V, core func(x, shift V) V) V {
	return b.Cold(notNormal(b, x, b.bias), core(x, V{}), func() V {
		zero := b.c(0)
		y := core(b.Mul(x, b.c(math.Ldexp(1, int(b.mant)+1))), b.c(float64(-b.mant-1)))
		y = b.Select(b.Eq(x, zero), b.c(math.Inf(-1)), y)
		y = b.Select(b.Lt(x, zero), b.c(math.NaN()), y)
		return b.Select(b.Lt(x, b.c(math.Ldexp(1, int(1-b.bias)))), y, x) // infinity and NaN are unchanged
	})
}

// logOf returns e log 2 + log(1 + m1).
func logOf(b builder, e, m1 V) V { return logPlus(b, e, m1, V{}) }

// logPlus returns e log 2 + log(1 + m1) + c. c is small; the zero V means 0.
func logPlus(b builder, e, m1, c V) V {
	m2 := b.Mul(m1, m1)
	p := horner2(b, m1, m2, logPoly[b.row])
	if c != (V{}) {
		t := b.Fma(m2, p, b.Fma(e, b.at(ln2Near, 1), c))
		return b.Fma(e, b.at(ln2Near, 0), b.Add(m1, t))
	}
	if b.row == 0 { // the float32 nearest to log 2 is better than most: an error of 0.06 ULP
		return b.Fma(e, b.at(ln2Near, 0), b.Fma(m2, p, m1))
	}
	t := b.Fma(m2, p, b.Mul(e, b.at(ln2Near, 1)))
	return b.Fma(e, b.at(ln2Near, 0), b.Add(m1, t))
}

func addShift(b builder, e, shift V) V {
	if shift == (V{}) {
		return e
	}
	return b.Add(e, shift)
}

func lowerLog(b builder, x ...V) V {
	return lowerLogWith(b, x[0], func(x, shift V) V {
		e, m1 := splitLog(b, x, .75)
		return logOf(b, addShift(b, e, shift), m1)
	})
}

func lowerLog2(b builder, x ...V) V {
	return lowerLogWith(b, x[0], func(x, shift V) V {
		e, m := splitLog(b, x, math.Sqrt2/2)
		m2 := b.Mul(m, m)
		t := b.Fma(m2, horner2(b, m, m2, log2Poly[b.row]), b.Mul(m, b.at(log2e, 1)))
		return b.Add(addShift(b, e, shift), b.Fma(m, b.at(log2e, 0), t))
	})
}

func lowerLog10(b builder, x ...V) V {
	return lowerLogWith(b, x[0], func(x, shift V) V {
		e, m := splitLog(b, x, math.Sqrt2/2)
		e = addShift(b, e, shift)
		m2 := b.Mul(m, m)
		t := b.Fma(e, b.at(log10of2, 1), b.Mul(m, b.at(log10e, 1)))
		t = b.Fma(m2, horner2(b, m, m2, log10Poly[b.row]), t)
		return b.Fma(e, b.at(log10of2, 0), b.Fma(m, b.at(log10e, 0), t))
	})
}

// lowerLog1p splits u = 1 + x, but computes m - 1 = x 2^-e + (2^-e - 1) from x,
// which is exact. Above 2^100, where 2^-e would become subnormal, log(1+x) is
// log x. The sign is set last, for -0.
func lowerLog1p(b builder, x ...V) V {
	one := b.c(1)
	u := b.Add(x[0], one)
	k := b.Sub(b.bits(u), b.bits(b.c(.75)))
	e := b.Shr(k, b.int(b.mant))
	s := b.float(b.Sub(b.bits(one), b.And(k, b.int(-1<<b.mant))))
	y := logOf(b, b.Cvt(b.t, e), b.Fma(x[0], s, b.Sub(s, one)))
	y = b.withSign(y, x[0])
	return b.Cold(notNormal(b, u, 100), y, func() V {
		minus := b.c(-1)
		e, m1 := splitLog(b, x[0], .75)
		y := logOf(b, e, m1)
		y = b.Select(b.Eq(x[0], minus), b.c(math.Inf(-1)), y)
		y = b.Select(b.Lt(x[0], minus), b.c(math.NaN()), y)
		return b.Select(b.Lt(x[0], b.c(math.Inf(1))), y, x[0])
	})
}
