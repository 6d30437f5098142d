package gemm

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// A call is the kernels of one block of rows and terms.
type call struct {
	e    *machine
	t    *tile
	s    *scratch
	args args

	m            int            // rows
	at           int            // the first one in the result
	first, terms int            // of the terms of the tile, one block
	a, b, c, out unsafe.Pointer // first elements
	// Distances in bytes between rows of a, tiles of a, and strips of b.
	row, tile, strip int
	across           bool
	// Of the tiles of rows, the first tall ones have one row more than short.
	short, tall int
	// What kernels prefetch: the next strip of B, and the operands of the next block, as
	// soon as begun is set.
	near, far sources
	begun     bool
	fetched   bool   // the kernels of the block before have prefetched all rows of A
	order     order  // of the kernels
	tilesRate rate   // at which kernels prefetch what later tiles of their strip need instead, rows of A if it is the only strip, else results; silent: they do not
	packA     packer // of rows that are packed as they are, tile by tile
	packB     packer
	code      [2][2][rates]*exec.Code // of short and tall tiles; of other strips and the last one; by what they prefetch. nil: not yet looked up
	found     [3]int                  // the rows and the saver of code, packing and copying, and whether they resume
	packing   [2]*exec.Code           // of the first tile, which packs the strip: of neighbours in memory, and of pieces; nil if there is none
	copying   [2]*exec.Code           // of short and tall tiles of the first strip, which pack their rows of A; nil if there are none
	// Of a pass: its sums go on from those that the pass before has left from begin on; they wait for the next pass.
	resumes, waits bool
	begin          unsafe.Pointer
}

// columns prepares the columns of B. Strips that are read once are packed to one place, which stays
// in the first-level cache.
func (c *call) columns(b unsafe.Pointer, once bool) {
	e := c.e
	if !e.packB {
		c.b, c.strip, c.args.bs = b, e.width*e.size, e.b.Row
		return
	}
	c.packB = packer{f: e.f, placement: e.p.GridB.placement(b, e.b.Row, e.b.Col, c.t.term+c.first, c.t.col), k: e.steps(c.terms), terms: c.terms, n: c.t.n, half: e.p.HalfB, size: e.p.Type.Size(), s: c.s, repeat: c.t.repeat}
	p := &c.packB
	p.row = e.width * e.size
	p.distance = p.k * p.row
	switch strips := c.strips(); {
	case e.kept != nil:
		p.to = unsafe.Pointer(&e.kept[strips*e.steps(c.first)*p.row])
	case once && c.order == eachStrip:
		p.to, p.distance = c.s.ofB(p.distance), 0
	case e.rowsFirst(c.t.n): // all blocks of terms stay
		p.to = unsafe.Add(c.s.ofB(strips*e.steps(c.t.k)*p.row), strips*e.steps(c.first)*p.row)
	default:
		p.to = c.s.ofB(strips * p.distance)
	}
	c.b, c.strip, c.args.bs = p.to, p.distance, p.row
}

// pack packs strip q of B.
func (c *call) pack(q int) {
	j := q * c.e.width
	c.packB.strip(q, j, min(c.e.width, c.t.n-j), 0, c.packB.k)
}

// left returns the placement of A from row i and term k of a tile on.
func (c *call) left(t *tile, i, k int) placement {
	e := c.e
	return e.p.GridA.placement(unsafe.Add(t.a, i*e.a.Row+k*e.a.Col), e.a.Col, e.a.Row, t.term+k, t.row+i)
}

