package op

import "math"

// The inverse hyperbolic functions. Near 0, or near 1 for acosh, they are
// polynomials. Elsewhere they are logarithms of an argument that is the sum of
// two numbers.

// logOfSum returns log(hi + lo) + shift log 2, where lo is far below hi.
func logOfSum(b *B, f *format, hi, lo, shift V) V {
	e, m1 := splitLog(b, f, hi, .75)
	return logPlus(b, f, addShift(b, e, shift), m1, b.Div(lo, hi))
}

// logRoot returns log(a + sqrt(a^2 + k)) for k = 1 or -1 and a >= 1/2. The
// parts are exact sums (Knuth), and a Newton step corrects the root. If a is so
// large that k does not count, the sum is 2a.
func logRoot(b *B, f *format, a V, k float64) V {
	h := b.Mul(a, a)
	t, tl := twoSum(b, h, f.c(b, k))
	r := b.Sqrt(t)
	rest := b.Add(b.Fma(b.Neg(r), r, t), b.Add(tl, b.Fma(a, a, b.Neg(h))))
	s, sl := twoSum(b, a, r)
	sl = b.Add(sl, b.Div(rest, b.Add(r, r)))
	zero := f.c(b, 0)
	large := b.Lt(f.c(b, math.Ldexp(1, int(f.mant)/2+2)), a)
	y := logOfSum(b, f, b.Select(large, a, s), b.Select(large, zero, sl), b.Select(large, f.c(b, 1), zero))
	return b.Select(b.Lt(a, f.c(b, math.Inf(1))), y, a)
}

// twoSum returns the rounded sum and its error.
func twoSum(b *B, x, y V) (sum, err V) {
	sum = b.Add(x, y)
	z := b.Sub(sum, x)
	return sum, b.Add(b.Sub(x, b.Sub(sum, z)), b.Sub(y, z))
}

// lowerAsinh returns x + x^3 P(x^2) for |x| <= 1/2, and a logarithm beyond.
func lowerAsinh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, asinhPoly[f.row]), a)
	return f.withSign(b, b.Select(b.Lt(f.c(b, .5), a), logRoot(b, f, a, 1), small), x[0])
}

// lowerAcosh returns 2 asinh(w) for x <= 3/2, where w is the root of (x-1)/2
// with its rounding error, and a logarithm beyond. The root of a negative
// number is NaN.
func lowerAcosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	z := b.Mul(b.Sub(x[0], f.c(b, 1)), f.c(b, .5))
	w := b.Sqrt(z)
	rest := b.Div(b.Fma(b.Neg(w), w, z), b.Add(b.Add(w, w), f.c(b, math.Ldexp(1, -100)))) // not 0/0 at 1
	small := b.Add(w, b.Fma(b.Mul(w, z), horner(b, z, asinhPoly[f.row]), rest))
	return b.Select(b.Lt(f.c(b, 1.5), x[0]), logRoot(b, f, x[0], -1), b.Add(small, small))
}

// lowerAtanh returns x + x^3 P(x^2) for |x| <= 1/2, and half the logarithm of
// (1+a)/(1-a) beyond, where 1-a is exact. At 1 it is infinite, and beyond NaN.
func lowerAtanh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one := f.c(b, 1)
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, atanhPoly[f.row]), a)
	n, nl := twoSum(b, one, a)
	d := b.Sub(one, a)
	q := b.Div(n, d)
	ql := b.Div(b.Add(b.Fma(b.Neg(q), d, n), nl), d)
	y := b.Mul(logOfSum(b, f, q, ql, V{}), f.c(b, .5))
	y = b.Select(b.Lt(f.c(b, .5), a), y, small)
	return f.withSign(b, b.Select(b.Lt(a, one), y, b.Div(one, b.Sqrt(d))), x[0])
}
