package emit

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// registers returns the number of registers of an accumulator of one vector.
func registers(k *reduce.Kern) int {
	if k.Arg {
		return 2
	}
	return 1
}

// fits reports whether accumulators of so many registers stay in them during a loop.
func (f *phaseCode) fits(registers int) bool {
	if registers > (f.Vectors+1)/2 {
		return false
	}
	v, _ := f.pressure()
	t, few := f.temporaries()
	return registers+10 <= f.Vectors || few && registers+v+t <= f.Vectors
}

// temporaries returns the most registers that the code of a node takes beside its operands and its
// result, and the code of a step of a reduction. They are few if all nodes are contiguous loads and
// arithmetic of floats, of integers of 4 bytes, or of elements that fill narrow lanes.
func (f *phaseCode) temporaries() (n int, few bool) {
	const (
		compared = 2
		halves   = 4 // of a load under a mask
	)
	n = 1 // a step under a mask
	for _, id := range f.top {
		x, own := &f.Nodes[id], 0
		switch x.Op {
		case prim.Add, prim.Sub, prim.Mul, prim.Fma, prim.Neg, prim.Abs, prim.Cvt, prim.And, prim.Or, prim.Xor:
		case prim.Min, prim.Max:
			own = compared
		case ir.Load:
			s := &f.Layout.Sites[x.Aux]
			narrow := s.Size < 4 && s.Size == f.LaneSize
			if s.Kind != layout.Unit || s.Guard || s.Size < 4 && !x.In.IsHalf() && !narrow || x.Args[1] != lower.None {
				return spareRegs, false
			}
			switch {
			case x.In.IsHalf():
				own = halves
			case narrow:
				own = compared
			}
		default:
			return spareRegs, false
		}
		if !f.simple(x.Op, x.Type) || x.Op == prim.Cvt && (x.Type.IsFloat() || x.In.IsFloat() || x.In.Size() != 4) {
			return spareRegs, false
		}
		if !x.Type.IsFloat() && x.Op != ir.Load {
			own = compared
		}
		for _, a := range x.Args {
			if a != lower.None && f.Uniform[a] {
				own++
			}
		}
		n = max(n, own)
	}
	for i := range f.reds {
		r := &f.reds[i]
		if r.Prog != nil || r.Kern.Quiet || r.Kern.Arg || !f.simple(r.Kern.Op, r.Type) || f.LaneSize > 0 && r.Kern.Op == prim.Add || f.Uniform[r.Arg] { // each copy loads a uniform value
			return spareRegs, false
		}
		if r.Kern.Op != prim.Add {
			n = max(n, compared+1)
		}
	}
	return n, true
}

// simple reports whether an operation takes few temporaries: of floats, of integers of 4 bytes or that fill narrow lanes, and sums and bits
// of integers of 8 bytes, also of those that are converted from 4 bytes.
func (f *phaseCode) simple(op prim.Op, t dtype.Type) bool {
	switch {
	case t == dtype.Bool:
		return false
	case t.IsFloat():
		return t.Size() >= 4
	case f.LaneSize > 0:
		return t.Size() == f.LaneSize && op != prim.Cvt && (op != prim.Mul || f.LaneSize == 2)
	}
	if t.Size() == 4 {
		return op != prim.Cvt
	}
	return t.Size() == 8 && slices.Contains([]prim.Op{prim.Add, prim.Sub, prim.And, prim.Or, prim.Xor, prim.Cvt, ir.Load}, op)
}

// takeRanked takes registers for an accumulator of one vector.
func takeRanked(k *reduce.Kern, take func() isa.Vec) (d ranked) {
	if d.x = take(); k.Arg {
		d.at = take()
	}
	return d
}

// eachPart calls do for the vector of an accumulator, and for that of its positions.
func eachPart(k *reduce.Kern, d ranked, m rankedMem, do func(t dtype.Type, r isa.Vec, m isa.Mem)) {
	if do(k.Lane, d.x, m.x); k.Arg {
		do(dtype.I32, d.at, m.at)
	}
}

// storeRanked stores a vector of an accumulator, or its lanes of the tail mask.
func (f *phaseCode) storeRanked(k *reduce.Kern, d ranked, m rankedMem) {
	eachPart(k, d, m, func(t dtype.Type, r isa.Vec, m isa.Mem) {
		masked := f.Masked && f.VecBytes(t) == f.W*t.Size() // not the sums of several lanes
		f.Within(func() { f.Lanes.StoreLanes(t, m, r, masked) })
	})
}

// memReds is the number of further temporaries for a step of a reduction whose
// accumulator is in memory.
const memReds = 3

// accBytes is the size of the lanes of an accumulator in memory: those that the order of a
// reduction names, of 4 or 8 bytes.
const accBytes = 256

