package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the functions of complex numbers. Their cuts and special values
// are those of annex G of C11, which NumPy has too. Where it leaves the sign of a
// result open, the sign may differ from NumPy's.

// A plane has what a function of a complex number z needs: its parts, and numbers
// of their type.
type plane struct {
	x, y *tree.Node
}

func (p plane) num(v float64) *tree.Node { return like(p.x, v) }

// limit is the greatest integer whose exponential is finite, and its exponential.
func (p plane) limit() (at, exp float64) {
	if p.x.DType() == dtype.F32 {
		return 88, math.Exp(88)
	}
	return 709, math.Exp(709)
}

// either returns x where the condition holds, else y.
func either(cond, x, y *tree.Node) *tree.Node { return Call("where", cond, x, y) }

// turn returns r*cos(y) and r*sin(y). For y = 0 the second is y, whatever r is.
func (p plane) turn(r *tree.Node) tree.Parts {
	return tree.Parts{
		Re: Call("mul", r, Call("cos", p.y)),
		Im: either(Call("equal", p.y, p.num(0)), p.y, Call("mul", r, Call("sin", p.y))),
	}
}

// grow returns exp(x) as a product of two numbers, of which neither is infinite for
// any x up to twice the limit.
func grow(x *tree.Node) (a, b *tree.Node) {
	p := plane{x: x}
	at, e := p.limit()
	large := Call("greater", x, p.num(at))
	return Call("exp", either(large, Call("sub", x, p.num(at)), x)), either(large, p.num(e), p.num(1))
}

func expComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, b := grow(p.x)
	t := p.turn(b)
	re, im := Call("mul", a, t.Re), Call("mul", a, t.Im)
	im = either(Call("equal", p.y, p.num(0)), p.y, im)
	// For a y that has no sine, an infinite x decides.
	lost := Call("logical_and", Call("isinf", p.x), Call("logical_not", Call("isfinite", p.y)))
	rising := Call("greater", p.x, p.num(0))
	re = either(lost, either(rising, p.x, p.num(0)), re)
	im = either(Call("logical_and", lost, Call("logical_not", rising)), p.num(0), im)
	return tree.Parts{Re: re, Im: im}
}

// logComplex has the logarithm of |z| as real part: near 1 by log1p of |z|^2 - 1, which
// is computed with the errors of both squares.
func logComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	ax, ay := Call("abs", p.x), Call("abs", p.y)
	hi, lo := Call("maximum", ax, ay), Call("minimum", ax, ay)
	xx, yy := Call("mul", hi, hi), Call("mul", lo, lo)
	ex, ey := Call("fma", hi, hi, Call("neg", xx)), Call("fma", lo, lo, Call("neg", yy))
	d := Call("add", Call("add", Call("sub", xx, p.num(1)), yy), Call("add", ex, ey))
	near := Call("less", Call("abs", d), p.num(.75))
	small, large := p.bounds()
	scale := either(Call("greater", hi, p.num(large)), p.num(.5), either(Call("less", hi, p.num(small)), p.num(1/small), p.num(1)))
	shift := either(Call("greater", hi, p.num(large)), p.num(math.Ln2), either(Call("less", hi, p.num(small)), p.num(math.Log(small)), p.num(0)))
	far := Call("add", Call("log", Call("hypot", Call("mul", p.x, scale), Call("mul", p.y, scale))), shift)
	return tree.Parts{
		Re: either(near, Call("mul", p.num(.5), Call("log1p", d)), far),
		Im: Call("atan2", p.y, p.x),
	}
}

// bounds returns bounds between which |z| neither loses digits nor overflows.
func (p plane) bounds() (small, large float64) {
	if p.x.DType() == dtype.F32 {
		return 0x1p-100, 0x1p126
	}
	return 0x1p-900, 0x1p1022
}

// scaled returns z brought to where its modulus neither overflows nor loses bits, by a power of
// two, and the root of what brings it back.
func (p plane) scaled() (z plane, back *tree.Node) {
	small, large := p.bounds()
	hi := Call("maximum", Call("abs", p.x), Call("abs", p.y))
	above, below := Call("greater", hi, p.num(large/4)), Call("less", hi, p.num(small))
	scale := either(above, p.num(1./16), either(below, p.num(1/small), p.num(1)))
	back = either(above, p.num(4), either(below, p.num(math.Sqrt(small)), p.num(1)))
	return plane{Call("mul", p.x, scale), Call("mul", p.y, scale)}, back
}

func sqrtComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	near, back := p.scaled()
	x, y := near.x, near.y
	t := Call("sqrt", Call("mul", p.num(.5), Call("add", Call("abs", x), Call("hypot", x, y))))
	zero := Call("equal", t, p.num(0))
	u := either(zero, Call("abs", y), Call("div", Call("abs", y), Call("add", t, t)))
	right := Call("greater_equal", x, p.num(0))
	re := Call("mul", either(right, t, u), back)
	im := Call("mul", Call("copysign", either(right, u, t), p.y), back)
	infinite := Call("isinf", p.y)
	return tree.Parts{Re: either(infinite, Call("abs", p.y), re), Im: either(infinite, p.y, im)}
}

