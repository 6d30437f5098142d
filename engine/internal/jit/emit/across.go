package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// acrossLoop emits a seq loop that goes along one row after the other: groups of vectors, single
// vectors, and a masked vector for the rest. Each vector loads its states and accumulators from
// memory, and stores them.
func (f *phaseCode) acrossLoop() {
	accs, _ := f.columnAccs(0)
	f.pinSites()
	fixed := f.programRegs()
	if len(accs) > 0 {
		fixed += memReds
	}
	group, many := f.chooseCopies(4, fixed), 1
	switch {
	case f.Layout.AtOnce > 0 && len(f.Phase.Carries) > 0:
		many = f.Layout.AtOnce
		group = f.carryAcross(group)
		if len(f.carries) == 0 { // a row loads the states that the row before it has stored
			many = 1
		}
		fixed += group * len(f.carries)
	case f.Layout.AtOnce > 0:
		many = f.chooseCopies(f.Layout.AtOnce, fixed)
		group = max(group/many, 1)
	}
	v, _ := f.pressure()
	copies := group * many
	if len(f.carries) > 0 {
		copies = group
	}
	f.pinUniforms(f.Vectors - copies*v - fixed - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	f.Int(isa.Mov, isa.T0, isa.Word(frame.First))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T0)
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
	done := f.NewLabel()
	if many > 1 {
		single := f.NewLabel()
		f.Branch(isa.LT, isa.Count, isa.K(many), single)
		f.acrossRows(accs, group, many)
		f.Bind(single)
		f.Branch(isa.EQ, isa.Count, isa.K(0), done)
	}
	f.acrossRows(accs, group, 1)
	f.Bind(done)
}

// acrossRows emits the loop over the rows left, many of them at once, as long as so many are left.
func (f *phaseCode) acrossRows(accs []columnAcc, group, many int) {
	if many > 1 {
		f.part("along %d rows at once: %d vectors of each", many, group)
	} else {
		f.part("along one row after the other: %d vectors at once", group)
	}
	rows, single, tail, done := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Bind(rows)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.acrossVectors(accs, group, many, single)
	f.Bind(single)
	if group > 1 {
		f.part("single vectors")
		f.acrossVectors(accs, 1, many, tail)
	}
	f.part("tail: a vector under a mask")
	f.Bind(tail)
	f.maskedVector(isa.Word(f.Phase.Lanes), done, func() { f.acrossGroup(accs, 1, many) })
	f.Bind(done)
	if many > 1 {
		f.eachRowSite(func(s *layout.Site, at int8) {
			to := isa.Word(s.Arg + frame.SiteCur)
			if at >= 0 {
				to = isa.SiteReg(int(at))
			}
			f.Int(isa.Add, to, isa.K(many*s.RowBytes()))
		})
		f.Int(isa.Sub, isa.Count, isa.K(many))
		f.Branch(isa.GE, isa.Count, isa.K(many), rows)
		return
	}
	f.nextColumns(true)
	if slices.ContainsFunc(accs, func(a columnAcc) bool { return a.Kern.Arg }) {
		f.Int(isa.Add, isa.Word(frame.Counter), isa.K(1))
	}
	f.Int(isa.Sub, isa.Count, isa.K(1))
	f.BranchResult(isa.NE, rows)
}

// perRow says that the copies of a group are so many vectors of each of many rows.
func (f *phaseCode) perRow(vectors, many int) {
	if f.PerRow = vectors; many == 1 {
		f.PerRow = 0
	}
}

// acrossGroup emits a group of vectors of many rows.
func (f *phaseCode) acrossGroup(accs []columnAcc, group, many int) {
	if len(f.carries) > 0 { // row by row
		free := f.Vecs.Free
		f.Start(group)
		f.loadCarries(group)
		for f.Step = range many {
			f.body(f.top)
		}
		f.Step = 0
		f.storeCarries()
		f.Vecs.Free = free
		return
	}
	f.perRow(group, many)
	f.Start(group * many)
	f.body(f.top)
	f.accumulateRow(accs, group)
	f.PerRow = 0
}

// carryAcross chooses the states that stay in registers from row to row, and returns how many vectors
// of at most group of a row are computed at once.
func (f *phaseCode) carryAcross(group int) int {
	v, _ := f.pressure()
	f.chooseCarries(f.Vectors - v - spareRegs)
	for group > 1 && group*(v+len(f.carries))+spareRegs > f.Vectors {
		group /= 2
	}
	return group
}

// acrossVectors emits a loop over whole groups of vectors of many rows. It jumps to end if too few
// lanes are left for one.
func (f *phaseCode) acrossVectors(accs []columnAcc, group, many int, end isa.Label) {
	step, lanes := group*f.W, isa.Word(f.Phase.Lanes)
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.GT, isa.T0, lanes, end)
	loop := f.NewLabel()
	f.Align(32)
	f.Bind(loop)
	f.acrossGroup(accs, group, many)
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.LE, isa.T0, lanes, loop)
}
