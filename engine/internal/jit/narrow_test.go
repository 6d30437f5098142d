package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestNarrowReductions compares reductions of narrow integers and predicates with the interpreter:
// of all kinds, and sums in wider integers, of single arrays and of rows.
func TestNarrowReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	type result struct {
		op string
		t  dtype.Type
	}
	for _, mem := range []dtype.Type{dtype.I8, dtype.U8, dtype.Bool, dtype.I16, dtype.U16} {
		var results []result
		for _, row := range ir.Reductions() {
			if row.Types().Has(mem) && !row.Position() {
				results = append(results, result{row.Name(), mem})
			}
		}
		for _, wide := range []dtype.Type{dtype.I32, dtype.U32, dtype.I64, dtype.U64} {
			results = append(results, result{"sum", wide})
		}
		for i, res := range results {
			for j, n := range []int{1, 7, 31, 64, 100, 256, 257, 300, 4096, 4097, 3 * 4096, 40000} {
				if (i+j)%3 != 0 && j > 7 {
					continue
				}
				rows := []int{1, 5}[r.IntN(2)]
				cvt, value := "", "%1"
				if res.t != mem {
					cvt, value = fmt.Sprintf("    %%2 = cvt %s %%1\n", res.t.Short()), "%2"
				}
				op := []string{"min", "add"}[r.IntN(2)]
				if mem == dtype.Bool {
					op = "or"
				}
				k := parse(t, strings.NewReplacer("MEM", mem.Short(), "OUT", res.t.Short(), "CVT", cvt, "OP", op, "KIND", res.op, "VALUE", value).Replace(`kernel narrow
axis i0 i1
buf x MEM in 2
buf z MEM in 2
buf y OUT out 1
{
  par i0 {
    vec i1 {
      %0 = load MEM x[i0, i1]
      %3 = load MEM z[i0, i1]
      %1 = OP MEM %0 %3
CVT      %4 = reduce KIND OUT VALUE
    }
    store OUT y[i0] %4
  }
}`))
				differ(t, r, newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n}, {rows, n}, {rows}}, true))
			}
		}
	}
}
