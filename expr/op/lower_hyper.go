package op

import "math"

// sinhParts returns hi and rest. Their sum is exp(a)/4 + minus exp(-a)/4, where
// minus is 1 or -1. With a = n log 2 + r, u = 2^n/4 and w = minus 2^-n/4 the
// sum is (u + w) cosh r + (u - w) sinh r. hi is u + w; it has few bits and
// overflows only where half the result does. rest is added from its least term
// up. Only the last sum, with u r, has a large rounding error.
func sinhParts(b *B, f *format, a V, minus float64) (hi, rest V) {
	n, k, r := reduceExp(b, f, a)
	r1 := b.Fma(n, f.c(b, -ln2Near[f.row][0]), a) // exact
	z := b.Mul(r, r)
	even, odd := split(expPoly[f.row])
	cosh := b.Mul(z, horner(b, z, even)) // cosh r - 1
	tail := b.Fma(b.Mul(r, z), horner(b, z, odd), b.Mul(n, f.c(b, -ln2Near[f.row][1])))
	u := b.Scale(f.c(b, .25), k)
	w := b.Scale(f.c(b, -minus*.25), b.Sub(f.int(b, 0), k)) // -w
	hi = b.Sub(u, w)
	rest = b.Fma(w, b.Add(r1, tail), b.Sub(b.Sub(u, hi), w))
	return hi, b.Fma(u, r1, b.Fma(u, tail, b.Fma(hi, cosh, rest)))
}

// doubled returns 2y, or infinity where cosh(a) overflows for certain.
func doubled(b *B, f *format, y, a V) V {
	y = b.Add(y, y)
	return b.Select(b.Lt(f.c(b, f.exp[1]+.6), a), f.c(b, math.Inf(1)), y)
}

// lowerSinh returns x + x^3 P(x^2) for |x| <= 1 and (exp(|x|) - exp(-|x|))/2
// beyond.
func lowerSinh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, sinhPoly[f.row]), a)
	s, rest := sinhParts(b, f, a, -1)
	big := doubled(b, f, b.Add(s, rest), a)
	return f.withSign(b, b.Select(b.Lt(f.c(b, 1), a), big, small), x[0])
}

// lowerCosh returns (exp(|x|) + exp(-|x|))/2.
func lowerCosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	s, rest := sinhParts(b, f, a, 1)
	return doubled(b, f, b.Add(s, rest), a)
}
