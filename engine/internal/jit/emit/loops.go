package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// scalarBody emits a scalar phase: one lane of a masked body.
func (f *phaseCode) scalarBody() {
	if f.copyCells() {
		return
	}
	f.once = true
	f.prologue()
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	onlyCells := func(id int32) bool { op := f.Nodes[id].Op; return op < prim.NumOps || op == lower.OpExport }
	if !f.chained || slices.ContainsFunc(f.top, func(id int32) bool { return !onlyCells(id) }) {
		f.Int(isa.Mov, isa.T1, isa.K(1))
		f.Masked, f.Tail = true, 1
		f.Lanes.SetTail()
	}
	f.Start(1)
	f.body(f.top)
	f.Tail = 0
}

// pinSites keeps the addresses of sites in registers, as many as the target has.
func (f *phaseCode) pinSites() {
	next := 0
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		ok := s.Kind == layout.Unit || s.Kind == layout.Scratch && !f.carriesSite(s) || s.Kind == layout.Transposed || s.Kind == layout.Laid
		if f.Phase.Kind == lower.SeqPhase {
			ok = ok || s.Kind == layout.Uniform && !f.isUniformSite(int32(i)) || s.Kind == layout.Strided
		}
		ok = ok || f.rowsHeld && s.Kind == layout.Uniform && s.Row != 0 && s.Affine()
		ok = ok || f.Layout.Blends && f.Phase.Kind == lower.MapPhase && s.Kind == layout.Strided
		if ok && s.Near > 0 && f.SiteReg[s.Near-1] >= 0 {
			f.SiteReg[i], f.SiteApart[i] = f.SiteReg[s.Near-1], s.Apart
			continue
		}
		if ok && next < f.Sites {
			f.SiteReg[i] = int8(next)
			next++
		}
	}
}

// loadSites loads the addresses of sites that have registers.
func (f *phaseCode) loadSites() {
	if !f.rowsHeld && f.begins == nil {
		f.pinSites()
	}
	for i, r := range f.SiteReg {
		switch s := &f.Layout.Sites[i]; {
		case r < 0 || s.Near > 0 || f.begins != nil && f.begins[i] == r:
		case f.begins != nil && f.begins[i] >= 0:
			f.Int(isa.Mov, isa.SiteReg(int(r)), isa.SiteReg(int(f.begins[i])))
		case !f.rowsHeld || s.Origin != frame.SitePtr:
			f.Int(isa.Mov, isa.SiteReg(int(r)), isa.Word(s.Arg+s.Origin))
		}
	}
}

// elementLoop emits a loop without reductions: groups of vectors, single vectors,
// and a masked vector for the rest. If stores need aligned addresses, masked
// vectors also come first: see alignStores. A loop that may compute lanes twice has whole
// vectors in place of the masked ones, if its lanes fill one.
func (f *phaseCode) elementLoop(group int) {
	main, single, tail, masked, done := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	lanes := f.lanes
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.moveBytes(done)
	again := tail
	align := f.NewLabel()
	f.Bind(align)
	var one isa.Label // the loop of single vectors
	twice := f.Layout.Repeats && !f.Stream && len(f.top) <= longBody
	if (f.Stream || f.Rows && f.deepCopies() == 1 || twice && f.Layout.Apart() && f.fewLoads()) && f.alignStores(main, masked, twice) {
		again = main
		if f.Stream { // the first line may take several masked vectors
			again = align
		}
	}
	f.Bind(main)
	if f.Fetch && group > 1 && f.share.bit == 0 && f.inHalves() {
		f.part("main loop: %d vectors at once, half of them in the second half of the elements", group)
		f.halves(group, single)
	} else {
		if f.unroll > 0 {
			f.part("main loop: %d vectors one after the other", f.unroll)
		} else {
			f.part("main loop: %d vectors at once", group)
		}
		one = f.sharedVectors(group, single)
	}
	f.Bind(single)
	if max(group, f.unroll) > 1 && len(f.top) <= longBody {
		f.part("single vectors")
		f.Part64 = true
		one = f.vectors(1, tail)
		f.Part64 = false
	}
	if f.firstPart > 0 {
		f.part("%d vectors at once", f.alone)
		f.vectors(f.alone, tail)
	}
	f.part("tail: vectors under a mask, up to the last element")
	f.Bind(tail)
	f.Int(isa.Mov, isa.T1, lanes)
	f.Int(isa.Sub, isa.T1, isa.Lane)
	f.BranchResult(isa.LE, done)
	if twice && (f.Predicates == 0 || f.Rows || !f.Layout.Apart()) { // a row after the other takes longer under masks, and some loads go lane by lane
		f.Branch(isa.LT, lanes, isa.K(f.W), masked)
		f.Int(isa.Mov, isa.Lane, lanes)
		f.Int(isa.Sub, isa.Lane, isa.K(f.W))
		f.Jump(one)
	}
	f.Bind(masked) // T1: lanes left
	f.tail()
	f.Int(isa.Add, isa.Lane, isa.Word(frame.Counter))
	f.Branch(isa.LT, isa.Lane, lanes, again)
	f.Bind(done)
}

