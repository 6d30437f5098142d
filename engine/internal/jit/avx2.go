package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Instruction selection for AVX2. Predicates are vectors of lanes, all ones or
// all zeros, as wide as the widest lanes of the phase; constants and uniform
// values lie in memory in every lane.

// tailVec has the lanes of the tail, in the form of a predicate.
const tailVec = x86.Vec(15)

var rules2 = map[prim.Op]map[dtype.Type]rule{}

func set2(op prim.Op, r rule, ts ...dtype.Type) {
	if rules2[op] == nil {
		rules2[op] = map[dtype.Type]rule{}
	}
	for _, t := range ts {
		rules2[op][t] = r
	}
}

var binaryOps2 = map[prim.Op]map[dtype.Type]x86.Op{
	prim.And: {dtype.I32: x86.VPAND, dtype.I64: x86.VPAND, dtype.Bool: x86.VPAND},
	prim.Or:  {dtype.I32: x86.VPOR, dtype.I64: x86.VPOR, dtype.Bool: x86.VPOR},
	prim.Xor: {dtype.I32: x86.VPXOR, dtype.I64: x86.VPXOR, dtype.Bool: x86.VPXOR},
	prim.Ne:  {dtype.Bool: x86.VPXOR},
}

func init() {
	narrowInts := []dtype.Type{dtype.I8, dtype.I32, dtype.U8, dtype.U32}
	wideInts := []dtype.Type{dtype.I64, dtype.U64}
	for _, op := range []prim.Op{prim.Add, prim.Sub} {
		set2(op, binary, nums...)
	}
	for _, op := range []prim.Op{prim.And, prim.Or, prim.Xor} {
		set2(op, binary2, append([]dtype.Type{dtype.Bool}, ints...)...)
	}
	set2(prim.Ne, binary2, dtype.Bool)
	set2(prim.Eq, predEq2, dtype.Bool)
	set2(prim.Not, not2, append([]dtype.Type{dtype.Bool}, ints...)...)
	set2(prim.Mul, binary, append([]dtype.Type{dtype.F32, dtype.F64}, narrowInts...)...)
	set2(prim.Mul, mul64, wideInts...)
	set2(prim.Div, binary, floats...)
	set2(prim.Min, binary, narrowInts...)
	set2(prim.Max, binary, narrowInts...)
	set2(prim.Min, minMax64, wideInts...)
	set2(prim.Max, minMax64, wideInts...)
	set2(prim.Min, floatMinMax, floats...)
	set2(prim.Max, floatMinMax, floats...)
	set2(prim.Shl, binary, ints...)
	set2(prim.Shr, binary, append([]dtype.Type{dtype.U64}, narrowInts...)...)
	set2(prim.Shr, sar64, dtype.I64)
	set2(prim.Fma, fma, floats...)
	set2(prim.Neg, signs2(x86.VXORPS, 0), floats...)
	set2(prim.Abs, signs2(x86.VANDPS, 1), floats...)
	set2(prim.Neg, negInt2, ints...)
	set2(prim.Abs, absInt2, dtype.I8, dtype.I32)
	set2(prim.Abs, abs64, dtype.I64)
	set2(prim.Abs, move, dtype.U8, dtype.U32, dtype.U64)
	set2(prim.Sqrt, unaryOp(x86.VSQRTPS, x86.VSQRTPD), floats...)
	for op, imm := range map[prim.Op]x86.Imm{prim.Floor: 9, prim.Ceil: 10, prim.Trunc: 11, prim.Rint: 8} {
		set2(op, rounding2(imm), floats...)
	}
	set2(prim.Scale, scale32, dtype.F32)
	set2(prim.Scale, scale64, dtype.F64)
	for op, imm := range map[prim.Op]x86.Imm{prim.Eq: 0, prim.Lt: 0x11, prim.Le: 0x12, prim.Ne: 4} {
		set2(op, compareFloat2(imm), floats...)
		set2(op, compareInt2, ints...)
	}
	set2(prim.Select, select2, append([]dtype.Type{dtype.Bool}, nums...)...)
	set2(prim.MulHi, mulHi8, dtype.U8)
	set2(prim.MulHi, mulHi32v, dtype.U32)
	set2(prim.MulHi, mulHi64v, dtype.U64)
	set2(prim.Div, scalarDivide, ints...)
	set2(prim.Rem, scalarDivide, ints...)
	set2(prim.Rem, scalarRem, floats...)
	set2(prim.Cvt, convert2, append([]dtype.Type{dtype.Bool}, nums...)...)
	set2(prim.Bitcast, bitcast, nums...)
	set2(prim.RoundF16, roundF16, dtype.F32)
	set2(prim.RoundBF16, roundBF162, dtype.F32)
	set2(prim.Lookup, lookup2, ints...)
	set2(opCell, cell2, append([]dtype.Type{dtype.Bool}, nums...)...)
}

