package jit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestRuns compares sums of a few columns, of which machine code combines several runs of rows
// at once, with the interpreter.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	many, combining := 0, 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		for _, columns := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40, 47, 63, 64, 65, 100, 127, 128, 129} {
			k := parse(t, fmt.Sprintf(`kernel columns
axis i0 i1
buf x %[1]s in 2
buf z %[1]s in 1
buf y %[2]s out 1
buf q %[2]s out 1
buf p %[2]s out 1
{
  vec i0 {
    seq i1 {
      %%0 = load %[2]s x[i1, i0]
      %%1 = load %[2]s z[i1]
      %%2 = mul %[2]s %%0 %%1
      %%3 = reduce sum %[2]s %%2
      %%4 = reduce prod %[2]s %%1
      %%5 = reduce sum %[2]s %%0
    }
    store %[2]s y[i0] %%3
    store %[2]s q[i0] %%4
    store %[2]s p[i0] %%5
  }
}`, typ.Short(), typ.Register().Short()))
			one := parse(t, fmt.Sprintf(`kernel one
axis i0 i1
buf x %[1]s in 2
buf y %[2]s out 1
{
  vec i0 {
    seq i1 {
      %%0 = load %[2]s x[i1, i0]
      %%1 = reduce sum %[2]s %%0
    }
    store %[2]s y[i0] %%1
  }
}`, typ.Short(), typ.Register().Short()))
			rows := manyRows(r, columns)
			for _, s := range []*setup{
				newSetup(t, r, k, []int{columns, rows}, nil, [][]int{{rows, columns}, {rows}, {columns}, {columns}, {columns}}, r.IntN(2) == 0),
				newSetup(t, r, one, []int{columns, rows}, nil, [][]int{{rows, columns + r.IntN(20)}, {columns}}, r.IntN(2) == 0),
			} {
				for _, be := range isas(t) {
					for _, bp := range s.instance(t, be).(*instance).phases {
						many += int(frame.Bit(bp.runs != nil))
						combining += int(frame.Bit(bp.runs != nil && bp.fn.combines)) // the rows that are left
						if bp.runs != nil && bp.Combines && columns*bp.Widest() > 64 {
							t.Errorf("%s: %d columns of %s: Go code joins runs of wide rows", be.Name(), columns, typ)
						}
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
	if many < 20*len(isas(t)) || combining < many/2 {
		t.Errorf("%d loops combine several runs at once, %d of them also the rows that are left", many, combining)
	}
}

// manyRows returns a number of rows: few runs of them, some groups of runs, many groups, or for eight columns more than a call goes over.
func manyRows(r *rand.Rand, columns int) int {
	if columns == 8 {
		return 2*runElements/columns + r.IntN(2000)
	}
	return [...]int{1 + r.IntN(520), 512, 700 + r.IntN(900), 2000 + r.IntN(3000)}[r.IntN(4)]
}

// TestRunsOfManyArrays compares sums of a few columns of more arrays than registers have addresses of, from the last row up, with the
// interpreter.
func TestRunsOfManyArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 5))
	const rows, columns, arrays = 129, 8, 8
	head, body := "buf y f32 out 1\n", ""
	shapes := [][]int{{columns}}
	for i := range arrays {
		head += fmt.Sprintf("buf x%d f32 in 2\n", i)
		body += fmt.Sprintf("%%%d = load f32 x%d[%d+i1*-1, i0]\n", i, i, rows-1)
		shapes = append(shapes, []int{rows, columns})
	}
	for i := range arrays - 1 {
		body += fmt.Sprintf("%%%d = add f32 %%%d %%%d\n", arrays+i, i+(arrays-1)*min(i, 1), i+1)
	}
	body += fmt.Sprintf("%%%d = reduce sum f32 %%%d\n", 2*arrays-1, 2*arrays-2)
	k := parse(t, "kernel many\naxis i0 i1\n"+head+"{\nvec i0 {\nseq i1 {\n"+body+"}\nstore f32 y[i0] %"+fmt.Sprint(2*arrays-1)+"\n}\n}\n")
	differ(t, r, newSetup(t, r, k, []int{columns, rows}, nil, shapes, true))
}

