package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
)

// acrossKernel carries two values down columns, stores both, and reduces the elements. i0 are
// blocks of rows, i1 rows and i2 columns.
const acrossKernel = `kernel across
axis i0 i1 i2
buf x %[1]s in 3
buf y %[1]s %[3]s 3
buf w %[1]s in 1
buf v %[1]s in 1
buf z %[1]s out 2
buf q %[4]s out 2
{
  vec i0 i2 {
    %%0 = load %[1]s w[i2]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s %[2]s[i0, i1, i2]
      %%4 = load %[1]s v[i1]
      %%5 = add %[1]s %%3 %%4
      %%6 = add %[1]s %%1 %%5
      %%7 = max %[1]s %%2 %%1
      store %[1]s y[i0, i1, i2] %%6
      %%8 = reduce %[5]s %[4]s %%5
      %%9 = next %[1]s %%1 %%6
      %%10 = next %[1]s %%2 %%7
    }
    store %[1]s z[i0, i2] %%10
    store %[4]s q[i0, i2] %%8
  }
}`

// oneKernel carries one value, and reduces nothing.
const oneKernel = `kernel one
axis i0 i1 i2
buf x %[1]s in 3
buf y %[1]s %[3]s 3
{
  vec i0 i2 {
    %%0 = const %[1]s 0
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = load %[1]s %[2]s[i0, %[4]s, i2]
      %%3 = add %[1]s %%1 %%2
      store %[1]s y[i0, %[4]s, i2] %%3
      %%4 = next %[1]s %%1 %%3
    }
  }
}`

// twoKernel carries and stores two values.
const twoKernel = `kernel two
axis i0 i1 i2
buf x %[1]s in 3
buf y %[1]s out 3
buf z %[1]s out 3
{
  vec i0 i2 {
    %%0 = const %[1]s 0
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s x[i0, i1, i2]
      %%4 = add %[1]s %%1 %%3
      %%5 = max %[1]s %%2 %%3
      store %[1]s y[i0, i1, i2] %%4
      store %[1]s z[i0, i1, i2] %%5
      %%6 = next %[1]s %%1 %%4
      %%7 = next %[1]s %%2 %%5
    }
  }
}`

// sumsKernel reduces elements down columns, and their products with a value of each row.
const sumsKernel = `kernel sums
axis i0 i1 i2
buf x %[1]s in 3
buf v %[1]s in 1
buf z %[1]s out 2
buf q %[1]s out 2
{
  vec i0 i2 {
    seq i1 {
      %%1 = load %[1]s x[i0, i1, i2]
      %%2 = load %[1]s v[i1]
      %%3 = mul %[1]s %%1 %%2
      %%5 = reduce sum %[1]s %%3
      %%6 = reduce max %[1]s %%1
    }
    store %[1]s z[i0, i2] %%5
    store %[1]s q[i0, i2] %%6
  }
}`

// TestRowsAtOnce compares sums down the columns of long rows with the interpreter, with caches that nothing
// fits in, and with a second level that has all. The arrays end at pages without access, and the numbers of rows and of columns are no
// multiples of those that a loop takes at once.
func TestRowsAtOnce(t *testing.T) {
	caches := [2]cpucache.Sizes{{L1: 64, L2: 128, L3: 192}, {L1: 64, L2: 1 << 29, L3: 1 << 30}}
	found, avx2 := 0, false
	defer useModel(model())()
	for seed := range 60 {
		useModel(defaultsWith(caches[frame.Bit(seed%3 == 2)]))
		r := rand.New(rand.NewPCG(uint64(seed), 32))
		typ := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.I16}[r.IntN(5)]
		n := []int{1 + r.IntN(3), 1 + r.IntN(150), 260 + r.IntN(300)}
		s := newSetup(t, r, parse(t, fmt.Sprintf(sumsKernel, typ.Short())), n, nil, [][]int{n, n[1:2], {n[0], n[2]}, {n[0], n[2]}}, true)
		for _, be := range isas(t) {
			avx2 = avx2 || be.Name() == "avx2"
			if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.AtOnce > 0 }) {
				found++
			}
		}
		differ(t, r, s)
	}
	if avx2 && found < 10 {
		t.Errorf("%d loops go along several rows at once", found)
	}
}

