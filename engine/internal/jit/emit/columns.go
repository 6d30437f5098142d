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
	regs   []ranked
}

// seqLoop emits a seq phase: for each group of columns, a loop down all rows.
func (f *phaseCode) seqLoop() {
	f.prologue()
	f.findTurns()
	v, m := f.pressure()
	accs, nred := f.columnAccs(f.Vectors - v - spareRegs - f.programRegs())
	f.chooseCarries(f.Vectors - v - nred - spareRegs)
	nred += len(f.carries)
	f.pinSites()
	group := 4
	if len(f.turns) > 0 {
		group = 1
	}
	for group > 1 && (group*(v+nred)+spareRegs > f.Vectors || !f.Fits(group*m)) {
		group /= 2
	}
	f.pinUniforms(f.Vectors - group*(v+nred) - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	tail, done := f.NewLabel(), f.NewLabel()
	step := group * f.W
	loop := f.NewLabel()
	f.part("columns: %d vectors at once, down all rows", group)
	f.Bind(loop)
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.GT, isa.T0, isa.Word(f.Phase.Lanes), tail)
	f.columns(accs, group)
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Jump(loop)

	f.part("tail: columns under a mask")
	f.Bind(tail)
	f.Int(isa.Mov, isa.T1, isa.Word(f.Phase.Lanes))
	f.Int(isa.Sub, isa.T1, isa.Lane)
	f.BranchResult(isa.LE, done)
	f.Lanes.SetTail()
	f.Masked = true
	f.columns(accs, 1)
	f.Masked = false
	f.Int(isa.Add, isa.Lane, isa.K(f.W))
	f.Jump(tail)
	f.Bind(done)
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

// columns emits the loop down the rows for one group of columns.
func (f *phaseCode) columns(accs []columnAcc, group int) {
	free := f.Vecs.Free
	f.Start(group)
	f.firstRow()
	accs = slices.Clone(accs)
	for i := range accs {
		if accs[i].inRegs {
			for c := range group {
				r := takeRanked(accs[i].Kern, f.Vecs.TakeTop)
				eachPart(accs[i].Kern, r, f.columnMem(&accs[i], c), f.Lanes.LoadVec)
				accs[i].regs = append(accs[i].regs, r)
			}
		}
	}
	f.loadCarries(group)
	f.Int(isa.Mov, isa.T0, isa.Word(frame.First))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T0)
	if len(f.turns) > 0 {
		f.turnedRows(func() { f.rows(accs, group) })
	} else {
		f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
		f.rows(accs, group)
	}
	for i := range accs {
		for c, r := range accs[i].regs {
			f.storeRanked(accs[i].Kern, r, f.columnMem(&accs[i], c))
		}
	}
	f.storeCarries()
	f.Vecs.Free = free
}

// rows emits the loop down Count rows for one group of columns.
func (f *phaseCode) rows(accs []columnAcc, group int) {
	rows := f.NewLabel()
	f.Align(32)
	f.Bind(rows)
	f.aheadColumns(group)
	f.body(f.top)
	for i := range accs {
		f.accumulateColumns(&accs[i], group)
	}
	for i := range accs {
		f.DropAll(accs[i].Arg)
	}
	f.nextColumns()
	if slices.ContainsFunc(accs, func(a columnAcc) bool { return a.Kern.Arg }) {
		f.Int(isa.Add, isa.Word(frame.Counter), isa.K(1))
	}
	f.Int(isa.Sub, isa.Count, isa.K(1))
	f.BranchResult(isa.NE, rows)
}

// eachRowSite calls do for the sites that step from row to row. at is the register with
// the address of the row, or none.
func (f *phaseCode) eachRowSite(do func(s *layout.Site, at int8)) {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind != layout.Unused && !f.isUniformSite(int32(i)) && !f.carriesSite(s) {
			do(s, f.SiteReg[i])
		}
	}
}

// firstRow sets the addresses of the sites to the first row of a group of columns.
func (f *phaseCode) firstRow() {
	f.eachRowSite(func(s *layout.Site, at int8) {
		r := isa.T0
		if at >= 0 {
			r = isa.SiteReg(int(at))
		}
		f.Int(isa.Mov, r, isa.Word(s.Arg+s.Origin))
		switch s.Kind {
		case layout.Unit, layout.Scratch:
			f.Asm.Address(r, isa.AtX(r, isa.Lane, s.Size, 0))
		case layout.Strided:
			f.Int(isa.Mov, isa.T1, isa.Word(s.Arg+frame.SiteStride))
			f.Int(isa.Mul, isa.T1, isa.Lane)
			f.Int(isa.Add, r, isa.T1)
		case layout.Transposed: // each block sets its address in scratch memory
			f.Int(isa.Mov, isa.T1, isa.Word(s.Arg+frame.SiteStride))
			f.Int(isa.Mul, isa.T1, isa.Lane)
			f.Int(isa.Add, r, isa.T1)
			f.Int(isa.Mov, isa.Word(s.Arg+frame.SiteArray), r)
			return
		}
		if at < 0 {
			f.Int(isa.Mov, isa.Word(s.Arg+frame.SiteCur), r)
		}
	})
}

// nextColumns steps the addresses of the sites to the next row.
func (f *phaseCode) nextColumns() {
	f.eachRowSite(func(s *layout.Site, at int8) {
		step := isa.Word(s.Arg + frame.SiteRow)
		if s.Kind == layout.Transposed {
			step = isa.K(isa.TurnPitch)
		}
		if at >= 0 {
			f.Int(isa.Add, isa.SiteReg(int(at)), step)
			return
		}
		f.Int(isa.Mov, isa.T0, step)
		f.Int(isa.Add, isa.Word(s.Arg+frame.SiteCur), isa.T0)
	})
}

// columnMem emits the addresses of vector c of an accumulator and of its positions.
func (f *phaseCode) columnMem(a *columnAcc, c int) (m rankedMem) {
	f.Int(isa.Mov, isa.T0, isa.Word(a.At+frame.SitePtr))
	size := a.Kern.Lane.Size()
	if m.x = isa.AtX(isa.T0, isa.Lane, size, c*f.W*size); a.Kern.Arg {
		f.Int(isa.Mov, isa.T1, isa.Word(a.PosAt+frame.SitePtr))
		m.at = isa.AtX(isa.T1, isa.Lane, 4, c*f.W*4)
	}
	return m
}

// accumulateColumns combines the values of a row with the accumulators.
func (f *phaseCode) accumulateColumns(a *columnAcc, group int) {
	for c := range group {
		f.Copy = c
		if a.inRegs {
			f.step(a.Red, a.regs[c], f.operand(a.Red))
		} else {
			f.stepMem(a.Red, f.columnMem(a, c))
		}
		f.EndStep()
	}
}

// rowsAhead is the number of rows between a prefetch and its use down columns, as a power of two.
const rowsAhead = 3

// aheadColumns emits the prefetches of a row of a group of columns, for a loop that carries
// values: the lines of a row further down. The processor prefetches along rows only.
func (f *phaseCode) aheadColumns(group int) {
	if !f.Fetch || f.Masked {
		return
	}
	f.eachRowSite(func(s *layout.Site, at int8) {
		if s.Kind != layout.Unit || at < 0 {
			return
		}
		f.Int(isa.Mov, isa.T0, isa.Word(s.Arg+frame.SiteRow))
		f.Int(isa.Shl, isa.T0, isa.K(rowsAhead))
		for by := 0; by < group*f.W*s.Size; by += layout.LineBytes {
			f.Prefetch(isa.AtX(isa.SiteReg(int(at)), isa.T0, 1, by))
		}
	})
}
