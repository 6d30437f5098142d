package jit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// fused is a kernel over three arrays and a number, of a type. Values %4 on are the
// instructions of a case.
const fused = `kernel fused
axis i0
buf x %[1]s in 1
buf y %[1]s in 1
buf z %[1]s in 1
buf w %[1]s in 0
buf o %[1]s out 1
{
  vec i0 {
    %%0 = load %[1]s x[i0]
    %%1 = load %[1]s y[i0]
    %%2 = load %[1]s z[i0]
    %%3 = load %[1]s w[]
    %[2]s
    store %[1]s o[i0] %%9
  }
}
`

// TestFused compares instructions that machine code joins with the interpreter: fused
// multiply-adds of negated operands, and functions of three bits, with operands that are used again,
// that are equal, and that are the same for all elements.
func TestFused(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	run := func(typ, code string) {
		differ(t, r, newSetup(t, r, parse(t, fmt.Sprintf(fused, typ, code)), []int{70}, nil, [][]int{{70}, {70}, {70}, {}, {70}}, true))
	}
	for _, typ := range []string{"f32", "f64"} {
		for signs := range 8 {
			args := [3]string{"%0", "%1", "%2"}
			code := ""
			for i := range args {
				if signs>>i&1 != 0 {
					code += fmt.Sprintf("%%%d = neg %s %s\n    ", 4+i, typ, args[i])
					args[i] = fmt.Sprintf("%%%d", 4+i)
				}
			}
			for _, a := range [][3]string{args, {args[0], "%3", args[2]}, {"%3", args[1], args[2]}, {args[0], args[0], args[2]}, {args[0], args[1], args[0]}} {
				fma := fmt.Sprintf("fma %s %s %s %s", typ, a[0], a[1], a[2])
				run(typ, code+"%9 = "+fma)
				run(typ, code+"%8 = "+fma+"\n    %9 = add "+typ+" %8 "+args[0])
			}
		}
	}
	// The lesser and the greater, and other selections: their operands may be exchanged.
	for _, typ := range []string{"f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"} {
		for _, c := range []string{"lt", "le", "ne"} {
			for _, a := range [][2]string{{"%0", "%1"}, {"%3", "%1"}, {"%0", "%3"}, {"%0", "%7"}, {"%7", "%0"}} {
				code := fmt.Sprintf("%%7 = const %[1]s 1\n    %%4 = %[2]s bool %[3]s %[4]s\n    ", typ, c, a[0], a[1])
				run(typ, code+fmt.Sprintf("%%9 = select %s %%4 %s %s", typ, a[0], a[1]))
				run(typ, code+fmt.Sprintf("%%9 = select %s %%4 %s %s", typ, a[1], a[0]))
				run(typ, code+fmt.Sprintf("%%5 = select %[1]s %%4 %[2]s %[3]s\n    %%6 = select %[1]s %%4 %%5 %%2\n    %%9 = add %[1]s %%5 %%6", typ, a[1], a[0]))
				run(typ, code+fmt.Sprintf("%%5 = const %[1]s 0\n    %%6 = select %[1]s %%4 %%5 %[2]s\n    %%8 = select %[1]s %%4 %[2]s %%5\n    %%9 = sub %[1]s %%6 %%8", typ, a[0]))
			}
		}
	}
	// Conjunctions of comparisons and predicates, some of which are used again or the same for all elements.
	for _, typ := range []string{"f32", "f64", "u8", "i16", "i32", "u64"} {
		for _, and := range []string{
			"%8 = and bool %4 %5", "%8 = and bool %5 %4", "%8 = and bool %6 %4", "%8 = and bool %4 %4", "%8 = and bool %6 %6",
			"%7 = and bool %4 %5\n %8 = and bool %7 %6", "%7 = and bool %4 %5\n %8 = or bool %7 %4", "%7 = or bool %4 %5\n %8 = and bool %7 %4",
		} {
			for _, c := range []string{"lt", "le", "ne", "eq"} {
				run(typ, fmt.Sprintf("%%4 = %[2]s bool %%0 %%1\n %%5 = lt bool %%1 %%2\n %%6 = %[2]s bool %%3 %%3\n %[3]s\n %%9 = select %[1]s %%8 %%0 %%2", typ, c, and))
			}
		}
	}
	// Disjunctions of comparisons that one or two selections use, or other nodes too.
	for _, typ := range []string{"f32", "f64", "u8", "i16", "i32", "u64"} {
		for _, or := range []string{
			"%8 = or bool %4 %5", "%8 = or bool %5 %4", "%8 = or bool %6 %4", "%8 = or bool %4 %4", "%8 = or bool %4 %7", "%10 = or bool %4 %5\n %8 = or bool %10 %7",
			"%10 = or bool %5 %7\n %8 = and bool %10 %4", "%8 = or bool %4 %5\n %11 = cvt u8 %8\n store u8 p[i0] %11", "%8 = or bool %4 %5\n store bool q[i0] %8",
		} {
			for _, c := range []string{"lt", "le", "ne", "eq"} {
				k := fmt.Sprintf("%%4 = %[2]s bool %%0 %%1\n %%5 = ne bool %%1 %%1\n %%6 = %[2]s bool %%3 %%3\n %%7 = lt bool %%2 %%0\n %[3]s\n %%12 = select %[1]s %%8 %%0 %%2\n %%13 = select %[1]s %%8 %%12 %%1\n %%9 = sub %[1]s %%13 %%12", typ, c, or)
				k = strings.Replace(fmt.Sprintf(fused, typ, k), "buf o", "buf p u8 out 1\nbuf q bool out 1\nbuf o", 1)
				differ(t, r, newSetup(t, r, parse(t, k), []int{70}, nil, [][]int{{70}, {70}, {70}, {}, {70}, {70}, {70}}, true))
			}
		}
	}
	for _, typ := range []string{"i32", "u64", "u8"} {
		for _, inner := range []string{"and", "or", "xor"} {
			for _, outer := range []string{"and", "or", "xor"} {
				for _, a := range [][3]string{{"%0", "%1", "%2"}, {"%3", "%1", "%2"}, {"%0", "%3", "%2"}, {"%0", "%1", "%3"}, {"%0", "%1", "%0"}, {"%0", "%0", "%1"}} {
					first := fmt.Sprintf("%%4 = %s %s %s %s\n    ", inner, typ, a[0], a[1])
					run(typ, first+fmt.Sprintf("%%9 = %s %s %%4 %s", outer, typ, a[2]))
					run(typ, first+fmt.Sprintf("%%5 = %s %s %s %%4\n    %%9 = sub %[2]s %%5 %%0", outer, typ, a[2]))
				}
			}
		}
	}
}

