package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// shiftUp moves lanes up: see [lower.OpShiftUp].
func shiftUp(f *emitter, n *lower.Node) {
	x, fill, d := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Dst()
	l, size := f.LenOf(n.Type), f.VecBytes(n.Type)/f.W
	row, by := int(n.Imm)*size, int(n.Aux)*size
	if row == 0 || 16%row != 0 {
		f.own.shiftUp(n.Type, d, x, fill, int(n.Aux))
	} else {
		f.I(x86.VPALIGNR, l, d, x, fill, x86.Imm(16-by))
	}
	if row == 0 || row == 16 {
		return
	}
	none := f.Nodes[n.Args[1]].Imm
	keep, first := make([]byte, f.VecBytes(n.Type)), make([]byte, f.VecBytes(n.Type))
	for i := range keep {
		if i%row >= by {
			keep[i] = 0xff
		} else {
			first[i] = byte(none >> (8 * (i % size)))
		}
	}
	if f.I(x86.VANDPS, l, d, d, f.Const(keep)); none != 0 {
		f.I(x86.VORPS, l, d, d, f.Const(first))
	}
}

func (f *avx512) shiftUp(t dtype.Type, d, x, fill x86.Vec, by int) {
	l, words := f.LenOf(t), f.VecBytes(t)/4
	if bytes := by * f.VecBytes(t) / f.W; bytes < 4 { // each 16 bytes together with those below them
		f.I(x86.VALIGND, l, d, x, fill, x86.Imm(words-4))
		f.I(x86.VPALIGNR, l, d, x, d, x86.Imm(16-bytes))
	} else {
		f.I(x86.VALIGND, l, d, x, fill, x86.Imm(words-bytes/4))
	}
}

func (f *avx512) LastLane(t dtype.Type, d, x isa.Vec) {
	l, size := f.LenOf(t), isa.Lane32(t).Size()
	last, ix := make([]byte, f.VecBytes(t)), f.Tmp()
	for i := 0; i < len(last); i += size {
		last[i] = byte(len(last)/size - 1)
	}
	f.I(x86.VMOVUPS, l, ix, f.Const(last))
	f.I(pick(t, x86.VPERMPS, x86.VPERMPD), l, d, ix, x)
	if f.LaneSize > 0 {
		f.I(x86.VPSHUFB, l, d, d, f.constantFor(l, f.words(f.lastOf(4))))
	}
}

// lastOf returns the places of the bytes of the last narrow lane of so many bytes, for each lane of two.
func (f *emitter) lastOf(bytes uint16) uint16 {
	if f.LaneSize == 1 {
		return (bytes - 1) * 0x101
	}
	return (bytes-1)<<8 | bytes - 2
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
		f.I(x86.VPERMPD, l, d, x, x86.Imm(0xff))
		f.I(x86.VPSHUFB, l, d, d, f.words(f.lastOf(8)))
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
