package cuda

import (
	"bytes"

	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// A replay is the graph of a program whose arguments do not change from run to
// run: one launch instead of many.
type replay struct {
	last   []byte // the arguments of the last run
	now    []byte
	stable int // runs with those arguments
	graph  cu.GraphExec
	off    bool // the program cannot be captured
}

// stableRuns is how many runs with the same arguments make capturing worth its
// time.
const stableRuns = 3

// run launches the graph, if there is one for the arguments as they are, or makes
// one. If done is false the stages are to be queued.
func (r *replay) run(p *program, l *driverStream) (done bool, err error) {
	if r.off || p.raises || p.d.debug.sync || !cu.HasGraphs() {
		return false, nil
	}
	n := 0
	r.now = r.now[:0]
	for _, s := range p.steps {
		if usesWorkspace(s) { // a graph would keep that of one stream
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
		// Its last run may not have ended.
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

// usesWorkspace reports whether a stage works in the workspace of its driverStream.
func usesWorkspace(s step) bool {
	switch x := s.(type) {
	case *product:
		return len(x.gemms) > 0
	case *biased:
		return true
	}
	return false
}

// capture queues the stages into a graph. Where none can be made it is 0, and no
// error: queueing the stages will say what is wrong, if anything is.
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

// forget releases the graph, which is not running.
func (r *replay) forget() error {
	g := r.graph
	r.graph = 0
	if g == 0 {
		return nil
	}
	return g.Destroy()
}
