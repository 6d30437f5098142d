package layout

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop that carries values has one lane for each position of its other axes. If it walks
// along the rows of its arrays, the elements of a step are apart. Machine code transposes blocks of
// many rows in registers then. One row alone runs element by element.

// fewLong reports whether a loop goes along few long rows, which hardly fill a block.
func (bp *Phase) fewLong() bool { return bp.N < fewRows && bp.SeqN >= longChain }

// leavesPart reports whether the last block of some long rows is a part, which takes longer than the others.
func (b *Binder) leavesPart(bp *Phase) bool {
	block := narrowBytes / bp.Widest()
	return b.Blends && bp.SeqN >= longChain && block < bp.N && bp.N < 2*fewRows && bp.N%block > 0
}

// blocksTakeLong reports whether the blocks of a loop take more time than vectors of neighbouring steps.
func (b *Binder) blocksTakeLong(bp *Phase) bool {
	return bp.fewLong() || b.leavesPart(bp) || !b.Tails && bp.longNarrow()
}

// blocksTakeLongest reports whether the blocks of few long rows take more time even than single elements.
func (b *Binder) blocksTakeLongest(bp *Phase) bool {
	return bp.fewLong() && (b.Blends && bp.N < leastTransposed || b.leavesPart(bp))
}

// combinesWide reports whether a loop along many rows may combine the steps of wide vectors: all its states are integers of 4 bytes and more,
// and no vector is reversed.
func (b *Binder) combinesWide(bp *Phase) bool {
	return b.wide() && !bp.fewLong() && !bp.back() && !slices.ContainsFunc(bp.Lowered.Carries, func(c lower.Carry) bool { return c.Type.IsFloat() || c.Type.Size() < 4 })
}

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

// The most steps of a row that is walked by itself without a loop, the most nodes of all of these, the most steps with a
// loop, the fewest such rows, and the most states.
const (
	mostEach    = 16
	eachNodes   = 128
	longestEach = 1<<13 - 1 // fits the 14 bits of AppendKey
	leastEach   = 64
	eachStates  = 4 // stay in registers
)

// StepsAtOnce is the steps of an iteration of a loop along such a row.
const StepsAtOnce = 8

// findEach sets bp.Each for a loop that carries values along many rows: they are walked one after the other. Short rows have no
// loop over the steps. The processor overlaps the rows, and the elements are not transposed unless registers hold parts of them.
// Rows of sums and products may be long if their elements are apart, such as parts of complex numbers: a vector would load and
// store these one by one.
func (b *Binder) findEach(bp *Phase) bool {
	ph := bp.Lowered
	if !b.suitsEach(bp, bp.Spans) {
		return false
	}
	near, apart := false, false // some elements are neighbours along the rows; some are not
	for i := range bp.Sites {
		s, step, lane := &bp.Sites[i], bound.StepOf(bp.Sites[i].Seq), bp.Sites[i].Line.Step()
		switch {
		case !s.Affine() || s.Staged || !bp.inStep(int32(i)):
			return false
		case !s.inReach() || max(s.RowBytes(), -s.RowBytes())*bp.SeqN > math.MaxInt32:
			return false
		case s.Kind == Strided && step != 0 && max(step, -step) <= max(lane, -lane):
			near, apart = near || step == 1 || step == -1, apart || step != 1 && step != -1
		case s.Kind != Unused && !(s.Kind == Scratch && bp.carries(s)) && !(s.Kind == Uniform && !ph.Sites[i].Store):
			return false
		}
	}
	long := apart && !near && bp.stepsShortly() && StepsAtOnce <= bp.SeqN && bp.SeqN <= longestEach
	if !near && !apart || !bp.FewSteps() && !long {
		return false
	}
	bp.Each, bp.Along = bp.SeqN, true
	transposes := !apart && bp.transposesParts(b.Bytes)
	for i := range bp.Sites {
		bp.Sites[i].Transposes = transposes && bp.Sites[i].Kind == Strided
	}
	bp.single()
	return true
}

