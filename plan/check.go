package plan

import (
	"context"
	"sync"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/slab"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
)

// A checker is the state of the check pass.
type checker struct {
	ctx   context.Context
	seen  tree.Seen
	how   map[*tree.Node]uint8 // how readsOf visited a node
	out   []statement
	parts untyped.Splitter
	// origins, or nil, learn what the checker makes of the trees.
	origins *graph.Origins

	arrays slab.Slab[Array] // of the statements, which keep them
}

// arrayOf returns the array of a leaf.
func (c *checker) arrayOf(e *tree.Node) *Array {
	a := c.arrays.New(4)
	*a = graph.ArrayOf(e)
	return a
}

// check verifies statements and finds the arrays that each reads. It leaves out
// statements that store nothing.
func check(ctx context.Context, stmts []expr.Statement, origins *graph.Origins) ([]statement, error) {
	c := checkers.Get().(*checker)
	c.ctx, c.out, c.origins = ctx, make([]statement, 0, len(stmts)), origins
	for _, s := range stmts {
		origins.Number(s.Value)
		if err := c.check(s, len(stmts) == 1); err != nil {
			return nil, err
		}
	}
	out := c.out
	if len(c.seen) <= mostKept {
		clear(c.seen)
		c.forget()
		*c = checker{seen: c.seen, how: c.how}
		checkers.Put(c)
	}
	return out, nil
}

// mostKept is the number of nodes up to which a map is used again. The memory of larger maps
// is left to the garbage collector, because it takes time to clear.
const mostKept = 256

// forget empties c.how.
func (c *checker) forget() {
	if len(c.how) > mostKept {
		c.how = map[*tree.Node]uint8{}
	}
	clear(c.how)
}

// checkers has checkers without statements.
var checkers = sync.Pool{New: func() any { return &checker{seen: tree.Seen{}, how: map[*tree.Node]uint8{}} }}

// check checks a statement. If it is alone, parts of complex values can be joined: another statement may read them apart.
func (c *checker) check(s expr.Statement, alone bool) error {
	if err := c.verify(s); err != nil {
		return err
	}
	if s.Target.HasComplex() || s.Value.HasComplex() {
		return c.complex(s, alone)
	}
	return c.real(s)
}

func errTarget(s expr.Statement) error {
	return tree.NewError(tree.ErrType, "", "%v cannot be assigned to", s.Target)
}

// real checks a statement of real values.
func (c *checker) real(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if s.Target.Op == graph.ConcatRow {
		return c.concatenated(s, tree.Parts{Re: s.Value})
	}
	if s.Target.Leaf == nil {
		return errTarget(s)
	}
	target := c.arrayOf(s.Target)
	if target.SelfOverlaps() {
		return tree.NewError(tree.ErrShape, "", "the target %v has elements that share memory", s.Target)
	}
	if target.Shape.Size() == 0 {
		return nil
	}
	x := statement{Statement: s, target: target}
	if err := c.readsOf(&x); err != nil {
		return err
	}
	if s.Saver != expr.Set {
		x.reads = append(x.reads, read{target, true})
	}
	if err := checkDevices(s.Target, x.reads); err != nil {
		return err
	}
	c.out = append(c.out, x)
	return nil
}

// concatenated checks an assignment to a concatenated target, of a value with the
// given parts. It becomes a statement without a target for each part of the value,
// and an assignment to each part of the target.
func (c *checker) concatenated(s expr.Statement, value tree.Parts) (err error) {
	for _, part := range []**tree.Node{&value.Re, &value.Im} {
		if *part == nil {
			continue
		}
		if !(*part).Shape().Equal(s.Target.Shape()) {
			*part = tree.ApplyWith(graph.BroadcastRow, tree.Attributes{Ints: s.Target.Shape()}, *part)
		}
		if s.Saver != expr.Set {
			*part = tree.Apply(graph.SaverRows[s.Saver], s.Target, *part)
		}
		if *part, err = c.whole(expr.Statement{Target: s.Target, Value: *part}); err != nil {
			return err
		}
	}
	s.Value = value.Re
	if value.Im != nil {
		s.Value = tree.ComplexOf(value.Re, value.Im)
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
		part := tree.ApplyWith(graph.SliceRow, tree.Attributes{Ints: ints}, s.Value)
		if err := c.check(expr.Statement{Target: t, Value: part}, false); err != nil {
			return err
		}
	}
	return nil
}

