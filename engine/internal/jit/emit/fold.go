package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// fold emits code that combines the lanes of each accumulator at the end of a block:
// lane j with lane j + half, down to one lane. The code stores it as the first lane of
// the accumulator in memory.
func (f *phaseCode) fold() {
	if len(f.accs) > 0 {
		f.part("fold the lanes of the reductions")
	}
	f.Vecs.Free = 1<<f.Registers - 1 // no loop follows: all registers are free
	for i := range f.accs {
		switch a := &f.accs[i]; {
		case a.Kern.Arg:
			f.foldArg(a)
		case a.Prog != nil:
			f.foldProgram(a)
		default:
			f.foldLanes(a)
		}
		f.EndStep()
	}
}

func (f *phaseCode) foldLanes(a *acc) {
	var v []x86.Vec
	l := f.LenOf(a.Kern.Lane)
	pair := func(d, x x86.Vec) { f.Within(func() { f.step(a.Red, d, 0, x) }) }
	x := f.Tmp()
	half := max(a.n/2, 1)
	for k := range half { // the first fold reads memory: the lanes may not fit in registers
		d := f.Tmp()
		f.I(x86.VMOVUPS, l, d, f.accMem(a, k))
		v = append(v, d)
		if a.n > 1 {
			f.I(x86.VMOVUPS, l, x, f.accMem(a, k+half))
			pair(d, x)
		}
	}
	for h := half / 2; h > 0; h /= 2 {
		for k := range h {
			pair(v[k], v[k+h])
		}
	}
	for lanes := f.W; lanes > 1; lanes /= 2 {
		f.upperHalf(x, v[0], lanes*a.Kern.Lane.Size())
		pair(v[0], x)
	}
	f.I(x86.VMOVQ, 0, f.accMem(a, 0), v[0])
}

// foldArg folds the lanes of ArgMin and ArgMax with few registers. The order of the
// lanes does not matter.
func (f *phaseCode) foldArg(a *acc) {
	v, idx, x, xi := f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp()
	l, li := f.LenOf(a.Kern.Lane), f.LenOf(dtype.I32)
	pair := func() { f.Within(func() { f.Target.PairArg(&f.Emitter, a.Kern, v, idx, x, xi) }) }
	f.I(x86.VMOVUPS, l, v, f.accMem(a, 0))
	f.I(x86.VMOVUPS, li, idx, f.idxMem(a, 0))
	for k := 1; k < a.n; k++ {
		f.I(x86.VMOVUPS, l, x, f.accMem(a, k))
		f.I(x86.VMOVUPS, li, xi, f.idxMem(a, k))
		pair()
	}
	for lanes := f.W; lanes > 1; lanes /= 2 {
		f.upperHalf(x, v, lanes*a.Kern.Lane.Size())
		f.upperHalf(xi, idx, lanes*4)
		pair()
	}
	f.I(x86.VMOVQ, 0, f.accMem(a, 0), v)
	f.I(x86.VMOVQ, 0, f.idxMem(a, 0), idx)
}

// upperHalf moves the upper half of x, a vector of so many bytes, to the lower half of d.
func (f *phaseCode) upperHalf(d, x x86.Vec, bytes int) {
	switch bytes {
	case 64:
		f.I(x86.VEXTRACTF64X4, x86.L512, d, x, x86.Imm(1))
	case 32:
		f.Target.UpperHalf(&f.Emitter, d, x)
	case 16:
		f.I(x86.VPSHUFD, x86.L128, d, x, x86.Imm(0x4e))
	default:
		f.I(x86.VPSHUFD, x86.L128, d, x, x86.Imm(0xb1))
	}
}
