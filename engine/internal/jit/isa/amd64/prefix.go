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
	f.I(pick(t, x86.VALIGND, x86.VALIGNQ), f.LenOf(t), d, x, fill, x86.Imm(f.W-by))
}

func (f *avx512) LastLane(t dtype.Type, d, x isa.Vec) {
	from, ix := make([]picked, f.W), f.Tmp()
	for i := range from {
		from[i] = picked{Lane: i, At: f.W - 1}
	}
	f.I(x86.VMOVUPS, f.LenOf(t), ix, f.selector(from, isa.Lane32(t).Size(), 0, false))
	f.I(pick(t, x86.VPERMPS, x86.VPERMPD), f.LenOf(t), d, ix, x)
}

// shiftUp shifts each half of x together with the 16 bytes below it. Of a tail in the lower half nothing uses the upper one.
func (f *avx2) shiftUp(t dtype.Type, d, x, fill x86.Vec, by int) {
	l, bytes, below := f.LenOf(t), by*f.VecBytes(t)/f.W, fill
	if f.Masked && f.Tail > 0 && f.Tail*f.VecBytes(t)/f.W <= 16 {
		l = x86.L128
		if bytes >= 16 {
			f.I(x86.VMOVAPS, l, d, fill)
			return
		}
	}
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
	if f.LaneSize > 0 { // of the last quadword
		last := f.words(0x0706)
		if f.LaneSize == 1 {
			last = f.words(0x0707)
		}
		f.I(x86.VPERMPD, l, d, x, x86.Imm(0xff))
		f.I(x86.VPSHUFB, l, d, d, last)
		return
	}
	if !isa.Wide(t) { // of each half
		f.I(x86.VPERMILPS, l, d, x, x86.Imm(0xff))
		x = d
	}
	if l == x86.L256 {
		f.I(x86.VPERMPD, l, d, x, x86.Imm(0xff))
	}
}
