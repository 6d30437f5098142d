package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/ir"
)

func (f *faults) edge(used *fuse.Value, e edge) {
	if !f.on {
		return
	}
	zero.Put(&f.edges, used, append(f.edges[used], e))
}

func (f *faults) root(v *fuse.Value) {
	if !f.on {
		return
	}
	zero.Put(&f.roots, v, true)
}

var faultKinds = map[error]ir.FaultKind{tree.ErrDivide: ir.DivideFault, tree.ErrIndex: ir.IndexFault}

// fault records that v is undefined where at holds.
func (w *writer) fault(v *fuse.Value, at prim.V, site Fault) {
	f := &w.faults
	if !f.on {
		return
	}
	f.list = append(f.list, fault{v, at, faultKinds[site.Kind]})
	if !slices.Contains(f.sites, site) {
		f.sites = append(f.sites, site)
	}
}

// loadFaults records the faults that are stored with the node that v loads.
func (w *writer) loadFaults(v *fuse.Value, coords []prim.Ix) {
	if v.Of.Faults == nil || !w.faults.on {
		return
	}
	codes := *v.Load // the faults have the layout of the values
	codes.Temp, codes.Type = v.Of.Faults.Temp, v.Of.Faults.Type
	code := w.load(&codes, coords, v.Bounds, prim.V{})
	for _, site := range w.faults.stored[v.Of] {
		w.fault(v, w.p.Eq(code, w.p.Int(dtype.I32, int64(faultKinds[site.Kind]))), site)
	}
}

// raise writes the faults of the values that the innermost loop needs. The
// caller closes the loop next. A loop that stores its faults writes them at
// coordinates stored instead; stored is nil for other loops.
func (w *writer) raise(stored []prim.Ix) {
	f := &w.faults
	code := prim.V{}
	if stored != nil {
		code = w.p.Int(dtype.I32, int64(ir.NoFault))
	}
	known := map[*fuse.Value]demand{}
	f.list = slices.DeleteFunc(f.list, func(x fault) bool {
		d, at := w.demand(x.value, known), x.at
		if d.never() {
			return false
		}
		if !d.always {
			at = w.p.And(at, d.cond)
		}
		if stored != nil {
			code = w.p.Select(at, w.p.Int(dtype.I32, int64(x.kind)), code)
		} else {
			w.b.Fault(x.kind, at)
		}
		return d.always
	})
	if stored != nil {
		w.store(w.loop.Faults, stored, code)
	}
}

// leave drops what is not visible after a loop was closed. The rest may matter
// to later loops, which use values of the rows.
func (w *writer) leave() {
	f := &w.faults
	f.list = slices.DeleteFunc(f.list, func(x fault) bool { return !w.b.Visible(x.at) })
	for v, edges := range f.edges {
		f.edges[v] = slices.DeleteFunc(edges, func(e edge) bool { return e.cond.Type.Valid() && !w.b.Visible(e.cond) })
	}
	f.roots = nil
}

// A demand is the condition under which a loop needs a value. The zero value
// means never.
type demand struct {
	cond   prim.V
	always bool
}

func (d demand) never() bool { return !d.always && !d.cond.Type.Valid() }

// demand returns the condition under which the innermost loop needs v.
func (w *writer) demand(v *fuse.Value, known map[*fuse.Value]demand) demand {
	d, ok := known[v]
	if !ok {
		d = w.sumDemand(v, known)
		known[v] = d
	}
	return d
}

func (w *writer) sumDemand(v *fuse.Value, known map[*fuse.Value]demand) (d demand) {
	if w.faults.roots[v] {
		return demand{always: true}
	}
	for _, e := range w.faults.edges[v] {
		part := w.demand(e.user, known)
		if part.never() {
			continue
		}
		if e.cond.Type.Valid() {
			c := e.cond
			if e.negate {
				c = w.p.Not(c)
			}
			if !part.always {
				c = w.p.And(part.cond, c)
			}
			part = demand{cond: c}
		}
		if part.always {
			return part
		}
		if !d.never() {
			part.cond = w.p.Or(d.cond, part.cond)
		}
		d = part
	}
	return d
}
