package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
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

// TestColumnsInReverse tests few rows by a B whose columns are in reverse order and come from memory: there is no next strip to prefetch behind them.
func TestColumnsInReverse(t *testing.T) {
	defer func(two, three func() int) { l2, l3 = two, three }(l2, l3)
	l2, l3 = func() int { return 16 << 10 }, func() int { return 64 << 10 }
	r := rand.New(rand.NewPCG(6, 3))
	s := newSample(r, dtype.F32, 5, 600, 64, 1, layouts[0], reversed, r.Float32, scalar.Fma32)
	for _, isa := range isas() {
		s.check(t, isa, 1, r)
	}
}

// testColumns tests results of few columns, whose rows have gaps that must stay, and which are computed as rows. Single products of one block are lists of kernels.
func testColumns[T number](t *testing.T, typ dtype.Type, value func() T, fma func(x, y, z T) T) {
	r := rand.New(rand.NewPCG(7, uint64(typ)))
	for i := range 14 { // with one block of terms, and with more
		n, m, k, gap := 2+i/2, 100+r.IntN(40), Block*(1+i%2)-r.IntN(40), r.IntN(4)
		s := newSample(r, typ, m, n, k, 2, layouts[1], layouts[r.IntN(3)], value, fma)
		s.p.C, s.p.OffC = Matrix{n + gap, 1}, []int{0, m * (n + gap)}
		for _, isa := range isas()[1:] {
			c := make([]T, 2*m*(n+gap))
			for i := range c {
				c[i] = 7
			}
			d := New(isa, s.p, &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&s.a[s.first[0]])}, {Ptr: unsafe.Pointer(&s.b[s.first[1]])}, {Ptr: unsafe.Pointer(&c[0])}}}, 1)
			if d.a == 0 && (k > Block || isa == "avx512") {
				t.Errorf("%s, %v, %d columns: they are not computed as rows", isa, typ, n)
			}
			units, _, _ := d.Units()
			d.Begin()
			d.NewWorker().Run(0, units)
			for i, x := range c {
				row, col := i/(n+gap), i%(n+gap)
				if col < n && !same(x, s.want[row*n+col]) || col >= n && x != 7 {
					t.Fatalf("%s, %v, %d columns, gaps of %d: element %d, %d is %v", isa, typ, n, gap, row, col, x)
				}
			}
		}
	}
}

// TestColumns tests the kernels that store columns.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	testColumns(t, dtype.F32, func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
	testColumns(t, dtype.F64, r.NormFloat64, fma64)
}
