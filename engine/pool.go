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
	// The same in all runs. What helpers read is not in a line with what the
	// caller writes while they work: each time that takes 100 ns.
	seats []seat // of the caller, and of helpers
	parts []part
	_     [128]byte

	// The same in one run.
	loop   *loopStep
	ctx    context.Context
	cuts   int         // of parts
	down   bool        // the way of this sweep
	shared atomic.Bool // helpers are asked
	_      [128]byte

	// The caller's.
	asked  []asked    // by seat
	taken  int        // of seats
	wake   float64    // nanoseconds of work that wake a helper
	credit float64    // nanoseconds of work that could have been shared
	last   time.Time  // when credit was last given
	done   sync.Mutex // locked until a helper lets the caller go on
}

// asked is who was asked to take a seat, or nil.
type asked struct {
	helper *helper
	asleep bool // it was
}

// A seat is the place of one worker at a job.
type seat struct {
	job    *job
	number int
	// What the box of the helper says while it works, and when the caller sleeps
	// until it is done.
	begun, awaited *seat
}

// A part is the share of a worker, who takes chunks from it, and then from the
// shares of others. Parts are the same from run to run, so that a core finds in
// its caches what it has worked on before.
type part struct {
	next       atomic.Int64 // where what is not handed out begins; or ends, in a sweep down
	begin, end int
	_          [104]byte
}

// What threads are worth, in nanoseconds of work.
const (
	// splitWork is shared with helpers that spin: to ask one and to wait for
	// its last chunk costs some 300 ns.
	splitWork = 3e3
	// seatWork is the share that is worth a helper more.
	seatWork = 1.5e3
	// lateWork is what the caller does meanwhile: a helper begins later, and the
	// caller must see that it has ended.
	lateWork = 400.
	// stealWork is worth taking from another's part: its elements are in the
	// caches of another core.
	stealWork = 1e3
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
	j := &job{seats: make([]seat, threads), asked: make([]asked, threads), parts: make([]part, threads), wake: wakeWork}
	j.done.Lock()
	words := make([]seat, 2*threads) // what boxes say of seats
	for i := range j.seats {
		j.seats[i] = seat{job: j, number: i, begun: &words[2*i], awaited: &words[2*i+1]}
	}
	return j
}

