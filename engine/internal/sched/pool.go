package sched

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/machine"
)

// A Pool has helpers, which work on the loops of all programs of a process.
type Pool struct {
	// Processors returns how many goroutines can run at once. There are at most one
	// less helpers. Tests replace it.
	Processors func() int
	// Caches returns the cache sizes of the machine. Tests replace it.
	Caches func() cpucache.Sizes

	mu      sync.Mutex // locked while helpers are added
	list    atomic.Pointer[[]*helper]
	backoff backoff
}

// Shared is the pool of the process, for programs and for products of engine/blas. No helper runs before a loop needs it.
var Shared = NewPool()

// NewPool returns a pool without helpers. The pool starts them when a loop is
// planned that can use them.
func NewPool() *Pool {
	p := &Pool{Processors: processors, Caches: func() cpucache.Sizes { return machine.Current().Caches }}
	p.list.Store(new([]*helper))
	p.backoff.start = time.Now()
	return p
}

// processors returns GOMAXPROCS, or the number of processors available to the
// process if that is less.
func processors() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// helpers returns the helpers of the pool. Nothing is ever removed from the list.
func (p *Pool) helpers() []*helper { return *p.list.Load() }

// start starts helpers until there are n, or Processors()-1 if that is less. In a
// testing/synctest bubble it starts none: the bubble would wait for their end.
func (p *Pool) start(n int) {
	n = min(n, p.Processors()-1)
	if len(p.helpers()) >= n || inBubble() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list := append(make([]*helper, 0, n), p.helpers()...)
	for len(list) < n {
		h := &helper{parker: newParker()}
		list = append(list, h)
		go h.loop()
	}
	p.list.Store(&list)
}

// inBubble reports whether the goroutine belongs to a testing/synctest bubble. The
// first line of its stack says so.
func inBubble() bool {
	var buf [256]byte
	header, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("\n"))
	return bytes.Contains(header, []byte("synctest bubble"))
}

// A backoff says until when callers offer helpers no slots. If other processes use
// the processors too, the system may stop a helper in the middle of a chunk for
// milliseconds, and the caller must wait. Then callers offer no slots for a time
// in proportion to that wait. The proportion grows as long as helpers are stopped again.
type backoff struct {
	active atomic.Bool
	until  atomic.Int64 // end of the backoff, in nanoseconds since start
	start  time.Time

	mu     sync.Mutex // locked while a backoff begins
	factor time.Duration
	length time.Duration // of the last backoff
}

const (
	// waitLimit is the longest wait of a caller that begins no backoff, apart from
	// the time of one unit.
	waitLimit = 100 * time.Microsecond
	// mostBackoff is the greatest ratio of the backoff to the wait.
	mostBackoff = 32
)

// waited begins a backoff if a caller's wait for a helper was longer than waitLimit
// and the time of one unit, which the helper may have begun when the caller ended. The
// first backoff is as long as the wait. One that begins soon after another is twice as
// long for the same wait.
func (b *backoff) waited(wait, unit time.Duration) {
	if wait <= waitLimit+unit {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Since(b.start)
	if now-time.Duration(b.until.Load()) > 4*b.length {
		b.factor = 0
	}
	b.factor = min(max(2*b.factor, 1), mostBackoff)
	b.length = b.factor * wait
	b.until.Store(int64(now + b.length))
	b.active.Store(true)
}

// over reports whether callers may offer slots to helpers.
func (b *backoff) over() bool {
	if !b.active.Load() {
		return true
	}
	if int64(time.Since(b.start)) < b.until.Load() {
		return false
	}
	b.active.Store(false)
	return true
}