// newAccs prepares the reductions of a map phase and returns the most vectors of an
// accumulator.
func (f *phaseCode) newAccs() (unroll int) {
	for i := range f.reds {
		r := &f.reds[i]
		a := acc{Red: r, area: f.Program.RedBase + int(r.State)*frame.RedBytes, n: accBytes / f.VecBytes(r.Kern.Lane)}
		if a.loose() {
			a.n = min(a.n, 4)
		}
		for a.Kern.Arg && len(f.reds) == 1 && a.n > 2 && !f.fits(registers(a.Kern)*a.n) { // any number has the first of equals
			a.n /= 2
		}
		unroll = max(unroll, a.n)
		if f.leaves(&a) { // a test takes one vector
			a.n, unroll = 1, testedVectors
		}
		if a.Kern.Arg && (!f.Rows || f.Layout.N > layout.MostShort) {
			unroll = max(unroll, argVectors)
		}
		f.accs = append(f.accs, a)
	}
	return unroll
}

// leaves reports whether a loop ends as soon as no more elements can change its result: that of one predicate. Elements that store
// or fail are all computed.
func (f *phaseCode) leaves(a *acc) bool {
	_, tests := f.Lanes.(isa.Folder)
	acts := func(n lower.Node) bool { return n.Op == ir.Store || n.Op == ir.Fault }
	return tests && a.Type == dtype.Bool && len(f.reds) == 1 && a.loose() && idempotent(a.Red) && !slices.ContainsFunc(f.Nodes, acts)
}

// testedVectors is the number of vectors after which a loop tests whether more elements change a predicate.
const testedVectors = 8

// accumulators stores the identity to each accumulator in memory, and gives registers to
// those that fit.
func (f *phaseCode) accumulators() {
	for i := range f.accs {
		a := &f.accs[i]
		kern, t := a.Kern, f.Tmp()
		f.Lanes.Constant(t, kern.Lane, kern.Identity)
		for k := range accBytes / f.VecBytes(kern.Lane) {
			f.Lanes.StoreVec(kern.Lane, f.accMem(a, k).x, t)
		}
		if kern.Arg {
			f.Lanes.Constant(t, dtype.I32, frame.NoPosition)
			for k := range a.n {
				f.Lanes.StoreVec(dtype.I32, f.accMem(a, k).at, t)
			}
		}
		f.EndStep()
	}
	total := 0
	for i := range f.accs {
		a := &f.accs[i]
		need := a.n * registers(a.Kern)
		if !f.fits(total + need) {
			continue // stays in memory
		}
		total += need
		for range a.n {
			a.regs = append(a.regs, takeRanked(a.Kern, f.Vecs.TakeTop))
		}
	}
}

// accMem returns the memory of vector k of an accumulator.
func (f *phaseCode) accMem(a *acc, k int) rankedMem {
	return rankedMem{
		isa.At(isa.Frame, a.area+k*f.VecBytes(a.Kern.Lane)), isa.At(isa.Frame, a.area+frame.PosOffset+k*f.VecBytes(dtype.I32)),
	}
}

// eachAcc calls do for the registers of all accumulators.
func (f *phaseCode) eachAcc(do func(t dtype.Type, r isa.Vec, m isa.Mem)) {
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			eachPart(a.Kern, r, f.accMem(a, k), do)
		}
	}
}

func (f *phaseCode) loadAccs() { f.eachAcc(f.Lanes.LoadVec) }

// storeAccs stores all accumulators and frees their registers.
func (f *phaseCode) storeAccs() {
	f.eachAcc(func(t dtype.Type, r isa.Vec, m isa.Mem) {
		f.Lanes.StoreVec(t, m, r)
		f.Vecs.Give(int8(r))
	})
	for i := range f.accs {
		f.accs[i].regs = nil
	}
}

// stepAtOnce combines the values of copies first, first+step and so on with an accumulator, if the target has less code for all
// of them, and reports whether it did.
func (f *phaseCode) stepAtOnce(r *lower.Red, d ranked, first, step int) (done bool) {
	masks := r.Type == dtype.Bool && f.Predicates > 0
	switch {
	case r.Prog != nil || r.Kern.Arg:
		return false
	case masks: // short rows take longer so
		if r.Kern.Sums() || r.Kern.Counts() || f.Copies <= first+step || f.Rows {
			return false
		}
	case r.Type == dtype.Bool && (!f.Sums || r.Kern.All()):
		return false
	}
	if f.Copy = first; masks {
		f.Within(func() { f.step(r, d, f.Lanes.PredicateLanes(r.Arg, r.Kern.All(), step)) })
		return true
	}
	var x []isa.Vec
	for f.Copy = first; f.Copy < f.Copies; f.Copy += step {
		x = append(x, f.operand(r))
	}
	f.Within(func() { done = f.Lanes.StepValues(r.Kern, d.x, x) })
	return done
}

// collect combines the values of a group with the mask register of a loop that leaves, if it has one, and reports whether it did.
// As long as the loop goes on, no value before changes the result.
func (f *phaseCode) collect(a *acc) bool {
	if f.collected == 0 {
		return false
	}
	f.Copy = 0
	f.Lanes.(isa.Collector).Collect(f.collected, a.Arg, a.Kern.All(), f.Base > 0 || f.Copies == 1)
	f.EndStep()
	return true
}

