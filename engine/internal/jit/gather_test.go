package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestGathers loads at positions that are values of the lanes.
func TestGathers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, mem := range dtype.Real() {
		reg := mem.Register().Short()
		for _, how := range []string{" clamp", " else %4"} {
			k := parse(t, fmt.Sprintf(`kernel gather
axis i0 i1
params 1
buf x %[1]s in 2
buf i i32 in 2
buf y %[1]s out 2
{
  %%4 = const %[2]s 1
  vec i0 i1 {
    %%0 = load i32 i[i0, i1]
    %%1 = cvt i64 %%0
    %%2 = index i1
    %%3 = load %[2]s x[%%1, %%2]%[3]s
    store %[2]s y[i0, i1] %%3
  }
}`, mem.Short(), reg, how))
			for range 20 {
				n, m, rows := 1+r.IntN(20), 1+r.IntN(40), 1+r.IntN(50)
				e := []int{n, m}
				s := newSetup(t, r, k, e, []int{rows}, [][]int{{rows, m}, e, e}, r.IntN(2) == 0)
				for i := range len(s.mem[1]) / 4 {
					randir.Put(s.mem[1][4*i:], 4, uint64(uint32(int32(r.IntN(3*rows)-rows))))
				}
				differ(t, r, s)
			}
		}
	}
}

// TestTaken compares elements that an index selects with the interpreter: where no index of a vector is negative or outside, where
// some are, and where a store changes the indices before. The arrays end at pages without access.
func TestTaken(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 1))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F16, dtype.BF16, dtype.Bool, dtype.F32, dtype.I32, dtype.F64, dtype.U64} {
		for _, index := range []dtype.Type{dtype.I64, dtype.I32, dtype.U8, dtype.I16} {
			k := parse(t, strings.NewReplacer("LOAD", typ.Register().Short(), "ELEM", typ.Short(), "READ", index.Register().Short(), "INDEX", index.Short()).Replace(`kernel taken
axis i0
params 1
buf x ELEM in 1
buf i INDEX inout 1
buf y ELEM out 1
buf z ELEM out 1
{
  %0 = const i64 0
  vec i0 {
    %1 = load READ i[i0]
    %2 = cvt i64 %1
    %3 = index p0
    %4 = add i64 %2 %3
    %5 = lt bool %2 %0
    %6 = select i64 %5 %4 %2
    %7 = load LOAD x[%6] clamp
    store LOAD y[i0] %7
    %8 = cvt READ %3
    store READ i[i0] %8
    %9 = load LOAD x[%6] clamp
    store LOAD z[i0] %9
  }
}`))
			for range testlevel.Every(8, 3) {
				n, rows := 1+r.IntN(200), 1+r.IntN(90)
				s := newSetup(t, r, k, []int{n}, []int{rows}, [][]int{{rows}, {n}, {n}, {n}}, true)
				least := [...]int{0, 0, -rows, -2 * rows}[r.IntN(4)]
				for i := range n {
					at := r.IntN(rows)
					if r.IntN(20) == 0 {
						at = least + r.IntN(2*rows-least)
					}
					randir.Put(s.mem[1][i*index.Size():], index.Size(), uint64(at))
				}
				differ(t, r, s)
			}
			forget()
		}
	}
}

// TestRowGathers takes short rows by an index for each of them: the loop goes along the
// indices, because rows are too short for vectors.
func TestRowGathers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	along := 0
	for _, mem := range dtype.Real() {
		for _, how := range []string{" clamp", " else %4"} {
			for _, columns := range []int{2, 3, 4, 5, 8, 20, 70 + r.IntN(90), 160, 200, 300 + r.IntN(2000)} {
				k := parse(t, fmt.Sprintf(`kernel rows
axis i0 i1
buf x %[1]s in 2
buf i i64 in 1
buf y %[1]s out 2
{
  %%4 = const %[2]s 1
  vec i0 i1 {
    %%0 = load i64 i[i0]
    %%2 = load %[2]s x[%%0, i1]%[3]s
    store %[2]s y[i0, i1] %%2
  }
}`, mem.Short(), mem.Register().Short(), how))
				n, rows := 1+r.IntN(200), 1+r.IntN(50)
				s := newSetup(t, r, k, []int{n, columns}, nil, [][]int{{rows, columns}, {n}, {n, columns}}, r.IntN(3) > 0)
				for i := range len(s.mem[1]) / 8 {
					randir.Put(s.mem[1][8*i:], 8, uint64(r.IntN(3*rows)-rows))
				}
				for _, be := range isas(t) {
					bp := s.instance(t, be).(*instance).phases[0]
					if bp.Sites[0].Kind == layout.Unit && bp.Spans[len(bp.Spans)-1] == n && n > 8 {
						along++
					}
				}
				differ(t, r, s)
			}
		}
	}
	if along < 10*len(isas(t)) {
		t.Errorf("%d loops go along the indices", along)
	}
}

