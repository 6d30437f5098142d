package interp

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

var _ backend.Worker = (*worker)(nil)

// set makes register r point at p.
func (f *frame) set(r int32, p unsafe.Pointer) {
	*(*unsafe.Pointer)(unsafe.Add(f.regs, r)) = p
}

func scalarKernel(f *frame, in *ins, _ int) {
	size := f.inst.code.k.Scalars[in.aux].Size()
	setBits(f.at(in.d), size, f.inst.bind.Scalars[in.aux], 1)
}

// faultKernel raises a fault if its condition holds in a lane.
func faultKernel(f *frame, in *ins, n int) {
	if holds(vec[byte](f, in.a, n)) {
		f.inst.Raise(ir.FaultKind(in.aux))
	}
}

var coldKernels = [9]kernel{1: coldKernel[uint8], 2: coldKernel[uint16], 4: coldKernel[uint32], 8: coldKernel[uint64]}

// coldKernel runs a cold region on the whole block if its condition holds in a
// lane. Then it selects the result of each lane.
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

// parKernel runs all rows of a par loop. Only kernels of one unit call it; see
// worker.Run for the others.
func parKernel(f *frame, in *ins, _ int) {
	axes := f.inst.code.k.Loops[in.aux].Axes
	parRows(f, in.body, axes, 0, lists.Product(f.inst.extents, axes))
}

// parRows runs rows lo <= row < hi of a par loop.
func parRows(f *frame, body []ins, axes []int32, lo, hi int) {
	if lo >= hi {
		return
	}
	work.Place(f.Pos, f.inst.extents, axes, lo)
	for ; lo < hi && !f.inst.Stopped(); lo++ {
		exec(f, body, 1)
		work.Advance(f.Pos, f.inst.extents, axes)
	}
}

// vecKernel runs a whole vec loop and stores the results of its reductions in
// registers.
func vecKernel(f *frame, in *ins, _ int) {
	v := &f.inst.vecs[in.aux]
	if len(v.info.reds) == 0 {
		vecElements(f, v, in.body, 0, v.n)
		return
	}
	for lo := 0; lo < v.n && !f.inst.Stopped(); lo += ir.Block {
		vecElements(f, v, in.body, lo, min(lo+ir.Block, v.n))
		for _, r := range v.info.reds {
			st, k := &f.reds[r], f.inst.code.reds[r].kern
			st.blocks.Push(k.close(f, r), k.combine)
		}
	}
	for _, r := range v.info.reds {
		k := f.inst.code.reds[r].kern
		f.setResult(r, f.reds[r].blocks.Pop(k.empty, k.combine))
	}
}

func (f *frame) setResult(r int32, p partial) {
	info := &f.inst.code.reds[r]
	setBits(f.at(info.dst*regSize), info.typ.Size(), info.result(p), 1)
}

// vecElements runs the body on positions lo <= position < hi.
func vecElements(f *frame, v *boundVec, body []ins, lo, hi int) {
	for ; lo < hi && !f.inst.Stopped(); lo += v.step {
		f.lo = lo
		if len(v.direct) > 0 {
			f.aim(v)
		}
		exec(f, body, min(v.step, hi-lo))
	}
}

// aim makes the registers of direct stores point at their arrays, at the current
// block.
func (f *frame) aim(v *boundVec) {
	if f.inst.overlap {
		return
	}
	for _, d := range v.direct {
		s := &f.sites[d.site]
		f.set(d.reg*regSize, unsafe.Add(f.base(s.buf), (s.Line.At(f.Pos)+f.lo)*d.size))
	}
}

// seqKernel runs a seq loop on the current block.
func seqKernel(f *frame, in *ins, n int) {
	q := &f.inst.seqs[in.aux]
	axes := q.info.axes
	for _, a := range axes {
		f.Pos[a] = 0
	}
	for i := range q.info.carries {
		q.info.carries[i].begin(f, n)
	}
	steps := q.n
	if q.runs > 0 {
		steps -= wideRuns(f, q, in.body, n)
	}
	for i := 0; i < steps && !f.inst.Stopped(); i++ {
		exec(f, in.body[:q.info.settled], n)
		if q.info.leaves(f, n) {
			break
		}
		exec(f, in.body[q.info.settled:], n)
		for k := range q.info.carries {
			q.info.carries[k].step(f, n)
		}
		work.Advance(f.Pos, f.inst.extents, axes)
	}
	for _, r := range q.info.runs {
		f.runs[r].finish(f, n)
	}
}

