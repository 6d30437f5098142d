package grad

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/shape"
)

// same reports whether two nodes are one variable: the same node, the same
// parameter, or the same elements in the same order.
func same(a, b *expr.Node) bool {
	if a == b || a.Param != nil && a.Param == b.Param {
		return true
	}
	if a.Leaf == nil || b.Leaf == nil || a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) {
		return false
	}
	apart, near := distance(a.Leaf.Mem, b.Leaf.Mem)
	if !near || b.Leaf.Offset*b.DType().Size()+apart != a.Leaf.Offset*a.DType().Size() {
		return false
	}
	for i, d := range a.Shape() {
		if d > 1 && a.Leaf.Strides[i] != b.Leaf.Strides[i] {
			return false
		}
	}
	return true
}

// overlap reports whether the ranges of memory of two arrays have bytes in
// common.
func overlap(a, b *expr.Node) bool {
	if a.Leaf == nil || b.Leaf == nil || a.Shape().Size() == 0 || b.Shape().Size() == 0 {
		return false
	}
	apart, near := distance(a.Leaf.Mem, b.Leaf.Mem)
	if !near {
		return false
	}
	alo, ahi := extent(a)
	blo, bhi := extent(b)
	return alo < bhi+apart && blo+apart < ahi
}

// extent returns the range of bytes that an array covers, from the beginning of
// its memory.
func extent(n *expr.Node) (lo, hi int) {
	lo, hi = shape.Bounds(n.Shape(), n.Leaf.Strides, n.Leaf.Offset)
	return lo * n.DType().Size(), (hi + 1) * n.DType().Size()
}

// distance returns the position of b relative to a in bytes. It returns false
// unless both are one memory, or both know their addresses.
func distance(a, b expr.Memory) (int, bool) {
	if a == b {
		return 0, true
	}
	x, ok := a.(interface{ Locate() uintptr })
	y, ok2 := b.(interface{ Locate() uintptr })
	if !ok || !ok2 || a.Device() != b.Device() {
		return 0, false
	}
	return int(y.Locate()) - int(x.Locate()), true
}
