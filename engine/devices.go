package engine

import (
	"context"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr"
)

// RegisterDriver registers the driver for devices of a kind, the first part of
// their names. A package with devices calls it in an init function. It panics if
// the driver is nil.
func RegisterDriver(kind string, d Driver) {
	if d == nil {
		panic("engine.RegisterDriver: the driver is nil")
	}
	r := &process.drivers
	r.Lock()
	defer r.Unlock()
	if r.of == nil {
		r.of = map[string]Driver{}
	}
	r.of[kind] = d
}

func driver(kind string) (Driver, error) {
	if kind == (cpu{}).Name() {
		return hostDriver{}, nil
	}
	r := &process.drivers
	r.Lock()
	defer r.Unlock()
	if d := r.of[kind]; d != nil {
		return d, nil
	}
	return nil, expr.NewError(expr.ErrDevice, "", "no package with devices %q is part of this program: import _ %q", kind, "github.com/oneloop/oneloop/engine/"+kind)
}

// OpenDevice returns the device with a name of the form "kind:number", or the first
// one of a kind. "cpu" is the host. A kind other than "cpu" needs a blank import of
// its package. The error matches expr.ErrDevice and says what is missing.
func OpenDevice(name string) (Device, error) {
	kind, number, numbered := strings.Cut(name, ":")
	index := 0
	if numbered {
		var err error
		if index, err = strconv.Atoi(number); err != nil {
			return nil, expr.NewError(expr.ErrDevice, "", "%q is not the number of a device %q", number, kind)
		}
	}
	d, err := driver(kind)
	if err != nil {
		return nil, err
	}
	return d.Open(index)
}

// CountDevices returns the number of devices of a kind. If there is none, the error
// says why.
func CountDevices(kind string) (int, error) {
	d, err := driver(kind)
	if err != nil {
		return 0, err
	}
	return d.Count()
}

// CPU returns the host as a device, for [Array.To].
func CPU() Device { return cpu{} }

// A hostDriver has one device, the host.
type hostDriver struct{}

func (hostDriver) Count() (int, error) { return 1, nil }

func (hostDriver) Open(index int) (Device, error) {
	if index != 0 {
		return nil, expr.NewError(expr.ErrDevice, "", "the host is one device, cpu:0; there is no cpu:%d", index)
	}
	return CPU(), nil
}

type cpu struct{}

// NewSyncedMemory returns a memory of size bytes for use on the host and on d.
// Each side is allocated at its first use. If d is nil or the host,
// NewSyncedMemory is [NewMemory].
func NewSyncedMemory(d Device, size int) (*Memory, error) {
	if _, host := d.(cpu); host || d == nil {
		return NewMemory(size)
	}
	if size < 0 || size > hostmem.MaxSize {
		return nil, outOfMemory(&hostmem.Error{Size: size})
	}
	return &Memory{size: size, dev: d}, nil
}

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
