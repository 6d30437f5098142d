package engine

import (
	"context"
	"sync"

	"github.com/oneloop/oneloop/expr"
)

// A hostStream is the CPU's stream: a goroutine that takes work from a queue.
// After a failure the rest of the queue is skipped until Sync has returned the
// error.
type hostStream struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	err    error
	closed bool
	sends  sync.WaitGroup // into queue, which is closed after them
	queue  chan func()
	ended  chan struct{}
}

// streamDepth is how much work may be queued before Go waits for some of it.
const streamDepth = 1024

// NewStream starts a stream of the CPU. It must be closed.
func NewStream() Stream {
	s := &hostStream{queue: make(chan func(), streamDepth), ended: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(s.ended)
		for f := range s.queue {
			f()
		}
	}()
	return s
}

func (s *hostStream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *hostStream) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// push queues f, unless the stream is closed.
func (s *hostStream) push(f func()) bool {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	s.sends.Add(1)
	s.mu.Unlock()
	s.queue <- f
	s.sends.Done()
	return true
}

// do queues f, if there is one, and an event that comes after it. On a closed
// stream the event says so.
func (s *hostStream) do(f func(context.Context) error) *hostEvent {
	e := &hostEvent{done: make(chan struct{})}
	if !s.push(func() {
		if f != nil && s.failure() == nil {
			if err := f(s.ctx); err != nil {
				s.fail(err)
			}
		}
		e.err = s.failure()
		close(e.done)
	}) {
		e.err = expr.NewError(expr.ErrDevice, "", "the stream is closed")
		close(e.done)
	}
	return e
}

func (s *hostStream) Go(f func(context.Context) error) { s.do(f) }

func (s *hostStream) Record() Event { return s.do(nil) }

type hostEvent struct {
	done chan struct{}
	err  error // valid once done is closed
}

func (s *hostStream) After(e Event) {
	s.Go(func(ctx context.Context) error { return e.Wait(ctx) })
}

func (s *hostStream) Sync(ctx context.Context) error {
	err := s.Record().Wait(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil {
		s.err = nil
	}
	return err
}

func (s *hostStream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.sends.Wait()
	close(s.queue)
	<-s.ended
	s.cancel()
	return s.failure()
}

func (e *hostEvent) Done() (bool, error) {
	select {
	case <-e.done:
		return true, e.err
	default:
		return false, nil
	}
}

func (e *hostEvent) Wait(ctx context.Context) error {
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RunAsync queues a run on a stream; the event comes when it has ended, and
// carries its error. On a stream of the device that the program runs on, the
// host waits for nothing. Later uses of the memory wait for the run.
func (p *Program) RunAsync(s Stream) Event {
	if p.device != nil {
		return p.device.queue(s)
	}
	if h, ok := s.(*hostStream); ok { // at once, or a stream that is closed meanwhile had no event of the run
		return h.do(p.Run)
	}
	s.Go(p.Run)
	return s.Record()
}
