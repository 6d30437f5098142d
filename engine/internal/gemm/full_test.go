package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// fill fills the memory for code until the test ends.
func fill(t *testing.T) {
	t.Helper()
	for size := 64 << 20; size >= 512; size /= 2 {
		for b := make([]byte, size); ; {
			c, err := exec.Install(b)
			if err != nil {
				break
			}
			t.Cleanup(c.Release)
		}
	}
}

// TestNoMemoryForCode tests a small product for whose kernels, which would prefetch more than others, there is no memory.
func TestNoMemoryForCode(t *testing.T) {
	if !testlevel.Deep() {
		t.Skip("filling the memory for code takes seconds")
	}
	r := rand.New(rand.NewPCG(9, 9))
	s := newSample(r, dtype.F64, 2, 64, 80, 2, layouts[0], layouts[0], r.NormFloat64, fma64)
	for _, isa := range isas()[1:] {
		f := families[isa][dtype.F64]
		e := &machine{}
		s.p.C, s.p.OffC = Matrix{64, 1}, []int{0, 2 * 64}
		if e.init(f, &s.p, arithmetic{}, false); !e.prepare(2, 64, 0, 0) {
			t.Fatalf("%s: no kernels", isa)
		}
	}
	fill(t)
	for _, isa := range isas()[1:] {
		s.check(t, isa, 1, r)
	}
}
