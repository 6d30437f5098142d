package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop that combines goes down all rows of a call with accumulators in registers. A reduction with an order has an
// accumulator for each run of rows. The runs are the leaves of a tree of adjacent pairs: level k in memory has the result
// of 2^k runs if bit k of the number of runs that are done is set. A call begins with a run, and the results of the
// last call are those of all rows.

// wholeGroups returns the vectors of a group of columns of a row of known length, or 0, and of how many rows one is computed
// at once. All groups but the last have so many.
func (f *phaseCode) wholeGroups(v, m, states int) (vectors, at int) {
	if f.Layout.Whole == 0 || !f.Fits(m) {
		return 0, 0
	}
	at = f.manyRows()
	room := (f.Vectors - at*v - spareRegs) / states
	if at > 1 { // [isa.Lanes.StepValues] takes some
		room = (f.Vectors - at*v - node - 1) / states
	}
	all := (f.Layout.Whole + f.W - 1) / f.W
	if room < 1 {
		return 0, 0
	}
	groups := (all + room - 1) / room
	if vectors = (all + groups - 1) / groups; vectors*at*len(f.top) > wholeNodes {
		return 0, 0
	}
	return vectors, at
}

// manyRows returns how many rows a loop that combines reads at once.
func (f *phaseCode) manyRows() int {
	if many := f.Layout.AtOnce; f.combines && many > 1 {
		return f.chooseCopies(many, node)
	}
	return 1
}

// combineWhole emits groups of columns for a row of known length, and a jump to done. It does nothing if a call has another
// number of lanes.
func (f *phaseCode) combineWhole(accs []columnAcc, group, at int, done isa.Label) {
	other, last := f.NewLabel(), f.NewLabel()
	n := f.Layout.Whole
	all := (n + f.W - 1) / f.W
	end := (all - 1) / group * group
	f.Branch(isa.NE, isa.Word(f.Phase.Lanes), isa.K(n), other)
	if f.many, f.atOnce = f.manyRows(), at; f.many > 1 {
		f.atOnce = 1
	}
	if end > 0 {
		f.part("columns: groups of %d vectors", group)
		loop := f.NewLabel()
		f.Bind(loop)
		f.columns(accs, group)
		f.Int(isa.Add, isa.Lane, isa.K(group*f.W))
		f.Branch(isa.LT, isa.Lane, isa.K(end*f.W), loop)
	}
	f.Bind(last)
	f.part("columns: the last %d vectors", all-end)
	if f.Tail = n % f.W; f.Tail > 0 {
		f.Int(isa.Mov, isa.T1, isa.K(f.Tail))
		f.Lanes.SetTail()
		f.Ends, f.Masked = all-end, all-end == 1
	}
	f.columns(accs, all-end)
	f.many, f.atOnce, f.Ends, f.Tail, f.Masked = 0, 0, 0, 0, false
	f.Jump(done)
	f.Bind(other)
}

// rowsTogether emits the loop down Count rows for one group of columns, f.many at once, as long as so many are left. It jumps
// to done if none is left.
func (f *phaseCode) rowsTogether(accs []columnAcc, group int, done isa.Label) {
	rows, few := f.NewLabel(), f.NewLabel()
	f.Branch(isa.LT, isa.Count, isa.K(f.many), few)
	f.Align(32)
	f.Bind(rows)
	f.PerRow = 1
	for f.Base = range group {
		f.Start(f.many)
		f.Choose(0)
		f.body(f.top)
		for i := range accs {
			f.Choose(0)
			f.stepRows(accs[i].Red, accs[i].regs[f.Base], 0)
			f.EndStep()
		}
		for i := range accs {
			f.DropAll(accs[i].Arg)
		}
	}
	f.PerRow, f.Base = 0, 0
	f.eachRowSite(func(s *layout.Site, at int8) {
		to := isa.Word(s.Arg + frame.SiteCur)
		if at >= 0 {
			to = isa.SiteReg(int(at))
		}
		f.Int(isa.Add, to, isa.K(f.many*s.RowBytes()))
	})
	f.Int(isa.Sub, isa.Count, isa.K(f.many))
	f.Branch(isa.GE, isa.Count, isa.K(f.many), rows)
	f.Bind(few)
	f.Branch(isa.EQ, isa.Count, isa.K(0), done)
}

