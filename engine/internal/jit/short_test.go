package jit

import (
	"fmt"
	"math/rand/v2"
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
			for _, n := range []int{1, 7, 16, 17, 31, 33, 64, 65, layout.MostShort, layout.MostShort + 1} {
				seed++
				r := rand.New(rand.NewPCG(seed, 12))
				differ(t, r, newSetup(t, r, k, []int{3, n}, nil, [][]int{{3, n}, {3}, {3, n}}, seed%3 != 0))
			}
			forget()
		}
	}
}
