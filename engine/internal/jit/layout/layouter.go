package layout

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/bound"
)

// A layouter chooses the siteKind of each site of a phase.
type layouter struct {
	*Binder
	ph       *lower.Phase
	bp       *Phase
	vec, seq []int // digits of the loops
	inside   []int // both
	offsets  []bound.Form
	guards   [][]bound.Form
	mayStep  int // so many rows are not too short

	// The sites with an address of their own, and the spans that suit all of them: see joint.
	which           []int32
	ext             []int          // extents
	spans, seqSpans [][]bound.Span // of each site in which, and then of each of their guards
}

// The fewest lanes of a row, and of several rows, that are worth a call.
const (
	leastRow   = 8
	leastBlock = 48
)

// mostStep is the longest step, in elements, that is worth loads of whole vectors. It is
// longer for bytes, because Go copies them else: see also mostSteps. Wide vectors that the processor does not split reach
// mostWideStep elements, of at most mostWideBytes together.
const (
	mostStep      = 4
	mostByteStep  = 8
	mostWideStep  = 8
	mostWideBytes = 48
)

// small reports whether permutes reach elements of a size with a step.
func (b *Binder) small(size, step int) bool {
	most := mostStep
	switch {
	case size <= 2 && b.Blends:
		most = mostSteps
	case size == 1:
		most = mostByteStep
	case b.wide() && !b.Machine.Halves:
		most = min(mostWideStep, mostWideBytes/size)
	}
	return -most <= step && step <= most
}

// mostSteps is the longest step of elements of 1 and 2 bytes that go through registers on x86. Copies with longer steps go element by
// element: see copiesEach.
const mostSteps = 16

// Stores of elements of 4 and 8 bytes go element by element from registers up to the step mostApart, which makes their offsets constants
// of 32 bits. More than fewStores stores of 4 bytes may be neighbouring fields of records, whose matrix is transposed: see findWoven.
const (
	mostApart = 1 << 16
	fewStores = 8
)

// mostJoined is the most fields of a record that are stored. More than fewStores are all stores of their loop, by networks of narrow
// vectors: others leave them no registers, nor do loads with a step.
const mostJoined = 16

// stepped reports whether the stores of a map go element by element from registers, with a step.
func (b *Binder) stepped(ph *lower.Phase, size, step int) bool {
	stores := 0
	for i := range ph.Sites {
		stores += int(frame.Bit(ph.Sites[i].Store))
	}
	return b.Blends && ph.Kind == lower.MapPhase && (size == 4 && stores <= fewStores || size == 8) && -mostApart <= step && step <= mostApart
}

// shortSteps reports whether a phase may have elements of 1 or 2 bytes with small steps.
func shortSteps(ph *lower.Phase) bool { return ph.Kind == lower.MapPhase && len(ph.Reds) == 0 }

// joint finds the spans that suit all sites with an address of their own.
func (l *layouter) joint() {
	var few [8]bound.Form
	as := few[:0]
	l.which = slices.Grow(l.which[:0], len(l.bp.Sites))
	for i := range l.bp.Sites {
		s := &l.bp.Sites[i]
		if s.Kind == Scratch || s.Kind == Unused {
			continue
		}
		l.which, as = append(l.which, int32(i)), append(as, l.offsets[i])
	}
	for _, i := range l.which {
		as = append(as, l.guards[i]...)
	}
	l.ext, l.spans = l.Spans(l.vec, as)
	l.bp.SeqSpans, l.seqSpans = l.Spans(l.seq, as)
}

// leastFollowed is the fewest rows for which steps from row to row are constants of the code.
const leastFollowed = 16

// leastOwn is the fewest lanes of a row of which a vector has the lanes of the row alone.
const leastOwn = 3

// ownVectors reports whether so many rows of a map, of so many lanes, take vectors of their own.
// Their code has no loop along a row, and the steps from row to row are constants. If an element takes more than three instructions, full
// vectors take less. step returns the elements from lane to lane of a site.
func (l *layouter) ownVectors(lanes, rows int, step func(i int) int) bool {
	ph := l.ph
	w := l.Bytes / cmp.Or(ph.LaneSize, ph.Widest)
	if !l.Blends || lanes < leastOwn || rows < leastFollowed || (lanes+w-1)/w*len(ph.Top) > 3*lanes || ph.Kind != lower.MapPhase || len(ph.Reds) > 0 || ph.Predicates() {
		return false
	}
	for i := range l.bp.Sites {
		switch s := &l.bp.Sites[i]; {
		case s.Kind == Unused:
		case s.Kind != Uniform || s.Guard || s.Dyn != nil || s.Size < 4 && ph.LaneSize == 0:
			return false
		default:
			if n := step(i); n != 1 && (n != 0 || ph.Sites[i].Store) {
				return false
			}
		}
	}
	return true
}

// own returns the number of spans that a site needs by itself.
func (l *layouter) own(i int) int {
	return len(l.Join(l.vec, append([]bound.Form{l.offsets[i]}, l.guards[i]...)))
}

// reachable reports whether machine code can use a site with these spans. Elements of a single row that are so far apart that their step is
// no constant of the code are stored one by one, which takes as long as the copy by Go.
func (b *Binder) reachable(ph *lower.Phase, s *Site, spans []bound.Span) bool {
	if s.Kind == Index || ph.Kind == lower.ScalarPhase || s.Kind == Computed && s.Gather.moves() {
		return true
	}
	step := 0
	if len(spans) > 0 {
		step = spans[len(spans)-1].Coef
	}
	if ph.Sites[s.Index(ph)].Store {
		if len(ph.Carries) > 0 { // the copy of many short rows takes longer
			return step != 0 || b.Product(ph.Vec.Axes) == 1
		}
		return step == 1 || step != 0 && (len(spans) > 1 || s.Size < 4 || b.small(s.Size, step) || b.stepped(ph, s.Size, step))
	}
	if step == 0 || step == 1 {
		return true
	}
	if s.Size <= 2 {
		return shortSteps(ph) && !s.masked() && b.small(s.Size, step)
	}
	return step < 1<<24 && step > -1<<24
}
