package op

import (
	"slices"

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
func NaNToNum[T expr.AnyFloat](a expr.Exp[T], nan float64) expr.Exp[T] {
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

// Deg2Rad returns x degrees in radians.
func Deg2Rad[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("deg2rad", x) }

// Rad2Deg returns x radians in degrees.
func Rad2Deg[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("rad2deg", x) }

// LogAddExp returns log(exp(x) + exp(y)) without overflow.
func LogAddExp[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("logaddexp", x, y) }

// LogAddExp2 returns log2(2**x + 2**y) without overflow.
func LogAddExp2[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("logaddexp2", x, y) }

// Sinc returns sin(pi*x) / (pi*x), and 1 at 0.
func Sinc[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("sinc", x) }

// Heaviside returns 0 below 0, 1 above 0, and y at 0.
func Heaviside[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("heaviside", x, y) }

// IsPosInf returns whether x is positive infinity.
func IsPosInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] { return plain[bool]("isposinf", x) }

// IsNegInf returns whether x is negative infinity.
func IsNegInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] { return plain[bool]("isneginf", x) }

// BitCount returns the number of bits that are set in |x|.
func BitCount[T expr.Integer](x expr.Exp[T]) expr.Exp[uint8] { return plain[uint8]("bitwise_count", x) }

// Frexp returns m and e of x = m * 2^e with .5 <= |m| < 1. They are x and 0 for 0, infinity and NaN.
func Frexp[T expr.Float](x expr.Exp[T]) (m expr.Exp[T], e expr.Exp[int32]) {
	if expr.NodeOf(x).Err() == nil {
		x = Cast[T](x) // a half inside a tree has more digits than an element
	}
	return Mantissa(x), Cast[int32](Exponent(x))
}

// Spacing returns the distance from x to the next number of type T away from 0, with the sign of x.
func Spacing[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("spacing", x) }

// NextAfter returns the next number of type T from x towards y.
func NextAfter[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("nextafter", x, y) }

// GCD returns the greatest common divisor of |x| and |y|. The one of 0 and 0 is 0.
func GCD[T expr.Integer](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("gcd", x, y) }

// LCM returns the least common multiple of |x| and |y|. It wraps.
func LCM[T expr.Integer](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("lcm", x, y) }

// PadMode returns a surrounded by its own elements. widths[i] is the number of
// elements before and after along axis i. The mode is one of NumPy's: "edge"
// repeats the last element, "wrap" goes on at the other end, "reflect" goes back
// without the last element, and "symmetric" with it.
func PadMode[T expr.Elem](a expr.Exp[T], widths [][2]int, mode string) expr.Exp[T] {
	return expr.Of[T](untyped.PadMode(expr.NodeOf(a), flatPairs(widths), mode))
}

// Diff returns the differences of neighbours along an axis. The axis becomes
// shorter by one.
func Diff[T expr.Number](a expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("diff", untyped.Options{Axes: []int{axis}}, expr.NodeOf(a), nil, nil)
}

// Tile returns a repeated reps[i] times along axis i, counted from the last
// ones.
func Tile[T expr.Elem](a expr.Exp[T], reps ...int) expr.Exp[T] {
	return composed[T]("tile", untyped.Options{Ints: reps}, expr.NodeOf(a))
}

// Repeat returns a with each element repeated n times along an axis.
func Repeat[T expr.Elem](a expr.Exp[T], n, axis int) expr.Exp[T] {
	return composed[T]("repeat", untyped.Options{Ints: []int{n}, Axes: []int{axis}}, expr.NodeOf(a))
}

// RepeatEach returns a with element i of an axis repeated counts[i] times.
func RepeatEach[T expr.Elem](a expr.Exp[T], axis int, counts ...int) expr.Exp[T] {
	n := expr.NodeOf(a)
	return expr.Of[T](untyped.Compose("repeat", untyped.Options{Ints: append([]int{}, counts...), Axes: []int{axis}}, n).As("RepeatEach", n))
}

// Tri returns 1 on and below the k-th diagonal of a matrix, else 0.
func Tri[T expr.Number](rows, columns, k int) expr.Exp[T] {
	return composed[T]("tri", untyped.Options{Ints: []int{rows, columns, k}, To: dtype.Of[T]()})
}

// TriL returns the matrices in the last two axes with zeros above the k-th
// diagonal.
func TriL[T expr.Number](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("tril", untyped.Options{Ints: []int{k}}, expr.NodeOf(a))
}

// TriU returns the matrices in the last two axes with zeros below the k-th
// diagonal.
func TriU[T expr.Number](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("triu", untyped.Options{Ints: []int{k}}, expr.NodeOf(a))
}

// NaNMean returns the mean over axes of the elements that are not NaN. It is NaN
// if there are none.
func NaNMean[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nanmean", options(opts), expr.NodeOf(a))
}

// NaNVar returns the variance over axes of the elements that are not NaN; see
// [DDof].
func NaNVar[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("nanvar", options(opts), expr.NodeOf(a))
}

// NaNStd returns the square root of NaNVar.
func NaNStd[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("nanstd", options(opts), expr.NodeOf(a))
}

// Round returns a rounded to a number of decimals, ties to even. Negative numbers
// round to tens, hundreds ...
func Round[T expr.AnyNumber](a expr.Exp[T], decimals int) expr.Exp[T] {
	return composed[T]("round", untyped.Options{Ints: []int{decimals}}, expr.NodeOf(a))
}

// IsClose returns whether |a - b| <= absolute + relative*|b|, or a == b.
func IsClose[T expr.Number](a, b expr.Exp[T], relative, absolute float64) expr.Exp[bool] {
	return composed[bool]("isclose", untyped.Options{Numbers: []float64{relative, absolute}}, expr.NodeOf(a), expr.NodeOf(b))
}

// Outer returns the products of all pairs of elements of a and b, as a matrix.
func Outer[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("outer", a, b) }

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
func Cov[T expr.AnyFloat](a expr.Exp[T], ddof int) expr.Exp[T] {
	return composed[T]("cov", untyped.Options{DDof: float64(ddof)}, expr.NodeOf(a), nil, nil, nil)
}

// CovWeights is [Cov] of observations that count as often as frequencies say, and as much as
// weights. One of them may be nil.
func CovWeights[T expr.AnyFloat](a, frequencies, weights expr.Exp[T], ddof int) expr.Exp[T] {
	n, f, w := expr.NodeOf(a), optional(frequencies), optional(weights)
	x := slices.DeleteFunc([]*tree.Node{n, f, w}, func(n *tree.Node) bool { return n == nil })
	return expr.Of[T](untyped.Compose("cov", untyped.Options{DDof: float64(ddof)}, n, nil, f, w).As("CovWeights", x...))
}

// CorrCoef returns the correlation coefficients of variables in rows, observed
// in columns.
func CorrCoef[T expr.AnyFloat](a expr.Exp[T]) expr.Exp[T] {
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
