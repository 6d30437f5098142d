package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/tree"
)

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
	turned := timesI(z)
	a, b := sqrtComplex(plus(1, times(-1, turned))), sqrtComplex(plus(1, turned))
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
