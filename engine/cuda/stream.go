package cuda

import (
	"context"
	"runtime"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// A stream is a queue of the host whose entries queue work on a driverStream. So
// the caller waits neither for the host queue nor for the GPU. After an error
// later entries are skipped. Functions of the host run in the order of the queue.
type stream struct {
	host         engine.Stream
	d            *device
	driverStream *driverStream
	stage        stage
	live         []any // keeps what queued work uses from the collector; only the host queue's goroutine uses it
}

// maxLive is the largest number of entries of live. At that number the stream
// waits for its driverStream.
const maxLive = 1024

// NewStream returns a new stream of the GPU. The caller must close it.
func (d *device) NewStream() (engine.Stream, error) {
	s := &stream{d: d}
	err := d.do("making a stream", func() (err error) {
		s.driverStream, err = d.newDriverStream()
		return err
	})
	if err != nil {
		return nil, err
	}
	s.host = engine.NewStream()
	return s, nil
}

// mine returns s as a stream of this GPU, or an error if it is not one.
func (d *device) mine(s engine.Stream) (*stream, error) {
	if on, ok := s.(*stream); ok && on.d == d {
		return on, nil
	}
	return nil, d.fail("queueing", errOtherStream)
}

// queue adds an entry that may fail. After a failure later entries are skipped,
// also those that wait, and the caller may release memory. So queue waits for the
// driverStream before it reports a failure.
func (s *stream) queue(f func(context.Context) error) {
	s.host.Go(func(ctx context.Context) error {
		err := f(ctx)
		if err != nil {
			_ = s.d.do("waiting", s.drain) // the first error tells the cause
		}
		return err
	})
}

// push adds an entry that queues work on the driverStream. The work uses keep,
// which stays reachable until the work has ended.
func (s *stream) push(doing string, keep any, f func() error) {
	s.queue(func(context.Context) error {
		return s.d.do(doing, func() error {
			if len(s.live) >= maxLive {
				if err := s.drain(); err != nil {
					return err
				}
			}
			s.live = append(s.live, keep)
			return f()
		})
	})
}

// drain waits for the driverStream and clears live. The context is current.
func (s *stream) drain() error {
	if err := s.driverStream.wait(); err != nil {
		return err
	}
	clear(s.live)
	s.live = s.live[:0]
	return nil
}

func (s *stream) wait() { s.host.Go(func(context.Context) error { return s.d.do("waiting", s.drain) }) }

// Go queues a function of the host. It begins when all earlier entries have
// ended.
func (s *stream) Go(f func(context.Context) error) {
	s.wait()
	s.queue(f)
}

// Record returns an event for the end of what has been queued so far.
func (s *stream) Record() engine.Event {
	e := &event{d: s.d}
	err := s.d.do("making an event", func() (err error) {
		e.on, err = cu.EventCreate(cu.EVENT_DISABLE_TIMING | cu.EVENT_BLOCKING_SYNC)
		return err
	})
	if err != nil {
		s.queue(func(context.Context) error { return err })
		return s.host.Record()
	}
	runtime.AddCleanup(e, func(on cu.Event) { s.d.deferred.put(on.Destroy) }, e.on)
	s.queue(func(context.Context) error {
		return s.d.do("recording an event", func() error { return e.on.Record(s.driverStream.stream) })
	})
	e.queued = s.host.Record()
	return e
}

// After makes later entries wait for e.
func (s *stream) After(e engine.Event) {
	other, ok := e.(*event)
	if !ok {
		s.queue(e.Wait)
		return
	}
	s.queue(other.queued.Wait)
	s.push("waiting for an event", other, func() error { return s.driverStream.stream.WaitEvent(other.on) })
}

// Sync waits until the queue is empty and returns its first error.
func (s *stream) Sync(ctx context.Context) error {
	s.wait()
	return s.host.Sync(ctx)
}

// Close waits for the queue and releases the stream.
func (s *stream) Close() error {
	s.wait()
	err := s.host.Close()
	if s.driverStream == nil {
		return err
	}
	l := s.driverStream
	s.driverStream = nil
	e := s.d.do("closing a stream", func() error {
		err := l.wait() // for what was queued after s.wait
		clear(s.live)
		err = first(err, s.stage.close())
		return first(err, s.d.retire(l))
	})
	return first(err, e)
}

// An event is reached when the host has recorded it and the GPU has executed it.
type event struct {
	queued engine.Event
	on     cu.Event
	d      *device
}

// Done reports whether the event is reached.
func (e *event) Done() (bool, error) {
	defer runtime.KeepAlive(e) // else the cleanup may destroy the event during the call
	done, err := e.queued.Done()
	if !done || err != nil {
		return done, err
	}
	err = e.d.do("asking for an event", func() (err error) {
		done, err = e.on.Query()
		return err
	})
	return done || err != nil, err
}

// Wait waits until the event is reached or ctx ends.
func (e *event) Wait(ctx context.Context) error {
	defer runtime.KeepAlive(e)
	if err := e.queued.Wait(ctx); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return e.d.do("waiting for an event", e.on.Synchronize)
	}
	for pause := 10 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		if done, err := e.Done(); done {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
