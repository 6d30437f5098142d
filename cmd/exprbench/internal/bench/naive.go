package bench

import (
	"context"
	"maps"
	"slices"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A naive program computes statements one operator at a time, as a library that
// does not fuse: every operator of the trees is a compiled program of its own
// that writes a temporary, or the target where it is the last one. Views cost
// nothing, as in NumPy.
type naive struct {
	steps  []step
	passes int
	temps  []*temp // in the order in which they are written
	pooled bool    // the temporaries are the kept ones
}

type step struct {
	prog *engine.Program
	out  *temp // written by the step; nil if it writes a target
}

// A temp is the result of an operator.
type temp struct {
	mem  *engine.Memory
	kept []byte // its memory between runs
	last int    // the last step that reads it
}

// newNaive derives and compiles the steps.
func newNaive(ctx context.Context, o engine.Options, stmts []expr.Statement) (*naive, error) {
	d := &deriver{done: map[*tree.Node]*tree.Node{}, temps: map[tree.Memory]*temp{}}
	for _, s := range stmts {
		if err := d.statement(s); err != nil {
			return nil, err
		}
	}
	n := &naive{temps: d.order, pooled: true}
	if err := d.place(); err != nil {
		return nil, err
	}
	for i, s := range d.stmts {
		p, err := engine.CompileWith(ctx, o, s)
		if err != nil {
			return nil, err
		}
		n.steps = append(n.steps, step{p, d.out[i]})
		n.passes += len(p.Plan().Stages)
	}
	return n, nil
}

// run computes with the temporaries that were allocated once.
func (n *naive) run(ctx context.Context) error {
	if !n.pooled {
		for _, t := range n.temps {
			if err := t.mem.Rebind(t.kept); err != nil {
				return err
			}
		}
		n.pooled = true
	}
	for _, s := range n.steps {
		if err := s.prog.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runAllocating allocates every temporary before it is written.
func (n *naive) runAllocating(ctx context.Context) error {
	n.pooled = false
	for _, s := range n.steps {
		if s.out != nil {
			m, err := engine.NewMemory(s.out.mem.Size())
			if err != nil {
				return err
			}
			if err := s.out.mem.Rebind(m.Bytes()); err != nil {
				return err
			}
		}
		if err := s.prog.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A deriver takes trees apart.
type deriver struct {
	done  map[*tree.Node]*tree.Node // nodes in terms of temporaries
	stmts []expr.Statement
	out   []*temp // of each statement
	temps map[tree.Memory]*temp
	order []*temp

	scratch *engine.Memory
}

func (d *deriver) statement(s expr.Statement) error {
	root := s.Value
	direct := s.Saver == expr.Set && isOperator(root) && d.done[root] == nil && root.Shape().Equal(s.Target.Shape())
	var err error
	tree.Walk(root, func(n *tree.Node) {
		if err != nil || d.done[n] != nil {
			return
		}
		m := d.rebuild(n)
		if isOperator(n) && !(direct && n == root) {
			m, err = d.store(m)
		}
		d.done[n] = m
	})
	if err != nil {
		return err
	}
	d.emit(expr.Statement{Saver: s.Saver, Target: s.Target, Value: d.done[root]}, nil)
	if direct {
		delete(d.done, root) // its value has no array of its own
	}
	d.forget(s.Target)
	return nil
}

// rebuild is n with operands in terms of temporaries.
func (d *deriver) rebuild(n *tree.Node) *tree.Node {
	args := lists.Map(n.Args, func(a *tree.Node) *tree.Node { return d.done[a] })
	if slices.Equal(args, n.Args) {
		return n
	}
	return n.WithArgs(args...)
}

// store emits the statement that computes a temporary.
func (d *deriver) store(value *tree.Node) (*tree.Node, error) {
	if err := value.Err(); err != nil {
		return nil, err
	}
	s := value.Shape()
	size := s.Size() * value.DType().Size()
	if d.scratch == nil || d.scratch.Size() < size { // until place is called
		err := machine.Room(size)
		if err != nil {
			return nil, err
		}
		if d.scratch, err = engine.NewMemory(size); err != nil {
			return nil, err
		}
	}
	m := engine.MemoryOf(d.scratch.Bytes()[:size])
	a, err := engine.ArrayOf(m, value.DType(), s, s.Strides(), 0)
	if err != nil {
		return nil, err
	}
	t := &temp{mem: m}
	d.temps[m] = t
	d.order = append(d.order, t)
	d.emit(expr.Statement{Target: a.Node(), Value: value}, t)
	return a.Node(), nil
}

func (d *deriver) emit(s expr.Statement, out *temp) {
	at := len(d.stmts)
	tree.Walk(s.Value, func(n *tree.Node) {
		if n.Leaf != nil && d.temps[n.Leaf.Mem] != nil {
			d.temps[n.Leaf.Mem].last = at
		}
	})
	d.stmts = append(d.stmts, s)
	d.out = append(d.out, out)
}

// forget drops the values that read what a statement has written.
func (d *deriver) forget(target *tree.Node) {
	written := map[tree.Memory]bool{}
	addMemories(written, target)
	maps.DeleteFunc(d.done, func(n, _ *tree.Node) (stale bool) {
		tree.Walk(n, func(x *tree.Node) { stale = stale || x.Leaf != nil && written[x.Leaf.Mem] })
		return stale
	})
}

// place gives temporaries memory. One has the memory of another that is read by no
// later statement: the caches keep more of less memory.
func (d *deriver) place() error {
	free := map[int][][]byte{}
	live := []*temp{}
	for i := range d.stmts {
		if t := d.out[i]; t != nil {
			size := t.mem.Size()
			if list := free[size]; len(list) > 0 {
				t.kept, free[size] = list[len(list)-1], list[:len(list)-1]
			} else {
				m, err := engine.NewMemory(size)
				if err != nil {
					return err
				}
				t.kept = m.Bytes()
			}
			if err := t.mem.Rebind(t.kept); err != nil {
				return err
			}
			live = append(live, t)
		}
		live = slices.DeleteFunc(live, func(t *temp) bool {
			if t.last > i {
				return false
			}
			free[t.mem.Size()] = append(free[t.mem.Size()], t.kept)
			return true
		})
	}
	return nil
}

// freeViews are the views that cost nothing where they are used.
var freeViews = map[string]bool{"reshape": true, "transpose": true, "slice": true, "broadcast_to": true, "windows": true}

// isOperator reports whether a node is a pass of its own. A scalar is none if it
// depends on no array. An operation on halves is one pass, counted at the conversion
// that ends it: the nodes before it are not rounded to halves.
func isOperator(n *tree.Node) bool {
	switch n.Op.Class() {
	case tree.Storage, tree.Constant, tree.Parameter:
		return false
	case tree.View:
		return !freeViews[n.Op.Name()]
	case tree.Elementwise:
		if len(n.Shape()) == 0 && scalar(n) || n.DType().IsHalf() && n.Op.Result() != tree.ResultTo {
			return false
		}
	}
	return true
}

func scalar(n *tree.Node) bool {
	arrays := false
	tree.Walk(n, func(x *tree.Node) { arrays = arrays || x.Leaf != nil || x.Op.Class() == tree.View && len(x.Args) == 0 })
	return !arrays
}
