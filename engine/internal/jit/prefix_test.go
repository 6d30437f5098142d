package jit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// prefixKernel carries two values: %[2]s of the elements, and %[3]s of the results. The elements
// are combined with a value of the step and one of the row.
const prefixKernel = `kernel prefix
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[5]s 2
buf w %[1]s in 1
buf v %[1]s in 1
buf z %[1]s out 1
buf q %[1]s out 1
{
  vec i0 {
    %%0 = load %[1]s w[i0]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s %[4]s[i0, i1]
      %%4 = load %[1]s v[i1]
      %%5 = load %[1]s w[i0]
      %%6 = add %[1]s %%3 %%4
      %%7 = %[2]s %[1]s %%1 %%6
      %%8 = sub %[1]s %%7 %%5
      %%9 = %[3]s %[1]s %%8 %%2
      %%10 = sub %[1]s %%9 %%3
      store %[1]s y[i0, i1] %%10
      %%11 = next %[1]s %%1 %%7
      %%12 = next %[1]s %%2 %%9
    }
    store %[1]s z[i0] %%11
    store %[1]s q[i0] %%12
  }
}`

// TestPrefixes compares scans whose steps may be combined in any grouping with the interpreter: for
// each type and operation, of one row and of several, in place, from the end, with the first value of a lane.
func TestPrefixes(t *testing.T) {
	steps := []int{1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 255, 1000}
	found := map[dtype.Type]int{}
	avx2, wide, known, narrow, always, reversed := false, false, 0, 0, 0, 0 // loops that know the steps of their tail, with narrow lanes, of many rows of integers, from the end
	for seed := range 180 {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		types := append(dtype.Integers(), dtype.F32, dtype.F64)
		typ := types[seed%len(types)]
		ops := []string{"max", "min"}
		if typ.IsInt() {
			ops = append(ops, "add", "mul", "and", "or", "xor")
		}
		from, mode := "x", "out"
		if seed%3 == 1 { // in place
			from, mode = "y", "inout"
		}
		rows, n := 1+r.IntN(4), steps[r.IntN(len(steps))]
		switch seed % 20 / 5 {
		case 0, 1:
			rows = 1
		case 2:
			rows += 8
		}
		text := fmt.Sprintf(prefixKernel, typ.Short(), ops[r.IntN(len(ops))], ops[r.IntN(len(ops))], from, mode)
		back := seed%7 < 2 // from the last step of a row to the first one
		if back {
			text = strings.ReplaceAll(text, "[i0, i1]", fmt.Sprintf("[i0, %d+i1*-1]", n-1))
		}
		k := parse(t, text)
		shapes := [][]int{{rows, n}, {rows, n}, {rows}, {n}, {rows}, {rows}}
		s := newSetup(t, r, k, []int{rows, n}, nil, shapes, seed/20%2 == 0)
		for _, be := range isas(t) {
			avx2, wide = avx2 || be.Name() == "avx2", wide || be.Name() == "avx512"
			if in, ok := s.instance(t, be).(*instance); ok {
				for _, bp := range in.phases {
					if bp.Prefixes {
						found[typ]++
						reversed += int(frame.Bit(back))
						known += min(bp.Short, 1)
						narrow += min(bp.LaneSize, 1)
						always += int(frame.Bit(bp.Always))
					}
				}
			}
		}
		differ(t, r, s)
	}
	if len(found) < 10 || reversed < 5 || avx2 && min(known, narrow) < 10 || wide && always < 5 {
		t.Errorf("steps are combined in vectors for %v; %d loops know their tail, %d have narrow lanes, %d many rows, %d go from the end", found, known, narrow, always, reversed)
	}
}

