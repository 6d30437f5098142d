package jit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
	"golang.org/x/sys/cpu"
)

// combine writes the loads of all fields of a record of x at some positions, and operations that combine them to one value, in random
// order: differences, sums, and those of op. It returns the number of the result.
func combine(r *rand.Rand, body *strings.Builder, at string, fields int, typ dtype.Type, op string) (last int) {
	for f := range fields {
		fmt.Fprintf(body, "      %%%d = load %s x[%s, %d]\n", f, typ.Short(), at, f)
	}
	for i, f := range r.Perm(fields) {
		if i > 0 {
			fmt.Fprintf(body, "      %%%d = %s %s %%%d %%%d\n", fields+i, [...]string{"sub", "add", op}[r.IntN(3)], typ.Short(), last, f)
			f = fields + i
		}
		last = f
	}
	return last
}

// eachUse compares loops that use fields of records with the interpreter: in maps, in rows of maps and in reductions. The body computes %40, of
// type wide, from x, which has the shape that extents returns for n records. Before that, check sees each use.
func eachUse(t *testing.T, r *rand.Rand, x, body string, wide dtype.Type, extents func(n int) []int, check func(use string, n int, s *setup)) {
	head := fmt.Sprintf("kernel records\naxis i0 i1\nbuf x %s\n", x)
	for use, text := range testlevel.InOrder(map[string]string{
		"map":    head + fmt.Sprintf("buf y %[1]s out 1\n{\n  vec i0 {\n%[2]s    store %[1]s y[i0] %%40\n  }\n}", wide.Short(), body),
		"rows":   head + fmt.Sprintf("buf y %[1]s out 2\nbuf z %[1]s in 1\n{\n  vec i1 i0 {\n%[2]s    %%41 = load %[1]s z[i1]\n    %%42 = add %[1]s %%40 %%41\n    store %[1]s y[i1, i0] %%42\n  }\n}", wide.Short(), body),
		"reduce": head + fmt.Sprintf("buf y %[1]s out 0\n{\n  vec i0 {\n%[2]s    %%41 = reduce sum %[1]s %%40\n  }\n  store %[1]s y[] %%41\n}", wide.Short(), body),
	}) {
		n, rows := [...]int{1 + r.IntN(20), 60 + r.IntN(80), 400 + r.IntN(100)}[r.IntN(3)], 1+r.IntN(9)
		shapes := [][]int{extents(n), {n}}
		switch use {
		case "rows":
			shapes = [][]int{shapes[0], {rows, n}, {rows}}
		case "reduce":
			shapes[1] = nil
		}
		s := newSetup(t, r, parse(t, text), []int{n, rows}, nil, shapes, true)
		if n > 1 {
			check(use, n, s)
		}
		differ(t, r, s)
	}
	forget()
}

// TestRecords compares loops that load all fields of records with the interpreter: in maps, in
// rows of maps and in reductions, with conversions. The arrays end at pages without access.
func TestRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 31))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64} {
		for fields := 2; fields <= 17; fields++ {
			var body strings.Builder
			last := combine(r, &body, "i0", fields, typ, "mul")
			wide := [...]dtype.Type{typ, dtype.F64}[r.IntN(2)]
			fmt.Fprintf(&body, "    %%40 = cvt %s %%%d\n", wide.Short(), last)
			eachUse(t, r, typ.Short()+" in 2", body.String(), wide, func(n int) []int { return []int{n, fields} }, func(use string, n int, s *setup) {
				be := isas(t)[0]
				if use == "rows" || be.Name() == "neon" { // rows may go the other way
					return
				}
				most := map[string]int{"map": 16, "reduce": 4}[use]
				want := fields <= most
				has := slices.ContainsFunc(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool { return len(bp.Records) == 1 })
				if has != want {
					t.Errorf("%s of %d lanes, %d fields of %s: records are found: %v", use, n, fields, typ, has)
				}
				if split := want && fields <= 8 && fields != 7; split && be.Name() == "avx2" && countIn(t, s.instance(t, be), "main loop", "vpinsr") > 0 {
					t.Errorf("%s of %d fields of %s: loads of single elements in the main loop", use, fields, typ)
				}
			})
		}
	}
}

