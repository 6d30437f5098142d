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

// loop takes slots for ever. Its goroutine has none of the labels of the goroutine
// that started it.
func (h *helper) loop() {
	pprof.SetGoroutineLabels(context.Background())
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
			pause.Pause()
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
