package tree

import "github.com/oneloop/oneloop/shape"

// Walk calls f once for every distinct node of a tree, operands before the
// nodes that use them. It does not recurse, so trees may be deep.
func Walk(n *Node, f func(*Node)) {
	if n == nil || f == nil {
		return
	}
	type frame struct {
		n    *Node
		next int
	}
	seen := map[*Node]bool{n: true}
	stack := []frame{{n: n}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(top.n.Args) {
			a := top.n.Args[top.next]
			top.next++
			if a != nil && !seen[a] {
				seen[a] = true
				stack = append(stack, frame{n: a})
			}
			continue
		}
		f(top.n)
		stack = stack[:len(stack)-1]
	}
}

// Seen has the nodes that [Seen.Verify] visited. The value is false while
// Verify visits the operands of a node.
type Seen map[*Node]bool

// Verify returns the first error of a tree. For each node it calls
// [Node.Verify], then also, if not nil. A tree that contains itself is an
// error. Verify visits each node once, even over several calls. It does not
// recurse, so trees may be deep.
func (s Seen) Verify(root *Node, also func(*Node) error) error {
	if s == nil {
		s = Seen{}
	}
	type frame struct {
		n    *Node
		next int // next operand to visit
	}
	var few [16]frame
	stack := append(few[:0], frame{n: root})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		n := top.n
		if top.next == 0 {
			done, seen := s[n]
			if seen && !done {
				return NewError(ErrValue, n.Op.Constructor(), "the tree contains itself")
			}
			if done {
				stack = stack[:len(stack)-1]
				continue
			}
			if err := n.Verify(); err != nil {
				return err
			}
			if also != nil {
				if err := also(n); err != nil {
					return err
				}
			}
			s[n] = false
		}
		if top.next < len(n.Args) {
			top.next++
			stack = append(stack, frame{n: n.Args[top.next-1]})
			continue
		}
		s[n] = true
		stack = stack[:len(stack)-1]
	}
	return nil
}

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
