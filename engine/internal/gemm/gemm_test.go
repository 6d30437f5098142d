package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// sum is the definition of one element of a product, term by term: a has the factors on the left, b those
// on the right. A block has size terms and a power of two of chains.
func sum[T number](a, b []T, size, chains int, fma func(x, y, z T) T) (total T) {
	k, blocks := len(a), make([]T, chains)
	for s := 0; s == 0 || s < k; s += Section {
		var section T
		for q := s; q == s || q < min(s+Section, k); q += size {
			clear(blocks)
			for l := q; l < min(q+size, k); l++ {
				blocks[l&(chains-1)] = fma(a[l], b[l], blocks[l&(chains-1)])
			}
			for n := chains / 2; n > 0; n /= 2 {
				for j := range n {
					blocks[j] += blocks[j+n]
				}
			}
			block := blocks[0]
			if q == s {
				section = block
			} else {
				section += block
			}
		}
		if s == 0 {
			total = section
		} else {
			total += section
		}
	}
	return total
}

// fma64 is math.FMA by the instruction of the processor. The compiler replaces calls of math.FMA
// with it, but the function as a value computes the same in integers, ten times as slow.
func fma64(x, y, z float64) float64 { return math.FMA(x, y, z) }

// isas lists the instruction sets of this machine that have kernels, and "interp".
func isas() []string {
	out := []string{"interp"}
	for _, isa := range jit.ISAs {
		if _, err := jit.New(isa); err == nil && families[isa] != nil {
			out = append(out, isa)
		}
	}
	return out
}

// A layout places a matrix of rows and columns in memory.
type layout struct {
	name  string
	place func(rows, cols int) (m Matrix, first, size int)
}

// far has rows that evict each other from the first-level cache, so that they are packed.
var far = layout{"far rows", func(r, c int) (Matrix, int, int) { return Matrix{1024, 1}, 7, (r-1)*1024 + c + 7 }}

// farColumns has columns that do, of which a strip is copied for a few rows.
var farColumns = layout{"far columns", func(r, c int) (Matrix, int, int) { return Matrix{1, 1024}, 7, (c-1)*1024 + r + 7 }}

// reversed has columns that are in reverse order.
var reversed = layout{"columns in reverse order", func(r, c int) (Matrix, int, int) { return Matrix{1, -r}, (c - 1) * r, r * c }}

var layouts = []layout{
	{"rows", func(r, c int) (Matrix, int, int) { return Matrix{c, 1}, 0, r * c }},
	{"columns", func(r, c int) (Matrix, int, int) { return Matrix{1, r}, 0, r * c }},
	{"wide rows", func(r, c int) (Matrix, int, int) { return Matrix{c + 5, 1}, 3, r*(c+5) + 3 }},
	{"gaps", func(r, c int) (Matrix, int, int) { return Matrix{3*c + 1, 2}, 1, r*(3*c+1) + 2*c + 1 }},
	{"backward", func(r, c int) (Matrix, int, int) { return Matrix{-c, -1}, max(r*c-1, 0), r * c }},
	{"broadcast rows", func(r, c int) (Matrix, int, int) { return Matrix{0, 1}, 0, c }},
	{"broadcast", func(r, c int) (Matrix, int, int) { return Matrix{0, 0}, 0, 1 }},
}

// TestPartsOfMatrices tests that one row or column that is a part of a larger product has the order
// of matrices, which differs from that of vectors.
func TestPartsOfMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, d := range [][2]int{{1, 70}, {70, 1}, {1, 1}} {
		s := newSample(r, dtype.F32, d[0], d[1], 300, 1, layouts[0], layouts[0], func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
		vector := slices.Clone(s.want)
		s.p.Vector = false
		s.define(scalar.Fma32)
		if slices.Equal(s.want, vector) {
			t.Errorf("%v: both orders have the same bits", d)
		}
		for _, isa := range isas() {
			s.check(t, isa, 1+r.IntN(3), r)
		}
	}
}

// A sample is a product with operands.
type sample[T number] struct {
	p     Problem
	a, b  []T
	first [2]int
	want  []T
}

