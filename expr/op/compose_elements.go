package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the compositions that work element by element.

// like returns v as a scalar with the type of a.
func like(a *tree.Node, v float64) *tree.Node { return tree.ConstFloat(a.DType(), v) }

// scaled returns a composition that multiplies by v.
func scaled(v float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node { return call("mul", x[0], like(x[0], v)) }
}

// logAdd returns the logarithm of the sum of two powers. The distance of equal exponents, also of
// infinite ones, is 0. They share the adjoint, as the maximum does.
func logAdd(power float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node {
		a, b := x[0], x[1]
		apart := call("where", call("equal", a, b), like(a, 0), call("sub", a, b))
		rest := call("exp", call("mul", call("neg", call("abs", apart)), like(a, power)))
		return call("add", call("maximum", a, b), call("div", call("log1p", rest), like(a, power)))
	}
}

// sinc has the value 1 at 0, as NumPy computes it.
func sinc(_ Options, x ...*tree.Node) *tree.Node {
	zero := call("equal", x[0], like(x[0], 0))
	y := call("mul", call("where", zero, like(x[0], 1), x[0]), like(x[0], math.Pi))
	return call("where", zero, like(x[0], 1), call("div", call("sin", y), y))
}

func heaviside(_ Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	positive := call("where", call("greater", a, like(a, 0)), like(a, 1), x[1])
	step := call("where", call("less", a, like(a, 0)), like(a, 0), positive)
	return call("where", call("isnan", a), a, step)
}

func infinite(sign int) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node { return call("equal", x[0], like(x[0], math.Inf(sign))) }
}

// bitCount adds neighbouring groups of 1, 2 and 4 bits, and then all bytes.
func bitCount(_ Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	if a.DType().IsSigned() {
		a = call("abs", CastNode(a, dtype.I64))
	}
	a = CastNode(a, dtype.U64)
	number := func(v uint64) *tree.Node { return tree.NewConst(dtype.U64, v) }
	shift := func(a *tree.Node, by uint64) *tree.Node { return call("right_shift", a, number(by)) }
	and := func(a *tree.Node, mask uint64) *tree.Node { return call("bitwise_and", a, number(mask)) }
	a = call("sub", a, and(shift(a, 1), 0x5555555555555555))
	a = call("add", and(a, 0x3333333333333333), and(shift(a, 2), 0x3333333333333333))
	a = and(call("add", a, shift(a, 4)), 0x0f0f0f0f0f0f0f0f)
	return CastNode(shift(call("mul", a, number(0x0101010101010101)), 56), dtype.U8)
}

// Deg2Rad returns x degrees in radians.
func Deg2Rad[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("deg2rad", Options{}, expr.NodeOf(x))
}

// Rad2Deg returns x radians in degrees.
func Rad2Deg[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("rad2deg", Options{}, expr.NodeOf(x))
}

// LogAddExp returns log(exp(x) + exp(y)) without overflow.
func LogAddExp[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("logaddexp", Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// LogAddExp2 returns log2(2**x + 2**y) without overflow.
func LogAddExp2[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("logaddexp2", Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// Sinc returns sin(pi*x) / (pi*x), and 1 at 0.
func Sinc[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("sinc", Options{}, expr.NodeOf(x))
}

// Heaviside returns 0 below 0, 1 above 0, and y at 0.
func Heaviside[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("heaviside", Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// IsPosInf returns whether x is positive infinity.
func IsPosInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("isposinf", Options{}, expr.NodeOf(x))
}

// IsNegInf returns whether x is negative infinity.
func IsNegInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("isneginf", Options{}, expr.NodeOf(x))
}

// BitCount returns the number of bits that are set in |x|.
func BitCount[T expr.Integer](x expr.Exp[T]) expr.Exp[uint8] {
	return composed[uint8]("bitwise_count", Options{}, expr.NodeOf(x))
}
