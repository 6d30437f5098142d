package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// unpacks are the instructions that interleave elements, by log2 of their size: of the
// lower and of the upper halves.
var unpacks = [...][2]x86.Op{
	{x86.VPUNPCKLBW, x86.VPUNPCKHBW}, {x86.VPUNPCKLWD, x86.VPUNPCKHWD}, {x86.VUNPCKLPS, x86.VUNPCKHPS}, {x86.VUNPCKLPD, x86.VUNPCKHPD},
}

// extractPart moves the k-th 16 bytes of x, a vector of length l, to d.
func (f *emitter) extractPart(l x86.Len, d, x x86.Vec, k int) {
	f.I(f.form(0, x86.VEXTRACTF128, x86.VEXTRACTF32X4, x86.VEXTRACTF32X4), l, d, x, x86.Imm(k))
}

// insertPart replaces 16 bytes of d, which are number part of them, by x.
func (f *emitter) insertPart(l x86.Len, d x86.Vec, x x86.Operand, part int) {
	f.I(f.form(0, x86.VINSERTF128, x86.VINSERTF32X4, x86.VINSERTF32X4), l, d, d, x, x86.Imm(part))
}

// loadRows2 has the instructions that load contiguous elements of a narrow type into
// lanes of 32 bits.
var loadRows2 = [...]x86.Op{
	dtype.I8:   x86.VPMOVSXBD,
	dtype.U8:   x86.VPMOVZXBD,
	dtype.I16:  x86.VPMOVSXWD,
	dtype.U16:  x86.VPMOVZXWD,
	dtype.F16:  x86.VCVTPH2PS,
	dtype.BF16: x86.VPMOVZXWD,
}

// blockRows is the number of vectors of a block of elements of 4 bytes, each of which has the elements in one part of 16 bytes.
const blockRows = 4

func (f *emitter) LoadRows(t dtype.Type, v []isa.Vec, row func(int) isa.Mem) {
	l, by := x86.Len(8*f.W*t.Size()), min(len(v), blockRows)
	for i, d := range v {
		if len(v) == f.W {
			f.I(x86.VMOVUPS, l, d, mem(row(i)))
		} else { // the rows of a block follow each other. A masked load, in place of an insertion, would not train the prefetcher of a Zen 5
			r := i + i&^(by-1)
			f.I(x86.VMOVUPS, l/2, d, mem(row(r)))
			if upper := mem(row(r + by)); l == x86.L512 {
				f.I(x86.VINSERTF64X4, l, d, d, upper, x86.Imm(1))
			} else {
				f.insertPart(l, d, upper, 1)
			}
		}
		if t.Size() == 2 {
			f.I(loadRows2[t], f.LenOf(dtype.I32), d, d)
		}
		if t == dtype.BF16 {
			f.I(x86.VPSLLD, f.LenOf(dtype.I32), d, d, x86.Imm(16))
		}
	}
}

func (f *emitter) StoreHalves(lower, upper isa.Mem, x isa.Vec) {
	f.I(x86.VMOVUPS, x86.L128, mem(lower), x)
	f.I(f.form(0, x86.VEXTRACTF128, x86.VEXTRACTF32X4, x86.VEXTRACTF32X4), x86.L256, mem(upper), x, x86.Imm(1))
}

func (f *emitter) TransposeVectors(size int, v []isa.Vec, free isa.Vec) isa.Vec {
	l := x86.Len(8 * max(f.W*size, 32))
	switch {
	case size == 8 && len(v) == 4:
		f.transpose4(v, free)
		return free
	case len(v) > blockRows: // blocks of both halves of v, whose even parts have the first columns, and whose odd parts the others
		free = f.TransposeVectors(size, v[blockRows:], f.TransposeVectors(size, v[:blockRows], free))
		for j := range blockRows {
			a, b := v[j], v[j+blockRows]
			f.parts(l, free, a, b, 0)
			f.parts(l, a, a, b, 1)
			v[j], v[j+blockRows], free = free, a, b
		}
		return free
	}
	ops := unpacks[bits.TrailingZeros(uint(size))]
	for range bits.TrailingZeros(uint(len(v))) {
		w := make([]isa.Vec, len(v))
		for j := len(v)/2 - 1; j >= 0; j-- {
			a, b := v[j], v[j+len(v)/2]
			f.I(ops[0], l, free, a, b)
			f.I(ops[1], l, a, a, b)
			w[2*j], w[2*j+1], free = free, a, b
		}
		copy(v, w)
	}
	return free
}

