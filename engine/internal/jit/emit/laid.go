package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
)

// laidLoop emits a loop whose vectors have the lanes of several short rows. The vectors of a
// block are written out, because each has its own pattern. Then the rows begin again.
func (f *phaseCode) laidLoop() {
	if f.copiesRows() {
		f.beginLaid(true)
		f.copyLoop()
		return
	}
	block := f.Layout.Block(f.W)
	group := f.chooseCopies(4, 0)
	unroll := block
	switch {
	case len(f.chosen) > 0: // as many rows as a vector has lanes
		block = f.Layout.Laid
		unroll = block
	case unroll < group:
		unroll = group / block * block
	}
	v, _ := f.pressure()
	if planes := f.planes(); len(planes) > 0 {
		unroll, group = f.Layout.Laid, f.groupPlanes(planes, group, v)
	} else if f.FromMemory == nil && f.holdRoom(group*v) == 0 { // permutes would load their selectors from memory
		group = max(group/2, 1)
	}
	group = min(group, unroll)
	f.pinUniforms(f.Vectors - group*v - spareRegs)
	lanes, step := f.lanes, unroll*f.W
	reach := step + f.Layout.LaidMargin(f.W)
	all := f.laidOut(reach)
	f.beginLaid(false)
	loop, tail, done := f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	if all > 0 {
		f.Branch(isa.NE, lanes, isa.K(all), tail)
		if all > 2*f.W {
			f.Lanes.Hold(f.holdRoom(v))
		}
		f.laidVectors(all)
		f.Lanes.EndHold()
		f.Jump(done)
	} else {
		f.Branch(isa.LT, lanes, isa.K(reach), tail)
		last := f.lastStart(reach)
		f.Lanes.Hold(f.holdRoom(group * v))
		f.part("main loop: %d vectors of whole rows, %d at once", unroll, group)
		f.Align(32)
		f.Bind(loop)
		f.ahead(isa.Lane, step)
		f.chosenOffsets()
		f.interleave()
		f.Iterated = step
		for f.Base = 0; f.Base < unroll; f.Base += group {
			f.Start(min(group, unroll-f.Base))
			f.body(f.top)
		}
		f.Iterated = 0
		f.nextLaid(unroll)
		f.branchFull(isa.LE, reach, last, loop)
		f.Lanes.EndHold()
	}

	f.part("tail: the rows at the end, under a mask")
	f.Bind(tail)
	f.tailOffsets(done)
	for f.Base = 0; f.Base < block; f.Base++ {
		f.Int(isa.Mov, isa.T1, lanes)
		f.Int(isa.Sub, isa.T1, isa.Lane)
		f.Int(isa.Sub, isa.T1, isa.K(f.Base*f.W))
		f.BranchResult(isa.LE, done)
		f.vectorAtEnd(done)
	}
	f.nextLaid(block)
	f.Jump(tail)
	f.Bind(done)
}

// beginLaid emits what comes before the loop: addresses, and the rows that it reads once, unless it only copies rows.
func (f *phaseCode) beginLaid(copies bool) {
	f.eachLaid(func(i int32, s *layout.Site) {
		if f.SiteReg[i] < 0 {
			f.Int(isa.Mov, isa.T0, isa.Word(s.Arg+s.Origin))
			f.Int(isa.Mov, isa.Word(s.Arg+frame.SiteCur), isa.T0)
		}
		if !copies && f.Layout.LaidOnce(s, f.W) {
			f.readOnce(i)
		}
	})
}

// laidOut returns the lanes of the calls of a loop that are written out, because they are fewer than reach, or 0.
func (f *phaseCode) laidOut(reach int) int {
	k := len(f.Layout.Spans)
	if k < 2 || !f.Layout.Rows || len(f.chosen) > 0 || len(f.planes()) > 0 {
		return 0
	}
	if all := f.Layout.Spans[k-1]; f.W <= all && all < 2*reach {
		return all
	}
	return 0
}

