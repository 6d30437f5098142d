package engine

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Head is the residency of a memory: where its current contents are.
type Head uint8

// The residencies of a memory.
const (
	Uninitialized Head = iota // neither side was touched; reads return zeros
	AtHost
	AtDevice
	Synced // the host and the device have the same contents
)

func (h Head) String() string {
	names := [...]string{"uninitialized", "at host", "at device", "synced"}
	if int(h) >= len(names) {
		return "Head(" + strconv.Itoa(int(h)) + ")"
	}
	return names[h]
}

// A Memory is one allocation that arrays view. It has bytes on the host, which it
// may share with the caller. If it has a device, it also has a copy there. Each
// side is allocated at its first use and updated only if it is stale. The zero
// Memory and a nil Memory have no bytes.
type Memory struct {
	data []byte // nil until the host side is touched
	size int

	dev   driver.Device
	alloc driver.Allocation
	head  Head
	busy  driver.Event // the end of the last queued program that uses the device side, or nil
	mu    sync.Mutex

	queueing sync.Mutex // held while a run that uses the device side is queued

	align atomic.Int32 // largest element size of the arrays over it, in bytes
}

// NewMemory returns a memory of size zero bytes on the host, aligned to 64 bytes.
// The error is [expr.ErrOutOfMemory] if the process cannot have so many bytes, as
// in every function of the engine that allocates by the size of an array. On
// Linux the limit is the least of four numbers: the memory that the system
// reports as available, and what is left in the control groups (containers) of
// the process, below GOMEMLIMIT, and below ulimit -v. Memory that the process has
// allocated and not touched yet is subtracted. On other systems only GOMEMLIMIT
// counts.
func NewMemory(size int) (*Memory, error) {
	b, err := allocate(size)
	if err != nil {
		return nil, err
	}
	return &Memory{data: b, size: size, head: AtHost}, nil
}

// allocate returns size zero bytes, or an error that matches ErrOutOfMemory.
func allocate(size int) ([]byte, error) {
	b, err := hostmem.Allocate(size)
	if err != nil {
		return nil, outOfMemory(err)
	}
	return b, nil
}

func outOfMemory(err error) error { return tree.NewError(tree.ErrOutOfMemory, "", "%s", err) }

func errNilMemory() error { return tree.NewError(tree.ErrType, "", "the memory is nil") }

// require returns an error if the bytes are not aligned for elements of size
// bytes. It records the size, because [Memory.Rebind] must keep the alignment.
func (m *Memory) require(size int) error {
	if m.dev == nil && !aligned(m.data, size) {
		return tree.NewError(tree.ErrShape, "", "the memory is not aligned for elements of %d bytes", size)
	}
	for old := m.align.Load(); int(old) < size && !m.align.CompareAndSwap(old, int32(size)); old = m.align.Load() {
	}
	return nil
}

func aligned(b []byte, size int) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(size) == 0
}

// MemoryOf returns a memory on the host that shares data with the caller. The
// data must be aligned for the element types of the arrays over it.
func MemoryOf(data []byte) *Memory { return &Memory{data: data, size: len(data), head: AtHost} }

// holds returns an error if an array with elements of type t leaves the memory.
func (m *Memory) holds(t dtype.Type, s shape.Shape, st shape.Strides, offset int) error {
	if s.Size() == 0 {
		return nil
	}
	n := m.Size() / t.Size()
	lo, hi := offset, offset
	for i, d := range s {
		if d == 1 || st[i] == 0 {
			continue
		}
		// A stride of n or more leaves the memory, so products do not overflow.
		if st[i] <= -n || st[i] >= n || d-1 > n {
			return tree.NewError(tree.ErrShape, "", "stride %d of axis %d leaves a memory of %d elements", st[i], i, n)
		}
		over, span := bits.Mul64(uint64(max(st[i], -st[i])), uint64(d-1))
		if over != 0 || span > uint64(n) {
			return tree.NewError(tree.ErrShape, "", "axis %d of %d positions with stride %d leaves a memory of %d elements", i, d, st[i], n)
		}
		if st[i] < 0 {
			lo -= int(span)
		} else {
			hi += int(span)
		}
	}
	if offset < 0 || offset >= n || lo < 0 || hi >= n {
		return tree.NewError(tree.ErrShape, "", "elements %d..%d leave a memory of %d elements", lo, hi, n)
	}
	return nil
}

// Device returns the name of the memory's device, or "cpu" if it has none.
func (m *Memory) Device() string {
	if m == nil || m.dev == nil {
		return "cpu"
	}
	return m.dev.Name()
}

// String returns the size and the device.
func (m *Memory) String() string {
	return fmt.Sprintf("memory of %d bytes on %s", m.Size(), m.Device())
}

// Size returns the number of bytes.
func (m *Memory) Size() int {
	if m == nil {
		return 0
	}
	return m.size
}

