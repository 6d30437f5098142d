package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop that carries values has one lane for each position of its other axes. If it walks
// along the rows of its arrays, the elements of a step are apart. Machine code transposes blocks of
// many rows in registers then. One row alone runs element by element.

// findTransposed finds the sites of a seq loop whose elements are neighbours
// from step to step, and apart from lane to lane. It makes them transposed and reports whether
// there are any: all of them must suit.
func (b *Binder) findTransposed(bp *Phase) bool {
	var transposed []int32
	for i := range bp.Sites {
		s := &bp.Sites[i]
		if s.Kind != Strided {
			continue
		}
		if s.Size < 4 && !b.Blends || !bp.transposable(int32(i)) {
			return false
		}
		transposed = append(transposed, int32(i))
	}
	for _, i := range transposed {
		s := &bp.Sites[i]
		s.Kind, s.Step = Transposed, bound.StepOf(s.Seq)
	}
	return len(transposed) > 0
}

// The most steps of a row that is walked by itself, the most nodes of all its steps, and the fewest
// such rows.
const (
	mostEach   = 16
	eachNodes  = 128
	leastEach  = 64
	eachStates = 4 // stay in registers
)

// findEach sets bp.Each for a loop that carries values along many short rows: they are walked one
// after the other, without a loop over the steps. The processor overlaps the rows, and the elements
// are not transposed unless registers hold parts of them.
func (b *Binder) findEach(bp *Phase) bool {
	ph := bp.Lowered
	if !b.shortSteps(bp, bp.Spans) {
		return false
	}
	strided := false
	for i := range bp.Sites {
		s, step := &bp.Sites[i], bound.StepOf(bp.Sites[i].Seq)
		switch {
		case s.Guard || s.Staged || s.Dyn != nil || s.Gather != nil || !bp.inStep(int32(i)):
			return false
		case !s.inReach():
			return false
		case s.Kind == Strided && (step == 1 || step == -1):
			strided = true
		case s.Kind != Unused && !(s.Kind == Scratch && bp.carries(s)) && !(s.Kind == Uniform && !ph.Sites[i].Store):
			return false
		}
	}
	if !strided {
		return false
	}
	bp.Each, bp.Along = bp.SeqN, true
	transposes := bp.transposesParts(b.Bytes)
	for i := range bp.Sites {
		bp.Sites[i].Transposes = transposes && bp.Sites[i].Kind == Strided
	}
	bp.single()
	return true
}

// shortSteps reports whether a loop that carries values goes along many rows with few steps, which may follow each other in the code.
// ext are the extents of its lanes.
func (b *Binder) shortSteps(bp *Phase, ext []int) bool {
	ph, k := bp.Lowered, len(ext)
	return b.Blends && len(bp.SeqSpans) == 1 && bp.SeqN <= mostEach && 0 < len(ph.Carries) && len(ph.Carries) <= eachStates && bp.SeqN*len(ph.Top) <= eachNodes &&
		k > 0 && ext[k-1] >= leastEach && bp.plainSteps() && !b.transposesPairs(bp)
}

// transposesPairs reports whether blocks of elements of 2 bytes are transposed in less time than rows are walked one by one: if they are halves,
// many of which are converted at once, and on targets where a vector under a mask takes long.
func (b *Binder) transposesPairs(bp *Phase) bool {
	return bp.SeqN >= PartBytes/2 && bp.Widest() <= 4 && slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Size == 2 && (b.Tails || bp.Lowered.Sites[s.Index(bp.Lowered)].Type.IsFloat())
	})
}

// TransposedLanes is the lanes of a call of a loop whose blocks are transposed, which goes far along them, or a divisor of them.
const TransposedLanes = 64

// mostWideParts is the most nodes of a step of a loop whose parts are transposed in vectors of 512 bits.
const mostWideParts = 6

// PartBytes is the bytes of the steps of a row that are transposed together, of the smallest elements.
const PartBytes = 16

// transposesParts reports whether parts of as many rows as a vector has lanes are transposed in registers: a row has a part
// of the smallest elements that are apart from row to row.
func (bp *Phase) transposesParts(bytes int) bool {
	return !bp.narrowStates() && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Kind == Strided && (bp.SeqN*s.Size < PartBytes || !s.nearLanes(bytes/s.Size))
	})
}

