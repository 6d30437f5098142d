package avx512

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

func (Target) PredicateLanes(f *isa.Emitter, p int32, complement bool) x86.Vec {
	k, d := f.Mask(p), f.Tmp()
	if complement {
		n := f.TmpMask()
		f.I(kop(f, x86.KNOTB, x86.KNOTW), 0, n, k)
		k = n
	}
	f.I(x86.VPMOVM2D, f.LenOf(dtype.I32), d, k)
	return d
}

func (is Target) StepValue(f *isa.Emitter, k *reduce.Kern, d, x x86.Vec) {
	l, t := f.LenOf(k.Lane), k.Lane
	switch {
	case k.Type == dtype.Bool:
		f.I(x86.VPORD, l, d, d, x)
	case k.Quiet:
		q := f.Tmp()
		f.I(isa.BinaryOp(prim.Mul, t), l, q, x, f.OneBits(t))
		imm := x86.Imm(4)
		if k.Op == prim.Max {
			imm = 5
		}
		f.I(isa.Pick(t, x86.VRANGEPS, x86.VRANGEPD), l, d, d, q, imm)
	case (k.Op == prim.Min || k.Op == prim.Max) && t.IsFloat():
		is.MinMax(f, k.Op, t, d, d, x)
	default:
		f.I(isa.BinaryOp(k.Op, t), l, d, d, x)
	}
}

func (is Target) StepArg(f *isa.Emitter, k *reduce.Kern, d, idx, x x86.Vec) {
	l, t := f.LenOf(k.Lane), k.Lane
	m := f.TmpMask()
	if t.IsFloat() {
		imm := x86.Imm(0x19) // not x >= d
		if k.Op == prim.Max {
			imm = 0x16
		}
		op := isa.Pick(t, x86.VCMPPS, x86.VCMPPD)
		f.I(op, l, m, x, d, imm)
		f.I(op, l, m, d, d, x86.Imm(7), x86.Merge(m))
	} else {
		imm := x86.Imm(1)
		if k.Op == prim.Max {
			imm = 6
		}
		f.I(compareOp(t), l, m, x, d, imm)
	}
	if f.Masked {
		f.I(x86.KANDW, 0, m, m, tailMask)
	}
	p := is.position(f)
	f.I(isa.Pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, x, x86.Merge(m))
	f.I(x86.VMOVDQA32, f.LenOf(dtype.I32), idx, p, x86.Merge(m))
}

// position returns the position of each lane: in the call, or in a seq loop the row.
func (Target) position(f *isa.Emitter) x86.Vec {
	t := f.Tmp()
	l := f.LenOf(dtype.I32)
	if f.Phase.Kind == lower.SeqPhase {
		f.I(x86.VPBROADCASTD, l, t, isa.Frame(frame.Counter))
		return t
	}
	f.I(x86.VPBROADCASTD, l, t, x86.RSI)
	f.I(x86.VPADDD, l, t, t, f.Iota32((f.Base+f.Copy)*f.W))
	return t
}

func (Target) PairArg(f *isa.Emitter, k *reduce.Kern, d, di, x, xi x86.Vec) {
	l, t, li := f.LenOf(k.Lane), k.Lane, f.LenOf(dtype.I32)
	better, same, other := f.TmpMask(), f.TmpMask(), f.TmpMask()
	if t.IsFloat() {
		imm := x86.Imm(0x19)
		if k.Op == prim.Max {
			imm = 0x16
		}
		op := isa.Pick(t, x86.VCMPPS, x86.VCMPPD)
		f.I(op, l, better, x, d, imm)
		f.I(op, l, better, d, d, x86.Imm(7), x86.Merge(better))
		f.I(op, l, same, x, d, x86.Imm(0))
		f.I(op, l, other, x, x, x86.Imm(3))
		f.I(op, l, other, d, d, x86.Imm(3), x86.Merge(other))
		f.I(x86.KORW, 0, same, same, other)
	} else {
		imm := x86.Imm(1)
		if k.Op == prim.Max {
			imm = 6
		}
		f.I(compareOp(t), l, better, x, d, imm)
		f.I(compareOp(t), l, same, x, d, x86.Imm(0))
	}
	f.I(x86.VPCMPD, li, same, xi, di, x86.Imm(1), x86.Merge(same))
	f.I(x86.KORW, 0, better, better, same)
	f.I(isa.Pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, x, x86.Merge(better))
	f.I(x86.VMOVDQA32, li, di, xi, x86.Merge(better))
}