// leastMoved is the fewest bytes of a row that one instruction moves in less time than vectors, as it takes long to start.
const leastMoved = 2048

// moveBytes emits this instruction for rows of at least so many bytes, and a jump to done, if the loop copies bytes.
func (f *phaseCode) moveBytes(done isa.Label) {
	m, ok := f.Asm.(isa.Mover)
	if !ok || !f.Layout.Bytes || f.Stream {
		return
	}
	size, few := f.Layout.Widest(), f.NewLabel()
	f.part("rows of at least %d bytes", leastMoved)
	f.Branch(isa.LT, f.lanes, isa.K(leastMoved/size), few)
	f.Start(1)
	for _, id := range f.top {
		n := &f.Nodes[id]
		to := isa.Reg(isa.T0)
		if n.Op == ir.Store {
			to = isa.T2
		}
		f.Asm.Address(to, f.Address(&f.Layout.Sites[n.Aux], n.Aux))
	}
	f.Int(isa.Mov, isa.T1, f.lanes)
	f.Int(isa.Mul, isa.T1, isa.K(size))
	m.MoveBytes()
	f.Jump(done)
	f.Bind(few)
}

// tail emits a vector under a mask: the first of its lanes, of which T1 is the number. It
// leaves the number of lanes in the counter of the frame.
func (f *phaseCode) tail() {
	f.Int(isa.Mov, isa.T0, isa.K(f.W))
	f.Int(isa.Min, isa.T1, isa.T0)
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T1)
	f.maskedBody(0)
}

// knownTail emits a vector of which so many lanes are left, which are fewer than it has. All rows of an iteration have the mask that the
// first one sets, or the code before the loop.
func (f *phaseCode) knownTail(lanes int) {
	if f.AtRow == 0 && !f.tailKept {
		f.setTail(lanes)
	}
	f.underMask(lanes)
}

// setTail makes the mask for so many lanes.
func (f *phaseCode) setTail(lanes int) {
	f.Int(isa.Mov, isa.T1, isa.K(lanes))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T1)
	f.Tail = lanes
	f.Lanes.SetTail()
	f.Tail = 0
}

// maskedBody emits the nodes for the first lanes of a vector. The number is in T1; if it is known, it is given too, else 0.
func (f *phaseCode) maskedBody(lanes int) {
	f.Tail = lanes
	f.Lanes.SetTail()
	f.underMask(lanes)
}

// underMask is maskedBody with the mask that is there.
func (f *phaseCode) underMask(lanes int) {
	f.Masked, f.Tail = true, lanes
	f.Start(1)
	f.body(f.top)
	f.Masked, f.Tail = false, 0
}

// maskedVector emits a vector from the lane at hand up to the last of so many lanes, under a
// mask. It jumps to done if there is no such lane.
func (f *phaseCode) maskedVector(lanes isa.Int, done isa.Label, vector func()) {
	f.Int(isa.Mov, isa.T1, lanes)
	if f.Base > 0 {
		f.Int(isa.Sub, isa.T1, isa.K(f.Base*f.W))
	}
	f.Int(isa.Sub, isa.T1, isa.Lane)
	f.BranchResult(isa.LE, done)
	f.Lanes.SetTail()
	f.Masked = true
	vector()
	f.Masked = false
}

