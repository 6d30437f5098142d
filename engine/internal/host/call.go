package host

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/scatter"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/engine/internal/sorting"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A callStep runs a Go function. If the function may fail after it stored, and the
// stage stores to an array of the caller, the function writes to scratch, and run
// copies the result. So a failure leaves the array unchanged.
type callStep struct {
	s       *plan.Stage
	fn      func(c *tree.Call) error
	call    tree.Call
	scratch []byte
	job     callJob
}

func newCall(s *plan.Stage, p *Program) (step, error) {
	c := &callStep{s: s, call: NewCall(s)}
	c.job.program = p
	c.call.Threads = max(p.Threads, 1)
	if c.call.Threads > 1 {
		c.call.On = c.job.run
	}
	if sorting.Has(p.Backend.Name()) {
		c.call.NewSort = func() func(*tree.Call, tree.Rows) bool { return sorting.New(p.Backend.Name()).Sort }
	}
	if t, ok := p.Backend.(backend.Transposer); ok {
		c.call.NewTranspose = func(size int) tree.Transpose { return t.NewTranspose(size) }
	}
	c.call.NewCombine = func(op prim.Op, t dtype.Type, width int, same bool) tree.CombineRows {
		return scatter.New(p.Backend.Name(), op, t, width, same)
	}
	var err error
	c.fn, err = NewFunction(s)
	return c, err
}

// NewFunction returns the Go function of a stage. It reserves the memory that the function keeps.
func NewFunction(s *plan.Stage) (fn func(*tree.Call) error, err error) {
	r := s.Node.Op.Routine()
	err = Guard(s.Node.Op, func() error {
		if r.Keeps != nil {
			if err := hostmem.Reserve(r.Keeps(s.Node)); err != nil {
				return tree.NewError(tree.ErrOutOfMemory, s.Node.Op.Constructor(), "%s", err)
			}
		}
		fn = r.New(s.Node)
		return nil
	})
	return fn, err
}

// NewCall returns a call of the Go function of a stage, without addresses.
func NewCall(s *plan.Stage) tree.Call {
	strided := func(a *plan.Array) tree.Strided {
		return tree.Strided{Type: a.Type, Shape: a.Shape, Strides: a.Strides}
	}
	return tree.Call{Out: strided(s.Out), Args: lists.Map(s.Args, strided), Threads: 1}
}

func (c *callStep) bind(*Program) {}

func (c *callStep) run(ctx context.Context, p *Program) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, a := range c.s.Args {
		c.call.Args[i].Ptr = p.address(a)
	}
	if c.s.Work != nil {
		c.call.Work = p.bytes(c.s.Work)
	}
	out := p.bytes(c.s.Out)
	to := out
	if c.s.Out.Mem != nil && len(out) > 0 && !c.s.Node.Op.Routine().Checked {
		if c.scratch == nil {
			var err error
			if c.scratch, err = hostmem.Allocate(len(out)); err != nil {
				return outOfMemory(err)
			}
		}
		to = c.scratch
	}
	c.call.Out.Ptr, c.call.Context = unsafe.Pointer(unsafe.SliceData(to)), ctx
	c.job.next = 0
	err := p.call(c.s.Node.Op, c.invoke)
	c.call.Context = nil
	switch stopped := ctx.Err(); {
	case stopped != nil: // the function may have returned early, or failed for what it left out
		return stopped
	case err != nil:
		return &Fault{Call: err, Node: c.s.Node}
	}
	if c.scratch != nil {
		copy(out, to)
	}
	return nil
}

func (c *callStep) invoke() error { return c.fn(&c.call) }

// call is Guard for a Go function that must not wait for the end of this run.
func (p *Program) call(o *tree.Operator, f func() error) error {
	p.functions.Add(1)
	defer p.functions.Add(-1)
	return Guard(o, f)
}

// Guard calls f, a Go function of the user, and returns its panic as an error of the operator o, which may be nil.
// InFunction looks for this frame on the stack, so Guard must not be inlined.
//
//go:noinline
func Guard(o *tree.Operator, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = tree.NewError(tree.ErrValue, o.Constructor(), "the Go function panicked: %v", r)
		}
	}()
	return f()
}

func (c *callStep) forget() {
	for i := range c.call.Args {
		c.call.Args[i].Ptr = nil
	}
	c.call.Out.Ptr, c.call.Work = nil, nil
	c.scratch = nil
}

// Reentered reports whether the caller would wait for itself if it waited for the end of a run of p: p is calling
// a Go function, and the goroutine is in one, of p or of a program that p may wait for.
func (p *Program) Reentered() bool { return p.functions.Load() > 0 && InFunction() }

// InFunction reports whether the goroutine is in a Go function that a program calls.
func InFunction() bool {
	var pcs [64]uintptr
	for skip := 1; ; {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for {
			f, more := frames.Next()
			if strings.HasSuffix(f.Function, "host.Guard") {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return false
		}
		skip += n
	}
}

// A callJob runs the parallel parts of a Go function. Part number k of a run is the
// same loop in each run, so a run makes none.
type callJob struct {
	program *Program
	loops   []*callLoop
	next    int // number of the next part
}

// leastParallel is the time in nanoseconds below which a part is not worth a
// helper.
const leastParallel = 20e3

// run is tree.Call.On.
func (j *callJob) run(n int, cost float64, f func(worker, lo, hi int)) {
	k := j.next
	j.next++
	if n == 1 || float64(n)*cost < leastParallel {
		f(0, 0, n)
		return
	}
	for len(j.loops) <= k {
		j.loops = append(j.loops, &callLoop{})
	}
	l := j.loops[k]
	l.f = f
	if l.n != n {
		l.n, l.cost, l.workers = n, max(cost, 1), 0
		l.loop.Plan(j.program.job, l, 0)
	}
	_, _ = l.loop.Run(context.Background(), j.program.job)
	l.f = nil
	if p := l.panicked.Swap(nil); p != nil {
		panic(*p)
	}
}

// A callLoop is a parallel part of a Go function as an instance that the scheduler
// runs. The scheduler does not stop it, because the part after it needs all of it. The function itself asks
// [tree.Call.Stopped].
type callLoop struct {
	f        func(worker, lo, hi int)
	n        int
	cost     float64
	workers  int
	loop     sched.Loop
	panicked atomic.Pointer[any]
}

func (l *callLoop) Units() (n, grain int, cost float64) { return l.n, 1, l.cost }
func (l *callLoop) Watch(context.Context)               {}
func (l *callLoop) Begin()                              {}
func (l *callLoop) Finish(backend.Worker) ir.FaultKind  { return ir.NoFault }

func (l *callLoop) NewWorker() backend.Worker {
	l.workers++
	return &callWorker{l, l.workers - 1}
}

type callWorker struct {
	*callLoop
	number int
}

// Run runs units. A panic is passed to the goroutine that runs the program.
func (w *callWorker) Run(lo, hi int) {
	defer func() {
		if r := recover(); r != nil {
			p := r // r itself stays on the stack
			w.panicked.Store(&p)
		}
	}()
	w.f(w.number, lo, hi)
}
