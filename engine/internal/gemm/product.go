package gemm

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	hardware "github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Product computes a [Problem]. It is a [backend.Instance], whose units are
// the tiles of the results.
type Product struct {
	p       Problem
	size    int // bytes of an element of the result
	sum     int // and of its sum: products of bytes have sums of 32 bits, whose lowest 8 count
	sizeA   int // of A and B
	sizeB   int
	one     uint64
	bind    *ir.Binding
	a, b    int // the buffers of the operands
	eng     engine
	machine machine
	vectors vectors
	// straight says that vectors computes products without tiles.
	straight bool
	mirrors  bool     // the results are symmetric if A and B have the same address
	edge     *Product // of the last columns, which are computed as rows; or nil
	do       arithmetic
	ctx      context.Context
	stop     func() bool
	result   int // bytes of all results

	rows, cols int // of a tile
	nr, nc     int // tiles of one product, along its rows and columns
	sections   int // of a sum
	cost       float64
	// partial has the sums of each section, where units are sections too.
	partial []byte
	whole   tile // of Finish, so that it is not allocated
	// apart says that sums are not kept in the result: they are combined with it, or
	// its elements are not contiguous.
	apart       bool
	save        saver
	alpha, beta uint64 // of this run
}

// mostPartial is the largest size of the sums of sections, in bytes. Larger
// products have enough tiles for all threads.
const mostPartial = 16 << 20

// mostSums is the size of the sums of a tile that are not kept in the result, in
// bytes: they stay in a second-level cache.
const mostSums = 1 << 20

// New prepares a product for a backend. Buffers 0, 1 and 2 of bind are A, B and
// C; their addresses may change between runs, as may the scalars.
func New(isa string, p Problem, bind *ir.Binding, threads int) *Product {
	d := &Product{bind: bind, ctx: context.Background()}
	d.stop = func() bool { return d.ctx.Err() != nil }
	d.prepare(isa, p, threads)
	return d
}

// prepare prepares d for a problem. An earlier product may have used d.
func (d *Product) prepare(isa string, p Problem, threads int) {
	if p.OffC == nil {
		p.C = Matrix{p.N, 1}
		p.OffC = make([]int, len(p.OffA))
		for i := range p.OffC {
			p.OffC[i] = i * p.M * p.N
		}
	}
	if p.K == 1 { // no kernel goes from term to term
		p.A.Col, p.B.Row = 1, 1
	}
	d.a, d.b = 0, 1
	if p.After == nil && (p.transpose() || !p.Vector && families[isa][p.Type.Unsigned()].narrow(&p)) {
		p, d.a, d.b = p.transposed(), 1, 0
	}
	p = d.divideEdge(isa, p, threads)
	if p.K == 0 { // there is nothing to point to
		p.A, p.B, p.GridA, p.GridB = Matrix{}, Matrix{}, nil, nil
		p.OffA, p.OffB = make([]int, len(p.OffA)), make([]int, len(p.OffB))
	}
	d.p, d.save, d.size, d.one = p, p.saver(), p.Type.Size(), one(p.Type)
	d.sizeA, d.sizeB = p.sizes()
	d.sections = max(1, (p.K+Section-1)/Section)
	d.result = len(p.OffA) * p.M * p.N * d.size
	d.apart = p.Save != Set || p.Scaled || p.C.Col != 1 && p.N > 1
	d.choose(isa, threads)
	d.mirrors = d.symmetric()
	if d.partial = nil; d.sections > 1 && d.bySections() {
		d.partial = aligned(d.sections * d.sums())
	}
}

// divideEdge makes a product of its own of the last columns, if these are few, and returns the problem of the others.
func (d *Product) divideEdge(isa string, p Problem, threads int) Problem {
	n := families[isa][p.Type.Unsigned()].edge(&p)
	if d.edge = nil; n == 0 || d.a != 0 {
		return p
	}
	p.N -= n
	last := p
	last.N, last.OffB, last.OffC = n, []int{p.OffB[0] + p.N*p.B.Col}, []int{p.OffC[0] + p.N*p.C.Col}
	d.edge = &Product{bind: d.bind, ctx: d.ctx, stop: d.stop}
	d.edge.prepare(isa, last, threads)
	return p
}

