package untyped

import (
	"math"
)

// The gamma function, its logarithm and its logarithmic derivative share their reduction. From 3/4
// to 5/2 the logarithm is a polynomial times the distances from its zeros, 1 and 2. Below, it is the
// logarithm of gamma(x + 1) less the logarithm of x. Above, it is Stirling's formula with a polynomial in 1/x^2, where
// the logarithm and its product with x have two parts. Negative arguments are reflected, in cold
// regions.

// pi has the number in two parts.
var pi = coefs{
	{0x1.921fb6p+1, -0x1.777a5cf72cecep-24},
	{math.Pi, 0x1.1a62633145c07p-53},
}

// gammaHalf is where the polynomials of the gamma functions are centred.
const gammaHalf = 13. / 8

// A gammaArgument is the reduction of a positive argument a.
type gammaArgument struct {
	small, near V // whether a is below 3/4, and below 5/2
	y1, u       V // y-1 and y-13/8, where y is a, or a+1 if a is small
	inv, z      V // 1/a and its square
}

func gammaReduce(b builder, a V) gammaArgument {
	one := b.c(1)
	g := gammaArgument{small: b.Lt(a, b.c(.75)), near: b.Lt(a, b.c(2.5)), inv: b.Div(one, a)}
	g.y1 = b.Select(g.small, a, b.Sub(a, one))
	g.u = b.Sub(g.y1, b.c(gammaHalf-1))
	g.z = b.Mul(g.inv, g.inv)
	return g
}

// logGamma returns the logarithm of gamma(y) for a near a, and what Stirling's formula lacks for
// others.
func (g gammaArgument) logGamma(b builder) (near, far V) {
	q := b.Mul(horner4(b, g.u, gammaNear[b.row]), b.Sub(g.y1, b.c(1)))
	near = b.Fma(q, g.y1, b.c(0)) // +0 at 1
	return near, b.Mul(g.inv, horner(b, g.z, gammaFar[b.row]))
}

// stirling returns (a-1/2) log a - a as a sum, for a of at least 5/2.
func stirling(b builder, a, hi, lo V) (s, low V) {
	t, tl := timesParts(b, b.Sub(a, b.c(.5)), hi, lo)
	s = b.Sub(t, a) // exact for small a; others are below t
	return s, b.Add(b.Sub(b.Sub(t, s), a), tl)
}

// lowerLogGamma reflects by log(pi/sin(pi a)) - log(gamma(1+a)) for x = -a.
func lowerLogGamma(b builder, x ...V) V {
	zero, one := b.c(0), b.c(1)
	negative := b.Lt(x[0], zero)
	a := b.Select(negative, b.Sub(one, x[0]), x[0])
	hi, lo := logParts(b, a, V{})
	g := gammaReduce(b, a)
	near, far := g.logGamma(b)
	s, low := stirling(b, a, hi, lo)
	low = b.Select(b.Eq(s, b.c(math.Inf(1))), zero, low)
	far = b.Add(b.Add(s, b.c(stirlingLog)), b.Add(low, far))
	y := b.Select(g.near, b.Select(g.small, b.Sub(b.Sub(near, hi), lo), near), far)
	return b.Cold(notNormal(b, x[0], b.bias), y, func() V {
		sin, _, _ := sinPi(b, b.Neg(x[0]))
		d := b.Select(negative, b.Mul(b.Abs(sin), b.c(1/math.Pi)), x[0])
		tiny := b.Lt(d, b.c(math.Ldexp(1, int(1-b.bias))))
		m := b.Select(tiny, b.Mul(d, b.c(math.Ldexp(1, int(b.mant+1)))), d)
		hi, lo := logParts(b, m, b.Select(tiny, b.c(float64(-b.mant-1)), zero))
		v := b.Sub(b.Sub(b.Select(negative, b.Neg(y), zero), hi), lo)
		inf := b.c(math.Inf(1))
		v = b.Select(b.Or(b.Eq(d, zero), b.Eq(b.Abs(x[0]), inf)), inf, v)
		return b.Select(b.Ne(x[0], x[0]), x[0], v)
	})
}

// stirlingLog is log(2 pi)/2.
const stirlingLog = 0.91893853320467274178032973640562

// sinPi returns the sine of pi x, and the cosine, with the sign that makes the tangent right. It
// returns the nearest integer of x too. Both are NaN for infinite x.
func sinPi(b builder, x V) (sin, cos, n V) {
	n = b.Rint(x)
	r := b.Sub(x, n)
	a := b.Abs(r)
	flip := b.Lt(b.c(.25), a)
	a = b.Select(flip, b.Sub(b.c(.5), a), a)
	high := b.at(pi, 0)
	t := b.Mul(a, high)
	d := b.Neg(b.Fma(a, b.at(pi, 1), b.Fma(a, high, b.Neg(t))))
	s, c := sinCosOf(b, t, d)
	sin, cos = b.Select(flip, c, s), b.Select(flip, s, c)
	return b.Select(b.Lt(r, b.c(0)), b.Neg(sin), sin), cos, n
}

// gammaLimits are numbers whose gamma function is infinite, and whose reflection is 0.
var gammaLimits = [2]float64{48, 200}

