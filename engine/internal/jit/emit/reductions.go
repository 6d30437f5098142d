package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// reduceLoop emits a loop with reductions: a main loop over all lanes of the
// accumulators, and a masked loop for the rest.
func (f *phaseCode) reduceLoop() {
	position := f.findByValue()
	unroll := f.newAccs()
	if f.shortRow(unroll) || f.heldLoop(unroll) {
		if position != nil {
			f.search(position, f.overlaps())
		}
		if f.Rows {
			f.results()
		}
		return
	}
	if position != nil {
		f.accs, f.reds[0].Kern, f.sought = nil, position, false
		unroll = f.newAccs()
	}
	f.accumulators()
	f.keepAccs()
	fixed := lists.Sum(f.accs, func(a acc) int { return len(a.regs) * registers(a.Kern) })
	if fixed > 0 {
		fixed += f.programRegs()
	}
	group := min(f.chooseCopies(4, fixed), unroll)
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - fixed - group*v - spareRegs)

	lanes := isa.Word(f.Phase.Lanes)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	tail, done := f.NewLabel(), f.NewLabel()
	f.Branch(isa.LT, lanes, isa.K(unroll*f.W), tail)
	f.loadAccs()
	f.part("main loop: %d vectors, %d at once", unroll, group)
	f.reduceVectors(unroll, group, nil)
	f.storeAccs()

	f.part("tail: vectors under a mask, up to the last element")
	f.Bind(tail)
	f.Int(isa.Mov, isa.Count, isa.K(0))
	more, part, next := f.NewLabel(), f.NewLabel(), f.NewLabel()
	vector := func() {
		f.Start(1)
		f.body(f.top)
		f.accumulate()
	}
	f.counted = true
	f.Bind(more)
	if f.Predicates == 0 { // loads under a mask are slow
		f.Asm.Address(isa.T0, isa.At(isa.Lane, f.W))
		f.Branch(isa.GT, isa.T0, lanes, part)
		vector()
		f.Jump(next)
		f.Bind(part)
	}
	f.maskedVector(lanes, done, vector)
	f.counted = false
	if f.Predicates == 0 {
		f.Bind(next)
	}
	f.Int(isa.Add, isa.Lane, isa.K(f.W))
	f.Int(isa.Add, isa.Count, isa.K(1))
	f.Jump(more)
	f.Bind(done)
	f.fold()
	if f.Rows {
		f.results()
	}
}

// reduceVectors emits a loop over unroll vectors with reductions, group at once. leave, if not nil, emits a jump out of it.
func (f *phaseCode) reduceVectors(unroll, group int, leave func()) {
	step, loop := unroll*f.W, f.NewLabel()
	last := f.lastStart(step)
	f.Align(32)
	f.Bind(loop)
	f.ahead(isa.Lane, step)
	for f.Base = 0; f.Base < unroll; f.Base += group {
		f.Start(group)
		f.body(f.top)
		f.accumulate()
	}
	f.Base = 0
	if leave != nil {
		leave()
	}
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.branchFull(isa.LE, step, last, loop)
}

// shortRow emits the reductions of a row of few elements without a loop: vector after vector,
// the last one under a mask, with all accumulators in registers. It reports whether it did.
// Lanes without elements keep the identity. Vectors without elements are left out, which changes
// no bit of a built-in reduction.
func (f *phaseCode) shortRow(unroll int) bool {
	need := f.shortRegs()
	if need == 0 || f.Layout.N > layout.MostShort || f.Layout.N > 2*unroll*f.W {
		return false
	}
	f.part("%d vectors, in registers", f.rowVectors())
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - need - v - spareRegs)
	f.shortVectors(false)
	f.foldAccs()
	return true
}

// rowVectors returns the number of vectors of a row without a loop.
func (f *phaseCode) rowVectors() int { return (f.Layout.N + f.W - 1) / f.W }

// shortRegs returns the number of registers of the accumulators of a row without a loop, or 0 if the row takes a loop.
func (f *phaseCode) shortRegs() int {
	vectors := f.rowVectors()
	need := lists.Sum(f.accs, func(a acc) int { return min(vectors, a.n) })
	special := func(a acc) bool { return a.Kern.Arg || a.Prog != nil }
	if !f.Rows || vectors == 0 || vectors*len(f.top) > 4*longBody || !f.fits(need) || slices.ContainsFunc(f.accs, special) {
		return 0
	}
	return need
}

// shortVectors emits the vectors of a row without a loop. If tail is set, code before has made the mask of the last one.
func (f *phaseCode) shortVectors(tail bool) {
	n, vectors := f.Layout.N, f.rowVectors()
	f.beginAccs(vectors)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	for f.Base = 0; f.Base < vectors; f.Base++ {
		switch left := n - f.Base*f.W; {
		case left >= f.W:
		case n > f.W && f.repeats() && f.anyLane():
			f.Back = f.W - left
		case n > f.W && f.overlaps():
			f.Int(isa.Sub, isa.Lane, isa.K(f.W-left)) // from 0
		default:
			if f.Masked, f.Tail = true, left; !tail {
				f.Int(isa.Mov, isa.T1, isa.K(left))
				f.Lanes.SetTail()
			}
		}
		f.stepVector()
	}
	f.Masked, f.Tail, f.Base, f.Back = false, 0, 0, 0
}

