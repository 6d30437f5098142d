package host

import (
	"context"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/plan/ir"
)

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
// runs. It cannot be stopped, because the part after it needs all of it.
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
