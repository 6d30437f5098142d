package jit

import (
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

// avx2 is the instruction set of AVX2 with FMA and BMI2. It has no mask registers.
type avx2 struct{ generic }

var _ isa = avx2{}

func (avx2) name() string                         { return "avx2" }
func (avx2) vectors() (registers, bytes int)      { return 15, 32 } // the sixteenth has the tail mask
func (avx2) native(op prim.Op, t dtype.Type) rule { return avx2Rules.find(op, t) }

func (avx2) simple(op prim.Op, _ dtype.Type) x86.Op {
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

var avx2Rules = ruleTable{}

func init() {
	var g avx2
	r := avx2Rules
	wideInts := []dtype.Type{dtype.I64, dtype.U64}
	for _, op := range []prim.Op{prim.And, prim.Or, prim.Xor} {
		r.set(op, binary, dtype.Bool)
	}
	r.set(prim.Ne, binary, dtype.Bool)
	r.set(prim.Eq, g.predicateEq, dtype.Bool)
	r.set(prim.Not, g.not, append([]dtype.Type{dtype.Bool}, ints...)...)
	r.set(prim.Mul, g.mul64, wideInts...)
	r.set(prim.Min, g.minMax64, wideInts...)
	r.set(prim.Max, g.minMax64, wideInts...)
	r.set(prim.Shr, g.sar64, dtype.I64)
	r.set(prim.Neg, g.signs(x86.VXORPS, 0), floats...)
	r.set(prim.Abs, g.signs(x86.VANDPS, 1), floats...)
	r.set(prim.Neg, g.negInt, ints...)
	r.set(prim.Abs, g.absInt, dtype.I8, dtype.I32)
	r.set(prim.Abs, g.abs64, dtype.I64)
	for op, imm := range map[prim.Op]x86.Imm{prim.Floor: 9, prim.Ceil: 10, prim.Trunc: 11, prim.Rint: 8} {
		r.set(op, g.rounding(imm), floats...)
	}
	r.set(prim.Scale, g.scale32, dtype.F32)
	r.set(prim.Scale, g.scale64, dtype.F64)
	for op, imm := range map[prim.Op]x86.Imm{prim.Eq: 0, prim.Lt: 0x11, prim.Le: 0x12, prim.Ne: 4} {
		r.set(op, g.compareFloat(imm), floats...)
		r.set(op, g.compareInt, ints...)
	}
	r.set(prim.Select, g.choose, append([]dtype.Type{dtype.Bool}, nums...)...)
	r.set(prim.MulHi, g.mulHi32, dtype.U32)
	r.set(prim.Cvt, g.convert, append([]dtype.Type{dtype.Bool}, nums...)...)
	r.set(prim.RoundBF16, g.roundBF16, dtype.F32)
	r.set(prim.Lookup, g.lookup, ints...)
	r.set(opCell, g.scalar, append([]dtype.Type{dtype.Bool}, nums...)...)
	r.set(ir.Load, g.load)
	r.set(ir.Index, g.index)
	r.set(ir.Fault, g.fault)
	r.set(opExport, g.export)
	r.set(opGather, g.gather)
	r.set(opIota, g.iota)
}

// full returns memory with a constant in every lane of a vector of type t.
func (f *emitter) full(t dtype.Type, x uint64) x86.Mem {
	if t == dtype.Bool {
		return f.a.Const(repeat(byte(-(x & 1)), 32))
	}
	x = canonical(t, x)
	size := 4
	if wide(t) {
		size = 8
	}
	b := make([]byte, int(f.lenOf(t))/8)
	for i := range b {
		b[i] = byte(x >> (8 * (i % size)))
	}
	return f.a.Const(b)
}

func (f *emitter) ones() x86.Mem { return f.a.Const(repeat(0xff, 32)) }

// scalar broadcasts a cell to every lane.
func (is avx2) scalar(f *emitter, n *node) {
	d := f.dst()
	m := x86.At(x86.RDI, int32(f.c.cellBase)+n.aux*8)
	if n.typ == dtype.Bool {
		f.i(x86.VPBROADCASTD, x86.L256, d, m)
		f.i(x86.VPSLLD, x86.L256, d, d, x86.Imm(31))
		f.i(x86.VPSRAD, x86.L256, d, d, x86.Imm(31))
		return
	}
	f.broadcast(d, n.typ, m)
}

// maskFor returns predicate p in lanes of the width of type t.
func (f *emitter) maskFor(p x86.Vec, t dtype.Type) x86.Vec {
	if f.w == 8 || wide(t) || t == dtype.Bool {
		return p
	}
	d := f.tmp()
	f.i(x86.VEXTRACTF128, x86.L256, d, p, x86.Imm(1))
	f.i(x86.VSHUFPS, x86.L128, d, p, d, x86.Imm(0x88))
	return d
}

// predicate widens the result d of a comparison of type t to the lanes of a predicate.
func (f *emitter) predicate(d x86.Vec, t dtype.Type) {
	if f.w == 4 && !wide(t) {
		f.i(x86.VPMOVSXDQ, x86.L256, d, d)
	}
}

func (f *emitter) blendv(t dtype.Type, d, z x86.Vec, y x86.Operand, p x86.Vec) {
	f.i(pick(t, x86.VBLENDVPS, x86.VBLENDVPD), f.lenOf(t), d, z, y, p)
}

func (is avx2) predicateEq(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.srcM(n.args[1])
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, d, x, y)
	f.i(x86.VPXOR, x86.L256, d, d, f.ones())
}

func (is avx2) not(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, d, x, f.ones())
	f.canon(n.in, d)
}

