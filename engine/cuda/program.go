package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A program is a plan on a GPU. Its runs do not overlap, because the engine
// orders runs by the memory that they use.
type program struct {
	d         *device
	plan      *plan.Plan
	biased    map[*plan.Stage]*biased
	steps     []step
	arena     *allocation // holds the temporaries
	extra     *allocation // the fault words, then scratch memory of the loops
	raises    bool        // some stage may raise faults
	words     []byte      // the fault words, on the host
	resources *resources
	ranges    *ranges // for a profiler; nil without one

	mu     sync.Mutex
	closed bool
}

// A step is a stage that can be queued.
type step interface {
	// prepare reads the current addresses and scalars. If the code depends on an
	// address that has changed, prepare chooses the code again. It returns the
	// scratch memory that the stage needs, in bytes.
	prepare() (scratch int, err error)
	// bind sets the addresses of the scratch memory and of the fault words in the
	// arguments.
	bind(scratch, faults cu.DevicePtr)
	// launch queues the stage.
	launch(l *driverStream) error
	// launches returns the number of launches and library calls that launch
	// queues.
	launches() int
	// state appends all that launch depends on.
	state(to []byte) []byte
	// raises reports whether the stage may raise faults.
	raises() bool
	String() string
}

// A stageOf is what all steps have. Its methods are those of a step that is one call, needs
// no scratch memory and raises no faults.
type stageOf struct {
	p    *program
	name string
	s    *plan.Stage
}

func (*stageOf) bind(_, _ cu.DevicePtr) {}

func (*stageOf) launches() int { return 1 }

func (*stageOf) raises() bool { return false }

func (x *stageOf) String() string { return x.name }

// A kernels is what the steps of kernels have: the launches, with the arguments of each.
type kernels struct {
	stageOf
	calls []*cu.Launch
	args  [][]byte
}

// add adds a launch of so many blocks.
func (x *kernels) add(f cu.Function, blocks, threads, shared int, args []byte) {
	x.calls = append(x.calls, cu.NewLaunch(f, cu.Dim3{X: blocks, Y: 1, Z: 1}, cu.Dim3{X: threads, Y: 1, Z: 1}, shared, args))
	x.args = append(x.args, args)
}

func (x *kernels) launch(l *driverStream) error {
	for _, q := range x.calls {
		if err := q.Run(l.stream); err != nil {
			return err
		}
	}
	return nil
}

func (x *kernels) launches() int { return len(x.calls) }

func (x *kernels) state(to []byte) []byte {
	for _, a := range x.args {
		to = append(to, a...)
	}
	return to
}

// resources are what a program releases at its end, except its memory. They hold
// every module that the program ever used, so that no module of its graph is
// unloaded.
type resources struct {
	replay replay
	code   holder
}

// release releases everything. The context is current, and no run is in progress.
func (r *resources) release(d *device) error {
	err := r.replay.forget()
	return cmp.Or(err, d.unload(d.modules.release(&r.code)))
}

// faultRoom is the size of the fault words in the extra memory, in bytes. The
// scratch memory follows; the size is a multiple of 256 so that it is aligned.
const faultRoom = 256

var errClosed = errors.New("the program is closed")

// Compile returns a program that runs loops as kernels, and products as calls of
// cuBLAS or cuBLASLt. Go functions without kernels run on the CPU between two copies.
func (d *device) Compile(ctx context.Context, pl *plan.Plan) (driver.Program, error) {
	p := &program{d: d, words: make([]byte, cudagen.FaultBytes), resources: &resources{}}
	runtime.AddCleanup(p, func(r *resources) { d.deferred.put(func() error { return r.release(d) }) }, p.resources)
	if !pl.ProductsInOrder { // cuBLASLt sums in an order of its own
		pl = pl.WithEpilogues(p.take)
	}
	p.plan = placed(pl)
	var err error
	if p.arena, err = d.reserve(p.plan.Arena); err != nil {
		return nil, err
	}
	for i, s := range p.plan.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		st, err := p.step(i, s)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, st)
		p.raises = p.raises || st.raises()
	}
	p.ranges = p.newRanges()
	if err := p.ready(nil); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *program) step(i int, s *plan.Stage) (step, error) {
	if x := p.biased[s]; x != nil {
		x.name = stageName(i, fmt.Sprintf("product of %v and %v with the bias %v", s.A, s.B, s.Bias))
		return x, nil
	}
	if s.Kind == plan.Product {
		return p.newProduct(i, s)
	}
	if s.Kind == plan.Call {
		if hasKernels(s) {
			r := &routine{kernels: kernels{stageOf: stageOf{p, stageName(i, s.Node.Op.Name()), s}}}
			return r, routines[s.Node.Op](r)
		}
		return p.newHostCall(stageName(i, "Go function "+s.Node.Op.Name()), s)
	}
	return p.newLoop(i, s)
}

// reserve allocates memory of a program.
func (d *device) reserve(size int) (*allocation, error) {
	a, err := d.Alloc(size)
	if err != nil {
		return nil, err
	}
	return a.(*allocation), nil
}

