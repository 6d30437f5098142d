package gemm

import (
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
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
	last         mask   // of the last columns of C
	slow         engine // for want of memory for kernels
}

// newMachine returns the engine of a family of kernels, or nil if there is none.
func newMachine(f *family, p *Problem, slow engine) engine {
	if f == nil {
		return nil
	}
	e := &machine{f: f, p: p, size: f.size, slow: slow}
	e.a = Matrix{p.A.Row * f.size, p.A.Col * f.size}
	e.b = Matrix{p.B.Row * f.size, p.B.Col * f.size}
	tiles := (p.M + f.rows - 1) / f.rows
	e.rows = max(1, (p.M+tiles-1)/max(tiles, 1))
	e.vecs = min(f.vecs(e.rows), (p.N+f.lanes()-1)/f.lanes())
	e.vecs = max(e.vecs, 1)
	e.width = e.vecs * f.lanes()
	e.across = p.A.Row == 1 && p.A.Col != 1
	e.last.set(p.N%f.lanes(), e.size)
	e.choose(p)
	return e
}

// choose says which operands are packed: those that kernels cannot read as they
// are, those whose rows would drive each other out of the first-level cache, and
// both if they and the result do not fit into the second level. What is used by
// a few kernels only is not worth it.
func (e *machine) choose(p *Problem) {
	k := min(p.K, Block)
	far := (p.M*k+k*p.N+p.M*p.N)*e.size > l2()*3/4
	crowded := func(step int) bool { return step%pageSize == 0 && step != 0 }
	stepA := e.a.Row
	if e.across {
		stepA = e.a.Col
	}
	again := p.N > 4*e.width && p.M > 2
	e.packA = p.A.Col != 1 && p.K > 1 && !e.across || again && (far || crowded(stepA))
	again = p.M > 2*e.rows
	e.packB = p.B.Col != 1 && p.N > 1 || again && (far || crowded(e.b.Row))
}

// pageSize is a distance of rows at which they share a set of the first-level
// cache.
const pageSize = 4096

// l2 is the size of the second-level cache.
var l2 = sync.OnceValue(func() int {
	if n := cpucache.Of().L2; n > 0 {
		return n
	}
	return 1 << 20
})

// blockB is the size of packed columns of B.
func blockB() int { return min(max(l2()/2, packA), packB) }

// panel is the number of bytes of one term of a packed tile of A.
func (e *machine) panel() int {
	lanes := e.f.lanes()
	return (e.rows + lanes - 1) / lanes * lanes * e.size
}

// blockRows is the number of rows of A that are packed at a time.
func (e *machine) blockRows() int { return packA / (Block * e.panel()) * e.rows }

