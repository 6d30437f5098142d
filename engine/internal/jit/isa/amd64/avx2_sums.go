package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// orValues joins predicates with an accumulator that waits for one instruction.
func (f *avx2) orValues(d x86.Vec, x []x86.Vec) {
	m, pair := f.Tmp(), f.Tmp()
	f.I(x86.VPOR, x86.L256, m, x[0], x[1])
	for i := 2; i < len(x); i += 2 {
		y := x[i]
		if i+1 < len(x) {
			f.I(x86.VPOR, x86.L256, pair, y, x[i+1])
			y = pair
		}
		f.I(x86.VPOR, x86.L256, m, m, y)
	}
	f.I(x86.VPOR, x86.L256, d, d, m)
}

// sumValues is sumNarrow for several vectors, at most 8. It joins them before it widens their sums.
func (f *avx2) sumValues(t dtype.Type, d x86.Vec, x []x86.Vec) {
	const l = x86.L256
	s, next, u := f.Tmp(), f.Tmp(), f.Tmp()
	// join adds part of each vector, which may overwrite to.
	join := func(add x86.Op, part func(to, v x86.Vec)) {
		part(s, x[0])
		for _, v := range x[1:] {
			part(next, v)
			f.I(add, l, s, s, next)
		}
	}
	switch {
	case t == dtype.Bool: // each lane is -1 or 0
		add := f.pickLane(t, x86.VPADDB, x86.VPADDW, 0, 0)
		f.I(add, l, s, x[0], x[1])
		for _, v := range x[2:] {
			f.I(add, l, s, s, v)
		}
		f.I(f.pickLane(t, x86.VPABSB, x86.VPABSW, 0, 0), l, s, s)
		f.zero(dtype.I8, u)
		f.I(x86.VPSADBW, l, s, s, u)
		f.I(x86.VPADDQ, l, d, d, s)
	case f.LaneSize == 1: // of signed numbers with their sign flipped
		f.zero(dtype.I8, u)
		join(x86.VPADDD, func(to, v x86.Vec) {
			if t.IsSigned() {
				f.I(x86.VPXOR, l, to, v, f.full(dtype.U8, signBit(dtype.U8)))
				v = to
			}
			f.I(x86.VPSADBW, l, to, v, u)
		})
		f.I(x86.VPADDQ, l, d, d, s)
		if t.IsSigned() {
			f.I(x86.VPSUBQ, l, d, d, f.series(32, uint64(8*len(x))*signBit(dtype.U8), 0, true))
		}
	default: // sums of two words, as the product is signed
		flip := frame.Lane(t, f.LaneSize) == dtype.U16
		join(x86.VPADDD, func(to, v x86.Vec) {
			if flip {
				f.I(x86.VPXOR, l, to, v, f.words(0x8000))
				v = to
			}
			f.I(x86.VPMADDWD, l, to, v, f.words(1))
		})
		if flip {
			f.I(x86.VPADDD, l, s, s, f.series(32, uint64(2*len(x))*0x8000, 0, false))
		}
		f.I(x86.VPMOVSXDQ, l, u, s)
		f.I(x86.VPADDQ, l, d, d, u)
		f.UpperHalf(s, s, 32)
		f.I(x86.VPMOVSXDQ, l, s, s)
		f.I(x86.VPADDQ, l, d, d, s)
	}
}
