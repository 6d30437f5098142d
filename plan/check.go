package plan

import (
	"context"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
)

// A statement is an expr.Statement that passed check.
type statement struct {
	expr.Statement
	target *Array // nil if the target is a concatenation; assignments to its parts follow
	reads  []read // arrays that the value and the saver read
	nodes  int    // approximate number of nodes of the value
	paired bool   // the next statement must share the loop, and read nothing that this one stores
}

// A checker is the state of the check pass.
type checker struct {
	ctx   context.Context
	seen  expr.Seen
	fresh int // number of nodes that no statement before the current one has
	out   []statement
	parts op.Splitter
}

// check verifies statements and finds the arrays that each reads. It leaves out
// statements that store nothing.
func check(ctx context.Context, stmts []expr.Statement) ([]statement, error) {
	c := &checker{ctx: ctx, seen: expr.Seen{}, out: make([]statement, 0, len(stmts))}
	for _, s := range stmts {
		if err := c.check(s); err != nil {
			return nil, err
		}
	}
	return c.out, nil
}

func (c *checker) check(s expr.Statement) error {
	before := len(c.seen)
	if err := c.verify(s); err != nil {
		return err
	}
	c.fresh = len(c.seen) - before
	if s.Target.HasComplex() || s.Value.HasComplex() {
		return c.complex(s)
	}
	return c.real(s)
}

func errTarget(s expr.Statement) error {
	return expr.NewError(expr.ErrType, "", "%v cannot be assigned to", s.Target)
}

// real checks a statement of real values.
func (c *checker) real(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if s.Target.Op == graph.ConcatRow {
		return c.concatenated(s, expr.Parts{Re: s.Value})
	}
	if s.Target.Leaf == nil {
		return errTarget(s)
	}
	target := graph.ArrayOf(s.Target)
	if target.SelfOverlaps() {
		return expr.NewError(expr.ErrShape, "", "the target %v has elements that share memory", s.Target)
	}
	if target.Shape.Size() == 0 {
		return nil
	}
	reads, nodes, err := c.readsOf(s)
	if err != nil {
		return err
	}
	if s.Saver != expr.Set {
		reads = append(reads, read{target, true})
	}
	if err := checkDevices(s.Target, reads); err != nil {
		return err
	}
	c.out = append(c.out, statement{Statement: s, target: target, reads: reads, nodes: nodes})
	return nil
}

// concatenated checks an assignment to a concatenated target, of a value with the
// given parts. It becomes a statement without a target for each part of the value,
// and an assignment to each part of the target.
func (c *checker) concatenated(s expr.Statement, value expr.Parts) (err error) {
	for _, part := range []**expr.Node{&value.Re, &value.Im} {
		if *part == nil {
			continue
		}
		if !(*part).Shape().Equal(s.Target.Shape()) {
			*part = expr.ApplyWith(graph.BroadcastRow, expr.Attributes{Ints: s.Target.Shape()}, *part)
		}
		if s.Saver != expr.Set {
			*part = expr.Apply(graph.SaverRows[s.Saver], s.Target, *part)
		}
		if *part, err = c.whole(expr.Statement{Target: s.Target, Value: *part}); err != nil {
			return err
		}
	}
	s.Value = value.Re
	if value.Im != nil {
		s.Value = expr.ComplexOf(value.Re, value.Im)
	}
	begin := 0
	for _, t := range s.Target.Args {
		ints := []int{}
		for i, d := range t.Shape() {
			start := 0
			if i == s.Target.Axes[0] {
				start = begin
				begin += d
			}
			ints = append(ints, start, 1, d)
		}
		part := expr.ApplyWith(graph.SliceRow, expr.Attributes{Ints: ints}, s.Value)
		if err := c.check(expr.Statement{Target: t, Value: part}); err != nil {
			return err
		}
	}
	return nil
}

// verify returns an error unless package expr could have made the trees of a
// statement, from operators that the plan supports. Users can make and change
// nodes by hand.
func (c *checker) verify(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := c.seen.Verify(s.Target, known); err != nil {
		return err
	}
	return c.seen.Verify(s.Value, func(n *expr.Node) error {
		if err := graph.Cancelled(c.ctx, len(c.seen)); err != nil {
			return err
		}
		return known(n)
	})
}

// known returns an error for contractions of users, and for reductions whose
// program is wrong.
func known(n *expr.Node) error {
	o := n.Op
	if o.Class() == expr.Reduction && !o.Reduce().Native() {
		d := ir.Reducer{Reduction: o.Reduce(), Type: n.Args[0].DType().Register()}
		if p, err := d.Scalar(); err != nil || p.Result() != d.Type || !d.Types().Has(d.Type) {
			return expr.NewError(expr.ErrType, o.Constructor(), "the program does not reduce %v", d.Type)
		}
	}
	if o.Class() == expr.Contraction && o != graph.MatmulRow {
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

// readsOf returns the arrays that a statement's value reads, and the approximate
// number of nodes.
func (c *checker) readsOf(s expr.Statement) ([]read, int, error) {
	type visit struct {
		n      *expr.Node
		direct bool
	}
	const direct, indirect = 1, 2
	var out []read
	seen := make(map[*expr.Node]uint8, c.fresh) // how a node was visited
	var few [16]visit
	stack := append(few[:0], visit{s.Value, s.Value.Shape().Equal(s.Target.Shape())})
	for visits := 0; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		how := uint8(indirect)
		if v.direct {
			how = direct
		}
		before := seen[v.n]
		if before&(how|indirect) != 0 {
			continue
		}
		seen[v.n] = before | how
		visits++
		if err := graph.Cancelled(c.ctx, visits); err != nil {
			return nil, 0, err
		}
		if v.n.Leaf != nil {
			out = append(out, read{graph.ArrayOf(v.n), v.direct})
			continue
		}
		for _, a := range v.n.Args {
			stack = append(stack, visit{a, v.direct && v.n.Op.Class() == expr.Elementwise && a.Shape().Equal(v.n.Shape())})
		}
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
