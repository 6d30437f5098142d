package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the functions of complex numbers. Their cuts and special values
// follow annex G of C11, as NumPy's do. Where it leaves the sign of a
// result open, the sign may differ from NumPy's.

// limitOf returns the greatest integer whose exponential is finite, and its exponential.
func limitOf(x *tree.Node) (at, exp float64) {
	if x.DType() == dtype.F32 {
		return 88, math.Exp(88)
	}
	return 709, math.Exp(709)
}

// either returns x where the condition holds, else y.
func either(cond, x, y *tree.Node) *tree.Node { return Call("where", cond, x, y) }

// polar returns r*cos(y) and r*sin(y) for z = x+iy. For y = 0 the second is y, whatever r is.
func polar(z tree.Parts, r *tree.Node) tree.Parts {
	return tree.Parts{
		Re: Call("mul", r, Call("cos", z.Im)),
		Im: either(Call("equal", z.Im, like(z.Re, 0)), z.Im, Call("mul", r, Call("sin", z.Im))),
	}
}

// grow returns exp(x) as a product of two numbers, of which neither is infinite for
// any x up to twice the limit.
func grow(x *tree.Node) (a, b *tree.Node) {
	at, e := limitOf(x)
	large := Call("greater", x, like(x, at))
	return Call("exp", either(large, Call("sub", x, like(x, at)), x)), either(large, like(x, e), like(x, 1))
}

func expComplex(z tree.Parts) tree.Parts {
	a, b := grow(z.Re)
	t := polar(z, b)
	re, im := Call("mul", a, t.Re), Call("mul", a, t.Im)
	im = either(Call("equal", z.Im, like(z.Re, 0)), z.Im, im)
	// For a y that has no sine, an infinite x decides.
	lost := Call("logical_and", Call("isinf", z.Re), Call("logical_not", Call("isfinite", z.Im)))
	rising := Call("greater", z.Re, like(z.Re, 0))
	re = either(lost, either(rising, z.Re, like(z.Re, 0)), re)
	im = either(Call("logical_and", lost, Call("logical_not", rising)), like(z.Re, 0), im)
	return tree.Parts{Re: re, Im: im}
}

// logComplex has the logarithm of |z| as real part: near 1 by log1p of |z|^2 - 1, which
// is computed with the errors of both squares.
func logComplex(z tree.Parts) tree.Parts {
	ax, ay := Call("abs", z.Re), Call("abs", z.Im)
	hi, lo := Call("maximum", ax, ay), Call("minimum", ax, ay)
	xx, yy := Call("mul", hi, hi), Call("mul", lo, lo)
	ex, ey := Call("fma", hi, hi, Call("neg", xx)), Call("fma", lo, lo, Call("neg", yy))
	d := Call("add", Call("add", Call("sub", xx, like(z.Re, 1)), yy), Call("add", ex, ey))
	near := Call("less", Call("abs", d), like(z.Re, .75))
	small, large := bounds(z)
	scale := either(Call("greater", hi, like(z.Re, large)), like(z.Re, .5), either(Call("less", hi, like(z.Re, small)), like(z.Re, 1/small), like(z.Re, 1)))
	shift := either(Call("greater", hi, like(z.Re, large)), like(z.Re, math.Ln2), either(Call("less", hi, like(z.Re, small)), like(z.Re, math.Log(small)), like(z.Re, 0)))
	far := Call("add", Call("log", Call("hypot", Call("mul", z.Re, scale), Call("mul", z.Im, scale))), shift)
	return tree.Parts{
		Re: either(near, Call("mul", like(z.Re, .5), Call("log1p", d)), far),
		Im: Call("atan2", z.Im, z.Re),
	}
}

// bounds returns bounds between which |z| neither loses digits nor overflows.
func bounds(z tree.Parts) (small, large float64) {
	if z.Re.DType() == dtype.F32 {
		return 0x1p-100, 0x1p126
	}
	return 0x1p-900, 0x1p1022
}

// inRange returns z times a power of two with which the modulus neither overflows nor loses bits,
// and the root of the inverse of that power.
func inRange(z tree.Parts) (near tree.Parts, back *tree.Node) {
	small, large := bounds(z)
	hi := Call("maximum", Call("abs", z.Re), Call("abs", z.Im))
	above, below := Call("greater", hi, like(z.Re, large/4)), Call("less", hi, like(z.Re, small))
	scale := either(above, like(z.Re, 1./16), either(below, like(z.Re, 1/small), like(z.Re, 1)))
	back = either(above, like(z.Re, 4), either(below, like(z.Re, math.Sqrt(small)), like(z.Re, 1)))
	return tree.Parts{Re: Call("mul", z.Re, scale), Im: Call("mul", z.Im, scale)}, back
}

