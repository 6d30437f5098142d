package engine

import (
	"context"

	"github.com/oneloop/oneloop/plan"
)

// A Device is a place other than the host where memory can live and programs
// can run. The CPU needs none; packages that bring a device implement it.
// Errors of a missing or failing device match expr.ErrDevice, of exhausted
// memory expr.ErrOutOfMemory.
type Device interface {
	// Name is how programs choose the device: "cuda:0".
	Name() string
	// Alloc reserves size bytes, which are not cleared.
	Alloc(size int) (Allocation, error)
	Free(Allocation) error
	// Upload and Download copy whole allocations, in the order of the stream;
	// with a nil stream they have happened when the call returns.
	Upload(s Stream, dst Allocation, src []byte) error
	Download(s Stream, dst []byte, src Allocation) error
	NewStream() (Stream, error)
}

// A Compiler is a device that runs programs.
type Compiler interface {
	Device
	// Compile makes a program of a plan all of whose arrays are in memory of the
	// device, where they have an [Memory.Allocation].
	Compile(ctx context.Context, p *plan.Plan, o Options) (DeviceProgram, error)
}

// A DeviceProgram is a plan compiled by a device.
type DeviceProgram interface {
	// Run runs the plan and waits.
	Run(ctx context.Context) error
	// Queue runs the plan on a stream of the device, after what is queued there.
	// Errors are those of the stream.
	Queue(s Stream)
	// Close releases what the program has, after its runs.
	Close() error
}

// A Planned is a program that may run another plan than it was compiled for: one
// with stages that only its device has.
type Planned interface {
	DeviceProgram
	Plan() *plan.Plan
}

// A PeerCopier is a device that can copy from memory of another one without the
// host; ok is false where it cannot.
type PeerCopier interface {
	CopyPeer(dst, src Allocation) (ok bool, err error)
}

// An Allocation is memory of a device.
type Allocation interface {
	Size() int // bytes
}

// A Stream is a queue of work. Work of one stream happens in order; of several,
// in no order but what events impose.
type Stream interface {
	// Go queues work that the host does. An error is carried to later events.
	Go(f func(context.Context) error)
	// Record marks the end of what has been queued so far.
	Record() Event
	// After makes what is queued from now on wait for e, and fail as e fails.
	After(e Event)
	// Sync waits until the queue is empty and returns its first error.
	Sync(ctx context.Context) error
	// Close waits for the queue and releases the stream.
	Close() error
}

// An Event is a moment in the life of a stream.
type Event interface {
	// Done reports, without waiting, whether the moment has come, and the first
	// error of the work before it.
	Done() (bool, error)
	// Wait waits for the moment and returns the first error of the work before
	// it.
	Wait(ctx context.Context) error
}
