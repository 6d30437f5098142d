package engine

import (
	"context"
	"sync"

	"github.com/oneloop/oneloop/expr"
)

// A Driver finds the devices of one kind. A package with devices registers its
// driver in an init function.
type Driver interface {
	// Open returns device number index. Every call with the same index returns
	// the same Device.
	Open(index int) (Device, error)
	// Count returns the number of devices. If there is none, the error says why.
	Count() (int, error)
}

var drivers struct {
	sync.Mutex
	of map[string]Driver
}

// RegisterDriver registers the driver for devices of a kind, such as "cuda". It
// panics if the driver is nil.
func RegisterDriver(kind string, d Driver) {
	if d == nil {
		panic("engine.RegisterDriver: the driver is nil")
	}
	drivers.Lock()
	defer drivers.Unlock()
	if drivers.of == nil {
		drivers.of = map[string]Driver{}
	}
	drivers.of[kind] = d
}

func driver(kind string) (Driver, error) {
	drivers.Lock()
	defer drivers.Unlock()
	d := drivers.of[kind]
	if d == nil {
		return nil, expr.NewError(expr.ErrDevice, "", "no package with devices %q is part of this program: import _ %q", kind, "github.com/oneloop/oneloop/engine/"+kind)
	}
	return d, nil
}

// CUDA returns GPU number index, from 0. It needs a blank import of engine/cuda,
// the driver of NVIDIA, and NVRTC. The error matches expr.ErrDevice and says what
// is missing.
func CUDA(index int) (Device, error) {
	d, err := driver("cuda")
	if err != nil {
		return nil, err
	}
	return d.Open(index)
}

// CountCUDA returns the number of GPUs. If there is none, the error says why.
func CountCUDA() (int, error) {
	d, err := driver("cuda")
	if err != nil {
		return 0, err
	}
	return d.Count()
}

// CPU returns the host as a device, for [Array.To].
func CPU() Device { return cpu{} }

type cpu struct{}

// A hostAllocation is an allocation of the host as a device.
type hostAllocation []byte

func (a hostAllocation) Size() int { return len(a) }

func (cpu) Name() string { return "cpu" }

func (cpu) String() string { return "cpu" }

func (cpu) Alloc(size int) (Allocation, error) {
	b, err := allocate(size)
	if err != nil {
		return nil, err
	}
	return hostAllocation(b), nil
}

func (cpu) Free(Allocation) error { return nil }

func (cpu) Upload(s Stream, dst Allocation, src []byte) error {
	to, ok := dst.(hostAllocation)
	if !ok {
		return errForeign(dst)
	}
	return inOrder(s, func() { copy(to, src) })
}

func (cpu) Download(s Stream, dst []byte, src Allocation) error {
	from, ok := src.(hostAllocation)
	if !ok {
		return errForeign(src)
	}
	return inOrder(s, func() { copy(dst, from) })
}

func errForeign(a Allocation) error {
	return expr.NewError(expr.ErrDevice, "", "an allocation of type %T is not the host's", a)
}

func (cpu) NewStream() (Stream, error) { return NewStream(), nil }

func inOrder(s Stream, f func()) error {
	if s == nil {
		f()
		return nil
	}
	s.Go(func(context.Context) error { f(); return nil })
	return nil
}
