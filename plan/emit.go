package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
)

// An emitter turns steps into stages.
type emitter struct {
	faults map[*graph.Node][]Fault // of the nodes whose faults are stored with them
}

// emit returns the stages of steps.
func (e *emitter) emit(steps []*fuse.Step) ([]*Stage, error) {
	stages := make([]*Stage, len(steps))
	for i, s := range steps {
		var err error
		if stages[i], err = e.stage(s); err != nil {
			return nil, err
		}
	}
	return stages, nil
}

func (e *emitter) stage(s *fuse.Step) (*Stage, error) {
	switch s.Task {
	case fuse.Product:
		p := &Stage{Kind: Product, Why: s.Why, A: s.Args[0], B: s.Args[1], Out: s.Out, Reads: s.Args, Writes: []*Array{s.Out}}
		p.Saver, p.Terms, p.Columns = s.Saver, s.Terms, s.Columns
		if s.Alpha != nil || s.Beta != nil {
			p.Alpha, p.Beta = scalarOf(s.Alpha, s.Out.Type), scalarOf(s.Beta, s.Out.Type)
		}
		if s.Saver != expr.Set {
			p.Reads = append(p.Reads, s.Out)
		}
		return p, nil
	case fuse.Call:
		c := &Stage{Kind: Call, Why: s.Why, Node: s.Node.Src, Args: s.Args, Out: s.Out, Work: s.Work, Reads: s.Args, Writes: []*Array{s.Out}}
		if s.Work != nil {
			c.Writes = append(c.Writes, s.Work)
		}
		return c, nil
	}
	w := newWriter(s)
	w.faults.on = s.Loop.Fails && s.Task != fuse.Trust
	w.faults.stored = e.faults
	w.loops()
	if w.err != nil {
		return nil, w.err
	}
	sites := w.faults.sites
	if s.Loop.Faults != nil {
		if e.faults == nil {
			e.faults = map[*graph.Node][]Fault{}
		}
		e.faults[s.Loop.Roots[0].Value], sites = sites, nil
	}
	return w.stage(s.Why, sites), nil
}

// scalarOf returns the source of a constant or parameter of type t, or of 1.
func scalarOf(n *graph.Node, t dtype.Type) *Scalar {
	if n == nil {
		n = &graph.Node{Src: expr.ConstInt(t, 1)}
	}
	return &Scalar{Bits: n.Src.Bits, Cell: n.Src.Param}
}

// stage returns the finished kernel as a stage.
func (w *writer) stage(why string, sites []Fault) *Stage {
	scan := w.task == fuse.Scan
	if scan {
		ir.Prune(w.b.K)
	}
	s := &Stage{Kind: Loop, Why: why, Kernel: w.b.K, Extents: w.extents, Params: w.params, Scalars: w.scalars, Bufs: w.ops, Prescan: scan, Faults: sites}
	for i, o := range w.ops {
		if o.Array == nil {
			continue
		}
		if m := w.b.K.Bufs[i].Mode; m != ir.Out {
			s.Reads = append(s.Reads, o.Array)
		}
		if m := w.b.K.Bufs[i].Mode; m != ir.In {
			s.Writes = append(s.Writes, o.Array)
		}
	}
	return s
}

// loops writes the loops of the nest.
func (w *writer) loops() {
	nest := w.loop.Nest
	outer, inner := w.outerAxes(), w.innerAxes()
	kinds := [...][2]ir.LoopKind{fuse.Map: {ir.Vec}, fuse.Rows: {ir.Par, ir.Vec}, fuse.Columns: {ir.Vec, ir.Seq}}[nest.Kind]
	if len(outer) > 0 {
		w.b.Open(kinds[0], outer...)
	}
	for _, results := range w.loop.Phases {
		w.b.Open(kinds[1], inner...)
		values := make([]prim.V, len(results))
		for i, v := range results {
			if v.Node.Src.Op.Class() == expr.Scan {
				w.scans = append(w.scans, v)
				continue
			}
			x := w.value(v.Operands[0], w.at(nest.Operand(v.Node)))
			values[i] = w.b.Reduce(v.Node.Src.Op.Reduce(), x)
			w.faults.root(v.Operands[0])
		}
		w.step()
		w.raise(nil)
		w.next()
		w.b.Close()
		w.leave()
		if w.reduced == nil {
			w.reduced = map[*graph.Node]prim.V{}
		}
		for i, v := range results {
			if v.Node.Src.Op.Class() == expr.Scan {
				values[i] = w.last(v)
			}
			w.reduced[v.Node] = values[i]
		}
	}
	if nest.StoresInner {
		w.b.Open(kinds[1], inner...)
	}
	w.roots()
	if nest.StoresInner {
		w.next()
		w.b.Close()
	}
	if len(outer) > 0 {
		w.b.Close()
	}
}

// roots computes all roots before it stores the first, so that no root reads an
// element that another root stored.
func (w *writer) roots() {
	roots := w.loop.Roots
	values, places := make([]prim.V, len(roots)), make([][]prim.Ix, len(roots))
	for i, r := range roots {
		places[i] = w.at(w.loop.Nest.Own(r.Target.Shape))
		values[i] = w.value(w.loop.Values[i], w.aligned(places[i], r.Value.Shape))
		w.faults.root(w.loop.Values[i])
	}
	w.step()
	if w.task != fuse.Scan {
		for i, r := range roots {
			w.store(r.Target, places[i], values[i])
		}
	}
	if w.loop.Faults != nil {
		w.raise(places[0])
	} else {
		w.raise(nil)
	}
}
