package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// combined is the definition of a saver.
func combined[T number](save Save, c, alpha, beta, sum T) T {
	s := T(alpha * sum)
	switch save {
	case Add:
		return T(beta*c) + s
	case Sub:
		return T(beta*c) - s
	case Mul:
		return c * s
	case Div:
		return c / s
	}
	return s
}

// testSavers checks one saver of one shape for all layouts of the result.
func testSavers[T number](t *testing.T, r *rand.Rand, s *sample[T], save Save, scaled bool, value func() T) {
	alpha, beta := T(1), T(1)
	if scaled {
		alpha, beta = value(), value()
	}
	for at, lc := range layouts[:5] {
		if s.p.M*s.p.N*s.p.K > 20_000 && (at+int(save))%5 > 0 { // one of each will do
			continue
		}
		p := s.p
		var first, size int
		p.C, first, size = lc.place(p.M, p.N)
		p.OffC = make([]int, len(p.OffA))
		for i := range p.OffC {
			p.OffC[i] = (len(p.OffC) - 1 - i) * size
		}
		p.Save, p.Scaled = save, scaled
		before := make([]T, len(p.OffC)*size+1)
		for i := range before {
			before[i] = value()
		}
		want := slices.Clone(before)
		for i, off := range p.OffC {
			for j := range p.M * p.N {
				at := first + off + j/p.N*p.C.Row + j%p.N*p.C.Col
				want[at] = combined(save, before[at], alpha, beta, s.want[i*p.M*p.N+j])
			}
		}
		for _, isa := range testlevel.One(isas(), r.IntN) {
			for _, threads := range []int{1, 8} {
				c := slices.Clone(before)
				bind := &ir.Binding{Bufs: make([]ir.BufBind, 3), Scalars: []uint64{bitsOf(alpha), bitsOf(beta)}}
				bind.Bufs[0].Ptr, bind.Bufs[1].Ptr, bind.Bufs[2].Ptr = unsafe.Pointer(&s.a[s.first[0]]), unsafe.Pointer(&s.b[s.first[1]]), unsafe.Pointer(&c[first])
				d := New(isa, p, bind, threads)
				n, _, _ := d.Units()
				w := d.NewWorker()
				d.Begin()
				for _, u := range r.Perm(n) {
					w.Run(u, u+1)
				}
				d.Finish(w)
				for i := range c {
					if !same(c[i], want[i]) {
						t.Fatalf("%s, %d threads, saver %d, C in %s: %+v, element %d: %v, want %v", isa, threads, save, lc.name, p, i, c[i], want[i])
					}
				}
			}
		}
	}
}

func bitsOf[T number](x T) (u uint64) {
	*(*T)(unsafe.Pointer(&u)) = x // the tests run on little-endian machines only
	return u
}

func testSaversOf[T number](t *testing.T, typ dtype.Type, savers []Save, value func(r *rand.Rand) T, fma func(x, y, z T) T) {
	r := rand.New(rand.NewPCG(2, uint64(typ)))
	next := func() T { return value(r) }
	for _, d := range []struct{ m, n, k, batch int }{
		{3, 5, 7, 2},
		{1, 40, 30, 1},
		{40, 1, 30, 2},
		{30, 70, 20, 1},
		{17, 33, 2*Block + 3, 1},
		{4, 4, 0, 1},
		{2, 3, Section + 5, 1},
		{1, 2, 2 * 16 * Block, 1},
		{1, 1, 16*Block + 9, 2},
	} {
		for _, save := range savers {
			s := newSample(r, typ, d.m, d.n, d.k, d.batch, layouts[r.IntN(5)], layouts[r.IntN(5)], next, fma)
			testSavers(t, r, s, save, r.IntN(3) > 0, next)
		}
	}
}

// TestSavers compares all ways to store sums with their definition, bit by bit.
func TestSavers(t *testing.T) {
	floats := []Save{Set, Add, Sub, Mul, Div}
	testSaversOf(t, dtype.F32, floats, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
	testSaversOf(t, dtype.F64, floats, (*rand.Rand).NormFloat64, fma64)
	testSaversOf(t, dtype.U8, floats[:4], func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, func(x, y, z uint8) uint8 { return x*y + z })
	testSaversOf(t, dtype.I32, floats[:4], (*rand.Rand).Uint32, func(x, y, z uint32) uint32 { return x*y + z })
	testSaversOf(t, dtype.I64, floats[:4], (*rand.Rand).Uint64, func(x, y, z uint64) uint64 { return x*y + z })
}

// TestPackingKernels compares products whose kernels pack strips of B with the definition, for all savers.
func TestPackingKernels(t *testing.T) {
	old := l2
	defer func() { l2 = old }()
	l2 = func() int { return 64 << 10 }
	r := rand.New(rand.NewPCG(5, 5))
	next := func() float64 { return r.NormFloat64() }
	byColumns := layouts[1]
	for _, d := range []struct {
		m, n, k int
		b       layout
	}{{55, 83, 130, far}, {51, 40, Block + 101, far}, {11, 83, 131, byColumns}, {20, 60, Block + 18, byColumns}, {30, 81, 2*Block + 3, byColumns}} {
		size := (64 + 32*r.IntN(3)) << 10 // so that blocks have other numbers of rows
		l2 = func() int { return size }
		for _, save := range []Save{Set, Add, Sub, Mul, Div} {
			s := newSample(r, dtype.F64, d.m, d.n, d.k, 1, layouts[r.IntN(2)], d.b, next, fma64)
			testSavers(t, r, s, save, save > Set, next)
			single := newSample(r, dtype.F32, d.m, d.n, d.k, 1, layouts[r.IntN(2)], d.b, func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
			testSavers(t, r, single, save, save > Set, func() float32 { return float32(r.NormFloat64()) })
		}
	}
	kernels := families["avx2"][dtype.F64].table()
	if slices.Contains(isas(), "avx2") && (kernels.packing[6][2][1][0][keep].Load() == nil || kernels.packing[5][2][1][1][keep].Load() == nil) {
		t.Error("no kernel has packed a strip")
	}
}
