package amd64

import (
	"math"
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Conversions between types with AVX2. Only floats out of the range of 64-bit integers go lane by lane, through
// general registers.

func (f *avx2) fromPredicate(n *lower.Node) {
	to := n.Type
	p := f.maskFor(f.Src(n.Args[0]), to)
	f.Release()
	f.I(x86.VANDPS, f.LenOf(to), f.Dst(), p, f.full(to, floatBits(to, 1)))
}

func (f *avx2) intToFloat(n *lower.Node) {
	switch {
	case isa.Wide(n.In) && isa.Wide(n.Type):
		f.wideToFloat(n)
		return
	case n.In == dtype.U32:
		f.unsignedToFloat(n)
		return
	case isa.Wide(n.In):
		f.wideToSingle(n)
		return
	}
	x := f.Src(n.Args[0])
	f.Release()
	f.I(pick(n.Type, x86.VCVTDQ2PS, x86.VCVTDQ2PD), max(f.LenOf(n.In), f.LenOf(n.Type)), f.Dst(), x)
}

func (f *avx2) floatToInt(n *lower.Node) {
	switch {
	case isa.Wide(n.Type):
		f.floatToWide(n)
	case f.convertsTogether(n):
		f.truncateTogether(n)
	default:
		x := f.Src(n.Args[0])
		f.truncate(f.Dst(), x, n.In, n.Type)
	}
}

// testsOnce is the field of [isa.Facts] for AVX2: conversions of floats whose result is not extended, as a store that packs it applies the bounds
// of its type, share a test of their range.
func testsOnce(n *lower.Node) bool {
	return n.Op == prim.Cvt && n.In.IsFloat() && !inRange(n) && (n.Type == dtype.I32 || n.Type == dtype.U32 || saturates(n))
}

// convertsTogether reports whether the first copy of a conversion converts all: there are registers for the results, and for the temporaries of
// truncate.
func (f *avx2) convertsTogether(n *lower.Node) bool {
	if f.Copy > 0 {
		return f.Places[f.Key(f.ID, f.Copy)].Reg >= 0
	}
	whole := f.Phase.Kind == lower.MapPhase && !f.Masked && !f.InCold && f.Copies > 1 && f.Batch|f.Half|f.Pair|f.Runs|f.Ends|f.Back|f.Layout.Laid == 0
	return testsOnce(n) && whole && bits.OnesCount64(f.Vecs.Free) > f.Copies+3
}

// truncateTogether converts the copies of a node. The instruction makes the least integer of numbers out of range, and of NaN: if there is
// one, or a negative one for U32, the copies are converted one by one.
func (f *avx2) truncateTogether(n *lower.Node) {
	if f.Copy > 0 {
		return
	}
	x, d := make([]x86.Vec, f.Copies), make([]x86.Vec, f.Copies)
	for c := range d {
		f.Copy = c
		x[c], d[c] = f.Src(n.Args[0]), f.Dst()
	}
	f.Copy = 0
	least, near, l, combine := f.Tmp(), f.NewLabel(), f.LenOf(dtype.I32), x86.VPMINSD
	if n.Type == dtype.U32 {
		combine = x86.VPOR
	}
	for c := range d {
		f.I(pick(n.In, x86.VCVTTPS2DQ, x86.VCVTTPD2DQ), max(f.LenOf(n.In), l), d[c], x[c])
		switch {
		case c == 1:
			f.I(combine, l, least, d[0], d[1])
		case c > 1:
			f.I(combine, l, least, least, d[c])
		}
	}
	if n.Type != dtype.U32 {
		f.I(x86.VPCMPEQD, l, least, least, f.full(dtype.U32, 1<<31))
	}
	f.I(x86.VMOVMSKPS, l, x86.RAX, least)
	f.Within(func() { f.Tmp(); f.Tmp(); f.Tmp() }) // those of truncate, for which no value goes to memory behind the branch
	f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.I(x86.JE, 0, near)
	for c := range d {
		f.Within(func() { f.truncate(d[c], x[c], n.In, n.Type) })
	}
	f.Bind(near)
}

func (f *avx2) narrow(d, x x86.Vec) {
	t := f.Tmp()
	f.I(x86.VEXTRACTF128, x86.L256, t, x, x86.Imm(1))
	f.I(x86.VSHUFPS, x86.L128, d, x, t, x86.Imm(0x88))
}

// truncate converts floats to 32 bits or a narrow type, with saturation and NaN to 0.
func (f *avx2) truncate(d, x x86.Vec, from, to dtype.Type) {
	if to == dtype.U32 {
		f.floatToUnsigned(d, x, from)
		return
	}
	l, lf := max(f.LenOf(from), f.LenOf(to)), f.LenOf(from)
	k := f.Tmp()
	cmp := pick(from, x86.VCMPPS, x86.VCMPPD)
	if to.IsSigned() && (isa.Narrow(to) || isa.Wide(from)) { // NaN becomes 0
		f.I(cmp, lf, k, x, x, x86.Imm(7))
		f.I(x86.VANDPS, lf, k, k, x)
		x = k
	}
	convert := func(t x86.Vec) { f.I(pick(from, x86.VCVTTPS2DQ, x86.VCVTTPD2DQ), l, d, t) }
	switch {
	case inRange(f.Cur):
		convert(x)
		return
	case isa.Narrow(to):
		f.clamped(d, x, from, to, convert)
		return
	case isa.Wide(from): // has the greatest integer; what is below all of them becomes the least one
		f.I(x86.VMINPD, lf, k, x, f.full(from, floatBits(from, math.MaxInt32)))
		f.I(x86.VCVTTPD2DQ, l, d, k)
		return
	}
	f.I(x86.VCVTTPS2DQ, l, d, x)
	li := f.LenOf(dtype.I32)
	f.I(cmp, lf, k, x, f.full(from, floatBits(from, 1<<31)), x86.Imm(0x1d))
	f.I(x86.VBLENDVPS, li, d, d, f.full(dtype.I32, math.MaxInt32), k)
	f.I(cmp, lf, k, x, x, x86.Imm(7))
	f.I(x86.VPAND, li, d, d, k)
}

// narrowTo32 returns the result of a comparison of type t in 32-bit lanes.
func (f *avx2) narrowTo32(k x86.Vec, t dtype.Type) x86.Vec {
	if !isa.Wide(t) {
		return k
	}
	return f.maskFor(k, dtype.I32)
}

// The bits of 2^52 and of 2^84, whose last places are 1 and 2^32: the lower bits of their sums with integers are
// those integers.
const bits52, bits84 = 0x433 << 52, 0x453 << 52

// wideToFloat converts I64 and U64 to F64.
func (f *avx2) wideToFloat(n *lower.Node) {
	x, d, low := f.Src(n.Args[0]), f.Dst(), f.Tmp()
	f.wideToDouble(n.In, d, x, low)
}

// wideToDouble sets d to the float64 next to the integers x of 64 bits. The upper halves are numbers from 2^84 and the
// lower halves from 2^52, and one addition rounds. The upper half of a signed number counts from -2^31. low is overwritten, and may be x.
func (f *avx2) wideToDouble(t dtype.Type, d, x, low x86.Vec) {
	const l = x86.L256
	upper, base := uint64(bits84), 0x1p84+0x1p52
	if t == dtype.I64 {
		upper, base = bits84|1<<31, 0x1p84+0x1p63+0x1p52
	}
	f.I(x86.VPSRLQ, l, d, x, x86.Imm(32))
	f.I(x86.VPBLENDD, l, low, x, f.full(dtype.U64, bits52), x86.Imm(0xaa))
	f.I(x86.VPXOR, l, d, d, f.full(dtype.U64, upper))
	f.I(x86.VSUBPD, l, d, d, f.full(dtype.F64, floatBits(dtype.F64, base)))
	f.I(x86.VADDPD, l, d, d, low)
}

// wideToSingle converts I64 and U64 to F32, by way of F64. If there are integers from 2^53 on, which F64 may round, their lower
// 11 bits are cleared before, and the next bit is set if one of them was: F32 rounds the same from that.
func (f *avx2) wideToSingle(n *lower.Node) {
	x, d := f.Src(n.Args[0]), f.Dst()
	v, k, u := f.Tmp(), f.Tmp(), f.Tmp()
	const l = x86.L256
	near := f.NewLabel()
	f.wideToDouble(n.In, v, x, k)
	f.I(x86.VANDPD, l, k, v, f.full(dtype.U64, 1<<63-1))
	f.I(x86.VCMPPD, l, k, k, f.full(dtype.F64, floatBits(dtype.F64, 1<<53)), x86.Imm(0x1d)) // at least
	f.I(x86.VMOVMSKPD, l, x86.RAX, k)
	f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.I(x86.JE, 0, near)
	f.I(x86.VPAND, l, u, x, f.full(dtype.U64, 1<<11-1))
	f.I(x86.VPADDQ, l, u, u, f.full(dtype.U64, 1<<11-1))
	f.I(x86.VPOR, l, u, u, x)
	f.I(x86.VPAND, l, u, u, f.full(dtype.U64, 1<<64-1<<11))
	f.I(x86.VBLENDVPD, l, u, x, u, k)
	f.wideToDouble(n.In, v, u, u)
	f.Bind(near)
	f.I(x86.VCVTPD2PS, l, d, v)
}

// unsignedToFloat converts U32. A float32 is the rounded sum of two halves, which float32 holds exactly.
func (f *avx2) unsignedToFloat(n *lower.Node) {
	x, d := f.Src(n.Args[0]), f.Dst()
	l := f.LenOf(n.Type)
	if isa.Wide(n.Type) {
		f.I(x86.VPMOVZXDQ, l, d, x)
		f.I(x86.VPOR, l, d, d, f.full(dtype.U64, bits52))
		f.I(x86.VSUBPD, l, d, d, f.full(dtype.U64, bits52))
		return
	}
	low := f.Tmp()
	f.I(x86.VPAND, l, low, x, f.full(dtype.U32, 0xffff))
	f.I(x86.VCVTDQ2PS, l, low, low)
	f.I(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.I(x86.VCVTDQ2PS, l, d, d)
	f.I(x86.VFMADD132PS, l, d, low, f.full(dtype.F32, floatBits(dtype.F32, 1<<16)))
}

// floatToUnsigned converts to U32. NaN and negative numbers become 0 by a maximum, which returns its second operand for NaN. The
// truncated float64 from 2^52 on has the integer as its lower half. A float32 from 2^31 on is out of the range of the
// conversion, whose result then has the sign bit alone; its distance from 2^31 has the other bits.
func (f *avx2) floatToUnsigned(d, x x86.Vec, from dtype.Type) {
	t := f.Tmp()
	full := func(x float64) x86.Mem { return f.full(from, floatBits(from, x)) }
	if isa.Wide(from) {
		const l = x86.L256
		f.I(x86.VMAXPD, l, t, x, full(0))
		f.I(x86.VMINPD, l, t, t, full(math.MaxUint32))
		f.I(x86.VROUNDPD, l, t, t, x86.Imm(11))
		f.I(x86.VADDPD, l, t, t, full(1<<52))
		f.narrow(d, t)
		return
	}
	l, u, over := f.LenOf(from), f.Tmp(), f.Tmp()
	f.I(x86.VMAXPS, l, t, x, full(0))
	f.I(x86.VCMPPS, l, over, t, full(1<<32), x86.Imm(0x1d))
	f.I(x86.VSUBPS, l, u, t, full(1<<31))
	f.I(x86.VCVTTPS2DQ, l, t, t)
	f.I(x86.VCVTTPS2DQ, l, u, u)
	f.I(x86.VPSRAD, l, d, t, x86.Imm(31))
	f.I(x86.VPAND, l, u, u, d)
	f.I(x86.VPOR, l, t, t, over)
	f.I(x86.VPOR, l, d, t, u)
}

// floatToWide converts floats to I64 and U64. The sum with 3*2^51 has the bits of an integer below 2^51. If there are
// larger numbers, their halves are converted so. If there are numbers out of range, or NaN, all lanes go
// through general registers.
func (f *avx2) floatToWide(n *lower.Node) {
	x, d := f.Src(n.Args[0]), f.Dst()
	v, k := f.Tmp(), f.Tmp()
	const l = x86.L256
	full := func(x float64) x86.Mem { return f.full(dtype.F64, floatBits(dtype.F64, x)) }
	magic := full(3 << 51)
	within := func(limit float64, to x86.Label) { // jumps if all numbers are below limit, and none is negative if U64
		f.I(x86.VANDPD, l, k, v, f.full(dtype.U64, 1<<63-1))
		f.I(x86.VCMPPD, l, k, k, full(limit), x86.Imm(5)) // not less
		if n.Type == dtype.U64 {
			f.I(x86.VPOR, l, k, k, v)
		}
		f.I(x86.VMOVMSKPD, l, x86.RAX, k)
		f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
		f.I(x86.JE, 0, to)
	}
	if isa.Wide(n.In) {
		f.I(x86.VROUNDPD, l, v, x, x86.Imm(11))
	} else {
		f.I(x86.VCVTPS2PD, l, v, x)
		f.I(x86.VROUNDPD, l, v, v, x86.Imm(11))
	}
	whole := func(d, v x86.Vec) {
		f.I(x86.VADDPD, l, d, v, magic)
		f.I(x86.VPSUBQ, l, d, d, magic)
	}
	near, halves := f.NewLabel(), f.NewLabel()
	whole(d, v)
	within(1<<51, near)
	within(tops[n.Type], halves)
	f.scalarToInt(n, [4]x86.Vec{x, d, v, k})
	f.I(x86.JMP, 0, near)
	f.Bind(halves)
	f.I(x86.VMULPD, l, k, v, full(0x1p-32))
	f.I(x86.VROUNDPD, l, k, k, x86.Imm(8)) // to nearest
	f.I(x86.VFNMADD231PD, l, v, k, full(1<<32))
	whole(k, k)
	whole(v, v)
	f.I(x86.VPSLLQ, l, k, k, x86.Imm(32))
	f.I(x86.VPADDQ, l, d, k, v)
	f.Bind(near)
}

// lanesOut spills x to scratch memory, for code that goes lane by lane.
func (f *avx2) lanesOut(x x86.Vec, t dtype.Type) {
	f.I(x86.VMOVUPS, f.LenOf(t), at(frame.Tmp), x)
}

// tops are the least floats above the range of an integer type.
var tops = [...]float64{dtype.I64: 1 << 63, dtype.U64: 1 << 64}

// scalarToInt converts the first register to I64 or U64 in the second, with saturation and NaN to 0. It
// overwrites the others, and takes none itself, as a register that is taken behind a branch may be spilled there.
func (f *avx2) scalarToInt(n *lower.Node, regs [4]x86.Vec) {
	x, d, t, c := regs[0], regs[1], regs[2], regs[3]
	f.lanesOut(x, n.In)
	cvt := pick(n.In, x86.VCVTTSS2SI, x86.VCVTTSD2SI)
	ld := pick(n.In, x86.VMOVSS, x86.VMOVSD)
	ucomi := pick(n.In, x86.VUCOMISS, x86.VUCOMISD)
	atLeast := func(limit float64, l x86.Label) { // jumps if the element is at least limit
		f.I(ld, 0, c, f.constant(n.In, floatBits(n.In, limit)))
		f.I(ucomi, 0, t, c)
		f.I(x86.JAE, 0, l)
	}
	most := x86.Imm(-1)
	for lane := range f.W {
		done, zero, top, high := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
		f.I(ld, 0, t, at(frame.Tmp+n.In.Size()*lane))
		if n.Type == dtype.I64 { // the indefinite value is the least integer
			most = math.MaxInt64
			f.I(ucomi, 0, t, t)
			f.I(x86.JP, 0, zero)
		} else {
			f.I(x86.VXORPS, x86.L128, c, c, c)
			f.I(ucomi, 0, c, t) // 0 < x; unordered sets the carry too, with the parity
			f.I(x86.JP, 0, zero)
			f.I(x86.JAE, 0, zero)
		}
		atLeast(tops[n.Type], top)
		if n.Type == dtype.U64 {
			atLeast(1<<63, high)
		}
		f.I(cvt, x86.W64, x86.RAX, t)
		f.I(x86.JMP, 0, done)
		if f.Bind(high); n.Type == dtype.U64 {
			f.I(pick(n.In, x86.VSUBSS, x86.VSUBSD), 0, t, t, c)
			f.I(cvt, x86.W64, x86.RAX, t)
			f.I(x86.MOV, x86.W64, x86.RCX, x86.Imm(math.MinInt64))
			f.I(x86.ADD, x86.W64, x86.RAX, x86.RCX)
			f.I(x86.JMP, 0, done)
		}
		f.Bind(top)
		f.I(x86.MOV, x86.W64, x86.RAX, most)
		f.I(x86.JMP, 0, done)
		f.Bind(zero)
		f.I(x86.XOR, x86.W32, x86.RAX, x86.RAX)
		f.Bind(done)
		f.I(x86.MOV, x86.W64, at(frame.Tmp+128+8*lane), x86.RAX)
	}
	f.I(x86.VMOVUPS, f.LenOf(n.Type), d, at(frame.Tmp+128))
}
