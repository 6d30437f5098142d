package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
)

// A hostStream is a stream of the host: a goroutine that takes work from a queue.
// After a failure it skips the work in the queue until Sync has returned the
// error.
type hostStream struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	failed *failure // the first failure since Sync last returned one
	closed bool
	sends  sync.WaitGroup // counts the sends to queue; Close waits for them and then closes queue
	queue  chan func()
	ended  chan struct{}
}

// streamDepth is the capacity of the queue. Go waits while the queue is full.
const streamDepth = 1024

// A failure is an error of the work of a stream. The address of a failure
// identifies it, because equal errors may occur again.
type failure struct{ err error }

// NewStream starts a stream of the host and returns it. The caller must close it.
func NewStream() driver.Stream {
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
	if s.failed == nil {
		s.failed = &failure{err}
	}
}

func (s *hostStream) failure() *failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// push queues f. It reports false if the stream is closed.
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

// do queues f, unless it is nil, and returns an event of its end. If the stream is
// closed, the event has an error.
func (s *hostStream) do(f func(context.Context) error) *hostEvent {
	e := &hostEvent{done: make(chan struct{})}
	if !s.push(func() {
		if f != nil && s.failure() == nil {
			if err := guarded("a function of the stream", func() error { return f(s.ctx) }); err != nil {
				s.fail(err)
			}
		}
		e.failed = s.failure()
		close(e.done)
	}) {
		e.failed = &failure{tree.NewError(tree.ErrDevice, "", "the stream is closed")}
		close(e.done)
	}
	return e
}

// guarded calls f, which calls a function of the user. It returns the error of f,
// or its panic as an error that names what.
func guarded(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = tree.NewError(tree.ErrValue, "", "%s panicked: %v", what, p)
		}
	}()
	return f()
}

func (s *hostStream) Go(f func(context.Context) error) {
	if f == nil {
		f = func(context.Context) error {
			return tree.NewError(tree.ErrValue, "", "the function for the stream is nil")
		}
	}
	s.do(f)
}

func (s *hostStream) Record() driver.Event { return s.do(nil) }

func (s *hostStream) String() string { return "stream of the cpu" }

type hostEvent struct {
	done   chan struct{}
	failed *failure // valid when done is closed
}

func (s *hostStream) After(e driver.Event) {
	if e == nil {
		return
	}
	s.Go(func(ctx context.Context) error { return e.Wait(ctx) })
}

func (s *hostStream) Sync(ctx context.Context) error {
	e := s.do(nil)
	err := e.Wait(ctx)
	done, failed := e.Done()
	if !done || failed == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == e.failed { // keep a later failure for the next Sync
		s.failed = nil
	}
	return failed
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
	if f := s.failure(); f != nil {
		return f.err
	}
	return nil
}

func (e *hostEvent) Done() (bool, error) {
	select {
	case <-e.done:
		return true, e.failure()
	default:
		return false, nil
	}
}

func (e *hostEvent) String() string {
	if done, err := e.Done(); !done || err != nil {
		return fmt.Sprintf("event of the cpu (done: %t, error: %v)", done, err)
	}
	return "event of the cpu (done: true)"
}

// failure returns the error of an event that is done.
func (e *hostEvent) failure() error {
	if e.failed == nil {
		return nil
	}
	return e.failed.err
}

func (e *hostEvent) Wait(ctx context.Context) error {
	if err := checkContext(ctx, "Event.Wait"); err != nil {
		return err
	}
	select {
	case <-e.done:
		return e.failure()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A Queued is a tensor whose assignments run on a stream. See [Tensor.On].
type Queued[T expr.Elem] struct {
	t *Tensor[T]
	s driver.Stream
}

// On returns t as the target of assignments on a stream, as a tensor of mshadow has a stream. An
// assignment is compiled at once, and runs after the work that the stream has. Its operands are read
// then, so they must not change before the event that it returns is done. The event has the error,
// and so has the stream. A program that runs often is cheaper: [Program.RunAsync].
func (t *Tensor[T]) On(s driver.Stream) Queued[T] { return Queued[T]{t, s} }

// Assign queues t = e.
func (q Queued[T]) Assign(e expr.Exp[T]) driver.Event { return q.queue(expr.Set, e) }

// AddAssign queues t += e.
func (q Queued[T]) AddAssign(e expr.Exp[T]) driver.Event { return q.queue(expr.Plus, e) }

// SubAssign queues t -= e.
func (q Queued[T]) SubAssign(e expr.Exp[T]) driver.Event { return q.queue(expr.Minus, e) }

// MulAssign queues t *= e.
func (q Queued[T]) MulAssign(e expr.Exp[T]) driver.Event { return q.queue(expr.Times, e) }

// DivAssign queues t /= e.
func (q Queued[T]) DivAssign(e expr.Exp[T]) driver.Event { return q.queue(expr.Over, e) }

func (q Queued[T]) queue(s expr.Saver, e expr.Exp[T]) driver.Event {
	p, err := Compile(context.Background(), expr.Statement{Saver: s, Target: q.t.Node(), Value: expr.NodeOf(e)})
	if err == nil {
		return p.RunAsync(q.s)
	}
	if q.s != nil {
		q.s.Go(func(context.Context) error { return err })
		return q.s.Record()
	}
	return ended(err)
}
