package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Addresses and stores. A masked body accesses only the lanes of the tail mask, so it
// never faults after the end of an array.

// Address returns the memory of a site for the lanes of the current copy. It may
// overwrite T1.
func (f *Emitter) Address(s *layout.Site, i int32) Mem {
	if f.ByRow && s.Kind == layout.Laid {
		return f.LaidAddress(s, i)
	}
	index, k := f.FirstLane()
	one := f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	at := s.Origin
	switch {
	case one:
		at, k = f.Pointer(s), 0
	case f.Phase.Kind == lower.SeqPhase:
		one, at, k = !f.Across(), frame.SiteCur, f.Base+f.Copy
	}
	base, apart := T1, 0
	if r := f.SiteReg[i]; r >= 0 {
		base, apart = SiteReg(int(r)), f.SiteApart[i]
	} else {
		f.Int(Mov, base, Word(s.Arg+at))
	}
	switch {
	case f.Prolog:
	case f.Runs > 0: // the copies are those of each run
		each := f.Copies / f.Runs
		apart, k = apart+f.Copy/each*s.RunBytes(), min(k, f.Copy%each)
	case f.PerRow > 0:
		apart, k = apart+f.Copy/f.PerRow*s.RowBytes(), min(k, f.Base+f.Copy%f.PerRow)
	}
	switch {
	case f.Step == 0 || s.Kind == layout.Scratch:
	case s.Kind == layout.Transposed:
		apart += f.Step * TransposePitch
	case f.Layout.Each > 0 || f.Layout.AtOnce > 0 || f.Runs > 0:
		apart += f.Step * s.RowBytes()
	}
	if s.Kind != layout.Uniform {
		apart -= f.Overlap() * s.Size
	}
	m := At(base, apart+k*f.W*s.Size)
	if !one {
		m.Disp += int32(f.AtRow * s.Row * s.Size)
		m.Index, m.Scale = index, uint8(s.Size)
	}
	return m
}

// LaidAddress returns the address of the first row of a block of a laid site. It may overwrite
// T1.
func (f *Emitter) LaidAddress(s *layout.Site, i int32) Mem {
	if r := f.SiteReg[i]; r >= 0 {
		return At(SiteReg(int(r)), f.SiteApart[i])
	}
	f.Int(Mov, T1, Word(s.Arg+frame.SiteCur))
	return At(T1, 0)
}

// Start prepares the emission of a group of copies, and begins with the first one: no node has a place.
func (f *Emitter) Start(copies int) {
	f.Copy = 0
	f.Values.Start(copies)
}

// FirstLane returns where the lanes of the current copy begin: a number of vectors after
// the lane in register index.
func (f *Emitter) FirstLane() (index Reg, vectors int) {
	if f.Half > 0 && f.Copy >= f.Half {
		return Count, f.Copy - f.Half
	}
	return Lane, f.Base + f.Copy
}

// Overlap returns the number of lanes of the current copy that the copy before has too.
func (f *Emitter) Overlap() int {
	if f.Copy == f.Copies-1 {
		return f.Back
	}
	return 0
}

// Pointer returns where the frame has the address of a site in this phase: an offset
// from the site's arg.
func (f *Emitter) Pointer(s *layout.Site) int {
	if f.Phase.Kind == lower.SeqPhase && !f.Prolog {
		return frame.SiteCur
	}
	return s.Origin
}

// FirstAddress emits the address of the first lane of a site with a stride, to T1. It may
// overwrite T0.
func (f *Emitter) FirstAddress(s *layout.Site) {
	first := (f.Base+f.Copy)*f.W - f.Overlap()
	switch seq := f.Phase.Kind == lower.SeqPhase; {
	case seq && s.Step != 0: // of lanes, or of steps where a vector has these
		f.Int(Mov, T1, K(first*s.Step*s.Size))
	case seq:
		f.Int(Mov, T1, Word(s.Arg+frame.SiteStride))
		f.Int(Mul, T1, K(first))
	default:
		f.Int(Mov, T1, Word(s.Arg+frame.SiteStride))
		f.Asm.Address(T0, At(Lane, first))
		f.Int(Mul, T1, T0)
	}
	if i := s.Index(f.Phase); f.SiteReg[i] >= 0 {
		f.Int(Add, T1, SiteReg(int(f.SiteReg[i])))
		if f.SiteApart[i] != 0 {
			f.Int(Add, T1, K(f.SiteApart[i]))
		}
	} else {
		f.Int(Add, T1, Word(s.Arg+f.Pointer(s)))
	}
}

