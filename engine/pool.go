package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneloop/oneloop/engine/internal/pause"
)

// A job hands out the chunks of one loop to the caller and to helpers. The
// caller never waits for a helper that has not begun: what it has not taken by
// the end, it is not asked for any more.
type job struct {
	loop   *loopStep
	ctx    context.Context
	seats  []seat // of the caller, and of the helpers asked in this run
	taken  int    // of seats
	parts  []part
	cuts   int        // of parts
	done   sync.Mutex // locked until the helpers let the caller go on
	wake   float64    // nanoseconds of work that wake a helper
	credit float64    // nanoseconds of work that could have been shared
	last   time.Time  // when credit was last given
	_      [64]byte
	active atomic.Int32 // helpers that are asked or at work; and awaited
	came   atomic.Bool  // a helper has been at work
}

// A seat is the place of one worker at a job.
type seat struct {
	job    *job
	number int
	helper *helper
	asleep bool // the helper was
}

// A part is the share of a worker, who takes chunks from it, and then from the
// shares of others. Parts are the same from run to run, so that a core finds in
// its caches what it has worked on before.
type part struct {
	next atomic.Int64 // first unit that is not handed out
	end  int64
	_    [112]byte
}

// awaited is set in active when the caller sleeps until the helpers are done.
const awaited = 1 << 30

// What threads are worth, in nanoseconds of work.
const (
	// splitWork is shared with helpers that spin: to ask one and to wait for
	// its last chunk costs some 300 ns.
	splitWork = 3e3
	// seatWork is the share that is worth a helper more.
	seatWork = 1.5e3
	// wakeWork, for each of them, wakes helpers that sleep, which costs the
	// caller some 5 us. It is that of one run, or of several soon after each
	// other; it doubles, up to mostWake, when nobody came: then there are no
	// processors to be had.
	wakeWork = 100e3
	mostWake = 10e6
	// leastChunk is long against the 30 ns of handing it out, mostChunk short
	// for those who cancel or come late, and aloneChunk for those who stop the
	// world: what a run touches between two chunks, the elements have driven out
	// of the caches, which costs a microsecond.
	leastChunk = 500.
	mostChunk  = 20e3
	aloneChunk = 60e3
)

// newJob makes a job for a number of threads at most.
func newJob(threads int) *job {
	j := &job{seats: make([]seat, threads), parts: make([]part, threads), wake: wakeWork}
	j.done.Lock()
	for i := range j.seats {
		j.seats[i].job, j.seats[i].number = j, i
	}
	return j
}

// do runs all chunks of a loop, or those before ctx is done.
func (j *job) do(ctx context.Context, l *loopStep) {
	j.loop, j.ctx = l, ctx
	measure := l.toMeasure()
	var began time.Time
	var took time.Duration
	if measure {
		began = time.Now()
	}
	j.taken = 1
	j.find(float64(l.n) * l.unit)
	j.cut()
	j.ask(1)
	mine := j.work(0)
	if measure {
		took = time.Since(began)
	}
	j.join()
	if measure && mine > 0 {
		l.measured(took, mine)
	}
	j.loop, j.ctx = nil, nil
}

// find chooses helpers for some nanoseconds of work: first those that spin,
// then, where the work is worth it, those that sleep.
func (j *job) find(work float64) {
	seats := len(j.loop.workers)
	if j.taken >= seats || work < splitWork || !trusted() {
		return
	}
	list := running()
	for _, h := range list {
		if j.taken >= seats {
			return
		}
		if h.box.Load() == nil {
			j.seats[j.taken].helper, j.seats[j.taken].asleep = h, false
			j.taken++
		}
	}
	if work < j.wake && !j.earned(work) {
		return
	}
	for _, h := range list {
		if j.taken >= seats {
			return
		}
		if h.box.Load() == asleep {
			j.seats[j.taken].helper, j.seats[j.taken].asleep = h, true
			j.taken++
			if work -= j.wake; work < j.wake {
				return
			}
		}
	}
}