// choose chooses the engine and divides the results into tiles.
func (d *Product) choose(isa string, threads int) {
	typ := d.p.Type.Unsigned()
	k := kinds[typ]
	d.machine.cells, d.machine.streams, d.straight = d.machine.cells[:0], false, false
	d.do = k.do
	d.sum = d.size
	apart := d.apart
	f := families[isa][typ]
	if _, chains := d.p.block(); f != nil && chains > 1 {
		d.vectors.init(f, &d.p, d.do)
		d.eng = &d.vectors
		d.divide(threads)
		if d.vectors.prepare() {
			d.straight = d.vectors.straight(d)
			return
		}
		f = nil
	}
	if f != nil && (f.group == 0 || d.p.worthGroups()) {
		if f.group > 0 {
			d.sum, d.apart, d.do = f.size, true, k.groups
		}
		d.machine.init(f, &d.p, d.do, d.combinesLater())
		d.eng, d.machine.sections = &d.machine, 1
		if d.bySections() {
			d.machine.sections = d.sections
		}
		d.divide(threads)
		d.machine.streams = d.far() && f.fence() != nil
		if d.machine.prepare(d.rows, d.cols, d.p.M%d.rows, d.p.N%d.cols) {
			byRows := d.p.C.Col == 1 || d.p.N == 1
			if d.nr*d.nc == 1 && (byRows || d.columns() && d.p.After == nil && !d.machine.packB) {
				d.machine.list(byRows, d.symmetric())
			}
			return
		}
	}
	d.sum, d.apart, d.do = d.size, apart, k.do
	d.eng = k.portable(&d.p)
	d.divide(threads)
}

// bySections reports whether units are sections of tiles where sums have several.
func (d *Product) bySections() bool { return d.p.After == nil && d.sections*d.sums() <= mostPartial }

// combinesLater reports whether kernels only store or add up sums, which are combined with
// the results when they are complete.
func (d *Product) combinesLater() bool {
	return d.sections > 1 || d.p.C.Col != 1 && d.p.N > 1 || d.sum != d.size
}

// sums is the number of bytes of the sums of all results.
func (d *Product) sums() int { return d.result / d.size * d.sum }

// worthGroups reports whether products of at most 16 bits are worth packing.
func (p *Problem) worthGroups() bool { return min(p.M, p.N) >= 4 && p.K >= 8 }

// streamed is the size of a result whose stores bypass the caches, in bytes.
var streamed = sync.OnceValue(func() int {
	c := hardware.Current().Caches
	return max(16*c.L2, c.L3/16)
})

// far reports whether stores to the result should bypass the caches: whether it is one
// block of terms, larger than what a core uses of them, and made of whole lines.
func (d *Product) far() bool {
	p := &d.p
	if d.apart || p.After != nil || p.K > Block || p.C.Row*d.size%cacheLine != 0 || d.result < streamed() {
		return false
	}
	return !slices.ContainsFunc(p.OffC, func(at int) bool { return at*d.size%cacheLine != 0 })
}

// divide divides the results into tiles.
func (d *Product) divide(threads int) {
	p := &d.p
	if d.sections >= 3*threads && d.bySections() { // threads share the sections: smaller tiles read more
		threads = 1
	}
	d.rows, d.cols, d.cost = d.eng.grain(p, threads)
	d.rows, d.cols = max(1, min(d.rows, p.M)), max(1, min(d.cols, p.N))
	if d.apart {
		d.rows = max(1, min(d.rows, mostSums/(d.cols*d.sum)))
	}
	if p.After != nil {
		unit := p.After.unit()
		d.cols = min((d.cols+unit-1)/unit*unit, p.N)
	}
	d.nr, d.nc = (p.M+d.rows-1)/d.rows, (p.N+d.cols-1)/d.cols
}

