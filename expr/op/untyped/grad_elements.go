package untyped

import (
	"fmt"
	"math"
	"sync"

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

func gradRsqrt(g *tree.Adjoint, _ int) *tree.Node {
	return g.Mul(g.Out, g.Mul(g.Const(-.5), g.Mul(g.Node, g.Op("square", g.Node))))
}

// gradHypot returns x/r, which is the sign of x where r is |x|, also of infinities. At the origin it is 0.
func gradHypot(g *tree.Adjoint, arg int) *tree.Node {
	x := g.Arg(arg)
	along := g.Op("equal", g.Op("abs", x), g.Node)
	return g.Mul(g.Out, g.Where(along, g.Op("sign", x), g.Div(x, g.Node)))
}

// gradPow returns the derivative of x^y. It is 0 with respect to x if y = 0,
// and with respect to y if x = 0 and y >= 0. There the formulas have 0*Inf.
func gradPow(g *tree.Adjoint, arg int) *tree.Node {
	x, y := g.Arg(0), g.Arg(1)
	zero := g.Const(0)
	if arg == 1 {
		still := g.Op("logical_and", g.Op("equal", x, zero), g.Op("greater_equal", y, zero))
		return g.Mul(g.Out, g.Where(still, zero, g.Mul(g.Node, g.Op("log", x))))
	}
	if g.IsConst(y, 2) {
		return g.Mul(g.Out, g.Mul(y, x))
	}
	slope := g.Mul(y, g.Op("pow", x, g.Sub(y, g.Const(1))))
	return g.Mul(g.Out, g.Where(g.Op("equal", y, zero), zero, slope))
}

func gradAsin(g *tree.Adjoint, _ int) *tree.Node {
	return g.Mul(g.Out, g.Op("rsqrt", g.Sub(g.Const(1), g.Op("square", g.Arg(0)))))
}

func gradAtan(g *tree.Adjoint, _ int) *tree.Node {
	return g.Div(g.Out, g.Add(g.Op("square", g.Arg(0)), g.Const(1)))
}

// gradAtan2 divides by the distance twice, because its square may overflow.
func gradAtan2(g *tree.Adjoint, arg int) *tree.Node {
	y, x := g.Arg(0), g.Arg(1)
	r := g.Op("hypot", x, y)
	if arg == 0 {
		return g.Mul(g.Out, g.Div(g.Div(x, r), r))
	}
	return g.Op("neg", g.Mul(g.Out, g.Div(g.Div(y, r), r)))
}

func gradErf(g *tree.Adjoint, _ int) *tree.Node {
	power := g.Op("exp", g.Op("neg", g.Op("square", g.Arg(0))))
	return g.Mul(g.Out, g.Mul(g.Const(2/math.SqrtPi), power))
}

func gradErfInv(g *tree.Adjoint, _ int) *tree.Node {
	return g.Mul(g.Out, g.Mul(g.Const(math.SqrtPi/2), g.Op("exp", g.Op("square", g.Node))))
}

func gradNDTR(g *tree.Adjoint, _ int) *tree.Node {
	power := g.Op("exp", g.Mul(g.Const(-.5), g.Op("square", g.Arg(0))))
	return g.Mul(g.Out, g.Mul(g.Const(1/(math.Sqrt2*math.SqrtPi)), power))
}

func gradNDTRI(g *tree.Adjoint, _ int) *tree.Node {
	power := g.Op("exp", g.Mul(g.Const(.5), g.Op("square", g.Node)))
	return g.Mul(g.Out, g.Mul(g.Const(math.Sqrt2*math.SqrtPi), power))
}

// gradGelu multiplies by Phi(x) + x phi(x), with phi and Phi the density and
// the distribution function of the normal distribution.
func gradGelu(g *tree.Adjoint, _ int) *tree.Node {
	x := g.Arg(0)
	cdf := g.Mul(g.Const(.5), g.Op("erfc", g.Mul(g.Const(-1/math.Sqrt2), x)))
	power := g.Op("exp", g.Mul(g.Const(-.5), g.Op("square", x)))
	density := g.Mul(g.Const(1/(math.Sqrt2*math.SqrtPi)), power)
	return g.Mul(g.Out, g.Add(cdf, g.Mul(finite(g, x), density)))
}

// finite returns x within bounds beyond which the densities that it is multiplied by are 0.
func finite(g *tree.Adjoint, x *tree.Node) *tree.Node {
	return g.Op("clip", x, g.Const(-1e3), g.Const(1e3))
}

// gradGeluTanh returns the derivative of x*s(u), where s is the sigmoid and u =
// sqrt(8/pi) * (x + 0.044715*x^3), because (1 + tanh(u/2))/2 = s(u).
func gradGeluTanh(g *tree.Adjoint, _ int) *tree.Node {
	const a = .044715
	c := g.Const(math.Sqrt(8 / math.Pi))
	x := finite(g, g.Arg(0))
	x2 := g.Op("square", x)
	u := g.Mul(c, g.Mul(x, g.Add(g.Mul(g.Const(a), x2), g.Const(1))))
	du := g.Mul(c, g.Add(g.Mul(g.Const(3*a), x2), g.Const(1)))
	s := g.Op("sigmoid", u)
	ds := g.Mul(g.Mul(s, g.Sub(g.Const(1), s)), du)
	return g.Mul(g.Out, g.Add(s, g.Mul(x, ds)))
}

// gradAcosh returns 1/sqrt((x-1)(x+1)), which keeps the digits of x-1 near 1.
func gradAcosh(g *tree.Adjoint, _ int) *tree.Node {
	x := g.Arg(0)
	return g.Div(g.Out, g.Mul(g.Op("sqrt", g.Sub(x, g.Const(1))), g.Op("sqrt", g.Add(x, g.Const(1)))))
}

func gradAtanh(g *tree.Adjoint, _ int) *tree.Node {
	x := g.Arg(0)
	return g.Div(g.Out, g.Mul(g.Sub(g.Const(1), x), g.Add(g.Const(1), x)))
}

func gradInverseSquare(g *tree.Adjoint, _ int) *tree.Node {
	x := g.Arg(0)
	return g.Div(g.Mul(g.Mul(g.Out, g.Const(-2)), g.Op("inverse_square", x)), x)
}

func gradCube(g *tree.Adjoint, _ int) *tree.Node {
	return g.Mul(g.Out, g.Mul(g.Const(3), g.Op("square", g.Arg(0))))
}

// gradPolygamma returns the rule of derivative n-1 of digamma.
func gradPolygamma(n int) tree.Rule {
	return func(g *tree.Adjoint, _ int) *tree.Node {
		if n == 1 {
			return g.Mul(g.Out, g.Op("trigamma", g.Arg(0)))
		}
		return g.Mul(g.Out, Apply(polygamma(n), g.Arg(0)))
	}
}

// polygammas are the operators that polygamma has made.
var polygammas sync.Map

// polygamma returns the operator of derivative n of digamma, for n above 1. Equal n give one operator.
func polygamma(n int) *tree.Operator {
	if o, ok := polygammas.Load(n); ok {
		return o.(*tree.Operator)
	}
	made := tree.NewOperator(tree.Row{
		Name: fmt.Sprintf("polygamma%d", n), Class: tree.Elementwise, Arity: 1, Types: floats, Lower: onFloats(lowerPolygamma(n)), Grad: gradPolygamma(n + 1), ULP: -1,
		Doc: fmt.Sprintf("derivative %d of digamma", n),
	})
	o, _ := polygammas.LoadOrStore(n, made)
	return o.(*tree.Operator)
}
