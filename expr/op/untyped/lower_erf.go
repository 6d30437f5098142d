package untyped

import (
	"math"
)

// lowerErf returns x + x P(x^2) for small x, and 1 + q(|x|)^3 beyond. q is the
// negated third root of erfc, which a polynomial approximates well. It is below
// 1/2 there, so its error shrinks in the third power. Both polynomials are
// centred where their rounding errors would be largest. The clamp works on
// integers. Both formulas are computed; a NaN comes from the first.
func lowerErf(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a, split := b.Abs(x[0]), f.at(b, erfSplit, 0)
	small := erfNear0(b, f, a)
	c := f.float(b, b.Min(f.bits(b, a), f.bits(b, f.at(b, erfSplit, 1))))
	q := horner(b, b.Sub(c, split), erfcRoot[f.row])
	big := b.Fma(b.Mul(q, q), q, f.c(b, 1))
	return f.withSign(b, b.Select(b.Lt(split, a), big, small), x[0])
}

// erfNear0 returns erf(x) for |x| <= erfSplit.
func erfNear0(b *B, f *format, x V) V {
	u := b.Fma(x, x, f.c(b, -erfShift[f.row][0]))
	return b.Fma(x, horner(b, u, erfPoly[f.row]), x)
}

// lowerErfc returns 1 - erf(x) for |x| <= 1/2. Beyond, it returns 2 Q(sqrt(2)
// x), or 2 minus that value at -x for negative x. docs/accuracy.md states its
// error.
func lowerErfc(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(x[0], x[0])
	one := f.c(b, 1)
	small := b.Sub(one, b.Fma(x[0], horner(b, z, erfcPoly[f.row]), x[0]))
	lim := f.c(b, math.Sqrt(-f.exp[0]))
	c := b.Select(b.Lt(lim, a), lim, a)
	m, k := normalTail(b, f, c, b.Neg(c), math.Sqrt2/2)
	m = b.Scale(b.Mul(m, f.c(b, math.Sqrt2)), k)
	big := b.Select(b.Lt(x[0], f.c(b, 0)), b.Sub(f.c(b, 2), m), m)
	return b.Select(b.Lt(f.c(b, .5), a), big, small)
}

// normalTail returns Q(t) times scale as m 2^k. Q is the upper tail of the
// normal distribution, and t = c/scale. The formula is exp(-t^2/2) P(v)/(1+t)
// with v = (t-4)/(t+4). With the factor 1+t the polynomial is nearly constant
// and does not cancel (Shepherd & Laframboise 1981). -t^2/2 is c h; the low
// part of that product is kept.
func normalTail(b *B, f *format, c, h V, scale float64) (m, k V) {
	one, four := f.c(b, 1), f.c(b, 4*scale)
	v := b.Div(b.Sub(c, four), b.Add(c, four))
	s := b.Mul(h, c)
	k, r := reduceExp(b, f, s)
	r = b.Add(r, b.Fma(h, c, b.Neg(s)))
	e := horner(b, r, expPoly[f.row], one, one)
	e = b.Div(e, b.Add(c, f.c(b, scale)))
	return b.Mul(e, horner(b, v, tailPoly[f.row])), k
}

// lowerGelu returns x Phi(x) (Hendrycks & Gimpel 2016). Phi(x) is Q(-x) for
// negative x and 1 - Q(x) for others, so that the left tail keeps its relative
// accuracy, also for subnormal results.
func lowerGelu(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a, zero := b.Abs(x[0]), f.c(b, 0)
	lim := f.c(b, math.Sqrt(-2*f.exp[0])) // beyond, the left tail is zero
	c := b.Select(b.Lt(lim, a), lim, a)
	m, k := normalTail(b, f, c, b.Mul(c, f.c(b, -.5)), 1)
	right := b.Mul(x[0], b.Sub(f.c(b, 1), b.Scale(m, k)))
	left := b.Scale(b.Mul(x[0], m), k)
	left = b.Select(b.Lt(lim, a), b.Neg(zero), left)
	return b.Select(b.Lt(x[0], zero), left, right)
}

// lowerGeluTanh returns x/(1 + exp(-2u)) = x (1 + tanh u)/2 with u = sqrt(2/pi)
// (x + 0.044715 x^3), computed as 2^-k x/(exp(r) + 2^-k). For negative x the
// relative error grows with |u|.
func lowerGeluTanh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	z := b.Mul(x[0], x[0])
	w := b.Fma(z, f.c(b, -tanhGelu3[f.row][0]), f.c(b, -tanhGelu[f.row][0]))
	v := b.Mul(x[0], w)
	low := f.c(b, -60) // below, exp(v) does not change the result
	k, r := reduceExp(b, f, b.Select(b.Lt(v, low), low, v))
	one := f.c(b, 1)
	k = b.Sub(f.int(b, 0), k)
	d := b.Add(horner(b, r, expPoly[f.row], one, one), b.Scale(one, k))
	y := b.Scale(b.Div(x[0], d), k)
	return b.Select(b.Lt(f.c(b, 8-f.exp[0]), v), f.c(b, math.Copysign(0, -1)), y)
}
