package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// findTransposed gives scratch memory to the sites of a seq loop whose blocks are transposed.
func (f *phaseCode) findTransposed() {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind == layout.Transposed {
			t := isa.TransposedSite{Site: s, ID: int32(i), Store: f.Phase.Sites[i].Store}
			slots := f.W
			if t.Store { // a block and the steps after it: see lastSteps
				slots = 2 * f.W
			}
			t.Slot = f.Slots.TakeRow(slots)
			f.transposedSites = append(f.transposedSites, t)
		}
	}
}

// transposedGroups emits loops over groups of vectors of columns for a loop that combines. The last vector overlaps the one
// before, unless the call goes on with the rows of another: then it would add rows twice to the results of the lanes that both
// have. It jumps to few for these last columns, and if the columns are fewer than a vector has lanes, and else to done.
func (f *phaseCode) transposedGroups(accs []columnAcc, few, done isa.Label) {
	one, last := f.NewLabel(), f.NewLabel()
	if f.transposedAtOnce > 1 {
		f.columnGroups(accs, f.transposedAtOnce, one)
	}
	f.Bind(one)
	f.columnGroups(accs, 1, last)
	f.Bind(last)
	f.Branch(isa.GE, isa.Lane, isa.Word(f.Phase.Lanes), done)
	f.Branch(isa.LT, isa.Word(f.Phase.Lanes), isa.K(f.W), few)
	f.Branch(isa.NE, isa.Word(frame.First), isa.K(0), few)
	f.Int(isa.Mov, isa.Lane, isa.Word(f.Phase.Lanes))
	f.Int(isa.Sub, isa.Lane, isa.K(f.W))
	f.Jump(one)
}

// transposedTogether emits the loop over several vectors of columns at once, for a loop that carries values. It ends at once
// if the steps of a call fill no part.
func (f *phaseCode) transposedTogether(accs []columnAcc) {
	if f.transposedAtOnce <= 1 {
		return
	}
	one := f.NewLabel()
	f.Branch(isa.LT, isa.Word(frame.Rows), isa.K(f.partSteps()), one)
	f.columnGroups(accs, f.transposedAtOnce, one)
	f.Bind(one)
}

// transposedRows emits the loop down Count rows of a group of vectors of lanes, block by block: whole blocks of W
// steps, which are emitted without a loop if they are short, and the rest.
func (f *phaseCode) transposedRows(accs []columnAcc, group int) {
	f.Int(isa.Mov, isa.Word(frame.Left), isa.Count)
	rest, done := f.NewLabel(), f.NewLabel()
	if f.wholeBlocks() {
		switch {
		case f.heldTransposed && f.combines: // the first run has a part, and each other one has steps before it
			f.swapRuns()
			f.heldRows(accs, group, done)
			f.Bind(done)
			return
		case f.heldTransposed:
			f.Branch(isa.LT, isa.Count, isa.K(f.partSteps()), rest)
			f.heldRows(accs, group, done)
		default:
			f.blockRows(accs, done, rest)
		}
		f.Bind(rest)
	}
	blocks := f.NewLabel()
	f.Bind(blocks)
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Left))
	f.Int(isa.Mov, isa.T1, isa.K(f.W))
	f.Int(isa.Min, isa.T0, isa.T1)
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.T0)
	f.transpose(false)
	f.aimTransposed()
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Steps))
	f.rows(accs, 1)
	f.transpose(true)
	for i := range f.transposedSites {
		t := &f.transposedSites[i]
		f.Int(isa.Mov, isa.T0, isa.Word(frame.Steps))
		f.Int(isa.Mul, isa.T0, isa.Word(t.Arg+frame.SiteRow))
		f.Int(isa.Add, isa.Word(t.Arg+frame.SiteArray), isa.T0)
	}
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Steps))
	f.Int(isa.Sub, isa.Word(frame.Left), isa.T0)
	f.BranchResult(isa.NE, blocks)
	f.Bind(done)
}

