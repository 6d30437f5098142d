package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// Softplus returns log(1 + exp(x)) without overflow.
func Softplus[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("softplus", untyped.Options{}, expr.NodeOf(x))
}

// SiLU returns x * sigmoid(x), also called swish. It is -0 at negative infinity.
func SiLU[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("silu", untyped.Options{}, expr.NodeOf(x))
}

// ELU returns x where x > 0, else alpha * (exp(x) - 1) (Clevert, Unterthiner, Hochreiter 2016).
func ELU[T expr.Float](x expr.Exp[T], alpha float64) expr.Exp[T] {
	return composed[T]("elu", untyped.Options{Numbers: []float64{alpha}}, expr.NodeOf(x))
}

// LeakyReLU returns x where x > 0, else slope * x.
func LeakyReLU[T expr.Float](x expr.Exp[T], slope float64) expr.Exp[T] {
	return composed[T]("leaky_relu", untyped.Options{Numbers: []float64{slope}}, expr.NodeOf(x))
}

// LogSoftmax returns log(softmax(a)) over an axis, without overflow. Where the maximum is +Inf, it
// is NaN there and -Inf elsewhere, as SciPy has it.
func LogSoftmax[T expr.Float](a expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("log_softmax", untyped.Options{Axes: []int{axis}}, expr.NodeOf(a))
}
