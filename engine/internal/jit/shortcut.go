package jit

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/bound"
)

// findShortcut prepares a shortcut if scalar code is all that stands before the loop, and nothing
// comes after it.
func (w *worker) findShortcut() {
	in := w.inst
	last := len(in.items) - 1
	var scalars []scalarCopy
	for i, t := range in.code.p.IR.Scalars {
		if frame.Narrow(t) { // cells hold another form: see frame.Canonical
			return
		}
		scalars = append(scalars, scalarCopy{w.cell(int32(i)), &in.bind.Scalars[i]})
	}
	if last != max(in.main, 0) {
		return
	}
	switch it := &in.items[last]; {
	case it.rows != nil && in.units != bound.ElementUnits:
		w.shortenFunction(it)
	case in.units == bound.ElementUnits:
		w.shortenMap(it.vec)
	}
	for i := range last {
		w.shortenScalar(in.items[i].scalar)
	}
	w.short.scalars = scalars
	w.short.all = w.short.does(0, in.count)
}

// shortenScalar adds scalar code before the loop to the shortcut, or removes the shortcut.
func (w *worker) shortenScalar(bp *boundPhase) {
	if bp == nil || slices.ContainsFunc(bp.Sites, func(s layout.Site) bool { return s.Kind == layout.Scratch || s.Guard || s.Dyn != nil }) {
		w.short = shortcut{}
		return
	}
	w.short.before = append(w.short.before, bp.fn.code)
	w.set(bp.Lowered.Lanes, 1)
	w.shortenSites(bp, false)
}

// shortenMap prepares the shortcut of a plain map.
func (w *worker) shortenMap(v *boundVec) {
	if len(v.phases) != 1 {
		return
	}
	bp := v.phases[0]
	if bp.Plain == nil || bp.streamed != nil || bp.Rows && (bp.Tiled || v.row != bp.Spans[len(bp.Spans)-1]) {
		return
	}
	w.short = shortcut{
		code: bp.fn.code, step: min(v.step, bp.strip), row: v.row, whole: bp.Rows,
		lanes: w.word(bp.Lowered.Lanes), rows: w.word(frame.Rows), sites: bp.Plain,
	}
}

// shortenFunction prepares the shortcut of a loop over rows that is one function, if one call can run
// them all. The numbers of lanes and the addresses in row buffers stay in the frame.
func (w *worker) shortenFunction(it *boundItem) {
	if it.n > min(it.rows.inner, it.rows.most) {
		return
	}
	w.short = shortcut{code: it.rows.fn.code, step: it.n, row: 1, whole: true, lanes: new(int), rows: w.word(frame.Rows)}
	for _, bp := range it.rows.phases {
		w.set(bp.Lowered.Lanes, bp.N)
		w.shortenSites(w.inst.phases[bp.Lowered.ID], it.n > 1)
	}
}

// noArray is the address that the values of an index are added to.
var noArray unsafe.Pointer

// shortenSites adds the addresses of a phase to the shortcut. They step from row to row if rows is set.
func (w *worker) shortenSites(bp *boundPhase, rows bool) {
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		off, step := s.Line.At(w.Pos), 0
		if rows {
			step = s.Row * s.Size
		}
		switch {
		case s.Kind == layout.Index:
			w.short.sites = append(w.short.sites, layout.PlainSite{Arg: s.Arg + frame.SitePtr, Ptr: &noArray, Base: off, Step: step})
		case w.rows[s.Buf] != nil:
			w.short.sites = append(w.short.sites, layout.PlainSite{Arg: s.Arg + frame.SitePtr, Ptr: &w.rows[s.Buf], Base: off * s.Size, Step: step})
		default:
			w.short.sites = append(w.short.sites, layout.PlainSite{Arg: s.Arg + frame.SitePtr, Ptr: &w.inst.bind.Bufs[s.Buf].Ptr, Base: off * s.Size, Step: step})
		}
	}
}

// does reports whether run can run units lo..hi.
func (s *shortcut) does(lo, hi int) bool {
	n := hi - lo
	return 0 < n && n <= s.step && (s.row == 0 || lo%s.row == 0 && (!s.whole || n%s.row == 0))
}

func (s *shortcut) run(frame unsafe.Pointer, lo, hi int) {
	n, rows := hi-lo, 1
	if s.row > 0 {
		lo /= s.row
	}
	if s.whole {
		n, rows = s.row, n/s.row
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
	for _, c := range s.before {
		c.Call(frame)
	}
	s.code.Call(frame)
}

// put makes a word of the frame v. A store would wait for those of the loop before. A load does not.
func put[T int | uintptr](word *T, v T) {
	if *word != v {
		*word = v
	}
}
