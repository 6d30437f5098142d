package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// lowerErf returns x + x P(x^2) for small x, and 1 + q(|x|)^3 beyond. q is the
// negated third root of erfc, which a polynomial approximates well. It is below
// 1/2 there, so its error shrinks in the third power. Both polynomials are
// centred where their rounding errors would be largest. The clamp works on
// integers. Both formulas are computed; a NaN comes from the first.
func lowerErf(b builder, x ...V) V {
	a, split := b.Abs(x[0]), b.at(erfSplit, 0)
	small := erfNear0(b, a)
	c := b.float(b.Min(b.bits(a), b.bits(b.at(erfSplit, 1))))
	q := horner(b, b.Sub(c, split), erfcRoot[b.row])
	big := b.Fma(b.Mul(q, q), q, b.c(1))
	return b.withSign(b.Select(b.Lt(split, a), big, small), x[0])
}

// erfNear0 returns erf(x) for |x| <= erfSplit.
func erfNear0(b builder, x V) V {
	u := b.Fma(x, x, b.c(-erfShift[b.row][0]))
	return b.Fma(x, horner(b, u, erfPoly[b.row]), x)
}

// lowerErfc returns 1 - erf(x) for |x| <= 1/2. Beyond, it returns 2 Q(sqrt(2)
// x), or 2 minus that value at -x for negative x. docs/accuracy.md states its
// error.
func lowerErfc(b builder, x ...V) V {
	a := b.Abs(x[0])
	z := b.Mul(x[0], x[0])
	one := b.c(1)
	small := b.Sub(one, b.Fma(x[0], horner(b, z, erfcPoly[b.row]), x[0]))
	m := normalTail(b, a, math.Sqrt2/2, b.c(0), func(m V) V { return b.Mul(m, b.c(math.Sqrt2)) })
	big := b.Select(b.Lt(x[0], b.c(0)), b.Sub(b.c(2), m), m)
	return b.Select(b.Lt(b.c(.5), a), big, small)
}

// normalTail returns Q(t) times scale, of which factor makes a multiple. Q is the upper tail of the
// normal distribution, and t = a/scale. The formula is exp(-t^2/2) P(v)/(1+t)
// with v = (t-4)/(t+4). With the factor 1+t the polynomial is nearly constant
// and does not cancel (Shepherd & Laframboise 1981). -t^2/2 is a h; the low
// part of that product is kept. The tail is more than exp(-t^2/2-5) where the exponential is a normal number. Where the tail may
// not be a normal number, which is cold, it is zero beyond a limit.
func normalTail(b builder, a V, scale float64, zero V, factor func(m V) V) V {
	one, four := b.c(1), b.c(4*scale)
	v := b.Div(b.Sub(a, four), b.Add(a, four))
	h := b.Neg(a)
	if scale == 1 {
		h = b.Mul(a, b.c(-.5))
	}
	s := b.Mul(h, a)
	n, power := powerOf2(b, s, 0)
	r := b.Add(lessLog2(b, s, n), b.Fma(h, a, b.Neg(s)))
	e := b.Div(horner(b, r, expPoly[b.row], one, one), b.Add(a, b.c(scale)))
	m := factor(b.Mul(e, horner(b, v, tailPoly[b.row])))
	limit := func(s float64) V { return b.c(scale * math.Sqrt(-2*s)) } // where the exponential is exp(s)
	q := b.Mul(m, power)
	return b.Cold(b.Lt(limit(5-b.farExp()), a), q, func() V {
		k, _ := nearestPower(b, s)
		return b.Select(b.Lt(limit(b.exp[0]), a), zero, b.Scale(m, k))
	})
}

// lowerGelu returns x Phi(x) (Hendrycks & Gimpel 2016). Phi(x) is Q(-x) for
// negative x and 1 - Q(x) for others, so that the left tail keeps its relative
// accuracy, also for subnormal results.
func lowerGelu(b builder, x ...V) V {
	a := b.Abs(x[0])
	negative := b.Lt(x[0], b.c(0))
	q := normalTail(b, a, 1, b.c(math.Copysign(0, -1)), func(m V) V { return b.Select(negative, b.Mul(x[0], m), m) })
	return b.Select(negative, q, b.Mul(x[0], b.Sub(b.c(1), q)))
}