func newSample[T number](r *rand.Rand, typ dtype.Type, m, n, k, batch int, la, lb layout, value func() T, fma func(x, y, z T) T) *sample[T] {
	s := newOperands(r, typ, m, n, k, batch, la, lb, value)
	s.define(fma)
	return s
}

// newOperands returns a sample whose product is not computed yet.
func newOperands[T number](r *rand.Rand, typ dtype.Type, m, n, k, batch int, la, lb layout, value func() T) *sample[T] {
	s := &sample[T]{p: Problem{Type: typ, M: m, N: n, K: k, Vector: m == 1 || n == 1}}
	var size [2]int
	s.p.A, s.first[0], size[0] = la.place(m, k)
	s.p.B, s.first[1], size[1] = lb.place(k, n)
	for i := range batch {
		s.p.OffA = append(s.p.OffA, i*size[0])
		s.p.OffB = append(s.p.OffB, i%2*size[1]) // some are shared
	}
	s.a, s.b = make([]T, batch*size[0]+8), make([]T, 2*size[1]+8)
	for i := range s.a {
		s.a[i] = value()
	}
	for i := range s.b {
		s.b[i] = value()
	}
	return s
}

// define computes what the product is, by its definition.
func (s *sample[T]) define(fma func(x, y, z T) T) {
	block, chains := Block, 1
	if s.p.Vector && s.p.Type.IsFloat() {
		block, chains = 32, 32/s.p.Type.Size()
	}
	s.want = nil
	for q := range s.p.OffA {
		rows := rowsOf(s.a, s.first[0]+s.p.OffA[q], s.p.A, s.p.M, s.p.K)
		columns := rowsOf(s.b, s.first[1]+s.p.OffB[q], s.p.B.transposed(), s.p.N, s.p.K)
		for _, a := range rows {
			for _, b := range columns {
				s.want = append(s.want, sum(a, b, block, chains, fma))
			}
		}
	}
}

// rowsOf copies the rows of a matrix.
func rowsOf[T number](data []T, off int, m Matrix, rows, cols int) [][]T {
	out := make([][]T, rows)
	for i := range out {
		out[i] = make([]T, cols)
		for j := range out[i] {
			out[i][j] = data[off+i*m.Row+j*m.Col]
		}
	}
	return out
}

// run computes a product by workers that take turns with units in no order.
func (s *sample[T]) run(isa string, threads int, r *rand.Rand) []T {
	c := make([]T, len(s.want)+1) // the last one must stay
	var poison T
	poison--
	for i := range c {
		c[i] = poison
	}
	bind := &ir.Binding{Bufs: make([]ir.BufBind, 3)}
	bind.Bufs[0].Ptr, bind.Bufs[1].Ptr, bind.Bufs[2].Ptr = unsafe.Pointer(&s.a[s.first[0]]), unsafe.Pointer(&s.b[s.first[1]]), unsafe.Pointer(&c[0])
	d := New(isa, s.p, bind, threads)
	n, _, _ := d.Units()
	d.Begin()
	w := d.NewWorker()
	for _, u := range r.Perm(n) {
		if u%threads == 0 {
			w = d.NewWorker()
		}
		w.Run(u, u+1)
	}
	d.Finish(w)
	if c[len(s.want)] != poison {
		panic("gemm: stored behind the result")
	}
	return c[:len(s.want)]
}

func same[T number](x, y T) bool {
	switch x := any(x).(type) {
	case float32:
		y := any(y).(float32)
		return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
	case float64:
		y := any(y).(float64)
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	}
	return x == y
}

func (s *sample[T]) check(t *testing.T, isa string, threads int, r *rand.Rand) {
	t.Helper()
	for i, x := range s.run(isa, threads, r) {
		if !same(x, s.want[i]) {
			t.Fatalf("%s, %d threads: %+v, element %d: %v, want %v", isa, threads, s.p, i, x, s.want[i])
		}
	}
}

// extent returns the extent of an axis: short ones, those around limits of tiles and blocks, and others.
func extent(r *rand.Rand) int {
	limits := []int{6, 12, 16, 32, 48, 63, 64, 65, 71, 72, 73, 96, 100, 128, Block - 1, Block, Block + 1, 2*Block + 3}
	switch r.IntN(5) {
	case 0:
		return 1 + r.IntN(8)
	case 1:
		return limits[r.IntN(len(limits))]
	case 2:
		return 1 + r.IntN(400)
	}
	return 1 + r.IntN(60)
}

