package amd64

import (
	"golang.org/x/sys/cpu"

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

// packing returns the instruction that packs the lanes of a store to narrower elements.
func (f *avx512) packing(n *lower.Node, t dtype.Type) x86.Op {
	switch saturates := saturates(&f.Nodes[n.Args[0]]); {
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
