package host

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// Options say how a program runs.
type Options struct {
	Backend backend.Backend
	Pool    *sched.Pool
	Threads int                      // largest number of threads
	Profile bool                     // name the kernels for perf and pprof
	BLAS    driver.BLAS              // computes products of float32 and float64; or nil: package gemm does
	Bytes   func(tree.Memory) []byte // returns the current bytes of a memory of the plan
}

// A Program runs a plan on the host. A run allocates nothing.
type Program struct {
	Plan *plan.Plan
	Options
	functions atomic.Int32 // number of Go functions of the user that run now

	// Observe, if not nil, is called after each stage of a run, with the time at
	// which the stage began and with its error. Its panic is an error of the run.
	Observe func(stage int, began time.Time, err error)

	job   *sched.Job
	arena []byte
	steps []step
	one   [1]step   // memory of the steps of a program of one
	bound bool      // the steps have the current addresses of arrays
	first *loopStep // if all steps are loops, and one call each runs them; or nil

	calls *exec.Bound // of all loops, one after the other, if no loop reads a parameter or raises a fault; or nil
	again *exec.Bound // calls, if they do the next run; or nil
}

// A step runs one stage.
type step interface {
	// bind sets the addresses of arrays. run uses them until the next bind.
	bind(p *Program)
	// run runs the stage. It returns the error of ctx if ctx is done.
	run(ctx context.Context, p *Program) error
	// forget drops the addresses of arrays.
	forget()
}

// NewProgram compiles the stages of a plan.
func NewProgram(ctx context.Context, o Options, pl *plan.Plan) (*Program, error) {
	p := &Program{Plan: pl, Options: o, job: o.Pool.NewJob(o.Threads)}
	if o.Profile {
		exec.ForPerf()
	}
	if err := p.allocate(); err != nil {
		return nil, err
	}
	p.steps = p.one[:0]
	for _, s := range pl.Stages {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("the compilation has been cancelled: %w", err)
		}
		st, err := p.step(s)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, st)
	}
	for i := len(p.steps) - 1; i >= 0; i-- {
		l, ok := p.steps[i].(*loopStep)
		if !ok || l.loop.Whole() == nil {
			p.first = nil
			break
		}
		l.next, p.first = p.first, l
	}
	p.calls = p.link()
	return p, nil
}

// link returns the calls of all loops as one list, or nil if a run has more to do.
func (p *Program) link() (first *exec.Bound) {
	end := &first
	for l := p.first; l != nil; l = l.next {
		if declares || l.calls == nil || len(l.cells) > 0 || l.s.Raises() {
			return nil
		}
		if p.first.next == nil {
			return l.calls
		}
		for c := l.calls; c != nil; c = c.Next {
			copied := *c
			copied.Next = nil
			*end, end = &copied, &copied.Next
		}
	}
	return first
}

func (p *Program) step(s *plan.Stage) (step, error) {
	switch s.Kind {
	case plan.Product:
		return p.newProduct(s)
	case plan.Call:
		return newCall(s, p)
	case plan.Chain:
		if s.Tiles != nil {
			return p.newTiles(s)
		}
		return p.newChain(s)
	}
	return p.newLoop(s)
}

// Run runs the plan. Runs of one program must follow each other. The error is the
// error of ctx if ctx is done, and a [Fault] if the data contain an operand for
// which an operator is not defined.
func (p *Program) Run(ctx context.Context) error {
	if !p.bound {
		if err := p.bind(); err != nil {
			return err
		}
	}
	if p.Ready() {
		return p.runLoops(ctx)
	}
	p.again = nil
	p.job.Begin()
	defer p.job.End()
	for i, s := range p.steps {
		p.declare(p.Plan.Stages[i])
		var began time.Time
		if p.Observe != nil {
			began = time.Now()
		}
		err := s.run(ctx, p)
		if p.Observe != nil {
			err = cmp.Or(err, p.observed(i, began, err))
		}
		if err != nil {
			return err
		}
	}
	if len(p.steps) == 0 {
		return ctx.Err()
	}
	return nil
}

// observed calls the observer. Run does not, because its err would be allocated for the function.
func (p *Program) observed(stage int, began time.Time, err error) error {
	return p.call(nil, func() error {
		p.Observe(stage, began, err)
		return nil
	})
}

// Loops reports whether all steps are loops, and one call each runs them.
func (p *Program) Loops() bool { return p.first != nil }

// Ends reports whether a context that can be done may end a run: it is done, or the run is more than one loop in one call.
func (p *Program) Ends(ctx context.Context) bool {
	return p.first == nil || p.first.next != nil || ctx.Err() != nil
}

// Ready reports whether the run is RunShort, if no context ends it.
func (p *Program) Ready() bool { return p.first != nil && p.bound && p.Observe == nil }

// Again returns the calls that repeat the last run, or nil if RunShort has more to do. It is for a program that is ready. The
// caller sets the words of each call by [exec.Put] and makes it: a function in between would store to the stack, and those stores
// would wait for the stores of the loop before. The caller keeps the program alive until the last call returns.
func (p *Program) Again() *exec.Bound { return p.again }

