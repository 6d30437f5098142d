package jit

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
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
	w.short.words, w.short.sites, w.short.calls = w.one.words[:0], w.one.sites[:0], w.one.calls[:0]
	last := len(in.items) - 1
	if last != max(in.main, 0) {
		return
	}
	for i := range last {
		if !w.shortenScalar(in.items[i].scalar) {
			return
		}
	}
	switch it := &in.items[last]; {
	case it.rows != nil && in.units != bound.ElementUnits:
		w.shortenFunction(it)
	case in.units != bound.ElementUnits:
	case len(it.vec.phases) == 1 && it.vec.phases[0].Plain:
		w.shortenMap(it.vec)
	case !slices.ContainsFunc(it.vec.phases, func(bp *boundPhase) bool { return !bp.oneCall(it.vec.n) }):
		w.shortenPhases(it.vec)
	}
	s := &w.short
	s.counts = len(s.words)
	for i := range s.sites {
		s.words = append(s.words, exec.Word{At: w.word(s.sites[i].arg)})
	}
	for i := len(s.calls) - 1; i >= 0; i-- {
		s.calls[i].Next = s.first
		s.first = &s.calls[i]
	}
	if s.changes {
		s.words = append(s.words, s.calls[0].Words...)
		s.calls[0].Words = s.words
	}
}

// shortenScalar adds scalar code before the loop to the shortcut, if it can.
func (w *worker) shortenScalar(bp *boundPhase) bool {
	if bp == nil || slices.ContainsFunc(bp.Sites, func(s layout.Site) bool { return s.Kind == layout.Scratch || s.Guard || s.Dyn != nil }) {
		return false
	}
	w.set(bp.Lowered.Lanes, 1)
	if !slices.ContainsFunc(bp.Lowered.Nodes, func(n lower.Node) bool {
		return n.Op == ir.Load || n.Op == ir.Store || n.Op == ir.Fault || n.Op == lower.OpCell
	}) {
		w.scalar(bp) // its values are the same in all runs
		return true
	}
	w.shortCall(bp)
	w.shortenSites(bp, laneStep)
	return true
}

// shortenMap prepares the shortcut of a plain map.
func (w *worker) shortenMap(v *boundVec) {
	bp := v.phases[0]
	if bp.streamed != nil || bp.Rows && bp.Tiled {
		return
	}
	s, lanes := &w.short, w.word(bp.Lowered.Lanes)
	s.step, s.row, s.words = min(v.step, bp.strip), bp.Laid, append(s.words, exec.Word{At: lanes})
	w.shortenSites(bp, firstStep)
	if k := len(bp.Spans); bp.Rows {
		w.shortCall(bp, append(w.shortenRows(bp.Spans[k-1], bp.Spans[:k-1]), exec.Word{At: lanes, Is: bp.Spans[k-1]})...)
	} else {
		w.shortCall(bp)
	}
	if s.row > s.step {
		s.step = 0
	}
}

// oneCall reports whether one call runs a phase for n lanes of one span, and for fewer.
func (bp *boundPhase) oneCall(n int) bool {
	if len(bp.Spans) > 1 || len(bp.SeqSpans) > 1 || bp.runs != nil || len(bp.Loads)+len(bp.Stores) > 0 || bp.Rows || bp.streamed != nil || slices.ContainsFunc(bp.Sites, func(s layout.Site) bool { return s.Guard || s.Dyn != nil }) {
		return false
	}
	switch n = max(min(n, bp.strip), 1); {
	case bp.Lowered.Kind != lower.SeqPhase:
		return len(bp.TileSites) == 0 && bp.Laid == 0
	case bp.fn.combines && !slices.ContainsFunc(bp.Reds, func(r layout.SeqRed) bool { return r.Kern.Arg }):
		return 0 < bp.SeqN && bp.SeqN <= combinedRows(n)
	}
	return len(bp.Reds) == 0 && 0 < bp.SeqN && bp.SeqN <= bp.run(n)
}

// shortenPhases prepares the shortcut of a loop whose phases are one call each.
func (w *worker) shortenPhases(v *boundVec) {
	s := &w.short
	s.step = v.step
	for _, bp := range v.phases {
		s.step = min(s.step, bp.strip)
		s.words = append(s.words, exec.Word{At: w.word(bp.Lowered.Lanes)})
		w.shortCall(bp, exec.Word{At: w.word(frame.Rows), Is: bp.SeqN}, exec.Word{At: w.word(frame.First)})
		arrays := w.arrays[bp.vec]
		for i := range bp.Sites {
			x := &bp.Sites[i]
			if x.Kind == layout.Scratch {
				s.sites = append(s.sites, shortSite{arg: x.Arg + frame.SitePtr, ptr: &arrays[x.Array]})
			}
			if bp.Lowered.Kind == lower.SeqPhase {
				w.set(x.Arg+frame.SiteRow, bound.StepOf(x.Seq)*x.Size)
			}
		}
		for i := range bp.Reds {
			at := bp.Reds[i].At
			s.sites = append(s.sites, shortSite{arg: at + frame.SitePtr, ptr: &arrays[bp.Reds[i].Array]},
				shortSite{arg: at + frame.SiteLevels, ptr: &w.accs[bp.Lowered.ID][i].tree})
		}
		w.shortenSites(bp, laneStep)
	}
}

