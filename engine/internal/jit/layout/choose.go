package layout

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// The cost model decides what bounds a loop: arithmetic, the second-level cache or
// memory. This decides the width of its vectors, whether it prefetches, and whether
// its stores bypass the caches.

// A region is the memory that a site touches in a phase.
type region struct {
	lo, hi uintptr
	every  bool // each lane has an element of its own
}

func (r region) meets(x region) bool { return r.lo < x.hi && x.lo < r.hi }

// region returns the addresses of a site in a phase, in all its steps, with all positions outside the
// phase at 0. The last block of an axis may have positions outside the array, which no loop reaches.
func (b *Binder) region(bp *Phase, s *Site) region {
	lo, hi, n := s.Line.Base, s.Line.Base+1, 1
	for k, spans := range [...][]bound.Span{s.Line.Spans, s.Seq} {
		for _, x := range spans {
			if x.Coef == 0 {
				continue
			}
			if k == 0 {
				n *= x.Extent
			}
			if d := x.Coef * (x.Extent - 1); d > 0 {
				hi += d
			} else {
				lo += d
			}
		}
	}
	buf := &b.Binding.Bufs[s.Buf]
	if len(buf.Extents) > 0 {
		first, end := b.reach(s)
		lo, hi = max(lo, first), min(hi, end)
	}
	at := cmp.Or(uintptr(buf.Ptr), buf.Assumed)
	return region{at + uintptr(lo*s.Size), at + uintptr(hi*s.Size), n == bp.N}
}

// reach returns the first element of the array of a site, and the one behind its last element, from the address of the array on.
func (b *Binder) reach(s *Site) (first, end int) {
	buf := &b.Binding.Bufs[s.Buf]
	for d, stride := range buf.Strides {
		first += min((buf.Extents[d]-1)*stride, 0)
		end += max((buf.Extents[d]-1)*stride, 0)
	}
	return first, end + 1
}

// bytes returns the bytes that a phase touches in total, moves for one element, and
// writes without reading for one element. Sites whose memory overlaps count once,
// but every store counts in element.
func (b *Binder) bytes(bp *Phase) (total, element, fresh int) {
	var few [8]region
	seen := few[:0]
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		if s.Kind == Index {
			continue
		}
		r := b.region(bp, s)
		again := slices.ContainsFunc(seen, r.meets)
		if !again {
			total += int(r.hi - r.lo)
			seen = append(seen, r)
		}
		store := bp.Lowered.Sites[i].Store
		if r.every && (!again || store) {
			element += s.Size
		}
		if r.every && !again && store {
			fresh += s.Size
		}
	}
	return total, element, fresh
}

// The bytes that a core loads in the time of one instruction on vectors of 256 bits,
// roughly: from the second-level cache, and from memory. Scans are compared with stepRate instead: a scan down a strip keeps its states in registers,
// which saves more time if each step has many instructions.
const (
	secondLevelRate = 8
	memoryRate      = 2
	stepRate        = 1
)

// waits reports whether loads and stores bound a loop, not arithmetic. element is
// the bytes moved for one element. rate is the bytes that a core loads in the time
// of one instruction.
func (bp *Phase) waits(element, rate int) bool {
	issued := 0
	for _, i := range bp.Lowered.Top { // a cold region rarely runs
		switch n := &bp.Lowered.Nodes[i]; {
		case n.Op == prim.Const || n.Op == lower.OpCell || n.Op == ir.Load && bp.Sites[n.Aux].Kind == Uniform: // once for a row
		case n.In.IsFloat() && (n.Op == prim.Div || n.Op == prim.Sqrt || n.Op == prim.Cvt && n.Type.Size() == 1):
			issued += 8
		case bp.LaneSize == 1 && (n.Op == prim.Mul || n.Op == prim.MulHi): // in two halves
			issued += 6
		default:
			issued++
		}
	}
	return rate*issued < 32/bp.Widest()*element
}

// dense reports whether a loop bound by the second-level cache also has much
// arithmetic. Then vectors of 256 bits are slower than vectors of 512 bits. moved
// is the bytes moved for one element.
func (bp *Phase) dense(moved int) bool {
	computed := 0
	for i := range bp.Lowered.Nodes {
		switch n := &bp.Lowered.Nodes[i]; n.Op {
		case prim.Add, prim.Sub, prim.Mul, prim.Fma, prim.Div, prim.Sqrt:
			if n.In.IsFloat() {
				computed++
			}
		}
	}
	return 4*computed*bp.Widest() > 5*moved
}

