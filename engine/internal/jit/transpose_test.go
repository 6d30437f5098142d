package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestTransposed compares scans along the rows of their arrays with the interpreter: forward,
// backward and in place, with a second state, a weight for each row and one for each step, and
// with extents near those of blocks.
func TestTransposed(t *testing.T) {
	extents := []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 24, 31, 33, 40, 70, 130}
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.U32}
	found, few, avx2 := 0, 0, false
	for seed := range 90 {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		typ := types[seed%len(types)]
		rows, steps := extents[r.IntN(len(extents))], extents[r.IntN(len(extents))]
		if seed%7 == 3 {
			steps = 1024 // rows of elements of 4 bytes share the sets of the first-level cache
		}
		at, out, from := "i0, i1", "y", "x"
		if seed%3 == 1 {
			at = fmt.Sprintf("i0, %d+i1*-1", steps-1)
		}
		mode := "out"
		if seed%4 == 1 { // in place
			from, mode = "y", "inout"
		}
		k := parse(t, fmt.Sprintf(`kernel along
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[5]s 2
buf w %[1]s in 1
buf v %[1]s in 1
buf z %[1]s out 1
{
  vec i0 {
    %%0 = load %[1]s w[i0]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s %[4]s[%[2]s]
      %%4 = load %[1]s v[i1]
      %%5 = load %[1]s w[i0]
      %%6 = add %[1]s %%1 %%3
      %%7 = mul %[1]s %%6 %%4
      %%8 = add %[1]s %%7 %%2
      %%9 = max %[1]s %%8 %%5
      store %[1]s %[3]s[%[2]s] %%9
      %%10 = next %[1]s %%1 %%7
      %%11 = next %[1]s %%2 %%1
    }
    store %[1]s z[i0] %%11
  }
}`, typ.Short(), at, out, from, mode))
		shapes := [][]int{{rows, steps}, {rows, steps}, {rows}, {steps}, {rows}}
		s := newSetup(t, r, k, []int{rows, steps}, nil, shapes, seed%2 == 0)
		for _, be := range isas(t) {
			avx2 = avx2 || be.Name() == "avx2"
			if in, ok := s.instance(t, be).(*instance); ok {
				for _, bp := range in.phases {
					if bp.Transposes() {
						found++
						few += int(frame.Bit(bp.Few == 4 && steps == 1024))
					}
				}
			}
		}
		differ(t, r, s)
	}
	if avx2 && few < 3 {
		t.Errorf("%d loops transpose blocks of four rows that share sets", few)
	}
	if found < 30*len(isas(t)) {
		t.Errorf("blocks are transposed %d times", found)
	}
}

// TestTransposedInRegisters compares scans of elements of 8 and of 4 bytes along rows with the interpreter, forward, backward
// and in place, with numbers of rows and steps near those of blocks and of several groups of vectors.
func TestTransposedInRegisters(t *testing.T) {
	types := []dtype.Type{dtype.F64, dtype.I64, dtype.U64, dtype.F32, dtype.I32}
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		rows, steps := 1+r.IntN(40), 1+r.IntN(24)
		at, mode, from := "i0, i1", "out", "x"
		if seed%2 == 1 {
			at = fmt.Sprintf("i0, %d+i1*-1", steps-1)
		}
		if seed%3 == 1 {
			mode, from = "inout", "y"
		}
		k := parse(t, fmt.Sprintf(`kernel along
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[4]s 2
buf w %[1]s in 1
buf v %[1]s out 1
{
  vec i0 {
    %%0 = load %[1]s w[i0]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = load %[1]s %[3]s[%[2]s]
      %%3 = %[5]s %[1]s %%1 %%2
      store %[1]s y[%[2]s] %%3
      %%4 = next %[1]s %%1 %%3
    }
    store %[1]s v[i0] %%4
  }
}`, types[seed%len(types)].Short(), at, from, mode, []string{"add", "max", "sub"}[r.IntN(3)]))
		n := []int{rows, steps}
		differ(t, r, newSetup(t, r, k, n, nil, [][]int{n, n, {rows}, {rows}}, seed%2 == 0))
	}
}

