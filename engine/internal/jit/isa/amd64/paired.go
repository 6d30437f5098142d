package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// The two vectors of a pair have the even bytes and the odd bytes of a vector in memory: see
// [isa.Emitter.Paired].

// lowBytes is the mask of the lower bytes.
func (f *emitter) lowBytes() x86.Operand {
	return f.constantFor(f.LenOf(dtype.U8), f.words(0x00ff))
}

// loadPaired loads the bytes of a site that a pair has, with its first copy. The second one splits them.
func (f *emitter) loadPaired(s *layout.Site, i int32, t dtype.Type, odd x86.Vec) {
	l, shift := f.LenOf(t), x86.VPSRLW
	if f.Copy%2 == 0 {
		f.I(x86.VMOVUPS, l, odd, f.site(s, i))
		return
	}
	if t.IsSigned() {
		shift = x86.VPSRAW
	}
	f.Copy--
	even := f.Change(f.ID)
	f.Copy++
	f.I(shift, l, odd, even, x86.Imm(8))
	if t.IsSigned() {
		f.I(x86.VPSLLW, l, even, even, x86.Imm(8))
		f.I(x86.VPSRAW, l, even, even, x86.Imm(8))
	} else {
		f.and(even, even, f.lowBytes())
	}
}

// storePaired stores the bytes of a pair with its first copy.
func (f *emitter) storePaired(n *lower.Node, m x86.Mem) {
	if f.Copy%2 == 1 {
		return
	}
	even, l, t := f.Src(n.Args[0]), f.LenOf(dtype.U8), f.Tmp()
	f.Copy++
	odd := f.Src(n.Args[0])
	f.Copy--
	f.I(x86.VPSLLW, l, t, odd, x86.Imm(8))
	if f.evex {
		f.I(x86.VPTERNLOGD, l, t, even, f.lowBytes(), x86.Imm(0xf8)) // t or even and the mask
	} else {
		u := f.Tmp()
		f.and(u, even, f.lowBytes())
		f.or(t, t, u)
	}
	f.I(x86.VMOVUPS, l, m, t)
}
