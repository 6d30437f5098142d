package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneloop/oneloop/engine/internal/pause"
)

// A helper is a goroutine that works on the loops of all programs. After a loop
// it waits for the next one in a spin, for a while, and then asleep, when it
// costs no processor time.
type helper struct {
	// box has the seat that the helper is asked to take, until it puts what the
	// seat has for begun there. Without one it is nil while the helper spins, or
	// asleep. Who asks puts a seat there, and may take it back. It is all that
	// goes to and fro between two cores: each way takes 100 ns.
	box  atomic.Pointer[seat]
	bell *bell
	_    [112]byte // each box has a cache line, and the next one, to itself
}

// asleep is what a box says instead of a seat.
var asleep = new(seat)

const (
	// spinTime is how long a helper spins: most programs that run often run
	// again sooner, and a sleep and a wake cost a tenth of it.
	spinTime = 100 * time.Microsecond
	// yieldTime is how often it offers its processor to other goroutines.
	yieldTime = 20 * time.Microsecond
	// crowded is how long a yield takes if there are others that want it.
	crowded = 10 * time.Microsecond
)

// The helpers of the process. There are never more than processors that Go
// uses, less that of the caller; they are started when a program could use them.
var helpers struct {
	sync.Mutex
	list atomic.Pointer[[]*helper]
}

// hired are helpers to start. A goroutine of the package does it, because those
// that a testing/synctest bubble starts belong to it and live in its time.
var hired = make(chan *helper)

func init() {
	go func() {
		for h := range hired {
			go h.loop()
		}
	}()
}

// processors is how many goroutines can run at once: what the machine has, or
// its administrator or the user allows.
var processors = func() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// startHelpers sees to it that there are n, or as many as can run.
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
		h := &helper{bell: newBell()}
		list = append(list, h)
		hired <- h
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

// next waits for a seat and takes it.
func (h *helper) next() *seat {
	for {
		if s := h.spin(); s != nil {
			return s
		}
		if h.box.CompareAndSwap(nil, asleep) {
			h.bell.wait() // by now there may be nothing to do: spin again
		}
	}
}

// spin waits for a seat for spinTime, or less if others want the processor.
func (h *helper) spin() *seat {
	began := time.Now()
	for yield := yieldTime; ; {
		for range 16 {
			if s := h.box.Load(); s != nil && h.box.CompareAndSwap(s, s.begun) {
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
		if away := time.Since(began) - spun; away > crowded {
			return nil
		}
		yield += yieldTime
	}
}

// Where other processes want the processors too, the system may stop a helper in
// the middle of a chunk, for milliseconds, and its caller must wait. Then no
// helper is asked for a time in proportion, so that little is lost.
var distrust struct {
	active atomic.Bool
	until  atomic.Int64 // since start
}

const (
	// patience is a wait that is nobody's fault.
	patience = 100 * time.Microsecond
	// penance is for how many times the wait helpers are left alone.
	penance = 20
)

var start = time.Now()

// heldUp notes that a caller has waited for helpers.
func heldUp(wait time.Duration) {
	if wait > patience {
		distrust.until.Store(int64(time.Since(start) + penance*wait))
		distrust.active.Store(true)
	}
}

// trusted reports whether helpers may be asked.
func trusted() bool {
	if !distrust.active.Load() {
		return true
	}
	if int64(time.Since(start)) < distrust.until.Load() {
		return false
	}
	distrust.active.Store(false)
	return true
}