// nearLanes reports whether the distance of so many lanes is a constant of 32 bits.
func (s *Site) nearLanes(lanes int) bool {
	by := s.Line.Step() * s.Size * lanes
	return max(by, -by) < 1<<26
}

// wideParts reports whether parts of 32 bytes of the rows of sixteen lanes are transposed in registers: those of a loop that only reduces, without
// many nodes. Where vectors of 512 bits are two halves, loops keep narrow ones, and where as many lanes are left over as only a narrow vector holds: one
// by one these take long.
func (b *Binder) wideParts(bp *Phase) bool {
	ph, left := bp.Lowered, bp.N%TransposedLanes
	return b.wide() && !b.Machine.Halves && !b.Machine.Narrow && len(ph.Carries) == 0 && bp.LaneSize == 0 && bp.Widest() == 4 &&
		bp.N >= TransposedLanes && (left < 8 || left >= 16 || bp.N >= 4*TransposedLanes) &&
		bp.SeqSpans[len(bp.SeqSpans)-1] >= PartBytes/2 && len(ph.Top) <= mostWideParts
}

// plainSteps reports whether several steps of a loop that carries values may follow each other in the
// code: no step looks at its position or at all lanes, and registers may hold all states.
func (bp *Phase) plainSteps() bool {
	ph := bp.Lowered
	return len(ph.Reds) == 0 && bp.plainNodes() && !slices.ContainsFunc(ph.Carries, func(c lower.Carry) bool { return c.Type == dtype.Bool })
}

// narrowStates reports whether the lanes of some states are wider than their elements.
func (bp *Phase) narrowStates() bool {
	return bp.LaneSize == 0 && slices.ContainsFunc(bp.Lowered.Carries, func(c lower.Carry) bool { return c.Type.Size() < 4 })
}

func (bp *Phase) plainNodes() bool {
	return !slices.ContainsFunc(bp.Lowered.Top, func(id int32) bool {
		op := bp.Lowered.Nodes[id].Op
		return op == ir.Fault || op == ir.Cold || op == ir.Index || op > ir.Next
	})
}

// inReach reports whether the offset of a few steps of a site is a constant of 32 bits.
func (s *Site) inReach() bool { return max(s.RowBytes(), -s.RowBytes()) < 1<<26 }

// onlyCarries reports whether a seq loop only carries values along whole rows.
func (bp *Phase) onlyCarries() bool {
	return len(bp.Lowered.Carries) > 0 && bp.plainSteps() && !bp.narrowStates() && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Staged || s.Dyn != nil || s.Gather != nil || !s.inReach()
	})
}

// carriesSpans reports whether a seq loop only carries values down columns that are side by side.
func (bp *Phase) carriesSpans() bool {
	return bp.LaneSize == 0 && bp.onlyCarries() && bp.sitesDown()
}

// sitesDown reports whether the elements of all sites of a loop that carries values are side by side in a row, or one.
func (bp *Phase) sitesDown() bool {
	return !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Guard || s.Staged || s.Dyn != nil || s.Gather != nil || s.Kind != Unit && s.Kind != Uniform && s.Kind != Unused && !(s.Kind == Scratch && bp.carries(&s))
	})
}

// spansTogether reports whether a seq loop that carries values, or reduces, may walk many short spans of columns in one call: machine
// code reaches all its sites. ext are the extents of the spans, and spans the steps of the sites in which.
func (l *layouter) spansTogether(ext []int, which []int32, spans [][]bound.Span) bool {
	bp, k := l.bp, len(ext)
	reduces := len(l.ph.Carries) == 0 && len(bp.SeqSpans) == 1 && l.steady(which) && !slices.ContainsFunc(l.ph.Reds, func(r lower.Red) bool { return r.Kern.Arg || r.Prog != nil })
	if !l.Blends || l.ph.Kind != lower.SeqPhase || ext[k-1] < 2 || ext[k-1]*ext[k-2]*bp.SeqN < leastBlock || !reduces && !bp.onlyCarries() {
		return false
	}
	at := 0
	for _, i := range which {
		s, step := &bp.Sites[i], bound.StepOf(spans[at])
		at += 1 + len(l.guards[i])
		if s.Guard || s.Kind == Index || s.Kind == Computed || !reduces && step != 1 && (step != 0 || l.ph.Sites[i].Store) {
			return false
		}
	}
	return true
}

