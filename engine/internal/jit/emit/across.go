package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
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
	group := f.chooseCopies(4, fixed)
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - group*v - fixed - spareRegs)
	f.part("along one row after the other: %d vectors at once", group)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	f.Int(isa.Mov, isa.T0, isa.Word(frame.First))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T0)
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
	rows, single, tail, done := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Bind(rows)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.acrossVectors(accs, group, single)
	f.Bind(single)
	if group > 1 {
		f.part("single vectors")
		f.acrossVectors(accs, 1, tail)
	}
	f.part("tail: a vector under a mask")
	f.Bind(tail)
	f.maskedVector(isa.Word(f.Phase.Lanes), done, func() { f.accumulateRow(accs, 1) })
	f.Bind(done)
	f.nextColumns()
	if slices.ContainsFunc(accs, func(a columnAcc) bool { return a.Kern.Arg }) {
		f.Int(isa.Add, isa.Word(frame.Counter), isa.K(1))
	}
	f.Int(isa.Sub, isa.Count, isa.K(1))
	f.BranchResult(isa.NE, rows)
}

// acrossVectors emits a loop over whole groups of vectors of a row. It jumps to end if too few
// lanes are left for one.
func (f *phaseCode) acrossVectors(accs []columnAcc, group int, end isa.Label) {
	step, lanes := group*f.W, isa.Word(f.Phase.Lanes)
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.GT, isa.T0, lanes, end)
	loop := f.NewLabel()
	f.Align(32)
	f.Bind(loop)
	f.Start(group)
	f.body(f.top)
	f.accumulateRow(accs, group)
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.LE, isa.T0, lanes, loop)
}
