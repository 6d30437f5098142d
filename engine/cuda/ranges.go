package cuda

import (
	"strings"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/internal/lists"
)

// ranges are the names under which a profiler shows the runs of a program, and the launches
// of each stage inside of them.
type ranges struct {
	run   cu.RangeName
	steps []cu.RangeName
}

// longestRange is the largest number of bytes of the name of a run.
const longestRange = 200

// newRanges returns the ranges of a program, nil if no profiler asks for them.
func (p *program) newRanges() *ranges {
	if !p.d.ranges {
		return nil
	}
	names := p.kernels()
	run := "run: " + strings.Join(names, "; ")
	return &ranges{run: cu.NewRangeName(run[:min(len(run), longestRange)]), steps: lists.Map(names, cu.NewRangeName)}
}

// beginRun begins the range of a run on the current thread.
func (r *ranges) beginRun() {
	if r != nil {
		r.run.Push()
	}
}

// beginStep begins the range of a step.
func (r *ranges) beginStep(i int) {
	if r != nil {
		r.steps[i].Push()
	}
}

// end ends the last range that has begun.
func (r *ranges) end() {
	if r != nil {
		cu.RangePop()
	}
}
