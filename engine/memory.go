package engine

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr"
)

// A Head says where the newest contents of a memory are.
type Head uint8

// The heads of a memory.
const (
	Uninitialized Head = iota // nowhere: never touched, reads as zeros
	AtHost
	AtDevice
	Synced // in both places
)

func (h Head) String() string {
	names := [...]string{"uninitialized", "at host", "at device", "synced"}
	if int(h) >= len(names) {
		return "Head(" + strconv.Itoa(int(h)) + ")"
	}
	return names[h]
}

// A Memory is one allocation that arrays view: bytes of the host, which may be
// shared with the caller, and, if it has a device, a copy there. Either side is
// allocated when it is first touched and copied only when it is stale. The zero
// Memory and a nil Memory have no bytes.
type Memory struct {
	data []byte // nil until the host side is touched
	size int

	dev   Device
	alloc Allocation
	head  Head
	busy  Event // the end of the last queued program that uses the device side, if any
	mu    sync.Mutex

	align atomic.Int32 // largest element size of the arrays over it, in bytes
}

// NewMemory allocates size zero bytes of the host, aligned to 64. A size that the
// process cannot have is an error, [expr.ErrOutOfMemory], as it is wherever the
// engine allocates by the size of an array. On Linux the process can have what
// the system calls available, what its control groups (containers) have left,
// and what is left below GOMEMLIMIT and ulimit -v, less what it has allocated
// and not touched yet. Elsewhere only GOMEMLIMIT counts.
func NewMemory(size int) (*Memory, error) {
	b, err := allocate(size)
	if err != nil {
		return nil, err
	}
	return &Memory{data: b, size: size, head: AtHost}, nil
}

// NewSyncedMemory makes size bytes that can be used on the host and on d. Nothing
// is allocated yet.
func NewSyncedMemory(d Device, size int) (*Memory, error) {
	if _, host := d.(cpu); host || d == nil {
		return NewMemory(size)
	}
	if size < 0 || size > hostmem.MaxSize {
		return nil, outOfMemory(&hostmem.Error{Size: size})
	}
	return &Memory{size: size, dev: d}, nil
}

// allocate returns size zero bytes, or an error that matches ErrOutOfMemory.
func allocate(size int) ([]byte, error) {
	b, err := hostmem.Allocate(size)
	if err != nil {
		return nil, outOfMemory(err)
	}
	return b, nil
}

// reserve returns an error that matches ErrOutOfMemory if the process cannot have
// size bytes more.
func reserve(size int) error {
	if err := hostmem.Reserve(size); err != nil {
		return outOfMemory(err)
	}
	return nil
}

func outOfMemory(err error) error { return expr.NewError(expr.ErrOutOfMemory, "", "%s", err) }

func errNilMemory() error { return expr.NewError(expr.ErrType, "", "the memory is nil") }

// require returns an error if the bytes are not aligned for elements of size
// bytes. [Memory.Rebind] keeps the alignment that arrays have required.
func (m *Memory) require(size int) error {
	if m.dev == nil && !aligned(m.data, size) {
		return expr.NewError(expr.ErrShape, "", "the memory is not aligned for elements of %d bytes", size)
	}
	for old := m.align.Load(); int(old) < size && !m.align.CompareAndSwap(old, int32(size)); old = m.align.Load() {
	}
	return nil
}

func aligned(b []byte, size int) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(size) == 0
}

// MemoryOf shares bytes with the caller; they must be aligned for the element
// types that are read from them.
func MemoryOf(data []byte) *Memory { return &Memory{data: data, size: len(data), head: AtHost} }

// Device is where the memory can be used besides the host, or "cpu".
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

// Head says where the newest contents are.
func (m *Memory) Head() Head {
	if m == nil {
		return Uninitialized
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.head
}

// Locate is the address, so that memories that share bytes are told apart from
// those that do not; 0 for memory of a device, which shares none.
func (m *Memory) Locate() uintptr {
	if m == nil || m.dev != nil {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
}

// Bytes is the memory itself, if it has no device; else the host side as it
// happens to be, for which see Host.
func (m *Memory) Bytes() []byte {
	if m == nil {
		return nil
	}
	return m.data
}

// Host is the host side, brought up to date, for reading.
func (m *Memory) Host() ([]byte, error) { return m.host(false) }

// MutableHost is the host side, brought up to date, for writing: the device
// side becomes stale.
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

// touch allocates the host side, if it is not there. The lock is held.
func (m *Memory) touch() error {
	if m.data != nil {
		return nil
	}
	b, err := allocate(m.size)
	m.data = b
	return err
}

// OnDevice is the device side, brought up to date, for reading.
func (m *Memory) OnDevice() (Allocation, error) { return m.device(false) }

// MutableOnDevice is the device side, brought up to date, for writing: the host
// side becomes stale.
func (m *Memory) MutableOnDevice() (Allocation, error) { return m.device(true) }

func (m *Memory) device(write bool) (Allocation, error) {
	if m == nil {
		return nil, errNilMemory()
	}
	if m.dev == nil {
		return nil, expr.NewError(expr.ErrDevice, "", "the memory has no device")
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
		if err := m.touch(); err != nil {
			return nil, err
		}
		m.head = AtHost
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

// Allocation is the device side as it happens to be, nil if there is none; for
// devices, which are given memory that is up to date.
func (m *Memory) Allocation() Allocation {
	if m == nil {
		return nil
	}
	return m.alloc
}

// settle waits for queued programs. The lock is held.
func (m *Memory) settle() error {
	if m.busy == nil {
		return nil
	}
	err := m.busy.Wait(context.Background())
	m.busy = nil
	return err
}

// Free releases the device side, after bringing the host side up to date.
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

// Rebind makes m share other bytes of the same length: arrays and compiled
// programs that use m use them from the next run on. A program for which it
// matters that the bytes overlap those of another memory, or no longer do, is
// compiled again by its next run. The bytes must be aligned for the arrays that
// view m. No program that uses m may run meanwhile.
func (m *Memory) Rebind(data []byte) error {
	if m == nil {
		return errNilMemory()
	}
	if len(data) != m.size || m.dev != nil {
		return expr.NewError(expr.ErrShape, "", "memory of %d bytes on %s cannot be bound to %d bytes", m.size, m.Device(), len(data))
	}
	if size := int(m.align.Load()); size > 0 && !aligned(data, size) {
		return expr.NewError(expr.ErrShape, "", "the bytes are not aligned for elements of %d bytes, which arrays have in this memory", size)
	}
	m.data = data
	rebinds.Add(1)
	return nil
}
