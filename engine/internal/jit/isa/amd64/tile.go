package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// unpacks are the instructions that interleave elements, by log2 of their size: of the
// lower and of the upper halves.
var unpacks = [...][2]x86.Op{
	{x86.VPUNPCKLBW, x86.VPUNPCKHBW}, {x86.VPUNPCKLWD, x86.VPUNPCKHWD}, {x86.VUNPCKLPS, x86.VUNPCKHPS}, {x86.VUNPCKLPD, x86.VUNPCKHPD},
}

// block transposes a block of a tile, for any processor with AVX2. Each half of a vector
// collects n lanes. Interleaving them transposes n x n elements in log2 n steps.
func block(to isa.Asm, size int, lane, row func(int) isa.Mem) {
	t, n := to.(*asm), 16/size
	v := make([]x86.Operand, n)
	for c := range 2 * n {
		m := mem(lane(c))
		if c < n {
			v[c] = x86.Vec(c)
			t.I(x86.VMOVUPS, x86.L128, v[c], m)
		} else {
			t.I(x86.VINSERTF128, x86.L256, v[c-n], v[c-n], m, x86.Imm(1))
		}
	}
	spill, free := at(frame.TileSpill), x86.Vec(n)
	if n == 16 { // there are 16 registers, and one must be free
		t.I(x86.VMOVUPS, x86.L256, spill, v[15])
		free, v[15] = x86.Vec(15), spill
	}
	ops := unpacks[bits.TrailingZeros(uint(size))]
	for range bits.TrailingZeros(uint(n)) {
		w := make([]x86.Operand, n)
		for j := n/2 - 1; j >= 0; j-- {
			a, b := v[j].(x86.Vec), v[j+n/2]
			t.I(ops[0], x86.L256, free, a, b)
			t.I(ops[1], x86.L256, a, a, b)
			w[2*j], w[2*j+1] = free, a
			if r, ok := b.(x86.Vec); ok {
				free = r
			} else { // b was in memory
				t.I(x86.VMOVUPS, x86.L256, spill, a)
				w[2*j+1], free = spill, a
			}
		}
		v = w
	}
	for k, x := range v {
		if _, spilled := x.(x86.Mem); spilled {
			t.I(x86.VMOVUPS, x86.L256, free, x)
			x = free
		}
		t.I(x86.VMOVUPS, x86.L256, mem(row(k)), x)
	}
}
