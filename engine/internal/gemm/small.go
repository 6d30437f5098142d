package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// mostCells is the largest number of kernels of a small product.
const mostCells = 16

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

// A cell is a kernel of a small product, and the bytes from the first elements of A, B
// and C to its own.
type cell struct {
	code    [2]*exec.Code // the second one's stores bypass the caches
	a, b, c int
	// The kernel prefetches bytes of later products: from ahead on in the operand that kernels read first, or from ^ahead on in the other
	// one. Of a product with a single kernel, odd products have the second element.
	ahead [2]int
	step  int // between prefetches; 0: there are none
	lines int // that a kernel that reads B by columns prefetches at once
}

// leastAhead is the least number of bytes between what small products read and what they prefetch, unless B is packed, which
// takes long enough: these arrive in time from memory.
const leastAhead = 8 << 10

// list lists the kernels of a product that is one tile of one block, and packs B only. They store the results, or sums next to each other, which
// become its columns. prepare has made them.
func (e *machine) list(byRows bool) {
	p := e.p
	if e.packA || e.copiesB || e.transposesFirst || e.f.group > 0 || p.GridB != nil || p.K > Block {
		return
	}
	c := call{e: e}
	c.divide(p.M)
	kernels := c.tiles() * ((p.N + e.width - 1) / e.width)
	if kernels > mostCells {
		return
	}
	first, second := p.M*p.K*e.size, p.N*p.K*e.size // bytes
	both := first + second
	if e.sums = 0; !byRows {
		e.sums = p.N * e.size
	}
	e.turns, e.nextAhead = scalar.FromBool[int](kernels == 1), 1
	if e.packB {
		first, second = second, first
	} else {
		e.nextAhead += leastAhead / max(both, 1)
	}
	products := 1 + e.turns // that are prefetched together
	all := products * kernels
	some := min(max(1, all*first/max(both, 1)), all-1) // prefetch the first operand
	partA, partB := products*first/some, products*second/(all-some)
	rates := [2]rate{rateOf(partA, p.K), rateOf(partB, p.K)}
	switch {
	case len(p.OffC) == 1, both <= e.mostFound(both) && (!e.packB || len(p.OffB)*both <= l2()/2):
		rates = [2]rate{}
	case kernels == 1:
		rates[0] = max(rates[0], rates[1])
	}
	for r := range c.tiles() {
		i, rows := c.rowsOf(r)
		s := shape{rows: rows, across: e.across, save: e.save, transposed: e.transposed}
		for j := 0; j < p.N; j += e.width {
			s.columns(e.f, min(e.width, p.N-j))
			s.rate = rates[scalar.FromBool[int](len(e.cells) >= some)]
			l := cell{step: min(s.rate.prefetches(p.K), 1) * s.rate.bytes(), a: i * e.a.Row, b: j * e.b.Col, c: i*e.stepC() + j*e.size}
			for turn := range l.ahead {
				at := turn*e.turns + len(e.cells)
				if l.ahead[turn] = at * partA; at >= some {
					l.ahead[turn] = ^((at - some) * partB)
				}
			}
			if e.transposed {
				e.prefetchColumns(&l, len(e.cells), kernels)
			}
			if e.packB {
				l.b = j * e.size * p.K
			}
			l.code[0] = e.f.kernel(s)
			if e.streams {
				streamed := s
				streamed.save = stream
				l.code[1] = e.f.kernel(streamed)
			}
			if l.code[0] == nil || e.streams && l.code[1] == nil { // prepare makes none that are denser
				e.cells, e.sums = e.cells[:0], 0
				return
			}
			e.cells = append(e.cells, l)
		}
	}
}

// prefetchColumns makes kernel i of so many, which reads B by columns, prefetch a part of B of a later product, where products have more than a few
// lines of their own and come from memory: see prefetchNext. From the third level that takes longer than it saves.
func (e *machine) prefetchColumns(l *cell, i, kernels int) {
	const few = 4 * cacheLine
	p := e.p
	b := p.N * p.K * e.size
	part := (b + kernels - 1) / kernels
	if l.step = 0; e.f.avx512 && b > few && len(p.OffB) > 1 && p.OffB[0] != p.OffB[1] && len(p.OffB)*(b+p.M*p.K*e.size) > l3()/4 {
		l.lines, l.step, l.ahead = (part+cacheLine-1)/cacheLine, cacheLine, [2]int{^(i * part), ^(i * part)}
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
		*x = packer{f: e.f, k: p.K, terms: p.K, n: p.N, placement: placement{stepK: e.b.Row, stepN: e.b.Col}, half: p.HalfB, size: p.Type.Size(), s: s, repeat: &w.repeat, row: e.width * e.size}
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
	const stride = 64 // products between two looks at the context
	d, p, e, args := w.d, &w.d.p, &w.d.machine, &w.args
	args.as, args.bs, args.cs, args.os, args.k = e.a.Row, e.stepB(), e.stepC(), e.stepC(), p.K
	if e.across {
		args.as = e.a.Col
	}
	if e.packB {
		args.bs = e.width * e.size
	}
	args.mask, args.alpha, args.beta = e.last, d.alpha, d.beta
	way, prefetches := scalar.FromBool[int](e.stream), e.cells[0].step > 0
	a, b, c := d.bind.Bufs[d.a].Ptr, d.bind.Bufs[d.b].Ptr, d.bind.Bufs[2].Ptr
	for u := lo; u < hi; u++ {
		if (u-lo)%stride == 0 && d.stop() {
			break
		}
		var next [2]uintptr // what later kernels read first, and the other operand
		turn := u & e.turns
		if prefetches {
			v := min(u-turn+e.nextAhead, hi-1)
			next = [2]uintptr{uintptr(a) + uintptr(p.OffA[v]*d.size), uintptr(b) + uintptr(p.OffB[v]*d.sizeB)}
			if e.packB {
				next[0], next[1] = next[1], next[0]
			}
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
			if prefetches {
				args.ahead, args.aheadStep, args.left = next[0]+uintptr(l.ahead[turn]), l.step, l.lines
				if l.ahead[turn] < 0 {
					args.ahead = next[1] + uintptr(^l.ahead[turn])
				}
			}
			w.repeat.call(l.code[way], unsafe.Pointer(args), unsafe.Sizeof(*args), noWords)
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