// hyperbolic returns sinh(x) and cosh(x) divided by one factor, which is finite where
// they are not.
func (p plane) hyperbolic() (sinh, cosh, factor *tree.Node) {
	at, e := p.limit()
	ax := Call("abs", p.x)
	large := Call("greater", ax, p.num(at))
	half := Call("exp", Call("sub", ax, p.num(at)))
	return either(large, Call("copysign", half, p.x), Call("sinh", p.x)), either(large, half, Call("cosh", p.x)), either(large, p.num(e/2), p.num(1))
}

func sinhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	sinh, cosh, factor := p.hyperbolic()
	re := Call("mul", sinh, Call("mul", factor, Call("cos", p.y)))
	im := Call("mul", cosh, Call("mul", factor, Call("sin", p.y)))
	im = either(Call("equal", p.y, p.num(0)), p.y, im)
	// A cosine of an infinite y has no sign.
	endless := Call("logical_not", Call("isfinite", p.y))
	re = either(Call("logical_and", Call("equal", p.x, p.num(0)), endless), p.x, re)
	lost := Call("logical_and", Call("isinf", p.x), endless)
	return tree.Parts{Re: either(lost, p.x, re), Im: im}
}

func coshComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	sinh, cosh, factor := p.hyperbolic()
	re := Call("mul", cosh, Call("mul", factor, Call("cos", p.y)))
	im := Call("mul", sinh, Call("mul", factor, Call("sin", p.y)))
	// A factor that is infinite or NaN has no product with 0.
	axis := Call("logical_or", Call("equal", p.y, p.num(0)), Call("equal", p.x, p.num(0)))
	axis = Call("logical_and", axis, Call("logical_not", Call("logical_and", Call("isfinite", sinh), Call("isfinite", p.y))))
	zero := Call("copysign", p.num(0), Call("mul", Call("copysign", p.num(1), p.x), Call("copysign", p.num(1), p.y)))
	lost := Call("logical_and", Call("isinf", p.x), Call("logical_not", Call("isfinite", p.y)))
	return tree.Parts{Re: either(lost, Call("abs", p.x), re), Im: either(axis, zero, im)}
}

// tanhComplex is Kahan's: of t = tan(y) and s = sinh(x). For large x it is 1 and what
// exp(-2x) leaves of the imaginary part.
func tanhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	ax := Call("abs", p.x)
	large := Call("greater", ax, p.num(22))
	one := p.num(1)
	t := Call("tan", p.y)
	s := Call("sinh", either(large, p.num(0), p.x))
	beta := Call("add", one, Call("mul", t, t))
	rho := Call("sqrt", Call("add", one, Call("mul", s, s)))
	below := Call("add", one, Call("mul", beta, Call("mul", s, s)))
	pole := Call("isinf", t)
	re := Call("div", Call("mul", beta, Call("mul", rho, s)), below)
	re = either(pole, Call("div", rho, s), re)
	im := either(pole, Call("div", one, t), Call("div", t, below))
	decay := Call("exp", Call("mul", p.num(-2), ax))
	tail := Call("mul", Call("mul", p.num(4), Call("mul", Call("sin", p.y), Call("cos", p.y))), decay)
	tail = either(Call("logical_and", Call("isinf", p.x), Call("logical_not", Call("isfinite", p.y))), Call("copysign", p.num(0), p.y), tail)
	certain := Call("logical_or", Call("isinf", p.x), Call("isfinite", p.y))
	re = either(Call("logical_and", large, certain), Call("copysign", one, p.x), re)
	im = either(large, tail, im)
	im = either(Call("equal", p.y, p.num(0)), p.y, im)
	re = either(Call("equal", p.x, p.num(0)), p.x, re)
	return tree.Parts{Re: re, Im: im}
}

// timesI returns i*z. The functions of circles are the hyperbolic ones of it.
func timesI(z tree.Parts) tree.Parts { return tree.Parts{Re: Call("neg", z.Im), Im: z.Re} }

// overI returns -i*w.
func overI(w tree.Parts) tree.Parts { return tree.Parts{Re: w.Im, Im: Call("neg", w.Re)} }

// powComplex returns x to the power y by the logarithm of x. The power 0 is 1, and 0 to
// a power with a positive real part is 0.
func powComplex(x, y tree.Parts) tree.Parts {
	p := plane{x.Re, x.Im}
	w := expComplex(mulComplex("mul", y, logComplex(x)))
	isZero := func(z tree.Parts) *tree.Node {
		return Call("logical_and", Call("equal", z.Re, p.num(0)), Call("equal", z.Im, p.num(0)))
	}
	unit, nothing := isZero(y), isZero(x)
	positive := Call("greater", y.Re, p.num(0))
	at0 := func(v *tree.Node) *tree.Node {
		return either(nothing, either(positive, p.num(0), p.num(math.NaN())), v)
	}
	return tree.Parts{Re: either(unit, p.num(1), at0(w.Re)), Im: either(unit, p.num(0), at0(w.Im))}
}