// do runs all chunks of a loop, or those before ctx is done, and may measure how
// long they take.
func (j *job) do(ctx context.Context, l *loopStep, down, measure bool) {
	j.loop, j.ctx, j.down = l, ctx, down
	var began time.Time
	var took time.Duration
	if measure {
		began = time.Now()
	}
	j.taken = 1
	j.find(l.work())
	if j.shared.Load() != (j.taken > 1) { // a store that changes nothing is not free
		j.shared.Store(j.taken > 1)
	}
	j.cut()
	j.ask(1)
	mine := j.work(0)
	if j.withdraw() { // nobody is asked any more
		mine += j.rest()
	}
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
			j.asked[j.taken] = asked{h, false}
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
			j.asked[j.taken] = asked{h, true}
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

// cut divides the units among the seats: the caller, who begins at once, has
// more of them.
func (j *job) cut() {
	l := j.loop
	j.cuts = j.taken
	late := min(lateWork/l.unit, float64(l.n)/float64(2*j.cuts))
	share := (float64(l.n) + late*float64(j.cuts-1)) / float64(j.cuts)
	at := 0
	for i := range j.cuts {
		p := &j.parts[i]
		begin := at
		at = l.n
		if i < j.cuts-1 {
			at = int(share*float64(i+1) - late*float64(i))
			at -= at % l.grain
		}
		if p.begin != begin || p.end != at {
			p.begin, p.end = begin, at
		}
		if j.down {
			p.next.Store(int64(p.end))
		} else {
			p.next.Store(int64(p.begin))
		}
	}
}

// ask invites the helpers of the seats from first on.
func (j *job) ask(first int) {
	if first < j.taken && !j.shared.Load() {
		j.shared.Store(true)
	}
	for i := first; i < j.taken; i++ {
		a := &j.asked[i]
		state := (*seat)(nil)
		if a.asleep {
			state = asleep
		}
		if !a.helper.box.CompareAndSwap(state, &j.seats[i]) {
			a.helper = nil // somebody else was faster
		} else if a.asleep {
			a.helper.bell.ring()
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

// work runs chunks until none is left that is worth it. It returns the number of
// units done. The caller asks more helpers meanwhile.
func (j *job) work(seat int) (units int) {
	for chunks := 1; ; chunks++ {
		done := j.chunk(seat, stealWork)
		if done == 0 {
			return units
		}
		units += done
		if seat == 0 && chunks%8 == 0 { // more helpers may be free by now
			if work := float64(j.left()) * j.loop.unit; work >= wakeWork {
				first := j.taken
				j.find(work)
				j.ask(first)
			}
		}
	}
}

// rest is work of the caller alone: all that is left anywhere.
func (j *job) rest() (units int) {
	for {
		done := j.chunk(0, 0)
		if done == 0 {
			return units
		}
		units += done
	}
}

// chunk claims a chunk, from the part of another if there are so many nanoseconds
// of work, and runs it. It returns the number of units done.
func (j *job) chunk(seat int, steal float64) int {
	p, lo, hi := j.claim(seat, steal)
	if p == nil || j.ctx.Err() != nil {
		return 0
	}
	j.loop.pieces(j.loop.workers[seat], lo, hi, p.begin, p.end, j.down)
	return hi - lo
}

// left is the number of units that are not handed out.
func (j *job) left() (n int) {
	for i := range j.cuts {
		n += j.parts[i].left(int(j.parts[i].next.Load()), j.down)
	}
	return n
}

// left is the number of units that are not handed out when next is the next.
func (p *part) left(next int, down bool) int {
	if down {
		return next - p.begin
	}
	return p.end - next
}

// claim takes the next chunk from the part of a seat, or else from another's:
// half of what is left there, so that all workers end at about the same time.
// Without a part there is none.
func (j *job) claim(seat int, steal float64) (p *part, lo, hi int) {
	l := j.loop
	for i := range j.cuts {
		p := &j.parts[(seat+i)%j.cuts]
		for {
			at := p.next.Load()
			left := p.left(int(at), j.down)
			if left <= 0 || i > 0 && float64(left)*l.unit < steal {
				break
			}
			size := l.most
			if j.shared.Load() {
				size = min(max(left/2, l.least), size)
			}
			size = (size + l.grain - 1) / l.grain * l.grain
			lo, hi := int(at), int(at)+min(size, left)
			next := hi
			if j.down {
				lo, hi = int(at)-min(size, left), int(at)
				lo -= lo % l.grain
				next = lo
			}
			if p.next.CompareAndSwap(at, int64(next)) {
				return p, lo, hi
			}
		}
	}
	return nil, 0, 0
}

// withdraw takes the job back from helpers that have not begun, and reports
// whether any of them has a part, which is left to do.
func (j *job) withdraw() (found bool) {
	for i := 1; i < j.taken; i++ {
		s, h := &j.seats[i], j.asked[i].helper
		if h == nil || h.box.Load() == s && h.box.CompareAndSwap(s, nil) {
			j.asked[i].helper = nil
			found = found || i < j.cuts
		}
	}
	return found
}

// join waits for the helpers that have begun.
func (j *job) join() {
	came := false
	for i := 1; i < j.taken; i++ {
		if h := j.asked[i].helper; h != nil {
			j.seats[i].wait(h)
			j.asked[i].helper = nil
			came = true
		}
	}
	if came {
		j.wake = wakeWork
	} else if j.taken > 1 {
		j.wake = min(2*j.wake, mostWake)
	}
}

// wait returns when a helper has left the seat.
func (s *seat) wait(h *helper) {
	for range 64 {
		if h.box.Load() != s.begun {
			return
		}
		pause.Pause(1)
	}
	began := time.Now()
	for range 16 { // the helper may need this very processor
		if h.box.Load() != s.begun {
			return
		}
		runtime.Gosched()
	}
	if h.box.CompareAndSwap(s.begun, s.awaited) {
		s.job.done.Lock()
	}
	heldUp(time.Since(began))
}

// leave is the end of a helper's work. The job may be in another run at once.
func (s *seat) leave(h *helper) {
	if !h.box.CompareAndSwap(s.begun, nil) {
		h.box.Store(nil)
		s.job.done.Unlock()
	}
}
