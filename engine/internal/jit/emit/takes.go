package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// takes makes an [lower.OpTake] of a load whose only computed coordinate is an index from an array, and reports whether it is one. loads
// are the loads since the last store: the indices must still be in memory.
func (f *phaseCode) takes(n *lower.Node, s *layout.Site, loads []int32) bool {
	step, laid := s.Line.Step(), f.Layout.Laid > 0
	if !f.LoadsIndices || f.Layout.Gathers || n.Op != ir.Load || n.Cold || f.Phase.Kind == lower.ScalarPhase || laid && !s.Takes {
		return false
	}
	if !laid && (s.Kind != layout.Computed || step != 0 && (step != 1 || f.Phase.Kind != lower.MapPhase)) {
		return false
	}
	dim := s.Gather.Dims[0]
	load, size := f.Layout.IndexOf(s.Gather, f.Nodes, f.isWord)
	if load == lower.None || !slices.Contains(loads, load) || !laid && !f.isIndex(&f.Nodes[load]) {
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
	return s.Kind == layout.Unit && !s.Guard && s.Dyn == nil && n.Args[0] == lower.None && n.Args[1] == lower.None
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
