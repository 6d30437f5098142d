package engine

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// A Tensor is an array with elements of type T. It is an expression, and can be
// assigned to.
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

// TensorOf gives an array its element type.
func TensorOf[T expr.Elem](a *Array) (*Tensor[T], error) {
	if a == nil || a.DType() != dtype.Of[T]() {
		return nil, expr.NewError(expr.ErrType, "", "the array has not elements of type %v", dtype.Of[T]())
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

// Named sets the name under which trees and plans print t.
func (t *Tensor[T]) Named(name string) *Tensor[T] {
	if t.Array() == nil {
		return t
	}
	return &Tensor[T]{a: t.a.Named(name)}
}

// Data is the elements of a contiguous tensor of the host, shared with it; nil if
// it is not contiguous, or on a device: see Values.
func (t *Tensor[T]) Data() []T {
	if t.Array() == nil || t.a.mem.dev != nil || !t.a.IsContiguous() || t.a.Shape().Size() == 0 {
		return nil
	}
	return dtype.Slice[T](t.a.mem.data)[t.a.Offset():][:t.a.Shape().Size()]
}

// Values is a copy of the elements, row-major, fetched from the device where they
// are on one. It is nil if that fails, for a reason that To(CPU()) returns.
func (t *Tensor[T]) Values() []T {
	if t.Array() == nil {
		return nil
	}
	b, err := t.a.mem.Host()
	if err != nil {
		return nil
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

// String prints small tensors whole and larger ones by their shape.
func (t *Tensor[T]) String() string {
	if err := t.Err(); err != nil {
		return err.Error()
	}
	if t.a.Shape().Size() > 1000 {
		return fmt.Sprintf("%v%v", t.a.DType(), []int(t.a.Shape()))
	}
	return fmt.Sprint(t.Values())
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
	return t.Span(shape.Slice{Start: start, Stop: stop, HasStart: true, HasStop: true})
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
