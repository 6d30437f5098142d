package cuda

import (
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
)

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