// lowerGeluTanh returns x/(1 + exp(-2u)) = x (1 + tanh u)/2 with u = sqrt(2/pi)
// (x + 0.044715 x^3), computed as 2^-k x/(exp(r) + 2^-k). For negative x the
// relative error grows with |u|.
func lowerGeluTanh(b builder, x ...V) V {
	z := b.Mul(x[0], x[0])
	w := b.Fma(z, b.c(-tanhGelu3[b.row][0]), b.c(-tanhGelu[b.row][0]))
	v := b.Mul(x[0], w)
	low := b.c(-60) // below, exp(v) does not change the result
	k, r := reduceExp(b, b.Select(b.Lt(v, low), low, v))
	one := b.c(1)
	k = b.Sub(b.int(0), k)
	d := b.Add(horner(b, r, expPoly[b.row], one, one), b.Scale(one, k))
	y := b.Scale(b.Div(x[0], d), k)
	return b.Select(b.Lt(b.c(8-b.exp[0]), v), b.c(math.Copysign(0, -1)), y)
}

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
func lowerNDTR(b builder, x ...V) V {
	q := normalTail(b, b.Abs(x[0]), 1, b.c(0), func(m V) V { return m })
	return b.Select(b.Lt(x[0], b.c(0)), q, b.Sub(b.c(1), q))
}

// lowerErfInv has the quantile of (1+x)/2, divided by the root of 2, in the tails. The distance of x from 1 is
// exact there.
func lowerErfInv(b builder, x ...V) V {
	h := b.Fma(b.Abs(x[0]), b.c(-.5), b.c(.5))
	return quantileOf(b, x[0], h, erfInvCentre, func(z V) V { return b.Mul(z, b.c(math.Sqrt2/2)) })
}

// lowerNDTRI has the quantile of x. The less probable side, h, is exact.
func lowerNDTRI(b builder, x ...V) V {
	one := b.c(1)
	h := b.Sub(one, x[0])
	h = b.Select(b.Lt(x[0], h), x[0], h)
	u := b.Fma(x[0], b.c(2), b.c(-1))
	least := math.Ldexp(1, int(-b.mant-2)) // of the probabilities beside an x next to 1
	return quantileOf(b, u, h, quantileCentre, func(z V) V {
		return b.Select(b.Lt(h, b.c(least)), farQuantile(b, h), z)
	})
}

// quantileOf returns x times the polynomial centre in log(1-x^2) and, in the tails, what tail makes of the magnitude of
// the quantile of (1+x)/2, with the sign of x. h is (1-|x|)/2, with its relative accuracy. If h is 0, the result is
// infinite, and NaN if it is no probability.
func quantileOf(b builder, x, h V, centre coefs, tail func(z V) V) V {
	four := b.Mul(h, b.c(4))
	s := b.Fma(four, b.Neg(h), four) // 1-x^2
	e, m1 := splitLog(b, s, .75)
	t := b.Add(logOf(b, e, m1), b.c(quantileMiddle))
	y := b.Mul(x, horner2(b, t, b.Mul(t, t), centre[b.row]))
	return b.Cold(b.Lt(h, b.c(quantileSplit)), y, func() V {
		start := quantileTail(b, b.Sub(b.c(quantileMiddle), t))
		e, m1 := splitLog(b, h, .75)
		z := tail(quantileStep(b, b.Mul(b.Abs(x), start), b.Neg(logOf(b, e, m1))))
		zero := b.c(0)
		z = b.withSign(b.Select(b.Eq(h, zero), b.c(math.Inf(1)), z), x)
		return b.Select(b.Le(zero, h), z, b.c(math.NaN()))
	})
}

