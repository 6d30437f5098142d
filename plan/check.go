package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
)

// A statement is an expr.Statement that passed check.
type statement struct {
	expr.Statement
	target *Array // nil if the target is a concatenation
	reads  []read // arrays that the value and the saver read
	nodes  int    // approximate number of nodes of the value
}

// check verifies statements and finds the arrays that each reads. It leaves out
// statements that store nothing.
func (c *compiler) check(stmts []expr.Statement) ([]statement, error) {
	out := make([]statement, 0, len(stmts))
	for _, s := range stmts {
		if err := c.verify(s); err != nil {
			return nil, err
		}
		if s.Target.Op == concatRow {
			out = append(out, statement{Statement: s})
			continue
		}
		if s.Target.Leaf == nil {
			return nil, expr.NewError(expr.ErrType, "", "%v cannot be assigned to", s.Target)
		}
		target := arrayOf(s.Target)
		if target.selfOverlaps() {
			return nil, expr.NewError(expr.ErrShape, "", "the target %v has elements that share memory", s.Target)
		}
		if target.Shape.Size() == 0 {
			continue
		}
		reads, nodes, err := c.readsOf(s)
		if err != nil {
			return nil, err
		}
		if err := checkDevices(s.Target, reads); err != nil {
			return nil, err
		}
		out = append(out, statement{s, target, reads, nodes})
	}
	return out, nil
}

// verify returns an error unless package expr could have made the trees of a
// statement, from operators that the plan supports. Users can make and change
// nodes by hand.
func (c *compiler) verify(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := c.seen.Verify(s.Target, known); err != nil {
		return err
	}
	return c.seen.Verify(s.Value, func(n *expr.Node) error {
		if len(c.seen)%cancelEvery == 0 {
			if err := c.cancelled(); err != nil {
				return err
			}
		}
		return known(n)
	})
}

// known returns an error for contractions of users, and for reductions whose
// program is wrong.
func known(n *expr.Node) error {
	o := n.Op
	if o.Class == expr.Reduction && !o.Reduce.Native() {
		d := ir.Reducer{Reduction: o.Reduce, Type: n.Args[0].DType().Register()}
		if p, err := d.Scalar(); err != nil || p.Result() != d.Type || !d.Types.Has(d.Type) {
			return expr.NewError(expr.ErrType, o.Constructor(), "the program does not reduce %v", d.Type)
		}
	}
	if o.Class == expr.Contraction && o != matmulRow {
		return expr.NewError(expr.ErrUnsupported, o.Constructor(), "the only contraction is matmul")
	}
	return nil
}

// A read is an array that a statement reads. direct means that each element of
// the target depends only on the element at the same position.
type read struct {
	array  *Array
	direct bool
}

// readsOf returns the arrays that a statement's value reads, and the target if
// the saver reads it. It also returns the approximate number of nodes.
func (c *compiler) readsOf(s expr.Statement) ([]read, int, error) {
	type visit struct {
		n      *expr.Node
		direct bool
	}
	var out []read
	seen := map[visit]bool{}
	stack := []visit{{s.Value, s.Value.Shape().Equal(s.Target.Shape())}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] || seen[visit{v.n, false}] {
			continue
		}
		seen[v] = true
		if len(seen)%cancelEvery == 0 {
			if err := c.cancelled(); err != nil {
				return nil, 0, err
			}
		}
		if v.n.Leaf != nil {
			out = append(out, read{arrayOf(v.n), v.direct})
			continue
		}
		for _, a := range v.n.Args {
			stack = append(stack, visit{a, v.direct && v.n.Op.Class == expr.Elementwise && a.Shape().Equal(v.n.Shape())})
		}
	}
	if s.Saver != expr.Set {
		out = append(out, read{arrayOf(s.Target), true})
	}
	return out, len(seen), nil
}

func checkDevices(target *expr.Node, reads []read) error {
	d := target.Leaf.Mem.Device()
	for _, r := range reads {
		if other := r.array.Mem.Device(); other != d {
			return expr.NewError(expr.ErrDevice, "", "an operand is on %s, the target on %s", other, d)
		}
	}
	return nil
}