// rows prepares rows of A from row i of the tile on.
func (c *call) rows(i int) {
	e, l := c.e, c.left(c.t, i, c.first)
	c.at = c.t.row + i
	if !e.packA {
		c.a, c.across, c.row, c.tile = l.from, e.across, e.a.Row, 0
		c.args.as = e.a.Row
		if c.across {
			c.args.as = e.a.Col
		}
		return
	}
	p := packer{f: e.f, to: c.s.ofA(), placement: l, k: e.steps(c.terms), terms: c.terms, n: c.m, half: e.p.HalfA, size: e.p.Type.Size(), s: c.s}
	if e.byRows { // rows take the part of terms
		p.placement = placement{from: l.from, stepK: l.stepN, stepN: l.stepK, placesK: l.placesN, placesN: l.placesK, firstK: l.firstN, firstN: l.firstK}
		p.row = e.f.rowStep()
		c.packA = p
		c.a, c.across, c.row, c.tile, c.args.as = p.to, false, p.row, 0, p.row
		return
	}
	p.row = e.panel()
	p.distance = p.k*p.row + cacheLine // whole vectors are stored of the last term
	c.packA = p
	c.a, c.across, c.row, c.tile, c.args.as = p.to, true, 0, p.distance, p.row
	if e.byTiles {
		return
	}
	for k := 0; k < p.k; k += p.chunk() {
		for q := range c.tiles() {
			i, rows := c.rowsOf(q)
			p.strip(q, i, rows, k, min(p.chunk(), p.k-k))
		}
	}
}

// packRows packs tiles r to end of the rows of A, unless all are packed before the kernels run.
func (c *call) packRows(r, end int) {
	e, p := c.e, &c.packA
	switch {
	case !e.packA || !e.byTiles:
	case e.byRows:
		i, _ := c.rowsOf(r)
		last, n := c.rowsOf(end - 1)
		p.strip(0, 0, c.terms, i, last+n-i)
	default:
		for ; r < end; r++ {
			i, n := c.rowsOf(r)
			p.strip(r, i, n, 0, p.k)
		}
	}
}

// rowsOf returns the first row of tile r, and the number of its rows.
func (c *call) rowsOf(r int) (i, n int) {
	return r*c.short + min(r, c.tall), c.short + scalar.FromBool[int](r < c.tall)
}

// tiles is the number of kernels along the rows.
func (c *call) tiles() int { return (c.m + c.e.rows - 1) / c.e.rows }

// divide divides m rows into tiles. All have the same number of rows, or one less at the end.
func (c *call) divide(m int) {
	c.m = m
	tiles := max(1, c.tiles())
	c.short, c.tall = m/tiles, m%tiles
}

// strips is the number of kernels along the columns.
func (c *call) strips() int { return (c.t.n + c.e.width - 1) / c.e.width }

// kernels prepares the kernels of a block of rows. Blocks of as many rows have the same.
func (c *call) kernels() {
	e := c.e
	save := keep
	switch {
	case c.waits:
	case e.stream:
		save = stream
	case c.first+c.terms == c.t.k:
		save = c.t.save
	}
	want := [3]int{c.m, int(save), scalar.FromBool[int](c.resumes)}
	if c.found == want {
		return
	}
	c.found = want
	c.code = [2][2][rates]*exec.Code{}
	c.args.cs, c.args.mask = c.t.ldc, e.last
	c.packing, c.copying = [2]*exec.Code{}, [2]*exec.Code{}
	whole, pieces := c.packsTile()
	for i, packs := range [2]bool{whole, pieces} {
		if packs && e.vecs <= mostPacked {
			s := shape{rows: c.short + min(c.tall, 1), across: c.across, packs: true, grid: e.p.GridB != nil, pieces: i == 1, save: save, transposed: e.transposesFirst}
			s.columns(e.f, e.width)
			c.packing[i] = e.f.kernel(s)
		}
	}
	if c.copiesA() {
		for tall := range min(c.tall, 1) + 1 {
			s := shape{rows: c.short + tall, copies: true, save: save, rate: dense}
			s.columns(e.f, e.width)
			c.copying[tall] = e.f.kernel(s)
		}
	}
}

// kernel returns the kernel, which prepare has made, of short or tall tiles, of other strips or the last one, by what it prefetches.
func (c *call) kernel(tall, last int, r rate) *exec.Code {
	code := &c.code[tall][last][r]
	if *code == nil {
		s := shape{rows: c.short + tall, across: c.across, save: saver(c.found[1]), rate: r, resumes: c.resumes}
		s.columns(c.e.f, min(c.e.width, c.t.n-last*(c.strips()-1)*c.e.width))
		*code = c.e.f.kernel(s)
	}
	return *code
}

