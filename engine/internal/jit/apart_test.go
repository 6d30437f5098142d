package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
		for _, step := range []int{5, 261, 20, 17, 1 << 12, 1<<12 + 5, 1 << 16, 1<<16 + 1} {
			n := 1 + r.IntN(min(300, 1<<20/step))
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n, step}}, true)
			if y := &s.b.Bufs[1]; r.IntN(2) == 0 {
				y.Ptr, y.Strides[0] = unsafe.Add(y.Ptr, (n-1)*step*typ.Size()), -step
			}
			if bp := s.instance(t, isas(t)[0]).(*instance).phases[0]; len(bp.Stores) > 0 && bp.Blends && n > 1 && step <= 1<<16 {
				t.Errorf("%s, %d rows of %d: Go copies elements", typ, n, step)
			}
			differ(t, r, s)
		}
		forget()
	}
}

// TestRowsStoredApart compares maps over many short rows with elements between them that they do not store, in place and to another array, with
// the interpreter. Several rows are one iteration, each with its own lanes alone.
func TestRowsStoredApart(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(29, 12))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64, dtype.I64, dtype.F16} {
		for _, mode := range []string{"out", "inout"} {
			old := "%1 = add REG %0 %0"
			if mode == "inout" {
				old = "%1 = load REG y[i0, i1, i2]"
			}
			k := parse(t, strings.NewReplacer("MODE", mode, "OLD", strings.ReplaceAll(old, "REG", typ.Register().Short()), "TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(`kernel apart
axis i0 i1 i2
buf x TYPE in 3
buf r TYPE in 1
buf y TYPE MODE 3
{
vec i0 i1 i2 {
%0 = load REG x[i0, i1, i2]
OLD
%2 = mul REG %0 %1
%3 = load REG r[i2]
%4 = add REG %2 %3
store REG y[i0, i1, i2] %4
}
}
`))
			for _, row := range []int{2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 17, 31, 35} {
				for _, n := range [][2]int{{1, 15}, {1, 16}, {1, 61}, {3, 17}} {
					gap := 1 + r.IntN(3)
					s := newSetup(t, r, k, []int{n[0], n[1], row}, nil, [][]int{{n[0], n[1], row}, {row}, {n[0], n[1], row + gap}}, true)
					s.b.Bufs[2].Extents[2] = row
					if bp := s.instance(t, isas(t)[0]).(*instance).phases[0]; isas(t)[0].Name() != "neon" && typ != dtype.F16 && n[0] == 1 && n[1] > 15 && row > 2 && (bp.Exact != row || bp.Follow == 0) {
						t.Errorf("%d rows of %d %s: the code does not know their lanes", n[1], row, typ)
					}
					differ(t, r, s)
				}
			}
		}
	}
}
