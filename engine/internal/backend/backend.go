// Package backend has the interfaces that a CPU back end implements. A back end
// compiles kernels and runs their units in chunks.
package backend

import (
	"context"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Backend compiles kernels for the CPU.
type Backend interface {
	Name() string
	Compile(k *ir.Kernel) (Code, error)
}

// Code is a compiled kernel without shapes and addresses. It is safe for
// concurrent use.
type Code interface {
	// Bind returns an instance with the extents, parameters, and strides and
	// extents of buffers of b. The instance keeps b: the caller may change Ptr
	// and Scalars between runs.
	Bind(b *ir.Binding) (Instance, error)
}

// An Instance is code with a binding. In one run, the caller calls Begin. Then any
// number of workers run the units 0..n in disjoint chunks, in any order. Then the
// caller calls Finish with one of the workers. The bits of the result do not
// depend on the chunks.
type Instance interface {
	// Units returns the number of units, the grain and the cost. Chunks begin at
	// multiples of grain. The cost is the approximate time of one unit on one
	// core, in nanoseconds.
	Units() (n, grain int, cost float64)
	// NewWorker returns a worker with scratch memory. The caller keeps it for
	// later runs.
	NewWorker() Worker
	// Watch lets later runs end early when ctx is done. Workers then stop in the
	// middle of long units and leave targets partly written.
	Watch(ctx context.Context)
	Begin()
	// Finish combines partial reductions and computes what depends on them. It
	// returns the least fault of this run, or ir.NoFault.
	Finish(w Worker) ir.FaultKind
}

// A Wide is an instance that may ask for as few chunks as there are workers: its units are
// columns, whose rows follow each other in memory.
type Wide interface{ Wide() bool }

// A Worker runs chunks of one instance, for one goroutine at a time. Run runs the
// units lo..hi and does not allocate.
type Worker interface {
	Run(lo, hi int)
}

// A Whole is a worker that can do a whole run with one call, which saves time if the
// run is short.
type Whole interface {
	Worker
	// RunAll is Begin, the run of all units, and Finish. same says that the binding is as it was
	// in the last call.
	RunAll(same bool) ir.FaultKind
	// Again returns the calls of machine code that can do a run again, or nil if more is to be done. ready
	// says that they do what RunAll did last, until the binding changes or something else runs the
	// worker. They set *faults to another value than 0 if there are faults, which Faults returns then.
	Again() (calls *exec.Bound, faults *uint64, ready bool)
	Faults() ir.FaultKind
}

// A Fallback is code that the interpreter may run in place of the back end.
// Fallback returns the reason, or "" if the back end runs the code.
type Fallback interface{ Fallback() string }

// A Native is an instance that runs machine code.
type Native interface {
	// Listing compiles the kernel again, with notes, and returns the machine
	// code.
	Listing() ([]*listing.Function, error)
	// Profile lists the machine code in /tmp/perf-PID.map under a name.
	Profile(name string)
}

// A Transposer is a back end that transposes matrices, as tree.Transpose says.
type Transposer interface {
	NewTranspose(size int) func(to, from unsafe.Pointer, rows, columns, toStep, fromStep int)
}
