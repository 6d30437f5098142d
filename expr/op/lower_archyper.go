package op

import "math"

// The inverse hyperbolic functions. Near 0, or near 1 for acosh, they are
// polynomials. Elsewhere they are logarithms of a sum of two numbers.

// halfInverse returns 1/(2r) within 2% for r >= 0, or any number for 0: a difference of
// bits is within 12%, and a Newton step squares that. It scales rounding errors.
func halfInverse(b *B, f *format, r V) V {
	y := f.float(b, b.Sub(f.int(b, inverseBias[f.row]), f.bits(b, r)))
	return b.Mul(y, b.Fma(b.Mul(r, f.c(b, -.5)), y, f.c(b, 1)))
}

// inverseBias is the constant for the best approximation: twice the exponent's bias, less a
// value that balances the error.
var inverseBias = [2]int64{0x7ef311c3, 0x7fde623822fc16e6}

// logRoot returns log(big + small + low), where the sum is a and the root of a^2 + 1 or a^2 -
// 1. If a is so large that 1 does not count, the sum is 4 times a/2.
func logRoot(b *B, f *format, a, big, small, low V) V {
	s := b.Add(big, small)
	sl := b.Add(b.Sub(big, s), small)
	large := b.Lt(f.c(b, math.Ldexp(1, int(f.mant)/2+2)), a)
	s = b.Select(large, b.Mul(a, f.c(b, .5)), s)
	sl = b.Select(large, f.c(b, 0), b.Add(sl, low))
	y := logOfSum(b, f, s, sl, b.Select(large, f.c(b, 2), f.c(b, 0)))
	return b.Select(b.Lt(a, f.c(b, math.Inf(1))), y, a)
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

// lowerAcosh returns 2 asinh(w) for x <= 33/32, where w is the root of (x-1)/2,
// and a logarithm beyond. The root of a negative number is NaN.
func lowerAcosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	big := b.Lt(f.c(b, 33./32), x[0])
	z := b.Mul(b.Sub(x[0], f.c(b, 1)), f.c(b, .5))
	minus := f.c(b, -1)
	h := b.Mul(x[0], x[0])
	t := b.Add(h, minus)
	tl := b.Add(b.Add(b.Sub(h, t), minus), b.Fma(x[0], x[0], b.Neg(h)))
	r, rl := rootParts(b, f, b.Select(big, t, z), b.Select(big, tl, f.c(b, 0)))
	small := b.Add(r, b.Fma(b.Mul(r, z), horner(b, z, asinhPoly[f.row]), rl))
	return b.Select(big, logRoot(b, f, x[0], x[0], r, rl), b.Add(small, small))
}

// lowerAtanh returns x + x^3 P(x^2) for |x| <= 1/8, and half the logarithm of
// (1+a)/(1-a) beyond. At 1 it is infinite, and beyond NaN.
// The remainder of the division is divided by 1-a only roughly.
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
	q := b.Div(n, d)
	m := b.Neg(q)
	ql := b.Add(b.Fma(m, d, n), b.Fma(m, dl, nl))
	ql = b.Mul(b.Add(ql, ql), halfInverse(b, f, d))
	y := b.Mul(logOfSum(b, f, q, ql, V{}), f.c(b, .5))
	y = b.Select(b.Lt(f.c(b, .125), a), y, small)
	y = b.Select(b.Lt(a, one), y, b.Select(b.Eq(a, one), f.c(b, math.Inf(1)), f.c(b, math.NaN())))
	return f.withSign(b, y, x[0])
}
