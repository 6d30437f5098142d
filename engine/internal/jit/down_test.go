package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestColumnsOfRows compares reductions of rows that are columns of their array with the interpreter: rows around the lanes
// of a block and around blocks, two reductions of a loop, two loops, and values that are one for each row or column.
func TestColumnsOfRows(t *testing.T) {
	defer forget()
	m := model()
	m.Caches, m.Halves = cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}, false
	defer useModel(m)()
	r := rand.New(rand.NewPCG(5, 4))
	together, along, cases := map[string]map[bool]int{}, map[string]int{}, 0
	for _, be := range isas(t) {
		together[be.Name()] = map[bool]int{}
	}
	const two = "%1 = reduce sum REG %0\n}\nvec i1 {\n%2 = load REG x[i1, i0]\n%3 = sub REG %2 %1\n%4 = mul REG %3 %3\n%5 = reduce sum REG %4\n"
	bodies := map[string]string{
		"%6": "%5 = load REG v[i1, i0]\n%1 = mul REG %0 %5\n%6 = reduce sum REG %1\n",
		"%1": "%1 = reduce OP OUT %0\n",
		"%5": two,
		"%3": "%1 = load REG z[i1]\n%2 = mul REG %0 %1\n%3 = reduce sum REG %2\n",
		"%7": "%1 = sub REG %0 %9\n%7 = reduce sum REG %1\n",
		"%4": "%1 = load REG w[i0]\n%2 = mul REG %0 %1\n%3 = reduce prod REG %0\n%4 = reduce sum REG %2\n",
	}
	entry := map[string]string{"%7": "%8 = load REG m[]\n%9 = add REG %8 %8\n"}
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I32, dtype.U8} {
		for _, op := range []string{"sum", "max", "argmin"} {
			for last, body := range testlevel.InOrder(bodies) {
				if op != "sum" && last != "%1" {
					continue
				}
				out := typ.Register().Short()
				if op == "argmin" {
					out = "i64"
				}
				text := "kernel rows\naxis i0 i1\nbuf x TYPE in 2\nbuf z TYPE in 1\nbuf w TYPE in 1\nbuf y OUT out 1\nbuf v TYPE in 2\nbuf m TYPE in 0\n{\n" + entry[last] + "par i0 {\nvec i1 {\n%0 = load REG x[i1, i0]\n" +
					body + "}\nstore OUT y[i0] " + last + "\n}\n}\n"
				k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "OP", op, "OUT", out).Replace(text))
				if columnsOf(k) == nil {
					t.Fatalf("no columns of %s", k)
				}
				for i, n := range []int{64, 65, 100, 1000, 4095, 4096, 4097, 4200, 8193} {
					for _, rows := range []int{2, 3, 7, 8, 9, 33, 300, 1300} {
						if n < leastLanes || n*rows < leastDown || n*rows > 1e6 || (i > 3 && rows > 9 || i%2 != 0 && rows == 33) && !testlevel.Deep() {
							continue
						}
						if cases++; cases%testlevel.Every(1, 2) != 0 {
							continue
						}
						s := newSetup(t, r, k, []int{rows, n}, nil, [][]int{{n, rows + i%3/2}, {n}, {rows}, {rows}, {n, rows}, {}}, true)
						for _, be := range isas(t) {
							if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.together > 0 }) {
								together[be.Name()][in.phases[0].together > 1]++
								along[be.Name()] += int(frame.Bit((last == "%6" && be.Name() == "avx2" || last == "%1" && be.Name() == "avx512") && rows <= 33 && in.phases[0].Across))
							}
						}
						differ(t, r, s)
						if t.Failed() {
							t.Fatal(fmt.Sprint(typ, op, last, n, rows))
						}
					}
				}
				for _, be := range isas(t) {
					if c, err := compiled(be, k); err != nil || c.(*code).columns == nil {
						t.Errorf("%s, %s of %s: rows are no columns (%v)", be.Name(), op, typ, err)
					}
				}
			}
		}
	}
	for _, be := range isas(t) {
		if be.Name() != "neon" && along[be.Name()] < 5 {
			t.Errorf("%s: %d loops go along short rows of several lanes", be.Name(), along[be.Name()])
		}
		if n := together[be.Name()]; n[true] < 20 || n[false] == 0 && be.(*generator).RowsAtOnce > 1 {
			t.Errorf("%s: %d loops go through the rows of several lanes at once, %d through those of one", be.Name(), n[true], n[false])
		}
	}
}

// TestColumnsGuarded compares rows that are columns with the interpreter where a second loop reads an element in front of each.
func TestColumnsGuarded(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(5, 7))
	k := parse(t, "kernel rows\naxis i0 i1\nbuf x f64 in 2\nbuf y f64 out 1\n{\npar i0 {\nvec i1 {\n%0 = load f64 x[i1, i0]\n%1 = reduce sum f64 %0\n}\n"+
		"vec i1 {\n%2 = load f64 x[i1-1, i0] else %1\n%3 = sub f64 %2 %1\n%4 = reduce sum f64 %3\n}\nstore f64 y[i0] %4\n}\n}\n")
	differ(t, r, newSetup(t, r, k, []int{130, 65}, nil, [][]int{{65, 130}, {130}}, true))
}