// suitsEach reports whether a loop that carries values goes along many rows whose steps may follow each other in the code.
// ext are the extents of its lanes.
func (b *Binder) suitsEach(bp *Phase, ext []int) bool {
	states, k := len(bp.Lowered.Carries), len(ext)
	few, many := 0 < states && states <= eachStates, k > 0 && ext[k-1] >= leastEach // states, and rows
	return b.Blends && len(bp.SeqSpans) == 1 && few && many && bp.plainSteps() && !b.transposesPairs(bp)
}

// FewSteps reports whether rows have so few steps that the code of all is short.
func (bp *Phase) FewSteps() bool {
	return bp.SeqN <= mostEach && bp.SeqN*len(bp.Lowered.Top) <= eachNodes
}

// transposesPairs reports whether blocks of elements of 2 bytes are transposed in less time than rows are walked one by one: if they are halves,
// many of which are converted at once, and on targets where a vector under a mask takes long. Words are not transposed beside bytes.
func (b *Binder) transposesPairs(bp *Phase) bool {
	bytes := slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Size == 1 })
	return bp.SeqN >= PartBytes/2 && bp.Widest() <= 4 && slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Size == 2 && (b.Tails && !bytes || bp.Lowered.Sites[s.Index(bp.Lowered)].Type.IsFloat())
	})
}

// A call of a loop whose blocks are transposed goes far along TransposedLanes lanes, or along a multiple of them if they are short.
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
// many nodes. Loops keep narrow vectors where those of 512 bits are two halves.
func (b *Binder) wideParts(bp *Phase) bool {
	ph := bp.Lowered
	return b.wide() && !b.Machine.Halves && !b.Machine.Narrow && len(ph.Carries) == 0 && bp.LaneSize == 0 && bp.Widest() == 4 &&
		bp.N >= 16 && bp.SeqSpans[len(bp.SeqSpans)-1] >= PartBytes/2 && len(ph.Top) <= mostWideParts
}

// transposesNarrow reports whether narrow vectors transpose the blocks of a loop. Parts of rows have two halves. The emitter has no masks of four
// lanes.
func (b *Binder) transposesNarrow(bp *Phase) bool {
	return b.Blends && bp.Transposes() && !b.fewMasks(bp) && !b.wideParts(bp)
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

// statesFit reports whether lanes of so many bytes hold the states of a loop that only carries values.
func (b *Binder) statesFit(bp *Phase, size int) bool {
	return b.Blends && len(bp.Lowered.Reds) == 0 && bp.plainNodes() && !slices.ContainsFunc(bp.Lowered.Carries, func(c lower.Carry) bool { return c.Type == dtype.Bool || c.Type.Size() != size })
}

func (bp *Phase) plainNodes() bool {
	return !slices.ContainsFunc(bp.Lowered.Top, func(id int32) bool {
		op := bp.Lowered.Nodes[id].Op
		return op == ir.Fault || op == ir.Cold || op == ir.Index || op > ir.Next
	})
}

// inReach reports whether the offset of a few steps of a site is a constant of 32 bits.
func (s *Site) inReach() bool { return max(s.RowBytes(), -s.RowBytes()) < 1<<26 }

// onlyCarries reports whether a seq loop only carries values along whole rows, in lanes of their size or of at least 4 bytes.
func (bp *Phase) onlyCarries() bool { return bp.carriesPlain() && !bp.narrowStates() }

// carriesPlain is onlyCarries with states of any size.
func (bp *Phase) carriesPlain() bool {
	return len(bp.Lowered.Carries) > 0 && bp.plainSteps() && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Staged || s.Dyn != nil || s.Gather != nil || !s.inReach()
	})
}

// sitesDown reports whether the elements of all sites of a loop that carries values are side by side in a row, or one.
func (bp *Phase) sitesDown() bool {
	return !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		beside := s.Kind == Unit || s.Kind == Uniform || s.Kind == Unused || s.Kind == Scratch && bp.carries(&s)
		return !beside || !s.Affine() || s.Staged
	})
}