// RunShort is Run for a program that is ready, if no context can end it. A loop whose binding has not changed is
// the calls of its last run: each Go function between would store to the stack, after the stores of the loop before.
func (p *Program) RunShort() error {
	again := p.calls
	for l := p.first; l != nil; l = l.next {
		p.declare(l.s)
		k := ir.NoFault
		if l.load(); !l.same || !l.again {
			k = l.runAll()
		} else {
			for c := l.calls; c != nil; c = c.Next {
				exec.Put(c.Words)
				c.Call()
			}
			if *l.faults != 0 {
				k = l.loop.Whole().Faults()
			}
		}
		if k != ir.NoFault {
			return faultOf(k, l.s)
		}
		if !l.again {
			again = nil
		}
	}
	p.again = again
	return nil
}

// runLoops is Run for a program that is ready. A context that is done ends it before the next loop, each of which is
// one chunk.
func (p *Program) runLoops(ctx context.Context) error {
	if ctx.Done() == nil || !p.Ends(ctx) {
		return p.RunShort()
	}
	for l := p.first; l != nil; l = l.next {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.declare(l.s)
		l.load()
		if k := l.runAll(); k != ir.NoFault {
			return faultOf(k, l.s)
		}
	}
	return nil
}

// allocate allocates the temporaries, unless they are allocated.
func (p *Program) allocate() (err error) {
	if p.arena == nil && p.Plan.Arena != 0 {
		if p.arena, err = hostmem.Allocate(p.Plan.Arena); err != nil {
			err = outOfMemory(err)
		}
	}
	return err
}

func outOfMemory(err error) error { return tree.NewError(tree.ErrOutOfMemory, "", "%s", err) }

// bind gives the steps the addresses of all arrays.
func (p *Program) bind() error {
	if err := p.allocate(); err != nil {
		return err
	}
	for _, s := range p.steps {
		s.bind(p)
	}
	p.bound, p.again = true, nil
	return nil
}

// Rebind makes the next run read the addresses of the memories again.
func (p *Program) Rebind() { p.bound = false }

// keepArena is the largest size of temporaries, in bytes, that an idle program
// keeps. Each run allocates larger ones.
const keepArena = 1 << 19

// Forget drops the addresses of arrays, and large temporaries.
func (p *Program) Forget() {
	p.bound = false
	for _, s := range p.steps {
		s.forget()
	}
	if len(p.arena) > keepArena {
		p.arena = nil
	}
}

// Footprint returns the memory that p keeps after Forget, in bytes: its
// temporaries and the row buffers of its workers.
func (p *Program) Footprint() (n int) {
	if p.Plan.Arena <= keepArena {
		n = p.Plan.Arena
	}
	for _, s := range p.steps {
		if l, ok := s.(interface{ memory() int }); ok {
			n += l.memory()
		}
	}
	return n
}

// Interpreted returns the kernels that the interpreter runs because the back end
// cannot compile them, with the reasons.
func (p *Program) Interpreted() (out []string) {
	for l := range p.loops() {
		if f, ok := l.code.(backend.Fallback); ok && f.Fallback() != "" {
			out = append(out, fmt.Sprintf("%s: %s", l.s.Kernel.Name, f.Fallback()))
		}
	}
	return out
}

// loops yields the loops, those that are parts of chains included, and the number
// of the stage of each.
func (p *Program) loops() iter.Seq2[*loopStep, int] {
	return func(yield func(*loopStep, int) bool) {
		for i, s := range p.steps {
			switch s := s.(type) {
			case *loopStep:
				if s.code != nil && !yield(s, i) { // a product has no code
					return
				}
			case *tilesStep:
				for _, l := range s.all {
					if !yield(l, i) {
						return
					}
				}
			case *chainStep:
				for _, x := range s.workers[0].parts {
					if l, ok := x.(*loopPart); ok && !yield(l.bodies[0].loopStep, i) {
						return
					}
				}
			}
		}
	}
}

// WriteCode writes the machine code of the loops.
func (p *Program) WriteCode(w io.Writer) error {
	for l, i := range p.loops() {
		k, err := list(p.Backend, i, l.s, l.code, l.inst)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "oneloop: stage %d: %s", i, k)
	}
	return nil
}

// A place is the position of the first element of an array.
type place struct {
	mem    tree.Memory // nil: the temporaries of the program
	offset int         // bytes
	own    []byte      // not nil: memory of a worker, which begins with the element
	empty  bool        // there is no element: the offset can be outside of the memory
}

func (p *Program) place(a *plan.Array) place {
	at := place{mem: a.Mem, offset: a.Offset * a.Type.Size(), empty: a.Shape.Size() == 0}
	if a.Mem == nil {
		at.offset += p.Plan.Temps[a.Temp].Offset
	}
	return at
}

// in returns the current address, or nil if there is no element. The collector must not
// see the address of other memory.
func (at place) in(p *Program) unsafe.Pointer {
	if at.own != nil {
		return unsafe.Pointer(unsafe.SliceData(at.own))
	}
	b := p.arena
	if at.mem != nil {
		b = p.Bytes(at.mem)
	}
	if len(b) == 0 || at.empty {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), at.offset)
}

// address returns the current address of the first element of an array.
func (p *Program) address(a *plan.Array) unsafe.Pointer { return p.place(a).in(p) }

// bytes returns the elements of a contiguous array, which share its memory.
func (p *Program) bytes(a *plan.Array) []byte {
	n := a.Shape.Size() * a.Type.Size()
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p.address(a)), n)
}
