package avx512

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// A truncation says how to convert a float to an integer. Out of range the instruction
// gives the indefinite value, which is right at one end of the range at most.
type truncation struct {
	op    [2]x86.Op // from F32, from F64
	limit float64   // from limit on the result is top; 0: the instruction saturates there
	top   uint64    // greatest integer
}

var truncations = map[dtype.Type]truncation{
	dtype.I32: {[2]x86.Op{x86.VCVTTPS2DQ, x86.VCVTTPD2DQ}, 1 << 31, math.MaxInt32},
	dtype.I64: {[2]x86.Op{x86.VCVTTPS2QQ, x86.VCVTTPD2QQ}, 1 << 63, math.MaxInt64},
	dtype.U32: {[2]x86.Op{x86.VCVTTPS2UDQ, x86.VCVTTPD2UDQ}, 0, 0},
	dtype.U64: {[2]x86.Op{x86.VCVTTPS2UQQ, x86.VCVTTPD2UQQ}, 0, 0},
}

var toFloat = map[dtype.Type][2]x86.Op{
	dtype.I32: {x86.VCVTDQ2PS, x86.VCVTDQ2PD},
	dtype.U32: {x86.VCVTUDQ2PS, x86.VCVTUDQ2PD},
	dtype.I64: {x86.VCVTQQ2PS, x86.VCVTQQ2PD},
	dtype.U64: {x86.VCVTUQQ2PS, x86.VCVTUQQ2PD},
}

// FromPredicate broadcasts one to the lanes of the predicate.
func (Target) FromPredicate(f *isa.Emitter, n *lower.Node) {
	k, to := f.Mask(n.Args[0]), n.Type
	f.I(isa.Pick(to, x86.VBROADCASTSS, x86.VBROADCASTSD), f.LenOf(to), f.Dst(), f.ConstMem(to, isa.One(to)), x86.Zero(k))
}

func (Target) ToPredicate(f *isa.Emitter, n *lower.Node) {
	x, from := f.Src(n.Args[0]), n.In
	f.Release()
	if from.IsFloat() {
		f.I(isa.Pick(from, x86.VCMPPS, x86.VCMPPD), f.LenOf(from), f.DstMask(), x, f.ConstBcast(from, 0), x86.Imm(4))
	} else {
		f.I(isa.Pick(from, x86.VPTESTMD, x86.VPTESTMQ), f.LenOf(from), f.DstMask(), x, x)
	}
}

func (Target) IntToFloat(f *isa.Emitter, n *lower.Node) {
	x, is64 := f.Src(n.Args[0]), 0
	if n.Type == dtype.F64 {
		is64 = 1
	}
	f.Release()
	f.I(toFloat[isa.Lane32(n.In)][is64], max(f.LenOf(n.In), f.LenOf(n.Type)), f.Dst(), x)
}

func (Target) FloatToInt(f *isa.Emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	truncate(f, f.Dst(), x, n.In, n.Type)
}

func (Target) Narrow(f *isa.Emitter, d, x x86.Vec) { f.I(x86.VPMOVQD, f.LenOf(dtype.I64), d, x) }

// truncate converts floats to integers, with saturation and NaN to 0.
func truncate(f *isa.Emitter, d, x x86.Vec, from, to dtype.Type) {
	l := max(f.LenOf(from), f.LenOf(to))
	is64 := 0
	if from == dtype.F64 {
		is64 = 1
	}
	cmp := isa.Pick(from, x86.VCMPPS, x86.VCMPPD)
	tr := truncations[isa.Lane32(to)]
	k := f.TmpMask()
	if tr.limit == 0 { // unsigned: convert only positive numbers
		f.I(cmp, f.LenOf(from), k, x, f.ConstBcast(from, 0), x86.Imm(0x1e))
		f.I(tr.op[is64], l, d, x, x86.Zero(k))
	} else {
		f.I(tr.op[is64], l, d, x)
		f.I(cmp, f.LenOf(from), k, x, f.ConstBcast(from, isa.FloatBits(from, tr.limit)), x86.Imm(0x1d))
		f.I(isa.Pick(to, x86.VPBROADCASTD, x86.VPBROADCASTQ), f.LenOf(to), d, f.ConstMem(isa.Lane32(to), tr.top), x86.Merge(k))
		f.I(cmp, f.LenOf(from), k, x, x, x86.Imm(7))
		f.I(isa.Pick(to, x86.VMOVDQA32, x86.VMOVDQA64), f.LenOf(to), d, d, x86.Zero(k))
	}
	switch to {
	case dtype.I8:
		f.ClampNarrow(d, to)
	case dtype.U8:
		f.I(x86.VPMINUD, f.LenOf(to), d, d, f.ConstBcast(dtype.I32, math.MaxUint8))
	}
}

// divide32 divides integers of at most 32 bits in float64: the truncated quotient is
// exact. Division by zero gives 0.
func (is Target) divide32(f *isa.Emitter, n *lower.Node) {
	t := isa.Lane32(n.In)
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	q, u, v, d := f.Tmp(), f.Tmp(), f.Tmp(), f.Dst()
	in, out := toFloat[t][1], truncations[t].op[1]
	l32 := f.LenOf(dtype.I32)
	if f.W*64 <= 512 {
		l := x86.Len(f.W * 64)
		f.I(in, l, u, x)
		f.I(in, l, v, y)
		f.I(x86.VDIVPD, l, u, u, v)
		f.I(out, l, q, u)
	} else {
		f.I(in, x86.L512, u, x)
		f.I(in, x86.L512, v, y)
		f.I(x86.VDIVPD, x86.L512, u, u, v)
		f.I(out, x86.L512, q, u)
		f.I(x86.VEXTRACTF64X4, x86.L512, u, x, x86.Imm(1))
		f.I(x86.VEXTRACTF64X4, x86.L512, v, y, x86.Imm(1))
		f.I(in, x86.L512, u, u)
		f.I(in, x86.L512, v, v)
		f.I(x86.VDIVPD, x86.L512, u, u, v)
		f.I(out, x86.L512, u, u)
		f.I(x86.VINSERTF64X4, x86.L512, q, q, u, x86.Imm(1))
	}
	k := f.TmpMask()
	f.I(x86.VPTESTMD, l32, k, y, y)
	if n.Op == prim.Rem {
		f.I(x86.VPMULLD, l32, q, q, y)
		f.I(x86.VPSUBD, l32, q, x, q)
	}
	f.I(x86.VMOVDQA32, l32, d, q, x86.Zero(k))
	f.Canon(n.In, d)
}