// TestSomeFields compares loops that load some fields of records, but not all, with the interpreter: in maps, in rows of maps and in
// reductions, with conversions. The array begins with the first field that is loaded, and ends with the last one, at pages without access.
func TestSomeFields(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 32))
	found := map[bool]int{} // by whether elements have 1 or 2 bytes
	for range map[bool]int{false: 1, true: 40}[testlevel.Deep()] {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64, dtype.I16, dtype.U8} {
			for step := 3; step <= 17; step++ {
				if step > 9 && typ.Size() > 2 {
					break
				}
				fields := r.Perm(step)[:2+r.IntN(step-2)]
				first, last := slices.Min(fields), slices.Max(fields)
				wide := [...]dtype.Type{typ, dtype.F64}[r.IntN(2)]
				var body strings.Builder
				for i, f := range fields {
					fmt.Fprintf(&body, "    %%%d = load %s x[i0*%d+%d]\n", i, typ.Short(), step, f-first)
				}
				fmt.Fprintf(&body, "    %%20 = sub %s %%0 %%1\n", typ.Short())
				for i := range fields[2:] {
					fmt.Fprintf(&body, "    %%%d = %s %s %%%d %%%d\n", 21+i, [...]string{"sub", "add", "mul"}[r.IntN(3)], typ.Short(), 20+i, 2+i)
				}
				fmt.Fprintf(&body, "    %%40 = cvt %s %%%d\n", wide.Short(), 18+len(fields))
				extents := func(n int) []int { return []int{(n-1)*step + last - first + 1} }
				eachUse(t, r, typ.Short()+" in 1", body.String(), wide, extents, func(_ string, _ int, s *setup) {
					if be := isas(t)[0]; be.Name() == "avx512" {
						found[typ.Size() < 4] += lists.Count(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool { return len(bp.Records) > 0 })
					}
				})
			}
		}
	}
	if (found[false] < 8 || found[true] < 8) && isas(t)[0].Name() == "avx512" {
		t.Errorf("%v loops share the vectors of fields", found)
	}
}

// TestRecordsDownColumns reduces all fields of records down columns, or combines them with a state, also columns of several spans, and fewer
// than a vector has. The arrays end at pages without access.
func TestRecordsDownColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 6))
	found, combining, carrying := 0, 0, 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64} {
		for fields := 2; fields <= 17; fields++ {
			var body strings.Builder
			last := combine(r, &body, "i2, i1, i0", fields, typ, "max")
			by := fmt.Sprintf("%%40 = reduce %s %s %%%d", [...]string{"sum", "max", "min"}[r.IntN(3)], typ.Short(), last)
			carries := fields%2 == 0
			if carries {
				by = fmt.Sprintf("%%38 = carry %[1]s %%41\n      %%39 = add %[1]s %%38 %%%[2]d\n      %%40 = next %[1]s %%38 %%39", typ.Short(), last)
			}
			k := parse(t, fmt.Sprintf(`kernel records
axis i0 i1 i2
buf x %[1]s in 4
buf y %[1]s out 2
{
  %%41 = const %[1]s 0
  vec i2 i0 {
    seq i1 {
%[2]s      %[3]s
    }
    store %[1]s y[i2, i0] %%40
  }
}`, typ.Short(), body.String(), by))
			n, rows, spans := [...]int{1 + r.IntN(8), 9 + r.IntN(30), 60 + r.IntN(80)}[r.IntN(3)], 2+r.IntN(200), 1+r.IntN(4)
			if n < 3 && fields < 5 { // several calls
				rows += acrossElements
			}
			s := newSetup(t, r, k, []int{n, rows, spans}, nil, [][]int{{spans, rows, n, fields}, {spans, n}}, true)
			for _, be := range isas(t) {
				for _, bp := range s.instance(t, be).(*instance).phases {
					found += int(frame.Bit(len(bp.Records) == 1 && !carries))
					carrying += int(frame.Bit(len(bp.Records) == 1 && carries))
					combining += int(frame.Bit(be.Name() == "avx2" && bp.fn.combines))
				}
			}
			differ(t, r, s)
			forget()
		}
	}
	if avx2 := slices.ContainsFunc(isas(t), func(be backend.Backend) bool { return be.Name() == "avx2" }); avx2 && (found < 20 || carrying < 20 || combining < 3) {
		t.Errorf("%d loops that reduce and %d that carry have records, %d combine runs of few columns", found, carrying, combining)
	}
}

