package sched

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// A Job hands out the chunks of one loop to the caller and to helpers. The
// caller never waits for a helper that has not begun: at the end of the loop the
// caller retracts its offer. A job runs one loop at a time.
type Job struct {
	// Constant for all runs. The padding keeps what helpers read and what the
	// caller writes in different cache lines. A shared line costs 100 ns a write.
	pool    *Pool
	threads int
	slots   []slot // the first is the caller's, the others are for helpers; none until a loop needs helpers
	parts   []part
	_       [128]byte

	// Constant during one run, except shared.
	loop   *Loop
	ctx    context.Context
	cuts   int         // the number of parts that this run uses
	down   bool        // the direction of this run
	shared atomic.Bool // the caller has offered slots to helpers
	_      [128]byte

	// Only the caller uses these; a helper unlocks done.
	lastDown  bool    // the direction of the last loop over large arrays
	offers    []offer // by number of the slot
	taken     int     // the number of slots in use, the caller's included
	tuner     tuner
	wake      float64    // nanoseconds of work for which the caller wakes a helper
	savedWork float64    // nanoseconds of work of recent runs that woke no helper
	last      time.Time  // of the last addition to savedWork
	done      sync.Mutex // the caller sleeps on it until a helper unlocks it
}

// An offer is the helper to which one slot was offered. The helper is nil if there is
// no offer, or no longer one.
type offer struct {
	helper *helper
	parked bool // the helper was parked when the caller chose it
}

// A slot is the place of one worker in a job.
type slot struct {
	job    *Job
	number int
	// Values of the helper's mailbox: begun while the helper works, awaited while
	// the caller sleeps until the helper has ended.
	begun, awaited *slot
}

// A part is the range of units of one worker. The worker takes chunks from its
// own part first, and then from the other parts. Parts are the same from run to
// run, so that a core finds its elements in its caches.
type part struct {
	next       int64 // the begin of the units not handed out yet; their end if the direction is down. Workers change it as an atomic integer
	begin, end int
	_          [104]byte
}

// Thresholds for the use of helpers, in nanoseconds of work.
const (
	// lateWork is by how much the caller's part exceeds a helper's. A helper
	// begins later, and the caller must see that it has ended.
	lateWork = 400.
	// stealWork is the least work left in a part for which another worker takes
	// chunks from it. The elements are in the caches of another core.
	stealWork = 1e3
	// wakeWork is the work for which the caller wakes one parked helper. A wake
	// costs the caller about 5 us. The work is of one run, or of several runs in
	// quick succession. The threshold doubles, up to mostWake, after a run in
	// which no helper began: no processor was free.
	wakeWork = 100e3
	mostWake = 10e6
	// leastChunk is the work up to which a worker takes all that is left of a part:
	// no other one would take half of it. mostChunk bounds the latency of
	// cancellation and of late helpers. aloneChunk bounds the latency of a garbage
	// collection that stops the world. Each chunk costs up to a microsecond of cache
	// misses, because the elements evict what the engine reads between two chunks.
	leastChunk = 2 * stealWork
	mostChunk  = 20e3
	aloneChunk = 60e3
)

// NewJob returns a job for at most the given number of threads.
func (p *Pool) NewJob(threads int) *Job {
	j := &Job{pool: p, threads: threads, wake: wakeWork}
	j.done.Lock()
	return j
}

// divide prepares the job for loops with several workers.
func (j *Job) divide() {
	if j.slots != nil {
		return
	}
	j.slots, j.offers, j.parts = make([]slot, j.threads), make([]offer, j.threads), make([]part, j.threads)
	words := make([]slot, 2*j.threads) // only their addresses count, as values of mailboxes
	for i := range j.slots {
		j.slots[i] = slot{job: j, number: i, begun: &words[2*i], awaited: &words[2*i+1]}
	}
}

// do runs all chunks of a loop. It stops between two chunks when ctx is done. If
// measure is set, do passes the time that the caller's chunks took to measured.
func (j *Job) do(ctx context.Context, l *Loop, down, measure bool) {
	j.loop, j.ctx, j.down = l, ctx, down
	var began time.Time
	var took time.Duration
	if measure {
		began = time.Now()
	}
	j.taken = 1
	j.tuner.saw(l.work())
	j.find(l.work())
	if j.shared.Load() != (j.taken > 1) { // a store of the same value would cost a cache-line transfer
		j.shared.Store(j.taken > 1)
	}
	j.cut()
	j.ask(1)
	mine := j.work(0)
	if j.retract() { // there are no open offers from here on
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

// find chooses helpers for work nanoseconds of work: spinning helpers first, and
// then parked helpers, if the work is worth the wakes.
func (j *Job) find(work float64) {
	slots := len(j.loop.workers)
	if j.taken >= slots || work < shares[j.tuner.level] || !j.pool.backoff.over() {
		return
	}
	list := j.pool.helpers()
	for _, h := range list {
		if j.taken >= slots {
			return
		}
		if h.mailbox.Load() == nil {
			j.offers[j.taken] = offer{h, false}
			j.taken++
		}
	}
	if work < j.wake && !j.enough(work) {
		return
	}
	for _, h := range list {
		if j.taken >= slots {
			return
		}
		if h.mailbox.Load() == parked {
			j.offers[j.taken] = offer{h, true}
			j.taken++
			if work -= j.wake; work < j.wake {
				return
			}
		}
	}
}

// enough adds work to the sum over runs in quick succession. It reports whether
// the sum has reached the threshold of a wake, and then sets the sum to 0.
func (j *Job) enough(work float64) bool {
	now := time.Now()
	if now.Sub(j.last) > 5*spinTime {
		j.savedWork, j.wake = 0, max(j.wake/2, wakeWork) // a processor may be free by now
	}
	j.last = now
	if j.savedWork += work; j.savedWork < j.wake {
		return false
	}
	j.savedWork = 0
	return true
}

// cut divides the units into one part for each slot. The caller's part is
// larger, because the caller begins at once.
func (j *Job) cut() {
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
			at = min((at+l.grain/2)/l.grain*l.grain, l.n) // a part may be about as long as the grain
		}
		p.begin, p.end, p.next = begin, at, int64(begin) // a load would wait for the line
		if j.down {
			p.next = int64(at)
		}
	}
}

