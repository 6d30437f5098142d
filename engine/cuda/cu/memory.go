package cu

import (
	"runtime"
	"unsafe"
)

// A DevicePtr is an address of device memory.
type DevicePtr uint64

// MemAlloc allocates memory of the current context, aligned to at least 256
// bytes.
func MemAlloc(bytes int64) (DevicePtr, error) {
	var p DevicePtr
	err := call(cuMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return p, err
}

// MemFree waits for the work of the device and releases memory of MemAlloc.
func MemFree(p DevicePtr) error { return call(cuMemFree, uintptr(p)) }

// Free calls MemFree.
func (p DevicePtr) Free() error { return MemFree(p) }

// MemGetInfo returns the free and the total memory of the current device, in
// bytes.
func MemGetInfo() (free, total int64, err error) {
	err = call(cuMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

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

// MemcpyDtoD copies within a device.
func MemcpyDtoD(dst, src DevicePtr, bytes int64) error {
	return call(cuMemcpyDtoD, uintptr(dst), uintptr(src), uintptr(bytes))
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

// MemcpyDtoDAsync queues a copy within a device.
func MemcpyDtoDAsync(dst, src DevicePtr, bytes int64, s Stream) error {
	return call(cuMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// MemcpyPeerAsync queues a copy between devices.
func MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes int64, s Stream) error {
	return call(cuMemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
}

// MemsetD8 sets n bytes.
func MemsetD8(dst DevicePtr, value uint8, n int64) error {
	return call(cuMemsetD8, uintptr(dst), uintptr(value), uintptr(n))
}

// MemsetD32 sets n words of 4 bytes.
func MemsetD32(dst DevicePtr, value uint32, n int64) error {
	return call(cuMemsetD32, uintptr(dst), uintptr(value), uintptr(n))
}

// MemsetD8Async queues MemsetD8.
func MemsetD8Async(dst DevicePtr, value uint8, n int64, s Stream) error {
	return call4(cuMemsetD8Async, uintptr(dst), uintptr(value), uintptr(n), uintptr(s))
}

// MemsetD32Async queues MemsetD32.
func MemsetD32Async(dst DevicePtr, value uint32, n int64, s Stream) error {
	return call(cuMemsetD32Async, uintptr(dst), uintptr(value), uintptr(n), uintptr(s))
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

// MemHostRegister pins memory of the host.
func MemHostRegister(p unsafe.Pointer, bytes int64, flags uint) error {
	return call(cuMemHostRegister, uintptr(p), uintptr(bytes), uintptr(flags))
}

// MemHostUnregister undoes MemHostRegister.
func MemHostUnregister(p unsafe.Pointer) error { return call(cuMemHostUnregister, uintptr(p)) }