// TestSumsOfLines compares sums down the columns of long rows within the second level with the interpreter: wide vectors go along one row
// at a time if elements are as wide as the accumulators, along several at once of what is far, and wide vectors of two halves along several
// at once if many rows are whole lines.
func TestSumsOfLines(t *testing.T) {
	for _, halves := range []bool{false, true} {
		sumsOfLines(t, halves)
	}
}

func sumsOfLines(t *testing.T, halves bool) {
	m := defaultsWith(cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 8 << 20})
	m.Halves = halves
	defer useModel(m)()
	r := rand.New(rand.NewPCG(31, 17))
	for _, c := range []struct {
		typ, to, op string
		rows, cols  int
		many, far   bool
	}{
		{"f32", "f32", "sum", 23, 2560, true, false},
		{"f32", "f32", "max", 23, 2560, true, false},
		{"f32", "f32", "sum", 23, 2564, false, false},
		{"f32", "f32", "sum", 10, 2560, false, false},
		{"f64", "f64", "sum", 16, 2056, true, false},
		{"f64", "f64", "sum", 16, 2059, false, false},
		{"i32", "i32", "max", 23, 2560, true, false},
		{"f32", "f32", "sum", 135, 1029, false, false},
		{"i64", "i64", "sum", 70, 1000, false, false},
		{"i32", "i64", "sum", 23, 2560, false, false},
		{"f32", "f32", "sum", 60, 5000, true, false},
		{"f32", "f32", "sum", 150, 5000, true, true},
	} {
		k := parse(t, fmt.Sprintf("kernel columns\naxis i0 i1\nbuf x %[1]s in 2\nbuf y %[2]s out 1\n{\n  vec i0 {\n    seq i1 {\n      %%0 = load %[1]s x[i1, i0]\n      %%1 = cvt %[2]s %%0\n      %%2 = reduce %[3]s %[2]s %%1\n    }\n    store %[2]s y[i0] %%2\n  }\n}", c.typ, c.to, c.op))
		s := newSetup(t, r, k, []int{c.cols, c.rows}, nil, [][]int{{c.rows, c.cols}, {c.cols}}, true)
		for _, be := range isas(t) {
			for _, bp := range s.instance(t, be).(*instance).phases {
				one, many := bp.Across && bp.AtOnce == 0, bp.Across && bp.AtOnce > 1
				if be.Name() == "avx512" && bp.Lowered.Kind == lower.SeqPhase && (one != (!halves && c.typ == c.to && !c.far) || many != (halves && c.many || c.far)) {
					t.Errorf("%v, halves %t: along one row %t, several %t", c, halves, one, many)
				}
			}
		}
		differ(t, r, s)
	}
}

