package net

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Net runs operators on the blobs of a workspace. Runs of one net follow each
// other.
type Net struct {
	Observable
	def      *NetDef
	ws       *Workspace
	ops      []*Operator
	children [][]int // of each operator: those that must run after it
	parents  []int   // their number for each operator
	workers  int     // 0: in order
	event    Event
	mu       sync.Mutex
	failed   atomic.Int64 // position of the operator that failed last, or -1
}

// build returns the operators of a definition for a workspace, which may be nil.
func build(w *Workspace, d *NetDef) ([]*Operator, error) {
	if d == nil {
		return nil, tree.NewError(tree.ErrType, "", "the definition of the net is nil")
	}
	ops := make([]*Operator, len(d.Op))
	for i := range d.Op {
		o, err := newOperator(w, d, i)
		if err != nil {
			return nil, err
		}
		ops[i] = o
	}
	return ops, nil
}

func newNet(w *Workspace, d *NetDef) (*Net, error) {
	ops, err := build(w, d)
	if err != nil {
		return nil, err
	}
	n := &Net{def: d, ws: w, ops: ops}
	n.failed.Store(-1)
	switch d.Type {
	case "", "simple":
	case "dag", "async_dag", "async_scheduling":
		n.workers = int(*zero.IfNil(d.NumWorkers))
		if n.workers <= 0 {
			n.workers = runtime.GOMAXPROCS(0)
		}
		n.workers = min(n.workers, len(d.Op))
	default:
		return nil, tree.NewError(tree.ErrUnsupported, "", "net %q: there is no net type %q", d.Name, d.Type)
	}
	written := map[string]bool{}
	for _, o := range n.ops {
		o.owner = n
		for _, name := range slices.Concat(o.def.Input, o.def.ControlInput) {
			if !written[name] && !slices.Contains(d.ExternalInput, name) && w.Blob(name) == nil {
				return nil, o.fail(blobError(name, tree.NewError(tree.ErrValue, "", "the blob is no external input, does not exist, and no operator before writes it")))
			}
		}
		for _, name := range o.def.Output {
			written[name] = true
		}
	}
	for _, name := range d.ExternalOutput {
		if !written[name] && !slices.Contains(d.ExternalInput, name) {
			return nil, tree.NewError(tree.ErrValue, "", "net %q: no operator writes the external output %q", d.Name, name)
		}
	}
	n.order()
	return n, nil
}

// order finds the operators that must run after others: a reader after the writer
// before it, and a writer after the writer and the readers before it.
func (n *Net) order() {
	n.children, n.parents = make([][]int, len(n.ops)), make([]int, len(n.ops))
	writer, readers := map[string]int{}, map[string][]int{}
	for i, o := range n.ops {
		after := func(j int) {
			if j != i && !slices.Contains(n.children[j], i) {
				n.children[j] = append(n.children[j], i)
				n.parents[i]++
			}
		}
		for _, name := range slices.Concat(o.def.Input, o.def.ControlInput) {
			if j, ok := writer[name]; ok {
				after(j)
			}
			readers[name] = append(readers[name], i)
		}
		for _, name := range o.def.Output {
			if j, ok := writer[name]; ok {
				after(j)
			}
			for _, j := range readers[name] {
				after(j)
			}
			writer[name], readers[name] = i, nil
		}
	}
}

// Def returns the definition. The caller must not change it.
func (n *Net) Def() *NetDef { return zero.IfNil(n).def }

// Operators returns the operators in their order.
func (n *Net) Operators() []*Operator { return zero.IfNil(n).ops }

// Event returns the event of the last run.
func (n *Net) Event() *Event { return &zero.IfNil(n).event }

// LastFailed returns the position of the operator that failed in the last run, or
// -1: Caffe2's RecordLastFailedOpNetPosition.
func (n *Net) LastFailed() int { return int(zero.IfNil(n).failed.Load()) }

// Run runs the operators. If one fails, those that have not begun do not run, and
// their events fail with its error. Run returns that error, an [Error].
func (n *Net) Run(ctx context.Context) error {
	n = zero.IfNil(n)
	if ctx == nil {
		return errNilContext()
	}
	n.mu.Lock()
	if err := n.start(); err != nil {
		n.mu.Unlock()
		return err
	}
	return n.run(ctx)
}