// address returns the current address of the first element of an array.
func (p *program) address(a *plan.Array) cu.DevicePtr {
	offset := a.Offset * a.Type.Size()
	if a.Mem == nil {
		return p.arena.ptr + cu.DevicePtr(offset+p.plan.Temps[a.Temp].Offset)
	}
	return a.Mem.(*engine.Memory).Allocation().(*allocation).ptr + cu.DevicePtr(offset)
}

// ready prepares and binds all steps for a run on l. It allocates scratch memory
// that is large enough for each step.
func (p *program) ready(l *driverStream) error {
	scratch := 0
	for _, s := range p.steps {
		n, err := s.prepare()
		if err != nil {
			return err
		}
		scratch = max(scratch, n)
	}
	if p.extra == nil || p.extra.size < faultRoom+scratch {
		if l != nil { // an earlier run may still use the old memory
			if err := l.wait(); err != nil {
				return err
			}
		}
		extra, err := p.d.reserve(faultRoom + scratch)
		if err != nil {
			return err
		}
		p.extra = extra
	}
	for _, s := range p.steps {
		s.bind(p.extra.ptr+faultRoom, p.extra.ptr)
	}
	return nil
}

// Run runs the plan on an idle stream and waits for its end.
func (p *program) Run(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.d
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	l, err := d.borrow()
	if err != nil {
		return d.fail("making a stream", err)
	}
	err = p.start(ctx, l)
	err = cmp.Or(err, l.wait())
	if err == nil || d.dead.Load() == nil {
		d.giveBack(l)
	}
	runtime.KeepAlive(p)
	return d.fail("running", err)
}

// Queue queues a run of the plan on a stream. The stream returns its error.
func (p *program) Queue(s driver.Stream) {
	on, err := p.d.mine(s)
	if err != nil {
		s.Go(func(context.Context) error { return err })
		return
	}
	on.push("running", p.raises || p.busy(), p, func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.start(context.Background(), on.driverStream)
	})
}

// busy reports whether a run of the program is being queued, or waited for, now.
func (p *program) busy() bool {
	if p.mu.TryLock() {
		p.mu.Unlock()
		return false
	}
	return true
}

// start queues the plan. It waits only for stages that may raise faults.
func (p *program) start(ctx context.Context, l *driverStream) error {
	if p.closed {
		return p.d.fail("running", errClosed)
	}
	if err := p.d.sweep(); err != nil {
		return err
	}
	if err := p.ready(l); err != nil {
		return err
	}
	p.ranges.beginRun()
	defer p.ranges.end()
	l.noteLaunch(p)
	if done, err := p.resources.replay.run(p, l); done || err != nil {
		return err
	}
	if p.raises {
		if err := cu.MemsetD8Async(p.extra.ptr, 0, cudagen.FaultBytes, l.stream); err != nil {
			return err
		}
	}
	for i, s := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.launch(i, l); err != nil {
			return err
		}
		if s.raises() { // after a fault no later stage may run
			if err := p.fault(l); err != nil {
				if r, ok := s.(*routine); ok { // the error of the Go function names the index
					return cmp.Or(r.host.launch(l), err)
				}
				return err
			}
		}
	}
	return nil
}

func (p *program) launch(i int, l *driverStream) error {
	s := p.steps[i]
	p.ranges.beginStep(i)
	err := s.launch(l)
	p.ranges.end()
	if err == nil && p.d.debug.sync {
		err = l.stream.Synchronize()
	}
	if err != nil {
		return p.d.fail("running "+s.String(), err)
	}
	return nil
}

// fault waits for the queued work, reads the fault words and returns the fault,
// nil if there is none.
func (p *program) fault(l *driverStream) error {
	if err := l.wait(); err != nil {
		return err
	}
	if err := cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(p.words)), p.extra.ptr, cudagen.FaultBytes); err != nil {
		return err
	}
	switch cudagen.Raised(p.words) {
	case ir.DivideFault:
		return &tree.Error{Kind: tree.ErrDivide, Msg: "integer division by zero"}
	case ir.IndexFault:
		return &tree.Error{Kind: tree.ErrIndex, Msg: "an index is out of range"}
	}
	return nil
}

// kernels returns the names of the stages, for error messages.
func (p *program) kernels() []string { return lists.Map(p.steps, step.String) }

// Close releases the memory, the graph and the modules of the program. No run may
// be in progress on a stream.
func (p *program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	err := p.d.do("closing a program", func() (err error) {
		for _, x := range p.biased {
			err = cmp.Or(err, x.close())
		}
		return cmp.Or(err, p.resources.release(p.d))
	})
	for _, a := range []*allocation{p.arena, p.extra} {
		err = cmp.Or(err, p.d.Free(a))
	}
	return err
}

// Plan returns the plan that the program runs: the compiled plan, with each bias
// that cuBLASLt adds moved into its product.
func (p *program) Plan() *plan.Plan { return p.plan }

// Sources returns the CUDA C++ of the loops of a program, in order.
func (p *program) Sources() []string {
	var out []string
	for _, s := range p.steps {
		if l, ok := s.(*loop); ok {
			out = append(out, l.module.source.Code)
		}
	}
	return out
}

func stageName(i int, what string) string { return fmt.Sprintf("%s (stage %d)", what, i) }
