package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// mostListed is the most multiply-adds of a small product: nothing stops its calls. A product that may be symmetric has a list of at most
// mostMirrored kernels. With more it computes half of the result.
const mostListed, mostMirrored = 1 << 22, 16

// mostFound returns the largest size of the operands of a product, in bytes, of which the processor
// prefetches the lines ahead by itself, unless B is packed, which reads parts of lines. Of larger ones kernels prefetch those of a later product.
// Processors that compute vectors of 512 bits at once finish a product before they find the lines of the next one. If these come from memory they
// find none of rows that begin within lines.
func (e *machine) mostFound(both int) int {
	p := e.p
	switch {
	case !e.f.avx512 || inHalves():
		return 12 << 10
	case p.N*e.size%cacheLine != 0 && len(p.OffC)*(both+p.M*p.N*e.size) > l3()/4:
		return 0
	}
	return 3 << 10
}

// A cell is a call of a small product: kernels of the same shape, of some tiles of rows and strips of columns.
type cell struct {
	code          [2][2]*exec.Code // of two turns; the second ones' stores bypass the caches
	a, b, c       int              // bytes from the first elements of A, B and C to its own
	height        int              // rows of a tile
	tiles, strips int
	first         int // kernels before it
}

// A fetch says what the kernels of a list prefetch of a later product.
type fetch struct {
	second bool // of the operand that kernels read second
	part   int  // bytes of each kernel
	step   int  // between prefetches; 0: there are none
	lines  int  // that a kernel that reads B by columns prefetches at once
}

// leastAhead is the least number of bytes between what small products read and what they prefetch, unless B is packed, which
// takes long enough: these arrive in time from memory.
const leastAhead = 8 << 10

// list lists the calls of a product that is one tile of one block, and packs B only. They store the results, or sums next to each other, which
// become its columns. prepare has made their kernels. A product that may be symmetric has fewer, and none if it packs B.
func (e *machine) list(byRows, mirrored bool) {
	p := e.p
	switch {
	case e.packA, e.packB && mirrored, e.copiesB, e.transposesFirst, e.passing, e.f.group > 0, p.GridB != nil, p.K > Block, p.M*p.N*p.K > mostListed:
		return
	}
	c := call{e: e}
	c.divide(p.M)
	tiles, whole := c.tiles(), p.N/e.width
	kernels := tiles * ((p.N + e.width - 1) / e.width)
	if kernels == 0 || mirrored && kernels > mostMirrored {
		return
	}
	if e.sums = 0; !byRows {
		e.sums = p.N * e.size
	}
	rates := e.prefetchLater(kernels)
	first := 0
	for _, rows := range [2][2]int{{0, c.tall}, {c.tall, tiles}} {
		for _, strips := range [2][2]int{{0, whole}, {whole, kernels / tiles}} {
			l := cell{tiles: rows[1] - rows[0], strips: strips[1] - strips[0], first: first}
			if l.tiles*l.strips == 0 {
				continue
			}
			i, height := c.rowsOf(rows[0])
			j := strips[0] * e.width
			l.height, l.a, l.b, l.c = height, i*e.a.Row, j*e.b.Col, i*e.stepC()+j*e.size
			if e.packB {
				l.b = j * e.size * p.K
			}
			first += l.tiles * l.strips
			s := shape{rows: height, across: e.across, save: e.save, transposed: e.transposed}
			s.columns(e.f, min(e.width, p.N-j))
			for turn := range 2 {
				s.rate, s.save = rates[turn], e.save
				if l.code[0][turn] = e.f.kernel(s); e.streams {
					s.save = stream
				}
				if l.code[1][turn] = e.f.kernel(s); l.code[0][turn] == nil || l.code[1][turn] == nil { // prepare makes none that are denser
					e.cells, e.sums = e.cells[:0], 0
					return
				}
			}
			e.cells = append(e.cells, l)
		}
	}
}

// prefetchLater decides what so many kernels prefetch, and returns the rates. The kernels of an even product prefetch what those of two later products
// read first, and the kernels of an odd one the other operand of the two.
func (e *machine) prefetchLater(kernels int) (rates [2]rate) {
	p := e.p
	operands := [2]int{p.M * p.K * e.size, p.N * p.K * e.size} // bytes
	both := operands[0] + operands[1]
	e.turns, e.later, e.nextAhead = 1, [2]fetch{}, 2
	switch {
	case len(p.OffC) == 1:
		return rates
	case e.transposed:
		e.turns, e.nextAhead = 0, 1+leastAhead/max(both, 1)
		e.prefetchColumns(operands[1], kernels)
		return rates
	case both <= e.mostFound(both) && (!e.packB || len(p.OffB)*both <= l2()/2):
		return rates
	case e.packB:
		operands[0], operands[1] = operands[1], operands[0]
	default:
		e.nextAhead += leastAhead / max(both, 1)
	}
	for turn, bytes := range operands {
		part := (2*bytes + kernels - 1) / kernels
		r := rateOf(part, p.K)
		e.later[turn], rates[turn] = fetch{second: turn == 1, part: part, step: min(r.prefetches(p.K), 1) * r.bytes()}, r
	}
	return rates
}

