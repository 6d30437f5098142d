package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/plan/ir"
)

// testKernels tests the kernels along the terms, of each number of rows, and across them, with each prefetching, and with so many
// terms that each loop runs and does not. Some products are so small that they round to zeros, most of them -0, which lanes without terms must
// not change.
func testKernels[T float32 | float64](t *testing.T, typ dtype.Type, tiny T, fma func(x, y, z T) T) {
	r := rand.New(rand.NewPCG(6, uint64(typ)))
	for _, k := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 31, 32, 33, 44, 63, 64, 65, 95, 96, 100, 127, 128, 129, 140, 160, 191, 300} {
		for _, test := range []struct {
			zeros bool
			a     layout
		}{{false, layouts[0]}, {false, layouts[1]}, {false, layouts[2]}, {true, layouts[0]}, {true, layouts[1]}} {
			const m = 37
			s := newOperands(r, typ, m, 1, k, 2, test.a, layouts[0], func() T { return T(r.NormFloat64()) })
			for i := range s.a {
				if test.zeros {
					s.a[i] = tiny * T(min(1, 2*r.IntN(32)-1))
				}
			}
			for i := range s.b {
				if test.zeros {
					s.b[i] = -tiny
				}
			}
			s.define(fma)
			for _, isa := range isas()[1:] {
				for rows := 2; rows <= alongRows; rows *= 2 {
					for prefetch := range prefetchings {
						c := make([]T, len(s.want))
						bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&s.a[s.first[0]])}, {Ptr: unsafe.Pointer(&s.b[s.first[1]])}, {Ptr: unsafe.Pointer(&c[0])}}}
						d := New(isa, s.p, bind, 1)
						d.vectors.rows, d.vectors.prefetch, d.vectors.ahead = rows, prefetch, 1<<r.IntN(15)
						if rows == 4 {
							d.vectors.passes = mostPasses
						}
						if !d.vectors.prepare() {
							t.Fatal("no memory for a kernel")
						}
						n, _, _ := d.Units()
						d.Begin()
						w := d.NewWorker()
						w.Run(0, n)
						d.Finish(w)
						for i, x := range c {
							if !same(x, s.want[i]) {
								t.Fatalf("%s, %d rows, prefetching %d, %d terms, %+v: element %d: %v, want %v", isa, rows, prefetch, k, s.p, i, x, s.want[i])
							}
						}
					}
				}
			}
		}
	}
}

func TestVectorKernels(t *testing.T) {
	testKernels(t, dtype.F32, 1e-30, scalar.Fma32)
	testKernels(t, dtype.F64, 1e-200, fma64)
}

// TestVectorsPrefetch tests which products with vectors prefetch what, and how many rows their kernels have along the terms.
func TestVectorsPrefetch(t *testing.T) {
	defer func(two, three func() int, halves func() bool) { l2, l3, inHalves = two, three, halves }(l2, l3, inHalves)
	l2, l3 = func() int { return 1 << 20 }, func() int { return 32 << 20 }
	const near, far = 1<<18 + 1, 1<<22 + 1 // float32 beyond the second level, and beyond half of the third
	same := func(p prefetching) [3]prefetching { return [3]prefetching{p, p, p} }
	for _, x := range []struct {
		m, n, k, step, batch, shift int // step, shift: elements between rows of the matrix, and between matrices
		rows                        int
		prefetch                    [3]prefetching // of AVX2, AVX-512, AVX-512 in halves
	}{
		{100, 1, 100, 100, 1, 0, 8, same(nothing)},
		{near/1000 + 1, 1, 1000, 1000, 1, 0, 4, same(nextBlock)},
		{near/2000 + 1, 1, 2000, 2000, 1, 0, 2, same(nextBlock)},
		{near/1000 + 1, 1, 1000, 3000, 1, 0, 8, same(nothing)}, // rows do not follow each other
		{near/1000 + 1, 1, 1000, 1, 1, 0, 8, same(nothing)},    // they overlap
		{near/64 + 1, 1, 64, 0, 1, 0, 4, same(sameRow)},
		{far/64 + 1, 1, 64, 64, 1, 0, 2, same(nextBlock)},
		{far/64 + 1, 1, 64, 192, 1, 0, 4, same(sameRow)},
		{far/8000 + 1, 1, 8000, 8000, 1, 0, 8, same(sameRow)}, // rows that the processor follows
		{1, 20, 20, 20, far/400 + 1, 400, 8, same(nextBlock)},
		{1, 20, 20, 20, far/400 + 1, 0, 8, same(nothing)}, // one matrix
		{1, 1000, near/1000 + 1, 1000, 1, 0, 8, [3]prefetching{nothing, nextLines, nothing}},
		{1, 1000, 2000, 1000, 1, 0, 8, [3]prefetching{nothing, nextLines, nothing}},
		{1, 2000, 1500, 2000, 1, 0, 8, same(nothing)}, // more than a quarter of the third level
		{1, 2000, far/2000 + 1, 2000, 1, 0, 8, [3]prefetching{nothing, nothing, sameRow}},
		{1, 200, far/200 + 1, 200, 1, 0, 8, same(nextBlock)},
	} {
		p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.step, 1}, B: Matrix{1, 1}, OffA: make([]int, x.batch), OffB: make([]int, x.batch), Vector: true}
		if x.m == 1 {
			p.A, p.B = Matrix{x.k, 1}, Matrix{x.step, 1}
		}
		for i := range p.OffB {
			p.OffB[i] = i * x.shift
		}
		for i, isa := range [3]string{"avx2", "avx512", "avx512"} {
			inHalves = func() bool { return i == 2 }
			var e vectors
			e.init(families[isa][dtype.F32], &p, arithmetic{})
			if e.prefetch != x.prefetch[i] || e.rows != x.rows {
				t.Errorf("%s, halves %t: %+v: prefetching %d, %d rows", isa, i == 2, x, e.prefetch, e.rows)
			}
		}
	}
}

