package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestTransposed compares maps with transposed operands with the interpreter: of every
// element size, and with extents near the sizes of blocks and tiles.
func TestTransposed(t *testing.T) {
	extents := []int{16, 17, 31, 32, 33, 100, 128, 129, layout.TileLanes - 1, layout.TileLanes, layout.TileLanes + 1, 2*layout.TileLanes + 5}
	found := 0
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		memory := dtype.Real()
		mem := memory[seed%len(memory)]
		reg := mem.Register()
		rows, columns := extents[r.IntN(len(extents))], extents[r.IntN(len(extents))]
		op := "add"
		if mem == dtype.Bool {
			op = "xor"
		}
		k := parse(t, fmt.Sprintf(`kernel across
axis i0 i1
buf a %[1]s in 2
buf b %[1]s in 2
buf c %[1]s in 2
buf out %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[2]s a[i0, i1]
    %%1 = load %[2]s b[i1, i0]
    %%2 = load %[2]s c[i1, i0]
    %%3 = %[3]s %[2]s %%0 %%1
    %%4 = %[3]s %[2]s %%3 %%2
    store %[2]s out[i0, i1] %%4
  }
}`, mem.Short(), reg.Short(), op))
		s := newSetup(t, r, k, []int{rows, columns}, nil, [][]int{{rows, columns}, {columns, rows}, {columns, rows}, {rows, columns}}, true)
		for _, be := range isas(t) {
			inst := s.instance(t, be)
			if in, ok := inst.(*instance); ok && len(in.phases[0].Transposed) == 2 {
				found++
			}
		}
		differ(t, r, s)
	}
	if found < 30*len(isas(t)) {
		t.Errorf("tiles are used %d times", found)
	}
}

// TestCopiedTiles compares transposes with the interpreter: of every element size, with few
// rows and many, and through a third axis.
func TestCopiedTiles(t *testing.T) {
	extents := []int{3, 4, 8, 9, 16, 17, 32, 33, 100, 129, layout.TileLanes + 5, 1100}
	found := 0
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		memory := []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.I64, dtype.Bool}
		mem := memory[seed%len(memory)]
		n := []int{extents[r.IntN(len(extents))], 1 + r.IntN(3), extents[r.IntN(len(extents))]}
		k := parse(t, fmt.Sprintf(`kernel turn
axis i0 i1 i2
buf b %[1]s in 3
buf out %[1]s out 3
{
  vec i0 i1 i2 {
    %%0 = load %[2]s b[i2, i1, i0]
    store %[2]s out[i0, i1, i2] %%0
  }
}`, mem.Short(), mem.Register().Short()))
		s := newSetup(t, r, k, n, nil, [][]int{{n[2], n[1], n[0]}, n}, seed%3 != 0)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok && in.phases[0].Copy >= 0 {
				found++
			}
		}
		differ(t, r, s)
	}
	if found < 20*len(isas(t)) {
		t.Errorf("tiles are copied %d times", found)
	}
}
