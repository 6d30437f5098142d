package emit

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// An acc is the accumulators of one reduction of a map phase: in registers in the
// main loop if they fit, in memory in the tail.
type acc struct {
	*lower.Red
	area int // offset in the frame
	n    int // vectors
	regs []isa.Vec
	idx  []isa.Vec // positions, for ArgMin and ArgMax
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
		a := acc{Red: r, area: f.Program.RedBase + int(r.State)*frame.RedBytes, n: ir.Lanes(kern.Lane) / f.W}
		unroll = max(unroll, a.n)
		t := f.Tmp()
		f.Lanes.Constant(t, kern.Lane, kern.Identity)
		for k := range 256 / f.VecBytes(kern.Lane) {
			f.Lanes.StoreVec(kern.Lane, f.accMem(&a, k), t)
		}
		if kern.Arg {
			f.Lanes.Constant(t, dtype.I32, frame.NoPosition)
			for k := range a.n {
				f.Lanes.StoreVec(dtype.I32, f.idxMem(&a, k), t)
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
		if total+need > f.Vectors/2 || total+need+10 > f.Vectors {
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

func (f *phaseCode) accMem(a *acc, k int) isa.Mem {
	return isa.At(isa.Frame, a.area+k*f.VecBytes(a.Kern.Lane))
}

func (f *phaseCode) idxMem(a *acc, k int) isa.Mem {
	return isa.At(isa.Frame, a.area+frame.PosOffset+k*f.VecBytes(dtype.I32))
}

// eachAcc calls do for the registers of all accumulators.
func (f *phaseCode) eachAcc(do func(t dtype.Type, r isa.Vec, m isa.Mem)) {
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			do(a.Kern.Lane, r, f.accMem(a, k))
		}
		for k, r := range a.idx {
			do(dtype.I32, r, f.idxMem(a, k))
		}
	}
}

func (f *phaseCode) loadAccs() {
	f.eachAcc(f.Lanes.LoadVec)
}

// storeAccs stores all accumulators and frees their registers.
func (f *phaseCode) storeAccs() {
	f.eachAcc(func(t dtype.Type, r isa.Vec, m isa.Mem) {
		f.Lanes.StoreVec(t, m, r)
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
				idx := isa.Vec(0)
				if a.Kern.Arg {
					idx = a.idx[k]
				}
				f.step(a.Red, a.regs[k], idx, x)
			default:
				m, im := f.accMem(a, k), isa.Mem{}
				if a.Kern.Arg {
					im = f.idxMem(a, k)
				}
				if f.Masked { // vector Count of the tail
					f.tailOffset(isa.T0, f.VecBytes(a.Kern.Lane), 255)
					m = isa.AtX(isa.Frame, isa.T0, 1, a.area)
					if a.Kern.Arg {
						f.tailOffset(isa.T2, f.VecBytes(dtype.I32), a.n*f.VecBytes(dtype.I32)-1)
						im = isa.AtX(isa.Frame, isa.T2, 1, a.area+frame.PosOffset)
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

func (f *phaseCode) tailOffset(r isa.Reg, bytes, mask int) {
	f.Int(isa.Mov32, r, isa.Count)
	f.Int(isa.Shl32, r, isa.K(bits.TrailingZeros(uint(bytes))))
	f.Int(isa.And32, r, isa.K(mask))
}

// stepMem combines a value with an accumulator in memory.
func (f *phaseCode) stepMem(r *lower.Red, m, im isa.Mem) {
	k, x := r.Kern, f.operand(r)
	d := f.Tmp()
	var idx isa.Vec
	f.Lanes.LoadVec(k.Lane, d, m)
	if k.Arg {
		idx = f.Tmp()
		f.Lanes.LoadVec(dtype.I32, idx, im)
	}
	if r.Prog != nil { // the program may overwrite T0, which has the address
		f.Int(isa.Mov, isa.Word(frame.Address), isa.T0)
	}
	f.Within(func() { f.step(r, d, idx, x) })
	if r.Prog != nil {
		f.Int(isa.Mov, isa.T0, isa.Word(frame.Address))
	}
	f.Within(func() { f.Lanes.StoreLanes(k.Lane, m, d, f.Masked) })
	if k.Arg {
		f.Within(func() { f.Lanes.StoreLanes(dtype.I32, im, idx, f.Masked) })
	}
}

// operand returns the value of a reduction as a vector. The vector of a predicate
// is not zero in the lanes that change the result.
func (f *phaseCode) operand(r *lower.Red) isa.Vec {
	if r.Type != dtype.Bool {
		return f.Src(r.Arg)
	}
	return f.Lanes.PredicateLanes(r.Arg, r.Kern.All())
}

// step combines x with an accumulator.
func (f *phaseCode) step(r *lower.Red, d, idx, x isa.Vec) {
	switch {
	case r.Prog != nil:
		f.program(r.Prog, d, x)
	case r.Kern.Arg:
		f.Lanes.StepArg(r.Kern, d, idx, x)
	default:
		f.Lanes.StepValue(r.Kern, d, x)
	}
}
