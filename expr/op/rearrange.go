package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
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