// transpose reports whether the transposed problem suits the kernels better: they
// store contiguous rows, and read columns of A and rows of B. A vector is its own
// transpose. A matrix of halves is packed, for which it is B better.
func (p *Problem) transpose() bool {
	switch {
	case p.N == 1:
		return p.M > 1 && (p.A.Row == 1 && p.A.Col != 1 || p.HalfA != dtype.Invalid)
	case p.M == 1:
		return p.B.Col != 1 && p.HalfB == dtype.Invalid
	}
	return p.C.Row == 1 && p.C.Col != 1
}

// Units returns the number of tiles, and sections of tiles, of all results.
func (d *Product) Units() (n, grain int, cost float64) {
	n, terms := d.units(), d.p.K
	if d.partial != nil {
		terms = Section
	}
	cost = max(1, 20+d.cost*float64(d.rows)*float64(d.cols)*float64(terms))
	if d.edge != nil {
		last, _, each := d.edge.Units()
		cost += float64(last) * each / float64(n)
	}
	return n, 1, cost
}

// units returns the number of units. Each computes a part of the edge too, so that threads that share the units share the edge.
func (d *Product) units() int {
	n := len(d.p.OffA) * d.nr * d.nc
	if d.partial != nil {
		n *= d.sections
	}
	return n
}

// NewWorker returns a worker.
func (d *Product) NewWorker() backend.Worker {
	w := &worker{d: d, vector: vectorArgs{mask: d.vectors.mask}, repeat: new(repeat)}
	if d.edge != nil {
		w.edge = d.edge.NewWorker().(*worker)
		w.edge.repeat = w.repeat
	}
	if x := d.p.After; x != nil {
		w.done = &region{use: x.NewWorker(), columns: x.Columns, total: d.p.N}
	}
	return w
}

// Watch lets the runs that follow end early when ctx is done.
func (d *Product) Watch(ctx context.Context) { d.ctx = ctx }

// KeepB makes the product keep what it packs of B where it can, so that runs with the same B pack it once: see
// Again. It returns the number of bytes that it keeps.
func (d *Product) KeepB() int {
	if e := &d.machine; d.eng == engine(e) && len(d.p.OffB) == 1 && d.nr*d.nc == 1 && d.a == 0 {
		e.keepB()
	}
	return len(d.machine.kept)
}

// Again says whether B has the elements that it had in the run before.
func (d *Product) Again(same bool) { d.machine.packed = same && d.machine.kept != nil }

// Begin begins a run.
func (d *Product) Begin() {
	d.alpha, d.beta = d.scalars()
	d.machine.lower = d.mirrors && d.bind.Bufs[d.a].Ptr == d.bind.Bufs[d.b].Ptr
	d.machine.stream = d.machine.streams && uintptr(d.bind.Bufs[2].Ptr)%cacheLine == 0
	if d.edge != nil {
		d.edge.Begin()
	}
}

// Finish ends a run.
func (d *Product) Finish(backend.Worker) ir.FaultKind {
	if d.partial != nil && d.result > 0 {
		d.addSections()
	}
	if d.machine.lower {
		d.mirror()
	}
	if d.edge != nil {
		d.edge.Finish(nil)
	}
	return ir.NoFault
}

// addSections adds the sums of the sections.
func (d *Product) addSections() {
	sums := unsafe.Pointer(&d.partial[0])
	for s := 1; s < d.sections; s++ {
		d.do.add(sums, unsafe.Add(sums, s*d.sums()), d.result/d.size)
	}
	p := &d.p
	for i := range p.OffC {
		d.whole = tile{m: p.M, n: p.N, c: unsafe.Add(sums, i*p.M*p.N*d.sum), ldc: p.N * d.sum}
		d.whole.combination = d.combination(i, 0, 0)
		d.do.combine(&d.whole, p.C.Col*d.size)
	}
	d.whole = tile{} // it would keep the arrays of the caller alive
}

