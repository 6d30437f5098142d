package jit

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Rows that are reduced may be the columns of their arrays, as in sum(x.T, axis=1). Then
// neighbouring elements in memory belong to neighbouring rows: a vector has elements of as many
// rows, and a seq loop goes along all rows together. Each sum keeps its order: for each lane l of a block
// a call adds the elements l, l + L, l + 2*L ... to accumulators of their own, and another one combines
// the accumulators of all lanes.

// columnsOf returns the kernel whose rows are the lanes of a vec loop, if k is a par loop whose vec loops only
// reduce, or nil.
func columnsOf(k *ir.Kernel) *ir.Kernel {
	kind, main := bound.UnitsOf(k)
	if kind != bound.RowUnits || k.InOrder || slices.ContainsFunc(k.Bufs, func(b ir.Buf) bool { return b.Mode == ir.Row }) {
		return nil
	}
	c := *k
	c.Loops = slices.Clone(k.Loops)
	c.Loops[main].Kind = ir.Vec
	var axes []int32
	for _, in := range k.Regions[k.Loops[main].Body].Code {
		if in.Op != ir.For {
			continue
		}
		l := &c.Loops[in.Aux]
		if axes != nil && !slices.Equal(axes, l.Axes) || slices.ContainsFunc(k.Regions[l.Body].Code, func(in ir.Ins) bool { return in.Op == ir.Store || in.Op == ir.For }) {
			return nil
		}
		l.Kind, axes = ir.Seq, l.Axes
	}
	if axes == nil || slices.ContainsFunc(k.Regions[0].Code, func(in ir.Ins) bool { return in.Op != prim.Const && in.Op != ir.Scalar && in.Op != ir.For }) || ir.Check(&c) != nil {
		return nil
	}
	return &c
}

// down returns the code of the rows as columns, or nil if there is none.
func (c *code) down() *code {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked {
		return c.columns
	}
	c.asked = true
	k := columnsOf(c.k)
	if k == nil {
		return nil
	}
	p, err := lower.Kernel(k)
	if err != nil || slices.ContainsFunc(p.Phases, func(ph *lower.Phase) bool { return !ph.InLanes() }) {
		return nil
	}
	c.columns = newCode(p, c.gen)
	c.columns.k = k
	return c.columns
}

// The least rows, the least elements of each and of all that are reduced as columns. The lanes of each block
// are combined by Go, in .3 ns for an element and 45 for each lane.
const (
	leastColumns = 8
	leastLanes   = 64
	leastDown    = 1 << 13
)

// favoursColumns reports whether neighbouring elements in memory belong to neighbouring rows at all
// accesses of a kernel, and not to one row.
func (c *code) favoursColumns(b *layout.Binder) bool {
	kind, main := bound.UnitsOf(c.p.IR)
	if kind != bound.RowUnits {
		return false
	}
	par := &c.p.IR.Loops[main]
	for _, in := range c.p.IR.Regions[par.Body].Code {
		if in.Op != ir.For {
			continue
		}
		vec := &c.p.IR.Loops[in.Aux]
		rows, n := b.Product(par.Axes), b.Product(vec.Axes)
		if rows < leastColumns || n < leastLanes || rows*n < leastDown {
			return false
		}
		outer, inner := b.Order(par.Axes), b.Order(vec.Axes)
		apart := false
		for _, in := range c.p.IR.Regions[vec.Body].Code {
			if in.Op != ir.Load {
				continue
			}
			a := &b.Access[in.Aux]
			across, along := a.Offset.Coef[outer[len(outer)-1]], a.Offset.Coef[inner[len(inner)-1]]
			if across != 0 && across != 1 || slices.ContainsFunc(a.Dims, func(d bound.Dim) bool { return !d.Direct() }) {
				return false
			}
			apart = apart || across == 1 && (along < -1 || along > 1)
		}
		return apart
	}
	return false
}

// bindColumns binds the rows as columns. It returns nil if that needs copies by Go, or rows that are several spans.
func (c *code) bindColumns(b *layout.Binder) *instance {
	if !c.favoursColumns(b) {
		return nil
	}
	d := c.down()
	if d == nil {
		return nil
	}
	in, err := d.bind(b.Binding)
	if err != nil || slices.ContainsFunc(in.phases, func(bp *boundPhase) bool {
		return len(bp.SeqSpans) > 1 || len(bp.Loads)+len(bp.Stores) > 0
	}) {
		return nil
	}
	for _, bp := range in.phases {
		for i := range bp.Reds {
			if bp.Lowered.LaneStep == 0 {
				continue
			}
			fold, err := d.fold(bp.Reds[i].Kern, bp.Lowered.LaneStep)
			if err != nil {
				return nil
			}
			if _, err = fold.Bind(&ir.Binding{Extents: []int{bp.strip}, Bufs: bp.lanes(&bp.Reds[i], &accState{})}); err != nil {
				return nil
			}
			bp.folds = append(bp.folds, fold)
		}
	}
	return in
}

