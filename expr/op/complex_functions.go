package op

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
func either(cond, x, y *tree.Node) *tree.Node { return call("where", cond, x, y) }

// turn returns r*cos(y) and r*sin(y). For y = 0 the second is y, whatever r is.
func (p plane) turn(r *tree.Node) tree.Parts {
	return tree.Parts{
		Re: call("mul", r, call("cos", p.y)),
		Im: either(call("equal", p.y, p.num(0)), p.y, call("mul", r, call("sin", p.y))),
	}
}

// grow returns exp(x) as a product of two numbers, of which neither is infinite for
// any x up to twice the limit.
func grow(x *tree.Node) (a, b *tree.Node) {
	p := plane{x: x}
	at, e := p.limit()
	large := call("greater", x, p.num(at))
	return call("exp", either(large, call("sub", x, p.num(at)), x)), either(large, p.num(e), p.num(1))
}

func expComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, b := grow(p.x)
	t := p.turn(b)
	re, im := call("mul", a, t.Re), call("mul", a, t.Im)
	im = either(call("equal", p.y, p.num(0)), p.y, im)
	// For a y that has no sine, an infinite x decides.
	lost := call("logical_and", call("isinf", p.x), call("logical_not", call("isfinite", p.y)))
	rising := call("greater", p.x, p.num(0))
	re = either(lost, either(rising, p.x, p.num(0)), re)
	im = either(call("logical_and", lost, call("logical_not", rising)), p.num(0), im)
	return tree.Parts{Re: re, Im: im}
}

// logComplex has the logarithm of |z| as real part: near 1 by log1p of |z|^2 - 1, which
// is computed with the errors of both squares.
func logComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	ax, ay := call("abs", p.x), call("abs", p.y)
	hi, lo := call("maximum", ax, ay), call("minimum", ax, ay)
	xx, yy := call("mul", hi, hi), call("mul", lo, lo)
	ex, ey := call("fma", hi, hi, call("neg", xx)), call("fma", lo, lo, call("neg", yy))
	d := call("add", call("add", call("sub", xx, p.num(1)), yy), call("add", ex, ey))
	near := call("less", call("abs", d), p.num(.75))
	small, large := p.bounds()
	scale := either(call("greater", hi, p.num(large)), p.num(.5), either(call("less", hi, p.num(small)), p.num(1/small), p.num(1)))
	shift := either(call("greater", hi, p.num(large)), p.num(math.Ln2), either(call("less", hi, p.num(small)), p.num(math.Log(small)), p.num(0)))
	far := call("add", call("log", call("hypot", call("mul", p.x, scale), call("mul", p.y, scale))), shift)
	return tree.Parts{
		Re: either(near, call("mul", p.num(.5), call("log1p", d)), far),
		Im: call("atan2", p.y, p.x),
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
	hi := call("maximum", call("abs", p.x), call("abs", p.y))
	above, below := call("greater", hi, p.num(large/4)), call("less", hi, p.num(small))
	scale := either(above, p.num(1./16), either(below, p.num(1/small), p.num(1)))
	back = either(above, p.num(4), either(below, p.num(math.Sqrt(small)), p.num(1)))
	return plane{call("mul", p.x, scale), call("mul", p.y, scale)}, back
}

func sqrtComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	near, back := p.scaled()
	x, y := near.x, near.y
	t := call("sqrt", call("mul", p.num(.5), call("add", call("abs", x), call("hypot", x, y))))
	zero := call("equal", t, p.num(0))
	u := either(zero, call("abs", y), call("div", call("abs", y), call("add", t, t)))
	right := call("greater_equal", x, p.num(0))
	re := call("mul", either(right, t, u), back)
	im := call("mul", call("copysign", either(right, u, t), p.y), back)
	infinite := call("isinf", p.y)
	return tree.Parts{Re: either(infinite, call("abs", p.y), re), Im: either(infinite, p.y, im)}
}

// hyperbolic returns sinh(x) and cosh(x) divided by one factor, which is finite where
// they are not.
func (p plane) hyperbolic() (sinh, cosh, factor *tree.Node) {
	at, e := p.limit()
	ax := call("abs", p.x)
	large := call("greater", ax, p.num(at))
	half := call("exp", call("sub", ax, p.num(at)))
	return either(large, call("copysign", half, p.x), call("sinh", p.x)), either(large, half, call("cosh", p.x)), either(large, p.num(e/2), p.num(1))
}

func sinhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	sinh, cosh, factor := p.hyperbolic()
	re := call("mul", sinh, call("mul", factor, call("cos", p.y)))
	im := call("mul", cosh, call("mul", factor, call("sin", p.y)))
	im = either(call("equal", p.y, p.num(0)), p.y, im)
	// A cosine of an infinite y has no sign.
	endless := call("logical_not", call("isfinite", p.y))
	re = either(call("logical_and", call("equal", p.x, p.num(0)), endless), p.x, re)
	lost := call("logical_and", call("isinf", p.x), endless)
	return tree.Parts{Re: either(lost, p.x, re), Im: im}
}

func coshComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	sinh, cosh, factor := p.hyperbolic()
	re := call("mul", cosh, call("mul", factor, call("cos", p.y)))
	im := call("mul", sinh, call("mul", factor, call("sin", p.y)))
	// A factor that is infinite or NaN has no product with 0.
	axis := call("logical_or", call("equal", p.y, p.num(0)), call("equal", p.x, p.num(0)))
	axis = call("logical_and", axis, call("logical_not", call("logical_and", call("isfinite", sinh), call("isfinite", p.y))))
	zero := call("copysign", p.num(0), call("mul", call("copysign", p.num(1), p.x), call("copysign", p.num(1), p.y)))
	lost := call("logical_and", call("isinf", p.x), call("logical_not", call("isfinite", p.y)))
	return tree.Parts{Re: either(lost, call("abs", p.x), re), Im: either(axis, zero, im)}
}

// tanhComplex is Kahan's: of t = tan(y) and s = sinh(x). For large x it is 1 and what
// exp(-2x) leaves of the imaginary part.
func tanhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	ax := call("abs", p.x)
	large := call("greater", ax, p.num(22))
	one := p.num(1)
	t := call("tan", p.y)
	s := call("sinh", either(large, p.num(0), p.x))
	beta := call("add", one, call("mul", t, t))
	rho := call("sqrt", call("add", one, call("mul", s, s)))
	below := call("add", one, call("mul", beta, call("mul", s, s)))
	pole := call("isinf", t)
	re := call("div", call("mul", beta, call("mul", rho, s)), below)
	re = either(pole, call("div", rho, s), re)
	im := either(pole, call("div", one, t), call("div", t, below))
	decay := call("exp", call("mul", p.num(-2), ax))
	tail := call("mul", call("mul", p.num(4), call("mul", call("sin", p.y), call("cos", p.y))), decay)
	tail = either(call("logical_and", call("isinf", p.x), call("logical_not", call("isfinite", p.y))), call("copysign", p.num(0), p.y), tail)
	certain := call("logical_or", call("isinf", p.x), call("isfinite", p.y))
	re = either(call("logical_and", large, certain), call("copysign", one, p.x), re)
	im = either(large, tail, im)
	im = either(call("equal", p.y, p.num(0)), p.y, im)
	re = either(call("equal", p.x, p.num(0)), p.x, re)
	return tree.Parts{Re: re, Im: im}
}

// timesI returns i*z. The functions of circles are the hyperbolic ones of it.
func timesI(z tree.Parts) tree.Parts { return tree.Parts{Re: call("neg", z.Im), Im: z.Re} }

// overI returns -i*w.
func overI(w tree.Parts) tree.Parts { return tree.Parts{Re: w.Im, Im: call("neg", w.Re)} }

// powComplex returns x to the power y by the logarithm of x. The power 0 is 1, and 0 to
// a power with a positive real part is 0.
func powComplex(x, y tree.Parts) tree.Parts {
	p := plane{x.Re, x.Im}
	w := expComplex(mulComplex("mul", y, logComplex(x)))
	isZero := func(z tree.Parts) *tree.Node {
		return call("logical_and", call("equal", z.Re, p.num(0)), call("equal", z.Im, p.num(0)))
	}
	unit, nothing := isZero(y), isZero(x)
	positive := call("greater", y.Re, p.num(0))
	at0 := func(v *tree.Node) *tree.Node {
		return either(nothing, either(positive, p.num(0), p.num(math.NaN())), v)
	}
	return tree.Parts{Re: either(unit, p.num(1), at0(w.Re)), Im: either(unit, p.num(0), at0(w.Im))}
}