// transposable reports whether blocks of site i can be transposed. If the loop accesses its array at
// another site, it must be at the same elements in each step. No load may come after a store,
// because a block is loaded before the first step and stored after the last.
func (bp *Phase) transposable(i int32) bool {
	s := &bp.Sites[i]
	step, least := bound.StepOf(s.Seq), 16/s.Size
	if step != 1 && step != -1 || s.Guard || s.Dyn != nil || !bp.transposesSize(s.Size) || bp.Spans[len(bp.Spans)-1] < least || bp.SeqSpans[len(bp.SeqSpans)-1] < least {
		return false
	}
	return bp.inStep(i)
}

// transposesSize reports whether blocks of elements of a size can be transposed. Elements of 2 bytes need lanes of 32 bits.
func (bp *Phase) transposesSize(size int) bool { return size > 2 || size == 2 && bp.Widest() <= 4 }

// inStep reports whether each step of the loop accesses the array of site i at the same elements
// of its own, and loads them before it stores them.
func (bp *Phase) inStep(i int32) bool {
	s := &bp.Sites[i]
	if !bp.Lowered.Conflict(int(i)) {
		return true
	}
	same := func(x *Site) bool {
		return x.Line.Base == s.Line.Base && slices.Equal(x.Line.Outer, s.Line.Outer) && slices.Equal(x.Line.Spans, s.Line.Spans) && slices.Equal(x.Seq, s.Seq)
	}
	for j := range bp.Sites {
		x := &bp.Sites[j]
		if x.Buf == s.Buf && (!same(x) || j < int(i) && bp.Lowered.Sites[j].Store && !bp.Lowered.Sites[i].Store) {
			return false
		}
	}
	return true
}

// leastPrefixes is the fewest steps that are combined in vectors. Vectors of narrow lanes combine at least leastNarrowPrefixes for
// each byte of a lane. Wide vectors combine leastWidePrefixes of many rows of integers in less time than they transpose blocks of them.
const (
	leastPrefixes       = 16
	leastNarrowPrefixes = 8
	leastWidePrefixes   = 48
)

// integers reports whether all states of a loop that carries values are integers of 4 bytes and more.
func (bp *Phase) integers() bool {
	return len(bp.Lowered.Carries) > 0 && !slices.ContainsFunc(bp.Lowered.Carries, func(c lower.Carry) bool { return c.Type.IsFloat() || c.Type.Size() < 4 })
}

// findPrefixes sets bp.Prefixes if vectors of neighbouring steps reach all sites of a loop whose
// steps may be combined in any grouping, which are at least so many.
func (bp *Phase) findPrefixes(least int) bool {
	if k := len(bp.SeqSpans); !bp.Lowered.Prefixes || k == 0 || bp.SeqSpans[k-1] < least {
		return false
	}
	for i := range bp.Sites {
		if !bp.prefix(int32(i)) {
			return false
		}
	}
	for i := range bp.Sites {
		if s := &bp.Sites[i]; s.Kind != Scratch && s.Kind != Unused {
			s.Kind, s.Step = Uniform, 0
			if bound.StepOf(s.Seq) == 1 {
				s.Kind = Unit
			}
		}
	}
	bp.Prefixes = true
	return true
}

// PrefixLanes reports whether a call of vectors of neighbouring steps may go along the steps of several lanes, one lane after
// the other. A site that is the same in all steps must be the same in all lanes.
func (bp *Phase) PrefixLanes() bool {
	return len(bp.Lowered.Reds) == 0 && !bp.Lowered.Leaves && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Kind == Uniform && s.Line.Step() != 0
	})
}

// fewRows is the number of rows from which blocks of them are transposed, which fill vectors then.
const fewRows = 8

// leastTransposed is the fewest long rows of which blocks are transposed on targets where a vector under a mask takes long.
const leastTransposed = 4

// longNarrow reports whether a loop goes along rows of 2 bytes that are so long that vectors of neighbouring steps take less
// time than blocks, where a block takes many instructions.
func (bp *Phase) longNarrow() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool {
		least := leastRowPrefixes
		if bp.Lowered.Sites[s.Index(bp.Lowered)].Type.IsFloat() {
			least = leastHalfPrefixes
		}
		return s.Kind == Strided && s.Size == 2 && bp.SeqN >= least
	})
}

