package engine

import (
	"context"
	"unsafe"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// A Tensor is an array with elements of type T. It is an expression, and can be
// assigned to. A nil Tensor and the zero Tensor have no elements, and every use
// of them in an expression is an error.
type Tensor[T expr.Elem] struct {
	expr.Target[T]
	a   *Array
	bad *expr.Node // what went wrong, for a view that does not exist
}

// New allocates a tensor of zeros, row-major.
func New[T expr.Elem](dims ...int) (*Tensor[T], error) {
	a, err := NewArray(dtype.Of[T](), dims...)
	if err != nil {
		return nil, err
	}
	return &Tensor[T]{a: a}, nil
}

// Zeros is New for shapes that are known to be right: it panics on an error.
func Zeros[T expr.Elem](dims ...int) *Tensor[T] {
	t, err := New[T](dims...)
	if err != nil {
		panic(err)
	}
	return t
}

// FromSlice makes a tensor that shares its elements with data, row-major. The
// length must be the number of elements; without dims it is a vector.
func FromSlice[T expr.Elem](data []T, dims ...int) (*Tensor[T], error) {
	if dims == nil {
		dims = []int{len(data)}
	}
	s, err := shape.New(dims...)
	if err != nil {
		return nil, expr.NewError(expr.ErrShape, "", "%s", err)
	}
	if s.Size() != len(data) {
		return nil, expr.NewError(expr.ErrShape, "", "%d elements do not have the shape %v", len(data), s)
	}
	a, err := ArrayOf(MemoryOf(dtype.Bytes(data)), dtype.Of[T](), s, s.Strides(), 0)
	if err != nil {
		return nil, err
	}
	return &Tensor[T]{a: a}, nil
}

// MustFromSlice is FromSlice for data that are known to fit: it panics on an
// error.
func MustFromSlice[T expr.Elem](data []T, dims ...int) *Tensor[T] {
	t, err := FromSlice(data, dims...)
	if err != nil {
		panic(err)
	}
	return t
}

// TensorOf returns a tensor of the elements of an array. Another element type
// than the array's is an error, [expr.ErrType].
func TensorOf[T expr.Elem](a *Array) (*Tensor[T], error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	if a.DType() != dtype.Of[T]() {
		return nil, expr.NewError(expr.ErrType, "", "the array has elements of type %v, not %v", a.DType(), dtype.Of[T]())
	}
	return &Tensor[T]{a: a}, nil
}

// Array is the untyped form of t, nil for a nil tensor and for one with an
// error.
func (t *Tensor[T]) Array() *Array {
	if t == nil {
		return nil
	}
	return t.a
}

// Err is what is wrong with t: it is nil, or a view that does not exist. Every
// assignment to it, or from it, returns the same error.
func (t *Tensor[T]) Err() error { return t.Node().Err() }

// Node is t as a leaf of a tree; an erroneous one for a nil tensor.
func (t *Tensor[T]) Node() *expr.Node {
	if t != nil && t.bad != nil {
		return t.bad
	}
	return t.Array().Node()
}

// Shape is the shape; not to be changed.
func (t *Tensor[T]) Shape() shape.Shape { return t.Node().Shape() }

// Named returns a tensor of the same elements that trees and plans print under
// the given name. The tensor t keeps its own name.
func (t *Tensor[T]) Named(name string) *Tensor[T] {
	if !t.Array().valid() {
		return t
	}
	return &Tensor[T]{a: t.a.Named(name)}
}

// Data returns the elements of a contiguous tensor on the host, row-major, which
// share memory with the tensor. It is nil for a nil tensor and for one without
// elements. It panics for a view whose elements do not follow each other, for a
// tensor on a device, and for a tensor with an error: see [Tensor.Values], which
// copies.
func (t *Tensor[T]) Data() []T {
	if t.empty() {
		return nil
	}
	switch {
	case t.a.mem.dev != nil:
		panic(expr.NewError(expr.ErrDevice, "", "Tensor.Data: the elements are on %s; Values copies them", t.Device()))
	case !t.a.IsContiguous():
		panic(expr.NewError(expr.ErrShape, "", "Tensor.Data: the elements of a view of shape %v with strides %v do not follow each other; Values copies them", t.a.Shape(), t.a.Strides()))
	}
	return dtype.Slice[T](t.a.mem.data)[t.a.Offset():][:t.a.Shape().Size()]
}

// empty reports whether t has no elements. It panics for a tensor with an error.
func (t *Tensor[T]) empty() bool {
	if t == nil || t.bad == nil && !t.a.valid() {
		return true
	}
	if t.bad != nil {
		panic(t.bad.Err())
	}
	return t.a.Shape().Size() == 0
}

// Values returns a copy of the elements, row-major, fetched from the device if
// they are on one. It is nil for a nil tensor and for one without elements. It
// panics for a tensor with an error, and if the device fails; To(CPU()) returns
// that error instead.
func (t *Tensor[T]) Values() []T {
	if t.empty() {
		return nil
	}
	b, err := t.a.mem.Host()
	if err != nil {
		panic(err)
	}
	out := make([]T, 0, t.a.Shape().Size())
	all := dtype.Slice[T](b)
	each(t.a.Shape(), t.a.Strides(), t.a.Offset(), func(off int) { out = append(out, all[off]) })
	return out
}

// At is one element; an index outside panics, as in Go, and so does a device that
// fails.
func (t *Tensor[T]) At(index ...int) T {
	if err := t.Err(); err != nil {
		panic(err)
	}
	off := t.a.Offset()
	if _, err := t.a.Shape().Offset(index...); err != nil {
		panic(expr.NewError(expr.ErrIndex, "", "%s", err))
	}
	for i, x := range index {
		off += x * t.a.Strides()[i]
	}
	b, err := t.a.mem.Host()
	if err != nil {
		panic(err)
	}
	var z T
	return *(*T)(unsafe.Pointer(&b[off*int(unsafe.Sizeof(z))]))
}

func (t *Tensor[T]) view(f func(*Array) (*Array, error)) *Tensor[T] {
	if n := t.Node(); n.Err() != nil {
		return &Tensor[T]{bad: n}
	}
	a, err := f(t.a)
	if err != nil {
		return &Tensor[T]{bad: expr.Failed(err)}
	}
	return &Tensor[T]{a: a}
}

// Slice is the view of positions start..stop of the first axis; negative
// positions count from the end, positions outside are cut off.
func (t *Tensor[T]) Slice(start, stop int) *Tensor[T] {
	return t.Span(shape.Slice{Start: shape.At(start), Stop: shape.At(stop)})
}

// Span is the view of the given spans of the leading axes; see op.Slice.
func (t *Tensor[T]) Span(spans ...shape.Slice) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Span(spans...) })
}

