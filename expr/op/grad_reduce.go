package op

import "github.com/oneloop/oneloop/expr"

// kept is a value of the reduction's shape with its reduced axes as axes of
// size 1, so that it broadcasts against the operand.
func kept(g *expr.Adjoint, a *expr.Node) *expr.Node {
	if g.Node.KeepDims || len(a.Shape()) == 0 {
		return a
	}
	return g.Reshape(g.Expand(a, g.Node.Shape()), g.Arg(0).Shape().Reduce(g.Node.Axes, true))
}

func gradSum(g *expr.Adjoint, _ int) *expr.Node { return kept(g, g.Out) }

// gradProd is the product of all other elements: the product of all that are
// not 0, over this one, if none of the others is 0.
func gradProd(g *expr.Adjoint, _ int) *expr.Node {
	x := g.Arg(0)
	zero, one := g.Const(0), g.Const(1)
	isZero := g.Op("equal", x, zero)
	number := g.Where(isZero, one, x)
	zeros := g.Where(isZero, one, zero)
	product := g.Reduce("prod", number, g.Node.Axes)
	elsewhere := g.Op("greater", g.Reduce("sum", zeros, g.Node.Axes), zeros)
	return g.Mul(kept(g, g.Out), g.Where(elsewhere, zero, g.Div(product, number)))
}

// gradBest is the rule of max and min: equal elements share the adjoint. Where
// the value is NaN there are none, and it gives 0/0.
func gradBest(g *expr.Adjoint, _ int) *expr.Node {
	best := g.Op("equal", g.Arg(0), kept(g, g.Node))
	count := g.Reduce("sum", g.Cast(best, g.Out.DType()), g.Node.Axes)
	return g.Div(g.Where(best, kept(g, g.Out), g.Const(0)), count)
}
