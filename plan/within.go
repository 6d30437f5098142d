package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// within reports whether a part accesses the elements of contiguous array x only at
// its own row: row i has the elements from i*n to (i+1)*n.
func (s *Stage) within(x *Array, dims []int) bool {
	same := func(a *Array) bool {
		return a.Mem == x.Mem && a.Temp == x.Temp && a.Type == x.Type && a.Offset == x.Offset && a.Shape.Size() == x.Shape.Size() && shape.IsContiguous(a.Shape, a.Strides)
	}
	if !same(x) || x.Shape.Size() == 0 {
		return false
	}
	if s.whole(dims) {
		for i, a := range []*Array{s.A, s.B} {
			stack := [2]shape.Shape{s.ShapeA, s.ShapeB}[i]
			if a.Overlaps(x) && !(same(a) && slices.Equal(graph.LoopShape(stack[:max(len(stack)-2, 0)]), dims)) {
				return false
			}
		}
		return !s.Out.Overlaps(x) || same(s.Out)
	}
	if s.Kind == Product {
		return !s.B.Overlaps(x) && (!s.A.Overlaps(x) || same(s.A)) && (!s.Out.Overlaps(x) || same(s.Out))
	}
	for i := range s.Bufs {
		a := s.Bufs[i].Array
		if a == nil || !a.Overlaps(x) {
			continue
		}
		if a.Mem != x.Mem || a.Type != x.Type || !s.byCoords(i, x, dims) && !s.byOffset(i, x, dims) {
			return false
		}
	}
	return true
}

// byCoords reports whether the first coordinates of all accesses to a buffer are
// the row of the loops.
func (s *Stage) byCoords(buf int, x *Array, dims []int) bool {
	o := &s.Bufs[buf]
	at := rowDims(o, dims)
	if at == nil || o.Array.Offset != x.Offset || o.Array.Shape.Size() != x.Shape.Size() || !shape.IsContiguous(o.Array.Shape, o.Array.Strides) {
		return false
	}
	axes := s.mainAxes()
	for i := range s.Kernel.Access {
		a := &s.Kernel.Access[i]
		if a.Buf != int32(buf) {
			continue
		}
		for k, d := range at {
			if n := s.Kernel.Index.At(a.Coords[d]); n.Op != prim.IxAxis || n.K != int64(axes[k]) {
				return false
			}
		}
	}
	return true
}

// rowDims returns the dimensions of a buffer that are the rows, or nil: its first
// ones that are longer than 1.
func rowDims(o *Operand, dims []int) (at []int) {
	for d, n := range o.Extents {
		if n != 1 && len(at) < len(dims) {
			if n != dims[len(at)] {
				return nil
			}
			at = append(at, d)
		}
	}
	if len(at) < len(dims) {
		return nil
	}
	return at
}

// byOffset reports whether the offsets of all accesses to a buffer stay in the row
// of the loops.
func (s *Stage) byOffset(buf int, x *Array, dims []int) bool {
	for i := range s.Kernel.Access {
		if a := &s.Kernel.Access[i]; a.Buf == int32(buf) {
			if _, ok := s.inRow(a, x, dims); !ok {
				return false
			}
		}
	}
	return true
}

// inRow returns the offset of an access to the elements of x. It returns false
// unless the access is in the row of the loops.
func (s *Stage) inRow(access *ir.Access, x *Array, dims []int) (bound.Form, bool) {
	space := bound.NewSpace(&s.Kernel.Index, s.Extents, s.Params)
	at, ok := s.offset(space, access, s.Bufs[access.Buf].Array.Offset-x.Offset)
	if !ok {
		return at, false
	}
	rest := at.Clone()
	rows := shape.Shape(dims).Size()
	n, axes := x.Shape.Size()/rows, s.mainAxes()
	step := n * rows
	for i, d := range dims {
		step /= d
		if at.Coef[axes[i]] != step {
			return at, false
		}
		rest.Coef[axes[i]] = 0
	}
	lo, hi := space.Bounds(rest)
	return at, lo >= 0 && hi < n
}

// offset returns the offset of an access, in elements, plus a number. It returns false unless the
// access is affine and in bounds.
func (s *Stage) offset(space *bound.Space, access *ir.Access, first int) (bound.Form, bool) {
	at := space.Constant(first)
	for d, ix := range access.Coords {
		f, ok := space.Form(ix)
		if !ok {
			return at, false
		}
		at.Plus(f, s.Bufs[access.Buf].Strides[d])
	}
	return at, access.Bounds == ir.InBounds
}
