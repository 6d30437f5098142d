package op

import "github.com/oneloop/oneloop/expr"

func gradSum(g *expr.Adjoint, _ int) *expr.Node { return g.Out }

// gradProd returns the product of all other elements: the product of all that
// are not 0, over this one, if none of the others is 0.
func gradProd(g *expr.Adjoint, _ int) *expr.Node {
	x := g.Arg(0)
	zero, one := g.Const(0), g.Const(1)
	isZero := g.Op("equal", x, zero)
	number := g.Where(isZero, one, x)
	zeros := g.Where(isZero, one, zero)
	product := g.Reduce("prod", number, g.Node.Axes)
	elsewhere := g.Op("greater", g.Reduce("sum", zeros, g.Node.Axes), zeros)
	return g.Mul(g.Out, g.Where(elsewhere, zero, g.Div(product, number)))
}

// gradBest returns the rule of max and min: equal elements share the adjoint.
// Where the value is NaN there are none, and it gives 0/0.
func gradBest(g *expr.Adjoint, _ int) *expr.Node {
	best := g.Op("equal", g.Arg(0), g.Node)
	count := g.Reduce("sum", g.Cast(best, g.Out.DType()), g.Node.Axes)
	return g.Div(g.Where(best, g.Out, g.Const(0)), count)
}
