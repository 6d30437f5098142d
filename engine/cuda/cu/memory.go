package cu

import (
	"runtime"
	"unsafe"
)

// A DevicePtr is an address of device memory.
type DevicePtr uint64

// MemAlloc allocates memory of the current context, aligned to at least 256
// bytes.
func MemAlloc(bytes int64) (DevicePtr, error) { return get[DevicePtr](cuMemAlloc, uintptr(bytes)) }

// MemFree waits for the work of the device and releases memory of MemAlloc.
func MemFree(p DevicePtr) error { return call(cuMemFree, uintptr(p)) }

// Free calls MemFree.
func (p DevicePtr) Free() error { return MemFree(p) }

// MemcpyHtoD copies from the host on the default stream. It returns when the
// caller may change src. Bytes of pageable memory may arrive later, and streams
// made with STREAM_NON_BLOCKING do not wait for them.
func MemcpyHtoD(dst DevicePtr, src unsafe.Pointer, bytes int64) error {
	err := call(cuMemcpyHtoD, uintptr(dst), uintptr(src), uintptr(bytes))
	runtime.KeepAlive(src)
	return err
}

// MemcpyDtoH copies to the host and returns when dst is written.
func MemcpyDtoH(dst unsafe.Pointer, src DevicePtr, bytes int64) error {
	err := call4(cuMemcpyDtoH, uintptr(dst), uintptr(src), uintptr(bytes), 0)
	runtime.KeepAlive(dst)
	return err
}

// MemcpyHtoDAsync queues a copy. src must stay valid until the copy has ended. If
// src is not pinned, the call may wait for the copy.
func MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes int64, s Stream) error {
	return call(cuMemcpyHtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// MemcpyDtoHAsync queues a copy. dst must be pinned, and stay valid until the
// copy has ended.
func MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes int64, s Stream) error {
	return call(cuMemcpyDtoHAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// MemcpyPeerAsync queues a copy between devices.
func MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes int64, s Stream) error {
	return call(cuMemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
}

// MemsetD8Async queues a store of value to n bytes.
func MemsetD8Async(dst DevicePtr, value uint8, n int64, s Stream) error {
	return call4(cuMemsetD8Async, uintptr(dst), uintptr(value), uintptr(n), uintptr(s))
}

// MEMHOSTALLOC_PORTABLE pins memory for all contexts.
const MEMHOSTALLOC_PORTABLE = 1

// MemHostAlloc allocates pinned memory of the host. The Go runtime does not
// manage it: MemFreeHost must release it, and it must not hold Go pointers.
func MemHostAlloc(bytes int64, flags uint) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := call(cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), uintptr(flags))
	return p, err
}

// MemFreeHost releases memory of MemHostAlloc.
func MemFreeHost(p unsafe.Pointer) error { return call(cuMemFreeHost, uintptr(p)) }

// A MemPool is a pool of device memory for MemAllocAsync.
type MemPool uintptr

// HasMemPools reports whether the driver has the functions of memory pools. The
// attribute MEMORY_POOLS_SUPPORTED tells whether a device supports them.
func HasMemPools() bool {
	return driver.has(cuMemAllocAsync, cuMemFreeAsync, cuDeviceGetDefaultMemPool, cuMemPoolSetAttribute, cuMemPoolTrimTo)
}

// DeviceGetDefaultMemPool returns the pool that MemAllocAsync uses.
func DeviceGetDefaultMemPool(d Device) (MemPool, error) {
	return get[MemPool](cuDeviceGetDefaultMemPool, uintptr(d))
}

// mempoolAttrReleaseThreshold is CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.
const mempoolAttrReleaseThreshold = 4

// SetReleaseThreshold sets how much freed memory, in bytes, the pool keeps when a
// stream is synchronised.
func (p MemPool) SetReleaseThreshold(bytes uint64) error {
	return call(cuMemPoolSetAttribute, uintptr(p), mempoolAttrReleaseThreshold, uintptr(unsafe.Pointer(&bytes)))
}

// TrimTo returns freed memory to the system, except keep bytes.
func (p MemPool) TrimTo(keep int64) error { return call(cuMemPoolTrimTo, uintptr(p), uintptr(keep)) }

// MemAllocAsync allocates in the order of a stream.
func MemAllocAsync(bytes int64, s Stream) (DevicePtr, error) {
	return get[DevicePtr](cuMemAllocAsync, uintptr(bytes), uintptr(s))
}

// MemFreeAsync releases in the order of a stream.
func MemFreeAsync(p DevicePtr, s Stream) error {
	return call4(cuMemFreeAsync, uintptr(p), uintptr(s), 0, 0)
}
