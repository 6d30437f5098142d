package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestLaid compares loops over short rows, which vectors lay across their lanes, with the
// interpreter: with parts of longer rows, rows from the last element to the first, columns, one
// element for each row, and one row for all. The arrays end at pages without access.
func TestLaid(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 3))
	laid := 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64, dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.BF16} {
		for columns := 2; columns <= layout.MostLaid+1; columns++ {
			if columns > 12 && !testlevel.Deep() && r.IntN(12) > 0 {
				continue
			}
			wide := [...]dtype.Type{typ, dtype.F64}[r.IntN(2)]
			at, apart := "+p0", 1
			if columns > 16 || r.IntN(3) == 0 { // long rows are not stored apart
				at, apart = "", 0
			}
			k := parse(t, fmt.Sprintf(`kernel short_rows
axis i0 i1
params 2
buf x %[1]s inout 2
buf part %[1]s in 2
buf back %[3]s in 2
buf columns %[1]s in 2
buf one %[1]s in 1
buf row %[1]s in 1
buf y %[3]s out 2
buf apart %[3]s out 2
{
  vec i0 i1 {
    %%0 = load %[2]s x[i0, i1]
    %%1 = load %[2]s part[i0, i1+p0]
    %%2 = add %[2]s %%0 %%1
    %%3 = load %[2]s columns[i1, i0]
    %%4 = mul %[2]s %%2 %%3
    %%5 = load %[2]s one[i0]
    %%6 = add %[2]s %%4 %%5
    %%7 = load %[2]s row[i1]
    %%8 = sub %[2]s %%6 %%7
    store %[2]s x[i0, i1] %%8
    %%9 = cvt %[6]s %%8
    %%10 = load %[6]s back[p1+i0*-1, %[4]d+i1*-1]
    %%11 = add %[6]s %%9 %%10
    store %[6]s y[i0, i1] %%11
    store %[6]s apart[i0, i1%[5]s] %%10
  }
}`, typ.Short(), typ.Register().Short(), wide.Short(), columns-1, at, wide.Register().Short()))
			for range 3 {
				rows := [...]int{2 + r.IntN(9), 50 + r.IntN(300), 2000/columns + r.IntN(1500)}[r.IntN(3)]
				gap := r.IntN(4)
				e := []int{rows, columns}
				s := newSetup(t, r, k, e, []int{r.IntN(gap + 1), rows - 1}, [][]int{e, {rows, columns + gap}, {rows, columns + gap}, {columns, rows}, {rows}, {columns}, e, {rows, columns + gap*apart}}, true)
				for _, be := range isas(t) {
					in := s.instance(t, be).(*instance)
					if slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Laid > 0 }) {
						laid++
					}
				}
				differ(t, r, s)
			}
			forget()
		}
	}
	if laid < 20*len(isas(t)) {
		t.Errorf("%d loops laid rows across vectors", laid)
	}
}

