package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneloop/oneloop/engine/internal/pause"
)

// A helper is a goroutine that works on the loops of all programs. After a loop
// the helper spins for a while and then parks. A parked helper costs no processor
// time.
type helper struct {
	// mailbox holds nil while the helper spins, parked while the
	// helper is parked, the slot that a caller offers, or slot.begun after the
	// helper has accepted. A caller may retract its offer. This word is the only
	// cache line that goes to and fro between two cores: a transfer takes 100 ns.
	mailbox atomic.Pointer[slot]
	parker  *parker
	_       [112]byte // no other mailbox is in this cache line or the next one
}

// parked is the value of the mailbox of a parked helper.
var parked = new(slot)

const (
	// spinTime is how long a helper spins. Most programs that run often run again
	// sooner. Parking and a wake cost a tenth of it.
	spinTime = 100 * time.Microsecond
	// yieldTime is the time between two yields of a spinning helper to other
	// goroutines.
	yieldTime = 20 * time.Microsecond
	// contended is the longest yield while no other goroutine wants the processor.
	// After a longer one the helper parks.
	contended = 10 * time.Microsecond
)

// The helpers of the process, at most one less than processors(). startHelpers
// adds to the list, and nothing is ever removed from it.
var helpers struct {
	sync.Mutex
	list atomic.Pointer[[]*helper]
}

// spawned carries helpers to the goroutine of the package that starts them. A
// goroutine started in a testing/synctest bubble would belong to that bubble and
// use its clock.
var spawned = make(chan *helper)

func init() {
	go func() {
		for h := range spawned {
			go h.loop()
		}
	}()
}

// processors returns how many goroutines can run at once: GOMAXPROCS, or the
// number of processors available to the process if that is less.
var processors = func() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// startHelpers starts helpers until there are n, or processors()-1 if that is
// less.
func startHelpers(n int) {
	n = min(n, processors()-1)
	have := running()
	if len(have) >= n {
		return
	}
	helpers.Lock()
	defer helpers.Unlock()
	have = running()
	list := append(make([]*helper, 0, n), have...)
	for len(list) < n {
		h := &helper{parker: newParker()}
		list = append(list, h)
		spawned <- h
	}
	helpers.list.Store(&list)
}

func running() []*helper {
	if p := helpers.list.Load(); p != nil {
		return *p
	}
	return nil
}

func (h *helper) loop() {
	for {
		s := h.next()
		s.job.help(s.number)
		s.leave(h)
	}
}

// next waits for the offer of a slot, accepts it and returns the slot.
func (h *helper) next() *slot {
	for {
		if s := h.spin(); s != nil {
			return s
		}
		if h.mailbox.CompareAndSwap(nil, parked) {
			h.parker.wait() // the caller may have retracted its offer by now: spin again
		}
	}
}

// spin polls the mailbox and accepts an offer. It returns the slot, or nil after
// spinTime, or earlier if other goroutines want the processor.
func (h *helper) spin() *slot {
	began := time.Now()
	for yield := yieldTime; ; {
		for range 16 {
			if s := h.mailbox.Load(); s != nil && h.mailbox.CompareAndSwap(s, s.begun) {
				return s
			}
			pause.Pause(1)
		}
		spun := time.Since(began)
		if spun < yield {
			continue
		}
		if spun >= spinTime {
			return nil
		}
		runtime.Gosched()
		if away := time.Since(began) - spun; away > contended {
			return nil
		}
		yield += yieldTime
	}
}

// backoff says until when callers ask no helper. If other processes use the processors too, the system
// may stop a helper in the middle of a chunk for milliseconds, and the caller
// must wait. Then callers offer no slots for a time in proportion to that wait.
var backoff struct {
	active atomic.Bool
	until  atomic.Int64 // end of the backoff, in nanoseconds since start
}

const (
	// waitLimit is the longest wait of a caller that begins no backoff.
	waitLimit = 100 * time.Microsecond
	// backoffFactor is the ratio of the backoff to the wait.
	backoffFactor = 20
)

var start = time.Now()

// heldUp begins a backoff if a caller's wait for a helper was longer than
// waitLimit.
func heldUp(wait time.Duration) {
	if wait > waitLimit {
		backoff.until.Store(int64(time.Since(start) + backoffFactor*wait))
		backoff.active.Store(true)
	}
}

// trusted reports whether callers may offer slots to helpers: there is no
// backoff.
func trusted() bool {
	if !backoff.active.Load() {
		return true
	}
	if int64(time.Since(start)) < backoff.until.Load() {
		return false
	}
	backoff.active.Store(false)
	return true
}