// block runs the kernels of a block of rows, whose first row in the tile is i. The columns are
// packed with row 0.
func (c *call) block(i int) {
	c.kernels()
	e, n := c.e, c.t.n
	pack := i == 0 && e.packB && !e.packed
	var done *region
	if c.first+c.terms == c.t.k {
		done = c.t.done
	}
	c.begun = false
	if c.order != eachStrip {
		c.near.clear()
		c.cached(pack)
		if done != nil {
			done.complete(i, c.m, 0, n)
		}
		return
	}
	strips := c.strips()
	c.far.choose(c.least(), c.tiles()*strips, c.args.k)
	perStrip := max(1, c.tiles()*c.far.rate.prefetches(c.args.k))
	begin := max(0, strips-2-c.far.prefetches(c.far.rate)/perStrip)
	for q := range strips {
		c.near.clear()
		if q < strips-1 {
			c.prefetchStrip(q+1, i, pack)
			c.near.choose(c.least(), c.tiles(), c.args.k)
		}
		c.begun = c.begun || q == begin
		c.column(q, pack)
		if done != nil {
			done.complete(i, c.m, q*e.width, min((q+1)*e.width, n))
		}
	}
}

// least is the lowest rate of prefetches for kernels that do not compute all strips for some rows. Multiply-adds of
// AVX-512 hide prefetches: lower rates take up to 8 % longer there.
func (c *call) least() rate {
	if c.e.f.avx512 {
		return dense
	}
	return sparse
}

// group is the number of tiles of rows that all strips of B read before the next ones. These rows stay in
// the first-level cache, beside a strip.
func (c *call) group() int {
	const most = 12 << 10 // bytes
	return max(1, most/max(1, c.e.rows*c.args.k*c.e.size))
}

// An order says which kernels of a block of rows and terms follow each other.
type order int

const (
	eachStrip order = iota // all tiles of rows for a strip of B; meanwhile the next strip is prefetched
	fewCalls               // the same, but nothing is prefetched apart from a B that is read once
	onlyStrip              // all tiles for the only strip, with few calls
	eachGroup              // all strips for a group of tiles, whose rows stay in the first-level cache
	eachTile               // all strips for a tile
)

// choose returns the order, and sets tilesRate. Where calls of kernels and prefetches take longer than they save, kernels have few calls.
func (c *call) choose() order {
	var ahead bool
	c.tilesRate, ahead = c.rowsRate()
	switch {
	case c.rowByRow():
		return eachTile
	case ahead:
		return onlyStrip
	case c.e.through || c.fewTiles() || c.strips() == 1 && c.args.k <= fewTerms:
		return fewCalls
	case c.nearB():
		c.tilesRate = c.resultRate(c.group())
		return eachGroup
	}
	return eachStrip
}

// fewTiles reports whether a few tiles of rows read B, a block of which is one strip or stays in the second-level
// cache beside them: then prefetches, and calls for each tile or strip, take more time than they save.
func (c *call) fewTiles() bool {
	const most = 4
	return c.tiles() <= most && (c.strips() == 1 || c.args.k*c.t.n*c.e.size <= l2()/4)
}

// rowByRow reports whether the kernels of one tile of rows store all strips before the next tile: where the result does not
// stay in the second level, and its stores take longer than to read B again for each tile. A tile of long rows stores a few streams from
// end to end; a strip of all rows stores parts of lines of as many pages. From few terms on this pays in two cases. In the first one all
// tiles have at most mostAgain terms together, and B is at most an eighth of the third level. In the second one the part of B that a tile of
// columns reads does not stay in the second level; with more than storedTerms there must be more than farTiles tiles, too. Else
// each strip is prefetched, with what it stores: see prefetchStrip. For AVX-512 see shape.
func (c *call) rowByRow() bool {
	const (
		few       = 16  // terms
		mostAgain = 128 // terms
		long      = 16  // strips
	)
	e, p, terms := c.e, c.e.p, c.args.k
	if e.f.avx512 || p.After != nil || terms > fewTerms || c.strips() <= long || len(p.OffC)*p.M*p.N*e.size <= l2() {
		return false
	}
	if terms <= few || !e.through && c.tiles()*terms <= mostAgain && terms*p.N*e.size <= l3()/8 {
		return true
	}
	b := terms * c.t.n * e.size
	return (terms <= storedTerms || c.tiles() > farTiles) && b > mostNearB() && b <= l3()/8
}