// TestTransposedRowsInReach compares sums along rows whose lines share ways of the first-level cache with the interpreter, and tests of how
// many rows a loop has lines at once.
func TestTransposedRowsInReach(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 8))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		k := parse(t, fmt.Sprintf("kernel along\naxis i0 i1\nbuf x %[1]s in 2\nbuf y %[1]s out 1\n{\n  vec i0 {\n    seq i1 {\n      %%0 = load %[1]s x[i0, i1]\n      %%1 = reduce sum %[1]s %%0\n    }\n    store %[1]s y[i0] %%1\n  }\n}\n", typ.Short()))
		for _, c := range [][2]int{{1000, 32}, {2048, 16}, {3 * 2048, 16}, {4096, 8}, {8192, 8}} {
			pitch, want := c[0], c[1]
			rows, steps := 30+r.IntN(60), pitch/typ.Size()
			s := newSetup(t, r, k, []int{rows, steps}, nil, [][]int{{rows, steps}, {rows}}, false)
			for _, be := range isas(t) {
				for _, bp := range s.instance(t, be).(*instance).phases {
					if got := bp.Sites[0].RowsInReach(); bp.Transposes() && got != want {
						t.Errorf("%s: %d rows of %s that are %d bytes apart are in reach, want %d", be.Name(), got, typ, pitch, want)
					}
				}
			}
			differ(t, r, s)
		}
	}
}

// TestTransposedPairs compares sums along rows of which a vector has more than the first-level cache holds lines with the interpreter:
// half of the rows go through pairs of runs in the other order, unless each step has a value that all rows share.
func TestTransposedPairs(t *testing.T) {
	for seed := range testlevel.Every(96, 96, 32) {
		r := rand.New(rand.NewPCG(uint64(seed), 40))
		rows, steps, bytes := 16+r.IntN(120), 64+r.IntN(1900), 8192*(1+r.IntN(2))
		if seed%2 == 0 {
			steps = 64 * (1 + r.IntN(30))
		}
		at, typ := "i0, i1", []dtype.Type{dtype.F32, dtype.F32, dtype.BF16, dtype.F16}[r.IntN(4)]
		if seed%3 == 1 {
			at = fmt.Sprintf("i0, %d+i1*-1", steps-1)
		}
		pitch := bytes / typ.Size()
		other, with := []int{rows, pitch}, at // an array at the same distance
		switch r.IntN(4) {
		case 0:
			other[1] += 24
		case 1:
			other, with = []int{steps}, "i1"
		case 2:
			other, with = []int{rows}, "i0"
		}
		k := parse(t, fmt.Sprintf("kernel along\naxis i0 i1\nbuf x %[1]s in 2\nbuf z %[1]s in %[2]d\nbuf y f32 out 1\n{\n  vec i0 {\n    seq i1 {\n      %%0 = load f32 x[%[3]s]\n      %%1 = load f32 z[%[4]s]\n"+
			"      %%2 = mul f32 %%0 %%1\n      %%3 = reduce %[5]s f32 %%2\n    }\n    store f32 y[i0] %%3\n  }\n}\n", typ.Short(), len(other), at, with, []string{"sum", "prod"}[r.IntN(2)]))
		differ(t, r, newSetup(t, r, k, []int{rows, steps}, nil, [][]int{{rows, pitch}, other, {rows}}, true))
	}
}

