package jit

import (
	le "encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Seq loops run strip by strip. Machine code combines up to 64 rows of a strip of
// columns with an array of accumulators. The worker combines full runs, in a tree of
// adjacent pairs.

// callElements is about the number of elements of a call for a loop that carries
// values. Each call loads and stores the carries, so that short calls are slow.
const callElements = 1 << 14

// transposedElements is the same for a loop whose blocks are transposed: a call goes far along a few
// rows, [layout.TransposedLanes], or over more that are short.
const transposedElements = 1 << 14

// acrossElements is the same for a loop along one row after the other, and acrossBytes is the bytes of the lanes of a call if it only
// reduces, in any order.
const (
	acrossElements = 1 << 16
	acrossBytes    = 1 << 18
)

// run returns the number of rows of a call on n lanes. A call ends with a run of an ordered
// reduction, and with the rows that are staged.
func (bp *boundPhase) run(n int) int {
	switch {
	case bp.Each > 0 && !bp.Prefixes: // the code has all steps
		return bp.SeqN
	case bp.Across && bp.Ordered:
		return max(min(ir.Run, 1<<bits.Len(uint(acrossElements/n))), 1)
	case bp.Across && len(bp.Lowered.Carries) == 0: // no rows that are left over from several at once
		rows := acrossBytes / (n * bp.Widest())
		return max(rows-rows%max(bp.AtOnce, 1), 1)
	case bp.Across || bp.Whole > 0 && !bp.Ordered && len(bp.Lowered.Carries) > 0:
		return max(acrossElements/n, 1)
	case len(bp.Lowered.Carries) == 0:
		return ir.Run
	case (bp.Transposes() || bp.Prefixes) && !bp.Ordered && len(bp.Loads)+len(bp.Stores) == 0:
		return max(transposedElements/max(n, 1)&^(ir.Run-1), ir.Run)
	case bp.Ordered || len(bp.Loads)+len(bp.Stores) > 0:
		return min(ir.Run, 1<<bits.Len(uint(callElements/max(n, 1))))
	}
	return max(callElements/max(n, 1), ir.Run)
}

// seqPiece runs the whole seq loop for n lanes from lo on.
func (w *worker) seqPiece(bp *boundPhase, lo, n int) {
	if bp.Lowered.LaneStep > 0 {
		w.lanesPiece(bp, lo, n)
		return
	}
	accs := w.accs[bp.Lowered.ID]
	if bp.fn.combines && bp.SeqN > 0 {
		w.combinedPiece(bp, lo, n)
		return
	}
	for i := range bp.Reds {
		fillLanes(accs[i].acc, n, bp.Reds[i].Kern)
		if bp.Reds[i].Kern.Arg {
			clear(unsafe.Slice((*int32)(accs[i].pos), n))
		}
	}
	count := 0
	inner := 1
	if k := len(bp.SeqSpans); k > 0 {
		inner = bp.SeqSpans[k-1]
	}
	work.Place(w.Pos, w.inst.extents, bp.Lowered.Seq, 0)
	run, t := bp.run(n), 0
	if bp.runs != nil && n == bp.Columns() && lo%n == 0 { // it goes over all columns
		t = w.manyRuns(bp, columns{lo, 0, n}, inner)
		count = t / ir.Run
	}
	for t < bp.SeqN && !w.inst.Stopped() {
		m := min(bp.SeqN-t, run-t%run, inner-t%inner)
		if len(bp.Loads) > 0 || len(bp.Stores) > 0 {
			w.seqStage(bp, lo, n, t, m, true)
		}
		w.set(frame.Going, 0)
		w.seqRows(bp, lo, n, t, m)
		if bp.Lowered.Leaves && *w.word(frame.Going) == 0 {
			break // no later step changes a value
		}
		if len(bp.Stores) > 0 {
			w.seqStage(bp, lo, n, t, m, false)
		}
		t += m
		if t%ir.Run == 0 && bp.Ordered {
			for i := range bp.Reds {
				w.pushRun(&accs[i], &bp.Reds[i], count, n)
			}
			count++
		}
	}
	for i := range bp.Reds {
		w.finishRuns(bp, &accs[i], &bp.Reds[i], count, bp.SeqN%ir.Run, n)
	}
}

// lanesPiece runs the whole seq loop for n lanes from lo on, in the order of the lanes of a vec loop.
func (w *worker) lanesPiece(bp *boundPhase, lo, n int) {
	accs, lanes := w.accs[bp.Lowered.ID], bp.Lowered.LaneStep
	most, count := bp.run(n), 0
	own := make([]unsafe.Pointer, 0, 4)
	for i := range accs {
		own = append(own, accs[i].acc)
	}
	for block := 0; block < bp.SeqN; block += ir.Block {
		end := min(block+ir.Block, bp.SeqN)
		if bp.together > 0 && n == bp.N {
			w.lanesAtOnce(bp, lo, block, end)
		} else {
			for lane := range lanes {
				for i := range accs {
					accs[i].acc = unsafe.Add(accs[i].lanes, lane*accs[i].pitch)
					fillLanes(accs[i].acc, n, bp.Reds[i].Kern)
				}
				for t := block + lane; t < end && !w.inst.Stopped(); t += most * lanes {
					w.seqRows(bp, lo, n, t, min(most, (end-t+lanes-1)/lanes))
				}
			}
		}
		for i := range accs {
			st, r := &accs[i], &bp.Reds[i]
			st.fold.Run(0, n)
			st.acc = own[i]
			bytes := n * r.Kern.Lane.Size()
			copy(unsafe.Slice((*byte)(st.acc), bytes), unsafe.Slice((*byte)(st.folded), bytes))
			w.pushRun(st, r, count, n)
			own[i] = st.acc
		}
		count++
	}
	for i := range accs {
		w.finishRuns(bp, &accs[i], &bp.Reds[i], count, 0, n)
	}
}

// lanesAtOnce combines rows block..end of all columns with the accumulators of their lanes. Rows that follow each other in memory
// are one row of several lanes.
func (w *worker) lanesAtOnce(bp *boundPhase, lo, block, end int) {
	accs, lanes := w.accs[bp.Lowered.ID], bp.Lowered.LaneStep
	work.Place(w.Pos, w.inst.extents, bp.Lowered.Seq, 0)
	for first := 0; first < lanes; first += bp.together {
		n := min(bp.together, lanes-first)
		for i := range accs {
			accs[i].acc = unsafe.Add(accs[i].lanes, first*accs[i].pitch)
			fillLanes(accs[i].acc, n*bp.N, bp.Reds[i].Kern)
		}
		for t := block + first; t < end && !w.inst.Stopped(); {
			rows := (end - t + lanes - n) / lanes
			if rows == 0 {
				rows, n = 1, end-t
			}
			w.seqCall(bp, columns{lo, 0, n * bp.N}, t, 0, rows)
			t += rows * lanes
		}
	}
}

// combinedPiece is seqPiece for a function that goes from the identity to the result. A call begins with a run of rows.
func (w *worker) combinedPiece(bp *boundPhase, lo, n int) {
	accs := w.accs[bp.Lowered.ID]
	for i := range bp.Reds {
		r := &bp.Reds[i]
		accs[i].acc = unsafe.Add(w.arrays[bp.vec][r.Array], w.first*r.Out.Size())
	}
	work.Place(w.Pos, w.inst.extents, bp.Lowered.Seq, 0)
	rows, t := combinedRows(n), 0
	if bp.runs != nil && n == bp.Columns() && lo%n == 0 {
		for i := range bp.Reds {
			fillLanes(accs[i].acc, n, bp.Reds[i].Kern)
		}
		if t = w.manyRuns(bp, columns{lo, 0, n}, bp.SeqN); t == bp.SeqN {
			for i := range bp.Reds {
				w.finishRuns(bp, &accs[i], &bp.Reds[i], t/ir.Run, ir.Run, n) // the identity is the run that is left
			}
		}
	}
	for ; t < bp.SeqN && !w.inst.Stopped(); t += rows {
		w.seqRows(bp, lo, n, t, min(rows, bp.SeqN-t))
	}
}

// combinedRows returns the rows of a call of such a function on n lanes: pairs of runs, or one of many lanes.
func combinedRows(n int) int { return max(acrossElements/n&^(2*ir.Run-1), ir.Run) }

// inRuns is [layout.Phase.InRuns] with a quarter of the registers for the vectors, and for a single reduction as
// many as rows are read at once. The vectors of more than a line hide the latency of their sums from row to row, so runs one after
// the other take less time.
func (g *generator) inRuns(bp *layout.Phase) (runs, vectors int) {
	if bp.Combines && bp.Columns()*bp.Widest() > layout.LineBytes {
		return 0, 0
	}
	return bp.InRuns(bp.Lanes(g.Bytes, g.Predicates > 0), max(g.Vectors/4, g.RowsAtOnce/max(len(bp.Lowered.Reds), 1)))
}

// fewRuns reports whether rows are so few that several runs at once would gain less than it takes Go to call for
// them and for the rows that are left: for each of several spans of columns as long as some 400 rows.
func (bp *boundPhase) fewRuns() bool {
	return bp.SeqN < 4*ir.Run || len(bp.Spans) > 1 && bp.SeqN < 8*ir.Run
}

// runElements is about the number of elements of a call for few columns.
const runElements = 1 << 17

// manyRuns runs as many rows as it can by the function for few columns, and returns their number. The runs that are done are levels of the
// reductions with an order, and combined with the accumulators of the others.
func (w *worker) manyRuns(bp *boundPhase, c columns, inner int) (t int) {
	accs := w.accs[bp.Lowered.ID]
	runs, _ := w.inst.code.gen.inRuns(bp.Phase)
	rows := runs * ir.Run
	most := max(runElements/(rows*c.n), 1)
	for !w.inst.Stopped() {
		groups := min(most, (bp.SeqN-t)/rows, (inner-t%inner)/rows)
		if groups == 0 {
			break
		}
		w.set(frame.Left, groups)
		w.callRows(bp, bp.runs, c, t, 0, ir.Run)
		for i := range accs {
			if r := &bp.Reds[i]; !r.Kern.Ordered {
				r.Kern.Merge(accs[i].acc, accs[i].runs, c.n)
			}
		}
		t += groups * rows
	}
	for i := range accs {
		st, r := &accs[i], &bp.Reds[i]
		if r.Kern.Ordered {
			fillLanes(st.acc, c.n, r.Kern)
		}
		for k := range st.levels {
			if !bp.fn.combines && t/ir.Run>>k&1 != 0 { // they are not those of the tree
				bytes := c.n * r.Kern.Lane.Size()
				copy(unsafe.Slice((*byte)(st.levels[k]), bytes), unsafe.Slice((*byte)(unsafe.Add(st.tree, k*st.pitch)), bytes))
			}
		}
	}
	return t
}

func (w *worker) pushRun(st *accState, r *layout.SeqRed, count, n int) {
	if !r.Kern.Ordered {
		return
	}
	i := 0
	for ; count>>i&1 != 0; i++ {
		r.Kern.Merge(st.acc, st.levels[i], n)
	}
	st.acc, st.levels[i] = st.levels[i], st.acc
	fillLanes(st.acc, n, r.Kern)
}

// finishRuns combines the runs that are left, and writes the result to its array.
func (w *worker) finishRuns(bp *boundPhase, st *accState, r *layout.SeqRed, count, left, n int) {
	if bp.SeqN == 0 {
		fillBits(st.acc, n, r.Kern.Lane.Size(), r.Kern.Empty.Bits)
		if r.Kern.Arg {
			clear(unsafe.Slice((*int32)(st.pos), n))
		}
	} else if r.Kern.Ordered {
		have := left > 0
		for i := 0; count>>i != 0; i++ {
			if count>>i&1 == 0 {
				continue
			}
			if have {
				r.Kern.Merge(st.acc, st.levels[i], n)
			} else {
				st.acc, st.levels[i] = st.levels[i], st.acc
				have = true
			}
		}
	}
	out := unsafe.Add(w.arrays[bp.vec][r.Array], w.first*r.Out.Size())
	switch {
	case r.Kern.Arg:
		d, s := unsafe.Slice((*int64)(out), n), unsafe.Slice((*int32)(st.pos), n)
		for i := range d {
			d[i] = int64(s[i])
		}
	case r.Type == dtype.Bool:
		finishTruths(unsafe.Slice((*uint8)(out), n), st.acc, r.Kern)
		if bp.SeqN == 0 {
			fillBits(out, n, 1, r.Kern.Empty.Bits)
		}
	case r.Type.Size() == r.Kern.Lane.Size():
		bytes := n * r.Type.Size()
		copy(unsafe.Slice((*byte)(out), bytes), unsafe.Slice((*byte)(st.acc), bytes))
	case r.Type.Size() == 1:
		truncate[uint8](out, st.acc, n)
	default:
		truncate[uint16](out, st.acc, n)
	}
}

// finishTruths writes the lanes of a reduction of predicates, which are 0 or not, as predicates.
func finishTruths(d []uint8, lanes unsafe.Pointer, k *reduce.Kern) {
	switch k.Lane.Size() {
	case 1:
		truths[uint8](d, lanes, k.All())
	case 2:
		truths[uint16](d, lanes, k.All())
	default:
		truths[uint32](d, lanes, k.All())
	}
}

func truths[T uint8 | uint16 | uint32](d []uint8, lanes unsafe.Pointer, all bool) {
	s := unsafe.Slice((*T)(lanes), len(d))
	for i := range d {
		d[i] = uint8(frame.Bit((s[i] != 0) != all))
	}
}

// truncate writes n lanes of 32 bits as elements of a narrower type.
func truncate[T uint8 | uint16](out, lanes unsafe.Pointer, n int) {
	d, s := unsafe.Slice((*T)(out), n), unsafe.Slice((*uint32)(lanes), n)
	for i := range d {
		d[i] = T(s[i])
	}
}

func fillLanes(p unsafe.Pointer, n int, k *reduce.Kern) { fillBits(p, n, k.Lane.Size(), k.Identity) }

func fillBits(p unsafe.Pointer, n, size int, x uint64) {
	for b := 8 * size; b < 64; b *= 2 {
		x = x<<b | x&(1<<b-1)
	}
	var first [128]byte
	for i := 0; i < len(first); i += 8 {
		le.LittleEndian.PutUint64(first[i:], x)
	}
	s := unsafe.Slice((*byte)(p), n*size)
	for done := copy(s, first[:]); done < len(s); done *= 2 { // copies are faster than a loop
		copy(s[done:], s[:done])
	}
}

// seqStage copies rows t..t+m of the staged loads or stores.
func (w *worker) seqStage(bp *boundPhase, lo, n, t, m int, load bool) {
	list := bp.Stores
	if load {
		list = bp.Loads
	}
	for _, i := range list {
		s := &bp.Sites[i]
		work.Place(w.Pos, w.inst.extents, bp.Lowered.Seq, t)
		for r := range m {
			p := unsafe.Add(w.scratchOf(bp, i), r*bp.strip*s.Size)
			if load {
				w.load(s.Stage, lo, n, p, nil) // no guarded site is staged in a seq loop
			} else {
				w.store(s.Stage, lo, n, p)
			}
			work.Advance(w.Pos, w.inst.extents, bp.Lowered.Seq)
		}
	}
}

// seqRows runs the rows t..t+m, all in one span, segment by segment.
func (w *worker) seqRows(bp *boundPhase, lo, n, t, m int) {
	work.Place(w.Pos, w.inst.extents, bp.Lowered.Seq, 0)
	last, most := n, callElements
	if k := len(bp.Spans); k > 1 {
		last = bp.Spans[k-1]
	}
	if bp.Across {
		most = acrossElements
	}
	for at := 0; at < n; {
		c, spans := n-at, 1
		if len(bp.Spans) > 1 {
			c = min(last-(lo+at)%last, c)
		}
		if bp.Groups > 0 {
			if c == last {
				spans = bp.spansAt((lo+at)/last, min((n-at)/last, most/(last*m)))
			}
			w.set(frame.Left, spans)
		}
		for done := 0; done < m; {
			done += w.seqCall(bp, columns{lo, at, c}, t, done, m-done)
		}
		at += c * spans
	}
}

// spansAt returns the spans of columns of a call from number first on, at most most, but at least one.
func (bp *boundPhase) spansAt(first, most int) int {
	all := bp.Spans[len(bp.Spans)-2]
	return max(1, min(most, all-first%all))
}

// columns are lanes at..at+n of the piece from lo.
type columns struct{ lo, at, n int }

// seqCall runs columns from row t+done. It runs the next rows that have the same lanes
// inside guarded arrays, at most m. It returns their number.
func (w *worker) seqCall(bp *boundPhase, c columns, t, done, m int) int {
	t += done
	for i := range bp.Sites {
		if s := &bp.Sites[i]; s.Guard && !s.Staged {
			m = w.seqGuard(s, c.lo+c.at, c.n, t, m)
		}
	}
	w.callRows(bp, bp.fn, c, t, done, m)
	return m
}

// callRows calls machine code for m rows of columns from row t on.
func (w *worker) callRows(bp *boundPhase, fn *function, c columns, t, done, m int) {
	lo, at, n := c.lo, c.at, c.n
	for i := range bp.Sites {
		s := &bp.Sites[i]
		switch s.Kind {
		case layout.Unused:
		case layout.Scratch:
			step := 0
			if s.Staged {
				step = bp.strip
			}
			w.flat(bp, s, int32(i), at+done*step)
			w.set(s.Arg+frame.SiteRow, step*s.Size)
		default:
			off, _ := bound.Inner(s.Line.Spans, lo+at)
			off += s.Line.At(w.Pos)
			if d := w.dynamic(s); d != outside {
				off += d
			}
			o, _ := bound.Inner(s.Seq, t)
			w.point(s, off+o/max(bp.Lowered.LaneStep, 1))
			w.set(s.Arg+frame.SiteRow, bound.StepOf(s.Seq)*s.Size)
		}
	}
	accs := w.accs[bp.Lowered.ID]
	for i := range bp.Reds {
		r, acc := &bp.Reds[i], accs[i].acc
		if fn == bp.runs {
			acc = accs[i].runs
		}
		if fn == bp.runs || fn.combines {
			w.setPtr(r.At+frame.SiteLevels, accs[i].tree, at*r.Kern.Lane.Size())
		}
		w.setPtr(r.At+frame.SitePtr, acc, at*r.Kern.Lane.Size())
		if r.Kern.Arg {
			w.setPtr(r.PosAt+frame.SitePtr, accs[i].pos, at*4)
		}
	}
	w.set(bp.Lowered.Lanes, n)
	w.set(frame.Rows, m)
	w.set(frame.First, t)
	if bp.streamed != nil && fn == bp.fn && w.rowsPast(bp, n) {
		fn = bp.streamed
	}
	fn.code.Call(w.frame)
}

// rowsPast reports whether rows of n lanes are whole vectors at aligned addresses in all arrays whose stores
// bypass the caches, or may begin at any element, in each span of a call.
func (w *worker) rowsPast(bp *boundPhase, n int) bool {
	return (bp.Groups == 0 || bp.Leads) && !slices.ContainsFunc(bp.Pure, func(i int32) bool {
		s, unit := &bp.Sites[i], bp.pastBytes
		if bp.Leads {
			unit = s.Size
		}
		return n*s.Size%unit != 0 || int(*w.word(s.Arg + frame.SitePtr))%unit != 0
	})
}

// seqGuard writes to the frame which of n lanes from position p are inside a guarded
// array in row t. It returns for how many rows, at most m, these lanes are the same.
func (w *worker) seqGuard(s *layout.Site, p, n, t, m int) int {
	lo, hi := 0, n
	if w.dynamic(s) == outside {
		hi = 0
	}
	for i := range s.Guards {
		g := &s.Guards[i]
		c, k := w.guardAt(g, p)
		o, _ := bound.Inner(g.Seq, t)
		step := bound.StepOf(g.Seq)
		c += o
		switch l, h := bound.Clip(0, n, c, k, g.Extent); {
		case step == 0:
		case k != 0: // the lanes shift, unless all are inside in the first and the last row
			if l2, h2 := bound.Clip(0, n, c+(m-1)*step, k, g.Extent); l != 0 || h < n || l2 != 0 || h2 < n {
				m = 1
			}
		case c >= 0 && c < g.Extent:
			_, m = bound.Clip(0, m, c, step, g.Extent)
		default:
			if first, end := bound.Clip(0, m, c, step, g.Extent); first < end {
				m = first
			}
		}
		lo, hi = bound.Clip(lo, hi, c, k, g.Extent)
	}
	w.setInside(s, lo, hi)
	return m
}
