package engine

import (
	"sync"
	"unsafe"

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
	return [...]string{"uninitialized", "at host", "at device", "synced"}[h]
}

// A Memory is one allocation that arrays view: bytes of the host, which may be
// shared with the caller, and, if it has a device, a copy there. Either side is
// allocated when it is first touched and copied only when it is stale.
type Memory struct {
	data []byte // nil until the host side is touched
	size int

	dev   Device
	alloc Allocation
	head  Head
	mu    sync.Mutex
}

// alignment of memory that the engine allocates, in bytes: a cache line, and
// the widest vector.
const alignment = 64

// maxAlloc keeps an absurd size an error instead of a fatal one.
const maxAlloc = 1<<(31+16*(^uint(0)>>63)) - 1

// NewMemory allocates size zero bytes of the host, aligned to 64.
func NewMemory(size int) (*Memory, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	return &Memory{data: alignedBytes(size), size: size, head: AtHost}, nil
}

// NewSyncedMemory makes size bytes that can be used on the host and on d. Nothing
// is allocated yet.
func NewSyncedMemory(d Device, size int) (*Memory, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	return &Memory{size: size, dev: d}, nil
}

// memoryLimit is what one allocation may have: more than the machine has would
// end the process, not return an error.
var memoryLimit = sync.OnceValue(func() int {
	if p := physical(); p > 0 && p < maxAlloc-alignment {
		return int(p)
	}
	return maxAlloc - alignment
})

func checkSize(size int) error {
	if size < 0 || size > memoryLimit() {
		return expr.NewError(expr.ErrOutOfMemory, "", "%d bytes cannot be allocated", size)
	}
	return nil
}

func alignedBytes(size int) []byte {
	b := make([]byte, size+alignment)
	preferHugePages(b)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (alignment - 1)
	return b[skip : int(skip)+size : int(skip)+size]
}

// MemoryOf shares bytes with the caller; they must be aligned for the element
// types that are read from them.
func MemoryOf(data []byte) *Memory { return &Memory{data: data, size: len(data), head: AtHost} }

// Device is where the memory can be used besides the host, or "cpu".
func (m *Memory) Device() string {
	if m.dev == nil {
		return "cpu"
	}
	return m.dev.Name()
}

// Size is the number of bytes.
func (m *Memory) Size() int { return m.size }

// Head says where the newest contents are.
func (m *Memory) Head() Head {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.head
}

// Locate is the address, so that memories that share bytes are told apart from
// those that do not.
func (m *Memory) Locate() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.data))) }

// Bytes is the memory itself, if it has no device; else the host side as it
// happens to be, for which see Host.
func (m *Memory) Bytes() []byte { return m.data }

// Host is the host side, brought up to date, for reading.
func (m *Memory) Host() ([]byte, error) { return m.host(false) }

// MutableHost is the host side, brought up to date, for writing: the device
// side becomes stale.
func (m *Memory) MutableHost() ([]byte, error) { return m.host(true) }

func (m *Memory) host(write bool) ([]byte, error) {
	if m.dev == nil {
		return m.data, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = alignedBytes(m.size)
	}
	switch m.head {
	case Uninitialized:
		m.head = AtHost
	case AtDevice:
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

// OnDevice is the device side, brought up to date, for reading.
func (m *Memory) OnDevice() (Allocation, error) { return m.device(false) }

// MutableOnDevice is the device side, brought up to date, for writing: the host
// side becomes stale.
func (m *Memory) MutableOnDevice() (Allocation, error) { return m.device(true) }

func (m *Memory) device(write bool) (Allocation, error) {
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
		m.data = alignedBytes(m.size)
		m.head = AtHost
	}
	if m.head == AtHost {
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

// Free releases the device side, after bringing the host side up to date.
func (m *Memory) Free() error {
	if _, err := m.host(false); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.alloc == nil {
		return nil
	}
	a := m.alloc
	m.alloc, m.head = nil, AtHost
	return m.dev.Free(a)
}

// Rebind makes m share other bytes of the same length: arrays and compiled
// programs that use m use them from the next run on.
func (m *Memory) Rebind(data []byte) error {
	if len(data) != m.size || m.dev != nil {
		return expr.NewError(expr.ErrShape, "", "memory of %d bytes cannot be bound to %d bytes", m.size, len(data))
	}
	m.data = data
	return nil
}
