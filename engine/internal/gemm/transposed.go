package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// Kernels of few rows read B by columns: they transpose four terms of some columns in registers and multiply them at
// once. Packing would store and load each element of B again, for one tile of rows.

const (
	mostTransposed     = 14 // rows of a kernel of AVX-512
	mostTransposed2    = 10 // and of AVX2
	mostTransposedVecs = 4
	leastTransposed    = 2  // terms
	mostTransposedSums = 10 // registers of them
)

// transposedKernels has kernels by rows, vectors, columns of the last one, whether A is across, and savers.
type transposedKernels [(mostTransposed + 1) * (mostTransposedVecs + 1) * (mostLanes + 1) * 2 * int(savers)]exec.Lazy

func (t *transposedKernels) of(s shape) *exec.Lazy {
	at := (s.rows*(mostTransposedVecs+1)+s.vecs)*(mostLanes+1) + s.cols
	return &t[(at*2+scalar.FromBool[int](s.across))*int(savers)+int(s.save)]
}

// mostTransposed is the largest number of rows of a kernel that reads B by columns.
func (f *family) mostTransposed() int {
	if f.avx512 {
		return mostTransposed
	}
	return mostTransposed2
}

// transposes reports whether kernels read B by columns: where one kernel has all rows of the result.
func (f *family) transposes(p *Problem) bool {
	return f.transposesColumns(p) && p.M <= f.mostTransposed() && p.N > 1
}

// transposesColumns reports whether there are kernels that read B by columns.
func (f *family) transposesColumns(p *Problem) bool {
	return f.transposing && p.K >= leastTransposed && p.B.Row == 1 && p.B.Col != 1 &&
		(p.A.Row == 1 || p.A.Col == 1) && p.HalfA == dtype.Invalid && p.HalfB == dtype.Invalid
}

// transposesFirst reports whether the kernels of the first tile read strips of B by columns, and pack them for a few more tiles. A small B is
// packed before: that waits for no memory. For AVX-512 it was not measured.
func (f *family) transposesFirst(p *Problem, vecs int) bool {
	const (
		most  = 30 // rows: with more of them tiles of fewer rows take longer than packing
		least = 16 // terms
	)
	return f.transposesColumns(p) && !f.avx512 && p.K >= least && p.M > mostTransposed2 && p.M <= most && p.N > 2*vecs*f.lanes() && p.K*p.N*f.size > l2()/2
}

// narrow reports whether the transposed problem suits kernels better, although its sums are stored by columns. There are two
// cases: the result has so few columns that a vector has room for more, and each of its elements has many terms; or kernels then
// read both operands as they are.
func (f *family) narrow(p *Problem) bool {
	const most = 8 // columns
	switch {
	case f == nil || !f.transposing || p.HalfA != dtype.Invalid || p.HalfB != dtype.Invalid:
		return false
	case p.B.Row != 1 && p.B.Col != 1 || p.A.Row != 1 && p.A.Col != 1:
		return false
	case p.N > most && f.unpacked(p):
		return true
	case f.avx512:
		return f.narrow512(p, most)
	}
	return p.N <= most && f.narrow256(p)
}

// edge returns how many of the last columns of a single product are computed as rows. These are fewer than eight, and fill at most half of a
// vector, with AVX2 less than half. They stand beside at least eight columns and at most vecs vectors. They read A again, so it must be near.
// Those of few terms store lines again, so these must be near too.
func (f *family) edge(p *Problem) int {
	const few, vecs, rows, elements = 8, 16, 24, 1 << 11 // of A
	if f == nil {
		return 0
	}
	last, most := *p, min(few-1, f.lanes()/2)
	if last.N = p.N % f.lanes(); !f.avx512 {
		most--
	}
	switch {
	case p.After != nil, p.Vector, p.saver() != keep, len(p.OffA) > 1, p.C.Col != 1,
		p.N < max(few, f.lanes()), p.N > vecs*f.lanes(), last.N == 0, last.N > most,
		p.M < rows, p.M*p.K < elements, p.M*p.K*f.size > l3()/8, p.K < fewTerms && p.M*(p.K+p.N)*f.size > l2()/2,
		p.M == p.N && p.A == p.B.transposed(), // which may be symmetric
		!f.narrow(&last):
		return 0
	}
	return last.N
}

