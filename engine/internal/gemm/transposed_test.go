package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestUnpacked tests products of two matrices that are stored by columns: those with many terms, whose rows fill vectors, are computed
// as their transposes with AVX2.
func TestUnpacked(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, x := range []struct {
		m, n, k int
		lb      layout
		want    bool
	}{
		{16, 17, 300, layouts[1], true},
		{12, 40, 200, layouts[1], true},
		{24, 9, 2*Block + 3, farColumns, true},
		{16, 17, 300, layouts[0], false},
		{16, 17, 100, layouts[1], false},
		{17, 17, 300, layouts[1], false},
		{64, 100, 300, layouts[1], false},
	} {
		s := newSample(r, dtype.F64, x.m, x.n, x.k, 1, layouts[1], x.lb, r.NormFloat64, fma64)
		for _, isa := range isas() {
			s.check(t, isa, 1+r.IntN(3), r)
			if d := New(isa, s.p, &ir.Binding{}, 1); isa == "avx2" && (d.a == 1) != x.want {
				t.Errorf("%d x %d x %d, B by %s: the transpose is computed: %v", x.m, x.n, x.k, x.lb.name, d.a == 1)
			}
		}
	}
}