func (e *machine) grain(p *Problem, threads int) (rows, cols int, cost float64) {
	cost = 0.01 * float64(e.size) / 4 * float64(64/e.f.vector)
	if e.packB {
		rows, cols = p.M, blockB()/(Block*e.size)/e.width*e.width
		// There are tiles for all threads, as long as packing is worth it.
		const fewest = 192
		for threads > 1 && len(p.OffA)*((p.M+rows-1)/rows)*((p.N+cols-1)/cols) < 3*threads {
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
	rows = 8 * e.rows
	if e.packA {
		rows = e.blockRows()
	}
	cols = max(1, (1<<16)/(max(1, min(p.K, Block))*e.width)) * e.width
	return rows, cols, cost
}

// packs reports whether an operand is packed.
func (e *machine) packs() bool { return e.packA || e.packB }

func (e *machine) compute(t *tile, s *scratch, stop func() bool) {
	c := call{e: e, t: t, s: s}
	step := t.m
	if e.packA {
		blocks := (t.m + e.blockRows() - 1) / e.blockRows()
		step = (t.m + blocks - 1) / blocks
	}
	first := e.dots(t, stop)
	for k := first; k == 0 || k < t.k; k += Block {
		c.args.k, c.args.add = min(Block, t.k-k), k
		ok := c.columns(unsafe.Add(t.b, k*e.b.Row))
		for i := 0; ok && i < t.m; i += step {
			if stop() {
				return
			}
			c.m = min(step, t.m-i)
			c.c = unsafe.Add(t.c, i*t.ldc)
			ok = c.rows(unsafe.Add(t.a, i*e.a.Row+k*e.a.Col)) && c.block()
		}
		if !ok {
			e.without(t, stop)
			return
		}
	}
}

// without computes a tile without machine code.
func (e *machine) without(t *tile, stop func() bool) {
	s := takeScratch()
	defer s.give()
	e.slow.compute(t, s, stop)
}

// A call is the kernels of one block of rows and terms.
type call struct {
	e    *machine
	t    *tile
	s    *scratch
	args args

	m       int            // rows
	a, b, c unsafe.Pointer // first elements
	// Distances in bytes between rows of a, tiles of a, and strips of b.
	row, tile, strip int
	across           bool
}

// columns prepares the columns of B. It reports false where there is no memory for
// a kernel.
func (c *call) columns(b unsafe.Pointer) bool {
	e := c.e
	if !e.packB {
		c.b, c.strip, c.args.bs = b, e.width*e.size, e.b.Row
		return true
	}
	p := packer{f: e.f, to: c.s.ofB(), from: b, k: c.args.k, n: c.t.n, stepK: e.b.Row, stepN: e.b.Col}
	p.row = e.width * e.size
	p.distance = p.k * p.row
	c.b, c.strip, c.args.bs = p.to, p.distance, p.row
	for k := 0; k < p.k; k += p.chunk() {
		for q, j := 0, 0; j < p.n; q, j = q+1, j+e.width {
			if !p.strip(q, j, min(e.width, p.n-j), k, min(p.chunk(), p.k-k)) {
				return false
			}
		}
	}
	return true
}

// rows prepares rows of A. It reports false where there is no memory for a kernel.
func (c *call) rows(a unsafe.Pointer) bool {
	e := c.e
	if !e.packA {
		c.a, c.across, c.row, c.tile = a, e.across, e.a.Row, 0
		c.args.as = e.a.Row
		if c.across {
			c.args.as = e.a.Col
		}
		return true
	}
	p := packer{f: e.f, to: c.s.ofA(), from: a, k: c.args.k, n: c.m, stepK: e.a.Col, stepN: e.a.Row}
	p.row = e.panel()
	p.distance = p.k * p.row
	c.a, c.across, c.row, c.tile, c.args.as = p.to, true, 0, p.distance, p.row
	n := c.tiles()
	for k := 0; k < p.k; k += p.chunk() {
		for q, i := 0, 0; q < n; q++ {
			rows := c.height(i, q)
			if !p.strip(q, i, rows, k, min(p.chunk(), p.k-k)) {
				return false
			}
			i += rows
		}
	}
	return true
}

// tiles is the number of kernels along the rows.
func (c *call) tiles() int { return (c.m + c.e.rows - 1) / c.e.rows }

// height is the number of rows of tile q, which begins at row i. All tiles have the
// same number of rows, or one less at the end.
func (c *call) height(i, q int) int {
	n := c.tiles() - q
	return (c.m - i + n - 1) / n
}

// block runs the kernels. It reports false where there is no memory for one.
func (c *call) block() bool {
	e, t, args := c.e, c.t, &c.args
	args.cs = t.ldc
	lanes := e.f.lanes()
	n := c.tiles()
	for q, j := 0, 0; j < t.n; q, j = q+1, j+e.width {
		s := shape{vecs: e.vecs, across: c.across}
		if left := t.n - j; left < e.width {
			s.vecs = (left + lanes - 1) / lanes
			if s.masked = left%lanes != 0; s.masked {
				args.mask = e.last
			}
		}
		args.b = unsafe.Add(c.b, q*c.strip)
		for r, i := 0, 0; r < n; r++ {
			s.rows = c.height(i, r)
			f := e.f.kernel(s)
			if f == nil {
				return false
			}
			args.a = unsafe.Add(c.a, i*c.row+r*c.tile)
			args.c = unsafe.Add(c.c, i*t.ldc+j*e.size)
			f.Call(unsafe.Pointer(args))
			i += s.rows
		}
	}
	return true
}