// mulWide sets d to the low 64 bits of x * y. d must not be x, y or t.
func (is avx2) mulWide(f *emitter, d, x, y, t x86.Vec) {
	l := x86.Len(f.w * 64)
	f.i(x86.VPSRLQ, l, d, x, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, d, d, y)
	f.i(x86.VPSRLQ, l, t, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, t, x)
	f.i(x86.VPADDQ, l, d, d, t)
	f.i(x86.VPSLLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, x, y)
	f.i(x86.VPADDQ, l, d, d, t)
}

func (is avx2) mul64(f *emitter, n *node) {
	x, y, t := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	is.mulWide(f, f.dst(), x, y, t)
}

// greater64 sets d to the lanes with x > y.
func (is avx2) greater64(f *emitter, t dtype.Type, d, x, y x86.Vec) {
	if t.IsUnsigned() {
		a, s := f.tmp(), f.full(dtype.I64, 1<<63)
		f.i(x86.VPXOR, x86.L256, a, x, s)
		f.i(x86.VPXOR, x86.L256, d, y, s)
		f.i(x86.VPCMPGTQ, x86.L256, d, a, d)
		return
	}
	f.i(x86.VPCMPGTQ, x86.L256, d, x, y)
}

func (is avx2) minMax64(f *emitter, n *node) {
	x, y, k := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	d := f.dst()
	is.greater64(f, n.in, k, x, y)
	if n.op == prim.Min {
		x, y = y, x
	}
	f.blendv(n.in, d, y, x, k) // x where greater
}

func (is avx2) sar64(f *emitter, n *node) {
	x, y, s := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	d := f.dst()
	// Shift the complement of a negative number, and complement the result.
	f.i(x86.VPXOR, x86.L256, s, s, s)
	f.i(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.i(x86.VPXOR, x86.L256, d, x, s)
	f.i(x86.VPSRLVQ, x86.L256, d, d, y)
	f.i(x86.VPXOR, x86.L256, d, d, s)
}

func (is avx2) signs(op x86.Op, less uint64) rule {
	return func(f *emitter, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(op, f.lenOf(n.in), f.dst(), x, f.full(n.in, signBit(n.in)-less))
	}
}

func (is avx2) negInt(f *emitter, n *node) {
	x, z := f.src(n.args[0]), f.tmp()
	f.release()
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, z, z, z)
	f.i(binaryOp(prim.Sub, n.in), f.lenOf(n.in), d, z, x)
	f.canon(n.in, d)
}