// TestRecordsOfFewColumns reduces all fields of records down columns that end within a vector. AVX-512 loads them as those of whole vectors,
// without gathers, and nothing after the array.
func TestRecordsOfFewColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 11))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64} {
		for fields := 2; fields <= 12; fields++ {
			var body strings.Builder
			last := combine(r, &body, "i1, i0", fields, typ, "max")
			k := parse(t, fmt.Sprintf("kernel records\naxis i0 i1\nbuf x %[1]s in 3\nbuf y %[1]s out 1\n{\n  vec i0 {\n    seq i1 {\n%[2]s      %%40 = reduce sum %[1]s %%%[3]d\n    }\n    store %[1]s y[i0] %%40\n  }\n}", typ.Short(), body.String(), last))
			for _, n := range []int{2 + r.IntN(2), 4 + r.IntN(4), 9 + r.IntN(7), 17 + r.IntN(15)} {
				rows := 20 + r.IntN(100)
				s := newSetup(t, r, k, []int{n, rows}, nil, [][]int{{rows, n, fields}, {n}}, true)
				for _, be := range isas(t) {
					in := s.instance(t, be)
					if be.Name() == "avx512" && len(in.(*instance).phases[0].Records) > 0 && countIn(t, in, "columns: the last", "vgather") > 0 {
						t.Errorf("%d columns of %d fields of %s: gathers in the last columns", n, fields, typ)
					}
				}
				differ(t, r, s)
			}
			forget()
		}
	}
}

// TestFieldsOfOtherRows reduces the products of two fields down columns, of which the second one is read from every other
// row, or from one: they are no fields of the same records.
func TestFieldsOfOtherRows(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 36))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32} {
		for _, row := range []string{"i1*2", "0"} {
			k := parse(t, fmt.Sprintf(`kernel rows
axis i0 i1
buf x %[1]s in 3
buf y %[1]s out 1
{
  vec i0 {
    seq i1 {
      %%0 = load %[1]s x[i1, i0, 0]
      %%1 = load %[1]s x[%[2]s, i0, 1]
      %%2 = mul %[1]s %%0 %%1
      %%3 = reduce sum %[1]s %%2
    }
    store %[1]s y[i0] %%3
  }
}`, typ.Short(), row))
			for _, n := range []int{5, 16, 30} {
				rows := 2 + r.IntN(100)
				differ(t, r, newSetup(t, r, k, []int{n, rows}, nil, [][]int{{2 * rows, n, 2}, {n}}, true))
			}
			forget()
		}
	}
}

// TestFieldsWithoutGathers tests that the loop over whole vectors of records of up to 16 fields needs no
// gather on AVX2.
func TestFieldsWithoutGathers(t *testing.T) {
	all := isas(t)
	i := slices.IndexFunc(all, func(be backend.Backend) bool { return be.Name() == "avx2" })
	if i < 0 {
		t.Skip("no AVX2")
	}
	r := rand.New(rand.NewPCG(8, 35))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		for fields := 2; fields <= 16; fields++ {
			body := fmt.Sprintf("    %%0 = load %s x[i0, 0]\n", typ.Short())
			for f := 1; f < fields; f++ {
				body += fmt.Sprintf("    %%%d = load %[2]s x[i0, %[3]d]\n    %%%[4]d = max %[2]s %%%[5]d %%%[1]d\n", 2*f-1, typ.Short(), fields-f, 2*f, 2*f-2)
			}
			k := parse(t, fmt.Sprintf("kernel fields\naxis i0\nbuf x %[1]s in 2\nbuf y %[1]s out 1\n{\n  vec i0 {\n%[2]s    store %[1]s y[i0] %%%[3]d\n  }\n}", typ.Short(), body, 2*fields-2))
			s := newSetup(t, r, k, []int{200}, nil, [][]int{{200, fields}, {200}}, true)
			text, _, _ := strings.Cut(textOfCode(t, s.instance(t, all[i])), "tail:")
			if strings.Contains(text, "vgather") {
				t.Errorf("%d fields of %s:\n%s", fields, typ, text)
			}
			s.release()
		}
		forget()
	}
}

