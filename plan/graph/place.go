package graph

import (
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// This file says which operands of views are stored, because a loop over the view would
// compute them at other positions than its own.

// LoopShape returns a shape without its axes of size 1.
func LoopShape(s shape.Shape) []int { return lists.Where(s, func(d int) bool { return d != 1 }) }

// SharesLoop reports whether one loop may store to two arrays: they have the same axes but those of size 1, and are equal or do not overlap.
func (a *Array) SharesLoop(b *Array) bool {
	return (a.Equal(b) || !a.Overlaps(b)) && slices.Equal(LoopShape(a.Shape), LoopShape(b.Shape))
}

// SameLoop reports whether a view only adds and drops axes of size 1.
func SameLoop(n, a *Node) bool {
	if !slices.Equal(LoopShape(n.Shape), LoopShape(a.Shape)) {
		return false
	}
	switch n.Src.Op {
	case ReshapeRow:
		return true
	case TransposeRow:
		last := -1
		for _, x := range n.Src.Axes {
			if x >= 0 && a.Shape[x] != 1 {
				if x < last {
					return false
				}
				last = x
			}
		}
		return true
	}
	return false
}

// manyReads is the number of reads of each element of a padded array from which
// storing it is cheaper than a check of each.
const manyReads = 2

const borderAgain = "its border would be found again for every read"

// framed reports whether n is the windows over a padded array that it reads often, and
// that computes nothing, or a reshape that moves such an array's border into axes.
func (n *Node) framed() bool {
	a := n.Args[0]
	return a.Src.Op == PadRow && !a.Computes && (n.Src.Op == WindowsRow && n.Shape.Size() > manyReads*a.Shape.Size() || n.Src.Op == ReshapeRow && !SameLoop(n, a))
}

// shared reports whether n is the windows over another view that strides do not express, and that it reads more than once.
func (n *Node) shared() bool {
	a := n.Args[0]
	return n.Src.Op == WindowsRow && a.Src.Op != PadRow && !a.Computes && n.Shape.Size() > a.Shape.Size()
}

// settle stores what slice n reads, if slices read it at several positions: a loop over
// each of them would compute it again.
func (g *Graph) settle(n *Node) {
	if n.Src.Op != SliceRow || n.Index == nil {
		return
	}
	if why := n.Elsewhere(&n.Index.Reads[0]); why != "" && n.Args[0].Open == nil {
		g.Store(n.Args[0].Under(), why)
	}
}

// Elsewhere returns why what read r of the view n reads is stored, or "" if a loop over n
// computes it.
func (n *Node) Elsewhere(r *Read) string {
	a := n.Args[r.Arg]
	switch {
	case a.Strided() != nil:
	case n.framed():
		return borderAgain
	case n.shared():
		return "a view reads it at other positions than it is computed"
	case !a.Computes:
	case r.Bounds == ir.Clamped:
		return "it is read at computed positions"
	case !SameLoop(n, a) && (a.Reduces || !a.Faulty && (a.Uses > 1 && a.Work > 2 || n.Shape.Size() > a.Shape.Size() && n.Src.Op != PadRow)):
		return "a view reads it at other positions than it is computed"
	}
	return ""
}

// Siblings reports whether two reductions that are stored go over the same axes of operands of
// one shape that have an array in common, or two scans have the same states, and whether they fit one kernel together.
func (g *Graph) Siblings(n, x *Node) bool {
	class := n.Src.Op.Class()
	if class != x.Src.Op.Class() || class != tree.Reduction && class != tree.Scan {
		return false
	}
	a, b := n.Args[0], x.Args[0]
	if !a.Shape.Equal(b.Shape) || !slices.Equal(n.Src.Axes, x.Src.Axes) || !n.Shape.Equal(x.Shape) {
		return false
	}
	if class == tree.Scan && !(slices.Equal(n.Args[1:], x.Args[1:]) && slices.Equal(n.Src.Ints, x.Src.Ints)) {
		return false
	}
	cost, all := g.inlined(a)
	more, in := g.inlined(b)
	common := inputs{}
	for i := range common {
		common[i] = all[i] & in[i]
	}
	all.union(&in)
	return (class == tree.Scan || common.count() > 0) && all.count() <= maxInputs && cost+more <= MaxCost
}

// inlined returns the primitives that a loop over n computes, and what it reads.
func (g *Graph) inlined(n *Node) (cost int, in inputs) {
	if n.Array != nil {
		in.add(int(n.ID))
		return 1, in
	}
	if g.refresh(n) {
		g.sum(n)
	}
	return n.Cost, n.inputs
}

// Depends reports whether n is computed from x.
func (g *Graph) Depends(n, x *Node) bool {
	return g.finder(func(n *Node) (found, stop bool) { return n == x, false })(n)
}