// swapRuns sets the bytes from the steps of the first eight rows to those of the others. Where the first-level cache does not hold a line of
// each row, the others go through a pair of runs in the other order: their lines are in other sets, and the sum of the pair is the same. A call
// begins with a pair; a run without another one is not swapped.
func (f *phaseCode) swapRuns() {
	t := &f.transposedSites[0]
	if !t.Swaps {
		return
	}
	pair, alone := ir.Run*t.RowBytes(), f.NewLabel()
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Counter))
	f.Int(isa.And, isa.T0, isa.K(1))
	f.Int(isa.Mov, isa.T1, isa.T0)
	f.Int(isa.Mul, isa.T1, isa.K(ir.Run))
	f.Int(isa.Add, isa.T1, isa.Word(frame.Going)) // the rows from the first run of a pair on
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.K(0))
	f.Branch(isa.LT, isa.T1, isa.K(2*ir.Run), alone)
	f.Int(isa.Mul, isa.T0, isa.K(-2*pair))
	f.Int(isa.Add, isa.T0, isa.K(pair))
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.T0)
	f.Bind(alone)
}

// blockRows emits the loop over whole blocks of steps, and the last steps. It jumps to done after
// these, and to rest if there is no whole block.
func (f *phaseCode) blockRows(accs []columnAcc, done, rest isa.Label) {
	blocks := f.NewLabel()
	f.Branch(isa.LT, isa.Count, isa.K(f.W), rest)
	f.Bind(blocks)
	f.eachTransposed(false, func(t *isa.TransposedSite) { f.TransposeBlock(f.target, t, isa.Frame) })
	f.aimTransposed()
	f.wholeBlock(accs)
	f.eachTransposed(true, func(t *isa.TransposedSite) { f.TransposeBlock(f.target, t, isa.Frame) })
	f.nextBlock(f.W, false)
	f.Branch(isa.GE, isa.Word(frame.Left), isa.K(f.W), blocks)
	f.Branch(isa.EQ, isa.Word(frame.Left), isa.K(0), done)
	f.lastSteps(accs) // scratch memory has the block
	f.Jump(done)
}

// nextBlock steps the addresses of the transposed sites over a block of steps. Those in registers are addresses of the arrays
// if the block is held in registers, and else of scratch memory.
func (f *phaseCode) nextBlock(steps int, held bool) {
	for i := range f.transposedSites {
		t := &f.transposedSites[i]
		to := isa.Word(t.Arg + frame.SiteArray)
		if r := f.SiteReg[t.ID]; held && r >= 0 {
			to = isa.SiteReg(int(r))
		}
		f.Int(isa.Add, to, isa.K(steps*t.Step*t.Size))
	}
	f.Int(isa.Sub, isa.Word(frame.Left), isa.K(steps))
}

// wholeBlocks reports whether a block of W steps of all lanes is transposed by itself: if it has 16 bytes
// of each lane.
func (f *phaseCode) wholeBlocks() bool {
	return !f.Masked && f.transposedLeast() <= f.W
}

// transposedLeast returns the fewest steps that have 16 bytes of each lane, at all transposed sites.
func (f *phaseCode) transposedLeast() (steps int) {
	for i := range f.transposedSites {
		steps = max(steps, 16/f.transposedSites[i].Size)
	}
	return steps
}

// aimTransposed sets the addresses of the transposed sites to the first step of a block.
func (f *phaseCode) aimTransposed() {
	for i := range f.transposedSites {
		f.aimTransposedSite(&f.transposedSites[i], f.Scratch(&f.transposedSites[i], 0))
	}
}

// aimTransposedSite sets the address of a transposed site to memory.
func (f *phaseCode) aimTransposedSite(t *isa.TransposedSite, m isa.Mem) {
	if at := f.SiteReg[t.ID]; at >= 0 {
		f.Asm.Address(isa.SiteReg(int(at)), m)
		return
	}
	f.Asm.Address(isa.T0, m)
	f.Int(isa.Mov, isa.Word(t.Arg+frame.SiteCur), isa.T0)
}

// wholeBlock emits the steps of a whole block, without a loop if they are short.
func (f *phaseCode) wholeBlock(accs []columnAcc) {
	if f.Phase.Leaves || f.W*len(f.top) > wholeNodes {
		f.Int(isa.Mov, isa.Count, isa.K(f.W))
		f.rows(accs, 1)
		return
	}
	for f.Step = range f.W {
		f.row(accs, 1)
		f.nextColumns(false)
	}
	f.Step = 0
}

