package jit

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// TestTwice tests that lanes are computed twice only where no load sees what they stored: rows
// to another array, in place, and in place by two buffers.
func TestTwice(t *testing.T) {
	apart := parse(t, `kernel apart
axis i0 i1
buf x f32 in 2
buf y f32 out 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    %1 = add f32 %0 %0
    store f32 y[i0, i1] %1
  }
}`)
	within := parse(t, `kernel within
axis i0 i1
buf x f32 inout 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    %1 = add f32 %0 %0
    store f32 x[i0, i1] %1
  }
}`)
	const rows, pitch = 5, 140
	rnd := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		k     *ir.Kernel
		bufs  []int // the memory of each
		twice bool
	}{{apart, []int{0, 1}, true}, {apart, []int{0, 0}, false}, {within, []int{0}, false}} {
		for _, n := range []int{15, 16, 17, 31, 64, 65, 100, 127, 129} {
			mem := [2][]float32{make([]float32, rows*pitch+1), make([]float32, rows*pitch+1)}
			for i := range mem[0] {
				mem[0][i] = float32(rnd.IntN(1000))
			}
			want := append([]float32(nil), mem[0]...)
			for _, be := range isas(t) {
				b := &ir.Binding{Extents: []int{rows, n}}
				for _, m := range c.bufs {
					b.Bufs = append(b.Bufs, ir.BufBind{Ptr: unsafe.Pointer(&mem[m][1]), Strides: []int{pitch, 1}, Extents: b.Extents, Memory: 1 + m})
				}
				code, err := be.Compile(c.k)
				if err != nil {
					t.Fatal(err)
				}
				inst, err := code.Bind(b)
				if err != nil {
					t.Fatal(err)
				}
				if got := inst.(*instance).phases[0].Repeats; got != c.twice {
					t.Errorf("%s, memories %v: lanes are computed twice: %v", c.k.Name, c.bufs, got)
				}
				runAll(inst)
				for i := range rows {
					for j := range n {
						if at := 1 + i*pitch + j; mem[c.bufs[len(c.bufs)-1]][at] != 2*want[at] {
							t.Fatalf("%s, %s, memories %v, rows of %d: element %d of row %d is not twice %v", be.Name(), c.k.Name, c.bufs, n, j, i, want[at])
						}
					}
				}
				copy(mem[0], want)
			}
		}
	}
}
