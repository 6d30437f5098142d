package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// avx512 is the instruction set of AVX-512 with its extensions BW, DQ and VL.
// Predicates are in mask registers.
type avx512 struct{ generic }

var _ isa = avx512{}

func (avx512) name() string                         { return "avx512" }
func (avx512) vectors() (registers, bytes int)      { return 32, 64 }
func (avx512) predicates() int                      { return 6 } // K0 is never a write mask, K7 has the tail mask
func (avx512) broadcasts() bool                     { return true }
func (avx512) native(op prim.Op, t dtype.Type) rule { return avx512Rules.find(op, t) }

var avx512Rules = ruleTable{}

func init() {
	var g avx512
	r := avx512Rules
	r.set(prim.Neg, g.negFloat, floats...)
	r.set(prim.Neg, g.negInt, ints...)
	r.set(prim.Abs, g.absFloat, floats...)
	r.set(prim.Abs, g.absInt, dtype.I8, dtype.I32, dtype.I64)
	r.set(prim.Floor, g.rounding(9), floats...)
	r.set(prim.Ceil, g.rounding(10), floats...)
	r.set(prim.Trunc, g.rounding(11), floats...)
	r.set(prim.Rint, g.rounding(8), floats...)
	r.set(prim.Scale, g.scale, floats...)
	r.set(prim.Not, g.not, ints...)
	r.set(prim.Not, g.maskNot, dtype.Bool)
	r.set(prim.And, g.maskOp(x86.KANDB, x86.KANDW), dtype.Bool)
	r.set(prim.Or, g.maskOp(x86.KORB, x86.KORW), dtype.Bool)
	r.set(prim.Xor, g.maskOp(x86.KXORB, x86.KXORW), dtype.Bool)
	r.set(prim.Ne, g.maskOp(x86.KXORB, x86.KXORW), dtype.Bool)
	r.set(prim.Eq, g.maskOp(x86.KXNORB, x86.KXNORW), dtype.Bool)
	for op, c := range map[prim.Op][2]x86.Imm{prim.Eq: {0, 0}, prim.Lt: {0x11, 1}, prim.Le: {0x12, 2}, prim.Ne: {4, 4}} {
		r.set(op, g.compareFloat(c[0]), floats...)
		r.set(op, g.compareInt(c[1]), ints...)
	}
	r.set(prim.Select, g.choose, nums...)
	r.set(prim.Select, g.chooseMask, dtype.Bool)
	r.set(prim.MulHi, g.mulHi32, dtype.U32)
	r.set(prim.Div, g.divide32, dtype.I8, dtype.I32, dtype.U8, dtype.U32)
	r.set(prim.Rem, g.divide32, dtype.I8, dtype.I32, dtype.U8, dtype.U32)
	r.set(prim.Cvt, g.convert, append([]dtype.Type{dtype.Bool}, nums...)...)
	r.set(prim.RoundBF16, g.roundBF16, dtype.F32)
	r.set(prim.Lookup, g.lookup, ints...)
	r.set(ir.Load, g.load)
	r.set(ir.Index, g.index)
	r.set(ir.Fault, g.fault)
	r.set(opExport, g.export)
	r.set(opGather, g.gather)
	r.set(opIota, g.iota)
}

func compareOp(t dtype.Type) x86.Op {
	switch lane32(t) {
	case dtype.I32:
		return x86.VPCMPD
	case dtype.U32:
		return x86.VPCMPUD
	case dtype.I64:
		return x86.VPCMPQ
	}
	return x86.VPCMPUQ
}

func (is avx512) rounding(imm x86.Imm) rule {
	return func(f *emitter, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(pick(n.in, x86.VRNDSCALEPS, x86.VRNDSCALEPD), f.lenOf(n.in), f.dst(), x, imm)
	}
}

// minMax emits the IEEE 754-2019 minimum or maximum. vrange orders the zeros. The sum
// of the operands is NaN if one of them is.
func (is avx512) minMax(f *emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l := f.lenOf(t)
	k := f.mtmp()
	imm := x86.Imm(4)
	if op == prim.Max {
		imm = 5
	}
	f.i(pick(t, x86.VCMPPS, x86.VCMPPD), l, k, x, y, x86.Imm(3))
	if d == x || d == y { // the sum still needs the operands
		s := f.tmp()
		f.i(pick(t, x86.VRANGEPS, x86.VRANGEPD), l, s, x, y, imm)
		f.i(pick(t, x86.VADDPS, x86.VADDPD), l, s, x, y, x86.Merge(k))
		f.i(pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, s)
		return
	}
	f.i(pick(t, x86.VRANGEPS, x86.VRANGEPD), l, d, x, y, imm)
	f.i(pick(t, x86.VADDPS, x86.VADDPD), l, d, x, y, x86.Merge(k))
}