// unpacked reports whether the transposed problem reads both operands, which are stored by columns, as they are, and stores
// its sums by columns in less time than packing takes. Its columns must fill strips of two vectors, or one of three.
func (f *family) unpacked(p *Problem) bool {
	const least = 200 // terms
	strip := 2 * f.lanes()
	whole := p.M%strip == 0 || 2*p.M == 3*strip
	return whole && p.A.Row == 1 && p.B.Row == 1 && p.K >= least && p.M*p.N <= 16*p.K
}

// narrow512 is narrow for AVX-512. The elements of A from which it pays rise with the columns; more are needed where these fill a vector, and
// none where B is by columns, which would be packed. Kernels prefetch an A that comes from memory: see computeTransposed.
func (f *family) narrow512(p *Problem, few int) bool {
	const most, least = 12, 16 // columns; rows, and terms where stores take long
	bytes, row := p.M*p.K*f.size, p.N*f.size
	all := len(p.OffA) * (bytes + p.M*row)
	switch {
	case p.K < transposeTerms, p.N > most,
		p.N > few && (p.K < least || bytes > l3()/8),
		p.A.Col == 1 && (p.K < p.N || p.N > few && p.K < 4*least),              // to load so few terms as columns takes longer
		bytes > l3()/2 && p.A.Col == 1 && p.K*f.size > 1<<10,                   // from memory, long rows are faster one after the other
		p.K < least && (all > l3()/4 || p.M*row > cachedB && 2*row > f.vector), // stores take long
		all > l2() && len(p.OffA) > 1 && (p.K < 2*least || p.M < 4*least):      // of a stack
		return false
	}
	elements := max(512, 3*p.N*row)
	switch {
	case row == f.vector:
		elements = max(2*elements, 64*p.M)
	case row < f.vector && p.B.Row == 1:
		elements = 0
	}
	return p.M >= least && p.M*p.K >= elements
}

// narrow256 is narrow for AVX2. Up to five columns of at most 24 bytes become rows from 20 terms on, others from 64. The fewest rows fall as
// the terms rise: at least 16 rows, and as many as have ten blocks of terms together, for up to one block of terms; 8 rows for more. Seven and
// eight columns of more terms take rows of a hundred blocks, others 64 rows. If A is by rows, columns become rows that fill no vector, and
// whose A is near: its rows are faster one after the other from memory. If A is by columns they do from more than one block of terms on; for
// less they have at most a vector and a half, and fill no vectors unless A comes from farther than the second level.
func (f *family) narrow256(p *Problem) bool {
	terms, rows, bytes, row := 64, 64, p.M*p.K*f.size, p.N*f.size
	five, byColumns := p.N <= 5, p.A.Row == 1
	small := five && row <= 24
	if small {
		terms = 20
	}
	if p.K < terms {
		return false
	}
	switch {
	case p.K > Block && (five || p.N == 6 && byColumns):
		rows = 8
	case p.K > Block && byColumns:
		rows = max(16, 100*Block/p.K)
	case small, five && p.K == Block, p.N <= 6 && byColumns:
		rows = max(16, 10*Block/p.K)
	}
	switch {
	case p.M < rows:
		return false
	case byColumns:
		return p.K > Block || row <= f.vector*3/2 && (row%f.vector != 0 || bytes > l2())
	}
	return (small || p.K >= Block) && row < f.vector && bytes <= l3()/4
}

