package jit

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// Row loops: before a call of machine code the worker writes addresses to the frame.
// This takes tens of nanoseconds, as long as a short row. So one call runs many rows
// if all addresses have constant steps from row to row.

// shortRun is the time in ns below which a loop is one call: two threads would gain little.
const shortRun = 3e3

// short reports whether one call reduces all blocks of a loop, in a time that is not worth a
// second thread.
func (in *instance) short(v *boundVec) bool {
	return v.n <= v.step && in.code.gen.cost(v) < shortRun
}

// joins reports whether join saves time: there is one unit, or the run is short and more than a loop.
func (in *instance) joins() bool {
	switch in.units {
	case bound.ElementUnits:
		return in.main < len(in.items)-1 && in.short(in.items[in.main].vec)
	case bound.BlockUnits:
		return in.count == 1 || in.short(in.items[in.main].vec)
	}
	return in.count == 1
}

// join makes one function of all items of an instance of one unit, if it can. A run of
// few elements is then one call, which also stores the results of reductions.
func (in *instance) join(b *layout.Binder) {
	it := boundItem{par: in.items, n: 1}
	if it.rows = in.findRowLoop(b, &it); it.rows != nil {
		in.items, in.units, in.count, in.main = []boundItem{it}, bound.OneUnit, 1, -1
	}
}

// findRowLoop returns a par loop with its body as one function, or nil. Machine code
// must reach all sites without scratch memory or guards, with constant steps from row
// to row.
func (in *instance) findRowLoop(b *layout.Binder, it *boundItem) *rowLoop {
	r := &rowLoop{}
	lanes := 0
	for i := range it.par {
		switch x := &it.par[i]; {
		case x.scalar != nil:
			r.phases = append(r.phases, x.scalar.Phase)
		case x.vec != nil && len(x.vec.phases) == 1 && x.vec.n > 0 && x.vec.n <= x.vec.step && !x.vec.settles:
			r.phases = append(r.phases, x.vec.phases[0].Phase)
			lanes += x.vec.n
		default:
			return nil
		}
	}
	if len(r.phases) == 0 {
		return nil
	}
	var sites []*layout.Site
	var as []bound.Form
	for _, bp := range r.phases {
		if bp.Lowered.Kind == lower.SeqPhase || len(bp.Spans) > 1 {
			return nil
		}
		for i := range bp.Sites {
			s := &bp.Sites[i]
			if s.Kind == layout.Scratch || s.Kind == layout.Transposed || s.Guard || s.Dyn != nil {
				return nil
			}
			if s.Kind == layout.Unused {
				continue
			}
			a := b.Constant(0)
			for _, t := range s.Line.Outer {
				a.Coef[t.Axis] += t.Coef // a digit is an axis here
			}
			sites, as = append(sites, s), append(as, a)
		}
	}
	r.spans = []int{1}
	if extents, spans := b.Spans(b.Order(it.axes), as); len(extents) > 0 {
		last := len(extents) - 1
		levels := min(last, frame.Levels)
		r.spans, r.phases[0].Groups = extents[last-levels:], levels
		for i, s := range sites {
			s.Row = spans[i][last].Coef
			s.SetGroups(extents, spans[i], levels)
		}
	}
	if r.together() {
		x, red := r.phases[0], r.phases[0].Lowered.Reds[0]
		lines := x.N * cmp.Or(x.Lowered.LaneSize, x.Widest()) / max(red.Kern.Lane.Size(), 4) // of an iteration of wide vectors
		compares := !red.Kern.Ordered && red.Type.IsFloat()
		for _, bp := range r.phases {
			if bp.Together = layout.LineBytes / 2; r.spans[0] >= manyTogether && (lines < leastLines || lines >= mostLines || compares) {
				bp.Together = layout.LineBytes
			}
		}
	}
	if !r.folds() {
		for _, bp := range r.phases {
			bp.FindExact(bp.N)
		}
	}
	if len(r.phases) > 1 { // one phase holds its own addresses
		b.ShareRows(r.phases)
	}
	cost := rowTime
	for _, s := range sites {
		if max(s.Row, -s.Row)*s.Size >= farRow {
			cost += farTime
		}
	}
	for _, bp := range r.phases {
		cost += in.code.gen.laneCost(bp) * float64(bp.N)
	}
	r.cost, r.most = cost, max(1, min(layout.MostLanes/max(lanes, 1), int(maxCall/cost)))
	return r
}

// folds reports whether a row has a reduction.
func (r *rowLoop) folds() bool {
	return slices.ContainsFunc(r.phases, func(bp *layout.Phase) bool { return len(bp.Lowered.Reds) > 0 })
}