// TestPlanes compares loops that interleave arrays to short rows with the interpreter: copies, conversions, and
// arithmetic with more values than registers. The arrays end at pages without access. On AVX2 the main
// loop has no permutes of windows, and on AVX-512 those of four, five, seven and eight arrays and most conversions from narrower types have none.
func TestPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 8))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64, dtype.U8, dtype.I8, dtype.Bool, dtype.I16, dtype.U16, dtype.F16, dtype.BF16} {
		fixModel(t, r.IntN(2) == 0, true)
		for columns := 2; columns <= 9; columns++ {
			for _, value := range []string{"", "    %%1 = load %[1]s z[i0, i1]\n    %%2 = xor %[1]s %%0 %%1\n    %%3 = load %[1]s one[i0]\n    %%4 = xor %[1]s %%3 %%2\n"} {
				op, reg, to := "xor", typ.Register(), typ
				if typ.IsFloat() {
					op = "sub"
				}
				if value != "" {
					value = strings.ReplaceAll(fmt.Sprintf(value, reg.Short()), "xor", op)
				}
				if r.IntN(2) == 0 && typ != dtype.Bool {
					to = [...]dtype.Type{dtype.F32, dtype.F64, dtype.I32}[r.IntN(3)]
				}
				stored := strings.Count(value, "\n")
				if to.Register() != reg {
					value += fmt.Sprintf("    %%9 = cvt %s %%%d\n", to.Short(), stored)
					stored = 9
				}
				k := parse(t, fmt.Sprintf(`kernel planes
axis i0 i1
params 1
buf x %[1]s in 2
buf z %[1]s in 2
buf one %[1]s in 1
buf y %[4]s out 2
{
  vec i0 i1 {
    %%0 = load %[6]s x[i1, i0+p0]
%[2]s    store %[5]s y[i0, i1] %%%[3]d
  }
}`, typ.Short(), value, stored, to.Short(), to.Register().Short(), reg.Short()))
				rows, gap := [...]int{2 + r.IntN(9), 60 + r.IntN(300), 4000/columns + r.IntN(900)}[r.IntN(3)], r.IntN(3)
				e := []int{rows, columns}
				s := newSetup(t, r, k, e, []int{r.IntN(gap + 1)}, [][]int{{columns, rows + gap}, e, {rows}, e}, true)
				for _, be := range isas(t) {
					in := s.instance(t, be).(*instance)
					if planes := columns != 9 && typ != dtype.Bool; in.phases[0].Laid > 0 && (be.Name() == "avx2" && value == "" && planes || be.Name() == "avx512" && to.Size() >= 4 && (value == "" || typ.Size() >= 4) && (typ.Size() < to.Size() && columns <= 4 || typ.Size() >= 4 && columns == 4 || value == "" && (columns == 5 || columns == 7) || columns == 8)) {
						n := countIn(t, in, "main loop", "vpermp") + countIn(t, in, "main loop", "vpermt") + countIn(t, in, "main loop", "vpor")
						if be.Name() == "avx2" && to.Size() <= typ.Size() {
							n += countIn(t, in, "main loop", "vmovups xmm")
						}
						if n > 0 {
							t.Errorf("%s: %d columns of %s to %s: %d permutes of windows in the main loop", be.Name(), columns, typ, to, n)
						}
						wide := countIn(t, in, "main loop", "vmovups zmmword") + countIn(t, in, "main loop", "vmovupd zmmword")
						if widens := typ.Size() < to.Size() && layout.PlaneBytes(64/to.Size()*typ.Size()); be.Name() == "avx512" && widens && wide == 0 {
							t.Errorf("%d columns of %s to %s are widened before they are interleaved", columns, typ, to)
						}
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestStoredApart compares loops that store short rows apart with the interpreter: rows that are
// copied, also from rows apart, and rows that are computed. The arrays end at pages without
// access. The main loop has no loop over the lanes of a vector.
func TestStoredApart(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 11))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64} {
		for columns := 2; columns <= 16; columns++ {
			for _, value := range []string{"", fmt.Sprintf("    %%1 = add %s %%0 %%0\n", typ.Short())} {
				k := parse(t, fmt.Sprintf(`kernel stored_apart
axis i0 i1
params 2
buf x %[1]s in 2
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[1]s x[i0, i1+p0]
%[2]s    store %[1]s y[i0, i1+p1] %%%[3]d
  }
}`, typ.Short(), value, strings.Count(value, "\n")))
				rows, gap := [...]int{1 + r.IntN(9), 60 + r.IntN(300), 3000/columns + r.IntN(900)}[r.IntN(3)], r.IntN(3)
				p := []int{r.IntN(gap + 1), r.IntN(4)}
				s := newSetup(t, r, k, []int{rows, columns}, p, [][]int{{rows, columns + gap}, {rows, columns + 3}}, true)
				for _, be := range isas(t) {
					in := s.instance(t, be).(*instance)
					if in.phases[0].Laid == 0 {
						if rows > 150 && in.phases[0].Follow == 0 {
							t.Errorf("%s, %d rows of %d %s: neither laid across vectors nor written out", be.Name(), rows, columns, typ)
						}
						continue
					}
					jump := "j"
					if be.Name() == "neon" {
						jump = "b."
					}
					if n := countIn(t, in, "main loop", jump); n > 2 { // to the tail, and back
						t.Errorf("%s, rows of %d %s: %d jumps in the main loop", be.Name(), columns, typ, n)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestLaidAxes compares loops over rows of several short axes with the interpreter: with operands
// that lack an axis, or go backward along one, or have another order.
func TestLaidAxes(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 5))
	laid := 0
	for seed := range testlevel.Every(1000, 60) {
		typ := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U8, dtype.I8}[seed%5]
		e := []int{1 + r.IntN(4), 1 + r.IntN(60), 1 + r.IntN(5), 2 + r.IntN(6), 2 + r.IntN(4)}
		k := parse(t, fmt.Sprintf(`kernel short_axes
axis i0 i1 i2 i3 i4
buf x %[1]s in 5
buf a %[1]s in 4
buf b %[1]s in 4
buf c %[1]s in 3
buf d %[1]s in 5
buf y %[1]s out 5
{
  vec i0 i1 i2 i3 i4 {
    %%0 = load %[1]s x[i0, i1, i2, i3, i4]
    %%1 = load %[1]s a[i0, i1, i2, i4]
    %%2 = max %[1]s %%0 %%1
    %%3 = load %[1]s b[i1, %[2]d+i2*-1, i3, i4]
    %%4 = min %[1]s %%2 %%3
    %%5 = load %[1]s c[i0, i1, i3]
    %%6 = max %[1]s %%4 %%5
    %%7 = load %[1]s d[i0, i1, %[3]d+i4*-1, i2, i3]
    %%8 = min %[1]s %%6 %%7
    store %[1]s y[i0, i1, i2, i3, i4] %%8
  }
}`, typ.Short(), e[2]-1, e[4]-1))
		shapes := [][]int{e, {e[0], e[1], e[2], e[4]}, {e[1], e[2], e[3], e[4]}, {e[0], e[1], e[3]}, {e[0], e[1], e[4], e[2], e[3]}, e}
		s := newSetup(t, r, k, e, nil, shapes, seed%3 > 0)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok && slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Laid > 0 && bp.LaidSpans > 1 }) {
				laid++
			}
		}
		differ(t, r, s)
		forget()
	}
	if laid < 10*len(isas(t)) {
		t.Errorf("%d loops laid rows of several axes across vectors", laid)
	}
}

// TestCallsOfRows compares loops whose calls have a few rows that are laid across vectors with the interpreter: with operands that are
// the same in all rows of a call, or in a row, or apart. AVX-512 reads their elements under masks, and gathers none. The arrays
// end at inaccessible pages.
func TestCallsOfRows(t *testing.T) {
	FixCaches(t)
	r := rand.New(rand.NewPCG(28, 3))
	whole := 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U8, dtype.I16} {
		for range testlevel.Every(100, 14) {
			rows, row, back := 5+r.IntN(12), 2+r.IntN(15), r.IntN(2)
			step := [...]int{1, -1, 2, -2, 3}[r.IntN(5)]
			k := parse(t, fmt.Sprintf(`kernel calls
axis i0 i1 i2 i3
params 2
buf x %[1]s in 2
buf z %[1]s in 3
buf a %[1]s in 3
buf y %[1]s out 4
{
  vec i0 i1 i2 i3 {
    %%0 = load %[1]s x[i0, i2]
    %%1 = load %[1]s z[i0, p1+i1*%[2]d, p0+i3*%[3]d]
    %%2 = max %[1]s %%0 %%1
    %%3 = load %[1]s a[i0, i2, i3]
    %%4 = min %[1]s %%2 %%3
    store %[1]s y[i0, i1, i2, i3] %%4
  }
}`, typ.Short(), 1-2*back, step))
			e := []int{1 + r.IntN(3), 3 + r.IntN(20), rows, row}
			p, reach := []int{max(-(row-1)*step, 0), back * (e[1] - 1)}, (row-1)*max(step, -step)+1
			s := newSetup(t, r, k, e, p, [][]int{{e[0], rows}, {e[0], e[1], reach}, {e[0], rows, row + r.IntN(2)}, e}, true)
			for _, be := range isas(t) {
				in := s.instance(t, be).(*instance)
				if be.Name() == "avx512" && in.phases[0].Laid > 0 && typ.Size() >= 4 && countIn(t, in, "calls of", "v") > 0 {
					whole++
					if bp := in.phases[0]; bp.Laid >= 4 && !bp.Narrow {
						t.Errorf("%s, rows of %d %s: wide vectors", be.Name(), bp.Laid, typ)
					}
					if n := countIn(t, in, "calls of", "vgather"); n > 0 {
						t.Errorf("%s, %d rows of %d %s: %d gathers", be.Name(), rows, row, typ, n)
					}
				}
			}
			differ(t, r, s)
			forget()
		}
	}
	if cpu.X86.HasAVX512 && whole == 0 {
		t.Error("no calls of known length")
	}
}

// TestLaidTransposes compares transposes whose rows of a step are too short for tiles with the interpreter: copies, and maps with
// an operand in place, that load elements one by one. The arrays end at pages without access.
func TestLaidTransposes(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 11))
	defer permute8(amd64.Permutes8)
	single := map[string]int{}
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64} {
		for range 12 {
			value := [...]string{"%0", "%2", "%4"}[r.IntN(3)]
			k := parse(t, fmt.Sprintf(`kernel transpose
axis i0 i1 i2
buf x %[1]s in 3
buf z %[1]s in 3
buf y %[1]s out 3
{
  vec i0 i1 i2 {
    %%0 = load %[1]s x[i2, i1, i0]
    %%1 = load %[1]s z[i0, i1, i2]
    %%2 = add %[1]s %%0 %%1
    %%3 = lt bool %%0 %%1
    %%4 = select %[1]s %%3 %%2 %%0
    store %[1]s y[i0, i1, i2] %[2]s
  }
}`, typ.Short(), value))
			e := []int{2 + r.IntN(9), 2 + r.IntN(40), 8 + r.IntN(32)}
			permute8(cpu.X86.HasAVX512VBMI && r.IntN(2) == 0)
			s := newSetup(t, r, k, e, nil, [][]int{{e[2], e[1], e[0]}, e, e}, true)
			for _, be := range isas(t) {
				single[fmt.Sprint(be.Name(), ", ", typ)] += int(frame.Bit(countIn(t, s.instance(t, be), "main loop", "vpinsr")+countIn(t, s.instance(t, be), "calls of", "vpinsr") > 0))
			}
			differ(t, r, s)
			forget()
		}
	}
	for of, n := range single {
		if cpu.X86.HasAVX2 && n == 0 {
			t.Errorf("%s: no loop loads elements one by one", of)
		}
	}
}

