package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestTogether compares reductions of rows whose lanes are folded together with the interpreter: rows of many lengths, also
// those that are a part of the rows of their arrays, and numbers of rows around those of an iteration. What follows
// the reduction has values of a row, values of all rows, and other types.
func TestTogether(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(4, 21))
	const text = `kernel together
axis i0 i1
buf x TYPE in 2
buf z REG in 1
buf y OUT out 1
scalar s0 REG
{
  %0 = scalar REG s0
  par i0 {
    vec i1 {
      %1 = load REG x[i0, i1]
      %2 = reduce NAME REG %1
    }
    AFTER
  }
}`
	after := []string{
		"store REG y[i0] %2",
		"%3 = load REG z[i0]\n%4 = sub REG %2 %3\n%5 = mul REG %4 %0\nstore REG y[i0] %5",
		"%3 = cvt i64 %2\nstore i64 y[i0] %3",
	}
	together := map[string]int{}
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16, dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32, dtype.I64, dtype.U64, dtype.Bool} {
		names := []string{"sum", "max", "min", "prod", "fmax", "fmin"}
		switch {
		case typ == dtype.Bool:
			names = []string{"any", "all"}
		case !typ.IsFloat():
			names = names[:4]
		}
		for i, n := range []int{1, 3, 8, 9, 16, 17, 20, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128, 129, 200, 256, 300, 1000, 1024, 1025} {
			kind := r.IntN(len(after))
			if typ == dtype.Bool {
				kind = 0
			}
			out := typ.Short()
			if kind == 2 {
				out = "i64"
			}
			name := names[(i+r.IntN(2))%len(names)]
			sum := typ == dtype.Bool && i%3 == 0 || typ.Size() == 1 && i%4 == 0 // of 64 bits, whose lanes are narrow
			if sum {
				kind, name, out = 0, "sum", "i64"
			}
			narrowed := typ == dtype.F64 && (i < 3 || i%3 == 0) // to vectors of half the size
			if narrowed {
				kind, out = 0, "f32"
			}
			of := strings.ReplaceAll(text, "AFTER", after[kind])
			if sum {
				of = strings.NewReplacer("%2 = reduce NAME REG %1", "%6 = cvt i64 %1\n%2 = reduce sum i64 %6", "store REG", "store i64").Replace(of)
			}
			if narrowed {
				of = strings.NewReplacer("%2 = reduce NAME REG %1", "%6 = cvt f32 %1\n%2 = reduce NAME f32 %6", "store REG", "store f32").Replace(of)
			}
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "NAME", name, "OUT", out).Replace(of))
			rows := [...]int{5, 8, 9, 15, 16, 23, 24, 67, 131, 144}[r.IntN(10)]
			s := newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n + r.IntN(2)*3}, {rows}, {rows}}, true)
			for _, be := range isas(t) {
				in := s.instance(t, be).(*instance)
				fns, err := in.Listing()
				if err != nil {
					t.Fatal(err)
				}
				before := together[be.Name()+" "+name]
				for _, fn := range fns {
					if slices.ContainsFunc(fn.Lines, func(l listing.Line) bool { return strings.HasSuffix(l.Text, "folded together") }) {
						together[be.Name()+" "+name]++
					}
				}
				all := be.Name() == "avx2" && (typ.Size() == 4 && name[0] != 'f' || typ.Size() == 2 && typ.IsInt() && (name == "max" || name == "min"))
				most := 64
				if typ.IsFloat() { // whose sums take more nodes
					most = 40
				}
				if all && kind == 0 && rows >= 8 && 8 < n && n <= most && together[be.Name()+" "+name] == before {
					t.Errorf("%d rows of %d %s: the lanes of %s are not folded together", rows, n, typ, name)
				}
			}
			differ(t, r, s)
		}
	}
	for _, be := range isas(t) {
		if be.Name() == "neon" {
			continue
		}
		for _, name := range []string{"sum", "max", "min", "prod", "fmax", "fmin", "any", "all"} {
			if quiet := name[0] == 'f'; together[be.Name()+" "+name] == 0 && !(quiet && be.Name() == "avx2") { // which needs more registers
				t.Errorf("%s: no lanes of %s are folded together", be.Name(), name)
			}
		}
	}
}