// nearB reports whether B stays in the first-level cache, or in the second one, and each strip serves enough rows to be read
// again from there. One call of a kernel computes all strips: with 64 terms, calls for single strips take a twentieth of the time.
// A B that comes from afar, and is not packed, is prefetched strip by strip instead.
func (c *call) nearB() bool {
	const enough = 4 // tiles
	e := c.e
	b := c.args.k * c.t.n * e.size
	byStrips := !e.packB && c.args.k*e.p.N*e.size > 2*l2()
	return b <= cachedB || b <= mostNearB() && !byStrips && c.group() >= enough
}

// cached runs the kernels in another order than strip by strip.
func (c *call) cached(pack bool) {
	const most = 16 * leastTile // multiply-adds of a call: nothing stops a kernel
	tiles, strips, group := c.tiles(), c.strips(), c.group()
	switch c.order {
	case fewCalls:
		c.passStrips(pack)
		return
	case onlyStrip:
		group = max(1, most/(c.e.rows*c.t.n*c.args.k))
	case eachTile:
		group = 1
	}
	for q := 0; q < strips && pack; q++ {
		c.pack(q)
	}
	c.begun = c.order != onlyStrip
	c.far.choose(sparse, tiles*strips, c.args.k)
	for r := 0; r < tiles; r += group {
		end := min(r+group, tiles)
		c.near.clear()
		if c.begun && c.tilesRate == silent {
			c.prefetchRows(end, min(end+group, tiles))
		}
		c.near.choose(sparse, (end-r)*strips, c.args.k)
		c.packRows(r, end)
		c.runTiles(r, end, 0, c.until(end))
	}
}

// tilesAhead is the number of tiles from one to that whose results or rows its kernel prefetches: these arrive in time from memory.
const tilesAhead = 2

// rowsRate is the rate at which kernels of the only strip prefetch the rows of A of later tiles, and whether they do: then one call computes
// all tiles. It is silent if the rows are parts of longer ones that come from a cache, which the processor follows.
func (c *call) rowsRate() (r rate, ahead bool) {
	const least = 16 // terms
	e, p := c.e, c.e.p
	switch {
	case e.packA || c.strips() > 1 || c.fewTiles() || c.args.k <= least || !c.nearB():
		return silent, false
	case c.across:
		return each, true
	case c.terms < c.t.k:
		return silent, p.M*p.K*e.size <= l3()/8
	case c.row != c.terms*e.size:
		return silent, false
	case e.rows*e.size*even.terms() <= even.bytes():
		return even, true
	}
	return each, true
}

// resultRate is the rate at which kernels of few terms prefetch the results of later tiles of their strip, of groups of so many tiles: where the results
// do not stay in the second level, but what a group prefetches together does not stay there either, or belongs to a product so small that
// nothing is prefetched.
func (c *call) resultRate(group int) rate {
	e, p := c.e, c.e.p
	together := group * e.rows * c.t.n * e.size
	if !c.storesUnfetched() || len(p.OffC)*p.M*p.N*e.size <= l2() || e.large && together <= l2()/4 {
		return silent
	}
	for _, r := range [2]rate{even, each} {
		if r.prefetches(c.args.k) >= e.rows { // a line of each row
			return r
		}
	}
	return silent
}

// storesUnfetched reports whether kernels store to the caches, and have too few terms to prefetch their results: see prefetchC. Then
// something else may prefetch them. With AVX-512 that was not measured.
func (c *call) storesUnfetched() bool {
	return !c.e.f.avx512 && !c.e.stream && c.args.k < ownResults
}

