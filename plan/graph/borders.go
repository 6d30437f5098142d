package graph

import "github.com/oneloop/oneloop/expr/tree"

// borders finds the positions along an axis of a node where other operands begin.
type borders struct{ seen map[borderKey]bool }

type borderKey struct {
	n    *Node
	axis int
}

// find passes the borders of n along an axis to f. An axis that n lacks or repeats has
// none.
func (b borders) find(n *Node, axis int, f func(p int)) {
	if axis < 0 || n.Array != nil || n.Shape[axis] == 1 || b.seen[borderKey{n, axis}] {
		return
	}
	b.seen[borderKey{n, axis}] = true
	shifted := func(by int) func(int) { return func(p int) { f(p + by) } }
	switch op := n.Src.Op; {
	case op.Class() == tree.Elementwise || op == BroadcastRow:
		for _, a := range n.Args {
			b.find(a, axis-len(n.Shape)+len(a.Shape), f)
		}
	case op == ConcatRow:
		begin := 0
		for _, a := range n.Args {
			if axis != n.Src.Axes[0] {
				b.find(a, axis, f)
				continue
			}
			b.find(a, axis, shifted(begin))
			begin += a.Shape[axis]
			f(begin)
		}
	case op == PadRow:
		before := n.Src.Ints[2*axis]
		f(before)
		f(before + n.Args[0].Shape[axis])
		b.find(n.Args[0], axis, shifted(before))
	case op == SliceRow && n.Src.Ints[3*axis+1] > 0:
		start, step := n.Src.Ints[3*axis], n.Src.Ints[3*axis+1]
		b.find(n.Args[0], axis, func(p int) { f((p - start + step - 1) / step) }) // the first element from p on
	case op == TransposeRow || op == ReshapeRow:
		if from := below(n, axis); from >= 0 {
			b.find(n.Args[0], from, f)
		}
	}
}

// below returns the axis of the operand of a transpose or reshape that is an axis of
// n, or -1 if there is none.
func below(n *Node, axis int) int {
	if n.Src.Op == TransposeRow {
		return n.Src.Axes[axis]
	}
	in := n.Args[0].Shape
	if n.Shape.Count(0, axis) == 0 || in.Size() == 0 {
		return -1
	}
	for from := range in {
		if in[from] == n.Shape[axis] && in.Count(0, from) == n.Shape.Count(0, axis) {
			return from
		}
	}
	return -1
}
