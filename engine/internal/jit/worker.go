package jit

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// The frame is the memory that machine code works on: its arguments, cells,
// and room for uniform values and spills. Its address is the only argument of
// a call. It holds addresses as integers: the binding and the worker keep the
// arrays alive during a call.
const (
	frameRows    = 8  // iterations of a row loop or a seq loop
	frameFault   = 16 // bit k: fault k was raised
	frameFirst   = 24 // position of the first row of a seq loop, for ArgMin and ArgMax
	frameI       = 32 // written by machine code: a counter, or the end of the first half
	frameAddress = 40 // written by machine code: the address of an accumulator
	frameTmp     = 64 // 512 bytes of scratch
	frameSites   = 64 + 512
	siteBytes    = 48
	sitePtr      = 0
	siteStride   = 8  // bytes from lane to lane
	siteLo       = 16 // guarded: the first lane inside, and the first lane after those
	siteHi       = 20
	siteRow      = 24 // bytes from row to row
	siteCur      = 32 // address of the current row
	siteInside   = 40 // staged and guarded: address of one byte for each lane, 1 if its element was read
	siteOwn      = 40 // uniform computed offset: the address that includes it
	redBytes     = 64 * 8 * 2
	maxLanes     = 1 << 14
	stageLanes   = 1024 // lanes with scratch memory, which should stay in the first-level cache
)

// A worker runs chunks of an instance.
type worker struct {
	gather.Scratch
	inst    *instance
	frame   unsafe.Pointer
	short   shortcut
	mem     []uint64
	rows    []unsafe.Pointer // row buffers, by buffer
	arrays  [][]unsafe.Pointer
	scratch []unsafe.Pointer // of staged sites, by phase and site
	inside  []unsafe.Pointer
	reds    []redState
	accs    [][]accState // by phase and reduction
	first   int          // lane of the scratch arrays where the piece begins
	run     uint64
	keep    []any
}

var _ backend.Whole = (*worker)(nil)

func (w *worker) cell(i int32) *uint64 {
	return (*uint64)(unsafe.Add(w.frame, w.inst.code.cellBase+int(i)*8))
}

func (w *worker) set(off int, v int) { *(*int)(unsafe.Add(w.frame, off)) = v }

// setPtr writes the address p + by as an integer. The sum may lie outside the
// array, where a Go pointer must not point.
func (w *worker) setPtr(off int, p unsafe.Pointer, by int) {
	*(*uintptr)(unsafe.Add(w.frame, off)) = uintptr(p) + uintptr(by)
}

// base returns the address of coordinate (0, 0, ...) of a buffer.
func (w *worker) base(buf int32) unsafe.Pointer {
	if p := w.rows[buf]; p != nil {
		return p
	}
	return w.inst.bind.Bufs[buf].Ptr
}

// begin runs the scalar code of the entry, once in each run.
func (w *worker) begin() {
	if w.run != w.inst.Number {
		w.enter()
	}
}

func (w *worker) enter() {
	in := w.inst
	w.run = in.Number
	for i, s := range in.bind.Scalars {
		*w.cell(int32(i)) = canonical(in.code.p.k.Scalars[i], s)
	}
	if p := in.code.p; p.main >= 0 {
		w.items(in.items[:p.main])
	}
}

func (w *worker) Run(lo, hi int) {
	if w.short.does(lo, hi) {
		w.short.run(w.frame, lo, hi)
	} else {
		w.chunk(lo, hi)
	}
	w.flushFaults()
	runtime.KeepAlive(w.inst)
}

// RunAll is Begin, Run of all units, and Finish.
func (w *worker) RunAll() ir.FaultKind {
	in := w.inst
	if !w.short.does(0, in.count) {
		in.Begin()
		w.Run(0, in.count)
		return in.Finish(w)
	}
	w.short.run(w.frame, 0, in.count)
	fault := ir.NoFault
	if *(*uint64)(unsafe.Add(w.frame, frameFault)) != 0 {
		in.Begin()
		w.flushFaults()
		fault = in.Fault()
	}
	runtime.KeepAlive(in)
	return fault
}

