package jit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestConversions converts between floats and integers. Machine code may convert vectors of
// numbers below 2^51, vectors of numbers in range and others in three ways.
func TestConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	edges := []float64{0x1p31, 0x1p31 - 128, 0x1p32, 0x1p32 - 256, 0x1p32 - 1, 0x1p32 - .5, -.5, -1, 0x1p51, -0x1p51, 0x1p51 + 1, 0x1p53, 0x1p62, -0x1p63, 0x1p63, 0x1p64, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p15, 0x1p15 - .5, -0x1p15 - 1, 0x1p16, 0x1p16 - .5, 127.5, 128, -129, 256}
	number := func(numbers string) float64 {
		switch {
		case numbers == "edges" && r.IntN(8) == 0:
			return edges[r.IntN(len(edges))]
		case numbers == "wide":
			return math.Ldexp(r.Float64()-.01*float64(r.IntN(2)), r.IntN(65))
		}
		x := math.Ldexp(r.Float64()-.5, r.IntN(53))
		return []float64{x, math.Trunc(x), 0x1p51 - 1, -0x1p51 + 1, math.Copysign(0, -1), math.Trunc(x) + .5}[r.IntN(6)]
	}
	for _, from := range []dtype.Type{dtype.U32, dtype.I64, dtype.U64, dtype.F32, dtype.F64} {
		for _, to := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.U32, dtype.I64, dtype.U64, dtype.F32, dtype.F64} {
			if from.IsFloat() == to.IsFloat() {
				continue
			}
			k := parse(t, fmt.Sprintf("kernel p\naxis i0\nbuf x %[1]s in 1\nbuf y %[2]s out 1\n{\nvec i0 {\n%%0 = load %[1]s x[i0]\n%%1 = cvt %[2]s %%0\nstore %[2]s y[i0] %%1\n}\n}", from.Short(), to.Short()))
			for _, numbers := range []string{"below 2^51", "wide", "edges"} {
				s := newSetup(t, r, k, []int{300}, nil, [][]int{{300}, {300}}, true)
				size := from.Size()
				for i := range len(s.mem[0]) / size {
					x := number(numbers)
					bits := prim.FromFloat(from, x)
					if !from.IsFloat() {
						if bits = uint64(int64(math.Max(-0x1p63, math.Min(x, 0x1p62)))); numbers == "edges" {
							bits = r.Uint64() >> r.IntN(64)
							if r.IntN(2) == 0 { // near a tie of float32
								bits = (r.Uint64()>>39|1<<24)<<r.IntN(40) + r.Uint64N(3) - 1
							}
						}
					}
					randir.Put(s.mem[0][i*size:], size, bits&from.Mask())
				}
				differ(t, r, s)
			}
		}
	}
}

// TestScale multiplies by powers of two. Most vectors have only numbers and powers for which machine code adds bits,
// up to the bounds of that.
func TestScale(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		typ, exp  dtype.Type
		near, far int
	}{{dtype.F32, dtype.I32, 32, 64}, {dtype.F64, dtype.I64, 64, 512}} {
		k := parse(t, fmt.Sprintf("kernel p\naxis i0\nbuf x %[1]s in 1\nbuf n %[2]s in 1\nbuf y %[1]s out 1\n{\nvec i0 {\n%%0 = load %[1]s x[i0]\n%%1 = load %[2]s n[i0]\n%%2 = scale %[1]s %%0 %%1\nstore %[1]s y[i0] %%2\n}\n}", c.typ.Short(), c.exp.Short()))
		one := parse(t, fmt.Sprintf("kernel p\naxis i0\nbuf x %[1]s in 1\nbuf n %[2]s in 1\nbuf y %[1]s out 1\n{\nvec i0 {\n%%0 = const %[1]s 1\n%%1 = load %[2]s n[i0]\n%%2 = scale %[1]s %%0 %%1\nstore %[1]s y[i0] %%2\n}\n}", c.typ.Short(), c.exp.Short()))
		for rare, k := range map[int]*ir.Kernel{0: k, 6: k, 5: one} {
			s := newSetup(t, r, k, []int{600}, nil, [][]int{{600}, {600}, {600}}, true)
			size := c.typ.Size()
			for i := range 600 {
				e := r.IntN(2*c.near) - c.near
				x := math.Ldexp([]float64{1, 2 - 0x1p-23, 1 + r.Float64()}[r.IntN(3)], e)
				if r.IntN(2) == 0 {
					x = -x
				}
				n := []int{-c.far, c.far - 1, r.IntN(2*c.far) - c.far}[r.IntN(3)]
				if r.IntN(60) < rare {
					x = []float64{0, math.Inf(1), math.NaN(), math.Ldexp(1, c.near), math.Ldexp(1, -c.near-1), 0x1p-140, 0x1p-1070}[r.IntN(7)]
				}
				if r.IntN(60) < rare {
					n = []int{c.far, -c.far - 1, 127, -150, 1023, -1080, 3000}[r.IntN(7)]
				}
				randir.Put(s.mem[0][i*size:], size, prim.FromFloat(c.typ, x))
				randir.Put(s.mem[1][i*size:], size, uint64(n)&c.exp.Mask())
			}
			differ(t, r, s)
		}
	}
}

