package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestSymmetric compares products of matrices and their own transposes, of which a half is computed, with the definition.
func TestSymmetric(t *testing.T) {
	old := l2
	defer func() { l2 = old }()
	r := rand.New(rand.NewPCG(8, 8))
	for range testlevel.Every(300, 5) {
		size := (64 << 10) << r.IntN(5)
		l2 = func() int { return size }
		testSymmetric(t, r, dtype.F32, func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
		testSymmetric(t, r, dtype.F64, r.NormFloat64, fma64)
		testSymmetric(t, r, dtype.U16, func() uint16 { return uint16(r.Uint32()) }, func(x, y, z uint16) uint16 { return x*y + z })
	}
}

func testSymmetric[T number](t *testing.T, r *rand.Rand, typ dtype.Type, value func() T, fma func(x, y, z T) T) {
	const most = 600_000 // multiply-adds
	n, k, batch := 1+r.IntN(300), 1+r.IntN(700), 1+r.IntN(2)
	if r.IntN(8) == 0 {
		k = Section + r.IntN(2*Section)
	}
	if n*n*k > most {
		n = 17 + r.IntN(32)
	}
	s := newOperands(r, typ, n, n, k, batch, layouts[r.IntN(len(layouts))], layouts[0], value)
	s.p.B, s.p.OffB, s.b, s.first[1] = s.p.A.transposed(), s.p.OffA, s.a, s.first[0]
	s.define(fma)
	for _, isa := range isas()[1:] {
		s.check(t, isa, 1+r.IntN(8), r)
	}
}
