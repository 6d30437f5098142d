package graph

import (
	"slices"

	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// separated returns the node of the extremes e of windows a, or of their positions, as the extremes along all axes but
// one of the extremes along that one, which are stored. Windows that overlap share these: an
// extreme of 3 by 3 elements takes 4 comparisons and 6 loads, not 8 and 9. An extreme is the same
// in any order, with the same bits. It returns nil if e is no such reduction, or if this would
// not pay.
func (g *Graph) separated(e *tree.Node, a *Node) *Node {
	w := windowsOf(e, a)
	if w == nil || w.Args[0].Faulty || e.Shape().Size() < leastSeparated {
		return nil
	}
	axis, r, size, sum, overlap := -1, len(w.Shape)/2, 1, 0, false
	for i, k := range w.Shape[r:] {
		if k == 1 {
			continue
		}
		if axis < 0 {
			axis = i
		}
		size, sum = size*k, sum+k
		overlap = overlap || w.Src.Ints[3*i+1] < k
	}
	if !overlap || 2*size < 3*sum { // a single axis never pays
		return nil
	}
	if e.Op.Reduce().Position() && (size > ir.MaxLanes || max(w.Shape[r+axis], size/w.Shape[r+axis]) > shortGroup) {
		return nil // it would not be written out
	}
	x, fill, after := w.Args[0], (*Node)(nil), []int(nil)
	if x.Array == nil && x.Src.Op == PadRow && constantOf(x.Args[1]) != nil { // each step pads its own axes
		before := make([]int, 2*r)
		after = slices.Clone(x.Src.Ints)
		copy(before[2*axis:], after[2*axis:2*axis+2])
		after[2*axis], after[2*axis+1] = 0, 0
		fill = x.Args[1]
		x = g.padded(x.Args[0], before, fill)
	}
	first, rest := make([]int, 0, 3*r), slices.Clone(w.Src.Ints)
	for i := range r {
		if i == axis {
			first = append(first, rest[3*i:3*i+3]...)
			copy(rest[3*i:], []int{1, 1, 1})
		} else {
			first = append(first, 1, 1, 1)
		}
	}
	value := extremeOf(e, x.Type)
	part := g.along(value, x, first)
	g.Store(part, "windows share the extremes of their elements along one axis")
	padded := func(n, fill *Node) *Node {
		if after == nil {
			return n
		}
		return g.padded(n, after, fill)
	}
	if part = padded(part, fill); !e.Op.Reduce().Position() {
		return g.reshape(g.along(e, part, rest), e.Shape())
	}
	count := countOf(x.Type)
	below := w.Shape[r+axis+1:].Size()
	at := g.convert(g.along(e, x, first), count)
	at = g.make(tree.Untyped(untyped.Row("mul"), at.Shape, count), []*Node{at, g.filled(tree.Untyped(e.Op, at.Shape, count), uint64(below))})
	g.Store(at, "windows share the positions of these extremes")
	at = padded(at, g.make(tree.NewConst(count, 0), nil))
	return g.reshape(g.positionAcross(e, g.along(value, part, rest), g.windows(part, rest), g.windows(at, rest), w.Shape[r:]), e.Shape())
}

// positionAcross returns the number of the first element of windows of size k that is the extreme
// best. The windows of part and at have the extremes along one axis and the numbers of those.
func (g *Graph) positionAcross(e *tree.Node, best, part, at *Node, k shape.Shape) *Node {
	r := len(k)
	axes := make([]int, r)
	for i := range axes {
		axes[i] = r + i
	}
	lanes, numbers := g.elements(part, axes), g.elements(at, axes)
	i := 0
	for element := range part.Shape[r:].Indices() {
		number := 0
		for axis, d := range element {
			number += d * k[axis+1:].Size()
		}
		s := numbers[i].Shape
		numbers[i] = g.make(tree.Untyped(untyped.Row("add"), s, at.Type), []*Node{numbers[i], g.filled(tree.Untyped(e.Op, s, at.Type), uint64(number))})
		i++
	}
	return g.position(e, g.reshape(best, lanes[0].Shape), lanes, numbers)
}

// windowsOf returns the windows over whose elements the reduction e of a goes, or nil if it is no
// minimum or maximum of all elements of windows, or its position.
func windowsOf(e *tree.Node, a *Node) *Node {
	if op := e.Op.Reduce().Op(); op != prim.Min && op != prim.Max {
		return nil
	}
	w := a
	for w.Array == nil && w.Src.Op == TransposeRow && slices.IsSorted(w.Src.Axes) && slices.Equal(LoopShape(w.Shape), LoopShape(w.Args[0].Shape)) {
		w = w.Args[0]
	}
	if w.Array != nil || w.Src.Op != WindowsRow || len(e.Axes) == 0 {
		return nil
	}
	first := e.Axes[0]
	if len(e.Axes) != len(a.Shape)-first || !slices.Equal(LoopShape(a.Shape[first:]), LoopShape(w.Shape[len(w.Shape)/2:])) {
		return nil
	}
	return w
}

// windows returns the windows over x that ints describe.
func (g *Graph) windows(x *Node, ints []int) *Node {
	r := len(x.Shape)
	s := make(shape.Shape, 2*r)
	for i, d := range x.Shape {
		size, stride, dilation := ints[3*i], ints[3*i+1], ints[3*i+2]
		s[i], s[r+i] = (d-1-(size-1)*dilation)/stride+1, size
	}
	return g.make(tree.NewView(WindowsRow, s, x.Type, ints), []*Node{x})
}

// along returns the reduction e of windows of x, in the shape of their positions.
func (g *Graph) along(e *tree.Node, x *Node, ints []int) *Node {
	w, r := g.windows(x, ints), len(x.Shape)
	kept := w.Shape.Clone()
	view := tree.NewView(e.Op, kept, e.DType(), nil)
	for i := r; i < 2*r; i++ {
		if kept[i] > 1 {
			kept[i], view.Axes = 1, append(view.Axes, i)
		}
	}
	return g.reshape(g.make(view, []*Node{w}), kept[:r])
}

// padded returns x with widths before and after each axis.
func (g *Graph) padded(x *Node, widths []int, fill *Node) *Node {
	to := x.Shape.Clone()
	for i := range to {
		to[i] += widths[2*i] + widths[2*i+1]
	}
	if to.Equal(x.Shape) {
		return x
	}
	return g.make(tree.NewView(PadRow, to, x.Type, widths), []*Node{x, fill})
}
