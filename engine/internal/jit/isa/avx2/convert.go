package avx2

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Conversions without a vector instruction go lane by lane through general registers.

func (Target) FromPredicate(f *isa.Emitter, n *lower.Node) {
	to := n.Type
	p := maskFor(f, f.Src(n.Args[0]), to)
	f.Release()
	f.I(x86.VANDPS, f.LenOf(to), f.Dst(), p, f.Full(to, isa.One(to)))
}

func (Target) ToPredicate(f *isa.Emitter, n *lower.Node) {
	x, from := f.Src(n.Args[0]), n.In
	if from.IsFloat() {
		f.Release()
	}
	d := f.Dst()
	if from.IsFloat() {
		f.I(isa.Pick(from, x86.VCMPPS, x86.VCMPPD), f.LenOf(from), d, x, f.Full(from, 0), x86.Imm(4))
	} else {
		f.I(isa.Pick(from, x86.VPCMPEQD, x86.VPCMPEQQ), f.LenOf(from), d, x, f.Full(from, 0))
		f.I(x86.VPXOR, f.LenOf(from), d, d, f.Ones())
	}
	predicate(f, d, from)
}

func (is Target) IntToFloat(f *isa.Emitter, n *lower.Node) {
	if isa.Wide(n.In) || n.In == dtype.U32 {
		is.scalarToFloat(f, n)
		return
	}
	x := f.Src(n.Args[0])
	f.Release()
	f.I(isa.Pick(n.Type, x86.VCVTDQ2PS, x86.VCVTDQ2PD), max(f.LenOf(n.In), f.LenOf(n.Type)), f.Dst(), x)
}

func (is Target) FloatToInt(f *isa.Emitter, n *lower.Node) {
	if isa.Wide(n.Type) || n.Type == dtype.U32 {
		is.scalarToInt(f, n)
		return
	}
	x := f.Src(n.Args[0])
	is.truncate(f, f.Dst(), x, n.In, n.Type)
}

func (Target) Narrow(f *isa.Emitter, d, x x86.Vec) {
	t := f.Tmp()
	f.I(x86.VEXTRACTF128, x86.L256, t, x, x86.Imm(1))
	f.I(x86.VSHUFPS, x86.L128, d, x, t, x86.Imm(0x88))
}

// truncate converts floats to I32, I8 or U8, with saturation and NaN to 0.
func (is Target) truncate(f *isa.Emitter, d, x x86.Vec, from, to dtype.Type) {
	l, lf := max(f.LenOf(from), f.LenOf(to)), f.LenOf(from)
	k := f.Tmp()
	cmp := isa.Pick(from, x86.VCMPPS, x86.VCMPPD)
	f.I(isa.Pick(from, x86.VCVTTPS2DQ, x86.VCVTTPD2DQ), l, d, x)
	li := f.LenOf(dtype.I32)
	f.I(cmp, lf, k, x, f.Full(from, isa.FloatBits(from, 1<<31)), x86.Imm(0x1d))
	k = is.narrowTo32(f, k, from)
	f.I(x86.VBLENDVPS, li, d, d, f.Full(dtype.I32, math.MaxInt32), k)
	f.I(cmp, lf, k, x, x, x86.Imm(7))
	k = is.narrowTo32(f, k, from)
	f.I(x86.VPAND, li, d, d, k)
	f.ClampNarrow(d, to)
}

// narrowTo32 returns the result of a comparison of type t in 32-bit lanes.
func (is Target) narrowTo32(f *isa.Emitter, k x86.Vec, t dtype.Type) x86.Vec {
	if !isa.Wide(t) {
		return k
	}
	return maskFor(f, k, dtype.I32)
}

// lanesOut spills x to scratch memory, for code that goes lane by lane.
func (is Target) lanesOut(f *isa.Emitter, x x86.Vec, t dtype.Type) {
	f.I(x86.VMOVUPS, f.LenOf(t), isa.Frame(frame.Tmp), x)
}