// full is a constant in every lane of a vector of type t, in memory.
func (f *flow) full(t dtype.Type, x uint64) x86.Mem {
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

func (f *flow) ones() x86.Mem { return f.a.Const(repeat(0xff, 32)) }

// cell2 puts a cell into every lane.
func cell2(f *flow, n *node) {
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

// maskFor brings predicate p to the width of type t.
func (f *flow) maskFor(p x86.Vec, t dtype.Type) x86.Vec {
	if f.w == 8 || wide(t) || t == dtype.Bool {
		return p
	}
	d := f.tmp()
	f.i(x86.VEXTRACTF128, x86.L256, d, p, x86.Imm(1))
	f.i(x86.VSHUFPS, x86.L128, d, p, d, x86.Imm(0x88))
	return d
}

// predicate widens the outcome d of a comparison of type t, in place.
func (f *flow) predicate(d x86.Vec, t dtype.Type) {
	if f.w == 4 && !wide(t) {
		f.i(x86.VPMOVSXDQ, x86.L256, d, d)
	}
}

func (f *flow) blendv(t dtype.Type, d, z x86.Vec, y x86.Operand, p x86.Vec) {
	f.i(pick(t, x86.VBLENDVPS, x86.VBLENDVPD), f.lenOf(t), d, z, y, p)
}

func binary2(f *flow, n *node) {
	a, b := n.args[0], n.args[1]
	if f.uniform[a] && f.home[a] < 0 {
		a, b = b, a
	}
	x, y := f.src(a), f.srcM(b)
	f.release()
	t := n.in
	if t != dtype.Bool {
		t = signedOf(t)
	}
	f.i(binaryOps2[n.op][t], f.lenOf(n.in), f.dst(), x, y)
}

func predEq2(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.srcM(n.args[1])
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, d, x, y)
	f.i(x86.VPXOR, x86.L256, d, d, f.ones())
}

func not2(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, d, x, f.ones())
	f.canon2(n.in, d)
}

// canon2 is canon without broadcast operands.
func (f *flow) canon2(t dtype.Type, d x86.Vec) {
	if t == dtype.U8 {
		f.i(x86.VPAND, f.lenOf(dtype.I32), d, d, f.full(dtype.U32, 0xff))
		return
	}
	f.canon(t, d)
}

