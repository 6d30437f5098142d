package plan

import "github.com/oneloop/oneloop/expr"

// A verifier checks the trees of statements before anything looks into them:
// nodes can be made by hand, and be changed. It has the nodes seen so far, false
// while their operands are looked at.
type verifier map[*expr.Node]bool

func (v verifier) statement(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := v.tree(s.Target); err != nil {
		return err
	}
	return v.tree(s.Value)
}

// tree verifies every node of a tree, operands first. It does not recurse, so
// trees may be deep.
func (v verifier) tree(root *expr.Node) error {
	type frame struct {
		n    *expr.Node
		next int // operand to look at
	}
	var few [16]frame
	stack := append(few[:0], frame{n: root})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		n := top.n
		if top.next == 0 {
			done, seen := v[n]
			if seen && !done {
				return expr.NewError(expr.ErrValue, "", "a tree contains itself")
			}
			if done {
				stack = stack[:len(stack)-1]
				continue
			}
			if err := verify(n); err != nil {
				return err
			}
			v[n] = len(n.Args) == 0
		}
		if top.next < len(n.Args) {
			top.next++
			stack = append(stack, frame{n: n.Args[top.next-1]})
			continue
		}
		v[n] = true
		stack = stack[:len(stack)-1]
	}
	return nil
}

// verify is an error unless n follows from its operands and its operator is of a
// class that users can have.
func verify(n *expr.Node) error {
	if err := n.Verify(); err != nil {
		return err
	}
	o := n.Op
	if _, known := reductions[o.Reduce]; o.Class == expr.Reduction && !known {
		return expr.NewError(expr.ErrValue, o.Constructor(), "there is no reduction %q", o.Reduce)
	}
	if o.Class == expr.Contraction && o != matmulRow {
		return expr.NewError(expr.ErrUnsupported, o.Constructor(), "the only contraction is matmul")
	}
	return nil
}