// findHeld lets registers hold parts of all transposed sites, if they suffice. v and states are the vectors of a
// step, and of the states and accumulators. It returns the registers of the parts. A load gives those of its
// steps to its node, and a store takes one for each step. The last part may have results of the part before.
func (f *phaseCode) findHeld(v, states int) (vectors int) {
	if len(f.transposedSites) == 0 || !f.Blends || f.Phase.Leaves || f.LaneSize > 0 {
		return 0
	}
	n, loads, stores := f.partSteps(), 0, 0
	for i := range f.transposedSites {
		t := &f.transposedSites[i]
		nodes := lists.Count(f.top, func(id int32) bool { return f.transposedSite(id) == t })
		fits := t.Size*f.W == 2*layout.PartBytes || t.Size*n == layout.PartBytes || n == 8
		if nodes != 1 || !fits || n == 8 && t.Store || n*len(f.top) > wholeNodes {
			return 0
		}
		if t.Store {
			stores++
		} else {
			loads++
		}
	}
	vectors = 1 + n*max(loads, stores) + (n-1)*stores
	all := vectors + states + max(v+f.otherTemporaries(), f.mostOfNode(f.top, true))
	if f.heldTransposed = all <= f.Vectors; !f.heldTransposed {
		return 0
	}
	// The steps of a vector are a chain: those of others fill the time between them.
	if (f.combines || len(f.Phase.Reds) == 0) && !slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool {
		return s.Kind != layout.Transposed && (s.Staged || bound.StepOf(s.Seq) != 0)
	}) {
		most := mostTransposed
		rows := f.W
		if !f.combines { // stores of more rows take as long as the chain
			most, rows = 2, f.W*len(f.transposedSites)
		}
		// The first-level cache holds a line of each row. A scan has lines of each array that it loads or stores.
		for i := 0; (f.combines || f.Tails) && i < len(f.transposedSites); i++ {
			most = min(most, max(f.transposedSites[i].RowsInReach()/rows, 1))
		}
		for f.transposedAtOnce = 1; f.transposedAtOnce < most && all+(2*f.transposedAtOnce-1)*states <= f.Vectors; f.transposedAtOnce *= 2 {
		}
		vectors += (f.transposedAtOnce - 1) * states
		f.findSwaps()
	}
	return vectors
}

// findSwaps lets half of the rows go through pairs of runs in the other order, if a vector has more rows than are in reach.
func (f *phaseCode) findSwaps() {
	by := f.transposedSites[0].RowBytes()
	far := func(t isa.TransposedSite) bool { return t.RowsInReach() < f.W }
	other := func(t isa.TransposedSite) bool { return t.RowBytes() != by }
	fixed := func(r lower.Red) bool { return !r.Kern.Ordered || r.Prog != nil } // it has no runs, or its values may not change places
	if f.combines && slices.ContainsFunc(f.transposedSites, far) && !slices.ContainsFunc(f.transposedSites, other) && !slices.ContainsFunc(f.Phase.Reds, fixed) {
		for i := range f.transposedSites {
			f.transposedSites[i].Swaps = true
		}
	}
}

// mostTransposed is the most vectors of lanes whose parts are transposed one after the other.
const mostTransposed = 4

// partSteps returns the steps of a part of a row: those of 16 bytes of the smallest elements, or of 32 bytes for elements
// of 8 bytes of long rows, and for vectors of 64 bytes. These take half as many loads or stores, but permutes between the
// halves, and more steps of a short row are repeated.
func (f *phaseCode) partSteps() int {
	has := func(size int) bool {
		return slices.ContainsFunc(f.transposedSites, func(t isa.TransposedSite) bool { return t.Size == size })
	}
	switch {
	case f.Layout.Each == 0 && (f.W == 16 || has(2)):
		return 8
	case f.Layout.Each > 0 && !has(4) && !has(2):
		return 2
	}
	return 4
}

// otherTemporaries returns the most temporaries of a node that is not transposed in registers.
func (f *phaseCode) otherTemporaries() int {
	if f.Temporaries == nil {
		return spareRegs
	}
	most := 1
	for _, id := range f.top {
		if n := &f.Nodes[id]; f.transposedSite(id) == nil {
			most = max(most, f.Temporaries(&f.Emitter, n))
		}
	}
	return most
}