// TestTogetherIntegers tests that sums of integers keep several vectors of a row in registers, as those of floats do, so that rows are
// folded together. Their bits are those of [TestTogether].
func TestTogetherIntegers(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(28, 11))
	for _, typ := range []dtype.Type{dtype.I32, dtype.U32, dtype.I64} {
		k := parse(t, strings.ReplaceAll("kernel sums\naxis i0 i1\nbuf x TYPE in 2\nbuf y TYPE out 1\n{\npar i0 {\nvec i1 {\n%0 = load TYPE x[i0, i1]\n%1 = reduce sum TYPE %0\n}\nstore TYPE y[i0] %1\n}\n}\n", "TYPE", typ.Short()))
		for _, n := range []int{9, 17, 24, 40} {
			s := newSetup(t, r, k, []int{67, n}, nil, [][]int{{67, n}, {67}}, true)
			for _, be := range isas(t) {
				fns, err := s.instance(t, be).(*instance).Listing()
				if err != nil {
					t.Fatal(err)
				}
				has := func(text string) bool {
					return slices.ContainsFunc(fns, func(fn *listing.Function) bool {
						return slices.ContainsFunc(fn.Lines, func(l listing.Line) bool { return strings.Contains(l.Text, text) })
					})
				}
				if !has("folded together") && be.Name() == "avx2" {
					t.Errorf("rows of %d %s are folded one by one", n, typ)
				}
				if be.Name() == "avx512" && n*typ.Size()%64 == 32 && (has("zmm") || has("k7")) {
					t.Errorf("rows of %d %s have wide vectors and a mask", n, typ)
				}
			}
			differ(t, r, s)
		}
	}
}

// TestWidenedSums compares sums of narrow elements, whose lanes have 8 bytes, as integers of 4 bytes that are converted to 8 bytes with
// the interpreter.
func TestWidenedSums(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(29, 12))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.U16, dtype.I16} {
		for _, sum := range []dtype.Type{dtype.I32, dtype.U32} {
			for _, out := range []dtype.Type{dtype.I64, dtype.F64} {
				k := parse(t, fmt.Sprintf("kernel sums\naxis i0 i1\nbuf x %[1]s in 2\nbuf y %[3]s out 1\n{\npar i0 {\nvec i1 {\n%%0 = load %[4]s x[i0, i1]\n%%1 = cvt %[2]s %%0\n%%2 = reduce sum %[2]s %%1\n}\n%%3 = cvt %[3]s %%2\nstore %[3]s y[i0] %%3\n}\n}\n",
					typ.Short(), sum.Short(), out.Short(), typ.Register().Short()))
				for _, n := range []int{16, 64, 128} {
					for _, rows := range []int{9, 144} {
						differ(t, r, newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n}, {rows}}, true))
					}
				}
			}
		}
	}
}

// TestPackedRows compares reductions of rows of 8, 16 and 32 bytes, of which a vector has several, with the interpreter: rows that follow
// each other, others, and operands that are the same for all rows. Few rows are folded in vectors of 32 bytes.
func TestPackedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(4, 23))
	packed := map[string]int{}
	for _, typ := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.Bool, dtype.I32, dtype.F32, dtype.F64} {
		name, of := typ.Short(), typ.Register().Short()
		wide := []string{"%2 = cvt i64 %1\n%3 = reduce sum i64 %2\nEND\nstore i64 y[i0] %3"}
		switch {
		case typ == dtype.Bool:
			wide = append(wide, "%2 = reduce any bool %1\nEND\nstore bool y[i0] %2", "%2 = reduce all bool %1\nEND\nstore bool y[i0] %2")
		default:
			for _, red := range []string{"sum", "max", "prod"} {
				wide = append(wide, strings.ReplaceAll("%2 = load REG z[]\n%3 = mul REG %1 %2\n%4 = reduce "+red+" REG %3\nEND\nstore REG y[i0] %4", "REG", of))
			}
		}
		for _, body := range wide {
			out := name
			if strings.Contains(body, "i64") {
				out = "i64"
			}
			k := parse(t, "kernel packed\naxis i0 i1\nbuf x "+name+" in 2\nbuf z "+name+" in 0\nbuf y "+out+" out 1\n{\npar i0 {\nvec i1 {\n%1 = load "+of+" x[i0, i1]\n"+
				strings.Replace(body, "END", "}", 1)+"\n}\n}\n")
			for _, n := range []int{8 / typ.Size(), 16 / typ.Size(), 32 / typ.Size()} {
				for _, rows := range []int{8, 15, 16, 17, 31, 33, 67, 128, 143} {
					s := newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n + r.IntN(4)/3}, nil, {rows}}, true)
					for _, be := range isas(t) {
						fns, err := s.instance(t, be).(*instance).Listing()
						if err != nil {
							t.Fatal(err)
						}
						for _, fn := range fns {
							if slices.ContainsFunc(fn.Lines, func(l listing.Line) bool { return strings.Contains(l.Text, "packed rows") }) {
								packed[be.Name()+" "+name]++
								if n >= 16 && strings.Contains(body, "any") {
									packed[fmt.Sprint(be.Name(), " any of ", n)]++
								}
							}
						}
					}
					differ(t, r, s)
				}
			}
		}
	}
	for _, be := range isas(t) {
		for _, name := range []string{"i8", "u8", "i16", "u16", "bool", "f32", "any of 16", "any of 32"} {
			if packed[be.Name()+" "+name] == 0 && be.Name() != "neon" && !(be.Name() == "avx2" && name == "any of 32") {
				t.Errorf("%s: no rows of %s are packed", be.Name(), name)
			}
		}
	}
}