// testType checks products of one type against the definition.
func testType[T number](t *testing.T, typ dtype.Type, value func(r *rand.Rand) T, fma func(x, y, z T) T) {
	t.Run(typ.String(), func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, uint64(typ)))
		tries := int(typ)
		try := func(m, n, k, batch int, la, lb layout) {
			if tries++; tries%testlevel.Every(1, 1, 2) != 0 {
				return
			}
			s := newSample(r, typ, m, n, k, batch, la, lb, func() T { return value(r) }, fma)
			for _, isa := range testlevel.One(isas(), r.IntN) {
				s.check(t, isa, 1+r.IntN(8), r)
			}
		}
		for i, la := range layouts {
			for j, lb := range layouts {
				if (i+j+int(typ))%testlevel.Every(1, 3) != 0 { // so each pair has types
					continue
				}
				try(1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(20), 1+r.IntN(3), la, lb)
				try(1+r.IntN(5), 1+r.IntN(5), 1+r.IntN(600), 1, la, lb)
				try(1, 1+r.IntN(100), r.IntN(300), 1, la, lb)
				try(1+r.IntN(100), 1, r.IntN(300), 1, la, lb)
			}
		}
		for _, d := range [][3]int{{1, 1, 4}, {1, 1, 40}, {1, 9, 33}, {9, 1, 33}} { // the step of an axis of one element says nothing
			once := layout{"once", func(rows, cols int) (Matrix, int, int) { return Matrix{1, 3}, 0, rows + 3*cols }}
			try(d[0], d[1], d[2], 2, once, layouts[0])
			try(d[0], d[1], d[2], 2, layouts[0], once)
		}
		for m := 1; m <= 15; m++ { // every kernel
			try(m, 1+r.IntN(300), 7, 1, layouts[0], layouts[0])
			try(m, 1+r.IntN(300), 7, 1, layouts[1], layouts[0])
		}
		for m := 1; m <= 11; m++ { // B by columns; rows of both that share a set of the first-level cache
			try(m, 30+r.IntN(32), 1024, 1, layouts[0], layouts[1])
			try(m, 20+r.IntN(64), 3*Block-r.IntN(Block), 1+r.IntN(2), layouts[r.IntN(3)], farColumns)
			try(64+r.IntN(100), m, 60+r.IntN(300), 1+r.IntN(2), layouts[r.IntN(3)], layouts[r.IntN(3)]) // and their transposes
			try(64+r.IntN(100), 2+m%4, 31+r.IntN(33), 1+r.IntN(2), layouts[r.IntN(3)], layouts[r.IntN(3)])
			try(8+r.IntN(50), 2+m%5, 20+r.IntN(Block+30), 1+r.IntN(2), layouts[r.IntN(3)], layouts[r.IntN(3)])
			for range 4 {
				try(m, 2+r.IntN(32), 13+r.IntN(13), 1+r.IntN(2), layouts[r.IntN(3)], layouts[1])
				try(m, 2+r.IntN(32), 2*Block+r.IntN(8), 1, layouts[r.IntN(len(layouts))], layouts[1])
			}
		}
		try(65, 130, 259, 1, layouts[0], layouts[0])
		try(30, 3000, 3, 1, layouts[0], layouts[1]) // terms too few to prefetch anything
		for k := 2; k < 4; k++ {                    // and for a transposition that reads no more than they are
			try(11+r.IntN(9), 100+r.IntN(40), k, 1+r.IntN(2), layouts[r.IntN(3)], layouts[1])
			try(40+r.IntN(30), 11+r.IntN(60), k, 1, layouts[r.IntN(3)], farColumns)
		}
		try(130, 65, 259, 1, layouts[1], layouts[1])
		try(3, 4, 0, 2, layouts[0], layouts[0])
		try(0, 4, 3, 2, layouts[0], layouts[0])
		try(0, 400, 3, 2, layouts[0], layouts[0])
		try(0, 36, 65, 1, layouts[0], layouts[1])
		try(2, 3, Section+Block+3, 1, layouts[0], layouts[1])
		try(1, 1, 3*Section-1, 1, layouts[0], layouts[0])
		try(1, 1, 2*16*Block+7, 2, layouts[1], layouts[1])
		try(1, 3, 2*16*Block+7, 1, layouts[0], layouts[1])
		try(2, 1, 16*Block, 1, layouts[0], layouts[4])
		try(37, 1, 2*Block+3, 1, layouts[0], layouts[3])
		for range 4 { // one row, whose sums are in memory
			try(1, 257+r.IntN(900), 100+r.IntN(500), 1+r.IntN(2), layouts[r.IntN(len(layouts))], layouts[0])
		}
		for k := range 9 { // wide results of a few terms
			try(1+r.IntN(30), 130+r.IntN(200), k, 1+r.IntN(2), layouts[r.IntN(len(layouts))], layouts[r.IntN(3)])
			try(1+r.IntN(30), 130+r.IntN(200), k*k, 1, layouts[r.IntN(3)], layouts[0])
		}
		try(1, 5000, Block+9, 1, layouts[0], layouts[0])
		try(200, 48, Block+44, 1, layouts[r.IntN(len(layouts))], layouts[r.IntN(3)]) // all terms of some rows first
		try(119, 37, 2*Block+1, 1, layouts[r.IntN(3)], far)
		try(150, 100, 100, 1, layouts[r.IntN(len(layouts))], layouts[r.IntN(3)]) // some rows by all columns first
		try(300, 20, 1+r.IntN(40), 1, layouts[r.IntN(len(layouts))], layouts[r.IntN(3)])
		for _, m := range []int{71, 72, 73} { // one tile, and more
			try(m, 1+r.IntN(40), r.IntN(2), 1, layouts[r.IntN(3)], layouts[r.IntN(3)])
			try(m, 1+r.IntN(40), 1+r.IntN(40), 1, layouts[r.IntN(len(layouts))], far)
			try(m, 1+r.IntN(40), Block-1+r.IntN(3), 1, far, layouts[r.IntN(3)])
		}
		for _, m := range []int{2, 5, 7, 11, 12, 16, 23} { // tiles so few that a call has all strips
			try(m, 65+r.IntN(200), Block-3+r.IntN(2*Block), 1, layouts[r.IntN(3)], layouts[r.IntN(3)])
			try(m, 9+r.IntN(30), Block-3+r.IntN(2*Block), 1+r.IntN(2), layouts[r.IntN(len(layouts))], layouts[r.IntN(3)])
		}
		try(31, 150, Block+7, 1, far, far)
		try(29, 131, 2*Block+1, 1, far, layouts[0])
		try(300, 1, Block+8, 1, layouts[1], layouts[2])
		try(1, 300, Section+9, 1, layouts[0], layouts[0])
		try(17, 1, Section+5, 1, layouts[2], layouts[0])
	})
}

