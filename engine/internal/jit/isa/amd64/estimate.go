package amd64

import (
	"math"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Square roots and reciprocals by estimates of AVX-512. Newton steps refine an estimate, and a
// remainder without error corrects it, so the result is the rounded one for every estimate
// within 2^-14: ADR 0031. The divider is slower by a factor of two or three, but works beside
// other arithmetic. So a loop takes estimates only where the divider would be what it waits for.

// An estimated operation has a form by estimates.
type estimated uint8

const (
	noEstimate estimated = iota
	rootEstimate
	reciprocalEstimate
	quotientEstimate // by a uniform divisor
	numEstimated
)

// A cost has the cycles of a processor for a vector of 512 bits, in halves: those of the divider, and those
// of the arithmetic ports for the form by estimates.
type cost struct{ divider, estimate [numEstimated][2]int }

// A Divider is a kind of divider.
type Divider uint8

// The dividers: of most processors; of a Zen 4, which divides in .6 of that time and multiplies half as many vectors of 512 bits in a
// cycle; and of AMD's processors that compute such vectors at once.
const (
	SlowDivider Divider = iota
	FastDivider
	WideDivider
)

var dividers = [...]cost{
	SlowDivider: {
		divider:  [numEstimated][2]int{noEstimate: {20, 32}, rootEstimate: {24, 48}, reciprocalEstimate: {20, 32}, quotientEstimate: {20, 32}},
		estimate: [numEstimated][2]int{rootEstimate: {15, 18}, reciprocalEstimate: {13, 15}, quotientEstimate: {7, 7}},
	},
	FastDivider: { // reciprocals of float32 are always divided
		divider:  [numEstimated][2]int{noEstimate: {12, 18}, rootEstimate: {20, 32}, reciprocalEstimate: {12, 18}, quotientEstimate: {12, 18}},
		estimate: [numEstimated][2]int{rootEstimate: {22, 29}, reciprocalEstimate: {40, 21}, quotientEstimate: {9, 9}},
	},
	WideDivider: { // of four ports, two multiply
		divider:  [numEstimated][2]int{noEstimate: {5, 8}, rootEstimate: {9, 15}, reciprocalEstimate: {5, 8}, quotientEstimate: {5, 8}},
		estimate: [numEstimated][2]int{rootEstimate: {11, 10}, reciprocalEstimate: {10, 12}, quotientEstimate: {6, 6}},
	},
}

// Divides is the divider of this processor. Tests replace it.
var Divides = dividerOf(strings.HasPrefix(cpucache.Model(), "AMD"), cpucache.Halves())

func dividerOf(amd, halves bool) Divider {
	switch {
	case halves:
		return FastDivider
	case amd:
		return WideDivider
	}
	return SlowDivider
}

// estimateOf returns the form of a node by estimates, and whether the divider would compute it.
func (f *avx512) estimateOf(n *lower.Node) (form estimated, divides bool) {
	switch {
	case !n.In.IsFloat() || n.Cold:
		return noEstimate, false
	case n.Op == prim.Sqrt:
		return rootEstimate, true
	case n.Op != prim.Div:
		return noEstimate, false
	}
	if one := &f.Nodes[n.Args[0]]; one.Op == prim.Const && one.Imm == floatBits(n.In, 1) {
		return reciprocalEstimate, true
	}
	if f.Uniform[n.Args[1]] && !f.shortRow() {
		return quotientEstimate, true
	}
	return noEstimate, true
}

// A budget has the half cycles that one iteration of a loop takes of the divider and of
// the other ports.
type budget struct{ divider, ports int }

// estimates returns the nodes of a phase that take estimates, or nil.
func (f *avx512) estimates() []bool {
	if f.Narrow || f.Layout.Along || f.Phase.Kind == lower.ScalarPhase {
		return nil
	}
	c := &dividers[Divides]
	var b budget
	some := false
	for i := range f.Nodes {
		n := &f.Nodes[i]
		form, divides := f.estimateOf(n)
		if f.Uniform[i] {
			continue
		}
		switch wide := f.LenOf(n.In) == x86.L512; {
		case divides && wide:
			b.divider += c.divider[form][row(n.In)]
			some = some || form != noEstimate
		case divides:
			b.divider += c.divider[form][row(n.In)] / 2
		case n.Op < prim.NumOps && n.Op != prim.Const && !n.Cold:
			b.ports++
		}
	}
	if !some {
		return nil
	}
	out := make([]bool, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		form, _ := f.estimateOf(n)
		if form == noEstimate || f.Uniform[i] || f.LenOf(n.In) != x86.L512 {
			continue
		}
		with := budget{b.divider - c.divider[form][row(n.In)], b.ports + c.estimate[form][row(n.In)]}
		if max(with.divider, with.ports) < max(b.divider, b.ports) {
			out[i], b = true, with
		}
	}
	return out
}

// row returns 1 for types of 64 bits, else 0.
func row(t dtype.Type) int { return t.Size()/4 - 1 }

// shortRow reports whether a function goes over rows of few elements, for which the reciprocal of
// a divisor takes longer than the divisions of the row.
func (f *avx512) shortRow() bool { return f.Rows && f.Layout.N > 0 && f.Layout.N < 8*f.W }

// Quotients returns the divisions that take estimates and have a uniform divisor.
func (f *avx512) Quotients() (list []int32) {
	f.soft = f.estimates()
	for i := range f.soft {
		if form, _ := f.estimateOf(&f.Nodes[i]); f.soft[i] && form == quotientEstimate {
			list = append(list, int32(i))
		}
	}
	return list
}

// estimated reports whether the current node takes an estimate.
func (f *avx512) estimated() bool { return int(f.ID) < len(f.soft) && f.soft[f.ID] && !f.Prolog }

// An estimateRow has the numbers of a type. The bits of an operand less lo are below span where
// no step loses digits.
type estimateRow struct {
	steps     int
	root, inv struct{ lo, span uint64 }
	rest      uint64 // twice the bits of a significand
}

var estimateRows = [2]estimateRow{
	{1, struct{ lo, span uint64 }{27 << 23, 228 << 23}, struct{ lo, span uint64 }{3<<24 - 2, 248 << 24}, 1<<24 - 1},
	{2, struct{ lo, span uint64 }{63 << 52, 1984 << 52}, struct{ lo, span uint64 }{23<<53 - 2, 2000 << 53}, 1<<53 - 1},
}

// divide emits a square root or a division, by estimates where the node takes them.
func (f *avx512) divide(n *lower.Node) {
	switch estimated := f.estimated(); {
	case estimated && n.Op == prim.Sqrt:
		f.root(n)
	case estimated:
		f.reciprocal(n)
	case n.Op == prim.Sqrt:
		sqrt(&f.emitter, n)
	default:
		binary(&f.emitter, n)
	}
}

// root emits a square root. An operand of zero has an estimate of zero, and needs no divider.
func (f *avx512) root(n *lower.Node) {
	t, l, r := n.In, f.LenOf(n.In), &estimateRows[row(n.In)]
	x, d := f.Src(n.Args[0]), f.Dst()
	g, h, e, k := f.Tmp(), f.Tmp(), f.Tmp(), f.TmpMask()
	half := f.constant(t, floatBits(t, .5))
	f.I(pick(t, x86.VPTESTMD, x86.VPTESTMQ), l, k, x, x)
	f.I(pick(t, x86.VRSQRT14PS, x86.VRSQRT14PD), l, h, x, x86.Zero(k))
	f.outside(t, k, e, x, r.root.lo, r.root.span)
	f.I(pick(t, x86.VMULPS, x86.VMULPD), l, g, x, h)
	f.I(pick(t, x86.VMULPS, x86.VMULPD), l, h, h, half.Bcast())
	for range r.steps { // of g to the root, and of h to half of its reciprocal
		f.broadcast(e, t, half)
		f.I(pick(t, x86.VFNMADD231PS, x86.VFNMADD231PD), l, e, g, h)
		f.I(pick(t, x86.VFMADD213PS, x86.VFMADD213PD), l, g, e, g)
		f.I(pick(t, x86.VFMADD213PS, x86.VFMADD213PD), l, h, e, h)
	}
	f.I(x86.VMOVAPS, l, d, x)
	f.I(pick(t, x86.VFNMADD231PS, x86.VFNMADD231PD), l, d, g, g)
	f.I(pick(t, x86.VFMADD213PS, x86.VFMADD213PD), l, d, h, g)
	skip := f.NewLabel()
	f.I(f.kop(kortest), 0, k, k)
	f.I(x86.JE, 0, skip)
	f.I(pick(t, x86.VSQRTPS, x86.VSQRTPD), l, d, x, x86.Merge(k))
	f.Bind(skip)
}

// outside leaves in k those of its lanes where the bits of x less lo are not below span.
// It overwrites tmp.
func (f *avx512) outside(t dtype.Type, k x86.Mask, tmp, x x86.Vec, lo, span uint64) {
	l := f.LenOf(t)
	f.I(pick(t, x86.VPSUBD, x86.VPSUBQ), l, tmp, x, f.constBcast(t, lo))
	f.I(pick(t, x86.VPCMPUD, x86.VPCMPUQ), l, k, tmp, f.constBcast(t, span), x86.Imm(5), x86.Merge(k))
}

// reciprocal emits a reciprocal. The reciprocal of a number with a significand of ones is too near to the
// middle of two others for an estimate.
func (f *avx512) reciprocal(n *lower.Node) {
	t, l, r := n.In, f.LenOf(n.In), &estimateRows[row(n.In)]
	x, d := f.Src(n.Args[1]), f.Dst()
	e, k, ones := f.Tmp(), f.TmpMask(), f.TmpMask()
	one := f.constant(t, floatBits(t, 1))
	f.I(f.kop(kxnor), 0, k, k, k)
	f.I(pick(t, x86.VPADDD, x86.VPADDQ), l, e, x, x)
	f.outside(t, k, e, e, r.inv.lo, r.inv.span)
	f.I(pick(t, x86.VPTESTNMD, x86.VPTESTNMQ), l, ones, e, f.constBcast(t, r.rest))
	f.I(pick(t, x86.VRCP14PS, x86.VRCP14PD), l, d, x)
	for range r.steps + 1 {
		f.broadcast(e, t, one)
		f.I(pick(t, x86.VFNMADD231PS, x86.VFNMADD231PD), l, e, x, d)
		f.I(pick(t, x86.VFMADD213PS, x86.VFMADD213PD), l, d, e, d)
	}
	skip := f.NewLabel()
	f.I(f.kop(kortest), 0, k, ones)
	f.I(x86.JE, 0, skip)
	f.I(f.kop(kor), 0, k, k, ones)
	f.broadcast(e, t, one)
	f.I(pick(t, x86.VDIVPS, x86.VDIVPD), l, d, e, x, x86.Merge(k))
	f.Bind(skip)
}

// A quotientRow has the numbers of a type for quotients from reciprocals. The bits of such a quotient
// plus shift have the bit top, which is so for half of all exponents. The bits of its divisor less lo
// are below span.
type quotientRow struct{ shift, top, lo, span uint64 }

// The exponents of the quotients begin with -75 and -500, those of the divisors with -27 and -469. So no
// remainder has digits below the smallest number. Those of dividends are below the largest ones.
var quotientRows = [2]quotientRow{
	{(128 - 127 + 75) << 23, 1 << 30, (127 - 27) << 23, 100 << 23},
	{(1024 - 1023 + 500) << 52, 1 << 62, (1023 - 469) << 52, 960 << 52},
}

// quotient emits a division by a uniform divisor d: the product of the dividend and the rounded
// reciprocal of d, and one step from the remainder of that. ADR 0031 says why the result is the
// rounded quotient. The remainder has the sign for which a positive d keeps the sign of a zero.
func (f *avx512) quotient(n *lower.Node) {
	t, l, r := n.In, f.LenOf(n.In), &quotientRows[row(n.In)]
	x, by, inverse := f.Src(n.Args[0]), f.srcM(n.Args[1]), f.srcM(n.Args[2])
	d, e, k := f.Dst(), f.Tmp(), f.TmpMask()
	f.I(pick(t, x86.VMULPS, x86.VMULPD), l, d, x, inverse)
	f.I(pick(t, x86.VPADDD, x86.VPADDQ), l, e, d, f.constBcast(t, r.shift))
	f.I(pick(t, x86.VPTESTNMD, x86.VPTESTNMQ), l, k, e, f.constBcast(t, r.top))
	f.I(x86.VMOVAPS, l, e, x)
	f.I(pick(t, x86.VFMSUB231PS, x86.VFMSUB231PD), l, e, d, by)
	f.I(pick(t, x86.VFNMADD231PS, x86.VFNMADD231PD), l, d, e, inverse)
	skip := f.NewLabel()
	f.I(f.kop(kortest), 0, k, k)
	f.I(x86.JE, 0, skip)
	f.I(pick(t, x86.VPORD, x86.VPORQ), l, e, x, d)
	f.I(pick(t, x86.VPADDD, x86.VPADDQ), l, e, e, e)
	f.I(pick(t, x86.VPTESTMD, x86.VPTESTMQ), l, k, e, e, x86.Merge(k)) // no zeros of a zero
	f.I(f.kop(kortest), 0, k, k)
	f.I(x86.JE, 0, skip)
	f.I(pick(t, x86.VDIVPS, x86.VDIVPD), l, d, x, by, x86.Merge(k))
	f.Bind(skip)
}

// divisor emits the reciprocal of a divisor, or NaN for one that quotients are not computed from.
func (f *avx512) divisor(n *lower.Node) {
	t, l, r := n.In, f.LenOf(n.In), &quotientRows[row(n.In)]
	x, d := f.Src(n.Args[0]), f.Dst()
	e, k := f.Tmp(), f.TmpMask()
	f.broadcast(d, t, f.constant(t, floatBits(t, 1)))
	f.I(pick(t, x86.VDIVPS, x86.VDIVPD), l, d, d, x)
	f.I(f.kop(kxnor), 0, k, k, k)
	f.outside(t, k, e, x, r.lo, r.span)
	f.I(pick(t, x86.VPORD, x86.VPORQ), l, d, d, f.constBcast(t, floatBits(t, math.NaN())), x86.Merge(k))
}
