package gemm

import (
	"context"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Product computes a [Problem]. It is a [backend.Instance], whose units are
// the tiles of the results.
type Product struct {
	p      Problem
	size   int // bytes of an element
	bind   *ir.Binding
	a, b   int // the buffers of the operands
	eng    engine
	add    func(c, x unsafe.Pointer, n int) // adds n elements
	ctx    context.Context
	stop   func() bool
	result int // bytes of all results

	rows, cols int // of a tile
	nr, nc     int // tiles of one product, along its rows and columns
	sections   int // of a sum
	cost       float64
	// partial has the results of each section, where units are sections too.
	partial []byte
}

// mostPartial is the largest size of the results of sections, in bytes. Larger
// products have enough tiles for all threads.
const mostPartial = 16 << 20

// New prepares a product for a backend. Buffers 0, 1 and 2 of bind are A, B and
// C; their addresses may change between runs.
func New(isa string, p Problem, bind *ir.Binding, threads int) *Product {
	d := &Product{size: p.Type.Size(), bind: bind, b: 1, ctx: context.Background()}
	if p.N == 1 && p.M > 1 && p.A.Row == 1 && p.A.Col != 1 || p.M == 1 && p.N > 1 && p.B.Col != 1 {
		p, d.a, d.b = p.turned(), 1, 0
	}
	if p.K == 0 { // there is nothing to point to
		p.A, p.B = Matrix{}, Matrix{}
		p.OffA, p.OffB = make([]int, len(p.OffA)), make([]int, len(p.OffB))
	}
	d.p = p
	d.eng, d.add = newEngine(isa, &d.p)
	d.stop = func() bool { return d.ctx.Err() != nil }
	d.sections = max(1, (p.K+Section-1)/Section)
	d.result = len(p.OffA) * p.M * p.N * d.size
	d.rows, d.cols, d.cost = d.eng.grain(&d.p, threads)
	d.rows, d.cols = max(1, min(d.rows, p.M)), max(1, min(d.cols, p.N))
	d.nr, d.nc = (p.M+d.rows-1)/d.rows, (p.N+d.cols-1)/d.cols
	if d.sections > 1 && d.sections*d.result <= mostPartial {
		d.partial = aligned(d.sections * d.result)
	}
	return d
}

// Units returns the number of tiles, and sections of tiles, of all results.
func (d *Product) Units() (n, grain int, cost float64) {
	n = len(d.p.OffA) * d.nr * d.nc
	terms := d.p.K
	if d.partial != nil {
		n *= d.sections
		terms = Section
	}
	return n, 1, max(1, 20+d.cost*float64(d.rows)*float64(d.cols)*float64(terms))
}

// NewWorker returns a worker, which has memory for a tile where it adds sections.
func (d *Product) NewWorker() backend.Worker {
	w := &worker{d: d}
	if d.sections > 1 && d.partial == nil {
		w.section = aligned(d.rows * d.cols * d.size)
	}
	return w
}

// Watch lets the runs that follow end early when ctx is done.
func (d *Product) Watch(ctx context.Context) { d.ctx = ctx }

// Begin begins a run.
func (d *Product) Begin() {}

// Finish adds the sections.
func (d *Product) Finish(backend.Worker) ir.FaultKind {
	if d.partial != nil && d.result > 0 {
		c := d.bind.Bufs[2].Ptr
		copy(unsafe.Slice((*byte)(c), d.result), d.partial)
		for s := 1; s < d.sections; s++ {
			d.add(c, unsafe.Pointer(&d.partial[s*d.result]), d.result/d.size)
		}
	}
	return ir.NoFault
}

type worker struct {
	d       *Product
	t, sum  tile // here, so that they are not allocated
	section []byte
}

// Run computes tiles lo to hi. Those that share columns of B follow each other.
func (w *worker) Run(lo, hi int) {
	d := w.d
	var s *scratch
	if d.eng.packs() {
		s = takeScratch()
		defer s.give()
	}
	for u := lo; u < hi; u++ {
		if d.partial != nil {
			w.tile(u/d.sections, u%d.sections, s)
		} else {
			w.tile(u, -1, s)
		}
	}
	w.t, w.sum = tile{}, tile{} // they would keep the arrays of the caller alive
}

// tile computes tile u: one section of it for partial, or all.
func (w *worker) tile(u, section int, s *scratch) {
	d, p := w.d, &w.d.p
	r := u % d.nr
	u /= d.nr
	i, r, c := u/d.nc, r*d.rows, u%d.nc*d.cols
	t := &w.t
	*t = tile{m: min(d.rows, p.M-r), n: min(d.cols, p.N-c), ldc: p.N * d.size}
	a := unsafe.Add(d.bind.Bufs[d.a].Ptr, (p.OffA[i]+r*p.A.Row)*d.size)
	b := unsafe.Add(d.bind.Bufs[d.b].Ptr, (p.OffB[i]+c*p.B.Col)*d.size)
	at := ((i*p.M+r)*p.N + c) * d.size
	begin, end := 0, d.sections
	if section >= 0 {
		begin, end = section, section+1
	}
	for q := begin; q < end; q++ {
		t.k = min(Section, p.K-q*Section)
		t.a, t.b = a, b
		if q > 0 {
			t.a = unsafe.Add(a, q*Section*p.A.Col*d.size)
			t.b = unsafe.Add(b, q*Section*p.B.Row*d.size)
		}
		switch {
		case section >= 0:
			t.c = unsafe.Pointer(&d.partial[q*d.result+at])
			d.eng.compute(t, s, d.stop)
		case q == 0:
			t.c = unsafe.Add(d.bind.Bufs[2].Ptr, at)
			d.eng.compute(t, s, d.stop)
		default:
			sum := &w.sum
			*sum = tile{a: t.a, b: t.b, c: unsafe.Pointer(&w.section[0]), m: t.m, n: t.n, k: t.k, ldc: t.n * d.size}
			d.eng.compute(sum, s, d.stop)
			for i := range t.m {
				d.add(unsafe.Add(t.c, i*t.ldc), unsafe.Add(sum.c, i*sum.ldc), t.n)
			}
		}
		if d.stop() {
			return
		}
	}
}

// newEngine chooses the engine for an instruction set, and the addition of its
// element type.
func newEngine(isa string, p *Problem) (engine, func(c, x unsafe.Pointer, n int)) {
	var e engine
	var add func(c, x unsafe.Pointer, n int)
	switch unsigned(p.Type) {
	case dtype.F32:
		e, add = &portable[float32]{axpy: axpyF32, p: p}, addTo[float32]
	case dtype.F64:
		e, add = &portable[float64]{axpy: axpyF64, p: p}, addTo[float64]
	case dtype.U8:
		e, add = &portable[uint8]{axpy: axpyInt[uint8], p: p}, addTo[uint8]
	case dtype.U32:
		e, add = &portable[uint32]{axpy: axpyInt[uint32], p: p}, addTo[uint32]
	case dtype.U64:
		e, add = &portable[uint64]{axpy: axpyInt[uint64], p: p}, addTo[uint64]
	}
	if m := newMachine(families[isa][unsigned(p.Type)], p, e); m != nil {
		e = m
	}
	return e, add
}

// unsigned returns the unsigned type of the size of an integer type. Products that
// wrap have the same bits.
func unsigned(t dtype.Type) dtype.Type {
	switch t {
	case dtype.I8:
		return dtype.U8
	case dtype.I32:
		return dtype.U32
	case dtype.I64:
		return dtype.U64
	}
	return t
}

// addTo adds n elements at x to those at c.
func addTo[T number](c, x unsafe.Pointer, n int) {
	y, z := unsafe.Slice((*T)(c), n), unsafe.Slice((*T)(x), n)
	for i := range y {
		y[i] += z[i]
	}
}