func (is avx2) absInt(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(x86.VPABSD, f.lenOf(n.in), d, x)
	f.canon(n.in, d)
}

func (is avx2) abs64(f *emitter, n *node) {
	x, s := f.src(n.args[0]), f.tmp()
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, s, s, s)
	f.i(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.i(x86.VPXOR, x86.L256, d, x, s)
	f.i(x86.VPSUBQ, x86.L256, d, d, s)
}

func (is avx2) rounding(imm x86.Imm) rule {
	return func(f *emitter, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(pick(n.in, x86.VROUNDPS, x86.VROUNDPD), f.lenOf(n.in), f.dst(), x, imm)
	}
}

// minMax emits the minimum or maximum in both orders of the operands, and joins the
// bits of the two: so the sign of a zero is right. A maximum needs one more
// instruction for NaN.
func (is avx2) minMax(f *emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l, a, b := f.lenOf(t), f.tmp(), f.tmp()
	if op == prim.Min {
		o := pick(t, x86.VMINPS, x86.VMINPD)
		f.i(o, l, a, x, y)
		f.i(o, l, b, y, x)
		f.i(x86.VORPS, l, d, a, b)
		return
	}
	o := pick(t, x86.VMAXPS, x86.VMAXPD)
	f.i(o, l, a, x, y)
	f.i(o, l, b, y, x)
	f.i(x86.VANDPS, l, a, a, b)
	f.i(pick(t, x86.VCMPPS, x86.VCMPPD), l, b, x, y, x86.Imm(3))
	f.i(x86.VORPS, l, d, a, b)
}

// scale32 multiplies in float64, where the product is exact.
func (is avx2) scale32(f *emitter, n *node) {
	x, e := f.src(n.args[0]), f.src(n.args[1])
	u, v, q := f.tmp(), f.tmp(), f.tmp()
	d := f.dst()
	l := f.lenOf(dtype.I32)
	lo := int32(-300)
	f.i(x86.VPMAXSD, l, q, e, f.full(dtype.I32, uint64(uint32(lo))))
	f.i(x86.VPMINSD, l, q, q, f.full(dtype.I32, 300))
	f.i(x86.VPADDD, l, q, q, f.full(dtype.I32, 1023))
	half := func(d, x, q x86.Vec) {
		f.i(x86.VPMOVZXDQ, x86.L256, v, q)
		f.i(x86.VPSLLQ, x86.L256, v, v, x86.Imm(52))
		f.i(x86.VCVTPS2PD, x86.L256, u, x)
		f.i(x86.VMULPD, x86.L256, u, u, v)
		f.i(x86.VCVTPD2PS, x86.L256, d, u)
	}
	if f.w == 4 {
		half(d, x, q)
		return
	}
	w := f.tmp()
	half(w, x, q)
	f.i(x86.VEXTRACTF128, x86.L256, d, x, x86.Imm(1))
	f.i(x86.VEXTRACTF128, x86.L256, q, q, x86.Imm(1))
	half(d, d, q)
	f.i(x86.VINSERTF128, x86.L256, d, w, d, x86.Imm(1))
}