// TestLaidBytes is TestLaid for maps of bytes and predicates alone, which have lanes of 8 bits,
// with shuffles of whole vectors and of 16 bytes, and for lanes of 16 bits with an operand of bytes.
func TestLaidBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 4))
	defer permute8(amd64.Permutes8)
	for _, typ := range []dtype.Type{dtype.I8, dtype.U8, dtype.Bool, dtype.I16, dtype.U16} {
		row, seven := typ.Short(), 7
		if typ.Size() == 2 {
			row, seven = "u8", 9
		}
		for columns := 2; columns <= 20; columns++ {
			k := parse(t, fmt.Sprintf(`kernel short_rows
axis i0 i1
params 1
buf x %[1]s in 2
buf back %[1]s in 2
buf columns %[1]s in 2
buf one %[1]s in 1
buf row %[3]s in 1
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[1]s x[i0, i1]
    %%1 = load %[1]s back[p0+i0*-1, %[2]d+i1*-1]
    %%2 = xor %[1]s %%0 %%1
    %%3 = load %[1]s columns[i1, i0]
    %%4 = and %[1]s %%2 %%3
    %%5 = load %[1]s one[i0]
    %%6 = or %[1]s %%4 %%5
    %%7 = load %[3]s row[i1]
    %%9 = cvt %[1]s %%7
    %%8 = xor %[1]s %%6 %%%[4]d
    store %[1]s y[i0, i1] %%8
  }
}`, typ.Short(), columns-1, row, seven))
			rows := [...]int{2 + r.IntN(9), 50 + r.IntN(300), 4000/columns + r.IntN(1500)}[r.IntN(3)]
			e := []int{rows, columns}
			permute8(cpu.X86.HasAVX512VBMI && r.IntN(2) == 0)
			differ(t, r, newSetup(t, r, k, e, []int{rows - 1}, [][]int{e, {rows, columns + r.IntN(4)}, {columns, rows}, {rows}, {columns}, e}, true))
			forget()
		}
	}
}

