package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestColumns compares copies and conversions of columns to short rows with the interpreter, and tests that permutes of whole vectors read them: those of
// elements of 4 bytes where the processor does not compute them in halves. Networks interleave four, five, seven and eight.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 5))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64} {
		for k := 2; k <= 18; k++ {
			networks := k == 4 || k == 5 || k == 7 || k == 8
			for _, halves := range []bool{false, true} {
				fixModel(t, halves, false)
				s := newSetup(t, r, parse(t, strings.ReplaceAll(`kernel columns
axis i0 i1
buf x TYPE in 2
buf y TYPE out 2
{
  vec i0 i1 {
    %0 = load TYPE x[i1, i0]
    store TYPE y[i0, i1] %0
  }
}`, "TYPE", typ.Short())), []int{700, k}, nil, [][]int{{k, 700}, {700, k}}, true)
				be := isas(t)[0]
				if typ.Size() < 4 {
					c := newSetup(t, r, parse(t, strings.ReplaceAll(`kernel columns
axis i0 i1
buf x TYPE in 2
buf y f32 out 2
{
  vec i0 i1 {
    %0 = load TYPE x[i1, i0]
    %1 = cvt f32 %0
    store f32 y[i0, i1] %1
  }
}`, "TYPE", typ.Short())), []int{90, k}, nil, [][]int{{k, 90}, {90, k}}, true)
					op := map[int]string{1: "vpermt2b", 2: "vpermt2w"}[typ.Size()]
					if be.Name() == "avx512" && k < 8 && !networks && !halves && (typ.Size() == 2 || amd64.Permutes8) && countIn(t, c.instance(t, be), "main loop", op) == 0 {
						t.Errorf("%d columns of %s to float32: the main loop has no %s", k, typ, op)
					}
					differ(t, r, c)
				}
				most := map[int]int{1: 16, 2: 16, 4: 12, 8: 3}[typ.Size()]
				if wide := k <= most && (typ.Size() == 2 || typ.Size() == 1 && amd64.Permutes8 || typ.Size() >= 4 && !halves && !networks); be.Name() == "avx512" && wide {
					if bp := s.instance(t, be).(*instance).phases[0]; bp.Laid != k || bp.Narrow {
						t.Errorf("%d columns of %s, halves %v: rows of %d are laid, in narrow vectors: %v", k, typ, halves, bp.Laid, bp.Narrow)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// permute8 sets whether AVX-512 permutes the bytes of whole vectors.
func permute8(does bool) {
	amd64.Permutes8 = does
	for _, g := range generators {
		g.Facts = g.isa.Facts()
	}
}

// TestColumnsOfNarrowRows compares rows of 1 or 2 bytes, with an element for each row and with elements that rows share, with the
// interpreter. The arrays end at pages without access. Where the target permutes such elements, no lanes have to follow.
func TestColumnsOfNarrowRows(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 40))
	defer permute8(amd64.Permutes8)
	bounded := 0
	for _, typ := range []dtype.Type{dtype.I8, dtype.U8, dtype.Bool, dtype.I16, dtype.U16} {
		for range testlevel.Every(150, 25) {
			columns, step := 2+r.IntN(63), [...]int{1, -1, 2}[r.IntN(3)]
			if r.IntN(3) > 0 {
				columns &^= 1
			}
			rows, first := [...]int{3 + r.IntN(9), 40 + r.IntN(100), 300 + r.IntN(700)}[r.IntN(3)], 0
			k := parse(t, fmt.Sprintf(`kernel columns
axis i0 i1
params 1
buf x %[1]s in 2
buf one %[1]s in 1
buf near %[1]s in 1
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[1]s x[i0, i1]
    %%1 = load %[1]s one[i0]
    %%2 = xor %[1]s %%0 %%1
    %%3 = load %[1]s near[p0+i0*%[2]d+i1]
    %%4 = and %[1]s %%2 %%3
    store %[1]s y[i0, i1] %%4
  }
}`, typ.Short(), step))
			if step < 0 {
				first = rows - 1
			}
			e := []int{rows, columns}
			permute8(cpu.X86.HasAVX512VBMI && r.IntN(3) > 0)
			s := newSetup(t, r, k, e, []int{first}, [][]int{e, {rows}, {(rows-1)*max(step, -step) + columns}, e}, true)
			if in := s.instance(t, isas(t)[0]).(*instance); isas(t)[0].Name() == "avx512" && in.phases[0].Laid > 2 && !in.phases[0].Narrow && (typ.Size() == 2 || amd64.Permutes8) {
				if bounded++; in.phases[0].LaidMargin(64/typ.Size()) > 0 {
					t.Errorf("%d rows of %d %s: lanes have to follow", rows, columns, typ)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
	if cpu.X86.HasAVX512 && bounded == 0 {
		t.Error("no rows were laid across vectors")
	}
}
