package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
)

// A statement is one that has been checked.
type statement struct {
	expr.Statement
	target *Array // nil if the target is a concatenation
	reads  []read // what the value reads, and the saver
	nodes  int    // of the value, about
}

// check verifies statements and finds what each reads. Those that store nothing
// are left out.
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

// verify is an error unless the trees of a statement are what the package expr
// makes, of operators that plans are made of: nodes can be made by hand, and be
// changed.
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

// known is an error for contractions, which users cannot define, and for
// reductions whose program is wrong.
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

// A read is an array that a statement reads; direct if only element by element,
// each element of the target from the element at the same position.
type read struct {
	array  *Array
	direct bool
}

// readsOf lists the arrays of a statement's value, and its target if the saver
// reads it, and says how many nodes there are, about.
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