// alongRows reports whether a call surely has one lane of a loop along long rows of 1 or 2 bytes, step by step or in vectors of
// neighbouring steps. Then no site is copied because its lanes are apart.
func (l *layouter) alongRows(which []int32, spans, seqSpans [][]bound.Span) bool {
	least := longChain
	if l.ph.Prefixes {
		least = leastRowPrefixes
	}
	if k := len(l.bp.SeqSpans); len(l.ph.Carries) == 0 || k == 0 || l.bp.SeqSpans[k-1] < least {
		return false
	}
	at, rows := 0, false
	for _, i := range which {
		s, step := &l.bp.Sites[i], bound.StepOf(seqSpans[at])
		across := bound.StepOf(spans[at])
		rows = rows || s.Size < 4 && across != 0 && across != 1 // such blocks are not transposed
		at += 1 + len(l.guards[i])
		if step != 1 && (step != 0 || l.ph.Sites[i].Store) {
			return false
		}
	}
	return rows && l.steady(which)
}

// steady reports whether the loop reaches all its sites at constant steps, and Go copies none for another reason than its steps.
func (l *layouter) steady(which []int32) bool {
	return !slices.ContainsFunc(which, func(i int32) bool {
		s := &l.bp.Sites[i]
		return s.Kind == Index || s.Kind == Computed || s.Guard || s.Dyn != nil || s.Gather != nil || l.ph.Conflict(int(i))
	}) && !slices.ContainsFunc(l.bp.Sites, func(s Site) bool { return s.Staged || s.Kind == Scratch && !l.bp.carries(&s) })
}

// walksRows reports whether the blocks of a seq loop along rows with elements of 1 or 2 bytes are surely transposed, or its rows
// walked one after the other. Go would copy the elements one by one.
func (l *layouter) walksRows(ext []int, which []int32, spans, seqSpans [][]bound.Span) bool {
	ph, k, q := l.ph, len(ext), len(l.bp.SeqSpans)
	if !l.Blends || ph.Kind != lower.SeqPhase || k == 0 || q == 0 || len(ph.Reds) > 0 && l.bp.N < fewRows || !l.steady(which) {
		return false
	}
	if len(ph.Carries) == 0 && (len(ph.Reds) == 0 || l.fewMasks(l.bp)) { // see [Binder.findScan]
		return false
	}
	at, narrow, each := 0, false, l.walksEach(ext, which, spans, seqSpans)
	for _, i := range which {
		s, step, across := &l.bp.Sites[i], bound.StepOf(seqSpans[at]), bound.StepOf(spans[at])
		at += 1 + len(l.guards[i])
		if across == 0 && !ph.Sites[i].Store || across == 1 {
			continue
		}
		least, along := 16/s.Size, each || len(ph.Carries) > 0 && l.bp.SeqN >= longChain
		if step != 1 && step != -1 || !along && (!l.bp.transposesSize(s.Size) || ext[k-1] < least || l.bp.SeqSpans[q-1] < least || l.Bytes/l.bp.Widest() < least) {
			return false
		}
		narrow = narrow || s.Size <= 2
	}
	return narrow
}

// walksEach reports whether [Binder.findEach] will suit a loop that is steady.
func (l *layouter) walksEach(ext []int, which []int32, spans, seqSpans [][]bound.Span) bool {
	if !l.shortSteps(l.bp, ext) {
		return false
	}
	at := 0
	for _, i := range which {
		step, across := bound.StepOf(seqSpans[at]), bound.StepOf(spans[at])
		at += 1 + len(l.guards[i])
		if across == 1 || across == 0 && l.ph.Sites[i].Store || max(step, -step) > 1 {
			return false
		}
	}
	return true
}

// leastRowPrefixes is the fewest steps of a row that is not copied with others.
const leastRowPrefixes = mostEach + 1

// leastHalfPrefixes is leastRowPrefixes for halves, which are converted, so that a vector of steps takes more instructions.
const leastHalfPrefixes = 512

// carries reports whether a site is the array of a carry.
func (bp *Phase) carries(s *Site) bool {
	return slices.ContainsFunc(bp.Lowered.Carries, func(c lower.Carry) bool { return c.Array == s.Array })
}

