package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestPermutedColumns compares loops that copy columns of records, each column from any column of one of some arrays, to all columns of a target
// with the interpreter. On x86 rows that share a vector are permuted, unless gaps are between them. All arrays end at pages without access.
func TestPermutedColumns(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(30, 23))
	defer func(permutes bool) { amd64.Permutes8 = permutes }(amd64.Permutes8)
	permutes, packed := amd64.Permutes8, map[string]int{}
	for range 60 * (1 + 9*frame.Bit(testlevel.Deep())) {
		typ := []dtype.Type{dtype.U8, dtype.Bool, dtype.I16, dtype.F16, dtype.F32, dtype.F64}[r.IntN(6)]
		columns, n, from, gap := 2+r.IntN(15), 1+r.IntN(300), 1+r.IntN(3), r.IntN(4)/3
		amd64.Permutes8 = permutes && r.IntN(3) > 0
		var bufs, body strings.Builder
		var shapes [][]int
		read := make([]int, columns) // the array of each column, and the column that is read
		at := make([]int, columns)
		for j := range columns {
			fmt.Fprintf(&bufs, "buf x%d %s in 1\n", j, typ.Short())
			fmt.Fprintf(&body, "%%%d = load %s x%[1]d[i0]\n", j, typ.Register().Short())
			read[j] = min(j, r.IntN(from))
			shapes = append(shapes, []int{1})
		}
		for j := range columns {
			fmt.Fprintf(&bufs, "buf y%d %s out 1\n", j, typ.Short())
			fmt.Fprintf(&body, "store %s y%d[i0] %%%[2]d\n", typ.Register().Short(), j)
			shapes = append(shapes, []int{1})
		}
		widths := lists.Make(columns, func(int) int { return 2 + r.IntN(columns) }) // of the records of each array
		of := slices.Clone(read)
		for j := range columns {
			read[j] = slices.Index(of, of[j]) // the first column that reads the array
			at[j] = r.IntN(widths[read[j]])
			if r.IntN(2) == 0 {
				at[j] = (j - read[j]) % widths[read[j]]
			}
			shapes[j] = []int{n * widths[j]}
		}
		shapes[columns] = []int{n * (columns + gap)}
		s := newSetup(t, r, parse(t, "kernel packed\naxis i0\n"+bufs.String()+"{\nvec i0 {\n"+body.String()+"}\n}\n"), []int{n}, nil, shapes, true)
		bufs0 := slices.Clone(s.b.Bufs)
		for j := range columns {
			one := func(b, first, column, width int) {
				s.b.Bufs[b] = ir.BufBind{Ptr: unsafe.Add(bufs0[first].Ptr, column*typ.Size()), Strides: []int{width}, Extents: []int{n}, Memory: 1 + first, Offset: column * typ.Size()}
			}
			one(j, read[j], at[j], widths[read[j]])
			one(columns+j, columns, j, columns+gap)
		}
		for _, be := range isas(t) {
			in := s.instance(t, be).(*instance)
			if gap > 0 && in.phases[0].Copied {
				t.Errorf("%s: %d rows of %d %s beside others are copied row by row", be.Name(), n, columns, typ)
			}
			if gap > 0 || columns*typ.Size() > 16 && be.Name() == "avx2" || columns*typ.Size() > 32 || be.Name() == "neon" {
				continue
			}
			if countIn(t, in, "main loop", "vperm")+countIn(t, in, "main loop", "vpshufb") > 0 {
				packed[be.Name()]++
			}
			if n >= 32 && columns > 2 && !in.phases[0].Copied {
				t.Errorf("%s: %d rows of %d %s of %d arrays are not copied row by row", be.Name(), n, columns, typ, from)
			}
		}
		differ(t, r, s)
		forget()
	}
	for _, be := range isas(t) {
		if be.Name() != "neon" && packed[be.Name()] < 10 {
			t.Errorf("%s: %d loops store several rows at once", be.Name(), packed[be.Name()])
		}
	}
}
