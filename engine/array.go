package engine

import (
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// An Array is a view of memory with an element type, a shape and strides. It is
// the untyped form of a [Tensor]. A nil Array and the zero Array have no memory,
// no shape and no element type. Every use of them in an expression is an error.
type Array struct {
	node *tree.Node
	mem  *Memory
}

// NewArray returns a new row-major array of zeros. The error is [expr.ErrShape],
// [expr.ErrType] or [expr.ErrOutOfMemory].
func NewArray(t dtype.Type, dims ...int) (*Array, error) {
	s, err := shape.New(dims...)
	if err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	if !t.Valid() {
		return nil, tree.NewError(tree.ErrType, "", "no element type given")
	}
	return newArrayOn(nil, t, s)
}

// newArrayOn returns a new row-major array of zeros for use on the host and on device d, which may be nil.
func newArrayOn(d driver.Device, t dtype.Type, s shape.Shape) (*Array, error) {
	m, err := NewSyncedMemory(d, s.Size()*t.Size())
	if err != nil {
		return nil, err
	}
	return ArrayOf(m, t, s, nil, 0)
}

// ArrayOf returns a view of memory. Strides and offset count elements; nil
// strides mean row-major order. A view that leaves the memory is an error.
func ArrayOf(m *Memory, t dtype.Type, s shape.Shape, st shape.Strides, offset int) (*Array, error) {
	if err := s.Check(); err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	if st == nil {
		st = s.Strides()
	}
	if len(st) != len(s) {
		return nil, tree.NewError(tree.ErrShape, "", "shape %v has %d axes, strides %v have %d", s, len(s), st, len(st))
	}
	if !t.Valid() {
		return nil, tree.NewError(tree.ErrType, "", "no element type given")
	}
	if m == nil {
		return nil, errNilMemory()
	}
	if err := m.holds(t, s, st, offset); err != nil {
		return nil, err
	}
	if err := m.require(t.Part().Size()); err != nil {
		return nil, err
	}
	return &Array{node: tree.NewLeaf(t, s, &tree.Leaf{Mem: m, Offset: offset, Strides: st}), mem: m}, nil
}

// Named returns a view of the same elements that trees and plans print under
// the given name. The array a keeps its own name.
func (a *Array) Named(name string) *Array {
	if !a.valid() {
		return a
	}
	leaf := *a.node.Leaf
	leaf.Name = name
	return &Array{node: tree.NewLeaf(a.DType(), a.Shape(), &leaf), mem: a.mem}
}

// valid reports whether a views memory: a nil or zero array does not.
func (a *Array) valid() bool { return a != nil && a.node != nil }

// usable returns an error for a nil or zero array.
func (a *Array) usable() error {
	switch {
	case a == nil:
		return tree.NewError(tree.ErrType, "", "the tensor is nil")
	case a.node == nil:
		return tree.NewError(tree.ErrType, "", "the array is the zero Array, which has no memory")
	}
	return nil
}

// Node returns a as a leaf of a tree. A nil or zero array gives a node with an
// error.
func (a *Array) Node() *tree.Node {
	if a == nil {
		return tree.NewAbsent()
	}
	if err := a.usable(); err != nil {
		return tree.Failed(err)
	}
	return a.node
}

// DType returns the element type.
func (a *Array) DType() dtype.Type { return zero.IfNil(a).node.DType() }

// Shape returns the shape. The caller must not change it.
func (a *Array) Shape() shape.Shape { return zero.IfNil(a).node.Shape() }

// Rank returns the number of axes.
func (a *Array) Rank() int { return len(a.Shape()) }

// Size returns the number of elements. It is 0 for a nil or zero array.
func (a *Array) Size() int {
	if !a.valid() {
		return 0
	}
	return a.Shape().Size()
}

// Name returns the name of [Array.Named], or "".
func (a *Array) Name() string { return a.leaf().Name }

// Strides returns the strides in elements. The caller must not change them.
func (a *Array) Strides() shape.Strides { return a.leaf().Strides }

// Offset returns the position of the first element in the memory, in elements.
func (a *Array) Offset() int { return a.leaf().Offset }

// leaf returns the place of the elements. For a nil or zero array it is the zero Leaf.
func (a *Array) leaf() *tree.Leaf {
	if !a.valid() {
		return &tree.Leaf{}
	}
	return a.node.Leaf
}

// Memory returns the memory that a views.
func (a *Array) Memory() *Memory { return zero.IfNil(a).mem }

// IsContiguous reports whether the elements follow each other row-major.
func (a *Array) IsContiguous() bool { return shape.IsContiguous(a.Shape(), a.Strides()) }

// Contiguous returns a itself if its elements are row-major without gaps.
// Otherwise it returns a copy on the host.
func (a *Array) Contiguous() (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	if a.IsContiguous() {
		return a, nil
	}
	c, err := NewArray(a.DType(), a.Shape()...)
	if err != nil {
		return nil, err
	}
	from, err := a.mem.Host()
	if err != nil {
		return nil, err
	}
	size := a.DType().Size()
	i := 0
	shape.Each(a.Shape(), a.Strides(), a.Offset(), func(off int) {
		copy(c.mem.data[i:i+size], from[off*size:])
		i += size
	})
	return c, nil
}

// Bytes returns the elements row-major on the host. The bytes of a contiguous
// array are its own memory; those of another array are a copy.
func (a *Array) Bytes() ([]byte, error) {
	c, err := a.Contiguous()
	if err != nil {
		return nil, err
	}
	all, err := c.mem.Host()
	if err != nil {
		return nil, err
	}
	n, size := c.Shape().Size(), c.DType().Size()
	if n == 0 { // the offset may be beyond the memory
		return []byte{}, nil
	}
	return all[c.Offset()*size:][:n*size], nil
}
