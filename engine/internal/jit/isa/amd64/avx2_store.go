package amd64

import (
	"cmp"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Stores with AVX2. Lanes of 32 bits with elements of 8 or 16 bits are packed. The vectors of a group that follow
// each other in memory are packed together.

func (f *avx2) StoreTo(n *lower.Node, t dtype.Type, to isa.Mem, masked bool) {
	m := mem(to)
	l := f.LenOf(t.Register())
	switch {
	case f.Paired():
		f.storePaired(n, m)
	case isa.Wide(f.Nodes[n.Args[0]].Type) && !isa.Wide(t):
		f.storeHalves(n, m, masked)
	case t.Size() >= 4 && masked:
		f.storeTail(t, m, f.Src(n.Args[0]))
	case t.Size() >= 4:
		op := x86.VMOVUPS
		if f.Passes(n.Aux) {
			op = pick(t, x86.VMOVNTPS, x86.VMOVNTPD)
		}
		f.I(op, l, m, f.Src(n.Args[0]))
	case f.bytes(&f.Nodes[n.Args[0]]):
		f.moveBytes(m, f.Src(n.Args[0]))
	case f.LaneSize > 0:
		f.storeNarrow(n, t, m, masked)
	case t == dtype.F16 && !masked:
		f.I(x86.VCVTPS2PH, l, m, f.Src(n.Args[0]), x86.Imm(0))
	case f.joins(n, t):
		f.storeJoined(n, t, m)
	default:
		f.storePacked(n, t, m, masked)
	}
}

// storeHalves stores the lower halves of lanes of 64 bits: two vectors at once, or one.
func (f *avx2) storeHalves(n *lower.Node, m x86.Mem, masked bool) {
	x, d := f.Src(n.Args[0]), f.Tmp()
	switch l := f.LenOf(dtype.I32); {
	case !f.joins(n, dtype.I32) && masked:
		f.narrow(d, x)
		f.I(maskMove(dtype.I32), l, m, f.maskFor(tailVec, dtype.I32), d)
	case !f.joins(n, dtype.I32):
		f.narrow(d, x)
		f.I(x86.VMOVUPS, l, m, d)
	case f.Copy%2 == 0:
		f.Copy++
		y := f.Src(n.Args[0])
		f.Copy--
		f.I(x86.VSHUFPS, x86.L256, d, x, y, x86.Imm(0x88))
		f.I(x86.VPERMPD, x86.L256, d, d, x86.Imm(0xd8))
		f.I(x86.VMOVUPS, x86.L256, m, d)
	}
}

// packing has the instructions that pack lanes of 32 and of 16 bits. They saturate.
type packing struct{ words, bytes x86.Op }

// packable returns the operand of a store to narrow elements in lanes of 32 bits, and how it is packed. Elements with a
// sign are in the range of 16 bits.
func (f *avx2) packable(n *lower.Node, t dtype.Type) (x86.Vec, packing) {
	x, l := f.Src(n.Args[0]), f.LenOf(dtype.I32)
	switch arg := &f.Nodes[n.Args[0]]; {
	case t == dtype.Bool:
		return f.maskFor(x, dtype.I32), packing{x86.VPACKSSDW, x86.VPACKSSWB}
	case t == dtype.BF16:
		v := f.Tmp()
		f.upperHalf(n, v, x)
		return v, packing{words: x86.VPACKUSDW}
	case arg.Bytes && !saturates(arg): // its lanes have other bits
		v := f.Tmp()
		f.I(x86.VPAND, l, v, x, f.full(dtype.U32, t.Mask()))
		return v, packing{x86.VPACKUSDW, x86.VPACKUSWB}
	case t.IsSigned():
		return x, packing{x86.VPACKSSDW, x86.VPACKSSWB}
	case t == dtype.U8 && saturates(arg):
		return x, packing{x86.VPACKSSDW, x86.VPACKUSWB}
	}
	return x, packing{x86.VPACKUSDW, x86.VPACKUSWB}
}

// storePacked stores one vector of narrow elements. If a vector has one lane, of bfloat16, what it has after the
// first element is undefined.
func (f *avx2) storePacked(n *lower.Node, t dtype.Type, m x86.Mem, masked bool) {
	v := f.Tmp()
	if t == dtype.F16 {
		f.I(x86.VCVTPS2PH, f.LenOf(t.Register()), v, f.Src(n.Args[0]), x86.Imm(0))
	} else if x, ops := f.packable(n, t); t == dtype.BF16 && f.Layout.Along {
		v = x
	} else {
		f.pack(v, x, ops.words)
		if t.Size() == 1 {
			f.I(ops.bytes, x86.L128, v, v, v)
		}
		f.truths(t, x86.L128, v)
	}
	if !masked {
		f.moveGroup(f.W*t.Size(), m, v)
		return
	}
	if f.Tail > 0 {
		f.storeFirst(f.Tail*t.Size(), m, v)
		return
	}
	f.I(x86.LEA, x86.W64, x86.RCX, m)
	f.I(x86.VMOVUPS, x86.L128, at(frame.Tmp), v)
	f.copyLanes(tailVec, t.Size(), x86.At(x86.RCX, 0), at(frame.Tmp))
}

// truths makes ones of packed predicates.
func (f *avx2) truths(t dtype.Type, l x86.Len, v x86.Vec) {
	if t == dtype.Bool {
		f.I(f.truth(), l, v, v, f.Const(repeat(1, int(l)/8)))
	}
}

// pack packs the 32-bit lanes of x to 16-bit lanes of v, in order.
func (f *avx2) pack(v, x x86.Vec, op x86.Op) {
	if f.W == 8 {
		t := f.Tmp()
		f.I(x86.VEXTRACTF128, x86.L256, t, x, x86.Imm(1))
		f.I(op, x86.L128, v, x, t)
		return
	}
	f.I(op, x86.L128, v, x, x)
}

func (f *avx2) packWords(v x86.Vec) { f.pack(v, v, x86.VPACKUSDW) }

// joined returns the number of vectors of a group that follow each other in memory.
func (f *avx2) joined() int { return cmp.Or(f.Half, f.Batch, f.Copies) }

// joins reports whether the vectors of a group are stored together. They are not if the last one overlaps the one before, and
// one vector has the bytes of four at most.
func (f *avx2) joins(n *lower.Node, t dtype.Type) bool {
	const most = 4
	return f.joined()%2 == 0 && (f.joined() <= most || t.Size() > 1) && !f.Masked && f.Phase.Kind == lower.MapPhase && f.Runs == 0 && f.Ends == 0 && f.Back == 0 && f.Layout.Laid == 0 &&
		f.Layout.Sites[n.Aux].Kind == layout.Unit && t != dtype.F16
}

// storeJoined stores the vectors of a group with its first copy. The instructions that pack leave the lanes of each 16
// bytes there.
func (f *avx2) storeJoined(n *lower.Node, t dtype.Type, m x86.Mem) {
	group, first, l := f.joined(), f.Copy, f.LenOf(dtype.I32)
	if f.Copy%group != 0 {
		return
	}
	var words []x86.Vec
	var ops packing
	for i := 0; i < group; i += 2 {
		v := f.Tmp()
		words = append(words, v)
		f.Within(func() {
			var x [2]x86.Vec
			for k := range x {
				f.Copy = first + i + k
				x[k], ops = f.packable(n, t)
			}
			f.I(ops.words, l, v, x[0], x[1])
		})
	}
	f.Copy = first
	if t.Size() == 1 {
		v := words[0]
		f.I(ops.bytes, l, v, v, words[len(words)-1])
		f.truths(t, l, v)
		if f.W == 8 {
			order := f.Tmp() // loaded for each store: with an order that a register keeps, stores of predicates take longer
			f.Asm.I(x86.VMOVUPS, l, order, f.Const([]byte{0: 0, 4: 4, 8: 1, 12: 5, 16: 2, 20: 6, 24: 3, 28: 7, 31: 0}))
			f.I(x86.VPERMPS, l, v, order, v)
		}
		f.moveGroup(f.W*group, m, v)
		return
	}
	for _, v := range words {
		if f.W == 8 {
			f.I(x86.VPERMPD, l, v, v, x86.Imm(0xd8))
		}
		f.I(x86.VMOVUPS, l, m, v)
		m.Disp += int32(l) / 8
	}
}

// storeNarrow stores lanes of 8 or 16 bits, the lower halves of two vectors at once.
func (f *avx2) storeNarrow(n *lower.Node, t dtype.Type, m x86.Mem, masked bool) {
	l, halves := x86.L256, t.Size() < f.LaneSize
	lanes := func() x86.Vec { // without the bits that are not stored, so the packing does not saturate
		x := f.Src(n.Args[0])
		if !halves && t != dtype.Bool {
			return x
		}
		v, and, part := f.Tmp(), x86.VPAND, t.Mask()
		if t == dtype.Bool {
			and, part = f.truth(), 1
		}
		f.I(and, l, v, x, f.full(dtype.U16, part))
		return v
	}
	if halves && f.joins(n, dtype.U16) {
		if f.Copy%2 == 0 {
			x := lanes()
			f.Copy++
			y := lanes()
			f.Copy--
			f.I(x86.VPACKUSWB, l, x, x, y)
			f.I(x86.VPERMPD, l, x, x, x86.Imm(0xd8))
			f.I(x86.VMOVUPS, l, m, x)
		}
		return
	}
	x := lanes()
	if halves {
		u := f.Tmp()
		f.I(x86.VEXTRACTF128, l, u, x, x86.Imm(1))
		l = x86.L128
		f.I(x86.VPACKUSWB, l, x, x, u)
	}
	if !masked {
		f.I(x86.VMOVUPS, l, m, x)
		return
	}
	if f.Tail > 0 {
		f.storeFirst(f.Tail*t.Size(), m, x)
		return
	}
	f.I(x86.VMOVUPS, l, at(frame.Tmp), x)
	f.copyTail(m, t.Size(), true)
}

// storeTail stores the lanes of the tail mask: as many as a store has, half as many, and so on. Some
// processors take 13 cycles for a store under a mask, and 5 for these. The mask has the first
// lanes, so bit n-1 says that there are n.
func (f *avx2) storeTail(t dtype.Type, m x86.Mem, x x86.Vec) {
	if f.Tail > 0 {
		f.storeFirst(f.Tail*t.Size(), m, x)
		return
	}
	rest, done := f.Tmp(), f.NewLabel()
	f.laneBits(tailVec)
	f.I(x86.LEA, x86.W64, x86.RCX, m)
	f.I(x86.VMOVAPS, f.LenOf(t), rest, x)
	for n := f.W; n > 0; n /= 2 {
		fewer, bytes := f.NewLabel(), n*t.Size()
		f.I(x86.TEST, x86.W32, x86.RAX, x86.Imm(1<<(n-1)))
		f.I(x86.JE, 0, fewer)
		f.storePart(bytes, x86.At(x86.RCX, 0), rest)
		switch {
		case n == f.W:
			f.I(x86.JMP, 0, done)
		case n > 1:
			f.UpperHalf(rest, rest, 2*bytes)
			f.I(x86.SHR, x86.W32, x86.RAX, x86.Imm(n))
			f.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(bytes))
		}
		f.Bind(fewer)
	}
	f.Bind(done)
}

// StoreStepped stores lane by lane: stores under a mask are slow on some processors with AVX2 alone.
func (f *avx2) StoreStepped(n *lower.Node, t dtype.Type) { f.storeApart(n, t) }
