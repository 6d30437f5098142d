package op

import (
	"errors"
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

var errTypes = errors.New("the operands differ in type")

// lowerRsqrt returns 1/sqrt(x), corrected by a Newton step with an exact
// residual. Zero, infinity and NaN need no correction.
func lowerRsqrt(b *B, x ...V) V {
	f := formatOf(b, x[0])
	one := f.c(b, 1)
	y := b.Div(one, b.Sqrt(x[0]))
	n := b.Neg(y)
	h := b.Mul(x[0], y)
	l := b.Fma(x[0], y, b.Neg(h))
	e := b.Fma(n, l, b.Fma(n, h, one)) // 1 - x y^2
	z := b.Fma(b.Mul(y, f.c(b, .5)), e, y)
	return b.Select(b.Eq(e, e), z, y)
}

// lowerHypot returns sqrt(x^2 + y^2). float32 is computed in float64, where
// nothing overflows. float64 is scaled by a power of two. hypot(inf, NaN) is
// infinite (C99 F.10.4.3).
func lowerHypot(b *B, x ...V) V {
	f := formatOf(b, x[0])
	if x[1].Type != x[0].Type {
		b.Fail(errTypes)
		return x[0]
	}
	p, q := b.Abs(x[0]), b.Abs(x[1])
	inf := f.c(b, math.Inf(1))
	either := b.Or(b.Eq(p, inf), b.Eq(q, inf))
	if f.t == dtype.F32 {
		p, q = b.Cvt(dtype.F64, p), b.Cvt(dtype.F64, q)
		h := b.Cvt(dtype.F32, b.Sqrt(b.Fma(p, p, b.Mul(q, q))))
		return b.Select(either, inf, h)
	}
	less := b.Lt(p, q)
	big, small := b.Select(less, q, p), b.Select(less, p, q)
	k := b.Sub(f.int(b, f.bias), b.Shr(f.bits(b, big), f.int(b, f.mant)))
	big, small = b.Scale(big, k), b.Scale(small, k)
	s := b.Mul(small, small)
	sl := b.Fma(small, small, b.Neg(s))
	h2 := b.Mul(big, big)
	t := b.Add(h2, s)
	tl := b.Add(b.Sub(s, b.Sub(t, h2)), b.Add(sl, b.Fma(big, big, b.Neg(h2))))
	r := b.Sqrt(t)
	// One Newton step: r + (t + tl - r^2)/(2r). big is at least 1, or all values
	// are 0.
	e := b.Add(b.Fma(b.Neg(r), r, t), tl)
	c := b.Select(b.Lt(f.c(b, 0), r), b.Div(e, b.Add(r, r)), f.c(b, 0))
	y := b.Scale(b.Add(r, c), b.Sub(f.int(b, 0), k))
	return b.Select(either, inf, y)
}

// lowerCbrt approximates a^(-1/3) to 4% by a constant minus a third of the
// bits. Householder steps refine it, and the residual c^3 - a corrects c = a
// y^2. Zero, subnormals, infinity and NaN are cold.
func lowerCbrt(b *B, x ...V) V {
	f := formatOf(b, x[0])
	a := b.Abs(x[0])
	y := f.withSign(b, cbrtCore(b, f, a), x[0])
	return b.Cold(notNormal(b, f, a, f.bias), y, func() V {
		n := f.mant/3 + 1
		c := cbrtCore(b, f, b.Mul(a, f.c(b, math.Ldexp(1, int(3*n)))))
		c = f.withSign(b, b.Mul(c, f.c(b, math.Ldexp(1, int(-n)))), x[0])
		ok := b.And(b.Lt(f.c(b, 0), a), b.Lt(a, f.c(b, 1)))
		return b.Select(ok, c, x[0])
	})
}

func cbrtCore(b *B, f *format, a V) V {
	// The bits of y are cbrtBias less a third of those of a. The sum with 2^mant has them
	// as its low bits.
	low := f.int(b, f.width-f.mant)
	third := b.Fma(b.Cvt(f.t, b.Shr(f.bits(b, a), low)), f.c(b, -1./3), f.c(b, math.Ldexp(1, int(f.mant))+float64(cbrtBias[f.row]>>(f.width-f.mant))))
	y := f.float(b, b.Shl(f.bits(b, third), low))
	one := f.c(b, 1)
	step := func(cs ...float64) {
		t := b.Mul(b.Mul(y, y), a)
		e := b.Fma(b.Neg(t), y, one)
		p := horner(b, e, cs)
		y = b.Fma(b.Mul(y, e), p, y)
	}
	// (1-e)^(-1/3) = 1 + e/3 + 2e^2/9 + 14e^3/81 + ...
	step(1./3, 2./9)
	if f.row == 1 {
		step(1./3, 2./9, 14./81)
	}
	step(1./3, 2./9)
	y2 := b.Mul(y, y)
	c := b.Mul(a, y2)
	c2 := b.Mul(c, c)
	l := b.Fma(c, c, b.Neg(c2))
	r := b.Fma(l, c, b.Fma(c2, c, b.Neg(a)))
	return b.Fma(r, b.Mul(y2, f.c(b, -1./3)), c)
}

// cbrtBias is the constant for the best approximation: 4/3 of the exponent's
// bias, less a value that balances the error.
var cbrtBias = [2]int64{0x54a21d2a, 0x553ef0ff289dd796}

// lowerCube adds the rounding error of x^2, times x, in the last rounding. That
// product is finite below a bound beyond which the cube is infinite.
func lowerCube(b *B, x ...V) V {
	f := formatOf(b, x[0])
	h := b.Mul(x[0], x[0])
	l := b.Fma(x[0], x[0], b.Neg(h))
	y := b.Fma(h, x[0], b.Mul(l, x[0]))
	bound := math.Ldexp(1, 2*int((f.bias+1)/3+1))
	return b.Select(b.Lt(h, f.c(b, bound)), y, b.Mul(h, x[0]))
}
