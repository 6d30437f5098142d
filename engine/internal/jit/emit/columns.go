package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A columnAcc is the accumulators of one reduction of a seq loop: a vector for each copy
// of a group, and its positions. They are in registers, or each row loads and stores them.
type columnAcc struct {
	*layout.SeqRed
	inRegs    bool
	regs, idx []x86.Vec
}

// seqLoop emits a seq phase: for each group of columns, a loop down all rows.
func (f *phaseCode) seqLoop() {
	f.prologue()
	f.pinSites()
	v, m := f.pressure()
	accs, nred := f.columnAccs(f.Registers - v - spareRegs - f.programRegs())
	group := 4
	for group > 1 && (group*(v+nred)+spareRegs > f.Registers || !f.Fits(group*m)) {
		group /= 2
	}
	f.pinUniforms(f.Registers - group*(v+nred) - spareRegs)
	f.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	tail, done := f.Asm.NewLabel(), f.Asm.NewLabel()
	step := group * f.W
	loop := f.Asm.NewLabel()
	f.part("columns: %d vectors at once, down all rows", group)
	f.Asm.Bind(loop)
	f.I(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.I(x86.CMP, x86.W64, x86.RAX, isa.Frame(f.Phase.Lanes))
	f.I(x86.JG, 0, tail)
	f.columns(accs, group)
	f.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.I(x86.JMP, 0, loop)

	f.part("tail: columns under a mask")
	f.Asm.Bind(tail)
	f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(f.Phase.Lanes))
	f.I(x86.SUB, x86.W64, x86.RCX, x86.RSI)
	f.I(x86.JLE, 0, done)
	f.Target.SetTail(&f.Emitter)
	f.Masked = true
	f.columns(accs, 1)
	f.Masked = false
	f.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(f.W))
	f.I(x86.JMP, 0, tail)
	f.Asm.Bind(done)
}

// columnAccs chooses the reductions of a seq loop whose accumulators stay in registers,
// at most room for each copy. It returns how many registers each copy takes.
func (f *phaseCode) columnAccs(room int) (accs []columnAcc, n int) {
	need := func(r *layout.SeqRed) int {
		if r.Kern.Arg {
			return 2
		}
		return 1
	}
	for i := range f.Layout.Reds {
		n += need(&f.Layout.Reds[i])
	}
	if n > room {
		room -= memReds
	}
	n = 0
	for i := range f.Layout.Reds {
		a := columnAcc{SeqRed: &f.Layout.Reds[i]}
		if k := need(a.SeqRed); n+k <= room {
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
			f.loadColumns(&accs[i], group)
		}
	}
	f.I(x86.MOV, x86.W64, x86.RBX, isa.Frame(frame.Rows))
	f.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(frame.First))
	f.I(x86.MOV, x86.W64, isa.Frame(frame.Counter), x86.RAX)
	rows := f.Asm.NewLabel()
	f.Asm.Align(32)
	f.Asm.Bind(rows)
	f.body(f.top)
	for i := range accs {
		f.accumulateColumns(&accs[i], group)
	}
	for i := range accs {
		f.DropAll(accs[i].Arg)
	}
	f.nextColumns()
	f.I(x86.ADD, x86.W64, isa.Frame(frame.Counter), x86.Imm(1))
	f.I(x86.SUB, x86.W64, x86.RBX, x86.Imm(1))
	f.I(x86.JNE, 0, rows)
	for i := range accs {
		if accs[i].inRegs {
			f.storeColumns(&accs[i], group)
		}
	}
	f.Vecs.Free = free
}

// eachRowSite calls do for the sites that step from row to row. at is the register with
// the address of the row, or none.
func (f *phaseCode) eachRowSite(do func(s *layout.Site, at int8)) {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind != layout.Unused && !f.isUniformSite(int32(i)) {
			do(s, f.SiteReg[i])
		}
	}
}

// firstRow sets the addresses of the sites to the first row of a group of columns.
func (f *phaseCode) firstRow() {
	f.eachRowSite(func(s *layout.Site, at int8) {
		r := x86.RAX
		if at >= 0 {
			r = x86.Reg(at)
		}
		f.I(x86.MOV, x86.W64, r, isa.Frame(s.Arg+s.Origin))
		switch s.Kind {
		case layout.Unit, layout.Scratch:
			f.I(x86.LEA, x86.W64, r, x86.AtX(r, x86.RSI, uint8(s.Size), 0))
		case layout.Strided:
			f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(s.Arg+frame.SiteStride))
			f.I(x86.IMUL, x86.W64, x86.RCX, x86.RSI)
			f.I(x86.ADD, x86.W64, r, x86.RCX)
		}
		if at < 0 {
			f.I(x86.MOV, x86.W64, isa.Frame(s.Arg+frame.SiteCur), r)
		}
	})
}

// nextColumns steps the addresses of the sites to the next row.
func (f *phaseCode) nextColumns() {
	f.eachRowSite(func(s *layout.Site, at int8) {
		if at >= 0 {
			f.I(x86.ADD, x86.W64, x86.Reg(at), isa.Frame(s.Arg+frame.SiteRow))
			return
		}
		f.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(s.Arg+frame.SiteRow))
		f.I(x86.ADD, x86.W64, isa.Frame(s.Arg+frame.SiteCur), x86.RAX)
	})
}

// columnMem emits the addresses of accumulator c and of its positions.
func (f *phaseCode) columnMem(a *columnAcc, c int) (m, pos x86.Mem) {
	f.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(a.At+frame.SitePtr))
	size := a.Kern.Lane.Size()
	m = x86.AtX(x86.RAX, x86.RSI, uint8(size), int32(c*f.W*size))
	if !a.Kern.Arg {
		return m, m
	}
	f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(a.PosAt+frame.SitePtr))
	return m, x86.AtX(x86.RCX, x86.RSI, 4, int32(c*f.W*4))
}

func (f *phaseCode) loadColumns(a *columnAcc, group int) {
	for c := range group {
		d := f.Vecs.TakeTop()
		m, pos := f.columnMem(a, c)
		f.I(x86.VMOVUPS, f.LenOf(a.Kern.Lane), d, m)
		a.regs = append(a.regs, d)
		if a.Kern.Arg {
			idx := f.Vecs.TakeTop()
			f.I(x86.VMOVUPS, f.LenOf(dtype.I32), idx, pos)
			a.idx = append(a.idx, idx)
		}
	}
}

func (f *phaseCode) storeColumns(a *columnAcc, group int) {
	for c := range group {
		m, pos := f.columnMem(a, c)
		f.Within(func() { f.storeAcc(a.Kern.Lane, m, a.regs[c]) })
		if a.Kern.Arg {
			f.Within(func() { f.storeAcc(dtype.I32, pos, a.idx[c]) })
		}
	}
}

// accumulateColumns combines the values of a row with the accumulators.
func (f *phaseCode) accumulateColumns(a *columnAcc, group int) {
	for c := range group {
		f.Copy = c
		if a.inRegs {
			x, idx := f.operand(a.Red), x86.Vec(0)
			if a.Kern.Arg {
				idx = a.idx[c]
			}
			f.step(a.Red, a.regs[c], idx, x)
		} else {
			m, pos := f.columnMem(a, c)
			f.stepMem(a.Red, m, pos)
		}
		f.EndStep()
	}
}