// lanes returns the buffers of the code that combines the accumulators of lanes in st.
func (bp *boundPhase) lanes(r *layout.SeqRed, st *accState) []ir.BufBind {
	n, size := bp.Lowered.LaneStep, r.Kern.Lane.Size()
	st.pitch = (bp.strip*size+127)&^63 | 64 // rows begin in different sets of the caches
	return []ir.BufBind{
		{Ptr: st.lanes, Strides: []int{st.pitch / size, 1}, Extents: []int{n, bp.strip}},
		{Ptr: st.folded, Strides: []int{1}, Extents: []int{bp.strip}},
	}
}

// lanesPiece runs the whole seq loop for n lanes from lo on, in the order of the lanes of a vec loop.
func (w *worker) lanesPiece(bp *boundPhase, lo, n int) {
	accs, lanes := w.accs[bp.Lowered.ID], bp.Lowered.LaneStep
	most, count := bp.run(n), 0
	own := make([]unsafe.Pointer, 0, 4)
	for i := range accs {
		own = append(own, accs[i].acc)
	}
	for block := 0; block < bp.SeqN; block += ir.Block {
		end := min(block+ir.Block, bp.SeqN)
		for lane := range lanes {
			for i := range accs {
				accs[i].acc = unsafe.Add(accs[i].lanes, lane*accs[i].pitch)
				fillLanes(accs[i].acc, n, bp.Reds[i].Kern)
			}
			for t := block + lane; t < end && !w.inst.Stopped(); t += most * lanes {
				w.seqRows(bp, lo, n, t, min(most, (end-t+lanes-1)/lanes))
			}
		}
		for i := range accs {
			st, r := &accs[i], &bp.Reds[i]
			st.fold.Run(0, n)
			st.acc = own[i]
			bytes := n * r.Kern.Lane.Size()
			copy(unsafe.Slice((*byte)(st.acc), bytes), unsafe.Slice((*byte)(st.folded), bytes))
			w.pushRun(st, r, count, n)
			own[i] = st.acc
		}
		count++
	}
	for i := range accs {
		w.finishRuns(bp, &accs[i], &bp.Reds[i], count, 0, n)
	}
}

// newLanes makes the accumulators of the lanes of reduction number i, and the worker that combines them.
func (w *worker) newLanes(bp *boundPhase, i int, st *accState) {
	r := &bp.Reds[i]
	bp.lanes(r, st)
	st.lanes, st.folded = w.memory(bp.Lowered.LaneStep*st.pitch), w.memory(bp.strip*r.Kern.Lane.Size())
	inst, err := bp.folds[i].Bind(&ir.Binding{Extents: []int{bp.strip}, Bufs: bp.lanes(r, st)})
	if err != nil {
		panic(err) // another worker, or bindColumns, has bound the same extents
	}
	st.fold = inst.NewWorker()
}

// fold returns the code that combines the accumulators of lanes: lane l and lane l + n/2, and so on.
func (c *code) fold(kern *reduce.Kern, lanes int) (backend.Code, error) {
	t, n := kern.Lane.Short(), 0
	var text strings.Builder
	emit := func(format string, args ...any) int {
		fmt.Fprintf(&text, "%%%d = "+format+"\n", append([]any{n}, args...)...)
		n++
		return n - 1
	}
	var combined func(lane, step int) int
	combined = func(lane, step int) int {
		if step == lanes {
			return emit("load %s x[%d, i]", t, lane)
		}
		x := combined(lane, 2*step)
		return emit("%s %s %%%d %%%d", kern.Op, t, x, combined(lane+step, 2*step))
	}
	all := combined(0, 1)
	k, err := ir.Parse(fmt.Sprintf("kernel fold\naxis i\nbuf x %[1]s in 2\nbuf y %[1]s out 1\n{\nvec i {\n%[2]sstore %[1]s y[i] %%%[3]d\n}\n}\n", t, &text, all))
	if err != nil {
		return nil, err
	}
	return c.gen.Compile(k)
}
