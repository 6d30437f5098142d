package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
)

// The last columns of a loop down rows may fill a part of a vector only. Elements with a step are gathered under a mask
// then, one by one. If the columns fill one vector at least, the last vector overlaps the one before instead, without a
// mask: it is reduced first, from the accumulators as they were, and its results wait in slots until the others are
// stored. Columns that it shares with another vector have the same result in both.

// overlapsColumns reports whether the last vector overlaps the one before: the loop only loads and reduces, with
// accumulators in registers, and loads elements with a step.
func (f *phaseCode) overlapsColumns(accs []columnAcc) bool {
	return f.Predicates == 0 && f.LaneSize == 0 && f.Layout.ReducesRecords() &&
		!slices.ContainsFunc(accs, func(a columnAcc) bool { return !a.inRegs })
}

// overlapFirst emits the last vector of columns, and leaves its results in slots. It goes on without it if the columns
// end with a whole vector, or are fewer than one.
func (f *phaseCode) overlapFirst(accs []columnAcc) {
	skip := f.NewLabel()
	f.part("columns: the last vector, which overlaps the one before")
	f.Int(isa.Mov, isa.Lane, isa.Word(f.Phase.Lanes))
	f.Int(isa.Mov, isa.T0, isa.Lane)
	f.Int(isa.And, isa.T0, isa.K(f.W-1))
	f.BranchResult(isa.EQ, skip)
	f.Int(isa.Sub, isa.Lane, isa.K(f.W))
	f.BranchResult(isa.LT, skip)
	for i := range accs {
		accs[i].slot = f.Slots.Take()
	}
	f.aside = true
	f.columns(accs, 1)
	f.aside = false
	f.Bind(skip)
}

// overlapLast emits the whole vectors that are left after groups of some, then the store of the results of the last
// vector, behind all others, and a jump to done. It goes on without them if the columns are fewer than one vector.
func (f *phaseCode) overlapLast(accs []columnAcc, group int, done isa.Label) {
	few := f.NewLabel()
	f.Branch(isa.LT, isa.Word(f.Phase.Lanes), isa.K(f.W), few)
	if group > 1 {
		f.wholeVectors(accs, 1, done)
	}
	f.Int(isa.Mov, isa.Lane, isa.Word(f.Phase.Lanes))
	f.Int(isa.Sub, isa.Lane, isa.K(f.W))
	for i := range accs {
		a, d := &accs[i], f.Tmp()
		f.Lanes.LoadVec(a.Kern.Lane, d, f.Slot(a.slot))
		f.Lanes.StoreVec(a.Kern.Lane, f.columnMem(a, 0).x, d)
		f.EndStep()
	}
	f.Jump(done)
	f.Bind(few)
}

// wholeVectors emits a loop over groups of vectors of columns, as many as the columns fill. If no columns are left, it
// jumps to done.
func (f *phaseCode) wholeVectors(accs []columnAcc, group int, done isa.Label) {
	step, loop, end := group*f.W, f.NewLabel(), f.NewLabel()
	f.Bind(loop)
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.GT, isa.T0, isa.Word(f.Phase.Lanes), end)
	f.columns(accs, group)
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Jump(loop)
	f.Bind(end)
	f.Branch(isa.EQ, isa.Lane, isa.Word(f.Phase.Lanes), done)
}
