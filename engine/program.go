package engine

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/owned"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// A Program is a compiled list of statements. Each run reads the current arrays
// and parameters and allocates nothing. For the zero Program and a nil Program,
// Run returns an error.
type Program struct {
	stmts   []expr.Statement
	options Options
	memory  aliasing

	plan   atomic.Pointer[plan.Plan]    // a run replaces it and host after a call of Memory.Rebind
	host   atomic.Pointer[host.Program] // or nil
	device *deviceRun                   // or nil
	mu     owned.Lock                   // locked during a run
}

// Compile plans and compiles statements. The result is the same as if each
// statement ran after the one before it. Statements share a loop where that gives
// the same bits.
func Compile(ctx context.Context, stmts ...expr.Statement) (*Program, error) {
	return CompileWith(ctx, Options{}, stmts...)
}

// CompileWith is Compile with options.
func CompileWith(ctx context.Context, o Options, stmts ...expr.Statement) (*Program, error) {
	if err := checkContext(ctx, "engine.Compile"); err != nil {
		return nil, err
	}
	return compileStatements(ctx, o, slices.Clone(stmts))
}

func compileStatements(ctx context.Context, o Options, stmts []expr.Statement) (*Program, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	p := &Program{stmts: stmts, options: o}
	seen := process.rebinds.Load()
	pl, err := planned(ctx, stmts, planOptions(o, stmts))
	if err != nil {
		return nil, err
	}
	mems, err := memoriesOf(pl)
	if err != nil {
		return nil, err
	}
	if len(mems) > 0 && mems[0].dev != nil {
		p.device, pl, err = newDeviceRun(ctx, pl, mems)
		p.plan.Store(pl)
		return p, err
	}
	resolved, be, err := o.resolve()
	if err != nil {
		return nil, err
	}
	h, err := hostProgram(ctx, resolved, be, pl)
	if err != nil {
		return nil, err
	}
	p.host.Store(h)
	p.plan.Store(pl)
	p.memory = newAliasing(mems, seen)
	return p, nil
}

// resolve returns o with the defaults in place of zero values, and the back end.
func (o Options) resolve() (Options, backend.Backend, error) {
	if err := o.settle(); err != nil {
		return o, nil, err
	}
	be, err := host.Named(o.Backend)
	if err != nil {
		return o, nil, err
	}
	o.Backend = be.Name()
	o.Profile = o.Profile || process.debug()["perf"]
	if n := sched.Shared.Processors(); o.Threads <= 0 || o.Threads > n {
		o.Threads = n
	}
	return o, be, nil
}

// planOptions returns what the stages of a plan may do. On the CPU a stage costs
// little. The built-in products combine sums with their results, and run in chains. On
// another device its package says it.
func planOptions(o Options, stmts []expr.Statement) []plan.Option {
	for _, s := range stmts {
		if s.Target == nil || s.Target.Leaf == nil || s.Target.Leaf.Mem == nil {
			return nil // an error of the compilation
		}
		if m, ok := s.Target.Leaf.Mem.(*Memory); ok && m.Device() != (cpu{}).Name() {
			return deviceOptions(o, m.dev)
		}
	}
	if o.Products != "" && o.Products != ProductsByEngine {
		return []plan.Option{plan.SplitLoops}
	}
	options := []plan.Option{plan.CombineProducts, plan.SplitLoops}
	switch o.Chains {
	case ChainsNever:
		return options
	case ChainsAlways:
		return append(options, plan.ChainAlways)
	}
	return append(options, plan.ChainProducts)
}

// deviceOptions returns what the stages of a plan for a device may do.
func deviceOptions(o Options, d driver.Device) []plan.Option {
	if o.Products == ProductsByEngine {
		return []plan.Option{plan.ProductsInOrder}
	}
	if p, ok := d.(driver.Planner); ok {
		return p.PlanOptions()
	}
	return nil
}

