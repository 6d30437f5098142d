package untyped

import "math"

// The inverse of erf is x times a polynomial in log(1-x^2) (Giles 2010), as far as that exceeds -5. The
// quantiles of the normal distribution are made of it. In the tails they begin with the quantile of op.Normal,
// and correct it by one step of Newton's method, which compares logarithms of probabilities: the logarithm
// is nearly a square there, so the step squares a smaller error, and its own errors shrink by the square of the
// quantile.

// quantileSplit is (1-|x|)/2 where log(1-x^2) is -5.
var quantileSplit = -math.Expm1(.5*math.Log1p(-math.Exp(-normalDepth))) / 2

// quantileMiddle is what quantileCentre and erfInvCentre add to log(1-x^2).
const quantileMiddle = normalDepth / 2.

// lowerNDTR returns Q(-x) for negative x and 1 - Q(x) for others, as gelu has them.
func lowerNDTR(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a, zero, one := b.Abs(x[0]), f.c(b, 0), f.c(b, 1)
	lim := f.c(b, math.Sqrt(-2*f.exp[0])) // beyond, the tail is zero
	c := b.Select(b.Lt(lim, a), lim, a)
	m, k := normalTail(b, f, c, b.Mul(c, f.c(b, -.5)), 1)
	q := b.Scale(m, k)
	q = b.Select(b.Lt(lim, a), zero, q)
	return b.Select(b.Lt(x[0], zero), q, b.Sub(one, q))
}

// lowerErfInv has the quantile of (1+x)/2, divided by the root of 2, in the tails. The distance of x from 1 is
// exact there.
func lowerErfInv(b *B, x ...V) V {
	f := formatOf(b, x[0])
	h := b.Fma(b.Abs(x[0]), f.c(b, -.5), f.c(b, .5))
	return quantileOf(b, f, x[0], h, erfInvCentre, func(z V) V { return b.Mul(z, f.c(b, math.Sqrt2/2)) })
}

// lowerNDTRI has the quantile of x. The less probable side, h, is exact.
func lowerNDTRI(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one := f.c(b, 1)
	h := b.Sub(one, x[0])
	h = b.Select(b.Lt(x[0], h), x[0], h)
	u := b.Fma(x[0], f.c(b, 2), f.c(b, -1))
	least := math.Ldexp(1, int(-f.mant-2)) // of the probabilities beside an x next to 1
	return quantileOf(b, f, u, h, quantileCentre, func(z V) V {
		return b.Select(b.Lt(h, f.c(b, least)), farQuantile(b, f, h), z)
	})
}

// quantileOf returns x times the polynomial centre in log(1-x^2) and, in the tails, what tail makes of the magnitude of
// the quantile of (1+x)/2, with the sign of x. h is (1-|x|)/2, with its relative accuracy. If h is 0, the result is
// infinite, and NaN if it is no probability.
func quantileOf(b *B, f *format, x, h V, centre coefs, tail func(z V) V) V {
	four := b.Mul(h, f.c(b, 4))
	s := b.Fma(four, b.Neg(h), four) // 1-x^2
	e, m1 := splitLog(b, f, s, .75)
	t := b.Add(logOf(b, f, e, m1), f.c(b, quantileMiddle))
	y := b.Mul(x, horner2(b, t, b.Mul(t, t), centre[f.row]))
	return b.Cold(b.Lt(h, f.c(b, quantileSplit)), y, func() V {
		start := quantileTail(b, f, b.Sub(f.c(b, quantileMiddle), t))
		e, m1 := splitLog(b, f, h, .75)
		z := tail(quantileStep(b, f, b.Mul(b.Abs(x), start), b.Neg(logOf(b, f, e, m1))))
		zero := f.c(b, 0)
		z = f.withSign(b, b.Select(b.Eq(h, zero), f.c(b, math.Inf(1)), z), x)
		return b.Select(b.Le(zero, h), z, f.c(b, math.NaN()))
	})
}

// quantileStep corrects a quantile z, at least 1, by the logarithm -l of the probability beyond it.
// Q(z) is exp(-z^2/2) r, where r is P(v)/(1+z) of normalTail, and Q'(z)/Q(z) is -1/(r sqrt(2 pi)).
func quantileStep(b *B, f *format, z, l V) V {
	v := b.Div(b.Sub(z, f.c(b, 4)), b.Add(z, f.c(b, 4)))
	r := b.Div(horner(b, v, tailPoly[f.row]), b.Add(z, f.c(b, 1)))
	e, m1 := splitLog(b, f, r, .75)
	wrong := b.Sub(b.Fma(b.Mul(z, f.c(b, .5)), z, b.Neg(l)), logOf(b, f, e, m1))
	return b.Fma(b.Mul(wrong, f.c(b, -math.Sqrt2*math.SqrtPi)), r, z)
}

// farQuantile returns the quantile for a probability h less than 1-x for all x below 1. It begins
// with the asymptotic z^2 + 2 log z + 2/z^2 = t, where t is -2 log(h sqrt(2 pi)).
func farQuantile(b *B, f *format, h V) V {
	log := func(x V) V {
		e, m1 := splitLog(b, f, x, .75)
		return logOf(b, f, e, m1)
	}
	many := float64(f.mant + 1)
	small := b.Lt(h, f.c(b, math.Ldexp(1, int(1-f.bias))))
	e, m1 := splitLog(b, f, b.Select(small, b.Mul(h, f.c(b, math.Ldexp(1, int(many)))), h), .75)
	e = b.Sub(e, b.Select(small, f.c(b, many), f.c(b, 0)))
	l := b.Neg(logOf(b, f, e, m1))
	t := b.Fma(l, f.c(b, 2), f.c(b, -math.Log(2*math.Pi)))
	s := b.Sub(t, log(t))
	z := b.Sqrt(b.Sub(b.Sub(t, log(s)), b.Div(f.c(b, 2), s)))
	return quantileStep(b, f, quantileStep(b, f, z, l), l)
}