// chunk runs units lo..hi of the main loop, without a shortcut.
func (w *worker) chunk(lo, hi int) {
	w.begin()
	in := w.inst
	if lo < hi {
		switch in.code.p.units {
		case bound.OneUnit:
			w.items(in.items)
		case bound.RowUnits:
			it := &in.items[in.code.p.main]
			w.parRows(it, lo, hi)
		case bound.ElementUnits:
			w.vecRange(in.items[in.code.p.main].vec, lo, hi)
		case bound.BlockUnits:
			v := in.items[in.code.p.main].vec
			for b := lo; b < hi; b++ {
				w.vecRange(v, b*ir.Block, min((b+1)*ir.Block, v.n))
				for i, r := range v.reds {
					in.partials[i][b] = w.partial(r, b*ir.Block)
				}
			}
		}
	}
}

func (w *worker) flushFaults() {
	f := (*uint64)(unsafe.Add(w.frame, frameFault))
	if *f == 0 {
		return
	}
	for k := ir.DivideFault; k <= ir.IndexFault; k++ {
		if *f>>uint(k)&1 != 0 {
			w.inst.Raise(k)
		}
	}
	*f = 0
}

func (w *worker) items(items []boundItem) {
	for i := range items {
		it := &items[i]
		switch {
		case it.scalar != nil:
			w.scalar(it.scalar)
		case it.vec != nil:
			w.vecAll(it.vec)
		default:
			w.parRows(it, 0, it.n)
		}
	}
}

// parRows runs rows lo..hi of a par loop.
func (w *worker) parRows(it *boundItem, lo, hi int) {
	if lo >= hi {
		return
	}
	if it.rows != nil {
		it.rows.run(w, it.axes, lo, hi)
		return
	}
	work.Place(w.Pos, w.inst.extents, it.axes, lo)
	for ; lo < hi && !w.inst.Stopped(); lo++ {
		w.items(it.par)
		work.Advance(w.Pos, w.inst.extents, it.axes)
	}
}

// vecAll runs a whole vec loop and leaves its reductions in cells.
func (w *worker) vecAll(v *boundVec) {
	if len(v.reds) == 0 {
		w.vecRange(v, 0, v.n)
		return
	}
	if v.n <= ir.Block && v.n > 0 {
		w.vecRange(v, 0, v.n)
		for _, r := range v.reds {
			*w.cell(r.cell) = r.result(w.partial(r, 0))
		}
		return
	}
	for lo := 0; lo < v.n && !w.inst.Stopped(); lo += ir.Block {
		w.vecRange(v, lo, min(lo+ir.Block, v.n))
		for _, r := range v.reds {
			w.reds[r.state].Push(w.partial(r, lo), r.kern.combine)
		}
	}
	for _, r := range v.reds {
		*w.cell(r.cell) = r.result(w.reds[r.state].Pop(r.kern.empty, r.kern.combine))
	}
}

// vecRange runs positions lo..hi of a vec loop. If the loop has reductions, the
// positions must be in one block.
func (w *worker) vecRange(v *boundVec, lo, hi int) {
	for ; lo < hi && !w.inst.Stopped(); lo += v.step {
		n := min(hi-lo, v.step)
		for _, bp := range v.phases {
			for w.first = 0; w.first < n; w.first += bp.strip {
				m := min(n-w.first, bp.strip)
				if bp.ph.kind == seqPhase {
					w.seqPiece(bp, lo+w.first, m)
				} else {
					w.mapPiece(bp, lo+w.first, m)
				}
			}
		}
	}
}

// scalar runs a scalar phase.
func (w *worker) scalar(bp *boundPhase) {
	for _, i := range bp.native {
		s := &bp.sites[i]
		off := s.line.At(w.Pos) + w.dynamic(s)
		w.point(s, off)
	}
	w.stageIn(bp, 0, 1)
	w.set(bp.ph.lanes, 1)
	bp.fn.code.Call(w.frame)
	for _, i := range bp.stores {
		s := &bp.sites[i]
		s.stage.store(w, 0, 1, w.scratchOf(bp, i))
	}
}

