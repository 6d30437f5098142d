package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestStoresApart compares loops that store to two columns of a matrix, forward and backward, with the interpreter. Go copies no elements.
// All steps of a type have one kernel, and some have the same lowest byte: the step is a constant of the code.
func TestStoresApart(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 11))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32} {
		k := parse(t, fmt.Sprintf(`kernel columns
axis i0
buf x %[1]s in 1
buf y %[1]s out 2
{
  vec i0 {
    %%0 = load %[1]s x[i0]
    %%1 = add %[1]s %%0 %%0
    store %[1]s y[i0, 3] %%1
    store %[1]s y[i0, 1] %%0
  }
}`, typ.Short()))
		for _, step := range []int{5, 261, 20, 17, 1 << 12, 1<<12 + 5} {
			n := 1 + r.IntN(300)
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n, step}}, true)
			if y := &s.b.Bufs[1]; r.IntN(2) == 0 {
				y.Ptr, y.Strides[0] = unsafe.Add(y.Ptr, (n-1)*step*typ.Size()), -step
			}
			if bp := s.instance(t, isas(t)[0]).(*instance).phases[0]; len(bp.Stores) > 0 && bp.Blends && n > 1 {
				t.Errorf("%s, %d rows of %d: Go copies elements", typ, n, step)
			}
			differ(t, r, s)
		}
		forget()
	}
}