// prefix reports whether vectors of neighbouring steps reach site i.
func (bp *Phase) prefix(i int32) bool {
	s, site := &bp.Sites[i], &bp.Lowered.Sites[i]
	switch s.Kind {
	case Unused:
		return true
	case Scratch:
		return bp.carries(s)
	case Uniform, Unit, Strided:
		step := bound.StepOf(s.Seq)
		return !s.Guard && !s.Staged && s.Dyn == nil && s.Gather == nil && (step == 1 || step == 0 && !site.Store) && bp.inStep(i)
	}
	return false
}

// mostRecords is the most columns of records whose loop knows the lanes of its tail, where it does not combine runs of rows.
const mostRecords = 32

// mostWhole is the most lanes of a row that the code of a loop over groups of columns is made for.
const mostWhole = 1 << 11

// groupBytes is the bytes of a row of a group of the largest vectors.
const groupBytes = 256

// findAcross chooses how a seq loop goes over rows that are longer than a group of vectors. Down
// a strip of columns each row is another page and another stream of addresses. So registers hold
// the states of a whole row, if it is short. If it is not, and memory bounds the loop, it goes
// along one row after the other: each row loads its states and accumulators from memory and
// stores them. Loops that only sum or only carry values may go along several rows at once, which are as
// many streams of addresses: the processor fetches more of them ahead, and the loop loads and stores
// accumulators and states once. Short rows that follow each other are prefetched in the order of memory.
func (b *Binder) findAcross(bp *Phase) {
	ph := bp.Lowered
	k, states := len(bp.Spans), statesOf(ph)
	if ph.Kind != lower.SeqPhase || k == 0 || bp.N == 0 || states == 0 || bp.Along || bp.Prefixes || ph.Leaves {
		return
	}
	if bp.Transposes() {
		bp.Combines = bp.SeqN >= ir.Run && bp.combines()
		return
	}
	element, row := 0, 0
	for i := range bp.Sites {
		switch s := &bp.Sites[i]; {
		case s.Kind == Unit && !s.Guard:
			element += s.Size
			row = bp.Spans[k-1] * bp.Widest()
		case s.Kind == Uniform && !s.Guard || s.Kind == Scratch && bp.carries(s) || s.Kind == Unused:
		default:
			switch n := bp.Spans[k-1]; { // a vector under a mask takes long
			case n > mostWhole || !bp.ReducesRecords():
			case bp.combines():
				bp.Whole, bp.Combines = n, true
			case n <= mostRecords:
				bp.Short = n
			}
			return
		}
	}
	sums, moved, combines := len(ph.Carries) == 0, bp.Moved(), bp.combines()
	single := sums && b.singleRows(bp, moved, element)
	if (element > bp.Widest() || single) && bp.RowsFollow() { // with several arrays a strip has few vectors
		row *= ph.LaneStep
	}
	span := moved / max(bp.N/bp.Spans[k-1], 1) // the bytes of a span of columns: all its groups find them in the same cache
	vector := b.vectorOfRows(bp)
	half := (b.Vectors + 1) / 2 * vector
	cached, near := b.reaches(row, single || element >= bp.Widest() && row%LineBytes == 0 && bp.SeqN >= 4*b.AtOnce)
	along := b.AtOnce > 1 && bp.SeqN >= b.AtOnce && (moved > near || bp.Compares() && !b.wide()) && bp.OnlyReduces()
	switch {
	case sums && bp.LaneSize > 0 && row <= half:
		bp.Whole = bp.Spans[k-1]
	case sums && row <= 4*b.Bytes:
		if b.Tails && bp.loadsNarrow() || row > 0 && b.AtOnce > 1 && combines && bp.Compares() { // narrow loads of a tail of unknown length go one by one
			bp.Whole = bp.Spans[k-1]
		}
	case !sums && row <= half/4:
		if b.Blends {
			bp.Short = row / bp.Widest()
		}
		if b.AtOnce > 1 && bp.onlyCarries() { // a step takes fewer cycles than the counter and the jump of a row
			bp.AtOnce = b.AtOnce
		}
	case row <= half/states, sums && row <= min(b.Vectors-2, 16)*b.Bytes/states, !sums && b.bands(bp, row*states, moved, element):
		bp.Whole = bp.Spans[k-1]
	case along && (single || !b.wide() && element >= bp.Widest() && (moved > b.Machine.Caches.L2 || !bp.Compares())): // wider accumulators take longer than narrow elements
		bp.Across = true
	case combines && (moved <= b.Machine.Caches.L2 || span <= cached && !bp.Compares()) && bp.Spans[k-1] <= mostWhole:
		bp.Whole = bp.Spans[k-1]
	case along:
		bp.Across = true
	case sums && row <= 4*groupBytes: // strips of columns read whole pages
	case !sums && moved > b.Machine.Caches.L1 && bp.waits(element, secondLevelRate): // each line of a strip is loaded by itself
		bp.Across = true
	default:
		bp.Across = moved > b.Machine.Caches.L2 && bp.waits(element, memoryRate)
	}
	// Short rows that follow each other in memory are one stream, which several at once would split.
	streams := row >= streamBytes || moved <= b.Machine.Caches.L2
	if bp.Across && b.AtOnce > 1 && (bp.OnlyReduces() || streams && bp.onlyCarries()) {
		bp.AtOnce = b.rowsAtOnce(bp, sums, moved)
		b.findRowsPast(bp, moved, element)
	}
	bp.Repeats = b.repeatsRows(bp)
	if bp.Combines = combines && (!bp.Across || (bp.AtOnce > 1) != b.wide()); bp.Combines && bp.Compares() && !bp.Across {
		bp.AtOnce = b.AtOnce
	}
	if bp.Whole > 0 || bp.Across {
		b.findAhead(bp, row)
	}
}

