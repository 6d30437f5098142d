package jit

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// Streams: arrays that are too large for the caches.

// passes reports whether the stores of a site pass by the caches.
func (f *flow) passes(i int32) bool { return f.stream && f.bp.sites[i].pure }

// alignStores makes the first lanes go through the masked loop, up to where the
// stores that pass by the caches are aligned. It reports whether there are any.
func (f *flow) alignStores(main, masked x86.Label) bool {
	for i := range f.bp.sites {
		s := &f.bp.sites[i]
		if !f.passes(int32(i)) {
			continue
		}
		vector := f.w * s.size
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+sitePtr))
		f.i(x86.NEG, x86.W64, x86.RCX)
		f.i(x86.AND, x86.W64, x86.RCX, x86.Imm(vector-1))
		f.i(x86.SHR, x86.W64, x86.RCX, x86.Imm(bits.TrailingZeros(uint(s.size))))
		f.i(x86.JE, 0, main)
		f.i(x86.MOV, x86.W64, x86.RAX, frameAt(f.ph.lanes))
		f.i(x86.CMP, x86.W64, x86.RCX, x86.RAX)
		f.i(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
		f.i(x86.JMP, 0, masked)
		return true
	}
	return false
}