// spansTogether reports whether a seq loop that carries values, or reduces, may walk many short spans of columns in one call: machine
// code reaches all its sites. Lanes that hold narrow states are chosen later, if the loop allows them.
func (l *layouter) spansTogether() bool {
	bp, k := l.bp, len(l.ext)
	if !l.Blends || l.ph.Kind != lower.SeqPhase || l.ext[k-1] < 2 || l.ext[k-1]*l.ext[k-2]*bp.SeqN < leastBlock {
		return false
	}
	reduces := len(l.ph.Carries) == 0 && len(bp.SeqSpans) == 1 && l.steady() && bp.simpleReds()
	if !reduces && !(bp.carriesPlain() && (l.ph.LaneSize > 0 || !bp.narrowStates())) {
		return false
	}
	for at, i := range l.which {
		s, step := &bp.Sites[i], bound.StepOf(l.spans[at])
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
	step := bound.StepOf(s.Seq)
	if step != 1 && step != -1 || s.Guard || s.Dyn != nil || !bp.transposesSize(s.Size) {
		return false
	}
	return min(bp.Spans[len(bp.Spans)-1], bp.SeqSpans[len(bp.SeqSpans)-1]) >= 16/s.Size && bp.inStep(i)
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
		return x.Line.Base == s.Line.Base && x.stepsLike(s)
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

// back reports whether neighbouring steps of some site go from the end of memory.
func (bp *Phase) back() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool { return bound.StepOf(s.Seq) == -1 })
}

// findPrefixes sets bp.Prefixes if vectors of neighbouring steps reach all sites of a loop whose
// steps may be combined in any grouping, which are at least so many. Rows from the end are long: a tail in reverse takes many instructions.
func (bp *Phase) findPrefixes(least int) bool {
	if bp.back() {
		least = longChain
	}
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
			switch s.Kind, s.Step = Uniform, 0; bound.StepOf(s.Seq) {
			case 1:
				s.Kind = Unit
			case -1:
				s.Kind, s.Step = Strided, -1
			}
		}
	}
	bp.Prefixes = true
	return true
}