// combination returns how the sums from row r and column c of product i on are
// combined with the result.
func (d *Product) combination(i, r, c int) combination {
	p := &d.p
	out := unsafe.Add(d.bind.Bufs[2].Ptr, (p.OffC[i]+r*p.C.Row+c*p.C.Col)*d.size)
	return combination{save: d.save, out: out, ldo: p.C.Row * d.size, alpha: d.alpha, beta: d.beta}
}

type worker struct {
	d *Product
	// These are here, so that they are not allocated.
	t      tile
	all    tile // the sums of all sections
	next   tile // the one that follows
	args   args
	vector vectorArgs
	packB  packer   // of small products
	sums   []byte   // of a small product, if they are the columns of its result
	done   *region  // nil if the results are not used
	repeat *repeat  // without calls unless the worker does whole runs
	own    *scratch // of a repeat, or nil
	edge   *worker  // of the edge of the product, or nil
}

// Run computes tiles lo to hi, and as large a part of the edge. Those that share columns of B follow each other.
func (w *worker) Run(lo, hi int) {
	d := w.d
	if w.edge != nil {
		n, last := d.units(), d.edge.units()
		w.edge.Run(lo*last/n, hi*last/n)
	}
	if d.machine.stream {
		defer d.machine.f.fence().Call(nil)
	}
	s := w.own
	listed := len(d.machine.cells) > 0
	if s == nil && (d.eng.packs() || !listed && d.partial == nil && (d.apart || d.sections > 1)) {
		s = takeScratch()
		defer s.give()
	}
	if listed {
		w.small(lo, hi, s)
		return
	}
	if d.straight {
		w.vectors(lo, hi, s)
		return
	}
	for u := lo; u < hi && !d.stop(); u++ {
		if d.partial != nil { // the sections of a tile follow each other: the last one is shorter
			w.tile(u/d.sections, u%d.sections, false, s)
		} else {
			w.tile(u, -1, u+1 < hi, s)
		}
	}
	w.t, w.all, w.next, w.packB = tile{}, tile{}, tile{}, packer{} // they would keep the arrays of the caller alive
}

// place makes t tile u, and returns the number of its product.
func (d *Product) place(t *tile, u int) (i int) {
	p, r, c := &d.p, u%d.nr*d.rows, u/d.nr%d.nc*d.cols
	i = u / d.nr / d.nc
	*t = tile{m: min(d.rows, p.M-r), n: min(d.cols, p.N-c), k: p.K, row: r, col: c}
	t.a = unsafe.Add(d.bind.Bufs[d.a].Ptr, (p.OffA[i]+r*p.A.Row)*d.sizeA)
	t.b = unsafe.Add(d.bind.Bufs[d.b].Ptr, (p.OffB[i]+c*p.B.Col)*d.sizeB)
	return i
}

// followed is the number of terms from which kernels of a tile prefetch the operands of the next one: the results of fewer take longer.
const followed = 24

