package cuda

import (
	"cmp"
	"errors"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
)

// An allocation is memory of a GPU. Free releases it; otherwise a cleanup does,
// some time after it has become garbage.
type allocation struct {
	owner   *device
	ptr     cu.DevicePtr
	size    int
	cleanup runtime.Cleanup
}

func (a *allocation) Size() int { return a.size }

// deferred is a list of functions that release memory, modules or events.
// Cleanups run at any time and on any thread, so they only add to the list. The
// next call of the device runs them.
type deferred struct {
	mu   sync.Mutex
	list []func() error
}

func (t *deferred) put(f func() error) {
	t.mu.Lock()
	t.list = append(t.list, f)
	t.mu.Unlock()
}

// sweep runs all deferred functions, and returns their first error. The context
// is current.
func (d *device) sweep() (err error) {
	d.deferred.mu.Lock()
	list := d.deferred.list
	d.deferred.list = nil
	d.deferred.mu.Unlock()
	for _, f := range list {
		err = cmp.Or(err, f())
	}
	return err
}

// Alloc returns memory of size bytes, of one byte if size is 0. If memory runs
// out, the error matches expr.ErrOutOfMemory.
func (d *device) Alloc(size int) (driver.Allocation, error) {
	a := &allocation{owner: d, size: size}
	err := d.do("allocating", func() (err error) {
		if err := d.sweep(); err != nil {
			return err
		}
		a.ptr, err = d.obtain(size)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.cleanup = runtime.AddCleanup(a, func(p cu.DevicePtr) { d.deferred.put(func() error { return d.free(p) }) }, a.ptr)
	return a, nil
}

// Free releases memory. Work that uses the memory must have ended.
func (d *device) Free(a driver.Allocation) error {
	m := a.(*allocation)
	m.cleanup.Stop()
	return d.do("freeing", func() error { return d.free(m.ptr) })
}

// obtain allocates memory. If the GPU has none left, obtain releases garbage,
// modules that no program holds and the free memory of the pool, and tries once
// more. The caller must not be capturing a stream.
func (d *device) obtain(size int) (cu.DevicePtr, error) {
	if p, err := d.alloc(size); !errors.Is(err, cu.ERROR_OUT_OF_MEMORY) {
		return p, err
	}
	runtime.GC()
	time.Sleep(time.Millisecond) // the runtime runs cleanups in a goroutine of its own
	if err := d.sweep(); err != nil {
		return 0, err
	}
	if err := d.unload(d.modules.clear()); err != nil {
		return 0, err
	}
	if err := d.trim(0); err != nil {
		return 0, err
	}
	return d.alloc(size)
}

// alloc returns memory that every stream may use. Without a pool it is a plain
// cuMemAlloc.
func (d *device) alloc(size int) (cu.DevicePtr, error) {
	if d.pool == 0 {
		return cu.MemAlloc(int64(max(size, 1)))
	}
	p, err := cu.MemAllocAsync(int64(max(size, 1)), d.main)
	if err != nil {
		return 0, err
	}
	return p, d.main.Synchronize()
}

func (d *device) free(p cu.DevicePtr) error {
	if d.pool == 0 {
		return cu.MemFree(p)
	}
	return cu.MemFreeAsync(p, d.main)
}

// Upload copies src to the device. If s is nil, it returns when every stream sees
// the bytes. A plain cuMemcpyHtoD does not do that. It returns when pageable
// memory, such as Go's, is in a staging buffer. Streams that do not wait for the
// default stream could then read old bytes. On a stream the caller does not wait.
// The GPU reads src itself if it is pinned, else the copy goes through buffers.
func (d *device) Upload(s driver.Stream, dst driver.Allocation, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	a := dst.(*allocation)
	if s == nil {
		defer runtime.KeepAlive(a) // else the cleanup may free a during the copy
		defer runtime.KeepAlive(src)
		return d.await("uploading", func() error {
			return cu.MemcpyHtoDAsync(a.ptr, unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), d.main)
		})
	}
	on, err := d.mine(s)
	if err != nil {
		return err
	}
	if pins.hold(src) {
		on.push("uploading", false, a, func() error {
			return cu.MemcpyHtoDAsync(a.ptr, unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), on.driverStream.stream)
		})
		return nil
	}
	on.push("uploading", true, a, func() error { return on.stage.upload(on.driverStream.stream, a.ptr, src) })
	return nil
}