// TestRunsAgain sums columns several times with one worker, whose memory a run before has used: all
// columns at once, and in two chunks.
func TestRunsAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 6))
	for _, c := range []struct{ typ, in string }{{"f32", "f32"}, {"f64", "f64"}, {"f64", "i64"}, {"f32", "i32"}} {
		for _, columns := range []int{3, 8, 9, 24, 31, 67, 100, 128} {
			for _, rows := range []int{768, 1344, 2100} {
				value := "%5 = add " + c.typ + " %0 %0"
				if c.in != c.typ { // long, with few lanes for a call
					value = "%1 = cvt " + c.typ + " %0\n"
					for i := range 48 {
						value += fmt.Sprintf("      %%%d = div %s %%%d %%1\n", 10+i, c.typ, []int{1, 9 + i}[min(i, 1)])
					}
					value += "      %5 = add " + c.typ + " %57 %1"
				}
				k := parse(t, fmt.Sprintf(`kernel again
axis i0 i1
buf x %[2]s in 2
buf y %[1]s out 1
{
  vec i0 {
    seq i1 {
      %%0 = load %[2]s x[i1, i0]
      %[3]s
      %%6 = reduce sum %[1]s %%5
    }
    store %[1]s y[i0] %%6
  }
}`, c.typ, c.in, value))
				s := newSetup(t, r, k, []int{columns, rows}, nil, [][]int{{rows, columns}, {columns}}, true)
				for i := 0; i < len(s.mem[0]); i += 8 { // finite numbers
					bits := math.Float64bits(r.NormFloat64())
					if c.in == "f32" {
						bits = uint64(math.Float32bits(r.Float32()))<<32 | uint64(math.Float32bits(r.Float32()))
					}
					randir.Put(s.mem[0][i:], min(8, len(s.mem[0])-i), bits)
				}
				runAll(s.instance(t, interp.New()))
				want := slices.Clone(s.mem[1])
				for _, be := range isas(t) {
					inst := s.instance(t, be)
					w := inst.NewWorker()
					n, _, _ := inst.Units()
					for _, at := range []int{n, n, r.IntN(n + 1), r.IntN(n + 1), n} { // where chunks meet
						clear(s.mem[1])
						inst.Begin()
						w.Run(0, at)
						if at < n {
							w.Run(at, n)
						}
						inst.Finish(w)
						if !slices.Equal(s.mem[1], want) {
							t.Fatalf("%s: sums of %s, %d of %d: other results for chunks of %d and %d columns", be.Name(), c.typ, columns, rows, at, n-at)
						}
					}
				}
				s.release()
				forget()
			}
		}
	}
}

// TestEmptyRows binds a loop over rows without instructions, which has no phases.
func TestEmptyRows(t *testing.T) {
	k := parse(t, "kernel empty\naxis i0\n{\n  par i0 {\n  }\n}")
	differ(t, rand.New(rand.NewPCG(1, 1)), newSetup(t, nil, k, []int{5}, nil, nil, true))
}

// TestFewColumns compares scans and reductions down few columns, whose vectors are short, with
// the interpreter.
func TestFewColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	types, few := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.U8, dtype.U32, dtype.I16}, 0
	for columns := 1; columns <= 9; columns++ {
		for _, typ := range types {
			k := parse(t, fmt.Sprintf(`kernel few
axis i0 i1
buf x %[1]s in 2
buf w %[2]s in 2
buf y %[1]s out 2
buf z %[1]s out 1
buf q %[2]s out 1
{
  vec i0 {
    %%0 = load %[1]s x[0, i0]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = load %[1]s x[i1, i0]
      %%3 = add %[1]s %%1 %%2
      store %[1]s y[i1, i0] %%3
      %%4 = reduce max %[1]s %%2
      %%5 = load %[2]s w[i1, i0]
      %%6 = reduce sum %[2]s %%5
      %%7 = next %[1]s %%1 %%3
    }
    store %[1]s z[i0] %%4
    store %[2]s q[i0] %%6
  }
}`, typ.Short(), []string{"f64", typ.Short()}[r.IntN(2)]))
			all := []int{1 + r.IntN(300), columns}
			s := newSetup(t, r, k, []int{columns, all[0]}, nil, [][]int{all, all, all, all[1:], all[1:]}, r.IntN(2) == 0)
			for _, be := range isas(t) {
				if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Few > 0 }) {
					few++
				}
			}
			differ(t, r, s)
			forget()
		}
	}
	if few < 25*len(isas(t)) {
		t.Errorf("%d loops have short vectors", few)
	}
}

// TestFewColumnsOfSpans compares reductions down several spans of few columns with the interpreter: the vectors are as short as those of one
// span. The arrays end at pages without access.
func TestFewColumnsOfSpans(t *testing.T) {
	r, found := rand.New(rand.NewPCG(6, 5)), 0
	for columns := 2; columns <= 9; columns++ {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I64} {
			k := parse(t, fmt.Sprintf("kernel few\naxis i0 i1 i2\nbuf x %[1]s in 4\nbuf y %[1]s out 2\n{\n  vec i0 i1 {\n    seq i2 {\n      %%0 = load %[1]s x[i2, i0, 0, i1]\n      %%1 = load %[1]s x[i2, i0, 2, i1]\n      %%2 = add %[1]s %%0 %%1\n      %%3 = reduce sum %[1]s %%2\n    }\n    store %[1]s y[i0, i1] %%3\n  }\n}", typ.Short()))
			spans, rows := 3+r.IntN(4), 2+r.IntN(200)
			s := newSetup(t, r, k, []int{spans, columns, rows}, nil, [][]int{{rows, spans, 3, columns}, {spans, columns}}, true)
			want := 4 << frame.Bit(columns > 4)
			if columns > 8 {
				want = 0
			}
			for _, be := range isas(t) {
				found += int(frame.Bit(s.instance(t, be).(*instance).phases[0].Few == want))
			}
			differ(t, r, s)
			forget()
		}
	}
	if found < 18*len(isas(t)) { // others are transposed
		t.Errorf("%d of %d loops have vectors as short as their spans", found, 24*len(isas(t)))
	}
}