// TestTransposedPredicates compares scans along rows that store predicates down columns with the interpreter.
func TestTransposedPredicates(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 8))
	for i := range 60 {
		k := parse(t, fmt.Sprintf(`kernel along
axis i0 i1
buf x %[1]s in 2
buf y %[1]s out 2
buf z bool out 2
{
  vec i0 {
    %%0 = const %[1]s 0
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = load %[1]s x[i0, i1]
      %%3 = lt bool %%1 %%2
      %%4 = add %[1]s %%1 %%2
      %%5 = select %[1]s %%3 %%2 %%4
      store %[1]s y[i0, i1] %%5
      store bool z[i1, i0] %%3
      %%6 = next %[1]s %%1 %%5
    }
  }
}`, []dtype.Type{dtype.F64, dtype.I64, dtype.F32}[i%3].Short()))
		n := []int{4 + r.IntN(40), 4 + r.IntN(40)}
		differ(t, r, newSetup(t, r, k, n, nil, [][]int{n, n, {n[1], n[0]}}, true))
	}
}

// TestTransposedAgain compares a scan that loads what it has stored in the same step with the
// interpreter.
func TestTransposedAgain(t *testing.T) {
	k := parse(t, `kernel again
axis i0 i1
buf x f32 in 2
buf y f32 inout 2
buf z f32 out 2
{
  vec i0 {
    %0 = const f32 0
    seq i1 {
      %1 = carry f32 %0
      %2 = load f32 x[i0, i1]
      %3 = add f32 %1 %2
      store f32 y[i0, i1] %3
      %4 = load f32 y[i0, i1]
      store f32 z[i0, i1] %4
      %5 = next f32 %1 %3
    }
  }
}`)
	r := rand.New(rand.NewPCG(5, 8))
	for range 6 {
		n := []int{4 + r.IntN(40), 4 + r.IntN(40)}
		differ(t, r, newSetup(t, r, k, n, nil, [][]int{n, n, n}, true))
	}
}

// TestTransposedNarrow compares scans in wider types along rows with the interpreter: a vector may have fewer lanes than
// 16 bytes have elements, and the elements of two arrays may have two sizes.
func TestTransposedNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	narrow := []dtype.Type{dtype.F16, dtype.BF16, dtype.I16, dtype.U16, dtype.U8}
	transposed := map[string]int{}
	for seed := range 144 {
		from, state, to := dtype.F32, dtype.F64, []dtype.Type{dtype.F32, dtype.F64}[seed%2]
		if seed%4 > 1 {
			from, state, to = dtype.I32, dtype.I64, []dtype.Type{dtype.I32, dtype.I64}[seed%2]
		}
		n := []int{4 + r.IntN(40), 4 + r.IntN(40)}
		if seed >= 48 { // elements of 1 and 2 bytes; few long rows are walked one by one
			from = narrow[seed%len(narrow)]
			if state = dtype.I32; from.IsFloat() {
				state = dtype.F32
			}
			if to = from; seed%7 == 0 {
				to = state
			}
			if seed%11 == 0 {
				from, state, to = dtype.F32, dtype.F32, dtype.BF16
			}
			n = [][]int{{4 + r.IntN(40), 4 + r.IntN(40)}, {1 + r.IntN(12), 120 + r.IntN(40)}, {1 + r.IntN(40), 125 + r.IntN(10)}}[seed%3]
		} else if seed%3 == 0 {
			n = []int{64 + r.IntN(90), 2 + r.IntN(15)}
		}
		at := "i0, i1"
		if seed%5 == 0 {
			at = fmt.Sprintf("i0, %d+i1*-1", n[1]-1)
		}
		load, store := from.Short(), "cvt "+to.Short()
		if state == dtype.F32 { // registers have float32
			load = "f32"
			if store = "abs f32"; to.IsHalf() {
				store = "round" + to.Short() + " f32"
			}
		}
		k := parse(t, fmt.Sprintf(`kernel narrow
axis i0 i1
buf x %[1]s in 2
buf y %[3]s out 2
{
  vec i0 {
    %%0 = const %[2]s 0
    seq i1 {
      %%1 = carry %[2]s %%0
      %%2 = load %[5]s x[%[4]s]
      %%3 = cvt %[2]s %%2
      %%4 = add %[2]s %%1 %%3
      %%5 = %[6]s %%4
      store %[7]s y[%[4]s] %%5
      %%6 = next %[2]s %%1 %%4
    }
  }
}`, from.Short(), state.Short(), to.Short(), at, load, store, to.Register().Short()))
		if state == to {
			k = parse(t, strings.NewReplacer("%5 = cvt "+to.Short()+" %4\n", "", "%5\n", "%4\n").Replace(k.String()))
		}
		s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok && from.Size() == 2 && to.Size() == 2 && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Transposes() }) {
				transposed[be.Name()]++
			}
		}
		differ(t, r, s)
	}
	for _, be := range isas(t) {
		if be.(*generator).Blends && transposed[be.Name()] < 10 {
			t.Errorf("%s transposes rows of 2 bytes of %d loops", be.Name(), transposed[be.Name()])
		}
	}
}

