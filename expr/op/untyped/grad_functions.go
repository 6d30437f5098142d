package untyped

import (
	"fmt"
	"math"
	"sync"

	"github.com/oneloop/oneloop/expr/tree"
)

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
		Name: fmt.Sprintf("polygamma%d", n), Class: tree.Elementwise, Arity: 1, Types: floats, Lower: lowerPolygamma(n), Grad: gradPolygamma(n + 1), ULP: -1,
		Doc: fmt.Sprintf("derivative %d of digamma", n),
	})
	o, _ := polygammas.LoadOrStore(n, made)
	return o.(*tree.Operator)
}