// vectors emits a loop over whole groups of vectors, and returns its label. It jumps to end if
// too few lanes are left for one iteration. If stores bypass the caches, an iteration
// stores whole lines, and may have several groups.
func (f *phaseCode) vectors(group int, end isa.Label) (loop isa.Label) {
	unroll := group
	if !f.Part64 {
		unroll = max(group, f.unroll)
	}
	if f.Stream && !f.Part64 {
		unroll = max(unroll, layout.LineBytes/(f.W*f.Layout.Widest()))
	}
	step := unroll * f.W
	last := f.lastStart(step)
	f.branchFull(isa.GT, step, last, end)
	loop = f.NewLabel()
	f.Align(32)
	f.Bind(loop)
	f.ahead(isa.Lane, step)
	f.aheadOfStores(step)
	for f.Base = 0; f.Base < unroll; f.Base += group {
		f.Start(group)
		f.body(f.top)
	}
	f.Base = 0
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.branchFull(isa.LE, step, last, loop)
	return loop
}

// lastStart returns the last lane from which step lanes are left, in a register if one is free, or the number of lanes.
func (f *phaseCode) lastStart(step int) (last isa.Int) {
	r, ok := f.freeSite()
	if !ok {
		return f.lanes
	}
	f.Int(isa.Mov, r, f.lanes)
	f.Int(isa.Sub, r, isa.K(step))
	return r
}

// branchFull emits a jump that compares the lane at hand with the result of lastStart.
func (f *phaseCode) branchFull(cond isa.Cond, step int, last isa.Int, to isa.Label) {
	at := isa.Int(isa.Lane)
	if last == f.lanes {
		f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
		at = isa.Int(isa.T0)
	}
	f.Branch(cond, at, last, to)
}

// sharedVectors is vectors for groups that share values, if some do.
func (f *phaseCode) sharedVectors(group int, end isa.Label) (loop isa.Label) {
	if f.share.bit > 0 {
		s := &f.Layout.Sites[f.share.site]
		f.Int(isa.Mov, isa.T0, isa.Word(s.Arg+f.Pointer(s)))
		f.Int(isa.Add, isa.T0, isa.Lane)
		f.Int(isa.And, isa.T0, isa.K(int(2*f.share.bit-1)))
		f.BranchResult(isa.NE, end)
		f.Pair = int(f.share.bit) / f.W
		if f.Vectors <= 16 {
			f.Batch = f.span()
		}
		defer func() { f.Pair, f.Batch = 0, 0 }()
	}
	return f.vectors(group, end)
}

// inHalves reports whether the loop of vectors for arrays in memory goes over both halves at once. With
// AVX2 a stencil, which reads lines again that other sites have read, took 1.3 times as long so.
func (f *phaseCode) inHalves() bool {
	return f.Layout.Apart() && (f.Facts.Bytes > 32 || !slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool { return s.Trails }))
}

// halves emits the loop of vectors for arrays in memory, with reductions in any order. Half of a group is in the
// first half of the lanes, half in the second. The processor limits its prefetches
// for each page and each stream of addresses; two streams allow twice as many. A
// half is whole groups and whole lines. vectors(1) and the tail do the lanes after
// the second half. Every site must be contiguous or uniform: see apart.
func (f *phaseCode) halves(group int, end isa.Label) {
	f.Half = group / 2
	step := f.Half * f.W
	f.Int(isa.Mov, isa.T0, f.lanes)
	f.Int(isa.Sub, isa.T0, isa.Lane)
	f.Int(isa.Shr, isa.T0, isa.K(1))
	f.Int(isa.And, isa.T0, isa.K(-max(step, layout.LineBytes/f.Layout.Widest())))
	f.BranchResult(isa.EQ, end)
	f.Asm.Address(isa.Count, isa.AtX(isa.Lane, isa.T0, 1, 0))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.Count)
	loop := f.NewLabel()
	f.Align(32)
	f.Bind(loop)
	f.ahead(isa.Lane, step)
	f.ahead(isa.Count, step)
	f.Start(group)
	f.body(f.top)
	f.accumulate()
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Int(isa.Add, isa.Count, isa.K(step))
	f.Branch(isa.LT, isa.Lane, isa.Word(frame.Counter), loop)
	f.Int(isa.Mov, isa.Lane, isa.Count)
	f.Half = 0
}

