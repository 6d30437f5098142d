package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestPasses tests products that passes over the rows of B compute, with last passes of fewer terms.
func TestPasses(t *testing.T) {
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	l2 = func() int { return 1 << 20 }
	l3 = func() int { return 64 << 10 }
	r, passes := rand.New(rand.NewPCG(3, 5)), 0
	for m := 2; m <= 12; m++ {
		for _, k := range []int{17, 24, Block - 1, Block, Block + 1, Block + passTerms, 2*Block + 3} {
			la, lb, n := layouts[r.IntN(len(layouts))], layouts[2*r.IntN(2)], 170+r.IntN(90)
			s := newSample(r, dtype.F64, m, n, k, 1, la, lb, r.NormFloat64, fma64)
			for _, isa := range isas() {
				s.check(t, isa, 1+r.IntN(3), r)
				if d := New(isa, s.p, &ir.Binding{}, 1); d.machine.passing {
					passes++
				}
			}
		}
	}
	for _, isa := range isas() {
		if isa == "avx2" && passes < 50 {
			t.Errorf("passes compute %d products", passes)
		}
	}
}

// TestPassesReadLargeMatrices tests that passes compute only products of few rows with a large B by rows.
func TestPassesReadLargeMatrices(t *testing.T) {
	old := l3
	defer func() { l3 = old }()
	l3 = func() int { return 32 << 20 }
	for _, isa := range isas() {
		for _, x := range []struct {
			m, n, k int
			want    bool
		}{{3, 1500, 1500, true}, {12, 1500, 1500, true}, {3, 600, 600, false}, {13, 1500, 1500, false}, {3, 200000, 12, false}} {
			p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: Matrix{x.n, 1}, OffA: []int{0}, OffB: []int{0}}
			if d := New(isa, p, &ir.Binding{}, 1); d.machine.passing != (x.want && isa == "avx2") {
				t.Errorf("%s: %d x %d x %d: by passes %v", isa, x.m, x.n, x.k, d.machine.passing)
			}
		}
	}
}
