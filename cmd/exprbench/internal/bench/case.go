package bench

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A Spec is an array that a formula of the user works on.
type Spec struct {
	Name  string
	Type  dtype.Type
	Shape shape.Shape
}

func (s Spec) size() int { return s.Shape.Size() * s.Type.Size() } // bytes

// A Case is a program ready to be measured: arrays, and functions that compute
// in each way.
type Case struct {
	Name     string
	Text     string
	Type     string
	N        int
	tol      float64
	run      [impls]func(context.Context) error // nil: there is no such way
	arrays   []*engine.Array                    // all of them
	written  []*engine.Array
	stmts    []expr.Statement
	program  *engine.Program
	naive    *naive     // nil on a device
	host     *reference // of a case on a device; nil on the host
	compile  time.Duration
	elements int
}

// NewCase prepares a workload for a type and a size.
func NewCase(ctx context.Context, o engine.Options, w *Workload, t dtype.Type, n int) (*Case, error) {
	d := w.dims(n)
	var specs []Spec
	ranges := map[string]Variable{}
	for _, v := range w.Arrays {
		specs = append(specs, Spec{v.Name, t, d.shape(v.Axes)})
		ranges[v.Name] = v
	}
	env := map[string]*tree.Node{}
	for name, x := range w.Scalars {
		env[name] = tree.ConstFloat(dtype.F64, x)
	}
	c := &Case{Name: w.Name, Text: w.Text, Type: t.Short(), N: n, tol: w.tolerance(t), elements: d.elements()}
	arrays, err := c.allocate(specs, ranges, env)
	if err != nil {
		return nil, err
	}
	if t == dtype.F64 {
		c.run[Loop] = goLoop(w.loops.f64, w, d, arrays)
	} else {
		c.run[Loop] = goLoop(w.loops.f32, w, d, arrays)
	}
	return c, c.build(ctx, o, env)
}

// NewFormula prepares a formula of the user; there is no Go loop for it. Values
// are uniform in 0.5..1.5, of integers in 1..9.
func NewFormula(ctx context.Context, o engine.Options, text string, specs []Spec, env map[string]*tree.Node) (*Case, error) {
	c := &Case{Name: "Formula", Text: text}
	for _, s := range specs {
		if size := s.Shape.Size(); size > c.N || c.Type == "" {
			c.N, c.Type = size, s.Type.Short()
		}
	}
	c.elements = c.N
	c.Type = cmp.Or(c.Type, "none")
	if _, err := c.allocate(specs, nil, env); err != nil {
		return nil, err
	}
	return c, c.build(ctx, o, env)
}

// Program returns the fused program.
func (c *Case) Program() *engine.Program { return c.program }

func goLoop[T real](f func(vars[T]) func(), w *Workload, d dims, arrays map[string]*engine.Array) func(context.Context) error {
	v := vars[T]{arrays: map[string][]T{}, scalars: w.Scalars, dims: d}
	for name, a := range arrays {
		v.arrays[name] = dtype.Slice[T](a.Memory().Bytes())
	}
	loop := f(v)
	return func(context.Context) error {
		loop()
		return nil
	}
}

// allocate makes the arrays, with values that depend on their names only.
func (c *Case) allocate(specs []Spec, ranges map[string]Variable, env map[string]*tree.Node) (map[string]*engine.Array, error) {
	if err := machine.Room(lists.Sum(specs, Spec.size)); err != nil {
		return nil, err
	}
	arrays := map[string]*engine.Array{}
	for _, s := range specs {
		a, err := engine.NewArray(s.Type, s.Shape...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		r, ok := ranges[s.Name]
		if !ok {
			r = Variable{s.Name, "", .5, 1.5}
			if s.Type.IsInt() {
				r.Lo, r.Hi = 1, 9
			}
		}
		fill(a, r)
		a = a.Named(s.Name)
		arrays[s.Name] = a
		env[s.Name] = a.Node()
		c.arrays = append(c.arrays, a)
	}
	return arrays, nil
}

// period is the number of distinct values: making random ones takes longer than
// most of the workloads. It is prime, so that rows differ.
const period = 65_521

func fill(a *engine.Array, v Variable) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(v.Name))
	rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
	b := a.Memory().Bytes()
	n := min(period*a.DType().Size(), len(b))
	head := b[:n]
	part := a.DType().Part() // a complex element is two
	for i := range n / part.Size() {
		x := v.Lo + (v.Hi-v.Lo)*rnd.Float64()
		if part == dtype.Bool {
			x = float64(int(x*1000) & 1)
		}
		element.PutFloat(part, head, i, x)
	}
	for at := n; at < len(b); at += n {
		copy(b[at:], head)
	}
}

// build makes the trees and compiles them, fused and naive.
func (c *Case) build(ctx context.Context, o engine.Options, env map[string]*tree.Node) error {
	src, err := formula.Parse(c.Text)
	if err != nil {
		return err
	}
	want := src.Assigned()
	if c.run[Loop] != nil { // all outputs are arrays
		want = nil
	}
	unit, err := src.BuildFor(env, want)
	if err != nil {
		return err
	}
	stmts := unit.Statements
	for _, name := range unit.Names(want) {
		v := unit.Values[name]
		if v.Leaf != nil && !IsCopy(name, v, env) {
			continue
		}
		if err := machine.Room(v.Shape().Size() * v.DType().Size()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		a, err := engine.NewArray(v.DType(), v.Shape()...)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.arrays = append(c.arrays, a)
		stmts = append(stmts, expr.Statement{Target: a.Named(name).Node(), Value: v})
	}
	c.stmts = stmts
	c.findWritten(stmts)
	start := time.Now()
	if c.program, err = engine.CompileWith(ctx, o, stmts...); err != nil {
		return err
	}
	c.compile = time.Since(start)
	if c.naive, err = newNaive(ctx, o, stmts); err != nil {
		return fmt.Errorf("one operator at a time: %w", err)
	}
	c.run[Fused], c.run[Naive], c.run[Alloc] = c.program.Run, c.naive.run, c.naive.runAllocating
	return nil
}

// IsCopy reports whether the value of a name is an array that another name stands
// for. Other arrays are what statements change in place.
func IsCopy(name string, v *tree.Node, env map[string]*tree.Node) bool {
	return v != env[name] && slices.Contains(slices.Collect(maps.Values(env)), v)
}

// findWritten finds the arrays that are changed.
func (c *Case) findWritten(stmts []expr.Statement) {
	changed := map[tree.Memory]bool{}
	for _, s := range stmts {
		addMemories(changed, s.Target)
	}
	c.written = lists.Where(c.arrays, func(a *engine.Array) bool { return changed[a.Memory()] })
}

// addMemories adds the memories of the arrays of a tree to all.
func addMemories(all map[tree.Memory]bool, root *tree.Node) {
	tree.Walk(root, func(n *tree.Node) {
		if n.Leaf != nil {
			all[n.Leaf.Mem] = true
		}
	})
}

// fusedTemps counts the temporaries of the fused program.
func (c *Case) fusedTemps() int {
	seen := map[int]bool{}
	for _, s := range c.program.Plan().Stages {
		for _, a := range s.Writes {
			if a.Mem == nil {
				seen[a.Temp] = true
			}
		}
	}
	return len(seen)
}

// moved is the number of bytes that the fused program has to move.
func (c *Case) moved() int { return lists.Sum(c.program.Plan().Stages, (*plan.Stage).Bytes) }
