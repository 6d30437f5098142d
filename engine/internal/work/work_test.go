package work_test

import (
	"context"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestPositions checks Place and Advance on some of three axes, from each position.
func TestPositions(t *testing.T) {
	extents, axes := []int{3, 5, 4}, []int32{2, 0}
	var all [][]int
	pos := make([]int, 3)
	for p := range 12 {
		work.Place(pos, extents, axes, p)
		all = append(all, slices.Clone(pos))
		if want := []int{p % 3, 0, p / 3}; !slices.Equal(pos, want) {
			t.Fatalf("position %d is %v, want %v", p, pos, want)
		}
	}
	for p := range 24 {
		work.Advance(pos, extents, axes)
		if !slices.Equal(pos, all[p%12]) {
			t.Fatalf("%d after the last: %v, want %v", p, pos, all[p%12])
		}
	}
	work.Place(pos, []int{0, 0, 0}, axes, 0) // extents of 0: Place must not divide by them
}

func TestRun(t *testing.T) {
	var r work.Run
	for i := range 3 {
		r.Begin()
		if r.Number != uint64(i+1) || r.Fault() != ir.NoFault || r.Stopped() {
			t.Fatalf("run %d begins with number %d, fault %v", i, r.Number, r.Fault())
		}
		r.Raise(ir.IndexFault)
		r.Raise(ir.DivideFault)
		r.Raise(ir.IndexFault)
		if r.Fault() != ir.DivideFault {
			t.Fatalf("the least fault is %v", r.Fault())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.Watch(ctx)
	if r.Stopped() {
		t.Error("stopped before the context ended")
	}
	cancel()
	if !r.Stopped() {
		t.Error("not stopped by the context")
	}
}

func TestMemory(t *testing.T) {
	for _, n := range []int{0, 1, 8, 63, 64, 1000} {
		m := work.Memory(n)
		if 8*len(m) < n || uintptr(unsafe.Pointer(&m[0]))%64 != 0 {
			t.Errorf("%d bytes: %d words at %p", n, len(m), &m[0])
		}
	}
}