// TestShared counts the instructions with which AVX-512 interleaves arrays: a vector of each array is
// loaded once for all vectors of an iteration, and the selectors of the permutes stay in registers.
func TestShared(t *testing.T) {
	be, err := New("avx512")
	if err != nil {
		t.Skip(err)
	}
	FixCaches(t)
	r := rand.New(rand.NewPCG(26, 35))
	for _, c := range []struct {
		typ      string
		columns  int
		permute  string
		permutes int
	}{
		{"f32", 3, "vpermt2ps", 6}, // 3 vectors, each from 3
		{"f64", 2, "vpermt2pd", 4}, // 4 vectors, each from 2
		{"u8", 8, "vpermt2b", 16},  // 8 columns to 4 vectors, and 4 vectors, each from these
	} {
		if c.typ == "u8" && !amd64.Permutes8 {
			continue
		}
		k := parse(t, fmt.Sprintf(`kernel interleave
axis i0 i1
buf x %[1]s in 2
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[1]s x[i1, i0]
    store %[1]s y[i0, i1] %%0
  }
}`, c.typ))
		e := []int{2000, c.columns}
		s := newSetup(t, r, k, e, nil, [][]int{{c.columns, 2000}, e}, true)
		in := s.instance(t, be)
		if n := countIn(t, in, "main loop", c.permute); n != c.permutes {
			t.Errorf("%d columns of %s: %d permutes, want %d", c.columns, c.typ, n, c.permutes)
		}
		if n := countIn(t, in, "main loop", "vmovups zmm1, zmmword ptr [rip"); n != 0 {
			t.Errorf("%d columns of %s: %d selectors are loaded in the loop", c.columns, c.typ, n)
		}
		differ(t, r, s)
	}
	forget()
}

