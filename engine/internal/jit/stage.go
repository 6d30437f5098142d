package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// Staging: Go copies elements that machine code cannot reach to scratch memory before
// the code runs, or from scratch memory after it.

// Value fills dst with the value of a cell, for an index expression.
func (w *worker) Value(cell int32, dst []int64) {
	v := int64(*w.cell(cell))
	for i := range dst {
		dst[i] = v
	}
}

// load copies n lanes from lo on to dst. If inside is not nil, load sets it to 1 for
// the lanes whose element it read.
func (w *worker) load(s *layout.Staging, lo, n int, dst unsafe.Pointer, inside []uint8) {
	if s.Index {
		w.Index(&s.Site, lo, unsafe.Slice((*int64)(dst), n))
		return
	}
	base := w.base(s.Buf)
	switch s.Size {
	case 1:
		gather.Load(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint8)(dst), n))
	case 2:
		gather.Load(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint16)(dst), n))
	case 4:
		gather.Load(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint32)(dst), n))
	default:
		gather.Load(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint64)(dst), n))
	}
	if inside != nil {
		w.Inside(&s.Site, inside)
	}
}

func (w *worker) store(s *layout.Staging, lo, n int, src unsafe.Pointer) {
	base := w.base(s.Buf)
	switch s.Size {
	case 1:
		gather.Store(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint8)(src), n))
	case 2:
		gather.Store(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint16)(src), n))
	case 4:
		gather.Store(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint32)(src), n))
	default:
		gather.Store(&w.Scratch, &s.Site, base, lo, unsafe.Slice((*uint64)(src), n))
	}
}

// repeat fills the scratch memory of the periodic loads of a phase: with enough periods
// for the lanes of a call from anywhere in the first.
func (w *worker) repeat(bp *boundPhase) {
	for _, i := range bp.Loads {
		s := bp.Sites[i].Stage
		if s.Period == 0 {
			continue
		}
		dst := w.scratchOf(bp, i)
		w.load(s, 0, s.Period, dst, nil)
		all := unsafe.Slice((*byte)(dst), (min(bp.strip, bp.N)+s.Period)*s.Size)
		for have := s.Period * s.Size; have < len(all); have *= 2 {
			copy(all[have:], all[:have])
		}
	}
}
