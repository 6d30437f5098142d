package tree

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