// TestLaidViews compares loops over short rows with more axes outside of them with the interpreter: parts of longer rows, and
// operands with their axes in another order, some of them from the last element to the first. The arrays end at pages
// without access.
func TestLaidViews(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 36))
	rows := 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U8} {
		for range testlevel.Every(25, 12) {
			e, gaps := make([]int, 4), make([]int, 4)
			for i := range e {
				e[i], gaps[i] = 2+r.IntN(10), r.IntN(2)*r.IntN(3)
			}
			e[r.IntN(3)] = 1 + r.IntN(60)
			if r.IntN(3) == 0 {
				e[3] = 2 + r.IntN(40)
			}
			part, perm := make([]int, 4), r.Perm(4)
			coords, shape := make([]string, 4), make([]int, 4)
			for i, p := range perm {
				shape[i], coords[i] = e[p], fmt.Sprint("i", p)
				if r.IntN(4) == 0 {
					coords[i] = fmt.Sprintf("%d+i%d*-1", e[p]-1, p)
				}
			}
			for i := range e {
				part[i] = e[i] + gaps[i]
			}
			op := [...]string{"add", "mul"}[r.IntN(2)]
			k := parse(t, fmt.Sprintf(`kernel views
axis i0 i1 i2 i3
params 1
buf x %[1]s in 4
buf z %[1]s in 4
buf y %[1]s out 4
{
  vec i0 i1 i2 i3 {
    %%0 = load %[2]s x[i0, i1, i2, i3+p0]
    %%1 = load %[2]s z[%[3]s]
    %%2 = %[4]s %[2]s %%0 %%1
    store %[2]s y[i0, i1, i2, i3] %%2
  }
}`, typ.Short(), typ.Register().Short(), strings.Join(coords, ", "), op))
			s := newSetup(t, r, k, e, []int{r.IntN(gaps[3] + 1)}, [][]int{part, shape, e}, true)
			for _, be := range isas(t) {
				if bp := s.instance(t, be).(*instance).phases[0]; bp.Laid > 0 && bp.Rows {
					rows++
				}
			}
			differ(t, r, s)
			forget()
		}
	}
	if cpu.X86.HasAVX2 && rows < testlevel.Every(8, 4) {
		t.Errorf("%d loops laid rows of several axes", rows)
	}
}