// TestRowsOfLines compares scans of rows with the interpreter: they go along one row at a time, and may compute lanes twice, or along four
// rows if the first level has few and they are beyond the second level, or if no array has the states. Wide vectors go down bands of short
// rows, of longer ones with two states, and of few rows of which the first level has few. Arrays begin or end at a page.
func TestRowsOfLines(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 8 << 20}))()
	r := rand.New(rand.NewPCG(31, 14))
	for _, c := range []struct {
		typ, from  string
		rows, cols int
		want       int // rows at once, or -1 for bands
		narrow     int // rows at once of targets without wide vectors, or -1 for columns
		twice      bool
	}{
		{"f64", "x", 15, 512, 0, 0, true},
		{"f64", "x", 15, 509, 0, 0, true},
		{"f64", "x", 2, 1301, 0, 0, true},
		{"f64", "x", 19, 203, 0, 0, true},
		{"f64", "x", 19, 191, -1, 0, false},
		{"i32", "x", 19, 384, -1, 0, false},
		{"f64", "x", 9, 1401, -1, 0, false},
		{"f32", "x", 7, 500, -1, -1, false},
		{"f32", "x", 9, 500, 0, 0, true},
		{"f32", "y", 20, 2999, -1, 0, false},
		{"f64", "x", 121, 1401, -1, 4, false},
		{"f64", "x", 131, 1401, 4, 4, false},
		{"f64", "y", 15, 509, 0, 0, false},
		{"f64", "y", 15, 512, 0, 0, false},
		{"f32", "x", 15, 1003, 0, 0, true},
		{"i32", "x", 40, 601, 0, 0, true},
		{"i64", "x", 40, 333, 0, 0, true},
		{"f64", "the memory of y", 15, 509, 0, 0, false},
		{"f64", "states before", 15, 509, 4, 4, false},
		{"f64", "two states", 20, 303, -1, 4, false},
		{"f64", "two states", 20, 601, 4, 4, false},
	} {
		mode, same, text := map[string]string{"x": "out", "y": "inout"}[c.from], c.from == "the memory of y", oneKernel
		if c.from == "states before" {
			text = strings.Replace(text, "%[4]s, i2] %%3", "%[4]s, i2] %%1", 1)
		}
		if c.from == "two states" {
			text = strings.Replace(text, "%%2 = load", "%%5 = carry %[1]s %%0\n      %%2 = load", 1)
			text = strings.Replace(text, "store %[1]s y[i0, %[4]s, i2] %%3", "%%6 = add %[1]s %%5 %%3\n      store %[1]s y[i0, %[4]s, i2] %%6\n      %%7 = next %[1]s %%5 %%6", 1)
		}
		if mode == "" {
			c.from, mode = "x", "out"
		}
		n := []int{1, c.rows, c.cols}
		k := parse(t, fmt.Sprintf(text, c.typ, c.from, mode, "i1"))
		for range 8 {
			s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
			if same {
				s.b.Bufs[0].Ptr = s.b.Bufs[1].Ptr
			}
			for _, be := range isas(t) {
				for _, bp := range s.instance(t, be).(*instance).phases {
					if be.Name() == "avx512" && bp.Lowered.Kind == lower.SeqPhase && !bp.Narrow && (bp.Across != (c.want >= 0) || bp.Whole > 0 == bp.Across || bp.AtOnce != max(c.want, 0) || bp.Repeats != c.twice) {
						t.Errorf("%v: along rows %t, %d at once, lanes twice %t, bands of %d lanes", c, bp.Across, bp.AtOnce, bp.Repeats, bp.Whole)
					}
					if be.Name() == "avx2" && bp.Lowered.Kind == lower.SeqPhase && (bp.Across != (c.narrow >= 0) || bp.AtOnce != max(c.narrow, 0)) {
						t.Errorf("%v, avx2: along rows %t, %d at once", c, bp.Across, bp.AtOnce)
					}
				}
			}
			differ(t, r, s)
		}
	}
}

