package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// copyCells emits a scalar phase that only stores the lower bytes of cells, by way of general
// registers, and reports whether it is one. The results of reductions are stored so.
func (f *phaseCode) copyCells() bool {
	for _, id := range f.top {
		switch n := &f.Nodes[id]; n.Op {
		case prim.Cvt:
		case ir.Store:
			if s := &f.Layout.Sites[n.Aux]; s.Kind != layout.Uniform || s.Guard || s.Gather != nil || f.cellOf(n) == lower.None {
				return false
			}
		default:
			return false
		}
	}
	for _, id := range f.top {
		if n := &f.Nodes[id]; n.Op == ir.Store {
			if f.Listing {
				f.note(id, f.Copies)
			}
			to, cell := f.Address(&f.Layout.Sites[n.Aux], n.Aux), f.CellAt(f.cellOf(n))
			if n.In != dtype.Bool {
				f.CopyElement(n.In, to, cell, isa.T2)
				continue
			}
			f.Load(1, isa.T2, cell) // bit 0 of a cell is its truth
			f.Int(isa.And, isa.T2, isa.K(1))
			f.Store(1, to, isa.T2)
		}
	}
	return true
}

// cellOf returns the cell whose lower bytes a store writes, or None.
func (f *phaseCode) cellOf(store *lower.Node) int32 {
	n := &f.Nodes[store.Args[0]]
	for n.Op == prim.Cvt && n.In.IsInt() && n.Type.IsInt() && n.Type.Size() <= n.In.Size() {
		n = &f.Nodes[n.Args[0]]
	}
	if t := store.In; n.Op != lower.OpCell || t != n.Type && !(t.IsInt() && n.Type.IsInt() && t.Size() <= n.Type.Size()) {
		return lower.None
	}
	return n.Aux
}