// TestPrefixesOfRows compares scans along short rows of narrow elements, whole rows in a vector, with the interpreter: for all lengths of
// rows, with first values that are no identity, in place, and with rows apart or steps in reverse, which have no such vectors.
func TestPrefixesOfRows(t *testing.T) {
	found := map[string]int{}
	for seed := range 240 {
		r := rand.New(rand.NewPCG(uint64(seed), 28))
		typ := []dtype.Type{dtype.U8, dtype.I8, dtype.I16, dtype.U16}[seed%4]
		ops := []string{"add", "mul", "max", "min", "and", "or", "xor"}
		from, mode := "x", "out"
		if seed%5 == 1 {
			from, mode = "y", "inout"
		}
		k := parse(t, fmt.Sprintf(`kernel rows
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[5]s 2
buf z %[1]s out 2
scalar s0 %[1]s
{
  %%0 = scalar %[1]s s0
  vec i0 {
    %%1 = const %[1]s 3
    seq i1 {
      %%2 = carry %[1]s %%0
      %%3 = carry %[1]s %%1
      %%4 = load %[1]s %[4]s[i0, i1]
      %%5 = %[2]s %[1]s %%2 %%4
      %%6 = %[3]s %[1]s %%5 %%3
      %%7 = sub %[1]s %%6 %%4
      store %[1]s y[i0, i1] %%6
      store %[1]s z[i0, i1] %%7
      %%8 = next %[1]s %%2 %%5
      %%9 = next %[1]s %%3 %%6
    }
  }
}`, typ.Short(), ops[r.IntN(len(ops))], ops[r.IntN(len(ops))], from, mode))
		n := []int{1 + r.IntN(100), 2 + r.IntN(64/typ.Size()-1)}
		if seed%3 == 0 {
			n[0] *= 1 + r.IntN(200)
		}
		s := newSetup(t, r, k, n, nil, [][]int{n, n, n}, seed%4 > 0)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Prefixes && bp.Each == n[1] }) {
				found[be.Name()]++
			}
		}
		differ(t, r, s)
	}
	for _, be := range isas(t) {
		if strings.HasPrefix(be.Name(), "avx") && found[be.Name()] < 30 {
			t.Errorf("%s: only %d loops have whole rows in a vector", be.Name(), found[be.Name()])
		}
	}
}

// TestPrefixesOfRowsOfBytes compares scans along short rows of bytes that become words with the interpreter: a vector has whole rows.
func TestPrefixesOfRowsOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 28))
	k := parse(t, `kernel rows
axis i0 i1
buf x u8 in 2
buf y i16 out 2
{
  vec i0 {
    %0 = const i16 0
    seq i1 {
      %1 = carry i16 %0
      %2 = load u8 x[i0, i1]
      %3 = cvt i16 %2
      %4 = add i16 %1 %3
      store i16 y[i0, i1] %4
      %5 = next i16 %1 %4
    }
  }
}`)
	for steps := 2; steps <= 16; steps++ {
		n := []int{2000 + steps, steps}
		s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
		for _, be := range isas(t) {
			in := s.instance(t, be).(*instance)
			if !slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Prefixes && bp.Each == steps }) && strings.HasPrefix(be.Name(), "avx") {
				t.Errorf("%s: no vector has whole rows of %d bytes", be.Name(), steps)
			}
		}
		differ(t, r, s)
	}
}

// TestPrefixOfUniform compares a scan whose elements are the same in all steps with the
// interpreter.
func TestPrefixOfUniform(t *testing.T) {
	for seed, typ := range []dtype.Type{dtype.I32, dtype.I16, dtype.U8, dtype.I64} {
		k := parse(t, fmt.Sprintf(`kernel same
axis i0 i1
buf w %[1]s in 1
buf y %[1]s out 2
{
  vec i0 {
    %%0 = load %[1]s w[i0]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = load %[1]s w[i0]
      %%3 = add %[1]s %%1 %%2
      store %[1]s y[i0, i1] %%3
      %%4 = next %[1]s %%1 %%3
    }
  }
}`, typ.Short()))
		r := rand.New(rand.NewPCG(uint64(seed), 22))
		for _, rows := range []int{1, 3} {
			n := []int{rows, 40 + r.IntN(40)}
			differ(t, r, newSetup(t, r, k, n, nil, [][]int{n[:1], n}, true))
		}
	}
}

// TestPrefixRows fails if a long row of bytes goes element after element, or is copied.
func TestPrefixRows(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.I8, dtype.U16, dtype.I32, dtype.I64, dtype.F64} {
		for _, n := range [][]int{{3, 200}, {12, 601}, {13, 601}} {
			k := parse(t, fmt.Sprintf(prefixKernel, typ.Short(), "max", "min", "x", "out"))
			r := rand.New(rand.NewPCG(1, 23))
			s := newSetup(t, r, k, n, nil, [][]int{n, n, n[:1], n[1:], n[:1], n[:1]}, true)
			for _, be := range isas(t) {
				in, ok := s.instance(t, be).(*instance)
				if !ok {
					t.Fatalf("%s: the interpreter runs the kernel", be.Name())
				}
				long := typ != dtype.I8 && typ.IsInt() && be.Name() == "avx512" // blocks take longer
				rest := n[0] == 13 && typ.Size() >= 4 && be.Name() != "neon"    // and so does the block of the last row
				if prefixes := slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Prefixes }); !prefixes && (n[0] == 3 || long || rest) {
					t.Errorf("%s %v %v: no steps are combined in vectors", be.Name(), typ, n)
				}
			}
			differ(t, r, s)
		}
	}
}

