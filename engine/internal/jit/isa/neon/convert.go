package neon

import (
	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Conversions between types. Those from floats saturate, and give 0 for NaN, as the primitive does.

func (f *neon) convert(n *lower.Node) {
	from, to := n.In, n.Type
	switch {
	case from == to:
		f.move(n)
	case from == dtype.Bool:
		f.fromPredicate(n)
	case from.IsFloat() && to.IsFloat():
		d, x := f.operand(n)
		if isa.Wide(to) {
			f.I(arm64.VFCVTL, arm64.S2, d, x)
		} else {
			f.I(arm64.VFCVTN, arm64.S2, d, x)
		}
	case to.IsFloat():
		f.intToFloat(n)
	case from.IsFloat():
		f.floatToInt(n)
	default:
		d, x := f.operand(n)
		switch {
		case isa.Wide(to) && !isa.Wide(from):
			f.extend(from, d, x)
		case isa.Wide(from) && !isa.Wide(to):
			f.I(arm64.VXTN, arm64.S2, d, x)
		default:
			f.CopyVec(to, d, x)
		}
		f.canon(to, d)
	}
}

// extend widens lanes of 32 bits, with the sign of type t.
func (f *neon) extend(t dtype.Type, d, x isa.Vec) {
	if t.IsSigned() {
		f.I(arm64.VSSHLL, arm64.S2, d, x, arm64.Imm(0))
	} else {
		f.I(arm64.VUSHLL, arm64.S2, d, x, arm64.Imm(0))
	}
}

func (f *neon) fromPredicate(n *lower.Node) {
	p, to := f.fit(f.Src(n.Args[0]), n.Type), n.Type
	one := uint64(1)
	switch to {
	case dtype.F32:
		one = 0x3f800000
	case dtype.F64:
		one = 0x3ff << 52
	}
	k := f.full(to, one)
	f.Release()
	f.I(arm64.VAND, f.whole(to), f.Dst(), p, k)
}

func (f *neon) intToFloat(n *lower.Node) {
	o := arm64.VUCVTF
	if n.In.IsSigned() {
		o = arm64.VSCVTF
	}
	if isa.Wide(n.In) && !isa.Wide(n.Type) {
		f.wideToFloat32(n)
		return
	}
	d, x := f.operand(n)
	if isa.Wide(n.Type) && !isa.Wide(n.In) {
		f.extend(n.In, d, x)
		x = d
	}
	f.I(o, f.arr(n.Type), d, x)
}

// wideToFloat32 converts lane by lane: the instruction on vectors gives float64, which would be
// rounded again.
func (f *neon) wideToFloat32(n *lower.Node) {
	x, s := f.Src(n.Args[0]), f.Tmp()
	o, d := arm64.UCVTFS, f.Dst()
	if n.In.IsSigned() {
		o = arm64.SCVTFS
	}
	for i := range f.W {
		f.I(arm64.VUMOV, arm64.D2, x16, arm64.Lane{V: x, I: i})
		f.I(o, 0, s, x16)
		f.I(arm64.FMOVW, 0, x16, s)
		f.I(arm64.VINS, arm64.S4, arm64.Lane{V: d, I: i}, x16)
	}
}

func (f *neon) floatToInt(n *lower.Node) {
	d, x := f.operand(n)
	o, narrow := arm64.VFCVTZU, arm64.VUQXTN
	if n.Type.IsSigned() {
		o, narrow = arm64.VFCVTZS, arm64.VSQXTN
	}
	switch {
	case isa.Wide(n.Type) && !isa.Wide(n.In):
		f.I(arm64.VFCVTL, arm64.S2, d, x)
		f.I(o, arm64.D2, d, d)
	case isa.Wide(n.In) && !isa.Wide(n.Type):
		f.I(o, arm64.D2, d, x)
		f.I(narrow, arm64.S2, d, d)
	default:
		f.I(o, f.arr(n.In), d, x)
	}
	if !isa.Narrow(n.Type) {
		return
	}
	r, most := f.arr(n.Type), n.Type.Mask()
	if !n.Type.IsSigned() {
		f.I(arm64.VUMIN, r, d, d, f.full(dtype.U32, most))
		return
	}
	f.I(arm64.VSMIN, r, d, d, f.full(dtype.I32, most>>1))
	f.I(arm64.VSMAX, r, d, d, f.full(dtype.I32, ^(most>>1)&0xffffffff))
}

func (f *neon) roundF16(n *lower.Node) {
	d, x := f.operand(n)
	f.I(arm64.VFCVTN, arm64.H4, d, x)
	f.I(arm64.VFCVTL, arm64.H4, d, d)
}

// bf16 rounds x to the upper half of each lane of d, which is not x. It does not clear the lower half.
func (f *neon) bf16(d, x isa.Vec) {
	r := f.arr(dtype.F32)
	one, half, nan, k := f.full(dtype.U32, 1), f.full(dtype.U32, 0x7fff), f.full(dtype.U32, 0x7fc00000), f.Tmp()
	f.I(arm64.VFCMEQ, r, k, x, x)
	f.I(arm64.VUSHR, r, d, x, arm64.Imm(16))
	f.I(arm64.VAND, f.whole(dtype.F32), d, d, one)
	f.I(arm64.VADD, r, d, d, half)
	f.I(arm64.VADD, r, d, d, x)
	f.I(arm64.VBIF, f.whole(dtype.F32), d, nan, k)
}

func (f *neon) roundBF16(n *lower.Node) {
	x, upper := f.Src(n.Args[0]), f.full(dtype.U32, 0xffff0000)
	d := f.Dst()
	f.bf16(d, x)
	f.I(arm64.VAND, f.whole(dtype.F32), d, d, upper)
}
