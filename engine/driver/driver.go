// Package driver is for packages with devices, such as engine/cuda: the
// interfaces that a device, its streams and its programs implement, and the
// registration of a kind of device. A program that uses devices needs only the
// methods of [Stream] and [Event].
package driver

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan"
)

// A Device has memory of its own and may run programs. A package with devices
// implements it. Errors of a missing or failing device match
// expr.ErrDevice. Errors of exhausted memory match expr.ErrOutOfMemory.
type Device interface {
	// Name returns the name of the device, such as "cpu", that
	// engine.OpenDevice takes.
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

// A Debugger is a driver with words of its own in ONELOOP_DEBUG. DebugWords returns
// them: "word", and "word=VALUE" for one that takes a value.
type Debugger interface {
	Driver
	DebugWords() []string
}

// A Compiler is a device that runs programs.
type Compiler interface {
	Device
	// Compile returns a program for a plan. The Mem of an array of the plan is an
	// *engine.Memory whose Allocation is of the device, or nil for a temporary, for
	// which the program allocates memory.
	Compile(ctx context.Context, p *plan.Plan) (Program, error)
}

// A Planner is a compiler of plans with more than the stages that every compiler knows.
// PlanOptions returns what the stages may do.
type Planner interface {
	Compiler
	PlanOptions() []plan.Option
}

// A Program is a plan compiled by a device.
type Program interface {
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
	Program
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

// drivers are the drivers of the packages with devices that the program imports,
// by kind.
var drivers struct {
	sync.Mutex
	of map[string]Driver
}

// Register registers the driver for devices of a kind, the first part of their
// names. A package with devices calls it in an init function. It panics if the
// driver is nil.
func Register(kind string, d Driver) {
	if d == nil {
		panic("driver.Register: the driver is nil")
	}
	drivers.Lock()
	defer drivers.Unlock()
	zero.Put(&drivers.of, kind, d)
}

// Find returns the driver for devices of a kind, or nil if none is registered.
func Find(kind string) Driver {
	drivers.Lock()
	defer drivers.Unlock()
	return drivers.of[kind]
}

// Kinds returns the kinds with a driver, sorted.
func Kinds() []string {
	drivers.Lock()
	defer drivers.Unlock()
	return slices.Sorted(maps.Keys(drivers.of))
}
