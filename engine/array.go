package engine

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// An Array is memory seen with an element type, a shape and strides. It is the
// untyped form of a [Tensor].
type Array struct {
	node *expr.Node
	mem  *Memory
}

// NewArray allocates a row-major array of zeros.
func NewArray(t dtype.Type, dims ...int) (*Array, error) {
	s, err := shape.New(dims...)
	if err != nil {
		return nil, expr.NewError(expr.ErrShape, "", "%s", err)
	}
	m, err := NewMemory(s.Size() * t.Size())
	if err != nil {
		return nil, err
	}
	return ArrayOf(m, t, s, s.Strides(), 0)
}

// ArrayOf views memory: strides and offset count elements. A view that leaves
// the memory is an error.
func ArrayOf(m *Memory, t dtype.Type, s shape.Shape, st shape.Strides, offset int) (*Array, error) {
	if err := s.Check(); err != nil || len(st) != len(s) || len(s) > shape.MaxRank {
		return nil, expr.NewError(expr.ErrShape, "", "shape %v with strides %v is no array", s, st)
	}
	if !t.Valid() {
		return nil, expr.NewError(expr.ErrType, "", "no element type given")
	}
	if err := m.holds(t, s, st, offset); err != nil {
		return nil, err
	}
	if m.Size() > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))%uintptr(t.Size()) != 0 {
		return nil, expr.NewError(expr.ErrShape, "", "the memory is not aligned for %v", t)
	}
	return &Array{node: expr.NewLeaf(t, s, &expr.Leaf{Mem: m, Offset: offset, Strides: st}), mem: m}, nil
}

// holds is an error if an array with elements of type t leaves the memory.
func (m *Memory) holds(t dtype.Type, s shape.Shape, st shape.Strides, offset int) error {
	if lo, hi := shape.Range(s, st, offset); lo <= hi && (lo < 0 || hi >= m.Size()/t.Size()) {
		return expr.NewError(expr.ErrShape, "", "elements %d..%d leave a memory of %d elements", lo, hi, m.Size()/t.Size())
	}
	return nil
}

// Named sets the name under which trees and plans print a.
func (a *Array) Named(name string) *Array {
	leaf := *a.node.Leaf
	leaf.Name = name
	return &Array{node: expr.NewLeaf(a.DType(), a.Shape(), &leaf), mem: a.mem}
}

// Node is a as a leaf of a tree; an erroneous one for a nil array.
func (a *Array) Node() *expr.Node {
	if a == nil {
		return expr.Errorf(expr.ErrType, "", "the tensor is nil")
	}
	return a.node
}

// DType is the element type.
func (a *Array) DType() dtype.Type { return a.node.DType() }

// Shape is the shape; not to be changed.
func (a *Array) Shape() shape.Shape { return a.node.Shape() }

// Strides are in elements; not to be changed.
func (a *Array) Strides() shape.Strides { return a.node.Leaf.Strides }

// Offset is that of the first element in the memory, in elements.
func (a *Array) Offset() int { return a.node.Leaf.Offset }

// Memory is what a views.
func (a *Array) Memory() *Memory { return a.mem }

// IsContiguous reports whether the elements follow each other row-major.
func (a *Array) IsContiguous() bool { return shape.IsContiguous(a.Shape(), a.Strides()) }

// Contiguous is a itself if it is row-major without gaps, else a copy on the
// host.
func (a *Array) Contiguous() (*Array, error) {
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
	each(a.Shape(), a.Strides(), a.Offset(), func(off int) {
		copy(c.mem.data[i:i+size], from[off*size:])
		i += size
	})
	return c, nil
}

// Bytes are the elements, row-major, in memory order; of a contiguous array its
// own memory, on the host, else a copy.
func (a *Array) Bytes() ([]byte, error) {
	c, err := a.Contiguous()
	if err != nil {
		return nil, err
	}
	all, err := c.mem.Host()
	if err != nil {
		return nil, err
	}
	size := c.DType().Size()
	return all[c.Offset()*size:][:c.Shape().Size()*size], nil
}

// each calls f with the offset of every element, row-major.
func each(s shape.Shape, st shape.Strides, offset int, f func(off int)) {
	if len(s) == 0 {
		f(offset)
		return
	}
	for i := 0; i < s[0]; i++ {
		each(s[1:], st[1:], offset+i*st[0], f)
	}
}
