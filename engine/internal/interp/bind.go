package interp

import (
	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A site is an access with the numbers of a binding.
type site struct {
	gather.Access
	buf  int32
	view bool // the register of the access points at the array instead of the arena
}

// A binder computes the accesses of an instance.
type binder struct {
	*bound.Kernel
	code   *code
	inst   *instance
	orders [][]int // the digits of each vec loop, outermost first
	tiled  []tile  // by vec loop; zero if the loop has no tiles
}

// site returns the bound access of a load, a store or an index.
func (b *binder) site(info *siteInfo) (s site) {
	for _, l := range info.guard {
		if b.Product(b.IR.Loops[l].Axes) == 0 {
			return site{Access: gather.Access{Kind: gather.Skip}}
		}
	}
	at := gather.At{Kernel: b.Kernel, Handle: func(v ir.Value) int32 { return root(b.code.regs, v) }}
	if info.vec >= 0 {
		at.Digits = b.orders[info.vec]
	}
	if info.access < 0 {
		s = site{Access: at.Index(info.ix), buf: -1}
	} else {
		a := &b.Access[info.access]
		s.buf = a.Buf
		s.Access = at.Access(a)
		s.view = info.view && s.Contiguous()
	}
	b.inst.need.Add(&s.Access)
	return s
}