// accumulate combines the values of a group with the accumulators of a map phase.
func (f *phaseCode) accumulate() {
	for i := range f.accs {
		a := &f.accs[i]
		if f.collect(a) {
			continue
		}
		if a.loose() && a.regs != nil && f.stepAtOnce(a.Red, a.regs[f.Base%a.n], 0, 1) {
			a.used = max(a.used, f.Base%a.n+1)
			f.EndStep()
			continue
		}
		worse, skips := f.skipWorse(a)
		for c := range f.Copies {
			f.Copy = c
			k := (f.Base + c) % a.n
			if a.used = max(a.used, k+1); a.regs != nil {
				f.step(a.Red, a.regs[k], f.operand(a.Red))
			} else {
				m := f.accMem(a, k)
				if f.counted { // vector Count of the tail
					f.tailOffset(isa.T0, f.VecBytes(a.Kern.Lane), a.n*f.VecBytes(a.Kern.Lane)-1)
					m.x = isa.AtX(isa.Frame, isa.T0, 1, a.area)
					if a.Kern.Arg {
						f.tailOffset(isa.T2, f.VecBytes(dtype.I32), a.n*f.VecBytes(dtype.I32)-1)
						m.at = isa.AtX(isa.Frame, isa.T2, 1, a.area+frame.PosOffset)
					}
				}
				f.stepMem(a.Red, m)
			}
			f.EndStep()
		}
		if skips {
			f.Bind(worse)
		}
	}
	for i := range f.accs {
		f.DropAll(f.accs[i].Arg)
	}
}

// skipWorse emits a jump past the steps of a group whose values change no position in registers, if there is one, and
// returns its label. Of n numbers in random order, log n are greater than those before them.
func (f *phaseCode) skipWorse(a *acc) (skip isa.Label, ok bool) {
	if a.regs == nil || !a.Kern.Arg || f.Copies < argVectors {
		return skip, false
	}
	skip = f.NewLabel()
	var d, x []isa.Vec
	for c := range f.Copies {
		f.Copy = c
		d, x = append(d, a.regs[(f.Base+c)%a.n].x), append(x, f.operand(a.Red))
	}
	f.Lanes.SkipWorse(a.Kern, d, x, skip)
	f.EndStep()
	return skip, true
}

// argVectors is the number of vectors of which a comparison says that no position changes. A jump for each few elements
// of a short row is mispredicted.
const argVectors = 4

func (f *phaseCode) tailOffset(r isa.Reg, bytes, mask int) {
	f.Int(isa.Mov32, r, isa.Count)
	f.Int(isa.Shl32, r, isa.K(bits.TrailingZeros(uint(bytes))))
	f.Int(isa.And32, r, isa.K(mask))
}

// stepMem combines a value with an accumulator in memory.
func (f *phaseCode) stepMem(r *lower.Red, m rankedMem) {
	x := f.operand(r)
	d := takeRanked(r.Kern, f.Tmp)
	eachPart(r.Kern, d, m, f.Lanes.LoadVec)
	if r.Prog != nil { // the program may overwrite T0, which has the address
		f.Int(isa.Mov, isa.Word(frame.Address), isa.T0)
	}
	f.Within(func() { f.step(r, d, x) })
	if r.Prog != nil {
		f.Int(isa.Mov, isa.T0, isa.Word(frame.Address))
	}
	f.storeRanked(r.Kern, d, m)
}

// operand returns the value of a reduction as a vector. The vector of a predicate
// is not zero in the lanes that change the result.
func (f *phaseCode) operand(r *lower.Red) isa.Vec {
	if r.Type != dtype.Bool {
		return f.Src(r.Arg)
	}
	return f.Lanes.PredicateLanes(r.Arg, r.Kern.All(), 0)
}

// step combines x with an accumulator.
func (f *phaseCode) step(r *lower.Red, d ranked, x isa.Vec) {
	switch {
	case r.Prog != nil:
		f.program(r.Prog, d.x, x)
	case r.Kern.Arg:
		f.Lanes.StepArg(r.Kern, d.x, d.at, x)
	default:
		f.Lanes.StepValue(r.Kern, d.x, x)
	}
}

// keepAccs records the registers of the accumulators for the listing.
func (f *phaseCode) keepAccs() {
	if !f.Listing {
		return
	}
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			what := ""
			eachPart(a.Kern, r, rankedMem{}, func(t dtype.Type, r isa.Vec, _ isa.Mem) {
				f.kept = append(f.kept, listing.Kept{Register: f.Lanes.VecName(int8(r), t), Value: fmt.Sprintf("%s%s of %s, vector %d", what, a.Kern.Name, f.name(a.Arg), k)})
				what = "positions for the "
			})
		}
	}
}
