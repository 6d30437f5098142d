package jit

import (
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// Seq loops run strip by strip. Machine code combines up to 64 rows of a strip of
// columns with an array of accumulators. The worker combines full runs, in a tree of
// adjacent pairs.

// A seqRed is the reduction of a seq loop in an instance.
type seqRed struct {
	*red
	arg int // offset in the frame of the accumulators: a site of their own
	idx int // offset of the positions
}

// An accState is the memory of a seqRed in one worker.
type accState struct {
	acc    unsafe.Pointer
	levels []unsafe.Pointer
	pos    unsafe.Pointer
}

// seqPiece runs the whole seq loop for n lanes from lo on.
func (w *worker) seqPiece(bp *boundPhase, lo, n int) {
	accs := w.accs[bp.ph.id]
	for i := range bp.reds {
		fillLanes(accs[i].acc, n, bp.reds[i].kern)
		if bp.reds[i].kern.arg {
			clear(unsafe.Slice((*int32)(accs[i].pos), n))
		}
	}
	count := 0
	inner := 1
	if k := len(bp.seqSpans); k > 0 {
		inner = bp.seqSpans[k-1]
	}
	work.Place(w.Pos, w.inst.extents, bp.ph.seq, 0)
	for t := 0; t < bp.seqN && !w.inst.Stopped(); {
		m := min(bp.seqN-t, ir.Run-t%ir.Run, inner-t%inner)
		if len(bp.loads) > 0 || len(bp.stores) > 0 {
			w.seqStage(bp, lo, n, t, m, true)
		}
		w.seqRows(bp, lo, n, t, m)
		if len(bp.stores) > 0 {
			w.seqStage(bp, lo, n, t, m, false)
		}
		t += m
		if t%ir.Run == 0 && bp.ordered {
			for i := range bp.reds {
				w.pushRun(&accs[i], &bp.reds[i], count, n)
			}
			count++
		}
	}
	for i := range bp.reds {
		w.finishRuns(bp, &accs[i], &bp.reds[i], count, bp.seqN%ir.Run, n)
	}
}

func (w *worker) pushRun(st *accState, r *seqRed, count, n int) {
	if !r.kern.ordered {
		return
	}
	i := 0
	for ; count>>i&1 != 0; i++ {
		r.kern.merge(st.acc, st.levels[i], n)
	}
	st.acc, st.levels[i] = st.levels[i], st.acc
	fillLanes(st.acc, n, r.kern)
}

// finishRuns combines the runs that are left, and writes the result to its array.
func (w *worker) finishRuns(bp *boundPhase, st *accState, r *seqRed, count, left, n int) {
	if bp.seqN == 0 {
		fillBits(st.acc, n, r.kern.lane.Size(), r.kern.empty.bits)
		if r.kern.arg {
			clear(unsafe.Slice((*int32)(st.pos), n))
		}
	} else if r.kern.ordered {
		have := left > 0
		for i := 0; count>>i != 0; i++ {
			if count>>i&1 == 0 {
				continue
			}
			if have {
				r.kern.merge(st.acc, st.levels[i], n)
			} else {
				st.acc, st.levels[i] = st.levels[i], st.acc
				have = true
			}
		}
	}
	out := unsafe.Add(w.arrays[bp.vec][r.array], w.first*r.out.Size())
	switch {
	case r.kern.arg:
		d, s := unsafe.Slice((*int64)(out), n), unsafe.Slice((*int32)(st.pos), n)
		for i := range d {
			d[i] = int64(s[i])
		}
	case r.typ == dtype.Bool:
		d, s := unsafe.Slice((*uint8)(out), n), unsafe.Slice((*uint32)(st.acc), n)
		for i := range d {
			d[i] = uint8(boolBit((s[i] != 0) != r.kern.all()))
		}
		if bp.seqN == 0 {
			for i := range d {
				d[i] = uint8(r.kern.empty.bits)
			}
		}
	case r.typ == dtype.I8 || r.typ == dtype.U8:
		d, s := unsafe.Slice((*uint8)(out), n), unsafe.Slice((*uint32)(st.acc), n)
		for i := range d {
			d[i] = uint8(s[i])
		}
	case r.kern.lane.Size() == 4:
		copy(unsafe.Slice((*uint32)(out), n), unsafe.Slice((*uint32)(st.acc), n))
	default:
		copy(unsafe.Slice((*uint64)(out), n), unsafe.Slice((*uint64)(st.acc), n))
	}
}

func fillLanes(p unsafe.Pointer, n int, k *redKern) { fillBits(p, n, k.lane.Size(), k.identity) }

func fillBits(p unsafe.Pointer, n, size int, x uint64) {
	if size == 4 {
		s := unsafe.Slice((*uint32)(p), n)
		for i := range s {
			s[i] = uint32(x)
		}
		return
	}
	s := unsafe.Slice((*uint64)(p), n)
	for i := range s {
		s[i] = x
	}
}

// levels returns the depth of the tree for a number of rows, or 0 if the reduction
// has no fixed order.
func (k *redKern) levels(rows int) int {
	if !k.ordered {
		return 0
	}
	return bits.Len(uint(rows/ir.Run)) + 1
}

// seqStage copies rows t..t+m of the staged loads or stores.
func (w *worker) seqStage(bp *boundPhase, lo, n, t, m int, load bool) {
	list := bp.stores
	if load {
		list = bp.loads
	}
	for _, i := range list {
		s := &bp.sites[i]
		work.Place(w.Pos, w.inst.extents, bp.ph.seq, t)
		for r := range m {
			p := unsafe.Add(w.scratchOf(bp, i), r*bp.strip*s.size)
			if load {
				s.stage.load(w, lo, n, p, nil) // no guarded site is staged in a seq loop
			} else {
				s.stage.store(w, lo, n, p)
			}
			work.Advance(w.Pos, w.inst.extents, bp.ph.seq)
		}
	}
}

// seqRows runs the rows t..t+m, all in one span, segment by segment.
func (w *worker) seqRows(bp *boundPhase, lo, n, t, m int) {
	work.Place(w.Pos, w.inst.extents, bp.ph.seq, 0)
	last := n
	if k := len(bp.spans); k > 1 {
		last = bp.spans[k-1]
	}
	for at := 0; at < n; {
		c := n - at
		if len(bp.spans) > 1 {
			c = min(last-(lo+at)%last, c)
		}
		for done := 0; done < m; {
			done += w.seqCall(bp, lo, at, c, t, done, m-done)
		}
		at += c
	}
}

// seqCall runs lanes at..at+n of the piece from lo, from row t+done. It runs the next
// rows that have the same lanes inside guarded arrays, at most m. It returns their
// number.
func (w *worker) seqCall(bp *boundPhase, lo, at, n, t, done, m int) int {
	t += done
	for i := range bp.sites {
		s := &bp.sites[i]
		if s.guard && !s.staged {
			m = w.seqGuard(s, lo+at, n, t, m)
		}
	}
	for i := range bp.sites {
		s := &bp.sites[i]
		switch s.kind {
		case noSite:
		case flatSite:
			step := 0
			if s.staged {
				step = bp.strip
			}
			w.flat(bp, s, int32(i), at+done*step)
			w.set(s.arg+siteRow, step*s.size)
		default:
			off, _ := bound.Inner(s.line.Spans, lo+at)
			off += s.line.At(w.Pos)
			if d := w.dynamic(s); d != outside {
				off += d
			}
			o, _ := bound.Inner(s.seq, t)
			w.point(s, off+o)
			w.set(s.arg+siteRow, bound.StepOf(s.seq)*s.size)
		}
	}
	accs := w.accs[bp.ph.id]
	for i := range bp.reds {
		r := &bp.reds[i]
		w.setPtr(r.arg+sitePtr, accs[i].acc, at*r.kern.lane.Size())
		if r.kern.arg {
			w.setPtr(r.idx+sitePtr, accs[i].pos, at*4)
		}
	}
	w.set(bp.ph.lanes, n)
	w.set(frameRows, m)
	w.set(frameFirst, t)
	bp.fn.code.Call(w.frame)
	return m
}

// seqGuard writes to the frame which of n lanes from position p are inside a guarded
// array in row t. It returns for how many rows, at most m, these lanes are the same.
func (w *worker) seqGuard(s *boundSite, p, n, t, m int) int {
	lo, hi := 0, n
	if w.dynamic(s) == outside {
		hi = 0
	}
	for i := range s.guards {
		g := &s.guards[i]
		c, k := w.guardAt(g, p)
		o, _ := bound.Inner(g.seq, t)
		step := bound.StepOf(g.seq)
		c += o
		switch l, h := bound.Clip(0, n, c, k, g.extent); {
		case step == 0:
		case k != 0: // the lanes shift, unless all are inside in the first and the last row
			if l2, h2 := bound.Clip(0, n, c+(m-1)*step, k, g.extent); l != 0 || h < n || l2 != 0 || h2 < n {
				m = 1
			}
		case c >= 0 && c < g.extent:
			_, m = bound.Clip(0, m, c, step, g.extent)
		default:
			if first, end := bound.Clip(0, m, c, step, g.extent); first < end {
				m = first
			}
		}
		lo, hi = bound.Clip(lo, hi, c, k, g.extent)
	}
	w.setInside(s, lo, hi)
	return m
}