// TestComplemented compares predicates that machine code may make as their complements with the interpreter: loads, comparisons and
// functions of them, which a store, a selection, a Not or another comparison uses, some of them again. What it counts are the
// complements in the main loop of AVX2, for each vector.
func TestComplemented(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	many := "%100 = and bool %9 %9\n" // complements of many operands make up for no operand that has none
	for i := 101; i < 400; i += 3 {
		many += fmt.Sprintf("%%%d = const u8 %d\n %%%d = ne bool %%0 %%%d\n %%%d = and bool %%%d %%%d\n", i, i/3, i+1, i, i+2, i-1, i+1)
	}
	for _, c := range []struct {
		code  string
		xors  int // of bytes
		store string
	}{
		{"%9 = cvt bool %0", 0, ""},
		{"%5 = cvt bool %0\n %9 = not bool %5", 0, ""},
		{"%5 = le bool %0 %1\n %9 = not bool %5", -1, ""},
		{"%5 = cvt bool %0\n %6 = cvt bool %1\n %9 = and bool %5 %6", 0, ""},
		{"%5 = cvt bool %0\n %6 = lt bool %0 %1\n %9 = or bool %5 %6", -1, ""},
		{"%5 = cvt bool %0\n %6 = cvt bool %1\n %9 = xor bool %5 %6", 1, ""},
		{"%5 = cvt bool %0\n %6 = cvt bool %1\n %9 = eq bool %5 %6", -1, ""},
		{"%9 = and bool %3 %4", 0, ""},
		{"%5 = not bool %3\n %9 = or bool %5 %4", 1, ""},
		{"%9 = ne bool %3 %4", 1, ""},
		{"%9 = and bool %3 %3", -1, ""},
		{"%5 = cvt bool %0\n %9 = and bool %5 %3", 0, "store u8 o[i0] %0"},
		{"%5 = ne bool %0 %1\n %6 = and bool %5 %3\n %7 = or bool %6 %4\n %9 = not bool %7", 0, ""},
		{"%5 = ne bool %0 %1\n %9 = and bool %5 %3", -1, "%8 = select u8 %5 %0 %2\n store u8 o[i0] %8"},
		{"%5 = ne bool %0 %1\n %9 = not bool %5", -1, "%8 = select u8 %9 %0 %2\n store u8 o[i0] %8"},
		{"%9 = lt bool %0 %1", -1, many + "%8 = select u8 %400 %0 %2\n store u8 o[i0] %8"},
		{"%9 = le bool %2 %1", -1, "%6 = not bool %3\n %7 = and bool %6 %4\n %8 = select u8 %7 %0 %2\n store u8 o[i0] %8"},
	} {
		for _, typ := range []string{"u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"} {
			reg, code := strings.Replace(typ, "f16", "f32", 1), c.code+"\n "+c.store
			for i, load := range []string{"u8 x[i0]", "u8 y[i0]", "u8 z[i0]", "bool p[i0]", "bool q[i0]"} {
				if v := fmt.Sprintf("%%%d", i); strings.Contains(code, v) {
					code = v + " = load " + load + "\n " + code
				}
			}
			code = strings.NewReplacer("load u8", "load "+reg, "load f16", "load f32", "select u8", "select "+reg, "const u8", "const "+reg, "store u8", "store "+reg, "buf x u8", "buf x "+typ, "buf y u8", "buf y "+typ, "buf z u8", "buf z "+typ, "buf o u8", "buf o "+reg).Replace(fmt.Sprintf(`kernel complemented
axis i0
buf x u8 in 1
buf y u8 in 1
buf z u8 in 1
buf p bool in 1
buf q bool in 1
buf o u8 out 1
buf b bool out 1
{
  vec i0 {
    %s
    store bool b[i0] %%9
  }
}
`, code))
			for _, n := range []int{1, 7, 70, 301} {
				s := newSetup(t, r, parse(t, code), []int{n}, nil, [][]int{{n}, {n}, {n}, {n}, {n}, {n}, {n}}, true)
				for _, be := range isas(t) {
					if be.Name() != "avx2" || typ != "u8" || c.xors < 0 || n < 301 {
						continue
					}
					inst := s.instance(t, be)
					if xors, stores := countIn(t, inst, "main loop", "vpxor"), countIn(t, inst, "main loop", "vmovups ymmword"); xors != c.xors*stores/strings.Count(code, "store") {
						t.Errorf("%d complements and %d stores in the main loop\n%s", xors, stores, code)
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestFusedHalves compares products of integers of 64 bits, whose operands are below 2^32 or not,
// with the interpreter.
func TestFusedHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	const constants = `%10 = const T 0xffffffff
		%11 = const T 0x1ffffffff
		%12 = const T 0xff
		%13 = const T 0x20
		%14 = const T 0x1f
		%15 = const T 0xcd9e8d57
		`
	for _, typ := range []string{"u64", "i64"} {
		for _, low := range []string{
			"%4 = and T %0 %10", "%4 = and T %10 %0", "%4 = and T %0 %11", "%4 = and T %0 %12", "%4 = and T %3 %10",
			"%4 = shr T %0 %13", "%4 = shr T %0 %14", "%4 = shr T %13 %0",
			"%6 = cvt u32 %0\n %4 = cvt T %6", "%6 = cvt i32 %0\n %4 = cvt T %6", "%4 = xor T %0 %1",
		} {
			for _, other := range []string{"%5 = and T %1 %10", "%5 = xor T %1 %2", "%5 = and T %3 %12"} {
				code := constants + low + "\n" + other + "\n %7 = mul T %4 %5\n %8 = mul T %15 %4\n %9 = sub T %7 %8"
				k := parse(t, fmt.Sprintf(fused, typ, strings.ReplaceAll(code, "T", typ)))
				differ(t, r, newSetup(t, r, k, []int{70}, nil, [][]int{{70}, {70}, {70}, {}, {70}}, true))
			}
		}
	}
}

// TestFolded compares instructions that take vectors from memory with the interpreter, at either place, with
// operands that are the same for all elements, under masks, and around stores to the same array. The main loop of
// AVX2 has no instruction for a load whose only use takes it.
func TestFolded(t *testing.T) {
	const kernel = `kernel folded
axis i0
buf x T inout 1
buf y T in 1
buf w T in 0
buf o T out 1
{
  vec i0 {
    %%0 = load T x[i0]
    %%1 = load T y[i0]
    %%2 = load T w[]
    %s
    store T o[i0] %%9
  }
}
`
	const stored = "store T x[i0] %1\n    "
	r := rand.New(rand.NewPCG(19, 20))
	type body struct {
		code  string
		loads int // in the main loop of AVX2, for each vector
	}
	for _, typ := range []string{"f32", "f64", "i32", "u64", "u8", "i16"} {
		for _, op := range []string{"add", "sub", "mul", "div", "and", "xor", "min", "max", "lt", "le", "eq"} {
			float, compares := typ[0] == 'f', op == "lt" || op == "le" || op == "eq"
			if float && (op == "and" || op == "xor") || !float && op == "div" {
				continue
			}
			bodies := []body{
				{"%9 = op T %0 %1", 1},
				{"%3 = op T %2 %1\n    %9 = add T %0 %3", 0},
				{"%3 = sub T %1 %2\n    %9 = op T %3 %0", 1},
				{"%3 = op T %0 %1\n    %9 = add T %3 %0", 1},
				{"%3 = add T %1 %2\n    %9 = add T %0 %3", 0},
				{stored + "%9 = op T %0 %1", 2},
				{stored + "%3 = load T x[i0]\n    %4 = op T %0 %3\n    %9 = add T %1 %4", 2},
			}
			if compares {
				bodies = []body{
					{"%3 = op bool %0 %2\n    %9 = select T %3 %1 %2", 0},
					{"%3 = op bool %2 %0\n    %9 = select T %3 %2 %1", 1},
					{"%3 = op bool %0 %1\n    %9 = select T %3 %2 %1", 1},
					{"%3 = op bool %1 %0\n    %9 = select T %3 %0 %1", 2},
				}
			}
			for _, c := range bodies {
				code := strings.ReplaceAll(fmt.Sprintf(kernel, strings.ReplaceAll(c.code, "op", op)), "T", typ)
				for _, n := range []int{1, 7, 70, 131} {
					s := newSetup(t, r, parse(t, code), []int{n}, nil, [][]int{{n}, {n}, {}, {n}}, true)
					if (float && (op == "add" || op == "eq") || typ == "u8" && op == "add" || typ == "i16" && op == "max") && n == 131 {
						for _, be := range isas(t) {
							stores := countIn(t, s.instance(t, be), "main loop", "vmovups ymmword")
							loads := countIn(t, s.instance(t, be), "main loop", "vmovups ymm") - stores
							if be.Name() == "avx2" && loads*strings.Count(code, "store") != stores*c.loads {
								t.Errorf("avx2: %d loads and %d stores in the main loop\n%s", loads, stores, code)
							}
						}
					}
					differ(t, r, s)
				}
				forget()
			}
		}
	}
}

// TestOneByOne compares convolutions with the interpreter. With AVX2 their vectors are computed one after the other
// as long as the registers have room for the weights. Of 25 weights the other targets compute two vectors at once, not four.
func TestOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, typ := range []string{"f32", "f64"} {
		for _, taps := range []int{3, 5, 9, 11, 16, 25} {
			var bufs, weights, body strings.Builder
			shapes := [][]int{{20, 100}}
			for k := range taps {
				fmt.Fprintf(&bufs, "buf w%d %s in 0\n", k, typ)
				fmt.Fprintf(&weights, "  %%%d = load %s w%d[]\n", k, typ, k)
				fmt.Fprintf(&body, "    %%%d = load %s x[i0, i1+%d]\n    %%%d = mul %[2]s %%%[1]d %%%[5]d\n", 100+k, typ, k, 200+k, k)
				if k > 0 {
					fmt.Fprintf(&body, "    %%%d = add %s %%%d %%%d\n", 300+k, typ, 200+k, map[bool]int{true: 200, false: 299 + k}[k == 1])
				}
				shapes = append(shapes, nil)
			}
			k := parse(t, fmt.Sprintf("kernel taps\naxis i0 i1\nbuf x %[1]s in 2\n%[2]sbuf y %[1]s out 2\n{\n%[3]s  vec i0 i1 {\n%[4]s    store %[1]s y[i0, i1] %%%[5]d\n  }\n}",
				typ, bufs.String(), weights.String(), body.String(), 299+taps))
			for _, n := range []int{3, 33, 77} {
				shapes[0] = []int{20, n + taps - 1}
				s := newSetup(t, r, k, []int{20, n}, nil, append(shapes[:taps+1:taps+1], []int{20, n}), true)
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestExactRowsOneByOne tests that rows of known length have as many vectors at once as the main loop, whose registers
// have the weights.
func TestExactRowsOneByOne(t *testing.T) {
	var weights, body strings.Builder
	for k := range 8 {
		fmt.Fprintf(&weights, "  %%%d = const f32 %#x\n", k, 0x3f800000+k<<16)
		fmt.Fprintf(&body, "    %%%d = load f32 x[i0, i1+%d]\n    %%%d = mul f32 %%%[1]d %%%[2]d\n", 100+k, k, 200+k)
		if k > 0 {
			fmt.Fprintf(&body, "    %%%d = add f32 %%%d %%%d\n", 300+k, 200+k, map[bool]int{true: 200, false: 299 + k}[k == 1])
		}
	}
	k := parse(t, fmt.Sprintf("kernel taps\naxis i0 i1\nbuf x f32 in 2\nbuf y f32 out 2\n{\n%s  vec i0 i1 {\n%s    store f32 y[i0, i1] %%307\n  }\n}", weights.String(), body.String()))
	s := newSetup(t, rand.New(rand.NewPCG(1, 2)), k, []int{60, 33}, nil, [][]int{{60, 40}, {60, 33}}, true)
	defer s.release()
	for _, g := range isas(t) {
		if g.Name() != "avx2" {
			continue
		}
		_, text, found := strings.Cut(textOfCode(t, s.instance(t, g)), "rows of 33 elements\n")
		if text, _, _ = strings.Cut(text, "main loop: 4 vectors one after the other\n"); !found || strings.Contains(text, "vectors)") {
			t.Errorf("vectors at once:\n%s", text)
		}
	}
}

// TestExactCopies compares copies of rows of known length, whose iterations over several rows have several vectors at once, with the
// interpreter. The arrays end at pages without access.
func TestExactCopies(t *testing.T) {
	m := defaultsWith(cpucache.Sizes{L1: 64, L2: 128, L3: 192})
	m.Stream, m.MemFetch = true, 256
	defer useModel(m)()
	r := rand.New(rand.NewPCG(1, 3))
	for _, typ := range []string{"u8", "i16", "f32", "f64"} {
		k := parse(t, strings.ReplaceAll("kernel rows\naxis i0 i1\nbuf x T in 2\nbuf y T out 2\n{\n  vec i0 i1 {\n    %0 = load T x[i0, i1]\n    store T y[i0, i1] %0\n  }\n}", "T", typ))
		for _, n := range []int{17, 18, 33, 50, 63, 64, 100, 200} {
			differ(t, r, newSetup(t, r, k, []int{90, n}, nil, [][]int{{90, n + 1}, {90, n}}, true))
		}
	}
}

// TestRepeatsInBlocks binds a loop over blocks of rows whose last block has rows outside its arrays. These are neighbours
// in memory, so that the rows outside one would be rows of the other.
func TestRepeatsInBlocks(t *testing.T) {
	const rows, columns, each = 16, 27, 6
	k := parse(t, `kernel blocks
axis i0 i1 block
params 1
buf x f32 in 2
buf y f32 out 2
{
  vec block i0 i1 {
    %0 = load f32 x[block*p0+i0, i1]
    store f32 y[block*p0+i0, i1] %0
  }
}`)
	mem, bufs := make([]float32, 2*rows*columns), [2]ir.BufBind{}
	for i := range bufs {
		bufs[i] = ir.BufBind{Ptr: unsafe.Pointer(&mem[i*rows*columns]), Strides: []int{columns, 1}, Extents: []int{rows, columns}}
	}
	s := &setup{k: k, b: &ir.Binding{Extents: []int{each, columns, (rows + each - 1) / each}, Params: []int{each}, Bufs: bufs[:]}}
	for _, be := range isas(t) {
		if in, ok := s.instance(t, be).(*instance); ok && !in.phases[0].Repeats {
			t.Errorf("%s: no lane is computed twice", be.Name())
		}
	}
}

// TestPlainLimits compares clips of floats that are converted to integers with the interpreter, for scalars that are NaN, zeros,
// infinities, and inside and outside of the ranges of the integers. Conversions to narrow ones need no limits of their own.
func TestPlainLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 2))
	special := []float64{math.NaN(), 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 7, -3.5, 255, 1e30, 127.7, -128.9, -.6, 255.9, -4e4, 65535.6}
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		for _, to := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32, dtype.I64, dtype.U64} {
			for _, ops := range [][3]string{{"max", "min", "rint"}, {"min", "max", "rint"}, {"max", "min", "neg"}} {
				k := parse(t, strings.NewReplacer("FLOAT", typ.Short(), "OUTER", ops[1], "INNER", ops[0], "THEN", ops[2], "REG", to.Register().Short(), "TO", to.Short()).Replace(`kernel limits
axis i0
buf x FLOAT in 1
buf y TO out 1
scalar s0 FLOAT
scalar s1 FLOAT
{
  %1 = scalar FLOAT s0
  %2 = scalar FLOAT s1
  vec i0 {
    %3 = load FLOAT x[i0]
    %4 = INNER FLOAT %3 %1
    %5 = OUTER FLOAT %2 %4
    %6 = THEN FLOAT %5
    %7 = cvt TO %6
    store REG y[i0] %7
  }
}`))
				for range 8 {
					n := 1 + r.IntN(150)
					s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}}, true)
					for _, be := range isas(t) {
						count := func(prefix string) int { return countIn(t, s.instance(t, be), "main loop", prefix) }
						if n > 130 && ops[2] == "rint" && isa.Narrow(to) && be.Name() != "neon" && (count("vmin") != count("vmax") || count("vpmin")+count("vpmax") > 0) {
							t.Errorf("%s: a conversion to %s has limits of its own", be.Name(), to)
						}
					}
					for i := range n {
						if r.IntN(3) == 0 {
							randir.Put(s.mem[0][i*typ.Size():], typ.Size(), prim.FromFloat(typ, special[r.IntN(len(special))]))
						}
					}
					s.b.Scalars = []uint64{prim.FromFloat(typ, special[r.IntN(len(special))]), prim.FromFloat(typ, special[r.IntN(len(special))])}
					differ(t, r, s)
				}
				forget()
			}
		}
	}
}

