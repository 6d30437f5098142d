package cuda

import (
	"errors"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// An allocation is memory of a GPU. If it is not freed, it is some time after it
// has become garbage.
type allocation struct {
	owner   *device
	ptr     cu.DevicePtr
	size    int
	cleanup runtime.Cleanup
}

func (a *allocation) Size() int { return a.size }

// deferred is a list of releases. Cleanups run at any time and on any thread, so they
// only add to the list. The next call of the device works it off.
type deferred struct {
	mu   sync.Mutex
	list []func() error
}

func (t *deferred) put(f func() error) {
	t.mu.Lock()
	t.list = append(t.list, f)
	t.mu.Unlock()
}

func (t *deferred) take() []func() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.list
	t.list = nil
	return out
}

// sweep releases what was left, all of it, whatever fails. The context is current.
func (d *device) sweep() (err error) {
	for _, f := range d.deferred.take() {
		err = first(err, f())
	}
	return err
}

// first is the first error of a release that goes on after it.
func first(err, next error) error {
	if err != nil {
		return err
	}
	return next
}

// setUpPool makes the driver keep freed memory, if it has pools.
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

// Alloc reserves memory, of one byte at least.
func (d *device) Alloc(size int) (engine.Allocation, error) {
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

// Free releases memory. Work that uses it must have ended.
func (d *device) Free(a engine.Allocation) error {
	m := a.(*allocation)
	m.cleanup.Stop()
	return d.do("freeing", func() error { return d.free(m.ptr) })
}

// obtain allocates memory. If there is none left, it releases garbage, modules that no
// program holds and the free memory of the pool, and tries once more. The caller is
// not capturing a stream.
func (d *device) obtain(size int) (cu.DevicePtr, error) {
	p, err := d.alloc(size)
	if !errors.Is(err, cu.ERROR_OUT_OF_MEMORY) {
		return p, err
	}
	runtime.GC()
	time.Sleep(time.Millisecond) // cleanups run by themselves
	if err := d.sweep(); err != nil {
		return 0, err
	}
	if err := d.unload(d.modules.clear()); err != nil {
		return 0, err
	}
	if err := d.trim(); err != nil {
		return 0, err
	}
	return d.alloc(size)
}

// alloc waits until the memory is there for every stream.
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

func (d *device) trim() error {
	if d.pool == 0 {
		return nil
	}
	if err := d.main.Synchronize(); err != nil {
		return err
	}
	return d.pool.TrimTo(0)
}

// Upload copies src to the device. Without a stream it returns when the bytes are
// there for every stream: a plain cuMemcpyHtoD of Go's memory, which is pageable,
// returns when they are staged, and streams that do not wait for the default
// stream would read what was there before. On a stream the copy goes through
// pinned memory, so that the caller need not wait.
func (d *device) Upload(s engine.Stream, dst engine.Allocation, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	a := dst.(*allocation)
	if s == nil {
		defer runtime.KeepAlive(a) // the caller may have no more use for it, and then it is freed
		return d.do("uploading", func() error {
			defer runtime.KeepAlive(src)
			if err := cu.MemcpyHtoDAsync(a.ptr, unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), d.main); err != nil {
				return err
			}
			return d.main.Synchronize()
		})
	}
	on, err := d.mine(s)
	if err != nil {
		return err
	}
	on.push("uploading", a, func() error { return on.stage.upload(on.driverStream.stream, a.ptr, src) })
	return nil
}

// Download copies from the device. On a stream dst is written when the work of
// the stream has come that far.
func (d *device) Download(s engine.Stream, dst []byte, src engine.Allocation) error {
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
	on.push("downloading", a, func() error { return on.stage.download(on.driverStream.stream, dst, a.ptr) })
	return nil
}

// CopyPeer copies from another GPU, or from this one.
func (d *device) CopyPeer(dst, src engine.Allocation) (bool, error) {
	to, ok := dst.(*allocation)
	from, ok2 := src.(*allocation)
	if !ok || !ok2 {
		return false, nil
	}
	defer runtime.KeepAlive(from)
	defer runtime.KeepAlive(to)
	return true, d.do("copying between GPUs", func() error {
		if err := cu.MemcpyPeerAsync(to.ptr, d.ctx, from.ptr, from.owner.ctx, int64(to.size), d.main); err != nil {
			return err
		}
		return d.main.Synchronize()
	})
}
