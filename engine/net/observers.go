package net

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/oneloop/oneloop/engine/inspect/timeline"
	"github.com/oneloop/oneloop/internal/zero"
)

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
