// Package avx512 is the target of AVX-512 with its extensions BW, DQ and VL.
package avx512

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Target is the instruction set of AVX-512 with its extensions BW, DQ and VL.
// Predicates are in mask registers.
type Target struct{ isa.Generic }

var _ isa.Target = Target{}

func (Target) Name() string                             { return "avx512" }
func (Target) Vectors() (registers, bytes int)          { return 32, 64 }
func (Target) Predicates() int                          { return 6 } // K0 is never a write mask, K7 has the tail mask
func (Target) Broadcasts() bool                         { return true }
func (Target) Native(op prim.Op, t dtype.Type) isa.Rule { return avx512Rules.Find(op, t) }

const (
	tailMask = x86.K7
	maskTmp  = x86.K0 // never a write mask
)

var avx512Rules = isa.RuleTable{}

func init() {
	var g Target
	r := avx512Rules
	r.Set(prim.Neg, isa.Signs(x86.VPXORD, x86.VPXORQ, 0), isa.Floats...)
	r.Set(prim.Abs, isa.Signs(x86.VPANDD, x86.VPANDQ, 1), isa.Floats...)
	r.Set(prim.Abs, isa.UnaryOp(x86.VPABSQ, x86.VPABSQ), dtype.I64)
	for op, imm := range isa.Roundings {
		r.Set(op, isa.UnaryImm(x86.VRNDSCALEPS, x86.VRNDSCALEPD, imm), isa.Floats...)
	}
	r.Set(prim.Scale, g.scale, isa.Floats...)
	r.Set(prim.Not, g.not, isa.Ints...)
	r.Set(prim.Not, g.maskNot, dtype.Bool)
	r.Set(prim.And, g.maskOp(x86.KANDB, x86.KANDW), dtype.Bool)
	r.Set(prim.Or, g.maskOp(x86.KORB, x86.KORW), dtype.Bool)
	r.Set(prim.Xor, g.maskOp(x86.KXORB, x86.KXORW), dtype.Bool)
	r.Set(prim.Ne, g.maskOp(x86.KXORB, x86.KXORW), dtype.Bool)
	r.Set(prim.Eq, g.maskOp(x86.KXNORB, x86.KXNORW), dtype.Bool)
	for op, c := range map[prim.Op][2]x86.Imm{prim.Eq: {0, 0}, prim.Lt: {0x11, 1}, prim.Le: {0x12, 2}, prim.Ne: {4, 4}} {
		r.Set(op, g.compareFloat(c[0]), isa.Floats...)
		r.Set(op, g.compareInt(c[1]), isa.Ints...)
	}
	r.Set(prim.Select, g.choose, isa.Nums...)
	r.Set(prim.Select, g.chooseMask, dtype.Bool)
	r.Set(prim.MulHi, g.mulHi32, dtype.U32)
	r.Set(prim.Div, g.divide32, dtype.I8, dtype.I32, dtype.U8, dtype.U32)
	r.Set(prim.Rem, g.divide32, dtype.I8, dtype.I32, dtype.U8, dtype.U32)
	r.Set(prim.RoundBF16, g.roundBF16, dtype.F32)
	r.Set(prim.Lookup, g.lookup, isa.Ints...)
	r.Set(ir.Load, g.load)
	r.Set(ir.Index, g.index)
	r.Set(ir.Fault, g.fault)
	r.Set(lower.OpExport, g.export)
	r.Set(lower.OpGather, g.gather)
	r.Set(lower.OpIota, g.iota)
}

func compareOp(t dtype.Type) x86.Op {
	switch isa.Lane32(t) {
	case dtype.I32:
		return x86.VPCMPD
	case dtype.U32:
		return x86.VPCMPUD
	case dtype.I64:
		return x86.VPCMPQ
	}
	return x86.VPCMPUQ
}

// MinMax emits the IEEE 754-2019 minimum or maximum. vrange orders the zeros. The sum
// of the operands is NaN if one of them is.
func (is Target) MinMax(f *isa.Emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l := f.LenOf(t)
	k := f.TmpMask()
	imm := x86.Imm(4)
	if op == prim.Max {
		imm = 5
	}
	f.I(isa.Pick(t, x86.VCMPPS, x86.VCMPPD), l, k, x, y, x86.Imm(3))
	if d == x || d == y { // the sum still needs the operands
		s := f.Tmp()
		f.I(isa.Pick(t, x86.VRANGEPS, x86.VRANGEPD), l, s, x, y, imm)
		f.I(isa.Pick(t, x86.VADDPS, x86.VADDPD), l, s, x, y, x86.Merge(k))
		f.I(isa.Pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, s)
		return
	}
	f.I(isa.Pick(t, x86.VRANGEPS, x86.VRANGEPD), l, d, x, y, imm)
	f.I(isa.Pick(t, x86.VADDPS, x86.VADDPD), l, d, x, y, x86.Merge(k))
}

