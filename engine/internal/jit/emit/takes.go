package emit

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// takes makes an [lower.OpTake] of a load whose only computed coordinate is an index from an array, and reports whether it is one. loads
// are the loads since the last store: the indices must still be in memory.
func (f *phaseCode) takes(n *lower.Node, s *layout.Site, loads []int32) bool {
	if !f.LoadsIndices || f.Layout.Gathers || n.Op != ir.Load || n.Cold || s.Kind != layout.Computed || len(s.Gather.Dims) != 1 || f.Phase.Kind == lower.ScalarPhase {
		return false
	}
	dim, step := s.Gather.Dims[0], s.Line.Step()
	small := dim.Extent <= math.MaxInt32 && math.MinInt32 <= dim.Stride && dim.Stride <= math.MaxInt32
	if dim.Coord.Node == lower.None || dim.Bounds != ir.Clamped || !small || step != 0 && (step != 1 || f.Phase.Kind != lower.MapPhase) {
		return false
	}
	load, size := f.indexOf(dim.Coord.Node)
	if load == lower.None || !slices.Contains(loads, load) || !f.isIndex(&f.Nodes[load]) {
		return false
	}
	index := f.Nodes[load].Aux
	t := f.Phase.Sites[index].Type
	take := isa.Take{Index: index, Size: size, Extent: dim.Extent, Stride: dim.Stride, Step: step, Inside: t.Size() < 4 && uint64(dim.Extent) > t.Mask()}
	if !take.Inside {
		take.Seen = f.Slots.Take()
	}
	zero.Put(&f.Takes, n.Aux, take)
	n.Op, n.Args = lower.OpTake, [3]int32{lower.None, lower.None, lower.None}
	return true
}

// isIndex reports whether a load has the indices of neighbouring lanes side by side in memory.
func (f *phaseCode) isIndex(n *lower.Node) bool {
	s := &f.Layout.Sites[n.Aux]
	return indexTypes[f.Phase.Sites[n.Aux].Type] && s.Kind == layout.Unit && !s.Guard && s.Dyn == nil && n.Args[0] == lower.None && n.Args[1] == lower.None
}

// indexTypes are the types of indices that one instruction loads into a general register with 64 bits.
var indexTypes = [1 << 8]bool{dtype.I64: true, dtype.U64: true, dtype.I32: true, dtype.U32: true, dtype.U16: true, dtype.U8: true}

// indexOf returns the load of the index that a coordinate is, and the node that is added to it where it is negative, or None.
func (f *phaseCode) indexOf(id int32) (load, size int32) {
	load, size = id, lower.None
	if n := &f.Nodes[id]; n.Op == prim.Select {
		load = n.Args[2]
		less, sum := &f.Nodes[n.Args[0]], &f.Nodes[n.Args[1]]
		if less.Op != prim.Lt || less.In != dtype.I64 || less.Args[0] != load || !f.isConst(less.Args[1], 0) || sum.Op != prim.Add || sum.Args[0] != load || !f.isWord(sum.Args[1]) {
			return lower.None, lower.None
		}
		size = sum.Args[1]
	}
	if n := &f.Nodes[load]; n.Op == prim.Cvt && n.Type == dtype.I64 {
		load = n.Args[0]
	}
	if f.Nodes[load].Op != ir.Load {
		return lower.None, lower.None
	}
	return load, size
}

// isWord reports whether the frame has the value of a node, which is the same in all lanes and rows.
func (f *phaseCode) isWord(id int32) bool {
	n := &f.Nodes[id]
	if n.Op != ir.Index || f.Phase.Kind != lower.MapPhase {
		return n.Op == lower.OpCell
	}
	s := &f.Layout.Sites[n.Aux]
	return s.Kind == layout.Index && s.Line.Step() == 0 && bound.StepOf(s.Seq) == 0
}

// startTakes notes that no index was negative or outside yet.
func (f *phaseCode) startTakes() {
	for i := range f.Layout.Sites {
		if t, ok := f.Takes[int32(i)]; ok && !t.Inside {
			f.Int(isa.Mov, isa.Word(int(f.Slot(t.Seen).Disp)), isa.K(0))
		}
	}
}