// TestSweptPasses tests that passes of AVX-512 have fewer rows where these share a set of the first-level cache.
func TestSweptPasses(t *testing.T) {
	for step, want := range map[int]int{0: 2, 1000: 2, 1024: 2, 2048: 4, 4096: 4, 6144: 4, 8000: 2, 8192: 4} {
		if avx512, avx2 := families["avx512"][dtype.F32].sweptPasses(step), families["avx2"][dtype.F32].sweptPasses(step); avx512 != want || avx2 != mostPasses {
			t.Errorf("rows %d bytes apart: %d and %d passes", step, avx512, avx2)
		}
	}
}

// TestVectorTiles tests from which size on products with a vector are divided for two threads, and that all threads get tiles of
// about one size.
func TestVectorTiles(t *testing.T) {
	for _, x := range []struct{ n, k, threads, want int }{
		{200, 200, 2, 1}, {300, 300, 2, 2}, {500, 500, 1, 1}, {500, 500, 2, 2}, {100, 4000, 1, 1}, {1000, 1000, 2, 8}, {40, 10000, 2, 1},
	} {
		for _, isa := range isas()[1:] {
			p := Problem{Type: dtype.F32, M: x.n, N: 1, K: x.k, A: Matrix{x.k, 1}, B: Matrix{1, 1}, C: Matrix{1, 1}, OffA: origin, OffB: origin, OffC: origin, Vector: true}
			d := New(isa, p, &ir.Binding{}, x.threads)
			if n, _, _ := d.Units(); n != x.want {
				t.Errorf("%s: %d tiles of %+v", isa, n, x)
			}
		}
	}
}

// TestManyRows tests rows of a few terms that take several calls, and what is left of them.
func TestManyRows(t *testing.T) {
	const m, k = 1<<20/3 + 41, 3
	a, x := make([]float32, m*k), []float32{1, 10, 100}
	for i := range a {
		a[i] = float32(i % 10)
	}
	p := Problem{Type: dtype.F32, M: m, N: 1, K: k, A: Matrix{k, 1}, B: Matrix{1, 1}, OffA: origin, OffB: origin, Vector: true}
	for _, isa := range isas()[1:] {
		c := make([]float32, m)
		d := New(isa, p, &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&a[0])}, {Ptr: unsafe.Pointer(&x[0])}, {Ptr: unsafe.Pointer(&c[0])}}}, 1)
		e := &d.vectors
		e.runAlong(&vectorArgs{mask: e.mask}, vectorArrays{unsafe.Pointer(&a[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&c[0])}, m, k, d.stop)
		for i, got := range c {
			if want := a[3*i] + 10*a[3*i+1] + 100*a[3*i+2]; got != want {
				t.Fatalf("%s: row %d is %v, want %v", isa, i, got, want)
			}
		}
	}
}