// Head returns the residency: where the current contents are.
func (m *Memory) Head() Head {
	if m == nil {
		return Uninitialized
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.head
}

// Locate returns the address of the bytes. Callers compare addresses and sizes to
// find memories that overlap. Locate returns 0 for memory of a device, which
// shares no bytes.
func (m *Memory) Locate() uintptr {
	if m == nil || m.dev != nil {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
}

// Bytes returns the bytes of a memory without a device. For memory of a device it
// returns the host side without an update: nil before its first use, and possibly
// stale after it. [Memory.Host] updates it first.
func (m *Memory) Bytes() []byte {
	if m == nil {
		return nil
	}
	return m.data
}

// Host updates the host side and returns its bytes, for reading. The error is the
// device's, or [expr.ErrOutOfMemory].
func (m *Memory) Host() ([]byte, error) { return m.host(false) }

// MutableHost updates the host side and returns its bytes, for reading and
// writing. The device side becomes stale.
func (m *Memory) MutableHost() ([]byte, error) { return m.host(true) }

func (m *Memory) host(write bool) ([]byte, error) {
	if m == nil {
		return nil, errNilMemory()
	}
	if m.dev == nil {
		return m.data, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.touch(); err != nil {
		return nil, err
	}
	switch m.head {
	case Uninitialized:
		m.head = AtHost
	case AtDevice:
		if err := m.settle(); err != nil {
			return nil, err
		}
		if err := m.dev.Download(nil, m.data, m.alloc); err != nil {
			return nil, err
		}
		m.head = Synced
	}
	if write {
		m.head = AtHost
	}
	return m.data, nil
}

// touch allocates the host side if it is not allocated. The caller holds m.mu.
func (m *Memory) touch() error {
	if m.data != nil {
		return nil
	}
	b, err := allocate(m.size)
	m.data = b
	return err
}

// OnDevice updates the device side and returns it, for reading. The error is
// [expr.ErrDevice] if the memory has no device.
func (m *Memory) OnDevice() (driver.Allocation, error) { return m.device(false) }

// MutableOnDevice updates the device side and returns it, for reading and
// writing. The host side becomes stale.
func (m *Memory) MutableOnDevice() (driver.Allocation, error) { return m.device(true) }

func (m *Memory) device(write bool) (driver.Allocation, error) {
	if m == nil {
		return nil, errNilMemory()
	}
	if m.dev == nil {
		return nil, tree.NewError(tree.ErrDevice, "", "the memory has no device")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.alloc == nil {
		a, err := m.dev.Alloc(m.size)
		if err != nil {
			return nil, err
		}
		m.alloc = a
	}
	if m.head == Uninitialized { // zeros, as on the host
		if c, ok := m.dev.(driver.Clearer); ok {
			if err := c.Clear(m.alloc); err != nil {
				return nil, err
			}
			m.head = AtDevice
		} else {
			if err := m.touch(); err != nil {
				return nil, err
			}
			m.head = AtHost
		}
	}
	if m.head == AtHost {
		if err := m.settle(); err != nil {
			return nil, err
		}
		if err := m.dev.Upload(nil, m.alloc, m.data); err != nil {
			return nil, err
		}
		m.head = Synced
	}
	if write {
		m.head = AtDevice
	}
	return m.alloc, nil
}

// Allocation returns the device side without an update, or nil if it is not
// allocated. It is for devices, which get memory that the engine has updated.
func (m *Memory) Allocation() driver.Allocation {
	if m == nil {
		return nil
	}
	return m.alloc
}

// settle waits for queued programs that use the device side. The caller holds
// m.mu.
func (m *Memory) settle() error {
	if m.busy == nil {
		return nil
	}
	err := m.busy.Wait(context.Background())
	m.busy = nil
	return err
}

// Free updates the host side and then releases the device side. The memory stays
// usable: a later use on the device allocates it again.
func (m *Memory) Free() error {
	if m == nil {
		return errNilMemory()
	}
	if _, err := m.host(false); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.alloc == nil {
		return nil
	}
	if err := m.settle(); err != nil {
		return err
	}
	a := m.alloc
	m.alloc, m.head = nil, AtHost
	return m.dev.Free(a)
}

// Rebind makes m share data instead of its bytes. Arrays over m and compiled
// programs use data from then on. If a program depends on whether m overlaps
// another memory, and this changes, its next run compiles it again. Rebind
// returns an error if the length differs, if data is not aligned for the arrays
// over m, or if m has a device. No program that uses m may run during the call.
func (m *Memory) Rebind(data []byte) error {
	if m == nil {
		return errNilMemory()
	}
	if len(data) != m.size || m.dev != nil {
		return tree.NewError(tree.ErrShape, "", "memory of %d bytes on %s cannot be bound to %d bytes", m.size, m.Device(), len(data))
	}
	if size := int(m.align.Load()); size > 0 && !aligned(data, size) {
		return tree.NewError(tree.ErrShape, "", "the bytes are not aligned for elements of %d bytes, which arrays have in this memory", size)
	}
	m.data = data
	process.rebinds.Add(1)
	return nil
}

// claim updates the device side, for a use that writes it if write is set. Stream
// s waits for the last queued program that uses the memory. If s is nil, claim
// itself waits.
func (m *Memory) claim(write bool, s driver.Stream) error {
	if _, err := m.device(write); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.busy == nil {
		return nil
	}
	if s == nil {
		return m.settle()
	}
	s.After(m.busy)
	return nil
}