// TestRowsThatLead compares scans of rows whose stores bypass the caches with the interpreter: wide vectors go along one row at a time. Its
// lanes before a whole vector of memory are under a mask, as those of its end. Rows that share lines with others are long. A call goes along
// the rows of several spans, too. Arrays begin or end at a page.
func TestRowsThatLead(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 48 << 10, L2: 32 << 10, L3: 64 << 10}))()
	r := rand.New(rand.NewPCG(31, 17)) // all rows of lines from 40 KiB on, and others from 80 KiB on
	for _, c := range []struct {
		typ, from  string
		rows, cols int
		leads      bool
	}{
		{"f64", "x", 11, 513, true},
		{"f64", "x", 11, 511, false},
		{"f64", "x", 8, 513, false},
		{"f64", "x", 8, 512, true},
		{"f64", "x", 20, 300, false},
		{"f64", "x", 5, 2501, true},
		{"f32", "x", 7, 1537, true},
		{"i32", "x", 40, 601, false},
		{"f64", "y", 9, 777, false},
	} {
		mode := map[string]string{"x": "out", "y": "inout"}[c.from]
		for _, row := range []string{"i1", fmt.Sprintf("%d+i1*-1", c.rows-1)} {
			k := parse(t, fmt.Sprintf(oneKernel, c.typ, c.from, mode, row))
			for i := range 9 {
				n := []int{1 + i%2*2, c.rows, c.cols}
				s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
				for _, be := range isas(t) {
					for _, bp := range s.instance(t, be).(*instance).phases {
						if n[0] == 1 && be.Name() == "avx512" && bp.Lowered.Kind == lower.SeqPhase && !bp.Narrow && (bp.Leads != c.leads || c.leads && (bp.streamed == nil || bp.AtOnce > 0)) {
							t.Errorf("%v: rows may begin anywhere: %t, %d at once", c, bp.Leads, bp.AtOnce)
						}
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestFirstVectors fails if a scan along rows of narrow lanes that may compute lanes twice begins a row under a mask: with AVX2 its lanes go one by one.
func TestFirstVectors(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 128, L3: 192}))()
	r, n := rand.New(rand.NewPCG(31, 19)), []int{1, 40, 129}
	s := newSetup(t, r, parse(t, fmt.Sprintf(oneKernel, "i16", "x", "out", "i1")), n, nil, [][]int{n, n}, true)
	for _, be := range isas(t) {
		in := s.instance(t, be)
		whole := countIn(t, in, "the first vector of the row", "") > 0
		if twice := slices.ContainsFunc(in.(*instance).phases, func(bp *boundPhase) bool { return bp.Across && bp.Repeats }); whole != twice || !twice && be.Name() == "avx2" {
			t.Errorf("%s: lanes twice: %t, whole first vectors: %t", be.Name(), twice, whole)
		}
	}
	differ(t, r, s)
}

// TestTwoRowsPast compares two scans of a loop with the interpreter. Their stores bypass the caches only where all rows begin at whole vectors: calls
// have parts of rows, which do so where rows do not.
func TestTwoRowsPast(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 48 << 10, L2: 32 << 10, L3: 64 << 10}))()
	r := rand.New(rand.NewPCG(31, 18))
	for _, cols := range []int{513, 516, 520, 1025} {
		for _, typ := range []string{"f32", "f64", "i64"} {
			k, n := parse(t, fmt.Sprintf(twoKernel, typ)), []int{1, 20, cols}
			for range 4 {
				s := newSetup(t, r, k, n, nil, [][]int{n, n, n}, true)
				for _, be := range isas(t) {
					for _, bp := range s.instance(t, be).(*instance).phases {
						if past := bp.streamed != nil; be.Name() == "avx512" && typ == "f64" && bp.Lowered.Kind == lower.SeqPhase && past != (cols%4 == 0) {
							t.Errorf("%d columns: stores bypass the caches: %t", cols, past)
						}
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestStoredTwice compares a scan that goes to two arrays with the interpreter: stores to one bypass the caches, and the rows of the other
// begin anywhere, from which a loop that keeps them in the caches computes some lanes twice.
func TestStoredTwice(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 48 << 10, L2: 32 << 10, L3: 64 << 10}))()
	r, n := rand.New(rand.NewPCG(31, 20)), []int{1, 12, 512}
	text := strings.Replace(fmt.Sprintf(oneKernel, "f64", "x", "out", "i1"), "{\n", "buf z f64 out 3\n{\n", 1)
	k := parse(t, strings.Replace(text, "      %4", "      store f64 z[i0, i1, i2] %3\n      %4", 1))
	for range 8 {
		s := newSetup(t, r, k, n, nil, [][]int{n, n, {1, 12, 513}}, true)
		for _, be := range isas(t) {
			for _, bp := range s.instance(t, be).(*instance).phases {
				if be.Name() == "avx512" && bp.Lowered.Kind == lower.SeqPhase && (len(bp.Pure) != 1 || !bp.Repeats) {
					t.Errorf("stores %v bypass the caches, lanes twice: %t", bp.Pure, bp.Repeats)
				}
			}
		}
		differ(t, r, s)
	}
}

// TestShortScans tests which targets have code for a scan of short rows whose number of lanes it knows: AVX2 and AVX-512, whose
// vectors are longer.
func TestShortScans(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 15))
	k := parse(t, fmt.Sprintf(oneKernel, "f32", "x", "out", "i1"))
	n := []int{1, 1000, 10}
	s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
	defer s.release()
	for _, be := range Generators() {
		in, ok := s.instance(t, be).(*instance)
		if !ok {
			t.Skip("no machine code here")
		}
		has := slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Short == n[2] })
		if want := be.Name() != "neon"; has != want {
			t.Errorf("%s: the code knows the lanes of a row: %v, want %v", be.Name(), has, want)
		}
	}
}

