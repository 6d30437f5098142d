package graph

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
)

// A selection by a comparison of positions, such as the triangle of a matrix, has borders too: beyond them all elements of one operand are
// selected, and a part there does not read the other.

// leastChosen is the number of elements from which a selection is cut.
const leastChosen = 1024

// A progression has the elements first, first + 1 ... last.
type progression struct{ first, last int64 }

// bySide reports whether n is a selection by a comparison of positions that has enough elements to be cut.
func (n *Node) bySide() bool {
	_, _, ok := n.compared()
	return ok && n.Array == nil && n.Shape.Size() >= leastChosen
}

// compared returns the positions that the condition of a selection compares, or false.
func (n *Node) compared() (a, b progression, ok bool) {
	if n.Src.Op != whereRow || n.Args[0].Src.Op != atLeastRow {
		return a, b, false
	}
	c := n.Args[0]
	if a, ok = c.Args[0].positions(); ok {
		b, ok = c.Args[1].positions()
	}
	return a, b, ok
}

// positions returns the elements of a node if these are a progression along one axis: iota, and conversions, views and
// sums of it that neither overflow nor change the order. It looks through stored nodes.
func (n *Node) positions() (p progression, ok bool) {
	size := n.Shape.Size()
	if size == 0 || !slices.Contains(n.Shape, size) || !n.Type.IsSigned() {
		return p, false
	}
	switch op := n.Src.Op; {
	case op == iotaRow:
		ok = true
	case op == castRow || op == TransposeRow || op == ReshapeRow:
		p, ok = n.Args[0].positions()
	case op == SliceRow:
		p, ok = n.Args[0].positions()
		for axis, d := range n.Args[0].Shape {
			if d > 1 {
				p.first += int64(n.Src.Ints[3*axis])
				ok = ok && (n.Shape[axis] == 1 || n.Src.Ints[3*axis+1] == 1)
			}
		}
	case op == addRow && n.Args[1].Src.Op.Class() == tree.Constant:
		p, ok = n.Args[0].positions()
		k := int64(n.Type.Extend(n.Args[1].Src.Bits))
		p.first += k
		ok = ok && k == int64(int32(k))
	}
	p.last = p.first + int64(size) - 1
	most := int64(math.MaxInt64 >> (64 - 8*n.Type.Size()))
	return p, ok && -most <= p.first && p.last <= most
}

// chosenAt passes to f the borders along an axis of a selection by a comparison of positions. One operand is selected on a side of the
// border that has at least half of an outermost axis. Rows in two parts take longer: that side has three quarters of them, and is filled.
func (n *Node) chosenAt(axis int, f func(p int)) {
	if axis < 0 || !n.bySide() {
		return
	}
	along := func(x *Node) bool {
		axis := axis - len(n.Shape) + len(x.Shape)
		return axis >= 0 && x.Shape[axis] > 1
	}
	a, b, _ := n.compared()
	d := int64(n.Shape[axis])
	x, y := along(n.Args[0].Args[0]), along(n.Args[0].Args[1])
	pays := func(part int64, operand int) bool {
		outer := n.Shape.Count(0, axis) == 1
		return 0 < part && part < d && (outer && 2*part >= d || 4*part >= 3*d && n.Args[operand].Src.Op.Class() == tree.Constant)
	}
	before, from, operand := b.first-a.first, b.last-a.first, 2 // the operand is selected before
	if y {
		before, from, operand = a.first-b.first+1, a.last-b.first+1, 1
	}
	switch {
	case x == y:
	case pays(before, operand):
		f(int(before))
	case pays(d-from, 3-operand):
		f(int(from))
	}
}

// chosen returns the operand that a selection has alone, if the positions that it compares show one, or nil.
func (n *Node) chosen() *Node {
	a, b, ok := n.compared()
	switch {
	case ok && a.first >= b.last:
		return n.Args[1]
	case ok && a.last < b.first:
		return n.Args[2]
	}
	return nil
}
