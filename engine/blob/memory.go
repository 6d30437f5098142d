package blob

import (
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
)

// A SyncedMemory is memory of a fixed size that is allocated at its first use.
// With a device, each side is allocated at its own first use, and is updated
// only if it is stale. It is not safe for concurrent use.
//
//	state          Host           MutableHost   OnDevice       MutableOnDevice
//	uninitialized  zeros, host    zeros, host   zeros, synced  zeros, device
//	at host        -              -             copy, synced   copy, device
//	at device      copy, synced   copy, host    -              -
//	synced         -              host          -              device
type SyncedMemory struct {
	size int
	dev  driver.Device  // nil: the host alone
	mem  *engine.Memory // nil before the first use
}

// NewSyncedMemory returns a memory of size bytes for use on the host and, unless
// d is nil or [engine.CPU], on d. It allocates nothing.
func NewSyncedMemory(d driver.Device, size int) *SyncedMemory {
	return &SyncedMemory{size: size, dev: d}
}

// Memory returns the memory of the engine, which it makes at the first use. The
// error is [expr.ErrOutOfMemory] or one of the device.
func (m *SyncedMemory) Memory() (*engine.Memory, error) {
	if m == nil {
		return nil, tree.NewError(tree.ErrType, "", "the memory is nil, or that of the zero Blob")
	}
	if m.mem == nil {
		mem, err := engine.NewSyncedMemory(m.dev, m.size)
		if err != nil {
			return nil, err
		}
		m.mem = mem
	}
	return m.mem, nil
}

// Size returns the number of bytes.
func (m *SyncedMemory) Size() int {
	if m == nil {
		return 0
	}
	return m.size
}

// Head returns the residency.
func (m *SyncedMemory) Head() engine.Head {
	if m == nil || m.mem == nil {
		return engine.Uninitialized
	}
	return m.mem.Head()
}

// Host returns the current bytes on the host, for reading: Caffe's cpu_data.
func (m *SyncedMemory) Host() ([]byte, error) { return at(m, (*engine.Memory).Host) }

// MutableHost returns the current bytes on the host, for reading and writing:
// Caffe's mutable_cpu_data. The device side becomes stale.
func (m *SyncedMemory) MutableHost() ([]byte, error) { return at(m, (*engine.Memory).MutableHost) }

// OnDevice returns the current bytes on the device, for reading: Caffe's
// gpu_data. The error is [expr.ErrDevice] for memory of the host alone.
func (m *SyncedMemory) OnDevice() (driver.Allocation, error) { return at(m, (*engine.Memory).OnDevice) }

// MutableOnDevice returns the current bytes on the device, for reading and
// writing: Caffe's mutable_gpu_data. The host side becomes stale.
func (m *SyncedMemory) MutableOnDevice() (driver.Allocation, error) {
	return at(m, (*engine.Memory).MutableOnDevice)
}

func at[R any](m *SyncedMemory, f func(*engine.Memory) (R, error)) (r R, err error) {
	mem, err := m.Memory()
	if err != nil {
		return r, err
	}
	return f(mem)
}

// Adopt makes m share data instead of bytes of its own: Caffe's set_cpu_data.
// Tensors and programs over m use data from then on. The error is
// [expr.ErrShape] if the length of data is not the size of m, and
// [expr.ErrDevice] if m has a device.
func (m *SyncedMemory) Adopt(data []byte) error {
	switch {
	case m == nil:
		return tree.NewError(tree.ErrType, "", "the memory is nil")
	case len(data) != m.size:
		return tree.NewError(tree.ErrShape, "", "memory of %d bytes cannot adopt %d bytes", m.size, len(data))
	case m.dev != nil && m.dev != engine.CPU():
		return tree.NewError(tree.ErrDevice, "", "memory of %s cannot adopt bytes of the host", m.dev.Name())
	case m.mem == nil:
		m.mem = engine.MemoryOf(data)
		return nil
	}
	return m.mem.Rebind(data)
}
