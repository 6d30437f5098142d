package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestWoven compares loops that store neighbouring fields of records, in any order, with the
// interpreter. A tile moves the fields that no permutes reach. Records may have more fields than
// are stored, and stand in rows with gaps. The arrays end at pages without access.
func TestWoven(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 35))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64} {
		for _, fields := range []int{2, 7, 8, 9, 21} {
			for rank := 1; rank <= 2; rank++ {
				n, above := [...]int{1 + r.IntN(20), 60 + r.IntN(80), 1400 + r.IntN(100)}[r.IntN(3)], 1+r.IntN(5)
				all, gap := fields+r.IntN(2)*3, r.IntN(2)*5
				s := wovenSetup(t, r, typ, fields, all, []int{n, above}, gap, rank)
				has := len(s.instance(t, isas(t)[0]).(*instance).phases[0].Woven)
				if rank == 1 && n > 1 && typ == dtype.F32 && fields > 8 && has != fields { // permutes join others
					t.Errorf("%d lanes: %d of %d fields are moved by a tile", n, has, fields)
				}
				differ(t, r, s)
			}
			forget()
		}
	}
}

// wovenSetup returns a loop that stores some of all fields of records, which are extents[0] in a
// row. Fields are views of one memory, and buffers of their own.
func wovenSetup(t *testing.T, r *rand.Rand, typ dtype.Type, fields, all int, extents []int, gap, rank int) *setup {
	n, above, size := extents[0], extents[1], typ.Size()
	row := n*all + gap
	axes, at, shape, strides, whole := "i0", "i0", []int{n}, []int{all}, []int{n * all}
	if rank == 2 {
		axes, at, shape, strides, whole = "i1 i0", "i1, i0", []int{above, n}, []int{row, all}, []int{above, row}
	}
	var bufs, body strings.Builder
	shapes := [][]int{{fields, n}}
	for f := range fields {
		fmt.Fprintf(&bufs, "buf y%d %s out %d\n", f, typ.Short(), rank)
		shapes = append(shapes, whole)
	}
	for i, f := range r.Perm(fields) {
		fmt.Fprintf(&body, "    %%%[1]d = load %[2]s x[%[4]d, i0]\n    %%%[5]d = add %[2]s %%%[1]d %%%[1]d\n    store %[2]s y%[4]d[%[3]s] %%%[5]d\n", 2*i, typ.Short(), at, f, 2*i+1)
	}
	k := parse(t, fmt.Sprintf("kernel woven\naxis i0 i1\nbuf x %s in 2\n%s{\n  vec %s {\n%s  }\n}", typ.Short(), bufs.String(), axes, body.String()))
	s := newSetup(t, r, k, extents, nil, shapes, true)
	base := s.b.Bufs[1].Ptr
	for f := range fields {
		s.b.Bufs[1+f] = ir.BufBind{Ptr: unsafe.Add(base, f*size), Strides: strides, Extents: shape, Memory: 1, Offset: f * size}
	}
	return s
}
