package sorting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// BenchmarkPartition measures the partition of keys, to another place or in place.
func BenchmarkPartition(b *testing.B) {
	for _, isa := range isas() {
		for _, n := range []int{1 << 14, 1 << 20} {
			for _, inPlace := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/%d/in place=%t", isa, n, inPlace), func(b *testing.B) { benchPartition(b, isa, n, inPlace) })
			}
		}
	}
}

func benchPartition(b *testing.B, isa string, n int, inPlace bool) {
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rand.NormFloat64()
	}
	o, u, f := orderOf(dtype.F64, false), newRun(), families[isa].of(8)
	u.begin(nil, f, &o, f.avx512)
	p := part{from: unsafe.Pointer(&x[0]), data: unsafe.Pointer(&y[0]), n: n, values: true}
	if inPlace {
		p.from = p.data
	}
	least := math.Inf(1)
	for range b.N {
		copy(y, x)
		before := testlevel.CPUTime()
		u.partition(&p, 0)
		least = min(least, float64(testlevel.CPUTime()-before))
	}
	b.ReportMetric(least/float64(n), "ns/elem")
}
