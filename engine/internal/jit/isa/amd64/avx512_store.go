package amd64

import (
	"slices"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Stores with AVX-512 to elements that are narrower than their lanes.

// ConvertsBF16 says that the processor has AVX512-BF16. Tests replace it.
var ConvertsBF16 = cpu.X86.HasAVX512BF16

// convertBF16 converts float32 to bfloat16. The instruction makes zeros of numbers below the least normal one, so
// a branch rounds these. It takes no registers behind the branch.
func (f *avx512) convertBF16(d, x x86.Vec) {
	small, k, t, done, l := f.TmpMask(), f.TmpMask(), f.Tmp(), f.NewLabel(), f.LenOf(dtype.F32)
	f.I(x86.VFPCLASSPS, l, small, x, x86.Imm(0x20))
	f.I(x86.VCVTNEPS2BF16, l, d, x)
	f.skipNone(small, done)
	f.bf16(t, x, k)
	f.I(x86.VPSRLD, l, t, t, x86.Imm(16))
	f.I(x86.VPMOVDW, l, d, t, x86.Merge(small))
	f.Bind(done)
}

// storeMasked emits the instruction op of a store, under the tail mask if masked is set. If the code knows the number of lanes, and they
// are one part or the phase loads from the array, too, the elements are stored by their parts.
func (f *avx512) storeMasked(site int32, t dtype.Type, op x86.Op, l x86.Len, masked bool, ops []x86.Operand) {
	if n := f.Tail * t.Size(); !masked || f.Tail == 0 || n&(n-1) != 0 && !f.loadsFrom(site) {
		if masked {
			ops = append(ops, x86.Merge(tailMask))
		}
		f.I(op, l, ops...)
		return
	}
	d := f.Tmp()
	to := ops[0].(x86.Mem)
	ops[0] = d
	f.I(op, l, ops...)
	f.storeFirst(f.Tail*t.Size(), to, d)
}

// loadsFrom reports whether the phase loads from the array of a site.
func (f *avx512) loadsFrom(site int32) bool {
	s := &f.Layout.Sites[site]
	return slices.ContainsFunc(f.Layout.Sites, func(x layout.Site) bool {
		return x.Kind != layout.Unused && x.Buf == s.Buf && !f.Phase.Sites[x.Index(f.Phase)].Store
	})
}

// byteLen returns the length of a vector with a byte for each lane.
func (f *avx512) byteLen() x86.Len { return max(x86.L128, x86.Len(8*f.W)) }

func (f *avx512) storePredicate(n *lower.Node, m x86.Mem, masked bool) {
	v, l := f.Tmp(), f.byteLen()
	f.I(x86.VMOVDQU8, l, v, f.constantFor(l, f.Const(repeat(1, int(l)/8))), x86.Zero(f.Mask(n.Args[0])))
	switch {
	case masked:
		f.storeMasked(n.Aux, dtype.Bool, x86.VMOVDQU8, l, masked, []x86.Operand{m, v})
	case f.W == 8:
		f.I(x86.VMOVQ, 0, m, v)
	default:
		f.I(x86.VMOVUPS, l, m, v)
	}
}

// packing returns the instruction that packs the lanes of a store to narrower elements.
func (f *avx512) packing(n *lower.Node, t dtype.Type) x86.Op {
	x := &f.Nodes[n.Args[0]]
	switch saturates := saturates(x) && !inRange(x); {
	case f.LaneSize == 2:
		return x86.VPMOVWB
	case saturates && t.IsSigned():
		return pickSize(t, x86.VPMOVSDB, x86.VPMOVSDW)
	case saturates:
		return pickSize(t, x86.VPMOVUSDB, x86.VPMOVUSDW)
	}
	return pickSize(t, x86.VPMOVDB, x86.VPMOVDW)
}

// pickSize returns the instruction for elements of 1 byte or that for elements of 2 bytes.
func pickSize(t dtype.Type, one, two x86.Op) x86.Op {
	if t.Size() == 1 {
		return one
	}
	return two
}
