package sched

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/plan/ir"
)

// An uneven is an instance of two long units. A helper's takes no time. The caller's ends
// a while after the helper's, and notes then whether the helper spins.
type uneven struct {
	pool    *Pool
	workers int
	helped  atomic.Bool
	spins   bool
}

type unevenWorker struct {
	*uneven
	caller bool
}

func (u *uneven) Units() (n, grain int, cost float64)  { return 2, 1, 1e6 }
func (u *uneven) Begin()                               { u.helped.Store(false) }
func (u *uneven) Watch(context.Context)                {}
func (u *uneven) Finish(w backend.Worker) ir.FaultKind { return ir.NoFault }

func (u *uneven) NewWorker() backend.Worker {
	u.workers++
	return unevenWorker{u, u.workers == 1}
}

func (w unevenWorker) Run(lo, hi int) {
	if !w.caller {
		w.helped.Store(true)
		return
	}
	for began := time.Now(); !w.helped.Load(); {
		if time.Since(began) > 20*time.Millisecond { // the helper may not come
			return
		}
	}
	for began := time.Now(); time.Since(began) < 4*spinTime; {
	}
	w.spins = w.pool.helpers()[0].mailbox.Load() == nil
}

// TestHelperAwaitsCaller tests that a helper still spins when its caller ends a unit that
// takes less than mostUnit.
func TestHelperAwaitsCaller(t *testing.T) {
	p := NewPool()
	p.Processors = func() int { return 2 }
	u := &uneven{pool: p}
	j, l := p.NewJob(2), new(Loop)
	l.Plan(j, u, 0)
	for range 200 { // other goroutines may want the processor of the helper
		if _, err := l.Run(context.Background(), j); err != nil {
			t.Fatal(err)
		}
		if u.spins {
			return
		}
	}
	t.Error("the helper parked while its caller was at work")
}
