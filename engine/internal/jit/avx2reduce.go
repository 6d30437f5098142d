package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// better returns the lanes where x beats the minimum or maximum d: x is less or
// greater, or NaN, and d is not NaN.
func (is avx2) better(f *emitter, k *redKern, x, d x86.Vec) x86.Vec {
	l, t := f.lenOf(k.lane), k.lane
	m := f.tmp()
	if !t.IsFloat() {
		if k.op == prim.Min {
			is.compareInts(f, prim.Lt, t, m, x, d)
		} else {
			is.compareInts(f, prim.Lt, t, m, d, x)
		}
		return m
	}
	imm := x86.Imm(0x19)
	if k.op == prim.Max {
		imm = 0x16
	}
	o, cmp := f.tmp(), pick(t, x86.VCMPPS, x86.VCMPPD)
	f.i(cmp, l, m, x, d, imm)
	f.i(cmp, l, o, d, d, x86.Imm(7))
	f.i(x86.VANDPS, l, m, m, o)
	return m
}

// stepArg replaces d and idx by x and its position in the lanes where x is better.
func (is avx2) stepArg(f *emitter, k *redKern, d, idx, x x86.Vec) {
	m := is.better(f, k, x, d)
	if f.masked {
		f.i(x86.VANDPS, f.lenOf(k.lane), m, m, f.maskFor(tailVec, k.lane))
	}
	p := f.tmp()
	if f.ph.kind == seqPhase {
		f.i(x86.VPBROADCASTD, f.lenOf(dtype.I32), p, frameAt(frameI))
	} else {
		is.position(f, p)
	}
	is.take(f, k, d, idx, x, p, m)
}

// take replaces d and idx by x and xi in the lanes of m.
func (is avx2) take(f *emitter, k *redKern, d, idx, x, xi, m x86.Vec) {
	f.blendv(k.lane, d, d, x, m)
	f.i(x86.VBLENDVPS, f.lenOf(dtype.I32), idx, idx, xi, is.narrowTo32(f, m, k.lane))
}

// pairArg combines two values with their positions. Of equal values the lower position
// wins.
func (is avx2) pairArg(f *emitter, k *redKern, d, di, x, xi x86.Vec) {
	l, t, li := f.lenOf(k.lane), k.lane, f.lenOf(dtype.I32)
	m := is.better(f, k, x, d)
	s, o := f.tmp(), f.tmp()
	if t.IsFloat() {
		cmp := pick(t, x86.VCMPPS, x86.VCMPPD)
		f.i(cmp, l, s, x, x, x86.Imm(3))
		f.i(cmp, l, o, d, d, x86.Imm(3))
		f.i(x86.VANDPS, l, s, s, o)
		f.i(cmp, l, o, x, d, x86.Imm(0))
		f.i(x86.VORPS, l, s, s, o)
	} else {
		is.compareInts(f, prim.Eq, t, s, x, d)
	}
	f.i(x86.VPCMPGTD, li, o, di, xi)
	if wide(t) {
		f.i(x86.VPMOVSXDQ, x86.L256, o, o)
	}
	f.i(x86.VANDPS, l, s, s, o)
	f.i(x86.VORPS, l, m, m, s)
	is.take(f, k, d, di, x, xi, m)
}

// foldArg folds the lanes of ArgMin and ArgMax with fewer registers than fold. The
// order of the lanes does not matter.
func (is avx2) foldArg(f *emitter, a *acc) bool {
	v, idx, x, xi := f.tmp(), f.tmp(), f.tmp(), f.tmp()
	l, li := f.lenOf(a.kern.lane), f.lenOf(dtype.I32)
	pair := func() { f.within(func() { is.pairArg(f, a.kern, v, idx, x, xi) }) }
	f.i(x86.VMOVUPS, l, v, f.accMem(a, 0))
	f.i(x86.VMOVUPS, li, idx, f.idxMem(a, 0))
	for k := 1; k < a.n; k++ {
		f.i(x86.VMOVUPS, l, x, f.accMem(a, k))
		f.i(x86.VMOVUPS, li, xi, f.idxMem(a, k))
		pair()
	}
	for lanes := f.w; lanes > 1; lanes /= 2 {
		f.upperHalf(x, v, lanes*a.kern.lane.Size())
		f.upperHalf(xi, idx, lanes*4)
		pair()
	}
	f.i(x86.VMOVQ, 0, f.accMem(a, 0), v)
	f.i(x86.VMOVQ, 0, f.idxMem(a, 0), idx)
	f.released = true
	f.end()
	return true
}

// stepValue combines x with an accumulator.
func (is avx2) stepValue(f *emitter, k *redKern, d, x x86.Vec) {
	l, t := f.lenOf(k.lane), k.lane
	op := k.op
	switch {
	case k.typ == dtype.Bool:
		f.i(x86.VPOR, l, d, d, x)
	case op == prim.Mul && wide(t) && !t.IsFloat():
		p, u := f.tmp(), f.tmp()
		is.mulWide(f, p, d, x, u)
		f.i(x86.VMOVAPS, l, d, p)
	case k.quiet:
		m, n := f.tmp(), f.tmp()
		cmp := pick(t, x86.VCMPPS, x86.VCMPPD)
		is.minMax(f, op, t, m, d, x)
		f.i(cmp, l, n, x, x, x86.Imm(3))
		f.blendv(t, m, m, d, n) // x is NaN
		f.i(cmp, l, n, d, d, x86.Imm(3))
		f.blendv(t, d, m, x, n)
	case (op == prim.Min || op == prim.Max) && t.IsFloat():
		is.minMax(f, op, t, d, d, x)
	case (op == prim.Min || op == prim.Max) && wide(t):
		g := f.tmp()
		if op == prim.Max {
			is.greater64(f, t, g, x, d)
		} else {
			is.greater64(f, t, g, d, x)
		}
		f.blendv(t, d, d, x, g)
	default:
		f.i(binaryOp(op, t), l, d, d, x)
	}
}

func (avx2) predicateLanes(f *emitter, p int32, complement bool) x86.Vec {
	x := f.maskFor(f.src(p), dtype.I32)
	if complement {
		d := f.tmp()
		f.i(x86.VPXOR, x86.L256, d, x, f.ones())
		x = d
	}
	return x
}