// tile computes tile u: one section of it for partial, or all. More says that it computes the next one then.
func (w *worker) tile(u, section int, more bool, s *scratch) {
	d, p, t := w.d, &w.d.p, &w.t
	i := d.place(t, u)
	r, c := t.row, t.col
	if d.machine.lower && r+d.rows <= c {
		return
	}
	t.repeat = w.repeat
	if more && p.K >= followed && len(p.OffA)*(p.M*d.sizeA+p.N*d.sizeB)*p.K > l2() {
		t.next = &w.next
		d.place(t.next, u+1)
	}
	if section >= 0 {
		t.c, t.ldc = unsafe.Pointer(&d.partial[section*d.sums()+((i*p.M+r)*p.N+c)*d.sum]), p.N*d.sum
		w.only(section)
		d.eng.compute(t, s, d.stop)
		return
	}
	t.combination = d.combination(i, r, c)
	if t.c, t.ldc = t.out, t.ldo; d.apart {
		t.c, t.ldc = room(&s.sums, t.m*t.n*d.sum), t.n*d.sum
	}
	if w.done != nil {
		w.done.row, w.done.col, w.done.n, w.done.told = i*p.M+r, t.col, t.n, false
		defer w.complete(t.m)
	}
	if !d.combinesLater() {
		t.done = w.done
		d.eng.compute(t, s, d.stop)
		return
	}
	save := t.save
	t.save = keep
	all := &w.all
	*all = *t
	for q := range d.sections {
		*t = *all
		w.only(q)
		if q > 0 {
			t.c, t.ldc = room(&s.section, t.m*t.n*d.sum), t.n*d.sum
		}
		d.eng.compute(t, s, d.stop)
		for i := range t.m {
			if q > 0 {
				d.do.add(unsafe.Add(all.c, i*all.ldc), unsafe.Add(t.c, i*t.ldc), t.n)
			}
		}
		if d.stop() {
			return
		}
	}
	if all.save = save; d.apart && !w.columns(all) {
		d.do.combine(all, p.C.Col*d.size)
	}
}

// columns reports whether the sums of kernels are the columns of the results.
func (d *Product) columns() bool {
	return d.save == keep && d.p.C.Row == 1 && d.sum == d.size && d.eng == engine(&d.machine)
}

// columns stores sums that are the columns of a result. It reports false if they are not.
func (w *worker) columns(t *tile) bool {
	d, x := w.d, &w.packB
	if !d.columns() || t.n < transposeTerms {
		return false
	}
	x.f, x.row, x.stepN, x.repeat = d.machine.f, d.p.C.Col*d.size, t.ldc, w.repeat
	return x.transposeRows(t.out, t.c, nil, t.m, t.n, true)
}

// complete says that all m rows of a tile are complete, unless the engine has said so.
func (w *worker) complete(m int) {
	if !w.done.told && !w.d.stop() {
		w.done.complete(0, m, 0, w.done.n)
	}
}

// only makes the worker's tile have the terms of a section only.
func (w *worker) only(section int) {
	t, d, p := &w.t, w.d, &w.d.p
	t.k, t.term = min(Section, p.K-section*Section), section*Section
	if first := section * Section; first > 0 {
		t.a, t.b = unsafe.Add(t.a, first*p.A.Col*d.sizeA), unsafe.Add(t.b, first*p.B.Row*d.sizeB)
	}
}

// An arithmetic is the operations on results of one element type.
type arithmetic struct {
	add     func(c, x unsafe.Pointer, n int) // adds n elements to those at c
	combine func(t *tile, step int)
}

func arithmeticOf[S, T number]() arithmetic { return arithmetic{addTo[S], combine[S, T]} }

// A kind has what depends on the element type. Signed integers are multiplied as the
// unsigned ones of their size: products that wrap have the same bits.
type kind struct {
	do       arithmetic
	groups   arithmetic              // of products of groups of terms
	portable func(p *Problem) engine // the engine without machine code
}

func kindOf[T number](axpy func(y []T, a T, x *T, step int)) kind {
	return kind{arithmeticOf[T, T](), arithmeticOf[uint32, T](), func(p *Problem) engine { return &portable[T]{axpy: axpy, p: p} }}
}

var kinds = map[dtype.Type]kind{
	dtype.F32: kindOf(axpyF32), dtype.F64: kindOf(axpyF64),
	dtype.U8: kindOf(axpyInt[uint8]), dtype.U16: kindOf(axpyInt[uint16]), dtype.U32: kindOf(axpyInt[uint32]), dtype.U64: kindOf(axpyInt[uint64]),
}

// addTo adds n elements at x to those at c.
func addTo[T number](c, x unsafe.Pointer, n int) {
	y, z := unsafe.Slice((*T)(c), n), unsafe.Slice((*T)(x), n)
	for i := range y {
		y[i] += z[i]
	}
}
