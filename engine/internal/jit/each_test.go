package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestEachRow compares scans along many rows with the interpreter: forward, backward and in
// place, with a second state and a weight for each step. The rows are short, or are sums of elements that are apart.
func TestEachRow(t *testing.T) {
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.U32, dtype.I8, dtype.U8, dtype.I16, dtype.U16}
	found, narrow, long := map[backend.Backend]int{}, map[backend.Backend]int{}, map[backend.Backend]int{}
	for seed := range 120 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		typ := types[seed%len(types)]
		rows, steps := 64+r.IntN(140), 2+r.IntN(16)
		at, from, mode, combine, row := "i0, i1", "x", "out", "mul", 0
		switch {
		case seed >= 72: // elements that are apart
			by := []int{2, -2, 3, 2}[seed%4]
			if seed%3 > 0 {
				combine, steps = "add", []int{16, 17, 24, 37, 65, 129, 300}[r.IntN(7)]
			}
			row = max(by, -by)*steps + r.IntN(3)
			first := r.IntN(2)
			if by < 0 {
				first = row - 1 - first
			}
			at = fmt.Sprintf("i0, %d+i1*%d", first, by)
		case seed%3 == 1:
			at = fmt.Sprintf("i0, %d+i1*-1", steps-1)
		}
		if seed%4 == 1 { // in place
			from, mode = "y", "inout"
		}
		k := parse(t, fmt.Sprintf(`kernel each
axis i0 i1
buf x %[1]s in 2
buf y %[1]s %[4]s 2
buf w %[1]s in 1
buf v %[1]s in 1
buf z %[1]s out 1
{
  vec i0 {
    %%0 = load %[1]s w[i0]
    seq i1 {
      %%1 = carry %[1]s %%0
      %%2 = carry %[1]s %%0
      %%3 = load %[1]s %[3]s[%[2]s]
      %%4 = load %[1]s v[i1]
      %%5 = add %[1]s %%1 %%3
      %%6 = %[5]s %[1]s %%5 %%4
      store %[1]s y[%[2]s] %%6
      %%7 = next %[1]s %%1 %%5
      %%8 = next %[1]s %%2 %%1
    }
    store %[1]s z[i0] %%8
  }
}`, typ.Short(), at, from, mode, combine))
		row = max(row, steps)
		shapes := [][]int{{rows, row}, {rows, row}, {rows}, {steps}, {rows}}
		s := newSetup(t, r, k, []int{rows, steps}, nil, shapes, seed%2 == 0)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok {
				for _, bp := range in.phases {
					if bp.Each > 0 {
						found[be]++
						narrow[be] += int(frame.Bit(typ.Size() < 4))
						long[be] += int(frame.Bit(bp.Each > 16))
					}
				}
			}
		}
		differ(t, r, s)
	}
	for _, be := range isas(t) {
		if n := found[be]; be.Name() != "neon" && (n < 55 || narrow[be] < 10 || long[be] < 12) {
			t.Errorf("%s walks %d times along each row, %d of them with narrow elements, %d with many steps", be.Name(), n, narrow[be], long[be])
		}
	}
}

// TestEachNarrow compares scans along short rows whose elements and states have different sizes with the interpreter: halves, bytes
// in wide states, and wide elements in narrow states.
func TestEachNarrow(t *testing.T) {
	const rows = 131
	for seed, c := range []struct{ x, state, y, steps string }{
		{"f16", "f32", "f16", "%3 = load f32 x[i0, i1]\n%4 = add f32 %1 %3\n%5 = roundf16 f32 %4\nstore f32 y[i0, i1] %5"},
		{"bf16", "f32", "f32", "%3 = load f32 x[i0, i1]\n%4 = add f32 %1 %3\nstore f32 y[i0, i1] %4"},
		{"u8", "i64", "u8", "%2 = load u8 x[i0, i1]\n%3 = cvt i64 %2\n%4 = add i64 %1 %3\n%5 = cvt u8 %4\nstore u8 y[i0, i1] %5"},
		{"i16", "i32", "i16", "%2 = load i16 x[i0, i1]\n%3 = cvt i32 %2\n%4 = max i32 %1 %3\n%5 = cvt i16 %4\nstore i16 y[i0, i1] %5"},
		{"i32", "i8", "i32", "%2 = load i32 x[i0, i1]\n%3 = cvt i8 %2\n%4 = mul i8 %1 %3\n%5 = cvt i32 %4\nstore i32 y[i0, i1] %5"},
		{"f32", "u8", "u8", "%2 = load f32 x[i0, i1]\n%3 = cvt u8 %2\n%4 = max u8 %1 %3\nstore u8 y[i0, i1] %3"},
	} {
		k := parse(t, fmt.Sprintf("kernel narrow\naxis i0 i1\nbuf x %s in 2\nbuf y %s out 2\nbuf z %s out 1\n{\n%%0 = const %[3]s 0\nvec i0 {\nseq i1 {\n%%1 = carry %[3]s %%0\n%[4]s\n%%9 = next %[3]s %%1 %%4\n}\nstore %[3]s z[i0] %%9\n}\n}", c.x, c.y, c.state, c.steps))
		for steps := 2; steps < 8; steps++ {
			r := rand.New(rand.NewPCG(uint64(seed), 10))
			s := newSetup(t, r, k, []int{rows, steps}, nil, [][]int{{rows, steps + seed%2}, {rows, steps}, {rows}}, true)
			for _, be := range isas(t) {
				if in, ok := s.instance(t, be).(*instance); ok && be.Name() != "neon" && !slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Each == steps }) {
					t.Errorf("%s does not walk rows of %s and %s", be.Name(), c.x, c.y)
				}
			}
			differ(t, r, s)
		}
	}
}