// JoinsNarrow reports whether networks of narrow vectors interleave the fields of records that are stored.
func (bp *Phase) JoinsNarrow(v Variant) bool { return v.Narrow && bp.joinsNarrow() }

// NetworksBlend reports whether networks blend vectors: those that interleave planes or fields whose number is no power of two, nor a
// multiple of the elements of 16 bytes.
func (bp *Phase) NetworksBlend(v Variant) bool {
	blends := func(n, lanes int) bool { return n&(n-1) != 0 && n%lanes != 0 }
	return blends(bp.Laid, 16) && slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.plane }) ||
		bp.JoinsNarrow(v) && slices.ContainsFunc(bp.Records, func(fields []int32) bool { return blends(len(fields), 16/bp.Sites[fields[0]].Size) })
}

// joinsNarrow reports whether a loop stores fields of records, and networks of narrow vectors suit all. Those of seven fields
// take more registers than others. Fields that are loaded take fewer permutes of wide vectors.
func (bp *Phase) joinsNarrow() bool {
	return len(bp.Records) > 0 && !slices.ContainsFunc(bp.Records, func(fields []int32) bool {
		s := &bp.Sites[fields[0]]
		return !bp.Lowered.Sites[fields[0]].Store || s.Size < 4 || s.Size != bp.Widest() || len(fields) == 7
	})
}

// manyFields reports whether some records have so many fields that a network of narrow vectors stores them in less time than permutes
// of 64 bytes, one for each field and vector, on a processor that does not split these.
func (bp *Phase) manyFields() bool {
	return slices.ContainsFunc(bp.Records, func(fields []int32) bool { return len(fields) > 8 })
}

// oneLoad reports whether a loop has at most two sites with neighbouring elements in its lanes: one load and one store. Over short rows,
// accesses that cross lines take most of the time of such a loop.
func (bp *Phase) oneLoad() bool {
	return lists.Count(bp.Sites, func(s Site) bool { return s.Kind == Unit }) <= 2
}

// copiesBytes reports whether a map only copies neighbouring elements as they are. Predicates become 0 or 1.
func (bp *Phase) copiesBytes() bool {
	ph := bp.Lowered
	return len(ph.Top) == 2 && ph.Copies() && bp.Apart() && !slices.ContainsFunc(ph.Top, func(id int32) bool {
		i := ph.Nodes[id].Aux
		return bp.Sites[i].Kind != Unit || ph.Sites[i].Type == dtype.Bool
	})
}

// packs reports whether some stored elements are narrower than the lanes. A vector of 512 bits takes as many instructions
// to pack and to store as one of 256 bits.
func (bp *Phase) packs() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Kind == Unit && s.Size < bp.Widest() && bp.Lowered.Sites[s.Index(bp.Lowered)].Store
	})
}

