package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

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
	return expr.Of[T](untyped.Compose("repeat", untyped.Options{Ints: counts, Axes: []int{axis}}, n).As("RepeatEach", n))
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