func (w *worker) point(s *boundSite, off int) {
	if s.kind == iotaSite {
		w.set(s.arg+sitePtr, off)
		return
	}
	w.setPtr(s.arg+sitePtr, w.base(s.buf), off*s.size)
}

// outside marks a coordinate outside a guarded array: dynamic returns it.
const outside = math.MinInt

// dynamic returns the part of an offset that depends on cells, in elements. It
// returns outside if a coordinate is outside a guarded array. Then the caller must
// leave no lane inside.
func (w *worker) dynamic(s *boundSite) int {
	off := 0
	for i := range s.dyn {
		d := &s.dyn[i]
		c := w.One(&d.site)
		switch {
		case d.bounds == ir.Clamped:
			c = max(0, min(c, d.extent-1))
		case d.bounds == ir.Guarded && uint(c) >= uint(d.extent):
			return outside
		}
		off += c * d.stride
	}
	return off
}

func (w *worker) scratchOf(bp *boundPhase, site int32) unsafe.Pointer {
	return w.scratch[int(bp.ph.scratch)+int(site)]
}

func (w *worker) insideOf(bp *boundPhase, site int32, n int) []uint8 {
	return unsafe.Slice((*uint8)(w.inside[int(bp.ph.scratch)+int(site)]), n)
}

func (w *worker) stageIn(bp *boundPhase, lo, n int) {
	for _, i := range bp.loads {
		s := &bp.sites[i]
		var inside []uint8
		if s.guard {
			inside = w.insideOf(bp, i, n)
		}
		s.stage.load(w, lo, n, w.scratchOf(bp, i), inside)
	}
}

// mapPiece runs n lanes of a map phase from lo on.
func (w *worker) mapPiece(bp *boundPhase, lo, n int) {
	if bp.plain != nil && !bp.rows {
		for i := range bp.plain {
			s := &bp.plain[i]
			w.setPtr(s.arg, *s.ptr, s.base+lo*s.step)
		}
		w.call(bp, n, 1)
		return
	}
	w.stageIn(bp, lo, n)
	switch {
	case len(bp.transposed) > 0:
		w.tiles(bp, lo, n)
	case len(bp.spans) <= 1:
		w.segment(bp, lo, 0, n, 1)
	default:
		w.segments(bp, lo, n)
	}
	for _, i := range bp.stores {
		bp.sites[i].stage.store(w, lo, n, w.scratchOf(bp, i))
	}
}

// segment runs lanes at..at+n of the piece from lo, all in one row, and the same
// lanes of the rows below: rows rows in all.
func (w *worker) segment(bp *boundPhase, lo, at, n, rows int) {
	p := lo + at
	for _, i := range bp.native {
		s := &bp.sites[i]
		if s.kind == transposedSite {
			continue
		}
		off, _ := bound.Inner(s.line.Spans, p)
		off += s.line.At(w.Pos)
		if s.guard || s.dyn != nil {
			off = w.guard(s, off, p, n)
		}
		w.point(s, off)
	}
	if !bp.direct {
		for i := range bp.sites {
			w.flat(bp, &bp.sites[i], int32(i), at)
		}
	}
	w.call(bp, n, rows)
}

// call calls machine code for n lanes of each of rows rows, at the addresses in the
// frame.
func (w *worker) call(bp *boundPhase, n, rows int) {
	w.set(bp.ph.lanes, n)
	w.set(frameRows, rows)
	fn := bp.fn
	if bp.streamed != nil && w.aligned(bp, rows) {
		fn = bp.streamed
	}
	fn.code.Call(w.frame)
}

