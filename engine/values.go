package engine

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// Eval returns the value of e as a new row-major tensor, on the device of the
// tensors in e. With an error the tensor is nil.
func Eval[T expr.Elem](e expr.Exp[T]) (*Tensor[T], error) {
	n, err := given("engine.Eval", e)
	if err != nil {
		return nil, err
	}
	a, err := newValue(n)
	if err != nil {
		return nil, err
	}
	t := &Tensor[T]{a: a}
	if err := t.Assign(e); err != nil {
		return nil, err
	}
	return t, nil
}

// given returns the tree of e, or an error of a function called name.
func given[T expr.Elem](name string, e expr.Exp[T]) (*tree.Node, error) {
	n := expr.NodeOf(e)
	if n.Absent() {
		return nil, tree.NewError(tree.ErrType, name, "the expression is nil")
	}
	return n, n.Err()
}

// EvalInto stores the elements of e in dst, row-major. The error is
// [expr.ErrShape] if dst does not have one element for each element of e.
func EvalInto[T expr.Elem](dst []T, e expr.Exp[T]) error {
	n, err := given("engine.EvalInto", e)
	if err != nil {
		return err
	}
	if size := n.Shape().Size(); size != len(dst) {
		return tree.NewError(tree.ErrShape, "engine.EvalInto", "an expression of shape %v has %d elements, and the slice has %d", n.Shape(), size, len(dst))
	}
	t, err := FromSlice(dst, n.Shape()...)
	if err != nil {
		return err
	}
	return t.Assign(e)
}

// Item returns the value of an expression with one element, of any rank.
func Item[T expr.Elem](e expr.Exp[T]) (T, error) {
	var v [1]T
	n, err := given("engine.Item", e)
	if err != nil {
		return v[0], err
	}
	if size := n.Shape().Size(); size != 1 {
		return v[0], tree.NewError(tree.ErrShape, "engine.Item", "an expression of shape %v has %d elements, not one", n.Shape(), size)
	}
	t, err := Eval(e)
	if err != nil {
		return v[0], err
	}
	b, err := t.a.Bytes()
	if err != nil {
		return v[0], err
	}
	copy(v[:], dtype.Slice[T](b))
	return v[0], nil
}

// Clone returns a row-major copy of t on its device. The copy has an error if t has
// one, or if there is no memory for it.
func (t *Tensor[T]) Clone() *Tensor[T] {
	c, err := Eval[T](t)
	if err != nil {
		return Failed[T](err)
	}
	return c
}

// must returns t. It panics if there is an error.
func must[T expr.Elem](t *Tensor[T], err error) *Tensor[T] {
	if err != nil {
		panic(err)
	}
	return t
}

// made returns the value of e. It panics on an error, which names the function of this package.
func made[T expr.Elem](name string, e expr.Exp[T]) *Tensor[T] {
	return must(Eval(expr.Of[T](expr.NodeOf(e).As(name))))
}

// Full returns a new row-major tensor whose elements are v. It panics on an error.
func Full[T expr.Elem](v T, dims ...int) *Tensor[T] {
	t := Zeros[T](dims...)
	return must(t, t.Fill(v))
}

// Ones returns a new row-major tensor of ones. It panics on an error.
func Ones[T expr.Number](dims ...int) *Tensor[T] {
	t := Zeros[T](dims...)
	return must(t, t.Assign(op.Full[T](1)))
}

// Arange returns a vector of start, start+step and so on, up to stop and without
// it. It panics if the numbers have no length. See [op.Arange].
func Arange[T expr.Number](start, stop, step float64) *Tensor[T] {
	return made("engine.Arange", op.Arange[T](start, stop, step))
}

// Linspace returns a vector of n numbers with equal distances from start to stop,
// both included. It panics if n is negative. See [op.Linspace].
func Linspace[T expr.Number](start, stop float64, n int) *Tensor[T] {
	return made("engine.Linspace", op.Linspace[T](start, stop, n))
}

// Eye returns the identity matrix of n rows and n columns. It panics if n is
// negative. See [op.Eye].
func Eye[T expr.Elem](n int) *Tensor[T] { return made("engine.Eye", op.Eye[T](n, n, 0)) }

// FromFunc returns a new row-major tensor. The element at index is f(index). f must
// not keep index, which the next call changes. FromFunc panics on an error of the
// shape, and if f is nil.
func FromFunc[T expr.Elem](f func(index []int) T, dims ...int) *Tensor[T] {
	if f == nil {
		panic(tree.NewError(tree.ErrType, "engine.FromFunc", "the function is nil"))
	}
	t := Zeros[T](dims...)
	data := t.Data()
	i := 0
	for index := range t.Shape().Indices() {
		data[i] = f(index)
		i++
	}
	return t
}

// FromRows returns a new matrix with copies of the rows. The error is
// [expr.ErrShape] if their lengths differ.
func FromRows[T expr.Elem](rows [][]T) (*Tensor[T], error) {
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	t, err := New[T](len(rows), columns)
	if err != nil {
		return nil, err
	}
	data := t.Data()
	for i, r := range rows {
		if len(r) != columns {
			return nil, tree.NewError(tree.ErrShape, "engine.FromRows", "row %d has %d elements, and row 0 has %d", i, len(r), columns)
		}
		copy(data[i*columns:], r)
	}
	return t, nil
}
