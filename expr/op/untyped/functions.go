package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// functions are the rows of the mathematical functions. Their lowerings are in
// the lower_*.go files, one family in each. docs/accuracy.md has the measured
// errors.
var functions = family(tree.Row{Class: tree.Elementwise, Arity: 1, Types: floats}, []tree.Row{
	{
		Name: "sqrt", ULP: .5, Lower: primitive(prim.Sqrt), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Div(g.Out, g.Mul(g.Const(2), g.Node)) },
		Doc: "the square root; NaN below zero.",
	},
	{Name: "rsqrt", ULP: 1, Lower: onFloats(lowerRsqrt), Grad: gradRsqrt, Doc: "1 / sqrt(x)."},
	{Name: "hypot", Arity: 2, ULP: 1, Lower: onFloats(lowerHypot), Grad: gradHypot, Doc: "sqrt(x*x + y*y) without overflow."},
	{Name: "exp", ULP: 1, Lower: onFloats(lowerExp), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Node) }, Doc: "e to the power x."},
	{Name: "exp2", ULP: 1, Lower: onFloats(lowerExp2), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Mul(g.Const(math.Ln2), g.Node)) }, Doc: "2 to the power x."},
	{Name: "expm1", ULP: 1, Lower: onFloats(lowerExpm1), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Add(g.Node, g.Const(1))) }, Doc: "exp(x) - 1, accurate near zero."},
	{Name: "log", ULP: 1, Lower: onFloats(lowerLog), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Div(g.Out, g.Arg(0)) }, Doc: "the natural logarithm; NaN below zero."},
	{Name: "log2", ULP: 1, Lower: onFloats(lowerLog2), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Div(g.Out, g.Mul(g.Const(math.Ln2), g.Arg(0))) }, Doc: "the logarithm to base 2."},
	{Name: "log10", ULP: 1, Lower: onFloats(lowerLog10), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Div(g.Out, g.Mul(g.Const(math.Ln10), g.Arg(0))) }, Doc: "the logarithm to base 10."},
	{Name: "log1p", ULP: 1.3, Lower: onFloats(lowerLog1p), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Div(g.Out, g.Add(g.Arg(0), g.Const(1))) }, Doc: "log(1 + x), accurate near zero."},
	{Name: "pow", Symbol: "**", Arity: 2, ULP: 1, Lower: onFloats(lowerPow), Grad: gradPow, Doc: "x to the power y, with C99's special cases."},
	{Name: "sin", ULP: 1, Lower: onFloats(lowerSin), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("cos", g.Arg(0))) }, Doc: "the sine of x radians, for all magnitudes."},
	{
		Name: "cos", ULP: 1, Lower: onFloats(lowerCos), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", g.Mul(g.Out, g.Op("sin", g.Arg(0)))) },
		Doc: "the cosine of x radians, for all magnitudes.",
	},
	{
		Name: "tan", ULP: 1, Lower: onFloats(lowerTan), Grad: func(g *tree.Adjoint, _ int) *tree.Node {
			return g.Mul(g.Out, g.Add(g.Op("square", g.Node), g.Const(1)))
		},
		Doc: "the tangent of x radians, for all magnitudes.",
	},
	{Name: "asin", ULP: 1, Lower: onFloats(lowerAsin), Grad: gradAsin, Doc: "the arc sine, in radians; NaN outside -1..1."},
	{
		Name: "acos", ULP: 1, Lower: onFloats(lowerAcos), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", gradAsin(g, 0)) },
		Doc: "the arc cosine, in radians; NaN outside -1..1.",
	},
	{Name: "atan", ULP: 1, Lower: onFloats(lowerAtan), Grad: gradAtan, Doc: "the arc tangent, in radians."},
	{
		Name: "atan2", Arity: 2, ULP: 1, Lower: onFloats(lowerAtan2), Grad: gradAtan2,
		Doc: "the angle of the point (y, x), in radians, with C99's special cases.",
	},
	{Name: "sinh", ULP: 1, Lower: onFloats(lowerSinh), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("cosh", g.Arg(0))) }, Doc: "the hyperbolic sine."},
	{Name: "cosh", ULP: 1, Lower: onFloats(lowerCosh), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("sinh", g.Arg(0))) }, Doc: "the hyperbolic cosine."},
	{Name: "asinh", ULP: 1, Lower: onFloats(lowerAsinh), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Div(g.Out, g.Op("hypot", g.Arg(0), g.Const(1))) }, Doc: "the inverse hyperbolic sine."},
	{Name: "acosh", ULP: 1, Lower: onFloats(lowerAcosh), Grad: gradAcosh, Doc: "the inverse hyperbolic cosine; NaN below 1."},
	{Name: "atanh", ULP: 1, Lower: onFloats(lowerAtanh), Grad: gradAtanh, Doc: "the inverse hyperbolic tangent; NaN outside -1..1."},
	{Name: "cube", ULP: 1, Lower: onFloats(lowerCube), Grad: gradCube, Doc: "x * x * x; within 0.51 ULP where that is normal."},
	{
		Name: "inverse_square", GoName: "InverseSquare", ULP: 1, Lower: onFloats(lowerInverseSquare), Grad: gradInverseSquare,
		Doc: "1 / (x * x); within 0.51 ULP where that is normal.",
	},
	{Name: "cbrt", ULP: 1, Lower: onFloats(lowerCbrt), Grad: func(g *tree.Adjoint, _ int) *tree.Node {
		return g.Div(g.Out, g.Mul(g.Const(3), g.Op("square", g.Node)))
	}, Doc: "the cube root."},
	{
		Name: "erfc", ULP: 6, Lower: onFloats(lowerErfc), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", gradErf(g, 0)) },
		Doc: "1 - erf(x), accurate where that is small.",
	},
	{Name: "tanh", ULP: 1, Lower: onFloats(lowerTanh), Grad: func(g *tree.Adjoint, _ int) *tree.Node {
		return g.Mul(g.Out, g.Sub(g.Const(1), g.Op("square", g.Node)))
	}, Doc: "the hyperbolic tangent."},
	{Name: "sigmoid", ULP: 1, Lower: onFloats(lowerSigmoid), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Mul(g.Node, g.Sub(g.Const(1), g.Node))) }, Doc: "1 / (1 + exp(-x))."},
	{Name: "erf", ULP: 1, Lower: onFloats(lowerErf), Grad: gradErf, Doc: "the error function."},
	{Name: "erfinv", GoName: "ErfInv", ULP: 4, Lower: onFloats(lowerErfInv), Grad: gradErfInv, Doc: "the inverse of erf; infinite at -1 and 1, NaN outside."},
	{
		Name: "ndtr", GoName: "NormalCDF", ULP: 6, Lower: onFloats(lowerNDTR), Grad: gradNDTR,
		Doc: "the distribution function of the normal distribution, norm.cdf, accurate in the left tail.",
	},
	{
		Name: "ndtri", GoName: "NormalQuantile", ULP: 4, Lower: onFloats(lowerNDTRI), Grad: gradNDTRI,
		Doc: "the quantile of the normal distribution, norm.ppf; infinite at 0 and 1, NaN outside.",
	},
	{
		Name: "gammaln", GoName: "LogGamma", ULP: -1, Lower: onFloats(lowerLogGamma), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("digamma", g.Arg(0))) },
		Doc: "the logarithm of |gamma(x)|, lgamma of C; infinite at 0 and negative integers. Within 4 ULP for x > 0, and below, where it has zeros, within 4 units of the last place of the greatest of 1, the result and gammaln(1-x).",
	},
	{
		Name: "gamma", GoName: "GammaFunction", ULP: 8, Lower: onFloats(lowerGamma), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Mul(g.Node, g.Op("digamma", g.Arg(0)))) },
		Doc: "the gamma function, tgamma of C: (x-1)! for integers; NaN at negative integers.",
	},
	{
		Name: "digamma", GoName: "Digamma", ULP: -1, Lower: onFloats(lowerDigamma), Grad: gradPolygamma(1),
		Doc: "the derivative of gammaln; NaN at negative integers. Within 4 ULP for x > 0, and below, where it has zeros, within 6 units of the last place of the greater of log(2-x) and the result.",
	},
	{
		Name: "trigamma", GoName: "Trigamma", ULP: 6, Lower: onFloats(lowerPolygamma(1)), Grad: gradPolygamma(2),
		Doc: "the derivative of digamma; infinite at 0 and negative integers.",
	},
	{Name: "i0", GoName: "BesselI0", ULP: 5, Lower: onFloats(lowerBessel(i0Near, i0Far, false)), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("i1", g.Arg(0))) }, Doc: "the modified Bessel function of the first kind of order 0."},
	{Name: "i1", GoName: "BesselI1", ULP: 5, Lower: onFloats(lowerBessel(i1Near, i1Far, true)), Grad: gradI1, Doc: "the modified Bessel function of the first kind of order 1."},
	{Name: "gelu", ULP: 6, Lower: onFloats(lowerGelu), Grad: gradGelu, Doc: "x * (1 + erf(x/sqrt(2))) / 2."},
	{
		Name: "gelu_tanh", GoName: "GeluTanh", ULP: -1, Lower: onFloats(lowerGeluTanh), Grad: gradGeluTanh,
		Doc: "x * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3))) / 2, the tanh form of gelu; within 2 ULP for x >= 0, within 2 + 4*(1.6*|x| + 0.0714*|x|^3) below, where the value tends to 0.",
	},
})

// A Lowering writes a function as primitives.
type Lowering = func(b *B, x ...V) V

// Lowerings returns the lowerings of the mathematical functions by name. Tests
// and scripts/ulp use them.
func Lowerings() map[string]Lowering {
	all := map[string]Lowering{}
	for i := range functions {
		if r := &functions[i]; r.Name != "sqrt" { // a primitive
			all[r.Name] = r.Lower
		}
	}
	return all
}
