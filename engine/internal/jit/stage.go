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
	loads[s.Size](w, s, lo, n, dst)
	if inside != nil {
		w.Inside(&s.Site, inside)
	}
}

func (w *worker) store(s *layout.Staging, lo, n int, src unsafe.Pointer) {
	stores[s.Size](w, s, lo, n, src)
}

// loads and stores have for each size of an element a function that copies n lanes from lo on.
var (
	loads  = [9]func(w *worker, s *layout.Staging, lo, n int, dst unsafe.Pointer){1: loadAs[uint8], 2: loadAs[uint16], 4: loadAs[uint32], 8: loadAs[uint64]}
	stores = [9]func(w *worker, s *layout.Staging, lo, n int, src unsafe.Pointer){1: storeAs[uint8], 2: storeAs[uint16], 4: storeAs[uint32], 8: storeAs[uint64]}
)

func loadAs[T gather.Elem](w *worker, s *layout.Staging, lo, n int, dst unsafe.Pointer) {
	gather.Load(&w.Scratch, &s.Site, w.base(s.Buf), lo, unsafe.Slice((*T)(dst), n))
}

func storeAs[T gather.Elem](w *worker, s *layout.Staging, lo, n int, src unsafe.Pointer) {
	gather.Store(&w.Scratch, &s.Site, w.base(s.Buf), lo, unsafe.Slice((*T)(src), n))
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
