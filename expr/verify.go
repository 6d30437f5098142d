package expr

// Seen has the nodes that [Seen.Verify] has met: false while it looks at their
// operands.
type Seen map[*Node]bool

// Verify returns the first error of a tree: that of [Node.Verify] for a node,
// then that of also, if not nil, or one because the tree contains itself. It
// visits operands first, and nodes that s has only once. It does not recurse, so
// trees may be deep.
func (s Seen) Verify(root *Node, also func(*Node) error) error {
	type frame struct {
		n    *Node
		next int // operand to look at
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
