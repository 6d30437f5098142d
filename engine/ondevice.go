package engine

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// A deviceRun runs a plan on the device of its memory.
type deviceRun struct {
	name string
	code driver.Program
	mems []usedMemory
}

// A usedMemory is memory that a plan reads or writes.
type usedMemory struct {
	*Memory
	written bool
}

// memoriesOf returns the memories of a plan, each once. It returns an error if they are
// of several devices, even of one that runs no programs.
func memoriesOf(pl *plan.Plan) ([]usedMemory, error) {
	mems := make([]usedMemory, 0, 4)
	at := map[*Memory]int{}
	add := func(a *plan.Array, written bool) error {
		if a.Mem == nil {
			return nil
		}
		m, ok := a.Mem.(*Memory)
		if !ok {
			return tree.NewError(tree.ErrDevice, "", "no program can be compiled for device %s", a.Mem.Device())
		}
		i, ok := at[m]
		if !ok {
			i = len(mems)
			at[m] = i
			mems = append(mems, usedMemory{Memory: m})
		}
		mems[i].written = mems[i].written || written
		return mems[i].holds(a.Type, a.Shape, a.Strides, a.Offset)
	}
	for _, s := range pl.Stages {
		for i, list := range [...][]*plan.Array{s.Reads, s.Writes} {
			for _, a := range list {
				if err := add(a, i == 1); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, m := range mems {
		if m.dev != mems[0].dev {
			return nil, tree.NewError(tree.ErrDevice, "", "arrays of %s and of %s in one program; To moves them", mems[0].Device(), m.Device())
		}
	}
	return mems, nil
}

// newDeviceRun compiles a plan for the device of its memories. It returns the plan
// that the device runs, too.
func newDeviceRun(ctx context.Context, pl *plan.Plan, mems []usedMemory) (*deviceRun, *plan.Plan, error) {
	name := mems[0].Device()
	c, ok := mems[0].dev.(driver.Compiler)
	if !ok {
		return nil, nil, tree.NewError(tree.ErrDevice, "", "no program can be compiled for device %s", name)
	}
	slices.SortFunc(mems, func(a, b usedMemory) int {
		return cmp.Compare(uintptr(unsafe.Pointer(a.Memory)), uintptr(unsafe.Pointer(b.Memory)))
	})
	r := &deviceRun{name: name, mems: mems}
	for _, m := range mems {
		if _, err := m.OnDevice(); err != nil {
			return nil, nil, err
		}
	}
	var err error
	if r.code, err = c.Compile(ctx, pl); err != nil {
		return nil, nil, err
	}
	if own, ok := r.code.(driver.Planned); ok {
		pl = own.Plan()
	}
	return r, pl, nil
}

// run updates the device side of the memories and runs plan pl. A fault lists the
// nodes of all stages, because a device does not say which stage failed.
func (r *deviceRun) run(ctx context.Context, pl *plan.Plan) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, m := range r.mems {
		if err := m.claim(m.written, nil); err != nil {
			return err
		}
	}
	err := r.code.Run(ctx)
	e, ok := err.(*tree.Error)
	if !ok || e.Kind != tree.ErrDivide && e.Kind != tree.ErrIndex {
		return err
	}
	f := &host.Fault{Kind: e.Kind}
	for _, s := range pl.Stages {
		f.Sites = append(f.Sites, s.Faults...)
	}
	return f
}

// queue queues a run on stream s and returns the event of its end. The stream
// waits for earlier uses of the memories, and later uses wait for the event. Runs
// that share a memory are queued one after the other, or one of them would not wait
// for the other. Every run locks the memories in the order of their addresses.
func (r *deviceRun) queue(s driver.Stream) driver.Event {
	for _, m := range r.mems {
		m.queueing.Lock()
		defer m.queueing.Unlock()
	}
	for _, m := range r.mems {
		if err := m.claim(m.written, s); err != nil {
			s.Go(func(context.Context) error { return err })
			return s.Record()
		}
	}
	r.code.Queue(s)
	e := s.Record()
	for _, m := range r.mems {
		m.mu.Lock()
		m.busy = e
		m.mu.Unlock()
	}
	return e
}

// close waits for queued runs and closes the device's program. The errors of the
// runs are in their events.
func (r *deviceRun) close() error {
	for _, m := range r.mems {
		m.mu.Lock()
		_ = m.settle()
		m.mu.Unlock()
	}
	return r.code.Close()
}
