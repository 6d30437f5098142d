package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// TestOrders compares maps over permuted arrays with the interpreter. The back end
// chooses the order of their axes and transposes tiles. Half of them are copies.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.U8, dtype.F16, dtype.I64, dtype.I16}
	for range testlevel.Every(300, 60) {
		typ := types[r.IntN(len(types))]
		rank := 2 + r.IntN(4)
		extents := make([]int, rank)
		var axes []string
		for i := range extents {
			extents[i] = []int{1, 2, 3, 4, 7, 8, 9, 13, 16, 33}[r.IntN(10)]
			axes = append(axes, fmt.Sprint("i", i))
		}
		extents[r.IntN(rank)] = []int{20, 100, 300}[r.IntN(3)]
		for shape.Shape(extents).Size() > 5000 {
			extents[r.IntN(rank)] = 1 + r.IntN(9)
		}
		permuted := func() (at string, shape []int) {
			var list []string
			for _, a := range r.Perm(rank) {
				list, shape = append(list, axes[a]), append(shape, extents[a])
			}
			return strings.Join(list, ", "), shape
		}
		at0, shape0 := permuted()
		at1, shape1 := permuted()
		at2, shape2 := permuted()
		if r.IntN(2) == 0 {
			at2, shape2 = strings.Join(axes, ", "), extents
		}
		k := parse(t, fmt.Sprintf(`kernel permuted
axis %[3]s
buf x %[1]s in %[4]d
buf z %[1]s in %[4]d
buf y %[1]s out %[4]d
{
  vec %[3]s {
    %%0 = load %[2]s x[%[5]s]
    %%1 = load %[2]s z[%[6]s]
    %%2 = add %[2]s %%0 %%1
    store %[2]s y[%[7]s] %%%[8]d
  }
}`, typ.Short(), typ.Register().Short(), strings.Join(axes, " "), rank, at0, at1, at2, 2*r.IntN(2)))
		differ(t, r, newSetup(t, r, k, extents, nil, [][]int{shape0, shape1, shape2}, r.IntN(3) > 0))
	}
}
