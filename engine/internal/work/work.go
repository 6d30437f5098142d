// Package work has what the CPU backends share in running a kernel: the state of
// a run, positions on axes, and aligned memory.
package work

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// A Run is the part of an instance that changes from run to run. It has cache
// lines of its own: workers read the rest of the instance all the time.
type Run struct {
	_      [64]byte
	Number uint64 // of the run, from 1 on
	_      [64]byte
	fault  atomic.Int32
	ctx    context.Context // may end a run; nil: nothing does
}

// Begin starts a run without a fault.
func (r *Run) Begin() {
	r.Number++
	if r.fault.Load() != 0 { // a store costs as much as a short loop
		r.fault.Store(0)
	}
}

// Watch lets the runs that follow end early when ctx is done.
func (r *Run) Watch(ctx context.Context) { r.ctx = ctx }

// Stopped reports whether the run is to end early.
func (r *Run) Stopped() bool { return r.ctx != nil && r.ctx.Err() != nil }

// Raise notes a fault. The least fault of a run stays.
func (r *Run) Raise(k ir.FaultKind) {
	for {
		old := r.fault.Load()
		if old != 0 && old <= int32(k) || r.fault.CompareAndSwap(old, int32(k)) {
			return
		}
	}
}

// Fault is the least fault that was raised in the run.
func (r *Run) Fault() ir.FaultKind { return ir.FaultKind(r.fault.Load()) }

// Place sets the positions on axes to flattened position p.
func Place(pos, extents []int, axes []int32, p int) {
	for i := len(axes) - 1; i >= 0; i-- {
		e := max(extents[axes[i]], 1)
		pos[axes[i]] = p % e
		p /= e
	}
}

// Advance goes to the next position on axes, and from the last to the first.
func Advance(pos, extents []int, axes []int32) {
	for i := len(axes) - 1; i >= 0; i-- {
		pos[axes[i]]++
		if pos[axes[i]] < extents[axes[i]] {
			return
		}
		pos[axes[i]] = 0
	}
}

// Fill sets every element of d to x. Doubling copies are faster than a loop: Go
// vectorises memmove alone.
func Fill[T any](d []T, x T) {
	m := min(len(d), 16)
	for i := range d[:m] {
		d[i] = x
	}
	for m < len(d) {
		m += copy(d[m:], d[:m])
	}
}

// Memory returns zeroed memory that begins on a cache line.
func Memory(bytes int) []uint64 {
	words := (bytes + 7) / 8
	mem := make([]uint64, words+8)
	skip := (64 - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))&63) & 63
	return mem[skip/8:][:max(words, 1):max(words, 1)]
}
