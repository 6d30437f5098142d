package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// gatherFields finds the nodes that load the fields of a record, and moves them to the first of
// them, if no store stands between them.
func (f *phaseCode) gatherFields() {
	if !f.Facts.Fields {
		return
	}
	for _, sites := range f.Layout.Records {
		if f.Phase.Sites[sites[0]].Store {
			f.gatherStores(sites)
			continue
		}
		ids := slices.Repeat([]int32{lower.None}, len(sites))
		for _, id := range f.top {
			if n := &f.Nodes[id]; n.Op == ir.Load && n.Args[1] == lower.None && slices.Contains(sites, n.Aux) {
				ids[f.Layout.Sites[n.Aux].Field] = id
			}
		}
		if slices.Contains(ids, lower.None) {
			continue
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
			continue
		}
		f.top = slices.Concat(f.top[:first], ids, slices.DeleteFunc(slices.Clone(f.top[first:]), field))
		f.records = append(f.records, ids)
	}
}

// gatherStores finds the nodes that store the fields of a record, and moves them to the last of
// them, if only arithmetic stands between them.
func (f *phaseCode) gatherStores(sites []int32) {
	ids := slices.Repeat([]int32{lower.None}, len(sites))
	for _, id := range f.top {
		if n := &f.Nodes[id]; n.Op == ir.Store && n.Args[1] == lower.None && slices.Contains(sites, n.Aux) {
			ids[f.Layout.Sites[n.Aux].Field] = id
		}
	}
	if slices.Contains(ids, lower.None) {
		return
	}
	field := func(id int32) bool { return slices.Contains(ids, id) }
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

// fields emits the loads of a record, if a node is the first of them, or the stores, if it is the
// last. It reports whether the node needs no load or store of its own. In the tail it does, unless
// the frame has the number of lanes and a mask has bits enough for all vectors.
func (f *phaseCode) fields(id int32) bool {
	own := func(ids []int32) bool { return f.Masked && (len(f.accs) > 0 || len(ids)*f.W > 64) }
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
