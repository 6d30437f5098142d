package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// take loads elements that an array of indices selects: see [isa.Take]. General registers load the indices and compare them. After one that
// is negative or outside, vectors wrap and clamp all others of the call, so mixed signs cost one branch that the processor does not expect.
func take(f *emitter, n *lower.Node) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	k := taker{emitter: f, Take: f.Takes[n.Aux], at: n.Aux, site: s, other: f.NewLabel(), done: f.NewLabel()}
	d := x86.Vec(0)
	if f.IsMask(f.ID) {
		d = f.Tmp()
	} else {
		d = f.Dst()
	}
	switch {
	case f.Masked:
		f.loadEach(t, d, f.W, k.masked)
	case k.Inside:
		f.loadEach(t, d, f.W, k.inside)
	default:
		k.x, k.t, k.size = f.Tmp(), f.Tmp(), f.Tmp() // before the branches: values may be spilled
		f.Within(func() { f.loadEach(t, d, f.W, k.inside) })
		f.Jump(k.done)
		f.Bind(k.other)
		f.I(x86.MOV, x86.W32, mem(f.Slot(k.Seen)), x86.Imm(1))
		f.Within(func() { f.loadEach(t, d, f.W, k.any) })
	}
	f.Bind(k.done)
	if t.Size() < 4 {
		f.I([...]x86.Op{1: x86.VPMOVZXBD, 2: x86.VPMOVZXWD}[t.Size()], f.LenOf(dtype.I32), d, d)
		f.finishNarrow(n, t, d, nil)
	}
}

// A taker emits the addresses of the elements of a take, lane by lane from the first one.
type taker struct {
	*emitter
	isa.Take
	at         int32 // the site
	site       *layout.Site
	other      x86.Label // of the code for any indices
	done       x86.Label // behind all loads
	x, t, size x86.Vec   // temporaries of that code
}

// indices64 are the instructions that load four indices into lanes of 64 bits.
var indices64 = map[dtype.Type]x86.Op{
	dtype.I64: x86.VMOVUPD, dtype.U64: x86.VMOVUPD, dtype.I32: x86.VPMOVSXDQ, dtype.U32: x86.VPMOVZXDQ, dtype.U16: x86.VPMOVZXWQ, dtype.U8: x86.VPMOVZXBQ,
}

// pairs are the registers of the indices of two lanes.
var pairs = [2]x86.Reg{x86.RAX, x86.RDX}

// inside returns the address of the element of a lane. It jumps if its index is negative or outside.
func (f *taker) inside(lane int) x86.Mem {
	if lane == 0 && !f.Inside {
		f.I(x86.CMP, x86.W32, mem(f.Slot(f.Seen)), x86.Imm(0))
		f.I(x86.JNE, 0, f.other)
	}
	r := pairs[lane%2]
	f.loadIndex(r, lane)
	if !f.Inside {
		f.I(x86.CMP, x86.W64, r, x86.Imm(f.Extent))
		f.I(x86.JAE, 0, f.other)
	}
	return f.element(r, lane, lane > 0 && f.SiteReg[f.Index] >= 0)
}

// any returns the address of the element of a lane for any index. It computes four indices at once.
func (f *taker) any(lane int) x86.Mem {
	if l, x, t := x86.L256, f.x, f.t; lane%4 == 0 {
		f.I(indices64[f.Phase.Sites[f.Index].Type], l, x, f.indexAt(lane))
		if f.Size != lower.None {
			f.I(x86.VPBROADCASTQ, l, f.size, f.word(f.Size))
			if f.evex {
				f.I(x86.VPSRAVQ, l, t, x, f.operand(dtype.I64, 63))
			} else {
				f.I(x86.VPXOR, l, t, t, t)
				f.I(x86.VPCMPGTQ, l, t, t, x)
			}
			f.I(f.simple(prim.And, dtype.I64), l, t, t, f.size)
			f.I(x86.VPADDQ, l, x, x, t)
		}
		if top := f.operand(dtype.I64, uint64(f.Extent-1)); f.evex {
			f.I(x86.VPMINSQ, l, x, x, top)
			f.I(x86.VPMAXSQ, l, x, x, f.operand(dtype.I64, 0))
		} else {
			f.I(x86.VPCMPGTQ, l, t, x, top)
			f.I(x86.VBLENDVPD, l, x, x, top, t)
			f.I(x86.VBLENDVPD, l, x, x, f.operand(dtype.I64, 0), x)
		}
	}
	if lane%2 == 0 {
		f.offsetPair(x86.L256, f.t, f.x, lane%4/2)
	}
	return f.element(pairs[lane%2], lane, lane%4 > 0 || lane > 0 && f.SiteReg[f.Index] >= 0)
}

