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

// A seq loop whose lanes are columns goes down strips of them, along whole rows, or down several rows at once.

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
	case row <= half/states, sums && row <= min(b.Vectors-2, 16)*b.Bytes/states, !sums && b.bands(bp, row, states, moved, element):
		bp.Whole = bp.Spans[k-1]
	case along && (single || !b.wide() && element >= bp.Widest() && (moved > b.Machine.Caches.L2 || !bp.Compares())): // wider accumulators take longer than narrow elements
		bp.Across = true
	case combines && (moved <= b.Machine.Caches.L2 || span <= cached && !bp.Compares()) && bp.Spans[k-1] <= mostWhole:
		bp.Whole = bp.Spans[k-1]
	case along:
		bp.Across = true
	case sums && row <= 4*groupBytes: // strips of columns read whole pages
	case !sums && moved > b.Machine.Caches.L1 && bp.waits(element, stepRate): // steps down a strip wait for each other, and for each line
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

// rowsAtOnce returns the rows that a loop along rows reads at once, or 0 for one. Scans take one row: each array is one stream then. But several
// rows load and store the states once, where no row that the loop stores has them, or where the first level does not keep the row before, beyond
// the second level. Sums along wide vectors take one row within the second level, and of neighbouring rows within a part of the third.
func (b *Binder) rowsAtOnce(bp *Phase, sums bool, moved int) int {
	switch near := moved <= b.Machine.Caches.L2; {
	case sums && b.wide() && !b.Machine.Halves && (near || bp.Lowered.LaneStep == 0 && !b.Far(bp)):
		return 0
	case !sums && near && bp.storesStates():
		return 0
	case !sums && !near && !slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Unit && s.RowBytes() > b.Machine.Caches.L1/3 }):
		return 0
	}
	return b.AtOnce
}

// storesStates reports whether a loop that carries values stores the next value of each carry to an array too.
func (bp *Phase) storesStates() bool {
	nodes := bp.Lowered.Nodes
	return !slices.ContainsFunc(bp.Lowered.Carries, func(c lower.Carry) bool {
		return !slices.ContainsFunc(nodes, func(n lower.Node) bool {
			return n.Op == ir.Store && n.Args[0] == nodes[c.Store].Args[0] && bp.Sites[n.Aux].Kind == Unit
		})
	})
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
// bytes of a row of the widest elements. Down many rows from beyond the second level, and down all from memory, the processor prefetches less of a
// band than of whole rows; but each row loads and stores all states, so more of these allow longer rows. Rows that the first level keeps beside
// others need no bands, unless it keeps all: then a load of the row before may wait for the stores of a row that is about a page behind it.
func (b *Binder) bands(bp *Phase, row, states, moved, element int) bool {
	if !b.wide() || bp.Narrow || !bp.onlyCarries() || bp.Spans[len(bp.Spans)-1] > math.MaxUint16 {
		return false
	}
	beyond := moved >= b.Machine.Beyond()
	near := moved <= b.Machine.Caches.L2 || bp.SeqN <= bandRows && !beyond
	kept := row*states <= b.Machine.Caches.L1/3 // beside others
	return row*states <= bandBytes || row <= (2*states-1)*bandBytes && !beyond || moved <= b.Machine.Caches.L1 || near && !kept && element <= 2*bp.Widest()
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