// TestNarrowStores stores the results of conversions to narrow elements, whose vectors are packed together, and the lower
// halves of integers of 64 bits: in several lengths, from groups of vectors in one place of memory and in two.
func TestNarrowStores(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 3))
	for _, c := range [][2]dtype.Type{
		{dtype.F32, dtype.I8},
		{dtype.F32, dtype.U8},
		{dtype.F32, dtype.I16},
		{dtype.F32, dtype.U16},
		{dtype.F32, dtype.Bool},
		{dtype.F64, dtype.I8},
		{dtype.F64, dtype.U8},
		{dtype.F64, dtype.I16},
		{dtype.F64, dtype.Bool},
		{dtype.F64, dtype.I32},
		{dtype.I64, dtype.I32},
		{dtype.U64, dtype.U32},
		{dtype.I64, dtype.U8},
		{dtype.I32, dtype.I8},
		{dtype.U32, dtype.U16},
	} {
		k := parse(t, fmt.Sprintf("kernel p\naxis i0\nbuf x %[1]s in 1\nbuf y %[2]s out 1\n{\nvec i0 {\n%%0 = load %[1]s x[i0]\n%%1 = cvt %[3]s %%0\nstore %[2]s y[i0] %%1\n}\n}",
			c[0].Short(), c[1].Short(), c[1].Short()))
		for _, n := range []int{1, 7, 16, 33, 64, 100, 300, 1000} {
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}}, r.IntN(3) > 0) // a third with steps
			if c[0].IsFloat() {
				for i := range len(s.mem[0]) / c[0].Size() {
					x := math.Ldexp(r.Float64()-.5, r.IntN(36))
					if r.IntN(9) == 0 {
						x = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 127.5, -128.5, math.MaxInt32, math.MinInt32}[r.IntN(7)]
					}
					randir.Put(s.mem[0][i*c[0].Size():], c[0].Size(), prim.FromFloat(c[0], x))
				}
			}
			differ(t, r, s)
		}
	}
}

// TestStoresOfBF16 rounds float32 to bfloat16 as they are stored: random bits, with many numbers below the least normal one.
func TestStoresOfBF16(t *testing.T) {
	defer func(old bool) { amd64.ConvertsBF16 = old }(amd64.ConvertsBF16)
	has := amd64.ConvertsBF16
	r := rand.New(rand.NewPCG(48, 4))
	k := parse(t, "kernel p\naxis i0\nbuf x f32 in 1\nbuf y bf16 out 1\n{\nvec i0 {\n%0 = load f32 x[i0]\nstore f32 y[i0] %0\n}\n}")
	for i := range 60 {
		amd64.ConvertsBF16 = has && i%3 > 0
		n := 1 + r.IntN(300)
		s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}}, r.IntN(3) > 0)
		for at := 0; at < len(s.mem[0]); at += 4 {
			bits := r.Uint32()
			switch r.IntN(4 + i%2*40) {
			case 0:
				bits &^= 0x7f800000
			case 1:
				bits = bits&^0xffff | 0x8000 // in the middle of two
			case 2:
				bits = bits&^0x7fffff | []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0x7f8000, 0x7fffff}[r.IntN(7)] | 0x7f800000*uint32(r.IntN(2))
			}
			randir.Put(s.mem[0][at:], 4, uint64(bits))
		}
		differ(t, r, s)
	}
}