// scale64 multiplies by three powers of two. For a great negative exponent the last
// factor is 2^-1022: if the result is not zero, the products before it are exact.
func (is avx2) scale64(f *emitter, n *node) {
	x, e := f.src(n.args[0]), f.src(n.args[1])
	r, q, k := f.tmp(), f.tmp(), f.tmp()
	d := f.dst()
	clamp := func(d, s x86.Vec, lo, hi int64) {
		lm, hm := f.full(dtype.I64, uint64(lo)), f.full(dtype.I64, uint64(hi))
		f.i(x86.VPCMPGTQ, x86.L256, k, s, hm)
		f.i(x86.VBLENDVPD, x86.L256, q, s, hm, k)
		f.i(x86.VMOVUPD, x86.L256, k, lm)
		f.i(x86.VPCMPGTQ, x86.L256, k, k, q)
		f.i(x86.VBLENDVPD, x86.L256, d, q, lm, k)
	}
	power := func(d, s x86.Vec) {
		f.i(x86.VPADDQ, x86.L256, d, s, f.full(dtype.I64, 1023))
		f.i(x86.VPSLLQ, x86.L256, d, d, x86.Imm(52))
	}
	last, mid := f.tmp(), f.tmp()
	clamp(r, e, -2200, 2200)
	clamp(last, r, -1022, 1023)
	f.i(x86.VPSUBQ, x86.L256, r, r, last)
	clamp(mid, r, -1022, 1023)
	f.i(x86.VPSUBQ, x86.L256, r, r, mid)
	power(r, r)
	f.i(x86.VMULPD, x86.L256, d, x, r)
	power(r, mid)
	f.i(x86.VMULPD, x86.L256, d, d, r)
	power(r, last)
	f.i(x86.VMULPD, x86.L256, d, d, r)
}

func (is avx2) compareFloat(imm x86.Imm) rule {
	return func(f *emitter, n *node) {
		x, y := f.src(n.args[0]), f.srcM(n.args[1])
		f.release()
		d := f.dst()
		f.i(pick(n.in, x86.VCMPPS, x86.VCMPPD), f.lenOf(n.in), d, x, y, imm)
		f.predicate(d, n.in)
	}
}

func (is avx2) compareInt(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	d := f.dst()
	is.compareInts(f, n.op, n.in, d, x, y)
	f.predicate(d, n.in)
}

// compareInts sets d to the result of a comparison, in lanes of type t.
func (is avx2) compareInts(f *emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l := f.lenOf(t)
	switch op {
	case prim.Eq, prim.Ne:
		f.i(pick(t, x86.VPCMPEQD, x86.VPCMPEQQ), l, d, x, y)
	default: // x < y is y > x; x <= y is not x > y
		if op == prim.Lt {
			x, y = y, x
		}
		if t.IsUnsigned() && t != dtype.U8 {
			a, s := f.tmp(), f.full(t, signBit(t))
			f.i(x86.VPXOR, l, a, x, s)
			f.i(x86.VPXOR, l, d, y, s)
			x, y = a, d
		}
		f.i(pick(t, x86.VPCMPGTD, x86.VPCMPGTQ), l, d, x, y)
	}
	if op == prim.Ne || op == prim.Le {
		f.i(x86.VPXOR, l, d, d, f.ones())
	}
}

func (is avx2) choose(f *emitter, n *node) {
	p := f.maskFor(f.src(n.args[0]), n.typ)
	y, z := f.srcM(n.args[1]), f.src(n.args[2])
	f.release()
	f.blendv(n.typ, f.dst(), z, y, p)
}

func (is avx2) mulHi32(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	t, u, d, l := f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	f.i(x86.VPSRLQ, l, t, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, u, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, t, u)
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPBLENDD, l, d, d, t, x86.Imm(0xaa))
}

