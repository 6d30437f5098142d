// Package avx2 is the target of AVX2 with FMA and BMI2.
package avx2

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Instruction selection for AVX2. Predicates are vectors of lanes, all ones or
// all zeros, as wide as the widest lanes of the phase. Constants and uniform values
// in memory have a copy for every lane.

// tailVec is the register of the tail mask, a predicate.
const tailVec = x86.Vec(15)

// Target is the instruction set of AVX2 with FMA and BMI2. It has no mask registers.
type Target struct{ isa.Generic }

var _ isa.Target = Target{}

func (Target) Name() string                             { return "avx2" }
func (Target) Vectors() (registers, bytes int)          { return 15, 32 } // the sixteenth has the tail mask
func (Target) Native(op prim.Op, t dtype.Type) isa.Rule { return avx2Rules.Find(op, t) }

func (Target) Simple(op prim.Op, _ dtype.Type) x86.Op {
	switch op {
	case prim.And:
		return x86.VPAND
	case prim.Or:
		return x86.VPOR
	case prim.Xor, prim.Ne: // Ne of predicates
		return x86.VPXOR
	}
	return 0
}

var avx2Rules = isa.RuleTable{}

func init() {
	var g Target
	r := avx2Rules
	wideInts := []dtype.Type{dtype.I64, dtype.U64}
	for _, op := range []prim.Op{prim.And, prim.Or, prim.Xor} {
		r.Set(op, isa.Binary, dtype.Bool)
	}
	r.Set(prim.Ne, isa.Binary, dtype.Bool)
	r.Set(prim.Eq, g.predicateEq, dtype.Bool)
	r.Set(prim.Not, g.not, append([]dtype.Type{dtype.Bool}, isa.Ints...)...)
	r.Set(prim.Mul, g.mul64, wideInts...)
	r.Set(prim.Min, g.minMax64, wideInts...)
	r.Set(prim.Max, g.minMax64, wideInts...)
	r.Set(prim.Shr, g.sar64, dtype.I64)
	r.Set(prim.Neg, isa.Signs(x86.VXORPS, x86.VXORPS, 0), isa.Floats...)
	r.Set(prim.Abs, isa.Signs(x86.VANDPS, x86.VANDPS, 1), isa.Floats...)
	r.Set(prim.Abs, g.abs64, dtype.I64)
	for op, imm := range isa.Roundings {
		r.Set(op, isa.UnaryImm(x86.VROUNDPS, x86.VROUNDPD, imm), isa.Floats...)
	}
	r.Set(prim.Scale, g.scale32, dtype.F32)
	r.Set(prim.Scale, g.scale64, dtype.F64)
	for op, imm := range map[prim.Op]x86.Imm{prim.Eq: 0, prim.Lt: 0x11, prim.Le: 0x12, prim.Ne: 4} {
		r.Set(op, g.compareFloat(imm), isa.Floats...)
		r.Set(op, g.compareInt, isa.Ints...)
	}
	r.Set(prim.Select, g.choose, append([]dtype.Type{dtype.Bool}, isa.Nums...)...)
	r.Set(prim.MulHi, g.mulHi32, dtype.U32)
	r.Set(prim.RoundBF16, g.roundBF16, dtype.F32)
	r.Set(prim.Lookup, g.lookup, isa.Ints...)
	r.Set(lower.OpCell, g.scalar, append([]dtype.Type{dtype.Bool}, isa.Nums...)...)
	r.Set(ir.Load, g.load)
	r.Set(ir.Index, g.index)
	r.Set(ir.Fault, g.fault)
	r.Set(lower.OpExport, g.export)
	r.Set(lower.OpGather, g.gather)
	r.Set(lower.OpIota, g.iota)
}

