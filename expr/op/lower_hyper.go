package op

import "math"

// sinhParts are exp(a)/4 as s + s q with s a power of two, which does not
// overflow before half the results do, and exp(-a)/4.
func sinhParts(b *B, f *format, a V) (s, q, w V) {
	_, k, r := reduceExp(b, f, a)
	q = expm1Of(b, f, r)
	s = b.Scale(f.c(b, .25), k)
	w = b.Div(f.c(b, 1./16), b.Fma(s, q, s))
	return s, q, w
}

// doubled is 2y, but infinite where cosh(a) certainly is.
func doubled(b *B, f *format, y, a V) V {
	y = b.Add(y, y)
	return b.Select(b.Lt(f.c(b, f.exp[1]+.6), a), f.c(b, math.Inf(1)), y)
}

// lowerSinh is x + x^3 P(x^2) for |x| <= 1 and (exp(|x|) - exp(-|x|))/2 beyond.
func lowerSinh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, sinhPoly[f.row]), a)
	s, q, w := sinhParts(b, f, a)
	big := doubled(b, f, b.Add(s, b.Fma(s, q, b.Neg(w))), a)
	return f.withSign(b, b.Select(b.Lt(f.c(b, 1), a), big, small), x[0])
}

// lowerCosh is (exp(|x|) + exp(-|x|))/2.
func lowerCosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	s, q, w := sinhParts(b, f, a)
	return doubled(b, f, b.Add(s, b.Fma(s, q, w)), a)
}
