package jit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
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
	if axes == nil || ir.Check(&c) != nil {
		return nil
	}
	return &c
}

// The least rows that are reduced as columns, if those of several lanes follow each other in memory, and if not; the least elements of
// each and of all. The accumulators of the lanes of each block are filled and combined, which takes as long as some rows.
const (
	leastColumns = 2
	leastApart   = 5
	leastLanes   = 64
	leastDown    = 1 << 13
)

// favoursColumns reports whether neighbouring elements in memory belong to neighbouring rows at all
// accesses of a kernel, and not to one row. Wide vectors take every second element of long rows too, such as parts of complex numbers.
func (c *code) favoursColumns(b *layout.Binder) bool {
	kind, main := bound.UnitsOf(c.p.IR)
	if kind != bound.RowUnits {
		return false
	}
	par, apart := &c.p.IR.Loops[main], false
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
		for _, in := range c.p.IR.Regions[vec.Body].Code {
			if in.Op != ir.Load {
				continue
			}
			a := &b.Access[in.Aux]
			across, along := a.Offset.Coef[outer[len(outer)-1]], a.Offset.Coef[inner[len(inner)-1]]
			seconds := b.Bytes >= 64 && n >= 4*leastLanes && c.p.IR.Bufs[a.Buf].Type.Size() >= 4
			if across < 0 || across > 2 || across == 2 && !seconds || slices.ContainsFunc(a.Dims, func(d bound.Dim) bool { return !d.Direct() }) {
				return false
			}
			apart = apart || across > 0 && max(along, -along) > across
		}
	}
	return apart
}

// lanes returns the buffers of the code that combines the accumulators of lanes in st.
func (bp *boundPhase) lanes(r *layout.SeqRed, st *accState) []ir.BufBind {
	n, size := bp.Lowered.LaneStep, r.Kern.Lane.Size()
	if st.pitch = (bp.strip*size+127)&^63 | 64; bp.together > 0 { // else rows begin in different sets of the caches
		st.pitch = bp.N * size
	}
	return []ir.BufBind{
		{Ptr: st.lanes, Strides: []int{st.pitch / size, 1}, Extents: []int{n, bp.strip}},
		{Ptr: st.folded, Strides: []int{1}, Extents: []int{bp.strip}},
	}
}

// foldOf returns the kernel that combines the accumulators of lanes: lane l and lane l + n/2, and so on.
func foldOf(kern *reduce.Kern, lanes int) *ir.Kernel {
	b := ir.NewBuilder("fold")
	defer b.Free()
	i := b.K.Index.Axis(b.Axis("i"))
	x, y := b.Buf(ir.Buf{Name: "x", Type: kern.Lane, Rank: 2}), b.Buf(ir.Buf{Name: "y", Type: kern.Lane, Mode: ir.Out, Rank: 1})
	b.Open(ir.Vec, 0)
	var combined func(lane, step int) prim.V
	combined = func(lane, step int) prim.V {
		if step == lanes {
			return b.Load(x, ir.InBounds, []prim.Ix{b.K.Index.Const(int64(lane)), i}, prim.V{})
		}
		return b.Emit(prim.Ins{Op: kern.Op, Type: kern.Lane, Args: [3]prim.V{combined(lane, 2*step), combined(lane+step, 2*step)}})
	}
	b.Store(y, []prim.Ix{i}, combined(0, 1))
	b.Close()
	return b.K
}