// mulWide is the low half of 64-bit products: d must be none of the others.
func (f *flow) mulWide(d, x, y, t x86.Vec) {
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

func mul64(f *flow, n *node) {
	x, y, t := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	f.mulWide(f.dst(), x, y, t)
}

// greater64 is x > y.
func (f *flow) greater64(t dtype.Type, d, x, y x86.Vec) {
	if t.IsUnsigned() {
		a, s := f.tmp(), f.full(dtype.I64, 1<<63)
		f.i(x86.VPXOR, x86.L256, a, x, s)
		f.i(x86.VPXOR, x86.L256, d, y, s)
		f.i(x86.VPCMPGTQ, x86.L256, d, a, d)
		return
	}
	f.i(x86.VPCMPGTQ, x86.L256, d, x, y)
}

func minMax64(f *flow, n *node) {
	x, y, k := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	d := f.dst()
	f.greater64(n.in, k, x, y)
	if n.op == prim.Min {
		x, y = y, x
	}
	f.blendv(n.in, d, y, x, k) // x where greater
}

func sar64(f *flow, n *node) {
	x, y, s := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	d := f.dst()
	// The complement of a negative number is shifted with zeros, and back.
	f.i(x86.VPXOR, x86.L256, s, s, s)
	f.i(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.i(x86.VPXOR, x86.L256, d, x, s)
	f.i(x86.VPSRLVQ, x86.L256, d, d, y)
	f.i(x86.VPXOR, x86.L256, d, d, s)
}

func signs2(op x86.Op, less uint64) rule {
	return func(f *flow, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(op, f.lenOf(n.in), f.dst(), x, f.full(n.in, signBit(n.in)-less))
	}
}

func negInt2(f *flow, n *node) {
	x, z := f.src(n.args[0]), f.tmp()
	f.release()
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, z, z, z)
	f.i(binaryOp(prim.Sub, n.in), f.lenOf(n.in), d, z, x)
	f.canon2(n.in, d)
}

func absInt2(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(x86.VPABSD, f.lenOf(n.in), d, x)
	f.canon2(n.in, d)
}

func abs64(f *flow, n *node) {
	x, s := f.src(n.args[0]), f.tmp()
	d := f.dst()
	f.i(x86.VPXOR, x86.L256, s, s, s)
	f.i(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.i(x86.VPXOR, x86.L256, d, x, s)
	f.i(x86.VPSUBQ, x86.L256, d, d, s)
}

func rounding2(imm x86.Imm) rule {
	return func(f *flow, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(pick(n.in, x86.VROUNDPS, x86.VROUNDPD), f.lenOf(n.in), f.dst(), x, imm)
	}
}

// minMax2 is the minimum or maximum: both orders of the operands, joined as
// bits, are right about zeros; for a maximum NaN needs another instruction.
func (f *flow) minMax2(op prim.Op, t dtype.Type, d, x, y x86.Vec) {
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

// scale32 goes through float64, where the product is exact.
func scale32(f *flow, n *node) {
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

// scale64 multiplies by three powers of two. Downwards the last factor is 2^-1022:
// if the result is not zero, what comes before is exact.
func scale64(f *flow, n *node) {
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

func compareFloat2(imm x86.Imm) rule {
	return func(f *flow, n *node) {
		x, y := f.src(n.args[0]), f.srcM(n.args[1])
		f.release()
		d := f.dst()
		f.i(pick(n.in, x86.VCMPPS, x86.VCMPPD), f.lenOf(n.in), d, x, y, imm)
		f.predicate(d, n.in)
	}
}

func compareInt2(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	d := f.dst()
	f.compareInts(n.op, n.in, d, x, y)
	f.predicate(d, n.in)
}

// compareInts is the outcome of a comparison in lanes of type t.
func (f *flow) compareInts(op prim.Op, t dtype.Type, d, x, y x86.Vec) {
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

func select2(f *flow, n *node) {
	p := f.maskFor(f.src(n.args[0]), n.typ)
	y, z := f.srcM(n.args[1]), f.src(n.args[2])
	f.release()
	f.blendv(n.typ, f.dst(), z, y, p)
}

func mulHi32v(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	t, u, d, l := f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	f.i(x86.VPSRLQ, l, t, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, u, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, t, u)
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPBLENDD, l, d, d, t, x86.Imm(0xaa))
}

func mulHi64v(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	xh, yh, t, d, l := f.tmp(), f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	f.i(x86.VPSRLQ, l, xh, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, yh, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, x, yh)
	f.i(x86.VPADDQ, l, t, t, d)
	f.i(x86.VPMULUDQ, l, d, xh, y)
	f.i(x86.VPMULUDQ, l, xh, xh, yh)
	f.i(x86.VPAND, l, yh, t, f.full(dtype.I64, 0xffffffff))
	f.i(x86.VPADDQ, l, d, d, yh)
	f.i(x86.VPSRLQ, l, t, t, x86.Imm(32))
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPADDQ, l, d, d, t)
	f.i(x86.VPADDQ, l, d, d, xh)
}

// bf162 is bf16 without masks.
func (f *flow) bf162(d, x x86.Vec) {
	l, k := f.lenOf(dtype.F32), f.tmp()
	f.i(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.i(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.i(x86.VPAND, l, d, d, f.full(dtype.U32, 1))
	f.i(x86.VPADDD, l, d, d, f.full(dtype.U32, 0x7fff))
	f.i(x86.VPADDD, l, d, d, x)
	f.i(x86.VBLENDVPS, l, d, d, f.full(dtype.U32, 0x7fc00000), k)
}

func roundBF162(f *flow, n *node) {
	x, d := f.src(n.args[0]), f.dst()
	f.bf162(d, x)
	f.i(x86.VPAND, f.lenOf(n.in), d, d, f.full(dtype.U32, 0xffff0000))
}

func lookup2(f *flow, n *node) {
	t := f.ph.tableOf(f.c.p.k, n)
	x, ix, k := f.src(n.args[0]), f.tmp(), f.tmp()
	d := f.dst()
	f.i(x86.VPAND, f.lenOf(n.in), ix, x, f.full(signedOf(n.in), uint64(len(t.Bits)-1)))
	f.i(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(f.tableLabel(t), 0))
	f.gather2(n.typ, n.in, d, x86.RAX, ix, k)
}

// gather2 gathers all lanes; d and the mask k are overwritten.
func (f *flow) gather2(t, index dtype.Type, d x86.Vec, base x86.Reg, ix, k x86.Vec) {
	f.i(x86.VPCMPEQD, x86.L256, k, k, k)
	f.gatherMasked(t, index, d, base, ix, k)
}

func (f *flow) gatherMasked(t, index dtype.Type, d x86.Vec, base x86.Reg, ix, k x86.Vec) {
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

// step2 combines x with an accumulator.
func (f *flow) step2(k *redKern, d, x x86.Vec) {
	l, t := f.lenOf(k.lane), k.lane
	op := k.op
	switch {
	case k.typ == dtype.Bool:
		f.i(x86.VPOR, l, d, d, x)
	case op == prim.Mul && wide(t) && !t.IsFloat():
		p, u := f.tmp(), f.tmp()
		f.mulWide(p, d, x, u)
		f.i(x86.VMOVAPS, l, d, p)
	case k.quiet:
		m, n := f.tmp(), f.tmp()
		cmp := pick(t, x86.VCMPPS, x86.VCMPPD)
		f.minMax2(op, t, m, d, x)
		f.i(cmp, l, n, x, x, x86.Imm(3))
		f.blendv(t, m, m, d, n) // x is NaN
		f.i(cmp, l, n, d, d, x86.Imm(3))
		f.blendv(t, d, m, x, n)
	case (op == prim.Min || op == prim.Max) && t.IsFloat():
		f.minMax2(op, t, d, d, x)
	case (op == prim.Min || op == prim.Max) && wide(t):
		g := f.tmp()
		if op == prim.Max {
			f.greater64(t, g, x, d)
		} else {
			f.greater64(t, g, d, x)
		}
		f.blendv(t, d, d, x, g)
	default:
		f.i(binaryOp(op, t), l, d, d, x)
	}
}
