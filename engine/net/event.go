package net

import (
	"context"
	"strconv"
	"sync"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A State is the state of an event, with Caffe2's names and numbers.
type State uint8

// The states.
const (
	Initialized State = iota
	Scheduled
	Success
	Failed
)

func (s State) String() string {
	names := [...]string{"initialized", "scheduled", "success", "failed"}
	if int(s) >= len(names) {
		return "State(" + strconv.Itoa(int(s)) + ")"
	}
	return names[s]
}

// An Event tells the state of a run of an operator or a net:
//
//	Initialized --Record--> Scheduled --SetFinished(nil)--> Success
//	                             `------SetFinished(err)--> Failed
//	Reset returns to Initialized.
//
// The zero Event is Initialized. An Event is an [driver.Event], so a stream can
// wait for it. It is safe for concurrent use.
type Event struct {
	mu    sync.Mutex
	state State
	err   error
	end   *ending // nil until somebody waits
	calls []func(error)
}

// An ending is the end of one run, for those that wait for it.
type ending struct {
	done chan struct{} // closed when the run has ended
	err  error         // valid when done is closed
}

// failedEvent returns the event of a run that could not begin.
func failedEvent(err error) *Event { return &Event{state: Failed, err: err} }

func errNilEvent() error { return tree.NewError(tree.ErrType, "", "the event is nil") }

// Record says that the run has been scheduled. The error is [expr.ErrValue] if it
// was scheduled before, without Reset.
func (e *Event) Record() error {
	if e == nil {
		return errNilEvent()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != Initialized {
		return tree.NewError(tree.ErrValue, "", "the event is recorded in the state %v", e.state)
	}
	e.state = Scheduled
	return nil
}

// SetFinished says that the run has ended, with an error or nil. It reports false
// and changes nothing if the run had ended before.
func (e *Event) SetFinished(err error) bool {
	if e == nil {
		return false
	}
	calls, ok := e.finish(err)
	for _, f := range calls {
		f(err)
	}
	return ok
}

// finish is SetFinished without the calls that OnFinished asked for, which it returns.
func (e *Event) finish(err error) (calls []func(error), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == Success || e.state == Failed {
		return nil, false
	}
	e.state, e.err = Success, err
	if err != nil {
		e.state = Failed
	}
	if e.end != nil {
		e.end.err = err
		close(e.end.done)
	}
	calls, e.calls = e.calls, nil
	return calls, true
}

// Reset returns to Initialized. The error is [expr.ErrValue] if a run is scheduled:
// those that wait for it would wait for another.
func (e *Event) Reset() error {
	if e == nil {
		return errNilEvent()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == Scheduled {
		return tree.NewError(tree.ErrValue, "", "the event of a run that has not ended cannot be reset")
	}
	if e.state != Initialized { // those that wait for a first run go on waiting
		e.end = nil
	}
	e.state, e.err = Initialized, nil
	return nil
}

// Query returns the state without waiting.
func (e *Event) Query() State {
	e = zero.IfNil(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Err returns the error of a Failed run, or nil: Caffe2's ErrorMessage.
func (e *Event) Err() error {
	e = zero.IfNil(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Done reports whether the run has ended, and returns its error.
func (e *Event) Done() (bool, error) {
	e = zero.IfNil(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state == Success || e.state == Failed, e.err
}

// Wait waits until the run has ended or ctx is done, and returns the error of the
// run or of ctx. It is also Caffe2's Finish.
func (e *Event) Wait(ctx context.Context) error {
	switch {
	case e == nil:
		return errNilEvent()
	case ctx == nil:
		return errNilContext()
	}
	e.mu.Lock()
	if e.state == Success || e.state == Failed {
		defer e.mu.Unlock()
		return e.err
	}
	if e.end == nil {
		e.end = &ending{done: make(chan struct{})}
	}
	end := e.end
	e.mu.Unlock()
	select {
	case <-end.done:
		return end.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// OnFinished calls f with the error of the run when it ends, or now if it has ended:
// Caffe2's SetCallback. It does nothing if f is nil.
func (e *Event) OnFinished(f func(error)) {
	if e == nil || f == nil {
		return
	}
	e.mu.Lock()
	if e.state != Success && e.state != Failed {
		e.calls = append(e.calls, f)
		e.mu.Unlock()
		return
	}
	err := e.err
	e.mu.Unlock()
	f(err)
}
