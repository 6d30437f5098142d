// Package layout decides how machine code reaches the arrays of a phase, for the strides
// and extents of a binding: by contiguous loads, by strides, by computed offsets, or
// through scratch memory that Go copies. It also chooses the variant of the code.
package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Phase returns the layout of a phase.
func (b *Binder) Phase(ph *lower.Phase) *Phase {
	bp := b.phase(ph, leastLaid, 0)
	copied := ph.Kind == lower.MapPhase && len(bp.Loads)+len(bp.Stores) > 0
	if b.Blends && ph.Kind == lower.MapPhase && (copied || bp.oneByOne()) {
		if x := b.phase(ph, leastBlend, 0); x.Laid > 0 {
			return x
		}
	}
	if copied && bp.N <= mostStepped*leastRow {
		if x := b.phase(ph, leastLaid, mostStepped); len(x.Loads)+len(x.Stores) == 0 {
			return x
		}
	}
	return bp
}

// mostStepped is the most rows of a map that are worth a step from row to row however short they are: a copy by Go takes some 50 ns for
// each array.
const mostStepped = 12

// shortTile is the most elements of such a row.
const shortTile = 32

// oneByOne reports whether a map of several spans stores or loads elements that are apart one by one, as those of the tails of
// short rows with elements of 1 and 2 bytes, or transposes tiles of short rows.
func (bp *Phase) oneByOne() bool {
	k := len(bp.Spans)
	if len(bp.TileSites) > 0 {
		return k > 1 && bp.Copy < 0 && bp.Spans[k-1] <= shortTile
	}
	return k > 1 && bp.Laid == 0 && slices.ContainsFunc(bp.Native, func(i int32) bool {
		s := &bp.Sites[i]
		return s.Kind == Strided && (bp.Lowered.Sites[i].Store || s.Step == 0 || s.Size <= 2 && bp.Spans[k-1] <= MostLaid)
	})
}

// A roomyPhase is a phase with room for few sites.
type roomyPhase struct {
	Phase
	sites [3]Site
}

// layouter returns the layouter of a phase whose sites are empty.
func (b *Binder) layouter(ph *lower.Phase) *layouter {
	n := len(ph.Sites)
	room := &roomyPhase{}
	room.Phase = Phase{Lowered: ph, N: 1, SeqN: 1, Most: MaxLanes, Copy: -1, Blends: b.Blends, joined: b.Joined, repeatsFew: b.Blends && !b.wide(), Sites: slices.Grow(room.sites[:0], n)[:n]}
	b.forms = fewForms{}
	l := &layouter{Binder: b, ph: ph, bp: &room.Phase, offsets: slices.Grow(b.forms.offsets[:0], n)[:n], guards: slices.Grow(b.forms.guards[:0], n)[:n]}
	for i := range ph.Sites {
		l.bp.Sites[i] = Site{Kind: Unused, Buf: -1, Array: -1, Arg: ph.ArgBase + i*frame.SiteBytes}
	}
	return l
}