// TestLimitedStates compares scans of states between limits with the interpreter, down columns and along rows, for limits and elements that are
// NaN, zeros and infinities. The minimum of a state and a limit alone may be combined in any grouping.
func TestLimitedStates(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(30, 1))
	special := []float64{math.NaN(), 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 7, -3.5}
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		for _, code := range []string{"%6 = max T %5 %1\n%7 = min T %2 %6", "%6 = min T %1 %5\n%7 = max T %6 %2", "%7 = min T %3 %1"} {
			for _, at := range []string{"i0, i1", "i1, i0"} {
				k := parse(t, strings.NewReplacer("CODE", strings.ReplaceAll(code, "T", typ.Short()), " T ", " "+typ.Short()+" ", " T\n", " "+typ.Short()+"\n", "AT", at).Replace("kernel limits\naxis i0 i1\nbuf x T in 2\nbuf y T out 2\nscalar s0 T\nscalar s1 T\n{\n%0 = const T 0\n%1 = scalar T s0\n%2 = scalar T s1\nvec i1 {\nseq i0 {\n%3 = carry T %0\n%4 = load T x[AT]\n%5 = add T %3 %4\nCODE\nstore T y[AT] %7\n%8 = next T %3 %7\n}\n}\n}\n"))
				for range 6 {
					n := []int{1 + r.IntN(60), 1 + r.IntN(90)}
					shape := n
					if at == "i1, i0" {
						shape = []int{n[1], n[0]}
					}
					s := newSetup(t, r, k, n, nil, [][]int{shape, shape}, true)
					for i := range n[0] * n[1] {
						if r.IntN(9) == 0 {
							randir.Put(s.mem[0][i*typ.Size():], typ.Size(), prim.FromFloat(typ, special[r.IntN(len(special))]))
						}
					}
					s.b.Scalars = []uint64{prim.FromFloat(typ, special[r.IntN(len(special))]), prim.FromFloat(typ, special[r.IntN(len(special))])}
					for _, be := range isas(t) {
						ranged := func(text string) bool { return strings.HasPrefix(text, "vrange") }
						if !strings.Contains(code, "%3") && countLines(t, s.instance(t, be), "", ranged) > 0 {
							t.Errorf("%s: the limits are not known to be the same in all lanes\n%s", be.Name(), code)
						}
					}
					differ(t, r, s)
				}
			}
		}
	}
}