// TestColumnsApart compares sums of products of complex numbers down columns, whose parts are every second element, with the interpreter.
func TestColumnsApart(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(6, 2))
	found := map[string]int{}
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I32, dtype.U8} {
		text := "kernel apart\naxis i0 i1\nbuf x TYPE in 2\nbuf v TYPE in 1\nbuf y TYPE out 1\n{\npar i0 {\nvec i1 {\n%0 = load REG x[i1, i0*2]\n%1 = load REG x[i1, 1+i0*2]\n" +
			"%2 = load REG v[i1]\n%3 = mul REG %0 %2\n%4 = reduce sum REG %3\n%5 = mul REG %1 %2\n%6 = sub REG %5 %0\n%7 = reduce sum REG %6\n}\nstore REG y[i0*2] %4\nstore REG y[1+i0*2] %7\n}\n}\n"
		k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(text))
		for i, n := range []int{255, 256, 300, 1000, 4097} {
			for _, rows := range []int{8, 33, 100} {
				s := newSetup(t, r, k, []int{rows, n}, nil, [][]int{{n, 2*rows + i%3}, {n}, {2 * rows}}, true)
				for _, be := range isas(t) {
					if in, ok := s.instance(t, be).(*instance); ok && in.phases[0].Lowered.LaneStep > 0 {
						found[be.Name()]++
					}
				}
				differ(t, r, s)
			}
		}
	}
	for _, be := range isas(t) {
		if n := found[be.Name()]; n < 15 && be.Name() == "avx512" {
			t.Errorf("%s goes down the columns of %d loops", be.Name(), n)
		}
	}
}

// TestTransposedSums compares reductions down columns that are rows of their array with the interpreter.
func TestTransposedSums(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(8, 4))
	transposed, cases := map[string]int{}, 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I32, dtype.I64, dtype.U8} {
		for _, op := range []string{"sum", "max", "prod", "argmin"} {
			for last, body := range testlevel.InOrder(map[string]string{
				"%1": "%1 = reduce OP OUT %0\n",
				"%3": "%1 = load REG z[i1, i0]\n%2 = add REG %0 %1\n%3 = reduce OP OUT %2\n",
				"%4": "%1 = load REG x[i0, i1]\n%2 = mul REG %0 %1\n%3 = reduce sum REG %2\n}\nseq i1 {\n%5 = load REG x[i0, i1]\n%4 = reduce OP OUT %5\n",
			}) {
				out := typ.Register().Short()
				if op == "argmin" {
					out = "i64"
				}
				text := "kernel columns\naxis i0 i1\nbuf x TYPE in 2\nbuf z TYPE in 2\nbuf y OUT out 1\n{\nvec i0 {\nseq i1 {\n%0 = load REG x[i0, i1]\n" +
					body + "}\nstore OUT y[i0] " + last + "\n}\n}\n"
				k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "OP", op, "OUT", out).Replace(text))
				for _, n := range []int{1, 3, 8, 17, 63, 64, 65, 66, 67, 130, 300, 1200} {
					for _, columns := range []int{1, 4, 7, 8, 9, 16, 31, 100} {
						if n > 300 && (columns > 16 || last != "%1") {
							continue
						}
						for _, more := range []int{0, 3} { // rows may be longer than their sums
							if cases++; cases%testlevel.Every(1, 9) != 0 {
								continue
							}
							s := newSetup(t, r, k, []int{columns, n}, nil, [][]int{{columns, n + more}, {n, columns}, {columns}}, true)
							for _, be := range isas(t) {
								if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Transposes() }) {
									transposed[be.Name()]++
								}
							}
							differ(t, r, s)
						}
					}
				}
			}
		}
	}
	for _, be := range isas(t) {
		if be.(*generator).Blends && transposed[be.Name()] < 100 {
			t.Errorf("%s transposes the rows of %d loops", be.Name(), transposed[be.Name()])
		}
	}
}

// TestTransposedTiles compares maps that read transposed tiles, whose rows are in reverse, with the interpreter.
func TestTransposedTiles(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(3, 3))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64} {
		for _, more := range []string{"store REG y[i0, i1] %0\n", "%1 = add REG %0 %0\nstore REG y[i0, i1] %1\n"} {
			text := "kernel tiles\naxis i0 i1\nparams 1\nbuf x TYPE in 2\nbuf y TYPE out 2\n{\nvec i0 i1 {\n%0 = load REG x[i1, p0 - i0]\n" + more + "}\n}\n"
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(text))
			for _, d := range [][2]int{{8, 16}, {16, 9}, {17, 33}, {31, 300}, {130, 40}, {33, 257}} {
				s := newSetup(t, r, k, []int{d[0], d[1]}, []int{d[0] - 1}, [][]int{{d[1], d[0]}, {d[0], d[1]}}, true)
				differ(t, r, s)
			}
		}
	}
}

// TestColumnsBesideCopies compares loops down columns that follow a loop whose elements Go copies with the interpreter. Their states would
// fit the first-level cache for more columns than Go copies at once.
func TestColumnsBesideCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 12))
	for _, typ := range []string{"u8", "f32"} {
		k := parse(t, strings.ReplaceAll(`kernel copies
axis i0 i1 i2
params 2
buf x TYPE in 1
buf y TYPE out 2
scalar s0 TYPE
{
  %0 = scalar TYPE s0
  vec i0 i1 {
    %1 = load TYPE x[mod(i0*p0+i1, p1)]
    seq i2 {
      %2 = reduce max TYPE %0
    }
    %3 = max TYPE %1 %2
    store TYPE y[i0, i1] %3
  }
}`, "TYPE", typ))
		for _, rows := range []int{3, 50, 200} {
			differ(t, r, newSetup(t, r, k, []int{rows, 99, 5}, []int{99, 63}, [][]int{{63}, {rows, 99}}, true))
		}
	}
}
