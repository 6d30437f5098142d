package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The methods of [isa.Finder].

func (f *avx2) SpreadFirst(t dtype.Type, d, x isa.Vec) {
	f.I(pick(t, x86.VPBROADCASTD, x86.VPBROADCASTQ), f.LenOf(t), d, x)
}

func (f *avx2) Matches(t dtype.Type, best isa.Vec, x []isa.Vec) {
	l, any := f.LenOf(t), f.Tmp()
	for i := range x {
		f.Within(func() {
			m := any
			if i > 0 {
				m = f.Tmp()
			}
			if t.IsFloat() {
				f.compare(t, m, x[i], best, 0)
				nan := f.Tmp()
				f.compare(t, nan, x[i], x[i], 3)
				f.I(x86.VORPS, l, m, m, nan)
			} else {
				f.compareInts(prim.Eq, t, m, x[i], best)
			}
			if i > 0 {
				f.I(x86.VORPS, l, any, any, m)
			}
		})
	}
	f.I(pick(t, x86.VMOVMSKPS, x86.VMOVMSKPD), l, x86.RAX, any)
}

func (f *avx2) FirstBit() { f.I(x86.TZCNT, x86.W64, x86.RAX, x86.RAX) }