// TestCallsOfRowsAtOnce tests that the calls of a loop that finds extremes along several rows at once have no rows that are left over
// from these, that few columns of floats are read so, and that their results are those of the interpreter.
func TestCallsOfRowsAtOnce(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 32 << 10, L2: 64 << 10, L3: 8 << 20}))()
	r := rand.New(rand.NewPCG(28, 14))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64, dtype.I64} {
		k := parse(t, fmt.Sprintf("kernel extremes\naxis i0 i1\nbuf x %[1]s in 2\nbuf y %[1]s out 1\n{\nvec i1 {\nseq i0 {\n%%0 = load %[1]s x[i0, i1]\n%%1 = reduce min %[1]s %%0\n}\nstore %[1]s y[i1] %%1\n}\n}\n", typ.Short()))
		for _, columns := range []int{2, 5, 17, 1001, 10001} {
			s := newSetup(t, r, k, []int{103, columns}, nil, [][]int{{103, columns}, {columns}}, true)
			for _, be := range isas(t) {
				for _, bp := range s.instance(t, be).(*instance).phases {
					if rows := bp.run(min(columns, bp.strip)); bp.Across && bp.AtOnce > 1 && rows%bp.AtOnce != 0 {
						t.Errorf("%s: calls for %d columns of %s have %d rows, of which %d are read at once", be.Name(), columns, typ, rows, bp.AtOnce)
					}
					if few := columns < 20 && typ.IsFloat() && be.(*generator).RowsAtOnce > 1 && bp.Lowered.Kind == lower.SeqPhase; few && (bp.Whole != columns || bp.AtOnce < 2) {
						t.Errorf("%s: %d columns of %s are read %d rows at once", be.Name(), columns, typ, bp.AtOnce)
					}
				}
			}
			differ(t, r, s)
		}
	}
}

// TestCombinesAcross compares reductions along several rows at once, whose accumulators go from the identity to the result in one
// call or in several, with the interpreter: for one span of columns and many, rows that follow each other and rows that do not.
func TestCombinesAcross(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 4 << 10, L2: 8 << 10, L3: 1 << 20}))()
	r := rand.New(rand.NewPCG(29, 11))
	avx2, spans, fetches := false, 0, 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U8} {
		for _, red := range []string{"sum", "max", "min"} {
			typ, register := typ.Short(), typ.Register().Short()
			k := parse(t, fmt.Sprintf("kernel combines\naxis i0 i1 i2\nbuf x %[1]s in 3\nbuf y %[1]s out 2\n{\nvec i0 i2 {\nseq i1 {\n%%0 = load %[2]s x[i0, i1, i2]\n%%1 = reduce %[3]s %[2]s %%0\n}\nstore %[2]s y[i0, i2] %%1\n}\n}\n", typ, register, red))
			for range 8 {
				many, rows, columns := 1+r.IntN(4), 4+r.IntN(300), 120+r.IntN([...]int{300, 3000}[r.IntN(2)])
				if columns > 1000 {
					rows = 60 + r.IntN(10)
				}
				s := newSetup(t, r, k, []int{many, rows, columns}, nil, [][]int{{many, rows, columns + r.IntN(2)}, {many, columns}}, r.IntN(4) > 0)
				for _, be := range isas(t) {
					avx2 = avx2 || be.Name() == "avx2"
					for _, bp := range s.instance(t, be).(*instance).phases {
						if bp.Across && bp.fn.combines {
							spans += bp.Groups
							fetches += int(frame.Bit(bp.Fetch))
						}
					}
				}
				differ(t, r, s)
			}
			forget()
		}
	}
	if avx2 && min(spans, fetches) < 10 {
		t.Errorf("%d loops go along the rows of several spans of columns, %d fetch ahead", spans, fetches)
	}
}