// TestEachStrides binds a scan along short rows to weights whose strides have the same lowest byte.
func TestEachStrides(t *testing.T) {
	const rows, steps = 100, 6
	k := parse(t, `kernel each
axis i0 i1
buf x f32 in 2
buf y f32 out 2
buf w f32 in 2
{
  vec i0 {
    %0 = const f32 0x00000000
    seq i1 {
      %1 = carry f32 %0
      %2 = load f32 x[i0, i1]
      %3 = load f32 w[i1, 0]
      %4 = mul f32 %2 %3
      %5 = add f32 %1 %4
      store f32 y[i0, i1] %5
      %6 = next f32 %1 %5
    }
  }
}`)
	r := rand.New(rand.NewPCG(1, 31))
	for _, stride := range []int{1, 257, 513} {
		differ(t, r, newSetup(t, r, k, []int{rows, steps}, nil, [][]int{{rows, steps}, {rows, steps}, {steps, stride}}, true))
	}
}

// TestStatesOfShortRows compares four scans along rows of a few steps at once with the interpreter: registers hold all states.
func TestStatesOfShortRows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 46))
	for _, typ := range []string{"u32", "f32", "i64", "i8", "u16"} {
		head, before, body, next := "", "", "", ""
		shapes := [][]int{}
		n := []int{100, 3}
		const states = 4
		for i := range states {
			head += fmt.Sprintf("buf x%d %[2]s in 2\nbuf y%[1]d %[2]s out 2\n", i, typ)
			before += fmt.Sprintf("%%%d = carry %s %%0\n", 1+i, typ)
			at := 1 + states + 2*i
			body += fmt.Sprintf("%%%d = load %s x%d[i0, i1]\n%%%d = sub %[2]s %%%[5]d %%%[1]d\nstore %[2]s y%[3]d[i0, i1] %%%[4]d\n", at, typ, i, at+1, 1+i)
			next += fmt.Sprintf("%%%d = next %s %%%d %%%d\n", 1+3*states+i, typ, 1+i, at+1)
			shapes = append(shapes, n, n)
		}
		k := parse(t, fmt.Sprintf("kernel states\naxis i0 i1\n%s{\n%%0 = const %s 0\nvec i0 {\nseq i1 {\n%s%s%s}\n}\n}\n", head, typ, before, body, next))
		differ(t, r, newSetup(t, r, k, n, nil, shapes, true))
	}
}

// TestManyStoresOfFewSteps compares scans along rows of a few elements that are apart, each stored to many arrays, with the interpreter.
func TestManyStoresOfFewSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 47))
	const rows, stores = 100, 24
	for steps := 4; steps < 12; steps++ {
		head, body, shapes := "", "", slices.Repeat([][]int{{rows, 2 * steps}}, stores+1)
		for i := range stores {
			head += fmt.Sprintf("buf y%d f32 out 2\n", i)
			body += fmt.Sprintf("store f32 y%d[i0, i1*2] %%3\n", i)
		}
		k := parse(t, fmt.Sprintf("kernel stores\naxis i0 i1\nbuf x f32 in 2\n%s{\n%%0 = const f32 0\nvec i0 {\nseq i1 {\n%%1 = carry f32 %%0\n%%2 = load f32 x[i0, i1*2]\n%%3 = add f32 %%1 %%2\n%s%%4 = next f32 %%1 %%3\n}\n}\n}\n", head, body))
		differ(t, r, newSetup(t, r, k, []int{rows, steps}, nil, shapes, true))
	}
}
