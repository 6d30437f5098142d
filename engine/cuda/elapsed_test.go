package cuda

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// testElapsed measures the time of runs. The stand-in takes a microsecond for each.
func testElapsed(t *testing.T, s *standIn) {
	d := open(t)
	x := ramp(t, d, 100)
	p, err := engine.Compile(ctx, expr.Let(x, op.Add(x, x)))
	check(t, err)
	on, err := d.NewStream()
	check(t, err)
	defer on.Close()
	first, err := RecordTime(on)
	check(t, err)
	for range 3 {
		p.RunAsync(on)
	}
	last, err := RecordTime(on)
	check(t, err)
	for range 2 { // also after the stream was waited for
		if got, err := Elapsed(ctx, first, last); got != 3*time.Microsecond || err != nil {
			t.Errorf("three runs take %v, %v", got, err)
		}
		if got, err := Elapsed(ctx, last, first); got != -3*time.Microsecond || err != nil {
			t.Errorf("backwards: %v, %v", got, err)
		}
		check(t, on.Sync(ctx))
	}
	if done, err := last.Done(); !done || err != nil {
		t.Errorf("after Sync: %v, %v", done, err)
	}
	if n := len(d.events); n > 10 {
		t.Errorf("%d events are kept", n)
	}
	testElapsedErrors(t, s, d, first, on)
}

func testElapsedErrors(t *testing.T, s *standIn, d *device, e driver.Event, on driver.Stream) {
	host := engine.NewStream()
	defer host.Close()
	if _, err := RecordTime(host); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("a stream of the host: %v", err)
	}
	if _, err := Elapsed(ctx, e, on.Record()); !errors.Is(err, expr.ErrDevice) || !contains(err, "RecordTime") {
		t.Errorf("an event without timing: %v", err)
	}
	other := open(t)
	far, err := other.NewStream()
	check(t, err)
	defer far.Close()
	there, err := RecordTime(far)
	check(t, err)
	if _, err := Elapsed(ctx, e, there); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("events of two devices: %v", err)
	}
	broken := errors.New("broken")
	far.Go(func(context.Context) error { return broken })
	late, err := RecordTime(far)
	check(t, err)
	if _, err := Elapsed(ctx, there, late); !errors.Is(err, broken) {
		t.Errorf("an event after a failure: %v", err)
	}
	_ = far.Sync(ctx)
	s.fail("cuEventElapsedTime", 0, cu.ERROR_INVALID_VALUE)
	if _, err := Elapsed(ctx, e, e); !errors.Is(err, cu.ERROR_INVALID_VALUE) {
		t.Errorf("the driver fails: %v", err)
	}
}