// TestRecordsOfViews tests that views of one memory, which are buffers of their own, are fields
// of a record only if all distances are those of the fields.
func TestRecordsOfViews(t *testing.T) {
	k := parse(t, `kernel views
axis i0
buf a f32 in 1
buf b f32 in 1
buf y f32 out 1
{
  vec i0 {
    %0 = load f32 a[i0]
    %1 = load f32 b[i0]
    %2 = sub f32 %0 %1
    store f32 y[i0] %2
  }
}`)
	r := rand.New(rand.NewPCG(8, 32))
	for _, c := range []struct {
		memory, offset int
		want           bool
	}{{1, 4, true}, {1, -4, true}, {1, 8, false}, {1, 0, false}, {0, 4, false}} {
		s := newSetup(t, r, k, []int{200}, nil, [][]int{{200}, {200}, {200}}, true)
		memory := make([]float32, 403)
		for i := range memory {
			memory[i] = r.Float32()
		}
		at := func(i int) ir.BufBind {
			return ir.BufBind{Ptr: unsafe.Pointer(&memory[i]), Strides: []int{2}, Extents: []int{200}, Memory: c.memory, Offset: 4 * i}
		}
		s.b.Bufs[0], s.b.Bufs[1] = at(1), at(1+c.offset/4)
		for _, be := range isas(t)[:1] {
			if has := len(s.instance(t, be).(*instance).phases[0].Records) == 1; has != c.want {
				t.Errorf("%s: views of memory %d, %d bytes apart, are fields: %v", be.Name(), c.memory, c.offset, has)
			}
		}
		differ(t, r, s)
	}
}

// TestStoredQuotients tests that the fields of records share their stores where quotients by a
// scalar, from its reciprocal, and products of lower halves stand between them.
func TestStoredQuotients(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 34))
	for typ, value := range testlevel.InOrder(map[dtype.Type]string{
		dtype.F32: "div f32 %%%[1]d %%1",
		dtype.U64: "mul u64 %%%[1]d %%%[1]d",
	}) {
		var bufs, loads, stores strings.Builder
		for i := range 3 {
			fmt.Fprintf(&bufs, "buf x%d %s in 1\nbuf y%[1]d %[2]s out 1\n", i, typ.Short())
			fmt.Fprintf(&loads, "    %%%d = load %s x%d[i0]\n", 10+i, typ.Short(), i)
			from := 10 + i
			if !typ.IsFloat() { // below 2^32
				fmt.Fprintf(&loads, "    %%%d = and u64 %%%d %%2\n", 20+i, 10+i)
				from = 20 + i
			}
			fmt.Fprintf(&stores, "    %%%d = "+strings.ReplaceAll(value, "[1]", "[2]")+"\n", 30+i, from)
			fmt.Fprintf(&stores, "    store %s y%d[i0] %%%d\n", typ.Short(), i, 30+i)
		}
		k := parse(t, fmt.Sprintf("kernel stored\naxis i0\n%[2]sscalar s0 %[1]s\n{\n  %%1 = scalar %[1]s s0\n  %%2 = const %[1]s 65535\n  vec i0 {\n%[3]s%[4]s  }\n}",
			typ.Short(), bufs.String(), loads.String(), stores.String()))
		const n = 700
		s := newSetup(t, r, k, []int{n}, nil, slices.Repeat([][]int{{n}}, 6), true)
		m, free := allocate(t, n*3*typ.Size(), true)
		s.free = append(s.free, free)
		for f := range 3 {
			i := 2*f + 1
			s.mem[i] = m
			b := &s.b.Bufs[i]
			b.Ptr, b.Strides, b.Memory, b.Offset = unsafe.Pointer(&m[f*typ.Size()]), []int{3}, 1, f*typ.Size()
		}
		if be := isas(t)[0]; be.Name() == "avx512" {
			if text := textOfCode(t, s.instance(t, be)); !regexp.MustCompile(`store \S+ y0.*\n.*store \S+ y1.*\n.*store \S+ y2`).MatchString(text) {
				t.Errorf("%v: fields share no stores:\n%s", typ, text)
			}
		}
		differ(t, r, s)
		forget()
	}
}

