package untyped

import (
	"github.com/oneloop/oneloop/expr/tree"
)

// gradProd multiplies by the product of all other elements: if none of them is
// 0, the product of all elements that are not 0, divided by this one if it is
// not 0.
func gradProd(g *tree.Adjoint, _ int) *tree.Node {
	x := g.Arg(0)
	zero, one := g.Const(0), g.Const(1)
	isZero := g.Op("equal", x, zero)
	number := g.Where(isZero, one, x)
	zeros := g.Where(isZero, one, zero)
	product := g.Reduce("prod", number, g.Node.Axes)
	elsewhere := g.Op("greater", g.Reduce("sum", zeros, g.Node.Axes), zeros)
	return g.Mul(g.Out, g.Where(elsewhere, zero, g.Div(product, number)))
}

// gradBest is the rule of max and min: equal elements share the adjoint, or each
// has it whole. If the value is NaN, no element equals it, and what is shared is
// 0/0.
func gradBest(g *tree.Adjoint, _ int) *tree.Node {
	best := g.Op("equal", g.Arg(0), g.Node)
	each := g.Where(best, g.Out, g.Const(0))
	if len(g.Node.Ints) > 0 {
		return each
	}
	return g.Div(each, g.Reduce("sum", g.Cast(best, g.Out.DType()), g.Node.Axes))
}
