package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/bound"
)

// Row loops: before a call of machine code the worker writes addresses to the frame.
// This takes tens of nanoseconds, as long as a short row. So one call runs many rows
// if all addresses have constant steps from row to row.

// findRows decides whether one call runs many rows of a map, and sets the steps of
// the sites from row to row.
func (bp *boundPhase) findRows() {
	k := len(bp.spans)
	if k < 2 || bp.ph.kind != mapPhase || len(bp.ph.reds) > 0 {
		return
	}
	for i := range bp.sites {
		s := &bp.sites[i]
		switch {
		case s.guard: // the lanes inside differ from row to row
			return
		case s.kind == flatSite:
			s.row = bp.spans[k-1]
		case s.kind == transposedSite:
			s.row = tilePitch
		case s.kind != noSite:
			s.row = s.line.Spans[k-2].Coef
		}
	}
	bp.rows = true
}

// A rowLoop is a par loop whose body is one function.
type rowLoop struct {
	phases []*boundPhase
	inner  int // rows with the same steps
	most   int // most rows of a call
	fn     *function
}

// findRowLoop returns a par loop with its body as one function, or nil. Machine code
// must reach all sites without scratch memory or guards, with constant steps from row
// to row.
func (in *instance) findRowLoop(b *binder, it *boundItem) *rowLoop {
	r := &rowLoop{}
	lanes := 0
	for i := range it.par {
		switch x := &it.par[i]; {
		case x.scalar != nil:
			r.phases = append(r.phases, x.scalar)
		case x.vec != nil && len(x.vec.phases) == 1 && x.vec.n > 0 && x.vec.n <= x.vec.step:
			r.phases = append(r.phases, x.vec.phases[0])
			lanes += x.vec.n
		default:
			return nil
		}
	}
	var sites []*boundSite
	var as []bound.Form
	for _, bp := range r.phases {
		if bp.ph.kind == seqPhase || len(bp.spans) > 1 {
			return nil
		}
		for i := range bp.sites {
			s := &bp.sites[i]
			if s.kind == flatSite || s.kind == transposedSite || s.guard || s.dyn != nil {
				return nil
			}
			if s.kind == noSite {
				continue
			}
			a := b.Constant(0)
			for _, t := range s.line.Outer {
				a.Coef[t.Axis] += t.Coef // a digit is an axis here
			}
			sites, as = append(sites, s), append(as, a)
		}
	}
	extents, spans := b.Spans(b.Order(it.axes), as)
	if len(extents) == 0 {
		return nil // a single row
	}
	last := len(extents) - 1
	for i, s := range sites {
		s.row = spans[i][last].Coef
	}
	r.inner = extents[last]
	cost := 0.
	for _, bp := range r.phases {
		cost += in.code.gen.laneCost(bp) * float64(bp.n)
	}
	r.most = max(1, min(maxLanes/max(lanes, 1), int(maxCall/max(cost, 1e-3))))
	return r
}

// run runs rows lo..hi of a par loop.
func (r *rowLoop) run(w *worker, axes []int32, lo, hi int) {
	for lo < hi && !w.inst.Stopped() {
		rows := min(hi-lo, r.inner-lo%r.inner, r.most)
		work.Place(w.Pos, w.inst.extents, axes, lo)
		for _, bp := range r.phases {
			for _, i := range bp.native {
				s := &bp.sites[i]
				w.point(s, s.line.At(w.Pos))
			}
			w.set(bp.ph.lanes, bp.n)
		}
		w.set(frameRows, rows)
		r.fn.code.Call(w.frame)
		lo += rows
	}
}

// nextRow emits the end of a row loop: it steps the sites and jumps to again if rows
// are left.
func nextRow(a *x86.Asm, phases []*boundPhase, again x86.Label) {
	for _, bp := range phases {
		for i := range bp.sites {
			if s := &bp.sites[i]; s.row != 0 {
				a.I(x86.MOV, x86.W64, x86.RAX, frameAt(s.arg+siteRow))
				a.I(x86.ADD, x86.W64, frameAt(s.arg+sitePtr), x86.RAX)
			}
		}
	}
	a.I(x86.SUB, x86.W64, frameAt(frameRows), x86.Imm(1))
	a.I(x86.JNE, 0, again)
}

// results emits code that stores the reductions of a row, which is one block, in their
// cells.
func (f *emitter) results() {
	for i := range f.accs {
		r, area := f.accs[i].red, int(f.accs[i].area)
		cell := x86.At(x86.RDI, int32(f.c.cellBase)+r.cell*8)
		if f.accs[i].kern.arg {
			found := f.a.NewLabel()
			f.i(x86.MOV, x86.W32, x86.RAX, frameAt(area+redBytes/2))
			f.i(x86.CMP, x86.W32, x86.RAX, x86.Imm(noPosition))
			f.i(x86.JNE, 0, found)
			f.i(x86.XOR, x86.W32, x86.RAX, x86.RAX) // every element is the identity
			f.a.Bind(found)
			f.i(x86.MOV, x86.W64, cell, x86.RAX)
			continue
		}
		size := x86.W32
		if f.accs[i].kern.lane.Size() == 8 {
			size = x86.W64
		}
		f.i(x86.MOV, size, x86.RAX, frameAt(area))
		switch r.typ {
		case dtype.I8:
			f.i(x86.SHL, x86.W32, x86.RAX, x86.Imm(24))
			f.i(x86.SAR, x86.W32, x86.RAX, x86.Imm(24))
		case dtype.U8:
			f.i(x86.AND, x86.W32, x86.RAX, x86.Imm(0xff))
		case dtype.Bool: // any: not 0; all: 0
			f.i(x86.NEG, x86.W32, x86.RAX)
			f.i(x86.MOV, x86.W32, x86.RAX, x86.Imm(0))
			f.i(x86.ADC, x86.W32, x86.RAX, x86.Imm(0))
			if r.kern.all() {
				f.i(x86.XOR, x86.W32, x86.RAX, x86.Imm(1))
			}
		}
		f.i(x86.MOV, x86.W64, cell, x86.RAX)
	}
}
