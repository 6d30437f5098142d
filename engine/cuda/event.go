package cuda

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
)

// An event is queued when the host has recorded it, and reached when the GPU has
// executed it. An event with a failure is reached when it is queued.
type event struct {
	s     *stream
	timed bool // on has the time at which it was reached, and belongs to this event alone

	mu      sync.Mutex
	done    bool          // queued
	ready   chan struct{} // closed when the event is queued; nil if no one has waited
	failed  *failure      // valid when done
	on      cu.Event      // 0 before it is recorded, and when it is reached unless it is timed
	waiting int           // goroutines that use on
	over    bool          // reached: the last that waits gives on back
}

// event returns an event of the driver without timing. The context is current.
func (d *device) event() (cu.Event, error) {
	if e, ok := takeLast(d, &d.events); ok {
		return e, nil
	}
	return cu.EventCreate(cu.EVENT_DISABLE_TIMING | cu.EVENT_BLOCKING_SYNC)
}

// giveBackEvent keeps an event of the driver for the next Record. A stream that
// waits for it has noted what it waits for.
func (d *device) giveBackEvent(e cu.Event) {
	d.mu.Lock()
	d.events = append(d.events, e)
	d.mu.Unlock()
}

// queued says that the host has recorded the event, or failed to.
func (e *event) queued(f *failure) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done, e.failed = true, f
	if e.ready != nil {
		close(e.ready)
	}
}

func (e *event) isQueued() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.done
}

// known reports whether the event is queued, and with which error.
func (e *event) known() (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done && e.failed != nil {
		return true, e.failed.err
	}
	return e.done, nil
}

// waitQueued waits until the event is queued. It returns the error of the event, or
// the error of ctx.
func (e *event) waitQueued(ctx context.Context) error {
	e.mu.Lock()
	if !e.done && e.ready == nil {
		e.ready = make(chan struct{})
	}
	ready := e.ready
	done := e.done
	e.mu.Unlock()
	if !done {
		select {
		case <-ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err := e.known()
	return err
}

// use calls f with the event of the driver, which stays valid meanwhile. It does
// not call f if the event is reached.
func (e *event) use(f func(cu.Event) error) error {
	e.mu.Lock()
	on := e.on
	if on == 0 {
		e.mu.Unlock()
		return nil
	}
	e.waiting++
	e.mu.Unlock()
	err := f(on)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting--; e.waiting == 0 && e.over {
		e.release()
	}
	return err
}

// reach says that the GPU has executed the event.
func (e *event) reach() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over = true; e.waiting == 0 {
		e.release()
	}
}

func (e *event) release() {
	if e.timed {
		return
	}
	if e.on != 0 {
		e.s.d.giveBackEvent(e.on)
	}
	e.on = 0
}

// Done reports whether the event is reached, and its error.
func (e *event) Done() (bool, error) {
	if done, err := e.known(); !done || err != nil {
		return done, err
	}
	done := true
	err := e.use(func(on cu.Event) error {
		return e.s.d.do("asking for an event", func() (err error) {
			done, err = on.Query()
			return err
		})
	})
	return done || err != nil, err
}

// Wait waits until the event is reached or ctx ends.
func (e *event) Wait(ctx context.Context) error {
	if err := e.waitQueued(ctx); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return e.use(func(on cu.Event) error { return e.s.d.do("waiting for an event", on.Synchronize) })
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

// RecordTime is Record of a stream of a GPU, with an event that notes the time at
// which the GPU reaches it, for [Elapsed]. The error matches expr.ErrDevice if s is
// no stream of a GPU. Other errors are those of the event.
func RecordTime(s driver.Stream) (driver.Event, error) {
	on, ok := s.(*stream)
	if !ok {
		return nil, tree.NewError(tree.ErrDevice, "", "the stream is of no GPU of CUDA")
	}
	return on.recorded(&event{s: on, timed: true}), nil
}

// Elapsed waits for two events of [RecordTime] and returns the time of the GPU from
// the first to the second, to about half a microsecond. It is negative if the GPU
// reached the second before the first. It returns the error of the work before an
// event, the error of ctx, or one that matches expr.ErrDevice if an event is not of RecordTime or
// the two are of different GPUs.
func Elapsed(ctx context.Context, from, to driver.Event) (time.Duration, error) {
	a, ok := from.(*event)
	b, ok2 := to.(*event)
	switch {
	case !ok || !ok2 || !a.timed || !b.timed:
		return 0, tree.NewError(tree.ErrDevice, "", "the time between events that are not of RecordTime")
	case a.s.d != b.s.d:
		return 0, tree.NewError(tree.ErrDevice, "", "the time between an event of %s and one of %s", a.s.d.name, b.s.d.name)
	}
	for _, e := range []*event{a, b} {
		if err := e.Wait(ctx); err != nil {
			return 0, err
		}
	}
	var ms float32
	err := a.s.d.do("measuring the time between events", func() error {
		return a.use(func(first cu.Event) error {
			return b.use(func(second cu.Event) (err error) {
				ms, err = second.ElapsedTime(first)
				return err
			})
		})
	})
	return time.Duration(math.Round(float64(ms) * 1e6)), err
}

// timedEvent returns a new event of the driver with timing. It is destroyed when e
// is garbage. The context is current.
func (d *device) timedEvent(e *event) (cu.Event, error) {
	on, err := cu.EventCreate(cu.EVENT_BLOCKING_SYNC)
	if err == nil {
		runtime.AddCleanup(e, func(on cu.Event) { d.deferred.put(on.Destroy) }, on)
	}
	return on, err
}
