package op

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// ScatterAdd returns an array of shape dims. Element i of the axis is the sum of the
// updates whose index is i, in the order of the indices: the adjoint of Take. The
// updates broadcast to dims with the axis replaced by the axes of index. Negative
// indices count from the end. If an index is outside, the assignment returns
// ErrIndex.
func ScatterAdd[T expr.AnyNumber, I expr.Integer](index expr.Exp[I], updates expr.Exp[T], axis int, dims ...int) expr.Exp[T] {
	return expr.Of[T](scatterInto("ScatterAdd", "scatter_add", expr.NodeOf(index), expr.NodeOf(updates), axis, dims))
}

// ScatterMax is [ScatterAdd] with maxima, of -infinity or the least integer where
// there is no update.
func ScatterMax[T expr.Number, I expr.Integer](index expr.Exp[I], updates expr.Exp[T], axis int, dims ...int) expr.Exp[T] {
	return expr.Of[T](scatterInto("ScatterMax", "scatter_max", expr.NodeOf(index), expr.NodeOf(updates), axis, dims))
}

// ScatterMin is [ScatterAdd] with minima, of infinity or the greatest integer where
// there is no update.
func ScatterMin[T expr.Number, I expr.Integer](index expr.Exp[I], updates expr.Exp[T], axis int, dims ...int) expr.Exp[T] {
	return expr.Of[T](scatterInto("ScatterMin", "scatter_min", expr.NodeOf(index), expr.NodeOf(updates), axis, dims))
}

// ScatterSet is [ScatterAdd] with the last update of each element, and 0 where there
// is none.
func ScatterSet[T expr.Elem, I expr.Integer](index expr.Exp[I], updates expr.Exp[T], axis int, dims ...int) expr.Exp[T] {
	return expr.Of[T](scatterInto("ScatterSet", "scatter", expr.NodeOf(index), expr.NodeOf(updates), axis, dims))
}

// AddAt returns base with updates added at the indices along an axis, one after the
// other, as np.add.at does. Assigned to base itself, it runs in place.
func AddAt[T expr.AnyNumber, I expr.Integer](base expr.Exp[T], index expr.Exp[I], updates expr.Exp[T], axis int) expr.Exp[T] {
	return expr.Of[T](scatterAt("AddAt", "scatter_add", expr.NodeOf(base), expr.NodeOf(index), expr.NodeOf(updates), axis))
}

// SetAt returns base with updates stored at the indices along an axis, one after the
// other: mshadow's IndexFill. Assigned to base itself, it runs in place.
func SetAt[T expr.Elem, I expr.Integer](base expr.Exp[T], index expr.Exp[I], updates expr.Exp[T], axis int) expr.Exp[T] {
	return expr.Of[T](scatterAt("SetAt", "scatter", expr.NodeOf(base), expr.NodeOf(index), expr.NodeOf(updates), axis))
}

func scatterInto(called, name string, index, updates *tree.Node, axis int, dims []int) *tree.Node {
	return untyped.Scatter(name, index, updates, nil, axis, slices.Clone(dims)).As(called, index, updates)
}

func scatterAt(called, name string, base, index, updates *tree.Node, axis int) *tree.Node {
	return untyped.Scatter(name, index, updates, base, axis, base.Shape()).As(called, base, index, updates)
}

// An Order is the order of a sort.
type Order int

// The orders. NaN comes last in both.
const (
	Ascending Order = iota
	Descending
)

// sorted returns a row of a sort for typed constructors.
func sorted[R expr.Elem](name string, a *tree.Node, axis int, order []Order) expr.Exp[R] {
	at, bad := untyped.AxisOf(untyped.Row(name).Constructor(), a, axis)
	if bad != nil {
		return expr.Of[R](bad)
	}
	ints := lists.Map(order, func(o Order) int { return int(o) })
	return expr.Of[R](untyped.With(name, []int{at}, ints, a))
}

// Sort returns the elements along an axis in order, in the shape of a. The order is
// [Ascending] if none is given. -0 comes before +0, and NaN last.
func Sort[T expr.Elem](a expr.Exp[T], axis int, order ...Order) expr.Exp[T] {
	return sorted[T]("sort", expr.NodeOf(a), axis, order)
}

// ArgSort returns the positions that sort an axis, from 0 on, in the shape of a. Equal
// elements keep their order.
func ArgSort[T expr.Elem](a expr.Exp[T], axis int, order ...Order) expr.Exp[int64] {
	return sorted[int64]("argsort", expr.NodeOf(a), axis, order)
}

// Rank returns for each element how many elements of its axis come before it in
// sorted order, in the shape of a: the inverse of [ArgSort].
func Rank[T expr.Elem](a expr.Exp[T], axis int, order ...Order) expr.Exp[int64] {
	return sorted[int64]("rank", expr.NodeOf(a), axis, order)
}

// TakeAlongAxis returns the elements of a at positions of an axis, as NumPy's
// take_along_axis, in the shape of index. index has the shape of a, apart from that
// axis. Negative positions count from the end. If a position is outside, the
// assignment returns ErrIndex.
func TakeAlongAxis[T expr.Elem, I expr.Integer](a expr.Exp[T], index expr.Exp[I], axis int) expr.Exp[T] {
	return expr.Of[T](untyped.TakeAlongAxis(expr.NodeOf(a), expr.NodeOf(index), axis))
}
