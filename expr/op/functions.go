package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
)

// functions are the mathematical functions. Their lowerings stand in the
// lower_*.go files, one family in each; docs/accuracy.md has the measured
// errors.
var functions = []expr.Operator{
	{Name: "sqrt", Doc: "the square root; NaN below zero.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: .5, Lower: prim1(prim.Sqrt), Grad: gradSqrt},
	{Name: "rsqrt", Doc: "1 / sqrt(x).", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerRsqrt, Grad: gradRsqrt},
	{Name: "hypot", Doc: "sqrt(x*x + y*y) without overflow.", Class: expr.Elementwise, Arity: 2, Types: floats, ULP: 1, Lower: lowerHypot, Grad: gradHypot},
	{Name: "exp", Doc: "e to the power x.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerExp, Grad: gradExp},
	{Name: "exp2", Doc: "2 to the power x.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerExp2, Grad: gradExp2},
	{Name: "expm1", Doc: "exp(x) - 1, accurate near zero.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerExpm1, Grad: gradExpm1},
	{Name: "log", Doc: "the natural logarithm; NaN below zero.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerLog, Grad: gradLog},
	{Name: "log2", Doc: "the logarithm to base 2.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerLog2, Grad: gradLog2},
	{Name: "log10", Doc: "the logarithm to base 10.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerLog10, Grad: gradLog10},
	{Name: "log1p", Doc: "log(1 + x), accurate near zero.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerLog1p, Grad: gradLog1p},
	{Name: "pow", Symbol: "**", Doc: "x to the power y, with C99's special cases.", Class: expr.Elementwise, Arity: 2, Types: floats, ULP: 1, Lower: lowerPow, Grad: gradPow},
	{Name: "sin", Doc: "the sine of x radians, for all magnitudes.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerSin, Grad: gradSin},
	{Name: "cos", Doc: "the cosine of x radians, for all magnitudes.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerCos, Grad: gradCos},
	{Name: "tan", Doc: "the tangent of x radians, for all magnitudes.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerTan, Grad: gradTan},
	{Name: "asin", Doc: "the arc sine, in radians; NaN outside -1..1.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerAsin, Grad: gradAsin},
	{Name: "acos", Doc: "the arc cosine, in radians; NaN outside -1..1.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerAcos, Grad: gradAcos},
	{Name: "atan", Doc: "the arc tangent, in radians.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerAtan, Grad: gradAtan},
	{Name: "atan2", Doc: "the angle of the point (y, x), in radians, with C99's special cases.", Class: expr.Elementwise, Arity: 2, Types: floats, ULP: 1, Lower: lowerAtan2, Grad: gradAtan2},
	{Name: "sinh", Doc: "the hyperbolic sine.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerSinh, Grad: gradSinh},
	{Name: "cosh", Doc: "the hyperbolic cosine.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerCosh, Grad: gradCosh},
	{Name: "cbrt", Doc: "the cube root.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerCbrt, Grad: gradCbrt},
	{Name: "erfc", Doc: "1 - erf(x), accurate where that is small.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 4, Lower: lowerErfc, Grad: gradErfc},
	{Name: "tanh", Doc: "the hyperbolic tangent.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerTanh, Grad: gradTanh},
	{Name: "sigmoid", Doc: "1 / (1 + exp(-x)).", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerSigmoid, Grad: gradSigmoid},
	{Name: "erf", Doc: "the error function.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 1, Lower: lowerErf, Grad: gradErf},
	{Name: "gelu", Doc: "x * (1 + erf(x/sqrt(2))) / 2.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: 5, Lower: lowerGelu, Grad: gradGelu},
	{Name: "gelu_tanh", GoName: "GeluTanh", Doc: "x * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3))) / 2, the tanh form of gelu; within 2 ULP for x >= 0, within 2 + 4*(1.6*|x| + 0.0714*|x|^3) below, where the value tends to 0.", Class: expr.Elementwise, Arity: 1, Types: floats, ULP: -1, Lower: lowerGeluTanh, Grad: gradGeluTanh},
}
