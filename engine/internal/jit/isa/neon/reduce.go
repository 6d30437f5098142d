package neon

import (
	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Steps of reductions.

func (f *neon) PredicateLanes(p int32, complement bool, _ int) isa.Vec {
	x := f.fit(f.Src(p), dtype.I32)
	if complement {
		d := f.Tmp()
		f.I(arm64.VNOT, f.whole(dtype.I32), d, x)
		x = d
	}
	return x
}

func (f *neon) StepValues(*reduce.Kern, isa.Vec, []isa.Vec) bool { return false }

func (f *neon) StepValue(k *reduce.Kern, d, x isa.Vec) {
	t, r, wide := k.Lane, f.arr(k.Lane), isa.Wide(k.Lane) && !k.Lane.IsFloat()
	extreme := k.Op == prim.Min || k.Op == prim.Max
	switch {
	case k.Type == dtype.Bool:
		f.I(arm64.VORR, f.whole(t), d, d, x)
	case k.Op == prim.And || k.Op == prim.Or || k.Op == prim.Xor:
		o := map[prim.Op]arm64.Op{prim.And: arm64.VAND, prim.Or: arm64.VORR, prim.Xor: arm64.VEOR}[k.Op]
		f.I(o, f.whole(t), d, d, x)
	case k.Op == prim.Mul && wide:
		f.by(arm64.MUL, t, d, d, x)
	case extreme && wide:
		m := f.Tmp()
		f.extreme64(k.Op, t, m, d, x)
		f.CopyVec(t, d, m)
	case k.Quiet:
		m, number := f.Tmp(), f.Tmp()
		f.I(op(k.Op, t), r, m, d, x)
		f.I(arm64.VFCMEQ, r, number, x, x)
		f.I(arm64.VBIF, f.whole(t), m, d, number) // x is NaN
		f.I(arm64.VFCMEQ, r, number, d, d)
		f.I(arm64.VBIF, f.whole(t), m, x, number)
		f.CopyVec(t, d, m)
	default:
		f.I(op(k.Op, t), r, d, d, x)
	}
}

// better returns the lanes where x beats the minimum or maximum d: x is less or greater, or NaN, and
// d is not NaN.
func (f *neon) better(k *reduce.Kern, x, d isa.Vec) isa.Vec {
	m, t := f.Tmp(), k.Lane
	if k.Op == prim.Max {
		f.compare(prim.Lt, t, m, d, x)
	} else {
		f.compare(prim.Lt, t, m, x, d)
	}
	if t.IsFloat() {
		f.Within(func() {
			nan := f.Tmp()
			f.compare(prim.Ne, t, nan, x, x)
			f.I(arm64.VORR, f.whole(t), m, m, nan)
			f.compare(prim.Eq, t, nan, d, d)
			f.I(arm64.VAND, f.whole(t), m, m, nan)
		})
	}
	return m
}

// take replaces d and its position di by x and xi in the lanes of m.
func (f *neon) take(t dtype.Type, d, x, di, xi, m isa.Vec) {
	f.I(arm64.VBIT, f.whole(t), d, x, m)
	if isa.Wide(t) {
		f.I(arm64.VXTN, arm64.S2, m, m)
	}
	f.I(arm64.VBIT, f.whole(dtype.I32), di, xi, m)
}

// SkipWorse does nothing, as a target may.
func (f *neon) SkipWorse(*reduce.Kern, []isa.Vec, []isa.Vec, isa.Label) {}

func (f *neon) StepArg(k *reduce.Kern, d, idx, x isa.Vec) {
	m, p := f.better(k, x, d), f.Tmp()
	if f.Masked {
		f.Within(func() { f.I(arm64.VAND, f.whole(k.Lane), m, m, f.fit(f.tail(), k.Lane)) })
	}
	if f.Phase.Kind == lower.SeqPhase {
		f.asm.loadWord(arm64.W, x16, frame.Counter)
		f.I(arm64.VDUPR, f.arr(dtype.I32), p, x16)
	} else {
		f.numbers(p, dtype.I32)
	}
	f.take(k.Lane, d, x, idx, p, m)
}

func (f *neon) PairArg(k *reduce.Kern, d, di, x, xi isa.Vec) {
	t, better, same, o := k.Lane, f.better(k, x, d), f.Tmp(), f.Tmp()
	f.compare(prim.Eq, t, same, x, d)
	if t.IsFloat() { // or both are NaN
		both := f.Tmp()
		f.compare(prim.Ne, t, o, x, x)
		f.compare(prim.Ne, t, both, d, d)
		f.I(arm64.VAND, f.whole(t), o, o, both)
		f.I(arm64.VORR, f.whole(t), same, same, o)
	}
	f.compare(prim.Lt, dtype.I32, o, xi, di)
	if isa.Wide(t) {
		f.I(arm64.VSSHLL, arm64.S2, o, o, arm64.Imm(0))
	}
	f.I(arm64.VAND, f.whole(t), same, same, o)
	f.I(arm64.VORR, f.whole(t), better, better, same)
	f.take(t, d, x, di, xi, better)
}