// prefetchColumns makes kernels, which read B by columns, prefetch a part of B of a later product, where products have more than a few
// lines of their own and come from memory: see prefetchNext. From the third level that takes longer than it saves.
func (e *machine) prefetchColumns(b, kernels int) {
	const few = 4 * cacheLine
	p := e.p
	if e.f.avx512 && b > few && p.OffB[0] != p.OffB[1] && len(p.OffB)*(b+p.M*p.K*e.size) > l3()/4 {
		part := (b + kernels - 1) / kernels
		e.later[0] = fetch{second: true, part: part, step: cacheLine, lines: (part + cacheLine - 1) / cacheLine}
	}
}

// rateOf returns the rate at which a kernel of so many terms prefetches so many bytes, but a few lines: a higher one takes longer than these.
func rateOf(bytes, terms int) rate {
	const few = 5 * cacheLine
	r := dense
	for r < quadruple && r.prefetches(terms)*r.bytes()+few < bytes {
		r++
	}
	return r
}

// stepC is the number of bytes between rows of what the kernels of a list store.
func (e *machine) stepC() int {
	if e.sums > 0 {
		return e.sums
	}
	return e.p.C.Row * e.size
}

// packSmall packs B of product u of a list, unless the product before has the same one. It returns where B is.
func (w *worker) packSmall(u, lo int, s *scratch) unsafe.Pointer {
	p, e := &w.d.p, &w.d.machine
	x := &w.packB
	if u == lo {
		*x = packer{f: e.f, k: p.K, terms: p.K, n: p.N, placement: placement{stepK: e.b.Row, stepN: e.b.Col}, half: p.HalfB, size: p.Type.Size(), s: s, repeat: w.repeat, row: e.width * e.size}
		x.distance = x.k * x.row
		if x.to = s.ofB((p.N + e.width - 1) / e.width * x.distance); e.kept != nil {
			x.to = unsafe.Pointer(&e.kept[0])
		}
	}
	if e.packed || u > lo && p.OffB[u] == p.OffB[u-1] {
		return x.to
	}
	x.from = unsafe.Add(w.d.bind.Bufs[w.d.b].Ptr, p.OffB[u]*w.d.sizeB)
	for j := 0; j < p.N; j += e.width {
		x.strip(j/e.width, j, min(e.width, p.N-j), 0, p.K)
	}
	return x.to
}

// small computes products lo to hi by their lists of kernels.
func (w *worker) small(lo, hi int, s *scratch) {
	d, p, e, args := w.d, &w.d.p, &w.d.machine, &w.args
	stride := max(1, min(64, mostListed/(p.M*p.N*max(p.K, 1)))) // products between two looks at the context
	args.as, args.bs, args.cs, args.os, args.k = e.a.Row, e.stepB(), e.stepC(), e.stepC(), p.K
	if e.across {
		args.as = e.a.Col
	}
	stripB := e.width * e.b.Col
	if e.packB {
		args.bs = e.width * e.size
		stripB = args.bs * p.K
	}
	args.mask, args.alpha, args.beta, args.tiles, args.more = e.last, d.alpha, d.beta, 1, 0
	way := scalar.FromBool[int](e.stream)
	a, b, c := d.bind.Bufs[d.a].Ptr, d.bind.Bufs[d.b].Ptr, d.bind.Bufs[2].Ptr
	for u := lo; u < hi; u++ {
		if (u-lo)%stride == 0 && d.stop() {
			break
		}
		turn := u & e.turns
		later, ahead := &e.later[turn], uintptr(0) // what kernels prefetch
		if later.step > 0 {
			v := min(u-turn+e.nextAhead, hi-1)
			if ahead = uintptr(a) + uintptr(p.OffA[v]*d.size); later.second != e.packB {
				ahead = uintptr(b) + uintptr(p.OffB[v]*d.sizeB)
			}
			args.aheadStep, args.tileAhead, args.left = later.step, later.part, later.lines
		}
		a, b, c := unsafe.Add(a, p.OffA[u]*d.size), unsafe.Add(b, p.OffB[u]*d.sizeB), unsafe.Add(c, p.OffC[u]*d.size)
		if e.sums > 0 {
			w.t = tile{m: p.M, n: p.N, c: room(&w.sums, p.M*e.sums), ldc: e.sums, combination: d.combination(u, 0, 0)}
			c = w.t.c
		}
		if e.packB {
			b = w.packSmall(u, lo, s)
		}
		for i := range e.cells {
			l := &e.cells[i]
			args.a, args.b, args.c = unsafe.Add(a, l.a), unsafe.Add(b, l.b), unsafe.Add(c, l.c)
			args.out = args.c
			args.ahead = ahead + uintptr(l.first*later.part)
			words := noWords
			if l.tiles*l.strips > 1 { // else the kernels before have left the numbers of one
				args.over(l.tiles, l.strips, [3]int{l.height * e.a.Row, l.height * args.cs, l.height * args.os}, stripB, e.width*e.size)
				words = tileWords
			}
			w.repeat.call(l.code[way][turn], unsafe.Pointer(args), unsafe.Sizeof(*args), words)
		}
		if e.sums > 0 && !w.columns(&w.t) && !w.repeat.spoils() {
			d.do.combine(&w.t, p.C.Col*d.size)
		}
		if w.done != nil {
			w.done.row = u * p.M
			w.done.complete(0, p.M, 0, p.N)
		}
	}
	if w.packB = (packer{}); e.sums > 0 {
		w.t = tile{}
	}
	args.a, args.b, args.c, args.out = nil, nil, nil, nil // they would keep the arrays of the caller alive
}