// TestTogetherWidths compares reductions of short rows whose elements are wider than what is reduced, and results of 8 bytes that
// are compared, with the interpreter: a vector may have too few lanes to fold rows together, or lanes with more bits than a result.
func TestTogetherWidths(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(4, 22))
	for _, c := range []struct{ in, out, first, after string }{
		{"f64", "f32", "%1 = cvt f32 %0\n%2 = reduce max f32 %1", "%3 = add f32 %2 %2"},
		{"i64", "i32", "%1 = cvt i32 %0\n%2 = reduce sum i32 %1", "%3 = add i32 %2 %2"},
		{"u64", "bool", "%2 = reduce prod u64 %0", "%4 = load u64 z[]\n%3 = lt bool %2 %4"},
		{"f64", "bool", "%2 = reduce min f64 %0", "%4 = load f64 z[]\n%3 = lt bool %2 %4"},
		{"f64", "bool", "%1 = lt bool %0 %0\n%2 = reduce all bool %1", "%3 = or bool %2 %2"},
		{"u32", "u8", "%1 = cvt u8 %0\n%2 = reduce sum u8 %1", "%3 = or u8 %2 %2"},
		{"i32", "i16", "%1 = cvt i16 %0\n%2 = reduce prod i16 %1", "%3 = max i16 %2 %2"},
	} {
		k := parse(t, strings.NewReplacer("IN", c.in, "OUT", c.out, "FIRST", c.first, "AFTER", c.after).Replace("kernel widths\naxis i0 i1\nbuf x IN in 2\nbuf z IN in 0\nbuf y OUT out 1\n{\npar i0 {\n"+
			"vec i1 {\n%0 = load IN x[i0, i1]\nFIRST\n}\nAFTER\nstore OUT y[i0] %3\n}\n}\n"))
		for _, n := range []int{1, 2, 4, 7, 8, 15, 16, 17, 33, 58, 128} {
			for _, rows := range []int{8, 16, 19, 42} {
				differ(t, r, newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n}, nil, {rows}}, true))
			}
		}
	}
}

// TestReducedUniform compares several reductions of a value that is the same for all elements of a row with the interpreter: each
// copy of the body loads it to a register of its own.
func TestReducedUniform(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(5, 23))
	for _, typ := range []string{"bf16", "f16", "f32"} {
		k := parse(t, "kernel uniform\naxis i0 i1\nbuf x "+typ+" in 1\nbuf y f32 out 1\nbuf z f32 out 1\nbuf w f32 out 1\n{\npar i0 {\nvec i1 {\n%1 = load f32 x[i0]\n"+
			"%2 = reduce max f32 %1\n%3 = reduce sum f32 %1\n%4 = reduce min f32 %1\n}\nstore f32 y[i0] %2\nstore f32 z[i0] %3\nstore f32 w[i0] %4\n}\n}\n")
		differ(t, r, newSetup(t, r, k, []int{16, 129}, nil, [][]int{{16}, {16}, {16}, {16}}, true))
	}
}
