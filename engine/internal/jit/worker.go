package jit

import (
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

var _ backend.Whole = (*worker)(nil)

// begin runs the scalar code of the entry, once in each run.
func (w *worker) begin() {
	if w.run != w.inst.Number {
		w.enter()
	}
}

func (w *worker) enter() {
	in := w.inst
	w.run, w.wide, w.settled = in.Number, !in.holds(), false
	w.loadScalars()
	for _, bp := range in.periodic {
		w.repeat(bp)
	}
	if in.main >= 0 {
		w.items(in.items[:in.main])
	}
}

func (w *worker) Run(lo, hi int) {
	w.ready = false
	if w.shorten(lo, hi) {
		w.short.run(false)
	} else {
		w.chunk(lo, hi)
	}
	w.flushFaults()
	runtime.KeepAlive(w.inst)
}

// RunAll is Begin, Run of all units, and Finish. See [backend.Whole].
func (w *worker) RunAll(same bool) ir.FaultKind {
	in := w.inst
	same = same && w.ready
	if w.ready = same || w.shorten(0, in.count); !w.ready {
		in.Begin()
		w.Run(0, in.count)
		return in.Finish(w)
	}
	w.short.run(same)
	fault := ir.NoFault
	if *w.faults() != 0 {
		fault = w.Faults()
	}
	runtime.KeepAlive(in)
	return fault
}

// Again are the calls of a shortcut. See [backend.Whole].
func (w *worker) Again() (calls *exec.Bound, faults *uint64, ready bool) {
	return w.short.first, w.faults(), w.ready
}

// Faults returns and forgets the faults of a shortcut of all units. See [backend.Whole].
func (w *worker) Faults() ir.FaultKind {
	w.inst.Begin()
	w.flushFaults()
	return w.inst.Fault()
}

// faults returns the word of the frame in which machine code notes faults.
func (w *worker) faults() *uint64 { return (*uint64)(unsafe.Add(w.frame, frame.Fault)) }

// chunk runs units lo..hi of the main loop, without a shortcut.
func (w *worker) chunk(lo, hi int) {
	w.begin()
	in := w.inst
	if lo < hi {
		switch in.units {
		case bound.OneUnit:
			w.items(in.items)
		case bound.RowUnits:
			if it := &in.items[in.main]; in.split > 0 {
				w.splitRows(it, lo, hi)
			} else {
				w.parRows(it, lo, hi)
			}
		case bound.ElementUnits:
			w.vecRange(in.items[in.main].vec, lo, hi)
		case bound.BlockUnits:
			w.blocks(in.items[in.main].vec, lo, hi, 0)
		}
	}
}

// splitRows runs blocks lo..hi of the rows of a par loop.
func (w *worker) splitRows(it *boundItem, lo, hi int) {
	in := w.inst
	v := it.par[in.at].vec
	for n := 0; lo < hi && !in.Stopped(); lo += n {
		row, at := lo/in.split, lo%in.split
		n = min(in.split-at, hi-lo)
		work.Place(w.Pos, in.extents, it.axes, row)
		w.items(it.par[:in.at])
		w.blocks(v, at, at+n, row*in.split)
		if atomic.AddInt64(&in.done[row], int64(n)) == int64(in.split) {
			w.combine(v, row*in.split, in.split)
			w.items(it.par[in.at+1:])
		}
	}
}

// blocks runs blocks lo..hi of a vec loop, whose first block is unit first. If no later block can change the results, calls begin with one
// block, and the blocks after that are left out.
func (w *worker) blocks(v *boundVec, lo, hi, first int) {
	most := max(v.step/ir.Block, 1)
	n := most
	if v.settles {
		n = 1
	}
	for at, end := lo, 0; at < hi && !w.settled; at, n = end, min(4*n, most) {
		end = min(at+n, hi)
		w.vecRange(v, at*ir.Block, min(end*ir.Block, v.n))
		w.settled = v.settles
		for i, r := range v.reds {
			p := w.partial(r, at*ir.Block)
			w.inst.partials[i][first+at] = p
			w.settled = w.settled && r.settled(p)
			for k := at + 1; k < end; k++ {
				w.inst.partials[i][first+k] = within
			}
		}
		lo = end
	}
	for i := range v.reds {
		for k := lo; k < hi; k++ {
			w.inst.partials[i][first+k] = within
		}
	}
}

// combine combines the results of the n blocks of a vec loop whose first block is unit first.
func (w *worker) combine(v *boundVec, first, n int) {
	for i, r := range v.reds {
		parts := slices.DeleteFunc(w.inst.partials[i][first:first+n], func(p reduce.Partial) bool { return p == within })
		*w.cell(r.Cell) = r.result(pairwise.Reduce(parts, r.Kern.Empty, r.Kern.Combine))
	}
}

func (w *worker) flushFaults() {
	f := w.faults()
	if *f == 0 {
		return
	}
	for k := ir.DivideFault; k <= ir.IndexFault; k++ {
		if *f>>uint(k)&1 != 0 {
			w.inst.Raise(k)
		}
	}
	*f = 0
}

func (w *worker) items(items []boundItem) {
	for i := range items {
		it := &items[i]
		switch {
		case it.scalar != nil:
			w.scalar(it.scalar)
		case it.vec != nil:
			w.vecAll(it.vec)
		default:
			w.parRows(it, 0, it.n)
		}
	}
}

// parRows runs rows lo..hi of a par loop.
func (w *worker) parRows(it *boundItem, lo, hi int) {
	if lo >= hi {
		return
	}
	if it.rows != nil {
		it.rows.run(w, it.axes, lo, hi)
		return
	}
	work.Place(w.Pos, w.inst.extents, it.axes, lo)
	for ; lo < hi && !w.inst.Stopped(); lo++ {
		w.items(it.par)
		work.Advance(w.Pos, w.inst.extents, it.axes)
	}
}

// vecAll runs a whole vec loop and leaves its reductions in cells.
func (w *worker) vecAll(v *boundVec) {
	if len(v.reds) == 0 {
		w.vecRange(v, 0, v.n)
		return
	}
	step := v.step
	if v.settles { // see blocks
		step = ir.Block
	}
	if v.n <= step && v.n > 0 {
		w.vecRange(v, 0, v.n)
		for _, r := range v.reds {
			*w.cell(r.Cell) = r.result(w.partial(r, 0))
		}
		return
	}
	settled := false
	for lo, end := 0, 0; lo < v.n && !settled && !w.inst.Stopped(); lo, step = end, min(4*step, v.step) {
		end = min(lo+step, v.n)
		w.vecRange(v, lo, end)
		settled = v.settles
		for _, r := range v.reds {
			p := w.partial(r, lo)
			w.reds[r.State].Push(p, r.Kern.Combine)
			settled = settled && r.settled(p)
		}
	}
	for _, r := range v.reds {
		*w.cell(r.Cell) = r.result(w.reds[r.State].Pop(r.Kern.Empty, r.Kern.Combine))
	}
}

// vecRange runs positions lo..hi of a vec loop. If the loop has reductions, the
// positions must be those of one call.
func (w *worker) vecRange(v *boundVec, lo, hi int) {
	for ; lo < hi && !w.inst.Stopped(); lo += v.step {
		n := min(hi-lo, v.step)
		for _, bp := range v.phases {
			w.first = 0
			for m := 0; w.first < n; w.first += m {
				m = min(n-w.first, bp.strip)
				if bp.Lowered.Kind == lower.SeqPhase {
					m = bp.piece(lo+w.first, m)
					w.seqPiece(bp, lo+w.first, m)
				} else {
					w.mapPiece(bp, lo+w.first, m)
				}
			}
		}
	}
}

// piece returns how many of n lanes from lo on a piece of a seq loop has. It ends with a span of columns if rows of a piece
// should follow each other, and begins with one if the code goes over several. The code along rows goes over all rows of
// a span before the next one.
func (bp *boundPhase) piece(lo, n int) int {
	k := len(bp.Spans)
	if k < 2 || len(bp.Loads)+len(bp.Stores) > 0 {
		return n
	}
	span := bp.Spans[k-1]
	left := span - lo%span
	switch {
	case bp.fn.combines && bp.runs == nil && left <= n:
		return n - (n-left)%span
	case bp.Groups > 0 && bp.Across && left <= n:
		n = min(n, left+max(acrossElements/(span*bp.SeqN)-1, 0)*span)
		return n - (n-left)%span
	case bp.runs != nil || span*bp.SeqN >= fewElements:
		return min(n, left)
	}
	return n
}

// fewElements is the least number of elements down the columns of a span that are a piece of their own.
const fewElements = 1 << 12

// mapPiece runs n lanes of a map phase from lo on.
func (w *worker) mapPiece(bp *boundPhase, lo, n int) {
	if bp.Plain && !bp.Rows {
		for _, i := range bp.Native {
			s := &bp.Sites[i]
			w.point(s, s.Line.Base+lo/max(bp.Laid, 1)*firstStep(s))
		}
		w.call(bp, n, oneRow)
		return
	}
	w.stageIn(bp, lo, n)
	switch {
	case len(bp.TileSites) > 0:
		w.tiles(bp, lo, n)
	case len(bp.Spans) <= 1:
		w.segment(bp, lo, 0, n, oneRow)
	default:
		w.segments(bp, lo, n)
	}
	if bp.weave != nil {
		w.weave(bp, lo, n)
		return
	}
	for _, i := range bp.Stores {
		w.store(bp.Sites[i].Stage, lo, n, w.scratchOf(bp, i))
	}
}

// segments runs a piece of several rows: row by row, tile by tile, or many rows in
// one call.
func (w *worker) segments(bp *boundPhase, lo, n int) {
	k := len(bp.Spans)
	above, last := bp.Spans[k-2], bp.Spans[k-1]
	for at := 0; at < n; {
		in := (lo + at) % last
		if rows := (n - at) / last; bp.Tiled && in == 0 && rows > 1 {
			most, columns := bp.TileShape()
			rows = min(rows, most, above-(lo+at)/last%above)
			for c := 0; c < last; c += columns {
				width := min(columns, last-c)
				if bp.Rows {
					w.segment(bp, lo, at+c, width, rowsOf(rows))
					continue
				}
				for r := range rows {
					w.segment(bp, lo, at+r*last+c, width, oneRow)
				}
			}
			at += rows * last
			continue
		}
		r := oneRow
		if bp.Rows && in == 0 {
			r = rowsAt(bp.Spans[k-2-bp.Groups:k-1], (lo+at)/last, (n-at)/last)
		}
		m := min(last-in, n-at)
		w.segment(bp, lo, at, m, r)
		at += m * r.all()
	}
}

func (in *instance) Finish(b backend.Worker) ir.FaultKind {
	w := b.(*worker)
	if w.short.step > 0 {
		return in.Fault()
	}
	if in.main >= 0 {
		w.begin()
		if in.units == bound.BlockUnits {
			w.combine(in.items[in.main].vec, 0, in.count)
		}
		w.items(in.items[in.main+1:])
		w.flushFaults()
	}
	return in.Fault()
}

func (in *instance) NewWorker() backend.Worker {
	w := &worker{inst: in}
	w.mem = work.Memory(in.frame + 64)
	w.frame = unsafe.Pointer(unsafe.SliceData(w.mem))
	w.Scratch = in.need.New(len(in.extents), in.lanes, w)
	w.reds = make([]redState, in.code.p.States)
	n := 0
	for _, ph := range in.code.p.Phases {
		n = max(n, int(ph.Scratch)+len(ph.Sites))
	}
	all := slices.Grow(w.one.pointers[:0], 2*n+len(in.rowBytes))[:2*n+len(in.rowBytes)]
	w.scratch, w.inside, w.rows = all[:n], all[n:2*n], all[2*n:]
	for i, n := range in.rowBytes {
		if n > 0 {
			w.rows[i] = w.memory(n)
		}
	}
	w.arrays = w.one.arrays[:0]
	for _, v := range in.vecs {
		w.arrays = append(w.arrays, lists.Map(v.v.Arrays, func(t dtype.Type) unsafe.Pointer { return w.memory(v.step * t.Size()) }))
	}
	w.accs = slices.Grow(w.one.accs[:0], len(in.phases))[:len(in.phases)]
	for id, bp := range in.phases {
		lanes := 1
		if bp.Lowered.Vec != nil {
			lanes = bp.strip
		}
		if bp.Lowered.Kind == lower.SeqPhase {
			lanes *= ir.Run
		}
		if bp.weave != nil {
			pitch := bp.weavePitch()
			m := w.memory(len(bp.Woven) * pitch)
			for k, i := range bp.Woven {
				w.scratch[int(bp.Lowered.Scratch)+int(i)] = unsafe.Add(m, k*pitch)
			}
		}
		for _, i := range append(slices.Clone(bp.Loads), bp.Stores...) {
			s := &bp.Sites[i]
			if !slices.Contains(bp.Woven, i) {
				w.scratch[int(bp.Lowered.Scratch)+int(i)] = w.memory((lanes + s.Stage.Period) * s.Size)
			}
			if s.Guard {
				w.inside[int(bp.Lowered.Scratch)+int(i)] = w.memory(lanes)
			}
			w.flat(bp, s, i, 0)
		}
		for _, i := range bp.TileSites {
			if bp.Copy < 0 && bp.Lowered.Kind == lower.MapPhase {
				w.scratch[int(bp.Lowered.Scratch)+int(i)] = w.memory((bp.TileRows + 1) * layout.TilePitch * bp.Sites[i].Size)
			}
		}
		for i := range bp.Reds {
			st := w.newAccState(bp, &bp.Reds[i])
			if bp.Lowered.LaneStep > 0 {
				w.newLanes(bp, i, &st)
			}
			w.accs[id] = append(w.accs[id], st)
		}
		w.prepare(bp)
	}
	w.findShortcut()
	return w
}

// newAccState returns the memory of a reduction of a seq loop.
func (w *worker) newAccState(bp *boundPhase, r *layout.SeqRed) accState {
	bytes := bp.strip * r.Kern.Lane.Size()
	st := accState{acc: w.memory(bytes)}
	if bp.runs != nil {
		runs, vectors := w.inst.code.gen.inRuns(bp.Phase)
		st.runs = w.memory(runs * vectors * w.inst.code.gen.Bytes)
	}
	levels := r.Kern.Levels(bp.SeqN)
	if bp.runs != nil || bp.fn.combines {
		st.pitch = (bytes + 127) &^ 63 // with room for a vector
		st.tree = w.memory(levels * st.pitch)
		w.set(r.At+frame.SiteStride, st.pitch)
	}
	st.levels = lists.Make(levels, func(i int) unsafe.Pointer {
		if bp.fn.combines {
			return unsafe.Add(st.tree, i*st.pitch)
		}
		return w.memory(bytes)
	})
	if r.Kern.Arg {
		st.pos = w.memory(bp.strip * 4)
	}
	return st
}

// newLanes makes the accumulators of the lanes of reduction number i, and the worker that combines them.
func (w *worker) newLanes(bp *boundPhase, i int, st *accState) {
	r := &bp.Reds[i]
	bp.lanes(r, st)
	st.lanes, st.folded = w.memory(bp.Lowered.LaneStep*st.pitch), w.memory(bp.strip*r.Kern.Lane.Size())
	inst, err := w.inst.code.folds[bp.Lowered.ID][i].Bind(&ir.Binding{Extents: []int{bp.strip}, Bufs: bp.lanes(r, st)})
	if err != nil {
		panic(err) // another worker, or bindColumns, has bound the same extents
	}
	st.fold = inst.NewWorker()
}

// memory returns zeroed memory, with room for one vector after it.
func (w *worker) memory(bytes int) unsafe.Pointer {
	m := work.Memory(bytes + 64)
	w.keep = append(w.keep, m)
	return unsafe.Pointer(unsafe.SliceData(m))
}

// prepare writes the steps of the sites, which all calls share, to the frame.
func (w *worker) prepare(bp *boundPhase) {
	for i := range bp.Sites {
		s := &bp.Sites[i]
		w.set(s.Arg+frame.SiteStride, s.Line.Step()*s.Size)
		w.set(s.Arg+frame.SiteRow, s.Row*s.Size)
		for l, n := range s.Groups {
			if n != 0 {
				w.set(s.Arg+frame.SiteSteps[l+1], n*s.Size)
			}
		}
	}
}
