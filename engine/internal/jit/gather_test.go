package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestGathers loads at positions that are values of the lanes.
func TestGathers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, mem := range dtype.Real() {
		reg := mem.Register().Short()
		for _, how := range []string{" clamp", " else %4"} {
			k := parse(t, fmt.Sprintf(`kernel gather
axis i0 i1
params 1
buf x %[1]s in 2
buf i i32 in 2
buf y %[1]s out 2
{
  %%4 = const %[2]s 1
  vec i0 i1 {
    %%0 = load i32 i[i0, i1]
    %%1 = cvt i64 %%0
    %%2 = index i1
    %%3 = load %[2]s x[%%1, %%2]%[3]s
    store %[2]s y[i0, i1] %%3
  }
}`, mem.Short(), reg, how))
			for range 20 {
				n, m, rows := 1+r.IntN(20), 1+r.IntN(40), 1+r.IntN(50)
				e := []int{n, m}
				s := newSetup(t, r, k, e, []int{rows}, [][]int{{rows, m}, e, e}, r.IntN(2) == 0)
				for i := range len(s.mem[1]) / 4 {
					randir.Put(s.mem[1][4*i:], 4, uint64(uint32(int32(r.IntN(3*rows)-rows))))
				}
				differ(t, r, s)
			}
		}
	}
}