// masked returns the address of the element of a lane for any index. Lanes outside of the tail mask have the first element.
func (f *taker) masked(lane int) x86.Mem {
	skip, x, t := f.NewLabel(), x86.RDX, x86.RCX
	switch part := 16 / f.site.Size; {
	case lane == 0:
		f.own.TailBits() // in RAX
	case lane%part == 0 || lane < part && lane%2 == 0: // if it is outside, so are those behind it, and loadEach has put all before it in their places
		f.I(x86.CMP, x86.W32, x86.RAX, x86.Imm(1<<lane))
		f.I(x86.JL, 0, f.done)
	}
	f.I(x86.XOR, x86.W32, x, x)
	f.I(x86.TEST, x86.W32, x86.RAX, x86.Imm(1<<lane))
	f.I(x86.JE, 0, skip)
	f.loadIndex(x, lane)
	inside, other := f.NewLabel(), f.NewLabel()
	if !f.Inside {
		f.I(x86.CMP, x86.W64, x, x86.Imm(f.Extent))
		f.I(x86.JAE, 0, other)
		f.Jump(inside)
		f.Bind(other)
	}
	if f.Size != lower.None {
		f.I(x86.MOV, x86.W64, t, x)
		f.I(x86.SAR, x86.W64, t, x86.Imm(63))
		f.I(x86.AND, x86.W64, t, f.word(f.Size))
		f.I(x86.ADD, x86.W64, x, t)
	}
	if !f.Inside {
		top := f.Extent - 1
		f.I(x86.CMP, x86.W64, x, x86.Imm(top))
		f.I(x86.CMOVG, x86.W64, x, f.Const64(uint64(top)))
		f.I(x86.XOR, x86.W32, t, t)
		f.I(x86.CMP, x86.W64, t, x)
		f.I(x86.CMOVG, x86.W64, x, t)
	}
	f.Bind(inside)
	f.multiply(x)
	switch laid := f.Layout.Laid > 0; {
	case laid:
		f.I(x86.ADD, x86.W64, x, x86.Imm(f.laidOffset(lane)))
	case f.Step != 0:
		f.I(x86.LEA, x86.W64, x, f.stepped(x, 1, lane))
	}
	f.Bind(skip)
	m := f.base(false)
	return x86.AtX(m.Base, x, uint8(f.site.Size), m.Disp)
}

// laidOffset returns the elements from the first row of the iteration to where a lane of laid rows would have index 0.
func (f *taker) laidOffset(lane int) int {
	return f.laidBefore(f.site) + f.Layout.LaidOffsets(f.site, f.laidLane()+lane, 1)[0]
}

// base returns the address of the first element of the site, or of its first row of the iteration. held says that RCX has what registers of
// sites do not have.
func (f *taker) base(held bool) x86.Mem {
	switch laid := f.Layout.Laid > 0; {
	case laid && (!held || f.SiteReg[f.at] >= 0):
		return mem(f.LaidAddress(f.site, f.at))
	case !held:
		f.I(x86.MOV, x86.W64, x86.RCX, f.pointer(f.site))
	}
	return x86.At(x86.RCX, 0)
}

// indexAt returns the memory of the index of a lane. It may overwrite RCX.
func (f *taker) indexAt(lane int) x86.Mem {
	size := f.Phase.Sites[f.Index].Type.Size()
	if slot, ok := f.LaidSlots[f.Index]; ok {
		return mem(f.laidSlot(slot, size).Plus(lane * size))
	}
	return mem(f.Address(&f.Layout.Sites[f.Index], f.Index).Plus(lane * size))
}

// loadIndex loads the index of a lane. It may overwrite RCX.
func (f *taker) loadIndex(r x86.Reg, lane int) {
	m := f.indexAt(lane)
	if t := f.Phase.Sites[f.Index].Type; t == dtype.I32 {
		f.I(x86.MOVSXD, x86.W64, r, m)
	} else {
		f.asm.load(t.Size(), r, m)
	}
}

// multiply multiplies an index by the stride.
func (f *taker) multiply(r x86.Reg) {
	if f.Stride != 1 {
		f.I(x86.IMUL, x86.W64, r, r, x86.Imm(f.Stride))
	}
}

// element returns the address of the element of a lane with index r. held says that RCX has the address for the first lane.
func (f *taker) element(r x86.Reg, lane int, held bool) x86.Mem {
	size, apart, m := f.site.Size, f.Step*lane, f.base(held)
	switch laid := f.Layout.Laid > 0; {
	case laid:
		apart = f.laidOffset(lane)
	case !held && f.Step != 0:
		f.I(x86.LEA, x86.W64, x86.RCX, f.stepped(x86.RCX, size, 0))
	}
	f.multiply(r)
	return x86.AtX(m.Base, r, uint8(size), m.Disp+int32(apart*size))
}

// stepped returns the address that is as many elements behind base as the number of a lane.
func (f *taker) stepped(base x86.Reg, size, lane int) x86.Mem {
	index, vectors := f.FirstLane()
	return x86.AtX(base, regs[index.N()], uint8(size), int32((vectors*f.W-f.Overlap()+lane)*size))
}

// word returns the word of the frame that has the value of a node.
func (f *taker) word(id int32) x86.Mem {
	n := &f.Nodes[id]
	if n.Op == lower.OpCell {
		return mem(f.CellAt(n.Aux))
	}
	return f.pointer(&f.Layout.Sites[n.Aux])
}
