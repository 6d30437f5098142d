// Package bound analyses a kernel with the numbers of a binding. The back ends use
// the analysis to make code and to compute addresses.
//
// An index expression is affine if it is a constant plus multiples of digits
// ([Form]). A digit is a part of an axis. The plan joins axes into one, and the
// kernel recovers them by division; the analysis splits such an axis into digits.
// An access adds the affine coordinates that stay inside the array to one offset,
// and lists the other coordinates with their bounds ([Access]). A loop joins
// neighbouring digits that all its accesses go through with one step
// ([Space.Join], [Space.Lines]).
//
// The analysis depends on the extents of axes, the parameters, and the strides and
// extents of arrays. It does not depend on addresses and scalars, which may change
// from run to run.
package bound

import (
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A Kernel is a kernel with the numbers of a binding.
type Kernel struct {
	Space
	IR     *ir.Kernel
	Arrays []Array  // by buffer
	Access []Access // by access of the kernel
}

// An Array is the layout of a buffer, in elements. A row buffer is contiguous and
// has the extents of its axes.
type Array struct {
	Strides, Extents []int
}

// Span returns the range lo <= offset < hi of the offsets of all elements, in
// elements. The range of an empty array is empty.
func (a *Array) Span() (lo, hi int) {
	for d, e := range a.Extents {
		if e == 0 {
			return 0, 0
		}
		if n := (e - 1) * a.Strides[d]; n > 0 {
			hi += n
		} else {
			lo += n
		}
	}
	return lo, hi + 1
}

// An Access is an access of the kernel with its numbers.
type Access struct {
	Buf    int32
	Bounds ir.Bounds
	Offset Form  // offset of the direct coordinates, in elements
	Dims   []Dim // the coordinates, by dimension of the buffer
}

// A Dim is a coordinate of an access.
type Dim struct {
	Ix             prim.Ix
	Affine         bool
	Form           Form // valid if Affine
	Lo, Hi         int  // least and greatest value; -Far and Far if unknown
	Stride, Extent int  // stride and extent of the array, in elements
	Bounds         ir.Bounds
}

// Direct reports whether the coordinate is part of the offset of the access: it is
// affine and stays inside the array.
func (d *Dim) Direct() bool { return d.Affine && d.Bounds == ir.InBounds }

// Proven reports whether the extents alone show that the coordinate is inside
// the array.
func (d *Dim) Proven() bool { return d.Lo >= 0 && d.Hi < d.Extent }

// New returns the analysis of k with the numbers of b. It splits the axes that only
// vec loops bind into digits. If all is true, it also splits the other axes; then
// the back end must count the positions of their loops by digit. New returns the
// errors of [ir.Binding.Check] and [Space.Check].
func New(k *ir.Kernel, b *ir.Binding, all bool) (*Kernel, error) {
	if err := b.Check(k); err != nil {
		return nil, err
	}
	room := &roomy{}
	n := &room.Kernel
	n.IR, n.Arrays = k, slices.Grow(room.arrays[:0], len(k.Bufs))[:len(k.Bufs)]
	n.Digits, n.OfAxis = room.digits[:0], room.ofAxis[:0]
	n.init(&k.Index, b.Extents, b.Params)
	if err := n.Check(); err != nil {
		return nil, err
	}
	n.Split(func(axis int32) bool { return all || vecOnly(k, axis) })
	for i := range n.Arrays {
		n.Arrays[i] = n.array(i, b)
	}
	n.analyse(room.access[:0], room.dims[:0])
	return n, nil
}

func (n *Kernel) array(buf int, b *ir.Binding) Array {
	d := &n.IR.Bufs[buf]
	if d.Mode != ir.Row {
		return Array{b.Bufs[buf].Strides, b.Bufs[buf].Extents}
	}
	a := Array{n.ints(d.Rank), n.ints(d.Rank)}
	size := 1
	for i := d.Rank - 1; i >= 0; i-- {
		a.Strides[i], a.Extents[i] = size, n.Extents[d.Axes[i]]
		size *= a.Extents[i]
	}
	return a
}

// A roomy is a kernel with room for short lists, so that most are one object.
type roomy struct {
	Kernel
	arrays [3]Array
	access [3]Access
	dims   [4]Dim
	digits [2]Digit
	ofAxis [2][]int
}

// Analyse computes n.Access. The caller must call it again after [Space.Cut].
func (n *Kernel) Analyse() { n.analyse(nil, nil) }

// analyse is Analyse with room for the results.
func (n *Kernel) analyse(access []Access, dims []Dim) {
	n.Access = slices.Grow(access, len(n.IR.Access))[:len(n.IR.Access)]
	rank := lists.Sum(n.IR.Access, func(a ir.Access) int { return len(a.Coords) })
	dims = slices.Grow(dims, rank)[:rank]
	for i := range n.Access {
		rank = len(n.IR.Access[i].Coords)
		n.Access[i] = n.access(&n.IR.Access[i], dims[:rank:rank])
		dims = dims[rank:]
	}
}

func (n *Kernel) access(a *ir.Access, dims []Dim) Access {
	array := &n.Arrays[a.Buf]
	out := Access{Buf: a.Buf, Bounds: a.Bounds, Offset: n.Constant(0), Dims: dims}
	for i, ix := range a.Coords {
		d := Dim{Ix: ix, Stride: array.Strides[i], Extent: array.Extents[i], Bounds: a.Bounds}
		if d.Form, d.Affine = n.Form(ix); d.Affine {
			d.Lo, d.Hi = n.Bounds(d.Form)
		} else {
			d.Lo, d.Hi = n.Interval(ix)
		}
		if d.Proven() {
			d.Bounds = ir.InBounds
		}
		if d.Direct() {
			out.Offset.Plus(d.Form, d.Stride)
		}
		out.Dims[i] = d
	}
	return out
}

// Whole returns the offset of all coordinates, including those that may be outside
// the array, in elements. It returns false if a coordinate is not affine.
func (a *Access) Whole() (Form, bool) {
	f := a.Offset.Clone()
	for i := range a.Dims {
		d := &a.Dims[i]
		if !d.Affine {
			return f, false
		}
		if !d.Direct() {
			f.Plus(d.Form, d.Stride)
		}
	}
	return f, true
}

// Proven reports whether the extents alone show that the access stays inside its
// buffer. An access that is not proven needs a guard, or an earlier check of the
// values in its coordinates.
func (a *Access) Proven() bool {
	return !slices.ContainsFunc(a.Dims, func(d Dim) bool { return !d.Proven() })
}

// Size returns the number of elements of a buffer. For a row buffer that is the
// number for one row.
func (n *Kernel) Size(buf int) int { return shape.Shape(n.Arrays[buf].Extents).Size() }

// Product returns the product of the extents of axes: the number of positions.
func (s *Space) Product(axes []int32) int { return lists.Product(s.Extents, axes) }

// Order returns the digits of axes, outermost first.
func (s *Space) Order(axes []int32) (digits []int) {
	digits = s.ints(lists.Sum(axes, func(a int32) int { return len(s.OfAxis[a]) }))[:0]
	for _, a := range axes {
		digits = append(digits, s.OfAxis[a]...)
	}
	return digits
}

// vecOnly reports whether only vec loops bind an axis.
func vecOnly(k *ir.Kernel, axis int32) bool {
	return !slices.ContainsFunc(k.Loops, func(l ir.Loop) bool { return l.Kind != ir.Vec && slices.Contains(l.Axes, axis) })
}
