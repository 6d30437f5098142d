package gemm

import (
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
	hardware "github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A machine is the engine of machine code. It packs blocks of the operands
// where kernels cannot read them as they are, or read them often.
type machine struct {
	f    *family
	p    *Problem
	size int
	// Distances in bytes.
	a, b            Matrix
	rows, vecs      int // of kernels
	width           int // columns of a kernel
	across          bool
	transposed      bool // kernels read B by columns
	transposesFirst bool // those of the first tile do, and pack it
	packA, packB    bool
	copiesB         bool // strips of B that are read by columns are copied, block by block
	byTiles         bool // A is packed tile by tile, just before the first kernel of the tile
	byRows          bool // what is packed of A keeps the terms of a row next to each other
	halfA, halfB    bool // the elements of A and B are halves or bytes, which packing converts
	save            saver
	last            mask // of the last columns of C
	do              arithmetic
	sections        int      // of a sum, that are units of their own
	cells           []cell   // of a small product
	nextAhead       int      // number of products from one to that whose operands its kernels prefetch
	sums            int      // bytes between rows of the sums of a small product, if they are the columns of its result; else 0
	turns           int      // 1 if every second product prefetches something else; else 0
	later           [2]fetch // of a small product: of even and of odd ones
	// streams says that stores to the result should bypass the caches, where it is
	// aligned, and stream that this run does so.
	streams, stream bool
	mostRows        int    // that a block of rows may have, which stays in the second level; 0: any number
	lower           bool   // what lies above the diagonal need not be computed: see symmetric
	through         bool   // one call reads a block of terms of B, which is not packed, from a cache: see oneCall
	passing         bool   // passes over all columns of B add a few terms each: see passes
	large           bool   // operands and results do not fit into the second level
	kept            []byte // all of B packed, for runs that follow; nil: nothing is kept
	packed          bool   // kept has the B of this run
}

// init makes e the engine of a family of kernels, which combine sums with the results unless
// that is done later.
func (e *machine) init(f *family, p *Problem, do arithmetic, later bool) {
	*e = machine{f: f, p: p, size: f.size, do: do, cells: e.cells}
	sizeA, sizeB := p.sizes()
	e.a, e.b = p.A.times(sizeA), p.B.times(sizeB)
	e.halfA, e.halfB = p.HalfA != dtype.Invalid || f.group > 0, p.HalfB != dtype.Invalid || f.group > 0
	if e.save = p.saver(); later {
		e.save = keep
	}
	if e.rows, e.vecs = f.shape(p, conflict(e.a.Row)); f.transposes(p) {
		e.transposed, e.rows = true, max(1, p.M)
		e.vecs, e.copiesB = f.transposedStrip(p, e.b.Col)
	}
	if e.transposesFirst = f.transposesFirst(p, e.vecs); e.transposesFirst {
		e.rows = min(e.rows, mostTransposedSums/e.vecs)
	}
	e.width = e.vecs * f.lanes()
	if e.transposed && !e.copiesB && conflict(e.b.Col) { // a set of the first-level cache has room for half a vector of AVX-512
		e.width = min(e.width, ways)
	}
	e.across = p.A.Row == 1 && p.A.Col != 1 && !e.halfA
	e.last.set(p.N%min(e.width, f.lanes()), e.size)
	if p.After != nil {
		e.mostRows = max(2, mostAfter/(min(p.After.Columns, p.N)*e.size*e.rows)) * e.rows
	}
	e.choose(p)
	if !e.packA && p.N > e.width { // all strips read the rows
		most := max(1, l2()/2/(max(1, min(p.K, Block))*e.size*e.rows)) * e.rows
		if e.mostRows == 0 || most < e.mostRows {
			e.mostRows = most
		}
	}
}

// shape returns the rows and the vectors of kernels for a problem. Few vectors are one strip, where that takes no more
// kernels: then each element of A is read once. If rows of A share a set of the first-level cache, and so few columns use them that
// they are not packed, kernels have no more rows than a set has ways. With AVX-512, results of a few terms whose stores
// take long have few rows and many vectors: wide ones that leave the first level, and those of three vectors and more that are far. Results that
// are columns in memory do not: their sums are next to each other.
func (f *family) shape(p *Problem, shared bool) (rows, width int) {
	const few, fewer = 8, 2 // vectors
	m, lanes := p.M, f.lanes()
	vecs, whole := (p.N+lanes-1)/lanes, p.N%lanes == 0 || p.N%lanes == lanes/2
	most := f.most(vecs)
	wide := f.avx512 && p.K <= fewTerms && p.C.Col == 1 && (vecs > few && len(p.OffA)*m*p.N*f.size > cachedB || vecs > fewer && f.far(p))
	if wide { // as many rows as have all columns in one kernel, or two or three
		for most = min(most, max(2, p.K)); most > 3 && f.vecs(most, whole) < vecs; most-- {
		}
	}
	if shared && p.A.Col == 1 && vecs <= few {
		most = min(most, ways)
	}
	tiles := max(1, (m+most-1)/most)
	rows = max(1, (m+tiles-1)/tiles)
	width = max(1, min(f.vecs(rows, whole), vecs))
	strips := (vecs + width - 1) / width
	if wide { // strips of about one width
		width = (vecs + strips - 1) / strips
	}
	kernels := tiles * strips
	for less := rows - 1; less > 0; less-- {
		if n := (m + less - 1) / less; n <= kernels && f.vecs(less, whole) >= vecs && f.busy(less, vecs, p.K) {
			return (m + n - 1) / n, vecs
		}
	}
	return rows, width
}

// far reports whether results do not stay in the second level, and have rows that share lines or are those of several products of few terms.
func (f *family) far(p *Problem) bool {
	return (p.C.Row*f.size%cacheLine != 0 || len(p.OffA) > 1 && p.K <= storedTerms) && len(p.OffA)*p.M*p.N*f.size > l2()
}

// busy reports whether kernels of so many rows and vectors do not wait for loads or for sums. Of few terms, for which
// one call computes all tiles of a strip, AVX2 needs no more than nine sums.
func (f *family) busy(rows, vecs, terms int) bool {
	if f.avx512 || terms > fewTerms {
		return rows >= max(4, vecs)
	}
	return rows*vecs >= 9
}

// prepare makes the kernels for tiles of m rows and n columns, and for the last ones,
// which may have fewer. It reports false if there is no memory for them.
func (e *machine) prepare(m, n, lastM, lastN int) bool {
	for _, m := range [2]int{m, lastM} {
		for _, n := range [2]int{n, lastN} {
			if m == 0 || n == 0 || e.p.M == 0 || e.p.N == 0 {
				continue
			}
			step := e.step(m, n)
			if !e.prepareRows(step, n) || m > step && !e.prepareRows(m-(m-1)/step*step, n) {
				return false
			}
		}
	}
	return true
}

func (e *machine) prepareRows(m, n int) bool {
	tiles := (m + e.rows - 1) / e.rows
	for _, rows := range [2]int{(m + tiles - 1) / tiles, m / tiles} {
		full := min(e.width, n)
		if !e.made(rows, full) || n%e.width != full && !e.made(rows, n%e.width) {
			return false
		}
		if m%tiles == 0 {
			break
		}
	}
	return true
}

// made reports whether there are the kernels for so many rows and columns, which may
// be 0. It makes them where they are missing.
func (e *machine) made(rows, cols int) bool {
	if cols == 0 {
		return true
	}
	s := shape{rows: rows, across: e.across || e.packA && !e.byRows && !e.transposed, save: e.save, transposed: e.transposed}
	s.columns(e.f, cols)
	saves := []saver{e.save}
	if e.streams {
		saves = append(saves, stream)
	}
	if e.p.K > Block || e.passing {
		saves = append(saves, keep)
	}
	for _, s.save = range saves {
		for r := range e.mostRate() + 1 {
			if s.rate = r; e.f.kernel(s) == nil {
				return false
			}
		}
		resumed := s
		if resumed.resumes, resumed.rate = true, silent; e.passing && e.f.kernel(resumed) == nil {
			return false
		}
	}
	return true
}

// mostRate is the densest rate at which kernels prefetch. One or two tiles of rows read a B that is not packed: there
// each term needs several lines that no cache near has. With AVX2 kernels prefetch those lines otherwise: see passes.
func (e *machine) mostRate() rate {
	if e.f.avx512 && e.large && !e.packB && e.p.M <= 2*e.rows {
		return densest
	}
	return dense
}

// columns makes s the shape of a kernel for so many columns.
func (s *shape) columns(f *family, n int) {
	lanes := f.lanes()
	last := (n-1)%lanes + 1
	s.vecs, s.half = (n+lanes-1)/lanes, last <= lanes/2
	s.masked = last != lanes && last != lanes/2
	if s.transposed {
		s.cols = last
	}
}

// step is the number of rows of A that a tile of m rows and n columns has at a time.
func (e *machine) step(m, n int) int {
	most := m
	if e.passing {
		return m
	}
	if e.packA {
		most = e.blockRows()
	}
	if e.mostRows > 0 {
		most = min(most, e.mostRows)
	}
	if e.rowsFirst(n) {
		most = min(most, max(1, l2()/4/((Block+n)*e.size*e.rows))*e.rows)
	}
	blocks := (m + most - 1) / max(most, 1)
	return (m + blocks - 1) / max(blocks, 1)
}

// choose says which operands are packed: those that kernels cannot read as they
// are, those whose rows would evict each other from the first-level cache, and
// both if they and the result do not fit into the second level. What is used by
// a few kernels only is not worth it.
func (e *machine) choose(p *Problem) {
	k := min(p.K, Block)
	e.large = (p.M*k+k*p.N+p.M*p.N)*e.size > l2()*3/4
	stepA := e.a.Row
	if e.across {
		stepA = e.a.Col
	}
	strips := (p.N - 1) / e.width
	apart := e.across && !e.f.avx512 && p.M > 2*e.rows && (k > Block/2 || k*stepA > nearPages*pageSize)
	e.packA = e.halfA || p.A.Col != 1 && p.K > 1 && !e.across || p.M > 2 && ((e.large || apart) && strips >= e.f.repays(apart) || strips >= 4 && conflict(stepA))
	if e.transposed { // rows of A are copied
		e.packA = p.M > 2 && strips >= 4 && !e.across && conflict(e.a.Row) && p.M*e.copied(min(p.K, Section)) <= packA
	}
	e.byTiles = (p.A.Col == 1 || p.GridA.byTerms()) && e.f.group == 0
	e.byRows = e.byTiles && e.f.avx512
	mostTiles := nearTiles
	if k > storedTerms {
		mostTiles = farTiles
	}
	again := p.M > 2*e.rows && (p.M > mostTiles*e.rows || k > nearPages || k > ways && conflict(e.b.Row))
	again = again && (e.large || conflict(e.b.Row) || e.overfills(k)) || e.uneven()
	e.packB = !e.transposed && (e.halfB || p.GridB != nil || p.B.Col != 1 && p.N > 1 || again)
	e.passing = e.passes(p)
	e.through = !e.passing && e.oneCall(p)
}

// passAhead is the number of rows ahead that kernels of one pass over B prefetch: these arrive in time from the third level.
const passAhead = 16

// oneCall reports whether one call should compute all strips of a block of terms: of one or two tiles of rows with B from
// a cache, less of it for two. Its kernels prefetch the lines of their own strip some rows ahead, unless these
// share a set. That pays where a strip has many terms, or where B leaves the caches.
func (e *machine) oneCall(p *Problem) bool {
	const many = 80 // terms
	tiles, b := (p.M+e.rows-1)/e.rows, p.K*p.N*e.size
	far := b > 2*l2() || tiles == 1 && b > mostNearB()
	return !e.packB && !e.transposed && !conflict(e.b.Row) && tiles <= 2 && (p.K >= many || far && p.K > passAhead) &&
		p.N > 4*e.width && tiles*b <= l3()/4
}

// stepB is the distance in bytes that kernels take in B as it is: of columns if they read B by columns, else of
// terms.
func (e *machine) stepB() int {
	if e.transposed || e.transposesFirst {
		return e.b.Col
	}
	return e.b.Row
}

// conflict reports whether rows at such a distance share a set of the first-level cache.
func conflict(step int) bool { return step%pageSize == 0 && step != 0 }

// sharing is the number of bytes of a page in which rows at such a distance use one set of the first-level cache.
func sharing(step int) int { return min(step&-step, pageSize) }

// overfills reports whether a strip of so many terms of B has more rows in a set of the first-level cache
// than that holds, and enough rows of A read it for packing to pay.
func (e *machine) overfills(terms int) bool {
	shared := sharing(e.b.Row)
	return e.p.M > 16*e.rows && shared > cacheLine && terms*shared > ways*pageSize
}

// uneven reports whether kernels read rows of B that fill no vectors, under a mask and across the ends of lines, and enough rows of A
// read them for packing to pay. Most vectors of 64 bytes reach across an end.
func (e *machine) uneven() bool {
	enough := 32 // tiles
	if e.f.avx512 {
		enough = 16
	}
	return e.p.N > 1 && e.p.N%e.f.lanes() != 0 && e.p.M > enough*e.rows
}

// nearPages is the number of pages whose addresses a processor keeps: so many rows of B need not be packed
// for some tiles of A.
const nearPages = 64

// farTiles is the number of tiles of A up to which kernels of more than storedTerms read a B of so few rows as it is: to pack it takes as
// long as it saves. nearTiles is the same for fewer terms.
const nearTiles, farTiles = 8, 16

// ways is the number of lines that a set of the first-level cache has, at least.
const ways = 8

// pageSize is a distance of rows at which they share a set of the first-level
// cache.
const pageSize = 4096

// l2 is the size of the second-level cache.
var l2 = sync.OnceValue(func() int {
	if n := hardware.Current().Caches.L2; n > 0 {
		return n
	}
	return 1 << 20
})

// panel is the number of bytes of one term of a packed tile of A. With AVX2 terms follow each
// other: a tile shares the first-level cache with a strip of B.
func (e *machine) panel() int {
	if e.byRows || !e.f.avx512 {
		return e.rows * e.size
	}
	lanes := e.f.lanes()
	return (e.rows + lanes - 1) / lanes * lanes * e.size
}

// blockRows is the number of rows of A that are packed at a time.
func (e *machine) blockRows() int { return max(1, min(packA, l2()/4)/(Block*e.panel())) * e.rows }

// leastTile is the number of multiply-adds of a tile for which the time around its kernels
// is short.
const leastTile = 1 << 17

func (e *machine) grain(p *Problem, threads int) (rows, cols int, cost float64) {
	cost = 0.01 * float64(e.size) / 4 * float64(64/e.f.vector)
	if e.packB {
		most := packB
		if p.GridB != nil && min(p.M, e.blockRows())*p.N*e.size > l2()/4 {
			most = l2() / 2 // what a part of an image becomes stays in the second level, unless all results do
		}
		rows, cols = e.share(p, most/(Block*e.size), threads)
		return rows, cols, cost
	}
	rows = 8 * e.rows
	if p.M <= 12*e.rows || p.M*p.N*p.K <= mostListed { // one block reads B once, and may have a list
		rows = max(1, p.M)
	}
	if e.packA {
		rows = e.blockRows()
	}
	block := min(1<<16, mostNearB()/e.size) // elements of B
	cols = max(1, block/(max(1, min(p.K, Block))*e.width)) * e.width
	if e.through || e.passing { // B is read once; the results stay in the second level
		cols = max(1, mostAfter/2/(rows*e.width*e.size)) * e.width
	}
	rows *= max(1, leastTile/(rows*max(1, min(cols, p.N)*p.K)))
	const shared = 1 << 18 // multiply-adds of a product that is worth several threads
	n, nc := (p.M+rows-1)/rows, (p.N+cols-1)/max(cols, 1)
	// Each thread gets as many tiles of about one size.
	whole := p.After != nil && p.After.unit() >= p.N // what uses the result needs whole rows
	switch {
	case threads == 1 || len(p.OffA) > 1 || float64(p.M)*float64(p.N)*float64(p.K) < shared:
	case n == 1 && !whole && (e.transposed || e.through || e.passing || nc > 1 || p.M <= e.rows && p.N >= 4*threads*e.f.lanes()):
		nc = (nc + threads - 1) / threads * threads
		cols = ((p.N+nc-1)/nc + e.f.lanes() - 1) / e.f.lanes() * e.f.lanes()
	case (nc == 1 || whole) && n < 4*threads:
		n = (n + threads - 1) / threads * threads
		rows = (p.M + n - 1) / n
	}
	return rows, cols, cost
}

// packedB is the number of bytes of all of B packed, or 0.
func (e *machine) packedB() int {
	if !e.packB {
		return 0
	}
	return (e.p.N + e.width - 1) / e.width * e.width * e.size * e.steps(e.p.K)
}

// packs reports whether an operand is packed.
func (e *machine) packs() bool {
	return e.packA || e.packB || e.copiesB || e.passing
}

func (e *machine) compute(t *tile, s *scratch, stop func() bool) {
	if t.save == keep {
		t.out, t.ldo = t.c, t.ldc
	}
	if e.transposed {
		e.computeTransposed(t, s, stop)
		return
	}
	if e.passing {
		e.pass(t, s, stop)
		return
	}
	c := call{e: e, t: t, s: s}
	c.near.most, c.far.most = e.mostRate(), e.mostRate()
	c.args.os, c.args.alpha, c.args.beta = t.ldo, t.alpha, t.beta
	step := e.step(t.m, t.n)
	for i, k, more := 0, 0, true; more && !stop(); {
		c.first, c.terms = k, min(Block, t.k-k)
		c.args.k, c.args.add = e.steps(c.terms), k
		c.divide(min(step, t.m-i))
		c.c, c.out = unsafe.Add(t.c, i*t.ldc), unsafe.Add(t.out, i*t.ldo)
		c.rows(i)
		c.order = c.choose()
		c.columns(unsafe.Add(t.b, k*e.b.Row), step == t.m)
		c.fetched = (k > 0 || i > 0) && c.far.at == c.far.last
		row := i
		c.far.clear()
		if i, k, more = e.next(t, i, k, step); more {
			c.later(t, i, min(step, t.m-i), k, min(Block, t.k-k))
		} else if t.next != nil {
			c.later(t.next, 0, min(step, t.next.m), 0, min(Block, t.k))
		}
		c.block(row)
	}
}

// next returns the first row and the first term of the block that follows row i and term k. It reports
// false if there is none.
func (e *machine) next(t *tile, i, k, step int) (row, term int, more bool) {
	if e.rowsFirst(t.n) {
		if k += Block; k >= t.k {
			i, k = i+step, 0
		}
	} else if i += step; i >= t.m {
		i, k = 0, k+Block
	}
	return i, k, i < t.m && k < max(1, t.k) // without terms results are 0
}

// rowsFirst reports whether a tile of n columns sums all terms of some rows before the next rows: B stays in
// the second level, and several blocks of terms would read the rows of A and C again.
func (e *machine) rowsFirst(n int) bool {
	k := e.p.K
	return k > Block && k <= Section && k*n*e.size <= l2()/4
}

// keepB makes room for all of B packed, of a product of one tile. It leaves out large ones.
func (e *machine) keepB() {
	const most = 1 << 20 // bytes
	if n := e.packedB(); e.p.K <= Section && n > 0 && n <= most {
		e.kept, _ = hostmem.Allocate(n) // without memory nothing is kept
	}
}

// steps is the number of elements of so many packed terms.
func (e *machine) steps(terms int) int {
	g := max(1, e.f.group)
	return (terms + g - 1) / g
}
