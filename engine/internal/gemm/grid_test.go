package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestGrids tests that products of operands with several axes for terms or columns
// have the bits of products of their copies.
func TestGrids(t *testing.T) {
	for _, g := range []struct {
		m           int
		terms, cols []Axis
	}{
		{20, []Axis{{31, 100}, {3, 10}, {3, 1}}, []Axis{{8, 10}, {8, 1}}},          // windows as columns
		{5, []Axis{{60, 400}, {3, 20}, {3, 1}}, []Axis{{18, 20}, {17, 1}}},         // several strips and blocks
		{9, []Axis{{3, 400}, {7, 20}, {7, 1}}, []Axis{{4, 180}, {3, 20}, {3, 1}}},  // windows as rows
		{4, []Axis{{300, 64}, {8, 8}, {8, 1}}, []Axis{{2, 20000}, {3, 8}, {3, 1}}}, // more than a section
		{6, []Axis{{2, 30}, {5, 6}, {6, 1}}, []Axis{{5, 60}, {2, -6}, {3, -1}}},    // mirrored
		{3, []Axis{{40, 9}, {9, 1}}, []Axis{{7, 2}, {5, 5}}},                       // neither is contiguous
		{17, []Axis{{31, 400}, {3, 50}, {3, 1}}, []Axis{{5, 50}, {40, 1}}},         // strips of one run and of two
		{90, []Axis{{3, 9000}, {150, 1}}, []Axis{{64, 140}}},                       // long runs of terms
		{70, []Axis{{2, 3000}, {2, 1500}, {5, 1}}, []Axis{{6, 5}, {7, 200}}},       // short ones
		{60, []Axis{{2, 9000}, {90, 70}}, []Axis{{70, 1}}},                         // terms are rows in memory
		{29, []Axis{{31, -400}, {3, -50}, {3, -1}}, []Axis{{5, 50}, {40, 1}}},
		{2, []Axis{{2, 2}}, []Axis{{2, 5}, {4, 1}}},
	} {
		t.Run(fmt.Sprint(g.terms, g.cols), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			testGrid(t, r, dtype.F32, g.m, g.terms, g.cols, func() float32 { return r.Float32() - .5 })
			testGrid(t, r, dtype.F64, g.m, g.terms, g.cols, func() float64 { return r.Float64() - .5 })
			testGrid(t, r, dtype.I32, g.m, g.terms, g.cols, r.Int32)
			testGrid(t, r, dtype.U64, g.m, g.terms, g.cols, r.Uint64)
		})
	}
}

// swapped returns the transpose of a matrix.
func swapped[T any](x []T, cols int) (y []T) {
	for j := range cols {
		for i := j; i < len(x); i += cols {
			y = append(y, x[i])
		}
	}
	return y
}

