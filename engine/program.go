package engine

import (
	"context"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// Options choose how programs are compiled and run. The zero value is the
// default.
type Options struct {
	Backend string // one of Backends; "" is DefaultBackend
	Threads int    // at most so many; 0: one for each CPU
	// Profile names the program's kernels to profilers: the machine code in
	// /tmp/perf-PID.map, for perf, and the goroutines that run it by the label
	// "kernel", for pprof. perf finds code that was made after the first program
	// with this option. ONELOOP_DEBUG=perf does it for all programs.
	Profile bool
}

// A Program is a compiled list of statements. It can be run again and again:
// each run reads the arrays and parameters as they are then, and allocates
// nothing.
type Program struct {
	plan    *plan.Plan
	device  *deviceRun // nil: the program runs on the host, by what follows
	backend backend.Backend
	arena   []byte
	steps   []step
	threads int
	profile bool
	mu      sync.Mutex
	job     job
}

// A step runs one stage.
type step interface {
	run(ctx context.Context, p *Program) error
}

// Compile plans and compiles statements. They mean what they mean one after the
// other; neighbours share a loop where that gives the same bits.
func Compile(ctx context.Context, stmts ...expr.Statement) (*Program, error) {
	return CompileWith(ctx, Options{}, stmts...)
}

// CompileWith is Compile with options.
func CompileWith(ctx context.Context, o Options, stmts ...expr.Statement) (*Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pl, err := plan.Compile(stmts)
	if err != nil {
		return nil, err
	}
	if on := debugging(); len(on) > 0 {
		if err := debug(os.Stderr, on, stmts, pl); err != nil {
			return nil, err
		}
	}
	mems, err := deviceMemories(pl)
	if err != nil {
		return nil, err
	}
	if mems != nil {
		return compileOnDevice(ctx, o, pl, mems)
	}
	be, err := backendNamed(o.Backend)
	if err != nil {
		return nil, err
	}
	on := debugging()
	p := &Program{plan: pl, backend: be, threads: o.Threads, profile: o.Profile || on["perf"]}
	if p.profile {
		exec.ForPerf()
	}
	if p.threads <= 0 {
		p.threads = runtime.GOMAXPROCS(0)
	}
	if err := checkSize(pl.Arena); err != nil {
		return nil, err
	}
	if pl.Arena > 0 {
		p.arena = alignedBytes(pl.Arena)
	}
	for _, s := range pl.Stages {
		st, err := p.step(s)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, st)
	}
	if on["asm"] {
		if err := debugCode(os.Stderr, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Run compiles statements and runs them once.
func Run(ctx context.Context, stmts ...expr.Statement) error {
	p, err := Compile(ctx, stmts...)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// Run carries out the statements. Runs of one program follow each other. If ctx
// is cancelled the run ends early and the targets may be half written.
func (p *Program) Run(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.device != nil {
		return p.device.run(ctx)
	}
	for _, s := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.run(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// Plan is what the program runs; not to be changed.
func (p *Program) Plan() *plan.Plan { return p.plan }

// Backend is the name of the backend that compiled the program, or of the device
// that runs it.
func (p *Program) Backend() string {
	if p.device != nil {
		return p.device.name
	}
	return p.backend.Name()
}

// Close releases what the program has on a device, after its runs; without Close
// that happens some time after the program is no longer used. A program of the
// host has nothing to release. A closed program must not be run.
func (p *Program) Close() error {
	if p.device == nil {
		return nil
	}
	return p.device.close()
}

// Explain says why the program has the stages it has, and what they move.
func (p *Program) Explain() string { return p.plan.Explain() }

func (p *Program) step(s *plan.Stage) (step, error) {
	switch s.Kind {
	case plan.Product:
		return p.newProduct(s)
	case plan.Call:
		return &callStep{s: s, args: make([][]byte, len(s.Args))}, nil
	}
	return p.newLoop(s)
}

// address is where the first element of an array is now.
func (p *Program) address(a *plan.Array) unsafe.Pointer {
	b := p.arena
	off := a.Offset * a.Type.Size()
	if a.Mem != nil {
		b = a.Mem.(*Memory).data
	} else {
		off += p.plan.Temps[a.Temp].Offset
	}
	if len(b) == 0 {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), off)
}

// bytes are the elements of a contiguous array.
func (p *Program) bytes(a *plan.Array) []byte {
	n := a.Shape.Size() * a.Type.Size()
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p.address(a)), n)
}

// A loopStep runs a kernel.
type loopStep struct {
	s       *plan.Stage
	bind    ir.Binding
	code    backend.Code
	inst    backend.Instance
	labels  context.Context // for pprof, or nil
	workers []backend.Worker
	n       int // units
	chunk   int
}

func (p *Program) newLoop(s *plan.Stage) (step, error) {
	l := &loopStep{s: s, bind: newBinding(s)}
	l.refresh(p)
	var err error
	if l.code, l.inst, err = bindStage(p.backend, s, &l.bind); err != nil {
		return nil, err
	}
	if p.profile {
		l.profile()
	}
	l.schedule(p.threads)
	return l, nil
}

// newBinding has the numbers of a stage, without addresses.
func newBinding(s *plan.Stage) ir.Binding {
	b := ir.Binding{Extents: s.Extents, Params: s.Params, Scalars: make([]uint64, len(s.Scalars)), Bufs: make([]ir.BufBind, len(s.Bufs))}
	for i, o := range s.Bufs {
		b.Bufs[i] = ir.BufBind{Strides: o.Strides, Extents: o.Extents}
	}
	return b
}

func bindStage(be backend.Backend, s *plan.Stage, b *ir.Binding) (backend.Code, backend.Instance, error) {
	code, err := be.Compile(s.Kernel)
	if err != nil {
		return nil, nil, expr.NewError(expr.ErrUnsupported, "", "backend %s: %s", be.Name(), err)
	}
	inst, err := code.Bind(b)
	if err != nil {
		return nil, nil, expr.NewError(expr.ErrUnsupported, "", "backend %s: %s", be.Name(), err)
	}
	return code, inst, nil
}

// refresh reads the addresses and scalars as they are now.
func (l *loopStep) refresh(p *Program) {
	for i := range l.s.Bufs {
		if a := l.s.Bufs[i].Array; a != nil {
			l.bind.Bufs[i].Ptr = p.address(a)
		}
	}
	for i := range l.s.Scalars {
		if s := &l.s.Scalars[i]; s.Cell != nil {
			l.bind.Scalars[i] = s.Cell.Load()
		} else {
			l.bind.Scalars[i] = s.Bits
		}
	}
}

// The costs, in primitive element operations, that make chunks long enough to
// be worth a hand-over and short enough for cancellation, and work large enough
// to wake another thread.
const (
	chunkCost  = 1 << 18
	minCost    = 1 << 14
	threadCost = 1 << 18
)

func (l *loopStep) schedule(threads int) {
	n, grain, cost := l.inst.Units()
	l.n = n
	total := float64(n) * cost
	if total < threadCost {
		threads = 1
	}
	chunk := min(float64(n)/float64(4*threads), chunkCost/cost)
	l.chunk = max(int(max(chunk, minCost/cost)), grain)
	if grain > 1 {
		l.chunk = (l.chunk + grain - 1) / grain * grain
	}
	l.workers = make([]backend.Worker, max(1, min(threads, (n+l.chunk-1)/l.chunk)))
	for i := range l.workers {
		l.workers[i] = l.inst.NewWorker()
	}
}

func (l *loopStep) run(ctx context.Context, p *Program) error {
	if l.labels != nil {
		defer l.label(ctx)()
	}
	l.refresh(p)
	l.inst.Begin()
	if len(l.workers) == 1 && l.n <= l.chunk {
		l.workers[0].Run(0, l.n)
	} else if err := p.job.do(ctx, l); err != nil {
		return err
	}
	switch l.inst.Finish(l.workers[0]) {
	case ir.DivideFault:
		return &expr.Error{Kind: expr.ErrDivide, Msg: "integer division by zero"}
	case ir.IndexFault:
		return &expr.Error{Kind: expr.ErrIndex, Msg: "an index is out of range"}
	}
	return nil
}

// A callStep runs a Go function.
type callStep struct {
	s    *plan.Stage
	args [][]byte
}

func (c *callStep) run(ctx context.Context, p *Program) error {
	for i, a := range c.s.Args {
		c.args[i] = p.bytes(a)
	}
	c.s.Func.Call(p.bytes(c.s.Out), c.args, c.s.Out.Shape.Size())
	return ctx.Err()
}