// Transpose is the view with axes permuted; without axes their order is
// reversed.
func (t *Tensor[T]) Transpose(axes ...int) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Transpose(axes...) })
}

// Reshape is the view in another shape, one of whose extents may be -1. That
// needing a copy is an error: see op.Reshape.
func (t *Tensor[T]) Reshape(dims ...int) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Reshape(dims...) })
}

// Assign is t = e, carried out now.
func (t *Tensor[T]) Assign(e expr.Exp[T]) error { return t.store(expr.Set, e) }

// AddAssign is t += e, carried out now.
func (t *Tensor[T]) AddAssign(e expr.Exp[T]) error { return t.store(expr.Plus, e) }

// SubAssign is t -= e, carried out now.
func (t *Tensor[T]) SubAssign(e expr.Exp[T]) error { return t.store(expr.Minus, e) }

// MulAssign is t *= e, carried out now.
func (t *Tensor[T]) MulAssign(e expr.Exp[T]) error { return t.store(expr.Times, e) }

// DivAssign is t /= e, carried out now.
func (t *Tensor[T]) DivAssign(e expr.Exp[T]) error { return t.store(expr.Over, e) }

func (t *Tensor[T]) store(s expr.Saver, e expr.Exp[T]) error {
	return Run(context.Background(), expr.Statement{Saver: s, Target: t.Node(), Value: expr.NodeOf(e)})
}
