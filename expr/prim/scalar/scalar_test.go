package scalar

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestToF32 checks the conversion for machines with registers of 32 bits, which
// goes by way of float64.
func TestToF32(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100000 {
		u := r.Uint64() >> r.IntN(40)
		if r.IntN(2) == 0 { // a half-way point and a little
			u = (r.Uint64()>>40<<1|1)<<39 + uint64(r.IntN(3)) - 1
		}
		if want, _ := new(big.Float).SetPrec(100).SetUint64(u).Float32(); toF32(u) != want {
			t.Fatalf("%d is %g, want %g", u, toF32(u), want)
		}
		if want, _ := new(big.Float).SetPrec(100).SetInt64(int64(u)).Float32(); toF32(int64(u)) != want {
			t.Fatalf("%d is %g, want %g", int64(u), toF32(int64(u)), want)
		}
	}
}
