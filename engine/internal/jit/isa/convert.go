package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
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
