package sched

import (
	"context"
	"runtime"
	"runtime/pprof"
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
	// spinTime is how long a helper spins after a loop, and its caller at the end of one.
	// Most programs that run often run again sooner. A wake takes that time if the
	// processor is idle and virtual, else a tenth of it.
	spinTime = 100 * time.Microsecond
	// mostUnit bounds how much longer a helper spins: the caller may still be at work
	// on one unit of the loop, and the next loop begins after that.
	mostUnit = time.Millisecond
	// yieldTime is the time between two yields of a spinning helper to other
	// goroutines.
	yieldTime = 20 * time.Microsecond
	// contended is the longest yield while no other goroutine wants the processor.
	// After a longer one the helper parks.
	contended = 10 * time.Microsecond
)

// loop takes slots for ever. Its goroutine has none of the labels of the goroutine
// that started it.
func (h *helper) loop() {
	pprof.SetGoroutineLabels(context.Background())
	for unit := 0.; ; {
		s := h.next(spinTime + time.Duration(min(unit, float64(mostUnit))))
		unit = s.job.help(s.number)
		s.leave(h)
	}
}

// next waits for the offer of a slot, accepts it and returns the slot. It spins for
// at most the limit, and then parks.
func (h *helper) next(limit time.Duration) *slot {
	for {
		var s *slot
		if spin(limit, func() bool {
			s = h.mailbox.Load()
			return s != nil && h.mailbox.CompareAndSwap(s, s.begun)
		}) {
			return s
		}
		if h.mailbox.CompareAndSwap(nil, parked) {
			h.parker.wait() // the caller may have retracted its offer by now: spin again
		}
	}
}

// spin polls until done reports true. It reports false after the limit, or earlier if
// other goroutines want the processor.
func spin(limit time.Duration, done func() bool) bool {
	began := time.Now()
	for yield := yieldTime; ; {
		for range 16 {
			if done() {
				return true
			}
			pause.Pause()
		}
		spun := time.Since(began)
		if spun < yield {
			continue
		}
		if spun >= limit {
			return false
		}
		runtime.Gosched()
		if away := time.Since(began) - spun; away > contended {
			return false
		}
		yield += yieldTime
	}
}