// quantileStep corrects a quantile z, at least 1, by the logarithm -l of the probability beyond it.
// Q(z) is exp(-z^2/2) r, where r is P(v)/(1+z) of normalTail, and Q'(z)/Q(z) is -1/(r sqrt(2 pi)).
func quantileStep(b builder, z, l V) V {
	v := b.Div(b.Sub(z, b.c(4)), b.Add(z, b.c(4)))
	r := b.Div(horner(b, v, tailPoly[b.row]), b.Add(z, b.c(1)))
	e, m1 := splitLog(b, r, .75)
	wrong := b.Sub(b.Fma(b.Mul(z, b.c(.5)), z, b.Neg(l)), logOf(b, e, m1))
	return b.Fma(b.Mul(wrong, b.c(-math.Sqrt2*math.SqrtPi)), r, z)
}

// farQuantile returns the quantile for a probability h less than 1-x for all x below 1. It begins
// with the asymptotic z^2 + 2 log z + 2/z^2 = t, where t is -2 log(h sqrt(2 pi)).
func farQuantile(b builder, h V) V {
	log := func(x V) V {
		e, m1 := splitLog(b, x, .75)
		return logOf(b, e, m1)
	}
	many := float64(b.mant + 1)
	small := b.Lt(h, b.c(math.Ldexp(1, int(1-b.bias))))
	e, m1 := splitLog(b, b.Select(small, b.Mul(h, b.c(math.Ldexp(1, int(many)))), h), .75)
	e = b.Sub(e, b.Select(small, b.c(many), b.c(0)))
	l := b.Neg(logOf(b, e, m1))
	t := b.Fma(l, b.c(2), b.c(-math.Log(2*math.Pi)))
	s := b.Sub(t, log(t))
	z := b.Sqrt(b.Sub(b.Sub(t, log(s)), b.Div(b.c(2), s)))
	return quantileStep(b, quantileStep(b, z, l), l)
}

// lowerBessel returns the lowering of the modified Bessel function of the first kind of order 0 or 1: a
// polynomial in x^2 up to 8, and beyond it exp(x)/sqrt(x) times one in 1/x. exp(x) is y 2^k there,
// because it overflows before the function does.
func lowerBessel(near, far coefs, odd bool) func(b builder, x ...V) V {
	return func(b builder, x ...V) V {
		a := b.Abs(x[0])
		y := horner(b, b.Mul(a, a), near[b.row])
		if odd {
			y = b.Mul(a, y)
		}
		y = b.Cold(b.Lt(b.c(8), a), y, func() V {
			limit := b.c(b.exp[1] + 8) // both functions are infinite there
			a := b.Select(b.Lt(limit, a), limit, a)
			u := b.Fma(b.Div(b.c(1), a), b.c(16), b.c(-1))
			k, e := expScaled(b, a, b.c(0))
			return b.Scale(b.Mul(b.Div(e, b.Sqrt(a)), horner(b, u, far[b.row])), k)
		})
		if odd {
			return b.withSign(y, x[0])
		}
		return y
	}
}

// gradI1 is i0 - i1/x. Near 0 the quotient is 1/2 + x^2/16, and i1 loses digits. Where i0 is infinite, any number does for the
// quotient. What a where does not select is finite, so that the derivative of this one has no 0 times infinity.
func gradI1(g *tree.Adjoint, _ int) *tree.Node {
	x, bound := g.Arg(0), 0x1p-12
	if x.DType() == dtype.F64 {
		bound = 0x1p-30
	}
	i0, near := g.Op("i0", x), g.Op("less", g.Op("abs", x), g.Const(bound))
	series := g.Add(g.Const(.5), g.Mul(g.Const(1./16), g.Op("square", g.Where(near, x, g.Const(0)))))
	y := g.Where(g.Op("logical_or", near, g.Op("isinf", i0)), g.Const(1), x)
	part := g.Where(near, series, g.Div(g.Op("i1", y), y))
	return g.Mul(g.Out, g.Op("sub", i0, part))
}
