package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestPeriods compares loops over short rows, which add one row to all of them, with the
// interpreter. A worker copies the row once in a run, so a second run with the same
// worker must see a row that changed.
func TestPeriods(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I8, dtype.F16, dtype.U16} {
		for columns := 2; columns <= 9; columns++ {
			rows := []int{7, 200, 700}[r.IntN(3)]
			k := parse(t, fmt.Sprintf(`kernel short_rows
axis i0 i1 i2
buf x %[1]s in 3
buf row %[1]s in 1
buf two %[1]s in 2
buf y %[1]s out 3
{
  vec i0 i1 i2 {
    %%0 = load %[2]s x[i0, i1, i2]
    %%1 = load %[2]s row[i2]
    %%2 = add %[2]s %%0 %%1
    %%3 = load %[2]s two[i1, i2]
    %%4 = mul %[2]s %%2 %%3
    store %[2]s y[i0, i1, i2] %%4
  }
}`, typ.Short(), typ.Register().Short()))
			e := []int{rows, 3, columns}
			shapes := [][]int{e, {columns}, {3, columns}, e}
			plain := r.IntN(2) == 0 // arrays with gaps take another order
			s := newSetup(t, r, k, e, nil, shapes, plain)
			for _, be := range isas(t) {
				in := s.instance(t, be).(*instance)
				// With NEON rows of other elements are laid across vectors, and with the others all.
				if kept := rows > 7 && typ.Size() == 2 && be.Name() == "neon"; plain && columns < 7 && kept != (len(in.periodic) > 0) {
					t.Errorf("%s, %s, %d rows of %d: a row is kept: %v", be.Name(), typ, rows*3, columns, !kept)
				}
				w := in.NewWorker()
				once(w, in)
				want := s.instance(t, interp.New())
				for i := range len(s.mem[1]) / typ.Size() {
					randir.Put(s.mem[1][i*typ.Size():], typ.Size(), randir.MemoryBits(r, typ))
				}
				once(w, in)
				got := slices.Clone(s.mem[3])
				runAll(want)
				if j := randir.Differ(typ, got, s.mem[3]); j >= 0 {
					t.Fatalf("%s, %s, rows of %d: element %d of the second run differs from the result of the interpreter", be.Name(), typ, columns, j)
				}
			}
			differ(t, r, s)
		}
	}
}
