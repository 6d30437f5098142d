package untyped

import (
	"github.com/oneloop/oneloop/expr/tree"
)

// gradExtreme returns the rule of maximum and minimum. beaten names the
// comparison that holds for an operand that is not chosen. Equal operands share
// the adjoint. If one operand is NaN, both get the adjoint.
func gradExtreme(beaten string) tree.Rule {
	return func(g *tree.Adjoint, arg int) *tree.Node {
		x, other := g.Arg(arg), g.Arg(1-arg)
		won := g.Where(g.Op(beaten, x, other), g.Const(0), g.Out)
		return g.Where(g.Op("equal", x, other), g.Mul(g.Const(.5), g.Out), won)
	}
}

// gradNumber returns the rule of fmax and fmin. wins names the comparison that
// holds for the chosen operand. Equal operands share the adjoint. If one
// operand is NaN, the other gets the adjoint.
func gradNumber(wins string) tree.Rule {
	return func(g *tree.Adjoint, arg int) *tree.Node {
		x, other := g.Arg(arg), g.Arg(1-arg)
		chosen := g.Op("logical_or", g.Op(wins, x, other), g.Op("isnan", other))
		won := g.Where(chosen, g.Out, g.Const(0))
		return g.Where(g.Op("equal", x, other), g.Mul(g.Const(.5), g.Out), won)
	}
}

// gradClip gives the adjoint to x if x is from lo to hi, both included, and
// else to the bound that is the value.
func gradClip(g *tree.Adjoint, arg int) *tree.Node {
	x, lo, hi := g.Arg(0), g.Arg(1), g.Arg(2)
	var gets *tree.Node
	switch arg {
	case 0:
		gets = g.Op("logical_and", g.Op("greater_equal", x, lo), g.Op("less_equal", x, hi))
	case 1:
		gets = g.Op("logical_and", g.Op("less", x, lo), g.Op("less_equal", lo, hi))
	case 2:
		gets = g.Op("greater", g.Op("maximum", x, lo), hi)
	}
	return g.Where(gets, g.Out, g.Const(0))
}

// gradReLU returns the adjoint, or 0 where x <= 0.
func gradReLU(g *tree.Adjoint, _ int) *tree.Node {
	return g.Where(g.Op("less_equal", g.Arg(0), g.Const(0)), g.Const(0), g.Out)
}

func gradWhere(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 1 {
		return g.Where(g.Arg(0), g.Out, g.Const(0))
	}
	return g.Where(g.Arg(0), g.Const(0), g.Out)
}

// gradCast converts the adjoint back. Package grad does not call it for casts
// between integers and floats.
func gradCast(g *tree.Adjoint, _ int) *tree.Node { return g.Cast(g.Out, g.Arg(0).DType()) }
