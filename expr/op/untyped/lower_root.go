package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

// lowerRsqrt returns 1/sqrt(x), corrected by a Newton step with an exact
// residual. Zero, infinity and NaN need no correction.
func lowerRsqrt(b builder, x ...V) V {
	one := b.c(1)
	y := b.Div(one, b.Sqrt(x[0]))
	n := b.Neg(y)
	h := b.Mul(x[0], y)
	l := b.Fma(x[0], y, b.Neg(h))
	e := b.Fma(n, l, b.Fma(n, h, one)) // 1 - x y^2
	z := b.Fma(b.Mul(y, b.c(.5)), e, y)
	return b.Select(b.Eq(e, e), z, y)
}

// lowerHypot returns sqrt(x^2 + y^2). hypot(inf, NaN) is infinite (C99 F.10.4.3); infinities and NaN are
// cold. So are sums of squares that lose digits or overflow, and those that are 0.
func lowerHypot(b builder, x ...V) V {
	inf := b.c(math.Inf(1))
	infinite := func(y V) V { return b.Select(b.Or(b.Eq(b.Abs(x[0]), inf), b.Eq(b.Abs(x[1]), inf)), inf, y) }
	t, y := rootOfSquares(b, x[0], x[1])
	lo, hi := int64(-900), int64(1000) // exponents of t
	if b.t == dtype.F32 {
		lo, hi = -90, 120
	}
	far := b.Le(b.Int(b.u, (hi-lo)<<b.mant), b.Sub(b.Bitcast(b.u, t), b.Int(b.u, (b.bias+lo)<<b.mant)))
	return b.Cold(far, y, func() V {
		p, q := b.Abs(x[0]), b.Abs(x[1])
		big := b.Select(b.Lt(p, q), q, p)
		k := b.Sub(b.int(b.bias), b.Shr(b.bits(big), b.int(b.mant)))
		_, y := rootOfSquares(b, b.Scale(p, k), b.Scale(q, k))
		return infinite(b.Scale(y, b.Sub(b.int(0), k)))
	})
}

// rootOfSquares returns x^2 + y^2 and its root. The remainder has the rounding errors of
// y^2 and of the root, and a rough reciprocal divides it.
func rootOfSquares(b builder, x, y V) (t, r V) {
	h := b.Mul(y, y)
	t = b.Fma(x, x, h)
	l := b.Fma(y, y, b.Neg(h))
	r = b.Sqrt(t)
	e := b.Add(b.Fma(b.Neg(r), r, t), l)
	return t, b.Fma(e, roughHalf(b, r), r)
}

// lowerCbrt approximates |x|^(-1/3) to 4% by a constant minus a third of the bits. Householder steps
// refine it, and the residual c^3 - x corrects c = x y^2. Zero, subnormals, infinity and NaN are cold.
func lowerCbrt(b builder, x ...V) V {
	a := b.Abs(x[0])
	return b.Cold(notNormal(b, a, b.bias), cbrtCore(b, x[0], a), func() V {
		n := b.mant/3 + 1
		scale := b.c(math.Ldexp(1, int(3*n)))
		c := b.Mul(cbrtCore(b, b.Mul(x[0], scale), b.Mul(a, scale)), b.c(math.Ldexp(1, int(-n))))
		ok := b.And(b.Lt(b.c(0), a), b.Lt(a, b.c(1)))
		return b.Select(ok, c, x[0])
	})
}

// cbrtCore returns the root of x, whose magnitude a is normal.
func cbrtCore(b builder, x, a V) V {
	// The bits of y are cbrtBias less a third of those of a. The sum with 2^mant has them
	// as its low bits.
	low, one := b.width-b.mant, b.c(1)
	third := b.Fma(b.Cvt(b.t, b.bits(a)), b.c(math.Ldexp(-1./3, int(-low))), b.c(math.Ldexp(1, int(b.mant))+float64(cbrtBias[b.row]>>low)))
	y := b.float(b.Shl(b.bits(third), b.int(low)))
	// e is 1 - a y^3, so the root is a y^2 (1-e)^(-2/3).
	rest := func(y2 V) V { return b.Fma(b.Neg(b.Mul(a, y2)), y, one) }
	cs := cbrtPoly[b.row]
	if b.row == 1 {
		e := rest(b.Mul(y, y))
		y = b.Fma(b.Mul(y, e), horner(b, e, cs), y)
		cs = []float64{2. / 3}
	}
	y2 := b.Mul(y, y)
	e := rest(y2)
	w := horner(b, e, cs, one)
	y2 = b.Mul(y2, w)
	c := b.Mul(x, y2)
	c2 := b.Mul(c, c)
	l := b.Fma(c, c, b.Neg(c2))
	r := b.Fma(l, c, b.Fma(c2, c, b.Neg(x)))
	return b.Fma(r, b.Mul(y2, b.c(-1./3)), c)
}

// cbrtBias is the constant for the best approximation: 4/3 of the exponent's
// bias, less a value that balances the error.
var cbrtBias = [2]int64{0x54a21d2a, 0x553ef0ff289dd796}

// lowerCube adds the rounding error of x^2, times x, in the last rounding. x^2 counts as no more than a bound from which on the
// cube is infinite: then the rest is not negative, and no sum is a difference of infinities.
func lowerCube(b builder, x ...V) V {
	bound := b.c(math.Ldexp(1, 2*int((b.bias+1)/3+1)))
	h := b.Mul(x[0], x[0])
	h = b.Select(b.Lt(h, bound), h, bound)
	l := b.Fma(x[0], x[0], b.Neg(h))
	return b.Fma(h, x[0], b.Mul(l, x[0]))
}

// lowerInverseSquare divides 1 by x^2, and corrects that by the rounding errors of the square and of the
// quotient. Where one of them is no normal number, which is cold, a power of 2 is taken out of x.
func lowerInverseSquare(b builder, x ...V) V {
	h, y, e := inverseOfSquare(b, x[0])
	lo, hi := b.mant-b.bias+2, b.bias-2 // exponents of h
	far := b.Le(b.Int(b.u, (hi-lo)<<b.mant), b.Sub(b.Bitcast(b.u, h), b.Int(b.u, (b.bias+lo)<<b.mant)))
	return b.Cold(far, b.Fma(y, e, y), func() V {
		a := b.Abs(x[0])
		k := b.Sub(b.int(b.bias), b.Shr(b.bits(a), b.int(b.mant)))
		_, y, e := inverseOfSquare(b, b.Scale(a, k))
		y = b.Select(b.Eq(e, e), b.Fma(y, e, y), y) // 0, infinity and NaN have no error
		return b.Scale(y, b.Add(k, k))
	})
}

// inverseOfSquare returns the rounded square of x, the rounded inverse of that, and the relative error of the inverse.
func inverseOfSquare(b builder, x V) (h, y, e V) {
	h = b.Mul(x, x)
	l := b.Fma(x, x, b.Neg(h))
	one := b.c(1)
	y = b.Div(one, h)
	return h, y, b.Fma(b.Neg(l), y, b.Fma(b.Neg(h), y, one))
}
