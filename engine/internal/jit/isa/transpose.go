package isa

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// A seq loop along the rows of its arrays has its lanes apart in memory. Blocks of its arrays,
// W steps of W lanes, are transposed in registers between the array and scratch memory in the
// frame. The loop goes down the scratch memory as down columns.

// A TransposedSite is a site of such a loop. Its scratch memory is W slots, one for each step; a store has as many
// again.
type TransposedSite struct {
	*layout.Site
	ID    int32
	Slot  int32
	Store bool
	Swaps bool  // the steps of the rows from the eighth on are [frame.Steps] behind those of the others
	Steps []Vec // the registers with the steps of a part, in their order, or nil
	First int   // the first of them
}

// TransposePitch is the bytes from step to step in scratch memory.
const TransposePitch = 64

// Scratch returns the scratch memory of step u of a block.
func (f *Emitter) Scratch(t *TransposedSite, u int) Mem {
	return At(Frame, int(f.Slot(t.Slot).Disp)+u*TransposePitch)
}

// back reports whether the loop goes through the elements of an array from the last to the
// first.
func (t *TransposedSite) back() bool { return t.Step < 0 }

// element returns the scratch memory of element e of W, in the order of the array.
func (f *Emitter) element(t *TransposedSite, e int) Mem {
	if t.back() {
		e = f.W - 1 - e
	}
	return f.Scratch(t, e)
}

// TransposeBlock emits the transposition of a whole block of W steps of W lanes. The scratch memory of a store is
// at register base in place of the frame. It overwrites Count, the temporaries but base, and the lowest
// vectors.
func (f *Emitter) TransposeBlock(target Target, t *TransposedSite, base Reg) {
	b := newTiler(f.Asm, target, t.Size, f.W*t.Size)
	b.by, b.by3 = T1, T2
	f.Int(Mov, Count, Word(t.Arg+frame.SiteArray))
	if t.back() {
		f.Int(Sub, Count, K((f.W-1)*t.Size))
	}
	f.Int(Mov, T1, Word(t.Arg+frame.SiteStride))
	if !t.Store {
		f.Asm.Address(T2, AtX(T1, T1, 2, 0))
		for e := 0; e < f.W; e += b.n {
			f.Asm.Address(T0, At(Count, e*t.Size))
			target.Block(f.Asm, t.Size, b.bytes, b.lane, func(row int) Mem { return f.element(t, e+row) })
		}
		return
	}
	for lane := 0; lane < f.W; lane += b.n {
		from := func(e int) Mem {
			m := f.element(t, e)
			m.Base = base
			m.Disp += int32(lane * t.Size)
			return m
		}
		target.Block(f.Asm, t.Size, b.bytes, from, func(row int) Mem {
			if lane+row > 0 {
				f.Int(Add, Count, T1)
			}
			return At(Count, 0)
		})
	}
}

// LoadPart loads the steps from t.First on of the rows of W lanes, 16 or 32 bytes of each, and transposes them in registers.
// StorePart does the opposite: the registers have other values then. free is a register beside them, and
// so is the one that they return. They overwrite Count and the temporaries.
func (f *Emitter) LoadPart(t *TransposedSite, free Vec) Vec {
	f.Lanes.LoadRows(f.Phase.Sites[t.ID].Type, t.Steps, f.partRows(t))
	free = f.Lanes.TransposeVectors(max(t.Size, 4), t.Steps, free)
	if t.RowBytes() < 0 {
		slices.Reverse(t.Steps)
	}
	return free
}

// StorePart is the opposite of LoadPart.
func (f *Emitter) StorePart(t *TransposedSite, free Vec) Vec {
	if t.RowBytes() < 0 {
		slices.Reverse(t.Steps)
	}
	free = f.Lanes.TransposeVectors(t.Size, t.Steps, free)
	row := f.partRows(t)
	for k, r := range t.Steps {
		if len(t.Steps) == f.W {
			f.Lanes.StoreVec(f.Phase.Sites[t.ID].Type, row(k), r)
		} else {
			f.Lanes.StoreHalves(row(k), row(k+len(t.Steps)), r)
		}
	}
	return free
}

// partRows returns the addresses of the parts of rows that begin at step t.First. The code knows the distance
// of the rows only if it has all their steps.
func (f *Emitter) partRows(t *TransposedSite) func(lane int) Mem {
	disp := t.First
	if t.RowBytes() < 0 {
		disp = t.First + len(t.Steps) - 1
	}
	disp *= t.RowBytes()
	array := Count
	switch r := f.SiteReg[t.ID]; {
	case r >= 0:
		array = SiteReg(int(r))
	case t.Transposes:
		array = T1
		f.Int(Mov, T1, Word(t.Arg+frame.SiteCur))
	default:
		f.Int(Mov, Count, Word(t.Arg+frame.SiteArray))
	}
	if t.Transposes {
		return func(lane int) Mem { return At(array, lane*t.Line.Step()*t.Size+disp) }
	}
	f.Int(Mov, T1, Word(t.Arg+frame.SiteStride))
	next := func() { // eight rows, or four
		f.Asm.Address(Count, AtX(array, T1, min(f.W, 8), 0))
		array = Count
	}
	for range f.Base * max(f.W/8, 1) {
		next()
	}
	f.Asm.Address(T2, AtX(T1, T1, 2, 0))
	if f.W > 4 {
		f.Asm.Address(T0, AtX(array, T1, 4, 0))
	}
	return func(lane int) Mem {
		if lane == 8 { // no address of a row before is needed
			next()
			f.Asm.Address(T0, AtX(T0, T1, 8, 0))
			if t.Swaps {
				f.Int(Add, array, Word(frame.Steps))
				f.Int(Add, T0, Word(frame.Steps))
			}
		}
		base := [...]Reg{array, T0}[lane/4%2]
		return [...]Mem{At(base, disp), AtX(base, T1, 1, disp), AtX(base, T1, 2, disp), AtX(base, T2, 1, disp)}[lane%4]
	}
}