// choose chooses the variants of a map phase: narrow vectors, stores that bypass the
// caches, prefetches. ADR 0008 has the measurements for its limits.
func (b *Binder) choose(ph *lower.Phase, bp *Phase) {
	if ph.Kind != lower.MapPhase || !bp.Direct || bp.Computes() {
		return
	}
	total, element, fresh := b.bytes(bp)
	moving := bp.waits(element, secondLevelRate)
	bp.Cached = total <= b.Machine.Caches.L2 && (bp.Laid > 0 || len(bp.Spans) > 1 && slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Step == -1 }))
	beyond := total >= b.Machine.Beyond()
	far := beyond || total >= max(16*b.Machine.Caches.L2, b.Machine.Caches.L3/16)
	slow := far && bp.waits(element, memoryRate)
	bp.Ahead = b.windowsAhead(bp)
	if bp.Fetch = slow || bp.Ahead > 0; bp.Fetch {
		switch {
		case bp.Ahead > 0:
		case beyond:
			bp.Ahead = b.Machine.MemFetch
		default:
			bp.Ahead = b.Machine.Fetch
		}
		for _, i := range bp.Native {
			bp.Sites[i].Trails = b.trails(bp, i)
		}
	}
	if len(ph.Reds) > 0 {
		bp.Narrow = b.Machine.Narrow && moving && beyond && !ph.Predicates() && !slices.ContainsFunc(ph.Reds, func(r lower.Red) bool { return r.Kern.Op != prim.Add || r.Prog != nil })
		return
	}
	bp.Most = MostLanes
	if ph.Widest == 8 && ph.Predicates() {
		return // the emitter has no masks of four lanes
	}
	outside, computes := total > b.Machine.Caches.L1 || b.Machine.Halves, total <= b.Machine.Caches.L2 && bp.dense(element+fresh)
	bp.Moves = moving && outside && !computes && !bp.steps() && !bp.packs()
	// Arrays that hardly exceed the first level take no less time by one instruction.
	bp.Bytes = bp.Moves && total-total/32 > b.Machine.Caches.L1 && b.Machine.Copies && bp.Repeats && bp.copiesBytes()
	bp.Narrow = bp.Narrow || b.suitsNarrow(bp, moving)
	// Stores that pass the caches need narrow vectors and whole lines, which costs instructions.
	if !beyond || !slow || !b.Machine.Stream || bp.Laid > 0 {
		return
	}
	for _, i := range bp.Native {
		if b.storesPast(bp, i) {
			bp.Sites[i].Pure = true
			bp.Pure = append(bp.Pure, i)
		}
	}
}

// suitsNarrow reports whether narrow vectors suit a map without reductions. moving says that loads and stores bound it.
func (b *Binder) suitsNarrow(bp *Phase, moving bool) bool {
	switch {
	case bp.Moves && b.Machine.Narrow:
	case bp.Exact > 0 && bp.Exact*bp.Widest() < LineBytes: // no row fills a wide vector
	case bp.Exact > 0 && moving && !bp.steps() && bp.oneLoad():
	default:
		return bp.joinsNarrow() && (!b.wide() || b.Machine.Halves || bp.Widest() == 8 || bp.manyFields())
	}
	return true
}

// storesPast reports whether the stores of site i may bypass the caches. They may not if the loop stores to an element more than
// once, as to the block of a temporary of a chain, which the next part reads.
func (b *Binder) storesPast(bp *Phase, i int32) bool {
	s, info := &bp.Sites[i], &bp.Lowered.Sites[i]
	return info.Store && s.Kind == Unit && s.Buf >= 0 && s.Size >= 4 && s.Size == bp.Lowered.Widest && !info.Cold && b.onlyStores(bp, s) && b.region(bp, s).every
}

// fewMasks reports whether narrow vectors of a phase would have masks of four lanes. Computed offsets have lanes of 8 bytes, and may be
// outside.
func (b *Binder) fewMasks(bp *Phase) bool {
	return b.wide() && (bp.Computes() || bp.Widest() == 8 && bp.masks())
}

// PastBytes returns the bytes of the vectors of code whose stores bypass the caches. Where rows begin at parts of lines, more of them begin
// at whole narrow vectors.
func (b *Binder) PastBytes(bp *Phase) int {
	if !bp.Leads && (b.Machine.Narrow || bp.partLines()) && !b.fewMasks(bp) {
		return min(b.Bytes, narrowBytes)
	}
	return b.Bytes
}

// partLines reports whether some rows of a loop may begin at parts of lines: those of a scan, or of a map of several spans.
func (bp *Phase) partLines() bool {
	return bp.Lowered.Kind == lower.SeqPhase || slices.ContainsFunc(bp.Sites, func(s Site) bool {
		k := len(s.Line.Spans)
		return s.Kind == Unit && k > 1 && s.Line.Spans[k-2].Coef*s.Size%LineBytes != 0
	})
}

// steps reports whether permutes reach elements of a site. They bound the loop, as in rows
// that are laid across vectors. Stores with long steps go element by element.
func (bp *Phase) steps() bool {
	return bp.Laid > 0 || slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Step != 0 && max(s.Step, -s.Step)*s.Size <= mostWideBytes })
}

// streamBytes is the least bytes of a row that is a stream of its own.
const streamBytes = 2048

// bytesAhead is the bytes from a load of short rows that are read several at once to its prefetch.
const bytesAhead = 8192

