package gemm

import "unsafe"

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
	slow         engine // for want of memory for kernels
}

// newMachine returns the engine for an instruction set, or nil if there are no
// kernels for it.
func newMachine(isa string, p *Problem, slow engine) engine {
	f := families[isa][p.Type]
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
	k := min(p.K, Block)
	direct := p.A.Col == 1 || p.K == 1 || e.across
	e.packA = !direct || p.N >= 4*e.width && (p.M*k*f.size > 16<<10)
	e.packB = p.B.Col != 1 && p.N > 1 || p.M > 2*e.rows && k*p.N*f.size > 32<<10
	return e
}

// blockRows is the number of rows of A that are packed at a time.
func (e *machine) blockRows() int { return packA / (Block * e.size) / e.rows * e.rows }

func (e *machine) grain(p *Problem, threads int) (rows, cols int, cost float64) {
	cost = 0.01 * float64(e.size) / 4 * float64(64/e.f.vector)
	if e.packB {
		cols = packB / (Block * e.size) / e.width * e.width
		rows = p.M
		if threads > 1 { // so that there are tiles for all
			units := len(p.OffA) * ((p.N + cols - 1) / cols)
			n := (4*threads + units - 1) / units
			rows = max((p.M+n-1)/n, min(128, p.M))
			rows = (rows + e.rows - 1) / e.rows * e.rows
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

func (e *machine) compute(t *tile, s *scratch, stop func() bool) {
	c := call{e: e, t: t}
	for k := 0; k == 0 || k < t.k; k += Block {
		c.args.k = min(Block, t.k-k)
		c.args.add = min(k, 1)
		b := unsafe.Pointer(nil)
		if c.args.k > 0 {
			b = unsafe.Add(t.b, k*e.b.Row)
		} else {
			b = t.b
		}
		c.args.bs = e.b.Row
		if e.packB {
			b = e.packColumns(s.ofB(), b, c.args.k, t.n)
			c.args.bs = e.width * e.size
		}
		step := t.m
		if e.packA {
			blocks := (t.m + e.blockRows() - 1) / e.blockRows()
			step = (t.m + blocks - 1) / blocks
		}
		for i := 0; i < t.m; i += step {
			if stop() {
				return
			}
			c.m = min(step, t.m-i)
			c.c = unsafe.Add(t.c, i*t.ldc)
			a := unsafe.Add(t.a, i*e.a.Row+k*e.a.Col)
			if e.packA {
				c.packed(s, a)
			} else {
				c.direct(a)
			}
			if !c.block(b) {
				e.slow.compute(t, s, stop)
				return
			}
		}
	}
}

// A call is the kernels of one block of rows and terms.
type call struct {
	e    *machine
	t    *tile
	args args
	m    int // rows
	c    unsafe.Pointer
	a    unsafe.Pointer
	// The distance in bytes between tiles of A is tile for each row; panel is
	// that of packed rows that are neighbours.
	row    int
	panel  int
	across bool
}

// direct reads A as it is.
func (c *call) direct(a unsafe.Pointer) {
	c.a, c.across, c.row, c.panel = a, c.e.across, c.e.a.Row, 0
	c.args.as = c.e.a.Row
	if c.across {
		c.args.as = c.e.a.Col
	}
}

// tiles is the number of kernels along the rows. They have all the same number
// of rows, or one less at the end.
func (c *call) tiles() int { return (c.m + c.e.rows - 1) / c.e.rows }

// block runs the kernels. It reports false where there is no memory for one.
func (c *call) block(b unsafe.Pointer) bool {
	e, t, args := c.e, c.t, &c.args
	args.cs = t.ldc
	lanes := e.f.lanes()
	n := c.tiles()
	for j := 0; j < t.n; j += e.width {
		s := shape{vecs: e.vecs, across: c.across}
		if left := t.n - j; left < e.width {
			s.vecs = (left + lanes - 1) / lanes
			if s.masked = left%lanes != 0; s.masked {
				args.setMask(left%lanes, e.size)
			}
		}
		args.b = unsafe.Add(b, j*e.size)
		if e.packB {
			args.b = unsafe.Add(b, j*args.k*e.size)
		}
		for q, i := 0, 0; q < n; q++ {
			s.rows = (c.m - i + n - q - 1) / (n - q)
			f := e.f.kernel(s)
			if f == nil {
				return false
			}
			args.a = unsafe.Add(c.a, i*c.row)
			if c.panel > 0 {
				args.a = unsafe.Add(c.a, q*c.panel)
			}
			args.c = unsafe.Add(c.c, i*t.ldc+j*e.size)
			f.Call(unsafe.Pointer(args))
			i += s.rows
		}
	}
	return true
}
