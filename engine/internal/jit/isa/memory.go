package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Loads and stores. A masked body accesses only the lanes of the tail mask, so it
// never faults after the end of an array.

// Address returns the memory of a site for the lanes of the current copy. It may
// overwrite RCX.
func (f *Emitter) Address(s *layout.Site, i int32) x86.Mem {
	index, k := f.lane()
	lane := int32(k * f.W * s.Size)
	if f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform {
		if r := f.SiteReg[i]; r >= 0 {
			return x86.At(x86.Reg(r), 0)
		}
		f.I(x86.MOV, x86.W64, x86.RCX, Frame(s.Arg+f.Pointer(s)))
		return x86.At(x86.RCX, 0)
	}
	if f.Phase.Kind == lower.SeqPhase {
		lane = int32(f.Copy * f.W * s.Size)
		if r := f.SiteReg[i]; r >= 0 {
			return x86.At(x86.Reg(r), lane)
		}
		f.I(x86.MOV, x86.W64, x86.RCX, Frame(s.Arg+frame.SiteCur))
		return x86.At(x86.RCX, lane)
	}
	if r := f.SiteReg[i]; r >= 0 {
		return x86.AtX(x86.Reg(r), index, uint8(s.Size), lane)
	}
	f.I(x86.MOV, x86.W64, x86.RCX, Frame(s.Arg+s.Origin))
	return x86.AtX(x86.RCX, index, uint8(s.Size), lane)
}

// lane returns where the lanes of the current copy begin: a number of vectors after
// the lane in register index.
func (f *Emitter) lane() (index x86.Reg, vectors int) {
	if f.Half > 0 && f.Copy >= f.Half {
		return x86.RBX, f.Copy - f.Half
	}
	return x86.RSI, f.Base + f.Copy
}

// Pointer returns where the frame has the address of a site in this phase: an offset
// from the site's arg.
func (f *Emitter) Pointer(s *layout.Site) int {
	if f.Phase.Kind == lower.SeqPhase && !f.Prolog {
		return frame.SiteCur
	}
	return s.Origin
}

// Strided emits the base (RCX) and the index of a gather with a constant stride, and
// returns its memory operand. It may overwrite RAX.
func (f *Emitter) Strided(s *layout.Site) x86.Mem {
	l := f.LenOf(dtype.I32)
	ix := f.Tmp()
	// Index: lane * stride in bytes.
	f.I(x86.VPBROADCASTD, l, ix, Frame(s.Arg+frame.SiteStride))
	f.I(x86.VPMULLD, l, ix, ix, f.Iota32(0))
	f.firstLane(s)
	return x86.AtV(x86.RCX, ix, 1, 0)
}

// firstLane emits the address of the first lane of a site with a stride, to RCX. It may
// overwrite RAX.
func (f *Emitter) firstLane(s *layout.Site) {
	f.I(x86.MOV, x86.W64, x86.RCX, Frame(s.Arg+frame.SiteStride))
	if f.Phase.Kind == lower.SeqPhase {
		f.I(x86.IMUL, x86.W64, x86.RCX, x86.RCX, x86.Imm(f.Copy*f.W))
		f.I(x86.ADD, x86.W64, x86.RCX, Frame(s.Arg+frame.SiteCur))
	} else {
		f.I(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32((f.Base+f.Copy)*f.W)))
		f.I(x86.IMUL, x86.W64, x86.RCX, x86.RAX)
		f.I(x86.ADD, x86.W64, x86.RCX, Frame(s.Arg+s.Origin))
	}
}

func (f *Emitter) storeNode(n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	t := f.Phase.Sites[n.Aux].Type
	switch s.Kind {
	case layout.Computed:
		f.scatter(n, s, t)
		return
	case layout.Strided:
		f.storeStrided(n, s, t)
		return
	}
	f.Target.StoreTo(f, n, t, f.Address(s, n.Aux), f.Masked)
}