func testGrid[T comparable](t *testing.T, r *rand.Rand, typ dtype.Type, m int, terms, cols []Axis, value func() T) {
	at := func(axes []Axis) []int { return places(axes, 1) }
	k, n := len(at(terms)), len(at(cols))
	lowest, highest := slices.Min(at(terms))+slices.Min(at(cols)), slices.Max(at(terms))+slices.Max(at(cols))
	a, b, flat := make([]T, 2*m*k), make([]T, highest-lowest+1), make([]T, 0, k*n)
	for _, x := range [][]T{a, b} {
		for i := range x {
			x[i] = value()
		}
	}
	for _, l := range at(terms) {
		for _, j := range at(cols) {
			flat = append(flat, b[l+j-lowest])
		}
	}
	run := func(isa string, threads int, p Problem, a, b *T) []T {
		c := make([]T, 2*m*n+1)
		bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(a)}, {Ptr: unsafe.Pointer(b)}, {Ptr: unsafe.Pointer(&c[0])}}}
		d := New(isa, p, bind, threads)
		units, _, _ := d.Units()
		d.Begin()
		w := d.NewWorker()
		if threads == 1 { // tiles prefetch for the next one
			w.Run(0, units)
		} else {
			for _, u := range r.Perm(units) {
				w.Run(u, u+1)
			}
		}
		d.Finish(w)
		return c
	}
	p := Problem{Type: typ, M: m, N: n, K: k, A: Matrix{k, 1}, B: Matrix{n, 1}, OffA: []int{0, m * k}, OffB: []int{0, 0}}
	want := run("interp", 1, p, &a[0], &flat[0])
	p.B, p.GridB = Matrix{}, NewGrid(terms, cols, typ.Size())
	left := p.transposed() // its left operand has the grid
	left.C, left.OffC = Matrix{m, 1}, []int{0, m * n}
	stored := left // as p stores it
	stored.C = Matrix{1, n}
	wantLeft := slices.Concat(swapped(want[:m*n], n), swapped(want[m*n:2*m*n], n), want[2*m*n:])
	for _, isa := range isas() {
		for _, threads := range testlevel.One([]int{1, 2, 3}, r.IntN) {
			for i, got := range [][]T{run(isa, threads, p, &a[0], &b[-lowest]), run(isa, threads, left, &b[-lowest], &a[0]), run(isa, threads, stored, &b[-lowest], &a[0])} {
				if want := [3][]T{want, wantLeft, want}[i]; !slices.Equal(got, want) {
					t.Errorf("%s, %v, %d threads, case %d: the bits of a copy are others", isa, typ, threads, i)
				}
			}
		}
	}
}

// TestSumsAllocate tests that a run whose sums are combined with the result later allocates
// nothing: of several sections, and stored in columns of a right operand with several axes.
func TestSumsAllocate(t *testing.T) {
	const m, n = 8, 8
	long := Problem{Type: dtype.F32, M: m, N: n, K: Section + 1, A: Matrix{Section + 1, 1}, B: Matrix{n, 1}}
	columns := Problem{Type: dtype.F32, M: m, N: n, K: 6, A: Matrix{6, 1}, C: Matrix{1, m}, OffC: []int{0}}
	columns.GridB = NewGrid([]Axis{{2, 4 * n}, {3, n}}, []Axis{{n, 1}}, 4)
	for _, p := range []Problem{long, columns} {
		p.OffA, p.OffB = []int{0}, []int{0}
		a, b, c := make([]float32, m*p.K), make([]float32, 8*n*p.K), make([]float32, m*n)
		bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&a[0])}, {Ptr: unsafe.Pointer(&b[0])}, {Ptr: unsafe.Pointer(&c[0])}}}
		for _, isa := range isas() {
			d := New(isa, p, bind, 1)
			units, _, _ := d.Units()
			w := d.NewWorker()
			if allocated := testlevel.Allocs(5, func() {
				d.Begin()
				w.Run(0, units)
				d.Finish(w)
			}); math.Round(allocated) != 0 {
				t.Errorf("%s, %d terms: a run allocates %v times", isa, p.K, allocated)
			}
		}
	}
}

// TestFarGridsArePackedBefore tests that kernels pack grids that stay in the second level, and strips of neighbours of which only what a block
// of terms reads stays there.
func TestFarGridsArePackedBefore(t *testing.T) {
	const size = 4
	for _, x := range []struct {
		isa           string
		far, step     int // of terms
		whole, pieces bool
	}{
		{"avx512", 100, 1, true, true},
		{"avx512", l2() / size, 1, false, false},
		{"avx512", -l2() / size, 1, false, false},
		{"avx512", l2() / size, 64, true, false},
		{"avx2", 100, 1, true, false},
		{"avx2", l2() / size, 64, true, false},
	} {
		terms := []Axis{{2, x.far}, {3, x.step}}
		if x.step > 1 {
			terms[1].Extent = Block
		}
		c := call{e: &machine{f: families[x.isa][dtype.F32], p: &Problem{GridB: NewGrid(terms, []Axis{{40, 1}}, size)}}}
		if whole, pieces := c.packsTile(); whole != x.whole || pieces != x.pieces {
			t.Errorf("%v: %t, %t", x, whole, pieces)
		}
	}
}