// heldLoop emits a loop with reductions whose accumulators stay in registers from the identity to the result: groups of
// vectors, single vectors, and a masked vector for the rest. It reports whether it did. If the order of one of them is defined,
// each vector of the rest has code of its own, so the body must be short.
func (f *phaseCode) heldLoop(unroll int) bool {
	need, ordered := 0, false
	for i := range f.accs {
		a := &f.accs[i]
		need += a.n
		ordered = ordered || a.Kern.Ordered
		if a.Kern.Arg || a.Prog != nil {
			return false
		}
	}
	if !f.fits(need) || len(f.top) > longBody || ordered && unroll*(len(f.top)+restNodes) > 2*longBody {
		return false
	}
	f.beginAccs(unroll)
	for i := range f.accs {
		for _, r := range f.accs[i].regs {
			f.Lanes.Constant(r.x, f.accs[i].Kern.Lane, f.accs[i].Kern.Identity)
		}
	}
	group := f.uniformsOrGroup(min(f.chooseCopies(4, need), unroll), need)
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - need - group*v - spareRegs)
	leaves := f.leaves(&f.accs[0])
	if c, collects := f.Lanes.(isa.Collector); leaves && collects {
		f.collected = isa.Mask(f.Masks.TakeTop())
		c.SetMask(f.collected, f.accs[0].Kern.All())
	}
	lanes := isa.Word(f.Phase.Lanes)
	single, done := f.NewLabel(), f.NewLabel()
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.Branch(isa.LT, lanes, isa.K(unroll*f.W), single)
	// The processor prefetches two halves of one array faster than the whole, but not those of two arrays.
	if plain := group == unroll && !f.Rows && !ordered && !leaves; plain && len(f.Layout.Sites) == 1 && f.inHalves() {
		f.part("main loop: %d vectors at once, half of them in the second half of the elements", group)
		f.halves(group, single)
	} else {
		f.part("main loop: %d vectors, %d at once", unroll, group)
		f.reduceVectors(unroll, group, func() {
			if a := &f.accs[0]; leaves {
				f.Lanes.(isa.Folder).BranchSet(a.regs[0].x, f.collected, a.Kern.All(), done)
				f.EndStep()
			}
		})
	}
	f.part("single vectors")
	f.Bind(single)
	if ordered {
		f.orderedRest(lanes, unroll, done)
	} else {
		f.looseRest(lanes, done)
	}
	f.Bind(done)
	if f.foldAccs(); f.collected > 0 {
		f.Masks.Give(int8(f.collected))
		f.collected = 0
	}
	return true
}

// restNodes is the nodes of a body whose code takes as long to make as a mask, a step under it, and the jumps.
const restNodes = 8

// looseRest emits the vectors after the main loop, combined with one accumulator.
func (f *phaseCode) looseRest(lanes isa.Int, done isa.Label) {
	tail := f.NewLabel()
	f.wholeVector(lanes, tail)
	f.reduceVectors(1, 1, nil)
	f.Bind(tail)
	if f.overlaps() {
		f.lastVector(done, f.stepVector)
	}
	f.part("tail: a vector under a mask")
	f.maskedVector(lanes, done, f.stepVector)
}

// orderedRest emits the vectors after the main loop, fewer than unroll whole ones and one under a mask, each combined with its own
// accumulators.
func (f *phaseCode) orderedRest(lanes isa.Int, unroll int, done isa.Label) {
	tails := make([]isa.Label, unroll)
	for i := range tails {
		if tails[i] = f.NewLabel(); i == unroll-1 {
			break // fewer lanes than a vector are left
		}
		f.Base = i
		f.wholeVector(lanes, tails[i])
		f.stepVector()
	}
	f.part("tail: a vector under a mask")
	for i, tail := range slices.Backward(tails) {
		f.Bind(tail)
		f.Base = i
		if f.maskedVector(lanes, done, f.stepVector); i > 0 {
			f.Jump(done)
		}
	}
	f.Base = 0
}

// wholeVector jumps to tail if fewer lanes than a vector are left.
func (f *phaseCode) wholeVector(lanes isa.Int, tail isa.Label) {
	f.Asm.Address(isa.T0, isa.At(isa.Lane, (f.Base+1)*f.W))
	f.Branch(isa.GT, isa.T0, lanes, tail)
}

// stepVector computes a vector, and combines it with the accumulators.
func (f *phaseCode) stepVector() {
	f.Start(1)
	f.body(f.top)
	f.stepAccs()
}