// complex checks a statement whose trees have complex values. It becomes
// statements of real values: for a complex target one for the real parts and one
// for the imaginary parts. Both values are computed before the first is stored.
func (c *checker) complex(s expr.Statement, alone bool) error {
	if !s.Target.DType().IsComplex() {
		s.Value = c.split(s.Value).Re
		return c.real(s)
	}
	if s.Saver != expr.Set {
		s.Value, s.Saver = tree.Apply(graph.SaverRows[s.Saver], s.Target, s.Value), expr.Set
	}
	if alone {
		if target, value := untyped.Joined(s.Target, s.Value); value != nil {
			return c.real(expr.Statement{Target: target, Value: value})
		}
	}
	value := c.split(s.Value)
	if value.Im == nil {
		return value.Re.Err()
	}
	if s.Target.Op == graph.ConcatRow {
		return c.concatenated(s, value)
	}
	target, ok := tree.PartsOf(s.Target)
	if !ok {
		return errTarget(s)
	}
	re, im := expr.Statement{Target: target.Re, Value: value.Re}, expr.Statement{Target: target.Im, Value: value.Im}
	n := len(c.out)
	for _, part := range []expr.Statement{re, im} {
		if err := c.real(part); err != nil {
			return err
		}
	}
	if len(c.out) == n { // no element
		return nil
	}
	if c.out[n+1].fits(c.out[n : n+1]) {
		c.out[n].paired = true
		return nil
	}
	stores := [2]statement(c.out[n:])
	c.out = c.out[:n]
	for i := range stores {
		value, err := c.whole(expr.Statement{Target: s.Target, Value: stores[i].Value})
		if err != nil {
			return err
		}
		stores[i].Value = value
	}
	c.out = append(c.out, stores[:]...)
	return nil
}

// split returns the parts of a complex value.
func (c *checker) split(value *tree.Node) tree.Parts {
	p := c.parts.Split(value)
	if c.origins != nil {
		tree.Walk(value, func(n *tree.Node) {
			parts := c.parts.Split(n)
			c.origins.Stands(parts.Re, n)
			c.origins.Stands(parts.Im, n)
		})
	}
	return p
}

// whole appends a statement that computes a value before the statements after it
// store it to parts of the target. It returns the value, as a node that no other
// statement has.
func (c *checker) whole(s expr.Statement) (*tree.Node, error) {
	value := *s.Value
	c.origins.Stands(&value, s.Value)
	s.Value = &value
	x := statement{Statement: s}
	err := c.readsOf(&x)
	c.out = append(c.out, x)
	return &value, err
}

// verify returns an error unless package tree could have made the trees of a
// statement, from operators that the plan supports. Users can make and change
// nodes by hand.
func (c *checker) verify(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := c.seen.Verify(s.Target, known); err != nil {
		return err
	}
	return c.seen.Verify(s.Value, func(n *tree.Node) error {
		if err := graph.Cancelled(c.ctx, len(c.seen)); err != nil {
			return err
		}
		return known(n)
	})
}

// known returns an error for contractions of users, and for reductions whose
// program is wrong.
func known(n *tree.Node) error {
	o := n.Op
	if o.Class() == tree.Reduction && !o.Reduce().Native() {
		d := ir.Reducer{Reduction: o.Reduce(), Type: n.Args[0].DType().Register()}
		if p, err := d.Scalar(); err != nil || p.Result() != d.Type || !d.Types().Has(d.Type) {
			return tree.NewError(tree.ErrType, o.Constructor(), "the program does not reduce %v", d.Type)
		}
	}
	if o.Class() == tree.Contraction && o != graph.MatmulRow {
		return tree.NewError(tree.ErrUnsupported, o.Constructor(), "the only contraction is matmul")
	}
	return nil
}

// readsOf finds the arrays that a statement's value reads, the approximate number of nodes, and a scan that stores the target.
func (c *checker) readsOf(s *statement) error {
	type visit struct {
		n      *tree.Node
		direct bool
	}
	const direct, indirect = 1, 2
	s.reads = make([]read, 0, 4)
	c.forget()
	var few [16]visit
	stack := append(few[:0], visit{s.Value, s.Value.Shape().Equal(s.Target.Shape())})
	for visits := 0; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		how := uint8(indirect)
		if v.direct {
			how = direct
		}
		before := c.how[v.n]
		if before&(how|indirect) != 0 {
			continue
		}
		c.how[v.n] = before | how
		visits++
		if err := graph.Cancelled(c.ctx, visits); err != nil {
			return err
		}
		if v.n.Leaf != nil {
			s.reads = append(s.reads, read{c.arrayOf(v.n), v.direct})
			continue
		}
		if v.direct && v.n.Op.Class() == tree.Scan {
			s.scan = v.n
		}
		for _, a := range v.n.Args {
			stack = append(stack, visit{a, v.direct && v.n.Op.Class() == tree.Elementwise && a.Shape().Equal(v.n.Shape())})
		}
	}
	s.nodes = len(c.how)
	return nil
}

func checkDevices(target *tree.Node, reads []read) error {
	d := target.Leaf.Mem.Device()
	for _, r := range reads {
		if other := r.array.Mem.Device(); other != d {
			return tree.NewError(tree.ErrDevice, "", "an operand is on %s, the target on %s", other, d)
		}
	}
	return nil
}
