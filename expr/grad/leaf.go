package grad

import "github.com/oneloop/oneloop/expr/tree"

// same reports whether two nodes are one variable: the same node, the same
// parameter, or the same elements in the same order.
func same(a, b *tree.Node) bool {
	if a == b || a.Param != nil && a.Param == b.Param {
		return true
	}
	if a.Leaf == nil || b.Leaf == nil || a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) {
		return false
	}
	apart, near := tree.Distance(a.Leaf.Mem, b.Leaf.Mem)
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
