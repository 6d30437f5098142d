package jit

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestFarRuns sums a few columns whose rows are as far apart as runs of rows may be, and further.
func TestFarRuns(t *testing.T) {
	const rows, columns, most = 1100, 3, 1<<20 + 1
	k := parse(t, `kernel far
axis i0 i1
buf x f32 in 2
buf y f32 out 1
{
  vec i0 {
    seq i1 {
      %0 = load f32 x[i1, i0]
      %1 = reduce sum f32 %0
    }
    store f32 y[i0] %1
  }
}`)
	// Most pages are never touched.
	m, err := syscall.Mmap(-1, 0, 4*((rows-1)*most+columns), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Munmap(m) }()
	_ = syscall.Madvise(m, 15) // no huge pages
	r := rand.New(rand.NewPCG(1, 2))
	for _, step := range []int{most, most - 1, most - 2} {
		for _, back := range []bool{false, true} {
			at := func(row int) *float32 { return (*float32)(unsafe.Pointer(&m[4*row*step])) }
			x := ir.BufBind{Ptr: unsafe.Pointer(at(0)), Strides: []int{step, 1}, Extents: []int{rows, columns}}
			if back {
				x.Ptr, x.Strides[0] = unsafe.Pointer(at(rows-1)), -step
			}
			for i := range rows {
				for j := range columns {
					*(*float32)(unsafe.Add(unsafe.Pointer(at(i)), 4*j)) = r.Float32()
				}
			}
			sums := func(be backend.Backend) []float32 {
				y := make([]float32, columns)
				s := &setup{k: k, b: &ir.Binding{Extents: []int{columns, rows}, Bufs: []ir.BufBind{x, {Ptr: unsafe.Pointer(&y[0]), Strides: []int{1}, Extents: []int{columns}}}}}
				in := s.instance(t, be)
				if be.Name() != interp.New().Name() {
					if _, ok := in.(*instance); !ok {
						t.Errorf("%s, step %d, back %t: no machine code", be.Name(), step, back)
					}
				}
				runAll(in)
				return y
			}
			want := sums(interp.New())
			for _, be := range isas(t) {
				if got := sums(be); !slices.Equal(got, want) {
					t.Errorf("%s, step %d, back %t: %v, want %v", be.Name(), step, back, got, want)
				}
			}
		}
	}
}
