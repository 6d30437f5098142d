package engine

import (
	"context"

	"github.com/oneloop/oneloop/plan"
)

// A Device has memory of its own and may run programs. A package with devices
// implements it. Errors of a missing or failing device match
// expr.ErrDevice. Errors of exhausted memory match expr.ErrOutOfMemory.
type Device interface {
	// Name returns the name of the device, such as "cpu", that
	// OpenDevice takes.
	Name() string
	// Alloc returns an allocation of size bytes, whose contents are undefined.
	Alloc(size int) (Allocation, error)
	Free(Allocation) error
	// Upload and Download copy whole allocations, in the order of the stream.
	// With a nil stream the copy has ended when the call returns.
	Upload(s Stream, dst Allocation, src []byte) error
	Download(s Stream, dst []byte, src Allocation) error
	NewStream() (Stream, error)
}

// A Driver finds the devices of one kind.
type Driver interface {
	// Open returns device number index, from 0. Every call with the same index
	// returns the same Device.
	Open(index int) (Device, error)
	// Count returns the number of devices. If there is none, the error says why.
	Count() (int, error)
}

// A Compiler is a device that runs programs.
type Compiler interface {
	Device
	// Compile returns a program for a plan. All arrays of the plan are in memory
	// of the device, with a [Memory.Allocation].
	Compile(ctx context.Context, p *plan.Plan, o Options) (DeviceProgram, error)
}

// A DeviceProgram is a plan compiled by a device.
type DeviceProgram interface {
	// Run runs the plan and returns when the run has ended.
	Run(ctx context.Context) error
	// Queue queues a run of the plan on a stream of the device. An error of the
	// run becomes an error of the stream.
	Queue(s Stream)
	// Close waits for the runs and releases the resources of the program.
	Close() error
}

// A Planned is a program that may run another plan than the one given to Compile,
// such as a plan with stages that only its device has. Plan returns the plan that
// it runs.
type Planned interface {
	DeviceProgram
	Plan() *plan.Plan
}

// A PeerCopier is a device that may copy from memory of another device without
// the host. CopyPeer returns false if it cannot, and then copies nothing.
type PeerCopier interface {
	CopyPeer(dst, src Allocation) (ok bool, err error)
}

// A Clearer is a device that stores zeros without a copy from the host. Clear
// returns when the work of every stream sees them.
type Clearer interface {
	Clear(a Allocation) error
}

// An Allocation is memory of a device.
type Allocation interface {
	Size() int // bytes
}

// A Stream is a queue of work. The work of one stream runs in order. Only events
// order the work of different streams.
type Stream interface {
	// Go queues a function that the host calls. Later events return its error.
	Go(f func(context.Context) error)
	// Record returns an event for the end of the work queued so far.
	Record() Event
	// After makes work queued later wait for e. If e has an error, the stream
	// fails with it.
	After(e Event)
	// Sync waits for the work queued so far and returns the first error of the
	// stream.
	Sync(ctx context.Context) error
	// Close waits for the queue and releases the stream.
	Close() error
}

// An Event is a point in the queue of a stream. It is done when all work queued
// before it has ended.
type Event interface {
	// Done reports, without waiting, whether the event is done, and returns the
	// first error of the work before it.
	Done() (bool, error)
	// Wait waits until the event is done or ctx is done. It returns the first
	// error of the work before the event, or the error of ctx.
	Wait(ctx context.Context) error
}