// planned returns the plan of statements. It prints what ONELOOP_DEBUG lists.
func planned(ctx context.Context, stmts []expr.Statement, options []plan.Option) (*plan.Plan, error) {
	pl, err := plan.Compile(ctx, stmts, options...)
	if err != nil {
		return nil, err
	}
	if on := process.debug(); len(on) > 0 {
		if err := debug(ctx, os.Stderr, on, stmts, pl, options); err != nil {
			return nil, err
		}
	}
	return pl, nil
}

// hostProgram compiles a plan for the host.
func hostProgram(ctx context.Context, o Options, be backend.Backend, pl *plan.Plan) (*host.Program, error) {
	return hostProgramOn(ctx, o, be, pl, func(m tree.Memory) []byte { return m.(*Memory).data })
}

// hostProgramOn is hostProgram with a function that returns the bytes of a memory.
func hostProgramOn(ctx context.Context, o Options, be backend.Backend, pl *plan.Plan, bytes func(tree.Memory) []byte) (*host.Program, error) {
	_, blas, err := host.Products(o.Products)
	if err != nil {
		return nil, err
	}
	h, err := host.NewProgram(ctx, host.Options{
		Backend: be, Pool: sched.Shared, Threads: o.Threads, Profile: o.Profile, BLAS: blas, Bytes: bytes,
	}, pl)
	if err == nil && process.debug()["asm"] {
		err = h.WriteCode(os.Stderr)
	}
	return h, err
}

// Run carries out the statements. Runs of one program follow each other. If ctx
// is cancelled, the run ends early and the targets may be partly written.
//
// A Go function of the program (op.GoFunc) must not run the program, nor another
// program whose Go function is running. Run returns [expr.ErrUnsupported] then.
func (p *Program) Run(ctx context.Context) error {
	if p == nil || ctx == nil {
		return p.misused(ctx)
	}
	if h := p.host.Load(); h == nil || !h.Loops() || ctx.Done() != nil && p.host.Load().Ends(ctx) { // loaded again, so that the stack keeps no h
		return p.runAny(ctx)
	}
	// What follows runs no Go code that can panic: a deferred call would take a tenth of the time.
	owner := p.mu.Enter()
	if owner == nil && !p.mu.TryLock() {
		return p.runAny(ctx)
	}
	h := p.host.Load()
	if process.rebinds.Load() != p.memory.seen || !h.Ready() { // another run may have replaced h
		p.mu.Leave(owner)
		return p.runAny(ctx)
	}
	if c := h.Again(); c != nil {
		for ; c != nil; c = c.Next {
			exec.Put(c.Words)
			c.Call()
		}
		p.mu.Leave(owner)
		runtime.KeepAlive(p) // the calls have the addresses of its arrays as integers
		return nil
	}
	err := h.RunShort()
	p.mu.Leave(owner)
	if err != nil {
		err = p.located(ctx, err)
	}
	return err
}

// runAny is Run for any program.
func (p *Program) runAny(ctx context.Context) error {
	if err := p.usable(); err != nil {
		return err
	}
	if err := p.lock(ctx); err != nil {
		return err
	}
	err := p.runLocked(ctx)
	if err != nil {
		err = p.located(ctx, err)
	}
	return err
}

// located returns the error of a run with the places of its faults.
func (p *Program) located(ctx context.Context, err error) error {
	return located(err, func(n *tree.Node) *tree.Node { return n }, evaluator(ctx))
}

// runLocked runs and unlocks p, which the caller has locked.
func (p *Program) runLocked(ctx context.Context) error {
	defer p.mu.Unlock()
	return p.run(ctx)
}

// lock locks p, and updates it if a memory was bound to other data. If it returns an
// error, p is not locked.
func (p *Program) lock(ctx context.Context) error {
	if !p.mu.TryLock() {
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
	if n := process.rebinds.Load(); n != p.memory.seen && p.device == nil {
		if err := p.rebound(ctx, n); err != nil {
			p.mu.Unlock()
			return err
		}
	}
	return nil
}

// wait waits for the current run of p and locks p. It returns an error, and does
// not lock p, if ctx is done or the run would wait for itself.
func (p *Program) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	calls := func(s *plan.Stage) bool { return s.Kind == plan.Call }
	if h := p.host.Load(); h != nil && h.Reentered() || p.device != nil && slices.ContainsFunc(p.Plan().Stages, calls) && host.InFunction() {
		return errReentered()
	}
	p.mu.Lock()
	return nil
}