// parts sets d to the even 16 bytes of a and b, vectors of length l, or to the odd ones.
func (f *emitter) parts(l x86.Len, d, a, b x86.Vec, odd int) {
	imm := [2]x86.Imm{0x20, 0x31}
	switch {
	case l == x86.L512:
		imm = [2]x86.Imm{0x88, 0xdd}
	case f.evex:
		imm = [2]x86.Imm{0, 3}
	}
	f.I(f.form(0, x86.VPERM2F128, x86.VSHUFF64X2, x86.VSHUFF64X2), l, d, a, b, imm[odd])
}

// transpose4 transposes a block of four vectors of elements of 8 bytes.
func (f *emitter) transpose4(v []isa.Vec, free isa.Vec) {
	a, b, c, d := v[0], v[1], v[2], v[3]
	f.I(x86.VUNPCKLPD, x86.L256, free, a, b)
	f.I(x86.VUNPCKHPD, x86.L256, b, a, b)
	f.I(x86.VUNPCKLPD, x86.L256, a, c, d)
	f.I(x86.VUNPCKHPD, x86.L256, d, c, d)
	f.parts(x86.L256, c, b, d, 0)
	f.parts(x86.L256, d, b, d, 1)
	f.parts(x86.L256, b, free, a, 0)
	f.parts(x86.L256, a, free, a, 1)
	v[0], v[1], v[2], v[3] = b, c, a, d
}

// block transposes a block of a tile. Each 16 bytes of a vector collect n lanes.
// Interleaving them transposes n x n elements in log2 n steps. A block of fewer than 16 bytes of lanes takes fewer steps, and each
// result vector holds several rows.
func block(to isa.Asm, size, bytes int, lane, row func(int) isa.Mem) {
	t, n, l := to.(*asm), min(bytes, 16)/size, x86.Len(8*max(bytes, 16))
	v := make([]x86.Operand, n)
	for c := range bytes / size {
		m, part := mem(lane(c)), c/n
		switch x := x86.Vec(c % n); {
		case part == 0:
			v[c] = x
			t.I(x86.VMOVUPS, x86.L128, x, m)
		case part == 1:
			t.I(x86.VINSERTF128, x86.L256, x, x, m, x86.Imm(1))
		default:
			t.I(x86.VINSERTF32X4, l, x, x, m, x86.Imm(part))
		}
	}
	spill, free := at(frame.TileSpill), x86.Vec(n)
	if n == 16 { // there are 16 registers, and one must be free
		t.I(x86.VMOVUPS, l, spill, v[15])
		free, v[15] = x86.Vec(15), spill
	}
	ops := unpacks[bits.TrailingZeros(uint(size))]
	for range bits.TrailingZeros(uint(n)) {
		w := make([]x86.Operand, n)
		for j := n/2 - 1; j >= 0; j-- {
			a, b := v[j].(x86.Vec), v[j+n/2]
			t.I(ops[0], l, free, a, b)
			t.I(ops[1], l, a, a, b)
			w[2*j], w[2*j+1] = free, a
			if r, ok := b.(x86.Vec); ok {
				free = r
			} else { // b was in memory
				t.I(x86.VMOVUPS, l, spill, a)
				w[2*j+1], free = spill, a
			}
		}
		v = w
	}
	for k, x := range v {
		if _, spilled := x.(x86.Mem); spilled {
			t.I(x86.VMOVUPS, l, free, x)
			x = free
		}
		v := x.(x86.Vec)
		for at := 0; at < 16; at += min(bytes, 16) {
			t.storeRow(mem(row((16*k+at)/min(bytes, 16))), v, l, bytes, at)
		}
	}
}

// storeRow stores a row of a block, which has so many bytes: a whole vector of length l, or 4 or 8 bytes from byte at on.
func (a *asm) storeRow(m x86.Mem, v x86.Vec, l x86.Len, bytes, at int) {
	switch {
	case bytes >= 16:
		a.I(x86.VMOVUPS, l, m, v)
	case bytes == 4:
		a.I(x86.VEXTRACTPS, 0, m, v, x86.Imm(at/4))
	case at == 0:
		a.I(x86.VMOVQ, 0, m, v)
	default:
		a.I(x86.VMOVHPS, 0, m, v)
	}
}
