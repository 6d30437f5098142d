package cu

import "unsafe"

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