// combinedRows emits the loop down the rows of a call for one group of columns, whose accumulators have the identity.
func (f *phaseCode) combinedRows(accs []columnAcc, group int) {
	f.loadLoose(accs, group)
	if !slices.ContainsFunc(accs, func(a columnAcc) bool { return a.Kern.Ordered }) {
		f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
		done := f.NewLabel()
		if f.many > 1 {
			f.rowsTogether(accs, group, done)
		}
		f.rows(accs, group)
		f.Bind(done)
		return
	}
	runs, rest := f.NewLabel(), f.NewLabel()
	f.Int(isa.Mov, isa.T0, isa.Word(frame.First))
	f.Int(isa.Shr, isa.T0, isa.K(bits.TrailingZeros(ir.Run)))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T0)
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Rows))
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.T0)
	f.Bind(runs)
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Steps))
	f.Int(isa.Mov, isa.T0, isa.K(ir.Run))
	f.Int(isa.Min, isa.Count, isa.T0)
	f.rows(accs, group)
	f.Branch(isa.LT, isa.Word(frame.Steps), isa.K(ir.Run), rest)
	for i := range accs {
		if accs[i].Kern.Ordered {
			f.pushRun(&accs[i], group)
		}
	}
	f.Int(isa.Add, isa.Word(frame.Counter), isa.K(1))
	f.Int(isa.Sub, isa.Word(frame.Steps), isa.K(ir.Run))
	f.BranchResult(isa.NE, runs)
	f.Bind(rest)
	for i := range accs {
		if accs[i].Kern.Ordered {
			f.popRuns(&accs[i], group)
		}
	}
}

// loadLoose loads the accumulators of reductions of any order, unless the call has the first row.
func (f *phaseCode) loadLoose(accs []columnAcc, group int) {
	first := f.NewLabel()
	f.Branch(isa.EQ, isa.Word(frame.First), isa.K(0), first)
	for i := range accs {
		if a := &accs[i]; !a.Kern.Ordered {
			for c := range group {
				f.Lanes.LoadVec(a.Kern.Lane, a.regs[c].x, f.columnMem(a, c).x)
			}
		}
	}
	f.Bind(first)
}

// pushRun emits the end of a run: the results of as many runs before it join it, and it becomes a level.
func (f *phaseCode) pushRun(a *columnAcc, group int) {
	level, store := f.NewLabel(), f.NewLabel()
	f.firstLevel(a)
	f.Bind(level)
	f.levelUnset(store)
	f.joinLevel(a, group)
	f.nextLevel(a)
	f.Jump(level)
	f.Bind(store)
	for c := range group {
		f.Choose(c)
		f.storeRanked(a.Kern, a.regs[c], rankedMem{x: f.levelMem(a, c)})
		f.EndStep()
	}
	for c := range group {
		f.Lanes.Constant(a.regs[c].x, a.Kern.Lane, a.Kern.Identity)
	}
}

// popRuns emits the end of the rows: all levels join the run that is left, or the identity, which changes no value.
func (f *phaseCode) popRuns(a *columnAcc, group int) {
	level, next, done := f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.firstLevel(a)
	f.Bind(level)
	f.Branch(isa.GT, isa.Count, isa.T1, done)
	f.levelUnset(next)
	f.joinLevel(a, group)
	f.Bind(next)
	f.nextLevel(a)
	f.Jump(level)
	f.Bind(done)
}

// firstLevel sets T0 to the address of the first level, T1 to the number of runs that are done, a bit for each level, and
// Count to the bit of the first.
func (f *phaseCode) firstLevel(a *columnAcc) {
	f.Int(isa.Mov, isa.T0, isa.Word(a.At+frame.SiteLevels))
	f.Int(isa.Mov, isa.T1, isa.Word(frame.Counter))
	f.Int(isa.Mov, isa.Count, isa.K(1))
}

// levelUnset jumps if the level at hand has no result.
func (f *phaseCode) levelUnset(to isa.Label) {
	f.Int(isa.Mov, isa.T2, isa.T1)
	f.Int(isa.And, isa.T2, isa.Count)
	f.BranchResult(isa.EQ, to)
}

func (f *phaseCode) nextLevel(a *columnAcc) {
	f.Int(isa.Add, isa.T0, isa.Word(a.At+frame.SiteStride))
	f.Int(isa.Add, isa.Count, isa.Count)
}

// joinLevel emits acc = level op acc.
func (f *phaseCode) joinLevel(a *columnAcc, group int) {
	for c := range group {
		d := f.Tmp()
		f.Lanes.LoadVec(a.Kern.Lane, d, f.levelMem(a, c))
		f.Within(func() { f.step(a.Red, ranked{x: d}, a.regs[c].x) })
		f.Lanes.CopyVec(a.Kern.Lane, a.regs[c].x, d)
		f.EndStep()
	}
}

// levelMem returns the address of vector c of the level at T0.
func (f *phaseCode) levelMem(a *columnAcc, c int) isa.Mem {
	size := a.Kern.Lane.Size()
	return isa.AtX(isa.T0, isa.Lane, size, c*f.W*size)
}