// scalar broadcasts a cell to every lane.
func (is Target) scalar(f *isa.Emitter, n *lower.Node) {
	d := f.Dst()
	m := x86.At(x86.RDI, int32(f.Program.CellBase)+n.Aux*8)
	if n.Type == dtype.Bool {
		f.I(x86.VPBROADCASTD, x86.L256, d, m)
		f.I(x86.VPSLLD, x86.L256, d, d, x86.Imm(31))
		f.I(x86.VPSRAD, x86.L256, d, d, x86.Imm(31))
		return
	}
	f.Broadcast(d, n.Type, m)
}

// maskFor returns predicate p in lanes of the width of type t.
func maskFor(f *isa.Emitter, p x86.Vec, t dtype.Type) x86.Vec {
	if f.W == 8 || isa.Wide(t) || t == dtype.Bool {
		return p
	}
	d := f.Tmp()
	f.I(x86.VEXTRACTF128, x86.L256, d, p, x86.Imm(1))
	f.I(x86.VSHUFPS, x86.L128, d, p, d, x86.Imm(0x88))
	return d
}

// predicate widens the result d of a comparison of type t to the lanes of a predicate.
func predicate(f *isa.Emitter, d x86.Vec, t dtype.Type) {
	if f.W == 4 && !isa.Wide(t) {
		f.I(x86.VPMOVSXDQ, x86.L256, d, d)
	}
}

func blendv(f *isa.Emitter, t dtype.Type, d, z x86.Vec, y x86.Operand, p x86.Vec) {
	f.I(isa.Pick(t, x86.VBLENDVPS, x86.VBLENDVPD), f.LenOf(t), d, z, y, p)
}

func (is Target) predicateEq(f *isa.Emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.SrcM(n.Args[1])
	d := f.Dst()
	f.I(x86.VPXOR, x86.L256, d, x, y)
	f.I(x86.VPXOR, x86.L256, d, d, f.Ones())
}

func (is Target) not(f *isa.Emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	f.Release()
	d := f.Dst()
	f.I(x86.VPXOR, x86.L256, d, x, f.Ones())
	f.Canon(n.In, d)
}

// mulWide sets d to the low 64 bits of x * y. d must not be x, y or t.
func (is Target) mulWide(f *isa.Emitter, d, x, y, t x86.Vec) {
	l := x86.Len(f.W * 64)
	f.I(x86.VPSRLQ, l, d, x, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, d, d, y)
	f.I(x86.VPSRLQ, l, t, y, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, t, x)
	f.I(x86.VPADDQ, l, d, d, t)
	f.I(x86.VPSLLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, x, y)
	f.I(x86.VPADDQ, l, d, d, t)
}

func (is Target) mul64(f *isa.Emitter, n *lower.Node) {
	x, y, t := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	is.mulWide(f, f.Dst(), x, y, t)
}

// greater64 sets d to the lanes with x > y.
func (is Target) greater64(f *isa.Emitter, t dtype.Type, d, x, y x86.Vec) {
	if t.IsUnsigned() {
		a, s := f.Tmp(), f.Full(dtype.I64, 1<<63)
		f.I(x86.VPXOR, x86.L256, a, x, s)
		f.I(x86.VPXOR, x86.L256, d, y, s)
		f.I(x86.VPCMPGTQ, x86.L256, d, a, d)
		return
	}
	f.I(x86.VPCMPGTQ, x86.L256, d, x, y)
}

func (is Target) minMax64(f *isa.Emitter, n *lower.Node) {
	x, y, k := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	d := f.Dst()
	is.greater64(f, n.In, k, x, y)
	if n.Op == prim.Min {
		x, y = y, x
	}
	blendv(f, n.In, d, y, x, k) // x where greater
}