// TestAcross compares scans and reductions down columns of few and of many elements with the
// interpreter: in one array and in several, in place, with caches that nothing fits in.
func TestAcross(t *testing.T) {
	widths := []int{1, 3, 5, 7, 15, 16, 17, 31, 33, 40, 48, 63, 65, 100, 127, 128, 129, 200, 255, 256, 257, 300, 513, 777, 1100, 1111, 1500, 2065}
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.I16, dtype.U8, dtype.I8, dtype.U16}
	across, whole, several, past, half, short, along, twice, wide := 0, 0, 0, 0, 0, 0, 0, 0, false
	for seed := range 160 {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		typ := types[r.IntN(len(types))]
		from, mode := "x", "out"
		if seed%4 == 1 { // in place
			from, mode = "y", "inout"
		}
		red, result := []string{"sum", "max", "argmax"}[r.IntN(3)], typ
		if red == "argmax" {
			result = dtype.I64
		}
		text := fmt.Sprintf(acrossKernel, typ.Short(), from, mode, result.Short(), red)
		n := []int{1 + r.IntN(3)*r.IntN(2), 1 + r.IntN(90), widths[r.IntN(len(widths))]}
		if seed/8%2 == 0 {
			text = fmt.Sprintf(oneKernel, typ.Short(), from, mode, "i1")
		}
		if seed%3 == 2 { // from the last row up
			text = strings.ReplaceAll(text, "[i0, i1, i2]", fmt.Sprintf("[i0, %d+i1*-1, i2]", n[1]-1))
		}
		k := parse(t, text)
		shapes := [][]int{n, n, n[2:], n[1:2], {n[0], n[2]}, {n[0], n[2]}}
		s := newSetup(t, r, k, n, nil, shapes[:len(k.Bufs)], seed/4%2 == 0)
		func() {
			m := defaultsWith(cpucache.Sizes{L1: 64, L2: 128 << (seed % 3 * 4), L3: 192})
			m.Halves = seed/16%2 == 0
			defer useModel(m)()
			for _, be := range isas(t) {
				if in, ok := s.instance(t, be).(*instance); ok {
					for _, bp := range in.phases {
						if bp.Narrow && bp.Short > 0 {
							short++
						}
						if bp.Narrow && bp.Across {
							along++
						}
						if bp.Across {
							across++
							twice += int(frame.Bit(bp.Repeats))
						}
						if bp.Whole > 0 {
							whole++
						}
						if bp.AtOnce > 0 || be.Name() != "avx2" {
							several++
						}
						if bp.streamed != nil || be.Name() != "avx2" {
							past++
						}
						if wide = wide || be.Name() == "avx512"; be.Name() == "avx512" && slices.ContainsFunc(bp.Pure, func(i int32) bool { return bp.Sites[i].RowBytes()%64 != 0 }) {
							half++ // rows begin in the middle of a line
						}
					}
				}
			}
			differ(t, r, s)
		}()
	}
	if across < 20 || whole < 5 || several < 4 || past < 2 || wide && min(half, short, along, twice) < 2 {
		t.Errorf("%d loops of narrow vectors have the states of a short row in registers, and %d go along one row after the other, %d compute lanes twice", short, along, twice)
		t.Errorf("%d loops go along one row after the other, %d along several, %d of them past the caches, %d by half a line, %d have the states of a row in registers", across, several, past, half, whole)
	}
}