// laidVectors emits the vectors of a call with so many lanes. Only vectors whose loads could leave the lanes are under a mask.
func (f *phaseCode) laidVectors(all int) {
	f.part("calls of %d lanes", all)
	block := f.Layout.Block(f.W) * f.W
	for f.Base = 0; f.Base*f.W < all; f.Base++ {
		left := all - f.Base*f.W
		if f.Layout.Repeats { // the last vector overlaps the one before
			f.Back = max(f.W-left, 0)
		}
		first := f.Base*f.W - f.Back
		f.Bounded = !f.withinLanes(first%block, all-first/block*block)
		if left+f.Back >= f.W && (!f.Bounded || f.loadsBounded()) {
			f.Start(1)
			f.body(f.top)
		} else {
			if f.Back = 0; left < f.W {
				f.knownTail(left)
				continue
			}
			f.Int(isa.Mov, isa.T1, isa.K(left))
			f.tail()
		}
	}
	f.Base, f.Back, f.Bounded = 0, 0, false
}

// loadsBounded reports whether the target loads the elements of some lanes alone, by masks.
func (f *phaseCode) loadsBounded() bool {
	return f.Predicates > 0 && !slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool { return s.Kind == layout.Laid && !f.Layout.Bounds(&s, f.W) })
}

// vectorAtEnd emits the vector at hand of the rows at the end, of which T1 lanes are left: as a whole, if they fill it and its
// loads read no elements of lanes after it, or under a mask. It jumps to done after the last one. Without mask registers the
// last vector overlaps the one before if only one number of lanes can be left, because the rows are no shorter than a vector.
func (f *phaseCode) vectorAtEnd(done isa.Label) {
	bounded := len(f.chosen) > 0 || !f.withinLanes(f.Base*f.W, (f.Base+1)*f.W)
	if bounded && (len(f.chosen) > 0 || len(f.planes()) > 0 || !f.loadsBounded()) {
		f.tail()
		return
	}
	part, next, k := f.NewLabel(), f.NewLabel(), f.Layout.Laid
	f.Branch(isa.LT, isa.T1, isa.K(f.W), part)
	f.Start(1)
	f.Bounded = bounded
	f.body(f.top)
	f.Bounded = false
	f.Jump(next)
	f.Bind(part)
	left := k - f.Base*f.W%k
	if first := f.Base*f.W + left - f.W; k >= f.W && left < f.W && f.Predicates == 0 && f.Layout.Repeats && f.withinLanes(first, first+f.W) {
		f.Back = f.W - left
		f.Start(1)
		f.body(f.top)
		f.Back = 0
	} else if k < f.W || left < f.W {
		f.tail()
	}
	f.Jump(done)
	f.Bind(next)
}

// withinLanes reports whether no load of a vector from lane first of a block on reads elements of other lanes, if the block has at
// least so many lanes.
func (f *phaseCode) withinLanes(first, lanes int) bool {
	within := f.Layout.Blends
	f.eachLaid(func(i int32, s *layout.Site) {
		if !f.Phase.Sites[i].Store && f.Layout.LaidRow(s) != 0 {
			within = within && !f.Layout.Plane(s, f.W) && f.Layout.LaidWithin(s, first, f.W, lanes)
		}
	})
	return within
}

// groupPlanes returns the vectors of a group of a loop that interleaves planes: those of whole rows, if
// the registers suffice for v values of each. If not, the planes go by way of slots.
func (f *phaseCode) groupPlanes(planes []int32, group, v int) int {
	rows := f.Layout.Laid
	if rows*v+spareRegs <= f.Vectors {
		return rows
	}
	if group < rows {
		f.PlaneSlots = map[int32]int32{}
		for _, i := range planes {
			f.PlaneSlots[i] = f.Slots.TakeRow(rows)
		}
	}
	return group
}

// interleave interleaves planes to slots, for an iteration whose vectors are not all in registers at once.
func (f *phaseCode) interleave() {
	for i := range f.Layout.Sites {
		if slot, ok := f.PlaneSlots[int32(i)]; ok {
			t := f.Phase.Sites[i].Type
			f.Lanes.Interleave(int32(i), func(k int, x isa.Vec) { f.Lanes.StoreVec(t, f.Slot(slot+int32(k)), x) }, false)
			f.EndStep()
		}
	}
}

// plane emits the load of a site that is interleaved from planes, if all vectors of whole rows are a
// group. It reports whether the node is such a load.
func (f *phaseCode) plane(id int32) bool {
	n := &f.Nodes[id]
	if f.Masked || n.Op != ir.Load || f.PlaneSlots != nil || !f.Layout.Plane(&f.Layout.Sites[n.Aux], f.W) {
		return false
	}
	f.LoadPlanes(id)
	return true
}

