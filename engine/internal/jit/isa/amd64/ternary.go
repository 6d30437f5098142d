package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// ternary emits a function of three bits. It overwrites its first operand. An operand in memory
// must be the third, so the operands and the table may change their order.
func ternary(f *emitter, n *lower.Node) {
	args, table := n.Args, uint8(n.Imm)
	swap := func(i, k int) {
		args[i], args[k] = args[k], args[i]
		table = swapBits(table, i, k)
	}
	switch {
	case f.inMemory(args[0]):
		swap(0, 2)
	case f.inMemory(args[1]):
		swap(1, 2)
	}
	if !f.Dies(args[0]) && f.Dies(args[1]) {
		swap(0, 1)
	}
	x, y, z := f.Src(args[0]), f.Src(args[1]), f.srcM(args[2])
	l := f.LenOf(n.In)
	d := x
	if f.Dies(args[0]) && args[0] != args[1] && args[0] != args[2] {
		f.Release()
		d = f.Reuse(x)
	} else {
		d = f.Dst()
		f.I(x86.VMOVAPS, l, d, x)
	}
	f.I(pick(n.In, x86.VPTERNLOGD, x86.VPTERNLOGQ), l, d, y, z, x86.Imm(table))
}

// swapBits returns the table of a function of three bits with operands i and k in each other's
// place.
func swapBits(table uint8, i, k int) (out uint8) {
	for at := range 8 {
		a, b := at>>(2-i)&1, at>>(2-k)&1
		to := at&^(1<<(2-i)|1<<(2-k)) | b<<(2-i) | a<<(2-k)
		out |= table >> at & 1 << to
	}
	return out
}