// TestRestOfRows fails if long rows of sums of floats are transposed where the block of the last ones would have lanes under a mask.
func TestRestOfRows(t *testing.T) {
	for rows := 3; rows <= 9; rows++ {
		k := parse(t, strings.ReplaceAll("kernel sums\naxis i0 i1\n"+scanAlong, "f32", "f64"))
		r, n := rand.New(rand.NewPCG(uint64(rows), 29)), []int{rows, 333}
		s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
		for _, be := range isas(t) {
			along := rows < 8 && rows != 4
			if in, ok := s.instance(t, be).(*instance); ok && be.Name() != "neon" && along != slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Along }) {
				t.Errorf("%s: %d rows: along single rows %t", be.Name(), rows, !along)
			}
		}
		differ(t, r, s)
	}
}

// TestAlongParts fails if sums of the parts of long rows of complex numbers go down columns, or longer steps along rows.
func TestAlongParts(t *testing.T) {
	parts := strings.NewReplacer("[i0, i1]", "[i0, i1*2]", "f32", "f64")
	for i, c := range []struct {
		op    string
		steps int
		along bool
	}{{"add", 255, false}, {"add", 256, true}, {"max", 513, false}} {
		k := parse(t, strings.Replace(parts.Replace("kernel sums\naxis i0 i1\n"+scanAlong), "add", c.op, 1))
		r, n := rand.New(rand.NewPCG(uint64(i), 31)), []int{9, c.steps}
		two := []int{9, 2 * c.steps}
		s := newSetup(t, r, k, n, nil, [][]int{two, two}, true)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok && c.along != slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Along }) {
				t.Errorf("%s: %s of %d steps: along single rows %t", be.Name(), c.op, c.steps, !c.along)
			}
		}
		differ(t, r, s)
	}
}

// TestAlongReversed fails if long rows of narrow elements from the end are copied to scratch memory, if sums go step by step, or if the
// states of differences go through memory.
func TestAlongReversed(t *testing.T) {
	for i, c := range []struct{ typ, op string }{{"u8", "add"}, {"i8", "add"}, {"u8", "sub"}, {"i8", "sub"}} {
		typ := c.typ
		k := parse(t, strings.NewReplacer("[i0, i1]", "[i0, 332+i1*-1]", "f32", typ, "-0", "0", "add", c.op).Replace("kernel sums\naxis i0 i1\n"+scanAlong))
		r, n := rand.New(rand.NewPCG(uint64(i), 32)), []int{9, 333}
		s := newSetup(t, r, k, n, nil, [][]int{n, n}, true)
		for _, be := range isas(t) {
			in := s.instance(t, be)
			if !slices.ContainsFunc(in.(*instance).phases, func(bp *boundPhase) bool {
				return (bp.Prefixes || bp.Along && c.op == "sub") && len(bp.Loads)+len(bp.Stores) == 0
			}) {
				t.Errorf("%s: rows of %s are copied, or go step by step for %s", be.Name(), typ, c.op)
			}
			widens := func(text string) bool { return strings.Contains(text, "bd ymm") && strings.Contains(text, "qword ptr") }
			if n := countLines(t, in, "columns: ", widens); n > 0 {
				t.Errorf("%s: %d loads of states of %s in each step", be.Name(), n, typ)
			}
		}
		differ(t, r, s)
	}
}

// TestPrefixLanes compares scans along many short rows of narrow elements, several in a call, with the interpreter: of
// rows in two axes, with first values, elements and a result of each row.
func TestPrefixLanes(t *testing.T) {
	for seed, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.I16, dtype.U16, dtype.U8, dtype.I16} {
		r := rand.New(rand.NewPCG(uint64(seed), 26))
		op := []string{"add", "max", "mul", "min"}[r.IntN(4)]
		k := parse(t, fmt.Sprintf(`kernel lanes
axis i0 i1 i2
buf x %[1]s in 3
buf y %[1]s out 3
buf w %[1]s in 2
buf v %[1]s in 1
buf z %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[1]s w[i0, i1]
    seq i2 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s x[i0, i1, i2]
      %%4 = load %[1]s v[i2]
      %%5 = add %[1]s %%3 %%4
      %%6 = %[2]s %[1]s %%1 %%5
      %%7 = xor %[1]s %%2 %%6
      store %[1]s y[i0, i1, i2] %%7
      %%8 = next %[1]s %%1 %%6
      %%9 = next %[1]s %%2 %%7
    }
    store %[1]s z[i0, i1] %%9
  }
}`, typ.Short(), op))
		for _, steps := range []int{17, 24, 33, 64, 100, 257} {
			n := []int{2 + r.IntN(3), 9 + r.IntN(300), steps}
			s := newSetup(t, r, k, n, nil, [][]int{{n[0], n[1] + seed%2, n[2]}, {n[0], n[1], n[2]}, n[:2], n[2:], n[:2]}, true)
			for _, be := range isas(t) {
				in, ok := s.instance(t, be).(*instance)
				if ok && !slices.ContainsFunc(in.phases, func(bp *boundPhase) bool {
					return bp.Prefixes && bp.strip > 1 && (bp.LaneSize == typ.Size() || !in.code.gen.Prefixes)
				}) {
					t.Errorf("%s, %v: a call has one row of %v, or wide lanes", be.Name(), typ, n)
				}
			}
			differ(t, r, s)
		}
	}
}

