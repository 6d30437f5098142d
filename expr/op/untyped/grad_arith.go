package untyped

import (
	"github.com/oneloop/oneloop/expr/tree"
)

// The derivative rules are in the grad_*.go files, named after their rows. They
// name rows by strings and never look rows up themselves, because the table is
// built from values that hold the rules.

// flat is the rule of functions that are constant between jumps. The derivative
// is zero.
func flat(*tree.Adjoint, int) *tree.Node { return nil }

func gradSub(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return g.Out
	}
	return g.Op("neg", g.Out)
}

func gradDiv(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return g.Div(g.Out, g.Arg(1))
	}
	return g.Op("neg", g.Div(g.Mul(g.Out, g.Node), g.Arg(1)))
}

func gradMod(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return g.Out
	}
	return g.Op("neg", g.Mul(g.Out, g.Op("floor_divide", g.Arg(0), g.Arg(1))))
}

// gradFmod computes the quotient from the exact remainder, because x/y itself
// may be rounded up to the next integer.
func gradFmod(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return g.Out
	}
	quo := g.Op("rint", g.Div(g.Sub(g.Arg(0), g.Node), g.Arg(1)))
	return g.Op("neg", g.Mul(g.Out, quo))
}

func gradFMA(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 2 {
		return g.Out
	}
	return g.Mul(g.Out, g.Arg(1-arg))
}

// gradAbs uses sign(x), so the derivative at 0 is 0.
func gradAbs(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("sign", g.Arg(0))) }

// gradCopySign uses sign(x), so the derivative at 0 is 0.
func gradCopySign(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 1 {
		return nil
	}
	return g.Mul(g.Out, g.Mul(g.Op("sign", g.Arg(0)), g.Op("copysign", g.Const(1), g.Arg(1))))
}
