package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// A job hands out the chunks of one loop to the caller and to helpers. Helpers
// are goroutines that all programs share; a helper that comes late finds no
// chunk left and goes back, so the caller never waits for one that has not
// begun.
type job struct {
	loop *loopStep
	ctx  context.Context
	next atomic.Int64 // first unit that is not handed out
	seat atomic.Int64 // workers in use
	wg   sync.WaitGroup
}

var helpers struct {
	once sync.Once
	jobs chan *job
}

func startHelpers() {
	n := runtime.NumCPU() - 1
	helpers.jobs = make(chan *job)
	for range n {
		go func() {
			for j := range helpers.jobs {
				j.help()
				j.wg.Done()
			}
		}()
	}
}

// do runs all chunks of a loop.
func (j *job) do(ctx context.Context, l *loopStep) error {
	j.loop, j.ctx = l, ctx
	j.next.Store(0)
	j.seat.Store(0)
	if len(l.workers) > 1 {
		helpers.once.Do(startHelpers)
	invite:
		for range len(l.workers) - 1 {
			j.wg.Add(1)
			select {
			case helpers.jobs <- j:
			default: // none is idle
				j.wg.Done()
				break invite
			}
		}
	}
	j.work(0)
	j.wg.Wait()
	j.loop, j.ctx = nil, nil
	return ctx.Err()
}

// help does the work of a helper.
func (j *job) help() {
	if l := j.loop; l.labels != nil {
		defer l.label(context.Background())()
	}
	j.work(int(j.seat.Add(1)))
}

func (j *job) work(seat int) {
	l := j.loop
	w := l.workers[seat]
	for j.ctx.Err() == nil {
		lo := int(j.next.Add(int64(l.chunk))) - l.chunk
		if lo >= l.n {
			return
		}
		w.Run(lo, min(lo+l.chunk, l.n))
	}
}
