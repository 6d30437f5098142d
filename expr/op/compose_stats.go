package op

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// NaNProd returns the product over axes of the elements that are not NaN.
func NaNProd[T expr.Number](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nanprod", options(opts), expr.NodeOf(a))
}

// Average returns the mean over axes with weights: an array of the shape of a, or of the
// shape of the axes. Without weights, nil, it is the mean.
func Average[T expr.AnyFloat](a, weights expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("average", options(opts), expr.NodeOf(a), optional(weights))
}

// optional returns the tree of an operand that may be nil.
func optional[T expr.Elem](a expr.Exp[T]) *tree.Node {
	if a == nil {
		return nil
	}
	return expr.NodeOf(a)
}

// Cov returns the covariances of variables in rows, observed in columns. The
// divisor is the number of observations less ddof.
func Cov[T expr.Float](a expr.Exp[T], ddof int) expr.Exp[T] {
	return composed[T]("cov", untyped.Options{DDof: ddof}, expr.NodeOf(a), nil, nil, nil)
}

// CovWeights is [Cov] of observations that count as often as frequencies say, and as much as
// weights. One of them may be nil.
func CovWeights[T expr.Float](a, frequencies, weights expr.Exp[T], ddof int) expr.Exp[T] {
	n, f, w := expr.NodeOf(a), optional(frequencies), optional(weights)
	x := slices.DeleteFunc([]*tree.Node{n, f, w}, func(n *tree.Node) bool { return n == nil })
	return expr.Of[T](untyped.Compose("cov", untyped.Options{DDof: ddof}, n, nil, f, w).As("CovWeights", x...))
}

// CorrCoef returns the correlation coefficients of variables in rows, observed
// in columns.
func CorrCoef[T expr.Float](a expr.Exp[T]) expr.Exp[T] {
	return composed[T]("corrcoef", untyped.Options{}, expr.NodeOf(a), nil)
}

// Trapezoid returns the integral of y along an axis by the trapezoidal rule, for
// samples at distances dx.
func Trapezoid[T expr.AnyFloat](y expr.Exp[T], dx float64, axis int) expr.Exp[T] {
	return composed[T]("trapezoid", untyped.Options{Numbers: []float64{dx}, Axes: []int{axis}}, expr.NodeOf(y), nil)
}

// Gradient returns central differences along an axis, for samples at distances
// dx. At both ends it returns the differences from the neighbour.
func Gradient[T expr.AnyFloat](a expr.Exp[T], dx float64, axis int) expr.Exp[T] {
	return composed[T]("gradient", untyped.Options{Numbers: []float64{dx}, Axes: []int{axis}}, expr.NodeOf(a), nil)
}

// GradientAt is [Gradient] for samples at coordinates, one for each element of the axis. Inside
// the differences are of second order also where the distances differ.
func GradientAt[T expr.Float](a, at expr.Exp[T], axis int) expr.Exp[T] {
	n, x := expr.NodeOf(a), expr.NodeOf(at)
	return expr.Of[T](untyped.Compose("gradient", untyped.Options{Axes: []int{axis}}, n, x).As("GradientAt", n, x))
}

// Interp returns the values at x of the polygon through the points (at[i],
// values[i]). The positions at must increase. Outside of them it returns the
// first and the last value.
func Interp[T expr.Float](x, at, values expr.Exp[T]) expr.Exp[T] {
	return composed[T]("interp", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(at), expr.NodeOf(values), nil, nil)
}

// InterpPeriodic is [Interp] for positions on a circle: a position counts less multiples of the
// period, which is not 0. The positions at have any order.
func InterpPeriodic[T expr.Float](x, at, values expr.Exp[T], period float64) expr.Exp[T] {
	n, p, v := expr.NodeOf(x), expr.NodeOf(at), expr.NodeOf(values)
	return expr.Of[T](untyped.Compose("interp", untyped.Options{Numbers: []float64{period}}, n, p, v, nil, nil).As("InterpPeriodic", n, p, v))
}

// AllClose returns whether IsClose holds for all elements.
func AllClose[T expr.Number](a, b expr.Exp[T], relative, absolute float64) expr.Exp[bool] {
	return composed[bool]("allclose", untyped.Options{Numbers: []float64{relative, absolute}}, expr.NodeOf(a), expr.NodeOf(b))
}

// ArrayEqual returns whether a and b have one shape and equal elements.
func ArrayEqual[T expr.Elem](a, b expr.Exp[T]) expr.Exp[bool] {
	return plain[bool]("array_equal", a, b)
}

// ArrayEquiv returns whether a and b broadcast to arrays with equal elements.
func ArrayEquiv[T expr.Elem](a, b expr.Exp[T]) expr.Exp[bool] {
	return plain[bool]("array_equiv", a, b)
}
