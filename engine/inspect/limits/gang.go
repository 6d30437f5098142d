package limits

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A gang runs jobs at the same time, each on a thread of its own. The first job
// runs on the caller's thread.
type gang struct {
	jobs   []func(passes int)
	spans  []span // the times of the jobs in the last round
	passes int
	round  atomic.Int64 // adding 1 starts a round
	ready  atomic.Int64
	done   atomic.Int64
	over   atomic.Bool
	ends   sync.WaitGroup
}

type span struct{ start, end time.Time }

func startGang(jobs []func(passes int)) *gang {
	g := &gang{jobs: jobs, spans: make([]span, len(jobs))}
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
				g.work(i)
				g.done.Add(1)
			}
		})
	}
	return g
}

// work waits until all threads are ready, then runs job i.
func (g *gang) work(i int) {
	g.ready.Add(1)
	for g.ready.Load() < int64(len(g.jobs)) {
		runtime.Gosched()
	}
	g.spans[i].start = time.Now()
	g.jobs[i](g.passes)
	g.spans[i].end = time.Now()
}

// run makes so many passes of all jobs. It returns the passes per second of a
// job, the mean of all jobs.
func (g *gang) run(passes int) float64 {
	g.passes = passes
	g.ready.Store(0)
	g.done.Store(0)
	g.round.Add(1)
	g.work(0)
	for g.done.Load() < int64(len(g.jobs)-1) {
		runtime.Gosched()
	}
	return float64(passes) * perSecond(g.spans)
}

// perSecond returns the mean of the rates of jobs, each in its own time, if the
// jobs overlapped for at least half of the longest time. So a thread that began
// late does not count as slow. Otherwise it returns the rate in the time from the
// first start to the last end.
func perSecond(spans []span) float64 {
	first, last := spans[0].start, spans[0].end
	from, to := first, last // the time in which all ran
	longest, sum := time.Duration(0), 0.
	for _, s := range spans {
		if s.start.Before(first) {
			first = s.start
		}
		if s.end.After(last) {
			last = s.end
		}
		if s.start.After(from) {
			from = s.start
		}
		if s.end.Before(to) {
			to = s.end
		}
		t := max(s.end.Sub(s.start), 1)
		longest = max(longest, t)
		sum += 1 / t.Seconds()
	}
	if to.Sub(from) < longest/2 {
		return 1 / max(last.Sub(first), 1).Seconds()
	}
	return sum / float64(len(spans))
}

func (g *gang) stop() {
	g.over.Store(true)
	g.ends.Wait()
	runtime.UnlockOSThread()
}