func (is Target) not(f *isa.Emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	f.Release()
	d := f.Dst()
	f.I(isa.Pick(n.In, x86.VPTERNLOGD, x86.VPTERNLOGQ), f.LenOf(n.In), d, x, x, x86.Imm(0x55))
	f.Canon(n.In, d)
}

// scale emits x * 2^n. vscalef rounds once. The conversion of n to a float rounds only
// values beyond the range of exponents, which all have the same effect.
func (is Target) scale(f *isa.Emitter, n *lower.Node) {
	x, e, t := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	l := f.LenOf(n.In)
	f.I(isa.Pick(n.In, x86.VCVTDQ2PS, x86.VCVTQQ2PD), l, t, e)
	f.Release()
	f.I(isa.Pick(n.In, x86.VSCALEFPS, x86.VSCALEFPD), l, f.Dst(), x, t)
}

func (is Target) maskOp(b, w x86.Op) isa.Rule {
	return func(f *isa.Emitter, n *lower.Node) {
		x, y := f.Mask(n.Args[0]), f.Mask(n.Args[1])
		f.Release()
		f.I(kop(f, b, w), 0, f.DstMask(), x, y)
	}
}

func (is Target) maskNot(f *isa.Emitter, n *lower.Node) {
	x := f.Mask(n.Args[0])
	f.Release()
	f.I(kop(f, x86.KNOTB, x86.KNOTW), 0, f.DstMask(), x)
}

func (is Target) compareFloat(imm x86.Imm) isa.Rule {
	return func(f *isa.Emitter, n *lower.Node) {
		x, y := f.Src(n.Args[0]), f.SrcM(n.Args[1])
		f.Release()
		f.I(isa.Pick(n.In, x86.VCMPPS, x86.VCMPPD), f.LenOf(n.In), f.DstMask(), x, y, imm)
	}
}

func (is Target) compareInt(imm x86.Imm) isa.Rule {
	return func(f *isa.Emitter, n *lower.Node) {
		x, y := f.Src(n.Args[0]), f.SrcM(n.Args[1])
		f.Release()
		f.I(compareOp(n.In), f.LenOf(n.In), f.DstMask(), x, y, imm)
	}
}

func (is Target) choose(f *isa.Emitter, n *lower.Node) {
	k, y, z := f.Mask(n.Args[0]), f.SrcM(n.Args[1]), f.Src(n.Args[2])
	f.Release()
	f.I(isa.Pick(n.Type, x86.VBLENDMPS, x86.VBLENDMPD), f.LenOf(n.Type), f.Dst(), z, y, x86.Merge(k))
}

func (is Target) chooseMask(f *isa.Emitter, n *lower.Node) {
	k, y, z := f.Mask(n.Args[0]), f.Mask(n.Args[1]), f.Mask(n.Args[2])
	t := f.TmpMask()
	d := f.DstMask()
	f.I(x86.KANDW, 0, t, k, y)
	f.I(x86.KANDNW, 0, d, k, z)
	f.I(x86.KORW, 0, d, d, t)
}

func (is Target) mulHi32(f *isa.Emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	t, u, d, l := f.Tmp(), f.Tmp(), f.Dst(), f.LenOf(n.In)
	f.I(x86.VPSRLQ, l, t, x, x86.Imm(32))
	f.I(x86.VPSRLQ, l, u, y, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, t, u)
	f.I(x86.VPMULUDQ, l, d, x, y)
	f.I(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPANDQ, l, t, t, f.Asm.Const64(0xffffffff<<32).Bcast())
	f.I(x86.VPORQ, l, d, d, t)
}