// findRowPrefixes is findPrefixes for rows of narrow elements that follow each other in memory: a vector has whole rows. It may store
// a part of the next row too, so nothing is loaded from where the loop stores.
func (b *Binder) findRowPrefixes(bp *Phase) bool {
	ph := bp.Lowered
	fits := b.NarrowPrefixes && ph.LaneSize > 0 && len(bp.SeqSpans) == 1 && bp.SeqN*ph.LaneSize <= b.Bytes && b.statesFit(bp, ph.LaneSize)
	if !fits || !ph.Prefixes || !ph.Restarts() || ph.Leaves {
		return false
	}
	if slices.ContainsFunc(bp.Sites, func(s Site) bool {
		follows := s.Kind == Unused || bp.carries(&s) || s.Line.Step() == bound.StepOf(s.Seq)*bp.SeqN
		return !follows || len(s.Line.Spans) > 1 || ph.Conflict(s.Index(ph))
	}) || !bp.findPrefixes(2) {
		return false
	}
	bp.Each = bp.SeqN
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
func (l *layouter) alongRows() bool {
	k, least := len(l.bp.SeqSpans), longChain
	if l.ph.Prefixes {
		least = leastRowPrefixes
	}
	if len(l.ph.Carries) == 0 || k == 0 {
		return false
	}
	rows := false
	for at, i := range l.which {
		s, step, across := &l.bp.Sites[i], bound.StepOf(l.seqSpans[at]), bound.StepOf(l.spans[at])
		rows = rows || s.Size < 4 && across != 0 && across != 1 // such blocks are not transposed
		switch {
		case step == -1: // see [Phase.findPrefixes]
			least = longChain
		case step != 1 && (step != 0 || l.ph.Sites[i].Store):
			return false
		}
	}
	return rows && l.bp.SeqSpans[k-1] >= least && l.steady()
}

// steady reports whether the loop reaches all its sites at constant steps, and Go copies none for another reason than its steps.
func (l *layouter) steady() bool {
	return !slices.ContainsFunc(l.which, func(i int32) bool {
		s := &l.bp.Sites[i]
		return s.Kind == Index || s.Kind == Computed || !s.Affine() || l.ph.Conflict(int(i))
	}) && !slices.ContainsFunc(l.bp.Sites, func(s Site) bool { return s.Staged || s.Kind == Scratch && !l.bp.carries(&s) })
}

// walksRows reports whether the blocks of a seq loop along rows with elements of 1 or 2 bytes are surely transposed, or its rows
// walked one after the other. Go would copy the elements one by one.
func (l *layouter) walksRows() bool {
	ph, k, q := l.ph, len(l.ext), len(l.bp.SeqSpans)
	carries, reduces := len(ph.Carries) > 0, len(ph.Reds) > 0
	if !l.Blends || ph.Kind != lower.SeqPhase || k == 0 || q == 0 || !l.steady() {
		return false
	}
	if reduces && l.bp.N < fewRows || !carries && (!reduces || l.fewMasks(l.bp)) { // see [Binder.findScan]
		return false
	}
	blocks := min(l.ext[k-1], l.bp.SeqSpans[q-1], l.Bytes/l.bp.Widest()) // the shortest side of one
	narrow, each := false, l.walksEach()
	for at, i := range l.which {
		s, step, across := &l.bp.Sites[i], bound.StepOf(l.seqSpans[at]), bound.StepOf(l.spans[at])
		if across == 0 && !ph.Sites[i].Store || across == 1 {
			continue
		}
		along := each || carries && l.bp.SeqN >= longChain
		if step != 1 && step != -1 || !along && (!l.bp.transposesSize(s.Size) || blocks < 16/s.Size) {
			return false
		}
		narrow = narrow || s.Size <= 2
	}
	return narrow
}

// walksEach reports whether [Binder.findEach] will suit a loop that is steady.
func (l *layouter) walksEach() bool {
	if !l.suitsEach(l.bp, l.ext) || !l.bp.FewSteps() {
		return false
	}
	for at, i := range l.which {
		step, across := bound.StepOf(l.seqSpans[at]), bound.StepOf(l.spans[at])
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
		return s.Affine() && !s.Staged && (step == 1 || step == -1 || step == 0 && !site.Store) && bp.inStep(i)
	}
	return false
}

// mostRecords is the most columns of records whose loop knows the lanes of its tail, where it does not combine runs of rows.
const mostRecords = 32

// longChain is the number of steps from which a loop that carries values goes along the
// rows of its arrays, one lane after the other.
const longChain = 128

// findAlong sets bp.Along for a loop that carries values if it has one lane, or if the
// elements of a lane are neighbours and those of a step are not. Then a call has one
// lane: Go would copy the elements of each step by themselves. Parts of complex numbers are no neighbours. The loads of a part of all
// lanes take less time than the calls for shorter rows, and than long chains of operations.
func (bp *Phase) findAlong() {
	bp.Along = bp.N == 1
	staged := slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Staged })
	for i := range bp.Sites {
		step := bound.StepOf(bp.Sites[i].Seq)
		near := max(step, -step) <= 1 || max(step, -step) == 2 && bp.SeqN >= 2*longChain && bp.stepsShortly()
		bp.Along = bp.Along || !staged && bp.SeqN >= longChain && bp.Sites[i].Kind == Strided && near
	}
	if bp.Along {
		bp.single()
	}
}

// stepsShortly reports whether a loop loads, stores, and has one sum or product for each state.
func (bp *Phase) stepsShortly() bool {
	operations := 0
	return !slices.ContainsFunc(bp.Lowered.Top, func(id int32) bool {
		switch bp.Lowered.Nodes[id].Op {
		case prim.Add, prim.Mul:
			operations++
		case ir.Load, ir.Store:
		default:
			return true
		}
		return operations > len(bp.Lowered.Carries)
	})
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