// passStrips runs the kernels of all strips for all tiles. One call computes those that have as many rows, if nothing is packed and all
// do, or for few terms: then calls for each strip take longer than to read B twice.
func (c *call) passStrips(pack bool) {
	tiles, strips := c.tiles(), c.strips()
	c.packRows(0, tiles)
	few := c.args.k <= fewTerms && strips > 1 && !c.e.through
	if few && pack {
		for q := range strips {
			c.pack(q)
		}
		pack = false
	}
	if !pack && (few || c.tall == 0) {
		c.runTiles(0, tiles, 0, strips)
		return
	}
	for q := range strips {
		first := 0
		if pack {
			first = c.packStrip(q)
		}
		c.runTiles(first, tiles, q, 1)
	}
}

// column runs the kernels of strip q, which stays in the first-level cache for all rows.
func (c *call) column(q int, pack bool) {
	tiles := c.tiles()
	if q > 0 {
		first := 0
		if pack {
			first = c.packStrip(q)
		}
		c.runTiles(max(first, c.from(q)), tiles, q, 1)
		return
	}
	if pack {
		c.pack(q)
	}
	for r := c.from(q); r < tiles; r++ {
		c.prefetchRows(r+1, min(r+2, tiles))
		c.near.choose(c.least(), 1, c.args.k)
		if !c.copyTile(r) {
			c.packRows(r, r+1)
			c.run(r, r+1, q, 1)
		}
	}
}

// copiesA reports whether the kernels of the first strip pack the rows of A that they read, which are contiguous, and of which each strip
// that follows reads more than these. They prefetch two lines with each two terms.
func (c *call) copiesA() bool {
	e := c.e
	return e.byRows && e.packA && e.vecs <= mostPacked && !e.halfA && e.p.GridA == nil && c.t.n >= e.width && e.mostRate() == dense
}

// copyTile runs the kernel of the first strip for tile r, which packs its rows of A. It reports false if there is none.
func (c *call) copyTile(r int) bool {
	t, args := c.t, &c.args
	i, n := c.rowsOf(r)
	code := c.copying[n-c.short]
	if code == nil {
		return false
	}
	args.a, args.as, args.rows = unsafe.Add(c.packA.from, i*c.packA.stepK), c.packA.stepK, unsafe.Add(c.a, i*c.row)
	args.b, args.c, args.out, args.tiles, args.more = c.b, unsafe.Add(c.c, i*t.ldc), unsafe.Add(c.out, i*t.ldo), 1, 0
	c.prefetch(1, 1)
	code.Call(unsafe.Pointer(args))
	args.as = c.row
	return true
}

// packsTile reports whether the kernel of the first tile of a strip can pack it: columns that are neighbours in memory, and with AVX-512 those of
// a grid that are not. A grid in the third level is packed before, as the kernel would wait for each line, unless all strips of a block of terms
// read the same few lines.
func (c *call) packsTile() (whole, pieces bool) {
	e := c.e
	g := e.p.GridB
	if g == nil {
		return e.packB && !e.halfB && (e.b.Col == e.size || e.transposesFirst), false
	}
	near := func(terms int) bool { return terms+g.others.reach <= l2()/4 }
	pieces = e.f.avx512 && !g.byTerms() && near(g.terms.reach)
	block := g.terms.at[:min(Block, len(g.terms.at))]
	return pieces || !g.byTerms() && near(slices.Max(block)-slices.Min(block)), pieces
}

// packStrip packs strip q. The first tile of A has been packed if it is needed. It returns the number of tiles that are computed with it.
func (c *call) packStrip(q int) (tiles int) {
	if c.from(0) == 0 && c.packTile(q) {
		return 1
	}
	c.pack(q)
	return 0
}

