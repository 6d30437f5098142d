package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
)

// fold emits code that combines the lanes of each accumulator at the end of a block:
// lane j with lane j + half, down to one lane. The code stores it as the first lane of
// the accumulator in memory.
func (f *phaseCode) fold() {
	if len(f.accs) > 0 {
		f.part("fold the lanes of the reductions")
	}
	f.Vecs.Free = 1<<f.Vectors - 1 // no loop follows: all registers are free
	for i := range f.accs {
		switch a := &f.accs[i]; {
		case a.Kern.Arg:
			f.foldArg(a)
		case a.Prog != nil:
			f.foldProgram(a)
		default:
			f.foldLanes(a)
		}
		f.EndStep()
	}
}

// pair combines two vectors of an accumulator.
func (f *phaseCode) pair(a *acc, d, x isa.Vec) {
	red := *a.Red
	red.Kern = a.Kern.Pairs()
	f.Within(func() { f.step(&red, ranked{x: d}, x) })
}

// pairOf is pair for the first bytes of vectors. The rest of d may get any value.
func (f *phaseCode) pairOf(a *acc, d, x isa.Vec, bytes int) {
	w := f.W
	f.W = w * bytes / f.VecBytes(a.Kern.Lane)
	f.pair(a, d, x)
	f.W = w
}

func (f *phaseCode) foldLanes(a *acc) {
	var v []isa.Vec
	x := f.Tmp()
	half := max(a.n/2, 1)
	for k := range half { // the first fold reads memory: the lanes may not fit in registers
		d := f.Tmp()
		f.Lanes.LoadVec(a.Kern.Lane, d, f.accMem(a, k).x)
		v = append(v, d)
		if a.n > 1 {
			f.Lanes.LoadVec(a.Kern.Lane, x, f.accMem(a, k+half).x)
			f.pair(a, d, x)
		}
	}
	for h := half / 2; h > 0; h /= 2 {
		for k := range h {
			f.pair(a, v[k], v[k+h])
		}
	}
	f.foldVector(a, v[0], x)
}

// foldTo combines the upper and the lower half of v, and so on, until the first bytes of v have the result. It overwrites x.
func (f *phaseCode) foldTo(a *acc, v, x isa.Vec, bytes int) {
	for have := f.VecBytes(a.Kern.Lane); have > bytes; have /= 2 {
		f.Lanes.UpperHalf(x, v, have)
		f.pairOf(a, v, x, max(have/2, 16))
	}
}

// foldVector combines the lanes of v, and stores the result as the first lane of an accumulator
// in memory, or in the cell of the reduction. It overwrites x.
func (f *phaseCode) foldVector(a *acc, v, x isa.Vec) {
	if f.tested(a) {
		if f.Lanes.(isa.Folder).AnyLane(v, f.collected, a.Kern.All()); f.Rows {
			f.resultFromInt(a.Red)
		} else {
			f.Int(isa.Mov, isa.Word(a.area), isa.T0)
		}
		return
	}
	f.foldTo(a, v, x, resultBytes(a.Red))
	t := a.Kern.Lane
	if f.toCell(a) {
		f.Lanes.StoreFirst(t.Size(), f.CellAt(a.Cell), v)
		return
	}
	if m := f.accMem(a, 0).x; a.Kern.Counts() {
		f.Int(isa.Mov, isa.T0, isa.K(0))
		f.Int(isa.Mov, isa.Word(a.area), isa.T0)
		f.Lanes.StoreFirst(4, m, v)
	} else {
		f.Lanes.StoreFirst(8, m, v)
	}
	if f.sought {
		f.best = f.Vecs.TakeTop()
		f.Lanes.SpreadFirst(t, f.best, v)
	}
}

// resultBytes returns the bytes of an accumulator that have its result: those of a lane, or of 4 bytes of predicates.
func resultBytes(r *lower.Red) int {
	if r.Type == dtype.Bool {
		return max(r.Kern.Lane.Size(), 4)
	}
	return r.Kern.Lane.Size()
}

// toCell reports whether the lane that is left of an accumulator is the result of a row as its cell has it. Then no load
// waits for a store on the way there.
func (f *phaseCode) toCell(a *acc) bool {
	return f.Rows && (f.tested(a) || f.Layout.Blends && a.Prog == nil && a.Kern.Ordered && a.Kern.Lane == a.Type && a.Type.Size() >= 4)
}

