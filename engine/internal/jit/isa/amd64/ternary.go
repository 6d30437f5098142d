package amd64

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/prim"
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

// stateExtreme is the rule of Min and Max of floats. A state is the second operand of the instruction, which gives it for NaN and for two zeros:
// the next state waits for this and one more instruction. Where x is positive, or +0, a maximum is too, and where it is negative a minimum
// is. This orders the zeros. Lanes where x is NaN keep it.
func (f *avx512) stateExtreme(n *lower.Node) {
	at := slices.IndexFunc(n.Args[:2], func(a int32) bool {
		return slices.ContainsFunc(f.Phase.Carries, func(c lower.Carry) bool { return c.Load == a })
	})
	if at < 0 {
		floatMinMax(&f.emitter, n)
		return
	}
	t, x, state := n.In, f.Src(n.Args[1-at]), f.Src(n.Args[at])
	l, k, m := f.LenOf(t), f.TmpMask(), f.Tmp()
	f.I(pick(t, x86.VCMPPS, x86.VCMPPD), l, k, x, x, x86.Imm(7))
	f.I(extremeOp(n.Op, t), l, m, x, state)
	d := f.Dst()
	f.I(pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, x)
	signs, table := uint64(1)<<(8*t.Size()-1), x86.Imm(0xec) // m, or x and the sign
	if n.Op == prim.Max {
		signs, table = signs-1, 0xc8 // m, and x or all but the sign
	}
	f.I(pick(t, x86.VPTERNLOGD, x86.VPTERNLOGQ), l, d, m, f.heldOperand(t, signs), table, x86.Merge(k))
}
