package gemm

import (
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	hardware "github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// A machine is the engine of machine code. It packs blocks of the operands
// where kernels cannot read them as they are, or read them often.
type machine struct {
	f    *family
	p    *Problem
	size int
	// Distances in bytes.
	a, b         Matrix
	rows, vecs   int // of kernels
	width        int // columns of a kernel
	across       bool
	packA, packB bool
	halfA, halfB bool // the elements of A and B are halves or bytes, which packing converts
	save         saver
	last         mask // of the last columns of C
	do           arithmetic
	cells        []cell // of a small product
	// streams says that stores to the result should bypass the caches, where it is
	// aligned, and stream that this run does so.
	streams, stream bool
}

// init makes e the engine of a family of kernels, which combine sums with the results unless
// that is done later.
func (e *machine) init(f *family, p *Problem, do arithmetic, later bool) {
	*e = machine{f: f, p: p, size: f.size, do: do, cells: e.cells}
	sizeA, sizeB := p.sizes()
	e.a, e.b = p.A.times(sizeA), p.B.times(sizeB)
	e.halfA, e.halfB = p.HalfA != dtype.Invalid || f.pairs, p.HalfB != dtype.Invalid || f.pairs
	if e.save = p.saver(); later {
		e.save = keep
	}
	tiles := (p.M + f.rows - 1) / f.rows
	e.rows = max(1, (p.M+tiles-1)/max(tiles, 1))
	e.vecs = min(f.vecs(e.rows), (p.N+f.lanes()-1)/f.lanes())
	e.vecs = max(e.vecs, 1)
	e.width = e.vecs * f.lanes()
	e.across = p.A.Row == 1 && p.A.Col != 1 && !e.halfA
	e.last.set(p.N%f.lanes(), e.size)
	e.choose(p)
}

// prepare makes the kernels for tiles of m rows and n columns, and for the last ones,
// which may have fewer. It reports false if there is no memory for them.
func (e *machine) prepare(m, n, lastM, lastN int) bool {
	for _, m := range [2]int{m, lastM} {
		if m == 0 || n == 0 || e.p.M == 0 || e.p.N == 0 {
			continue
		}
		step := e.step(m)
		if !e.prepareRows(step, n, lastN) || m > step && !e.prepareRows(m-(m-1)/step*step, n, lastN) {
			return false
		}
	}
	return true
}

func (e *machine) prepareRows(m, n, lastN int) bool {
	tiles := (m + e.rows - 1) / e.rows
	for _, rows := range [2]int{(m + tiles - 1) / tiles, m / tiles} {
		for _, n := range [2]int{n, lastN} {
			full := min(e.width, n)
			if !e.made(rows, full) || n%e.width != full && !e.made(rows, n%e.width) {
				return false
			}
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
	s := shape{rows: rows, across: e.across || e.packA, save: e.save}
	s.vecs, s.masked = e.vectors(cols)
	if e.f.kernel(s) == nil {
		return false
	}
	switch {
	case e.streams:
		s.save = stream
	case s.save == keep || e.p.K <= Block:
		return true
	default:
		s.save = keep
	}
	return e.f.kernel(s) != nil
}

// vectors returns the number of vectors of columns, and whether the last one has
// fewer columns.
func (e *machine) vectors(cols int) (n int, masked bool) {
	lanes := e.f.lanes()
	return (cols + lanes - 1) / lanes, cols%lanes != 0
}

// step is the number of rows of A that a tile of m rows has at a time.
func (e *machine) step(m int) int {
	if !e.packA {
		return m
	}
	blocks := (m + e.blockRows() - 1) / e.blockRows()
	return (m + blocks - 1) / blocks
}

// choose says which operands are packed: those that kernels cannot read as they
// are, those whose rows would drive each other out of the first-level cache, and
// both if they and the result do not fit into the second level. What is used by
// a few kernels only is not worth it.
func (e *machine) choose(p *Problem) {
	k := min(p.K, Block)
	large := (p.M*k+k*p.N+p.M*p.N)*e.size > l2()*3/4
	conflict := func(step int) bool { return step%pageSize == 0 && step != 0 }
	stepA := e.a.Row
	if e.across {
		stepA = e.a.Col
	}
	again := p.N > 4*e.width && p.M > 2
	e.packA = e.halfA || p.A.Col != 1 && p.K > 1 && !e.across || again && (large || conflict(stepA))
	again = p.M > 2*e.rows
	e.packB = e.halfB || p.TermsB != nil || p.B.Col != 1 && p.N > 1 || again && (large || conflict(e.b.Row))
}

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

// panel is the number of bytes of one term of a packed tile of A.
func (e *machine) panel() int {
	lanes := e.f.lanes()
	return (e.rows + lanes - 1) / lanes * lanes * e.size
}

// blockRows is the number of rows of A that are packed at a time.
func (e *machine) blockRows() int { return max(1, min(packA, l2()/4)/(Block*e.panel())) * e.rows }

func (e *machine) grain(p *Problem, threads int) (rows, cols int, cost float64) {
	cost = 0.01 * float64(e.size) / 4 * float64(64/e.f.vector)
	if e.packB {
		most := packB
		if p.TermsB != nil { // what a part of an image becomes stays in the second level
			most = l2() / 2
		}
		rows, cols = p.M, max(1, min(most/(Block*e.size), p.N+e.width-1)/e.width)*e.width
		// There are tiles for all threads, as long as packing is worth it.
		const fewest = 192
		for threads > 1 && len(p.OffA)*((p.M+rows-1)/rows)*((p.N+cols-1)/cols) < 2*threads {
			switch {
			case cols >= rows && cols/2 >= fewest:
				cols = (cols/2 + e.width - 1) / e.width * e.width
			case rows/2 >= fewest:
				rows = (rows/2 + e.rows) / e.rows * e.rows
			default:
				return rows, cols, cost
			}
		}
		return rows, cols, cost
	}
	if e.oneRow() {
		n := (p.N*e.size + rowSums - 1) / rowSums
		if len(p.OffA) == 1 && p.N*e.size >= threads*rowLeast {
			n = (n + threads - 1) / threads * threads // each has as many
		}
		lanes := e.f.lanes()
		return 1, ((p.N+n-1)/n + lanes - 1) / lanes * lanes, cost
	}
	rows = 8 * e.rows
	if e.columns() {
		rows = 4 * columnGroups * columnVector / e.size
	}
	if e.packA {
		rows = e.blockRows()
	}
	cols = max(1, (1<<16)/(max(1, min(p.K, Block))*e.width)) * e.width
	const shared = 1 << 20 // multiply-adds of a product that is worth several threads
	if n := (p.M + rows - 1) / rows; threads > 1 && n < 4*threads && len(p.OffA) == 1 && p.N <= cols && !e.columns() &&
		float64(p.M)*float64(p.N)*float64(p.K) >= shared {
		n = (n + threads - 1) / threads * threads // each has as many
		rows = (p.M + n - 1) / n
	}
	return rows, cols, cost
}

// packs reports whether an operand is packed.
func (e *machine) packs() bool {
	return e.packA || e.packB || e.columns() && e.b.Row != e.size || e.oneRow()
}

func (e *machine) compute(t *tile, s *scratch, stop func() bool) {
	if t.save == keep {
		t.out, t.ldo = t.c, t.ldc
	}
	if e.column(t, s, stop) || e.row(t, s, stop) {
		return
	}
	c := call{e: e, t: t, s: s}
	c.args.os, c.args.alpha, c.args.beta = t.ldo, t.alpha, t.beta
	step := e.step(t.m)
	first := e.dots(t, stop)
	if first > 0 && first == t.k && t.save != keep {
		e.do.combine(t, e.size)
	}
	for k := first; k == 0 || k < t.k; k += Block {
		c.terms = min(Block, t.k-k)
		c.args.k, c.args.add, c.save = e.steps(c.terms), k, keep
		if k+Block >= t.k {
			c.save = t.save
		}
		if e.stream {
			c.save = stream
		}
		c.columns(unsafe.Add(t.b, k*e.b.Row), k)
		for i := 0; i < t.m; i += step {
			if stop() {
				return
			}
			c.m = min(step, t.m-i)
			c.c, c.out = unsafe.Add(t.c, i*t.ldc), unsafe.Add(t.out, i*t.ldo)
			c.rows(unsafe.Add(t.a, i*e.a.Row+k*e.a.Col))
			switch terms := min(Block, t.k-k-Block); {
			case i+step < t.m:
				c.later(i+step, min(step, t.m-i-step), k, c.terms)
			default:
				c.later(0, min(step, t.m), k+Block, terms)
			}
			c.block(i == 0)
		}
	}
}

// steps is the number of elements of so many packed terms.
func (e *machine) steps(terms int) int {
	if e.f.pairs {
		return (terms + 1) / 2
	}
	return terms
}

// A call is the kernels of one block of rows and terms.
type call struct {
	e    *machine
	t    *tile
	s    *scratch
	args args

	m, terms     int            // rows, terms
	save         saver          // of this block of terms
	a, b, c, out unsafe.Pointer // first elements
	// Distances in bytes between rows of a, tiles of a, and strips of b.
	row, tile, strip int
	across           bool
	// Of the tiles of rows, the first tall ones have one row more than short.
	short, tall int
	// What kernels ask for: the next strip of B, and the operands of the next block, as
	// soon as begun is set.
	near, far sources
	begun     bool
	packB     packer
	first     int              // of the terms of the tile
	code      [2][2]*exec.Code // of short and tall tiles; of other strips and the last one
}

// columns prepares the columns of B, from term first of the tile on.
func (c *call) columns(b unsafe.Pointer, first int) {
	e := c.e
	if !e.packB {
		c.b, c.strip, c.args.bs = b, e.width*e.size, e.b.Row
		return
	}
	c.packB = packer{f: e.f, from: b, k: c.args.k, terms: c.terms, n: c.t.n, stepK: e.b.Row, stepN: e.b.Col, half: e.p.HalfB, s: c.s}
	p := &c.packB
	p.row = e.width * e.size
	p.distance = p.k * p.row
	p.to = c.s.ofB((p.n + e.width - 1) / e.width * p.distance)
	c.b, c.strip, c.args.bs, c.first = p.to, p.distance, p.row, first
}

// pack packs strip q of B.
func (c *call) pack(q int) {
	j := q * c.e.width
	if g := c.t.grid; g != nil {
		g.pack(&c.packB, q, c.t.term+c.first, c.t.col+j, min(c.e.width, c.t.n-j))
		return
	}
	c.packB.strip(q, j, min(c.e.width, c.t.n-j), 0, c.packB.k)
}

// rows prepares rows of A.
func (c *call) rows(a unsafe.Pointer) {
	e := c.e
	if !e.packA {
		c.a, c.across, c.row, c.tile = a, e.across, e.a.Row, 0
		c.args.as = e.a.Row
		if c.across {
			c.args.as = e.a.Col
		}
		return
	}
	p := packer{f: e.f, to: c.s.ofA(), from: a, k: c.args.k, terms: c.terms, n: c.m, stepK: e.a.Col, stepN: e.a.Row, half: e.p.HalfA, s: c.s}
	p.row = e.panel()
	p.distance = p.k * p.row
	c.a, c.across, c.row, c.tile, c.args.as = p.to, true, 0, p.distance, p.row
	n := c.tiles()
	for k := 0; k < p.k; k += p.chunk() {
		for q, i := 0, 0; q < n; q++ {
			rows := c.height(i, q)
			p.strip(q, i, rows, k, min(p.chunk(), p.k-k))
			i += rows
		}
	}
}

// tiles is the number of kernels along the rows.
func (c *call) tiles() int { return (c.m + c.e.rows - 1) / c.e.rows }

// height is the number of rows of tile q, which begins at row i. All tiles have the
// same number of rows, or one less at the end.
func (c *call) height(i, q int) int {
	n := c.tiles() - q
	return (c.m - i + n - 1) / n
}

// block runs the kernels, which prepare has made. A strip of B stays in the first-level
// cache for all rows, or all of B if it fits.
func (c *call) block(first bool) {
	e, n := c.e, c.t.n
	tiles, strips := c.tiles(), (n+e.width-1)/e.width
	c.args.cs, c.args.mask = c.t.ldc, e.last
	c.short, c.tall = c.m/tiles, c.m%tiles
	for i := range c.code {
		s := shape{rows: c.short + i, across: c.across, save: c.save}
		for j, cols := range [2]int{min(e.width, n), n - (strips-1)*e.width} {
			if i == 0 || c.tall > 0 {
				s.vecs, s.masked = e.vectors(cols)
				c.code[i][j] = e.f.kernel(s)
			}
		}
	}
	pack := first && e.packB
	c.begun = false
	if c.args.k*n*e.size <= cachedB {
		for q := 0; q < strips && pack; q++ {
			c.pack(q)
		}
		for r := range tiles {
			c.near.clear()
			c.askRows(r + 1)
			c.begun = true
			for q := range strips {
				c.run(r, q, q == strips-1)
			}
		}
		return
	}
	perStrip := max(1, tiles*asks(c.args.k))
	begin := max(0, strips-2-c.far.asks()/perStrip)
	for q := range strips {
		if pack {
			c.pack(q)
		}
		c.near.clear()
		if e.packB && q < strips-1 {
			c.askStrip(q+1, pack)
		}
		c.begun = c.begun || q == begin
		for r := range tiles {
			if q == 0 {
				c.askRows(r + 1)
			}
			c.run(r, q, q == strips-1)
		}
	}
}

// askStrip makes kernels ask for strip q of packed columns, or for where it comes from.
func (c *call) askStrip(q int, pack bool) {
	e, p := c.e, &c.packB
	if pack && c.t.grid == nil {
		j := q * e.width
		c.near.add(p.source(j, min(e.width, p.n-j), 0, p.terms))
	}
	if !pack || p.n*p.k*e.size > l2()/4 {
		c.near.add(contiguous(uintptr(c.b)+uintptr(q*c.strip), c.strip))
	}
}

// askRows makes kernels ask for tile r of the rows of A, which are not packed. A few lines
// take less time than asking for them.
func (c *call) askRows(r int) {
	const few = 512 // bytes
	if i := r*c.short + min(r, c.tall); !c.e.packA && i < c.m && c.short*c.args.k*c.e.size >= few {
		p := packer{from: c.a, stepK: c.e.a.Col, stepN: c.e.a.Row}
		c.near.add(p.source(i, min(c.e.rows, c.m-i), 0, c.args.k))
	}
}

// later notes what the next block needs: m rows of A from row i on, and columns of B, for some
// terms from k on.
func (c *call) later(i, m, k, terms int) {
	c.far.clear()
	e, n := c.e, c.t.n
	if e.packB {
		n = min(n, e.width)
	}
	if i == 0 && c.t.grid == nil {
		p := packer{from: c.t.b, stepK: e.b.Row, stepN: e.b.Col}
		c.far.add(p.source(0, n, k, terms))
	}
	p := packer{from: c.t.a, stepK: e.a.Col, stepN: e.a.Row}
	c.far.add(p.source(i, m, k, terms))
}

// run runs the kernel of tile r of the rows and strip q of the columns.
func (c *call) run(r, q int, last bool) {
	t, args, size := c.t, &c.args, c.e.size
	i, j := r*c.short+min(r, c.tall), q*c.e.width
	args.a, args.b = unsafe.Add(c.a, i*c.row+r*c.tile), unsafe.Add(c.b, q*c.strip)
	args.c = unsafe.Add(c.c, i*t.ldc+j*size)
	switch n := asks(args.k); {
	case c.near.take(args, n) || c.begun && c.far.take(args, n):
	default:
		args.ahead, args.aheadStep = uintptr(args.a), 0 // which is in the cache
	}
	args.out = unsafe.Add(c.out, i*t.ldo+j*size)
	c.code[scalar.FromBool[int](r < c.tall)][scalar.FromBool[int](last)].Call(unsafe.Pointer(args))
}