// TestTransposedTooWide compares sums and scans along rows of 2 bytes in lanes of 64 bits, whose blocks are not transposed, with the interpreter.
func TestTransposedTooWide(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	forms := [2]string{`kernel sums
axis i0 i1
buf x %[1]s in 2
buf y %[3]s out 1
{
  vec i0 {
    seq i1 {
      %%0 = load %[2]s x[i0, i1]
      %%1 = cvt %[3]s %%0
      %%2 = reduce sum %[3]s %%1
    }
    store %[3]s y[i0] %%2
  }
}`, `kernel scans
axis i0 i1
buf x %[1]s in 2
buf y %[3]s out 2
{
  vec i0 {
    %%0 = const %[3]s 0
    seq i1 {
      %%1 = carry %[3]s %%0
      %%2 = load %[2]s x[i0, i1]
      %%3 = cvt %[3]s %%2
      %%4 = add %[3]s %%1 %%3
      store %[3]s y[i0, i1] %%4
      %%5 = next %[3]s %%1 %%4
    }
  }
}`}
	for _, from := range []dtype.Type{dtype.I16, dtype.U16, dtype.F16, dtype.BF16} {
		for _, to := range []dtype.Type{dtype.I64, dtype.U64, dtype.F64} {
			if from.IsFloat() != to.IsFloat() {
				continue
			}
			for i, form := range forms {
				k := parse(t, fmt.Sprintf(form, from.Short(), from.Register().Short(), to.Short()))
				for _, n := range [][]int{{8, 8}, {9, 33}, {40, 17}, {65, 130}} {
					differ(t, r, newSetup(t, r, k, n, nil, [][]int{n, n[:i+1]}, true))
				}
			}
		}
	}
}

// TestTransposedStates compares scans of 2 bytes along rows, with more and more states, with the interpreter: registers have the
// states beside a block.
func TestTransposedStates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for states := 1; states < 12; states++ {
		first, body, next := "", "", ""
		for i := range states {
			first += fmt.Sprintf("%%%d = load f32 w[i0]\n", i)
			body += fmt.Sprintf("%%%d = carry f32 %%%d\n", states+i, i)
		}
		last := 2 * states
		sum := last
		for i := range states {
			body += fmt.Sprintf("%%%d = add f32 %%%d %%%d\n", sum+1, sum, states+i)
			sum++
		}
		for i := range states {
			next += fmt.Sprintf("%%%d = next f32 %%%d %%%d\n", sum+2+i, states+i, last+1+i)
		}
		body = strings.Replace(body, fmt.Sprintf("%%%d = add", last+1), fmt.Sprintf("%%%d = load f32 x[i0, i1]\n%%%d = add", last, last+1), 1)
		k := parse(t, fmt.Sprintf("kernel states\naxis i0 i1\nbuf x f16 in 2\nbuf y f16 out 2\nbuf w f32 in 1\n{\nvec i0 {\n%sseq i1 {\n%s%%%d = roundf16 f32 %%%d\nstore f32 y[i0, i1] %%%d\n%s}\n}\n}", first, body, sum+1, sum, sum+1, next))
		for _, n := range [][]int{{9, 20}, {33, 17}, {17, 140}} {
			differ(t, r, newSetup(t, r, k, n, nil, [][]int{n, n, {n[0]}}, true))
		}
	}
}

