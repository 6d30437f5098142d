package emit

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// An acc is the accumulators of one reduction of a map phase: in registers in the
// main loop if they fit, in memory in the tail.
type acc struct {
	*lower.Red
	area int32 // offset in the frame
	n    int   // vectors
	regs []x86.Vec
	idx  []x86.Vec // positions, for ArgMin and ArgMax
}

// memReds is the number of further temporaries for a step of a reduction whose
// accumulator is in memory.
const memReds = 3

// accumulators prepares the reductions of a map phase and returns the most vectors
// of an accumulator. It stores the identity to each accumulator in memory, and
// gives registers to those that fit.
func (f *phaseCode) accumulators() (unroll int) {
	for i := range f.Phase.Reds {
		r := &f.Phase.Reds[i]
		kern := r.Kern
		a := acc{Red: r, area: int32(f.Program.RedBase + int(r.State)*frame.RedBytes), n: ir.Lanes(kern.Lane) / f.W}
		unroll = max(unroll, a.n)
		t := f.Tmp()
		f.LoadConst(t, kern.Lane, kern.Identity)
		for k := range 256 / (f.LenOf(kern.Lane) / 8) {
			f.I(x86.VMOVUPS, f.LenOf(kern.Lane), x86.At(x86.RDI, a.area+int32(k)*int32(f.LenOf(kern.Lane)/8)), t)
		}
		if kern.Arg {
			f.LoadConst(t, dtype.I32, frame.NoPosition)
			for k := range a.n {
				f.I(x86.VMOVUPS, f.LenOf(dtype.I32), f.idxMem(&a, k), t)
			}
		}
		f.EndStep()
		f.accs = append(f.accs, a)
	}
	total := 0
	for i := range f.accs {
		a := &f.accs[i]
		need := a.n
		if a.Kern.Arg {
			need *= 2
		}
		if total+need > f.Registers/2 || total+need+10 > f.Registers {
			continue // stays in memory
		}
		total += need
		for range a.n {
			a.regs = append(a.regs, f.Vecs.TakeTop())
		}
		if a.Kern.Arg {
			for range a.n {
				a.idx = append(a.idx, f.Vecs.TakeTop())
			}
		}
	}
	return unroll
}

func (f *phaseCode) accMem(a *acc, k int) x86.Mem {
	return x86.At(x86.RDI, a.area+int32(k)*int32(f.LenOf(a.Kern.Lane)/8))
}

func (f *phaseCode) idxMem(a *acc, k int) x86.Mem {
	return x86.At(x86.RDI, a.area+frame.PosOffset+int32(k)*int32(f.LenOf(dtype.I32)/8))
}

// eachAcc calls do for the registers of all accumulators.
func (f *phaseCode) eachAcc(do func(l x86.Len, r x86.Vec, m x86.Mem)) {
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			do(f.LenOf(a.Kern.Lane), r, f.accMem(a, k))
		}
		for k, r := range a.idx {
			do(f.LenOf(dtype.I32), r, f.idxMem(a, k))
		}
	}
}

func (f *phaseCode) loadAccs() {
	f.eachAcc(func(l x86.Len, r x86.Vec, m x86.Mem) { f.I(x86.VMOVUPS, l, r, m) })
}

// storeAccs stores all accumulators and frees their registers.
func (f *phaseCode) storeAccs() {
	f.eachAcc(func(l x86.Len, r x86.Vec, m x86.Mem) {
		f.I(x86.VMOVUPS, l, m, r)
		f.Vecs.Give(int8(r))
	})
	for i := range f.accs {
		f.accs[i].regs, f.accs[i].idx = nil, nil
	}
}

// accumulate combines the values of a group with the accumulators of a map phase.
func (f *phaseCode) accumulate() {
	for i := range f.accs {
		a := &f.accs[i]
		for c := range f.Copies {
			f.Copy = c
			k := (f.Base + c) % a.n
			switch {
			case a.regs != nil:
				x := f.operand(a.Red)
				idx := x86.Vec(0)
				if a.Kern.Arg {
					idx = a.idx[k]
				}
				f.step(a.Red, a.regs[k], idx, x)
			default:
				m, im := f.accMem(a, k), x86.Mem{}
				if a.Kern.Arg {
					im = f.idxMem(a, k)
				}
				if f.Masked { // vector RBX of the tail
					f.tailOffset(x86.RAX, int(f.LenOf(a.Kern.Lane)/8), 255)
					m = x86.AtX(x86.RDI, x86.RAX, 1, a.area)
					if a.Kern.Arg {
						f.tailOffset(x86.RDX, int(f.LenOf(dtype.I32)/8), a.n*int(f.LenOf(dtype.I32)/8)-1)
						im = x86.AtX(x86.RDI, x86.RDX, 1, a.area+frame.PosOffset)
					}
				}
				f.stepMem(a.Red, m, im)
			}
			f.EndStep()
		}
	}
	for i := range f.accs {
		f.DropAll(f.accs[i].Arg)
	}
}

func (f *phaseCode) tailOffset(r x86.Reg, bytes, mask int) {
	f.I(x86.MOV, x86.W32, r, x86.RBX)
	f.I(x86.SHL, x86.W32, r, x86.Imm(bits.TrailingZeros(uint(bytes))))
	f.I(x86.AND, x86.W32, r, x86.Imm(mask))
}

// stepMem combines a value with an accumulator in memory.
func (f *phaseCode) stepMem(r *lower.Red, m, im x86.Mem) {
	k, x := r.Kern, f.operand(r)
	d := f.Tmp()
	var idx x86.Vec
	f.I(x86.VMOVUPS, f.LenOf(k.Lane), d, m)
	if k.Arg {
		idx = f.Tmp()
		f.I(x86.VMOVUPS, f.LenOf(dtype.I32), idx, im)
	}
	if r.Prog != nil { // the program may overwrite RAX, which has the address
		f.I(x86.MOV, x86.W64, isa.Frame(frame.Address), x86.RAX)
	}
	f.Within(func() { f.step(r, d, idx, x) })
	if r.Prog != nil {
		f.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(frame.Address))
	}
	f.Within(func() { f.storeAcc(k.Lane, m, d) })
	if k.Arg {
		f.Within(func() { f.storeAcc(dtype.I32, im, idx) })
	}
}

// storeAcc stores a vector of an accumulator. In the tail it stores only the lanes
// of the tail mask.
func (f *phaseCode) storeAcc(t dtype.Type, m x86.Mem, x x86.Vec) {
	if f.Masked {
		f.Target.StoreTail(&f.Emitter, t, m, x)
		return
	}
	f.I(isa.Pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t), m, x)
}

// operand returns the value of a reduction as a vector. The vector of a predicate
// is not zero in the lanes that change the result.
func (f *phaseCode) operand(r *lower.Red) x86.Vec {
	if r.Type != dtype.Bool {
		return f.Src(r.Arg)
	}
	return f.Target.PredicateLanes(&f.Emitter, r.Arg, r.Kern.All())
}

// step combines x with an accumulator.
func (f *phaseCode) step(r *lower.Red, d, idx, x x86.Vec) {
	switch {
	case r.Prog != nil:
		f.program(r.Prog, d, x)
	case r.Kern.Arg:
		f.Target.StepArg(&f.Emitter, r.Kern, d, idx, x)
	default:
		f.Target.StepValue(&f.Emitter, r.Kern, d, x)
	}
}
