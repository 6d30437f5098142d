package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// fold emits code that combines the lanes of each accumulator at the end of a block:
// lane j with lane j + half, down to one lane. The code stores it as the first lane of
// the accumulator in memory.
func (f *emitter) fold() {
	if len(f.accs) > 0 {
		f.part("fold the lanes of the reductions")
	}
	f.vfree = 1<<f.nv - 1 // no loop follows: all registers are free
	for i := range f.accs {
		a := &f.accs[i]
		if a.kern.arg && f.isa.foldArg(f, a) {
			continue
		}
		if a.kern.prog != nil {
			f.foldProgram(a)
			continue
		}
		var v, idx []x86.Vec
		l := f.lenOf(a.kern.lane)
		x, xi := f.tmp(), f.tmp()
		half := max(a.n/2, 1)
		for k := range half { // the first fold reads memory: the lanes may not fit in registers
			d, di := f.tmp(), x86.Vec(0)
			f.i(x86.VMOVUPS, l, d, f.accMem(a, k))
			v = append(v, d)
			if a.kern.arg {
				di = f.tmp()
				f.i(x86.VMOVUPS, f.lenOf(dtype.I32), di, f.idxMem(a, k))
				idx = append(idx, di)
			}
			if a.n == 1 {
				continue
			}
			f.i(x86.VMOVUPS, l, x, f.accMem(a, k+half))
			if a.kern.arg {
				f.i(x86.VMOVUPS, f.lenOf(dtype.I32), xi, f.idxMem(a, k+half))
			}
			f.pair(a.kern, d, di, x, xi)
		}
		at := func(k int) x86.Vec {
			if idx == nil {
				return 0
			}
			return idx[k]
		}
		for h := half / 2; h > 0; h /= 2 {
			for k := range h {
				f.pair(a.kern, v[k], at(k), v[k+h], at(k+h))
			}
		}
		for lanes := f.w; lanes > 1; lanes /= 2 {
			f.upperHalf(x, v[0], lanes*a.kern.lane.Size())
			if a.kern.arg {
				f.upperHalf(xi, idx[0], lanes*4)
			}
			f.pair(a.kern, v[0], at(0), x, xi)
		}
		f.i(x86.VMOVQ, 0, f.accMem(a, 0), v[0])
		if a.kern.arg {
			f.i(x86.VMOVQ, 0, f.idxMem(a, 0), idx[0])
		}
		f.released = true
		f.end()
	}
}

// upperHalf moves the upper half of x, a vector of so many bytes, to the lower half of d.
func (f *emitter) upperHalf(d, x x86.Vec, bytes int) {
	switch bytes {
	case 64:
		f.i(x86.VEXTRACTF64X4, x86.L512, d, x, x86.Imm(1))
	case 32:
		f.isa.upperHalf(f, d, x)
	case 16:
		f.i(x86.VPSHUFD, x86.L128, d, x, x86.Imm(0x4e))
	default:
		f.i(x86.VPSHUFD, x86.L128, d, x, x86.Imm(0xb1))
	}
}

// pair combines two vectors of accumulators.
func (f *emitter) pair(k *redKern, d, di, x, xi x86.Vec) {
	if !k.arg {
		f.within(func() { f.step(k, d, di, x, false) })
		return
	}
	l, t, li := f.lenOf(k.lane), k.lane, f.lenOf(dtype.I32)
	better, same, other := x86.Mask(1), x86.Mask(2), x86.Mask(3)
	if t.IsFloat() {
		imm := x86.Imm(0x19)
		if k.op == prim.Max {
			imm = 0x16
		}
		op := pick(t, x86.VCMPPS, x86.VCMPPD)
		f.i(op, l, better, x, d, imm)
		f.i(op, l, better, d, d, x86.Imm(7), x86.Merge(better))
		f.i(op, l, same, x, d, x86.Imm(0))
		f.i(op, l, other, x, x, x86.Imm(3))
		f.i(op, l, other, d, d, x86.Imm(3), x86.Merge(other))
		f.i(x86.KORW, 0, same, same, other)
	} else {
		imm := x86.Imm(1)
		if k.op == prim.Max {
			imm = 6
		}
		f.i(compareOp(t), l, better, x, d, imm)
		f.i(compareOp(t), l, same, x, d, x86.Imm(0))
	}
	f.i(x86.VPCMPD, li, same, xi, di, x86.Imm(1), x86.Merge(same))
	f.i(x86.KORW, 0, better, better, same)
	f.i(pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, x, x86.Merge(better))
	f.i(x86.VMOVDQA32, li, di, xi, x86.Merge(better))
}
