package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestChosenRows compares loops over short rows that an index selects with the interpreter: rows
// that are only copied, to an array whose rows follow each other or are apart, and rows of two
// arrays that are combined with others and with the index itself. The arrays end at pages
// without access.
func TestChosenRows(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 7))
	laid := map[string]int{}
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64, dtype.I16, dtype.U8} {
		for columns := 2; columns <= layout.MostLaid+1; columns++ {
			if columns > 17 && !testlevel.Deep() && r.IntN(8) > 0 {
				continue
			}
			index := [...]dtype.Type{dtype.I64, dtype.I32, dtype.U8}[r.IntN(3)]
			head := fmt.Sprintf(`kernel chosen
axis i0 i1
params 1
buf x %[1]s in 2
buf i %[2]s in 1
buf y %[1]s out 2
`, typ.Short(), index.Short())
			load := fmt.Sprintf(`{
  vec i0 i1 {
    %%0 = load %[2]s i[i0]
    %%1 = cvt i64 %%0
    %%2 = load %[1]s x[%%1, i1+p0] clamp
`, typ.Short(), index.Register().Short())
			texts := map[string]string{
				"copied": head + load + fmt.Sprintf("    store %s y[i0, i1] %%2\n  }\n}", typ.Short()),
				"combined": head + fmt.Sprintf("buf z %[1]s in 2\nbuf row %[1]s in 1\n", typ.Short()) + load + fmt.Sprintf(`    %%3 = const i64 3
    %%4 = add i64 %%1 %%3
    %%5 = load %[1]s z[%%4, i1] clamp
    %%6 = add %[1]s %%2 %%5
    %%7 = load %[1]s row[i1]
    %%8 = mul %[1]s %%6 %%7
    %%9 = cvt %[1]s %%1
    %%10 = sub %[1]s %%8 %%9
    store %[1]s y[i0, i1] %%10
  }
}`, typ.Short()),
			}
			for name, text := range testlevel.InOrder(texts) {
				k := parse(t, text)
				for range 3 {
					n, rows := [...]int{1 + r.IntN(9), 60 + r.IntN(300), 3000/columns + r.IntN(900)}[r.IntN(3)], 1+r.IntN(50)
					at, gap := r.IntN(3), 0
					if columns <= 16 {
						gap = r.IntN(3)
					}
					shapes := [][]int{{rows, columns + at}, {n}, {n, columns + gap}, {rows, columns}, {columns}}
					s := newSetup(t, r, k, []int{n, columns}, []int{at}, shapes[:len(k.Bufs)], r.IntN(4) > 0)
					for i := range len(s.mem[1]) / index.Size() {
						randir.Put(s.mem[1][i*index.Size():], index.Size(), uint64(r.IntN(3*rows)-rows))
					}
					for _, be := range isas(t) {
						in := s.instance(t, be).(*instance)
						if slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Laid > 0 }) {
							laid[name]++
						}
					}
					differ(t, r, s)
				}
				forget()
			}
		}
	}
	if laid["copied"] < 25*len(isas(t)) || laid["combined"] < 10*len(isas(t)) {
		t.Errorf("so many loops laid rows across vectors: %v", laid)
	}
}

// TestLongChosenRows compares copies of rows that an index selects with the interpreter: of up to 8 KB, by moves without and
// with a loop, and of more.
func TestLongChosenRows(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 9))
	laid := 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		k := parse(t, fmt.Sprintf("kernel chosen\naxis i0 i1\nbuf x %[1]s in 2\nbuf i i64 in 1\nbuf y %[1]s out 2\n{\n  vec i0 i1 {\n    %%0 = load i64 i[i0]\n    %%1 = load %[1]s x[%%0, i1] clamp\n    store %[1]s y[i0, i1] %%1\n  }\n}", typ.Short()))
		for _, bytes := range []int{8 * 66, 632, 640, 648, 664, 768, 776, 1272, 1280, 1288, 2040, 2048, 4104, 8184, 8192, 8200} {
			columns, n, rows, gap := bytes/typ.Size(), 1+r.IntN(12), 1+r.IntN(7), r.IntN(2)
			s := newSetup(t, r, k, []int{n, columns}, nil, [][]int{{rows, columns}, {n}, {n, columns + gap}}, true)
			for i := range n {
				randir.Put(s.mem[1][i*8:], 8, uint64(r.IntN(3*rows)-rows))
			}
			for _, be := range isas(t) {
				if slices.ContainsFunc(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool { return bp.Laid > 0 }) {
					laid++
				}
			}
			differ(t, r, s)
		}
	}
	if avx2 := slices.ContainsFunc(isas(t), func(be backend.Backend) bool { return be.Name() == "avx2" }); avx2 && laid < 25 {
		t.Errorf("%d loops copy rows", laid)
	}
}