// phase is Phase where rows are laid across vectors if at least so many of their elements follow each other, and no more than so
// many rows are never too short.
func (b *Binder) phase(ph *lower.Phase, least, few int) *Phase {
	l := b.layouter(ph)
	bp := l.bp
	l.mayStep = few
	if ph.Vec != nil {
		l.vec = b.Order(ph.Vec.Axes)
		bp.N = b.Product(ph.Vec.Axes)
	}
	if ph.Kind == lower.SeqPhase {
		l.seq = b.Order(ph.Seq)
		bp.SeqN = b.Product(ph.Seq)
	}
	l.inside = append(slices.Clip(l.vec), l.seq...)
	for i := range ph.Sites {
		if !ph.Sites[i].Coord {
			l.analyse(i)
		}
	}
	if !l.reorder(true) {
		l.lay(least)
		l.reorder(false)
	}
	l.joint()
	for bp.Laid == 0 && l.demotesSome() {
		l.joint()
	}
	if len(ph.Seq) == 0 {
		bp.SeqSpans = nil
	}
	bp.Spans, bp.Native = l.ext, l.which
	guard := len(l.which)
	for at, i := range l.which {
		s := &bp.Sites[i]
		s.Line, s.Seq = b.Line(l.offsets[i], l.inside, l.spans[at]), l.seqSpans[at]
		if k := len(s.Seq); k > 0 && ph.LaneStep > 0 { // from one element of a lane to the next
			s.Seq[k-1].Coef *= ph.LaneStep
		}
		for g, form := range l.guards[i] {
			s.Guards[g].Line, s.Guards[g].Seq = b.Line(form, l.inside, l.spans[guard]), l.seqSpans[guard]
			guard++
		}
		l.setKind(i)
	}
	b.findScan(bp)
	if k := len(l.ext); bp.Laid > 0 { // the rows are one
		bp.Spans = append(slices.Clone(l.ext[:k-1-bp.LaidSpans]), l.ext[k-1-bp.LaidSpans]*bp.Laid)
	}
	bp.Direct = true
	for i := range bp.Sites {
		s := &bp.Sites[i]
		bp.Direct = bp.Direct && s.Kind != Scratch
		switch {
		case s.Staged && ph.Sites[i].Store:
			bp.Stores = append(bp.Stores, int32(i))
		case s.Staged:
			bp.Loads = append(bp.Loads, int32(i))
		}
	}
	bp.Gathers = b.Machine.Gathers
	l.findWoven()
	b.findRecords(bp)
	b.findLanes(bp)
	bp.findFew(b.Tails)
	b.findAcross(bp)
	bp.findRows()
	bp.findGroups()
	bp.Plain = b.plain(bp)
	b.findNear(bp)
	bp.Repeats = bp.Repeats || b.repeats(bp)
	bp.TransposesRows = bp.TransposesRows && bp.Repeats && bp.Narrowing == nil
	b.choose(ph, bp)
	// Each step of one lane waits for the one before, which takes longer in wide vectors.
	bp.Narrow = bp.Narrow || bp.Along || b.transposesNarrow(bp)
	bp.Follow = b.follow(bp)
	return bp
}

// findScan chooses how a loop that carries values, or reduces, goes along the rows of its arrays: of the ways below, the first that suits.
func (b *Binder) findScan(bp *Phase) {
	ph := bp.Lowered
	switch {
	case len(ph.Carries) == 0:
		if ph.Kind == lower.SeqPhase && len(ph.Reds) > 0 && b.Blends && !bp.fewLong() && !b.fewMasks(bp) {
			b.findTransposed(bp) // else each element is loaded and inserted by itself
		}
	case b.findRowPrefixes(bp), b.combinesWide(bp) && bp.findPrefixes(leastWidePrefixes):
		bp.Always = true
	case b.NarrowPrefixes && ph.LaneSize > 0 && (ph.LaneSize == 1 || !bp.back()) && bp.findPrefixes(leastNarrowPrefixes*ph.LaneSize): // a vector has the most lanes
	case b.blocksTakeLong(bp) && bp.findPrefixes(leastPrefixes):
	case b.findEach(bp): // short rows
	case !b.blocksTakeLongest(bp) && b.findTransposed(bp):
	case bp.findPrefixes(leastPrefixes):
	default:
		if bp.findAlong(); bp.Along && b.Tails && bp.onlyCarries() { // a call has one lane
			bp.Short, bp.AtOnce = 1, b.AtOnce
		}
		bp.Fetch, bp.Ahead = bp.Moved() > b.Machine.Caches.L2 && bp.apart(), b.Machine.Fetch
	}
	if bp.Prefixes && bp.Each == 0 && b.Tails && len(bp.SeqSpans) == 1 {
		bp.Short = bp.SeqN % narrowBytes // a call has all steps of a lane, or a multiple of 64 of them
	}
}

// setKind sets the kind of site i from its steps.
func (l *layouter) setKind(i int32) {
	ph, bp, s := l.ph, l.bp, &l.bp.Sites[i]
	switch step := s.Line.Step(); {
	case s.Kind == Index || s.Kind == Transposed:
	case bp.Laid > 0:
		s.Kind = l.laidKind(s)
	case s.Kind == Computed && s.Gather.moves():
	case step == 0 && bp.N == 1 && ph.Kind == lower.SeqPhase && ph.Sites[i].Store:
		s.Kind = Unit
	case step == 0:
		s.Kind = Uniform
	case step == 1:
		s.Kind = Unit
	default:
		s.Kind = Strided
		permutes := l.small(s.Size, step) && (s.Size > 2 || shortSteps(ph) && !s.masked())
		if permutes || ph.Sites[i].Store && l.stepped(ph, s.Size, step) {
			s.Step = step
		}
	}
}

