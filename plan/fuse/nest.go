package fuse

import (
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/shape"
)

// longRow is the extent above which a single row runs in parallel blocks.
const longRow = 1 << 15

// choose sets the nest of the roots. It takes the nest of the first reduction
// from the roots downwards that fits, or else, or if plain is set, a map.
func (l *Loop) choose(plain bool) {
	dims := graph.LoopShape(l.Roots[0].Target.Shape)
	l.Nest = Nest{Kind: Map, Outer: dims}
	if plain || !l.complex() {
		return
	}
	seen := map[*graph.Node]bool{}
	var visit func(n *graph.Node) bool
	visit = func(n *graph.Node) bool {
		if !n.Complex || seen[n] || l.Loads(n) {
			return false
		}
		seen[n] = true
		if c := n.Src.Op.Class(); c == tree.Reduction || c == tree.Scan {
			if f, ok := fit(n, dims); ok {
				l.Nest = f
				return true
			}
		}
		return slices.ContainsFunc(n.Args, visit)
	}
	for _, r := range l.Roots {
		if visit(r.Value) {
			break
		}
	}
}

// fit returns the nest in which reduction or scan n runs together with roots of loop
// shape dims. It returns false if there is none.
func fit(n *graph.Node, dims []int) (Nest, bool) {
	outer, inner, last := axesOf(n)
	size := shape.Shape(inner).Size()
	if n.Src.Op.Class() == tree.Scan {
		f := Nest{Kind: Columns, Outer: outer, Inner: inner, StoresInner: !n.Src.ScanIsLast(), Reversed: n.Reversed()}
		if !f.StoresInner {
			return f, slices.Equal(outer, dims) || len(dims) == 0 && slices.Equal(outer, oneColumn)
		}
		f.Along = len(graph.LoopShape(n.Shape[:n.Src.Axes[0]]))
		return f, slices.Equal(graph.LoopShape(n.Shape), dims)
	}
	switch {
	case !last && (slices.Equal(outer, dims) || len(dims) == 0 && slices.Equal(outer, oneColumn)):
		return Nest{Kind: Columns, Outer: outer, Inner: inner}, true
	case last && slices.Equal(outer, dims):
		return Nest{Kind: Rows, Outer: outer, Inner: inner, singleRow: len(outer) == 0 && size > longRow}, true
	case last && slices.Equal(slices.Concat(outer, inner), dims) && (len(outer) > 0 || size <= longRow):
		return Nest{Kind: Rows, Outer: outer, Inner: inner, StoresInner: true}, true
	}
	return Nest{}, false
}

// axesOf returns the extents of the kept and of the reduced axes of a
// reduction, or those of a scan, without axes of size 1. last tells whether the
// last axis is reduced, which decides the order.
func axesOf(n *graph.Node) (outer, inner []int, last bool) {
	s := n.Args[0].Shape
	for i, d := range s {
		switch reduced := slices.Contains(n.Src.Axes, i); {
		case d == 1:
		case reduced:
			inner = append(inner, d)
		default:
			outer = append(outer, d)
		}
	}
	last = slices.Contains(n.Src.Axes, len(s)-1) && n.Src.Op.Class() == tree.Reduction
	if !last && len(outer) == 0 {
		outer = oneColumn
	}
	return outer, inner, last
}

// oneColumn replaces the kept axes if all have size 1: the columns nest needs a
// vec loop.
var oneColumn = []int{1}

// fits reports whether reduction or scan x runs in the loops of the nest.
func (n Nest) fits(x *graph.Node) bool {
	if n.Kind == Map || n.Reversed != (x.Src.Op.Class() == tree.Scan && x.Reversed()) {
		return false
	}
	outer, inner, last := axesOf(x)
	return last == (n.Kind == Rows) && slices.Equal(outer, n.Outer) && slices.Equal(inner, n.Inner)
}

// extent returns the extent of an axis, or 0 if there is none.
func (n Nest) extent(axis int) int {
	if axis < len(n.Outer) {
		return n.Outer[axis]
	}
	if axis -= len(n.Outer); axis < len(n.Inner) {
		return n.Inner[axis]
	}
	return 0
}

// ownPlace reports whether x is read at its own position in all loops of the
// nest, and whether these reach each of its elements.
func (n Nest) ownPlace(x *graph.Node, at []graph.Coord) bool {
	next := 0
	for i, d := range x.Shape {
		if d == 1 {
			continue
		}
		if int(at[i]) != n.axis(next) || n.extent(n.axis(next)) != d {
			return false
		}
		next++
	}
	return next == len(n.Outer)+len(n.Inner)
}

// Operand returns the coordinates of the operands of a reduction or a scan that fits
// the nest.
func (n Nest) Operand(x *graph.Node) []graph.Coord {
	s := x.Args[0].Shape
	at := make([]graph.Coord, len(s))
	outer, inner := 0, len(n.Outer)
	for i, d := range s {
		switch {
		case d == 1:
			at[i] = graph.Zero
		case slices.Contains(x.Src.Axes, i):
			at[i] = graph.Coord(inner)
			inner++
		default:
			at[i] = graph.Coord(outer)
			outer++
		}
	}
	return at
}
