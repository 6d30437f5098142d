package cuda

import (
	"cmp"
	"context"
	"sync"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
)

// A stream is a queue of entries that queue work on a driverStream, or that the
// host carries out. An entry that does not make its caller wait runs at once, on
// the goroutine of the caller, if none is before it. Others run in order on a
// goroutine that ends when the queue is empty. After an error later entries are
// skipped until Sync has returned the error.
type stream struct {
	d            *device
	driverStream *driverStream
	ctx          context.Context // of functions of the host
	cancel       context.CancelFunc

	mu      sync.Mutex
	changed *sync.Cond // entries are taken, or none runs any more
	entries []func()
	running bool     // a goroutine runs an entry
	failed  *failure // the first since Sync last returned one
	closed  bool

	// Only the goroutine that runs an entry uses what follows.
	stage  stage
	live   []any    // keeps what queued work uses from the collector
	events []*event // recorded since the last wait for the driverStream
}

// A failure is an error of a stream. Its address identifies it.
type failure struct{ err error }

const (
	// maxLive is the largest number of entries of live, and of events. At that number
	// the stream waits for its driverStream.
	maxLive = 1024
	// maxEntries is the capacity of the queue. Callers wait while it is full.
	maxEntries = 1024
)

// NewStream returns a new stream of the GPU. The caller must close it.
func (d *device) NewStream() (driver.Stream, error) {
	s := &stream{d: d}
	err := d.do("making a stream", func() (err error) {
		s.driverStream, err = d.newDriverStream()
		return err
	})
	if err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.changed = sync.NewCond(&s.mu)
	return s, nil
}

// mine returns s as a stream of this GPU, or an error if it is not one.
func (d *device) mine(s driver.Stream) (*stream, error) {
	if on, ok := s.(*stream); ok && on.d == d {
		return on, nil
	}
	return nil, d.fail("queueing", errOtherStream)
}

var errClosedStream = tree.NewError(tree.ErrDevice, "", "the stream is closed")

// add runs f now, or queues it: if it may wait, or if other entries are before it.
// It reports false if the stream is closed.
func (s *stream) add(waits bool, f func()) bool {
	s.mu.Lock()
	for len(s.entries) >= maxEntries {
		s.changed.Wait()
	}
	if s.closed {
		s.mu.Unlock()
		return false
	}
	if waits || s.running {
		s.entries = append(s.entries, f)
		if !s.running {
			s.running = true
			go s.work()
		}
		s.mu.Unlock()
		return true
	}
	s.running = true
	s.mu.Unlock()
	f()
	s.mu.Lock()
	if len(s.entries) > 0 {
		go s.work()
	} else {
		s.running = false
		s.changed.Broadcast()
	}
	s.mu.Unlock()
	return true
}

// work runs entries until there are none.
func (s *stream) work() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.entries) > 0 {
		batch := s.entries
		s.entries = nil
		s.changed.Broadcast()
		s.mu.Unlock()
		for i, f := range batch {
			f()
			batch[i] = nil
		}
		s.mu.Lock()
	}
	s.running = false
	s.changed.Broadcast()
}

// queue adds an entry that may fail.
func (s *stream) queue(waits bool, f func() error) {
	s.add(waits, func() {
		if s.failure() != nil {
			return
		}
		if err := f(); err != nil {
			s.end(err)
		}
	})
}

// end makes the stream fail. The caller may release memory then, so end waits for
// the driverStream before it reports the failure.
func (s *stream) end(err error) {
	_ = s.d.do("waiting", s.drain) // the first error tells the cause
	s.fail(err)
}

func (s *stream) failure() *failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = &failure{err}
	}
}

// push adds an entry that queues work on the driverStream. The work uses keep,
// which stays reachable until the work has ended. waits says whether f may wait.
func (s *stream) push(doing string, waits bool, keep any, f func() error) {
	s.queue(waits, func() error {
		return s.d.do(doing, func() error {
			if err := s.room(); err != nil {
				return err
			}
			s.live = append(s.live, keep)
			return f()
		})
	})
}