// TestHalvesAlongRows compares scans of float16 and bfloat16 along rows with the interpreter, forward, backward and in place, and
// tests that Go copies no element of long rows.
func TestHalvesAlongRows(t *testing.T) {
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 51))
		typ, op := []string{"f16", "bf16"}[seed%2], []string{"add", "max"}[seed/2%2]
		rows, steps := []int{1, 3, 7, 8, 9, 15, 16, 17, 40}[r.IntN(9)], []int{3, 8, 17, 100, 127, 128, 129, 135, 300}[r.IntN(9)]
		at, from, mode := "i0, i1", "x", "out"
		if seed%3 == 1 {
			at = fmt.Sprintf("i0, %d+i1*-1", steps-1)
		}
		if seed%5 == 1 {
			from, mode = "y", "inout"
		}
		k := parse(t, fmt.Sprintf(`kernel along
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[5]s 2
scalar s0 f32
{
  %%0 = scalar f32 s0
  vec i0 {
    seq i1 {
      %%1 = carry f32 %%0
      %%2 = load f32 %[3]s[%[2]s]
      %%3 = %[4]s f32 %%1 %%2
      %%4 = round%[1]s f32 %%3
      store f32 y[%[2]s] %%4
      %%5 = next f32 %%1 %%3
    }
  }
}`, typ, at, from, op, mode))
		s := newSetup(t, r, k, []int{rows, steps}, nil, [][]int{{rows, steps}, {rows, steps}}, seed%7 != 0)
		for _, be := range isas(t) {
			bp := s.instance(t, be).(*instance).vecs[0].phases[1]
			if n := len(bp.Loads) + len(bp.Stores); n > 0 && steps >= 128 && seed%3 != 1 && seed%5 != 1 && seed%7 != 0 {
				t.Errorf("%s: Go copies %d arrays of %d rows of %d steps", be.Name(), n, rows, steps)
			}
		}
		differ(t, r, s)
	}
}

// TestFaultsAlongRows compares loops along rows that only look for zeros with the interpreter, which stores nothing either: a
// loop without states and reductions transposes no blocks.
func TestFaultsAlongRows(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 11))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.I64} {
		k := parse(t, strings.ReplaceAll(`kernel faults
axis i0 i1
buf x TYPE in 2
{
  %0 = const TYPE 0
  vec i0 {
    seq i1 {
      %1 = load TYPE x[i0, i1]
      %2 = eq bool %1 %0
      fault divide %2
    }
  }
}`, "TYPE", typ.Short()))
		for range 60 {
			shape := []int{1 + r.IntN(100), 1 + r.IntN(100)}
			s := newSetup(t, r, k, shape, nil, [][]int{shape}, r.IntN(2) == 0)
			for i := 0; i < len(s.mem[0]); i += typ.Size() {
				randir.Put(s.mem[0][i:], typ.Size(), uint64(1+r.IntN(100))<<(8*r.IntN(typ.Size())))
			}
			if r.IntN(2) == 0 {
				randir.Put(s.mem[0][r.IntN(len(s.mem[0])/typ.Size())*typ.Size():], typ.Size(), 0)
			}
			differ(t, r, s)
		}
	}
}

