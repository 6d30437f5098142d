package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Loads and stores. A masked body accesses only the lanes of the tail mask, so it
// never faults after the end of an array.

// address returns the memory of a site for the lanes of the current copy. It may
// overwrite RCX.
func (f *emitter) address(s *boundSite, i int32) x86.Mem {
	index, k := f.lane()
	lane := int32(k * f.w * s.size)
	if f.ph.kind == scalarPhase || s.kind == uniSite {
		if r := f.siteReg[i]; r >= 0 {
			return x86.At(x86.Reg(r), 0)
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+f.pointer(s)))
		return x86.At(x86.RCX, 0)
	}
	if f.ph.kind == seqPhase {
		lane = int32(f.copy * f.w * s.size)
		if r := f.siteReg[i]; r >= 0 {
			return x86.At(x86.Reg(r), lane)
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteCur))
		return x86.At(x86.RCX, lane)
	}
	if r := f.siteReg[i]; r >= 0 {
		return x86.AtX(x86.Reg(r), index, uint8(s.size), lane)
	}
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+s.origin))
	return x86.AtX(x86.RCX, index, uint8(s.size), lane)
}

// lane returns where the lanes of the current copy begin: a number of vectors after
// the lane in register index.
func (f *emitter) lane() (index x86.Reg, vectors int) {
	if f.half > 0 && f.copy >= f.half {
		return x86.RBX, f.copy - f.half
	}
	return x86.RSI, f.base + f.copy
}

// pointer returns where the frame has the address of a site in this phase: an offset
// from the site's arg.
func (f *emitter) pointer(s *boundSite) int {
	if f.ph.kind == seqPhase && !f.prolog {
		return siteCur
	}
	return s.origin
}

// strided emits the base (RCX) and the index of a gather with a constant stride, and
// returns its memory operand. It may overwrite RAX.
func (f *emitter) strided(s *boundSite) x86.Mem {
	l := f.lenOf(dtype.I32)
	ix := f.tmp()
	// Index: lane * stride in bytes.
	f.i(x86.VPBROADCASTD, l, ix, frameAt(s.arg+siteStride))
	f.i(x86.VPMULLD, l, ix, ix, f.iota32(0))
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteStride))
	if f.ph.kind == seqPhase {
		f.i(x86.IMUL, x86.W64, x86.RCX, x86.RCX, x86.Imm(f.copy*f.w))
		f.i(x86.ADD, x86.W64, x86.RCX, frameAt(s.arg+siteCur))
	} else {
		f.i(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32((f.base+f.copy)*f.w)))
		f.i(x86.IMUL, x86.W64, x86.RCX, x86.RAX)
		f.i(x86.ADD, x86.W64, x86.RCX, frameAt(s.arg+s.origin))
	}
	return x86.AtV(x86.RCX, ix, 1, 0)
}

func (f *emitter) storeNode(n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	if s.kind == gatherSite {
		f.scatter(n, s, t)
		return
	}
	f.isa.storeTo(f, n, t, f.address(s, n.aux), f.masked)
}

func repeat(b byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}

// iota32 returns the constant first, first+1, ... in 32-bit lanes.
func (f *emitter) iota32(first int) x86.Mem {
	b := make([]byte, 4*f.w)
	for i := range f.w {
		x := uint32(first + i)
		b[4*i], b[4*i+1], b[4*i+2], b[4*i+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	}
	return f.a.Const(b)
}

func (f *emitter) iota64(first int) x86.Mem {
	b := make([]byte, 8*f.w)
	for i := range f.w {
		x := uint64(first + i)
		for k := range 8 {
			b[8*i+k] = byte(x >> (8 * k))
		}
	}
	return f.a.Const(b)
}
