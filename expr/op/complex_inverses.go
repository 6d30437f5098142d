package op

import (
	"math"

	"github.com/oneloop/oneloop/expr/tree"
)

// The inverse functions of complex numbers are Kahan's (Branch cuts for complex elementary
// functions, 1987): of roots of 1+z and 1-z, whose cuts are theirs. Where the squares of the parts
// could overflow they are those of log(2z).

// crossed returns im(x)*re(y) - re(x)*im(y), and dotted re(x)*re(y) + im(x)*im(y).
func crossed(x, y tree.Parts) *tree.Node {
	return call("sub", call("mul", x.Im, y.Re), call("mul", x.Re, y.Im))
}

func dotted(x, y tree.Parts) *tree.Node {
	return call("add", call("mul", x.Re, y.Re), call("mul", x.Im, y.Im))
}

// far returns whether z is so large that 1 does not count, or infinite, and log|2z| for these.
func (p plane) far() (cond, logarithm *tree.Node) {
	_, large := p.bounds()
	limit := p.num(large / 16)
	ax, ay := call("abs", p.x), call("abs", p.y)
	cond = call("logical_or", call("greater", ax, limit), call("greater", ay, limit))
	half := call("hypot", call("mul", p.x, p.num(.5)), call("mul", p.y, p.num(.5)))
	return cond, call("add", call("log", half), p.num(2*math.Ln2))
}

// acosComplex has a cut beyond 1 and one below -1.
func acosComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, b := sqrtComplex(plus(1, times(-1, z))), sqrtComplex(plus(1, z))
	re := call("mul", p.num(2), call("atan2", a.Re, b.Re))
	im := call("asinh", crossed(a, b))
	far, l := p.far()
	re = either(far, call("atan2", call("abs", p.y), p.x), re)
	im = either(far, call("neg", call("copysign", l, p.y)), im)
	onAxis := call("logical_and", call("equal", p.x, p.num(0)), call("isnan", p.y))
	return tree.Parts{Re: either(onAxis, p.num(math.Pi/2), re), Im: im}
}

// acoshComplex has a cut below 1.
func acoshComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, b := sqrtComplex(plus(-1, z)), sqrtComplex(plus(1, z))
	re := call("asinh", dotted(a, b))
	im := call("mul", p.num(2), call("atan2", a.Im, b.Re))
	far, l := p.far()
	im = either(far, call("atan2", p.y, p.x), im)
	onAxis := call("logical_and", call("equal", p.x, p.num(0)), call("isnan", p.y))
	return tree.Parts{Re: either(far, l, re), Im: either(onAxis, p.num(math.Pi/2), im)}
}

// asinhComplex has cuts on the imaginary axis beyond i and -i.
func asinhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	turned := timesI(z)
	a, b := sqrtComplex(plus(1, times(-1, turned))), sqrtComplex(plus(1, turned))
	re := call("asinh", crossed(b, a))
	im := call("atan2", p.y, call("sub", call("mul", a.Re, b.Re), call("mul", a.Im, b.Im)))
	far, l := p.far()
	re = either(far, call("copysign", l, p.x), re)
	im = either(far, call("atan2", p.y, call("abs", p.x)), im)
	return tree.Parts{Re: re, Im: either(call("equal", p.y, p.num(0)), p.y, im)}
}

// atanhComplex has a cut beyond 1 and one below -1. With a = |re z|, the real part is
// log1p(4a / ((1-a)^2 + y^2)) / 4.
func atanhComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	a, ay := call("abs", p.x), call("abs", p.y)
	limit := p.num(0x1p500)
	if small, _ := p.bounds(); small == 0x1p-100 {
		limit = p.num(0x1p60)
	}
	far := call("logical_or", call("greater", a, limit), call("greater", ay, limit))
	b := call("sub", p.num(1), a)
	squares := call("add", call("mul", b, b), call("mul", ay, ay))
	re := call("mul", p.num(.25), call("log1p", call("div", call("mul", p.num(4), a), squares)))
	// Next to 1 the squares vanish: log(2/|y|)/2.
	next := call("logical_and", call("equal", a, p.num(1)), call("less", ay, call("div", p.num(1), limit)))
	re = either(next, call("mul", p.num(.5), call("sub", p.num(math.Ln2), call("log", ay))), re)
	im := call("mul", p.num(.5), call("atan2", call("mul", p.num(2), p.y), call("sub", call("mul", b, call("add", p.num(1), a)), call("mul", ay, ay))))
	// Far away it is 1/z, and i*pi/2. The modulus of half of z does not overflow.
	h := call("hypot", call("mul", p.x, p.num(.5)), call("mul", p.y, p.num(.5)))
	re = either(far, call("div", call("mul", p.num(.25), call("div", a, h)), h), re)
	re = either(call("logical_or", call("isinf", a), call("isinf", ay)), p.num(0), re)
	im = either(far, call("copysign", p.num(math.Pi/2), p.y), im)
	lost := call("logical_or", call("isnan", p.y), call("logical_and", call("isnan", p.x), call("logical_not", call("isinf", p.y))))
	im = either(lost, p.num(math.NaN()), im)
	re = either(call("equal", a, p.num(0)), p.num(0), re)
	return tree.Parts{Re: call("copysign", re, p.x), Im: im}
}

// log1pComplex has the logarithm of |1+z| by its distance from 1 where z is small.
func log1pComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	far := logComplex(plus(1, z))
	near := call("less", call("maximum", call("abs", p.x), call("abs", p.y)), p.num(.5))
	d := call("fma", p.x, call("add", p.num(2), p.x), call("mul", p.y, p.y))
	return tree.Parts{Re: either(near, call("mul", p.num(.5), call("log1p", d)), far.Re), Im: far.Im}
}

// expm1Complex is expm1(x)*cos(y) - 2*sin(y/2)^2 and exp(x)*sin(y) where z is small, and
// exp(z) - 1 elsewhere.
func expm1Complex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	e := expComplex(z)
	half := call("sin", call("mul", p.num(.5), p.y))
	near := call("sub", call("mul", call("expm1", p.x), call("cos", p.y)), call("mul", p.num(2), call("mul", half, half)))
	small := call("less", call("abs", p.x), p.num(1))
	return tree.Parts{Re: either(small, near, call("sub", e.Re, p.num(1))), Im: e.Im}
}

// signComplex is z/|z|, and +0 for 0. If one part is infinite, it is the sign of that part, as in
// NumPy 2.
func signComplex(z tree.Parts) tree.Parts {
	p := plane{z.Re, z.Im}
	endlessX, endlessY := call("isinf", p.x), call("isinf", p.y)
	unit := func(x, endless *tree.Node) *tree.Node {
		one := either(endless, call("copysign", p.num(1), x), p.num(0))
		one = either(call("logical_and", endlessX, endlessY), p.num(math.NaN()), one)
		return either(call("logical_or", endlessX, endlessY), one, x)
	}
	near, _ := plane{unit(p.x, endlessX), unit(p.y, endlessY)}.scaled()
	r := call("hypot", near.x, near.y)
	zero := call("equal", r, p.num(0))
	part := func(x *tree.Node) *tree.Node { return either(zero, p.num(0), call("div", x, r)) }
	return tree.Parts{Re: part(near.x), Im: part(near.y)}
}
