package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// scaling has the registers of a product of a float and a power of two.
type scaling struct {
	x, e, d x86.Vec
	tmp     [5]x86.Vec
}

// scaleRows has for float32 and float64 how many bits a significand stores, and the logarithms of two bounds: for a
// magnitude from 2^-near to 2^near and a power from 2^-far to 2^far the product is a normal number.
var scaleRows = [2]struct{ mant, near, far int64 }{{23, 32, 64}, {52, 64, 512}}

// scale adds the exponent to the bits of the float if that is about 1 in all lanes and the power is no extreme
// one. All registers are taken before the branch.
func (f *avx2) scale(n *lower.Node) {
	t := n.In
	r, l, bias := scaleRows[row(t)], f.LenOf(t), int64(1)<<(8*t.Size()-2-int(scaleRows[row(t)].mant))-1
	i := signedOf(prim.IntOf(t))
	s := scaling{x: f.Src(n.Args[0]), e: f.Src(n.Args[1])}
	for k := range s.tmp {
		s.tmp[k] = f.Tmp()
	}
	s.d = f.Dst()
	u, v := s.tmp[0], s.tmp[1]
	add := binaryOp(prim.Add, i)
	mask := uint64(1)<<(8*t.Size()-1) - 1
	far := f.full(i, uint64(-2*r.far)&(2*mask+1))
	f.I(pick(t, x86.VPSLLD, x86.VPSLLQ), l, s.d, s.e, x86.Imm(r.mant))
	f.I(add, l, s.d, s.d, s.x)
	f.I(add, l, v, s.e, f.full(i, uint64(r.far)))
	done := f.NewLabel()
	if one := &f.Nodes[n.Args[0]]; one.Op == prim.Const && one.Imm == floatBits(t, 1) {
		f.I(x86.VPTEST, l, v, far)
	} else {
		f.I(add, l, u, s.x, f.full(i, uint64((r.near-bias)<<r.mant)&(2*mask+1)))
		f.I(x86.VPAND, l, u, u, f.full(i, mask&^uint64(2*r.near<<r.mant-1)))
		f.I(x86.VPAND, l, v, v, far)
		f.I(x86.VPOR, l, u, u, v)
		f.I(x86.VPTEST, l, u, u)
	}
	f.I(x86.JE, 0, done)
	if isa.Wide(t) {
		f.scale64(&s)
	} else {
		f.scale32(&s)
	}
	f.Bind(done)
}

// scale32 multiplies in float64, where the product is exact.
func (f *avx2) scale32(s *scaling) {
	x, e, d := s.x, s.e, s.d
	u, v, q, w := s.tmp[0], s.tmp[1], s.tmp[2], s.tmp[3]
	l := f.LenOf(dtype.I32)
	lo := int32(-300)
	f.I(x86.VPMAXSD, l, q, e, f.full(dtype.I32, uint64(uint32(lo))))
	f.I(x86.VPMINSD, l, q, q, f.full(dtype.I32, 300))
	f.I(x86.VPADDD, l, q, q, f.full(dtype.I32, 1023))
	half := func(d, x, q x86.Vec) {
		f.I(x86.VPMOVZXDQ, x86.L256, v, q)
		f.I(x86.VPSLLQ, x86.L256, v, v, x86.Imm(52))
		f.I(x86.VCVTPS2PD, x86.L256, u, x)
		f.I(x86.VMULPD, x86.L256, u, u, v)
		f.I(x86.VCVTPD2PS, x86.L256, d, u)
	}
	if f.W == 4 {
		half(d, x, q)
		return
	}
	half(w, x, q)
	f.I(x86.VEXTRACTF128, x86.L256, d, x, x86.Imm(1))
	f.I(x86.VEXTRACTF128, x86.L256, q, q, x86.Imm(1))
	half(d, d, q)
	f.I(x86.VINSERTF128, x86.L256, d, w, d, x86.Imm(1))
}

// scale64 multiplies by three powers of two. For a great negative exponent the last
// factor is 2^-1022: if the result is not zero, the products before it are exact.
func (f *avx2) scale64(s *scaling) {
	x, e, d := s.x, s.e, s.d
	r, q, k, last, mid := s.tmp[0], s.tmp[1], s.tmp[2], s.tmp[3], s.tmp[4]
	clamp := func(d, s x86.Vec, lo, hi int64) {
		lm, hm := f.full(dtype.I64, uint64(lo)), f.full(dtype.I64, uint64(hi))
		f.I(x86.VPCMPGTQ, x86.L256, k, s, hm)
		f.I(x86.VBLENDVPD, x86.L256, q, s, hm, k)
		f.I(x86.VMOVUPD, x86.L256, k, lm)
		f.I(x86.VPCMPGTQ, x86.L256, k, k, q)
		f.I(x86.VBLENDVPD, x86.L256, d, q, lm, k)
	}
	power := func(d, s x86.Vec) {
		f.I(x86.VPADDQ, x86.L256, d, s, f.full(dtype.I64, 1023))
		f.I(x86.VPSLLQ, x86.L256, d, d, x86.Imm(52))
	}
	clamp(r, e, -2200, 2200)
	clamp(last, r, -1022, 1023)
	f.I(x86.VPSUBQ, x86.L256, r, r, last)
	clamp(mid, r, -1022, 1023)
	f.I(x86.VPSUBQ, x86.L256, r, r, mid)
	power(r, r)
	f.I(x86.VMULPD, x86.L256, d, x, r)
	power(r, mid)
	f.I(x86.VMULPD, x86.L256, d, d, r)
	power(r, last)
	f.I(x86.VMULPD, x86.L256, d, d, r)
}
