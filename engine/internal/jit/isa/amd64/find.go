package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The methods of [isa.Finder].

func (f *emitter) SpreadFirst(t dtype.Type, d, x isa.Vec) {
	f.I(f.pickLane(t, x86.VPBROADCASTB, x86.VPBROADCASTW, x86.VPBROADCASTD, x86.VPBROADCASTQ), f.LenOf(t), d, x)
}

func (f *avx2) Matches(t dtype.Type, best isa.Vec, x []isa.Vec) {
	l, any := f.LenOf(t), f.Tmp()
	for i := range x {
		f.Within(func() {
			m := any
			if i > 0 {
				m = f.Tmp()
			}
			if t.IsFloat() {
				f.compare(t, m, x[i], best, 0)
				nan := f.Tmp()
				f.compare(t, nan, x[i], x[i], 3)
				f.I(x86.VORPS, l, m, m, nan)
			} else {
				f.compareInts(prim.Eq, t, m, x[i], best)
			}
			if i > 0 {
				f.I(x86.VORPS, l, any, any, m)
			}
		})
	}
	f.I(pick(t, x86.VMOVMSKPS, x86.VMOVMSKPD), l, x86.RAX, any)
}

func (f *avx512) Matches(t dtype.Type, best isa.Vec, x []isa.Vec) {
	op, any, more := f.compareOp(t), f.TmpMask(), f.TmpMask()
	if t.IsFloat() {
		op = pick(t, x86.VCMPPS, x86.VCMPPD)
	}
	k := any
	compare := func(y, z isa.Vec, how x86.Imm) {
		if f.I(op, f.LenOf(t), k, y, z, how); k == more {
			f.I(f.kop(kor), 0, any, any, more)
		}
		k = more
	}
	for i := range x {
		if compare(x[i], best, 0); t.IsFloat() {
			compare(x[i], x[i], 3)
		}
	}
	f.I(x86.KMOVW, 0, x86.RAX, any)
}

func (f *emitter) FirstBit() { f.I(x86.TZCNT, x86.W64, x86.RAX, x86.RAX) }

// StepValues joins sums in wider lanes, predicates, and extremes of floats. The latter it joins without the care for zeros and NaN
// that [avx2.minMax] takes for each pair. The sign of a maximum is the conjunction of all signs, and the sign of a minimum is the
// disjunction, which matters for zeros only. Lanes of which an element is NaN become NaN at the end. An extreme with NaN is its second
// operand, which is the accumulator: its NaN stays.
func (f *avx2) StepValues(k *reduce.Kern, d x86.Vec, x []x86.Vec) bool {
	switch {
	case len(x) < 2 || f.Masked && k.Sums():
		return false
	case k.Sums():
		f.sumValues(k.Type, d, x)
		return true
	case k.Type == dtype.Bool && !k.Counts():
		f.orValues(d, x)
		return true
	}
	if k.Op != prim.Max && k.Op != prim.Min || !k.Lane.IsFloat() || k.Quiet {
		return false
	}
	t, l := k.Lane, f.LenOf(k.Lane)
	op, sign, cmp := extremeOp(k.Op, t), x86.VANDPS, pick(t, x86.VCMPPS, x86.VCMPPD)
	if k.Op == prim.Min {
		sign = x86.VORPS
	}
	m, signs, nan, pair := f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp()
	join := func(x, y x86.Vec) {
		if !k.EitherZero {
			f.I(sign, l, signs, x, y)
		}
	}
	f.I(op, l, m, x[0], x[1])
	join(x[0], x[1])
	f.I(cmp, l, nan, x[0], x[1], x86.Imm(3))
	for i := 2; i < len(x); i++ {
		f.I(op, l, m, m, x[i])
		join(signs, x[i])
		if i%2 == 0 { // a comparison finds NaN in two values
			f.I(cmp, l, pair, x[i], x[min(i+1, len(x)-1)], x86.Imm(3))
			f.I(x86.VORPS, l, nan, nan, pair)
		}
	}
	f.I(op, l, m, m, d)
	join(signs, d)
	switch {
	case k.EitherZero:
		f.I(x86.VORPS, l, d, m, nan)
		return true
	case k.Op == prim.Max:
		f.I(x86.VORPS, l, signs, signs, f.operand(t, t.Mask()>>1))
	default:
		f.I(x86.VANDPS, l, signs, signs, f.operand(t, t.Mask()/2+1))
	}
	f.I(sign, l, m, m, signs)
	f.I(x86.VORPS, l, d, m, nan)
	return true
}

// StepValues joins extremes of floats, in the order of zeros but without NaN. The accumulator waits for two instructions: an extreme with
// NaN is its second operand, so the accumulator keeps its NaN. NaNs have the signs that [avx2.StepValues] gives them.
func (f *avx512) StepValues(k *reduce.Kern, d x86.Vec, x []x86.Vec) bool {
	if len(x) < 2 || k.Op != prim.Max && k.Op != prim.Min || !k.Lane.IsFloat() || k.Quiet {
		return false
	}
	const found = 3 // a NaN, of both kinds; the other numbers keep 0
	t, l := k.Lane, f.LenOf(k.Lane)
	logic, fix := pick(t, x86.VPTERNLOGD, x86.VPTERNLOGQ), pick(t, x86.VFIXUPIMMPS, x86.VFIXUPIMMPD)
	m, signs, nan, table := f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp()
	f.I(x86.VPXORD, l, nan, nan, nan)
	f.Constant(table, t, found<<4|found)
	f.I(fix, l, nan, x[0], table, x86.Imm(0))
	first := x[0]
	for _, y := range x[1:] {
		f.I(fix, l, nan, y, table, x86.Imm(0))
		f.ranged(k.Op, t, m, first, y)
		first = m
	}
	if k.EitherZero {
		f.I(extremeOp(k.Op, t), l, m, m, d)
		f.I(x86.VORPS, l, d, m, nan)
		return true
	}
	const either, both, all = 0xa8, 0xea, 0xfe // (x|y)&z, x&y|z, x|y|z
	of, with, sign := x86.Imm(both), x86.Imm(both), t.Mask()>>1
	if k.Op == prim.Min {
		of, with, sign = either, all, t.Mask()/2+1
	}
	f.I(x86.VMOVAPS, l, signs, m)
	f.I(logic, l, signs, d, f.operand(t, sign), of)
	f.I(extremeOp(k.Op, t), l, d, m, d)
	f.I(logic, l, d, signs, nan, with)
	return true
}
