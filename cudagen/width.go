package cudagen

import "github.com/oneloop/oneloop/expr/prim"

// limit bounds what 32-bit indices address. Below it, neither a sum of a few
// offsets nor a loop counter one grid beyond the end overflows.
const limit = 1 << 29

// width chooses between 32-bit and 64-bit indices, and fills the nodeLayouts of the
// index expressions.
func (n *numbers) width() {
	l := &n.layout
	far := func(reach int) { l.wide = l.wide || reach >= limit }
	for i := range n.loops {
		size := 1
		for _, d := range l.loops[i].dims {
			size = times(size, n.extents[d])
		}
		far(size)
	}
	for i, f := range l.forms {
		reach := 0
		for j, t := range f.terms {
			reach += times(abs(n.forms[i].coefs[j]), max(n.extents[t.dim]-1, 0))
		}
		far(reach)
	}
	for i := range n.k.Bufs {
		a := &n.Arrays[i]
		reach := 0
		for d := range a.Strides {
			far(a.Extents[d])
			reach += times(abs(a.Strides[d]), max(a.Extents[d]-1, 0))
		}
		far(reach)
	}
	for i, x := range n.k.Index.Nodes { // operands have lower numbers
		lo, hi := n.Interval(prim.Ix(i))
		f := nodeLayout{narrow: x.Op != prim.IxValue && lo > -limit && hi < limit, positive: lo >= 0}
		if x.Op >= prim.IxAdd {
			f.narrow = f.narrow && l.nodes[x.A].narrow && l.nodes[x.B].narrow
		}
		l.nodes = append(l.nodes, f)
	}
}

// times returns the lesser of x*y and limit. x and y must not be negative.
func times(x, y int) int {
	if x != 0 && y > limit/x {
		return limit
	}
	return x * y
}
