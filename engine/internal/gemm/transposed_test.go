package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
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

// TestNextStrip tests which kernels that read B by columns prefetch the next strip, and which part of it.
func TestNextStrip(t *testing.T) {
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	l2, l3 = func() int { return 1 << 20 }, func() int { return 8 << 20 }
	for _, x := range []struct{ n, k, col, want int }{
		{1100, 250, 250, 16 * 250 * 4}, // further than an eighth of the third level
		{1500, 250, 250, 16 * 250 * 4},
		{1500, 350, 350, 16 * 350 * 4 / 2}, // and than a quarter
		{1000, 350, 350, 0},
		{1500, 350, 1000, 0}, // gaps
		{1000, 5000, 5000, 0},
	} {
		p := Problem{Type: dtype.F32, M: 6, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: Matrix{1, x.col}, C: Matrix{x.n, 1}, OffA: []int{0}, OffB: []int{0}, OffC: []int{0}}
		var e machine
		e.init(families["avx512"][dtype.F32], &p, arithmetic{}, false)
		if got := e.nextStrip((x.k + Block - 1) / Block); !e.transposed || got != x.want*e.vecs {
			t.Errorf("%v: %d bytes of strips of %d vectors", x, got, e.vecs)
		}
	}
}

// TestEdges tests single products whose last columns are few: they are computed as rows.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, x := range []struct {
		m, n, k, batch int
		avx512, avx2   [2]int // of float32, float64
	}{
		{70, 20, 64, 1, [2]int{4, 4}, [2]int{}}, // half a vector
		{64, 39, 2*Block + 3, 1, [2]int{7, 0}, [2]int{}},
		{41, 33, 100, 1, [2]int{1, 1}, [2]int{1, 1}},
		{100, 33, 33, 1, [2]int{1, 1}, [2]int{1, 1}},
		{300, 19, 300, 1, [2]int{3, 3}, [2]int{3, 0}},
		{24, 34, Section + 3, 1, [2]int{2, 2}, [2]int{2, 0}},
		{50, 11, 200, 1, [2]int{}, [2]int{3, 0}},
		{50, 9, 200, 1, [2]int{}, [2]int{1, 1}},
		{50, 5, 300, 1, [2]int{}, [2]int{}},    // beside four columns
		{23, 34, 300, 1, [2]int{}, [2]int{}},   // few rows
		{10000, 20, 20, 1, [2]int{}, [2]int{}}, // results that are far
		{40, 140, 128, 1, [2]int{}, [2]int{}},  // beside many columns
		{64, 56, 64, 1, [2]int{}, [2]int{}},    // none
		{70, 20, 64, 2, [2]int{}, [2]int{}},    // of a stack
		{20, 20, 20, 1, [2]int{}, [2]int{}},    // small
		{70, 7, 64, 1, [2]int{}, [2]int{}},     // all columns become rows
	} {
		for at := range 4 {
			la, lb := layouts[at%2], layouts[at/2]
			single := newSample(r, dtype.F32, x.m, x.n, x.k, x.batch, la, lb, func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
			double := newSample(r, dtype.F64, x.m, x.n, x.k, x.batch, la, lb, r.NormFloat64, fma64)
			for _, isa := range isas() {
				for i, p := range []Problem{single.p, double.p} {
					got, want := 0, map[string][2]int{"avx512": x.avx512, "avx2": x.avx2}[isa][i]
					d := New(isa, p, &ir.Binding{}, 1)
					if d.a != 0 { // all columns become rows
						want = 0
					}
					if d.edge != nil {
						got = d.edge.p.M
						if n, _, _ := d.Units(); n != d.nr*d.nc*max(1, d.machine.sections) {
							t.Errorf("%s, %v: %d units of %d tiles: the edge has units of its own", isa, x, n, d.nr*d.nc)
						}
					}
					if got != want {
						t.Errorf("%s, %s, %s, %v: %d columns become rows, want %d", isa, la.name, lb.name, x, got, want)
					}
				}
				for _, threads := range testlevel.One([]int{1, 3}, r.IntN) {
					single.check(t, isa, threads, r)
					double.check(t, isa, threads, r)
				}
				single.again(t, isa)
				double.again(t, isa)
			}
		}
	}
}
