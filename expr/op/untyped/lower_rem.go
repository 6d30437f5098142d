package untyped

// A division of floats x / y has the integer n below |x / y| and the remainder |x| - n|y|, which is exact.
// Both are wrong where exact is false: n has too many bits, or a result is infinite or NaN.
type division struct {
	quotient V // x / y, rounded
	n, rest  V
	exact    V
}

// maxQuotient is a bound of n. Up to it (x - fmod(x, y)) / y in floats is nearer to n than to other integers.
var maxQuotient = coefs{{1 << 20}, {1 << 49}}

// divide returns the division of two floats. The rounded quotient may be the next integer above the exact one.
// Then the remainder, which the fused operation computes exactly, is negative, and |y| is added.
func divide(b *B, x, y V) division {
	f := formatOf(b, x)
	d := division{quotient: b.Div(x, y)}
	size := b.Abs(y)
	n := b.Trunc(b.Abs(d.quotient))
	rest := b.Fma(b.Neg(n), size, b.Abs(x))
	over := b.Lt(rest, f.c(b, 0))
	d.rest = b.Select(over, b.Add(rest, size), rest)
	d.n = b.Select(over, b.Sub(n, f.c(b, 1)), n)
	d.exact = b.And(b.Lt(d.rest, size), b.Lt(n, f.at(b, maxQuotient, 0)))
	return d
}

// below returns whether the quotient is below zero and is no integer.
func (d *division) below(b *B, f *format) V {
	return b.And(b.Lt(f.c(b, 0), d.rest), b.Lt(f.bits(b, d.quotient), f.int(b, 0)))
}

// fmodFloat returns the exact remainder with the sign of x.
func fmodFloat(b *B, x ...V) V {
	f, d := formatOf(b, x[0]), divide(b, x[0], x[1])
	return b.Cold(b.Not(d.exact), f.withSign(b, d.rest, x[0]), func() V { return b.Rem(x[0], x[1]) })
}

// modFloat returns Python's remainder, which has the sign of the divisor even
// if it is zero.
func modFloat(b *B, x ...V) V {
	f, d := formatOf(b, x[0]), divide(b, x[0], x[1])
	y := b.Select(d.below(b, f), b.Sub(b.Abs(x[1]), d.rest), d.rest)
	return b.Cold(b.Not(d.exact), f.withSign(b, y, x[1]), func() V {
		r := b.Rem(x[0], x[1])
		zero := b.Like(r, 0)
		off := b.Xor(b.Lt(r, zero), b.Lt(x[1], zero))
		return b.Select(b.Eq(r, zero), lowerCopySign(b, zero, x[1]), b.Select(off, b.Add(r, x[1]), r))
	})
}

// floorDivFloat returns Python's quotient: (x - mod) / y, which is nearly an
// integer, rounded to the nearest one. Division by zero gives x / y.
func floorDivFloat(b *B, x ...V) V {
	f, d := formatOf(b, x[0]), divide(b, x[0], x[1])
	one := f.c(b, 1)
	y := f.withSign(b, d.n, d.quotient)
	y = b.Select(d.below(b, f), b.Sub(y, one), y)
	return b.Cold(b.Not(d.exact), y, func() V {
		zero := f.c(b, 0)
		r := b.Rem(x[0], x[1])
		div := b.Div(b.Sub(x[0], r), x[1])
		off := b.And(b.Ne(r, zero), b.Xor(b.Lt(r, zero), b.Lt(x[1], zero)))
		div = b.Select(off, b.Sub(div, one), div)
		down := b.Floor(div)
		down = b.Select(b.Lt(f.c(b, .5), b.Sub(div, down)), b.Add(down, one), down)
		down = b.Select(b.Eq(div, zero), lowerCopySign(b, zero, d.quotient), down)
		return b.Select(b.Eq(x[1], zero), d.quotient, down)
	})
}