// TestMirrored compares trees of maxima of floats with the interpreter, whose results and operands have other uses, too. AVX2 makes
// minima of them where the changes of sign take less.
func TestMirrored(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(28, 13))
	for _, typ := range []string{"f32", "f64"} {
		for _, c := range []struct {
			code     string
			mirrored bool
		}{
			{"%9 = max T %0 %1", true},
			{"%5 = max T %0 %1\n%9 = max T %2 %5", true},
			{"%5 = max T %0 %1\n%6 = max T %2 %0\n%9 = max T %6 %5", true},
			{"%5 = mul T %0 %1\n%9 = max T %2 %5", false},
			{"%5 = max T %0 %1\n%6 = max T %5 %2\n%9 = sub T %5 %6", true},
			{"%5 = max T %0 %0\n%9 = max T %5 %5", false},
			{"%5 = max T %0 %3\n%6 = max T %1 %2\n%9 = max T %5 %6", true},
			{"%4 = lt bool %0 %1\n%5 = cold T %4 %0 {\n%6 = max T %1 %2\nyield %6\n}\n%9 = max T %5 %1", false},
		} {
			k := parse(t, fmt.Sprintf(fused, typ, strings.ReplaceAll(c.code, "T", typ)))
			for _, n := range []int{1, 3, 64, 131} {
				s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}, {n}, {}, {n}}, true)
				for _, be := range isas(t) {
					if be.Name() == "avx2" && n == 131 && (countIn(t, s.instance(t, be), "main loop", "vminp") > 0) != c.mirrored {
						t.Errorf("mirrored %v, want %v\n%s", !c.mirrored, c.mirrored, c.code)
					}
				}
				differ(t, r, s)
			}
			forget()
		}
	}
}