// joinBufs puts buffers from first on into one memory, as fields of n records.
func (s *setup) joinBufs(t *testing.T, first, fields, n, size int) {
	m, free := allocate(t, n*fields*size, true)
	s.free = append(s.free, free)
	for f := range fields {
		b := &s.b.Bufs[first+f]
		s.mem[first+f] = m
		b.Ptr, b.Strides, b.Memory, b.Offset = unsafe.Pointer(&m[f*size]), []int{fields}, 1, f*size
	}
}

// TestRecordsAlone compares loops all of whose accesses are fields of records with the interpreter:
// records of the same fields, and of others. The lanes of AVX2 have another order in the first.
func TestRecordsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 35))
	for _, a := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32} {
		for _, b := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32} {
			for range 12 {
				in, out := 2+2*r.IntN(2), 2+2*r.IntN(2)
				var text strings.Builder
				fmt.Fprintf(&text, "kernel alone\naxis i0\nscalar s0 %[1]s\nbuf x %[1]s in 2\nbuf z %[1]s in 2\n", a.Short())
				for f := range out {
					fmt.Fprintf(&text, "buf y%d %s out 1\n", f, b.Short())
				}
				fmt.Fprintf(&text, "{\n  %%1 = scalar %[1]s s0\n  vec i0 {\n", a.Short())
				for f := range in {
					fmt.Fprintf(&text, "    %%%[2]d = load %[1]s x[i0, %[3]d]\n    %%%[4]d = load %[1]s z[i0, %[3]d]\n", a.Short(), 10+f, f, 20+f)
				}
				for f := range out {
					fmt.Fprintf(&text, "    %%%[2]d = sub %[1]s %%%[3]d %%%[4]d\n    %%%[5]d = mul %[1]s %%%[2]d %%1\n    %%%[6]d = cvt %[7]s %%%[5]d\n    store %[7]s y%[8]d[i0] %%%[6]d\n",
						a.Short(), 30+f, 10+r.IntN(in), 20+r.IntN(in), 40+f, 50+f, b.Short(), f)
				}
				k := parse(t, text.String()+"  }\n}")
				n := [...]int{1 + r.IntN(20), 60 + r.IntN(80), 400 + r.IntN(100)}[r.IntN(3)]
				s := newSetup(t, r, k, []int{n}, nil, append([][]int{{n, in}, {n, in}}, slices.Repeat([][]int{{n}}, out)...), true)
				s.joinBufs(t, 2, out, n, b.Size())
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestStoredRecords compares loops that store all fields of records with the interpreter: fields of
// one array, in any order, with values that are the same, or the same in all lanes. The arrays end at
// pages without access.
func TestStoredRecords(t *testing.T) {
	r, together, networks := rand.New(rand.NewPCG(8, 33)), 0, 0
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64, dtype.I16, dtype.U8} {
		for _, fields := range []int{2, 3, 4, 5, 6, 7, 8, 9, 12, 16} {
			for try := range 9 {
				halves := r.IntN(2) == 0
				fixModel(t, halves, true)
				s, n := storedRecords(t, r, typ, fields, try%3 == 2)
				if be := isas(t)[0]; n > 1 && be.Name() != "neon" {
					has := slices.ContainsFunc(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool {
						return slices.ContainsFunc(bp.Records, func(sites []int32) bool { return bp.Lowered.Sites[sites[0]].Store })
					})
					few := fields <= 8 || be.Name() == "avx512" && fields != 9 && typ.Size() >= 4 && try%3 == 2
					if has != (few && (be.Name() == "avx2" && fields != 7 && (fields <= 4 || typ.Size() >= 4) || be.Name() == "avx512" && (typ.Size() > 1 || amd64.Permutes8))) {
						t.Errorf("%d lanes, %d fields of %s: records are found: %v", n, fields, typ, has)
					}
					if has && try%3 == 2 && fields != 7 && typ.Size() >= 4 && n >= 400 && be.Name() == "avx512" {
						want := !halves && typ.Size() == 4 && fields <= 8
						if networks++; countIn(t, s.instance(t, be), "main loop", "vpermt2") > 0 != want {
							t.Errorf("%d fields of %s, vectors in halves %v: the main loop has permutes of two vectors: %v", fields, typ, halves, !want)
						}
					}
					if has && s.k.Bufs[1].Type == typ && typ.Size() < 4 && n >= 400 {
						some := map[string]string{"avx512": "]{k", "avx2": "shr rax"}[be.Name()]
						if together++; countLines(t, s.instance(t, be), "main loop", func(text string) bool { return strings.Contains(text, some) }) > 0 {
							t.Errorf("%d fields of %s: the main loop stores some lanes", fields, typ)
						}
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
	if be := isas(t)[0]; be.Name() != "neon" && together < 5 || be.Name() == "avx512" && networks < 5 {
		t.Errorf("%d loops store narrow fields together, %d by networks", together, networks)
	}
}

// storedRecords returns a loop over n records of fields of a type, and n. apart says that it reads the fields from arrays of their own.
func storedRecords(t *testing.T, r *rand.Rand, typ dtype.Type, fields int, apart bool) (s *setup, n int) {
	var text strings.Builder
	other := [...]dtype.Type{typ, dtype.F64}[r.IntN(2)]
	at, x := "i0, %d", []int{0, fields}
	if apart {
		at, x, other = "%d, i0", []int{fields, 0}, typ
	}
	fmt.Fprintf(&text, "kernel stored\naxis i0\nscalar s0 %[1]s\nbuf x %[1]s in 2\nbuf z %[2]s in 1\n", typ.Short(), other.Short())
	for f := range fields {
		fmt.Fprintf(&text, "buf y%d %s out 1\n", f, typ.Short())
	}
	fmt.Fprintf(&text, "{\n  %%1 = scalar %[1]s s0\n  vec i0 {\n    %%2 = load %[2]s z[i0]\n    %%3 = cvt %[1]s %%2\n", typ.Short(), other.Short())
	for f := range fields {
		fmt.Fprintf(&text, "    %%%d = load %s x["+at+"]\n    %%%d = mul %s %%%d %%3\n", 10+2*f, typ.Short(), f, 11+2*f, typ.Short(), 10+2*f)
	}
	for _, f := range r.Perm(fields) {
		value := [...]int{11 + 2*f, 11 + 2*f, 11, 1}[r.IntN(4)]
		fmt.Fprintf(&text, "    store %s y%d[i0] %%%d\n", typ.Short(), f, value)
	}
	k := parse(t, text.String()+"  }\n}")
	n = [...]int{1 + r.IntN(20), 60 + r.IntN(80), 400 + r.IntN(100)}[r.IntN(3)]
	x[frame.Bit(apart)] = n
	s = newSetup(t, r, k, []int{n}, nil, append([][]int{x, {n}}, slices.Repeat([][]int{{n}}, fields)...), true)
	s.joinBufs(t, 2, fields, n, typ.Size())
	return s, n
}

// TestRecordsFit tests that loops that store records have enough registers, with the instructions of other processors too. Else the
// interpreter would run them.
func TestRecordsFit(t *testing.T) {
	isas(t) // skips where there is no machine code
	r := rand.New(rand.NewPCG(8, 34))
	for fields := 4; fields <= 17; fields++ {
		for try := range 20 {
			fixModel(t, try%2 == 1, true)
			s, n := storedRecords(t, r, [...]dtype.Type{dtype.F32, dtype.F64}[try/2%2], fields, true)
			for _, be := range generators[:2] {
				if _, ok := s.instance(t, be).(*instance); !ok {
					t.Errorf("%s: %d fields, %d lanes: the interpreter", be.Name(), fields, n)
				}
			}
			forget()
		}
	}
}

// TestRecordsOfScalars stores records whose fields are scalars, which must leave the registers that the stores need.
func TestRecordsOfScalars(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 61))
	for _, typ := range []dtype.Type{dtype.F32, dtype.I64} {
		for fields := 2; fields <= 16; fields++ {
			var in, out, body strings.Builder
			for f := range fields {
				fmt.Fprintf(&in, "buf s%d %s in 0\n", f, typ.Short())
				fmt.Fprintf(&out, "buf y%d %s out 1\n", f, typ.Short())
				fmt.Fprintf(&body, "%%%d = load %[2]s s%[1]d[]\nstore %[2]s y%[1]d[i0] %%%[1]d\n", f, typ.Short())
			}
			n := 100 + r.IntN(60)
			k := parse(t, fmt.Sprintf("kernel scalars\naxis i0\n%s%s{\nvec i0 {\n%s}\n}", in.String(), out.String(), body.String()))
			s := newSetup(t, r, k, []int{n}, nil, append(make([][]int, fields), slices.Repeat([][]int{{n}}, fields)...), true)
			s.joinBufs(t, fields, fields, n, typ.Size())
			for _, be := range isas(t) {
				if _, ok := s.instance(t, be).(*instance); !ok {
					t.Errorf("%s: no machine code for %d scalars of %s", be.Name(), fields, typ)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestFieldsBesideScalars loads all fields of records in loops with as many scalars, which must leave the registers that
// the loads need.
func TestFieldsBesideScalars(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 36))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		for fields := 2; fields <= 16; fields++ {
			var scalars, body strings.Builder
			for f := range fields {
				fmt.Fprintf(&scalars, "buf s%d %s in 0\n", f, typ.Short())
				fmt.Fprintf(&body, "%%%d = load %s x[i0, %d]\n%%%d = load %s s%d[]\n", f, typ.Short(), f, 20+f, typ.Short(), f)
			}
			for f := range fields {
				fmt.Fprintf(&body, "%%%d = mul %s %%%d %%%d\n", 40+f, typ.Short(), f, 20+f)
				if f > 0 {
					fmt.Fprintf(&body, "%%%d = add %s %%%d %%%d\n", 60+f, typ.Short(), 40+f, [...]int{40, 60 + f - 1}[min(f-1, 1)])
				}
			}
			k := parse(t, fmt.Sprintf("kernel scalars\naxis i0\nbuf x %[1]s in 2\nbuf y %[1]s out 1\n%[2]s{\nvec i0 {\n%[3]sstore %[1]s y[i0] %%%[4]d\n}\n}", typ.Short(), scalars.String(), body.String(), 60+fields-1))
			n := 100 + r.IntN(60)
			s := newSetup(t, r, k, []int{n}, nil, append([][]int{{n, fields}, {n}}, make([][]int, fields)...), true)
			for _, be := range isas(t) {
				if _, ok := s.instance(t, be).(*instance); !ok {
					t.Errorf("%s: no machine code for %d fields of %s", be.Name(), fields, typ)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestNarrowRecords compares loops that load all fields of records of 1 or 2 bytes with the interpreter.
func TestNarrowRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 37))
	defer permute8(amd64.Permutes8)
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.I16, dtype.U16} {
		for fields := 2; fields <= 17; fields++ {
			for _, n := range []int{1 + r.IntN(20), 60 + r.IntN(80), 400 + r.IntN(100)} {
				permute8(cpu.X86.HasAVX512VBMI && r.IntN(3) > 0)
				var body strings.Builder
				last := combine(r, &body, "i0", fields, typ, "max")
				k := parse(t, fmt.Sprintf("kernel narrow\naxis i0\nbuf x %[1]s in 2\nbuf y %[1]s out 1\n{\n  vec i0 {\n%[2]s    store %[1]s y[i0] %%%[3]d\n  }\n}", typ.Short(), body.String(), last))
				s := newSetup(t, r, k, []int{n}, nil, [][]int{{n, fields}, {n}}, true)
				if be := isas(t)[0]; n > 64 && be.Name() == "avx512" {
					has := slices.ContainsFunc(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool { return len(bp.Records) == 1 })
					if want := fields <= 16 && (typ.Size() == 2 || amd64.Permutes8); has != want {
						t.Errorf("%d fields of %s: records are found: %v", fields, typ, has)
					}
				}
				differ(t, r, s)
				rows := []int{9, 1 + n%31} // the code knows how many lanes the last vector of a row has
				k = parse(t, strings.NewReplacer("axis i0", "axis i1 i0", "in 2", "in 3", "out 1", "out 2", "vec i0", "vec i1 i0", "[i0", "[i1, i0").Replace(k.String()))
				differ(t, r, newSetup(t, r, k, rows, nil, [][]int{{9, 2 + n%31, fields}, rows}, true))
				forget()
			}
		}
	}
}
