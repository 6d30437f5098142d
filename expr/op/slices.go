package op

import (
	"cmp"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// A Span selects elements of an axis as Python's start:stop:step does. The zero
// value selects all. See Range, From, Until and By.
type Span = shape.Slice

// Range returns the span start:stop. Negative positions count from the end.
func Range(start, stop int) Span { return shape.Range(start, stop) }

// From returns the span from start to the end.
func From(start int) Span { return shape.From(start) }

// Until returns the span from the beginning to stop, without stop.
func Until(stop int) Span { return shape.Until(stop) }

// By returns s with a step, which may be negative: By(Span{}, -1) reverses an
// axis. A step of 0 makes the slice an error.
func By(s Span, step int) Span { return shape.By(s, step) }

// Slice returns elements of the leading axes of a, selected by one span for
// each. Positions outside are clamped as in Python.
func Slice[T expr.Elem](a expr.Exp[T], spans ...Span) expr.Exp[T] {
	return expr.Of[T](untyped.Slice(expr.NodeOf(a), spans))
}

// Index returns part i of a along an axis, which is dropped. A negative i
// counts from the end.
func Index[T expr.Elem](a expr.Exp[T], axis, i int) expr.Exp[T] {
	return expr.Of[T](untyped.Index(expr.NodeOf(a), axis, i))
}

// Concat returns the expressions joined along an axis. Their shapes are equal
// apart from that axis.
func Concat[T expr.Elem](axis int, args ...expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](untyped.Concat(axis, nodes(args)))
}

func nodes[T expr.Elem](args []expr.Exp[T]) []*tree.Node { return lists.Map(args, expr.NodeOf[T]) }

// Into returns the concatenation of targets as a target. An assignment cuts the
// value along the axis and stores each part in its target.
func Into[T expr.Elem](axis int, targets ...expr.Assignable[T]) expr.Assignable[T] {
	args := lists.Map(targets, func(t expr.Assignable[T]) *tree.Node { return expr.NodeOf(expr.Exp[T](t)) })
	return expr.TargetOf[T](untyped.Concat(axis, args).As("Into", args...))
}

// IntoView returns a view of a tensor as a target: slices, flips and transpositions of it, in any
// order. An assignment stores to the elements of the tensor that the view has.
//
//	expr.LetAdd(op.IntoView(op.Flip(op.Slice(x, op.Range(1, 3)), 0)), y)
func IntoView[T expr.Elem](view expr.Exp[T]) expr.Assignable[T] {
	n := expr.NodeOf(view)
	return expr.TargetOf[T](viewLeaf(n).As("IntoView", n))
}

// viewLeaf returns a view of an array as an array.
func viewLeaf(n *tree.Node) *tree.Node {
	if n.Err() != nil || n.Leaf != nil {
		return n
	}
	if len(n.Args) != 1 || n.Op != untyped.Row("slice") && n.Op != untyped.Row("transpose") {
		return tree.Errorf(tree.ErrUnsupported, "IntoView", "%s is no slice, flip or transposition of an array", n.Op.Name())
	}
	a := viewLeaf(n.Args[0])
	if a.Err() != nil {
		return a
	}
	out := &tree.Leaf{Mem: a.Leaf.Mem, Name: a.Leaf.Name, Offset: a.Leaf.Offset, Strides: make(shape.Strides, len(n.Shape()))}
	for i := range out.Strides {
		if n.Op == untyped.Row("transpose") {
			out.Strides[i] = a.Leaf.Strides[n.Axes[i]]
			continue
		}
		start, step := n.Ints[3*i], n.Ints[3*i+1]
		if n.Shape().Size() > 0 {
			out.Offset += start * a.Leaf.Strides[i]
		}
		out.Strides[i] = step * a.Leaf.Strides[i]
	}
	return tree.NewLeaf(n.DType(), n.Shape(), out)
}

// Pad returns a surrounded by a scalar. widths[i] is the number of elements
// before and after along axis i.
func Pad[T expr.Elem](a expr.Exp[T], widths [][2]int, fill T) expr.Exp[T] {
	return expr.Of[T](untyped.Pad(expr.NodeOf(a), flatPairs(widths), expr.Const(fill).Node()))
}

func flatPairs(pairs [][2]int) (flat []int) {
	for _, w := range pairs {
		flat = append(flat, w[0], w[1])
	}
	return flat
}

// A Window is a sliding window along one axis. Zero fields mean 1.
type Window struct{ Size, Stride, Dilation int }

// Windows returns all positions of a sliding window, with one Window for each
// axis. The axes of the result are the positions, then the elements of the
// window. The number of positions is floor((n - (dilation*(size-1)+1)) /
// stride) + 1.
func Windows[T expr.Elem](a expr.Exp[T], w ...Window) expr.Exp[T] {
	ints := make([]int, 0, 3*len(w))
	for _, x := range w {
		ints = append(ints, cmp.Or(x.Size, 1), cmp.Or(x.Stride, 1), cmp.Or(x.Dilation, 1))
	}
	return expr.Of[T](tree.ApplyWith(untyped.Row("windows"), tree.Attributes{Ints: ints}, expr.NodeOf(a)))
}

// Take returns elements of an axis selected by index. The axes of the index
// replace the axis. Negative indices count from the end. If an index is
// outside, the assignment returns ErrIndex.
func Take[T expr.Elem, I expr.Integer](a expr.Exp[T], index expr.Exp[I], axis int) expr.Exp[T] {
	return expr.Of[T](untyped.Take(expr.NodeOf(a), expr.NodeOf(index), axis))
}

// Arange returns start, start+step, ... up to stop, without stop. step may be
// negative.
func Arange[T expr.Number](start, stop, step float64) expr.Exp[T] {
	return expr.Of[T](untyped.Arange(dtype.Of[T](), start, stop, step))
}

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
