package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// findTurns gives scratch memory to the sites of a seq loop whose blocks are turned.
func (f *phaseCode) findTurns() {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind == layout.Transposed {
			f.turns = append(f.turns, isa.Turn{Site: s, ID: int32(i), Slot: f.Slots.TakeRow(f.W), Store: f.Phase.Sites[i].Store})
		}
	}
}

// turnedRows emits the loop down the rows of a group of W lanes, block by block.
func (f *phaseCode) turnedRows(rows func()) {
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Rows))
	f.Int(isa.Mov, isa.Word(frame.Left), isa.T0)
	blocks := f.NewLabel()
	f.Bind(blocks)
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Left))
	f.Int(isa.Mov, isa.T1, isa.K(f.W))
	f.Int(isa.Min, isa.T0, isa.T1)
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.T0)
	f.turn(false)
	for i := range f.turns {
		t := &f.turns[i]
		if at := f.SiteReg[t.ID]; at >= 0 {
			f.Asm.Address(isa.SiteReg(int(at)), f.Scratch(t, 0))
		} else {
			f.Asm.Address(isa.T0, f.Scratch(t, 0))
			f.Int(isa.Mov, isa.Word(t.Arg+frame.SiteCur), isa.T0)
		}
	}
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Steps))
	rows()
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
}

// turn emits the turn of the blocks of all loads, or of all stores.
func (f *phaseCode) turn(store bool) {
	part, done := f.NewLabel(), f.NewLabel()
	each := func(do func(t *isa.Turn)) {
		for i := range f.turns {
			if t := &f.turns[i]; t.Store == store {
				do(t)
			}
		}
	}
	few, least := f.NewLabel(), 0
	for i := range f.turns { // 16 bytes of each site
		least = max(least, 16/f.turns[i].Size)
	}
	if !f.Masked && least <= f.W {
		f.Branch(isa.NE, isa.Word(frame.Steps), isa.K(f.W), few)
		each(func(t *isa.Turn) { f.TurnBlock(f.target, t) })
		f.Jump(done)
		f.Bind(few)
		f.Branch(isa.LT, isa.Word(frame.Steps), isa.K(least), part)
		each(func(t *isa.Turn) { f.TurnSteps(f.target, t) })
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
	each(func(t *isa.Turn) { f.TurnPart(f.target, t) })
	kept(func(r isa.Reg, word isa.Int) { f.Int(isa.Mov, r, word) })
	f.Bind(done)
}