// rareKernel carries one value and stores what it is combined with.
const rareKernel = `kernel rare
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[4]s 2
buf z %[1]s out 1
{
  vec i0 {
    %%0 = const %[1]s 0
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = load %[1]s %[3]s[i0, i1]
      %%3 = %[2]s %[1]s %%1 %%2
      %%4 = sub %[1]s %%3 %%2
      store %[1]s y[i0, i1] %%4
      %%5 = next %[1]s %%1 %%3
    }
    store %[1]s z[i0] %%5
  }
}`

// TestRareChanges compares minima and maxima along rows with the interpreter: of elements that never, sometimes or always change
// the result, zeros of both signs and NaN among them, for all numbers of steps up to those of several vectors.
func TestRareChanges(t *testing.T) {
	for seed := range 240 {
		r := rand.New(rand.NewPCG(uint64(seed), 24))
		types := append(dtype.Integers(), dtype.F32, dtype.F64)
		typ := types[seed%len(types)]
		from, mode := "x", "out"
		if seed%7 == 1 && typ.Size() >= 4 { // in place
			from, mode = "y", "inout"
		}
		n := []int{1 + r.IntN(2), 1 + r.IntN(300)}
		k := parse(t, fmt.Sprintf(rareKernel, typ.Short(), []string{"max", "min"}[seed/2%2], from, mode))
		s := newSetup(t, r, k, n, nil, [][]int{n, n, n[:1]}, true)
		var values []float64
		switch seed % 3 {
		case 0: // few values
			values = []float64{0, math.Copysign(0, -1), 1, 1, 1}
		case 1: // one after the other
			values = []float64{1}
		}
		changes := 1 + r.IntN(40)
		size := typ.Size()
		for _, m := range s.mem[:2] {
			for i := range len(m) / size {
				x := float64(i % 120)
				switch {
				case r.IntN(changes) > 0:
					x = math.Copysign(0, float64(i%2)-.5)
				case len(values) > 1:
					x = values[r.IntN(len(values))]
				case len(values) == 0 && r.IntN(60) == 0 && typ.IsFloat():
					x = math.NaN()
				}
				if seed/2%2 == 1 && !typ.IsUnsigned() {
					x = -x
				}
				randir.Put(m[i*size:], size, prim.FromFloat(typ, x))
			}
		}
		differ(t, r, s)
	}
}

// TestCarriesCombined compares two states whose next values are one combination of both with the interpreter, in rows long enough
// for vectors of steps.
func TestCarriesCombined(t *testing.T) {
	k := parse(t, `kernel both
axis i0 i1
buf x f64 in 1
buf w f64 in 1
buf y f64 out 2
{
  vec i0 {
    %0 = load f64 x[i0]
    %1 = load f64 w[i0]
    seq i1 {
      %2 = carry f64 %0
      %3 = carry f64 %1
      %4 = min f64 %2 %3
      store f64 y[i0, i1] %4
      %5 = next f64 %2 %4
      %6 = next f64 %3 %4
    }
  }
}`)
	r := rand.New(rand.NewPCG(11, 24))
	for _, rows := range []int{1, 2, 7, 40} {
		differ(t, r, newSetup(t, r, k, []int{rows, 139}, nil, [][]int{{rows}, {rows}, {rows, 139}}, true))
	}
}

// TestPrefixBeside compares scans that store predicates beside a maximum, which rarely changes, with the interpreter: those of four
// vectors of steps take all registers for masks.
func TestPrefixBeside(t *testing.T) {
	for seed, typ := range []string{"f32", "f64", "i32", "u8"} {
		k := parse(t, strings.ReplaceAll(`kernel beside
axis i0 i1
buf x T in 2
buf y bool out 2
buf z T out 1
{
  vec i0 {
    %0 = const T 0
    seq i1 {
      %1 = carry T %0
      %2 = load T x[i0, i1]
      %3 = mul T %2 %2
      %4 = lt bool %2 %3
      %5 = max T %1 %2
      store bool y[i0, i1] %4
      %6 = next T %1 %5
    }
    store T z[i0] %6
  }
}`, "T", typ))
		r := rand.New(rand.NewPCG(uint64(seed), 27))
		for _, steps := range []int{64, 129, 1000} {
			differ(t, r, newSetup(t, r, k, []int{3, steps}, nil, [][]int{{3, steps}, {3, steps}, {3}}, true))
		}
	}
}