// TestShortReductions tests that one call reduces all blocks of a loop that is not worth a second
// thread, if the order of the reduction does not matter.
func TestShortReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 9))
	for _, c := range []struct {
		name, typ string
		n, units  int
	}{{"max", "u8", 50000, 1}, {"min", "i16", 20001, 1}, {"max", "u8", 3 << 20, 768}, {"sum", "f32", 50000, 13}} {
		k := parse(t, fmt.Sprintf("kernel short\naxis i0\nbuf x %[1]s in 1\nbuf y %[1]s out 0\n{\n  vec i0 {\n    %%0 = load %[1]s x[i0]\n    %%1 = reduce %[2]s %[1]s %%0\n  }\n  store %[1]s y[] %%1\n}", c.typ, c.name))
		s := newSetup(t, r, k, []int{c.n}, nil, [][]int{{c.n}, nil}, true)
		for _, be := range isas(t) {
			if n, _, _ := s.instance(t, be).Units(); n != c.units {
				t.Errorf("%s: %s of %d elements of %s has %d units, want %d", be.Name(), c.name, c.n, c.typ, n, c.units)
			}
		}
		differ(t, r, s)
	}
}

// TestRunsOfGroups sums the few columns of each of several arrays, also in chunks.
func TestRunsOfGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 7))
	many := 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64} {
		for _, columns := range slices.Repeat([]int{2, 3, 4, 5, 8, 9, 17, 24, 31}, 2) {
			k := parse(t, fmt.Sprintf(`kernel groups
axis i0 i1 i2
buf x %[1]s in 3
buf y %[1]s out 2
{
  vec i0 i2 {
    seq i1 {
      %%0 = load %[1]s x[i0, i1, i2]
      %%1 = reduce %[2]s %[1]s %%0
    }
    store %[1]s y[i0, i2] %%1
  }
}`, typ.Short(), [...]string{"sum", "max", "min"}[r.IntN(3)]))
			groups, rows, gap := 1+r.IntN(6), 149+manyRows(r, columns), r.IntN(2)
			s := newSetup(t, r, k, []int{groups, rows, columns}, nil, [][]int{{groups, rows, columns + gap}, {groups, columns}}, true)
			for _, be := range isas(t) {
				if slices.ContainsFunc(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool { return bp.runs != nil && len(bp.Spans) > 1 }) {
					many++
				}
			}
			differ(t, r, s)
			forget()
		}
	}
	if many < 5*len(isas(t)) {
		t.Errorf("%d loops combine several runs at once", many)
	}
}

// TestRunsAhead tests that a loop over runs asks for what the next group of runs reads where it comes from memory, even if prefetches
// gain nothing along long rows in the last level. Wide vectors do not ask for what is in a cache, and extremes of floats in a cache have
// several rows at once in place of runs.
func TestRunsAhead(t *testing.T) {
	for _, red := range []string{"sum", "max"} {
		k := parse(t, "kernel one\naxis i0 i1\nbuf x f32 in 2\nbuf y f32 out 1\n{\nvec i0 {\nseq i1 {\n%0 = load f32 x[i1, i0]\n%1 = reduce "+red+" f32 %0\n}\nstore f32 y[i0] %1\n}\n}\n")
		for _, c := range []struct{ last, far, ahead int }{{8 << 10, 1024, 1024}, {8 << 10, 0, 1024}, {8 << 10, 512, 512}, {1 << 20, 1024, 0}} {
			r := rand.New(rand.NewPCG(6, 6))
			s := newSetup(t, r, k, []int{3, 4000}, nil, [][]int{{4000, 3}, {3}}, true)
			m := defaultsWith(cpucache.Sizes{L1: 1 << 10, L2: 4 << 10, L3: c.last})
			m.Fetch, m.MemFetch = 0, c.far
			func() {
				defer useModel(m)()
				for _, be := range isas(t) {
					for _, bp := range s.instance(t, be).(*instance).phases {
						if bp.runs != nil && bp.runs.variant.Ahead != c.ahead {
							t.Errorf("%s: %v: %s asks %d bytes ahead", be.Name(), c, red, bp.runs.variant.Ahead)
						}
						if rows := red == "max" && c.last == 1<<20 && be.(*generator).RowsAtOnce > 1; bp.Lowered.Kind == lower.SeqPhase && rows != (bp.runs == nil) {
							t.Errorf("%s: %v: %s goes over runs: %v", be.Name(), c, red, rows)
						}
					}
				}
				differ(t, r, s)
			}()
			forget()
		}
	}
}
