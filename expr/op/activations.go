package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the activations of networks that are compositions.

// softplus takes the exponential of a number that is not above 0. The maximum shares the adjoint
// at 0, so the derivative there is 1/2.
func softplus(_ Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	rest := call("log1p", call("exp", call("neg", call("abs", a))))
	return call("add", call("maximum", a, like(a, 0)), rest)
}

// silu multiplies finite factors, so neither the product at negative infinity, which is -0, nor the
// derivatives at infinities are products of 0 and infinity. The sigmoid is 0 or 1 already where the
// factor begins to differ from x.
func silu(_ Options, x ...*tree.Node) *tree.Node {
	a, bound := x[0], like(x[0], 1e4)
	y := call("mul", call("clip", a, like(a, -1e4), bound), call("sigmoid", a))
	return call("where", call("greater", a, bound), a, y)
}

// elu takes the exponential only of numbers that are not above 0, so no adjoint is a product of 0
// and infinity.
func elu(o Options, x ...*tree.Node) *tree.Node {
	a, zero := x[0], like(x[0], 0)
	above := call("greater", a, zero)
	below := call("mul", call("expm1", call("where", above, zero, a)), like(a, o.number(1)))
	return call("where", above, a, below)
}

func leakyReLU(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	return call("where", call("greater", a, like(a, 0)), a, call("mul", a, like(a, o.number(.01))))
}

// number returns the first number of the options, or the given one.
func (o Options) number(without float64) float64 {
	if len(o.Numbers) > 0 {
		return o.Numbers[0]
	}
	return without
}

// logSoftmax reduces the last axis if the options name none. It shifts by the maximum if that is
// finite.
func logSoftmax(o Options, x ...*tree.Node) *tree.Node {
	if o.Axes == nil {
		o.Axes = []int{-1}
	}
	m := shift(o, x[0])
	if m.Err() != nil {
		return m
	}
	d := call("sub", x[0], call("where", call("isfinite", m), m, like(m, 0)))
	return call("sub", d, call("log", ReduceNode("sum", call("exp", d), o.keep())))
}

// Softplus returns log(1 + exp(x)) without overflow.
func Softplus[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("softplus", Options{}, expr.NodeOf(x))
}

// SiLU returns x * sigmoid(x), also called swish. It is -0 at negative infinity.
func SiLU[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("silu", Options{}, expr.NodeOf(x))
}

// ELU returns x where x > 0, else alpha * (exp(x) - 1) (Clevert, Unterthiner, Hochreiter 2016).
func ELU[T expr.Float](x expr.Exp[T], alpha float64) expr.Exp[T] {
	return composed[T]("elu", Options{Numbers: []float64{alpha}}, expr.NodeOf(x))
}

// LeakyReLU returns x where x > 0, else slope * x.
func LeakyReLU[T expr.Float](x expr.Exp[T], slope float64) expr.Exp[T] {
	return composed[T]("leaky_relu", Options{Numbers: []float64{slope}}, expr.NodeOf(x))
}

// LogSoftmax returns log(softmax(a)) over an axis, without overflow. Where the maximum is +Inf, it
// is NaN there and -Inf elsewhere, as SciPy has it.
func LogSoftmax[T expr.Float](a expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("log_softmax", Options{Axes: []int{axis}}, expr.NodeOf(a))
}
