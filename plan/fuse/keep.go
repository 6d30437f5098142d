package fuse

import (
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/shape"
)

// keepSize is the number of elements of the longest row whose row buffer stays
// in cache.
const keepSize = 1 << 16

// keep chooses the values along a row that get row buffers: those that one phase
// computes and a later phase needs again. A value that can fail is computed again,
// because each phase raises the faults of what it needs.
func (l *Loop) keep() {
	size := shape.Shape(l.Nest.Inner).Size()
	if l.Nest.Kind != Rows || size > keepSize || l.Nest.singleRow || len(l.Phases) < 2 && !l.Nest.StoresInner {
		return
	}
	var visit func(v *Value, phase int32)
	visit = func(v *Value, phase int32) {
		if v.phase == phase || v.Kept {
			return
		}
		if v.phase > 0 && v.own && !v.Node.Faulty && v.Node.Work >= graph.KeepCost && v.Node.Src.Op.Class() == tree.Elementwise && v.Load == nil {
			v.Kept = true
			return
		}
		v.phase = phase
		if v.Node.Src.Op.Class() != tree.Reduction {
			for _, a := range v.Operands {
				visit(a, phase)
			}
		}
	}
	for i, reductions := range l.Phases {
		for _, v := range reductions {
			visit(v.Operands[0], int32(i+1))
		}
	}
	for _, v := range l.Values {
		visit(v, int32(len(l.Phases)+1))
	}
}
