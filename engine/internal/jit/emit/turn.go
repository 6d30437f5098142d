package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/ir"
)

// findTurns gives scratch memory to the sites of a seq loop whose blocks are turned.
func (f *phaseCode) findTurns() {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind == layout.Transposed {
			t := isa.Turn{Site: s, ID: int32(i), Store: f.Phase.Sites[i].Store}
			slots := f.W
			if t.Store { // a block and the steps after it: see lastSteps
				slots = 2 * f.W
			}
			t.Slot = f.Slots.TakeRow(slots)
			f.turns = append(f.turns, t)
		}
	}
}

// turnedRows emits the loop down the rows of a group of W lanes, block by block: whole blocks of W
// steps, which are emitted without a loop if they are short, and the rest.
func (f *phaseCode) turnedRows(accs []columnAcc) {
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Rows))
	f.Int(isa.Mov, isa.Word(frame.Left), isa.T0)
	rest, done := f.NewLabel(), f.NewLabel()
	if f.wholeBlocks() {
		blocks := f.NewLabel()
		f.Branch(isa.LT, isa.T0, isa.K(f.W), rest)
		f.Bind(blocks)
		if f.heldTurns {
			f.heldBlock(accs)
		} else {
			f.eachTurn(false, func(t *isa.Turn) { f.TurnBlock(f.target, t, isa.Frame) })
			f.aimTurns()
			f.wholeBlock(accs)
			f.eachTurn(true, func(t *isa.Turn) { f.TurnBlock(f.target, t, isa.Frame) })
		}
		for i := range f.turns {
			t := &f.turns[i]
			f.Int(isa.Add, isa.Word(t.Arg+frame.SiteArray), isa.K(f.W*t.Step*t.Size))
		}
		f.Int(isa.Sub, isa.Word(frame.Left), isa.K(f.W))
		f.Branch(isa.GE, isa.Word(frame.Left), isa.K(f.W), blocks)
		f.Branch(isa.EQ, isa.Word(frame.Left), isa.K(0), done)
		if !f.heldTurns { // scratch memory has the block
			f.lastSteps(accs)
			f.Jump(done)
		}
		f.Bind(rest)
	}
	blocks := f.NewLabel()
	f.Bind(blocks)
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Left))
	f.Int(isa.Mov, isa.T1, isa.K(f.W))
	f.Int(isa.Min, isa.T0, isa.T1)
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.T0)
	f.turn(false)
	f.aimTurns()
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Steps))
	f.rows(accs, 1)
	f.turn(true)
	for i := range f.turns {
		t := &f.turns[i]
		f.Int(isa.Mov, isa.T0, isa.Word(frame.Steps))
		f.Int(isa.Mul, isa.T0, isa.Word(t.Arg+frame.SiteRow))
		f.Int(isa.Add, isa.Word(t.Arg+frame.SiteArray), isa.T0)
	}
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Steps))
	f.Int(isa.Sub, isa.Word(frame.Left), isa.T0)
	f.BranchResult(isa.NE, blocks)
	f.Bind(done)
}

// wholeBlocks reports whether a block of W steps of all lanes is turned by itself: if it has 16 bytes
// of each lane.
func (f *phaseCode) wholeBlocks() bool {
	return !f.Masked && f.turnedLeast() <= f.W
}

// turnedLeast returns the fewest steps that have 16 bytes of each lane, at all turned sites.
func (f *phaseCode) turnedLeast() (steps int) {
	for i := range f.turns {
		steps = max(steps, 16/f.turns[i].Size)
	}
	return steps
}

// aimTurns sets the addresses of the turned sites to the first step of a block.
func (f *phaseCode) aimTurns() {
	for i := range f.turns {
		f.aimTurn(&f.turns[i], f.Scratch(&f.turns[i], 0))
	}
}

