package host

import (
	"context"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A chainStep runs a chain. It is the [backend.Instance] of its loop, whose units
// are blocks of rows.
type chainStep struct {
	loopStep
	program  *Program
	codes    []backend.Code // by part; nil for a product
	problems []gemm.Problem // by part
	workers  []*chainWorker
	unused   *chainWorker // made before the loop asks for workers
	failed   error        // the first error of a new worker
}

func (p *Program) newChain(s *plan.Stage) (step, error) {
	c := &chainStep{loopStep: loopStep{s: s}, program: p, codes: make([]backend.Code, len(s.Parts)), problems: make([]gemm.Problem, len(s.Parts))}
	c.inst = c
	for i, part := range s.Parts {
		if part.Kind == plan.Product {
			var err error
			if c.problems[i], err = problemOf(part); err != nil {
				return nil, err
			}
		}
	}
	if p.Profile {
		c.profile()
	}
	if c.unused, c.failed = c.newWorker(); c.failed == nil {
		c.loop.Plan(p.job, c, 0)
	}
	return c, c.failed
}

// Units returns the number of blocks, and the time of one.
func (c *chainStep) Units() (n, grain int, cost float64) {
	return c.s.Blocks.Count(), 1, max(1, lists.Sum(c.unused.parts, part.cost))
}

// NewWorker returns a worker. If it fails, it sets c.failed.
func (c *chainStep) NewWorker() backend.Worker {
	w := c.unused
	if c.unused = nil; w == nil {
		var err error
		if w, err = c.newWorker(); err != nil {
			c.failed = err
			return &chainWorker{chain: c}
		}
	}
	c.workers = append(c.workers, w)
	return w
}

func (c *chainStep) newWorker() (*chainWorker, error) {
	w := &chainWorker{chain: c}
	var err error
	if w.own, err = hostmem.Allocate(c.s.OwnBytes); err != nil {
		return nil, outOfMemory(err)
	}
	for i, s := range c.s.Parts {
		var p part
		if s.Kind == plan.Product {
			p = w.product(i, s)
		} else if p, err = w.loop(i, s); err != nil {
			return nil, err
		}
		w.parts = append(w.parts, p)
	}
	return w, nil
}

// each calls f for all parts of all workers.
func (c *chainStep) each(f func(part)) {
	for _, w := range c.workers {
		for _, p := range w.parts {
			f(p)
		}
	}
}

// Watch lets the runs that follow end early when ctx is done.
func (c *chainStep) Watch(ctx context.Context) {
	for _, w := range c.workers {
		w.ctx = ctx
	}
	c.each(func(p part) { p.watch(ctx) })
}

// Begin begins a run.
func (c *chainStep) Begin() { c.each(part.load) }

// Finish returns no fault: parts raise none.
func (c *chainStep) Finish(backend.Worker) ir.FaultKind { return ir.NoFault }

func (c *chainStep) bind(p *Program) { c.each(func(x part) { x.bind(p) }) }

func (c *chainStep) forget() { c.each(part.forget) }

// memory returns the number of bytes that the workers keep.
func (c *chainStep) memory() int {
	return lists.Sum(c.workers, func(w *chainWorker) int { return len(w.own) + lists.Sum(w.parts, part.memory) })
}

// A chainWorker runs the parts of a chain. It has a block of each temporary
// between them.
type chainWorker struct {
	chain *chainStep
	own   []byte
	parts []part
	ctx   context.Context
}

// Run runs the blocks lo to hi.
func (w *chainWorker) Run(lo, hi int) {
	for u := lo; u < hi; u++ {
		for _, p := range w.parts {
			if w.ctx != nil && w.ctx.Err() != nil {
				return
			}
			p.run(u)
		}
	}
}

// place returns the place of an array: in the memory of the worker, or elsewhere.
func (w *chainWorker) place(a *plan.Array) place {
	if o := w.chain.s.OwnOf(a); o != nil {
		return place{own: w.own[o.Offset:]}
	}
	return w.chain.program.place(a)
}

// A part is a part of a chain, for one worker.
type part interface {
	bind(p *Program)
	forget()
	load()
	watch(ctx context.Context)
	cost() float64
	memory() int
	run(block int)
}

// rowsOf returns the first row of a block, and the number of its rows.
func rowsOf(r *plan.RowBlocks, block int) (first, n int) {
	per := r.PerAxis()
	at := block % per * r.Size
	return (block/per*r.Extent + at) * r.Inner, min(r.Size, r.Extent-at) * r.Inner
}

// A loopPart is a loop of a chain.
type loopPart struct {
	bodies []loopBody // for whole blocks and, if the last block of an axis has fewer rows, for this one
	blocks *plan.RowBlocks
}

// A loopBody is a loop of blocks with the same number of rows.
type loopBody struct {
	*loopStep
	worker backend.Worker
	units  int // of a block
}

func (w *chainWorker) loop(i int, s *plan.Stage) (part, error) {
	c := w.chain
	l := &loopPart{blocks: &c.s.Blocks}
	count := l.blocks.Outer * (l.blocks.Extent / l.blocks.Size)
	for _, x := range []*plan.Stage{s, c.s.LastBlock(i)} {
		if x == nil {
			continue
		}
		step, err := c.program.boundLoop(x, c.codes[i], w.place)
		if err != nil {
			return nil, err
		}
		c.codes[i] = step.code
		if c.program.Profile {
			step.profile()
		}
		n, _, _ := step.inst.Units()
		l.bodies = append(l.bodies, loopBody{step, step.inst.NewWorker(), n / count})
		count = l.blocks.Outer
	}
	return l, nil
}

func (l *loopPart) each(f func(*loopStep)) {
	for _, b := range l.bodies {
		f(b.loopStep)
	}
}

func (l *loopPart) bind(p *Program) { l.each(func(x *loopStep) { x.bind(p) }) }

func (l *loopPart) forget() { l.each((*loopStep).forget) }

func (l *loopPart) load() { l.each((*loopStep).load) }

func (l *loopPart) watch(ctx context.Context) { l.each(func(x *loopStep) { x.inst.Watch(ctx) }) }

func (l *loopPart) cost() float64 {
	_, _, cost := l.bodies[0].inst.Units()
	return cost * float64(l.bodies[0].units)
}

func (l *loopPart) memory() (n int) {
	l.each(func(x *loopStep) { n += rowBytes(x.s) })
	return n
}

// run runs the units of a block. They follow each other.
func (l *loopPart) run(block int) {
	whole := l.blocks.Extent / l.blocks.Size
	outer, at := block/l.blocks.PerAxis(), block%l.blocks.PerAxis()
	b := &l.bodies[0]
	if at += outer * whole; block%l.blocks.PerAxis() == whole {
		b, at = &l.bodies[1], outer
	}
	b.inst.Begin()
	b.worker.Run(at*b.units, (at+1)*b.units)
	b.inst.Finish(b.worker)
}

// A productPart is a product of a chain. A block is a product of its own.
type productPart struct {
	loopStep
	problem *gemm.Problem
	blocks  *plan.RowBlocks
	sizes   [3]int // bytes of an element of the operands and of the result
	bodies  map[int]*productBody
	first   [3]unsafe.Pointer // of the operands and the result
	own     [3]bool
}

// A productBody is a product of blocks with the same number of rows.
type productBody struct {
	inst   *gemm.Product
	worker backend.Worker
	units  int
	kept   int            // bytes of the right operand that inst keeps
	last   unsafe.Pointer // the right operand of the block before in this run, or nil
}

func (w *chainWorker) product(i int, s *plan.Stage) part {
	c := w.chain
	d := &productPart{loopStep: newProductLoop(s, &c.problems[i], w.place), problem: &c.problems[i], blocks: &c.s.Blocks, bodies: map[int]*productBody{}}
	for k, a := range []*plan.Array{s.A, s.B, s.Out} {
		d.own[k], d.sizes[k] = c.s.OwnOf(a) != nil, a.Type.Size()
	}
	p := *d.problem
	p.OffA, p.OffB, p.OffC = []int{0}, []int{0}, []int{0}
	if d.problem.OffC == nil {
		p.C = gemm.Matrix{Row: p.N, Col: 1}
	}
	r := d.blocks
	heights := []int{r.Rows(), (r.Extent - (r.PerAxis()-1)*r.Size) * r.Inner}
	if d.matrices() {
		heights = []int{p.M}
	}
	for _, p.M = range heights {
		if d.bodies[p.M] == nil {
			b := &productBody{inst: gemm.New(c.program.Backend.Name(), p, &d.binding, 1)}
			b.units, _, _ = b.inst.Units()
			b.worker = b.inst.NewWorker()
			if !d.own[1] && !d.matrices() && !slices.ContainsFunc(c.s.Writes, s.B.Overlaps) {
				b.kept = b.inst.KeepB()
			}
			d.bodies[p.M] = b
		}
	}
	return d
}

// matrices reports whether each block is a matrix of the product.
func (d *productPart) matrices() bool {
	return len(d.problem.OffA) == d.blocks.Outer*d.blocks.Extent*d.blocks.Inner
}

func (d *productPart) bind(p *Program) {
	for _, at := range d.places {
		d.first[at.buf] = at.in(p)
	}
}

// load also forgets what the bodies keep: arrays may have changed since the last run.
func (d *productPart) load() {
	d.loopStep.load()
	for _, b := range d.bodies {
		b.last = nil
	}
}

func (d *productPart) forget() {
	d.first = [3]unsafe.Pointer{}
	for _, b := range d.bodies {
		b.last = nil // it would keep the arrays of the caller alive
	}
	d.loopStep.forget()
}

func (d *productPart) watch(ctx context.Context) {
	for _, b := range d.bodies {
		b.inst.Watch(ctx)
	}
}

func (d *productPart) cost() float64 {
	b := d.bodies[d.blocks.Rows()]
	if d.matrices() {
		b = d.bodies[d.problem.M]
	}
	n, _, cost := b.inst.Units()
	return float64(n) * cost
}

// memory returns the number of bytes of what the bodies keep.
func (d *productPart) memory() (n int) {
	for _, b := range d.bodies {
		n += b.kept
	}
	return n
}

// run computes the rows of a block.
func (d *productPart) run(block int) {
	p := d.problem
	row, n := rowsOf(d.blocks, block)
	i, row := row/p.M, row%p.M
	if d.matrices() {
		i, row, n = block, 0, p.M
	}
	offC, rowC := i*p.M*p.N, p.N
	if p.OffC != nil {
		offC, rowC = p.OffC[i], p.C.Row
	}
	for k, off := range [3]int{p.OffA[i] + row*p.A.Row, p.OffB[i], offC + row*rowC} {
		at := d.first[k]
		if at != nil && !d.own[k] && (k == 2 || p.K > 0) {
			at = unsafe.Add(at, off*d.sizes[k])
		}
		d.binding.Bufs[k].Ptr = at
	}
	b, right := d.bodies[n], d.binding.Bufs[1].Ptr
	b.inst.Begin()
	b.inst.Again(right != nil && right == b.last)
	b.worker.Run(0, b.units)
	b.last = right
	b.inst.Finish(b.worker)
}