// shortCall adds the call of a phase to the shortcut. A loop over rows reads and changes words of the frame.
func (w *worker) shortCall(bp *boundPhase, words ...exec.Word) {
	if bp.fn.variant.Rows || bp.Lowered.Kind == lower.SeqPhase {
		w.short.changes = true
	} else {
		words = nil
	}
	w.short.calls = append(w.short.calls, exec.Bound{Code: bp.fn.code, Args: w.frame, Words: words})
}

// laneStep returns the elements from lane to lane of a site.
func laneStep(s *layout.Site) int { return s.Line.Step() }

// firstStep returns the elements from lane to lane, from row to row or from group to group of a plain site.
func firstStep(s *layout.Site) int { return bound.StepOf(s.Line.Spans[:min(len(s.Line.Spans), 1)]) }

// shortenRows makes the shortcut count the first of spans, which has rows of so many units, groups of such rows, or groups of groups. It
// returns the numbers of the others.
func (w *worker) shortenRows(row int, spans []int) (words []exec.Word) {
	s, levels := &w.short, len(spans)-1
	for l := range levels {
		n := spans[levels-l]
		row *= n
		words = append(words, exec.Word{At: w.word(frame.Counts[l]), Is: n}, exec.Word{At: w.word(frame.Starts[l]), Is: n})
	}
	s.row, s.whole, s.words = row, true, append(s.words[:0], exec.Word{At: w.word(frame.Counts[levels])})
	return words
}

// shortenFunction prepares the shortcut of a loop over rows that is one function, if one call can run
// them all. The numbers of lanes and the addresses in row buffers stay in the frame.
func (w *worker) shortenFunction(it *boundItem) {
	r := it.rows
	if !r.oneCall(it.n) {
		return
	}
	w.short.step = it.n
	var words []exec.Word
	if r.fn.variant.Rows {
		w.short.changes, words = true, w.shortenRows(1, r.spans)
	}
	w.short.calls = append(w.short.calls, exec.Bound{Code: r.fn.code, Args: w.frame, Words: words})
	for _, bp := range r.phases {
		w.set(bp.Lowered.Lanes, bp.N)
		w.shortenSites(w.inst.phases[bp.Lowered.ID], r.unitStep)
	}
}

// noArray is the address that the values of an index are added to.
var noArray unsafe.Pointer

// shortenSites adds the addresses of a phase, which step by so many elements from unit to unit, to the shortcut.
func (w *worker) shortenSites(bp *boundPhase, step func(s *layout.Site) int) {
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		p := shortSite{arg: s.Arg + frame.SitePtr, base: s.Line.At(w.Pos) * s.Size, step: step(s) * s.Size}
		switch {
		case s.Kind == layout.Index:
			p.ptr = &noArray
		case w.rows[s.Buf] != nil:
			p.ptr = &w.rows[s.Buf]
		default:
			p.ptr = &w.inst.bind.Bufs[s.Buf].Ptr
		}
		w.short.sites = append(w.short.sites, p)
	}
}

// shorten reads the binding, and makes the next runs of the shortcut those of units lo..hi. It reports whether the
// shortcut can run them.
func (w *worker) shorten(lo, hi int) bool {
	s, n := &w.short, hi-lo
	if n <= 0 || n > s.step || s.row > 0 && (lo%s.row != 0 || s.whole && n%s.row != 0) || !w.inst.holds() {
		return false
	}
	if s.row > 1 {
		lo /= s.row
		if s.whole {
			n /= s.row
		}
	}
	w.loadScalars()
	for i := range s.counts {
		s.words[i].Is = n
	}
	for i, p := range s.sites {
		s.words[s.counts+i].Is = int(uintptr(*p.ptr)) + p.base + lo*p.step
	}
	return true
}

// run calls the functions. same says that there was a run since shorten, and no other code has changed the frame.
func (s *shortcut) run(same bool) {
	if !same {
		exec.Put(s.words)
	}
	for c := s.first; c != nil; c = c.Next {
		exec.Put(c.Words)
		c.Call()
	}
}