// demotesSome demotes sites that machine code should not or cannot reach in these spans, and reports whether there are any.
func (l *layouter) demotesSome() bool {
	if l.tooManySpans() {
		return true
	}
	if l.findTileSites() || l.alongRows() || l.walksRows() {
		return false // steps of any length suit these
	}
	return l.tooFar()
}

// tooManySpans demotes sites that split the loop into rows that are too short. A block
// of a reduction must be one row. It reports whether it demoted any site.
func (l *layouter) tooManySpans() (demoted bool) {
	block := l.ph.Kind == lower.MapPhase && len(l.ph.Reds) > 0 // one call reduces a block
	if len(l.ext) < 2 || !block && l.spansSuit() {
		return false
	}
	for _, most := range []int{1, 0} { // sites that split a row by themselves; for a block then the others
		for _, i := range l.which {
			if l.own(int(i)) > most {
				l.demote(int(i))
				demoted = true
			}
		}
		if demoted || !block {
			break
		}
	}
	return demoted
}

// spansSuit reports whether the rows of a loop are long enough, too few to matter, or short rows that one call walks.
func (l *layouter) spansSuit() bool {
	few := 0 < l.bp.N && l.bp.N <= l.mayStep*l.ext[len(l.ext)-1]
	return few || l.bp.FewLanes || !l.bp.shortRows(l.ext) || l.spansTogether() || l.storesApart() || l.computesRows()
}

// computesRows reports whether a site with an index splits a map into rows. Go would copy its other coordinates for each element.
func (l *layouter) computesRows() bool {
	k := len(l.ext)
	return l.ext[k-1]*l.ext[k-2] >= leastBlock && slices.ContainsFunc(l.which, func(i int32) bool {
		return l.bp.Sites[i].Kind == Computed && l.own(int(i)) > 1
	})
}

// tooFar demotes the sites whose step machine code cannot use. It reports whether it
// demoted any site.
func (l *layouter) tooFar() (demoted bool) {
	for at, i := range l.which {
		c := l.spans[at]
		if !l.reachable(l.ph, &l.bp.Sites[i], c) && !(l.ph.Sites[i].Store && len(c) == 1 && l.joins(i, c[0].Coef)) {
			l.demote(int(i))
			demoted = true
		}
	}
	return demoted
}

// demote makes Go copy the elements of a site. If a copy would change the order of
// loads and stores, machine code computes the offsets instead.
func (l *layouter) demote(i int) {
	switch s := &l.bp.Sites[i]; {
	case l.ph.Sites[i].Coords != nil:
		l.computed(i, false)
	case s.Kind == Index:
		l.stagedIndex(s, l.offsets[i])
	default:
		period := l.period(i)
		l.stagedSite(i)
		s.Stage.Period = period
	}
}

// shortRows reports whether rows are too short for one call of machine code each, or
// for a step from row to row inside a call.
func (bp *Phase) shortRows(extents []int) bool {
	k := len(extents)
	if bp.Lowered.Kind == lower.SeqPhase { // a call runs rows of the seq loop with constant steps
		deep := 1
		if n := len(bp.SeqSpans); n > 0 {
			deep = min(bp.SeqSpans[n-1], ir.Run)
		}
		return extents[k-1]*deep < leastBlock
	}
	for i := range bp.Sites {
		if bp.Sites[i].Guard { // a call for each row
			return extents[k-1] < leastBlock
		}
	}
	return extents[k-1] < leastRow || extents[k-1]*extents[k-2] < leastBlock
}

// plain reports whether the address of each site of a map steps by its first span alone: from lane to lane, from row to
// row of a call with many rows or of laid rows, or from group to group of rows.
func (b *Binder) plain(bp *Phase) bool {
	k := len(bp.Spans)
	if bp.Lowered.Kind != lower.MapPhase || k > 1 && !bp.Rows || k > 2+bp.Groups || !bp.Direct || len(bp.TileSites) > 0 {
		return false
	}
	return !slices.ContainsFunc(bp.Native, func(i int32) bool {
		s := &bp.Sites[i]
		return s.Guard || s.Dyn != nil || len(s.Line.Outer) > 0 || s.Kind == Index || b.IR.Bufs[s.Buf].Mode == ir.Row
	})
}