// tested reports whether one test tells the result of a predicate from its lanes.
func (f *phaseCode) tested(a *acc) bool {
	_, tests := f.Lanes.(isa.Folder)
	return tests && a.Type == dtype.Bool && a.Prog == nil && !a.Kern.Arg && !a.Kern.Sums() && !a.Kern.Counts()
}

// foldArg folds the lanes of ArgMin and ArgMax with few registers. The order of the
// lanes does not matter.
func (f *phaseCode) foldArg(a *acc) {
	d, x, k := takeRanked(a.Kern, f.Tmp), takeRanked(a.Kern, f.Tmp), a.Kern
	pair := func() { f.Within(func() { f.Lanes.PairArg(k, d.x, d.at, x.x, x.at) }) }
	eachPart(k, d, f.accMem(a, 0), f.Lanes.LoadVec)
	for i := 1; i < a.n; i++ {
		eachPart(k, x, f.accMem(a, i), f.Lanes.LoadVec)
		pair()
	}
	for lanes := f.W; lanes > 1; lanes /= 2 {
		f.Lanes.UpperHalf(x.x, d.x, lanes*k.Lane.Size())
		f.Lanes.UpperHalf(x.at, d.at, lanes*4)
		pair()
	}
	f.Lanes.StoreFirst(8, f.accMem(a, 0).x, d.x)
	f.Lanes.StoreFirst(8, f.accMem(a, 0).at, d.at)
}

// foldProgram folds the lanes of an accumulator in memory.
func (f *phaseCode) foldProgram(a *acc) {
	t := a.Kern.Lane
	d, x := f.Tmp(), f.Tmp()
	for half := a.n / 2; half > 0; half /= 2 {
		for k := range half {
			f.Lanes.LoadVec(t, d, f.accMem(a, k).x)
			f.Lanes.LoadVec(t, x, f.accMem(a, k+half).x)
			f.program(a.Prog, d, x)
			f.Lanes.StoreVec(t, f.accMem(a, k).x, d)
		}
	}
	f.Lanes.LoadVec(t, d, f.accMem(a, 0).x)
	for lanes := f.W; lanes > 1; lanes /= 2 {
		f.Lanes.UpperHalf(x, d, lanes*t.Size())
		f.program(a.Prog, d, x)
	}
	f.Lanes.StoreFirst(8, f.accMem(a, 0).x, d)
}

// results emits code that stores the reductions of a row, which is one block, in their
// cells.
func (f *phaseCode) results() {
	for i := range f.accs {
		if f.toCell(&f.accs[i]) {
			continue
		}
		r, area := f.accs[i].Red, f.accs[i].area
		if f.accs[i].Kern.Arg {
			found := f.NewLabel()
			f.Load(4, isa.T0, isa.At(isa.Frame, area+frame.PosOffset))
			f.Branch(isa.NE32, isa.T0, isa.K(frame.NoPosition), found)
			f.Int(isa.Mov, isa.T0, isa.K(0)) // every element is the identity
			f.Bind(found)
			f.Int(isa.Mov, isa.Word(f.Program.CellBase+int(r.Cell)*8), isa.T0)
			continue
		}
		f.Load(resultBytes(r), isa.T0, isa.At(isa.Frame, area))
		f.resultFromInt(r)
	}
}

// resultFromInt stores the result of a reduction, which is in T0 as a lane, in its cell.
func (f *phaseCode) resultFromInt(r *lower.Red) {
	switch {
	case r.Kern.Sums() || r.Kern.Counts():
	case isa.Narrow(r.Type) && r.Type.IsSigned():
		f.Int(isa.Shl32, isa.T0, isa.K(32-8*r.Type.Size()))
		f.Int(isa.Sar32, isa.T0, isa.K(32-8*r.Type.Size()))
	case isa.Narrow(r.Type):
		f.Int(isa.And32, isa.T0, isa.K(int(r.Type.Mask())))
	case r.Type == dtype.Bool: // any: not 0; all: 0
		f.Boolean(isa.T0)
		if r.Kern.All() {
			f.Int(isa.Xor32, isa.T0, isa.K(1))
		}
	}
	f.Int(isa.Mov, isa.Word(f.Program.CellBase+int(r.Cell)*8), isa.T0)
}
