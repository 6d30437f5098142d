package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

func (avx512) predicateLanes(f *emitter, p int32, complement bool) x86.Vec {
	k, d := f.mask(p), f.tmp()
	if complement {
		n := f.mtmp()
		f.i(f.kop(x86.KNOTB, x86.KNOTW), 0, n, k)
		k = n
	}
	f.i(x86.VPMOVM2D, f.lenOf(dtype.I32), d, k)
	return d
}

func (is avx512) stepValue(f *emitter, k *redKern, d, x x86.Vec) {
	l, t := f.lenOf(k.lane), k.lane
	switch {
	case k.typ == dtype.Bool:
		f.i(x86.VPORD, l, d, d, x)
	case k.quiet:
		q := f.tmp()
		f.i(binaryOp(prim.Mul, t), l, q, x, f.oneBits(t))
		imm := x86.Imm(4)
		if k.op == prim.Max {
			imm = 5
		}
		f.i(pick(t, x86.VRANGEPS, x86.VRANGEPD), l, d, d, q, imm)
	case (k.op == prim.Min || k.op == prim.Max) && t.IsFloat():
		is.minMax(f, k.op, t, d, d, x)
	default:
		f.i(binaryOp(k.op, t), l, d, d, x)
	}
}

func (is avx512) stepArg(f *emitter, k *redKern, d, idx, x x86.Vec) {
	l, t := f.lenOf(k.lane), k.lane
	m := f.mtmp()
	if t.IsFloat() {
		imm := x86.Imm(0x19) // not x >= d
		if k.op == prim.Max {
			imm = 0x16
		}
		op := pick(t, x86.VCMPPS, x86.VCMPPD)
		f.i(op, l, m, x, d, imm)
		f.i(op, l, m, d, d, x86.Imm(7), x86.Merge(m))
	} else {
		imm := x86.Imm(1)
		if k.op == prim.Max {
			imm = 6
		}
		f.i(compareOp(t), l, m, x, d, imm)
	}
	if f.masked {
		f.i(x86.KANDW, 0, m, m, tailMask)
	}
	p := is.position(f)
	f.i(pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, x, x86.Merge(m))
	f.i(x86.VMOVDQA32, f.lenOf(dtype.I32), idx, p, x86.Merge(m))
}

// position returns the position of each lane: in the call, or in a seq loop the row.
func (avx512) position(f *emitter) x86.Vec {
	t := f.tmp()
	l := f.lenOf(dtype.I32)
	if f.ph.kind == seqPhase {
		f.i(x86.VPBROADCASTD, l, t, frameAt(frameI))
		return t
	}
	f.i(x86.VPBROADCASTD, l, t, x86.RSI)
	f.i(x86.VPADDD, l, t, t, f.iota32((f.base+f.copy)*f.w))
	return t
}