// findAhead finds the prefetches of a loop over whole rows: short rows that several at once read from beyond the second level, and rows whose
// stores bypass the caches. The processor prefetches along other long ones.
func (b *Binder) findAhead(bp *Phase, row int) {
	bp.Fetch = bp.Leads || bp.Across && bp.Combines && row < streamBytes && bp.Moved() > b.Machine.Caches.L2 && bp.rowsTouch()
	if bp.Fetch {
		bp.Ahead = bytesAhead
	}
}

// statesOf returns how many vectors a loop keeps from row to row for each vector of columns: carried values, accumulators, and
// the positions of extremes.
func statesOf(ph *lower.Phase) int {
	return len(ph.Carries) + len(ph.Reds) + lists.Count(ph.Reds, func(r lower.Red) bool { return r.Kern.Arg })
}

// rowsAtOnce returns the rows that a loop along rows reads at once. Within the second level, scans take half as many: four
// loads and four stores at a step of nearly a page would be all ways of a set of the first level. They take one row, or 0, if
// wide vectors go along long rows: each array is one stream then. Beyond the second level the first level must keep the row before, which
// is the state. Sums along wide vectors take one row within the second level, and of neighbouring rows within a part of the third.
func (b *Binder) rowsAtOnce(bp *Phase, sums bool, moved int) int {
	lines := b.wide() && !bp.Narrow && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Kind == Unit && (s.RowBytes() <= 4*groupBytes || s.RowBytes() > b.Machine.Caches.L1/3 && moved > b.Machine.Caches.L2)
	})
	switch {
	case sums && b.wide() && !b.Machine.Halves && (moved <= b.Machine.Caches.L2 || bp.Lowered.LaneStep == 0 && !b.Far(bp)):
		return 0
	case sums:
		return b.AtOnce
	case lines:
		return 0
	case moved > b.Machine.Caches.L2:
		return b.AtOnce
	}
	return b.AtOnce / 2
}

// singleRows reports whether sums go along one row at a time, in the order of memory: the processor fetches one stream from the second
// level faster than the parts of rows of a strip, and than several rows. Accumulators that are wider than elements take longer than the
// elements, unless the rows of a strip are far apart. Where wide vectors are two halves, all take as long as the second level.
func (b *Binder) singleRows(bp *Phase, moved, element int) bool {
	return b.wide() && !b.Machine.Halves && moved <= b.Machine.Caches.L2 && (element >= bp.Widest() || 2*element >= bp.Widest() && bp.RowsFollow())
}

// The bytes of a row of the widest bands of wide vectors, and the most rows that they go down beyond the second level.
const (
	bandBytes = 24 * 64
	bandRows  = 128
)

