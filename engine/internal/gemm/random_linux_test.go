package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// testRandom checks a product of random extents and layouts, whose operands lie beside pages that must not be
// touched, for some number of threads.
func testRandom[T number](t *testing.T, r *rand.Rand, typ dtype.Type, value func() T, fma func(x, y, z T) T) {
	const most, small = 2_000_000, 100_000 // multiply-adds
	m, n, k := extent(r), extent(r), extent(r)
	switch r.IntN(8) {
	case 0:
		m *= 10
	case 1:
		n *= 10
	}
	all := append([]layout{far, reversed}, layouts...)
	la, lb := all[r.IntN(len(all))], all[r.IntN(len(all))]
	if m*n*k > most || la.name == far.name && m > 1000 || lb.name == far.name && k > 1000 {
		return
	}
	s := newSample(r, typ, m, n, k, 1, la, lb, value, fma)
	end := r.IntN(2) == 0
	s.a, s.b = guarded(t, s.a[:len(s.a)-8], end), guarded(t, s.b[:(len(s.b)-8)/2], end)
	for _, isa := range isas() {
		if isa != "interp" || m*n*k < small {
			s.check(t, isa, 1+r.IntN(8), r)
		}
	}
}

// TestRandomProducts compares products of random extents, layouts, threads and sizes of caches with the definition.
func TestRandomProducts(t *testing.T) {
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	r := rand.New(rand.NewPCG(7, 7))
	for range testlevel.Every(10000, 150) {
		size := (64 << 10) << r.IntN(5)
		l2 = func() int { return size }
		l3 = l2
		t.Run("", func(t *testing.T) { // unmaps the operands at its end
			switch r.IntN(6) {
			case 0, 1:
				testRandom(t, r, dtype.F32, func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
			case 2, 3:
				testRandom(t, r, dtype.F64, r.NormFloat64, fma64)
			case 4:
				testRandom(t, r, dtype.I32, r.Uint32, func(x, y, z uint32) uint32 { return x*y + z })
			case 5:
				testRandom(t, r, dtype.U8, func() uint8 { return uint8(r.Uint32()) }, func(x, y, z uint8) uint8 { return x*y + z })
			}
		})
	}
}