// holding emits a loop whose constants stay in registers, beside those of so many values. Where instructions take no vectors from
// memory, it does so if permutes reach the elements, bytes are shifted, or values are converted with constants.
func (f *phaseCode) holding(values int, loop func()) {
	holds := f.FromMemory != nil || f.steps() || f.Pairs() || f.ShiftsBytes() || f.converts()
	if holds {
		f.Lanes.Hold(f.holdRoom(values))
	}
	loop()
	if holds {
		f.Lanes.EndHold()
	}
}

// converts reports whether nodes convert floats to narrow integers, which takes several constants, or predicates in mask registers to
// elements or numbers, which takes a vector of ones.
func (f *phaseCode) converts() bool {
	return slices.ContainsFunc(f.top, func(id int32) bool {
		n := &f.Nodes[id]
		return n.Op == prim.Cvt && (n.In == dtype.Bool || n.In.IsFloat() && isa.Narrow(n.Type)) || n.Op == ir.Store && n.Type == dtype.Bool
	})
}

// steps reports whether permutes reach the elements of a site.
func (f *phaseCode) steps() bool {
	return slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool {
		return s.Kind == layout.Strided && (s.Step != 0 || s.Record > 0)
	})
}

// nextLaid goes on by a number of vectors, which have whole rows.
func (f *phaseCode) nextLaid(vectors int) {
	f.Base = 0
	f.nextRows(vectors * f.W / f.Layout.Laid)
}

// nextRows goes on by a number of rows.
func (f *phaseCode) nextRows(rows int) {
	f.Int(isa.Add, isa.Lane, isa.K(rows*f.Layout.Laid))
	f.eachLaid(func(i int32, s *layout.Site) {
		if row := f.Layout.LaidRow(s); row != 0 && (s.Near == 0 || f.SiteReg[i] < 0) {
			f.stepRow(s, f.SiteReg[i], isa.K(rows*row*s.Size))
		}
	})
}

// readOnce reads the elements of a site that is the same in all rows, to slots: the vectors of a block, or, if the target blends rows,
// the first Laid + W - 1 elements of the repeated row: a vector may begin with each element of a row.
func (f *phaseCode) readOnce(i int32) {
	s, t, n, pitch := &f.Layout.Sites[i], f.Phase.Sites[i].Type, f.Layout.Block(f.W), isa.SlotBytes
	if f.Layout.Blends {
		n, pitch = (f.Layout.Laid+2*f.W-2)/f.W, f.W*s.Size
	}
	slot := f.Slots.TakeRow((n*pitch-1)/isa.SlotBytes + 2) // the last vector may have lanes wider than elements
	zero.Put(&f.LaidSlots, i, slot)
	to := f.Slot(slot)
	if f.Layout.Blends && f.Layout.LaidUnit(s) {
		row, all := f.Layout.Laid*s.Size, (f.Layout.Laid+f.W-1)*s.Size
		for at := 0; at < all; at += row {
			f.Lanes.CopyBytes(to.Plus(at), f.LaidAddress(s, i), min(row, all-at), t == dtype.Bool)
			f.EndStep()
		}
		return
	}
	for f.Base = 0; f.Base < n; f.Base++ {
		d := f.Tmp()
		f.Within(func() { f.Lanes.GatherLaid(i, d) })
		f.Lanes.StoreVec(t, to.Plus(f.Base*pitch), d)
		f.EndStep()
	}
	f.Base = 0
}

// copiesRows reports whether the phase only copies short rows between arrays, and rows are better
// copied one by one than by vectors that have several: an index selects them, or the rows
// stored are apart.
func (f *phaseCode) copiesRows() bool {
	f.moved = f.Phase.Moves(f.Nodes, f.top)
	if len(f.moved) == 0 || len(f.top) != 2 && !f.Layout.Copied || len(f.chosen) > 1 || len(f.chosen) == 1 && f.moved[0].From != f.chosen[0].site {
		return false
	}
	return !slices.ContainsFunc(f.moved, func(m lower.Move) bool {
		from, to := &f.Layout.Sites[m.From], &f.Layout.Sites[m.To]
		apart := len(f.chosen) > 0 || (to.Kind == layout.Laid || f.Layout.Copied) && f.Layout.LaidUnit(from)
		return !apart || !f.Layout.LaidUnit(to) || f.SiteReg[m.From] < 0 || f.SiteReg[m.To] < 0
	})
}

