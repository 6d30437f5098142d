package cu

import "unsafe"

// A Graph is work that was captured instead of done.
type Graph uintptr

// A GraphExec is a graph ready to be launched.
type GraphExec uintptr

// HasGraphs reports whether the driver can capture streams.
func HasGraphs() bool {
	for _, s := range []symbol{cuStreamBeginCapture, cuStreamEndCapture, cuGraphInstantiateWithFlags, cuGraphLaunch, cuGraphDestroy, cuGraphExecDestroy} {
		if !driver.has(s) {
			return false
		}
	}
	return true
}

// captureThreadLocal lets other threads allocate and free meanwhile.
const captureThreadLocal = 1

// BeginCapture makes what is queued from now on, by the calling thread, part of
// a graph.
func (s Stream) BeginCapture() error {
	return call(cuStreamBeginCapture, uintptr(s), captureThreadLocal)
}

// EndCapture ends the capture. The error of a call that cannot be captured shows
// here too.
func (s Stream) EndCapture() (Graph, error) {
	var g Graph
	err := call(cuStreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, err
}

// Instantiate makes the graph ready.
func (g Graph) Instantiate() (GraphExec, error) {
	var e GraphExec
	err := call(cuGraphInstantiateWithFlags, uintptr(unsafe.Pointer(&e)), uintptr(g), 0)
	return e, err
}

// Destroy releases the graph; what was made of it stays.
func (g Graph) Destroy() error { return call(cuGraphDestroy, uintptr(g)) }

// Launch queues the work of the graph.
func (e GraphExec) Launch(s Stream) error { return call4(cuGraphLaunch, uintptr(e), uintptr(s), 0, 0) }

// Destroy releases the graph. It must not be running.
func (e GraphExec) Destroy() error { return call(cuGraphExecDestroy, uintptr(e)) }
