package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/ir"
)

func (f *faults) edge(used *fuse.Value, e edge) {
	if !f.on {
		return
	}
	if f.edges == nil {
		f.edges = map[*fuse.Value][]edge{}
	}
	f.edges[used] = append(f.edges[used], e)
}

func (f *faults) root(v *fuse.Value) {
	if !f.on {
		return
	}
	if f.roots == nil {
		f.roots = map[*fuse.Value]bool{}
	}
	f.roots[v] = true
}

var faultKinds = map[error]ir.FaultKind{expr.ErrDivide: ir.DivideFault, expr.ErrIndex: ir.IndexFault}

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

// raise writes the faults of the innermost loop. The caller closes the loop
// next. A loop that stores its faults writes them at coordinates stored instead;
// stored is nil for other loops.
func (w *writer) raise(stored []prim.Ix) {
	f := &w.faults
	code := prim.V{}
	if stored != nil {
		code = w.p.Int(dtype.I32, int64(ir.NoFault))
	}
	for _, x := range f.list {
		at := x.at
		if d := w.demand(x.value, map[*fuse.Value]demand{}); !d.always && d.cond.Type.Valid() {
			at = w.p.And(at, d.cond)
		}
		if stored != nil {
			code = w.p.Select(at, w.p.Int(dtype.I32, int64(x.kind)), code)
		} else {
			w.b.Fault(x.kind, at)
		}
	}
	if stored != nil {
		w.store(w.loop.Faults, stored, code)
	}
	f.list, f.edges, f.roots = nil, nil, nil
}

// A demand is the condition under which a value is needed.
type demand struct {
	cond   prim.V
	always bool
}

// demand returns the condition under which v is needed. A value without known
// uses counts as needed.
func (w *writer) demand(v *fuse.Value, known map[*fuse.Value]demand) demand {
	d, ok := known[v]
	if !ok {
		d = w.sumDemand(v, known)
		known[v] = d
	}
	return d
}

func (w *writer) sumDemand(v *fuse.Value, known map[*fuse.Value]demand) demand {
	edges := w.faults.edges[v]
	if w.faults.roots[v] || len(edges) == 0 {
		return demand{always: true}
	}
	var d demand
	for _, e := range edges {
		part := w.demand(e.user, known)
		if e.cond.Type.Valid() && w.b.Visible(e.cond) {
			c := e.cond
			if e.negate {
				c = w.p.Not(c)
			}
			if !part.always {
				c = w.p.And(part.cond, c)
			}
			part.cond = c
		} else if part.always {
			return part
		}
		if d.cond.Type.Valid() {
			part.cond = w.p.Or(d.cond, part.cond)
		}
		d.cond = part.cond
	}
	return d
}