// analyse finds the affine offset of a site. If there is none, Go copies the elements
// or machine code computes the offsets.
func (l *layouter) analyse(i int) {
	b, ph := l.Binder, l.ph
	info, s := &ph.Sites[i], &l.bp.Sites[i]
	*s = Site{Buf: info.Buf, Array: info.Array, Size: info.Type.Size(), Arg: s.Arg}
	if info.Array >= 0 {
		s.Kind = Scratch
		return
	}
	if info.Access < 0 { // an index
		s.Kind, s.Size = Index, 1
		f, ok := b.Form(info.Ix)
		if !ok {
			l.stagedSite(i)
			return
		}
		l.offsets[i] = f
		return
	}
	a := &b.Access[info.Access]
	offset := a.Offset
	for d := range a.Dims {
		dim := &a.Dims[d]
		switch {
		case info.Coords != nil && info.Coords[d].Node != lower.None:
			l.indirect(i)
			return
		case dim.Direct():
		case !dim.Affine && l.sameInLanes(dim.Ix):
			s.Dyn = append(s.Dyn, dynDim{b.at(ph, nil).Index(dim.Ix), dim.Stride, dim.Extent, dim.Bounds})
			s.Guard = s.Guard || dim.Bounds == ir.Guarded
		case dim.Affine && dim.Bounds == ir.Guarded && ph.Kind != lower.ScalarPhase:
			if len(s.Guards) == 0 { // the access keeps its own offset
				offset = offset.Clone()
			}
			offset.Plus(dim.Form, dim.Stride)
			l.guards[i] = append(l.guards[i], dim.Form)
			s.Guards = append(s.Guards, GuardLine{Extent: dim.Extent})
			s.Guard = true
		default:
			l.indirect(i)
			return
		}
	}
	if s.Guard && ph.Kind == lower.ScalarPhase {
		l.indirect(i)
		return
	}
	l.offsets[i] = offset
}

// indirect chooses computed offsets for a site without an affine offset if the site
// has coordinates, staging otherwise.
func (l *layouter) indirect(i int) {
	if l.ph.Sites[i].Coords != nil {
		l.computed(i, true)
	} else {
		l.stagedSite(i)
	}
}

// sameInLanes reports whether an index expression of cells and axes has the same value
// in all lanes: it uses no axis of the phase.
func (l *layouter) sameInLanes(ix prim.Ix) bool {
	for n := range l.IR.Nodes(ix) {
		if n.Op == prim.IxAxis && slices.ContainsFunc(l.inside, func(d int) bool { return l.Digits[d].Axis == int32(n.K) && l.Digits[d].Extent != 1 }) {
			return false
		}
	}
	return true
}

// computed makes machine code compute the offsets of a site. If merge is set, affine
// coordinates are part of the address, unless they are clamped. Machine code still
// compares the guarded ones.
func (l *layouter) computed(i int, merge bool) {
	b, info, s := l.Binder, &l.ph.Sites[i], &l.bp.Sites[i]
	a := &b.Access[info.Access]
	g, offset := &GatherPlan{}, b.Constant(0)
	joined := lower.None // the site that has the sum of the affine coordinates
	for d := range a.Dims {
		x := &a.Dims[d]
		dim := gatherDim{info.Coords[d], x.Stride, x.Extent, x.Bounds}
		switch {
		case x.Affine && merge && x.Bounds != ir.Clamped:
			offset.Plus(x.Form, x.Stride)
			if x.Bounds == ir.InBounds {
				continue
			}
			dim.Stride = 0
		case x.Direct():
			c := dim.Coord.Site
			if joined == lower.None {
				joined, dim.Stride = c, 1
				l.bp.Sites[c] = Site{Kind: Index, Buf: -1, Array: -1, Size: 1, Arg: l.bp.Sites[c].Arg}
				l.offsets[c] = b.Constant(0)
				g.Dims = append(g.Dims, dim)
			}
			l.offsets[joined].Plus(x.Form, x.Stride)
			continue
		}
		g.Dims = append(g.Dims, dim)
		if c := dim.Coord.Site; c != lower.None && l.bp.Sites[c].Kind == Unused {
			l.analyse(int(c))
		}
	}
	l.offsets[i], l.guards[i] = offset, nil
	*s = Site{Kind: Computed, Buf: info.Buf, Array: -1, Size: s.Size, Arg: s.Arg, Gather: g}
}
