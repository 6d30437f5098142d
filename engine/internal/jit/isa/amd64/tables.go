package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/plan/ir"
)

// Tables that fit a few registers are read by permutes, which take a cycle each. A gather
// takes a load for each lane, and more on processors with the mitigation of Downfall.

// permutes returns how many permutes of span entries read a table, the number of times it
// must be repeated to fill the first, and whether permutes suit: indices and entries have
// lanes of one width, and there are at most four.
func permutes(n *lower.Node, t *ir.Table, span int) (count, times int, ok bool) {
	times = max(1, span/len(t.Bits))
	count = max(1, len(t.Bits)/span)
	return count, times, isa.Wide(n.In) == isa.Wide(n.Type) && count <= 4
}

// permuteTable selects from two registers at a time. The permute ignores the high bits of
// an index, which then select among the results.
func (f *avx512) permuteTable(n *lower.Node, t *ir.Table) bool {
	l := f.LenOf(n.Type)
	width := max(4, n.Type.Size())
	span := 2 * int(l) / 8 / width
	count, times, ok := permutes(n, t, span)
	if !ok {
		return false
	}
	x, d, label := f.Src(n.Args[0]), f.Dst(), f.table(t, times)
	part := func(to x86.Vec, i int) {
		at := int32(i * span * width)
		f.I(x86.VMOVUPS, l, to, x86.AtLabel(label, at))
		f.I(pick(n.Type, x86.VPERMT2PS, x86.VPERMT2PD), l, to, x, x86.AtLabel(label, at+int32(l)/8))
	}
	f.chooseParts(count, span, d, part, func(to, other x86.Vec, bit int) {
		k := f.TmpMask()
		f.I(pick(n.Type, x86.VPTESTMD, x86.VPTESTMQ), l, k, x, f.constBcast(signedOf(n.In), uint64(bit)))
		f.I(pick(n.Type, x86.VMOVAPS, x86.VMOVAPD), l, to, other, x86.Merge(k))
	})
	return true
}

// permuteTable selects from one register at a time, in lanes of 32 bits.
func (f *avx2) permuteTable(n *lower.Node, t *ir.Table) bool {
	const span = 8
	count, times, ok := permutes(n, t, span)
	if !ok || isa.Wide(n.Type) {
		return false
	}
	x, d, label := f.Src(n.Args[0]), f.Dst(), f.table(t, times)
	part := func(to x86.Vec, i int) { f.I(x86.VPERMPS, x86.L256, to, x, x86.AtLabel(label, int32(4*i*span))) }
	f.chooseParts(count, span, d, part, func(to, other x86.Vec, bit int) {
		k := f.Tmp()
		up := 31
		for ; bit > 1; bit >>= 1 {
			up--
		}
		f.I(x86.VPSLLD, x86.L256, k, x, x86.Imm(up))
		f.I(x86.VBLENDVPS, x86.L256, to, to, other, k)
	})
	return true
}

// chooseParts puts the parts of a table together in d: part emits one, and choose replaces
// a part by the other where a bit of the index is set.
func (f *emitter) chooseParts(count, span int, d x86.Vec, part func(to x86.Vec, i int), choose func(to, other x86.Vec, bit int)) {
	part(d, 0)
	if count == 1 {
		return
	}
	t := f.Tmp()
	part(t, 1)
	choose(d, t, span)
	if count == 2 {
		return
	}
	u := f.Tmp()
	part(t, 2)
	part(u, 3)
	choose(t, u, span)
	choose(d, t, 2*span)
}