func sqrtComplex(z tree.Parts) tree.Parts {
	near, back := inRange(z)
	x, y := near.Re, near.Im
	t := Call("sqrt", Call("mul", like(z.Re, .5), Call("add", Call("abs", x), Call("hypot", x, y))))
	zero := Call("equal", t, like(z.Re, 0))
	u := either(zero, Call("abs", y), Call("div", Call("abs", y), Call("add", t, t)))
	right := Call("greater_equal", x, like(z.Re, 0))
	re := Call("mul", either(right, t, u), back)
	im := Call("mul", Call("copysign", either(right, u, t), z.Im), back)
	infinite := Call("isinf", z.Im)
	return tree.Parts{Re: either(infinite, Call("abs", z.Im), re), Im: either(infinite, z.Im, im)}
}

// hyperbolic returns sinh(x) and cosh(x) divided by one factor, which is finite where
// they are not.
func hyperbolic(z tree.Parts) (sinh, cosh, factor *tree.Node) {
	at, e := limitOf(z.Re)
	ax := Call("abs", z.Re)
	large := Call("greater", ax, like(z.Re, at))
	half := Call("exp", Call("sub", ax, like(z.Re, at)))
	return either(large, Call("copysign", half, z.Re), Call("sinh", z.Re)), either(large, half, Call("cosh", z.Re)), either(large, like(z.Re, e/2), like(z.Re, 1))
}

func sinhComplex(z tree.Parts) tree.Parts {
	sinh, cosh, factor := hyperbolic(z)
	re := Call("mul", sinh, Call("mul", factor, Call("cos", z.Im)))
	im := Call("mul", cosh, Call("mul", factor, Call("sin", z.Im)))
	im = either(Call("equal", z.Im, like(z.Re, 0)), z.Im, im)
	// A cosine of an infinite y has no sign.
	endless := Call("logical_not", Call("isfinite", z.Im))
	re = either(Call("logical_and", Call("equal", z.Re, like(z.Re, 0)), endless), z.Re, re)
	lost := Call("logical_and", Call("isinf", z.Re), endless)
	return tree.Parts{Re: either(lost, z.Re, re), Im: im}
}

func coshComplex(z tree.Parts) tree.Parts {
	sinh, cosh, factor := hyperbolic(z)
	re := Call("mul", cosh, Call("mul", factor, Call("cos", z.Im)))
	im := Call("mul", sinh, Call("mul", factor, Call("sin", z.Im)))
	// A factor that is infinite or NaN has no product with 0.
	axis := Call("logical_or", Call("equal", z.Im, like(z.Re, 0)), Call("equal", z.Re, like(z.Re, 0)))
	axis = Call("logical_and", axis, Call("logical_not", Call("logical_and", Call("isfinite", sinh), Call("isfinite", z.Im))))
	zero := Call("copysign", like(z.Re, 0), Call("mul", Call("copysign", like(z.Re, 1), z.Re), Call("copysign", like(z.Re, 1), z.Im)))
	lost := Call("logical_and", Call("isinf", z.Re), Call("logical_not", Call("isfinite", z.Im)))
	return tree.Parts{Re: either(lost, Call("abs", z.Re), re), Im: either(axis, zero, im)}
}

// tanhComplex is Kahan's: of t = tan(y) and s = sinh(x). For large x it is 1 and what
// exp(-2x) leaves of the imaginary part.
func tanhComplex(z tree.Parts) tree.Parts {
	ax := Call("abs", z.Re)
	large := Call("greater", ax, like(z.Re, 22))
	one := like(z.Re, 1)
	t := Call("tan", z.Im)
	s := Call("sinh", either(large, like(z.Re, 0), z.Re))
	beta := Call("add", one, Call("mul", t, t))
	rho := Call("sqrt", Call("add", one, Call("mul", s, s)))
	below := Call("add", one, Call("mul", beta, Call("mul", s, s)))
	pole := Call("isinf", t)
	re := Call("div", Call("mul", beta, Call("mul", rho, s)), below)
	re = either(pole, Call("div", rho, s), re)
	im := either(pole, Call("div", one, t), Call("div", t, below))
	decay := Call("exp", Call("mul", like(z.Re, -2), ax))
	tail := Call("mul", Call("mul", like(z.Re, 4), Call("mul", Call("sin", z.Im), Call("cos", z.Im))), decay)
	tail = either(Call("logical_and", Call("isinf", z.Re), Call("logical_not", Call("isfinite", z.Im))), Call("copysign", like(z.Re, 0), z.Im), tail)
	certain := Call("logical_or", Call("isinf", z.Re), Call("isfinite", z.Im))
	re = either(Call("logical_and", large, certain), Call("copysign", one, z.Re), re)
	im = either(large, tail, im)
	im = either(Call("equal", z.Im, like(z.Re, 0)), z.Im, im)
	re = either(Call("equal", z.Re, like(z.Re, 0)), z.Re, re)
	return tree.Parts{Re: re, Im: im}
}

