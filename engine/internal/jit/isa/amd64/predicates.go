package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A predicate is a mask register with AVX-512, and a vector with AVX2.

// tailVec is the register of the tail mask, a predicate.
const tailVec = x86.Vec(15)

const (
	tailMask = x86.K7
	maskTmp  = x86.K0 // never a write mask
)

func (f *emitter) LoadMask(d isa.Mask, m isa.Mem) { f.I(f.kop(kmov), 0, d, mem(m)) }

func (f *emitter) StoreMask(m isa.Mem, x isa.Mask) { f.I(f.kop(kmov), 0, mem(m), x) }

func (f *emitter) CopyMask(d, x isa.Mask) { f.I(f.kop(kmov), 0, d, x) }

func (f *emitter) StoreLanes(t dtype.Type, m isa.Mem, x isa.Vec, masked bool) {
	if masked { // a store under a mask would not be forwarded to the next load
		d := f.Tmp()
		f.LoadVec(t, d, m)
		f.blend(t, d, d, x, f.tail())
		x = d
	}
	f.I(pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t), mem(m), x)
}

// pred returns operand n, a predicate.
func (f *emitter) pred(n int32) x86.Operand {
	if f.evex {
		return f.Mask(n)
	}
	return f.Src(n)
}

func (f *emitter) tmpPred() x86.Operand {
	if f.evex {
		return f.TmpMask()
	}
	return f.Tmp()
}

// tail returns the tail mask.
func (f *emitter) tail() x86.Operand {
	if f.evex {
		return tailMask
	}
	return tailVec
}

// predOp emits an operation on whole predicates: the instruction on masks, or on vectors.
func (f *emitter) predOp(mask, vec x86.Op, ops ...x86.Operand) {
	if f.evex {
		f.I(mask, 0, ops...)
	} else {
		f.I(vec, x86.L256, ops...)
	}
}

// everyLane sets predicate d to true.
func (f *emitter) everyLane(d x86.Operand) {
	f.predOp(f.kop(kxnor), x86.VPCMPEQD, d, d, d)
}

// lanes sets predicate d to the lanes of a body where guard holds; None is no guard.
func (f *emitter) lanes(d x86.Operand, guard int32) {
	switch {
	case guard != lower.None && f.Masked:
		f.predOp(x86.KANDW, x86.VPAND, d, f.pred(guard), f.tail())
	case guard != lower.None:
		f.predOp(x86.KMOVW, x86.VMOVAPS, d, f.pred(guard))
	case f.Masked:
		f.predOp(x86.KMOVW, x86.VMOVAPS, d, f.tail())
	default:
		f.everyLane(d)
	}
}

// fit returns a predicate in lanes of the width of type t.
func (f *emitter) fit(p x86.Operand, t dtype.Type) x86.Operand {
	if v, ok := p.(x86.Vec); ok {
		return f.maskFor(v, t)
	}
	return p
}

// maskFor is fit for a vector.
func (f *emitter) maskFor(p x86.Vec, t dtype.Type) x86.Vec {
	if f.W == 8 || f.LaneSize > 0 || isa.Wide(t) || t == dtype.Bool {
		return p
	}
	d := f.Tmp()
	f.I(x86.VEXTRACTF128, x86.L256, d, p, x86.Imm(1))
	f.I(x86.VSHUFPS, x86.L128, d, p, d, x86.Imm(0x88))
	return d
}

// blend sets d to y in the lanes of p, and to z in the others.
func (f *emitter) blend(t dtype.Type, d, z x86.Vec, y x86.Operand, p x86.Operand) {
	f.blendv(t, d, z, y, f.fit(p, t))
}

// blendv is blend with a predicate whose lanes are as wide as those of t.
func (f *emitter) blendv(t dtype.Type, d, z x86.Vec, y x86.Operand, p x86.Operand) {
	if k, ok := p.(x86.Mask); ok {
		f.I(f.pickLane(t, x86.VPBLENDMB, x86.VPBLENDMW, x86.VBLENDMPS, x86.VBLENDMPD), f.LenOf(t), d, z, y, x86.Merge(k))
	} else {
		f.I(f.pickLane(t, x86.VPBLENDVB, x86.VPBLENDVB, x86.VBLENDVPS, x86.VBLENDVPD), f.LenOf(t), d, z, y, p)
	}
}

// A maskOp is an instruction on masks of 8, 16, 32 and 64 lanes.
type maskOp [4]x86.Op

var (
	kmov    = maskOp{x86.KMOVW, x86.KMOVW, x86.KMOVQ, x86.KMOVQ}
	kand    = maskOp{x86.KANDB, x86.KANDW, x86.KANDQ, x86.KANDQ}
	kandn   = maskOp{x86.KANDNW, x86.KANDNW, x86.KANDNQ, x86.KANDNQ}
	kor     = maskOp{x86.KORB, x86.KORW, x86.KORQ, x86.KORQ}
	kxor    = maskOp{x86.KXORB, x86.KXORW, x86.KXORQ, x86.KXORQ}
	kxnor   = maskOp{x86.KXNORB, x86.KXNORW, x86.KXNORD, x86.KXNORQ}
	knot    = maskOp{x86.KNOTB, x86.KNOTW, x86.KNOTD, x86.KNOTQ}
	kortest = maskOp{x86.KORTESTB, x86.KORTESTW, x86.KORTESTD, x86.KORTESTQ}
)