// bf16 rounds x to the upper half of each lane of d. It does not clear the lower half.
func (is Target) bf16(f *isa.Emitter, d, x x86.Vec) {
	l, k := f.LenOf(dtype.F32), f.TmpMask()
	f.I(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.I(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.I(x86.VPANDD, l, d, d, f.Asm.Const32(1).Bcast())
	f.I(x86.VPADDD, l, d, d, f.Asm.Const32(0x7fff).Bcast())
	f.I(x86.VPADDD, l, d, d, x)
	f.I(x86.VPBROADCASTD, l, d, f.Asm.Const32(0x7fc00000), x86.Merge(k))
}

func (is Target) roundBF16(f *isa.Emitter, n *lower.Node) {
	x, d := f.Src(n.Args[0]), f.Dst()
	is.bf16(f, d, x)
	f.I(x86.VPANDD, f.LenOf(n.In), d, d, f.Asm.Const32(0xffff0000).Bcast())
}

// lookup gathers from a table after the code.
func (is Target) lookup(f *isa.Emitter, n *lower.Node) {
	t := &f.Program.IR.Tables[n.Aux]
	label := f.TableLabel(t)
	x, ix, k := f.Src(n.Args[0]), f.Tmp(), f.TmpMask()
	d := f.Dst()
	f.I(isa.Pick(n.In, x86.VPANDD, x86.VPANDQ), f.LenOf(n.In), ix, x, f.ConstBcast(n.In, uint64(len(t.Bits)-1)))
	f.I(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(label, 0))
	f.I(kop(f, x86.KXNORB, x86.KXNORW), 0, k, k, k)
	op := [2][2]x86.Op{{x86.VGATHERDPS, x86.VGATHERQPS}, {x86.VGATHERDPD, x86.VGATHERQPD}}
	from, to := 0, 0
	if isa.Wide(n.In) {
		from = 1
	}
	scale := uint8(4)
	if isa.Wide(n.Type) {
		to, scale = 1, 8
	}
	l := max(f.LenOf(n.In), f.LenOf(n.Type))
	f.I(op[to][from], l, d, x86.AtV(x86.RAX, ix, scale, 0), x86.Merge(k))
}

func (Target) SetTail(f *isa.Emitter) {
	f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(-1))
	f.I(x86.BZHI, x86.W32, x86.RAX, x86.RAX, x86.RCX)
	if f.W == 8 {
		f.I(x86.KMOVB, 0, tailMask, x86.RAX)
	} else {
		f.I(x86.KMOVW, 0, tailMask, x86.RAX)
	}
}

func (Target) TailBits(f *isa.Emitter) { f.I(x86.KMOVW, 0, x86.RAX, tailMask) }

func (Target) StoreTail(f *isa.Emitter, t dtype.Type, m x86.Mem, x x86.Vec) {
	f.I(isa.Pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t), m, x, x86.Merge(tailMask))
}

func (Target) UpperHalf(f *isa.Emitter, d, x x86.Vec) {
	f.I(x86.VEXTRACTF32X4, x86.L256, d, x, x86.Imm(1))
}

func (Target) AddNeed(f *isa.Emitter, p int32, first bool) {
	k := f.Mask(p)
	if first {
		f.I(x86.KMOVW, 0, maskTmp, k)
	} else {
		f.I(x86.KORW, 0, maskTmp, maskTmp, k)
	}
}

func (Target) SkipCold(f *isa.Emitter, skip x86.Label) {
	f.I(kop(f, x86.KORTESTB, x86.KORTESTW), 0, maskTmp, maskTmp)
	f.I(x86.JE, 0, skip)
}

func (Target) MergeCold(f *isa.Emitter, id int32, n *lower.Node) {
	p := f.Mask(n.Args[0])
	if f.IsMask(id) {
		d, y, t := f.Mask(id), f.Mask(n.Yield), f.TmpMask()
		f.I(x86.KANDNW, 0, d, p, d)
		f.I(x86.KANDW, 0, t, p, y)
		f.I(x86.KORW, 0, d, d, t)
		return
	}
	d, y := f.Src(id), f.Src(n.Yield)
	f.I(isa.Pick(n.Type, x86.VMOVAPS, x86.VMOVAPD), f.LenOf(n.Type), d, y, x86.Merge(p))
}

// iota sets each lane to its number times a constant.
func (Target) iota(f *isa.Emitter, n *lower.Node) {
	l, lanes := f.LenOf(dtype.I64), f.Iota64((f.Base+f.Copy)*f.W)
	d := f.Dst()
	f.I(x86.VPBROADCASTQ, l, d, x86.RSI)
	f.I(x86.VPADDQ, l, d, d, lanes)
	if n.Imm != 1 {
		f.I(x86.VPMULLQ, l, d, d, f.ConstBcast(dtype.I64, n.Imm))
	}
}

func kop(f *isa.Emitter, b, w x86.Op) x86.Op {
	if f.W == 8 {
		return b
	}
	return w
}

func (Target) LoadMask(f *isa.Emitter, d x86.Mask, n int32) {
	switch nd := &f.Nodes[n]; {
	case nd.Op == prim.Const && nd.Imm != 0:
		f.I(kop(f, x86.KXNORB, x86.KXNORW), 0, d, d, d)
	case nd.Op == prim.Const:
		f.I(x86.KXORW, 0, d, d, d)
	case nd.Op == lower.OpCell:
		t := f.Tmp()
		f.I(x86.VPBROADCASTD, f.LenOf(dtype.I32), t, f.UniformMem(n))
		f.I(x86.VPTESTMD, f.LenOf(dtype.I32), d, t, f.Asm.Const32(1).Bcast())
	default:
		f.I(x86.KMOVW, 0, d, f.UniformMem(n))
	}
}
