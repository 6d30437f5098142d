package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/bound"
)

// findShortcut prepares a shortcut if there is nothing to compute before the loop or after
// it.
func (w *worker) findShortcut() {
	in := w.inst
	if len(in.items) != 1 {
		return
	}
	var scalars []scalarCopy
	for i, t := range in.code.p.IR.Scalars {
		if frame.Narrow(t) { // cells hold another form: see frame.Canonical
			return
		}
		scalars = append(scalars, scalarCopy{w.cell(int32(i)), &in.bind.Scalars[i]})
	}
	switch it := &in.items[0]; {
	case it.rows != nil && in.units == bound.OneUnit:
		w.shortenFunction(it)
	case in.units == bound.ElementUnits:
		w.shortenMap(it.vec)
	}
	w.short.scalars = scalars
	w.short.all = w.short.does(0, in.count)
}

// shortenMap prepares the shortcut of a plain map.
func (w *worker) shortenMap(v *boundVec) {
	if len(v.phases) != 1 {
		return
	}
	bp := v.phases[0]
	if bp.Plain == nil || bp.streamed != nil || bp.Rows && (bp.Tiled || v.row == 0) {
		return
	}
	w.short = shortcut{
		code: bp.fn.code, step: min(v.step, bp.strip), row: v.row,
		lanes: w.word(bp.Lowered.Lanes), rows: w.word(frame.Rows), sites: bp.Plain,
	}
}

// shortenFunction prepares the shortcut of a function that runs once. The numbers of lanes
// and the addresses in row buffers stay in the frame.
func (w *worker) shortenFunction(it *boundItem) {
	if it.n != 1 || len(it.axes) > 0 {
		return
	}
	w.short = shortcut{code: it.rows.fn.code, step: 1, lanes: w.word(frame.Rows), rows: w.word(frame.Rows)}
	for _, bp := range it.rows.phases {
		w.set(bp.Lowered.Lanes, bp.N)
		for _, i := range bp.Native {
			s := &bp.Sites[i]
			off := s.Line.At(w.Pos)
			if s.Kind == layout.Index || w.rows[s.Buf] != nil {
				w.point(s, off)
			} else {
				w.short.sites = append(w.short.sites, layout.PlainSite{Arg: s.Arg + frame.SitePtr, Ptr: &w.inst.bind.Bufs[s.Buf].Ptr, Base: off * s.Size})
			}
		}
	}
}

// does reports whether run can run lanes lo..hi.
func (s *shortcut) does(lo, hi int) bool {
	n := hi - lo
	return 0 < n && n <= s.step && (s.row == 0 || lo%s.row == 0 && n%s.row == 0)
}

func (s *shortcut) run(frame unsafe.Pointer, lo, hi int) {
	n, rows := hi-lo, 1
	if s.row > 0 {
		lo, n, rows = lo/s.row, s.row, n/s.row
	}
	for _, c := range s.scalars {
		*c.to = *c.from
	}
	for i := range s.sites {
		p := &s.sites[i]
		put((*uintptr)(unsafe.Add(frame, p.Arg)), uintptr(*p.Ptr)+uintptr(p.Base+lo*p.Step))
	}
	put(s.lanes, n)
	put(s.rows, rows)
	s.code.Call(frame)
}

// put makes a word of the frame v. A store would wait for those of the loop before. A load does not.
func put[T int | uintptr](word *T, v T) {
	if *word != v {
		*word = v
	}
}