// flat writes the address of lane at of a scratch site to the frame.
func (w *worker) flat(bp *boundPhase, s *boundSite, i int32, at int) {
	if s.kind != flatSite {
		return
	}
	if s.array >= 0 {
		w.setPtr(s.arg+sitePtr, w.arrays[bp.vec][s.array], (w.first+at)*s.size)
		return
	}
	w.setPtr(s.arg+sitePtr, w.scratchOf(bp, i), at*s.size)
	if s.guard {
		w.setPtr(s.arg+siteInside, w.inside[int(bp.ph.scratch)+int(i)], at)
	}
}

// guard returns off plus the part that depends on cells. It writes the range of
// lanes inside a guarded array to the frame.
func (w *worker) guard(s *boundSite, off, p, n int) int {
	lo, hi := 0, n
	if d := w.dynamic(s); d == outside {
		hi = 0
	} else {
		off += d
	}
	for i := range s.guards {
		c, k := w.guardAt(&s.guards[i], p)
		lo, hi = bound.Clip(lo, hi, c, k, s.guards[i].extent)
	}
	if s.guard {
		w.setInside(s, lo, hi)
	}
	return off
}

// guardAt returns the guarded coordinate at position p, and its step from lane to
// lane.
func (w *worker) guardAt(g *guardLine, p int) (c, step int) {
	o, _ := bound.Inner(g.line.Spans, p)
	return g.line.At(w.Pos) + o, g.line.Step()
}

// setInside writes the range of lanes inside a guarded array to the frame.
func (w *worker) setInside(s *boundSite, lo, hi int) {
	*(*int32)(unsafe.Add(w.frame, s.arg+siteLo)) = int32(max(lo, 0))
	*(*int32)(unsafe.Add(w.frame, s.arg+siteHi)) = int32(max(hi, 0))
}

// segments runs a piece of several rows: row by row, tile by tile, or many rows in
// one call.
func (w *worker) segments(bp *boundPhase, lo, n int) {
	k := len(bp.spans)
	above, last := bp.spans[k-2], bp.spans[k-1]
	for at := 0; at < n; {
		in := (lo + at) % last
		if rows := (n - at) / last; bp.tiled && in == 0 && rows > 1 {
			rows = min(rows, tileRows)
			for c := 0; c < last; c += tileColumns {
				for r := range rows {
					w.segment(bp, lo, at+r*last+c, min(tileColumns, last-c), 1)
				}
			}
			at += rows * last
			continue
		}
		rows := 1
		if bp.rows && in == 0 {
			within := (lo + at) / last % above
			rows = max(1, min((n-at)/last, above-within))
		}
		m := min(last-in, n-at)
		w.segment(bp, lo, at, m, rows)
		at += m * rows
	}
}

// The tile of a loop with an operand that is strided along a row. Each cache line of
// the operand serves all rows of a tile.
const (
	tileRows    = 32
	tileColumns = 128
)

// findTiles decides whether a map runs tile by tile: the stride of an array is
// smaller from row to row than along a row.
func (bp *boundPhase) findTiles() {
	k := len(bp.spans)
	if k < 2 || bp.ph.kind != mapPhase || len(bp.ph.reds) > 0 || !bp.direct {
		return
	}
	for _, i := range bp.native {
		c := bp.sites[i].line.Spans
		in, out := max(c[k-1].Coef, -c[k-1].Coef), max(c[k-2].Coef, -c[k-2].Coef)
		bp.tiled = bp.tiled || in > 8 && out > 0 && out < in && len(bp.transposed) == 0
	}
}

func (in *instance) Finish(b backend.Worker) ir.FaultKind {
	w := b.(*worker)
	if w.short.step > 0 {
		return in.Fault()
	}
	p := in.code.p
	if p.main >= 0 {
		w.begin()
		if p.units == bound.BlockUnits {
			for i, r := range in.items[p.main].vec.reds {
				*w.cell(r.cell) = r.result(pairwise.Reduce(in.partials[i], r.kern.empty, r.kern.combine))
			}
		}
		w.items(in.items[p.main+1:])
		w.flushFaults()
	}
	return in.Fault()
}