// TestWholeRows fails if a scan down the columns of a large matrix is divided into strips of
// columns for one worker.
func TestWholeRows(t *testing.T) {
	FixCaches(t)
	k := parse(t, fmt.Sprintf(acrossKernel, "f32", "x", "out", "f32", "max"))
	for _, c := range []struct {
		blocks, columns int
		wide            bool
	}{{1, 3000, true}, {1, 1000, true}, {50, 300, true}, {1, 8, false}} {
		n := []int{c.blocks, 1000, c.columns}
		s := newSetup(t, rand.New(rand.NewPCG(1, 1)), k, n, nil, [][]int{n, n, n[2:], n[1:2], {n[0], n[2]}, {n[0], n[2]}}, true)
		for _, be := range isas(t) {
			inst := s.instance(t, be)
			if got := inst.(backend.Wide).Wide(); got != c.wide {
				t.Errorf("%s: %v: wide %v", be.Name(), n, got)
			}
		}
		s.release()
	}
}

// spansKernel carries two values down columns, with a weight for each row, and stores the last ones.
const spansKernel = `kernel spans
axis i0 i1 i2
buf x %[1]s in 3
buf y %[1]s %[3]s 3
buf w %[1]s in 2
buf v %[1]s in 1
buf z %[1]s out 2
{
  vec i0 i2 {
    %%0 = load %[1]s w[i0, i2]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s %[2]s[i0, %[4]s, i2]
      %%4 = load %[1]s v[i1]
      %%5 = mul %[1]s %%3 %%4
      %%6 = add %[1]s %%1 %%5
      store %[1]s y[i0, %[4]s, i2] %%6
      %%7 = next %[1]s %%1 %%6
      %%8 = next %[1]s %%2 %%1
    }
    store %[1]s z[i0, i2] %%8
  }
}`

// reducedSpans reduces columns, and fields of records down columns.
const reducedSpans = `kernel reduced
axis i0 i1 i2
buf x %[1]s in 3
buf v %[1]s in 1
buf z %[1]s out 2
buf s %[1]s out 2
{
  vec i0 i2 {
    seq i1 {
      %%0 = load %[2]s x[i0, %[3]s, i2*3+1]
      %%1 = load %[2]s v[i1]
      %%2 = add %[2]s %%0 %%1
      %%3 = reduce sum %[2]s %%2
      %%4 = reduce max %[2]s %%0
    }
    store %[2]s z[i0, i2] %%3
    store %[2]s s[i0, i2] %%4
  }
}`

// TestSpansOfStates compares scans and reductions down many short spans of columns with the interpreter: forward, backward and in
// place.
func TestSpansOfStates(t *testing.T) {
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.U8, dtype.I16}
	found, reduced, avx2 := 0, 0, false
	for seed := range 160 {
		r := rand.New(rand.NewPCG(uint64(seed), 33))
		typ := types[r.IntN(len(types))]
		n := []int{2 + r.IntN(60), 1 + r.IntN(12), 2 + r.IntN(4+86*r.IntN(2))}
		row, from, mode := "i1", "x", "out"
		if seed%3 == 2 {
			row = fmt.Sprintf("%d+i1*-1", n[1]-1)
		}
		if seed%4 == 1 {
			from, mode = "y", "inout"
		}
		k, shapes := parse(t, fmt.Sprintf(oneKernel, typ.Short(), from, mode, row)), [][]int{n, n}
		switch {
		case seed >= 100:
			typ = types[seed%len(types)]
			k = parse(t, fmt.Sprintf(reducedSpans, typ.Short(), typ.Register().Short(), row))
			shapes = [][]int{{n[0], n[1], 3 * n[2]}, n[1:2], {n[0], n[2]}, {n[0], n[2]}}
			if seed%2 == 0 {
				k = parse(t, strings.ReplaceAll(fmt.Sprintf(reducedSpans, typ.Short(), typ.Register().Short(), row), "i2*3+1", "i2"))
				shapes[0] = n
			}
		case seed%2 == 0:
			k = parse(t, fmt.Sprintf(spansKernel, typ.Short(), from, mode, row))
			shapes = append(shapes, []int{n[0], n[2]}, n[1:2], []int{n[0], n[2]})
		}
		s := newSetup(t, r, k, n, nil, shapes, seed/4%2 == 0)
		for _, be := range isas(t) {
			avx2 = avx2 || be.Name() == "avx2"
			if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Groups > 0 && bp.Lowered.Kind == lower.SeqPhase }) {
				found += int(frame.Bit(seed < 100))
				reduced += int(frame.Bit(seed >= 100 && n[1]*n[2] < 48))
				if _, grain, _ := in.Units(); n[0] >= leastGrains && grain%n[2] != 0 {
					t.Errorf("%s: chunks of %d columns of spans of %d", be.Name(), grain, n[2])
				}
			}
		}
		differ(t, r, s)
	}
	if avx2 && (found < 90 || reduced < 20) {
		t.Errorf("%d loops walk several spans in a call, and %d that reduce short ones", found, reduced)
	}
}