// RunAsync begins a run on a goroutine of its own and returns the event of the net.
// If a run is scheduled that has not ended, RunAsync begins none, and returns an
// event that has failed.
func (n *Net) RunAsync(ctx context.Context) *Event {
	n = zero.IfNil(n)
	if ctx == nil {
		return failedEvent(errNilContext())
	}
	if n.event.Query() == Scheduled {
		return failedEvent(tree.NewError(tree.ErrValue, "", "net %q has not ended its last run", n.def.Name))
	}
	n.mu.Lock() // the last run finishes its event and then unlocks
	if err := n.start(); err != nil {
		n.mu.Unlock()
		return failedEvent(err)
	}
	go n.run(ctx) // the event has the error
	return &n.event
}

// start schedules the events of the net and of its operators, or none of them.
func (n *Net) start() error {
	if n.def == nil {
		return tree.NewError(tree.ErrType, "", "the net is not one of a workspace")
	}
	if err := n.event.Reset(); err != nil {
		return err
	}
	for i, o := range n.ops {
		if err := o.start(); err != nil {
			for _, started := range n.ops[:i] {
				started.event.SetFinished(err)
			}
			return err
		}
	}
	return n.event.Record()
}

// run carries out a scheduled run and unlocks n, before the calls of the event: they
// may run the net again.
func (n *Net) run(ctx context.Context) error {
	r := n.begin(n, nil, 0)
	n.failed.Store(-1)
	var at int
	var err error
	if n.workers > 1 {
		at, err = n.parallel(ctx)
	} else {
		at, err = n.inOrder(ctx)
	}
	if err != nil {
		n.failed.Store(int64(at))
	}
	r.end(err)
	calls, _ := n.event.finish(err)
	n.mu.Unlock()
	for _, f := range calls {
		f(err)
	}
	return err
}

// inOrder runs one operator after the other. It returns the first error and the
// position of its operator.
func (n *Net) inOrder(ctx context.Context) (at int, err error) {
	for i, o := range n.ops {
		if err != nil {
			o.event.SetFinished(err)
			continue
		}
		if err = o.run(ctx, 0); err != nil {
			at = i
		}
	}
	return at, err
}

// A schedule is one run of a net by several workers.
type schedule struct {
	n     *Net
	ready chan int       // operators whose parents have ended; closed after the last one
	left  atomic.Int64   // operators that have not ended
	wait  []atomic.Int32 // parents that have not ended, for each operator

	mu  sync.Mutex
	at  int // position of err
	err error
}

// parallel runs operators on workers as soon as those before them have ended. It
// returns the error of the operator that stands first among those that failed.
func (n *Net) parallel(ctx context.Context) (int, error) {
	s := &schedule{n: n, ready: make(chan int, len(n.ops)), wait: make([]atomic.Int32, len(n.ops))}
	s.left.Store(int64(len(n.ops)))
	for i, p := range n.parents {
		s.wait[i].Store(int32(p))
		if p == 0 {
			s.ready <- i
		}
	}
	var workers sync.WaitGroup
	for w := range n.workers {
		workers.Go(func() {
			for i := range s.ready {
				s.run(ctx, i, w)
			}
		})
	}
	workers.Wait()
	return s.at, s.err
}

// run runs operator i, unless one has failed, and makes those ready that waited for
// it.
func (s *schedule) run(ctx context.Context, i, worker int) {
	o := s.n.ops[i]
	s.mu.Lock()
	failed := s.err
	s.mu.Unlock()
	if failed != nil {
		o.event.SetFinished(failed)
	} else if err := o.run(ctx, worker); err != nil {
		s.mu.Lock()
		if s.err == nil || i < s.at {
			s.at, s.err = i, err
		}
		s.mu.Unlock()
	}
	for _, c := range s.n.children[i] {
		if s.wait[c].Add(-1) == 0 {
			s.ready <- c
		}
	}
	if s.left.Add(-1) == 0 {
		close(s.ready)
	}
}