// timesI returns i*z. The functions of circles are the hyperbolic ones of it.
func timesI(z tree.Parts) tree.Parts { return tree.Parts{Re: Call("neg", z.Im), Im: z.Re} }

// overI returns -i*w.
func overI(w tree.Parts) tree.Parts { return tree.Parts{Re: w.Im, Im: Call("neg", w.Re)} }

// powComplex returns x to the power y by the logarithm of x. The power 0 is 1, and 0 to
// a power with a positive real part is 0.
func powComplex(x, y tree.Parts) tree.Parts {
	w := expComplex(mulComplex("mul", y, logComplex(x)))
	unit, nothing := isZero(y), isZero(x)
	positive := Call("greater", y.Re, like(x.Re, 0))
	at0 := func(v *tree.Node) *tree.Node {
		return either(nothing, either(positive, like(x.Re, 0), like(x.Re, math.NaN())), v)
	}
	return tree.Parts{Re: either(unit, like(x.Re, 1), at0(w.Re)), Im: either(unit, like(x.Re, 0), at0(w.Im))}
}

// The inverse functions of complex numbers are Kahan's (Branch cuts for complex elementary
// functions, 1987). They are computed from the roots of 1+z and 1-z, and have the cuts of these. Where the squares
// of the parts could overflow, they are computed from log(2z).

// crossed returns im(x)*re(y) - re(x)*im(y), and dotted re(x)*re(y) + im(x)*im(y).
func crossed(x, y tree.Parts) *tree.Node {
	return Call("sub", Call("mul", x.Im, y.Re), Call("mul", x.Re, y.Im))
}

func dotted(x, y tree.Parts) *tree.Node {
	return Call("add", Call("mul", x.Re, y.Re), Call("mul", x.Im, y.Im))
}

// farOut returns whether z is so large that 1 does not count, or infinite, and log|2z| for these.
func farOut(z tree.Parts) (cond, logarithm *tree.Node) {
	_, large := bounds(z)
	limit := like(z.Re, large/16)
	ax, ay := Call("abs", z.Re), Call("abs", z.Im)
	cond = Call("logical_or", Call("greater", ax, limit), Call("greater", ay, limit))
	half := Call("hypot", Call("mul", z.Re, like(z.Re, .5)), Call("mul", z.Im, like(z.Re, .5)))
	return cond, Call("add", Call("log", half), like(z.Re, 2*math.Ln2))
}

// acosComplex has a cut beyond 1 and one below -1.
func acosComplex(z tree.Parts) tree.Parts {
	a, b := sqrtComplex(plus(1, times(-1, z))), sqrtComplex(plus(1, z))
	re := Call("mul", like(z.Re, 2), Call("atan2", a.Re, b.Re))
	im := Call("asinh", crossed(a, b))
	far, l := farOut(z)
	re = either(far, Call("atan2", Call("abs", z.Im), z.Re), re)
	im = either(far, Call("neg", Call("copysign", l, z.Im)), im)
	onAxis := Call("logical_and", Call("equal", z.Re, like(z.Re, 0)), Call("isnan", z.Im))
	return tree.Parts{Re: either(onAxis, like(z.Re, math.Pi/2), re), Im: im}
}

// acoshComplex has a cut below 1.
func acoshComplex(z tree.Parts) tree.Parts {
	a, b := sqrtComplex(plus(-1, z)), sqrtComplex(plus(1, z))
	re := Call("asinh", dotted(a, b))
	im := Call("mul", like(z.Re, 2), Call("atan2", a.Im, b.Re))
	far, l := farOut(z)
	im = either(far, Call("atan2", z.Im, z.Re), im)
	onAxis := Call("logical_and", Call("equal", z.Re, like(z.Re, 0)), Call("isnan", z.Im))
	return tree.Parts{Re: either(far, l, re), Im: either(onAxis, like(z.Re, math.Pi/2), im)}
}

// asinhComplex has cuts on the imaginary axis beyond i and -i.
func asinhComplex(z tree.Parts) tree.Parts {
	rotated := timesI(z)
	a, b := sqrtComplex(plus(1, times(-1, rotated))), sqrtComplex(plus(1, rotated))
	re := Call("asinh", crossed(b, a))
	im := Call("atan2", z.Im, Call("sub", Call("mul", a.Re, b.Re), Call("mul", a.Im, b.Im)))
	far, l := farOut(z)
	re = either(far, Call("copysign", l, z.Re), re)
	im = either(far, Call("atan2", z.Im, Call("abs", z.Re)), im)
	return tree.Parts{Re: re, Im: either(Call("equal", z.Im, like(z.Re, 0)), z.Im, im)}
}

