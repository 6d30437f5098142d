package untyped

import (
	"math"
)

// The quantiles of the normal distribution, and the inverse of erf, begin with the quantile of
// op.Normal, and correct it by one step of Newton's method. In the centre the step compares erf
// with the operand. In the tails it compares logarithms of probabilities: the logarithm is nearly a
// square there, so the step squares a smaller error, and its own errors shrink by the square of the
// quantile.

// quantileSplit is the magnitude of x = 2p-1 where the tails begin.
const quantileSplit = .8

// quantileExp is exp(t) for t <= .83, the half square of a quantile of the centre, in the few bits
// that a correction needs.
var quantileExp = coefs{
	{1, 1, 1. / 2},
	{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120},
}

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

// lowerErfInv has the quantile of (1+x)/2, divided by the root of 2. The distance of x from 1 is
// exact in the tails.
func lowerErfInv(b *B, x ...V) V {
	f := formatOf(b, x[0])
	h := b.Fma(b.Abs(x[0]), f.c(b, -.5), f.c(b, .5))
	y, z := quantileOf(b, f, x[0], h)
	z = b.Mul(z, f.c(b, math.Sqrt2/2))
	return ends(b, f, x[0], h, b.Select(b.Le(b.Abs(x[0]), f.c(b, quantileSplit)), y, f.withSign(b, z, x[0])))
}

// lowerNDTRI has the quantile of x. The less probable side, h, is exact.
func lowerNDTRI(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one := f.c(b, 1)
	h := b.Sub(one, x[0])
	h = b.Select(b.Lt(x[0], h), x[0], h)
	u := b.Fma(x[0], f.c(b, 2), f.c(b, -1))
	y, z := quantileOf(b, f, u, h)
	least := math.Ldexp(1, int(-f.mant-2)) // of the probabilities beside an x next to 1
	z = b.Cold(b.Lt(h, f.c(b, least)), z, func() V { return farQuantile(b, f, h) })
	y = b.Select(b.Le(b.Abs(u), f.c(b, quantileSplit)), b.Mul(y, f.c(b, math.Sqrt2)), f.withSign(b, z, u))
	return ends(b, f, u, h, y)
}

// ends returns y, but infinity where the probability h of the less probable side is 0, and NaN
// where it is no probability.
func ends(b *B, f *format, x, h, y V) V {
	zero := f.c(b, 0)
	end := b.Select(b.Eq(h, zero), f.withSign(b, f.c(b, math.Inf(1)), x), f.c(b, math.NaN()))
	return b.Select(b.Lt(zero, h), y, end)
}

// quantileOf returns the inverse of erf at x for the centre, the magnitude z of the quantile of
// (1+x)/2 for the tails. h is (1-|x|)/2, with its relative accuracy.
func quantileOf(b *B, f *format, x, h V) (y, z V) {
	four := b.Mul(h, f.c(b, 4))
	s := b.Fma(four, b.Neg(h), four) // 1-x^2
	start := quantileStart(b, f, x, s)

	y = b.Mul(start, f.c(b, math.Sqrt2/2))                              // below erfSplit in the centre
	wrong := b.Mul(b.Sub(erfNear0(b, f, y), x), f.c(b, -math.SqrtPi/2)) // -0 for y = 0, so that the sum keeps the sign of y
	y = b.Fma(wrong, horner(b, b.Mul(y, y), quantileExp[f.row]), y)

	e, m1 := splitLog(b, f, h, .75)
	return y, quantileStep(b, f, b.Abs(start), b.Neg(logOf(b, f, e, m1)))
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
