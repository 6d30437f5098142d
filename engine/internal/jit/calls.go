package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/bound"
)

// Calls of machine code on lanes of one row, and of rows below it.

// scalar runs a scalar phase.
func (w *worker) scalar(bp *boundPhase) {
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		off := s.Line.At(w.Pos) + w.dynamic(s)
		w.point(s, off)
	}
	w.stageIn(bp, 0, 1)
	w.set(bp.Lowered.Lanes, 1)
	w.exec(bp.fn)
	for _, i := range bp.Stores {
		s := &bp.Sites[i]
		w.store(s.Stage, 0, 1, w.scratchOf(bp, i))
	}
}

func (w *worker) stageIn(bp *boundPhase, lo, n int) {
	for _, i := range bp.Loads {
		s := &bp.Sites[i]
		if s.Stage.Period > 0 {
			continue
		}
		var inside []uint8
		if s.Guard {
			inside = w.insideOf(bp, i, n)
		}
		w.load(s.Stage, lo, n, w.scratchOf(bp, i), inside)
	}
}

// segment runs lanes at..at+n of the piece from lo, all in one row, and the same
// lanes of the rows below: so many rows in all.
func (w *worker) segment(bp *boundPhase, lo, at, n int, rows rowCount) {
	p := lo + at
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		if s.Kind == layout.Transposed {
			continue
		}
		off, _ := bound.Inner(s.Line.Spans, p)
		off += s.Line.At(w.Pos)
		if s.Guard || s.Dyn != nil {
			off = w.guard(s, off, p, n)
		}
		w.point(s, off)
	}
	if !bp.Direct {
		for i := range bp.Sites {
			s, at := &bp.Sites[i], at
			if s.Staged && s.Stage.Period > 0 {
				at = p % s.Stage.Period
			}
			w.flat(bp, s, int32(i), at)
		}
	}
	w.call(bp, n, rows)
}

// call calls machine code for n lanes of each of so many rows, at the addresses in the
// frame.
func (w *worker) call(bp *boundPhase, n int, rows rowCount) {
	w.set(bp.Lowered.Lanes, n)
	w.setRows(rows, bp.Groups)
	fn := bp.fn
	if bp.streamed != nil && w.aligned(bp, rows) {
		fn = bp.streamed
	}
	w.exec(fn)
}

// setRows writes the number of rows to the frame, and those of so many levels of groups.
func (w *worker) setRows(r rowCount, levels int) {
	w.set(frame.Rows, r[0])
	for l := range levels {
		w.set(frame.Starts[l], r[l])
		w.set(frame.Counts[l+1], r[l+1])
	}
}

// exec calls machine code at the addresses in the frame.
func (w *worker) exec(fn *function) {
	if w.wide && fn.wide != nil {
		fn = fn.wide
	}
	fn.code.Call(w.frame)
}

// flat writes the address of lane at of a scratch site to the frame.
func (w *worker) flat(bp *boundPhase, s *layout.Site, i int32, at int) {
	if s.Kind != layout.Scratch {
		return
	}
	if s.Array >= 0 {
		w.setPtr(s.Arg+frame.SitePtr, w.arrays[bp.vec][s.Array], (w.first+at)*s.Size)
		return
	}
	w.setPtr(s.Arg+frame.SitePtr, w.scratchOf(bp, i), at*s.Size)
	if s.Guard {
		w.setPtr(s.Arg+frame.SiteInside, w.inside[int(bp.Lowered.Scratch)+int(i)], at)
	}
}

// guard returns off plus the part that depends on cells. It writes the range of
// lanes inside a guarded array to the frame.
func (w *worker) guard(s *layout.Site, off, p, n int) int {
	lo, hi := 0, n
	if d := w.dynamic(s); d == outside {
		hi = 0
	} else {
		off += d
	}
	for i := range s.Guards {
		c, k := w.guardAt(&s.Guards[i], p)
		lo, hi = bound.Clip(lo, hi, c, k, s.Guards[i].Extent)
	}
	if s.Guard {
		w.setInside(s, lo, hi)
	}
	return off
}

// aligned reports whether one number of masked lanes before the first vector aligns
// all stores that bypass the caches to a line, in all rows.
func (w *worker) aligned(bp *boundPhase, rows rowCount) bool {
	head := uintptr(0)
	for k, i := range bp.Pure {
		s := &bp.Sites[i]
		size := uintptr(s.Size)
		at := *(*uintptr)(unsafe.Add(w.frame, s.Arg+frame.SitePtr))
		if k == 0 {
			head = -at & (layout.LineBytes - 1) / size
		}
		steps := uintptr(0)
		if rows[0] > 1 {
			steps |= uintptr(s.Row) * size
		}
		for l, n := range rows[1:] {
			if n > 1 {
				steps |= uintptr(s.Groups[l]) * size
			}
		}
		if (at+head*size)&(layout.LineBytes-1) != 0 || len(bp.Pure) > 1 && steps&(layout.LineBytes-1) != 0 {
			return false
		}
	}
	return true
}