// ask offers the slots from first on to the helpers that find chose.
func (j *Job) ask(first int) {
	if first < j.taken && !j.shared.Load() {
		j.shared.Store(true)
	}
	for i := first; i < j.taken; i++ {
		a := &j.offers[i]
		state := (*slot)(nil)
		if a.parked {
			state = parked
		}
		if !a.helper.mailbox.CompareAndSwap(state, &j.slots[i]) {
			a.helper = nil // another caller has offered the helper a slot, or it changed its state
		} else if a.parked {
			a.helper.parker.ring()
		}
	}
}

// help runs chunks in a helper until none is left that is worth it. It returns the
// nanoseconds of a unit.
func (j *Job) help(slot int) (unit float64) {
	l := j.loop
	if l.labels != nil {
		pprof.SetGoroutineLabels(l.labels)
		defer pprof.SetGoroutineLabels(context.Background())
	}
	j.work(slot)
	return l.unit
}

// work runs chunks until none is left that is worth it, and returns the number
// of units done. The caller, in slot 0, offers slots to more helpers every 8
// chunks.
func (j *Job) work(slot int) (units int) {
	for chunks := 1; ; chunks++ {
		done := j.chunk(slot, stealWork)
		if done == 0 {
			return units
		}
		units += done
		if slot == 0 && chunks%8 == 0 { // more helpers may be free by now
			if work := float64(j.left()) * j.loop.unit; work >= wakeWork {
				first := j.taken
				j.find(work)
				j.ask(first)
			}
		}
	}
}

// rest runs all chunks that are left, in the caller, and returns the number of
// units done.
func (j *Job) rest() (units int) {
	for {
		done := j.chunk(0, 0)
		if done == 0 {
			return units
		}
		units += done
	}
}

// chunk claims a chunk and runs it. It returns the number of units done, or 0 if
// there is no chunk or the context is done. It claims from another worker's part
// only if at least steal nanoseconds of work are left there.
func (j *Job) chunk(slot int, steal float64) int {
	p, lo, hi := j.claim(slot, steal)
	if p == nil || j.ctx.Err() != nil {
		return 0
	}
	j.loop.blocks(j.loop.workers[slot], lo, hi, p.begin, p.end, j.down)
	return hi - lo
}

// left returns the number of units that are not handed out.
func (j *Job) left() (n int) {
	for i := range j.cuts {
		n += j.parts[i].left(int(atomic.LoadInt64(&j.parts[i].next)), j.down)
	}
	return n
}

// left returns the number of units of the part that are not handed out, for the
// value next of p.next.
func (p *part) left(next int, down bool) int {
	if down {
		return next - p.begin
	}
	return p.end - next
}

// claim takes the next chunk, of units lo..hi, from the part of a slot or else
// from another part. A chunk of a shared loop is at most half of the units left
// in the part, so that all workers end at about the same time. p is nil if there
// is no chunk.
func (j *Job) claim(slot int, steal float64) (p *part, lo, hi int) {
	l := j.loop
	for i := range j.cuts {
		p := &j.parts[(slot+i)%j.cuts]
		for {
			at := atomic.LoadInt64(&p.next)
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
			if atomic.CompareAndSwapInt64(&p.next, at, int64(next)) {
				return p, lo, hi
			}
		}
	}
	return nil, 0, 0
}

// retract retracts the offers to helpers that have not begun. It reports whether
// one of these slots has a part, whose units may be left to do.
func (j *Job) retract() (found bool) {
	for i := 1; i < j.taken; i++ {
		s, h := &j.slots[i], j.offers[i].helper
		if h == nil || h.mailbox.Load() == s && h.mailbox.CompareAndSwap(s, nil) {
			j.offers[i].helper = nil
			found = found || i < j.cuts
		}
	}
	return found
}

// join waits for the helpers that have begun.
func (j *Job) join() {
	came := false
	for i := 1; i < j.taken; i++ {
		if h := j.offers[i].helper; h != nil {
			j.slots[i].wait(h, j.loop.unit)
			j.offers[i].helper = nil
			came = true
		}
	}
	if came {
		j.wake = wakeWork
	} else if j.taken > 1 {
		j.wake = min(2*j.wake, mostWake)
	}
}

// wait returns when helper h has ended its work in the slot, of units that take unit
// nanoseconds. It spins, and then sleeps.
func (s *slot) wait(h *helper, unit float64) {
	ended := func() bool { return h.mailbox.Load() != s.begun }
	if ended() { // reading the clock would take longer
		return
	}
	began := time.Now()
	if spin(spinTime, ended) {
		return
	}
	if h.mailbox.CompareAndSwap(s.begun, s.awaited) {
		s.job.done.Lock()
	}
	s.job.pool.backoff.waited(time.Since(began), time.Duration(unit))
}

// leave tells the caller that helper h has ended its work in the slot. The caller
// may start another run of the job at once, so leave is the helper's last access.
func (s *slot) leave(h *helper) {
	if !h.mailbox.CompareAndSwap(s.begun, nil) {
		h.mailbox.Store(nil)
		s.job.done.Unlock()
	}
}
