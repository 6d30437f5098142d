package jit

import (
	"unsafe"

	"github.com/oneloop/oneloop/dtype"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
)

// A shortcut is what a worker needs for a kernel that is one plain map, side by
// side. A run of few elements takes no longer than to find that in the instance,
// and in one of many the elements have driven it out of the caches.
type shortcut struct {
	code    *exec.Code
	step    int // lanes of a call at most; 0: there is no shortcut
	lanes   *int
	sites   []plainSite
	scalars []scalarCopy
}

// A scalarCopy goes from the binding to a cell.
type scalarCopy struct{ to, from *uint64 }

// findShortcut prepares one, if the kernel is simple enough. What is not plain,
// or must be computed before the loop or after it, goes the long way.
func (w *worker) findShortcut() {
	in := w.inst
	if in.code.p.units != elementUnits || len(in.items) != 1 {
		return
	}
	v := in.items[0].vec
	if len(v.phases) != 1 || v.phases[0].plain == nil || v.phases[0].streamed != nil {
		return
	}
	bp := v.phases[0]
	var scalars []scalarCopy
	for i, t := range in.code.p.k.Scalars {
		if t == dtype.I8 || t == dtype.U8 { // not as they are: see canonical
			return
		}
		scalars = append(scalars, scalarCopy{w.cell(int32(i)), &in.bind.Scalars[i]})
	}
	w.set(frameRows, 1)
	w.short = shortcut{bp.fn.code, min(v.step, bp.strip), (*int)(unsafe.Add(w.frame, bp.ph.lanes)), bp.plain, scalars}
}

// run does lanes lo..hi, step at most.
func (s *shortcut) run(frame unsafe.Pointer, lo, hi int) {
	for _, c := range s.scalars {
		*c.to = *c.from
	}
	for i := range s.sites {
		p := &s.sites[i]
		*(*uintptr)(unsafe.Add(frame, p.arg)) = uintptr(*p.ptr) + uintptr(p.base+lo*p.step)
	}
	*s.lanes = hi - lo
	s.code.Call(frame)
}
