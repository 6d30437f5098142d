package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestWidthOfWindows compares products of reversed rows, and of rows far apart, with the interpreter where wide vectors suit all levels.
// Vectors are wide if their windows have enough elements. The arrays end at inaccessible pages.
func TestWidthOfWindows(t *testing.T) {
	FixWide(t)
	r := rand.New(rand.NewPCG(28, 21))
	for _, typ := range []dtype.Type{dtype.F32, dtype.I32, dtype.F64} {
		k := parse(t, fmt.Sprintf(`kernel width
axis i0 i1
params 1
buf x %[1]s in 2
buf z %[1]s in 1
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[1]s x[i0, p0+i1*-1]
    %%1 = load %[1]s z[i0]
    %%2 = mul %[1]s %%0 %%1
    store %[1]s y[i0, i1] %%2
  }
}`, typ.Short()))
		for _, c := range []struct {
			row, apart int
			narrow     bool
		}{{6, 6, false}, {7, 33, true}, {12, 12, false}, {20, 20, false}, {24, 40, false}, {33, 33, false}, {64, 64, false}} {
			e := []int{17 + r.IntN(40), c.row}
			s := newSetup(t, r, k, e, []int{c.row - 1}, [][]int{{e[0], c.apart}, {e[0]}, e}, true)
			for _, be := range isas(t) {
				if in := s.instance(t, be).(*instance); be.Name() == "avx512" && typ.Size() == 4 && (in.phases[0].Laid != c.row || in.phases[0].Narrow != c.narrow) {
					t.Errorf("rows of %d %s, %d apart: rows of %d are laid, in narrow vectors: %v", c.row, typ, c.apart, in.phases[0].Laid, in.phases[0].Narrow)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}