// mostMoves is the most moves of an iteration of a loop that copies rows, unless an index selects them.
const mostMoves = 32

// A row of at most widestRow bytes may be copied with the bytes behind it, mostWith rows in an iteration.
const (
	widestRow = 32
	mostWith  = 8
)

// rowBytes returns the bytes of a row of a loop that copies rows.
func (f *phaseCode) rowBytes() int { return f.Layout.Laid * f.Layout.Sites[f.moved[0].To].Size }

// rowStep returns the bytes from a row of a site to the next.
func (f *phaseCode) rowStep(i int32) int {
	s := &f.Layout.Sites[i]
	return f.Layout.LaidRow(s) * s.Size
}

// bytesWith returns the bytes that one load and one store move for a row of a loop that copies rows: the row and some bytes behind
// it, which are stored again with the next row. The last row of a call is copied alone. If that does not suit, it returns 0.
func (f *phaseCode) bytesWith() int {
	to, n := &f.Layout.Sites[f.moved[0].To], f.rowBytes()
	with := 1 << bits.Len(uint(n-1))
	if len(f.moved) > 1 || len(f.chosen) > 0 || to.Kind != layout.Unit || !f.Layout.Repeats || with > min(widestRow, f.Facts.Bytes) || f.rowStep(f.moved[0].From) < with-n {
		return 0
	}
	return with
}

// mostTogether is the most bytes of a row of which several that an index selects are written out.
const mostTogether = 1024

// mostPacks is the most packs of an iteration.
const mostPacks = 4

// A pack is the loads and the store of several rows of a loop that copies rows. They go over bytes behind, which are stored again with the
// next rows.
type pack struct {
	rows   int
	bytes  int // of the vector that is stored
	behind int // rows behind these that the loads and the store reach
	loads  []isa.Bytes
	to     int32 // the first of the sites stored
}

// packOf returns the pack of as many rows as a vector holds from a row of the iteration on, if the pieces of a row that is stored follow
// each other, and those of the next row follow them. It has no rows where it saves nothing: with more loads than the rows have moves, or as
// many if a move by itself is one load.
func (f *phaseCode) packOf(row int) (p pack) {
	l, ok := f.Lanes.(isa.Packer)
	if !ok || len(f.chosen) > 0 || !f.Layout.Repeats {
		return pack{}
	}
	moves := slices.Clone(f.moved)
	slices.SortFunc(moves, func(a, b lower.Move) int { return int(f.rowAddress(a.To, 0).Disp - f.rowAddress(b.To, 0).Disp) })
	p.to = moves[0].To
	n, all, first := f.rowBytes(), f.rowBytes()*len(moves), f.rowAddress(p.to, 0)
	for i, m := range moves {
		if f.rowAddress(m.To, 0) != first.Plus(i*n) || f.rowStep(m.To) != all || f.rowStep(m.From) <= 0 {
			return pack{}
		}
	}
	slices.SortFunc(moves, func(a, b lower.Move) int { return int(f.rowAddress(a.From, 0).Disp - f.rowAddress(b.From, 0).Disp) })
	size, to := l.PackBytes(), f.rowAddress(p.to, row).Disp
	p.rows = size / all
	if len(moves) == 1 && f.rowStep(f.moved[0].From)+n > size { // no load has two rows
		size = 16
		p.rows = size >> bits.Len(uint(n-1))
	}
	for ; ; p.rows-- {
		if p.loads, p.behind = f.packLoads(moves, row, p.rows, size, to); len(p.loads) <= isa.MostLoads {
			break
		}
	}
	if moved := p.rows * len(moves); len(p.loads) > moved || len(p.loads) == moved && (bits.OnesCount(uint(n)) == 1 || len(moves) == 1) {
		return pack{}
	}
	p.bytes, p.behind = size, max(p.behind, (size-1)/all+1)-p.rows
	return p
}