// TestTransposedBesideComputed compares reductions along rows that are apart, beside elements at computed offsets that may be outside, with the
// interpreter. Such offsets have lanes of 8 bytes, and a narrow vector of them would have masks of four lanes.
func TestTransposedBesideComputed(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 13))
	for _, typ := range []dtype.Type{dtype.U32, dtype.F32, dtype.I16, dtype.F64} {
		k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(`kernel computed
axis i0 i1 i2
params 1
buf b bool in 3
buf x TYPE in 3
buf z TYPE in 3
buf v bool in 3
buf y REG out 2
scalar s0 bool
{
  %0 = scalar bool s0
  vec i0 i1 {
    seq i2 {
      %1 = load bool b[i0, i2, i1+p0] else %0
      %2 = load REG x[i0, i2, i1]
      %3 = load REG z[i0, i1, i2]
      %4 = load bool v[i0, i2, i1]
      %5 = and bool %1 %4
      %6 = select REG %5 %2 %3
      %7 = reduce min REG %6
    }
    store REG y[i0, i1] %7
  }
}`))
		for range 20 {
			n, m, steps := 1+r.IntN(60), 1+r.IntN(20), 1+r.IntN(40)
			inner := max(m-r.IntN(4), 1)
			s := newSetup(t, r, k, []int{n, m, steps}, []int{-r.IntN(5)}, [][]int{{n, max(steps-r.IntN(8), 1), inner}, {n, steps, m}, {n, m, steps}, {n, steps, m}, {n, m}}, true)
			s.b.Bufs[0].Strides = []int{1, inner * n, n} // so no span has the elements
			differ(t, r, s)
		}
	}
}

// TestTransposedWide compares reductions along the rows of one and of two arrays with the interpreter, forward and backward, with numbers of rows
// near those of vectors of 512 bits and of a call, and of steps near those of a part of 32 bytes. Fewer rows than lanes, and vectors that
// are two halves, transpose no such parts.
func TestTransposedWide(t *testing.T) {
	rows, steps := []int{7, 15, 16, 17, 40, 63, 64, 65, 70, 72, 79, 80, 97, 128, 255, 264, 300}, []int{8, 9, 15, 16, 17, 31, 33, 64, 65, 71, 130, 512, 700}
	types, found := []dtype.Type{dtype.F32, dtype.F16, dtype.I32, dtype.BF16, dtype.I16, dtype.U16, dtype.U32}, [2]int{}
	for seed := 0; seed < 420; seed += testlevel.Every(1, 5) {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		typ, n, m := types[seed%len(types)], rows[r.IntN(len(rows))], steps[r.IntN(len(steps))]
		at, halves := "i0, i1", seed/len(types)%4 == 3
		if seed/len(types)%2 == 1 {
			at = fmt.Sprintf("i0, %d+i1*-1", m-1)
		}
		k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "AT", at, "RED", []string{"sum", "max"}[r.IntN(2)], "ARG", []string{"%1", "%3"}[r.IntN(2)]).Replace(`kernel wide
axis i0 i1
buf x TYPE in 2
buf z REG in 2
buf y REG out 1
{
  vec i0 {
    seq i1 {
      %1 = load REG x[AT]
      %2 = load REG z[i0, i1]
      %3 = mul REG %1 %2
      %4 = reduce RED REG ARG
    }
    store REG y[i0] %4
  }
}`))
		s := newSetup(t, r, k, []int{n, m}, nil, [][]int{{n, m}, {n, m}, {n}}, r.IntN(2) == 0)
		model := machine.Defaults()
		model.Halves, model.Narrow = halves, false
		restore := useModel(model)
		for _, be := range isas(t) {
			for _, bp := range s.instance(t, be).(*instance).phases {
				if be.Name() == "avx512" && bp.Transposes() && bp.LaneSize == 0 {
					found[frame.Bit(!bp.Narrow)]++
					if bp.Narrow != (halves || n < 16) {
						t.Errorf("%d rows of %s: vectors of 512 bits %t, halves %t", n, typ, !bp.Narrow, halves)
					}
				}
			}
		}
		differ(t, r, s)
		restore()
	}
	if slices.ContainsFunc(isas(t), func(be backend.Backend) bool { return be.Name() == "avx512" }) && (found[0] < 5 || found[1] < 20) {
		t.Errorf("%d loops have vectors of 256 bits, %d of 512 bits", found[0], found[1])
	}
}