func TestProducts(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0x1p-149, 0x1p-1074, math.MaxFloat32}
	float := func(r *rand.Rand) float64 {
		if r.IntN(400) == 0 {
			return special[r.IntN(len(special))]
		}
		return r.NormFloat64()
	}
	testType(t, dtype.F32, func(r *rand.Rand) float32 { return float32(float(r)) }, scalar.Fma32)
	testType(t, dtype.F64, float, fma64)
	testShort(t)
	testType(t, dtype.I32, (*rand.Rand).Uint32, func(x, y, z uint32) uint32 { return x*y + z }) // the kernels of uint32
	testType(t, dtype.I64, (*rand.Rand).Uint64, func(x, y, z uint64) uint64 { return x*y + z })
}

// testShort tests integers of 8 and of 16 bits.
func testShort(t *testing.T) {
	testType(t, dtype.U8, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, func(x, y, z uint8) uint8 { return x*y + z })
	testType(t, dtype.U16, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) }, func(x, y, z uint16) uint16 { return x*y + z })
}

// TestWithoutVNNI tests the kernels of processors with AVX-512 that have no AVX512_VNNI.
func TestWithoutVNNI(t *testing.T) {
	if !slices.Contains(isas(), "avx512") {
		t.Skip("TestProducts tests the same without AVX-512")
	}
	for _, typ := range []dtype.Type{dtype.U8, dtype.U16} {
		old := families["avx512"][typ]
		defer func() { families["avx512"][typ] = old }()
		families["avx512"][typ] = &family{avx512: true, size: 4, vector: 64, rows: 14, mul: x86.VPMADDWD, add: x86.VPADDD, apart: true, whole: true, group: 2}
	}
	testShort(t)
}

