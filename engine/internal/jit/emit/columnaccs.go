package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// A columnAcc is the accumulators of one reduction of a seq loop: a vector for each copy
// of a group, and its positions. They are in registers, or each row loads and stores them.
type columnAcc struct {
	*layout.SeqRed
	inRegs bool
	at     isa.Reg // has the address of the accumulators, unless it is 0
	regs   []ranked
}

// columnAccs chooses the reductions of a seq loop whose accumulators stay in registers,
// at most room for each copy. It returns how many registers each copy takes.
func (f *phaseCode) columnAccs(room int) (accs []columnAcc, n int) {
	for i := range f.Layout.Reds {
		n += registers(f.Layout.Reds[i].Kern)
	}
	if n > room {
		room -= memReds
	}
	n = 0
	for i := range f.Layout.Reds {
		a := columnAcc{SeqRed: &f.Layout.Reds[i]}
		if k := registers(a.Kern); n+k <= room {
			a.inRegs = true
			n += k
		}
		accs = append(accs, a)
	}
	return accs, n
}

// firstPosition begins to count the rows of a seq loop, if some accumulators have positions. The word of the frame has a copy
// in a register, if one is left: an addition to the word waits for the one before. The code that transposes blocks between the
// rows takes all registers.
func (f *phaseCode) firstPosition(accs []columnAcc) {
	f.position = isa.Word(frame.Counter)
	if !positions(accs) {
		return
	}
	if r, ok := f.freeSite(); ok && f.Tails && len(f.transposedSites) == 0 {
		f.position = r
		f.Int(isa.Mov, f.position, isa.Word(frame.First))
		f.Int(isa.Mov, isa.Word(frame.Counter), f.position)
		return
	}
	f.Int(isa.Mov, isa.T0, isa.Word(frame.First))
	f.Int(isa.Mov, f.position, isa.T0)
}

// nextPosition counts a row.
func (f *phaseCode) nextPosition(accs []columnAcc) {
	if !positions(accs) {
		return
	}
	if f.Int(isa.Add, f.position, isa.K(1)); f.position.IsReg() {
		f.Int(isa.Mov, isa.Word(frame.Counter), f.position)
	}
}

func positions(accs []columnAcc) bool {
	return slices.ContainsFunc(accs, func(a columnAcc) bool { return a.Kern.Arg })
}

// columnMem emits the addresses of vector c of an accumulator and of its positions.
func (f *phaseCode) columnMem(a *columnAcc, c int) (m rankedMem) {
	if a.at == 0 {
		f.Int(isa.Mov, isa.T0, isa.Word(a.At+frame.SitePtr))
	}
	if m.x = f.levelMem(a, c); a.at != 0 {
		m.x.Base = a.at
	}
	if a.Kern.Arg {
		f.Int(isa.Mov, isa.T1, isa.Word(a.PosAt+frame.SitePtr))
		m.at = isa.AtX(isa.T1, isa.Lane, 4, c*f.W*4)
	}
	return m
}

// eachReduction calls do for the reductions that have an order, or for those that have none.
func eachReduction(accs []columnAcc, ordered bool, do func(*columnAcc)) {
	for i := range accs {
		if accs[i].Kern.Ordered == ordered {
			do(&accs[i])
		}
	}
}

// loadLoose loads the accumulators of reductions of any order, unless the call has the first row.
func (f *phaseCode) loadLoose(accs []columnAcc, group int) {
	first := f.NewLabel()
	f.Branch(isa.EQ, isa.Word(frame.First), isa.K(0), first)
	eachReduction(accs, false, func(a *columnAcc) {
		for c := range group {
			f.Lanes.LoadVec(a.Kern.Lane, a.regs[c].x, f.columnMem(a, c).x)
		}
	})
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

// firstLevel sets T0 to the address of the first level, which has one run or one group of runs. It sets T1 to the number of runs or groups
// that are done, a bit for each level, and Count to the bit of the first level.
func (f *phaseCode) firstLevel(a *columnAcc) {
	f.Int(isa.Mov, isa.T0, isa.Word(a.At+frame.SiteLevels))
	for by := 1; by < f.Runs; by *= 2 {
		f.Int(isa.Add, isa.T0, isa.Word(a.At+frame.SiteStride))
	}
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

// levelMem returns the address of vector c of the accumulator or the level at T0. A level ends with its last column.
func (f *phaseCode) levelMem(a *columnAcc, c int) isa.Mem {
	size, at := a.Kern.Lane.Size(), c*f.W
	if c == f.group-1 {
		at -= f.back
	}
	return isa.AtX(isa.T0, isa.Lane, size, at*size)
}