// windowsAhead returns the bytes from a load to its prefetch in a loop over windows with steps, or 0: several sites read short rows of
// arrays beyond the second level, and each leaves out the rows between its own. The processor prefetches few lines of these. Where all lanes are
// neighbours it prefetches enough, and prefetches would take the time of the loads. The loop may be a part of a chain, which is for a block
// of the array.
func (b *Binder) windowsAhead(bp *Phase) (ahead int) {
	sites, k := 0, len(bp.Spans)
	if k < 2 || !slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.steps() > 1 }) {
		return 0
	}
	for _, i := range bp.Native {
		s := &bp.Sites[i]
		row, next := s.steps()*bp.Spans[k-1]*s.Size, s.rowStep()*s.Size
		if row <= 0 || row >= streamBytes || next < 2*row || next > bytesAhead || bp.Lowered.Sites[i].Store {
			continue
		}
		if first, end := b.reach(s); (end-first)*s.Size > b.Machine.Caches.L2 {
			ahead = (bytesAhead + next - 1) / next * next &^ (LineBytes - 1)
			sites++
		}
	}
	if sites < 2 {
		return 0
	}
	return ahead
}

// steps returns the elements from lane to lane of a site whose vectors are loaded, or 0.
func (s *Site) steps() int {
	switch s.Kind {
	case Unit:
		return 1
	case Strided:
		return s.Step
	}
	return 0
}

// rowStep returns the elements from row to row of a site: from one lane of the next axis to the next, or 0.
func (s *Site) rowStep() (step int) {
	for _, x := range s.Line.Spans[:max(len(s.Line.Spans)-1, 0)] {
		if x.Coef != 0 {
			step = x.Coef
		}
	}
	return step
}

// trails reports whether another load of the phase reads the same lines first, at
// most caches.L2 bytes ahead, in the same row or in an earlier one. The second-level cache still has these lines, so the
// site needs no prefetches.
func (b *Binder) trails(bp *Phase, site int32) bool {
	s := &bp.Sites[site]
	if s.steps() == 0 || bp.Lowered.Sites[site].Store {
		return false
	}
	r := b.region(bp, s)
	outer, row := slices.IndexFunc(s.Line.Spans, func(x bound.Span) bool { return x.Coef != 0 }), cmp.Or(s.rowStep()*s.Size, 1)
	return slices.ContainsFunc(bp.Native, func(i int32) bool {
		x := &bp.Sites[i]
		if i == site || x.Kind != s.Kind || bp.Lowered.Sites[i].Store || !slices.Equal(x.Line.Spans, s.Line.Spans) {
			return false
		}
		at := b.region(bp, x)
		before := int(at.lo) - int(r.lo)
		if outer >= 0 && s.Line.Spans[outer].Coef < 0 {
			before = -before
		}
		return at.meets(r) && before > 0 && before <= b.Machine.Caches.L2 && before%row < LineBytes
	})
}

// onlyStores reports whether the array of a site is write-only and no load of the
// phase overlaps it.
func (b *Binder) onlyStores(bp *Phase, s *Site) bool {
	if b.IR.Bufs[s.Buf].Mode != ir.Out {
		return false
	}
	r := b.region(bp, s)
	for i := range bp.Sites {
		x := &bp.Sites[i]
		if x.Buf >= 0 && !bp.Lowered.Sites[i].Store && (x.Buf == s.Buf || b.region(bp, x).meets(r)) {
			return false
		}
	}
	return true
}

// repeats reports whether a map may compute lanes twice: it only stores, to arrays that it
// does not load.
func (b *Binder) repeats(bp *Phase) bool {
	if bp.Lowered.Kind != lower.MapPhase || len(bp.Lowered.Reds) > 0 {
		return false
	}
	for i := range bp.Sites {
		if s := &bp.Sites[i]; bp.Lowered.Sites[i].Store && (s.Buf < 0 || !b.onlyStores(bp, s)) {
			return false
		}
	}
	return true
}

// LineBytes is the size of a cache line. A line that is stored partly past the caches
// and partly through them costs as much as a hundred others.
const LineBytes = 64

// Apart reports whether one iteration can compute lanes that are far apart: every
// site is contiguous or uniform, without guards or staging.
func (bp *Phase) Apart() bool {
	return !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		return s.Kind != Unit && s.Kind != Uniform || s.Guard || s.Staged || s.Dyn != nil
	})
}