// A worker runs chunks of an instance.
type worker struct {
	frame
	run uint64 // number of the last run for which begin ran the entry code
}

// begin executes the scalar code of the entry region, once in each run.
func (w *worker) begin() {
	if w.run == w.inst.Number {
		return
	}
	w.run = w.inst.Number
	if c := w.inst.code; c.main >= 0 {
		exec(&w.frame, c.entry[:c.main], 1)
	}
}

func (w *worker) Run(lo, hi int) {
	w.begin()
	c, f := w.inst.code, &w.frame
	switch w.inst.units {
	case bound.OneUnit:
		if lo < hi {
			exec(f, c.entry, 1)
		}
	case bound.RowUnits:
		in := &c.entry[c.main]
		parRows(f, in.body, c.k.Loops[in.aux].Axes, lo, hi)
	case bound.ElementUnits:
		in := &c.entry[c.main]
		v := &w.inst.vecs[in.aux]
		vecElements(f, v, in.body, lo, hi)
	case bound.BlockUnits:
		in := &c.entry[c.main]
		v := &w.inst.vecs[in.aux]
		for b := lo; b < hi; b++ {
			vecElements(f, v, in.body, b*ir.Block, min((b+1)*ir.Block, v.n))
			for i, r := range v.info.reds {
				w.inst.partials[i][b] = c.reds[r].kern.close(f, r)
			}
		}
	}
	w.home()
}

// home makes all registers point at the arena again. Between two runs the caller
// may free the arrays, so a worker must not keep pointers to them.
func (w *worker) home() {
	for _, r := range w.inst.visitors {
		w.table[r] = w.homes[r]
	}
}

func (in *instance) Finish(b backend.Worker) ir.FaultKind {
	w := b.(*worker)
	if c := in.code; c.main >= 0 {
		w.begin()
		if in.units == bound.BlockUnits {
			for i, r := range in.vecs[c.entry[c.main].aux].info.reds {
				k := c.reds[r].kern
				w.setResult(r, pairwise.Reduce(in.partials[i], k.empty, k.combine))
			}
		}
		exec(&w.frame, c.entry[c.main+1:], 1)
		w.home()
	}
	return in.Fault()
}

// A carryInfo has the registers of a value that a seq loop carries: before the
// loop, in the current step, and for the next step. The last becomes the result.
type carryInfo struct {
	carry            ir.Value
	first, now, next int32
	size             int // of an element, in bytes
}

// carry adds a carry to the seq loop. Its registers live from the start of the
// loop to the end.
func (c *compiler) carry(in *ir.Ins) {
	first := c.inAllLanes(in.Args[0])
	c.regs[in.Dst].vector = true
	q := &c.code.seqs[c.seqIndex()]
	q.carries = append(q.carries, carryInfo{carry: in.Dst, first: first, now: in.Dst, size: in.Type.Size()})
}

// next appends the copy of the value for the next step to a register of its own:
// the carries change together, when the step ends.
func (c *compiler) next(in *ir.Ins) {
	q := &c.code.seqs[c.seqIndex()]
	for i := range q.carries {
		if y := &q.carries[i]; y.carry == in.Args[0] {
			y.next = in.Dst
			c.putVector(stub{ins: ins{fn: copyKernels[y.size]}, reads: []int32{c.inAllLanes(in.Args[1])}}, in.Dst)
			return
		}
	}
	c.fail("a next without its carry")
}

var copyKernels = [9]kernel{1: copyKernel[uint8], 2: copyKernel[uint16], 4: copyKernel[uint32], 8: copyKernel[uint64]}

func copyKernel[T rawElem](f *frame, in *ins, n int) {
	copy(vec[T](f, in.d, n), vec[T](f, in.a, n))
}

// begin stores the first value. It is the result of a loop without steps.
func (y *carryInfo) begin(f *frame, n int) {
	first := vec[byte](f, y.first*regSize, n*y.size)
	copy(vec[byte](f, y.now*regSize, n*y.size), first)
	copy(vec[byte](f, y.next*regSize, n*y.size), first)
}

// step ends a step.
func (y *carryInfo) step(f *frame, n int) {
	copy(vec[byte](f, y.now*regSize, n*y.size), vec[byte](f, y.next*regSize, n*y.size))
}

// leaves reports whether no later step changes a value that the loop carries.
func (q *seqInfo) leaves(f *frame, n int) bool {
	return len(q.held) > 0 && !slices.ContainsFunc(q.held, func(r int32) bool { return holds(vec[uint8](f, r*regSize, n)) })
}
