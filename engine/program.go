package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// Options choose how programs are compiled and run. The zero value is the
// default.
type Options struct {
	Backend string // "" or "interp"
	Threads int    // at most so many; 0: one for each CPU
}

// A Program is a compiled list of statements. It can be run again and again:
// each run reads the arrays and parameters as they are then, and allocates
// nothing.
type Program struct {
	plan    *plan.Plan
	backend backend.Backend
	arena   []byte
	steps   []step
	threads int
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
	be, err := backendNamed(o.Backend)
	if err != nil {
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
	if err := onHost(pl); err != nil {
		return nil, err
	}
	p := &Program{plan: pl, backend: be, threads: o.Threads}
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
	return p, nil
}

// onHost refuses memory of devices, whose packages compile their programs.
func onHost(pl *plan.Plan) error {
	for _, s := range pl.Stages {
		for _, arrays := range [][]*plan.Array{s.Reads, s.Writes} {
			for _, a := range arrays {
				if a.Mem == nil {
					continue
				}
				if m, ok := a.Mem.(*Memory); !ok || m.dev != nil {
					return expr.NewError(expr.ErrDevice, "", "no program can be compiled for device %s", a.Mem.Device())
				}
			}
		}
	}
	return nil
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

// Backend is the name of the backend that compiled the program.
func (p *Program) Backend() string { return p.backend.Name() }

// Explain says why the program has the stages it has, and what they move.
func (p *Program) Explain() string { return p.plan.Explain() }

// Interpreted lists the kernels that the program's backend should run as machine
// code and leaves to the interpreter, with the reasons. It is empty for the
// interpreter itself.
func (p *Program) Interpreted() []string {
	var out []string
	for _, s := range p.steps {
		l, ok := s.(*loopStep)
		if !ok {
			continue
		}
		if f, ok := l.code.(jit.Fallback); ok && f.Fallback() != "" {
			out = append(out, fmt.Sprintf("%s: %s", l.s.Kernel.Name, f.Fallback()))
		}
	}
	return out
}

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
	s    *plan.Stage
	code backend.Code
	bind ir.Binding
	*refresher
	inst    backend.Instance
	workers []backend.Worker
	n       int // units
	chunk   int
}

func (p *Program) newLoop(s *plan.Stage) (step, error) {
	code, err := p.backend.Compile(s.Kernel)
	if err != nil {
		return nil, expr.NewError(expr.ErrUnsupported, "", "backend %s: %s", p.backend.Name(), err)
	}
	l := &loopStep{s: s, code: code, bind: ir.Binding{Extents: s.Extents, Params: s.Params, Scalars: make([]uint64, len(s.Scalars)), Bufs: make([]ir.BufBind, len(s.Bufs))}}
	for i, o := range s.Bufs {
		l.bind.Bufs[i] = ir.BufBind{Strides: o.Strides, Extents: o.Extents}
	}
	l.refresh(p)
	if l.inst, err = code.Bind(&l.bind); err != nil {
		return nil, expr.NewError(expr.ErrUnsupported, "", "backend %s: %s", p.backend.Name(), err)
	}
	l.schedule(p.threads)
	return l, nil
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
	chunk := chunkCost / cost
	if threads > 1 {
		chunk = min(chunk, float64(n)/float64(4*threads))
	}
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
	l.refresh(p)
	l.inst.Begin()
	if len(l.workers) == 1 {
		for lo := 0; lo < l.n && ctx.Err() == nil; lo += l.chunk {
			l.workers[0].Run(lo, min(lo+l.chunk, l.n))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
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