// TestChosenBySharedNodes compares a loop whose index has 2^40 paths to its only load with the
// interpreter. The analysis visits each node of the index once.
func TestChosenBySharedNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 8))
	var text strings.Builder
	text.WriteString("kernel chosen\naxis i0 i1\nbuf x f32 in 2\nbuf i i64 in 1\nbuf y f32 out 2\n{\n  vec i0 i1 {\n    %0 = load i64 i[i0]\n    %1 = const i64 1\n")
	at := 0
	for n := 2; n < 82; n += 2 {
		fmt.Fprintf(&text, "    %%%d = shr i64 %%%d %%1\n    %%%d = xor i64 %%%d %%%d\n", n, at, n+1, at, n)
		at = n + 1
	}
	fmt.Fprintf(&text, "    %%82 = load f32 x[%%%d, i1] clamp\n    store f32 y[i0, i1] %%82\n  }\n}", at)
	k := parse(t, text.String())
	s := newSetup(t, r, k, []int{200, 6}, nil, [][]int{{50, 6}, {200}, {200, 6}}, true)
	for _, be := range isas(t) {
		if in := s.instance(t, be).(*instance); in.phases[0].Laid == 0 {
			t.Error(be.Name(), "lays no rows")
		}
	}
	differ(t, r, s)
}

// TestLongIndex copies long rows that an index of many instructions selects: a row may be longer than the lanes that one
// call should compute so many instructions for.
func TestLongIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 10))
	var index strings.Builder
	const ops = 200
	for i := range ops {
		fmt.Fprintf(&index, "    %%%d = %s i64 %%%d %%0\n", 2+i, [...]string{"xor", "max", "sub"}[i%3], 1+i)
	}
	k := parse(t, fmt.Sprintf("kernel chosen\naxis i0 i1\nbuf x f32 in 2\nbuf i i64 in 1\nbuf y f32 out 2\n{\n  vec i0 i1 {\n    %%0 = const i64 7\n    %%1 = load i64 i[i0]\n%s    %%300 = load f32 x[%%%d, i1] clamp\n    store f32 y[i0, i1] %%300\n  }\n}", index.String(), 1+ops))
	for _, columns := range []int{600, 1200, 2000} {
		s := newSetup(t, r, k, []int{5, columns}, nil, [][]int{{6, columns}, {5}, {5, columns}}, true)
		for i := range 5 {
			randir.Put(s.mem[1][i*8:], 8, uint64(r.IntN(30)-5))
		}
		for _, be := range isas(t) {
			if bv := s.instance(t, be).(*instance).vecs[0]; bv.step == 0 {
				t.Fatalf("%s: rows of %d: a call has no lanes", be.Name(), columns)
			}
		}
		differ(t, r, s)
	}
}

// TestRowChosenByScalar compares loops over rows, one of which a number of the program selects, with the interpreter. The
// offset of that row has lanes of 64 bits; no other value of the loop has.
func TestRowChosenByScalar(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 11))
	for _, typ := range []dtype.Type{dtype.U32, dtype.U16, dtype.F16, dtype.F32, dtype.I8, dtype.F64} {
		reg := typ.Register().Short()
		k := parse(t, fmt.Sprintf("kernel chosen\naxis i0 i1\nparams 1\nbuf x %[1]s in 2\nbuf y %[1]s in 2\nbuf z %[1]s out 2\nscalar s0 i64\nscalar s1 %[2]s\n{\n  %%0 = scalar i64 s0\n  %%1 = index p0\n  %%2 = add i64 %%0 %%1\n  %%3 = scalar %[2]s s1\n  vec i0 i1 {\n    %%4 = load %[2]s x[%%2, i1] clamp\n    %%5 = load %[2]s y[i0, i1]\n    %%6 = add %[2]s %%4 %%5\n    %%7 = mul %[2]s %%6 %%3\n    store %[2]s z[i0, i1] %%7\n  }\n}", typ.Short(), reg))
		for _, columns := range []int{2, 3, 8, 17, 40, 300} {
			rows := 1 + r.IntN(6)
			s := newSetup(t, r, k, []int{rows, columns}, []int{rows}, [][]int{{rows, columns}, {rows, columns}, {rows, columns}}, true)
			s.b.Scalars[0] = uint64(r.IntN(rows) - rows)
			differ(t, r, s)
		}
		forget()
	}
}
