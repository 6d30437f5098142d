package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// gatherFields finds the nodes that load or store the fields of a record. It moves those whose loads
// share vectors to the first of them, and the stores to the last.
func (f *phaseCode) gatherFields() {
	parts := 0
	for _, sites := range f.Layout.Records {
		has := func(numbers uint32) bool { return numbers>>len(sites)&1 != 0 }
		s, info := &f.Layout.Sites[sites[0]], &f.Phase.Sites[sites[0]]
		bytes, widened := f.W*s.Size, s.Size < 4 && s.Size != f.LaneSize
		permuted := bytes*len(sites) <= f.Bytes && info.Type != dtype.F16 // one permute widens a field of one vector, but no halves
		switch {
		case widened && (info.Store || s.Part(len(sites)) || bytes < 16 || permuted): // the fields have loads and stores of their own
		case info.Store:
			if has(f.Facts.Joins) {
				f.gatherStores(sites)
			}
		case s.Part(len(sites)) || has(f.Facts.Fields) && !f.fewAtOnce(len(sites)):
			f.gatherLoads(sites)
		case f.Neighbours > 0:
			for part := range slices.Chunk(sites, f.Neighbours/s.Size) {
				f.gatherLoads(part)
				parts++
			}
		}
	}
	if parts > 0 {
		f.combineSoon()
		return
	}
	f.AnyOrder = len(f.Layout.Records) > 0 && f.anyOrder()
}

// fewAtOnce reports whether accumulators leave no registers for so many fields at once.
func (f *phaseCode) fewAtOnce(fields int) bool {
	return f.Phase.Kind == lower.SeqPhase && fields > 4 && f.Neighbours > 0
}

// nodesOf returns the nodes that load sites, or store them, without a condition. A site that has none
// gives None.
func (f *phaseCode) nodesOf(op prim.Op, sites []int32) []int32 {
	ids := slices.Repeat([]int32{lower.None}, len(sites))
	for _, id := range f.top {
		if n := &f.Nodes[id]; n.Op == op && n.Args[1] == lower.None {
			if at := slices.Index(sites, n.Aux); at >= 0 {
				ids[at] = id
			}
		}
	}
	return ids
}

// gatherLoads moves the nodes that load some fields to the first of them, if no store stands between
// them.
func (f *phaseCode) gatherLoads(sites []int32) {
	ids := f.nodesOf(ir.Load, sites)
	if slices.Contains(ids, lower.None) {
		return
	}
	field := func(id int32) bool { return slices.Contains(ids, id) }
	first, left := slices.IndexFunc(f.top, field), len(ids)
	stores := func(id int32) bool {
		if field(id) {
			left--
		}
		return left > 0 && f.Nodes[id].Op == ir.Store
	}
	if slices.ContainsFunc(f.top[first:], stores) {
		return
	}
	f.top = slices.Concat(f.top[:first], ids, slices.DeleteFunc(slices.Clone(f.top[first:]), field))
	f.records = append(f.records, ids)
}

// combineSoon moves arithmetic up to the last of its operands, if nothing else uses these. Several fields
// are loaded at once, so a vector may be in a register long before the arithmetic at hand needs it.
func (f *phaseCode) combineSoon() {
	j := joiner{phaseCode: f}
	j.count()
	known, out := make([]bool, len(f.Nodes)), f.top[:0:0]
	ready := func(id int32) bool {
		n := &f.Nodes[id]
		for _, a := range n.Args {
			if a != lower.None && !f.Uniform[a] && (!known[a] || j.uses[a] > 1) {
				return false
			}
		}
		return n.Op < prim.NumOps
	}
	for i, id := range f.top {
		if known[id] {
			continue
		}
		known[id] = true
		out = append(out, id)
		for _, later := range f.top[i+1:] {
			if !known[later] && ready(later) {
				known[later] = true
				out = append(out, later)
			}
		}
	}
	f.top = out
}

// anyOrder reports whether all lanes are of fields of equal records that fill 8 or 16 bytes.
func (f *phaseCode) anyOrder() bool {
	shared, all := map[int32]bool{}, slices.Concat(f.records, f.joined)
	for _, ids := range all {
		s := &f.Layout.Sites[f.Nodes[ids[0]].Aux]
		size := s.Size
		if bytes := len(ids) * size; s.Part(len(ids)) || bytes != 8 && bytes != 16 || len(ids) != len(all[0]) || size != f.Layout.Sites[f.Nodes[all[0][0]].Aux].Size {
			return false
		}
		for _, id := range ids {
			shared[f.Nodes[id].Aux] = true
		}
	}
	for i := range f.Layout.Sites {
		if !shared[int32(i)] && !f.Layout.AnyLane(i) {
			return false
		}
	}
	return len(f.Phase.Reds) == 0 && !slices.ContainsFunc(f.top, func(id int32) bool {
		op := f.Nodes[id].Op
		return op >= prim.NumOps && op != ir.Load && op != ir.Store
	})
}

// gatherStores finds the nodes that store the fields of a record, and moves them to the last of
// them, if only arithmetic stands between them. The network leaves uniform values as they are, so with many of these
// it needs more registers than AVX-512 has. AVX2 joins few fields.
func (f *phaseCode) gatherStores(sites []int32) {
	ids := f.nodesOf(ir.Store, sites)
	if slices.Contains(ids, lower.None) {
		return
	}
	field := func(id int32) bool { return slices.Contains(ids, id) }
	uniform := lists.Count(ids, func(id int32) bool { return f.Uniform[f.Nodes[id].Args[0]] })
	if f.Predicates > 0 && len(ids)+2*uniform+spareRegs > f.Vectors {
		return
	}
	first, end := slices.IndexFunc(f.top, field), len(f.top)
	for !field(f.top[end-1]) {
		end--
	}
	if slices.ContainsFunc(f.top[first:end], func(id int32) bool {
		return !field(id) && f.Nodes[id].Op >= prim.NumOps
	}) {
		return
	}
	f.top = slices.Concat(slices.DeleteFunc(slices.Clone(f.top[:end]), field), ids, f.top[end:])
	f.joined = append(f.joined, ids)
}

// fields emits the loads of fields, if a node is the first of them, or the stores, if it is the
// last. It reports whether the node needs no load or store of its own. In the tail it does, unless all fields are there, and the code knows
// its lanes, or the frame has their number.
func (f *phaseCode) fields(id int32) bool {
	own := func(ids []int32) bool {
		known := f.Tail > 0 || f.Phase.Kind != lower.SeqPhase && len(f.accs) == 0
		return (f.Masked || f.Ends > 0) && (f.Layout.Sites[f.Nodes[ids[0]].Aux].Part(len(ids)) || f.Predicates == 0 || !known)
	}
	for _, ids := range f.records {
		switch at := slices.Index(ids, id); {
		case at < 0 || own(ids):
			continue
		case at == 0:
			for c := range f.Copies {
				f.LoadFields(ids, c)
			}
		}
		return true
	}
	for _, ids := range f.joined {
		switch at := slices.Index(ids, id); {
		case at < 0 || own(ids):
			continue
		case at == len(ids)-1:
			for c := range f.Copies {
				f.StoreFields(ids, c)
			}
		}
		return true
	}
	return false
}
