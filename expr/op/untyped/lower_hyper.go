package untyped

// sinhParts returns hi and rest. Their sum is exp(a)/4 + minus exp(-a)/4, where
// minus is 1 or -1, for a from 0 to overflowing. With a = n log 2 + r, u = 2^n/4 and w =
// minus 2^-n/4 the sum is (u + w) cosh r + (u - w) sinh r. hi is u + w, which has few bits. rest is
// added from its least term up. Only the last sum, with u r, has a large rounding error.
func sinhParts(b *B, f *format, a V, minus float64) (hi, rest V) {
	n, u := powerOf2(b, f, a, -2)
	w := inversePower(b, f, u, -4)
	less, sign := b.Sub, w
	if minus > 0 {
		less, sign = b.Add, b.Neg(w)
	}
	r1 := b.Fma(n, f.c(b, -ln2Near[f.row][0]), a) // exact
	r := b.Fma(n, f.c(b, -ln2Near[f.row][1]), r1)
	z := b.Mul(r, r)
	even, odd := split(expPoly[f.row])
	cosh := b.Mul(z, horner(b, z, even)) // cosh r - 1
	tail := b.Fma(b.Mul(r, z), horner(b, z, odd), b.Mul(n, f.c(b, -ln2Near[f.row][1])))
	hi = less(u, w)
	rest = b.Fma(sign, b.Add(r1, tail), less(b.Sub(u, hi), w))
	return hi, b.Fma(u, r1, b.Fma(u, tail, b.Fma(hi, cosh, rest)))
}

// overflowing is a bound beyond which cosh and sinh are infinite: so is twice the sum of
// sinhParts there.
func (f *format) overflowing() float64 { return f.exp[1] + .6 }

// lowerSinh returns x + x^3 P(x^2) for |x| <= 1 and (exp(|x|) - exp(-|x|))/2
// beyond.
func lowerSinh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, sinhPoly[f.row]), a)
	// The clamp works on integers. A NaN takes the other formula.
	s, rest := sinhParts(b, f, f.float(b, b.Min(f.bits(b, a), f.bits(b, f.c(b, f.overflowing())))), -1)
	big := b.Add(s, rest)
	big = b.Add(big, big)
	return f.withSign(b, b.Select(b.Lt(f.c(b, 1), a), big, small), x[0])
}

// lowerCosh returns (exp(|x|) + exp(-|x|))/2.
func lowerCosh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	limit := f.c(b, f.overflowing())
	s, rest := sinhParts(b, f, b.Select(b.Lt(limit, a), limit, a), 1)
	y := b.Add(s, rest)
	return b.Add(y, y)
}