// TestBitsOfHalves compares loops that move elements of 16 bits and change their signs with the interpreter: of all kinds of numbers,
// backward, with a step, and beside arithmetic. The machine code of those without arithmetic converts nothing.
func TestBitsOfHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, typ := range []string{"f16", "bf16"} {
		for _, c := range []struct {
			at, code string
			computes bool
		}{
			{at: "i0]", code: "%6 = neg f32 %0"},
			{at: "i0]", code: "%4 = abs f32 %0\n%6 = select f32 %2 %4 %1"},
			{at: "i0]", code: "%4 = const f32 -1.5\n%6 = select f32 %2 %0 %4"},
			{at: "299+i0*-1]", code: "%6 = roundH f32 %0"},
			{at: "i0*2]", code: "%6 = neg f32 %0"},
			{at: "-3+i0] else %20", code: "%6 = neg f32 %0"},
			{at: "i0]", code: "%6 = select f32 %2 %0 %21"},
			{at: "i0]", code: "%4 = select f32 %2 %21 %0\n%6 = select f32 %2 %4 %22"},
			{at: "i0]", code: "%4 = select f32 %2 %21 %0\n%6 = abs f32 %4", computes: true},
			{at: "i0]", code: "%6 = mul f32 %0 %1", computes: true},
			{at: "i0]", code: "%4 = neg f32 %0\n%5 = lt bool %4 %1\n%6 = select f32 %5 %0 %4", computes: true},
			{at: "i0]", code: `%4 = bitcast i32 %0
				%5 = bitcast i32 %1
				%7 = const i32 0xff800001
				%8 = lt bool %5 %7
				%9 = const i32 0x80000000
				%10 = const i32 0
				%11 = select i32 %8 %9 %10
				%12 = const i32 0x7fffffff
				%13 = and i32 %4 %12
				%14 = or i32 %13 %11
				%6 = bitcast f32 %14`},
		} {
			text := "kernel p\naxis i0\nbuf x H in 1\nbuf z H in 1\nbuf m bool in 1\nbuf y H out 1\nscalar s0 f32\nscalar s1 f32\n{\n%21 = scalar f32 s0\n%22 = scalar f32 s1\nvec i0 {\n%20 = const f32 .5\n%0 = load f32 x[" + c.at + "\n%1 = load f32 z[i0]\n%2 = load bool m[i0]\n" + c.code + "\n%3 = roundH f32 %6\nstore f32 y[i0] %3\n}\n}"
			k := parse(t, strings.NewReplacer("roundH", "round"+typ, "H", typ).Replace(text))
			for _, n := range []int{300, 37, 5} {
				at := 300
				if c.at == "i0*2]" {
					at = 600
				}
				s := newSetup(t, r, k, []int{n}, nil, [][]int{{at}, {n}, {n}, {n}}, true)
				for _, be := range isas(t) {
					code := textOfCode(t, s.instance(t, be))
					if converts := strings.Contains(code, "cvtph2ps") || strings.Contains(code, "vpslld"); be.Name() != "neon" && converts != c.computes {
						t.Errorf("%s of %s, %s: conversions %v, want %v", c.code, typ, be.Name(), converts, c.computes)
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestProductsOfPredicates compares products of integers and predicates with the interpreter. Machine code selects.
func TestProductsOfPredicates(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, typ := range []string{"i8", "u16", "i32", "u64"} {
		for _, operands := range []string{"%0 %2", "%2 %0", "%2 %2"} {
			k := parse(t, strings.ReplaceAll("kernel p\naxis i0\nbuf x T in 1\nbuf m bool in 1\nbuf y T out 1\n{\nvec i0 {\n%0 = load T x[i0]\n%1 = load bool m[i0]\n%2 = cvt T %1\n%3 = mul T "+operands+"\nstore T y[i0] %3\n}\n}", "T", typ))
			s := newSetup(t, r, k, []int{300}, nil, [][]int{{300}, {300}, {300}}, true)
			for _, be := range isas(t) {
				if code := textOfCode(t, s.instance(t, be)); strings.Contains(code, "mul") {
					t.Errorf("%s, %s: the code multiplies\n%s", typ, be.Name(), code)
				}
			}
			differ(t, r, s)
		}
	}
}