// mostOfNode returns the most registers that the code of a node takes at once beside those of carries and, if held is set, of transposed
// sites: those of its operands, its result and its temporaries.
func (f *phaseCode) mostOfNode(list []int32, held bool) (most int) {
	others := func(id int32) bool { return id != lower.None && !f.IsMask(id) && !f.Uniform[id] }
	for _, id := range list {
		n, own := &f.Nodes[id], spareRegs
		if held && f.transposedSite(id) != nil {
			continue
		}
		if n.Op == ir.Cold {
			most = max(most, f.mostOfNode(n.Body, held))
		}
		if f.Temporaries != nil {
			own = f.Temporaries(&f.Emitter, n)
		}
		own += int(frame.Bit(n.HasResult() && others(id)))
		for i, a := range n.Args {
			kept := slices.ContainsFunc(f.carries, func(c carried) bool { return c.Load == a && c.early }) || slices.Contains(n.Args[:i], a)
			own += int(frame.Bit(others(a) && !kept && !(held && f.transposedSite(a) != nil)))
		}
		most = max(most, own)
	}
	return most
}

// transposedSite returns the transposed site that a node loads or stores, or nil.
func (f *phaseCode) transposedSite(id int32) *isa.TransposedSite {
	n := &f.Nodes[id]
	if n.Op != ir.Load && n.Op != ir.Store {
		return nil
	}
	i := slices.IndexFunc(f.transposedSites, func(t isa.TransposedSite) bool { return t.ID == n.Aux })
	if i < 0 {
		return nil
	}
	return &f.transposedSites[i]
}

// heldSteps is the steps between two tests of the loop over the parts of rows.
const heldSteps = 8

// heldRows emits the loop down the rows of a group of vectors of lanes, part by part in registers. It jumps to done
// after the last step.
func (f *phaseCode) heldRows(accs []columnAcc, group int, done isa.Label) {
	n := f.partSteps()
	before := f.Vecs.Free
	vec := f.Vecs.TakeTop()
	free := f.Vecs.Free
	parts := func(first, end, before int) {
		for f.Base = range group {
			for at := first; at < end; at += n {
				f.partVec, f.Vecs.Free = vec, free // no register has a value from part to part
				f.heldPart(accs, at, before)
			}
		}
		f.Base = 0
	}
	many := heldSteps
	if f.combines { // all of a line is used at once: see [layout.Site.RowsInReach]
		many = layout.LineBytes / f.transposedSites[0].Size
	}
	for _, steps := range [...]int{many, n} {
		loop, end := f.NewLabel(), f.NewLabel()
		f.Branch(isa.LT, isa.Word(frame.Left), isa.K(steps), end)
		f.Bind(loop)
		parts(0, steps, 0)
		f.nextBlock(steps, true)
		f.Branch(isa.GE, isa.Word(frame.Left), isa.K(steps), loop)
		f.Bind(end)
	}
	for left := 1; left < n; left++ {
		other := f.NewLabel()
		f.Branch(isa.NE, isa.Word(frame.Left), isa.K(left), other)
		parts(left-n, left, n-left)
		f.Jump(done)
		f.Bind(other)
	}
	f.Vecs.Free = before
	f.Jump(done)
}

// heldPart emits the steps of a part that begins with step first. The part before had the first steps of it:
// their elements are not used, and their results are loaded to be stored again.
func (f *phaseCode) heldPart(accs []columnAcc, first, before int) {
	n := f.partSteps()
	f.eachTransposed(true, func(t *isa.TransposedSite) {
		if t.First, t.Steps = first, make([]isa.Vec, 0, n); before > 0 {
			f.loadPart(t, first, 0)
			for _, r := range t.Steps[before:] {
				f.Vecs.Give(int8(r))
			}
			t.Steps = t.Steps[:before]
		}
	})
	f.eachTransposed(false, func(t *isa.TransposedSite) { f.loadPart(t, first, before) })
	for f.Step = first + before; f.Step < first+n; f.Step++ {
		f.row(accs, 1)
		f.nextColumns(false)
	}
	f.Step = 0
	f.eachTransposed(true, f.storePart)
	for i := range f.transposedSites {
		f.transposedSites[i].Steps = nil
	}
}

// loadPart loads the part of a site that begins with step first. No node uses the steps before.
func (f *phaseCode) loadPart(t *isa.TransposedSite, first, before int) {
	t.First, t.Steps = first, nil
	for range f.partSteps() {
		t.Steps = append(t.Steps, f.Vecs.TakeTop())
	}
	f.partVec = f.LoadPart(t, f.partVec)
	for _, r := range t.Steps[:before] {
		f.Vecs.Give(int8(r))
	}
}