// TestCopiedRows compares copies of short rows to rows that are apart or follow each other, or in the opposite order, with the interpreter. The
// arrays end at pages without access.
func TestCopiedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 37))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F16, dtype.F32, dtype.F64, dtype.Bool} {
		for columns := 1; columns <= layout.MostLaid+2; columns++ {
			if columns > 20 && !testlevel.Deep() && r.IntN(8) > 0 {
				continue
			}
			k := parse(t, fmt.Sprintf(`kernel copied_rows
axis i0 i1 i2
params 3
buf x %[1]s in 3
buf y %[1]s out 3
{
  vec i0 i1 i2 {
    %%0 = load %[2]s x[i0, i1, i2+p0]
    store %[2]s y[i0, %[3]s, i2+p1] %%0
  }
}`, typ.Short(), typ.Register().Short(), [...]string{"i1", "p2+i1*-1"}[r.IntN(2)]))
			e := []int{1 + r.IntN(4), 2 + r.IntN(90), columns}
			from, to := r.IntN(3), r.IntN(4)
			if columns == 2 || r.IntN(3) == 0 {
				to += 16
			}
			s := newSetup(t, r, k, e, []int{r.IntN(from + 1), r.IntN(to + 1), e[1] - 1}, [][]int{{e[0], e[1], columns + from}, {e[0], e[1], columns + to}}, true)
			for _, be := range isas(t) {
				if in, ok := s.instance(t, be).(*instance); ok && be.Name() != "neon" && columns > 1 && e[1]*columns >= 48 && to > 0 && len(in.phases[0].Loads)+len(in.phases[0].Stores) > 0 {
					t.Errorf("%s: %d rows of %d %s, %d apart, are copied by Go", be.Name(), e[1], columns, typ, to)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestJoinedRows compares loops that copy rows of several arrays to pieces of the rows of one, in any order and some with bytes between
// them, with the interpreter. On x86 each row is copied by itself. All arrays end at pages without access.
func TestJoinedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(30, 22))
	for _, typ := range []dtype.Type{dtype.U8, dtype.Bool, dtype.I16, dtype.F16, dtype.F32, dtype.F64} {
		for columns := 2; columns*typ.Size() <= 640; columns += 1 + r.IntN(2+columns/8) {
			parts, gap, size, n := 2+r.IntN(3), r.IntN(3)/2*r.IntN(9), typ.Size(), 1+r.IntN(70)
			from := 1 + r.IntN(parts) // arrays
			row := parts*columns + gap
			var bufs, body strings.Builder
			var shapes [][]int
			for i := range from {
				fmt.Fprintf(&bufs, "buf x%d %s in 2\n", i, typ.Short())
				fmt.Fprintf(&body, "%%%d = load %s x%[1]d[i0, i1]\n", i, typ.Register().Short())
				shapes = append(shapes, []int{n, columns + r.IntN(3)})
			}
			for i, at := range r.Perm(parts) {
				fmt.Fprintf(&bufs, "buf y%d %s out 2\n", i, typ.Short())
				fmt.Fprintf(&body, "store %s y%d[i0, i1] %%%d\n", typ.Register().Short(), at, i%from)
				shapes = append(shapes, []int{1, 1})
			}
			shapes[from][1] = n*row - gap // the other parts have the same memory
			s := newSetup(t, r, parse(t, "kernel joined\naxis i0 i1\n"+bufs.String()+"{\nvec i0 i1 {\n"+body.String()+"}\n}\n"), []int{n, columns}, nil, shapes, true)
			first := s.b.Bufs[from].Ptr
			for i := range parts {
				at := i * columns * size
				s.b.Bufs[from+i] = ir.BufBind{Ptr: unsafe.Add(first, at), Strides: []int{row, 1}, Extents: []int{n, columns}, Memory: 1, Offset: at}
			}
			for _, be := range isas(t) {
				if bp := s.instance(t, be).(*instance).phases[0]; (be.Name() == "avx512" && columns >= 4 || be.Name() == "avx2" && size >= 4) && n > 1 && n*columns >= 128 && !bp.Copied {
					t.Errorf("%s: %d rows of %d %s of %d arrays are not copied one by one", be.Name(), n, columns, typ, from)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestFlippedRows compares copies of rows of bytes that are loaded from the last to the first with the interpreter. With AVX2 those of at
// most 16 bytes are laid across vectors, and of those that are apart those of at most three.
func TestFlippedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(26, 38))
	k := parse(t, "kernel flipped\naxis i0 i1 i2\nparams 1\nbuf x u8 in 3\nbuf y u8 out 3\n{\nvec i0 i1 i2 {\n%0 = load u8 x[i0, p0-i1, i2]\nstore u8 y[i0, i1, i2] %0\n}\n}\n")
	for columns := 2; columns <= 40; columns++ {
		for _, more := range []int{0, 3} {
			e := []int{1 + r.IntN(4), 40 + r.IntN(90), columns}
			s := newSetup(t, r, k, e, []int{e[1] - 1}, [][]int{{e[0], e[1], columns + more}, e}, true)
			for _, be := range isas(t) {
				if in, ok := s.instance(t, be).(*instance); ok && be.Name() == "avx2" {
					if bp := in.phases[0]; bp.Copied != (columns > 16 || columns > 3 && more > 0) || bp.Laid == 0 {
						t.Errorf("rows of %d bytes, %d apart: copied %v, laid %d", columns, columns+more, bp.Copied, bp.Laid)
					}
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestLaidParts compares sums of parts of rows that are laid across vectors with the interpreter, and fails if the windows of vectors in the
// middle of an iteration cross lines although the rows begin at lines. The arrays end at pages without access.
func TestLaidParts(t *testing.T) {
	defer forget()
	defer useModel(machine.Defaults())()
	r := rand.New(rand.NewPCG(30, 7))
	for _, typ := range []dtype.Type{dtype.F64, dtype.F32, dtype.I64, dtype.U8, dtype.I16} {
		k := parse(t, strings.NewReplacer("T", typ.Short(), "R", typ.Register().Short()).Replace("kernel parts\naxis i0 i1\nbuf x T in 2\nbuf z T in 2\nbuf y T out 2\n{\nvec i0 i1 {\n%0 = load R x[i0, i1]\n%1 = load R z[i0, i1]\n%2 = add R %0 %1\nstore R y[i0, i1] %2\n}\n}\n"))
		for columns := 2; columns <= 9; columns++ {
			for more := 1; more <= 6; more++ {
				n := 60 + r.IntN(200)
				s := newSetup(t, r, k, []int{n, columns}, nil, [][]int{{n, columns + more}, {n, columns}, {n, columns}}, true)
				if be := isas(t)[0]; be.Name() == "avx512" && typ == dtype.F64 && columns == 2 && more == 2 {
					all := countLines(t, s.instance(t, be), "main loop", func(text string) bool { return strings.Contains(text, "[r8") })
					whole := countLines(t, s.instance(t, be), "main loop", func(text string) bool {
						_, at, ok := strings.Cut(text, "[r8+")
						n, _, _ := strings.Cut(at, "]")
						by, err := strconv.Atoi(n)
						return strings.Contains(text, "[r8]") || ok && err == nil && by%layout.LineBytes == 0
					})
					if all != 8 || whole != 7 {
						t.Errorf("%d of %d windows begin at lines, want 7 of 8", whole, all)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestPlanesShare compares the remainders of eight arrays of bytes, interleaved to rows, with the interpreter: all values share more
// operands than the registers have room for beside those of the arrays.
func TestPlanesShare(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 12))
	k := parse(t, `kernel share
axis i0 i1
buf x i8 in 2
buf y f32 out 2
scalar s0 i16
scalar s1 i16
{
  %1 = scalar i16 s0
  %2 = scalar i16 s1
  %3 = abs i16 %2
  %4 = const i16 1
  %5 = shr i16 %3 %4
  %6 = const i16 7
  %7 = and i16 %1 %6
  %8 = sub i16 %5 %7
  vec i0 i1 {
    %10 = load i8 x[i1, i0]
    %11 = cvt i16 %10
    %12 = mul i16 %11 %2
    %13 = add i16 %12 %5
    %14 = shr i16 %13 %7
    %15 = mul i16 %14 %1
    %16 = sub i16 %11 %15
    %17 = and i16 %8 %16
    %18 = cvt i8 %17
    %19 = cvt f32 %18
    store f32 y[i0, i1] %19
  }
}`)
	for _, rows := range []int{3, 16, 131, 2000} {
		e := []int{rows, 8}
		differ(t, r, newSetup(t, r, k, e, nil, [][]int{{8, rows}, e}, true))
		forget()
	}
}

// TestMovedRows compares transpositions that move short rows of 1 and 2 bytes, which are far apart, with the interpreter. The arrays end
// at pages without access. On x86 rows of 3 bytes and more are copied one by one,
// those of up to 32 bytes with bytes behind them.
func TestMovedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 11))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.I16, dtype.F16, dtype.Bool} {
		k := parse(t, strings.NewReplacer("LOAD", typ.Register().Short(), "T", typ.Short()).Replace(`kernel moved
axis i0 i1 i2
buf x T in 3
buf y T out 3
{
  vec i0 i1 i2 {
    %0 = load LOAD x[i1, i0, i2]
    store LOAD y[i0, i1, i2] %0
  }
}`))
		for columns := 2; columns <= 40; columns += 1 + r.IntN(3) {
			n, m := 16+r.IntN(30), 33+r.IntN(20)
			e := []int{n, m, columns}
			s := newSetup(t, r, k, e, nil, [][]int{{m, n, columns}, e}, true)
			for _, be := range isas(t) {
				in := s.instance(t, be).(*instance)
				if far, bp := n*columns*typ.Size() >= layout.LineBytes && columns*typ.Size() >= 3, in.phases[0]; be.Name() != "neon" && typ != dtype.F16 && bp.Copied != far {
					t.Errorf("%s: %d columns of %s: rows are copied one by one: %v, want %v", be.Name(), columns, typ, bp.Copied, far)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}