func (is avx512) negFloat(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	f.i(pick(n.in, x86.VPXORD, x86.VPXORQ), f.lenOf(n.in), f.dst(), x, f.imm(n.in, signBit(n.in)))
}

func (is avx512) absFloat(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	f.i(pick(n.in, x86.VPANDD, x86.VPANDQ), f.lenOf(n.in), f.dst(), x, f.imm(n.in, signBit(n.in)-1))
}

func (is avx512) negInt(f *emitter, n *node) {
	x, z := f.src(n.args[0]), f.tmp()
	f.release()
	d := f.dst()
	f.i(x86.VPXORD, f.lenOf(n.in), z, z, z)
	f.i(binaryOp(prim.Sub, n.in), f.lenOf(n.in), d, z, x)
	f.canon(n.in, d)
}

func (is avx512) absInt(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(pick(n.in, x86.VPABSD, x86.VPABSQ), f.lenOf(n.in), d, x)
	f.canon(n.in, d)
}

func (is avx512) not(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(pick(n.in, x86.VPTERNLOGD, x86.VPTERNLOGQ), f.lenOf(n.in), d, x, x, x86.Imm(0x55))
	f.canon(n.in, d)
}

// scale emits x * 2^n. vscalef rounds once. The conversion of n to a float rounds only
// values beyond the range of exponents, which all have the same effect.
func (is avx512) scale(f *emitter, n *node) {
	x, e, t := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	l := f.lenOf(n.in)
	f.i(pick(n.in, x86.VCVTDQ2PS, x86.VCVTQQ2PD), l, t, e)
	f.release()
	f.i(pick(n.in, x86.VSCALEFPS, x86.VSCALEFPD), l, f.dst(), x, t)
}

func (is avx512) maskOp(b, w x86.Op) rule {
	return func(f *emitter, n *node) {
		x, y := f.mask(n.args[0]), f.mask(n.args[1])
		f.release()
		f.i(f.kop(b, w), 0, f.mdst(), x, y)
	}
}

func (is avx512) maskNot(f *emitter, n *node) {
	x := f.mask(n.args[0])
	f.release()
	f.i(f.kop(x86.KNOTB, x86.KNOTW), 0, f.mdst(), x)
}

func (is avx512) compareFloat(imm x86.Imm) rule {
	return func(f *emitter, n *node) {
		x, y := f.src(n.args[0]), f.srcM(n.args[1])
		f.release()
		f.i(pick(n.in, x86.VCMPPS, x86.VCMPPD), f.lenOf(n.in), f.mdst(), x, y, imm)
	}
}

func (is avx512) compareInt(imm x86.Imm) rule {
	return func(f *emitter, n *node) {
		x, y := f.src(n.args[0]), f.srcM(n.args[1])
		f.release()
		f.i(compareOp(n.in), f.lenOf(n.in), f.mdst(), x, y, imm)
	}
}

func (is avx512) choose(f *emitter, n *node) {
	k, y, z := f.mask(n.args[0]), f.srcM(n.args[1]), f.src(n.args[2])
	f.release()
	f.i(pick(n.typ, x86.VBLENDMPS, x86.VBLENDMPD), f.lenOf(n.typ), f.dst(), z, y, x86.Merge(k))
}

func (is avx512) chooseMask(f *emitter, n *node) {
	k, y, z := f.mask(n.args[0]), f.mask(n.args[1]), f.mask(n.args[2])
	t := f.mtmp()
	d := f.mdst()
	f.i(x86.KANDW, 0, t, k, y)
	f.i(x86.KANDNW, 0, d, k, z)
	f.i(x86.KORW, 0, d, d, t)
}

func (is avx512) mulHi32(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	t, u, d, l := f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	f.i(x86.VPSRLQ, l, t, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, u, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, t, u)
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPANDQ, l, t, t, f.a.Const64(0xffffffff<<32).Bcast())
	f.i(x86.VPORQ, l, d, d, t)
}

