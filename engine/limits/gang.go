package limits

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A gang runs jobs side by side, each on a thread of its own; the first on the
// caller's.
type gang struct {
	jobs   []func(passes int)
	passes int
	round  atomic.Int64 // counts up to start
	done   atomic.Int64
	over   atomic.Bool
	ends   sync.WaitGroup
}

func startGang(jobs []func(passes int)) *gang {
	g := &gang{jobs: jobs}
	runtime.LockOSThread()
	for i := 1; i < len(jobs); i++ {
		g.ends.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for round := int64(1); ; round++ {
				for g.round.Load() < round {
					if g.over.Load() {
						return
					}
					runtime.Gosched()
				}
				jobs[i](g.passes)
				g.done.Add(1)
			}
		})
	}
	return g
}

// run does so many passes of all jobs and returns the time from the start until
// the last has ended.
func (g *gang) run(passes int) time.Duration {
	g.passes = passes
	g.done.Store(0)
	start := time.Now()
	g.round.Add(1)
	g.jobs[0](passes)
	for g.done.Load() < int64(len(g.jobs)-1) {
		runtime.Gosched()
	}
	return time.Since(start)
}

func (g *gang) stop() {
	g.over.Store(true)
	g.ends.Wait()
	runtime.UnlockOSThread()
}
