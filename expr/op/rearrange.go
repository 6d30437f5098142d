package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// Flatten returns a as a vector, row-major.
func Flatten[T expr.Elem](a expr.Exp[T]) expr.Exp[T] { return plain[T]("ravel", a) }

// SwapAxes returns a with two axes exchanged.
func SwapAxes[T expr.Elem](a expr.Exp[T], i, j int) expr.Exp[T] {
	return composed[T]("swapaxes", untyped.Options{Axes: []int{i, j}}, expr.NodeOf(a))
}

// MoveAxis returns a with axis from at position to. The other axes keep their
// order.
func MoveAxis[T expr.Elem](a expr.Exp[T], from, to int) expr.Exp[T] {
	return composed[T]("moveaxis", untyped.Options{Axes: []int{from}, Ints: []int{to}}, expr.NodeOf(a))
}

// NewAxis returns a with a new axis of size 1 before axis; NewAxis(a, -1)
// appends one.
func NewAxis[T expr.Elem](a expr.Exp[T], axis int) expr.Exp[T] { return along("expand_dims", a, axis) }

// Squeeze returns a without the given axes of size 1, or without all axes of
// size 1.
func Squeeze[T expr.Elem](a expr.Exp[T], axes ...int) expr.Exp[T] {
	return composed[T]("squeeze", untyped.Options{Axes: axes}, expr.NodeOf(a))
}

// Flip returns a with the given axes reversed, or all axes if there are none.
func Flip[T expr.Elem](a expr.Exp[T], axes ...int) expr.Exp[T] {
	return composed[T]("flip", untyped.Options{Axes: axes}, expr.NodeOf(a))
}

// Roll returns a with its elements moved by shift positions along an axis. What
// leaves one end enters at the other.
func Roll[T expr.Elem](a expr.Exp[T], shift, axis int) expr.Exp[T] {
	return composed[T]("roll", untyped.Options{Axes: []int{axis}, Ints: []int{shift}}, expr.NodeOf(a))
}

// FFTShift returns a with axes, by default all, turned by half of their extents, so that
// the frequency 0 of [FFT] is in the middle.
func FFTShift[T expr.Elem](a expr.Exp[T], axes ...int) expr.Exp[T] {
	return composed[T]("fftshift", untyped.Options{Axes: axes}, expr.NodeOf(a))
}

// IFFTShift returns the inverse of [FFTShift].
func IFFTShift[T expr.Elem](a expr.Exp[T], axes ...int) expr.Exp[T] {
	return composed[T]("ifftshift", untyped.Options{Axes: axes}, expr.NodeOf(a))
}

// Stack returns expressions of equal shapes along a new axis.
func Stack[T expr.Elem](axis int, args ...expr.Exp[T]) expr.Exp[T] {
	return composed[T]("stack", untyped.Options{Axes: []int{axis}}, nodes(args)...)
}

// Eye returns a matrix with 1 on diagonal k, above the main one if k > 0, and 0
// elsewhere.
func Eye[T expr.Elem](rows, columns, k int) expr.Exp[T] {
	return composed[T]("eye", untyped.Options{Ints: []int{rows, columns, k}, To: dtype.Of[T]()})
}

// Linspace returns n numbers from start to stop, both included. Integers are rounded
// down. The error is [expr.ErrType] if T has not all of them.
func Linspace[T expr.Number](start, stop float64, n int) expr.Exp[T] {
	return composed[T]("linspace", untyped.Options{Numbers: []float64{start, stop}, Ints: []int{n}, To: dtype.Of[T]()})
}

// Transpose returns a with its axes permuted: axis i of the result is axis
// axes[i] of a. No axes mean the reverse order.
func Transpose[T expr.Elem](a expr.Exp[T], axes ...int) expr.Exp[T] {
	return expr.Of[T](untyped.Permute(expr.NodeOf(a), axes))
}

// T returns a with its axes in reverse order.
func T[E expr.Elem](a expr.Exp[E]) expr.Exp[E] { return Transpose(a) }

// Rot90 returns a with the plane of its first two axes turned k times by 90
// degrees, from the first axis to the second.
func Rot90[T expr.Elem](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("rot90", untyped.Options{Ints: []int{k}}, expr.NodeOf(a))
}

// FlipUD returns a with the first axis reversed.
func FlipUD[T expr.Elem](a expr.Exp[T]) expr.Exp[T] { return plain[T]("flipud", a) }

// FlipLR returns a with the second axis reversed.
func FlipLR[T expr.Elem](a expr.Exp[T]) expr.Exp[T] { return plain[T]("fliplr", a) }

// AtLeast1D returns a, or a number as a vector.
func AtLeast1D[T expr.Elem](a expr.Exp[T]) expr.Exp[T] { return plain[T]("atleast_1d", a) }

// AtLeast2D returns a, or a number or a vector as one row.
func AtLeast2D[T expr.Elem](a expr.Exp[T]) expr.Exp[T] { return plain[T]("atleast_2d", a) }

// AtLeast3D returns a with at least three axes: a vector of n elements has the
// shape [1 n 1], a matrix a new last axis.
func AtLeast3D[T expr.Elem](a expr.Exp[T]) expr.Exp[T] { return plain[T]("atleast_3d", a) }

