package tree

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
