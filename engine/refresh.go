package engine

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr"
)

// A refresher puts the addresses and scalars of a kernel into its binding before
// each run. What it needs lies together: after a run most of the first-level cache
// holds elements, and each line that has to be fetched again shows in short runs.
type refresher struct {
	arrays []arraySource
	cells  []cellSource
}

// An arraySource is a buffer in memory that may be bound anew.
type arraySource struct {
	to  *unsafe.Pointer
	mem *Memory
	off int // bytes
}

type cellSource struct {
	to   *uint64
	cell *expr.Cell
}

// newRefresher finds what may change, and sets what stays.
func (l *loopStep) newRefresher(p *Program) *refresher {
	r := &refresher{}
	for i := range l.s.Bufs {
		a := l.s.Bufs[i].Array
		if a == nil {
			continue
		}
		to := &l.bind.Bufs[i].Ptr
		if a.Mem == nil {
			*to = p.address(a)
			continue
		}
		r.arrays = append(r.arrays, arraySource{to, a.Mem.(*Memory), a.Offset * a.Type.Size()})
	}
	for i := range l.s.Scalars {
		s := &l.s.Scalars[i]
		if s.Cell == nil {
			l.bind.Scalars[i] = s.Bits
			continue
		}
		r.cells = append(r.cells, cellSource{&l.bind.Scalars[i], s.Cell})
	}
	return r
}

// refresh reads the addresses and scalars as they are now.
func (l *loopStep) refresh(p *Program) {
	if l.refresher == nil {
		l.refresher = l.newRefresher(p)
	}
	for i := range l.refresher.arrays {
		s := &l.refresher.arrays[i]
		if data := s.mem.data; len(data) > 0 {
			*s.to = unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), s.off)
		} else {
			*s.to = nil
		}
	}
	for i := range l.refresher.cells {
		s := &l.refresher.cells[i]
		*s.to = s.cell.Load()
	}
}
