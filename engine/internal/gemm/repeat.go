package gemm

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/plan/ir"
)

// A repeat has the calls of a run that only calls kernels. The same calls do it again until the binding changes. Their arguments
// are copies, in memory that keeps no array alive. A nil repeat notes nothing.
type repeat struct {
	calls []exec.Bound
	most  int    // calls that are listed
	next  int    // of the run that gives them their arguments
	lists bool   // the calls are listed, and not made
	ready bool   // they have the arguments of the last run
	fault uint64 // always 0
}

// The limits of a repeat: of its calls, and of the bytes that its worker has for sums that wait or for a packed B.
const mostCalls, mostOwn = 32, 32 << 10

// The arguments that kernels change, by their offsets.
var (
	noWords    []uintptr // of one tile, and along the terms
	tileWords  = []uintptr{unsafe.Offsetof(args{}.a), unsafe.Offsetof(args{}.b), unsafe.Offsetof(args{}.c), unsafe.Offsetof(args{}.out), unsafe.Offsetof(args{}.ahead), unsafe.Offsetof(args{}.tiles), unsafe.Offsetof(args{}.more)}
	packWords  = []uintptr{unsafe.Offsetof(packArgs{}.to), unsafe.Offsetof(packArgs{}.from), unsafe.Offsetof(packArgs{}.vecs), unsafe.Offsetof(packArgs{}.table)}
	sweepWords = []uintptr{unsafe.Offsetof(vectorArgs{}.a), unsafe.Offsetof(vectorArgs{}.x), unsafe.Offsetof(vectorArgs{}.n), unsafe.Offsetof(vectorArgs{}.add)}
)

var _ backend.Whole = (*worker)(nil)

// repeats reports whether a run may only call kernels, with little memory but the operands and results.
func (d *Product) repeats() bool {
	e, p := &d.machine, &d.p
	switch {
	case len(p.OffC) > mostCalls, d.edge != nil && !d.edge.repeats():
		return false
	case d.eng != engine(e):
		return d.straight && d.vectors.waits() <= mostOwn
	}
	return d.nr*d.nc == 1 && d.sections == 1 && (!d.apart || e.sums > 0) && p.After == nil && !e.streams &&
		!e.packA && !e.copiesB && !e.passing && !e.halfB && p.GridB == nil && e.packedB() <= mostOwn
}

// ownMemory returns the memory that a run uses, which no other worker has. It may be empty, but not nil.
func (d *Product) ownMemory() *scratch {
	if d.straight {
		return &scratch{a: aligned(d.vectors.waits() + cacheLine)}
	}
	return &scratch{b: aligned(d.machine.packedB() + cacheLine)}
}

// list lists the calls of a run. Its arrays are where no memory is: the race detector lets Go code compute with such addresses.
func (r *repeat) list(w *worker) {
	bufs := w.d.bind.Bufs
	given := [3]unsafe.Pointer{bufs[0].Ptr, bufs[1].Ptr, bufs[2].Ptr}
	for i := range given {
		bufs[i].Ptr = unsafe.Add(nil, math.MaxInt/2)
	}
	r.lists, r.most = true, mostCalls
	w.Run(0, w.d.units())
	for i, p := range given {
		bufs[i].Ptr = p
	}
	if r.lists = false; len(r.calls) > r.most {
		r.calls = nil
	}
	for i := 1; i < len(r.calls); i++ {
		r.calls[i-1].Next = &r.calls[i]
	}
}

// call calls a kernel with a block of arguments of so many bytes, of which it changes some words, and notes both.
func (r *repeat) call(code *exec.Code, args unsafe.Pointer, size uintptr, words []uintptr) {
	switch {
	case r == nil:
	case r.lists && len(r.calls) > r.most:
		return
	case r.lists:
		c := exec.Bound{Code: code, Args: unsafe.Pointer(&make([]uint64, size/wordSize)[0])}
		for _, at := range words {
			c.Words = append(c.Words, exec.Word{At: (*int)(unsafe.Add(c.Args, at))})
		}
		r.calls = append(r.calls, c)
		return
	case r.ready && r.next < len(r.calls) && r.calls[r.next].Code == code:
		c := &r.calls[r.next]
		copy(unsafe.Slice((*byte)(c.Args), size), unsafe.Slice((*byte)(args), size))
		for i := range c.Words {
			c.Words[i].Is = *c.Words[i].At
		}
		r.next++
	default:
		r.ready = false
	}
	code.Call(args)
}

// spoils reports whether the calls of a run are listed. The run does more than to call kernels, so the list will be empty.
func (r *repeat) spoils() bool {
	if r == nil || !r.lists {
		return false
	}
	r.most = 0
	return true
}

// RunAll is Begin, Run of all units, and Finish. See [backend.Whole].
func (w *worker) RunAll(same bool) ir.FaultKind {
	r := w.repeat
	if same && r.ready {
		for i := range r.calls {
			exec.Put(r.calls[i].Words)
			r.calls[i].Call()
		}
		return ir.NoFault
	}
	r.next, r.ready = 0, len(r.calls) > 0
	w.d.Begin()
	w.Run(0, w.d.units())
	r.ready = r.ready && r.next == len(r.calls) && !w.d.machine.lower // else results are copied, too
	return w.d.Finish(w)
}

// Again returns the calls of a repeat, which the first call lists. See [backend.Whole].
func (w *worker) Again() (calls *exec.Bound, faults *uint64, ready bool) {
	if w.own == nil && w.d.repeats() {
		w.vector.repeat, w.own = w.repeat, w.d.ownMemory()
		if w.edge != nil {
			w.edge.own = w.d.edge.ownMemory()
		}
		w.repeat.list(w)
	}
	if len(w.repeat.calls) > 0 {
		calls = &w.repeat.calls[0]
	}
	return calls, &w.repeat.fault, w.repeat.ready
}

// Faults returns none. See [backend.Whole].
func (w *worker) Faults() ir.FaultKind { return ir.NoFault }
