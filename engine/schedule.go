package engine

import (
	"time"

	"github.com/oneloop/oneloop/engine/internal/backend"
)

// A schedule says how a loop is cut into chunks.
type schedule struct {
	n     int     // units
	grain int     // chunks begin at multiples of it
	unit  float64 // nanoseconds that a unit takes
	least int     // units of a chunk, at least and at most
	most  int
	_     [64]byte
	runs  int // helpers do not read it
	_     [64]byte
}

// plan cuts the loop for a number of threads.
func (l *loopStep) plan(threads int) {
	l.n, l.grain, l.unit = l.inst.Units()
	l.grain = max(l.grain, 1)
	seats := min(threads, 1+int(min(l.work()/seatWork, 1<<20)), (l.n+l.grain-1)/l.grain)
	l.workers = make([]backend.Worker, max(1, seats))
	for i := range l.workers {
		l.workers[i] = l.inst.NewWorker()
	}
	l.chunks()
	l.sweep = newSweep(l.n, l.grain, l.footprint(), len(l.workers), caches())
	startHelpers(len(l.workers) - 1)
}

// chunks fixes the sizes of chunks. Those of one worker alone are longer: nobody
// comes late.
func (l *loopStep) chunks() {
	most := mostChunk
	if len(l.workers) == 1 {
		most = aloneChunk
	}
	l.least = max(int(min(leastChunk/l.unit, 1<<40)), 1)
	l.most = max(int(min(most/l.unit, 1<<40)), 1)
}

// work is the time that the loop takes on one core, in nanoseconds.
func (l *schedule) work() float64 { return float64(l.n) * l.unit }

// toMeasure says whether to time this run: the first ones, and then some.
func (l *schedule) toMeasure() bool {
	l.runs++
	return l.runs <= 4 || l.runs%64 == 0
}

// measured corrects the time of a unit, when no helper is at work: one worker
// took so long for some. One measurement changes it by a factor of two at most,
// so that a run that the system has interrupted does no harm.
func (l *loopStep) measured(took time.Duration, units int) {
	if took <= 0 { // the clock of a testing/synctest bubble stands still
		return
	}
	t := float64(took) / float64(units)
	l.unit = min(max(t, l.unit/2), l.unit*2)
	l.chunks()
}