func errReentered() error {
	return tree.NewError(tree.ErrUnsupported, "", "a Go function that a program calls uses a program that is running")
}

// run is Run for a program that the caller has locked, or that has no other
// reference.
func (p *Program) run(ctx context.Context) error {
	if p.device != nil {
		return p.device.run(ctx, p.plan.Load())
	}
	return p.host.Load().Run(ctx)
}

// rebound updates p after a call of [Memory.Rebind], which need not concern a
// memory of p. It compiles the statements again if the memories of p overlap
// differently now.
func (p *Program) rebound(ctx context.Context, seen uint64) error {
	if p.memory.changed() {
		q, err := compileStatements(ctx, p.options, p.stmts)
		if err != nil {
			return err
		}
		p.plan.Store(q.plan.Load())
		p.memory = q.memory
		q.host.Load().Observe = p.host.Load().Observe
		p.host.Store(q.host.Load())
	}
	p.memory.seen = seen
	p.host.Load().Rebind()
	return nil
}

// misused returns the error of a run without a program or a context. It is a function of its own to keep Run short: each value that Run
// keeps on the stack waits for the stores of the loop before.
func (p *Program) misused(ctx context.Context) error {
	return cmp.Or(p.usable(), checkContext(ctx, "Program.Run"))
}

// usable returns an error for a nil or zero program.
func (p *Program) usable() error {
	if p == nil || p.plan.Load() == nil {
		return tree.NewError(tree.ErrValue, "", "the program is nil or the zero Program; Compile makes programs")
	}
	return nil
}

// Plan returns the plan that the program runs, or nil for a nil or zero program.
// The caller must not change the plan.
func (p *Program) Plan() *plan.Plan {
	if p == nil {
		return nil
	}
	return p.plan.Load()
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
	return p.host.Load().Backend.Name()
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
	return p.plan.Load().Explain()
}

// String returns the text of [Program.Explain].
func (p *Program) String() string { return p.Explain() }

// Interpreted returns the kernels that the interpreter runs because the program's
// machine-code back end cannot compile them, with the reasons. It returns none if
// the back end is the interpreter.
func (p *Program) Interpreted() []string {
	if p.usable() != nil || p.device != nil {
		return nil
	}
	return p.host.Load().Interpreted()
}

// RunAsync queues a run on a stream. It returns an event that is done when the run
// has ended and has the error of the run. On a stream of the program's device, the
// host does not wait, and later uses of the memory wait for the run. If s is nil,
// the run has ended when RunAsync returns.
func (p *Program) RunAsync(s driver.Stream) driver.Event {
	if err := p.usable(); s == nil || err != nil {
		return ended(p.Run(context.Background()))
	}
	if p.device != nil {
		return p.device.queue(s)
	}
	if h, ok := s.(*hostStream); ok { // one call, because the stream may be closed between Go and Record
		return h.do(p.Run)
	}
	s.Go(p.Run)
	return s.Record()
}

// ended returns an event that is done and has the error of a run.
func ended(err error) driver.Event {
	e := &hostEvent{done: make(chan struct{})}
	if err != nil {
		e.failed = &failure{err}
	}
	close(e.done)
	return e
}

// evaluator returns a function that returns the value of a tree as a new array on
// the device of its leaves.
func evaluator(ctx context.Context) func(*tree.Node) (*Array, error) {
	return func(n *tree.Node) (*Array, error) {
		return evaluateBy(ctx, n, func(p *Program) error { return p.run(ctx) })
	}
}

// evaluateBy returns the value of a tree, which run computes with a program of it.
func evaluateBy(ctx context.Context, n *tree.Node, run func(*Program) error) (*Array, error) {
	a, err := newValue(n)
	if err != nil {
		return nil, err
	}
	p, err := Compile(ctx, expr.Statement{Target: a.Node(), Value: n})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return a, run(p)
}
