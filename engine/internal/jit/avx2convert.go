package jit

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// convert converts with AVX2. Conversions without a vector instruction go lane by
// lane through general registers.
func (is avx2) convert(f *emitter, n *node) {
	from, to := n.in, n.typ
	l := max(f.lenOf(from), f.lenOf(to))
	switch {
	case from == to:
		move(f, n)
	case from == dtype.Bool:
		one := uint64(1)
		if to.IsFloat() {
			one = floatBits(to, 1)
		}
		p := f.maskFor(f.src(n.args[0]), to)
		f.release()
		f.i(x86.VANDPS, f.lenOf(to), f.dst(), p, f.full(to, one))
	case to == dtype.Bool && from.IsFloat():
		x := f.src(n.args[0])
		f.release()
		d := f.dst()
		f.i(pick(from, x86.VCMPPS, x86.VCMPPD), f.lenOf(from), d, x, f.full(from, 0), x86.Imm(4))
		f.predicate(d, from)
	case to == dtype.Bool:
		x, d := f.src(n.args[0]), f.dst()
		f.i(pick(from, x86.VPCMPEQD, x86.VPCMPEQQ), f.lenOf(from), d, x, f.full(from, 0))
		f.i(x86.VPXOR, f.lenOf(from), d, d, f.ones())
		f.predicate(d, from)
	case from.IsFloat() && to.IsFloat():
		x := f.src(n.args[0])
		f.release()
		f.i(pick(to, x86.VCVTPD2PS, x86.VCVTPS2PD), l, f.dst(), x)
	case to.IsFloat() && !wide(from) && from != dtype.U32:
		x := f.src(n.args[0])
		f.release()
		f.i(pick(to, x86.VCVTDQ2PS, x86.VCVTDQ2PD), l, f.dst(), x)
	case to.IsFloat():
		is.scalarToFloat(f, n)
	case from.IsFloat() && !wide(to) && to != dtype.U32:
		x := f.src(n.args[0])
		is.truncate(f, f.dst(), x, from, to)
	case from.IsFloat():
		is.scalarToInt(f, n)
	default:
		x, t := f.src(n.args[0]), f.tmp()
		f.release()
		d := f.dst()
		switch {
		case wide(to) && !wide(from) && from.IsSigned():
			f.i(x86.VPMOVSXDQ, l, d, x)
		case wide(to) && !wide(from):
			f.i(x86.VPMOVZXDQ, l, d, x)
		case wide(from) && !wide(to):
			f.i(x86.VEXTRACTF128, x86.L256, t, x, x86.Imm(1))
			f.i(x86.VSHUFPS, x86.L128, d, x, t, x86.Imm(0x88))
		case d != x:
			f.i(x86.VMOVAPS, l, d, x)
		}
		f.canon(to, d)
	}
}

// truncate converts floats to I32, I8 or U8, with saturation and NaN to 0.
func (is avx2) truncate(f *emitter, d, x x86.Vec, from, to dtype.Type) {
	l, lf := max(f.lenOf(from), f.lenOf(to)), f.lenOf(from)
	k := f.tmp()
	cmp := pick(from, x86.VCMPPS, x86.VCMPPD)
	f.i(pick(from, x86.VCVTTPS2DQ, x86.VCVTTPD2DQ), l, d, x)
	li := f.lenOf(dtype.I32)
	f.i(cmp, lf, k, x, f.full(from, floatBits(from, 1<<31)), x86.Imm(0x1d))
	k = is.narrowTo32(f, k, from)
	f.i(x86.VBLENDVPS, li, d, d, f.full(dtype.I32, math.MaxInt32), k)
	f.i(cmp, lf, k, x, x, x86.Imm(7))
	k = is.narrowTo32(f, k, from)
	f.i(x86.VPAND, li, d, d, k)
	switch to {
	case dtype.I8:
		lo := int32(math.MinInt8)
		f.i(x86.VPMINSD, li, d, d, f.full(dtype.I32, math.MaxInt8))
		f.i(x86.VPMAXSD, li, d, d, f.full(dtype.I32, uint64(uint32(lo))))
	case dtype.U8:
		f.i(x86.VPMINSD, li, d, d, f.full(dtype.I32, math.MaxUint8))
		f.i(x86.VPMAXSD, li, d, d, f.full(dtype.I32, 0))
	}
}

// narrowTo32 returns the result of a comparison of type t in 32-bit lanes.
func (is avx2) narrowTo32(f *emitter, k x86.Vec, t dtype.Type) x86.Vec {
	if !wide(t) {
		return k
	}
	return f.maskFor(k, dtype.I32)
}

// lanesOut spills x to scratch memory, for code that goes lane by lane.
func (is avx2) lanesOut(f *emitter, x x86.Vec, t dtype.Type) {
	f.i(x86.VMOVUPS, f.lenOf(t), frameAt(frameTmp), x)
}

