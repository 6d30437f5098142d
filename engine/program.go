package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
)

// Options say how the engine compiles and runs programs. The zero value is the
// default.
type Options struct {
	Backend string // one of Backends; "" is DefaultBackend
	Threads int    // largest number of threads; 0: one for each CPU; a negative number is an error
	// Products says what computes matrix products on the CPU. If it is empty, the
	// engine does, with the same bits everywhere. If it is [ProductsByBLAS], the
	// implementation registered with gonum's blas32 and blas64 computes products
	// of float32 and float64. Then the bits, NaN and infinity included, are those
	// of that library.
	Products string
	// Profile names the program's kernels for profilers. For perf, it lists the
	// machine code in /tmp/perf-PID.map. For pprof, it gives the goroutines that
	// run a kernel the label "kernel". perf finds only code made after the first
	// program with this option. ONELOOP_DEBUG=perf sets the option for all
	// programs.
	Profile bool
}

// A Program is a compiled list of statements. Each run reads the current arrays
// and parameters and allocates nothing. For the zero Program and a nil Program,
// Run returns an error.
type Program struct {
	stmts   []expr.Statement
	options Options
	memory  aliasing

	plan     *plan.Plan
	device   *deviceRun // nil: the program runs on the host and uses the fields below
	backend  backend.Backend
	arena    []byte
	steps    []step
	bound    bool // the steps have the current addresses of arrays
	threads  int
	profile  bool
	products string // as in Options
	mu       sync.Mutex
	calls    atomic.Int32 // number of Go functions of the user that run now
	job      *sched.Job
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

// Compile plans and compiles statements. The result is the same as if each
// statement ran after the one before it. Statements share a loop where that gives
// the same bits.
func Compile(ctx context.Context, stmts ...expr.Statement) (*Program, error) {
	return CompileWith(ctx, Options{}, stmts...)
}

// CompileWith is Compile with options.
func CompileWith(ctx context.Context, o Options, stmts ...expr.Statement) (*Program, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	return compileStatements(ctx, o, slices.Clone(stmts))
}

// checkContext returns an error for a nil context and for one that is done.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return expr.NewError(expr.ErrValue, "", "the context is nil")
	}
	return ctx.Err()
}

func compileStatements(ctx context.Context, o Options, stmts []expr.Statement) (*Program, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	seen := process.rebinds.Load()
	pl, err := planned(ctx, stmts)
	if err != nil {
		return nil, err
	}
	mems, err := deviceMemories(pl)
	if err != nil {
		return nil, err
	}
	if mems != nil {
		return compileOnDevice(ctx, o, pl, mems)
	}
	resolved, be, err := o.resolve()
	if err != nil {
		return nil, err
	}
	p, err := compile(ctx, resolved, be, pl)
	if err != nil {
		return nil, err
	}
	p.stmts, p.options, p.memory = stmts, o, newAliasing(pl, seen)
	return p, nil
}

// check returns an error for options that no program can use.
func (o Options) check() error {
	if o.Threads < 0 {
		return expr.NewError(expr.ErrValue, "", "Options.Threads is %d; 0 means one thread for each CPU", o.Threads)
	}
	return nil
}

// resolve returns o with the defaults in place of zero values, and the back end.
func (o Options) resolve() (Options, backend.Backend, error) {
	if err := o.check(); err != nil {
		return o, nil, err
	}
	be, err := host.Named(o.Backend)
	if err == nil {
		err = checkProducts(o.Products)
	}
	if err != nil {
		return o, nil, err
	}
	o.Backend = be.Name()
	o.Profile = o.Profile || process.debug()["perf"]
	if n := process.pool.Processors(); o.Threads <= 0 || o.Threads > n {
		o.Threads = n
	}
	return o, be, nil
}

// planned returns the plan of statements. It prints what ONELOOP_DEBUG lists.
func planned(ctx context.Context, stmts []expr.Statement) (*plan.Plan, error) {
	pl, err := plan.Compile(ctx, stmts)
	if err != nil {
		return nil, err
	}
	if on := process.debug(); len(on) > 0 {
		if err := debug(ctx, os.Stderr, on, stmts, pl); err != nil {
			return nil, err
		}
	}
	return pl, nil
}

