package jit

import (
	"math"

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

func (is avx512) convert(f *emitter, n *node) {
	from, to := n.in, n.typ
	l := max(f.lenOf(from), f.lenOf(to))
	is64 := 0
	switch {
	case from == to && to == dtype.Bool:
		x := f.mask(n.args[0])
		f.release()
		f.i(x86.KMOVW, 0, f.mdst(), x)
	case from == to:
		move(f, n)
	case from == dtype.Bool:
		k := f.mask(n.args[0])
		one := uint64(1)
		if to.IsFloat() {
			one = floatBits(to, 1)
		}
		f.i(pick(to, x86.VBROADCASTSS, x86.VBROADCASTSD), f.lenOf(to), f.dst(), f.constMem(to, one), x86.Zero(k))
	case to == dtype.Bool && from.IsFloat():
		x := f.src(n.args[0])
		f.release()
		f.i(pick(from, x86.VCMPPS, x86.VCMPPD), f.lenOf(from), f.mdst(), x, f.imm(from, 0), x86.Imm(4))
	case to == dtype.Bool:
		x := f.src(n.args[0])
		f.release()
		f.i(pick(from, x86.VPTESTMD, x86.VPTESTMQ), f.lenOf(from), f.mdst(), x, x)
	case from.IsFloat() && to.IsFloat():
		x := f.src(n.args[0])
		f.release()
		f.i(pick(to, x86.VCVTPD2PS, x86.VCVTPS2PD), l, f.dst(), x)
	case to.IsFloat():
		if to == dtype.F64 {
			is64 = 1
		}
		x := f.src(n.args[0])
		f.release()
		f.i(toFloat[lane32(from)][is64], l, f.dst(), x)
	case from.IsFloat():
		x := f.src(n.args[0])
		is.truncate(f, f.dst(), x, from, to)
	default:
		x := f.src(n.args[0])
		f.release()
		d := f.dst()
		switch {
		case wide(to) && !wide(from) && from.IsSigned():
			f.i(x86.VPMOVSXDQ, l, d, x)
		case wide(to) && !wide(from):
			f.i(x86.VPMOVZXDQ, l, d, x)
		case wide(from) && !wide(to):
			f.i(x86.VPMOVQD, l, d, x)
		case d != x:
			f.i(x86.VMOVAPS, l, d, x)
		}
		f.canon(to, d)
	}
}

// truncate converts floats to integers, with saturation and NaN to 0.
func (is avx512) truncate(f *emitter, d, x x86.Vec, from, to dtype.Type) {
	l := max(f.lenOf(from), f.lenOf(to))
	is64 := 0
	if from == dtype.F64 {
		is64 = 1
	}
	cmp := pick(from, x86.VCMPPS, x86.VCMPPD)
	tr := truncations[lane32(to)]
	k := f.mtmp()
	if tr.limit == 0 { // unsigned: convert only positive numbers
		f.i(cmp, f.lenOf(from), k, x, f.imm(from, 0), x86.Imm(0x1e))
		f.i(tr.op[is64], l, d, x, x86.Zero(k))
	} else {
		f.i(tr.op[is64], l, d, x)
		f.i(cmp, f.lenOf(from), k, x, f.imm(from, floatBits(from, tr.limit)), x86.Imm(0x1d))
		f.i(pick(to, x86.VPBROADCASTD, x86.VPBROADCASTQ), f.lenOf(to), d, f.constMem(lane32(to), tr.top), x86.Merge(k))
		f.i(cmp, f.lenOf(from), k, x, x, x86.Imm(7))
		f.i(pick(to, x86.VMOVDQA32, x86.VMOVDQA64), f.lenOf(to), d, d, x86.Zero(k))
	}
	switch to {
	case dtype.I8:
		lo := int32(math.MinInt8)
		f.i(x86.VPMINSD, f.lenOf(to), d, d, f.imm(dtype.I32, math.MaxInt8))
		f.i(x86.VPMAXSD, f.lenOf(to), d, d, f.imm(dtype.I32, uint64(uint32(lo))))
	case dtype.U8:
		f.i(x86.VPMINUD, f.lenOf(to), d, d, f.imm(dtype.I32, math.MaxUint8))
	}
}

// divide32 divides integers of at most 32 bits in float64: the truncated quotient is
// exact. Division by zero gives 0.
func (is avx512) divide32(f *emitter, n *node) {
	t := lane32(n.in)
	x, y := f.src(n.args[0]), f.src(n.args[1])
	q, u, v, d := f.tmp(), f.tmp(), f.tmp(), f.dst()
	in, out := toFloat[t][1], truncations[t].op[1]
	l32 := f.lenOf(dtype.I32)
	if f.w*64 <= 512 {
		l := x86.Len(f.w * 64)
		f.i(in, l, u, x)
		f.i(in, l, v, y)
		f.i(x86.VDIVPD, l, u, u, v)
		f.i(out, l, q, u)
	} else {
		f.i(in, x86.L512, u, x)
		f.i(in, x86.L512, v, y)
		f.i(x86.VDIVPD, x86.L512, u, u, v)
		f.i(out, x86.L512, q, u)
		f.i(x86.VEXTRACTF64X4, x86.L512, u, x, x86.Imm(1))
		f.i(x86.VEXTRACTF64X4, x86.L512, v, y, x86.Imm(1))
		f.i(in, x86.L512, u, u)
		f.i(in, x86.L512, v, v)
		f.i(x86.VDIVPD, x86.L512, u, u, v)
		f.i(out, x86.L512, u, u)
		f.i(x86.VINSERTF64X4, x86.L512, q, q, u, x86.Imm(1))
	}
	k := f.mtmp()
	f.i(x86.VPTESTMD, l32, k, y, y)
	if n.op == prim.Rem {
		f.i(x86.VPMULLD, l32, q, q, y)
		f.i(x86.VPSUBD, l32, q, x, q)
	}
	f.i(x86.VMOVDQA32, l32, d, q, x86.Zero(k))
	f.canon(n.in, d)
}
