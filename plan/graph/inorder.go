package graph

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// The result of many reductions does not depend on the order of the values: extremes, bits, sums of integers. Their axes are put
// in the order of memory. A loop reads whole vectors then, whatever the order of the axes in the tree. A block of a reduction is one
// row, so the reduced axes must follow each other in memory; of several groups of them the largest is reduced first.

// inMemoryOrder returns the reduction e of a with its axes in the order of memory, or nil if they are, if the order of the values
// matters, or if the order in memory is not known.
func (g *Graph) inMemoryOrder(e *tree.Node, a *Node) *Node {
	r := e.Op.Reduce()
	if r.Ordered(a.Type.Register()) || r.Position() || !r.Native() || a.Faulty || a.Shape.Size() < leastStage {
		return nil
	}
	if b := a; b.Array == nil && b.Uses == 0 && b.Src.Op == e.Op && over(b.Shape, e.Axes) > over(b.Args[0].Shape, b.Src.Axes) {
		return g.reduceOver(b.Src, g.reduceOver(e, b.Args[0], e.Axes), b.Src.Axes)
	}
	order := g.memoryOrder(a)
	reduced := func(i int) bool { return slices.Contains(e.Axes, i) }
	var groups [][]int
	for k, i := range order {
		switch {
		case !reduced(i):
		case k > 0 && reduced(order[k-1]):
			groups[len(groups)-1] = append(groups[len(groups)-1], i)
		default:
			groups = append(groups, []int{i})
		}
	}
	if len(groups) > 1 {
		first := slices.MaxFunc(groups, func(x, y []int) int { return cmp.Compare(over(a.Shape, x), over(a.Shape, y)) })
		rest := lists.Where(e.Axes, func(i int) bool { return !slices.Contains(first, i) })
		return g.reduceOver(e, g.reduceOver(e, a, slices.Sorted(slices.Values(first))), rest)
	}
	if len(groups) == 0 {
		return nil
	}
	return g.reorder(e, a, order, reduced)
}

// over returns the product of the extents of some axes.
func over(s shape.Shape, axes []int) int {
	n := 1
	for _, i := range axes {
		n *= s[i]
	}
	return n
}

// reduceOver returns a reduction by the operator of e over other axes.
func (g *Graph) reduceOver(e *tree.Node, a *Node, axes []int) *Node {
	view := tree.NewView(e.Op, a.Shape.Reduce(axes, true), e.DType(), nil)
	view.Axes = axes
	return g.make(view, []*Node{a})
}

// leastKept is the fewest elements of a reduction whose result is worth a transposition.
const leastKept = 8

// reorder returns the reduction e of a over axes that follow each other in an order, or nil if this is the order of the loops.
func (g *Graph) reorder(e *tree.Node, a *Node, order []int, reduced func(int) bool) *Node {
	single := lists.Where(lists.UpTo(len(a.Shape)), func(i int) bool { return a.Shape[i] == 1 })
	kept := append(single, lists.Where(order, func(i int) bool { return !reduced(i) })...)
	axes := lists.Where(order, reduced)
	rows := reduced(order[len(order)-1])
	turned := !slices.IsSorted(kept[len(single):])
	if !turned && slices.IsSorted(axes) && rows == reduced(len(a.Shape)-1) || turned && over(a.Shape, axes) < leastKept {
		return nil
	}
	perm, from := slices.Concat(axes, kept), 0
	if rows {
		perm, from = slices.Concat(kept, axes), len(kept)
	}
	to := make(shape.Shape, len(perm))
	back := make([]int, len(perm))
	for k, i := range perm {
		to[k], back[i] = a.Shape[i], k
	}
	at := lists.Map(lists.UpTo(len(axes)), func(k int) int { return from + k })
	n := g.reduceOver(e, g.transpose(a, perm, to), at)
	if turned {
		return g.transpose(n, back, e.Shape())
	}
	return g.reshape(n, e.Shape())
}

// memoryOrder returns the axes of a that are longer than 1 in the order of memory, the one whose elements are side by side last.
// It returns nil if the arrays of the shape of a that it reads have different orders, or if one has none.
func (g *Graph) memoryOrder(a *Node) (order []int) {
	mark, known := g.Walk(), true
	var visit func(n *Node)
	visit = func(n *Node) {
		if !known || n.Mark == mark || !n.Shape.Equal(a.Shape) {
			return
		}
		n.Mark = mark
		m := n.Strided()
		if m == nil {
			known = n.Src.Op.Class() == tree.Elementwise
			for _, x := range n.Args {
				visit(x)
			}
			return
		}
		next := m.order()
		known = next != nil && (order == nil || slices.Equal(order, next))
		order = next
	}
	if visit(a); !known {
		return nil
	}
	return order
}

// order returns the axes that are longer than 1 by their strides, the longest first. It returns nil if elements repeat, or rows
// overlap.
func (a *Array) order() []int {
	step := func(i int) int { return max(a.Strides[i], -a.Strides[i]) }
	order := lists.Where(lists.UpTo(len(a.Shape)), func(i int) bool { return a.Shape[i] > 1 })
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(step(j), step(i)) })
	for k, i := range order {
		if step(i) == 0 || k > 0 && step(order[k-1]) < step(i)*a.Shape[i] {
			return nil
		}
	}
	return order
}
