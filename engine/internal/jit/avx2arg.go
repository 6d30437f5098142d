package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// better2 is where x beats the extreme d: x is not behind it, or NaN, and d is
// no NaN.
func (f *flow) better2(k *redKern, x, d x86.Vec) x86.Vec {
	l, t := f.lenOf(k.lane), k.lane
	m := f.tmp()
	if !t.IsFloat() {
		if k.op == prim.Min {
			f.compareInts(prim.Lt, t, m, x, d)
		} else {
			f.compareInts(prim.Lt, t, m, d, x)
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

// stepArg2 looks at x for a better extreme than d, at position idx.
func (f *flow) stepArg2(k *redKern, d, idx, x x86.Vec) {
	m := f.better2(k, x, d)
	if f.masked {
		f.i(x86.VANDPS, f.lenOf(k.lane), m, m, f.maskFor(tailVec, k.lane))
	}
	p := f.tmp()
	if f.ph.kind == seqPhase {
		f.i(x86.VPBROADCASTD, f.lenOf(dtype.I32), p, frameAt(frameI))
	} else {
		f.position2(p)
	}
	f.take2(k, d, idx, x, p, m)
}

// take2 takes x and xi where m holds.
func (f *flow) take2(k *redKern, d, idx, x, xi, m x86.Vec) {
	f.blendv(k.lane, d, d, x, m)
	f.i(x86.VBLENDVPS, f.lenOf(dtype.I32), idx, idx, xi, f.narrowTo32(m, k.lane))
}

// pairArg2 combines two candidates: of equal ones the first counts.
func (f *flow) pairArg2(k *redKern, d, di, x, xi x86.Vec) {
	l, t, li := f.lenOf(k.lane), k.lane, f.lenOf(dtype.I32)
	m := f.better2(k, x, d)
	s, o := f.tmp(), f.tmp()
	if t.IsFloat() {
		cmp := pick(t, x86.VCMPPS, x86.VCMPPD)
		f.i(cmp, l, s, x, x, x86.Imm(3))
		f.i(cmp, l, o, d, d, x86.Imm(3))
		f.i(x86.VANDPS, l, s, s, o)
		f.i(cmp, l, o, x, d, x86.Imm(0))
		f.i(x86.VORPS, l, s, s, o)
	} else {
		f.compareInts(prim.Eq, t, s, x, d)
	}
	f.i(x86.VPCMPGTD, li, o, di, xi)
	if wide(t) {
		f.i(x86.VPMOVSXDQ, x86.L256, o, o)
	}
	f.i(x86.VANDPS, l, s, s, o)
	f.i(x86.VORPS, l, m, m, s)
	f.take2(k, d, di, x, xi, m)
}

// foldArg2 is fold for ArgMin and ArgMax with fewer registers: the order of the
// lanes does not matter.
func (f *flow) foldArg2(a *acc) {
	v, idx, x, xi := f.tmp(), f.tmp(), f.tmp(), f.tmp()
	l, li := f.lenOf(a.kern.lane), f.lenOf(dtype.I32)
	pair := func() { f.within(func() { f.pairArg2(a.kern, v, idx, x, xi) }) }
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
}
