package engine

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has results whose shape depends on the data. They are computed at
// once, and are on the host.

// elements returns the value of e, row-major. The caller must not change it: a contiguous tensor gives its own elements, not a copy.
func elements[T expr.Elem](e expr.Exp[T]) ([]T, error) {
	t, own := e.(*Tensor[T])
	var err error
	if !own || t.Err() != nil || !t.a.IsContiguous() {
		t, err = Eval(e)
	}
	if err != nil || t.empty() {
		return nil, err
	}
	b, err := t.a.mem.Host()
	if err != nil {
		return nil, err
	}
	return dtype.Slice[T](b)[t.a.Offset():][:t.a.Shape().Size()], nil
}

// flags returns the value of e as bytes, of which each one but 0 is true, and how many are.
func flags(e expr.Exp[bool]) (set []uint8, n int, err error) {
	b, err := elements(e)
	set = dtype.Slice[uint8](dtype.Bytes(b))
	for _, f := range set {
		n += one(f)
	}
	return set, n, err
}

// one returns 1, or 0 for 0. It has no branch, which random flags would mispredict.
func one(flag uint8) int { return int((uint32(flag) + 255) >> 8) }

// Compress returns the elements of e where mask holds, as NumPy's e[mask]. A mask of the
// rank of e, which may broadcast to the shape of e, gives a vector, row-major. A mask of
// k axes fewer has the shape of the first axes of e, and gives the parts of e along
// these: shape [n, the last k axes]. So a mask of a vector chooses rows of a matrix. The
// error is [expr.ErrShape] if the mask has another shape.
func Compress[T expr.Elem](mask expr.Exp[bool], e expr.Exp[T]) (*Tensor[T], error) {
	x, err := elements(e)
	if err != nil {
		return nil, err
	}
	m := expr.NodeOf(mask)
	if err := m.Err(); err != nil {
		return nil, err
	}
	s, lead := expr.NodeOf(e).Shape(), len(m.Shape())
	if lead == 0 || lead > len(s) {
		lead = len(s)
	}
	m = untyped.BroadcastTo(m, s[:lead])
	if m.Err() != nil || lead < len(s) && !m.Shape().Equal(expr.NodeOf(mask).Shape()) {
		return nil, tree.NewError(tree.ErrShape, "engine.Compress", "a mask of shape %v does not fit elements of shape %v", expr.NodeOf(mask).Shape(), s)
	}
	keep, n, err := flags(expr.Of[bool](m))
	if err != nil {
		return nil, err
	}
	part := s[lead:]
	size, k := part.Size(), 0
	out := make([]T, n*size+1) // the last place is for elements that are not kept
	for i, f := range keep {
		if size == 1 {
			out[k] = x[i]
		} else if f != 0 {
			copy(out[k:], x[i*size:(i+1)*size])
		}
		k += one(f) * size
	}
	return FromSlice(out[:k], append([]int{n}, part...)...)
}

// Nonzero returns the coordinates of the elements of e that are not zero, row-major: a
// vector for each axis. NaN is not zero. A scalar is an error, [expr.ErrShape].
func Nonzero[T expr.Elem](e expr.Exp[T]) ([]*Tensor[int64], error) {
	n := expr.NodeOf(e)
	if err := n.Err(); err != nil {
		return nil, err
	}
	s := n.Shape()
	if len(s) == 0 {
		return nil, tree.NewError(tree.ErrShape, "engine.Nonzero", "a scalar has no axes")
	}
	set, count, err := flags(expr.Of[bool](untyped.Cast(n, dtype.Bool)))
	if err != nil {
		return nil, err
	}
	at := lists.Make(len(s), func(int) []int64 { return make([]int64, count+1) }) // the last place is for elements that are zero
	last, k := len(s)-1, 0
	for row := 0; row*s[last] < len(set); row++ {
		from := k
		for j, f := range set[row*s[last]:][:s[last]] {
			at[last][k] = int64(j)
			k += one(f)
		}
		for axis, r := last-1, row; axis >= 0; axis-- {
			for i := from; i < k; i++ {
				at[axis][i] = int64(r % s[axis])
			}
			r /= s[axis]
		}
	}
	out := make([]*Tensor[int64], len(s))
	for axis := range out {
		if out[axis], err = FromSlice(at[axis][:count]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A Distinct has the distinct elements of an expression.
type Distinct[T expr.Elem] struct {
	Values  *Tensor[T]     // in order; one NaN for all, and one zero
	First   *Tensor[int64] // the row-major position of the first element of each value
	Counts  *Tensor[int64] // how often each value occurs
	Inverse *Tensor[int64] // of the shape of the expression: the place of each element in Values
}

// Unique returns the distinct elements of e, as NumPy's unique. Complex numbers, which have no order, are
// [expr.ErrType].
func Unique[T expr.Elem](e expr.Exp[T]) (Distinct[T], error) {
	var d Distinct[T]
	n := expr.NodeOf(e)
	if err := n.Err(); err != nil {
		return d, err
	}
	if n.DType().IsComplex() {
		return d, tree.NewError(tree.ErrType, "engine.Unique", "elements of type %v have no order", n.DType())
	}
	x, err := Eval(expr.Of[T](untyped.Reshape(n, []int{n.Shape().Size()})))
	if err != nil {
		return d, err
	}
	sorting, err := Eval(op.ArgSort(x, 0))
	if err != nil {
		return d, err
	}
	order, err := elements[int64](sorting)
	if err != nil {
		return d, err
	}
	sorted := op.Take(x, sorting, 0)
	differs, err := elements(differ(sorted.Node(), len(order)))
	if err != nil {
		return d, err
	}
	first, counts, inverse := []int64{}, []int64{}, make([]int64, len(order))
	for i, at := range order {
		if i == 0 || differs[i-1] {
			first, counts = append(first, at), append(counts, 0)
		}
		last := len(first) - 1
		first[last] = min(first[last], at) // -0 comes before an earlier 0
		counts[last]++
		inverse[at] = int64(last)
	}
	d.First, d.Counts = MustFromSlice(first), MustFromSlice(counts)
	if d.Inverse, err = FromSlice(inverse, append(shape.Shape{}, n.Shape()...)...); err != nil {
		return d, err
	}
	d.Values, err = Eval(op.Take(x, d.First, 0))
	return d, err
}

// differ returns for each pair of neighbours of a vector whether they differ. NaN
// equals NaN.
func differ(x *tree.Node, n int) expr.Exp[bool] {
	n = max(n, 1)
	a, b := untyped.Slice(x, []op.Span{op.Until(n - 1)}), untyped.Slice(x, []op.Span{op.From(min(1, n))})
	call := func(name string, x ...*tree.Node) *tree.Node { return untyped.Apply(untyped.Row(name), x...) }
	return expr.Of[bool](call("logical_and", call("not_equal", a, b), call("logical_or", call("equal", a, a), call("equal", b, b))))
}
