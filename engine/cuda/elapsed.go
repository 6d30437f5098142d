package cuda

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
)

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
