package tree

import "github.com/oneloop/oneloop/shape"

// Overlap reports whether two leaves may share elements. Nodes that are no arrays
// share none.
func Overlap(a, b *Node) bool {
	if a == nil || b == nil || a.Leaf == nil || b.Leaf == nil || a.shape.Size() == 0 || b.shape.Size() == 0 {
		return false
	}
	shift, same := Distance(a.Leaf.Mem, b.Leaf.Mem)
	if !same {
		return false
	}
	alo, ahi := extent(a)
	blo, bhi := extent(b)
	return alo < bhi+shift && blo+shift < ahi && !shape.Interleaved(elements(a), elements(b), shift)
}

func elements(n *Node) shape.Elements {
	return shape.Elements{Shape: n.shape, Strides: n.Leaf.Strides, Offset: n.Leaf.Offset, Size: n.dtype.Size()}
}

// A Locator is a memory that can overlap other memories, such as slices of one Go
// array. Locate returns the address, or 0 if there is none to compare.
type Locator interface{ Locate() uintptr }

// Distance returns the position of b relative to a in bytes. It returns false if
// the two memories cannot overlap.
func Distance(a, b Memory) (int, bool) {
	if a == b {
		return 0, true
	}
	x, ok := a.(Locator)
	y, ok2 := b.(Locator)
	if !ok || !ok2 || a.Device() != b.Device() || x.Locate() == 0 || y.Locate() == 0 {
		return 0, false
	}
	d := int(y.Locate()) - int(x.Locate())
	return d, d < a.Size() && -d < b.Size()
}

// extent returns the range of bytes that an array lies in.
func extent(n *Node) (lo, hi int) {
	lo, hi = shape.Bounds(n.Shape(), n.Leaf.Strides, n.Leaf.Offset)
	size := n.DType().Size()
	return lo * size, (hi + 1) * size
}
