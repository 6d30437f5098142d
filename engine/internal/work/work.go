// Package work has the code that the CPU back ends share: the state of a run,
// positions on axes, and aligned memory.
package work

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// A Run is the part of an instance that changes from run to run. It shares no cache
// line with the rest of the instance, which workers read all the time.
type Run struct {
	_      [64]byte
	Number uint64 // number of the run, from 1
	_      [64]byte
	fault  atomic.Int32
	ctx    context.Context // cancels the run when done; nil: the run is not cancelled
}

// Begin starts a run and clears its fault.
func (r *Run) Begin() {
	r.Number++
	if r.fault.Load() != 0 { // a store costs as much as a short loop
		r.fault.Store(0)
	}
}

// Watch sets the context that cancels the following runs. ctx may be nil.
func (r *Run) Watch(ctx context.Context) { r.ctx = ctx }

// Stopped reports whether the context of the run is done.
func (r *Run) Stopped() bool { return r.ctx != nil && r.ctx.Err() != nil }

// Raise records a fault. The run keeps the least fault. Workers may call Raise at
// the same time.
func (r *Run) Raise(k ir.FaultKind) {
	for {
		if old := r.fault.Load(); old != 0 && old <= int32(k) || r.fault.CompareAndSwap(old, int32(k)) {
			return
		}
	}
}

// Fault returns the least fault that workers raised in the run, or ir.NoFault.
func (r *Run) Fault() ir.FaultKind { return ir.FaultKind(r.fault.Load()) }

// Place sets the positions on axes, pos[axis], to flattened position p.
func Place(pos, extents []int, axes []int32, p int) {
	for i := len(axes) - 1; i >= 0; i-- {
		e := max(extents[axes[i]], 1)
		pos[axes[i]] = p % e
		p /= e
	}
}

// Advance increments the flattened position on axes. After the last position comes
// the first.
func Advance(pos, extents []int, axes []int32) {
	for i := len(axes) - 1; i >= 0; i-- {
		pos[axes[i]]++
		if pos[axes[i]] < extents[axes[i]] {
			return
		}
		pos[axes[i]] = 0
	}
}

// Fill sets every element of d to x. It copies in doubling steps, which is faster
// than a loop: Go vectorises only memmove.
func Fill[T any](d []T, x T) {
	m := min(len(d), 16)
	for i := range d[:m] {
		d[i] = x
	}
	for m < len(d) {
		m += copy(d[m:], d[:m])
	}
}

// Memory returns at least the given number of bytes, zeroed, as words. The memory
// begins on a cache line and has at least one word.
func Memory(bytes int) []uint64 {
	words := (bytes + 7) / 8
	mem := make([]uint64, words+8)
	skip := (64 - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))&63) & 63
	return mem[skip/8:][:max(words, 1):max(words, 1)]
}
