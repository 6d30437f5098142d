package sched

import (
	"context"
	"runtime/pprof"
	"time"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Loop is an instance with its workers, the sizes of its chunks, and its
// direction.
type Loop struct {
	inst    backend.Instance
	workers []backend.Worker
	whole   backend.Whole   // the only worker, if it does each run with one call; or nil
	labels  context.Context // for pprof, or nil
	schedule
	traversal
}

// A schedule has the sizes of the chunks of a loop and the cost of a unit.
type schedule struct {
	n     int     // number of units
	grain int     // chunks begin at multiples of grain
	unit  float64 // nanoseconds that a unit takes
	least int     // smallest and largest size of a chunk, in units
	most  int
	_     [64]byte
	runs  int // number of runs; padded, because the caller writes it and helpers do not read it
	_     [64]byte
}

// Plan makes the workers and the schedule of a loop over arrays of the given
// number of bytes, and starts the helpers. Job j runs the loop.
func (l *Loop) Plan(j *Job, inst backend.Instance, bytes int) {
	l.inst = inst
	l.n, l.grain, l.unit = inst.Units()
	l.grain = max(l.grain, 1)
	slots := min(j.threads, 1+int(min(l.work()/machine.Current().Work, 1<<20)), (l.n+l.grain-1)/l.grain)
	if w, ok := inst.(backend.Wide); ok && w.Wide() {
		l.grain *= (l.n + slots*l.grain - 1) / max(slots*l.grain, 1)
	}
	l.workers = lists.Make(max(1, slots), func(int) backend.Worker { return inst.NewWorker() })
	l.chunks()
	if !l.alone() {
		j.divide()
	}
	l.traversal = newTraversal(l.n, l.grain, bytes, len(l.workers), j.pool.Caches())
	if l.alone() && l.work() <= aloneChunk && (!l.large || l.far == 0) && l.labels == nil {
		l.whole, _ = l.workers[0].(backend.Whole)
	}
	j.pool.start(len(l.workers) - 1)
}

// Label gives the goroutines that run the loop the label "kernel" with a name, for
// pprof. The caller calls it before Plan.
func (l *Loop) Label(name string) {
	l.labels = pprof.WithLabels(context.Background(), pprof.Labels("kernel", name))
}

// Workers returns the number of workers.
func (l *Loop) Workers() int { return len(l.workers) }

// Whole returns the only worker, if it does each run with one call, or nil.
func (l *Loop) Whole() backend.Whole { return l.whole }

// Run runs all units of the loop. It returns the least fault, or ir.NoFault. If
// ctx is done, Run ends early and returns the error of ctx.
func (l *Loop) Run(ctx context.Context, j *Job) (ir.FaultKind, error) {
	if l.whole != nil && ctx.Done() == nil {
		l.alternate(&j.lastDown)
		return l.whole.RunAll(false), nil
	}
	return l.run(ctx, j)
}

func (l *Loop) run(ctx context.Context, j *Job) (ir.FaultKind, error) {
	watched := ctx.Done() != nil
	if watched {
		if err := ctx.Err(); err != nil {
			return ir.NoFault, err
		}
		l.inst.Watch(ctx)
	}
	if l.labels != nil {
		pprof.SetGoroutineLabels(l.labels)
		defer pprof.SetGoroutineLabels(ctx)
	}
	l.inst.Begin()
	down := l.alternate(&j.lastDown)
	alone := l.alone()
	if measure := !alone && l.toMeasure(); alone || !measure && l.work() < shares[0] {
		l.blocks(l.workers[0], 0, l.n, 0, l.n, down)
	} else {
		j.do(ctx, l, down, measure)
	}
	if watched {
		l.inst.Watch(context.Background())
		if err := ctx.Err(); err != nil {
			return ir.NoFault, err
		}
	}
	return l.inst.Finish(l.workers[0]), nil
}

// alone reports whether the only worker runs all units as one chunk.
func (l *Loop) alone() bool { return len(l.workers) == 1 && l.n <= l.most }

// chunks sets the sizes of chunks from the time of a unit. The chunks of a loop
// with one worker are longer, because no helper can come late.
func (l *Loop) chunks() {
	most := mostChunk
	if len(l.workers) == 1 {
		most = aloneChunk
	}
	l.least = max(int(min(leastChunk/l.unit, 1<<30)), 1)
	l.most = max(int(min(most/l.unit, 1<<30)), 1)
}

// work returns the time that the loop takes on one core, in nanoseconds.
func (l *schedule) work() float64 { return float64(l.n) * l.unit }

// toMeasure counts a run and reports whether to time it: the first four, and then
// every 64th.
func (l *schedule) toMeasure() bool {
	l.runs++
	return l.runs <= 4 || l.runs%64 == 0
}

// measured corrects the time of a unit: one worker took the time took for the
// given number of units. No helper may be at work. One measurement changes the
// time of a unit by at most a factor of two, which bounds the error that an
// interrupted run causes.
func (l *Loop) measured(took time.Duration, units int) {
	if took <= 0 { // the clock of a testing/synctest bubble stands still
		return
	}
	t := float64(took) / float64(units)
	l.unit = min(max(t, l.unit/2), l.unit*2)
	l.chunks()
}