// bands reports whether a scan goes down all rows of one wide band of columns after the other, with states in registers. row is the
// bytes of the states of a row. Down many rows from beyond the second level, and down all from memory, the processor prefetches less of a band
// than of whole rows, and rows that the first level keeps need no bands.
func (b *Binder) bands(bp *Phase, row, moved, element int) bool {
	return b.wide() && !bp.Narrow && bp.onlyCarries() && bp.Spans[len(bp.Spans)-1] <= math.MaxUint16 &&
		(row <= bandBytes || row > b.Machine.Caches.L1/3 && element <= 2*bp.Widest() && (moved <= b.Machine.Caches.L2 || bp.SeqN <= bandRows && moved < b.Machine.Beyond()))
}

// repeatsRows reports whether a loop along single rows may compute lanes twice: it loads states from one row, stores them to the next,
// and loads nothing else that it stores.
func (b *Binder) repeatsRows(bp *Phase) bool {
	return bp.Across && bp.AtOnce == 0 && bp.onlyCarries() && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return bp.Lowered.Sites[s.Index(bp.Lowered)].Store && !bp.carries(&s) && (s.Buf < 0 || !b.onlyStores(bp, &s))
	})
}

// vectorOfRows chooses the vectors of a loop along rows, and returns their bytes. The rows that a loop stores rarely begin with a
// line. Where the processor takes vectors of 512 bits in two halves, a store of one to two lines takes longer than two of 256 bits.
func (b *Binder) vectorOfRows(bp *Phase) int {
	if b.wide() && b.Machine.Halves && b.Machine.Narrow && bp.onlyCarries() && !b.fewMasks(bp) {
		bp.Narrow = true
		return narrowBytes
	}
	return b.Bytes
}

// reaches returns two limits in bytes. A span of columns up to cached stays in a cache for all its groups. Sums of an array up to
// near read one row at a time: a group of wide vectors hides the latency of its additions, and several rows at once would be
// more streams, whose vectors cross lines unless many rows are whole lines of elements as wide as the accumulators.
func (b *Binder) reaches(row int, lines bool) (cached, near int) {
	cached, near = 2*b.Machine.Caches.L2, b.Machine.Caches.L1
	if b.wide() && !lines {
		near = b.Machine.Caches.L2
	}
	if b.wide() || row < 2*streamBytes {
		cached = max(cached, b.Machine.Beyond())
	}
	return cached, near
}

// RowsFollow reports whether the rows of all columns follow each other in all arrays, of a loop in the order of lanes: rows of
// several lanes are one row then.
func (bp *Phase) RowsFollow() bool {
	return bp.Lowered.LaneStep > 0 && len(bp.Spans) == 1 && len(bp.SeqSpans) == 1 && bp.OnlyReduces() && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		step := bound.StepOf(s.Seq)
		return s.Kind == Unit && step != bp.N*bp.Lowered.LaneStep || s.Kind == Uniform && step != 0
	})
}

// aheadRuns is the distance of prefetches from memory for runs where long rows gain nothing from any.
const aheadRuns = 1024

// AheadRuns returns a distance of prefetches if a loop over runs asks for what it reads of the next group of runs, and else 0. It always
// asks for what comes from memory: a run ends before the processor follows it. Wide vectors read a part of the last level as fast as it
// answers.
func (b *Binder) AheadRuns(bp *Phase) int {
	switch {
	case b.Far(bp):
		return cmp.Or(b.Machine.MemFetch, aheadRuns)
	case b.wide():
		return 0
	}
	return b.Machine.Fetch
}

// Far reports whether the arrays of a loop come from memory, or from a part of the last level that the processor is late to read: it
// hardly prefetches vectors under a mask.
func (b *Binder) Far(bp *Phase) bool { return 4*bp.Moved() >= b.Machine.Beyond() }

// rowsTouch reports whether each row of all arrays of a seq loop begins in memory where the row before ends.
func (bp *Phase) rowsTouch() bool {
	return !slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Unit && s.RowBytes() != bp.Spans[len(bp.Spans)-1]*s.Size })
}