// scalarToFloat converts U32, I64 and U64.
func (is Target) scalarToFloat(f *isa.Emitter, n *lower.Node) {
	x, d, t := f.Src(n.Args[0]), f.Dst(), f.Tmp()
	is.lanesOut(f, x, n.In)
	cvt := isa.Pick(n.Type, x86.VCVTSI2SS, x86.VCVTSI2SD)
	add := isa.Pick(n.Type, x86.VADDSS, x86.VADDSD)
	st := isa.Pick(n.Type, x86.VMOVSS, x86.VMOVSD)
	size := 4
	if isa.Wide(n.In) {
		size = 8
	}
	f.I(x86.VXORPS, x86.L128, t, t, t)
	for lane := range f.W {
		src := isa.Frame(frame.Tmp + size*lane)
		if size == 4 {
			f.I(x86.MOV, x86.W32, x86.RAX, src)
		} else {
			f.I(x86.MOV, x86.W64, x86.RAX, src)
		}
		if n.In == dtype.U64 { // convert half of it, rounded to odd, and double the result
			small, done := f.Asm.NewLabel(), f.Asm.NewLabel()
			f.I(x86.TEST, x86.W64, x86.RAX, x86.RAX)
			f.I(x86.JNS, 0, small)
			f.I(x86.MOV, x86.W64, x86.RCX, x86.RAX)
			f.I(x86.SHR, x86.W64, x86.RAX, x86.Imm(1))
			f.I(x86.AND, x86.W32, x86.RCX, x86.Imm(1))
			f.I(x86.OR, x86.W64, x86.RAX, x86.RCX)
			f.I(cvt, x86.W64, t, t, x86.RAX)
			f.I(add, 0, t, t, t)
			f.I(x86.JMP, 0, done)
			f.Asm.Bind(small)
			f.I(cvt, x86.W64, t, t, x86.RAX)
			f.Asm.Bind(done)
		} else {
			f.I(cvt, x86.W64, t, t, x86.RAX)
		}
		f.I(st, 0, isa.Frame(frame.Tmp+128+n.Type.Size()*lane), t)
	}
	f.I(x86.VMOVUPS, f.LenOf(n.Type), d, isa.Frame(frame.Tmp+128))
}

// scalarToInt converts to U32, I64 and U64, with saturation and NaN to 0.
func (is Target) scalarToInt(f *isa.Emitter, n *lower.Node) {
	x, d, t, c := f.Src(n.Args[0]), f.Dst(), f.Tmp(), f.Tmp()
	is.lanesOut(f, x, n.In)
	cvt := isa.Pick(n.In, x86.VCVTTSS2SI, x86.VCVTTSD2SI)
	ld := isa.Pick(n.In, x86.VMOVSS, x86.VMOVSD)
	ucomi := isa.Pick(n.In, x86.VUCOMISS, x86.VUCOMISD)
	sub := isa.Pick(n.In, x86.VSUBSS, x86.VSUBSD)
	limit := func(v float64) x86.Mem { return f.ConstMem(n.In, isa.FloatBits(n.In, v)) }
	size := 4
	if isa.Wide(n.Type) {
		size = 8
	}
	for lane := range f.W {
		done, zero, top := f.Asm.NewLabel(), f.Asm.NewLabel(), f.Asm.NewLabel()
		f.I(ld, 0, t, isa.Frame(frame.Tmp+n.In.Size()*lane))
		switch n.Type {
		case dtype.I64: // the indefinite value is the least integer
			f.I(ucomi, 0, t, t)
			f.I(x86.JP, 0, zero)
			f.I(ld, 0, c, limit(1<<63))
			f.I(ucomi, 0, t, c)
			f.I(x86.JAE, 0, top)
			f.I(cvt, x86.W64, x86.RAX, t)
			f.I(x86.JMP, 0, done)
			f.Asm.Bind(top)
			f.I(x86.MOV, x86.W64, x86.RAX, x86.Imm(math.MaxInt64))
		default:
			f.I(x86.VXORPS, x86.L128, c, c, c)
			f.I(ucomi, 0, c, t) // 0 < x; unordered sets the carry too, with the parity
			f.I(x86.JP, 0, zero)
			f.I(x86.JAE, 0, zero)
			if n.Type == dtype.U32 {
				f.I(ld, 0, c, limit(1<<32))
				f.I(ucomi, 0, t, c)
				f.I(x86.JAE, 0, top)
				f.I(cvt, x86.W64, x86.RAX, t)
				f.I(x86.JMP, 0, done)
			} else {
				high := f.Asm.NewLabel()
				f.I(ld, 0, c, limit(1<<64))
				f.I(ucomi, 0, t, c)
				f.I(x86.JAE, 0, top)
				f.I(ld, 0, c, limit(1<<63))
				f.I(ucomi, 0, t, c)
				f.I(x86.JAE, 0, high)
				f.I(cvt, x86.W64, x86.RAX, t)
				f.I(x86.JMP, 0, done)
				f.Asm.Bind(high)
				f.I(sub, 0, t, t, c)
				f.I(cvt, x86.W64, x86.RAX, t)
				f.I(x86.MOV, x86.W64, x86.RCX, x86.Imm(math.MinInt64))
				f.I(x86.ADD, x86.W64, x86.RAX, x86.RCX)
				f.I(x86.JMP, 0, done)
			}
			f.Asm.Bind(top)
			f.I(x86.MOV, x86.W64, x86.RAX, x86.Imm(-1))
		}
		f.I(x86.JMP, 0, done)
		f.Asm.Bind(zero)
		f.I(x86.XOR, x86.W32, x86.RAX, x86.RAX)
		f.Asm.Bind(done)
		if size == 4 {
			f.I(x86.MOV, x86.W32, isa.Frame(frame.Tmp+128+size*lane), x86.RAX)
		} else {
			f.I(x86.MOV, x86.W64, isa.Frame(frame.Tmp+128+size*lane), x86.RAX)
		}
	}
	f.I(x86.VMOVUPS, f.LenOf(n.Type), d, isa.Frame(frame.Tmp+128))
}