// scatter stores lane by lane, in order, through scratch memory. Offsets are in
// elements.
func (f *Emitter) scatter(n *lower.Node, s *layout.Site, t dtype.Type) {
	const values = frame.Tmp + 128
	f.Target.StoreTo(f, n, t, Frame(values), false)
	offs := f.Src(n.Args[1])
	f.I(x86.VMOVUPS, x86.L256, Frame(frame.Tmp), offs)
	if f.W == 8 { // two stores, which the processor forwards to the loads of single offsets
		high := f.Tmp()
		f.I(x86.VEXTRACTF64X4, x86.L512, high, offs, x86.Imm(1))
		f.I(x86.VMOVUPS, x86.L256, Frame(frame.Tmp+32), high)
	}
	if f.Masked {
		f.Target.TailBits(f)
	}
	load, from, store := laneMoves(t)
	for lane := range f.W {
		skip := f.Asm.NewLabel()
		if f.Masked {
			f.I(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
			f.I(x86.JAE, 0, skip)
		}
		f.I(x86.MOV, x86.W64, x86.RCX, Frame(s.Arg+f.Pointer(s)))
		f.I(x86.MOV, x86.W64, x86.RDX, Frame(frame.Tmp+8*lane))
		f.I(x86.LEA, x86.W64, x86.RDX, x86.AtX(x86.RCX, x86.RDX, uint8(t.Size()), 0))
		f.I(load, from, x86.RCX, Frame(values+t.Size()*lane))
		f.I(x86.MOV, store, x86.At(x86.RDX, 0), x86.RCX)
		f.Asm.Bind(skip)
	}
}

// Passes reports whether the stores of a site bypass the caches.
func (f *Emitter) Passes(i int32) bool { return f.Stream && !f.Part64 && f.Layout.Sites[i].Pure }

// A Window is a load of contiguous elements that has some lanes of a site with a small
// step.
type Window struct {
	Mem   x86.Mem
	Lanes []Picked
}

// A Picked is a lane and the position of its element in a window.
type Picked struct{ Lane, At int }

// Windows emits the address of a site with a small step and returns the loads that have
// its lanes. They read no element before the first or after the last. It may overwrite
// RCX.
func (f *Emitter) Windows(s *layout.Site) []Window {
	index, k := f.lane()
	if f.Phase.Kind == lower.SeqPhase {
		k = f.Copy
		f.I(x86.MOV, x86.W64, x86.RCX, Frame(s.Arg+frame.SiteCur))
	} else {
		f.I(x86.IMUL, x86.W64, x86.RCX, index, x86.Imm(s.Step*s.Size))
		f.I(x86.ADD, x86.W64, x86.RCX, Frame(s.Arg+s.Origin))
	}
	first, reach := 0, (f.W-1)*s.Step
	if reach < 0 {
		first, reach = reach, -reach
	}
	var out []Window
	lane := make([]bool, f.W)
	for at := 0; at <= reach; at += f.W {
		start := first + min(at, reach+1-f.W) // the last window ends with the last element
		w := Window{Mem: x86.At(x86.RCX, int32((k*f.W*s.Step+start)*s.Size))}
		for i := range lane {
			if e := i*s.Step - start; !lane[i] && 0 <= e && e < f.W {
				lane[i] = true
				w.Lanes = append(w.Lanes, Picked{i, e})
			}
		}
		out = append(out, w)
	}
	return out
}

// Selector returns the constant that selects elements of 4 or 8 bytes for the lanes of
// a vector: those of a window as numbers from base on, else own, or else 0.
func (f *Emitter) Selector(w *Window, size, base int, own bool) x86.Mem {
	b := make([]byte, f.W*size)
	if own {
		for i := range f.W {
			b[i*size] = byte(i)
		}
	}
	for _, p := range w.Lanes {
		b[p.Lane*size] = byte(base + p.At)
	}
	return f.Asm.Const(b)
}

// laneMoves returns the instructions that move one lane of type t: a load with its
// width, and the width of the store.
func laneMoves(t dtype.Type) (load x86.Op, from, to x86.Len) {
	switch t.Size() {
	case 1:
		return x86.MOVZXB, x86.W32, x86.W8
	case 2:
		return x86.MOVZXW, x86.W32, x86.W16
	case 4:
		return x86.MOV, x86.W32, x86.W32
	}
	return x86.MOV, x86.W64, x86.W64
}

// storeStrided stores lane by lane, in order, through scratch memory.
func (f *Emitter) storeStrided(n *lower.Node, s *layout.Site, t dtype.Type) {
	const values = frame.Tmp + 128
	f.Target.StoreTo(f, n, t, Frame(values), false)
	f.firstLane(s)
	if f.Masked {
		f.Target.TailBits(f)
	}
	load, from, to := laneMoves(t)
	for lane := range f.W {
		skip := f.Asm.NewLabel()
		if f.Masked {
			f.I(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
			f.I(x86.JAE, 0, skip)
		}
		at := x86.At(x86.RCX, int32(lane*s.Step*s.Size))
		f.I(load, from, x86.RDX, Frame(values+t.Size()*lane))
		f.I(x86.MOV, to, at, x86.RDX)
		f.Asm.Bind(skip)
		if s.Step == 0 && lane < f.W-1 {
			f.I(x86.ADD, x86.W64, x86.RCX, Frame(s.Arg+frame.SiteStride))
		}
	}
}