// packLoads returns the loads of some rows of the iteration, of at most size bytes each, and how many rows from the first of them on
// these reach.
func (f *phaseCode) packLoads(moves []lower.Move, row, rows, size int, to int32) (loads []isa.Bytes, reach int) {
	n := f.rowBytes()
	var steps []int // bytes from a row to the next
	for r := range rows {
		for _, m := range moves {
			from, lane := f.rowAddress(m.From, row+r), int(f.rowAddress(m.To, row+r).Disp-to)
			at := slices.IndexFunc(loads, func(b isa.Bytes) bool {
				d := int(from.Disp - b.From[0].Disp)
				return 0 <= d && d+n <= size && b.From[0].Plus(d) == from
			})
			if at < 0 {
				at, loads, steps = len(loads), append(loads, isa.Bytes{From: []isa.Mem{from}}), append(steps, f.rowStep(m.From))
			}
			b := &loads[at]
			for k := range n {
				b.Picked = append(b.Picked, layout.Picked{Lane: lane + k, At: int(from.Disp-b.From[0].Disp) + k})
			}
		}
	}
	for i := range loads {
		b := &loads[i]
		last := slices.MaxFunc(b.Picked, func(x, y layout.Picked) int { return x.At - y.At })
		b.N = max(4, 1<<bits.Len(uint(last.At)))
		reach = max(reach, last.Lane/(n*len(moves))+(b.N-1-last.At+steps[i]-1)/steps[i]+1)
	}
	return insertions(loads), reach
}

// insertions returns loads of which those of few bytes are one vector of 16 bytes.
func insertions(loads []isa.Bytes) (all []isa.Bytes) {
	for _, b := range loads {
		n, k := b.N, len(all)-1
		if k < 0 || n > 8 || all[k].N != n || len(all[k].From)*n == 16 {
			all = append(all, b)
			continue
		}
		for _, p := range b.Picked {
			all[k].Picked = append(all[k].Picked, layout.Picked{Lane: p.Lane, At: len(all[k].From)*n + p.At})
		}
		all[k].From = append(all[k].From, b.From...)
	}
	return all
}

// rowsAtOnce returns the rows of an iteration of a loop that copies rows: as many as a vector has lanes, or fewer.
func (f *phaseCode) rowsAtOnce() int {
	if len(f.chosen) > 0 || !f.Layout.Blends {
		return f.W
	}
	moves := len(f.moved) * (f.Layout.Laid*f.Layout.Widest()/f.Facts.Bytes + 2)
	return max(min(f.W, mostMoves/moves), 1)
}

// copyLoop emits a loop that copies rows: several at once, then one by one.
func (f *phaseCode) copyLoop() {
	rows, bytes, behind := f.rowsAtOnce(), f.rowBytes(), 0
	p := f.packOf(0)
	if with := f.bytesWith(); p.rows > 0 {
		rows, behind = p.rows*max(min(isa.MostLoads/len(p.loads), mostPacks, rows/p.rows), 1), p.behind
	} else if with > 0 {
		rows, bytes, behind = min(rows, mostWith), with, (with-1)/bytes
	}
	step, lanes := rows*f.Layout.Laid, f.lanes
	reach := step + behind*f.Layout.Laid
	loop, tail, row, last, done := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.pinUniforms(f.Vectors / 2)
	if f.rowMask = f.masksRows(bytes); f.rowMask {
		f.setTail(f.Layout.Laid)
	}
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	if bytes <= mostTogether || len(f.chosen) == 0 {
		f.part("main loop: %d rows at once", rows)
		f.Branch(isa.LT, lanes, isa.K(reach), tail)
		most := f.lastStart(reach)
		if p.rows > 0 {
			f.Lanes.Hold(f.holdRoom(0))
		}
		f.Align(32)
		f.Bind(loop)
		f.copyRows(rows, bytes, p.rows)
		f.nextRows(rows)
		f.branchFull(isa.LE, reach, most, loop)
		f.Lanes.EndHold()
	}

	f.part("tail: the rows at the end")
	f.Bind(tail)
	if len(f.chosen) == 0 {
		if behind > 0 {
			f.Asm.Address(isa.T0, isa.At(isa.Lane, f.Layout.Laid))
			f.Branch(isa.GE, isa.T0, lanes, last)
		} else {
			f.Branch(isa.GE, isa.Lane, lanes, done)
		}
		f.copyRow(0, bytes)
		f.nextRows(1)
		f.Jump(tail)
		if f.Bind(last); behind > 0 {
			f.copyRow(0, f.rowBytes())
		}
		f.Bind(done)
		return
	}
	f.tailOffsets(done)
	f.Int(isa.Mov, isa.Count, isa.K(0))
	f.Bind(row)
	f.Load(8, isa.T0, isa.AtX(isa.Frame, isa.Count, 8, int(f.Slot(f.chosen[0].slot).Disp)))
	f.copyChosen(0)
	f.nextRows(1)
	f.Int(isa.Add, isa.Count, isa.K(1))
	f.Branch(isa.LT, isa.Count, isa.Word(frame.Counter), row)
	f.Jump(tail)
	f.Bind(done)
}

