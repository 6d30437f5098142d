package jit

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestShortRows compares all built-in reductions of rows with the interpreter, in rows with
// as many elements as some vectors have, and one more or less.
func TestShortRows(t *testing.T) {
	seed := uint64(0)
	for _, row := range ir.Reductions() {
		for _, typ := range registers {
			if !row.Native() || !row.Types().Has(typ) {
				continue
			}
			out := row.Result(typ)
			k := parse(t, fmt.Sprintf(`kernel short
axis i0 i1
buf x %[1]s in 2
buf y %[2]s out 1
buf z %[1]s out 2
{
  par i0 {
    vec i1 {
      %%0 = load %[1]s x[i0, i1]
      %%1 = reduce %[3]s %[2]s %%0
      store %[1]s z[i0, i1] %%0
    }
    store %[2]s y[i0] %%1
  }
}`, typ.Short(), out.Short(), row.Name()))
			for _, n := range []int{1, 7, 16, 17, 31, 33, 64, 65, layout.MostShort, layout.MostShort + 1, layout.MostShort + 10, layout.MostShort + 23, layout.MostShort + 45, layout.MostShort + 60} {
				seed++
				r := rand.New(rand.NewPCG(seed, 12))
				differ(t, r, newSetup(t, r, k, []int{3, n}, nil, [][]int{{3, n}, {3}, {3, n}}, seed%3 != 0))
			}
			forget()
		}
	}
}

// TestFewShortRows compares maps of few short rows with the interpreter, in arrays whose rows are longer, or columns. No target of
// amd64 has Go code that copies their elements.
func TestFewShortRows(t *testing.T) {
	seed := uint64(0)
	for _, typ := range []string{"f32", "f64", "u8", "f16", "i64", "i16"} {
		reg := typ
		if typ == "f16" {
			reg = "f32"
		}
		k := parse(t, fmt.Sprintf(`kernel few
axis i0 i1
buf x %[1]s in 2
buf z %[1]s in 1
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[2]s x[i0, i1]
    %%1 = load %[2]s z[i0]
    %%2 = add %[2]s %%0 %%1
    store %[2]s y[i0, i1] %%2
  }
}`, typ, reg))
		transposed := parse(t, fmt.Sprintf(`kernel transposed
axis i0 i1
buf x %[1]s in 2
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[2]s x[i1, i0]
    store %[2]s y[i0, i1] %%0
  }
}`, typ, reg))
		for _, rows := range []int{0, 1, 2, 3, 5, 12, 13} {
			for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 9} {
				seed++
				r := rand.New(rand.NewPCG(seed, 47))
				s := newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n + 2}, {rows}, {rows, n + 1}}, true)
				for _, be := range isas(t) {
					bp := s.instance(t, be).(*instance).vecs[0].phases[0]
					if copied := len(bp.Loads) + len(bp.Stores); runtime.GOARCH == "amd64" && copied > 0 && rows*n > 1 && rows <= 12 && n <= 8 {
						t.Errorf("%s, %d rows of %d %s: Go copies the elements of %d accesses", be.Name(), rows, n, typ, copied)
					}
				}
				differ(t, r, s)
				differ(t, r, newSetup(t, r, transposed, []int{rows, n}, nil, [][]int{{n, rows + 1}, {rows, n + 3}}, true))
			}
		}
		forget()
	}
}
