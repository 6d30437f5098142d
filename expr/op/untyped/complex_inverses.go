package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/tree"
)

// The inverse functions of complex numbers are Kahan's (Branch cuts for complex elementary
// functions, 1987): of roots of 1+z and 1-z, whose cuts are theirs. Where the squares of the parts
// could overflow they are those of log(2z).

// crossed returns im(x)*re(y) - re(x)*im(y), and dotted re(x)*re(y) + im(x)*im(y).
func crossed(x, y tree.Parts) *tree.Node {
	return Call("sub", Call("mul", x.Im, y.Re), Call("mul", x.Re, y.Im))
}

func dotted(x, y tree.Parts) *tree.Node {
	return Call("add", Call("mul", x.Re, y.Re), Call("mul", x.Im, y.Im))
}

// far returns whether z is so large that 1 does not count, or infinite, and log|2z| for these.
func (p plane) far() (cond, logarithm *tree.Node) {
	_, large := p.bounds()
	limit := p.num(large / 16)
	ax, ay := Call("abs", p.x), Call("abs", p.y)
	cond = Call("logical_or", Call("greater", ax, limit), Call("greater", ay, limit))
	half := Call("hypot", Call("mul", p.x, p.num(.5)), Call("mul", p.y, p.num(.5)))
	return cond, Call("add", Call("log", half), p.num(2*math.Ln2))
}

// acosComplex has a cut beyond 1 and one below -1.
func acosComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, b := sqrtComplex(plus(1, times(-1, z))), sqrtComplex(plus(1, z))
	re := Call("mul", p.num(2), Call("atan2", a.Re, b.Re))
	im := Call("asinh", crossed(a, b))
	far, l := p.far()
	re = either(far, Call("atan2", Call("abs", p.y), p.x), re)
	im = either(far, Call("neg", Call("copysign", l, p.y)), im)
	onAxis := Call("logical_and", Call("equal", p.x, p.num(0)), Call("isnan", p.y))
	return tree.Parts{Re: either(onAxis, p.num(math.Pi/2), re), Im: im}
}

// acoshComplex has a cut below 1.
func acoshComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, b := sqrtComplex(plus(-1, z)), sqrtComplex(plus(1, z))
	re := Call("asinh", dotted(a, b))
	im := Call("mul", p.num(2), Call("atan2", a.Im, b.Re))
	far, l := p.far()
	im = either(far, Call("atan2", p.y, p.x), im)
	onAxis := Call("logical_and", Call("equal", p.x, p.num(0)), Call("isnan", p.y))
	return tree.Parts{Re: either(far, l, re), Im: either(onAxis, p.num(math.Pi/2), im)}
}

// asinhComplex has cuts on the imaginary axis beyond i and -i.
func asinhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	turned := timesI(z)
	a, b := sqrtComplex(plus(1, times(-1, turned))), sqrtComplex(plus(1, turned))
	re := Call("asinh", crossed(b, a))
	im := Call("atan2", p.y, Call("sub", Call("mul", a.Re, b.Re), Call("mul", a.Im, b.Im)))
	far, l := p.far()
	re = either(far, Call("copysign", l, p.x), re)
	im = either(far, Call("atan2", p.y, Call("abs", p.x)), im)
	return tree.Parts{Re: re, Im: either(Call("equal", p.y, p.num(0)), p.y, im)}
}

// atanhComplex has a cut beyond 1 and one below -1. With a = |re z|, the real part is
// log1p(4a / ((1-a)^2 + y^2)) / 4.
func atanhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, ay := Call("abs", p.x), Call("abs", p.y)
	limit := p.num(0x1p500)
	if small, _ := p.bounds(); small == 0x1p-100 {
		limit = p.num(0x1p60)
	}
	far := Call("logical_or", Call("greater", a, limit), Call("greater", ay, limit))
	b := Call("sub", p.num(1), a)
	squares := Call("add", Call("mul", b, b), Call("mul", ay, ay))
	re := Call("mul", p.num(.25), Call("log1p", Call("div", Call("mul", p.num(4), a), squares)))
	// Next to 1 the squares vanish: log(2/|y|)/2.
	next := Call("logical_and", Call("equal", a, p.num(1)), Call("less", ay, Call("div", p.num(1), limit)))
	re = either(next, Call("mul", p.num(.5), Call("sub", p.num(math.Ln2), Call("log", ay))), re)
	im := Call("mul", p.num(.5), Call("atan2", Call("mul", p.num(2), p.y), Call("sub", Call("mul", b, Call("add", p.num(1), a)), Call("mul", ay, ay))))
	// Far away it is 1/z, and i*pi/2. The modulus of half of z does not overflow.
	h := Call("hypot", Call("mul", p.x, p.num(.5)), Call("mul", p.y, p.num(.5)))
	re = either(far, Call("div", Call("mul", p.num(.25), Call("div", a, h)), h), re)
	re = either(Call("logical_or", Call("isinf", a), Call("isinf", ay)), p.num(0), re)
	im = either(far, Call("copysign", p.num(math.Pi/2), p.y), im)
	lost := Call("logical_or", Call("isnan", p.y), Call("logical_and", Call("isnan", p.x), Call("logical_not", Call("isinf", p.y))))
	im = either(lost, p.num(math.NaN()), im)
	re = either(Call("equal", a, p.num(0)), p.num(0), re)
	return tree.Parts{Re: Call("copysign", re, p.x), Im: im}
}

// log1pComplex has the logarithm of |1+z| by its distance from 1 where z is small.
func log1pComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	far := logComplex(plus(1, z))
	near := Call("less", Call("maximum", Call("abs", p.x), Call("abs", p.y)), p.num(.5))
	d := Call("fma", p.x, Call("add", p.num(2), p.x), Call("mul", p.y, p.y))
	return tree.Parts{Re: either(near, Call("mul", p.num(.5), Call("log1p", d)), far.Re), Im: far.Im}
}

// expm1Complex is expm1(x)*cos(y) - 2*sin(y/2)^2 and exp(x)*sin(y) where z is small, and
// exp(z) - 1 elsewhere.
func expm1Complex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	e := expComplex(z)
	half := Call("sin", Call("mul", p.num(.5), p.y))
	near := Call("sub", Call("mul", Call("expm1", p.x), Call("cos", p.y)), Call("mul", p.num(2), Call("mul", half, half)))
	small := Call("less", Call("abs", p.x), p.num(1))
	return tree.Parts{Re: either(small, near, Call("sub", e.Re, p.num(1))), Im: e.Im}
}

// signComplex is z/|z|, and +0 for 0. If one part is infinite, it is the sign of that part, as in
// NumPy 2.
func signComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	endlessX, endlessY := Call("isinf", p.x), Call("isinf", p.y)
	unit := func(x, endless *tree.Node) *tree.Node {
		one := either(endless, Call("copysign", p.num(1), x), p.num(0))
		one = either(Call("logical_and", endlessX, endlessY), p.num(math.NaN()), one)
		return either(Call("logical_or", endlessX, endlessY), one, x)
	}
	near, _ := plane{unit(p.x, endlessX), unit(p.y, endlessY)}.scaled()
	r := Call("hypot", near.x, near.y)
	zero := Call("equal", r, p.num(0))
	part := func(x *tree.Node) *tree.Node { return either(zero, p.num(0), Call("div", x, r)) }
	return tree.Parts{Re: part(near.x), Im: part(near.y)}
}