// overlaps reports whether the last vector of a row has elements of the one before, in place of a mask. Vectors under a mask are
// slow without mask registers.
func (f *phaseCode) overlaps() bool { return f.Predicates == 0 && f.repeats() }

// repeats reports whether elements may be combined twice: they change no result, and nothing is stored.
func (f *phaseCode) repeats() bool {
	stores := func(n lower.Node) bool { return n.Op == ir.Store }
	return !slices.ContainsFunc(f.accs, func(a acc) bool { return !idempotent(a.Red) }) && !slices.ContainsFunc(f.Nodes, stores)
}

// lastVector emits the last vector of a row, which may have elements of the one before, and a jump to
// done. It does nothing if the row has fewer elements than a vector.
func (f *phaseCode) lastVector(done isa.Label, vector func()) {
	lanes, fewer := f.lanes, f.NewLabel()
	f.part("tail: the last vector of the row")
	f.Branch(isa.GE, isa.Lane, lanes, done)
	f.Branch(isa.LT, lanes, isa.K(f.W), fewer)
	f.Int(isa.Mov, isa.Lane, lanes)
	f.Int(isa.Sub, isa.Lane, isa.K(f.W))
	vector()
	f.Jump(done)
	f.Bind(fewer)
}

// beginAccs gives the accumulators registers: for each vector of an accumulator, but no more than vectors.
func (f *phaseCode) beginAccs(vectors int) {
	for i := range f.accs {
		a := &f.accs[i]
		for range min(vectors, a.n) {
			a.regs = append(a.regs, takeRanked(a.Kern, f.Vecs.TakeTop))
		}
	}
	f.keepAccs()
}

// stepAccs combines the values of a vector with the accumulators.
func (f *phaseCode) stepAccs() {
	f.Copy = 0
	for i := range f.accs {
		f.stepShort(&f.accs[i])
	}
	for i := range f.accs {
		f.DropAll(f.accs[i].Arg)
	}
}

// foldAccs folds the accumulators in registers.
func (f *phaseCode) foldAccs() {
	f.part("fold the lanes of the reductions")
	for i := range f.accs {
		f.foldShort(&f.accs[i])
	}
}

// stepShort combines the values of a vector with its accumulator. The first ones are the accumulator.
func (f *phaseCode) stepShort(a *acc) {
	if f.collect(a) {
		return
	}
	d, x, first := a.regs[f.Base%a.n], f.operand(a.Red), f.Base%a.n >= a.used
	a.used = max(a.used, f.Base%a.n+1)
	is := first && !a.Kern.Sums() && !a.Kern.Counts() && !a.Kern.Quiet && !(a.Kern.Op == prim.Mul && f.LaneSize > 0)
	masked := f.Masked && !a.Kern.Sums() && !(f.loadsZeros(a.Arg) && a.Kern.Identity == 0) // sums leave the other lanes out
	if first && (!is || masked) {
		f.Lanes.Constant(d.x, a.Kern.Lane, a.Kern.Identity)
	}
	switch {
	case is && !masked:
		f.Lanes.CopyVec(a.Kern.Lane, d.x, x)
	case is:
		f.Lanes.CopyLanes(a.Kern.Lane, d.x, x)
	case !masked:
		f.step(a.Red, d, x)
	default:
		t := f.Tmp()
		f.Lanes.CopyVec(a.Kern.Lane, t, d.x)
		f.Within(func() { f.step(a.Red, ranked{x: t}, x) })
		f.Lanes.CopyLanes(a.Kern.Lane, d.x, t)
	}
	f.EndStep()
}

// loadsZeros reports whether a node is zero in the lanes that the mask of the tail leaves out.
func (f *phaseCode) loadsZeros(id int32) bool {
	n := &f.Nodes[id]
	if n.Op != ir.Load || f.Predicates == 0 || n.Args[0] != lower.None || n.Args[1] != lower.None {
		return false
	}
	s := &f.Layout.Sites[n.Aux]
	return s.Kind == layout.Unit && !s.Guard && f.Phase.Sites[n.Aux].Type == n.Type && n.Type != dtype.Bool
}

// foldShort combines the lanes of an accumulator in registers, in the order of foldLanes, and
// stores the result as the first lane in memory.
func (f *phaseCode) foldShort(a *acc) {
	d, x := f.Tmp(), f.Tmp()
	f.Lanes.CopyVec(a.Kern.Lane, d, f.foldVectors(a))
	f.foldVector(a, d, x)
	f.EndStep()
	for _, r := range a.regs {
		f.Vecs.Give(int8(r.x))
	}
}

// foldVectors combines the vectors of an accumulator in registers, and returns the one that has the result.
func (f *phaseCode) foldVectors(a *acc) isa.Vec {
	have := a.used
	for h := a.n / 2; h > 0; h /= 2 {
		for k := range min(h, max(have-h, 0)) {
			f.pair(a, a.regs[k].x, a.regs[k+h].x)
		}
		have = min(have, h)
	}
	return a.regs[0].x
}