// bf16 rounds x to the upper half of each lane of d. It does not clear the lower half.
func (is avx2) bf16(f *emitter, d, x x86.Vec) {
	l, k := f.lenOf(dtype.F32), f.tmp()
	f.i(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.i(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.i(x86.VPAND, l, d, d, f.full(dtype.U32, 1))
	f.i(x86.VPADDD, l, d, d, f.full(dtype.U32, 0x7fff))
	f.i(x86.VPADDD, l, d, d, x)
	f.i(x86.VBLENDVPS, l, d, d, f.full(dtype.U32, 0x7fc00000), k)
}

func (is avx2) roundBF16(f *emitter, n *node) {
	x, d := f.src(n.args[0]), f.dst()
	is.bf16(f, d, x)
	f.i(x86.VPAND, f.lenOf(n.in), d, d, f.full(dtype.U32, 0xffff0000))
}

func (is avx2) lookup(f *emitter, n *node) {
	t := f.ph.tableOf(f.c.p.k, n)
	x, ix, k := f.src(n.args[0]), f.tmp(), f.tmp()
	d := f.dst()
	f.i(x86.VPAND, f.lenOf(n.in), ix, x, f.full(signedOf(n.in), uint64(len(t.Bits)-1)))
	f.i(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(f.tableLabel(t), 0))
	is.gatherAll(f, n.typ, n.in, d, x86.RAX, ix, k)
}

// gatherAll gathers all lanes. It overwrites d and the mask k.
func (is avx2) gatherAll(f *emitter, t, index dtype.Type, d x86.Vec, base x86.Reg, ix, k x86.Vec) {
	f.i(x86.VPCMPEQD, x86.L256, k, k, k)
	is.gatherMasked(f, t, index, d, base, ix, k)
}

func (is avx2) gatherMasked(f *emitter, t, index dtype.Type, d x86.Vec, base x86.Reg, ix, k x86.Vec) {
	op := [2][2]x86.Op{{x86.VGATHERDPS, x86.VGATHERQPS}, {x86.VGATHERDPD, x86.VGATHERQPD}}
	from, to, scale := 0, 0, uint8(4)
	if wide(index) {
		from = 1
	}
	if wide(t) {
		to, scale = 1, 8
	}
	f.i(op[to][from], max(f.lenOf(index), f.lenOf(t)), d, x86.AtV(base, ix, scale, 0), k)
}

func (avx2) setTail(f *emitter) {
	f.i(x86.VMOVD, 0, tailVec, x86.RCX)
	if f.w == 8 {
		f.i(x86.VPBROADCASTD, x86.L256, tailVec, tailVec)
		f.i(x86.VPCMPGTD, x86.L256, tailVec, tailVec, f.iota32(0))
	} else {
		f.i(x86.VPBROADCASTQ, x86.L256, tailVec, tailVec)
		f.i(x86.VPCMPGTQ, x86.L256, tailVec, tailVec, f.iota64(0))
	}
}

func (is avx2) tailBits(f *emitter) { is.laneBits(f, tailVec) }

func (avx2) upperHalf(f *emitter, d, x x86.Vec) { f.i(x86.VEXTRACTF128, x86.L256, d, x, x86.Imm(1)) }

func (avx2) addNeed(f *emitter, p int32, first bool) {
	k := f.src(p)
	if first {
		f.i(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
		return
	}
	f.i(x86.VMOVMSKPS, x86.L256, x86.RCX, k)
	f.i(x86.OR, x86.W32, x86.RAX, x86.RCX)
}

func (avx2) skipCold(f *emitter, skip x86.Label) {
	f.i(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.i(x86.JE, 0, skip)
}

func (avx2) mergeCold(f *emitter, id int32, n *node) x86.Operand {
	p := f.maskFor(f.src(n.args[0]), n.typ)
	d, y := f.src(id), f.src(n.yield)
	f.blendv(n.typ, d, d, y, p)
	return d
}

// iota sets each lane to its number times a constant.
func (is avx2) iota(f *emitter, n *node) {
	l, lanes := f.lenOf(dtype.I64), f.iota64((f.base+f.copy)*f.w)
	a, d := f.tmp(), f.dst()
	f.i(x86.VMOVQ, x86.W64, a, x86.RSI)
	f.i(x86.VPBROADCASTQ, l, a, a)
	f.i(x86.VPADDQ, l, d, a, lanes)
	if n.imm != 1 {
		k, t := f.tmp(), f.tmp()
		f.i(x86.VMOVUPS, l, k, f.full(dtype.I64, n.imm))
		f.i(x86.VMOVAPS, l, a, d)
		is.mulWide(f, d, a, k, t)
	}
}
