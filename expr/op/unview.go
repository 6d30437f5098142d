package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// Unslice returns the adjoint of Slice: an array of shape dims with the
// elements of a at the positions that Slice with the same spans selects, and
// zeros elsewhere.
func Unslice[T expr.Elem](a expr.Exp[T], dims []int, spans ...Span) expr.Exp[T] {
	return expr.Of[T](untyped.Unslice(expr.NodeOf(a), dims, spans))
}

// windowInts returns the attributes of window_scatter and window_gather.
func windowInts(counts []int, w []Window) []int {
	ints := make([]int, 0, 3*len(w))
	for i, x := range w {
		n := -1
		if i < len(counts) {
			n = counts[i]
		}
		ints = append(ints, max(x.Stride, 1), max(x.Dilation, 1), n)
	}
	return ints
}

// WindowScatter returns the elements of windows at the positions of an array of
// shape dims that Windows reads them from. a has the axes of Windows. The axes
// of the result are the axes of that array, then the axes of the elements of a
// window.
func WindowScatter[T expr.Elem](a expr.Exp[T], dims []int, w ...Window) expr.Exp[T] {
	return expr.Of[T](tree.ApplyWith(untyped.Row("window_scatter"), tree.Attributes{Ints: windowInts(dims, w)}, expr.NodeOf(a)))
}

// WindowGather returns the adjoint of WindowScatter: counts windows along each
// axis. Each element of a window is read from its own part of a.
func WindowGather[T expr.Elem](a expr.Exp[T], counts []int, w ...Window) expr.Exp[T] {
	return expr.Of[T](tree.ApplyWith(untyped.Row("window_gather"), tree.Attributes{Ints: windowInts(counts, w)}, expr.NodeOf(a)))
}

// Unwindows returns the adjoint of Windows, also called col2im. It is an array
// of shape dims. Every element of every window is added at the position from
// which Windows with the same w reads it. a decides the sizes of windows.
func Unwindows[T Summable](a expr.Exp[T], dims []int, w ...Window) expr.Exp[T] {
	axes := lists.UpTo(2 * len(w))[len(w):]
	n := Sum(WindowScatter(a, dims, w...), Axis(axes...)).Node()
	return expr.Of[T](n.As("Unwindows", expr.NodeOf(a)))
}
