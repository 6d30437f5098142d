package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/bound"
)

// A shortcut keeps all that a worker needs for a kernel that is one plain map. To
// find this in the instance takes longer than a short run, and a long run evicts the
// instance from the caches.
type shortcut struct {
	code    *exec.Code
	step    int  // most lanes of a call; 0: there is no shortcut
	row     int  // lanes of a row, if a call runs whole rows
	all     bool // run can run all lanes
	lanes   *int
	rows    *int
	sites   []layout.PlainSite
	scalars []scalarCopy
}

// A scalarCopy copies a scalar of the binding to its cell.
type scalarCopy struct{ to, from *uint64 }

// findShortcut prepares a shortcut if the kernel is one plain map, with nothing to
// compute before the loop or after it.
func (w *worker) findShortcut() {
	in := w.inst
	if in.code.p.Units != bound.ElementUnits || len(in.items) != 1 {
		return
	}
	v := in.items[0].vec
	if len(v.phases) != 1 {
		return
	}
	bp := v.phases[0]
	if bp.Plain == nil || bp.streamed != nil || bp.Rows && (bp.Tiled || v.row == 0) {
		return
	}
	var scalars []scalarCopy
	for i, t := range in.code.p.IR.Scalars {
		if t == dtype.I8 || t == dtype.U8 { // cells hold another form: see canonical
			return
		}
		scalars = append(scalars, scalarCopy{w.cell(int32(i)), &in.bind.Scalars[i]})
	}
	w.short = shortcut{
		code: bp.fn.code, step: min(v.step, bp.strip), row: v.row,
		lanes: (*int)(unsafe.Add(w.frame, bp.Lowered.Lanes)), rows: (*int)(unsafe.Add(w.frame, frame.Rows)),
		sites: bp.Plain, scalars: scalars,
	}
	w.short.all = w.short.does(0, in.count)
}

// does reports whether run can run lanes lo..hi.
func (s *shortcut) does(lo, hi int) bool {
	n := hi - lo
	return 0 < n && n <= s.step && (s.row == 0 || lo%s.row == 0 && n%s.row == 0)
}

func (s *shortcut) run(frame unsafe.Pointer, lo, hi int) {
	n, rows := hi-lo, 1
	if s.row > 0 {
		lo, n, rows = lo/s.row, s.row, n/s.row
	}
	for _, c := range s.scalars {
		*c.to = *c.from
	}
	for i := range s.sites {
		p := &s.sites[i]
		*(*uintptr)(unsafe.Add(frame, p.Arg)) = uintptr(*p.Ptr) + uintptr(p.Base+lo*p.Step)
	}
	*s.lanes, *s.rows = n, rows
	s.code.Call(frame)
}
