package cu

import "unsafe"

// A Stream is a queue of work of a device. 0 is the default stream.
type Stream uintptr

// Flags of streams.
const (
	STREAM_DEFAULT      = 0
	STREAM_NON_BLOCKING = 1 // it and the default stream do not wait for each other
)

// StreamCreate returns a new stream of the current context.
func StreamCreate(flags uint) (Stream, error) { return get[Stream](cuStreamCreate, uintptr(flags)) }

// Destroy releases the stream. Queued work is still executed.
func (s Stream) Destroy() error { return call(cuStreamDestroy, uintptr(s)) }

// Synchronize waits until the queue is empty.
func (s Stream) Synchronize() error { return call4(cuStreamSynchronize, uintptr(s), 0, 0, 0) }

// Query reports whether the queue is empty.
func (s Stream) Query() (bool, error) { return ready(call(cuStreamQuery, uintptr(s))) }

// WaitEvent makes later work of the stream wait for e.
func (s Stream) WaitEvent(e Event) error {
	return call4(cuStreamWaitEvent, uintptr(s), uintptr(e), 0, 0)
}

// ready returns true for success, false for ERROR_NOT_READY, and any other error.
func ready(err error) (bool, error) {
	if e, ok := err.(*Error); ok && e.Result == ERROR_NOT_READY {
		return false, nil
	}
	return err == nil, err
}

// An Event is a position in the queue of a stream.
type Event uintptr

// Flags of events.
const (
	EVENT_DEFAULT        = 0
	EVENT_BLOCKING_SYNC  = 1 // a waiting thread sleeps
	EVENT_DISABLE_TIMING = 2
)

// EventCreate returns a new event of the current context.
func EventCreate(flags uint) (Event, error) { return get[Event](cuEventCreate, uintptr(flags)) }

// Destroy releases the event.
func (e Event) Destroy() error { return call(cuEventDestroy, uintptr(e)) }

// Record sets the event to the present end of the stream.
func (e Event) Record(s Stream) error { return call4(cuEventRecord, uintptr(e), uintptr(s), 0, 0) }

// Query reports whether the stream has reached the event.
func (e Event) Query() (bool, error) { return ready(call(cuEventQuery, uintptr(e))) }

// Synchronize waits until the stream has reached the event.
func (e Event) Synchronize() error { return call(cuEventSynchronize, uintptr(e)) }

// ElapsedTime returns the time from start to e, in milliseconds. Both must have
// been created with timing.
func (e Event) ElapsedTime(start Event) (float32, error) {
	return get[float32](cuEventElapsedTime, uintptr(start), uintptr(e))
}

// A Graph is captured work, which was not executed.
type Graph uintptr

// A GraphExec is a graph that can be launched.
type GraphExec uintptr

// HasGraphs reports whether the driver can capture streams.
func HasGraphs() bool {
	return driver.has(cuStreamBeginCapture, cuStreamEndCapture, cuGraphInstantiateWithFlags, cuGraphLaunch, cuGraphDestroy, cuGraphExecDestroy)
}

// captureThreadLocal allows other threads to allocate and free during a capture.
const captureThreadLocal = 1

// BeginCapture starts a capture. What the calling thread queues from now on
// becomes part of a graph.
func (s Stream) BeginCapture() error {
	return call(cuStreamBeginCapture, uintptr(s), captureThreadLocal)
}

// EndCapture ends the capture and returns its graph. If a call could not be
// captured, it returns an error.
func (s Stream) EndCapture() (Graph, error) {
	var g Graph
	err := call(cuStreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, err
}

// Instantiate returns the graph in a form that can be launched.
func (g Graph) Instantiate() (GraphExec, error) {
	return get[GraphExec](cuGraphInstantiateWithFlags, uintptr(g), 0)
}

// Destroy releases the graph. Its GraphExecs stay valid.
func (g Graph) Destroy() error { return call(cuGraphDestroy, uintptr(g)) }

// Launch queues the work of the graph.
func (e GraphExec) Launch(s Stream) error { return call4(cuGraphLaunch, uintptr(e), uintptr(s), 0, 0) }

// Destroy releases the graph. It must not be running.
func (e GraphExec) Destroy() error { return call(cuGraphExecDestroy, uintptr(e)) }