// lowerGamma returns exp of a short logarithm for small arguments, and Stirling's formula, as y 2^k,
// for others. For x = -a it returns pi/(a sin(pi a) gamma(a)).
func lowerGamma(b builder, x ...V) V {
	zero, one := b.c(0), b.c(1)
	mag := b.Abs(x[0])
	limit := b.c(gammaLimits[b.row])
	a := b.Select(b.Lt(limit, mag), limit, mag)
	g := gammaReduce(b, a)
	near, far := g.logGamma(b)
	e := horner(b, b.Select(g.near, near, far), expPoly[b.row], one, one)
	hi, lo := logParts(b, a, V{})
	s, low := stirling(b, a, hi, lo)
	k, power := expScaled(b, b.Select(g.near, zero, s), b.Select(g.near, zero, low))
	far = b.Mul(b.Mul(power, b.c(math.Sqrt2*math.SqrtPi)), e)
	small := b.Div(e, a)
	y := b.Select(g.near, b.Select(g.small, small, e), b.Scale(far, k))
	return b.Cold(notNormal(b, x[0], b.bias), y, func() V {
		sin, _, n := sinPi(b, mag)
		half := b.Mul(n, b.c(.5))
		odd := b.Ne(b.Rint(half), half)
		sin = b.Select(odd, sin, b.Neg(sin))
		d := b.Select(g.near, b.Select(g.small, e, b.Mul(mag, e)), b.Mul(mag, far))
		v := b.Scale(b.Div(b.c(math.Pi), b.Mul(sin, d)), b.Sub(b.int(0), b.Select(g.near, b.int(0), k)))
		v = b.Select(b.Eq(sin, zero), b.c(math.NaN()), v)
		v = b.Select(b.Lt(x[0], zero), v, b.Select(b.Lt(mag, one), b.Div(e, x[0]), x[0]))
		return v
	})
}

// lowerDigamma returns the polynomial times the distance from the zero, less 1/x for small x, or the
// asymptotic formula. For x = -a it returns the value at 1+a plus pi/tan(pi a).
func lowerDigamma(b builder, x ...V) V {
	zero, one := b.c(0), b.c(1)
	negative := b.Lt(x[0], zero)
	a := b.Select(negative, b.Sub(one, x[0]), x[0])
	g := gammaReduce(b, a)
	from := b.Sub(b.Sub(g.y1, b.at(digammaZero, 0)), b.at(digammaZero, 1))
	near := b.Mul(from, horner4(b, g.u, digammaNear[b.row]))
	e, m1 := splitLog(b, a, .75)
	rest := b.Fma(g.inv, b.c(.5), b.Mul(g.z, horner(b, g.z, digammaFar[b.row])))
	y := b.Select(g.near, b.Select(g.small, b.Sub(near, g.inv), near), b.Sub(logOf(b, e, m1), rest))
	return b.Cold(notNormal(b, x[0], b.bias), y, func() V {
		sin, cos, _ := sinPi(b, b.Neg(x[0]))
		v := b.Add(y, b.Div(b.Mul(b.c(math.Pi), cos), sin))
		v = b.Select(b.Eq(sin, zero), b.c(math.NaN()), v)
		v = b.Select(negative, v, b.Select(b.Lt(x[0], one), b.Neg(b.Div(one, x[0])), x[0]))
		return v
	})
}

// polygammaTerms and bernoulli are the numbers of terms that are added one by one, and the numbers of
// Bernoulli for those that follow.
var (
	polygammaTerms = [2]int{4, 10}
	bernoulli      = coefs{
		{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66},
		{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510},
	}
)

// lowerPolygamma returns the lowering of derivative n of digamma, for n of at least 1. For x = -a the
// derivative at 1+a is added to the one of pi/tan(pi a).
func lowerPolygamma(n int) func(b builder, x ...V) V {
	return func(b builder, x ...V) V {
		reflected := b.Le(x[0], b.c(0))
		y := polygammaSum(b, b.Select(reflected, b.Sub(b.c(1), x[0]), x[0]), n)
		if n%2 == 0 {
			y = b.Neg(y)
		}
		return b.Cold(reflected, y, func() V {
			sin, cos, _ := sinPi(b, b.Neg(x[0]))
			y := b.Add(y, cotDerivative(b, b.Div(cos, sin), n))
			if n%2 == 1 {
				y = b.Neg(y)
			}
			return y
		})
	}
}

// polygammaSum returns n! times the sum of 1/(a+k)^(n+1) for all k from 0 on.
func polygammaSum(b builder, a V, n int) V {
	power := func(x V) V {
		y := x
		for range n - 1 {
			y = b.Mul(y, x)
		}
		return y
	}
	factorial := math.Gamma(float64(n))
	terms := polygammaTerms[b.row]
	inv := b.Div(b.c(1), b.Add(a, b.c(float64(terms))))
	var series []float64
	for i, v := range bernoulli[b.row] {
		rising := 1. // (2k+n-1)!/(2k)!, where k is i+1
		for j := 2*i + 3; j < 2*i+2+n; j++ {
			rising *= float64(j)
		}
		series = append(series, v*rising)
	}
	z := b.Mul(inv, inv)
	sum := b.Mul(power(inv), b.Add(b.c(factorial), b.Fma(z, horner(b, z, series), b.Mul(inv, b.c(factorial*float64(n)/2)))))
	for k := terms - 1; k >= 0; k-- {
		t := b.Div(b.c(1), b.Add(a, b.c(float64(k))))
		t = b.Mul(t, power(t))
		if n > 1 {
			t = b.Mul(t, b.c(factorial*float64(n)))
		}
		sum = b.Add(sum, t)
	}
	return sum
}

// cotDerivative returns derivative n of pi/tan(pi a) by a, where c is 1/tan(pi a): a polynomial in c,
// which follows from the derivative -pi (1+c^2) of c.
func cotDerivative(b builder, c V, n int) V {
	p := []float64{0, math.Pi}
	for range n {
		next := make([]float64, len(p)+1)
		for i := 1; i < len(p); i++ {
			next[i-1] -= math.Pi * float64(i) * p[i]
			next[i+1] -= math.Pi * float64(i) * p[i]
		}
		p = next
	}
	return horner(b, c, p)
}