// scalarToFloat converts U32, I64 and U64.
func (is avx2) scalarToFloat(f *emitter, n *node) {
	x, d, t := f.src(n.args[0]), f.dst(), f.tmp()
	is.lanesOut(f, x, n.in)
	cvt := pick(n.typ, x86.VCVTSI2SS, x86.VCVTSI2SD)
	add := pick(n.typ, x86.VADDSS, x86.VADDSD)
	st := pick(n.typ, x86.VMOVSS, x86.VMOVSD)
	size := 4
	if wide(n.in) {
		size = 8
	}
	f.i(x86.VXORPS, x86.L128, t, t, t)
	for lane := range f.w {
		src := frameAt(frameTmp + size*lane)
		if size == 4 {
			f.i(x86.MOV, x86.W32, x86.RAX, src)
		} else {
			f.i(x86.MOV, x86.W64, x86.RAX, src)
		}
		if n.in == dtype.U64 { // convert half of it, rounded to odd, and double the result
			small, done := f.a.NewLabel(), f.a.NewLabel()
			f.i(x86.TEST, x86.W64, x86.RAX, x86.RAX)
			f.i(x86.JNS, 0, small)
			f.i(x86.MOV, x86.W64, x86.RCX, x86.RAX)
			f.i(x86.SHR, x86.W64, x86.RAX, x86.Imm(1))
			f.i(x86.AND, x86.W32, x86.RCX, x86.Imm(1))
			f.i(x86.OR, x86.W64, x86.RAX, x86.RCX)
			f.i(cvt, x86.W64, t, t, x86.RAX)
			f.i(add, 0, t, t, t)
			f.i(x86.JMP, 0, done)
			f.a.Bind(small)
			f.i(cvt, x86.W64, t, t, x86.RAX)
			f.a.Bind(done)
		} else {
			f.i(cvt, x86.W64, t, t, x86.RAX)
		}
		f.i(st, 0, frameAt(frameTmp+128+n.typ.Size()*lane), t)
	}
	f.i(x86.VMOVUPS, f.lenOf(n.typ), d, frameAt(frameTmp+128))
}

// scalarToInt converts to U32, I64 and U64, with saturation and NaN to 0.
func (is avx2) scalarToInt(f *emitter, n *node) {
	x, d, t, c := f.src(n.args[0]), f.dst(), f.tmp(), f.tmp()
	is.lanesOut(f, x, n.in)
	cvt := pick(n.in, x86.VCVTTSS2SI, x86.VCVTTSD2SI)
	ld := pick(n.in, x86.VMOVSS, x86.VMOVSD)
	ucomi := pick(n.in, x86.VUCOMISS, x86.VUCOMISD)
	sub := pick(n.in, x86.VSUBSS, x86.VSUBSD)
	limit := func(v float64) x86.Mem { return f.constMem(n.in, floatBits(n.in, v)) }
	size := 4
	if wide(n.typ) {
		size = 8
	}
	for lane := range f.w {
		done, zero, top := f.a.NewLabel(), f.a.NewLabel(), f.a.NewLabel()
		f.i(ld, 0, t, frameAt(frameTmp+n.in.Size()*lane))
		switch n.typ {
		case dtype.I64: // the indefinite value is the least integer
			f.i(ucomi, 0, t, t)
			f.i(x86.JP, 0, zero)
			f.i(ld, 0, c, limit(1<<63))
			f.i(ucomi, 0, t, c)
			f.i(x86.JAE, 0, top)
			f.i(cvt, x86.W64, x86.RAX, t)
			f.i(x86.JMP, 0, done)
			f.a.Bind(top)
			f.i(x86.MOV, x86.W64, x86.RAX, x86.Imm(math.MaxInt64))
		default:
			f.i(x86.VXORPS, x86.L128, c, c, c)
			f.i(ucomi, 0, c, t) // 0 < x; unordered sets the carry too, with the parity
			f.i(x86.JP, 0, zero)
			f.i(x86.JAE, 0, zero)
			if n.typ == dtype.U32 {
				f.i(ld, 0, c, limit(1<<32))
				f.i(ucomi, 0, t, c)
				f.i(x86.JAE, 0, top)
				f.i(cvt, x86.W64, x86.RAX, t)
				f.i(x86.JMP, 0, done)
			} else {
				high := f.a.NewLabel()
				f.i(ld, 0, c, limit(1<<64))
				f.i(ucomi, 0, t, c)
				f.i(x86.JAE, 0, top)
				f.i(ld, 0, c, limit(1<<63))
				f.i(ucomi, 0, t, c)
				f.i(x86.JAE, 0, high)
				f.i(cvt, x86.W64, x86.RAX, t)
				f.i(x86.JMP, 0, done)
				f.a.Bind(high)
				f.i(sub, 0, t, t, c)
				f.i(cvt, x86.W64, x86.RAX, t)
				f.i(x86.MOV, x86.W64, x86.RCX, x86.Imm(math.MinInt64))
				f.i(x86.ADD, x86.W64, x86.RAX, x86.RCX)
				f.i(x86.JMP, 0, done)
			}
			f.a.Bind(top)
			f.i(x86.MOV, x86.W64, x86.RAX, x86.Imm(-1))
		}
		f.i(x86.JMP, 0, done)
		f.a.Bind(zero)
		f.i(x86.XOR, x86.W32, x86.RAX, x86.RAX)
		f.a.Bind(done)
		if size == 4 {
			f.i(x86.MOV, x86.W32, frameAt(frameTmp+128+size*lane), x86.RAX)
		} else {
			f.i(x86.MOV, x86.W64, frameAt(frameTmp+128+size*lane), x86.RAX)
		}
	}
	f.i(x86.VMOVUPS, f.lenOf(n.typ), d, frameAt(frameTmp+128))
}
