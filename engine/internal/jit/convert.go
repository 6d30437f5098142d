package jit

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

func floatBits(t dtype.Type, x float64) uint64 {
	if t == dtype.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// scalarDivide divides integers lane by lane, in 64 bits, and truncates the results to
// the narrower type. Division by zero gives 0. Division by -1 is a negation: IDIV
// would trap on the least integer.
func scalarDivide(f *emitter, n *node) {
	x, y, d := f.src(n.args[0]), f.src(n.args[1]), f.dst()
	l := f.lenOf(n.in)
	f.i(x86.VMOVUPS, l, frameAt(frameTmp), x)
	f.i(x86.VMOVUPS, l, frameAt(frameTmp+64), y)
	size, width, load := 8, x86.W64, x86.MOV
	switch {
	case wide(n.in):
	case n.in.IsSigned():
		size, load = 4, x86.MOVSXD
	default:
		size, width = 4, x86.W32
	}
	for lane := range f.w {
		done, zero, plain := f.a.NewLabel(), f.a.NewLabel(), f.a.NewLabel()
		f.i(load, width, x86.RCX, frameAt(frameTmp+64+size*lane))
		f.i(load, width, x86.RAX, frameAt(frameTmp+size*lane))
		f.i(x86.TEST, x86.W64, x86.RCX, x86.RCX)
		f.i(x86.JE, 0, zero)
		if n.in.IsSigned() {
			f.i(x86.CMP, x86.W64, x86.RCX, x86.Imm(-1))
			f.i(x86.JNE, 0, plain)
			f.i(x86.NEG, x86.W64, x86.RAX)
			f.i(x86.XOR, x86.W32, x86.RDX, x86.RDX)
			f.i(x86.JMP, 0, done)
			f.a.Bind(plain)
			f.i(x86.CQO, 0)
			f.i(x86.IDIV, x86.W64, x86.RCX)
		} else {
			f.i(x86.XOR, x86.W32, x86.RDX, x86.RDX)
			f.i(x86.DIV, x86.W64, x86.RCX)
		}
		f.i(x86.JMP, 0, done)
		f.a.Bind(zero)
		f.i(x86.XOR, x86.W32, x86.RAX, x86.RAX)
		f.i(x86.XOR, x86.W32, x86.RDX, x86.RDX)
		f.a.Bind(done)
		r := x86.RAX
		if n.op == prim.Rem {
			r = x86.RDX
		}
		out := x86.W64
		if size == 4 {
			out = x86.W32
		}
		f.i(x86.MOV, out, frameAt(frameTmp+size*lane), r)
	}
	f.i(x86.VMOVUPS, l, d, frameAt(frameTmp))
	f.canon(n.in, d)
}

// scalarRem emits the remainder of floats lane by lane with fprem. The instruction is
// exact, and repeats until it clears flag C2.
func scalarRem(f *emitter, n *node) {
	x, y, d := f.src(n.args[0]), f.src(n.args[1]), f.dst()
	l := f.lenOf(n.in)
	f.i(x86.VMOVUPS, l, frameAt(frameTmp), x)
	f.i(x86.VMOVUPS, l, frameAt(frameTmp+64), y)
	load, store, op := byte(0xd9), byte(0xd9), n.in.Size()
	if wide(n.in) {
		load, store = 0xdd, 0xdd
	}
	loop, more := f.a.NewLabel(), f.a.NewLabel()
	f.i(x86.LEA, x86.W64, x86.RCX, frameAt(frameTmp))
	f.i(x86.MOV, x86.W32, x86.RDX, x86.Imm(f.w))
	f.a.Bind(loop)
	f.a.Bytes(load, 0x41, 64) // fld [rcx+64]: y
	f.a.Bytes(load, 0x01)     // fld [rcx]: x
	f.a.Bind(more)
	f.a.Bytes(0xd9, 0xf8) // fprem
	f.a.Bytes(0xdf, 0xe0) // fnstsw ax
	f.i(x86.TEST, x86.W32, x86.RAX, x86.Imm(0x400))
	f.i(x86.JNE, 0, more)
	f.a.Bytes(store, 0x19) // fstp [rcx]
	f.a.Bytes(0xdd, 0xd8)  // fstp st(0)
	f.i(x86.ADD, x86.W64, x86.RCX, x86.Imm(op))
	f.i(x86.SUB, x86.W32, x86.RDX, x86.Imm(1))
	f.i(x86.JNE, 0, loop)
	f.i(x86.VMOVUPS, l, d, frameAt(frameTmp))
}