// bf16 rounds x to the upper half of each lane of d. It does not clear the lower half.
func (is avx512) bf16(f *emitter, d, x x86.Vec) {
	l, k := f.lenOf(dtype.F32), f.mtmp()
	f.i(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.i(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.i(x86.VPANDD, l, d, d, f.a.Const32(1).Bcast())
	f.i(x86.VPADDD, l, d, d, f.a.Const32(0x7fff).Bcast())
	f.i(x86.VPADDD, l, d, d, x)
	f.i(x86.VPBROADCASTD, l, d, f.a.Const32(0x7fc00000), x86.Merge(k))
}

func (is avx512) roundBF16(f *emitter, n *node) {
	x, d := f.src(n.args[0]), f.dst()
	is.bf16(f, d, x)
	f.i(x86.VPANDD, f.lenOf(n.in), d, d, f.a.Const32(0xffff0000).Bcast())
}

// lookup gathers from a table after the code.
func (is avx512) lookup(f *emitter, n *node) {
	t := f.ph.tableOf(f.c.p.k, n)
	label := f.tableLabel(t)
	x, ix, k := f.src(n.args[0]), f.tmp(), f.mtmp()
	d := f.dst()
	f.i(pick(n.in, x86.VPANDD, x86.VPANDQ), f.lenOf(n.in), ix, x, f.imm(n.in, uint64(len(t.Bits)-1)))
	f.i(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(label, 0))
	f.i(f.kop(x86.KXNORB, x86.KXNORW), 0, k, k, k)
	op := [2][2]x86.Op{{x86.VGATHERDPS, x86.VGATHERQPS}, {x86.VGATHERDPD, x86.VGATHERQPD}}
	from, to := 0, 0
	if wide(n.in) {
		from = 1
	}
	scale := uint8(4)
	if wide(n.typ) {
		to, scale = 1, 8
	}
	l := max(f.lenOf(n.in), f.lenOf(n.typ))
	f.i(op[to][from], l, d, x86.AtV(x86.RAX, ix, scale, 0), x86.Merge(k))
}

func (avx512) setTail(f *emitter) {
	f.i(x86.MOV, x86.W32, x86.RAX, x86.Imm(-1))
	f.i(x86.BZHI, x86.W32, x86.RAX, x86.RAX, x86.RCX)
	if f.w == 8 {
		f.i(x86.KMOVB, 0, tailMask, x86.RAX)
	} else {
		f.i(x86.KMOVW, 0, tailMask, x86.RAX)
	}
}

func (avx512) tailBits(f *emitter) { f.i(x86.KMOVW, 0, x86.RAX, tailMask) }

func (avx512) storeTail(f *emitter, t dtype.Type, m x86.Mem, x x86.Vec) {
	f.i(pick(t, x86.VMOVUPS, x86.VMOVUPD), f.lenOf(t), m, x, x86.Merge(tailMask))
}

func (avx512) upperHalf(f *emitter, d, x x86.Vec) {
	f.i(x86.VEXTRACTF32X4, x86.L256, d, x, x86.Imm(1))
}

func (avx512) addNeed(f *emitter, p int32, first bool) {
	k := f.mask(p)
	if first {
		f.i(x86.KMOVW, 0, maskTmp, k)
	} else {
		f.i(x86.KORW, 0, maskTmp, maskTmp, k)
	}
}

func (avx512) skipCold(f *emitter, skip x86.Label) {
	f.i(f.kop(x86.KORTESTB, x86.KORTESTW), 0, maskTmp, maskTmp)
	f.i(x86.JE, 0, skip)
}

func (avx512) mergeCold(f *emitter, id int32, n *node) x86.Operand {
	p := f.mask(n.args[0])
	if f.isMask(id) {
		d, y, t := f.mask(id), f.mask(n.yield), f.mtmp()
		f.i(x86.KANDNW, 0, d, p, d)
		f.i(x86.KANDW, 0, t, p, y)
		f.i(x86.KORW, 0, d, d, t)
		return d
	}
	d, y := f.src(id), f.src(n.yield)
	f.i(pick(n.typ, x86.VMOVAPS, x86.VMOVAPD), f.lenOf(n.typ), d, y, x86.Merge(p))
	return d
}

// iota sets each lane to its number times a constant.
func (avx512) iota(f *emitter, n *node) {
	l, lanes := f.lenOf(dtype.I64), f.iota64((f.base+f.copy)*f.w)
	d := f.dst()
	f.i(x86.VPBROADCASTQ, l, d, x86.RSI)
	f.i(x86.VPADDQ, l, d, d, lanes)
	if n.imm != 1 {
		f.i(x86.VPMULLQ, l, d, d, f.imm(dtype.I64, n.imm))
	}
}
