package untyped

// lowerTanh returns x + x^3 P(x^2) for small x and 1 - 2/(exp(2|x|) + 1) for
// others. The sum exp(2|x|) + 1 is rounded once: 2^n (exp(r) - 1) + (2^n + 1).
// Both formulas are computed; a NaN comes from the first.
func lowerTanh(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	z := b.Mul(a, a)
	small := b.Fma(b.Mul(a, z), horner(b, z, tanhPoly[f.row]), a)

	// Beyond 20 tanh is 1. The minimum of the bits as integers also brings infinity
	// and NaN to 20.
	c := f.float(b, b.Min(f.bits(b, a), f.bits(b, f.c(b, 20))))
	magic := f.c(b, f.magic+float64(f.bias)) // n + bias in the low bits
	t := b.Fma(c, f.c(b, 2*log2e[f.row][0]), magic)
	n := b.Sub(t, magic)
	c = b.Fma(n, f.c(b, -ln2Near[f.row][0]), b.Add(c, c))
	if f.row != 0 {
		c = b.Fma(n, f.c(b, -ln2Near[f.row][1]), c)
	}
	s := f.float(b, b.Shl(f.bits(b, t), f.int(b, f.mant)))
	one := f.c(b, 1)
	d := b.Fma(s, expm1Of(b, f, c), b.Add(s, one))
	big := b.Sub(one, b.Div(f.c(b, 2), d))
	return f.withSign(b, b.Select(b.Lt(f.at(b, tanhSplit, 0), a), big, small), x[0])
}

// lowerSigmoid returns y = 1/(1 + exp(|x|)) for negative x and 1 - y for
// others. The denominator, times 2^-n, is dh + dl, because one part alone would
// cost a whole ULP. A Newton step corrects the quotient for dl.
func lowerSigmoid(b *B, x ...V) V {
	f := formatOf(b, x[0])
	zero, one := f.c(b, 0), f.c(b, 1)
	a := b.Abs(x[0])
	lim := f.c(b, -f.exp[0])
	a = b.Select(b.Lt(lim, a), lim, a)
	k, r := reduceExp(b, f, b.Neg(a)) // exp(|x|) = 2^-k exp(-r)
	w := b.Scale(one, k)
	q := expm1Of(b, f, b.Neg(r))
	w1 := b.Add(w, one)
	dh := b.Add(w1, q)
	var dl V
	if f.row == 0 { // w may be rounded away, an error of a quarter of an ULP
		dl = b.Add(b.Sub(w, b.Sub(dh, one)), q)
	} else {
		dl = b.Add(b.Sub(q, b.Sub(dh, w1)), b.Sub(w, b.Sub(w1, one)))
	}
	y0 := b.Div(one, dh)
	m := b.Neg(y0)
	e := b.Fma(m, dl, b.Fma(m, dh, one))
	y := b.Scale(b.Fma(y0, e, y0), k)
	return b.Select(b.Lt(x[0], zero), y, b.Sub(one, y))
}
