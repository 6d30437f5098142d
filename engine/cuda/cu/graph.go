package cu

import "unsafe"

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
