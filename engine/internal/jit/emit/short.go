package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// shortRow emits the reductions of a row of few elements without a loop: vector after vector, the last one under a mask, with all accumulators
// in registers. It reports whether it did. Lanes without elements keep the identity, and whole
// vectors of them are left out, which changes no bit of a built-in reduction.
func (f *phaseCode) shortRow(unroll int) bool {
	n := f.Layout.N
	vectors, need := (n+f.W-1)/f.W, 0
	for i := range f.accs {
		need += min(vectors, f.accs[i].n)
	}
	special := func(a acc) bool { return a.Kern.Arg || a.Prog != nil }
	if !f.Rows || f.Octets || n == 0 || n > layout.MostShort || vectors > 2*unroll || vectors*len(f.top) > 4*longBody || need > f.Vectors/2 || need+10 > f.Vectors || slices.ContainsFunc(f.accs, special) {
		return false
	}
	f.part("%d vectors, in registers", vectors)
	for i := range f.accs {
		a := &f.accs[i]
		for range min(vectors, a.n) {
			a.regs = append(a.regs, takeRanked(a.Kern, f.Vecs.TakeTop))
			f.Lanes.Constant(a.regs[len(a.regs)-1].x, a.Kern.Lane, a.Kern.Identity)
		}
	}
	f.keepAccs()
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - need - v - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	for f.Base = 0; f.Base < vectors; f.Base++ {
		if left := n - f.Base*f.W; left < f.W {
			f.Int(isa.Mov, isa.T1, isa.K(left))
			f.Lanes.SetTail()
			f.Masked = true
		}
		f.Start(1)
		f.body(f.top)
		f.Copy = 0
		for i := range f.accs {
			f.stepShort(&f.accs[i])
		}
		for i := range f.accs {
			f.DropAll(f.accs[i].Arg)
		}
	}
	f.Masked, f.Base = false, 0
	f.part("fold the lanes of the reductions")
	for i := range f.accs {
		f.foldShort(&f.accs[i])
	}
	return true
}

// stepShort combines the values of a vector with its accumulator.
func (f *phaseCode) stepShort(a *acc) {
	d, x := a.regs[f.Base%a.n], f.operand(a.Red)
	if !f.Masked {
		f.step(a.Red, d, x)
	} else {
		t := f.Tmp()
		f.Lanes.CopyVec(a.Kern.Lane, t, d.x)
		f.Within(func() { f.step(a.Red, ranked{x: t}, x) })
		f.Lanes.CopyLanes(a.Kern.Lane, d.x, t)
	}
	f.EndStep()
}

// foldShort combines the lanes of an accumulator in registers, in the order of foldLanes, and
// stores the result as the first lane in memory.
func (f *phaseCode) foldShort(a *acc) {
	have := len(a.regs)
	for h := a.n / 2; h > 0; h /= 2 {
		for k := range min(h, max(have-h, 0)) {
			f.pair(a, a.regs[k].x, a.regs[k+h].x)
		}
		have = min(have, h)
	}
	d, x := f.Tmp(), f.Tmp()
	f.Lanes.CopyVec(a.Kern.Lane, d, a.regs[0].x)
	f.foldVector(a, d, x)
	f.EndStep()
	for _, r := range a.regs {
		f.Vecs.Give(int8(r.x))
	}
}
