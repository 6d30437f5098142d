package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// Emit emits copy c of a node.
func (f *Emitter) Emit(id int32, c int) {
	f.EmitNode(id, c)
	f.End()
}

// EmitNode emits copy c of a node and keeps its temporaries. The caller must call End.
func (f *Emitter) EmitNode(id int32, c int) {
	f.ID, f.Cur, f.Released = id, &f.Nodes[id], false
	f.Choose(c)
	switch n := f.Cur; {
	case f.Folded(id): // the next use reads the memory
	case n.Op == ir.Store:
		f.store(n)
	case n.Op == lower.OpOperand: // the operand of a program has its register
		f.give(&f.Vecs, int8(f.Operands[n.Aux]))
	case n.Op == lower.OpLast:
		x := f.Src(n.Args[0])
		f.Lanes.LastLane(n.Type, f.Dst(), x)
	case !f.Lanes.Emit(n):
		f.fail("%s of %s with %s", n.Op, n.In, f.Facts.Name)
	}
}

// LoadFields emits copy c of the nodes that load neighbouring fields of the same records.
func (f *Emitter) LoadFields(ids []int32, c int) {
	f.ID, f.Cur, f.Released = ids[0], &f.Nodes[ids[0]], true
	f.Choose(c)
	v, types := make([]Vec, len(ids)), make([]dtype.Type, len(ids))
	for i, id := range ids {
		v[i], types[i] = f.Tmp(), f.Phase.Sites[f.Nodes[id].Aux].Type
	}
	for field, r := range f.Lanes.SplitFields(&f.Layout.Sites[f.Cur.Aux], types, v) {
		f.Vecs.tmp &^= 1 << r // the node keeps it
		f.ID = ids[field]
		f.give(&f.Vecs, int8(r))
	}
	f.End()
}

// LoadPlanes emits all copies of a load of a laid site: those of whole rows.
func (f *Emitter) LoadPlanes(id int32) {
	f.ID, f.Cur, f.Released = id, &f.Nodes[id], true
	f.Lanes.Interleave(f.Cur.Aux, func(k int, x Vec) {
		f.Vecs.tmp &^= 1 << x // the node keeps it
		f.Copy = k
		f.give(&f.Vecs, int8(x))
	}, true)
	f.End()
}

// StoreFields emits copy c of the nodes that store all fields of the same records. It drops the
// operands for which this is the last use.
func (f *Emitter) StoreFields(ids []int32, c int) {
	last := ids[len(ids)-1]
	f.ID, f.Cur, f.Released = last, &f.Nodes[last], true
	f.Choose(c)
	v := make([]Vec, len(ids))
	for i, id := range ids {
		v[i] = f.Src(f.Nodes[id].Args[0])
	}
	i := f.Nodes[ids[0]].Aux
	f.Lanes.JoinFields(&f.Layout.Sites[i], f.Phase.Sites[i].Type, v)
	f.End()
	for _, id := range ids {
		if x := f.Nodes[id].Args[0]; !f.Uniform[x] && f.Last[x] <= f.At && f.Places[f.Key(x, c)] != Nowhere {
			f.Drop(x, c)
		}
	}
}
