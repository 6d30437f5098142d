package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// seqLoop emits a seq phase: for each group of columns, a loop down all rows.
func (f *emitter) seqLoop() {
	f.prologue()
	f.pinSites()
	v, m := f.pressure()
	nred := f.keepReds(f.nv - v - spareRegs - f.programRegs())
	group := 4
	for group > 1 && (group*(v+nred)+spareRegs > f.nv || !f.fits(group*m)) {
		group /= 2
	}
	f.pinUniforms(f.nv - group*(v+nred) - spareRegs)
	f.i(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	tail, done := f.a.NewLabel(), f.a.NewLabel()
	step := group * f.w
	loop := f.a.NewLabel()
	f.part("columns: %d vectors at once, down all rows", group)
	f.a.Bind(loop)
	f.i(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.i(x86.CMP, x86.W64, x86.RAX, frameAt(f.ph.lanes))
	f.i(x86.JG, 0, tail)
	f.columns(group)
	f.i(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.i(x86.JMP, 0, loop)

	f.part("tail: columns under a mask")
	f.a.Bind(tail)
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(f.ph.lanes))
	f.i(x86.SUB, x86.W64, x86.RCX, x86.RSI)
	f.i(x86.JLE, 0, done)
	f.isa.setTail(f)
	f.masked = true
	f.columns(1)
	f.masked = false
	f.i(x86.ADD, x86.W64, x86.RSI, x86.Imm(f.w))
	f.i(x86.JMP, 0, tail)
	f.a.Bind(done)
}

// keepReds chooses the reductions of a seq loop whose accumulators stay in registers,
// at most room for each copy. Each row loads and stores the other accumulators. It
// returns how many registers each copy takes.
func (f *emitter) keepReds(room int) (n int) {
	need := func(r *seqRed) int {
		if r.kern.arg {
			return 2
		}
		return 1
	}
	for i := range f.bp.reds {
		n += need(&f.bp.reds[i])
	}
	if n > room {
		room -= memReds
	}
	n = 0
	f.inRegs = make([]bool, len(f.bp.reds))
	for i := range f.bp.reds {
		if k := need(&f.bp.reds[i]); n+k <= room {
			f.inRegs[i] = true
			n += k
		}
	}
	return n
}

// columns emits the loop down the rows for one group of columns.
func (f *emitter) columns(group int) {
	free := f.vfree
	f.start(group)
	for i := range f.bp.sites {
		s := &f.bp.sites[i]
		if s.kind == noSite || f.isUniformSite(int32(i)) {
			continue
		}
		r := x86.RAX
		if f.siteReg[i] >= 0 {
			r = x86.Reg(f.siteReg[i])
		}
		f.i(x86.MOV, x86.W64, r, frameAt(s.arg+s.origin))
		switch s.kind {
		case unitSite, flatSite:
			f.i(x86.LEA, x86.W64, r, x86.AtX(r, x86.RSI, uint8(s.size), 0))
		case strideSite:
			f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteStride))
			f.i(x86.IMUL, x86.W64, x86.RCX, x86.RSI)
			f.i(x86.ADD, x86.W64, r, x86.RCX)
		}
		if f.siteReg[i] < 0 {
			f.i(x86.MOV, x86.W64, frameAt(s.arg+siteCur), r)
		}
	}
	type regs struct{ d, idx []x86.Vec }
	all := make([]regs, len(f.bp.reds))
	accAt := func(r *seqRed, c int) (x86.Mem, x86.Mem) {
		f.i(x86.MOV, x86.W64, x86.RAX, frameAt(r.arg+sitePtr))
		size := r.kern.lane.Size()
		m := x86.AtX(x86.RAX, x86.RSI, uint8(size), int32(c*f.w*size))
		if !r.kern.arg {
			return m, m
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(r.idx+sitePtr))
		return m, x86.AtX(x86.RCX, x86.RSI, 4, int32(c*f.w*4))
	}
	for i := range f.bp.reds {
		r := &f.bp.reds[i]
		if !f.inRegs[i] {
			continue
		}
		for c := range group {
			d := f.takeTop()
			m, im := accAt(r, c)
			f.i(x86.VMOVUPS, f.lenOf(r.kern.lane), d, m)
			all[i].d = append(all[i].d, d)
			if r.kern.arg {
				idx := f.takeTop()
				f.i(x86.VMOVUPS, f.lenOf(dtype.I32), idx, im)
				all[i].idx = append(all[i].idx, idx)
			}
		}
	}
	f.i(x86.MOV, x86.W64, x86.RBX, frameAt(frameRows))
	f.i(x86.MOV, x86.W64, x86.RAX, frameAt(frameFirst))
	f.i(x86.MOV, x86.W64, frameAt(frameI), x86.RAX)
	rows := f.a.NewLabel()
	f.a.Align(32)
	f.a.Bind(rows)
	f.body(f.top)
	for i := range f.bp.reds {
		r := &f.bp.reds[i]
		for c := range group {
			f.copy, f.released = c, true
			if !f.inRegs[i] {
				acc, pos := accAt(r, c)
				f.stepMem(r.kern, acc, pos, r.red)
				f.end()
				continue
			}
			x := f.operand(r.red)
			idx := x86.Vec(0)
			if r.kern.arg {
				idx = all[i].idx[c]
			}
			f.step(r.kern, all[i].d[c], idx, x, f.masked)
			f.end()
		}
	}
	for i := range f.bp.reds {
		for c := range group {
			if n := f.bp.reds[i].red.arg; !f.uniform[n] {
				if p := &f.places[f.key(n, c)]; p.reg >= 0 || p.slot >= 0 {
					f.drop(n, c)
				}
			}
		}
	}
	for i := range f.bp.sites {
		s := &f.bp.sites[i]
		if s.kind == noSite || f.isUniformSite(int32(i)) {
			continue
		}
		if f.siteReg[i] >= 0 {
			f.i(x86.ADD, x86.W64, x86.Reg(f.siteReg[i]), frameAt(s.arg+siteRow))
			continue
		}
		f.i(x86.MOV, x86.W64, x86.RAX, frameAt(s.arg+siteRow))
		f.i(x86.ADD, x86.W64, frameAt(s.arg+siteCur), x86.RAX)
	}
	f.i(x86.ADD, x86.W64, frameAt(frameI), x86.Imm(1))
	f.i(x86.SUB, x86.W64, x86.RBX, x86.Imm(1))
	f.i(x86.JNE, 0, rows)
	for i := range f.bp.reds {
		r := &f.bp.reds[i]
		if !f.inRegs[i] {
			continue
		}
		for c := range group {
			m, im := accAt(r, c)
			f.within(func() { f.storeAcc(r.kern.lane, m, all[i].d[c]) })
			if r.kern.arg {
				f.within(func() { f.storeAcc(dtype.I32, im, all[i].idx[c]) })
			}
		}
	}
	f.vfree = free
}
