package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
)

// A reduction without instructions of its own combines values by a program. Wherever a
// value meets an accumulator, an emitter of its own writes the program on the
// free registers.

// newProgram returns an emitter for program p.
func (f *phaseCode) newProgram(p *lower.Phase) *phaseCode {
	s := &phaseCode{Emitter: f.Emitter, target: f.target, top: p.Top, kept: f.kept}
	s.Lanes = f.target.Lanes(&s.Emitter)
	s.Phase, s.Nodes, s.Values, s.SiteReg = p, slices.Clone(p.Nodes), isa.Values{}, nil
	s.Grow(len(s.Nodes))
	for i := range s.Nodes {
		s.Uniform[i] = s.Nodes[i].Op == prim.Const
	}
	s.liveness()
	s.Last[p.Yield] = int32(len(s.Nodes)) * 3 // after all nodes
	return s
}

// programRegs returns the most vector registers that a program of the phase needs at
// once.
func (f *phaseCode) programRegs() (n int) {
	for i := range f.Phase.Reds {
		if p := f.Phase.Reds[i].Prog; p != nil {
			v, _ := f.newProgram(p).pressure()
			n = max(n, v)
		}
	}
	return n
}

// program combines accumulator d with x.
func (f *phaseCode) program(p *lower.Phase, d, x isa.Vec) {
	s := f.newProgram(p)
	v, m := s.pressure()
	f.makeRoom(v+spareRegs, m+1)
	// The program must not spill values of the phase.
	s.Vecs, s.Masks, s.Slots, s.Spills = isa.NewRegisterFile(f.Vecs.Free), isa.NewRegisterFile(f.Masks.Free), f.Slots, f.Spills
	s.Half, s.Prolog, s.InCold = 0, false, false
	s.Operands = [2]isa.Vec{d, s.TakeVec()}
	t := p.Nodes[p.Yield].Type
	f.Lanes.CopyVec(t, s.Operands[1], x) // the program may overwrite its operands
	s.Start(1)
	s.body(s.top)
	s.Copy, s.Released = 0, true
	if r := s.Src(p.Yield); r != d {
		f.Lanes.CopyVec(t, d, r)
	}
	f.Slots, f.Spills, f.kept = s.Slots, s.Spills, s.kept
	if f.Err == nil {
		f.Err = s.Err
	}
}

// makeRoom spills values of the phase until vecs vector and masks mask registers are
// free, or nothing more can be spilled.
func (f *phaseCode) makeRoom(vecs, masks int) {
	room := func(file *isa.RegisterFile, want int) {
		for before := ^uint64(0); bits.OnesCount64(file.Free) < want && file.Free != before; {
			before = file.Free
			f.Spill(file)
		}
	}
	room(&f.Vecs, vecs)
	room(&f.Masks, masks)
}