// variant returns the variant of the function of n rows. A single row without reductions needs no counter of rows. Rows that fill vectors
// of half the size, and need a mask for the last one of the full size, take these, but for extremes of floats: steps of several instructions.
func (r *rowLoop) variant(n int) layout.Variant {
	v := layout.Variant{Rows: n > 1 || r.folds()}
	if bp := r.phases[0]; bp.Together > 0 && !(bp.Widest() == 8 && bp.Lowered.Predicates()) && (bp.Lowered.Reds[0].Kern.Ordered || !bp.Lowered.Reds[0].Type.IsFloat()) {
		v.Narrow = bp.N <= layout.MostShort && bp.N*bp.Widest()%layout.LineBytes == layout.LineBytes/2 && !(bp.N*bp.Widest() < bp.Together && bp.RowsPacked())
	}
	for _, bp := range r.phases {
		if bp.Lowered.Kind == lower.MapPhase && !r.folds() {
			if v.Narrow = bp.Narrow; !v.Narrow {
				break
			}
		}
	}
	return v
}

// The fewest rows that are folded together, the fewest of which twice as many are, as the rest takes longer for each, and the most bytes from
// a row to the next. An iteration of leastLines to mostLines lines, 2 to 4 KB, loads them from the second level in up to 1.5 times the time of
// a shorter or a longer one, which matters unless comparisons take longer.
const (
	leastTogether = 8
	manyTogether  = 128
	mostTogether  = 1 << 20
	leastLines    = 31
	mostLines     = 64
)

// together reports whether the lanes of several rows may be folded at once: a reduction of contiguous rows has results that are
// contiguous too.
func (r *rowLoop) together() bool {
	if len(r.phases) != 2 || len(r.spans) > 1 || r.spans[0] < leastTogether {
		return false
	}
	x, y := r.phases[0], r.phases[1]
	if x.Lowered.Kind != lower.MapPhase || y.Lowered.Kind != lower.ScalarPhase || len(x.Lowered.Reds) != 1 || x.N*x.Widest() > layout.MostTogether {
		return false
	}
	stored := func(buf int32) bool { // a row must not load what the row before stores
		return slices.ContainsFunc(y.Sites, func(s layout.Site) bool { return s.Buf == buf && y.Lowered.Sites[s.Index(y.Lowered)].Store })
	}
	apart := func(s layout.Site) bool {
		return s.Kind != layout.Unused && (s.Kind != layout.Unit && (s.Kind != layout.Uniform || s.Row != 0) || max(s.Row, -s.Row)*s.Size > mostTogether || stored(s.Buf) || x.Lowered.Sites[s.Index(x.Lowered)].Store)
	}
	alone := func(s layout.Site) bool {
		return s.Kind != layout.Unused && (s.Kind != layout.Uniform || s.Gather != nil || s.Row != 1 && (s.Row != 0 || y.Lowered.Sites[s.Index(y.Lowered)].Store))
	}
	exports := func(n lower.Node) bool { return n.Op == lower.OpExport || n.Op == ir.Fault || n.Op == ir.Cold }
	return !slices.ContainsFunc(x.Sites, apart) && !slices.ContainsFunc(y.Sites, alone) && !slices.ContainsFunc(y.Lowered.Nodes, exports)
}

// run runs rows lo..hi of a par loop.
func (r *rowLoop) run(w *worker, axes []int32, lo, hi int) {
	for lo < hi && !w.inst.Stopped() {
		rows := rowsAt(r.spans, lo, min(hi-lo, r.most))
		work.Place(w.Pos, w.inst.extents, axes, lo)
		for _, bp := range r.phases {
			for _, i := range bp.Native {
				s := &bp.Sites[i]
				w.point(s, s.Line.At(w.Pos))
			}
			w.set(bp.Lowered.Lanes, bp.N)
		}
		w.setRows(rows, r.phases[0].Groups)
		w.exec(r.fn)
		lo += rows.all()
	}
}

// oneCall reports whether one call can run so many rows.
func (r *rowLoop) oneCall(n int) bool { return n <= min(shape.Shape(r.spans).Size(), r.most) }

// unitStep returns the elements from a row, or from a group of the outermost level, to the next.
func (r *rowLoop) unitStep(s *layout.Site) int {
	step := s.Row
	for l := range len(r.spans) - 1 {
		step = s.Groups[l] + r.spans[len(r.spans)-1-l]*step
	}
	return step
}

// mostWalked is the most sites of a loop that walk runs, and the most spans around its tiles.
const mostWalked = 8

// walks returns the number of spans around the tiles that walk can copy, or 0. The addresses must differ by constants.
func (bp *boundPhase) walks() int {
	k := len(bp.Spans)
	if bp.Copy < 0 || len(bp.Native) > mostWalked || k > mostWalked+2 || bp.Spans[k-2] > bp.TileRows || bp.Spans[k-1] > layout.TileLanes || slices.ContainsFunc(bp.Native, func(i int32) bool { s := &bp.Sites[i]; return s.Kind == layout.Index || s.Dyn != nil }) {
		return 0
	}
	return k - 2
}

// walkedLanes returns the lanes of a call of walk.
func (bp *boundPhase) walkedLanes() int { return bp.lanesFrom(bp.walked) }
