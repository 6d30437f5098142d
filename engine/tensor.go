package engine

import (
	"context"
	"iter"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Tensor is an array with elements of type T. It is an expression and the target
// of assignments. A nil Tensor and the zero Tensor have no elements. Every use of
// them in an expression is an error.
type Tensor[T expr.Elem] struct {
	expr.Target[T]
	a   *Array
	bad *tree.Node // the error of a view that does not exist, or nil
}

// New returns a new row-major tensor of zeros.
func New[T expr.Elem](dims ...int) (*Tensor[T], error) {
	return tensorOn[T](NewArray(dtype.Of[T](), dims...))
}

// tensorOn returns the tensor of a new array, whose type is T.
func tensorOn[T expr.Elem](a *Array, err error) (*Tensor[T], error) {
	if err != nil {
		return nil, err
	}
	return &Tensor[T]{a: a}, nil
}

// Zeros returns a new row-major tensor of zeros, as [New] does. It panics on an
// error.
func Zeros[T expr.Elem](dims ...int) *Tensor[T] { return must(New[T](dims...)) }

// FromSlice returns a row-major tensor that shares its elements with data. Without
// dims the tensor is a vector. The error is [expr.ErrShape] if the length of data
// is not the number of elements.
func FromSlice[T expr.Elem](data []T, dims ...int) (*Tensor[T], error) {
	if dims == nil {
		dims = []int{len(data)}
	}
	s, err := shape.New(dims...)
	if err != nil {
		return nil, tree.NewError(tree.ErrShape, "engine.FromSlice", "%s", err)
	}
	if s.Size() != len(data) {
		return nil, tree.NewError(tree.ErrShape, "engine.FromSlice", "%d elements do not have the shape %v", len(data), s)
	}
	return tensorOn[T](ArrayOf(MemoryOf(dtype.Bytes(data)), dtype.Of[T](), s, s.Strides(), 0))
}

// MustFromSlice returns a row-major tensor that shares its elements with data, as
// [FromSlice] does. It panics on an error.
func MustFromSlice[T expr.Elem](data []T, dims ...int) *Tensor[T] {
	return must(FromSlice(data, dims...))
}

// TensorOf returns a tensor of the elements of an array. The error is
// [expr.ErrType] if the element type of the array is not T.
func TensorOf[T expr.Elem](a *Array) (*Tensor[T], error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	if a.DType() != dtype.Of[T]() {
		return nil, tree.NewError(tree.ErrType, "engine.TensorOf", "the array has elements of type %v, not %v", a.DType(), dtype.Of[T]())
	}
	return &Tensor[T]{a: a}, nil
}

// Failed returns a tensor with an error, which every use of it returns.
func Failed[T expr.Elem](err error) *Tensor[T] { return &Tensor[T]{bad: tree.Failed(err)} }

// Array returns the untyped form of t. It returns nil for a nil tensor and for one
// with an error.
func (t *Tensor[T]) Array() *Array {
	if t == nil {
		return nil
	}
	return t.a
}

// Err returns the error of t: t is nil, is the zero Tensor, or is a view that does
// not exist. Every assignment to t and from t returns the same error.
func (t *Tensor[T]) Err() error { return t.Node().Err() }

// Node returns t as a leaf of a tree. If t has an error, the node has the same one.
func (t *Tensor[T]) Node() *tree.Node {
	if t != nil && t.bad != nil {
		return t.bad
	}
	return t.Array().Node()
}

// Shape returns the shape. The caller must not change it.
func (t *Tensor[T]) Shape() shape.Shape { return t.Node().Shape() }

// Rank returns the number of axes.
func (t *Tensor[T]) Rank() int { return len(t.Shape()) }

// Size returns the number of elements. It is 0 for a tensor with an error.
func (t *Tensor[T]) Size() int { return t.Array().Size() }

// Name returns the name of [Tensor.Named], or "".
func (t *Tensor[T]) Name() string { return t.Array().Name() }

// Named returns a tensor of the same elements that trees and plans print under
// the given name. The tensor t keeps its own name.
func (t *Tensor[T]) Named(name string) *Tensor[T] {
	if !t.Array().valid() {
		return t
	}
	return &Tensor[T]{a: t.a.Named(name)}
}

// Data returns the elements of a contiguous tensor on the host, row-major. The
// slice shares memory with the tensor. It is nil for a nil tensor and for one
// without elements. Data panics for a view that is not contiguous, for a tensor on
// a device, and for a tensor with an error. [Tensor.Values] returns a copy
// instead.
func (t *Tensor[T]) Data() []T {
	if t.empty() {
		return nil
	}
	switch {
	case t.a.mem.dev != nil:
		panic(tree.NewError(tree.ErrDevice, "Tensor.Data", "the elements are on %s; Values copies them", t.Device()))
	case !t.a.IsContiguous():
		panic(tree.NewError(tree.ErrShape, "Tensor.Data", "the elements of a view of shape %v with strides %v do not follow each other; Values copies them", t.a.Shape(), t.a.Strides()))
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

// Values returns a copy of the elements, row-major. It fetches them from a device.
// The slice is nil for a nil tensor and for one without elements. Values panics
// for a tensor with an error, and if the device fails; To(CPU()) returns that
// error instead.
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
	shape.Each(t.a.Shape(), t.a.Strides(), t.a.Offset(), func(off int) { out = append(out, all[off]) })
	return out
}

// At returns the element at index. It panics if index is out of range, if t has an
// error, and if the device fails.
func (t *Tensor[T]) At(index ...int) T { return *t.element(false, index) }

// Set stores v at index. It panics if index is out of range, if t has an error, and
// if the device fails.
func (t *Tensor[T]) Set(v T, index ...int) { *t.element(true, index) = v }

// element returns the address of the element at index on the host, to read it or
// to write it.
func (t *Tensor[T]) element(write bool, index []int) *T {
	if err := t.Err(); err != nil {
		panic(err)
	}
	if _, err := t.a.Shape().Offset(index...); err != nil {
		called := "Tensor.At"
		if write {
			called = "Tensor.Set"
		}
		panic(tree.NewError(tree.ErrIndex, called, "%s", err))
	}
	off := t.a.Offset()
	for i, x := range index {
		off += x * t.a.Strides()[i]
	}
	b, err := t.a.mem.host(write)
	if err != nil {
		panic(err)
	}
	return &dtype.Slice[T](b)[off]
}

// All returns the indices and the elements, row-major. The loop body must not keep
// an index, which the next step changes. All fetches the elements from a device
// when the loop begins. The loop panics if t has an error, and if the device
// fails.
func (t *Tensor[T]) All() iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		if t.empty() {
			return
		}
		b, err := t.a.mem.Host()
		if err != nil {
			panic(err)
		}
		all, st := dtype.Slice[T](b), t.a.Strides()
		for index := range t.Shape().Indices() {
			off := t.a.Offset()
			for i, x := range index {
				off += x * st[i]
			}
			if !yield(index, all[off]) {
				return
			}
		}
	}
}

