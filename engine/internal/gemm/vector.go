package gemm

import (
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	hardware "github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// A vectors is the engine of machine code for products with a vector. One kernel reads matrices
// along their terms, the other across them; other matrices are packed for the latter.
type vectors struct {
	f        *family
	p        *Problem
	do       arithmetic
	matrix   side // whose rows or columns are the results
	vector   side
	column   bool // results are a column: the matrix is A
	prefetch prefetching
	mask     mask       // of the last terms or results
	copies   bool       // an operand or the results need memory
	rows     int        // of the largest kernel along the terms
	passes   int        // of a block of kernels across the terms
	ahead    int        // bytes from rows that follow each other to what it prefetches
	single   *exec.Code // the kernel for one result along the terms
	few      *exec.Code // the kernel for more than leastFew results of a few terms, but the last lastFew, or nil
	leastFew int
	lastFew  int
}

// l3 is the size of the third-level cache.
var l3 = sync.OnceValue(func() int { return hardware.Current().Caches.L3 })

// inHalves reports whether the processor computes vectors of 512 bits in two halves.
var inHalves = sync.OnceValue(func() bool { return hardware.Current().Halves })

// A side is an operand of a product with a vector. Steps are in bytes.
type side struct {
	term, result int // between terms, and between results
	half         dtype.Type
}

func (e *vectors) init(f *family, p *Problem, do arithmetic) {
	sizeA, sizeB := p.sizes()
	a, b := p.A.times(sizeA), p.B.times(sizeB)
	x, y := side{a.Col, a.Row, p.HalfA}, side{b.Row, b.Col, p.HalfB}
	*e = vectors{f: f, p: p, do: do, matrix: y, vector: x}
	off := p.OffB
	if p.N == 1 {
		e.matrix, e.vector, e.column, off = x, y, true, p.OffA
	}
	if p.K == 1 && e.across() { // it is read across the terms, of which there is one
		e.matrix.term = 0
	}
	matrices := len(slices.Compact(slices.Clone(off))) // at another place than the one before
	bytes, row, step := matrices*p.M*p.N*p.K*f.size, max(p.M, p.N)*f.size, e.matrix.term
	e.rows, e.passes = alongRows, f.sweptPasses(e.matrix.term)
	if e.along() {
		row, step = p.K*f.size, e.matrix.result
	}
	follow := step >= 0 && step <= 2*row // rows of the matrix follow each other
	switch {
	case bytes <= l2():
	case e.along() && step >= row && step <= row+row/8 && row <= farAhead: // rows that do not overlap
		e.prefetch, e.ahead, e.rows = nextBlock, farAhead, 2
		if bytes <= l3()/2 {
			e.ahead = nearAhead
			if row <= pageSize {
				e.rows = 4
			}
		}
	case e.along():
		if bytes > l3()/4 || row <= shortRow {
			e.prefetch = sameRow
		}
		if row <= shortRow {
			e.rows /= 2
		}
	case follow && row <= mostPrefetched && len(p.OffA) > 1 && bytes > 2*l2(): // the processor does not follow rows of small matrices
		e.prefetch = nextBlock
	case bytes <= l3()/4 && f.avx512 && !inHalves():
		e.prefetch = nextLines
	case bytes <= l3()/2 || row > mostPrefetched && !(f.avx512 && inHalves()):
	case follow && row <= pageSize && p.K > VectorBlock:
		e.prefetch = nextBlock
	default:
		e.prefetch = sameRow
	}
	if e.along() || e.results() == 1 {
		e.mask.set(p.K%Lanes(f.size), f.size)
	} else {
		e.mask.set(e.results()%f.lanes(), f.size)
	}
	e.copies = !e.readsVector() || !e.along() || e.column && p.C.Row != 1
}

// along reports whether kernels read the matrix along its terms.
func (e *vectors) along() bool {
	return e.matrix.term == e.f.size && e.matrix.half == dtype.Invalid
}

// across reports whether they read it across its terms, for results beside each other.
func (e *vectors) across() bool {
	return e.results() > 1 && e.matrix.result == e.f.size && e.matrix.half == dtype.Invalid
}

// readsVector reports whether kernels read the vector as it is.
func (e *vectors) readsVector() bool {
	return e.vector.term == e.f.size && e.vector.half == dtype.Invalid
}

func (e *vectors) packs() bool { return e.copies }

// waits is the number of bytes of the sums that wait, of all results.
func (e *vectors) waits() int {
	if e.along() {
		return 0
	}
	return (e.results() + e.f.lanes() - 1) / e.f.lanes() * e.f.vector * waiting(e.passes)
}

// results is the number of results of a product.
func (e *vectors) results() int { return max(e.p.M, e.p.N) }

func (e *vectors) grain(p *Problem, threads int) (rows, cols int, cost float64) {
	n := e.results()
	most := n / leastResults
	tiles := max(1, min(n*p.K/leastTile, most))
	if !e.along() { // rows that are read from end to end are long
		tiles = (n*e.f.size + e.f.swept() - 1) / e.f.swept()
	}
	if threads > 1 && len(p.OffA) == 1 && min(n*p.K/leastShare, most) >= threads {
		tiles = (tiles + threads - 1) / threads * threads // each has as many
	}
	tiles = max(1, tiles)
	n = ((n+tiles-1)/tiles + leastResults - 1) / leastResults * leastResults
	return n, n, 0.05 * float64(e.f.size) / 4
}

// leastShare is the number of multiply-adds of a tile from which on two threads take less time than one.
const leastShare = leastTile / 4

// leastResults is the number of results of which tiles have a multiple: whole cache lines.
const leastResults = 64

// prepare makes the kernels. It reports false if there is no memory for them.
func (e *vectors) prepare() bool {
	f := e.f
	if e.along() || e.results() == 1 {
		if e.single = f.along(1, e.prefetch); e.along() {
			e.chooseFew()
		}
		return e.single != nil && f.along(e.rows/2, e.prefetch) != nil && f.along(e.rows, e.prefetch) != nil
	}
	return f.sweep(VectorBlock, e.passes, e.prefetch) != nil && f.sweep(e.p.K%VectorBlock, e.passes, e.prefetch) != nil
}

func (e *vectors) compute(t *tile, s *scratch, stop func() bool) {
	size, n := e.f.size, max(t.m, t.n)
	matrix, vector := t.b, t.a
	given, step := *t, size
	if t.save == keep {
		t.out, t.ldo = t.c, t.ldc
	}
	if e.column {
		matrix, vector, step = t.a, t.b, t.ldo
		if t.ldc != size && n > 1 {
			t.c, t.ldc = room(&s.sums, n*size), size
		}
	}
	if !e.readsVector() {
		vector = e.contiguous(s.ofB(max(1, t.k)*size), vector, e.vector, t.k)
	}
	args, o := vectorArgs{mask: e.mask}, vectorArrays{matrix, vector, t.c}
	switch {
	case e.along():
		e.runAlong(&args, o, n, t.k, stop)
	case e.results() == 1:
		o.a = e.contiguous(s.ofA(), matrix, e.matrix, t.k)
		e.runAlong(&args, o, n, t.k, stop)
	default:
		e.runAcross(&args, o, n, t.k, s, stop)
	}
	if t.save != keep || t.out != t.c {
		t.m, t.n = 1, n
		e.do.combine(t, step)
	}
	*t = given
}

// contiguous copies k terms of a row to one place.
func (e *vectors) contiguous(to, from unsafe.Pointer, x side, k int) unsafe.Pointer {
	if x.half != dtype.Invalid {
		widen(x.half, to, from, k, x.term)
	} else {
		gather(e.f.size, to, from, k, x.term)
	}
	return to
}

// runAlong computes n results. Some of them may be computed again.
func (e *vectors) runAlong(args *vectorArgs, o vectorArrays, n, k int, stop func() bool) {
	const some = 1 << 20 // terms between two looks at the context
	step, size := e.matrix.result, e.f.size
	args.set(o)
	args.step, args.k, args.ahead = step, k, e.ahead
	if n == 1 {
		args.n = 1
		args.call(e.single, noWords)
		return
	}
	i := 0
	if e.few != nil && n > e.leastFew {
		i = e.runFew(args, o, n, k, some, stop)
	}
	for i < n && !stop() {
		rows := e.rows
		if rest := n - i; rest <= rows/2 {
			if rows /= 2; rest < rows && (n < rows || rest == 1) {
				rows = 1
			}
		} else if n < rows {
			rows /= 2
		}
		args.n = max(1, min((n-i)/rows, some/max(1, rows*k)))
		at := min(i, n-rows)
		args.a, args.c, args.next = uintptr(unsafe.Add(o.a, at*step)), unsafe.Add(o.c, at*size), rows*step
		args.call(e.f.along(rows, e.prefetch), noWords)
		i = at + rows*args.n
	}
}

// runAcross computes n results.
func (e *vectors) runAcross(args *vectorArgs, o vectorArrays, n, k int, s *scratch, stop func() bool) {
	const some = Section / 16 // terms between two looks at the context, and of a packed block
	size, width := e.f.size, e.f.swept()/e.f.size
	args.sums, args.step = s.ofA(), e.matrix.term
	var packs *packer
	if !e.across() {
		packs = &packer{f: e.f, to: unsafe.Add(args.sums, waiting(e.passes)*e.f.swept()), row: packedBytes, placement: placement{stepK: e.matrix.term, stepN: e.matrix.result}, half: e.matrix.half, size: size, s: s}
		width, args.step = packedBytes/size, packedBytes
	}
	for first := 0; (first == 0 || first < k) && !stop(); first += some {
		terms := min(some, k-first)
		for j := 0; j < n; j += width {
			cols := min(width, n-j)
			part := vectorArrays{unsafe.Add(o.a, first*e.matrix.term+j*e.matrix.result), unsafe.Add(o.x, first*size), unsafe.Add(o.c, j*size)}
			if packs != nil && terms > 0 {
				packs.from, packs.k, packs.terms = part.a, terms, terms
				packs.strip(0, 0, cols, 0, terms)
				part.a = packs.to
			}
			args.add = first
			e.sweep(args, part, cols, terms)
		}
	}
}

// sweep runs the kernels for some terms and results.
func (e *vectors) sweep(args *vectorArgs, o vectorArrays, cols, terms int) {
	lanes := e.f.lanes()
	args.set(o)
	args.vecs, args.last = cols/lanes, scalar.FromBool[int](cols%lanes > 0)
	args.next = VectorBlock * args.step
	args.ahead = 2 * args.next
	if args.n = terms / VectorBlock; args.n > 0 {
		args.call(e.f.sweep(VectorBlock, e.passes, e.prefetch), sweepWords)
	}
	if rest := terms % VectorBlock; rest > 0 || terms == 0 {
		args.n = 1
		args.call(e.f.sweep(rest, e.passes, e.prefetch), sweepWords)
	}
}

// straight reports whether the products of d are one tile each, whose operands and results are used
// where they are.
func (e *vectors) straight(d *Product) bool {
	p := &d.p
	return d.eng == engine(e) && d.nr*d.nc == 1 && d.sections == 1 && !d.apart && p.After == nil && e.readsVector() &&
		(e.along() || e.across()) && (!e.column || p.C.Row == 1)
}

// vectors computes products lo to hi, which are straight.
func (w *worker) vectors(lo, hi int, s *scratch) {
	const stride = 64 // products between two looks at the context
	d := w.d
	e, p, args := &d.vectors, &d.p, &w.vector
	a, b, c, n := d.bind.Bufs[d.a].Ptr, d.bind.Bufs[d.b].Ptr, d.bind.Bufs[2].Ptr, e.results()
	for u := lo; u < hi; u++ {
		if (u-lo)%stride == 0 && d.stop() {
			break
		}
		o := vectorArrays{unsafe.Add(b, p.OffB[u]*d.size), unsafe.Add(a, p.OffA[u]*d.size), unsafe.Add(c, p.OffC[u]*d.size)}
		if e.column {
			o.a, o.x = o.x, o.a
		}
		switch {
		case e.along():
			e.runAlong(args, o, n, p.K, d.stop)
		case p.K <= VectorBlock:
			args.sums, args.step, args.add = s.ofA(), e.matrix.term, 0
			e.sweep(args, o, n, p.K)
		default:
			e.runAcross(args, o, n, p.K, s, d.stop)
		}
	}
	args.c, args.sums = nil, nil // they would keep the arrays of the caller alive
}

// vectorArrays are the first elements of the matrix, the vector and the results.
type vectorArrays struct{ a, x, c unsafe.Pointer }

// vectorArgs is the argument block of the kernels for products with a vector.
type vectorArgs struct {
	// Those of vectorArrays. A kernel moves a and x on, to the end of their arrays and beyond, so they must not be pointers
	// for the collector.
	a, x uintptr
	c    unsafe.Pointer
	step int // bytes between results in the matrix, or between terms
	next int // and to the next rows, or the next block of terms
	k    int // terms
	n    int // kernels along the terms, or blocks
	add  int // 0: the sums of a block are stored; else they are added
	vecs int // whole vectors of a row
	last int // whether there is one more, which the mask selects
	sums unsafe.Pointer
	mask mask // where it is in args

	ahead int // bytes from a block, or from rows along the terms, to what is prefetched

	repeat *repeat // what notes the calls, or nil
}

// call calls a kernel, which changes some words.
func (args *vectorArgs) call(code *exec.Code, words []uintptr) {
	args.repeat.call(code, unsafe.Pointer(args), unsafe.Sizeof(*args), words)
}

func (args *vectorArgs) set(o vectorArrays) {
	args.a, args.x, args.c = uintptr(o.a), uintptr(o.x), o.c
}

const (
	vectorA     = int32(unsafe.Offsetof(vectorArgs{}.a))
	vectorX     = int32(unsafe.Offsetof(vectorArgs{}.x))
	vectorC     = int32(unsafe.Offsetof(vectorArgs{}.c))
	vectorStep  = int32(unsafe.Offsetof(vectorArgs{}.step))
	vectorNext  = int32(unsafe.Offsetof(vectorArgs{}.next))
	vectorK     = int32(unsafe.Offsetof(vectorArgs{}.k))
	vectorN     = int32(unsafe.Offsetof(vectorArgs{}.n))
	vectorAdd   = int32(unsafe.Offsetof(vectorArgs{}.add))
	vectorVecs  = int32(unsafe.Offsetof(vectorArgs{}.vecs))
	vectorLast  = int32(unsafe.Offsetof(vectorArgs{}.last))
	vectorSums  = int32(unsafe.Offsetof(vectorArgs{}.sums))
	vectorAhead = int32(unsafe.Offsetof(vectorArgs{}.ahead))
)

// packedBytes is the size of the rows of a packed block.
const packedBytes = 256

// alongRows is the largest number of rows of the kernel along the terms.
const alongRows = 8

// shortRow is the size of rows, in bytes, up to which half as many rows outside of the second level are
// faster: the processor follows them from the first to the last one. It follows each longer row by itself. If such rows are in
// the third level, kernels that prefetch them take 2 to 7 % longer.
const shortRow = 512

// nearAhead and farAhead are the bytes from rows that follow each other to what a kernel prefetches, in the third level and
// in memory. Two rows are faster than eight, and four of at most a page in the third level.
const nearAhead, farAhead = 8192, 16384

// mostPrefetched is the size of rows, in bytes, up to which kernels across the terms prefetch them if they come from
// memory. The processor follows longer ones, and prefetches take the loads that kernels need. Where vectors of AVX-512 are two halves,
// kernels prefetch longer ones too. Where they are not, kernels also prefetch from the third level, which is late with each row that
// begins a page.
const mostPrefetched = 1024

// along returns the kernel for so many rows; nil if there is no memory for it.
func (f *family) along(rows int, prefetch prefetching) *exec.Code {
	return f.table().alongs[bits.Len(uint(rows))][prefetch].Make(func() ([]byte, error) {
		w := alongWriter{writer: writer{Asm: x86.New(), f: f, s: shape{rows: rows, vecs: 1, masked: true}}, prefetch: prefetch}
		w.write()
		return w.Code()
	})
}