// room waits for the driverStream if too much is kept for its work. The context is
// current.
func (s *stream) room() error {
	if len(s.live) < maxLive && len(s.events) < maxLive {
		return nil
	}
	return s.drain()
}

// drain waits for the driverStream. Then nothing is kept any more, and all recorded
// events are reached. The context is current.
func (s *stream) drain() error {
	if err := s.driverStream.wait(); err != nil {
		return err
	}
	clear(s.live)
	s.live = s.live[:0]
	for _, e := range s.events {
		e.reach()
	}
	clear(s.events)
	s.events = s.events[:0]
	return nil
}

// Go queues a function of the host. It begins when all earlier entries have
// ended.
func (s *stream) Go(f func(context.Context) error) {
	s.queue(true, func() (err error) {
		if err := s.d.do("waiting", s.drain); err != nil {
			return err
		}
		if f == nil {
			return tree.NewError(tree.ErrValue, "", "the function for the stream is nil")
		}
		defer func() {
			if p := recover(); p != nil {
				err = tree.NewError(tree.ErrValue, "", "a function of the stream panicked: %v", p)
			}
		}()
		return f(s.ctx)
	})
}

// Record returns an event for the end of what has been queued so far.
func (s *stream) Record() driver.Event { return s.recorded(&event{s: s}) }

// recorded queues the record of a new event, and returns it.
func (s *stream) recorded(e *event) *event {
	if !s.add(false, func() { e.queued(s.record(e)) }) {
		e.queued(&failure{errClosedStream})
	}
	return e
}

// record records an event on the driverStream, and returns the failure of the
// stream.
func (s *stream) record(e *event) *failure {
	if f := s.failure(); f != nil {
		return f
	}
	err := s.d.do("recording an event", func() (err error) {
		if err := s.room(); err != nil {
			return err
		}
		if e.timed {
			e.on, err = s.d.timedEvent(e)
		} else {
			e.on, err = s.d.event()
		}
		if err != nil {
			return err
		}
		s.events = append(s.events, e)
		return e.on.Record(s.driverStream.stream)
	})
	if err != nil {
		s.end(err)
	}
	return s.failure()
}

// After makes later entries wait for e.
func (s *stream) After(e driver.Event) {
	if e == nil {
		return
	}
	other, ok := e.(*event)
	if !ok {
		s.queue(true, func() error { return e.Wait(s.ctx) })
		return
	}
	known, err := other.known()
	switch {
	case known && err != nil:
		s.queue(false, func() error { return err })
	case other.s == s: // its entry is before the next
	default:
		s.queue(!known, func() error {
			if err := other.waitQueued(s.ctx); err != nil {
				return err
			}
			return s.d.do("waiting for an event", func() error { return other.use(s.driverStream.stream.WaitEvent) })
		})
	}
}

// Sync waits until the queue is empty and returns its first error.
func (s *stream) Sync(ctx context.Context) error {
	e := &event{s: s}
	if !s.add(true, func() {
		if s.failure() == nil {
			if err := s.d.do("waiting", s.drain); err != nil {
				s.fail(err)
			}
		}
		e.queued(s.failure())
	}) {
		return errClosedStream
	}
	if err := e.waitQueued(ctx); e.failed == nil || !e.isQueued() {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == e.failed { // a later failure is for the next Sync
		s.failed = nil
	}
	return e.failed.err
}

// Close waits for the queue and releases the stream.
func (s *stream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for s.running {
		s.changed.Wait()
	}
	f := s.failed
	s.mu.Unlock()
	s.cancel()
	err := s.d.do("closing a stream", func() error {
		err := s.drain()
		err = cmp.Or(err, s.stage.close())
		return cmp.Or(err, s.d.retire(s.driverStream))
	})
	if f != nil {
		return f.err
	}
	return err
}

func (s *stream) String() string { return "stream of " + s.d.name }
