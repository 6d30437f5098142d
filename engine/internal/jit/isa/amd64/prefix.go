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
	f.own.shiftUp(n.Type, f.Dst(), x, fill, int(n.Aux))
}

func (f *avx512) shiftUp(t dtype.Type, d, x, fill x86.Vec, by int) {
	lanes := make([]int, f.W)
	for i := range lanes {
		lanes[i] = i - by
	}
	f.permute(t, d, x, fill, lanes)
}

func (f *avx512) LastLane(t dtype.Type, d, x isa.Vec) {
	lanes := make([]int, f.W)
	for i := range lanes {
		lanes[i] = f.W - 1
	}
	f.permute(t, d, x, x, lanes)
}

// permute takes lanes of x, and those of fill that are negative, by one permute.
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

// shiftUp shifts each half of x together with the 16 bytes below it.
func (f *avx2) shiftUp(t dtype.Type, d, x, fill x86.Vec, by int) {
	l, bytes, below := f.LenOf(t), by*isa.Lane32(t).Size(), fill
	if l == x86.L256 {
		below = d
		f.I(x86.VINSERTF128, l, below, fill, x, x86.Imm(1))
	}
	if bytes < 16 {
		f.I(x86.VPALIGNR, l, d, x, below, x86.Imm(16-bytes))
	}
}

func (f *avx2) LastLane(t dtype.Type, d, x isa.Vec) {
	l := f.LenOf(t)
	if !isa.Wide(t) { // of each half
		f.I(x86.VPERMILPS, l, d, x, x86.Imm(0xff))
		x = d
	}
	if l == x86.L256 {
		f.I(x86.VPERMPD, l, d, x, x86.Imm(0xff))
	}
}