// atanhComplex has a cut beyond 1 and one below -1. With a = |re z|, the real part is
// log1p(4a / ((1-a)^2 + y^2)) / 4.
func atanhComplex(z tree.Parts) tree.Parts {
	a, ay := Call("abs", z.Re), Call("abs", z.Im)
	limit := like(z.Re, 0x1p500)
	if small, _ := bounds(z); small == 0x1p-100 {
		limit = like(z.Re, 0x1p60)
	}
	far := Call("logical_or", Call("greater", a, limit), Call("greater", ay, limit))
	b := Call("sub", like(z.Re, 1), a)
	squares := Call("add", Call("mul", b, b), Call("mul", ay, ay))
	re := Call("mul", like(z.Re, .25), Call("log1p", Call("div", Call("mul", like(z.Re, 4), a), squares)))
	// Next to 1 the squares vanish: log(2/|y|)/2.
	next := Call("logical_and", Call("equal", a, like(z.Re, 1)), Call("less", ay, Call("div", like(z.Re, 1), limit)))
	re = either(next, Call("mul", like(z.Re, .5), Call("sub", like(z.Re, math.Ln2), Call("log", ay))), re)
	im := Call("mul", like(z.Re, .5), Call("atan2", Call("mul", like(z.Re, 2), z.Im), Call("sub", Call("mul", b, Call("add", like(z.Re, 1), a)), Call("mul", ay, ay))))
	// Far away it is 1/z, and i*pi/2. The modulus of half of z does not overflow.
	h := Call("hypot", Call("mul", z.Re, like(z.Re, .5)), Call("mul", z.Im, like(z.Re, .5)))
	re = either(far, Call("div", Call("mul", like(z.Re, .25), Call("div", a, h)), h), re)
	re = either(Call("logical_or", Call("isinf", a), Call("isinf", ay)), like(z.Re, 0), re)
	im = either(far, Call("copysign", like(z.Re, math.Pi/2), z.Im), im)
	lost := Call("logical_or", Call("isnan", z.Im), Call("logical_and", Call("isnan", z.Re), Call("logical_not", Call("isinf", z.Im))))
	im = either(lost, like(z.Re, math.NaN()), im)
	re = either(Call("equal", a, like(z.Re, 0)), like(z.Re, 0), re)
	return tree.Parts{Re: Call("copysign", re, z.Re), Im: im}
}

// log1pComplex has the logarithm of |1+z| by its distance from 1 where z is small.
func log1pComplex(z tree.Parts) tree.Parts {
	far := logComplex(plus(1, z))
	near := Call("less", Call("maximum", Call("abs", z.Re), Call("abs", z.Im)), like(z.Re, .5))
	d := Call("fma", z.Re, Call("add", like(z.Re, 2), z.Re), Call("mul", z.Im, z.Im))
	return tree.Parts{Re: either(near, Call("mul", like(z.Re, .5), Call("log1p", d)), far.Re), Im: far.Im}
}

// expm1Complex is expm1(x)*cos(y) - 2*sin(y/2)^2 and exp(x)*sin(y) where z is small, and
// exp(z) - 1 elsewhere.
func expm1Complex(z tree.Parts) tree.Parts {
	e := expComplex(z)
	half := Call("sin", Call("mul", like(z.Re, .5), z.Im))
	near := Call("sub", Call("mul", Call("expm1", z.Re), Call("cos", z.Im)), Call("mul", like(z.Re, 2), Call("mul", half, half)))
	small := Call("less", Call("abs", z.Re), like(z.Re, 1))
	return tree.Parts{Re: either(small, near, Call("sub", e.Re, like(z.Re, 1))), Im: e.Im}
}

// signComplex is z/|z|, and +0 for 0. If one part is infinite, it is the sign of that part, as in
// NumPy 2.
func signComplex(z tree.Parts) tree.Parts {
	endlessX, endlessY := Call("isinf", z.Re), Call("isinf", z.Im)
	unit := func(x, endless *tree.Node) *tree.Node {
		one := either(endless, Call("copysign", like(z.Re, 1), x), like(z.Re, 0))
		one = either(Call("logical_and", endlessX, endlessY), like(z.Re, math.NaN()), one)
		return either(Call("logical_or", endlessX, endlessY), one, x)
	}
	near, _ := inRange(tree.Parts{Re: unit(z.Re, endlessX), Im: unit(z.Im, endlessY)})
	r := Call("hypot", near.Re, near.Im)
	zero := Call("equal", r, like(z.Re, 0))
	part := func(x *tree.Node) *tree.Node { return either(zero, like(z.Re, 0), Call("div", x, r)) }
	return tree.Parts{Re: part(near.Re), Im: part(near.Im)}
}
