package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// shiftUp moves lanes up: see [lower.OpShiftUp].
func shiftUp(f *emitter, n *lower.Node) {
	x, fill := f.Src(n.Args[0]), f.Src(n.Args[1])
	lanes := make([]int, f.W)
	for i := range lanes {
		lanes[i] = i - int(n.Aux)
	}
	f.own.permute(n.Type, f.Dst(), x, fill, lanes)
}

func (f *emitter) LastLane(t dtype.Type, d, x isa.Vec) {
	lanes := make([]int, f.W)
	for i := range lanes {
		lanes[i] = f.W - 1
	}
	f.own.permute(t, d, x, x, lanes)
}

// below returns the lanes that are not negative as a window's, and the bits of the others.
func below(lanes []int) (from []picked, negative int) {
	for i, at := range lanes {
		if at < 0 {
			negative |= 1 << i
		} else {
			from = append(from, picked{Lane: i, At: at})
		}
	}
	return from, negative
}

// permute takes the lanes of both vectors by one permute.
func (f *avx512) permute(t dtype.Type, d, x, fill x86.Vec, lanes []int) {
	l, size := f.LenOf(t), isa.Lane32(t).Size()
	move, pair := pick(t, x86.VMOVUPS, x86.VMOVUPD), pick(t, x86.VPERMT2PS, x86.VPERMT2PD)
	from := make([]picked, len(lanes))
	for i, at := range lanes {
		if from[i] = (picked{Lane: i, At: f.W + at}); at < 0 {
			from[i].At = i
		}
	}
	ix := f.Tmp()
	f.I(move, l, ix, f.selector(from, size, 0, false))
	f.I(x86.VMOVAPS, l, d, fill)
	f.I(pair, l, d, ix, x)
}

// permute permutes the lanes of x, and blends in those of fill.
func (f *avx2) permute(t dtype.Type, d, x, fill x86.Vec, lanes []int) {
	l := f.LenOf(t)
	from, blend := below(lanes)
	order := 0
	for _, p := range from {
		order |= p.At << (2 * p.Lane)
	}
	switch {
	case isa.Wide(t):
		f.I(x86.VPERMPD, l, d, x, x86.Imm(order))
	case f.W == 4:
		f.I(x86.VPERMILPS, l, d, x, x86.Imm(order))
	default:
		ix := f.Tmp()
		f.I(x86.VMOVUPS, l, ix, f.selector(from, 4, 0, false))
		f.I(x86.VPERMPS, l, d, ix, x)
	}
	if blend == 0 {
		return
	}
	if isa.Wide(t) { // two halves for each lane
		blend = blend&1*3 | blend>>1&1*12 | blend>>2&1*48 | blend>>3&1*192
	}
	f.I(x86.VPBLENDD, l, d, d, fill, x86.Imm(blend))
}
