package cuda

import (
	"bytes"

	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// A replay is the CUDA graph of a program whose arguments do not change between
// runs. One launch of the graph replaces the launches of all stages.
type replay struct {
	last   []byte // the arguments of the last run
	now    []byte
	stable int // number of runs with those arguments
	graph  cu.GraphExec
	off    bool // the program cannot be captured
}

// stableRuns is the number of runs with the same arguments after which the replay
// captures them.
const stableRuns = 3

// run launches the graph if it has the current arguments, and captures it after
// stableRuns equal runs. If done is false, the caller must queue the stages.
func (r *replay) run(p *program, l *driverStream) (done bool, err error) {
	if r.off || p.raises || p.d.debug.sync || !cu.HasGraphs() {
		return false, nil
	}
	n := 0
	r.now = r.now[:0]
	for _, s := range p.steps {
		if usesWorkspace(s) { // the graph would keep the workspace of one stream
			r.off = true
			return false, nil
		}
		n += s.launches()
		r.now = s.state(r.now)
	}
	if n < 2 {
		return false, nil
	}
	if !bytes.Equal(r.now, r.last) {
		r.last, r.now = r.now, r.last
		r.stable = 1
		if r.graph == 0 {
			return false, nil
		}
		// The last run of the graph may not have ended.
		if err := l.wait(); err != nil {
			return false, err
		}
		return false, r.forget()
	}
	if r.graph == 0 {
		if r.stable++; r.stable < stableRuns {
			return false, nil
		}
		if r.graph = capture(p, l); r.graph == 0 {
			r.off = true
			return false, nil
		}
	}
	return true, r.graph.Launch(l.stream)
}

// usesWorkspace reports whether a stage uses the workspace of its driverStream, or
// the CPU, which no graph can contain.
func usesWorkspace(s step) bool {
	switch x := s.(type) {
	case *product:
		return len(x.gemms) > 0
	case *biased, *hostCall:
		return true
	}
	return false
}

// capture captures the stages into a graph. It returns 0 if it cannot, and no
// error: queueing the stages then returns the error, if there is one.
func capture(p *program, l *driverStream) (exec cu.GraphExec) {
	p.d.capturing.RLock()
	defer p.d.capturing.RUnlock()
	if l.stream.BeginCapture() != nil {
		return 0
	}
	var failed error
	for _, s := range p.steps {
		if failed = s.launch(l); failed != nil {
			break
		}
	}
	g, err := l.stream.EndCapture()
	if g == 0 {
		return 0
	}
	if failed == nil && err == nil {
		if exec, err = g.Instantiate(); err != nil {
			exec = 0
		}
	}
	_ = g.Destroy()
	return exec
}

// forget destroys the graph. No run of it may be in progress.
func (r *replay) forget() error {
	g := r.graph
	r.graph = 0
	if g == 0 {
		return nil
	}
	return g.Destroy()
}