// aimTurn sets the address of a turned site to memory.
func (f *phaseCode) aimTurn(t *isa.Turn, m isa.Mem) {
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

// findHeld lets registers hold the blocks of all turned sites, if the target turns them there and has so
// many. v and states are the vectors of a step, and of the states and accumulators. It returns the
// registers of the blocks.
func (f *phaseCode) findHeld(v, states int) (vectors int) {
	if len(f.turns) == 0 || f.Turned == 0 || f.Phase.Leaves || f.W*len(f.top) > wholeNodes {
		return 0
	}
	for i := range f.turns {
		if vectors += f.W; f.turns[i].Size != f.Turned {
			return 0
		}
	}
	if f.heldTurns = vectors+v+states+f.turnTemporaries() <= f.Vectors; !f.heldTurns {
		return 0
	}
	return vectors
}

// turnTemporaries returns the most temporaries of a node that is not turned in registers.
func (f *phaseCode) turnTemporaries() int {
	most := 1
	for _, id := range f.top {
		if n := &f.Nodes[id]; f.turnOf(id) == nil && f.Temporaries != nil {
			most = max(most, f.Temporaries(&f.Emitter, n))
		}
	}
	return most
}

// turnOf returns the turned site that a node loads or stores, or nil.
func (f *phaseCode) turnOf(id int32) *isa.Turn {
	n := &f.Nodes[id]
	if n.Op != ir.Load && n.Op != ir.Store {
		return nil
	}
	i := slices.IndexFunc(f.turns, func(t isa.Turn) bool { return t.ID == n.Aux })
	if i < 0 {
		return nil
	}
	return &f.turns[i]
}

// heldBlock emits a whole block in registers.
func (f *phaseCode) heldBlock(accs []columnAcc) {
	free := f.Vecs.Free
	for i := range f.turns {
		for range f.W {
			f.turns[i].Steps = append(f.turns[i].Steps, f.Vecs.TakeTop())
		}
	}
	f.eachTurn(false, f.LoadTurned)
	f.wholeBlock(accs)
	f.eachTurn(true, f.StoreTurned)
	for i := range f.turns {
		f.turns[i].Steps = nil
	}
	f.Vecs.Free = free
}

// turned emits a load or a store of a step of a block in registers. It returns false for other nodes.
func (f *phaseCode) turned(id int32) bool {
	t := f.turnOf(id)
	if t == nil || t.Steps == nil {
		return false
	}
	n := &f.Nodes[id]
	f.ID, f.Cur, f.Copy = id, n, 0
	f.Released = !t.Store
	switch typ := f.Phase.Sites[t.ID].Type; {
	case t.Store && t.Turns:
		d := f.Vecs.TakeTop()
		f.Lanes.CopyVec(typ, d, f.Src(n.Args[0]))
		t.Steps = append(t.Steps, d)
	case t.Store:
		f.Lanes.CopyVec(typ, t.Steps[f.Step], f.Src(n.Args[0]))
	case t.Turns:
		f.Reuse(t.Steps[f.Step-t.First])
	default:
		f.Keep(id, t.Steps[f.Step])
	}
	f.End()
	return true
}

// lastSteps emits the steps that are left after whole blocks. The block that ends with them is
// turned: its loads repeat elements that no step uses, and its stores the results of steps before,
// which the scratch memory still has.
func (f *phaseCode) lastSteps(accs []columnAcc) {
	for i := range f.turns {
		t := &f.turns[i]
		f.Int(isa.Mov, isa.T0, isa.Word(frame.Left))
		f.Int(isa.Sub, isa.T0, isa.K(f.W))
		f.Int(isa.Mul, isa.T0, isa.K(t.Step*t.Size))
		f.Int(isa.Add, isa.Word(t.Arg+frame.SiteArray), isa.T0)
	}
	f.eachTurn(false, func(t *isa.Turn) { f.TurnBlock(f.target, t, isa.Frame) })
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Left))
	for i := range f.turns {
		t := &f.turns[i]
		first := f.Scratch(t, f.W)
		if !t.Store { // the last steps of the block
			f.Int(isa.Mov, isa.T0, isa.Count)
			f.Int(isa.Mul, isa.T0, isa.K(-isa.TurnPitch))
			first.Index, first.Scale = isa.T0, 1
		}
		f.aimTurn(t, first)
	}
	f.rows(accs, 1)
	f.Int(isa.Mov, isa.T2, isa.Word(frame.Left))
	f.Int(isa.Mul, isa.T2, isa.K(isa.TurnPitch))
	f.Int(isa.Add, isa.T2, isa.Frame)
	f.eachTurn(true, func(t *isa.Turn) { f.TurnBlock(f.target, t, isa.T2) })
}

// eachTurn calls do with the turned sites that are loads, or those that are stores.
func (f *phaseCode) eachTurn(store bool, do func(t *isa.Turn)) {
	for i := range f.turns {
		if t := &f.turns[i]; t.Store == store {
			do(t)
		}
	}
}

// turn emits the turn of fewer steps of a block, or of the last lanes, of all loads or of all stores.
func (f *phaseCode) turn(store bool) {
	part, done := f.NewLabel(), f.NewLabel()
	if f.wholeBlocks() {
		f.Branch(isa.LT, isa.Word(frame.Steps), isa.K(f.turnedLeast()), part)
		f.eachTurn(store, func(t *isa.Turn) { f.TurnSteps(f.target, t) })
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
	f.eachTurn(store, func(t *isa.Turn) { f.TurnPart(f.target, t) })
	kept(func(r isa.Reg, word isa.Int) { f.Int(isa.Mov, r, word) })
	f.Bind(done)
}