// HStack returns arrays one beside the other: along the second axis, or the
// first of vectors.
func HStack[T expr.Elem](arrays ...expr.Exp[T]) expr.Exp[T] { return plain[T]("hstack", arrays...) }

// VStack returns arrays one below the other: along the first axis. Vectors are
// rows.
func VStack[T expr.Elem](arrays ...expr.Exp[T]) expr.Exp[T] { return plain[T]("vstack", arrays...) }

// DStack returns arrays one behind the other: along the third axis.
func DStack[T expr.Elem](arrays ...expr.Exp[T]) expr.Exp[T] { return plain[T]("dstack", arrays...) }

// ColumnStack returns vectors, and the columns of matrices, as columns.
func ColumnStack[T expr.Elem](arrays ...expr.Exp[T]) expr.Exp[T] {
	return plain[T]("column_stack", arrays...)
}

// Append returns b after a along an axis.
func Append[T expr.Elem](a, b expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("append", untyped.Options{Axes: []int{axis}}, expr.NodeOf(a), expr.NodeOf(b))
}

// Delete returns a without position i of an axis. Negative positions count from
// the end. See [DeleteAll] for several positions.
func Delete[T expr.Elem](a expr.Exp[T], i, axis int) expr.Exp[T] {
	return composed[T]("delete", untyped.Options{Ints: []int{i}, Axes: []int{axis}}, expr.NodeOf(a))
}

// DeleteAll returns a without some positions of an axis.
func DeleteAll[T expr.Elem](a expr.Exp[T], axis int, positions ...int) expr.Exp[T] {
	n := expr.NodeOf(a)
	return expr.Of[T](untyped.Compose("delete", untyped.Options{Ints: positions, Axes: []int{axis}}, n).As("DeleteAll", n))
}

// Insert returns a with values before position i of an axis. The values have the rank of a, or
// less; the other axes broadcast. Negative positions count from the end.
func Insert[T expr.Elem](a expr.Exp[T], i int, values expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("insert", untyped.Options{Ints: []int{i}, Axes: []int{axis}}, expr.NodeOf(a), expr.NodeOf(values))
}

// Resize returns the elements of a in another shape, repeated until it is full.
func Resize[T expr.Elem](a expr.Exp[T], dims ...int) expr.Exp[T] {
	return composed[T]("resize", untyped.Options{Ints: dims}, expr.NodeOf(a))
}

// EDiff1D returns the differences of neighbours in row-major order.
func EDiff1D[T expr.Number](a expr.Exp[T]) expr.Exp[T] {
	return composed[T]("ediff1d", untyped.Options{}, expr.NodeOf(a), nil, nil)
}

// Diagonal returns the k-th diagonal of the first two axes, above the main one if
// k > 0, as the last axis.
func Diagonal[T expr.Elem](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("diagonal", untyped.Options{Ints: []int{k}, Axes: []int{0, 1}}, expr.NodeOf(a))
}

// Trace returns the sum of the k-th diagonal of the first two axes.
func Trace[T expr.AnyNumber](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("trace", untyped.Options{Ints: []int{k}, Axes: []int{0, 1}}, expr.NodeOf(a))
}

// Diag returns the k-th diagonal of a matrix, or a matrix with a vector on its
// k-th diagonal.
func Diag[T expr.Elem](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("diag", untyped.Options{Ints: []int{k}}, expr.NodeOf(a))
}

// Kron returns the Kronecker product: a with each element replaced by its product
// with b.
func Kron[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("kron", a, b) }

// Cross returns the cross products of the vectors along the last axis, which has
// three elements.
func Cross[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("cross", a, b) }

// Convolve returns the convolution of two vectors. The mode is "full", or "same"
// for as many elements as the longer one has, or "valid" for those that depend on
// all elements of the shorter one.
func Convolve[T expr.AnyNumber](a, v expr.Exp[T], mode string) expr.Exp[T] {
	return composed[T]("convolve", untyped.Options{Text: mode}, expr.NodeOf(a), expr.NodeOf(v))
}

// Correlate returns the correlation of two vectors: the convolution of a with v
// reversed, and conjugate if it is complex. See [Convolve] for modes.
func Correlate[T expr.AnyNumber](a, v expr.Exp[T], mode string) expr.Exp[T] {
	return composed[T]("correlate", untyped.Options{Text: mode}, expr.NodeOf(a), expr.NodeOf(v))
}

// Meshgrid returns the coordinates of a grid as NumPy does: the first vector
// along the second axis, the second along the first, and others along their
// own. Operators broadcast, so few programs need it.
func Meshgrid[T expr.Elem](axes ...expr.Exp[T]) []expr.Exp[T] {
	parts := nodes(axes)
	for i, a := range parts {
		if parts[i] = a.As("Meshgrid", parts...); a.Err() == nil && len(a.Shape()) != 1 {
			parts[i] = tree.Errorf(tree.ErrShape, "Meshgrid", "axis %d has shape %v and is no vector", i, a.Shape())
		}
	}
	return lists.Map(untyped.Meshgrid(parts, true, false), expr.Of[T])
}