// TestRepeatedRows takes elements of a row that is repeated: the index of the row adds nothing
// to the address, but elements of other rows, and before and after the row, take the fill
// value. The step from lane to lane is small.
func TestRepeatedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 11))
	for _, mem := range dtype.Real() {
		for _, at := range []string{"i0", "i0*2", "i0*3-4", "p0+i0*-1", "p0+i0*-2+3"} {
			k := parse(t, fmt.Sprintf(`kernel repeated
axis i0
params 1
buf x %[1]s in 2
buf i u8 in 1
buf y %[1]s out 1
{
  %%4 = const %[2]s 1
  vec i0 {
    %%0 = load u8 i[i0]
    %%1 = cvt i64 %%0
    %%2 = load %[2]s x[%%1, %[3]s] else %%4
    store %[2]s y[i0] %%2
  }
}`, mem.Short(), mem.Register().Short(), at))
			for range 6 {
				n := 1 + r.IntN(90)
				columns := 1
				switch at {
				case "i0*2", "p0+i0*-2+3":
					columns = 2
				case "i0*3-4":
					columns = 3
				}
				last := columns * (n - 1)
				s := newSetup(t, r, k, []int{n}, []int{last}, [][]int{{1, last + 1}, {n}, {n}}, true)
				s.b.Bufs[0].Strides[0], s.b.Bufs[0].Extents = 0, []int{3, last + 1}
				for i := range s.mem[1] {
					s.mem[1][i] = byte(r.IntN(5))
				}
				differ(t, r, s)
			}
		}
	}
}

// TestLongRowGathers takes rows that are long enough for vectors of their own. What each row shares has other widths than
// what the lanes have.
func TestLongRowGathers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 11))
	for _, mem := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U8} {
		for _, body := range []string{
			"%7 = add %[2]s %3 %4",
			"%5 = cvt %[2]s %0\n    %7 = mul %[2]s %3 %5",
			"%5 = load %[2]s s[i0]\n    %6 = mul %[2]s %5 %4\n    %7 = mul %[2]s %3 %6",
			"%5 = lt bool %0 %8\n    %7 = select %[2]s %5 %3 %4",
			"%5 = load %[2]s s[i0]\n    %6 = lt bool %5 %4\n    %7 = select %[2]s %6 %3 %5",
			"%5 = load %[2]s s[i0]\n    %6 = lt bool %0 %8\n    %9 = select %[2]s %6 %5 %4\n    %7 = add %[2]s %3 %9",
		} {
			reg := mem.Register().Short()
			k := parse(t, fmt.Sprintf(`kernel rows
axis i0 i1
buf x %[1]s in 2
buf i i64 in 1
buf s %[1]s in 1
buf y %[1]s out 2
{
  %%4 = const %[2]s 1
  %%8 = const i64 3
  vec i0 i1 {
    %%0 = load i64 i[i0]
    %%3 = load %[2]s x[%%0, i1] clamp
    %[3]s
    store %[2]s y[i0, i1] %%7
  }
}`, mem.Short(), reg, strings.ReplaceAll(body, "%[2]s", reg)))
			for range 3 {
				n, columns, rows := 1+r.IntN(20), 65+r.IntN(200), 1+r.IntN(10)
				s := newSetup(t, r, k, []int{n, columns}, nil, [][]int{{rows, columns}, {n}, {n}, {n, columns}}, true)
				for i := range len(s.mem[1]) / 8 {
					randir.Put(s.mem[1][8*i:], 8, uint64(r.IntN(3*rows)-rows))
				}
				differ(t, r, s)
			}
		}
	}
}
