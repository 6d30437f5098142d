package untyped

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// lowerBessel returns the lowering of the modified Bessel function of the first kind of order 0 or 1: a
// polynomial in x^2 up to 8, and beyond it exp(x)/sqrt(x) times one in 1/x. exp(x) is y 2^k there,
// because it overflows before the function does.
func lowerBessel(near, far coefs, odd bool) func(b *B, x ...V) V {
	return func(b *B, x ...V) V {
		f := formatOf(b, x[0])
		a := b.Abs(x[0])
		y := horner(b, b.Mul(a, a), near[f.row])
		if odd {
			y = b.Mul(a, y)
		}
		y = b.Cold(b.Lt(f.c(b, 8), a), y, func() V {
			limit := f.c(b, f.exp[1]+8) // both functions are infinite there
			a := b.Select(b.Lt(limit, a), limit, a)
			u := b.Fma(b.Div(f.c(b, 1), a), f.c(b, 16), f.c(b, -1))
			k, e := expScaled(b, f, a, f.c(b, 0))
			return b.Scale(b.Mul(b.Div(e, b.Sqrt(a)), horner(b, u, far[f.row])), k)
		})
		if odd {
			return f.withSign(b, y, x[0])
		}
		return y
	}
}

// gradI1 is i0 - i1/x. Near 0 the quotient is 1/2 + x^2/16, and i1 loses digits. Where i0 is infinite, any number does for the
// quotient. What a where does not select is finite, so that the derivative of this one has no 0 times infinity.
func gradI1(g *tree.Adjoint, _ int) *tree.Node {
	x, bound := g.Arg(0), 0x1p-12
	if x.DType() == dtype.F64 {
		bound = 0x1p-30
	}
	i0, near := g.Op("i0", x), g.Op("less", g.Op("abs", x), g.Const(bound))
	series := g.Add(g.Const(.5), g.Mul(g.Const(1./16), g.Op("square", g.Where(near, x, g.Const(0)))))
	y := g.Where(g.Op("logical_or", near, g.Op("isinf", i0)), g.Const(1), x)
	part := g.Where(near, series, g.Div(g.Op("i1", y), y))
	return g.Mul(g.Out, g.Op("sub", i0, part))
}
