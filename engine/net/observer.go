package net

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneloop/oneloop/engine/inspect/timeline"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Observer sees runs of the operators and nets to which it is attached. Start and
// Stop are called on the goroutine of the run. Operators of a net of type "dag" run
// at the same time, so an observer that is attached to several must be safe for
// concurrent use. A panic of an observer does not stop the run; see
// [Observable.ObserverErr].
type Observer interface {
	Start(r *Run)
	Stop(r *Run, err error)
}

// A Run is one run of an operator, or of a net if Operator is nil.
type Run struct {
	Net      *Net
	Operator *Operator
	Worker   int       // of the net, from 0
	Began    time.Time // before Start
	list     []Observer
	of       *Observable
}

// Name returns the name of the operator or net.
func (r *Run) Name() string {
	r = zero.IfNil(r)
	if o := r.Operator; o != nil {
		return cmp.Or(zero.IfNil(o.def).Name, o.Type())
	}
	return zero.IfNil(zero.IfNil(r.Net).def).Name
}

// An Observable has observers. Without any, a run costs one more load of an
// address. It is safe for concurrent use.
type Observable struct {
	list atomic.Pointer[[]Observer]
	mu   sync.Mutex
	err  error
}

// Attach adds an observer, which is comparable, for runs that begin later. Nil does
// nothing.
func (o *Observable) Attach(x Observer) {
	if o == nil || x == nil {
		return
	}
	o.change(func(l []Observer) []Observer { return append(l, x) })
}

// Detach removes an observer for runs that begin later. It reports whether the
// observer was attached.
func (o *Observable) Detach(x Observer) (found bool) {
	o = zero.IfNil(o)
	o.change(func(l []Observer) []Observer {
		i := slices.Index(l, x)
		if found = i >= 0; found {
			l = slices.Delete(l, i, i+1)
		}
		return l
	})
	return found
}

// change replaces the list, which runs may read, by a changed copy.
func (o *Observable) change(f func([]Observer) []Observer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []Observer
	if p := o.list.Load(); p != nil {
		list = slices.Clone(*p)
	}
	if list = f(list); len(list) == 0 {
		o.list.Store(nil)
		return
	}
	o.list.Store(&list)
}

// Observers returns the number of observers.
func (o *Observable) Observers() int {
	o = zero.IfNil(o)
	if p := o.list.Load(); p != nil {
		return len(*p)
	}
	return 0
}

// ObserverErr returns the last panic of an observer as an error, or nil.
func (o *Observable) ObserverErr() error {
	o = zero.IfNil(o)
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// begin tells the observers that a run begins. It returns nil if there are none.
func (o *Observable) begin(n *Net, op *Operator, worker int) *Run {
	p := o.list.Load()
	if p == nil {
		return nil
	}
	r := &Run{Net: n, Operator: op, Worker: worker, Began: time.Now(), list: *p, of: o}
	for _, x := range r.list {
		o.guard(func() { x.Start(r) })
	}
	return r
}

// end tells the observers of begin that the run has ended, the last one first.
func (r *Run) end(err error) {
	if r == nil {
		return
	}
	for _, x := range slices.Backward(r.list) {
		r.of.guard(func() { x.Stop(r, err) })
	}
}

// guard calls f and keeps a panic as an error.
func (o *Observable) guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			o.mu.Lock()
			o.err = tree.NewError(tree.ErrValue, "", "an observer panicked: %v", p)
			o.mu.Unlock()
		}
	}()
	f()
}

// AttachAll attaches an observer to a net and to all its operators.
func (n *Net) AttachAll(x Observer) {
	n = zero.IfNil(n)
	n.Attach(x)
	for _, o := range n.ops {
		o.Attach(x)
	}
}

// DetachAll detaches an observer from a net and from all its operators.
func (n *Net) DetachAll(x Observer) {
	n = zero.IfNil(n)
	n.Detach(x)
	for _, o := range n.ops {
		o.Detach(x)
	}
}

// A Timing observer counts runs and adds up their times, by name.
type Timing struct {
	mu  sync.Mutex
	all map[string]Times
}

// Times are the runs of one operator or net.
type Times struct {
	Name       string
	Runs       int
	Failed     int // of Runs
	Total, Max time.Duration
}

// Start does nothing.
func (t *Timing) Start(*Run) {}

// Stop adds the time of a run.
func (t *Timing) Stop(r *Run, err error) {
	t, r = zero.IfNil(t), zero.IfNil(r)
	d := time.Since(r.Began)
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.all[r.Name()]
	x.Name, x.Runs, x.Total, x.Max = r.Name(), x.Runs+1, x.Total+d, max(x.Max, d)
	if err != nil {
		x.Failed++
	}
	zero.Put(&t.all, r.Name(), x)
}

// Times returns the times, the longest in all first.
func (t *Timing) Times() []Times {
	t = zero.IfNil(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.SortedFunc(maps.Values(t.all), func(a, b Times) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
}

// A Trace observer records runs for ui.perfetto.dev and chrome://tracing.
type Trace struct{ line timeline.Timeline }

// Start does nothing.
func (t *Trace) Start(*Run) {}

// Stop records a run.
func (t *Trace) Stop(r *Run, err error) {
	r = zero.IfNil(r)
	s := timeline.Span{Name: r.Name(), Category: "net", Lane: r.Worker + 1, Began: r.Began, Took: time.Since(r.Began), Args: map[string]string{}}
	if o := r.Operator; o != nil {
		s.Category, s.Args["type"] = "operator", o.Type()
	}
	if err != nil {
		s.Args["error"] = err.Error()
	}
	zero.IfNil(t).line.Add(s)
}

// WriteTo writes the runs so far as JSON in the trace event format.
func (t *Trace) WriteTo(w io.Writer) (int64, error) { return zero.IfNil(t).line.WriteTo(w) }

// A Log observer writes a record for each run: at level Debug, or Error if the run
// has failed. A nil Logger is [slog.Default].
type Log struct{ Logger *slog.Logger }

// Start does nothing.
func (l *Log) Start(*Run) {}

// Stop writes the record.
func (l *Log) Stop(r *Run, err error) {
	r = zero.IfNil(r)
	level, attrs := slog.LevelDebug, []slog.Attr{slog.String("name", r.Name()), slog.Duration("took", time.Since(r.Began))}
	if r.Operator != nil {
		attrs = append(attrs, slog.String("net", zero.IfNil(zero.IfNil(r.Net).def).Name), slog.String("type", r.Operator.Type()))
	}
	if err != nil {
		level, attrs = slog.LevelError, append(attrs, slog.Any("error", err))
	}
	logger := zero.IfNil(l).Logger
	if logger == nil || logger.Handler() == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(context.Background(), level, "run", attrs...)
}
