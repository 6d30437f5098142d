package isa

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// scalarDivide divides integers lane by lane, in 64 bits, and truncates the results to
// the narrower type. Division by zero gives 0. Division by -1 is a negation: IDIV
// would trap on the least integer.
func scalarDivide(f *Emitter, n *lower.Node) {
	x, y, d := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Dst()
	l := f.LenOf(n.In)
	f.I(x86.VMOVUPS, l, Frame(frame.Tmp), x)
	f.I(x86.VMOVUPS, l, Frame(frame.Tmp+64), y)
	size, width, load := 8, x86.W64, x86.MOV
	switch {
	case Wide(n.In):
	case n.In.IsSigned():
		size, load = 4, x86.MOVSXD
	default:
		size, width = 4, x86.W32
	}
	for lane := range f.W {
		done, zero, plain := f.Asm.NewLabel(), f.Asm.NewLabel(), f.Asm.NewLabel()
		f.I(load, width, x86.RCX, Frame(frame.Tmp+64+size*lane))
		f.I(load, width, x86.RAX, Frame(frame.Tmp+size*lane))
		f.I(x86.TEST, x86.W64, x86.RCX, x86.RCX)
		f.I(x86.JE, 0, zero)
		if n.In.IsSigned() {
			f.I(x86.CMP, x86.W64, x86.RCX, x86.Imm(-1))
			f.I(x86.JNE, 0, plain)
			f.I(x86.NEG, x86.W64, x86.RAX)
			f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
			f.I(x86.JMP, 0, done)
			f.Asm.Bind(plain)
			f.I(x86.CQO, 0)
			f.I(x86.IDIV, x86.W64, x86.RCX)
		} else {
			f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
			f.I(x86.DIV, x86.W64, x86.RCX)
		}
		f.I(x86.JMP, 0, done)
		f.Asm.Bind(zero)
		f.I(x86.XOR, x86.W32, x86.RAX, x86.RAX)
		f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
		f.Asm.Bind(done)
		r := x86.RAX
		if n.Op == prim.Rem {
			r = x86.RDX
		}
		out := x86.W64
		if size == 4 {
			out = x86.W32
		}
		f.I(x86.MOV, out, Frame(frame.Tmp+size*lane), r)
	}
	f.I(x86.VMOVUPS, l, d, Frame(frame.Tmp))
	f.Canon(n.In, d)
}

// scalarRem emits the remainder of floats lane by lane with fprem. The instruction is
// exact, and repeats until it clears flag C2.
func scalarRem(f *Emitter, n *lower.Node) {
	x, y, d := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Dst()
	l := f.LenOf(n.In)
	f.I(x86.VMOVUPS, l, Frame(frame.Tmp), x)
	f.I(x86.VMOVUPS, l, Frame(frame.Tmp+64), y)
	load, store, op := byte(0xd9), byte(0xd9), n.In.Size()
	if Wide(n.In) {
		load, store = 0xdd, 0xdd
	}
	loop, more := f.Asm.NewLabel(), f.Asm.NewLabel()
	f.I(x86.LEA, x86.W64, x86.RCX, Frame(frame.Tmp))
	f.I(x86.MOV, x86.W32, x86.RDX, x86.Imm(f.W))
	f.Asm.Bind(loop)
	f.Asm.Bytes(load, 0x41, 64) // fld [rcx+64]: y
	f.Asm.Bytes(load, 0x01)     // fld [rcx]: x
	f.Asm.Bind(more)
	f.Asm.Bytes(0xd9, 0xf8) // fprem
	f.Asm.Bytes(0xdf, 0xe0) // fnstsw ax
	f.I(x86.TEST, x86.W32, x86.RAX, x86.Imm(0x400))
	f.I(x86.JNE, 0, more)
	f.Asm.Bytes(store, 0x19) // fstp [rcx]
	f.Asm.Bytes(0xdd, 0xd8)  // fstp st(0)
	f.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(op))
	f.I(x86.SUB, x86.W32, x86.RDX, x86.Imm(1))
	f.I(x86.JNE, 0, loop)
	f.I(x86.VMOVUPS, l, d, Frame(frame.Tmp))
}

// convert converts between types. The target has the conversions of predicates and those
// between floats and integers.
func convert(f *Emitter, n *lower.Node) {
	from, to := n.In, n.Type
	l := max(f.LenOf(from), f.LenOf(to))
	switch {
	case from == to && f.IsMask(n.Args[0]):
		x := f.Mask(n.Args[0])
		f.Release()
		f.I(x86.KMOVW, 0, f.DstMask(), x)
	case from == to:
		Move(f, n)
	case from == dtype.Bool:
		f.Target.FromPredicate(f, n)
	case to == dtype.Bool:
		f.Target.ToPredicate(f, n)
	case from.IsFloat() && to.IsFloat():
		x := f.Src(n.Args[0])
		f.Release()
		f.I(Pick(to, x86.VCVTPD2PS, x86.VCVTPS2PD), l, f.Dst(), x)
	case to.IsFloat():
		f.Target.IntToFloat(f, n)
	case from.IsFloat():
		f.Target.FloatToInt(f, n)
	default:
		x := f.Src(n.Args[0])
		f.Release()
		d := f.Dst()
		switch {
		case Wide(to) && !Wide(from) && from.IsSigned():
			f.I(x86.VPMOVSXDQ, l, d, x)
		case Wide(to) && !Wide(from):
			f.I(x86.VPMOVZXDQ, l, d, x)
		case Wide(from) && !Wide(to):
			f.Target.Narrow(f, d, x)
		case d != x:
			f.I(x86.VMOVAPS, l, d, x)
		}
		f.Canon(to, d)
	}
}

// One returns the bits of the number one of type t.
func One(t dtype.Type) uint64 {
	if t.IsFloat() {
		return FloatBits(t, 1)
	}
	return 1
}

// ClampNarrow brings d, signed 32-bit lanes, into the range of a type of 8 bits.
func (f *Emitter) ClampNarrow(d x86.Vec, t dtype.Type) {
	lo, hi := math.MinInt8, math.MaxInt8
	switch t {
	case dtype.U8:
		lo, hi = 0, math.MaxUint8
	case dtype.I8:
	default:
		return
	}
	f.I(x86.VPMINSD, f.LenOf(dtype.I32), d, d, f.constOperand(dtype.I32, uint64(hi)))
	f.I(x86.VPMAXSD, f.LenOf(dtype.I32), d, d, f.constOperand(dtype.I32, uint64(uint32(int32(lo)))))
}