func (is Target) sar64(f *isa.Emitter, n *lower.Node) {
	x, y, s := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	d := f.Dst()
	// Shift the complement of a negative number, and complement the result.
	f.I(x86.VPXOR, x86.L256, s, s, s)
	f.I(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.I(x86.VPXOR, x86.L256, d, x, s)
	f.I(x86.VPSRLVQ, x86.L256, d, d, y)
	f.I(x86.VPXOR, x86.L256, d, d, s)
}

func (is Target) abs64(f *isa.Emitter, n *lower.Node) {
	x, s := f.Src(n.Args[0]), f.Tmp()
	d := f.Dst()
	f.I(x86.VPXOR, x86.L256, s, s, s)
	f.I(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.I(x86.VPXOR, x86.L256, d, x, s)
	f.I(x86.VPSUBQ, x86.L256, d, d, s)
}

// MinMax emits the minimum or maximum in both orders of the operands, and joins the
// bits of the two: so the sign of a zero is right. A maximum needs one more
// instruction for NaN.
func (is Target) MinMax(f *isa.Emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l, a, b := f.LenOf(t), f.Tmp(), f.Tmp()
	if op == prim.Min {
		o := isa.Pick(t, x86.VMINPS, x86.VMINPD)
		f.I(o, l, a, x, y)
		f.I(o, l, b, y, x)
		f.I(x86.VORPS, l, d, a, b)
		return
	}
	o := isa.Pick(t, x86.VMAXPS, x86.VMAXPD)
	f.I(o, l, a, x, y)
	f.I(o, l, b, y, x)
	f.I(x86.VANDPS, l, a, a, b)
	f.I(isa.Pick(t, x86.VCMPPS, x86.VCMPPD), l, b, x, y, x86.Imm(3))
	f.I(x86.VORPS, l, d, a, b)
}

// scale32 multiplies in float64, where the product is exact.
func (is Target) scale32(f *isa.Emitter, n *lower.Node) {
	x, e := f.Src(n.Args[0]), f.Src(n.Args[1])
	u, v, q := f.Tmp(), f.Tmp(), f.Tmp()
	d := f.Dst()
	l := f.LenOf(dtype.I32)
	lo := int32(-300)
	f.I(x86.VPMAXSD, l, q, e, f.Full(dtype.I32, uint64(uint32(lo))))
	f.I(x86.VPMINSD, l, q, q, f.Full(dtype.I32, 300))
	f.I(x86.VPADDD, l, q, q, f.Full(dtype.I32, 1023))
	half := func(d, x, q x86.Vec) {
		f.I(x86.VPMOVZXDQ, x86.L256, v, q)
		f.I(x86.VPSLLQ, x86.L256, v, v, x86.Imm(52))
		f.I(x86.VCVTPS2PD, x86.L256, u, x)
		f.I(x86.VMULPD, x86.L256, u, u, v)
		f.I(x86.VCVTPD2PS, x86.L256, d, u)
	}
	if f.W == 4 {
		half(d, x, q)
		return
	}
	w := f.Tmp()
	half(w, x, q)
	f.I(x86.VEXTRACTF128, x86.L256, d, x, x86.Imm(1))
	f.I(x86.VEXTRACTF128, x86.L256, q, q, x86.Imm(1))
	half(d, d, q)
	f.I(x86.VINSERTF128, x86.L256, d, w, d, x86.Imm(1))
}

// scale64 multiplies by three powers of two. For a great negative exponent the last
// factor is 2^-1022: if the result is not zero, the products before it are exact.
func (is Target) scale64(f *isa.Emitter, n *lower.Node) {
	x, e := f.Src(n.Args[0]), f.Src(n.Args[1])
	r, q, k := f.Tmp(), f.Tmp(), f.Tmp()
	d := f.Dst()
	clamp := func(d, s x86.Vec, lo, hi int64) {
		lm, hm := f.Full(dtype.I64, uint64(lo)), f.Full(dtype.I64, uint64(hi))
		f.I(x86.VPCMPGTQ, x86.L256, k, s, hm)
		f.I(x86.VBLENDVPD, x86.L256, q, s, hm, k)
		f.I(x86.VMOVUPD, x86.L256, k, lm)
		f.I(x86.VPCMPGTQ, x86.L256, k, k, q)
		f.I(x86.VBLENDVPD, x86.L256, d, q, lm, k)
	}
	power := func(d, s x86.Vec) {
		f.I(x86.VPADDQ, x86.L256, d, s, f.Full(dtype.I64, 1023))
		f.I(x86.VPSLLQ, x86.L256, d, d, x86.Imm(52))
	}
	last, mid := f.Tmp(), f.Tmp()
	clamp(r, e, -2200, 2200)
	clamp(last, r, -1022, 1023)
	f.I(x86.VPSUBQ, x86.L256, r, r, last)
	clamp(mid, r, -1022, 1023)
	f.I(x86.VPSUBQ, x86.L256, r, r, mid)
	power(r, r)
	f.I(x86.VMULPD, x86.L256, d, x, r)
	power(r, mid)
	f.I(x86.VMULPD, x86.L256, d, d, r)
	power(r, last)
	f.I(x86.VMULPD, x86.L256, d, d, r)
}

func (is Target) compareFloat(imm x86.Imm) isa.Rule {
	return func(f *isa.Emitter, n *lower.Node) {
		x, y := f.Src(n.Args[0]), f.SrcM(n.Args[1])
		f.Release()
		d := f.Dst()
		f.I(isa.Pick(n.In, x86.VCMPPS, x86.VCMPPD), f.LenOf(n.In), d, x, y, imm)
		predicate(f, d, n.In)
	}
}

func (is Target) compareInt(f *isa.Emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	d := f.Dst()
	is.compareInts(f, n.Op, n.In, d, x, y)
	predicate(f, d, n.In)
}

// compareInts sets d to the result of a comparison, in lanes of type t.
func (is Target) compareInts(f *isa.Emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l := f.LenOf(t)
	switch op {
	case prim.Eq, prim.Ne:
		f.I(isa.Pick(t, x86.VPCMPEQD, x86.VPCMPEQQ), l, d, x, y)
	default: // x < y is y > x; x <= y is not x > y
		if op == prim.Lt {
			x, y = y, x
		}
		if t.IsUnsigned() && t != dtype.U8 {
			a, s := f.Tmp(), f.Full(t, isa.SignBit(t))
			f.I(x86.VPXOR, l, a, x, s)
			f.I(x86.VPXOR, l, d, y, s)
			x, y = a, d
		}
		f.I(isa.Pick(t, x86.VPCMPGTD, x86.VPCMPGTQ), l, d, x, y)
	}
	if op == prim.Ne || op == prim.Le {
		f.I(x86.VPXOR, l, d, d, f.Ones())
	}
}

func (is Target) choose(f *isa.Emitter, n *lower.Node) {
	p := maskFor(f, f.Src(n.Args[0]), n.Type)
	y, z := f.SrcM(n.Args[1]), f.Src(n.Args[2])
	f.Release()
	blendv(f, n.Type, f.Dst(), z, y, p)
}

func (is Target) mulHi32(f *isa.Emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	t, u, d, l := f.Tmp(), f.Tmp(), f.Dst(), f.LenOf(n.In)
	f.I(x86.VPSRLQ, l, t, x, x86.Imm(32))
	f.I(x86.VPSRLQ, l, u, y, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, t, u)
	f.I(x86.VPMULUDQ, l, d, x, y)
	f.I(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPBLENDD, l, d, d, t, x86.Imm(0xaa))
}

// bf16 rounds x to the upper half of each lane of d. It does not clear the lower half.
func (is Target) bf16(f *isa.Emitter, d, x x86.Vec) {
	l, k := f.LenOf(dtype.F32), f.Tmp()
	f.I(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.I(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.I(x86.VPAND, l, d, d, f.Full(dtype.U32, 1))
	f.I(x86.VPADDD, l, d, d, f.Full(dtype.U32, 0x7fff))
	f.I(x86.VPADDD, l, d, d, x)
	f.I(x86.VBLENDVPS, l, d, d, f.Full(dtype.U32, 0x7fc00000), k)
}

func (is Target) roundBF16(f *isa.Emitter, n *lower.Node) {
	x, d := f.Src(n.Args[0]), f.Dst()
	is.bf16(f, d, x)
	f.I(x86.VPAND, f.LenOf(n.In), d, d, f.Full(dtype.U32, 0xffff0000))
}

func (is Target) lookup(f *isa.Emitter, n *lower.Node) {
	t := &f.Program.IR.Tables[n.Aux]
	x, ix, k := f.Src(n.Args[0]), f.Tmp(), f.Tmp()
	d := f.Dst()
	f.I(x86.VPAND, f.LenOf(n.In), ix, x, f.Full(isa.SignedOf(n.In), uint64(len(t.Bits)-1)))
	f.I(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(f.TableLabel(t), 0))
	f.I(x86.VPCMPEQD, x86.L256, k, k, k)
	is.gatherMasked(f, n.Type, n.In, d, x86.AtV(x86.RAX, ix, uint8(max(4, n.Type.Size())), 0), k)
}

// gatherMasked gathers the lanes of k by indices of a type. It overwrites k.
func (is Target) gatherMasked(f *isa.Emitter, t, index dtype.Type, d x86.Vec, m x86.Mem, k x86.Vec) {
	op := isa.Pick(t, x86.VGATHERDPS, x86.VGATHERDPD)
	if isa.Wide(index) {
		op = isa.Pick(t, x86.VGATHERQPS, x86.VGATHERQPD)
	}
	f.I(op, max(f.LenOf(index), f.LenOf(t)), d, m, k)
}

func (Target) SetTail(f *isa.Emitter) {
	f.I(x86.VMOVD, 0, tailVec, x86.RCX)
	if f.W == 8 {
		f.I(x86.VPBROADCASTD, x86.L256, tailVec, tailVec)
		f.I(x86.VPCMPGTD, x86.L256, tailVec, tailVec, f.Iota32(0))
	} else {
		f.I(x86.VPBROADCASTQ, x86.L256, tailVec, tailVec)
		f.I(x86.VPCMPGTQ, x86.L256, tailVec, tailVec, f.Iota64(0))
	}
}

func (is Target) TailBits(f *isa.Emitter) { is.laneBits(f, tailVec) }

func (Target) UpperHalf(f *isa.Emitter, d, x x86.Vec) {
	f.I(x86.VEXTRACTF128, x86.L256, d, x, x86.Imm(1))
}

func (Target) AddNeed(f *isa.Emitter, p int32, first bool) {
	k := f.Src(p)
	if first {
		f.I(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
		return
	}
	f.I(x86.VMOVMSKPS, x86.L256, x86.RCX, k)
	f.I(x86.OR, x86.W32, x86.RAX, x86.RCX)
}

func (Target) SkipCold(f *isa.Emitter, skip x86.Label) {
	f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.I(x86.JE, 0, skip)
}

func (Target) MergeCold(f *isa.Emitter, id int32, n *lower.Node) {
	p := maskFor(f, f.Src(n.Args[0]), n.Type)
	d, y := f.Src(id), f.Src(n.Yield)
	blendv(f, n.Type, d, d, y, p)
}

// iota sets each lane to its number times a constant.
func (is Target) iota(f *isa.Emitter, n *lower.Node) {
	l, lanes := f.LenOf(dtype.I64), f.Iota64((f.Base+f.Copy)*f.W)
	a, d := f.Tmp(), f.Dst()
	f.I(x86.VMOVQ, x86.W64, a, x86.RSI)
	f.I(x86.VPBROADCASTQ, l, a, a)
	f.I(x86.VPADDQ, l, d, a, lanes)
	if n.Imm != 1 {
		k, t := f.Tmp(), f.Tmp()
		f.I(x86.VMOVUPS, l, k, f.Full(dtype.I64, n.Imm))
		f.I(x86.VMOVAPS, l, a, d)
		is.mulWide(f, d, a, k, t)
	}
}
