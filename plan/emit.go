package plan

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
)

// An emitter turns steps into stages.
type emitter struct {
	faults  map[*graph.Node][]Fault // of the nodes whose faults are stored with them
	origins *graph.Origins          // or nil
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
		p.Saver, p.ShapeA, p.ShapeB, p.Origins = s.Saver, s.Node.Args[0].Shape, s.Node.Args[1].Shape, e.originsOf(s)
		if s.Alpha != nil || s.Beta != nil {
			p.Alpha, p.Beta = scalarOf(s.Alpha, s.Out.Type), scalarOf(s.Beta, s.Out.Type)
		}
		if s.Saver != expr.Set {
			p.Reads = append(p.Reads, s.Out)
		}
		return p, nil
	case fuse.Call:
		c := &Stage{Kind: Call, Why: s.Why, Node: s.Node.Src, Args: s.Args, Out: s.Out, Work: s.Work, Origins: e.originsOf(s), Reads: s.Args, Writes: []*Array{s.Out}}
		if s.Work != nil {
			c.Writes = append(c.Writes, s.Work)
		}
		return c, nil
	}
	w := newWriter(s)
	w.origins, w.b.Record = e.origins, e.origins != nil
	w.faults.on = s.Loop.Fails && s.Task != fuse.Trust
	w.faults.stored = e.faults
	w.loops(s.Beside)
	if w.err != nil {
		return nil, w.err
	}
	defer w.free()
	if s.Loop.Faults != nil {
		zero.Put(&e.faults, s.Loop.Roots[0].Value, w.faults.sites)
	}
	return w.stage(s.Why), nil
}

// originsOf returns what a product or a call computes: its root, and all that no loop
// computes between the root and what is stored.
func (e *emitter) originsOf(s *fuse.Step) []int32 {
	if e.origins == nil {
		return nil
	}
	return e.originsBelow(s.Root, map[*graph.Node]bool{}, nil)
}

// originsBelow adds to list the origins of n, and of what it reads that is not in memory.
func (e *emitter) originsBelow(n *graph.Node, seen map[*graph.Node]bool, list []int32) []int32 {
	seen[n] = true
	list = lists.Union(list, e.origins.Of(n.Src))
	for _, a := range n.Args {
		if !seen[a] && a.Array == nil {
			list = e.originsBelow(a, seen, list)
		}
	}
	return list
}

// scalarOf returns the source of a constant or parameter of type t, or of 1.
func scalarOf(n *graph.Node, t dtype.Type) *Scalar {
	n = cmp.Or(n, &graph.Node{Src: tree.ConstInt(t, 1)})
	return &Scalar{Bits: n.Src.Bits, Cell: n.Src.Param}
}

// stage returns the finished kernel as a stage.
func (w *writer) stage(why string) *Stage {
	scan := w.task == fuse.Scan
	if scan {
		ir.Prune(w.b.K)
		w.extents = once(w.b.K, w.extents)
	}
	ir.LowerHalves(w.b.K)
	ir.SettledFirst(w.b.K)
	room := &struct {
		Stage
		arrays [6]*Array
	}{}
	s := &room.Stage
	*s = Stage{Kind: Loop, Why: why, Kernel: w.b.K, Extents: w.extents, Params: w.params, Scalars: w.scalars, Bufs: w.ops, Prescan: scan, Faults: w.faults.sites}
	n := len(w.ops)
	both := slices.Grow(room.arrays[:0], 2*n)[:2*n]
	s.Reads, s.Writes = both[:0:n], both[n:n]
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

// once returns the extents with one position for the axes of a prescan that do not matter: rows
// that an index selects need one look at it.
func once(k *ir.Kernel, extents []int) []int {
	extents = slices.Clone(extents)
	for x, idle := range ir.Idle(k) {
		if idle {
			extents[x] = min(extents[x], 1)
		}
	}
	return extents
}

// loops writes the loops of the nest, and inside its outer one the loops beside it.
func (w *writer) loops(beside []*fuse.Loop) {
	outer := w.outerAxes()
	if len(outer) > 0 {
		w.b.Open([...]ir.LoopKind{fuse.Map: ir.Vec, fuse.Rows: ir.Par, fuse.Columns: ir.Vec}[w.loop.Nest.Kind], outer...)
	}
	w.innerLoops()
	for _, l := range beside {
		w.turnTo(l)
		w.innerLoops()
	}
	if len(outer) > 0 {
		w.b.Close()
	}
}

// innerLoops writes what is inside the outer loop.
func (w *writer) innerLoops() {
	nest, inner := w.loop.Nest, w.innerAxes()
	kind := ir.Vec
	if nest.Kind == fuse.Columns {
		kind = ir.Seq
	}
	for _, results := range w.loop.Phases {
		w.b.Open(kind, inner...)
		values := make([]prim.V, len(results))
		for i, v := range results {
			if v.Node.Src.Op.Class() == tree.Scan {
				w.scans = append(w.scans, v)
				continue
			}
			x := w.value(v.Operands[0], w.at(nest.Operand(v.Node)))
			w.b.From = w.origins.Of(v.Node.Src)
			values[i] = w.b.Reduce(v.Node.Src.Op.Reduce(), x)
			w.b.From = nil
			w.faults.root(v.Operands[0])
		}
		w.step()
		w.raise(nil)
		w.next()
		w.b.Close()
		w.leave()
		for i, v := range results {
			if v.Node.Src.Op.Class() == tree.Scan {
				values[i] = w.last(v)
			}
			zero.Put(&w.reduced, v.Node, values[i])
		}
	}
	if nest.StoresInner {
		w.b.Open(kind, inner...)
	}
	w.roots()
	if nest.StoresInner {
		w.next()
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