// findRowsPast finds the stores of a scan along several rows at once that bypass the caches, as those of maps
// do: each row begins at whole vectors. A call checks its addresses. Wide vectors that store to one array go along one row, which may begin
// anywhere if it is long and memory alone bounds the loop: a line that two rows share is stored by parts, and states cross lines.
func (b *Binder) findRowsPast(bp *Phase, moved, element int) {
	if !b.Machine.Stream || moved < b.Machine.Beyond() || !bp.waits(element, memoryRate) || !bp.onlyCarries() {
		return
	}
	var past []int32
	for i := range bp.Sites {
		if b.storesPast(bp, int32(i)) {
			past = append(past, int32(i))
		}
	}
	if bp.Leads = len(past) == 1 && b.leads(bp, &bp.Sites[past[0]], moved); bp.Leads {
		bp.AtOnce = 0
	}
	for _, i := range past {
		if s := &bp.Sites[i]; bp.Leads || s.RowBytes()%b.PastBytes(bp) == 0 {
			s.Pure = true
			bp.Pure = append(bp.Pure, i)
		}
	}
}

// leads reports whether wide vectors go along the rows of a site one by one, which may begin anywhere.
func (b *Binder) leads(bp *Phase, s *Site, moved int) bool {
	return b.wide() && !bp.Narrow && (s.RowBytes()%LineBytes == 0 || bp.Spans[len(bp.Spans)-1]*s.Size >= leastLeads && moved >= 2*b.Machine.Beyond())
}

// leastLeads is the least bytes of a row that may begin in a line that another row stores to, where stores bypass the caches.
const leastLeads = 4096

// combines reports whether a call that goes down all rows of some columns may leave their result: the loop only reduces
// whole rows, which are one span, to elements as wide as the lanes. Else Go prepares the accumulators of each call, and
// combines those of runs, which takes as long as a few rows of columns.
func (bp *Phase) combines() bool {
	return len(bp.SeqSpans) == 1 && bp.Lowered.LaneStep == 0 && bp.loadsDown(true) &&
		!slices.ContainsFunc(bp.Lowered.Reds, func(r lower.Red) bool { return r.Type == dtype.Bool || r.Type.Size() < 4 && bp.LaneSize == 0 })
}

// Compares reports whether a loop finds extremes of floats: several instructions of each depend on the one before, which
// rows at once hide.
func (bp *Phase) Compares() bool {
	return slices.ContainsFunc(bp.Lowered.Reds, func(r lower.Red) bool { return r.Type.IsFloat() && !r.Kern.Ordered })
}

// apart reports whether the rows of a seq loop are so far apart that the processor may not
// prefetch them.
func (bp *Phase) apart() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool {
		step := bound.StepOf(s.Seq) * s.Size
		return s.Kind == Unit && max(step, -step) > groupBytes
	})
}

// StateBytes returns the bytes of the states and the accumulators of a lane.
func (bp *Phase) StateBytes() int {
	n := lists.Sum(bp.Lowered.Carries, func(c lower.Carry) int { return c.Type.Size() })
	for i := range bp.Lowered.Reds {
		if n += cmp.Or(bp.LaneSize, bp.Lowered.Reds[i].Kern.Lane.Size()); bp.Lowered.Reds[i].Kern.Arg {
			n += 4
		}
	}
	return n
}

// Moved returns the bytes that a seq loop loads and stores.
func (bp *Phase) Moved() (bytes int) {
	for _, i := range bp.Native {
		if s := &bp.Sites[i]; s.Kind == Unit {
			bytes += bp.N * bp.SeqN * s.Size
		}
	}
	return bytes
}

// longChain is the number of steps from which a loop that carries values goes along the
// rows of its arrays, one lane after the other.
const longChain = 128

// findAlong sets bp.Along for a loop that carries values if it has one lane, or if the
// elements of a lane are neighbours and those of a step are not. Then a call has one
// lane: Go would copy the elements of each step by themselves.
func (bp *Phase) findAlong() {
	bp.Along = bp.N == 1
	staged := slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Staged })
	for i := range bp.Sites {
		step := bound.StepOf(bp.Sites[i].Seq)
		bp.Along = bp.Along || !staged && bp.SeqN >= longChain && bp.Sites[i].Kind == Strided && -1 <= step && step <= 1
	}
	if bp.Along {
		bp.single()
	}
}

// single lets each load be one element, and each store too.
func (bp *Phase) single() {
	for i := range bp.Sites {
		if s := &bp.Sites[i]; s.Kind == Strided || s.Kind == Unit {
			s.Step = 0
			if s.Kind = Uniform; bp.Lowered.Sites[i].Store {
				s.Kind = Unit
			}
		}
	}
}
