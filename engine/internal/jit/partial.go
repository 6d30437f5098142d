package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/expr/dtype"
)

// within stands for a block that was added to the result of the block before it.
var within = reduce.Partial{Index: -1}

// result returns what the cell of the reduction holds for p.
func (r *boundRed) result(p reduce.Partial) uint64 {
	if r.Kern.Arg {
		return uint64(p.Index)
	}
	return p.Bits
}

// settled reports whether no other element changes the result p of a predicate.
func (r *boundRed) settled(p reduce.Partial) bool { return (p.Bits != 0) != r.Kern.All() }

// partial returns the result of the block from lo on.
func (w *worker) partial(r *boundRed, lo int) reduce.Partial {
	area := unsafe.Add(w.frame, r.area)
	p := reduce.Partial{Bits: *(*uint64)(area)}
	switch {
	case r.Type == dtype.Bool:
		p.Bits = frame.Bit((uint32(p.Bits) != 0) != r.Kern.All())
	case r.Kern.Lane.Size() == 4:
		p.Bits = frame.Canonical(r.Type, uint64(uint32(p.Bits)))
	}
	if r.Kern.Arg {
		p.Index = int64(*(*int32)(unsafe.Add(area, frame.PosOffset)))
		if p.Index == frame.NoPosition {
			p.Index = 0 // every element is the identity
		}
		p.Index += int64(lo)
	}
	return p
}
