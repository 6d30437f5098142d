package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/plan/bound"
)

// Staging: Go copies elements that machine code cannot reach to scratch memory before
// the code runs, or from scratch memory after it.

// A stager is the staging copy of one site.
type stager struct {
	site  gather.Access
	buf   int32
	size  int
	index bool // copies the values of an index expression
}

// at returns the loop digits and cells of a phase, for sites that Go copies.
func (b *binder) at(ph *phase, digits []int) gather.At {
	return gather.At{Kernel: b.Kernel, Digits: digits, Handle: ph.cellOf}
}

// stagedSite makes Go copy the elements of a site.
func (l *layouter) stagedSite(i int) {
	info, s := &l.ph.sites[i], &l.bp.sites[i]
	st := &stager{buf: info.buf, size: info.typ.Size(), index: info.access < 0}
	if at := l.at(l.ph, l.vec); st.index {
		st.site = at.Index(info.ix)
	} else {
		st.site = at.Access(&l.Access[info.access])
	}
	l.guards[i] = nil
	*s = boundSite{kind: flatSite, staged: true, guard: st.site.Masked(), buf: info.buf, array: -1, size: st.size, arg: s.arg, stage: st}
}

// stagedIndex makes Go compute an affine index.
func (l *layouter) stagedIndex(s *boundSite, f bound.Form) {
	st := &stager{buf: -1, size: 8, index: true, site: l.at(l.ph, l.vec).Form(f)}
	*s = boundSite{kind: flatSite, staged: true, buf: -1, array: -1, size: 8, arg: s.arg, stage: st}
}

// Value fills dst with the value of a cell, for an index expression.
func (w *worker) Value(cell int32, dst []int64) {
	v := int64(*w.cell(cell))
	for i := range dst {
		dst[i] = v
	}
}

// load copies n lanes from lo on to dst. If inside is not nil, load sets it to 1 for
// the lanes whose element it read.
func (s *stager) load(w *worker, lo, n int, dst unsafe.Pointer, inside []uint8) {
	if s.index {
		w.Index(&s.site, lo, unsafe.Slice((*int64)(dst), n))
		return
	}
	base := w.base(s.buf)
	switch s.size {
	case 1:
		gather.Load(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint8)(dst), n))
	case 2:
		gather.Load(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint16)(dst), n))
	case 4:
		gather.Load(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint32)(dst), n))
	default:
		gather.Load(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint64)(dst), n))
	}
	if inside != nil {
		w.Inside(&s.site, inside)
	}
}

func (s *stager) store(w *worker, lo, n int, src unsafe.Pointer) {
	base := w.base(s.buf)
	switch s.size {
	case 1:
		gather.Store(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint8)(src), n))
	case 2:
		gather.Store(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint16)(src), n))
	case 4:
		gather.Store(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint32)(src), n))
	default:
		gather.Store(&w.Scratch, &s.site, base, lo, unsafe.Slice((*uint64)(src), n))
	}
}
