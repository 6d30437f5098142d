// Package backend is what a CPU backend implements: kernels in, work in chunks.
package backend

import (
	"github.com/oneloop/oneloop/engine/listing"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Backend compiles kernels for the CPU.
type Backend interface {
	Name() string
	Compile(k *ir.Kernel) (Code, error)
}

// Code is a compiled kernel, free of shapes and addresses. It is safe for
// concurrent use.
type Code interface {
	// Bind fixes extents, parameters, strides and extents of buffers. The
	// binding is kept: the caller may change Ptr and Scalars between runs.
	Bind(b *ir.Binding) (Instance, error)
}

// An Instance is code with its numbers. One run is: Begin; the units
// 0..n in any order, in disjoint chunks, by any number of workers at once;
// Finish by one of them. The bits of the result do not depend on the chunks.
type Instance interface {
	// Units is the size of the parallel index space. Chunks begin at multiples
	// of grain. Cost is a rough number of primitive element operations in one
	// unit.
	Units() (n, grain int, cost float64)
	// NewWorker makes the scratch memory of one goroutine, to be kept for later
	// runs.
	NewWorker() Worker
	Begin()
	// Finish combines partial reductions and runs what depends on them. It
	// returns the least fault raised in this run.
	Finish(w Worker) ir.FaultKind
}

// A Worker runs chunks of one instance, for one goroutine at a time. It does
// not allocate.
type Worker interface {
	Run(lo, hi int)
}

// A Fallback is code that may leave its work to the interpreter: Fallback says
// why, or nothing.
type Fallback interface{ Fallback() string }

// A Native is an instance that runs machine code.
type Native interface {
	// Listing is the machine code. It is made again for this, with notes.
	Listing() ([]*listing.Function, error)
	// Profile lists the machine code in /tmp/perf-PID.map under a name.
	Profile(name string)
}
