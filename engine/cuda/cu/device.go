package cu

import (
	"bytes"
	"unsafe"
)

// Init initialises the driver; flags must be 0. It may be called again.
func Init(flags int) error { return call(cuInit, uintptr(flags)) }

// DriverGetVersion returns the newest CUDA version that the driver supports:
// 13020 is 13.2.
func DriverGetVersion() (int, error) {
	v, err := get[int32](cuDriverGetVersion)
	return int(v), err
}

// A Device is the handle of a GPU.
type Device int32

// DeviceGetCount returns the number of GPUs.
func DeviceGetCount() (int, error) {
	n, err := get[int32](cuDeviceGetCount)
	return int(n), err
}

// DeviceGet returns GPU number ordinal.
func DeviceGet(ordinal int) (Device, error) { return get[Device](cuDeviceGet, uintptr(ordinal)) }

// Name returns the name of the product.
func (d Device) Name() (string, error) {
	var b [256]byte
	if err := call(cuDeviceGetName, uintptr(unsafe.Pointer(&b)), uintptr(len(b)), uintptr(d)); err != nil {
		return "", err
	}
	name, _, _ := bytes.Cut(b[:], []byte{0})
	return string(name), nil
}

// TotalMem returns the size of the GPU's memory, in bytes.
func (d Device) TotalMem() (int64, error) {
	n, err := get[uint64](cuDeviceTotalMem, uintptr(d))
	return int64(n), err
}

// A DevAttribute is the number of a property of a GPU.
type DevAttribute int

// The attributes that this module reads.
const (
	MAX_THREADS_PER_BLOCK             DevAttribute = 1
	MAX_GRID_DIM_X                    DevAttribute = 5
	MAX_SHARED_MEMORY_PER_BLOCK       DevAttribute = 8
	WARP_SIZE                         DevAttribute = 10
	MULTIPROCESSOR_COUNT              DevAttribute = 16
	MAX_THREADS_PER_MULTIPROCESSOR    DevAttribute = 39
	COMPUTE_CAPABILITY_MAJOR          DevAttribute = 75
	COMPUTE_CAPABILITY_MINOR          DevAttribute = 76
	MAX_SHARED_MEMORY_PER_BLOCK_OPTIN DevAttribute = 97
	MEMORY_POOLS_SUPPORTED            DevAttribute = 115
)

// Attribute returns a property of the GPU.
func (d Device) Attribute(a DevAttribute) (int, error) {
	v, err := get[int32](cuDeviceGetAttribute, uintptr(a), uintptr(d))
	return int(v), err
}

// ComputeCapability returns the architecture: 9 and 0 for sm_90.
func (d Device) ComputeCapability() (major, minor int, err error) {
	if major, err = d.Attribute(COMPUTE_CAPABILITY_MAJOR); err != nil {
		return 0, 0, err
	}
	minor, err = d.Attribute(COMPUTE_CAPABILITY_MINOR)
	return major, minor, err
}

// CanAccessPeer reports whether kernels of d can use memory of peer.
func (d Device) CanAccessPeer(peer Device) (bool, error) {
	can, err := get[int32](cuDeviceCanAccessPeer, uintptr(d), uintptr(peer))
	return can != 0, err
}

// A Context holds the state of a GPU for this process. It is current to an
// operating-system thread. So a goroutine calls runtime.LockOSThread, then
// CtxSetCurrent, then the functions that need the context.
type Context uintptr

// DevicePrimaryCtxRetain returns the primary context of a GPU, which all
// libraries of the process share. It creates the context if there is none.
func DevicePrimaryCtxRetain(d Device) (Context, error) {
	return get[Context](cuDevicePrimaryCtxRetain, uintptr(d))
}

// DevicePrimaryCtxRelease undoes one DevicePrimaryCtxRetain.
func DevicePrimaryCtxRelease(d Device) error { return call(cuDevicePrimaryCtxRelease, uintptr(d)) }

// CtxSetCurrent makes c current to the calling thread.
func CtxSetCurrent(c Context) error { return call4(cuCtxSetCurrent, uintptr(c), 0, 0, 0) }

// CtxSynchronize waits until all work of the current context has ended.
func CtxSynchronize() error { return call(cuCtxSynchronize) }
