package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// Mean returns the arithmetic mean over axes. An empty axis is an error.
func Mean[T expr.AnyFloat](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("mean", options(opts), expr.NodeOf(a))
}

// Var returns the variance over axes: the mean squared distance from the mean,
// computed in two passes; see DDof.
func Var[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("var", options(opts), expr.NodeOf(a))
}

// Std returns the square root of Var.
func Std[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("std", options(opts), expr.NodeOf(a))
}

// Softmax returns exp(a - max) / sum(exp(a - max)) over an axis.
func Softmax[T expr.Float](a expr.Exp[T], axis int) expr.Exp[T] { return along("softmax", a, axis) }

// LogSumExp returns log(sum(exp(a))) over axes, without overflow.
func LogSumExp[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("logsumexp", options(opts), expr.NodeOf(a))
}

// LayerNorm returns a normalised over the last axis to mean 0 and variance 1,
// scaled by gamma and shifted by beta, which may be nil: (a - mean) / sqrt(var
// + eps) * gamma + beta (Ba, Kiros, Hinton 2016).
func LayerNorm[T expr.Float](a, gamma, beta expr.Exp[T], eps float64) expr.Exp[T] {
	return composed[T]("layernorm", untyped.Options{Numbers: []float64{eps}}, expr.NodeOf(a), optional(gamma), optional(beta))
}

// NaNSum returns the sum over axes of the elements that are not NaN.
func NaNSum[T expr.Number](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nansum", options(opts), expr.NodeOf(a))
}

// CountNonzero returns the number of elements over axes that are not 0.
func CountNonzero[T expr.Elem](a expr.Exp[T], opts ...ReduceOption) expr.Exp[int64] {
	return composed[int64]("count_nonzero", options(opts), expr.NodeOf(a))
}

// PeakToPeak returns the maximum less the minimum over axes.
func PeakToPeak[T expr.Number](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("ptp", options(opts), expr.NodeOf(a))
}

// NaNToNum returns a with NaN replaced by nan, and infinities by the greatest
// finite numbers.
func NaNToNum[T expr.Float](a expr.Exp[T], nan float64) expr.Exp[T] {
	return composed[T]("nan_to_num", untyped.Options{Numbers: []float64{nan}}, expr.NodeOf(a))
}

// OneHot returns 1 at the position of the index along a new last axis of size
// depth, and 0 elsewhere. An index outside gives zeros.
func OneHot[T expr.Number, I expr.Integer](index expr.Exp[I], depth int) expr.Exp[T] {
	return composed[T]("one_hot", untyped.Options{Ints: []int{depth}, To: dtype.Of[T]()}, expr.NodeOf(index))
}

// composed returns a composition for a typed constructor.
func composed[R expr.Elem](name string, o untyped.Options, x ...*tree.Node) expr.Exp[R] {
	return expr.Of[R](untyped.Compose(name, o, x...))
}

// plain returns a composition without options.
func plain[R, T expr.Elem](name string, x ...expr.Exp[T]) expr.Exp[R] {
	return composed[R](name, untyped.Options{}, nodes(x)...)
}

// along returns a composition along an axis.
func along[T expr.Elem](name string, a expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T](name, untyped.Options{Axes: []int{axis}}, expr.NodeOf(a))
}
