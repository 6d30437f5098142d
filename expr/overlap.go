package expr

import "github.com/oneloop/oneloop/shape"

// Overlap reports whether two leaves may share elements. Nodes that are no arrays
// share none.
func Overlap(a, b *Node) bool {
	if a == nil || b == nil || a.Leaf == nil || b.Leaf == nil {
		return false
	}
	shift, same := distance(a.Leaf.Mem, b.Leaf.Mem)
	if !same {
		return false
	}
	alo, ahi := extent(a)
	blo, bhi := extent(b)
	return alo < bhi+shift && blo+shift < ahi
}

// distance returns the position in bytes of b relative to a, for memories that
// may overlap: the same one, or two that tell their addresses.
func distance(a, b Memory) (int, bool) {
	if a == b {
		return 0, true
	}
	type locator interface{ Locate() uintptr }
	x, ok := a.(locator)
	y, ok2 := b.(locator)
	if !ok || !ok2 || a.Size() == 0 || b.Size() == 0 || x.Locate() == 0 || y.Locate() == 0 {
		return 0, false
	}
	return int(y.Locate() - x.Locate()), true
}

// extent returns the range of bytes that an array lies in.
func extent(n *Node) (lo, hi int) {
	lo, hi = shape.Bounds(n.Shape(), n.Leaf.Strides, n.Leaf.Offset)
	size := n.DType().Size()
	return lo * size, (hi + 1) * size
}