// transposedVecs returns the number of vectors of a kernel of so many rows, of columns at a distance of step bytes. The pointers of a
// kernel reach 35 columns, or 30 if A takes one of the pointers, from six rows on, or 25 if it takes two, from eleven rows on. It takes none if
// across says that rows of A are neighbours.
// Unless the distance is 0, no more columns of a kernel share a set of the first-level cache than the set has ways.
func (f *family) transposedVecs(rows, cols, step int, across bool) int {
	vecs := [mostTransposed + 1]int{0, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1}
	switch {
	case f.avx512 && f.size == 4 && across:
		vecs = [mostTransposed + 1]int{0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1}
	case f.avx512 && f.size == 4: // as many as fit: see together
		vecs = [mostTransposed + 1]int{0, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	case f.avx512:
		vecs = [mostTransposed + 1]int{0, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1}
	case f.size == 8:
		vecs = [mostTransposed + 1]int{0, 4, 2, 2, 3, 2, 2, 1, 1, 1, 1}
	}
	most := (cols + f.lanes() - 1) / f.lanes()
	if step != 0 {
		most = min(most, max(1, ways*pageSize/sharing(step)/f.lanes()))
	}
	return min(most, vecs[rows])
}

// transposedStrip returns the number of vectors of a kernel for a problem that reads B by columns, and whether a block of each strip
// of columns is copied first. It is for 4 to 7 rows of float32 whose columns share a set of the first-level cache: a kernel of so
// few columns as the set has room for waits for its sums. With fewer rows a copy takes more time than it saves. With more rows a
// kernel has enough sums.
func (f *family) transposedStrip(p *Problem, step int) (vecs int, copies bool) {
	const least, most = 4, 7 // rows
	rows := max(1, p.M)
	if copies = f.size == 4 && rows >= least && rows <= most && conflict(step); copies {
		step = 0
	}
	return f.transposedVecs(rows, p.N, step, p.A.Row == 1 && p.A.Col != 1), copies
}

// computeTransposed computes a tile: all terms of some columns, which are near in memory, and then all terms of the next columns.
func (e *machine) computeTransposed(t *tile, memory *scratch, stop func() bool) {
	c := transposedCall{e: e, t: t, memory: memory, s: shape{rows: t.m, across: e.across, transposed: true}}
	x := &c.args
	x.as, x.bs, x.cs, x.os, x.alpha, x.beta, x.mask = e.a.Row, e.b.Col, t.ldc, t.ldo, t.alpha, t.beta, e.last
	x.tiles, x.again, x.stripA, x.stripB = 1, 1, Block*e.a.Col, Block*e.b.Row
	switch {
	case e.across:
		x.as = e.a.Col
	case e.packA:
		x.as = e.copied(t.k)
		t.a = e.copyRows(memory.ofA(), t.a, x.as, e.a.Row, t.m, t.k)
	}
	last := max(0, t.k-1) / Block * Block // the first term of the last block
	x.tileAhead = e.nextStrip(last/Block + 1)
	x.left = (x.tileAhead + cacheLine - 1) / cacheLine
	first := 0
	if whole := t.n / e.width; last == 0 && !e.copiesB && whole > 1 { // one call computes all whole strips
		x.stripA, x.stripB, x.stripC, x.stripOut = 0, e.width*e.b.Col, e.width*e.size, e.width*e.size
		c.s.columns(e.f, e.width)
		c.run(0, 0, whole, t.k, t.save)
		x.left = 0
		first = whole * e.width
	}
	for j := first; j < t.n && !stop(); j += e.width {
		c.s.columns(e.f, min(e.width, t.n-j))
		if last > 0 {
			c.run(j, 0, 1, Block, keep)
		}
		if last > Block {
			c.run(j, Block, last/Block-1, Block, keep)
		}
		c.run(j, last, 1, t.k-last, t.save)
	}
	if t.done != nil {
		t.done.complete(0, t.m, 0, t.n)
	}
}

// nextStrip returns how many bytes of the next strip of columns each kernel prefetches, one for each block of terms. It returns 0 if B is near, or if
// a strip has gaps or does not stay in the second level.
func (e *machine) nextStrip(blocks int) int {
	strip, far := e.width*e.b.Col, l3()/8
	if blocks > 1 { // the processor follows rows of as many terms in a cache
		far = l3() / 4
	}
	if strip <= 0 || strip > l2()/4 || e.b.Row*e.p.K*2 <= e.b.Col || e.p.K*e.p.N*e.size <= far {
		return 0
	}
	return strip / blocks
}

// A transposedCall calls kernels that read B by columns.
type transposedCall struct {
	e      *machine
	t      *tile
	memory *scratch
	s      shape
	args   args
}

// run adds some blocks of so many terms, from a term on, to columns from j on.
func (c *transposedCall) run(j, term, blocks, terms int, save saver) {
	e, t, x := c.e, c.t, &c.args
	if e.copiesB && blocks > 1 {
		for i := range blocks {
			c.run(j, term+i*terms, 1, terms, save)
		}
		return
	}
	x.a, x.b = unsafe.Add(t.a, term*e.a.Col), unsafe.Add(t.b, j*e.b.Col+term*e.b.Row)
	if e.copiesB {
		cols := min(e.width, t.n-j)
		x.bs = e.copied(Block)
		x.b = e.copyRows(c.memory.ofB(cols*x.bs), x.b, x.bs, e.b.Col, cols, terms)
	}
	x.ahead = uintptr(t.b) + uintptr((j+e.width)*e.b.Col+term/Block*x.tileAhead)
	x.c, x.out = unsafe.Add(t.c, j*e.size), unsafe.Add(t.out, j*e.size)
	x.k, x.add, x.more, x.tiles, c.s.save = terms, term, blocks-1, 1, save
	t.repeat.call(e.f.kernel(c.s), unsafe.Pointer(x), unsafe.Sizeof(*x), tileWords)
}

// copyRows copies rows, or columns, so that they begin in different sets of the caches, at distances in bytes.
func (e *machine) copyRows(to, from unsafe.Pointer, toStep, fromStep, rows, terms int) unsafe.Pointer {
	for i := range rows {
		copy(unsafe.Slice((*byte)(unsafe.Add(to, i*toStep)), terms*e.size), unsafe.Slice((*byte)(unsafe.Add(from, i*fromStep)), terms*e.size))
	}
	return to
}

// copied is the distance of rows of so many terms that copyRows has copied.
func (e *machine) copied(terms int) int { return terms*e.size + cacheLine }

// transposedB are the registers with the addresses of every fifth column. The last two have those of the eleventh and the sixth row of A, if
// A has so many rows.
var transposedB = [7]x86.Reg{ptrB, ptrC, ahead, x86.R14, x86.R15, ptrA[2], ptrA[1]}

// transposedColumns is the number of columns of B that a kernel reads by columns.
func (w *writer) transposedColumns() int {
	if !w.s.transposed {
		return 0
	}
	return (w.s.vecs-1)*w.f.lanes() + w.s.cols
}

// pointColumns computes the addresses of every fifth column but the first one.
func (w *writer) pointColumns() {
	for i := 5; i < w.transposedColumns(); i += 5 {
		w.I(x86.LEA, x86.W64, transposedB[i/5], x86.AtX(transposedB[i/5-1], stepB, 4, 0))
		w.I(x86.ADD, x86.W64, transposedB[i/5], stepB)
	}
}

// placeB is the place of a column of vector j. The last column stands for those that are not there.
func (w *writer) placeB(j, i int, disp int32) x86.Mem {
	i = min(j*w.f.lanes()+i, w.transposedColumns()-1)
	return times(transposedB[i/5], stepB, stepB3, i%5, disp)
}

// addTransposed adds so many terms, one or two groups, and moves the pointers.
func (w *writer) addTransposed(terms int) {
	n := w.together(terms)
	for j := 0; j < w.s.vecs; j += n {
		for u := 0; u < terms; u += w.f.atOnce(transposeTerms) {
			if u == transposeTerms {
				w.advanceA(u)
			}
			w.transposeVecs(j, n, u, terms)
		}
	}
	w.advanceA(transposeTerms)
	w.advanceB(terms)
}

// prefetchNext prefetches lines of a later product. No processor follows loads under masks, by which the kernels of AVX-512 read B.
func (w *writer) prefetchNext() {
	const at = x86.RAX
	if !w.f.avx512 {
		return
	}
	none, line := w.NewLabel(), w.NewLabel()
	w.arguments(argument{count, argLeft}, argument{at, argAhead})
	w.I(x86.TEST, x86.W64, count, count)
	w.I(x86.JE, 0, none)
	w.Bind(line)
	w.I(x86.PREFETCHT0, 0, x86.At(at, 0))
	w.I(x86.ADD, x86.W64, at, x86.Imm(cacheLine))
	w.I(x86.SUB, x86.W64, count, x86.Imm(1))
	w.I(x86.JNE, 0, line)
	w.Bind(none)
}

// transposedTemps is the number of registers that a vector needs for a group of terms. If one transposition has all four, the first needs one
// more.
const transposedTemps = 4

// together is the number of vectors whose terms are in registers at once, of one or two groups: all of them, or one of one group. Of two
// groups it is 0 if it cannot be all: only float32 of AVX-512 has them, where two take half as many loads.
func (w *writer) together(terms int) int {
	n, registers, spare := w.s.vecs, 16, 1
	if w.f.avx512 {
		registers, spare = 32, n
	}
	if w.f.atOnce(transposeTerms) < transposeTerms {
		spare = 0
	}
	fits := n*(w.s.rows+transposedTemps/transposeTerms*terms)+1+spare <= registers
	switch two := terms > transposeTerms; {
	case two && (!fits || !w.f.avx512 || w.f.size == 8):
		return 0
	case fits:
		return n
	}
	return 1
}

// transposeVecs adds the terms of one transposition, from the u-th one on, of n vectors from vector j on. Register colA holds an
// element of A, which is loaded once for all vectors, but with AVX2 for each first term of float32, whose last
// instruction needs a register that all share. Pointers of A are at the group.
func (w *writer) transposeVecs(j, n, u, terms int) {
	free := w.colA + 1
	spare, step := free+transposedTemps*x86.Vec(n), x86.Vec(scalar.FromBool[int](w.f.avx512))
	to := []x86.Vec{2, 0} // where terms go: what these registers have is not needed
	if w.f.atOnce(transposeTerms) == transposeTerms {
		to = []x86.Vec{transposedTemps, 1, 3, 0}
	}
	last := make([][]func(to x86.Vec), n)
	at := func(v, i int) x86.Vec {
		if to[i] == transposedTemps {
			return spare + x86.Vec(v)*step
		}
		return free + transposedTemps*x86.Vec(v) + to[i]
	}
	for v := range last {
		x := transposition{l: w.length(j + v), free: free + transposedTemps*x86.Vec(v), kept: spare + x86.Vec(n) + transposeTerms*x86.Vec(v), first: u, terms: terms}
		last[v] = w.transpose(x, func(i int, disp int32) x86.Mem { return w.placeB(j+v, i, disp) })
	}
	for i := range to {
		some := n // vectors at a time
		if to[i] == transposedTemps && step == 0 {
			some = 1
		}
		for first := 0; first < n; first += some {
			for v := first; v < first+some; v++ {
				last[v][i](at(v, i))
				w.keepB(u+i, j+v, at(v, i))
			}
			for r := range w.s.rows {
				w.loadA(w.colA, (u+i)%transposeTerms, r)
				for v := first; v < first+some; v++ {
					w.multiply(r, j+v, w.colA, at(v, i))
				}
			}
		}
	}
}

// multiplyRows adds the products of vector j of the u-th term from here.
func (w *writer) multiplyRows(u, j int, b x86.Vec) {
	for i := range w.s.rows {
		w.loadA(w.colA, u, i)
		w.multiply(i, j, w.colA, b)
	}
}

// gatherTerm adds one term.
func (w *writer) gatherTerm() {
	first, insert := w.of(x86.VMOVSS, x86.VMOVSD), w.of(x86.VPINSRD, x86.VPINSRQ)
	per := transposeChunk / w.f.size
	for j := range w.s.vecs {
		b := w.colA + 1
		l := w.length(j)
		for c := range int(l) / 8 / transposeChunk {
			to := b + x86.Vec(c)
			w.I(first, x86.L128, to, w.placeB(j, c*per, 0))
			for i := 1; i < per; i++ {
				w.I(insert, x86.L128, to, to, w.placeB(j, c*per+i, 0), x86.Imm(i))
			}
		}
		insert := x86.VINSERTF128
		if w.f.avx512 {
			insert = x86.VINSERTF32X4
		}
		for c := 1; c < int(l)/8/transposeChunk; c++ {
			w.I(insert, l, b, b, b+x86.Vec(c), x86.Imm(c))
		}
		w.keepB(0, j, b)
		w.multiplyRows(0, j, b)
	}
}