// TestKernelsOfIntegers tests that integers of all sizes have kernels on every instruction set.
func TestKernelsOfIntegers(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, typ := range dtype.Integers() {
			p := Problem{Type: typ, M: 20, N: 20, K: 20, A: Matrix{20, 1}, B: Matrix{20, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{Bufs: make([]ir.BufBind, 3)}, 1)
			if _, ok := d.eng.(*machine); !ok {
				t.Errorf("%s: products of %v have no kernels", isa, typ)
			}
		}
	}
}

// TestStreams tests results whose stores bypass the caches: aligned ones, and others.
func TestStreams(t *testing.T) {
	old := streamed
	defer func() { streamed = old }()
	streamed = func() int { return 0 }
	r := rand.New(rand.NewPCG(5, 5))
	for _, d := range []struct{ m, n, k, batch int }{{40, 64, 7, 1}, {40, 64, 256, 1}, {3, 48, 80, 5}, {16, 16, 16, 9}, {300, 80, 70, 1}, {33, 65, 5, 1}, {16, 16, 0, 1}, {64, 64, 257, 1}} {
		s := newSample(r, dtype.F32, d.m, d.n, d.k, d.batch, layouts[r.IntN(3)], layouts[r.IntN(3)], func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
		for _, isa := range isas()[1:] {
			for at := range 2 {
				c := unsafe.Slice((*float32)(unsafe.Pointer(&aligned(4 * (len(s.want) + 2))[0])), len(s.want)+2)[at:]
				bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&s.a[s.first[0]])}, {Ptr: unsafe.Pointer(&s.b[s.first[1]])}, {Ptr: unsafe.Pointer(&c[0])}}}
				p := New(isa, s.p, bind, 2)
				w := p.NewWorker()
				n, _, _ := p.Units()
				p.Begin()
				if want := at == 0 && d.n%16 == 0 && d.k <= Block; p.machine.stream != want {
					t.Errorf("%s, %+v at %d: bypasses is %v, want %v", isa, d, at, !want, want)
				}
				w.Run(0, n)
				p.Finish(w)
				for i, x := range s.want {
					if !same(c[i], x) {
						t.Fatalf("%s, %+v at %d: element %d is %v, want %v", isa, d, at, i, c[i], x)
					}
				}
				if c[len(s.want)] != 0 {
					t.Errorf("%s, %+v: stored behind the result", isa, d)
				}
			}
		}
	}
}

// TestNothingSkipped tests that a factor zero hides neither infinity nor NaN.
func TestNothingSkipped(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		for at := range 6 {
			for _, zeroLeft := range []bool{true, false} {
				for _, la := range layouts[:3] {
					for _, lb := range layouts[:3] {
						zero := newSample(r, dtype.F64, 3, 4, 6, 1, la, lb, func() float64 { return 0 }, fma64)
						if zeroLeft {
							zero.b[zero.first[1]+at*zero.p.B.Row] = bad
						} else {
							zero.a[zero.first[0]+at*zero.p.A.Col] = bad
						}
						for _, isa := range isas() {
							if c := zero.run(isa, 1, r); c[0] == c[0] {
								t.Errorf("%s: 0 * %v is %v", isa, bad, c[0])
							}
						}
					}
				}
			}
		}
	}
}

// TestEveryType finds the types of numbers without products.
func TestEveryType(t *testing.T) {
	for _, typ := range dtype.Registers()[1:] {
		if kinds[typ.Unsigned()].portable == nil {
			t.Errorf("there are no products of %v", typ)
		}
		for isa, f := range families {
			if f[typ.Unsigned()] == nil {
				t.Errorf("%s has no products of %v", isa, typ)
			}
		}
	}
}