// earned adds up the work of runs that follow each other closely, and reports
// whether together they are worth a wake.
func (j *job) earned(work float64) bool {
	now := time.Now()
	if now.Sub(j.last) > 5*spinTime {
		j.credit, j.wake = 0, max(j.wake/2, wakeWork) // there may be processors again
	}
	j.last = now
	if j.credit += work; j.credit < j.wake {
		return false
	}
	j.credit = 0
	return true
}

// cut divides the units among the seats.
func (j *job) cut() {
	l := j.loop
	at := 0
	j.cuts = j.taken
	for i := range j.cuts {
		p := &j.parts[i]
		p.next.Store(int64(at))
		at = l.n
		if i < j.cuts-1 {
			at = int(float64(l.n) * float64(i+1) / float64(j.cuts))
			at -= at % max(l.grain, 1)
		}
		p.end = int64(at)
	}
}

// ask invites the helpers of the seats from first on.
func (j *job) ask(first int) {
	for i := first; i < j.taken; i++ {
		s := &j.seats[i]
		state := (*seat)(nil)
		if s.asleep {
			state = asleep
		}
		j.active.Add(1)
		if !s.helper.box.CompareAndSwap(state, s) {
			j.active.Add(-1)
			s.helper = nil // somebody else was faster
		} else if s.asleep {
			s.helper.bell.ring()
		}
	}
}

// help does the work of a helper.
func (j *job) help(seat int) {
	if l := j.loop; l.labels != nil {
		defer l.label(context.Background())()
	}
	j.work(seat)
}

// work runs chunks until none is left, and returns the number of units done.
func (j *job) work(seat int) (units int) {
	l := j.loop
	w := l.workers[seat]
	for chunks := 1; ; chunks++ {
		lo, hi := j.claim(seat)
		if lo >= hi || j.ctx.Err() != nil {
			return units
		}
		w.Run(lo, hi)
		units += hi - lo
		if seat == 0 && chunks%8 == 0 { // more helpers may be free by now
			if work := float64(j.left()) * l.unit; work >= wakeWork {
				first := j.taken
				j.find(work)
				j.ask(first)
			}
		}
	}
}

// left is the number of units that are not handed out.
func (j *job) left() (n int) {
	for i := range j.cuts {
		n += max(int(j.parts[i].end-j.parts[i].next.Load()), 0)
	}
	return n
}

// claim takes the next chunk from the part of a seat, or else from another's:
// half of what is left there, so that all workers end at about the same time.
func (j *job) claim(seat int) (lo, hi int) {
	l := j.loop
	for i := range j.cuts {
		p := &j.parts[(seat+i)%j.cuts]
		for {
			lo := p.next.Load()
			left := int(p.end - lo)
			if left <= 0 {
				break
			}
			size := l.most
			if j.active.Load() > 0 {
				size = min(max(left/2, l.least), size)
			}
			if l.grain > 1 {
				size = (size + l.grain - 1) / l.grain * l.grain
			}
			size = min(size, left)
			if p.next.CompareAndSwap(lo, lo+int64(size)) {
				return int(lo), int(lo) + size
			}
		}
	}
	return 0, 0
}

// join takes the job back from helpers that have not begun and waits for the
// others.
func (j *job) join() {
	for i := range j.seats[1:j.taken] {
		s := &j.seats[1+i]
		if s.helper != nil && s.helper.box.CompareAndSwap(s, nil) {
			j.active.Add(-1)
		}
		s.helper = nil
	}
	if j.taken > 1 {
		if j.wake = min(2*j.wake, mostWake); j.came.Load() {
			j.wake = wakeWork
			j.came.Store(false)
		}
	}
	for range 64 {
		if j.active.Load() == 0 {
			return
		}
		pause.Pause(1)
	}
	began := time.Now()
	for range 16 { // a helper may need this very processor
		if j.active.Load() == 0 {
			return
		}
		runtime.Gosched()
	}
	if j.active.Add(awaited) != awaited {
		j.done.Lock()
	}
	j.active.Store(0)
	heldUp(time.Since(began))
}

// leave is the end of a helper's work. The job may be in another run at once.
func (j *job) leave() {
	if j.active.Add(-1) == awaited {
		j.done.Unlock()
	}
}
