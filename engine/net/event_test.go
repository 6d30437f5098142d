package net_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/net"
)

func check(t testing.TB, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) || kind == nil && err != nil {
		t.Errorf("%s: error %v, want %v", what, err, kind)
	}
}

// TestEvent carries out every transition.
func TestEvent(t *testing.T) {
	fails := errors.New("fails")
	reach := map[net.State]func(e *net.Event){
		net.Initialized: func(*net.Event) {},
		net.Scheduled:   func(e *net.Event) { e.Record() },
		net.Success:     func(e *net.Event) { e.Record(); e.SetFinished(nil) },
		net.Failed:      func(e *net.Event) { e.Record(); e.SetFinished(fails) },
	}
	record := func(e *net.Event) bool { return e.Record() == nil }
	finish := func(e *net.Event) bool { return e.SetFinished(nil) }
	fail := func(e *net.Event) bool { return e.SetFinished(fails) }
	reset := func(e *net.Event) bool { return e.Reset() == nil }
	for _, c := range []struct {
		from net.State
		do   func(e *net.Event) bool
		ok   bool
		to   net.State
	}{
		{net.Initialized, record, true, net.Scheduled},
		{net.Initialized, finish, true, net.Success},
		{net.Initialized, fail, true, net.Failed},
		{net.Initialized, reset, true, net.Initialized},
		{net.Scheduled, record, false, net.Scheduled},
		{net.Scheduled, finish, true, net.Success},
		{net.Scheduled, fail, true, net.Failed},
		{net.Scheduled, reset, false, net.Scheduled},
		{net.Success, record, false, net.Success},
		{net.Success, fail, false, net.Success},
		{net.Success, reset, true, net.Initialized},
		{net.Failed, record, false, net.Failed},
		{net.Failed, finish, false, net.Failed},
		{net.Failed, reset, true, net.Initialized},
	} {
		e := &net.Event{}
		reach[c.from](e)
		if ok := c.do(e); ok != c.ok || e.Query() != c.to {
			t.Errorf("from %v: %t, to %v, want %t, %v", c.from, ok, e.Query(), c.ok, c.to)
		}
		if done, err := e.Done(); done != (c.to >= net.Success) || (err != nil) != (c.to == net.Failed) || !errors.Is(e.Err(), err) {
			t.Errorf("%v: Done is %t, %v", c.to, done, err)
		}
	}
}

func TestEventWait(t *testing.T) {
	ctx := context.Background()
	fails := errors.New("fails")
	e := &net.Event{}
	check(t, "Record", e.Record(), nil)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	check(t, "Wait with a context that is done", e.Wait(cancelled), context.Canceled)
	called := make(chan error, 1)
	e.OnFinished(func(err error) { called <- err })
	waits := make(chan error)
	for range 3 {
		go func() { waits <- e.Wait(ctx) }()
	}
	s := engine.NewStream() // a stream waits for the event as well
	s.After(e)
	e.SetFinished(fails)
	for range 3 {
		check(t, "Wait", <-waits, fails)
	}
	check(t, "OnFinished", <-called, fails)
	check(t, "a stream", s.Sync(ctx), fails)
	check(t, "Close", s.Close(), nil)
	e.OnFinished(func(err error) { called <- err })
	check(t, "OnFinished of an event that has ended", <-called, fails)
	if got := net.State(9).String(); got != "State(9)" {
		t.Errorf("an unknown state is %q", got)
	}
	var _ driver.Event = e
}
