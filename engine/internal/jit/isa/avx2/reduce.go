package avx2

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// better returns the lanes where x beats the minimum or maximum d: x is less or
// greater, or NaN, and d is not NaN.
func (is Target) better(f *isa.Emitter, k *reduce.Kern, x, d x86.Vec) x86.Vec {
	l, t := f.LenOf(k.Lane), k.Lane
	m := f.Tmp()
	if !t.IsFloat() {
		if k.Op == prim.Min {
			is.compareInts(f, prim.Lt, t, m, x, d)
		} else {
			is.compareInts(f, prim.Lt, t, m, d, x)
		}
		return m
	}
	imm := x86.Imm(0x19)
	if k.Op == prim.Max {
		imm = 0x16
	}
	o, cmp := f.Tmp(), isa.Pick(t, x86.VCMPPS, x86.VCMPPD)
	f.I(cmp, l, m, x, d, imm)
	f.I(cmp, l, o, d, d, x86.Imm(7))
	f.I(x86.VANDPS, l, m, m, o)
	return m
}

// StepArg replaces d and idx by x and its position in the lanes where x is better.
func (is Target) StepArg(f *isa.Emitter, k *reduce.Kern, d, idx, x x86.Vec) {
	m := is.better(f, k, x, d)
	if f.Masked {
		f.I(x86.VANDPS, f.LenOf(k.Lane), m, m, maskFor(f, tailVec, k.Lane))
	}
	p := f.Tmp()
	if f.Phase.Kind == lower.SeqPhase {
		f.I(x86.VPBROADCASTD, f.LenOf(dtype.I32), p, isa.Frame(frame.Counter))
	} else {
		is.position(f, p)
	}
	is.take(f, k.Lane, ranked{d, idx}, ranked{x, p}, m)
}

// A ranked is a vector of values and a vector of their positions.
type ranked struct{ x, at x86.Vec }

// take replaces d by y in the lanes of m.
func (is Target) take(f *isa.Emitter, t dtype.Type, d, y ranked, m x86.Vec) {
	blendv(f, t, d.x, d.x, y.x, m)
	f.I(x86.VBLENDVPS, f.LenOf(dtype.I32), d.at, d.at, y.at, is.narrowTo32(f, m, t))
}

// PairArg combines two values with their positions. Of equal values the lower position
// wins.
func (is Target) PairArg(f *isa.Emitter, k *reduce.Kern, d, di, x, xi x86.Vec) {
	l, t, li := f.LenOf(k.Lane), k.Lane, f.LenOf(dtype.I32)
	m := is.better(f, k, x, d)
	s, o := f.Tmp(), f.Tmp()
	if t.IsFloat() {
		cmp := isa.Pick(t, x86.VCMPPS, x86.VCMPPD)
		f.I(cmp, l, s, x, x, x86.Imm(3))
		f.I(cmp, l, o, d, d, x86.Imm(3))
		f.I(x86.VANDPS, l, s, s, o)
		f.I(cmp, l, o, x, d, x86.Imm(0))
		f.I(x86.VORPS, l, s, s, o)
	} else {
		is.compareInts(f, prim.Eq, t, s, x, d)
	}
	f.I(x86.VPCMPGTD, li, o, di, xi)
	if isa.Wide(t) {
		f.I(x86.VPMOVSXDQ, x86.L256, o, o)
	}
	f.I(x86.VANDPS, l, s, s, o)
	f.I(x86.VORPS, l, m, m, s)
	is.take(f, k.Lane, ranked{d, di}, ranked{x, xi}, m)
}

// StepValue combines x with an accumulator.
func (is Target) StepValue(f *isa.Emitter, k *reduce.Kern, d, x x86.Vec) {
	l, t := f.LenOf(k.Lane), k.Lane
	op := k.Op
	switch {
	case k.Type == dtype.Bool:
		f.I(x86.VPOR, l, d, d, x)
	case op == prim.Mul && isa.Wide(t) && !t.IsFloat():
		p, u := f.Tmp(), f.Tmp()
		is.mulWide(f, p, d, x, u)
		f.I(x86.VMOVAPS, l, d, p)
	case k.Quiet:
		m, n := f.Tmp(), f.Tmp()
		cmp := isa.Pick(t, x86.VCMPPS, x86.VCMPPD)
		is.MinMax(f, op, t, m, d, x)
		f.I(cmp, l, n, x, x, x86.Imm(3))
		blendv(f, t, m, m, d, n) // x is NaN
		f.I(cmp, l, n, d, d, x86.Imm(3))
		blendv(f, t, d, m, x, n)
	case (op == prim.Min || op == prim.Max) && t.IsFloat():
		is.MinMax(f, op, t, d, d, x)
	case (op == prim.Min || op == prim.Max) && isa.Wide(t):
		g := f.Tmp()
		if op == prim.Max {
			is.greater64(f, t, g, x, d)
		} else {
			is.greater64(f, t, g, d, x)
		}
		blendv(f, t, d, d, x, g)
	default:
		f.I(isa.BinaryOp(op, t), l, d, d, x)
	}
}

func (Target) PredicateLanes(f *isa.Emitter, p int32, complement bool) x86.Vec {
	x := maskFor(f, f.Src(p), dtype.I32)
	if complement {
		d := f.Tmp()
		f.I(x86.VPXOR, x86.L256, d, x, f.Ones())
		x = d
	}
	return x
}
