package gemm

import (
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestShare tests that tiles of packed operands share a product evenly: no thread has more
// than its part of the elements and a quarter of it.
func TestShare(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, size := range [][3]int{{256, 256, 256}, {512, 512, 512}, {64, 576, 25088}, {1000, 1000, 1000}, {2048, 300, 2048}} {
			for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
				for _, threads := range []int{2, 3, 4} {
					m, n, k := size[0], size[1], size[2]
					p := Problem{Type: typ, M: m, N: n, K: k, A: Matrix{k, 1}, B: Matrix{1, k}, OffA: []int{0}, OffB: []int{0}}
					d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, threads)
					tiles := d.nr * d.nc
					most := (tiles + threads - 1) / threads * d.rows * d.cols
					if part := m * n / threads; most > part*5/4 {
						t.Errorf("%s, %v %v, %d threads: %d x %d tiles of %d x %d, for one thread %.2f of its part", isa, typ, size, threads, d.nr, d.nc, d.rows, d.cols, float64(most)/float64(part))
					}
				}
			}
		}
	}
}

// TestShareOfFewRows tests that threads get as many of few rows each, if what uses the results needs whole rows.
func TestShareOfFewRows(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, x := range []struct {
			m, n, k int
			b       Matrix
		}{{24, 800, 6272, Matrix{1, 6272}}, {32, 800, 6272, Matrix{1, 6272}}, {64, 800, 6272, Matrix{1, 6272}}, {4, 2000, 40, Matrix{2000, 1}}, {4, 2000, 400, Matrix{2000, 1}}, {4, 2000, 40, Matrix{1, 40}}} {
			p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: x.b, OffA: []int{0}, OffB: []int{0}, After: &After{Columns: x.n}}
			d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, 2)
			if d.nc != 1 || d.nr != 2 || d.rows != x.m/2 {
				t.Errorf("%s, %v: %d x %d tiles of %d x %d", isa, x, d.nr, d.nc, d.rows, d.cols)
			}
		}
	}
}

// TestSharePacksLittle tests that tiles of squares are about squares where each thread has several: wide or tall ones pack more
// rows and columns.
func TestSharePacksLittle(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			const n, threads = 1024, 2
			p := Problem{Type: typ, M: n, N: n, K: n, A: Matrix{n, 1}, B: Matrix{n, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, threads)
			packed := 0 // by the first thread
			for range d.nr * d.nc / threads {
				packed += d.rows + d.cols
			}
			if packed > 2*n+n/8 {
				t.Errorf("%s, %v: %d x %d tiles pack %d rows and columns", isa, typ, d.nr, d.nc, packed)
			}
		}
	}
}

// TestRowsAreReadOnce tests that threads divide the rows of a tall matrix that is not packed: tiles of
// fewer columns would read it again.
func TestRowsAreReadOnce(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			p := Problem{Type: typ, M: 100000, N: 64, K: 64, A: Matrix{64, 1}, B: Matrix{64, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, 2)
			if d.nc != 1 || d.nr < 2 {
				t.Errorf("%s, %v: %d x %d tiles", isa, typ, d.nr, d.nc)
			}
		}
	}
}

// TestFewRowsStayTogether tests that threads divide the columns where one kernel has all rows: kernels of fewer rows would read B more
// often for each multiply-add.
func TestFewRowsStayTogether(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			const m, n, k = 4, 202, 1039
			p := Problem{Type: typ, M: m, N: n, K: k, A: Matrix{k, 1}, B: Matrix{n, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, 2)
			if d.nr != 1 || d.nc != 2 {
				t.Errorf("%s, %v: %d x %d tiles of %d x %d", isa, typ, d.nr, d.nc, d.rows, d.cols)
			}
		}
	}
}

// TestSectionsAreShared tests that threads divide a long sum by its sections, not the rows of A: smaller
// tiles would read B again.
func TestSectionsAreShared(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			p := Problem{Type: typ, M: 64, N: 64, K: 6*Section + 1, A: Matrix{6*Section + 1, 1}, B: Matrix{64, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, 2)
			if units, _, _ := d.Units(); d.nr*d.nc != 1 || units != 7 {
				t.Errorf("%s, %v: %d x %d tiles, %d units", isa, typ, d.nr, d.nc, units)
			}
		}
	}
}

// TestSectionsOfTiles tests that the units of a sum of two sections are in an order in which each thread, which
// has units that follow each other, gets no more than its part of the terms and a quarter of it: if the last section is short, and
// if the columns are three strips.
func TestSectionsOfTiles(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, x := range [][3]int{{64, 128, Section * 3 / 2}, {24, 48, 2 * Section}} {
			m, n, k := x[0], x[1], x[2]
			p := Problem{Type: dtype.F32, M: m, N: n, K: k, A: Matrix{k, 1}, B: Matrix{1, k}, OffA: []int{0}, OffB: []int{0}}
			bufs := []ir.BufBind{}
			for _, size := range []int{m * k, k * n, m * n} {
				bufs = append(bufs, ir.BufBind{Ptr: unsafe.Pointer(unsafe.SliceData(make([]float32, size)))})
			}
			d := New(isa, p, &ir.Binding{Bufs: bufs}, 2)
			units, _, _ := d.Units()
			if d.partial == nil || units%2 != 0 {
				t.Fatalf("%s, %v: %d units", isa, x, units)
			}
			seen := &seenTerms{engine: d.eng}
			d.eng = seen
			d.NewWorker().Run(0, units/2)
			if part := m * n * k / 2; seen.terms > part/4*5 || seen.terms < part/4*3 {
				t.Errorf("%s, %v: half of the units have %.2f of the terms", isa, x, float64(seen.terms)/float64(m*n*k))
			}
		}
	}
}

// A seenTerms counts the multiply-adds of tiles, and computes nothing.
type seenTerms struct {
	engine
	terms int
}

func (e *seenTerms) compute(t *tile, _ *scratch, _ func() bool) { e.terms += t.m * t.n * t.k }
