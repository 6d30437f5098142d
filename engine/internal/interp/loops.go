package interp

import (
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/plan/ir"
)

var _ backend.Worker = (*worker)(nil)

// set points register r at p.
func (f *frame) set(r int32, p unsafe.Pointer) {
	*(*unsafe.Pointer)(unsafe.Add(f.regs, r)) = p
}

func scalarKernel(f *frame, in *ins, _ int) {
	size := f.inst.code.k.Scalars[in.aux].Size()
	setBits(f.at(in.d), size, f.inst.bind.Scalars[in.aux])
}

// faultKernel raises a fault: the least of a run stays.
func faultKernel(f *frame, in *ins, n int) {
	if !holds(vec[byte](f, in.a, n)) {
		return
	}
	for {
		old := f.inst.fault.Load()
		if old != 0 && old <= in.aux || f.inst.fault.CompareAndSwap(old, in.aux) {
			return
		}
	}
}

var coldKernels = [9]kernel{1: coldKernel[uint8], 4: coldKernel[uint32], 8: coldKernel[uint64]}

// coldKernel runs a region on the whole block if a lane needs it.
func coldKernel[T rawElem](f *frame, in *ins, n int) {
	p := vec[byte](f, in.a, n)
	if !holds(p) {
		copy(vec[T](f, in.d, n), vec[T](f, in.b, n))
		return
	}
	exec(f, in.body, n)
	d, fast, slow := vec[T](f, in.d, n), vec[T](f, in.b, n), vec[T](f, in.c, n)
	for i := range d {
		d[i] = fast[i] ^ (slow[i]^fast[i])&-T(p[i])
	}
}

// parKernel runs all rows: only kernels of one unit get here.
func parKernel(f *frame, in *ins, _ int) {
	axes := f.inst.code.k.Loops[in.aux].Axes
	parRows(f, in.body, axes, 0, f.inst.product(axes))
}

// parRows runs some rows of a par loop.
func parRows(f *frame, body []ins, axes []int32, lo, hi int) {
	if lo >= hi {
		return
	}
	f.place(axes, lo)
	for ; lo < hi && !f.inst.stopped(); lo++ {
		exec(f, body, 1)
		f.advance(axes)
	}
}

// place sets the positions on axes to flattened position p.
func (f *frame) place(axes []int32, p int) {
	for i := len(axes) - 1; i >= 0; i-- {
		e := f.inst.extents[axes[i]]
		f.pos[axes[i]] = p % e
		p /= e
	}
}

// advance goes to the next position on axes, and from the last to the first.
func (f *frame) advance(axes []int32) {
	for i := len(axes) - 1; i >= 0; i-- {
		f.pos[axes[i]]++
		if f.pos[axes[i]] < f.inst.extents[axes[i]] {
			return
		}
		f.pos[axes[i]] = 0
	}
}

// vecKernel runs a whole vec loop and leaves its reductions in registers.
func vecKernel(f *frame, in *ins, _ int) {
	v := &f.inst.vecs[in.aux]
	if len(v.info.reds) == 0 {
		vecElements(f, v, in.body, 0, v.n)
		return
	}
	for lo := 0; lo < v.n && !f.inst.stopped(); lo += reduceBlock {
		vecElements(f, v, in.body, lo, min(lo+reduceBlock, v.n))
		for _, r := range v.info.reds {
			st, k := &f.reds[r], f.inst.code.reds[r].kern
			st.blocks.Push(k.close(st), k.combine)
		}
	}
	for _, r := range v.info.reds {
		k := f.inst.code.reds[r].kern
		f.setResult(r, f.reds[r].blocks.Pop(k.empty, k.combine))
	}
}

func (f *frame) setResult(r int32, p partial) {
	info := &f.inst.code.reds[r]
	setBits(f.at(info.dst*regSize), info.typ.Size(), info.result(p))
}

// vecElements runs the body on positions lo..hi.
func vecElements(f *frame, v *boundVec, body []ins, lo, hi int) {
	for ; lo < hi && !f.inst.stopped(); lo += v.step {
		f.lo = lo
		if len(v.direct) > 0 {
			f.aim(v)
		}
		exec(f, body, min(v.step, hi-lo))
	}
}

// aim points the registers of direct stores at their arrays.
func (f *frame) aim(v *boundVec) {
	if f.inst.overlap {
		return
	}
	for _, d := range v.direct {
		s := &f.sites[d.site]
		f.set(d.reg*regSize, unsafe.Add(f.base(s.buf), (s.line.at(f)+f.lo)*d.size))
	}
}

// seqKernel runs a seq loop on the current block.
func seqKernel(f *frame, in *ins, n int) {
	q := &f.inst.seqs[in.aux]
	axes := q.info.axes
	for _, a := range axes {
		f.pos[a] = 0
	}
	steps := q.n
	if q.runs > 0 {
		steps -= wideRuns(f, q, in.body, n)
	}
	for i := 0; i < steps && !f.inst.stopped(); i++ {
		exec(f, in.body, n)
		f.advance(axes)
	}
	for _, r := range q.info.runs {
		f.runs[r].finish(f, n)
	}
}

// A worker runs chunks of an instance.
type worker struct {
	frame
	run uint64 // the run whose entry code is done
}

// begin runs the scalar code of the entry once in each run.
func (w *worker) begin() {
	if w.run == w.inst.run {
		return
	}
	w.run = w.inst.run
	c := w.inst.code
	if c.main >= 0 {
		exec(&w.frame, c.entry[:c.main], 1)
	}
}

func (w *worker) Run(lo, hi int) {
	w.begin()
	c, f := w.inst.code, &w.frame
	switch c.units {
	case oneUnit:
		if lo < hi {
			exec(f, c.entry, 1)
		}
	case rowUnits:
		in := &c.entry[c.main]
		parRows(f, in.body, c.k.Loops[in.aux].Axes, lo, hi)
	case elementUnits:
		in := &c.entry[c.main]
		v := &w.inst.vecs[in.aux]
		vecElements(f, v, in.body, lo, hi)
	case blockUnits:
		in := &c.entry[c.main]
		v := &w.inst.vecs[in.aux]
		for b := lo; b < hi; b++ {
			vecElements(f, v, in.body, b*reduceBlock, min((b+1)*reduceBlock, v.n))
			for i, r := range v.info.reds {
				w.inst.partials[i][b] = c.reds[r].kern.close(&f.reds[r])
			}
		}
	}
	w.home()
}

// home takes registers back from the arrays they pointed at, so that a worker
// between runs does not hold on to memory that may be gone.
func (w *worker) home() {
	for _, r := range w.inst.visitors {
		w.table[r] = w.homes[r]
	}
}

func (in *instance) Finish(b backend.Worker) ir.FaultKind {
	w := b.(*worker)
	c := in.code
	if c.main >= 0 {
		w.begin()
		if c.units == blockUnits {
			for i, r := range in.vecs[c.entry[c.main].aux].info.reds {
				k := c.reds[r].kern
				w.setResult(r, pairwise.Reduce(in.partials[i], k.empty, k.combine))
			}
		}
		exec(&w.frame, c.entry[c.main+1:], 1)
		w.home()
	}
	return ir.FaultKind(in.fault.Load())
}

type atomicFault = atomic.Int32