// packTile runs a kernel for the first tile that packs strip q too. It reports false if there is
// none.
func (c *call) packTile(q int) bool {
	e, args, j := c.e, &c.args, q*c.e.width
	if c.packing == [2]*exec.Code{} || c.t.n-j < e.width {
		return false
	}
	at, code := j*e.b.Col, c.packing[0]
	if e.p.GridB != nil {
		whole, ok := c.packB.pieces(&args.pieces, j, e.width)
		if at = c.packB.placesN.at[c.packB.firstN+j]; !whole {
			code = c.packing[1]
		}
		if !ok || code == nil {
			return false
		}
	}
	args.b, args.bs = unsafe.Add(c.packB.from, at), e.stepB()
	args.a, args.packed = c.a, unsafe.Add(c.b, q*c.strip)
	args.c, args.out, args.tiles = unsafe.Add(c.c, j*e.size), unsafe.Add(c.out, j*e.size), 1
	c.t.repeat.call(code, unsafe.Pointer(args), unsafe.Sizeof(*args), tileWords)
	args.bs = c.packB.row
	return true
}

// fewTerms is the number of terms up to which a kernel computes all tiles of the only strip
// that have the same number of rows: a call takes as long as some terms.
const fewTerms = 64

// storedTerms is the number of terms up to which the stores of a wide result take longer than its sums, with AVX2.
const storedTerms = 32

// prefetchStrip makes kernels prefetch strip q of the columns, or where it is packed from, in the block of rows
// from row i on. Strips that are not packed stay in a cache after the first rows. The results of the strip come first if
// its kernels do not prefetch them.
func (c *call) prefetchStrip(q, i int, pack bool) {
	e, p := c.e, &c.packB
	j := q * e.width
	if c.storesUnfetched() && e.large && c.first == 0 {
		width := min(e.width, c.t.n-j) * e.size
		c.near.add(uintptr(c.c)+uintptr(j*e.size)+lastOf(width), c.t.ldc, c.m, width)
	}
	switch {
	case !e.packB && (i > 0 || !e.large):
		return
	case !e.packB:
		c.near.add(uintptr(c.b)+uintptr(j*e.size+cacheLine-1), e.b.Row, c.terms, min(e.width, c.t.n-j)*e.size)
		return
	case pack && e.p.GridB == nil:
		c.near.addPacked(&p.placement, j, min(e.width, p.n-j), 0, p.terms)
	}
	if c.strip > 0 && (!pack || p.n*p.k*e.size > l2()/4) {
		c.near.add(uintptr(c.b)+uintptr(q*c.strip), 0, 1, c.strip)
	}
}

// prefetchRows makes kernels prefetch tiles r to end of the rows of A, unless they are all packed before the
// kernels run, and of C if it is not in the second level. A few lines take less time than prefetching them.
func (c *call) prefetchRows(r, end int) {
	const few = 512 // bytes
	i, _ := c.rowsOf(r)
	last, _ := c.rowsOf(end)
	if i >= last {
		return
	}
	if !c.fetched && (!c.e.packA || c.e.byTiles) && (last-i)*c.args.k*c.e.size >= few {
		p := c.left(c.t, c.at-c.t.row, c.first)
		c.near.addPacked(&p, i, last-i, 0, c.args.k)
	}
	if c.e.large && !c.e.stream && c.first == 0 && c.order != eachStrip {
		c.near.add(uintptr(c.c)+uintptr(i*c.t.ldc), c.t.ldc, last-i, c.t.n*c.e.size)
	}
}

// later notes what the next block needs: m rows of A from row i of a tile on, and columns of B, for some
// terms from k on.
func (c *call) later(t *tile, i, m, k, terms int) {
	e, n := c.e, t.n
	if e.packB {
		n = min(n, e.width)
	}
	if i == 0 && e.p.GridB == nil && !e.packed {
		p := placement{from: t.b, stepK: e.b.Row, stepN: e.b.Col}
		c.far.addPacked(&p, 0, n, k, terms)
	}
	p := c.left(t, i, k)
	c.far.addPacked(&p, 0, m, 0, terms)
}

