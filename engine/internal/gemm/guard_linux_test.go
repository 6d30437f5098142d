package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// guarded copies x to memory that begins, or ends, at a page that must not be
// touched.
func guarded[T number](t *testing.T, x []T, end bool) []T {
	t.Helper()
	y := unsafe.Slice((*T)(testlevel.Guarded(t, len(x)*int(unsafe.Sizeof(*new(T))), end)), len(x))
	copy(y, x)
	return y
}

func testGuards[T number](t *testing.T, typ dtype.Type, value func(r *rand.Rand) T, fma func(x, y, z T) T) {
	r := rand.New(rand.NewPCG(3, uint64(typ)))
	for _, d := range []struct{ m, n, k int }{{1, 1, 1}, {3, 5, 7}, {5, 4, 6}, {7, 8, 9}, {9, 20, 20}, {13, 64, 2}, {13, 48, 3}, {4, 23, 21}, {7, 15, 37}, {14, 33, 9}, {66, 4, 67}, {70, 11, 80}, {12, 37, 50}, {29, 17, 40}, {70, 20, 80}, {1, 70, 30}, {70, 1, 30}, {33, 1, 3}, {1, 32, 2}, {65, 1, 6}, {1, 331, 43}, {60, 130, 300}, {110, 20, 290}, {1, 1, 4100}} {
		for _, la := range layouts[:5] {
			for _, lb := range append(slices.Clip(layouts[:5]), farColumns) {
				if la.name != lb.name && d.m*d.n*d.k > testlevel.Every(20_000, 4_000) { // one of each will do
					continue
				}
				if !testlevel.Wide() && r.IntN(3) != 0 {
					continue
				}
				s := newSample(r, typ, d.m, d.n, d.k, 1, la, lb, func() T { return value(r) }, fma)
				s.a, s.b = s.a[:len(s.a)-8], s.b[:len(s.b)-8]
				s.b = s.b[:len(s.b)/2] // of two matrices
				for _, end := range []bool{false, true} {
					s.a, s.b = guarded(t, s.a, end), guarded(t, s.b, end)
					for _, isa := range testlevel.One(isas(), r.IntN) {
						s.check(t, isa, 1, r)
					}
				}
			}
		}
	}
}

// TestGuardPages puts each operand next to pages that must not be touched.
func TestGuardPages(t *testing.T) {
	testGuards(t, dtype.F32, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
	testGuards(t, dtype.F64, (*rand.Rand).NormFloat64, fma64)
	testGuards(t, dtype.U8, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, func(x, y, z uint8) uint8 { return x*y + z })
	testGuards(t, dtype.U16, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) }, func(x, y, z uint16) uint16 { return x*y + z })
	testGuards(t, dtype.I32, (*rand.Rand).Uint32, func(x, y, z uint32) uint32 { return x*y + z })
}

// TestGridGuards tests that windows are packed without touching what is before or behind the image.
func TestGridGuards(t *testing.T) {
	const m, k, n, size = 17, 31 * 9, 5 * 40, 30*400 + 4*50 + 39 + 2*50 + 2 + 1
	r := rand.New(rand.NewPCG(4, 4))
	a, image, want := make([]float32, m*k), make([]float32, size), make([]float32, m*n)
	for _, x := range [][]float32{a, image} {
		for i := range x {
			x[i] = r.Float32() - .5
		}
	}
	p := Problem{Type: dtype.F32, M: m, N: n, K: k, A: Matrix{k, 1}, OffA: []int{0}, OffB: []int{0}, GridB: NewGrid([]Axis{{31, 400}, {3, 50}, {3, 1}}, []Axis{{5, 50}, {40, 1}}, 4)}
	for i, isa := range isas() {
		for q := range 4 {
			c, p, end := make([]float32, m*n), p, q%2 == 1
			bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&a[0])}, {Ptr: unsafe.Pointer(&guarded(t, image, end)[0])}, {Ptr: unsafe.Pointer(&c[0])}}}
			if q > 1 { // the windows are A
				p = p.transposed()
				bind.Bufs[0], bind.Bufs[1] = bind.Bufs[1], bind.Bufs[0]
			}
			d := New(isa, p, bind, 1)
			units, _, _ := d.Units()
			d.Begin()
			w := d.NewWorker()
			w.Run(0, units)
			d.Finish(w)
			if q > 1 {
				c = swapped(c, m)
			}
			if i == 0 {
				copy(want, c)
			}
			if !slices.Equal(c, want) {
				t.Errorf("%s: the bits differ", isa)
			}
		}
	}
}
