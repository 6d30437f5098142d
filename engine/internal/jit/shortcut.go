package jit

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// findShortcut prepares a shortcut if scalar code is all that stands before the loop, and nothing
// comes after it.
func (w *worker) findShortcut() {
	in := w.inst
	last := len(in.items) - 1
	var scalars []scalarCopy
	for i, t := range in.code.p.IR.Scalars {
		scalars = append(scalars, scalarCopy{w.cell(int32(i)), &in.bind.Scalars[i], t})
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
	w.set(bp.Lowered.Lanes, 1)
	if !slices.ContainsFunc(bp.Lowered.Nodes, func(n lower.Node) bool {
		return n.Op == ir.Load || n.Op == ir.Store || n.Op == ir.Fault || n.Op == lower.OpCell
	}) {
		w.scalar(bp) // its values are the same in all runs
		return
	}
	w.short.before = append(w.short.before, bp.fn.code)
	w.shortenSites(bp, 1)
}

// shortenMap prepares the shortcut of a plain map.
func (w *worker) shortenMap(v *boundVec) {
	if len(v.phases) != 1 {
		return
	}
	bp := v.phases[0]
	if bp.Plain == nil || bp.streamed != nil || bp.Rows && bp.Tiled {
		return
	}
	lanes := w.word(bp.Lowered.Lanes)
	w.short = shortcut{code: bp.fn.code, step: min(v.step, bp.strip), row: bp.Laid, sites: bp.Plain, count: lanes}
	k := len(bp.Spans)
	if !bp.Rows {
		w.short.words = []frameWord{{w.word(frame.Rows), 1}}
		return
	}
	w.short.words = []frameWord{{lanes, bp.Spans[k-1]}}
	if w.shortenRows(bp.Spans[k-1], bp.Spans[k-2], bp.Groups); w.short.row > w.short.step {
		w.short = shortcut{}
	}
}

// shortenRows makes the shortcut count rows of so many units, or groups of so many rows.
func (w *worker) shortenRows(row, rows int, groups bool) {
	s := &w.short
	s.row, s.whole, s.count = row, true, w.word(frame.Rows)
	if groups {
		s.row, s.count = row*rows, w.word(frame.Left)
		s.words = append(s.words, frameWord{w.word(frame.Rows), rows}, frameWord{w.word(frame.Steps), rows})
	}
}

// shortenFunction prepares the shortcut of a loop over rows that is one function, if one call can run
// them all. The numbers of lanes and the addresses in row buffers stay in the frame.
func (w *worker) shortenFunction(it *boundItem) {
	r := it.rows
	if it.n > min(r.inner*r.groups, r.most) {
		return
	}
	w.short = shortcut{code: r.fn.code, step: it.n}
	w.shortenRows(1, r.inner, r.phases[0].Groups)
	for _, bp := range r.phases {
		w.set(bp.Lowered.Lanes, bp.N)
		w.shortenSites(w.inst.phases[bp.Lowered.ID], it.n)
	}
}

// noArray is the address that the values of an index are added to.
var noArray unsafe.Pointer

// shortenSites adds the addresses of a phase to the shortcut. They step from row to row, or from group to group, if the rows
// are more than one.
func (w *worker) shortenSites(bp *boundPhase, rows int) {
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		p := layout.PlainSite{Arg: s.Arg + frame.SitePtr, Base: s.Line.At(w.Pos) * s.Size}
		if rows > 1 {
			p.Step = (s.Row*w.short.row + s.Group) * s.Size
		}
		switch {
		case s.Kind == layout.Index:
			p.Ptr = &noArray
		case w.rows[s.Buf] != nil:
			p.Ptr = &w.rows[s.Buf]
		default:
			p.Ptr = &w.inst.bind.Bufs[s.Buf].Ptr
		}
		w.short.sites = append(w.short.sites, p)
	}
}

// does reports whether run can run units lo..hi.
func (s *shortcut) does(lo, hi int) bool {
	n := hi - lo
	return 0 < n && n <= s.step && (s.row == 0 || lo%s.row == 0 && (!s.whole || n%s.row == 0))
}

func (s *shortcut) run(mem unsafe.Pointer, lo, hi int) {
	n := hi - lo
	if s.row > 1 {
		lo /= s.row
		if s.whole {
			n /= s.row
		}
	}
	for _, c := range s.scalars {
		*c.to = frame.Canonical(c.t, *c.from)
	}
	for i := range s.sites {
		p := &s.sites[i]
		put((*uintptr)(unsafe.Add(mem, p.Arg)), uintptr(*p.Ptr)+uintptr(p.Base+lo*p.Step))
	}
	for i := range s.words {
		put(s.words[i].at, s.words[i].is)
	}
	put(s.count, n)
	for _, c := range s.before {
		c.Call(mem)
	}
	s.code.Call(mem)
}

// put makes a word of the frame v. A store would wait for those of the loop before. A load does not.
func put[T int | uintptr](word *T, v T) {
	if *word != v {
		*word = v
	}
}
