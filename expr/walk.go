package expr

// Walk calls f once for every distinct node of a tree, operands before the
// nodes that use them. It does not recurse, so trees may be deep.
func Walk(n *Node, f func(*Node)) {
	if n == nil {
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

// MapLeaves returns copies of statements in which f replaces each leaf by a
// node of the same type and shape. Shared nodes stay shared.
func MapLeaves(stmts []Statement, f func(leaf *Node) *Node) []Statement {
	made := map[*Node]*Node{}
	mapped := func(root *Node) *Node {
		Walk(root, func(n *Node) {
			if made[n] != nil {
				return
			}
			m := n
			if n.Leaf != nil {
				m = f(n)
			} else if len(n.Args) > 0 {
				args := make([]*Node, len(n.Args))
				for i, a := range n.Args {
					args[i] = made[a]
				}
				m = n.WithArgs(args...)
			}
			made[n] = m
		})
		return made[root]
	}
	out := make([]Statement, len(stmts))
	for i, s := range stmts {
		out[i] = Statement{Saver: s.Saver, Target: mapped(s.Target), Value: mapped(s.Value)}
	}
	return out
}