// Clear stores zeros. It returns when every stream sees them.
func (d *device) Clear(a driver.Allocation) error {
	m := a.(*allocation)
	if m.size == 0 {
		return nil
	}
	defer runtime.KeepAlive(m)
	return d.await("clearing", func() error { return cu.MemsetD8Async(m.ptr, 0, int64(m.size), d.main) })
}

// Download copies from the device. If s is nil, it returns when dst is written.
// On a stream the work of the stream writes dst in its order: the GPU itself if dst
// is pinned.
func (d *device) Download(s driver.Stream, dst []byte, src driver.Allocation) error {
	if len(dst) == 0 {
		return nil
	}
	a := src.(*allocation)
	if s == nil {
		defer runtime.KeepAlive(a)
		return d.do("downloading", func() error { return cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(dst)), a.ptr, int64(len(dst))) })
	}
	on, err := d.mine(s)
	if err != nil {
		return err
	}
	if pins.hold(dst) {
		on.push("downloading", false, a, func() error {
			return cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), a.ptr, int64(len(dst)), on.driverStream.stream)
		})
		return nil
	}
	on.push("downloading", true, a, func() error { return on.stage.download(on.driverStream.stream, dst, a.ptr) })
	return nil
}

// CopyPeer copies from another GPU, or within this one. It returns false if one
// of the allocations is not of this package.
func (d *device) CopyPeer(dst, src driver.Allocation) (bool, error) {
	to, ok := dst.(*allocation)
	from, ok2 := src.(*allocation)
	if !ok || !ok2 {
		return false, nil
	}
	defer runtime.KeepAlive(from)
	defer runtime.KeepAlive(to)
	return true, d.await("copying between GPUs", func() error {
		return cu.MemcpyPeerAsync(to.ptr, d.ctx, from.ptr, from.owner.ctx, int64(to.size), d.main)
	})
}

// Trim returns freed memory of a GPU to the system, so that other processes can
// have it, and keeps at most keep bytes. It releases garbage first. On a GPU whose
// driver has no pool it returns nil: there freed memory is not kept.
func Trim(gpu driver.Device, keep int64) error {
	d, err := gpuOf(gpu, keep)
	if err != nil {
		return err
	}
	return d.do("trimming the pool", func() error {
		if err := d.sweep(); err != nil {
			return err
		}
		return d.trim(keep)
	})
}

// LimitPool makes a GPU keep at most so many bytes of freed memory when it waits
// for work. The default is all of it, so that memory is allocated without the
// system's help.
func LimitPool(gpu driver.Device, bytes int64) error {
	d, err := gpuOf(gpu, bytes)
	if err != nil || d.pool == 0 {
		return err
	}
	return d.do("limiting the pool", func() error { return d.pool.SetReleaseThreshold(uint64(bytes)) })
}

func gpuOf(gpu driver.Device, bytes int64) (*device, error) {
	d, ok := gpu.(*device)
	if !ok {
		return nil, errNoGPU()
	}
	if bytes < 0 {
		return nil, tree.NewError(tree.ErrValue, "", "a pool of %d bytes", bytes)
	}
	return d, nil
}

func errNoGPU() error { return tree.NewError(tree.ErrDevice, "", "the device is no GPU of CUDA") }

// setUpPool makes the driver keep freed memory in its pool, if it has pools.
func (d *device) setUpPool() error {
	if !cu.HasMemPools() {
		return nil
	}
	if has, err := d.gpu.Attribute(cu.MEMORY_POOLS_SUPPORTED); err != nil || has == 0 {
		return err
	}
	pool, err := cu.DeviceGetDefaultMemPool(d.gpu)
	if err != nil {
		return err
	}
	d.pool = pool
	return pool.SetReleaseThreshold(^uint64(0))
}

// trim returns freed memory to the system, except keep bytes. The context is
// current.
func (d *device) trim(keep int64) error {
	if d.pool == 0 {
		return nil
	}
	if err := d.main.Synchronize(); err != nil {
		return err
	}
	return d.pool.TrimTo(keep)
}