func compile(ctx context.Context, o Options, be backend.Backend, pl *plan.Plan) (*Program, error) {
	p := &Program{plan: pl, backend: be, threads: o.Threads, job: process.pool.NewJob(o.Threads), profile: o.Profile, products: o.Products}
	if p.profile {
		exec.ForPerf()
	}
	if err := p.allocate(); err != nil {
		return nil, err
	}
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
	if process.debug()["asm"] {
		if err := debugCode(os.Stderr, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Run carries out the statements. Runs of one program follow each other. If ctx
// is cancelled, the run ends early and the targets may be partly written.
//
// A Go function of the program (op.GoFunc) must not run the program, nor another
// program whose Go function is running. Run returns [expr.ErrUnsupported] then.
func (p *Program) Run(ctx context.Context) error {
	if p == nil || p.plan == nil || ctx == nil {
		return cmp.Or(p.usable(), checkContext(ctx))
	}
	if !p.mu.TryLock() {
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
	defer p.mu.Unlock()
	if n := process.rebinds.Load(); n != p.memory.seen && p.device == nil {
		if err := p.rebound(ctx, n); err != nil {
			return err
		}
	}
	err := p.run(ctx)
	if err != nil {
		err = located(ctx, err, func(n *expr.Node) *expr.Node { return n })
	}
	return err
}

// usable returns an error for a nil or zero program.
func (p *Program) usable() error {
	if p == nil || p.plan == nil {
		return expr.NewError(expr.ErrValue, "", "the program is nil or the zero Program; Compile makes programs")
	}
	return nil
}

// run is Run for a program that the caller has locked, or that has no other
// reference.
func (p *Program) run(ctx context.Context) error {
	if p.device != nil {
		return p.deviceFault(p.device.run(ctx))
	}
	if !p.bound {
		if err := p.bind(); err != nil {
			return err
		}
	}
	for i, s := range p.steps {
		p.declare(i)
		if err := s.run(ctx, p); err != nil {
			return err
		}
	}
	if len(p.steps) == 0 {
		return ctx.Err()
	}
	return nil
}

// allocate allocates the temporaries, unless they are allocated.
func (p *Program) allocate() (err error) {
	if p.arena == nil && p.plan.Arena != 0 {
		p.arena, err = allocate(p.plan.Arena)
	}
	return err
}

// bind gives the steps the addresses of all arrays.
func (p *Program) bind() error {
	if err := p.allocate(); err != nil {
		return err
	}
	for _, s := range p.steps {
		s.bind(p)
	}
	p.bound = true
	return nil
}

// forget drops the addresses of arrays. It also drops the temporaries if they have
// more than keep bytes; the next run allocates them.
func (p *Program) forget(keep int) {
	p.bound = false
	for _, s := range p.steps {
		s.forget()
	}
	if len(p.arena) > keep {
		p.arena = nil
	}
}

// Plan returns the plan that the program runs, or nil for a nil or zero program.
// The caller must not change the plan.
func (p *Program) Plan() *plan.Plan {
	if p == nil {
		return nil
	}
	return p.plan
}

// Backend returns the name of the back end that compiled the program, or of the
// device that runs it. It returns "" for a nil or zero program.
func (p *Program) Backend() string {
	if p.usable() != nil {
		return ""
	}
	if p.device != nil {
		return p.device.name
	}
	return p.backend.Name()
}

// Close waits for the runs of a program on a device and releases its resources
// there. Without Close, they are released some time after the last use of the
// program. A program of the host has nothing to release. The caller must not run
// a closed program.
func (p *Program) Close() error {
	if p == nil || p.device == nil {
		return nil
	}
	return p.device.close()
}

// Explain returns text that lists the stages, with the reason for each and the
// bytes that it moves. It returns "" for a nil or zero program.
func (p *Program) Explain() string {
	if p.usable() != nil {
		return ""
	}
	return p.plan.Explain()
}

// String returns the text of [Program.Explain].
func (p *Program) String() string { return p.Explain() }

// Interpreted returns the kernels that the interpreter runs because the program's
// machine-code back end cannot compile them, with the reasons. It returns none if
// the back end is the interpreter.
func (p *Program) Interpreted() []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, s := range p.steps {
		l, ok := s.(*loopStep)
		if !ok {
			continue
		}
		if f, ok := l.code.(backend.Fallback); ok && f.Fallback() != "" {
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
		return newCall(s)
	}
	return p.newLoop(s)
}

// A place is the position of the first element of an array.
type place struct {
	mem    *Memory // nil: the temporaries of the program
	offset int     // bytes
}

func (p *Program) place(a *plan.Array) place {
	at := place{offset: a.Offset * a.Type.Size()}
	if a.Mem != nil {
		at.mem = a.Mem.(*Memory)
	} else {
		at.offset += p.plan.Temps[a.Temp].Offset
	}
	return at
}

// in returns the current address, or nil if the memory has no bytes.
func (at place) in(p *Program) unsafe.Pointer {
	b := p.arena
	if at.mem != nil {
		b = at.mem.data
	}
	if len(b) == 0 {
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
