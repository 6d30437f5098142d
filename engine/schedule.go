package engine

import (
	"time"

	"github.com/oneloop/oneloop/engine/internal/backend"
)

// A schedule holds the sizes of the chunks of a loop and the cost of a unit.
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

// plan makes the workers and the schedule of the loop for at most the given
// number of threads, and starts the helpers.
func (l *loopStep) plan(threads int) {
	l.n, l.grain, l.unit = l.inst.Units()
	l.grain = max(l.grain, 1)
	slots := min(threads, 1+int(min(l.work()/slotWork, 1<<20)), (l.n+l.grain-1)/l.grain)
	l.workers = make([]backend.Worker, max(1, slots))
	for i := range l.workers {
		l.workers[i] = l.inst.NewWorker()
	}
	l.chunks()
	l.traversal = newTraversal(l.n, l.grain, l.footprint(), len(l.workers), caches())
	startHelpers(len(l.workers) - 1)
}

// chunks sets the sizes of chunks from the time of a unit. The chunks of a loop
// with one worker are longer, because no helper can come late.
func (l *loopStep) chunks() {
	most := mostChunk
	if len(l.workers) == 1 {
		most = aloneChunk
	}
	l.least = max(int(min(leastChunk/l.unit, 1<<40)), 1)
	l.most = max(int(min(most/l.unit, 1<<40)), 1)
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
func (l *loopStep) measured(took time.Duration, units int) {
	if took <= 0 { // the clock of a testing/synctest bubble stands still
		return
	}
	t := float64(took) / float64(units)
	l.unit = min(max(t, l.unit/2), l.unit*2)
	l.chunks()
}