func (f *emitter) CopyLanes(t dtype.Type, d, x isa.Vec) { f.blend(t, d, d, x, f.tail()) }

// kop returns the instruction on masks of as many lanes as a vector has. Masks of fewer
// lanes than a register has bits have zeros above them.
func (f *emitter) kop(op maskOp) x86.Op { return op[max(bits.Len(uint(f.W))-4, 0)] }

// skipNone jumps if predicate k has no lane. It may overwrite RAX.
func (f *emitter) skipNone(k x86.Operand, skip x86.Label) {
	if f.evex {
		f.I(f.kop(kortest), 0, k, k)
	} else if f.LaneSize > 0 {
		f.I(x86.VPTEST, x86.L256, k, k)
	} else {
		f.I(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
		f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	}
	f.I(x86.JE, 0, skip)
}

// predicate widens the result d of a comparison of type t to the lanes of a predicate.
func (f *avx2) predicate(d x86.Vec, t dtype.Type) {
	if f.W == 4 && !isa.Wide(t) {
		f.I(x86.VPMOVSXDQ, x86.L256, d, d)
	}
}

// predicateLane returns the type of the lanes of predicates.
func (f *avx2) predicateLane() dtype.Type {
	if f.W == 8 {
		return dtype.I32
	}
	return dtype.I64
}

// notZero sets the lanes of d, of integer type t, to whether they are not 0.
func (f *avx2) notZero(d x86.Vec, t dtype.Type) {
	l := f.LenOf(t)
	f.I(f.pickLane(t, x86.VPCMPEQB, x86.VPCMPEQW, x86.VPCMPEQD, x86.VPCMPEQQ), l, d, d, f.full(t, 0))
	f.I(x86.VPXOR, l, d, d, f.ones())
}

// zeroing appends an instruction that clears the lanes outside a mask, unless it is nil.
func (f *avx512) zeroing(lanes x86.Operand, op x86.Op, l x86.Len, d x86.Vec, m x86.Mem) {
	if k, ok := lanes.(x86.Mask); ok {
		f.I(op, l, d, m, x86.Zero(k))
	} else {
		f.I(op, l, d, m)
	}
}

// collect sets d to predicate p in every step-th copy from this one on, combined by kor, or by kand for all. With add, d is one more.
func (f *avx512) collect(d x86.Mask, p int32, all, add bool, step int) {
	op, k, first := kor, d, f.Copy
	if all {
		op = kand
	}
	if !add {
		k, f.Copy = f.Mask(p), f.Copy+step
	}
	for ; f.Copy < f.Copies; f.Copy += step {
		f.I(f.kop(op), 0, d, k, f.Mask(p))
		k = d
	}
	if f.Copy = first; k != d {
		f.CopyMask(d, k)
	}
}

// SetMask is for [isa.Collector].
func (f *avx512) SetMask(d x86.Mask, all bool) {
	op := kxor
	if all {
		op = kxnor
	}
	f.I(f.kop(op), 0, d, d, d)
}

// Collect is for [isa.Collector].
func (f *avx512) Collect(d x86.Mask, p int32, all, add bool) {
	switch {
	case !f.Masked:
		f.collect(d, p, all, add, 1)
	case all: // without the lanes of the tail where p does not hold
		f.I(f.kop(kandn), 0, maskTmp, f.Mask(p), tailMask)
		f.I(f.kop(kandn), 0, d, maskTmp, d)
	default:
		f.I(f.kop(kand), 0, maskTmp, f.Mask(p), tailMask)
		f.I(f.kop(kor), 0, d, d, maskTmp)
	}
}

func (f *avx512) PredicateLanes(p int32, complement bool, step int) x86.Vec {
	k, d := f.Mask(p), f.Tmp()
	if step > 0 {
		k = f.TmpMask()
		f.collect(k, p, complement, false, step)
	}
	f.maskLanes(d, k, complement)
	return d
}

// maskLanes sets d to the lanes of k, or to the others, as ones, and the rest to zeros.
func (f *avx512) maskLanes(d x86.Vec, k x86.Mask, others bool) {
	if others {
		f.I(f.kop(knot), 0, maskTmp, k)
		k = maskTmp
	}
	f.I(f.pickLane(dtype.Bool, x86.VPMOVM2B, x86.VPMOVM2W, x86.VPMOVM2D, 0), f.LenOf(dtype.I32), d, k)
}

// AnyLane is for [isa.Folder].
func (f *avx512) AnyLane(x x86.Vec, k x86.Mask, complement bool) {
	if k > 0 && f.W > 16 {
		f.maskLanes(x, k, complement)
		k = 0
	}
	if k == 0 {
		k, complement = f.TmpMask(), false
		f.I(x86.VPTESTMD, f.LenOf(dtype.I32), k, x, x)
	}
	f.I(x86.KMOVW, 0, x86.RAX, k) // flags of a test of k come later
	if complement {
		f.I(x86.XOR, x86.W32, x86.RAX, x86.Imm(1<<f.W-1))
	}
}

// BranchSet is for [isa.Folder].
func (f *avx512) BranchSet(_ x86.Vec, k x86.Mask, complement bool, l x86.Label) {
	f.I(f.kop(kortest), 0, k, k)
	if complement {
		f.I(x86.JAE, 0, l)
	} else {
		f.I(x86.JNE, 0, l)
	}
}
