package engine

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr/tree"
)

func findDriver(kind string) (driver.Driver, error) {
	if kind == (cpu{}).Name() {
		return hostDriver{}, nil
	}
	if d := driver.Find(kind); d != nil {
		return d, nil
	}
	there := strings.Join(append([]string{"cpu"}, driver.Kinds()...), ", ")
	return nil, tree.NewError(tree.ErrDevice, "", "no package of this program has devices %q; there are %s. If the library has them, import _ %q adds them",
		kind, there, path.Join("github.com/oneloop/oneloop/engine", kind))
}

// OpenDevice returns the device with a name of the form "kind:number", or the first
// one of a kind. "cpu" is the host. A kind other than "cpu" needs a blank import of
// its package. The error matches expr.ErrDevice and says what is missing.
func OpenDevice(name string) (driver.Device, error) {
	kind, number, numbered := strings.Cut(name, ":")
	index := 0
	if numbered {
		var err error
		if index, err = strconv.Atoi(number); err != nil || index < 0 {
			return nil, tree.NewError(tree.ErrDevice, "", "%q is not the number of a device %q", number, kind)
		}
	}
	d, err := findDriver(kind)
	if err != nil {
		return nil, err
	}
	return d.Open(index)
}

// CountDevices returns the number of devices of a kind. If there is none, the error
// says why.
func CountDevices(kind string) (int, error) {
	d, err := findDriver(kind)
	if err != nil {
		return 0, err
	}
	return d.Count()
}

// CPU returns the host as a device, for [Array.To].
func CPU() driver.Device { return cpu{} }

// A hostDriver has one device, the host.
type hostDriver struct{}

func (hostDriver) Count() (int, error) { return 1, nil }

func (hostDriver) Open(index int) (driver.Device, error) {
	if index != 0 {
		return nil, tree.NewError(tree.ErrDevice, "", "the host is one device, cpu:0; there is no cpu:%d", index)
	}
	return CPU(), nil
}

type cpu struct{}

// NewSyncedMemory returns a memory of size bytes for use on the host and on d.
// Each side is allocated at its first use. If d is nil or the host,
// NewSyncedMemory is [NewMemory].
func NewSyncedMemory(d driver.Device, size int) (*Memory, error) {
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

func (cpu) Alloc(size int) (driver.Allocation, error) {
	b, err := allocate(size)
	if err != nil {
		return nil, err
	}
	return hostAllocation(b), nil
}

func (cpu) Free(driver.Allocation) error { return nil }

func (cpu) Upload(s driver.Stream, dst driver.Allocation, src []byte) error {
	to, ok := dst.(hostAllocation)
	if !ok {
		return errForeign(dst)
	}
	return inOrder(s, func() { copy(to, src) })
}

func (cpu) Download(s driver.Stream, dst []byte, src driver.Allocation) error {
	from, ok := src.(hostAllocation)
	if !ok {
		return errForeign(src)
	}
	return inOrder(s, func() { copy(dst, from) })
}

func errForeign(a driver.Allocation) error {
	return tree.NewError(tree.ErrDevice, "", "an allocation of type %T is not the host's", a)
}

func (cpu) NewStream() (driver.Stream, error) { return NewStream(), nil }

func inOrder(s driver.Stream, f func()) error {
	if s == nil {
		f()
		return nil
	}
	s.Go(func(context.Context) error { f(); return nil })
	return nil
}