// storePart stores the part of a site whose results are complete.
func (f *phaseCode) storePart(t *isa.TransposedSite) {
	f.partVec = f.StorePart(t, f.partVec)
	for _, r := range t.Steps {
		f.Vecs.Give(int8(r))
	}
}

// transposed emits a load or a store of a step of a block in registers. It returns false for other nodes.
func (f *phaseCode) transposed(id int32) bool {
	t := f.transposedSite(id)
	if t == nil || t.Steps == nil {
		return false
	}
	n := &f.Nodes[id]
	f.ID, f.Cur, f.Copy = id, n, 0
	if f.Released = !t.Store; t.Store {
		d, ok := f.Lend(n.Args[0])
		if !ok {
			d = f.Vecs.TakeTop()
			f.Lanes.CopyVec(f.Phase.Sites[t.ID].Type, d, f.Src(n.Args[0]))
		}
		t.Steps = append(t.Steps, d)
	} else {
		f.Reuse(t.Steps[f.Step+f.AtRow-t.First])
	}
	f.End()
	return true
}

// lastSteps emits the steps that are left after whole blocks. The block that ends with them is
// transposed: its loads repeat elements that no step uses, and its stores the results of steps before,
// which the scratch memory still has.
func (f *phaseCode) lastSteps(accs []columnAcc) {
	for i := range f.transposedSites {
		t := &f.transposedSites[i]
		f.Int(isa.Mov, isa.T0, isa.Word(frame.Left))
		f.Int(isa.Sub, isa.T0, isa.K(f.W))
		f.Int(isa.Mul, isa.T0, isa.K(t.Step*t.Size))
		f.Int(isa.Add, isa.Word(t.Arg+frame.SiteArray), isa.T0)
	}
	f.eachTransposed(false, func(t *isa.TransposedSite) { f.TransposeBlock(f.target, t, isa.Frame) })
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Left))
	for i := range f.transposedSites {
		t := &f.transposedSites[i]
		first := f.Scratch(t, f.W)
		if !t.Store { // the last steps of the block
			f.Int(isa.Mov, isa.T0, isa.Count)
			f.Int(isa.Mul, isa.T0, isa.K(-isa.TransposePitch))
			first.Index, first.Scale = isa.T0, 1
		}
		f.aimTransposedSite(t, first)
	}
	f.rows(accs, 1)
	f.Int(isa.Mov, isa.T2, isa.Word(frame.Left))
	f.Int(isa.Mul, isa.T2, isa.K(isa.TransposePitch))
	f.Int(isa.Add, isa.T2, isa.Frame)
	f.eachTransposed(true, func(t *isa.TransposedSite) { f.TransposeBlock(f.target, t, isa.T2) })
}

// eachTransposed calls do with the transposed sites that are loads, or those that are stores.
func (f *phaseCode) eachTransposed(store bool, do func(t *isa.TransposedSite)) {
	for i := range f.transposedSites {
		if t := &f.transposedSites[i]; t.Store == store {
			do(t)
		}
	}
}

// transpose emits the transposition of fewer steps of a block, or of the last lanes, of all loads or of all stores.
func (f *phaseCode) transpose(store bool) {
	part, done := f.NewLabel(), f.NewLabel()
	if f.wholeBlocks() {
		f.Branch(isa.LT, isa.Word(frame.Steps), isa.K(f.transposedLeast()), part)
		f.eachTransposed(store, func(t *isa.TransposedSite) { f.TransposeSteps(f.target, t) })
		f.Jump(done)
	}
	f.Bind(part)
	kept := func(move func(r isa.Reg, word isa.Int)) {
		f.eachRowSite(func(s *layout.Site, at int8) {
			if at >= 0 && s.Kind != layout.Transposed {
				move(isa.SiteReg(int(at)), isa.Word(s.Arg+frame.SiteCur))
			}
		})
	}
	kept(func(r isa.Reg, word isa.Int) { f.Int(isa.Mov, word, r) })
	f.eachTransposed(store, func(t *isa.TransposedSite) { f.TransposePart(f.target, t) })
	kept(func(r isa.Reg, word isa.Int) { f.Int(isa.Mov, r, word) })
	f.Bind(done)
}
