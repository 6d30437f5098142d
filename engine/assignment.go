package engine

import (
	"context"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// Run compiles statements and runs them once. It keeps the program for later
// statements of the same structure, which it then does not compile. Their arrays,
// parameters and constants may differ.
func Run(ctx context.Context, stmts ...expr.Statement) error {
	return RunWith(ctx, Options{}, stmts...)
}

// RunWith is Run with options.
func RunWith(ctx context.Context, o Options, stmts ...expr.Statement) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	if a := assignmentOf(ctx, o, stmts); a != nil {
		return a.run(ctx, stmts)
	}
	p, err := CompileWith(ctx, o, stmts...)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// An assignment is a program with arrays and cells of its own. Before each run
// the arrays get the bytes, and the cells the values, of the statements to carry
// out.
type assignment struct {
	program *Program
	options Options
	arrays  []*Memory    // without bytes between runs
	scalars []*expr.Cell // nil for constants that are part of the program

	words  []uint64
	idents []any
	hash   uint64
	stmts  []expr.Statement // own the addresses in words
	bytes  int              // approximate size in the cache

	next          *assignment // in the bucket
	after, before *assignment // in the ring
}

// assignmentOf returns an assignment bound to the operands of stmts, from the
// cache if the cache has one. It returns nil if the statements have no key or do
// not compile. Then the caller compiles the statements themselves, which gives
// the error its place.
func assignmentOf(ctx context.Context, o Options, stmts []expr.Statement) *assignment {
	if on := debugging(); len(on) > 1 || len(on) == 1 && !on["perf"] {
		return nil // the listings must show every program
	}
	o, be, err := o.resolve()
	if err != nil {
		return nil
	}
	k := keys.Get().(*key)
	defer k.free()
	if !k.read(stmts) {
		return nil
	}
	a := assignments.take(k, o)
	if a != nil {
		a.bind(k)
		return a
	}
	a = newAssignment(k, o, stmts)
	pl, err := plan.Compile(ctx, a.stmts)
	if err != nil {
		return nil
	}
	if a.program, err = compile(ctx, o, be, pl); err != nil {
		return nil
	}
	a.bytes = a.footprint()
	return a
}

// newAssignment returns an assignment with copies of stmts, in which its own
// arrays and cells replace the operands. It is bound to the operands of the key,
// and has no program yet.
func newAssignment(k *key, o Options, stmts []expr.Statement) *assignment {
	a := &assignment{
		options: o,
		arrays:  make([]*Memory, len(k.arrays)), scalars: make([]*expr.Cell, len(k.scalars)),
		words: slices.Clone(k.words), idents: slices.Clone(k.idents), hash: k.hash,
	}
	for i, o := range k.arrays {
		a.arrays[i] = MemoryOf(o.data)
	}
	for i, s := range k.scalars {
		if !s.fixed {
			a.scalars[i] = &expr.Cell{}
		}
	}
	a.bind(k)
	made := make([]*expr.Node, len(k.nodes))
	for _, s := range stmts {
		a.stmts = append(a.stmts, expr.Statement{Saver: s.Saver, Target: a.copy(k, s.Target, made), Value: a.copy(k, s.Value, made)})
	}
	return a
}

// copy returns a copy of the tree n with the operands of a. made holds the copies
// so far, by the number of the node in the key.
func (a *assignment) copy(k *key, n *expr.Node, made []*expr.Node) *expr.Node {
	_, i := k.find(n)
	if made[i] != nil {
		return made[i]
	}
	at := k.known[i].operand
	switch {
	case n.Leaf != nil:
		o := &k.arrays[at]
		made[i] = expr.NewLeaf(n.DType(), slices.Clone(n.Shape()), &expr.Leaf{Mem: a.arrays[at], Offset: o.low, Strides: slices.Clone(n.Leaf.Strides), Name: n.Leaf.Name})
	case n.Param != nil || n.Op.Class == expr.Constant && a.scalars[at] != nil:
		made[i] = expr.NewParamNode(n.DType(), a.scalars[at])
	default:
		args := make([]*expr.Node, len(n.Args))
		for j, x := range n.Args {
			args[j] = a.copy(k, x, made)
		}
		made[i] = n.WithArgs(args...)
	}
	return made[i]
}

// bind gives the arrays and cells of a the bytes and values of the operands of k.
func (a *assignment) bind(k *key) {
	for i, m := range a.arrays {
		m.data = k.arrays[i].data
	}
	for i, c := range a.scalars {
		switch s := &k.scalars[i]; {
		case c == nil:
		case s.cell != nil:
			c.Store(s.cell.Load())
		default:
			c.Store(s.bits)
		}
	}
}

// run carries out stmts, to whose operands a is bound. Then it removes the
// operands from a and puts a into the cache. An error has the place of the
// original node in stmts.
func (a *assignment) run(ctx context.Context, stmts []expr.Statement) error {
	defer func() {
		for _, m := range a.arrays {
			m.data = nil
		}
		a.program.forget(keepArena)
		assignments.put(a)
	}()
	err := a.program.run(ctx)
	if err == nil {
		return nil
	}
	return located(ctx, err, func(n *expr.Node) *expr.Node { return a.original(n, stmts) })
}

// original returns the node of stmts that node n of a is a copy of, or nil. Both
// have the same key, and so the same nodes in the same order.
func (a *assignment) original(n *expr.Node, stmts []expr.Statement) *expr.Node {
	own, others := keys.Get().(*key), keys.Get().(*key)
	defer own.free()
	defer others.free()
	if !own.read(a.stmts) || !others.read(stmts) {
		return nil
	}
	if _, i := own.find(n); i >= 0 && int(i) < len(others.nodes) {
		return others.nodes[i]
	}
	return nil
}

// keepArena is the largest size of temporaries, in bytes, that an assignment
// keeps between runs. Each run allocates larger ones.
const keepArena = 1 << 19

// footprint returns the approximate memory of a while it is idle, in bytes. The
// first two terms are a fit to the measured sizes of plans, bindings and code of
// trees of 1 to 100 operators.
func (a *assignment) footprint() int {
	n := 12<<10 + 80*len(a.words)
	p := a.program
	if p.plan.Arena <= keepArena {
		n += p.plan.Arena
	}
	for _, s := range p.steps {
		l, ok := s.(*loopStep)
		if !ok {
			continue
		}
		for _, b := range l.s.Kernel.Bufs {
			if b.Mode != ir.Row {
				continue
			}
			row := b.Type.Size()
			for _, x := range b.Axes {
				row *= l.s.Extents[x]
			}
			n += row * len(l.workers)
		}
	}
	return n
}