// masksRows reports whether a loop that copies rows of so many bytes has one move under a mask for each, in place of several: the tail
// mask has the lanes of a row, where no index selects rows. Stores under masks that miss the second level take half as long again, and
// most vectors of a whole line cross lines.
func (f *phaseCode) masksRows(bytes int) bool {
	return f.Predicates > 0 && f.Layout.Cached && len(f.chosen) == 0 && bytes <= widestRow && f.Layout.Laid < f.W && bytes == f.rowBytes() && bits.OnesCount(uint(bytes)) > 1 && f.Phase.Sites[f.moved[0].To].Type != dtype.Bool
}

// copyRows emits the copies of some rows of an iteration. If packed is not 0, one store has so many of them. Offsets that an index selects go
// from their vector to general registers where the target blends: the processors of the others forward a store of the vector to loads.
func (f *phaseCode) copyRows(rows, bytes, packed int) {
	switch {
	case packed > 0:
		for r := 0; r < rows; r += packed {
			p := f.packOf(r)
			f.Lanes.(isa.Packer).PackRows(f.rowAddress(p.to, r), p.bytes, p.loads, f.Phase.Sites[p.to].Type == dtype.Bool)
			f.EndStep()
		}
	case len(f.chosen) == 0:
		for r := range rows {
			f.copyRow(r, bytes)
		}
	case f.Layout.Blends:
		f.eachChosen(func(c *chosen) {
			for r := range rows {
				f.Within(func() { f.Lanes.OffsetLane(isa.T0, f.Src(c.off), r) })
				f.copyChosen(r)
			}
		})
	default:
		f.chosenOffsets()
		for r := range rows {
			f.Int(isa.Mov, isa.T0, isa.Word(int(f.Slot(f.chosen[0].slot).Disp)+8*r))
			f.copyChosen(r)
		}
	}
}

// copyRow emits the copy of so many bytes of a row of the iteration for each move. Those of neighbours are copied together.
func (f *phaseCode) copyRow(row, bytes int) {
	for i := 0; i < len(f.moved); {
		m := f.moved[i]
		from, to, n := f.rowAddress(m.From, row), f.rowAddress(m.To, row), bytes
		for i++; i < len(f.moved) && !f.rowMask && f.rowAddress(f.moved[i].From, row) == from.Plus(n) && f.rowAddress(f.moved[i].To, row) == to.Plus(n); i++ {
			n += bytes
		}
		f.copyFrom(m.To, row, from, n)
	}
}

// copyChosen emits the copy of a row that an index selects. T0 has its offset.
func (f *phaseCode) copyChosen(row int) {
	i := f.moved[0].From
	s := &f.Layout.Sites[i]
	f.copyFrom(f.moved[0].To, row, isa.AtX(f.LaidAddress(s, i).Base, isa.T0, s.Size, row*f.Layout.LaidRow(s)*s.Size), f.rowBytes())
}

// copyFrom emits the copy of so many bytes from an address to a row of a site in the iteration.
func (f *phaseCode) copyFrom(to int32, row int, from isa.Mem, bytes int) {
	f.Masked = f.rowMask
	f.Lanes.CopyBytes(f.rowAddress(to, row), from, bytes, f.Phase.Sites[to].Type == dtype.Bool)
	f.Masked = false
	f.EndStep()
}

// rowAddress returns the address of a row of the iteration.
func (f *phaseCode) rowAddress(i int32, row int) isa.Mem {
	s := &f.Layout.Sites[i]
	f.Copy = 0
	m := f.LaidAddress(s, i)
	if s.Kind == layout.Unit {
		m = f.Address(s, i)
	}
	return m.Plus(row * f.rowStep(i))
}