// view returns a view of t.
func (t *Tensor[T]) view(f func(*Array) (*Array, error)) *Tensor[T] {
	if n := t.Node(); n.Err() != nil {
		return &Tensor[T]{bad: n}
	}
	a, err := f(t.a)
	if err != nil {
		return Failed[T](err)
	}
	return &Tensor[T]{a: a}
}

// Index returns the view at the given positions of the leading axes, which it
// drops: x.Index(-1) is the last row of a matrix. Negative positions count from
// the end. A view that does not exist has an error, [Tensor.Err].
func (t *Tensor[T]) Index(at ...int) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Index(at...) })
}

// Slice returns the view of positions start..stop of the first axis, without stop.
// Negative positions count from the end. Positions out of range are clipped.
func (t *Tensor[T]) Slice(start, stop int) *Tensor[T] {
	return t.Span(shape.Slice{Start: shape.At(start), Stop: shape.At(stop)})
}

// Span returns the view of the given spans of the leading axes. See op.Slice. A
// view that does not exist has an error, [Tensor.Err].
func (t *Tensor[T]) Span(spans ...shape.Slice) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Span(spans...) })
}

// Transpose returns the view with the axes in the given order, or in reverse
// order if none are given.
func (t *Tensor[T]) Transpose(axes ...int) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Transpose(axes...) })
}

// Reshape returns the view with another shape, of which one extent may be -1. The
// view has an error if the shape needs a copy. See op.Reshape.
func (t *Tensor[T]) Reshape(dims ...int) *Tensor[T] {
	return t.view(func(a *Array) (*Array, error) { return a.Reshape(dims...) })
}

// To returns a row-major copy of t on device d, or t itself if it is on d. A nil
// device is the host. Programs run on the device of their tensors.
func (t *Tensor[T]) To(d driver.Device) (*Tensor[T], error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	a, err := t.a.To(d)
	if err != nil {
		return nil, err
	}
	if a == t.a {
		return t, nil
	}
	return &Tensor[T]{a: a}, nil
}

// Device returns the name of the device that runs programs with t, such as "cpu".
func (t *Tensor[T]) Device() string {
	if t.Array() == nil {
		return "cpu"
	}
	return t.a.Device()
}

// NewZeros returns a new row-major tensor of zeros on the device of t.
func (t *Tensor[T]) NewZeros(dims ...int) (*Tensor[T], error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	return tensorOn[T](t.a.NewZeros(dtype.Of[T](), dims...))
}

// Fill stores v in all elements.
func (t *Tensor[T]) Fill(v T) error { return t.Assign(expr.Const(v)) }

// Assign carries out t = e.
func (t *Tensor[T]) Assign(e expr.Exp[T]) error { return t.store(expr.Set, e) }

// AddAssign carries out t += e.
func (t *Tensor[T]) AddAssign(e expr.Exp[T]) error { return t.store(expr.Plus, e) }

// SubAssign carries out t -= e.
func (t *Tensor[T]) SubAssign(e expr.Exp[T]) error { return t.store(expr.Minus, e) }

// MulAssign carries out t *= e.
func (t *Tensor[T]) MulAssign(e expr.Exp[T]) error { return t.store(expr.Times, e) }

// DivAssign carries out t /= e.
func (t *Tensor[T]) DivAssign(e expr.Exp[T]) error { return t.store(expr.Over, e) }

func (t *Tensor[T]) store(s expr.Saver, e expr.Exp[T]) error {
	return Run(context.Background(), expr.Statement{Saver: s, Target: t.Node(), Value: expr.NodeOf(e)})
}