// runTiles runs the kernels of tiles r to end of the rows, and of some strips of the columns from q on.
func (c *call) runTiles(r, end, q, strips int) {
	if last := c.strips() - 1; strips > 1 && q+strips > last && c.t.n%c.e.width != 0 {
		c.runTiles(r, end, q, last-q)
		q, strips = last, 1
	}
	c.run(r, min(end, c.tall), q, strips)
	c.run(max(r, c.tall), end, q, strips)
}

// run runs the kernels of tiles r to end of the rows, which have the same number of rows, and of
// strips of the columns from q on, of the same number of columns.
func (c *call) run(r, end, q, strips int) {
	if r >= end {
		return
	}
	t, args, size := c.t, &c.args, c.e.size
	first, height := c.rowsOf(r)
	tall, last := scalar.FromBool[int](r < c.tall), scalar.FromBool[int](q == c.strips()-1)
	all, width := end-r, c.e.width*size
	args.over(all, strips, [3]int{height*c.row + c.tile, height * t.ldc, height * t.ldo}, c.strip, width)
	args.tileBegin = height * args.begins
	args.stripBegin = width - (all-1)*args.tileBegin
	for at := 0; strips > 0; {
		n, most := all-at, all-at
		if at == 0 {
			most *= strips
		}
		i := first + at*height
		args.a, args.b = unsafe.Add(c.a, i*c.row+(r+at)*c.tile), unsafe.Add(c.b, q*c.strip)
		args.c, args.out = unsafe.Add(c.c, i*t.ldc+q*width), unsafe.Add(c.out, i*t.ldo+q*width)
		if c.resumes {
			args.begin = unsafe.Add(c.begin, i*args.begins+q*width)
		}
		fetch, kernels := c.prefetch(most, n)
		args.tiles, args.more = min(kernels, n), max(0, kernels/n-1)
		more := args.more // the kernel counts it down
		c.t.repeat.call(c.kernel(tall, last, fetch), unsafe.Pointer(args), unsafe.Sizeof(*args), tileWords)
		if at += min(kernels, n); at == all {
			at, q, strips = 0, q+1+more, strips-1-more
		}
	}
}

// over sets how many tiles and strips a call computes. Two tiles are tile apart in A, C and the result, and two strips stripB and stripC in B and C.
func (a *args) over(tiles, strips int, tile [3]int, stripB, stripC int) {
	back := tiles - 1
	a.tiles, a.again, a.more = tiles, tiles, strips-1
	a.tileA, a.tileC, a.tileOut = tile[0], tile[1], tile[2]
	a.stripA, a.stripB, a.stripC, a.stripOut = -back*tile[0], stripB, stripC-back*tile[1], stripC-back*tile[2]
}

// prefetch sets what the next kernels prefetch, of at most so many tiles. It returns the rate, and the number of these kernels:
// fewer than unit, or a multiple of it.
func (c *call) prefetch(most, unit int) (r rate, kernels int) {
	args, terms := &c.args, c.args.k
	if c.tilesRate != silent {
		from, width := uintptr(args.c), c.e.width*c.e.size
		args.aheadStep, args.tileAhead = c.t.ldc, args.tileC
		if c.order == onlyStrip {
			from, width = uintptr(args.a), args.tileA
			args.aheadStep, args.tileAhead = cacheLine, args.tileA
			if c.across {
				args.aheadStep = args.as
			}
		}
		args.ahead = from + uintptr(tilesAhead*args.tileAhead) + lastOf(width)
		return c.tilesRate, unit
	}
	if c.e.through {
		args.ahead, args.aheadStep, args.tileAhead = uintptr(args.b)+uintptr(passAhead*args.bs)+lastOf(c.strip), args.bs, c.strip/unit
		return each, most
	}
	far := c.begun && c.far.at < c.far.last
	if kernels = c.near.take(args, terms, most, unit, !far && most > unit); kernels > 0 {
		return c.near.rate, kernels
	}
	if far {
		if kernels = c.far.take(args, terms, most, unit, false); kernels > 0 {
			return c.far.rate, kernels
		}
	}
	args.ahead, args.aheadStep, args.tileAhead = uintptr(args.a), 0, 0 // which is in the cache
	return silent, most
}
