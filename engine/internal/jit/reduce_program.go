package jit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/prim"
)

// A reduction without instructions of its own combines values by a program. Wherever a
// value meets an accumulator, an emitter of its own (a emitter) writes the program on the
// free registers.

// newProgram returns an emitter for program p.
func (f *emitter) newProgram(p *phase) *emitter {
	s := *f
	s.ph, s.nodes, s.top, s.hoisted = p, slices.Clone(p.nodes), p.top, nil
	s.accs, s.siteReg, s.pressed, s.mostVecs, s.mostMasks = nil, nil, false, 0, 0
	s.uniform, s.uslot, s.home = make([]bool, len(s.nodes)), make([]int32, len(s.nodes)), make([]int8, len(s.nodes))
	for i := range s.nodes {
		s.uniform[i], s.uslot[i], s.home[i] = s.nodes[i].op == prim.Const, -1, -1
	}
	s.liveness()
	s.last[p.yield] = int32(len(s.nodes)) * 3 // after all nodes
	return &s
}

// programRegs returns the most vector registers that a program of the phase needs at
// once.
func (f *emitter) programRegs() (n int) {
	for i := range f.ph.reds {
		if p := f.ph.reds[i].kern.prog; p != nil {
			v, _ := f.newProgram(p).pressure()
			n = max(n, v)
		}
	}
	return n
}

// program combines accumulator d with x.
func (f *emitter) program(p *phase, d, x x86.Vec) {
	s := f.newProgram(p)
	v, m := s.pressure()
	f.makeRoom(v+spareRegs, m+1)
	s.vfree, s.kfree, s.spare, s.slots, s.spills = f.vfree, f.kfree, f.spare, f.slots, f.spills
	for i := range s.vowner {
		s.vowner[i] = -1 // the program must not spill values of the phase
	}
	for i := range s.kowner {
		s.kowner[i] = -1
	}
	s.vtmp, s.ktmp, s.vpinned, s.kpinned, s.half = 0, 0, 0, 0, 0
	s.prolog, s.inCold = false, false
	s.operands = [2]x86.Vec{d, s.takeVec()}
	l := f.lenOf(p.nodes[p.yield].typ)
	f.i(x86.VMOVAPS, l, s.operands[1], x) // the program may overwrite its operands
	s.start(1)
	s.body(s.top)
	s.copy, s.released = 0, true
	if r := s.src(p.yield); r != d {
		f.i(x86.VMOVAPS, l, d, r)
	}
	f.spare, f.slots, f.spills, f.tables, f.kept = s.spare, s.slots, s.spills, s.tables, s.kept
	if f.err == nil {
		f.err = s.err
	}
}

// makeRoom spills values of the phase until vecs vector and masks mask registers are
// free, or nothing more can be spilled.
func (f *emitter) makeRoom(vecs, masks int) {
	for before := ^uint64(0); bits.OnesCount64(f.vfree) < vecs && f.vfree != before; {
		before = f.vfree
		f.spillVec()
	}
	for before := ^uint64(0); bits.OnesCount64(f.kfree) < masks && f.kfree != before; {
		before = f.kfree
		f.spillMask()
	}
}

// operandNode gives an operand of a program its register.
func (f *emitter) operandNode(n *node) {
	r := f.operands[n.aux]
	f.vowner[r] = f.key(f.id, f.copy)
	f.setReg(int8(r))
}

// foldProgram folds the lanes of an accumulator in memory.
func (f *emitter) foldProgram(a *acc) {
	l := f.lenOf(a.kern.lane)
	d, x := f.tmp(), f.tmp()
	for half := a.n / 2; half > 0; half /= 2 {
		for k := range half {
			f.i(x86.VMOVUPS, l, d, f.accMem(a, k))
			f.i(x86.VMOVUPS, l, x, f.accMem(a, k+half))
			f.program(a.kern.prog, d, x)
			f.i(x86.VMOVUPS, l, f.accMem(a, k), d)
		}
	}
	f.i(x86.VMOVUPS, l, d, f.accMem(a, 0))
	for lanes := f.w; lanes > 1; lanes /= 2 {
		f.upperHalf(x, d, lanes*a.kern.lane.Size())
		f.program(a.kern.prog, d, x)
	}
	f.i(x86.VMOVQ, 0, f.accMem(a, 0), d)
	f.released = true
	f.end()
}