// TransposeSteps emits the transposition of the first steps of a block of W lanes, as many as the frame says: at
// least 16 bytes of each lane. The last 16 bytes may repeat steps. It overwrites what
// [Emitter.TransposeBlock] does.
func (f *Emitter) TransposeSteps(target Target, t *TransposedSite) {
	const array, scratch, at = frame.TileSource, frame.TileTarget, frame.TileHeight
	b := newTiler(f.Asm, target, t.Size, f.W*t.Size)
	b.by, b.by3 = T1, T2
	f.Int(Mov, T0, Word(t.Arg+frame.SiteArray))
	f.Asm.Address(Count, f.Scratch(t, 0))
	down := TransposePitch
	if t.back() { // the last step has the lowest element
		down = -down
		f.Int(Mov, T1, Word(frame.Steps))
		f.Int(Sub, T1, K(1))
		f.Int(Mul, T1, K(t.Size))
		f.Int(Sub, T0, T1)
		f.Int(Mul, T1, K(TransposePitch/t.Size))
		f.Int(Add, Count, T1)
	}
	f.Int(Mov, Word(array), T0)
	f.Int(Mov, Word(scratch), Count)
	f.Int(Mov, Count, K(0))
	loop := f.NewLabel()
	f.Bind(loop) // Count: the first element
	f.Int(Mov, Word(at), Count)
	f.Int(Mov, T0, Word(array))
	f.Asm.Address(T0, AtX(T0, Count, t.Size, 0))
	f.Int(Mul, Count, K(down))
	f.Int(Add, Count, Word(scratch))
	f.Int(Mov, T1, Word(t.Arg+frame.SiteStride))
	if t.Store {
		for lane := 0; lane < f.W; lane += b.n {
			from := func(e int) Mem { return At(Count, e*down+lane*t.Size) }
			target.Block(f.Asm, t.Size, 16, from, func(row int) Mem {
				if lane+row > 0 {
					f.Int(Add, T0, T1)
				}
				return At(T0, 0)
			})
		}
	} else {
		f.Asm.Address(T2, AtX(T1, T1, 2, 0))
		target.Block(f.Asm, t.Size, b.bytes, b.lane, func(row int) Mem { return At(Count, row*down) })
	}
	done := f.NewLabel()
	f.Int(Mov, T0, Word(frame.Steps))
	f.Int(Sub, T0, K(b.n))
	f.Int(Mov, Count, Word(at))
	f.Branch(GE, Count, T0, done)
	f.Int(Add, Count, K(b.n))
	f.Int(Min, Count, T0)
	f.Jump(loop)
	f.Bind(done)
}

// TransposePart emits the transposition of a part of a block: the steps in the frame, of the lanes from Lane
// on. It overwrites all general registers and the lowest vectors.
func (f *Emitter) TransposePart(target Target, t *TransposedSite) {
	b := newTiler(f.Asm, target, t.Size, 16)
	steps, lanes := Word(frame.Steps), Word(frame.TileWidth)
	array, scratch, across, down := operand, result, stride, pitch
	b.height, b.width = steps, lanes
	if t.Store {
		array, scratch, across, down = result, operand, pitch, stride
		b.height, b.width = lanes, steps
	}
	f.Int(Mov, Word(frame.TileLane), Lane)
	f.Int(Mov, T0, Word(f.Phase.Lanes))
	f.Int(Sub, T0, Lane)
	f.Int(Mov, T1, K(f.W))
	f.Int(Min, T0, T1)
	f.Int(Mov, lanes, T0)
	f.Int(Mov, array, Word(t.Arg+frame.SiteArray))
	f.Asm.Address(scratch, f.Scratch(t, 0))
	f.Int(Mov, across, Word(t.Arg+frame.SiteStride))
	f.Int(Mov, down, K(TransposePitch))
	if t.back() { // from the last step up, which has the lowest element
		f.Int(Mov, T0, steps)
		f.Int(Sub, T0, K(1))
		f.Int(Mul, T0, K(TransposePitch))
		f.Int(Add, scratch, T0)
		f.Int(Mov, T0, steps)
		f.Int(Sub, T0, K(1))
		f.Int(Mul, T0, K(t.Size))
		f.Int(Sub, array, T0)
		f.Int(Neg, down, down)
	}
	b.tile()
	f.Int(Mov, Lane, Word(frame.TileLane))
}
