package interp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestGuardPages runs kernels whose operands all lie next to a page without access.
func TestGuardPages(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const rows = `kernel rows
axis i0 i1
buf x %[1]s in 2
buf y %[1]s in 2
buf w %[1]s in 2
buf z %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[2]s x[i0, i1]
    %%1 = load %[2]s y[i0-1, i1+1] else %%0
    %%2 = load %[2]s w[i0+2, i1-3] clamp
    %%3 = %[3]s %[2]s %%0 %%1
    %%4 = %[3]s %[2]s %%3 %%2
    store %[2]s z[i0, i1] %%4
  }
}`
	for _, mem := range dtype.Real() {
		op := "add"
		if mem == dtype.Bool {
			op = "xor"
		}
		code := compile(t, fmt.Sprintf(rows, mem.Short(), mem.Register().Short(), op))
		for _, shape := range [][]int{{1, 1}, {1, 7}, {3, 5}, {7, 3}, {1, 511}, {2, 256}, {1, 513}, {40, 33}, {600, 2}} {
			for _, end := range []bool{false, true} {
				n := shape[0] * shape[1]
				b := &ir.Binding{Extents: shape}
				for i := range 4 {
					strides := []int{shape[1], 1}
					p := testlevel.Guarded(t, n*mem.Size(), end)
					switch {
					case i == 2:
						strides = []int{1, shape[0]}
					case i < 2 && r.IntN(2) == 0:
						strides = []int{-shape[1], -1}
						p = unsafe.Add(p, (n-1)*mem.Size())
					}
					b.Bufs = append(b.Bufs, ir.BufBind{Ptr: p, Strides: strides, Extents: shape})
				}
				inst, err := code.Bind(b)
				if err != nil {
					t.Fatal(err)
				}
				runAll(inst)
			}
		}
	}
}
