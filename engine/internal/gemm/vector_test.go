package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/plan/ir"
)

// testAlong tests the kernels along the terms: of each number of rows and prefetching, with so many terms that each loop runs
// and does not. Some products are so small that they round to zeros of both signs, which lanes without terms must not change.
func testAlong[T float32 | float64](t *testing.T, typ dtype.Type, tiny T, fma func(x, y, z T) T) {
	r := rand.New(rand.NewPCG(6, uint64(typ)))
	for _, k := range []int{0, 1, 7, 8, 9, 12, 31, 32, 33, 44, 63, 64, 65, 95, 96, 100, 127, 128, 129, 140, 160, 191, 300} {
		for _, zeros := range []bool{false, true} {
			const m = 19
			s := newSample(r, typ, m, 1, k, 2, layouts[2*r.IntN(2)], layouts[0], func() T {
				if zeros {
					return tiny * T(1-2*r.IntN(2))
				}
				return T(r.NormFloat64())
			}, fma)
			for _, isa := range isas() {
				if isa == "interp" {
					continue
				}
				for rows := 2; rows <= alongRows; rows *= 2 {
					for prefetch := range sameRow + 2 {
						c := make([]T, len(s.want))
						bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&s.a[s.first[0]])}, {Ptr: unsafe.Pointer(&s.b[s.first[1]])}, {Ptr: unsafe.Pointer(&c[0])}}}
						d := New(isa, s.p, bind, 1)
						d.vectors.rows, d.vectors.prefetch, d.vectors.ahead = rows, prefetch, 1<<r.IntN(15)
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
								t.Fatalf("%s, %d rows, prefetching %d, %d terms, zeros %t: element %d: %v, want %v", isa, rows, prefetch, k, zeros, i, x, s.want[i])
							}
						}
					}
				}
			}
		}
	}
}

func TestAlong(t *testing.T) {
	testAlong(t, dtype.F32, 1e-30, scalar.Fma32)
	testAlong(t, dtype.F64, 1e-200, fma64)
}

// TestVectorsPrefetch tests which products with vectors prefetch what, and how many rows their kernels have.
func TestVectorsPrefetch(t *testing.T) {
	defer func(two, three func() int) { l2, l3 = two, three }(l2, l3)
	l2, l3 = func() int { return 1 << 20 }, func() int { return 32 << 20 }
	far := l3()/2/4 + 1 // elements beyond half of the third level
	for _, isa := range isas() {
		if isa == "interp" {
			continue
		}
		for _, x := range []struct {
			m, n, k, step, batch int // step: elements between rows of the matrix
			prefetch             prefetching
			rows                 int
		}{
			{100, 1, 100, 100, 1, nothing, 8},
			{l2()/4000 + 1, 1, 1000, 1000, 1, nextBlock, 4},
			{l2()/8000 + 1, 1, 2000, 2000, 1, nextBlock, 2},
			{l2()/4000 + 1, 1, 1000, 3000, 1, nothing, 8}, // rows do not follow each other
			{far/64 + 1, 1, 64, 64, 1, nextBlock, 2},      // from memory
			{far/64 + 1, 1, 64, 192, 1, sameRow, 4},
			{far/8000 + 1, 1, 8000, 8000, 1, sameRow, 8}, // rows that the processor follows
			{1, 20, 20, 20, far/100 + 1, nextBlock, 8},
			{1, 2000, l2()/4000 + 1, 2000, 1, nothing, 8},
		} {
			p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.step, 1}, B: Matrix{1, 1}, OffA: make([]int, x.batch), Vector: true}
			if x.m == 1 {
				p.A, p.B = Matrix{x.k, 1}, Matrix{x.step, 1}
			}
			var e vectors
			e.init(families[isa][dtype.F32], &p, arithmetic{})
			if e.prefetch != x.prefetch || e.rows != x.rows {
				t.Errorf("%s: %+v: prefetching %d, %d rows", isa, x, e.prefetch, e.rows)
			}
		}
	}
}