// TestStatesOfSpans fails if a call that goes down several spans of a known number of columns blends the last states of a span with those
// of the next, or stores them under a mask: the next load would wait until the store has reached the cache. So would a load of elements
// that a store under a mask has room for, where the elements of a row are one store.
func TestStatesOfSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 6))
	for _, typ := range []string{"f32", "f64", "i32"} {
		for _, columns := range []int{2, 3, 4} {
			n := []int{70, 9, columns}
			s := newSetup(t, r, parse(t, fmt.Sprintf(oneKernel, typ, "x", "out", "i1")), n, nil, [][]int{n, n}, true)
			for _, be := range isas(t) {
				in, whole, parts := s.instance(t, be), false, 0
				if be.Name() == "neon" || !slices.ContainsFunc(in.(*instance).phases, func(bp *boundPhase) bool { return bp.Groups > 0 && bp.Short == columns }) {
					continue
				}
				fns, err := in.(backend.Native).Listing()
				if err != nil {
					t.Fatal(err)
				}
				for _, fn := range fns {
					for _, l := range fn.Lines {
						if l.Kind == listing.Head {
							whole = strings.Contains(l.Text, "of whole rows")
							parts += int(frame.Bit(whole))
						}
						if masked := strings.Contains(l.Text, "ptr [rcx+rsi") && strings.Contains(l.Text, "{k7}, "); whole && (strings.Contains(l.Text, "blend") || masked || columns != 3 && strings.Contains(l.Text, "{k7}, ")) {
							t.Errorf("%s: %d columns of %s: %s", be.Name(), columns, typ, l.Text)
						}
					}
				}
				if parts != 1 {
					t.Errorf("%s: %d columns of %s: %d loops down whole rows", be.Name(), columns, typ, parts)
				}
			}
			differ(t, r, s)
		}
	}
}

// TestPositionsOfTransposed compares positions in loops that carry values, whose arrays are transposed in registers, with the interpreter.
func TestPositionsOfTransposed(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(34, 5))
	for _, typ := range []string{"i32", "f32", "f64", "i64"} {
		for _, n := range [][]int{{1, 12, 1111}, {1, 70, 43}, {2, 33, 9}, {1, 16, 300}, {3, 5, 65}} {
			for _, red := range []string{"argmin", "argmax"} {
				k := parse(t, fmt.Sprintf(acrossKernel, typ, "x", "out", "i64", red))
				s := newSetup(t, r, k, n, nil, [][]int{n, n, n[2:], n[1:2], {n[0], n[2]}, {n[0], n[2]}}, true)
				s.b.Bufs[0].Strides = []int{n[1] * n[2], 1, n[1]} // each column is contiguous
				differ(t, r, s)
			}
		}
	}
}

// TestEmptyColumns binds a sum down columns of which there are none, beside rows.
func TestEmptyColumns(t *testing.T) {
	const sums = `kernel k
axis i0 i1 i2
buf x f32 in 3
buf y f32 out 2
{
  par i0 {
    vec i1 {
      seq i2 {
        %0 = load f32 x[i0, i2, i1]
        %1 = reduce sum f32 %0
      }
      store f32 y[i0, i1] %1
    }
  }
}`
	r := rand.New(rand.NewPCG(2, 2))
	differ(t, r, newSetup(t, r, parse(t, sums), []int{3, 0, 70}, nil, [][]int{{4, 70, 4}, {4, 4}}, true))
}