// ahead emits the prefetches of an iteration of lanes lanes from index: the lines
// that the loop loads some iterations later.
func (f *phaseCode) ahead(index isa.Reg, lanes int) {
	if !f.Fetch || f.Ahead == 0 {
		return
	}
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		step := s.Size
		if s.Kind == layout.Strided {
			step *= s.Step
		}
		if s.Kind != layout.Unit && s.Kind != layout.Strided || step <= 0 || f.Phase.Sites[i].Store || s.Trails || s.Near > 0 && s.Apart == 0 {
			continue
		}
		base, first := isa.T1, f.Ahead
		if r := f.SiteReg[i]; r >= 0 {
			base, first = isa.SiteReg(int(r)), first+f.SiteApart[i]
		} else {
			f.Int(isa.Mov, base, isa.Word(s.Arg+s.Origin))
		}
		at, scale := index, step
		if step > 8 || step&(step-1) != 0 {
			f.Int(isa.Mov, isa.T0, index)
			f.Int(isa.Mul, isa.T0, isa.K(step))
			at, scale = isa.T0, 1
		}
		for by := 0; by < lanes*step; by += layout.LineBytes {
			f.Prefetch(isa.AtX(base, at, scale, first+by))
		}
	}
}

// fewLoads reports whether a loop has no more loads than stores, so that aligned stores are worth unaligned loads.
func (f *phaseCode) fewLoads() bool {
	loads := 0
	for _, id := range f.top {
		switch f.Nodes[id].Op {
		case ir.Load:
			loads++
		case ir.Store:
			loads--
		}
	}
	return loads <= 0
}

// alignStores emits a jump to the masked vector for the lanes before the first
// aligned store, or a whole vector with these lanes if the loop may compute lanes twice.
// Stores are aligned to a vector, or to a line if they bypass the caches. It reports whether
// the loop has a store to align.
func (f *phaseCode) alignStores(main, masked isa.Label, twice bool) bool {
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		if f.Stream && !f.Passes(int32(i)) || !f.Phase.Sites[i].Store || s.Kind != layout.Unit || s.Size != f.Layout.Widest() {
			continue
		}
		to := f.W * s.Size
		if f.Stream {
			to = layout.LineBytes
		} else {
			least := alignedLanes
			if !f.Rows {
				least = alignedVectors * f.W
			}
			f.Branch(isa.LT, f.lanes, isa.K(least), main)
		}
		base, apart := isa.T1, 0
		if r := f.SiteReg[i]; f.rowsHeld && r >= 0 {
			base, apart = isa.SiteReg(int(r)), f.SiteApart[i]
		} else {
			f.Int(isa.Mov, isa.T1, isa.Word(s.Arg+s.Origin))
		}
		f.Asm.Address(isa.T1, isa.AtX(base, isa.Lane, s.Size, apart))
		f.Int(isa.Neg, isa.T1, isa.T1)
		f.Int(isa.And, isa.T1, isa.K(to-1))
		if s.Size > 1 { // a branch waits long for a shift by 0
			f.Int(isa.Shr, isa.T1, isa.K(bits.TrailingZeros(uint(s.Size))))
		}
		f.BranchResult(isa.EQ, main)
		if twice {
			f.Int(isa.Mov, isa.Word(frame.Counter), isa.T1)
			f.Start(1)
			f.body(f.top)
			f.Int(isa.Mov, isa.Lane, isa.Word(frame.Counter))
			return true
		}
		f.Int(isa.Mov, isa.T0, f.lanes)
		f.Int(isa.Sub, isa.T0, isa.Lane)
		f.Int(isa.Min, isa.T1, isa.T0)
		f.Jump(masked)
		return true
	}
	return false
}

// alignedLanes is the fewest lanes of a row for which aligned stores are worth a masked vector before them, and alignedVectors
// the fewest vectors of a loop without rows for which they are worth a vector that overlaps others.
const (
	alignedLanes   = 64
	alignedVectors = 64
)

// longBody is the most nodes of a loop that is emitted again for single vectors.
// For a longer loop the tail does them, which saves code.
const longBody = 64