// Passes reports whether the stores of a site bypass the caches.
func (f *Emitter) Passes(i int32) bool { return f.Stream && !f.Part64 && f.Layout.Sites[i].Pure }

// store emits a store. Elements that are apart by more than a small step go lane by lane,
// in order, through scratch memory.
func (f *Emitter) store(n *lower.Node) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	const values = frame.Tmp + 128
	if f.Layout.Along && s.Kind == layout.Unit { // a vector of one lane would cross lines
		if t.Size() >= 4 || t.IsInt() && f.Nodes[n.Args[0]].Op != prim.Cvt { // the store of a conversion saturates
			f.Lanes.StoreFirst(t.Size(), f.Address(s, n.Aux), f.Src(n.Args[0]))
			return
		}
		f.Lanes.StoreTo(n, t, At(Frame, values), false)
		f.CopyElement(t, f.Address(s, n.Aux), At(Frame, values), T2)
		return
	}
	if s.Kind == layout.Laid {
		f.Lanes.StoreLaid(n, t)
		return
	}
	if f.Masked && s.Kind == layout.Scratch && s.Array >= 0 && f.Phase.Kind == lower.SeqPhase && t.Size() >= 4 {
		f.Lanes.StoreLanes(t, f.Address(s, n.Aux), f.Src(n.Args[0]), true)
		return
	}
	if s.Kind != layout.Computed && s.Kind != layout.Strided {
		f.Lanes.StoreTo(n, t, f.Address(s, n.Aux), f.Masked && s.Kind != layout.Transposed) // scratch memory has all lanes
		return
	}
	if s.Kind == layout.Strided && s.Step != 0 && !f.Masked {
		f.Lanes.StoreStepped(n, t)
		return
	}
	f.Lanes.StoreTo(n, t, At(Frame, values), false)
	if s.ShortSteps() && f.Masked {
		f.CopyTail(s, values, true)
		return
	}
	if s.Kind == layout.Strided {
		f.FirstAddress(s)
	} else {
		f.Lanes.StoreOffsets(At(Frame, frame.Tmp), f.Src(n.Args[1]))
	}
	if f.Masked {
		f.Lanes.TailBits()
	}
	for lane := range f.W {
		f.IfLane(lane, func() {
			if s.Kind == layout.Strided {
				f.CopyElement(t, At(T1, lane*s.Step*s.Size), At(Frame, values+t.Size()*lane), T2)
				return
			}
			f.Int(Mov, T1, Word(s.Arg+f.Pointer(s)))
			f.Int(Mov, T2, Word(frame.Tmp+8*lane))
			f.Asm.Address(T2, Mem{T1, T2, uint8(t.Size()), 0})
			f.CopyElement(t, At(T2, 0), At(Frame, values+t.Size()*lane), T1)
		})
		if s.Kind == layout.Strided && s.Step == 0 && lane < f.W-1 {
			f.Int(Add, T1, Word(s.Arg+frame.SiteStride))
		}
	}
}

// CopyTail copies the elements of the lanes of the tail between memory with a step and the
// frame, in a loop. The number of these lanes is in the frame.
func (f *Emitter) CopyTail(s *layout.Site, off int, store bool) {
	f.FirstAddress(s)
	f.Int(Mov, T0, K(0))
	loop := f.NewLabel()
	f.Bind(loop)
	to, from := AtX(Frame, T0, s.Size, off), At(T1, 0)
	if store {
		to, from = from, to
	}
	f.Asm.Load(s.Size, T2, from)
	f.Store(s.Size, to, T2)
	f.Int(Add, T1, K(s.Step*s.Size))
	f.Int(Add, T0, K(1))
	f.Branch(LT, T0, Word(frame.Counter), loop)
}

// IfLane emits code for one lane. In the tail T0 has the bits of the lanes that run it.
func (f *Emitter) IfLane(lane int, code func()) {
	skip := f.NewLabel()
	if f.Masked {
		f.Unset(T0, lane, skip)
	}
	code()
	f.Bind(skip)
}

// CopyElement copies an element of type t by way of a register.
func (f *Emitter) CopyElement(t dtype.Type, to, from Mem, by Reg) {
	f.Load(t.Size(), by, from)
	f.Store(t.Size(), to, by)
}
