package fuse

import (
	"context"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A Fuser finds the steps of the groups of a program.
type Fuser struct {
	May May

	ctx    context.Context
	g      *graph.Graph
	asides map[*graph.Node]*graph.Node // of stored nodes that another loop may store at its side: the root that loads it
	steps  []*Step
	walk   walk    // of the last loop
	values []Value // the last batch of values
	used   int     // number of them in use
}

// New returns the fuser of a program, whose nodes are in g. The caller calls Free at
// its end.
func New(ctx context.Context, g *graph.Graph, may May) *Fuser {
	f := fusers.Get().(*Fuser)
	f.ctx, f.g, f.May = ctx, g, may
	return f
}

// fusers has fusers without programs.
var fusers = sync.Pool{New: func() any { return &Fuser{} }}

// Free lets other fusers use the memory of f and of its values, which may not be used
// any more. It leaves the memory of many values to the garbage collector.
func (f *Fuser) Free() {
	const most = 256
	if max(len(f.values), cap(f.walk.first), cap(f.walk.places)) > most {
		return
	}
	clear(f.values[:f.used])
	clear(f.walk.first[:cap(f.walk.first)])
	clear(f.walk.places[:cap(f.walk.places)])
	*f = Fuser{values: f.values, walk: walk{first: f.walk.first[:0], places: f.walk.places[:0]}}
	fusers.Put(f)
}

// fresh returns a zero value. Values are allocated in batches, because there is one for each
// node of a loop and all die with the program's plan.
func (f *Fuser) fresh() *Value {
	if f.used == len(f.values) {
		f.values, f.used = make([]Value, max(16, 2*f.used)), 0
	}
	v := &f.values[f.used]
	f.used++
	v.Operands = v.few[:0]
	return v
}

// A walk visits the values of a loop. It decides what is stored instead of
// computed, and finds the phases of the reductions, the loads and the faults.
type walk struct {
	*Loop
	f      *Fuser
	mark   int32
	stored bool // a node was stored
	again  bool // a node was stored after it was visited
	inside int  // number of reductions whose operand holds the current value

	first  []*Value // the first value of each node, by Node.Slot
	others map[valueKey]*Value
	places []place // by number: the coordinates, and the place they come from, or -1
}

// A valueKey is a node at a place.
type valueKey struct {
	node, place int32
	bounds      ir.Bounds
}

// place returns the place of coordinates that are read from place p. Coordinates
// that are neither axes nor zeros are known by the place that they come from.
func (w *walk) place(p place, at []graph.Coord) place {
	from := int32(-1)
	if slices.Contains(at, graph.Other) {
		from = p.number
	}
	i := slices.IndexFunc(w.places, func(x place) bool { return x.number == from && slices.Equal(x.at, at) })
	if i < 0 {
		i = len(w.places)
		w.places = append(w.places, place{from, at})
	}
	return place{int32(i), at}
}

// through returns the place of a read by view v.
func (w *walk) through(v *Value, r *graph.Read) place {
	at := make([]graph.Coord, len(r.At))
	for k, c := range r.At {
		if at[k] = c; c >= 0 {
			at[k] = v.at.at[c]
		}
	}
	if !slices.Contains(at, graph.Other) {
		return w.place(v.at, at)
	}
	w.places = append(w.places, place{unequal, nil})
	return place{int32(len(w.places) - 1), at}
}

// unequal is the origin of a place that equals no other.
const unequal = -2

// aligned returns the place of an operand of shape s after broadcasting.
func (w *walk) aligned(p place, s shape.Shape) place {
	if len(s) == len(p.at) && !slices.Contains(s, 1) {
		return p
	}
	at := slices.Clone(p.at[len(p.at)-len(s):])
	for i, d := range s {
		if d == 1 {
			at[i] = graph.Zero
		}
	}
	return w.place(p, at)
}

// roots visits the roots at their positions.
func (w *walk) roots() {
	for _, r := range w.Roots {
		at := w.aligned(w.place(place{}, w.Nest.Own(r.Target.Shape)), r.Value.Shape)
		if w.repeats(r.Target.Shape, r.Value, at) {
			w.store(r.Value, "it is broadcast, and would be computed again for every element")
		}
		w.Values = append(w.Values, w.value(r.Value, at, ir.InBounds))
	}
}

// value returns the value of n at a place.
func (w *walk) value(n *graph.Node, p place, b ir.Bounds) *Value {
	key := valueKey{n.ID, p.number, b}
	if n.Mark == w.mark {
		if v := w.first[n.Slot]; v.at.number == p.number && v.Bounds == b {
			return v
		}
		if v := w.others[key]; v != nil {
			return v
		}
		if w.elsewhere(n, p) {
			w.store(n, "it is read at several positions, and would be computed for each")
		}
	}
	v := w.f.fresh()
	v.Node, v.Bounds, v.at = n, b, p
	w.visit(v)
	v.Number = w.Len
	w.Len++
	if n.Mark != w.mark {
		n.Mark, n.Slot = w.mark, int32(len(w.first))
		w.first = append(w.first, v)
	} else {
		zero.Put(&w.others, key, v)
	}
	return v
}

// elsewhere reports whether the loop would compute n at place p again, which it
// computes at another place.
func (w *walk) elsewhere(n *graph.Node, p place) bool {
	return n.Array == nil && n.Src.Op.Class() == tree.Elementwise && n.Work > 2*graph.KeepCost && !n.Faulty && w.first[n.Slot].at.number != p.number
}

func (w *walk) visit(v *Value) {
	n := v.Node
	v.own = v.Bounds == ir.InBounds && w.Nest.ownPlace(n, v.at.at)
	if w.Loads(n) {
		if v.Side = w.storesAside(v); !v.Side {
			w.load(v, n, n.Array)
			return
		}
	}
	switch n.Src.Op.Class() {
	case tree.Elementwise:
		w.elementwise(v)
	case tree.View:
		w.view(v)
	case tree.Reduction:
		switch {
		case n.AloneDown && w.f.May.Split && (w.inside > 0 || w.Nest.StoresInner): // the loop would go along the row again
			w.alone(v, manyRows)
		case !w.reduction(v):
			w.alone(v, "a reduction ends the loop over what it reduces")
		}
	case tree.State:
		v.use(w.value(n.Args[0], w.aligned(v.at, n.Args[0].Shape), v.Bounds))
	case tree.Scan:
		if !w.scan(v) {
			w.alone(v, "a scan walks another axis than the loop, or its results are read at other positions")
		}
	case tree.Contraction, tree.Opaque:
		w.alone(v, graph.HasSchedule)
	}
}

func (w *walk) elementwise(v *Value) {
	n := v.Node
	w.Fails = w.Fails || n.Fails
	for _, a := range n.Args {
		at := v.at
		if !a.Shape.Equal(n.Shape) {
			at = w.aligned(at, a.Shape)
		}
		switch {
		case w.repeats(n.Shape, a, at):
			w.store(a, "it is broadcast, and would be computed again for every element")
		case w.takesApart(n.Shape, a):
			w.store(a, "it is broadcast, and its elements would be taken apart again for every row")
		case w.aside(n.Shape, a):
			w.store(a, manyRows)
		}
		v.use(w.value(a, at, v.Bounds))
	}
}

const manyRows = "vectors make it for many rows at once"

// repeats reports whether inlining operand a of a value of shape s would compute
// its elements more than once, because a is broadcast along an axis of the
// innermost loop.
func (w *walk) repeats(s shape.Shape, a *graph.Node, p place) bool {
	// An operand that can fail stays inline, which takes no array for its faults.
	if a.Strided() != nil || !a.Computes || a.Faulty || a.Shape.Size() == s.Size() || a.Shape.Size() == 1 {
		return false
	}
	return w.Nest.Kind == Map || slices.ContainsFunc(p.at, func(c graph.Coord) bool {
		return c != graph.Zero && (c < 0 || int(c) >= len(w.Nest.Outer))
	})
}

// The least rows that read a view whose neighbouring elements are apart in memory for a copy to save time, and the least elements
// of all of them.
const (
	leastApart    = 32
	leastTogether = 1 << 15
)

// takesApart reports whether a copy of operand a of a value of shape s saves time: it is a small view of elements that are apart, and many
// rows of a map read it. Three or more loads and permutes give the elements of a vector; those of every second one take few.
func (w *walk) takesApart(s shape.Shape, a *graph.Node) bool {
	if !w.f.May.Split || w.Nest.Kind != Map || a.Array != nil || s.Size() < max(leastTogether, leastApart*a.Shape.Size()) {
		return false
	}
	last := len(s) - 1
	for s[last] == 1 {
		last--
	}
	m, at := a.Strided(), last-len(s)+len(a.Shape)
	return m != nil && at >= 0 && a.Shape[at] > 1 && (m.Strides[at] < -2 || m.Strides[at] > 2)
}

// The most primitives of a value of each row that a loop over rows computes itself, and the least rows.
const (
	mostAside  = 32
	leastAside = 64
)

// aside reports whether a stage of its own makes operand a of a value of shape s in less time: a has one value for each row,
// reduces nothing, and takes many primitives. A loop over rows computes one value at a time.
func (w *walk) aside(s shape.Shape, a *graph.Node) bool {
	return w.f.May.Split && w.Nest.Kind == Rows && a.Work > mostAside && a.Shape.Size() >= leastAside && a.Shape.Size() < s.Size() &&
		a.Strided() == nil && a.Computes && !a.Reduces && !a.Faulty && a.Open == nil
}

func (w *walk) view(v *Value) {
	n := v.Node
	if a, base := n.View(); a != nil {
		w.load(v, base, a)
		return
	}
	if w.f.May.Split && w.Nest.Kind != Map && n.Src.Op == graph.ConcatRow && n.Work > 2*graph.KeepCost && !n.Faulty {
		w.alone(v, "its parts would be computed again for every read")
		return
	}
	if w.f.May.Split && n.Src.Op == graph.TakeRow && w.selectsRows(v) {
		w.alone(v, "a loop over its rows would begin one by one at computed positions")
		return
	}
	for i := range n.Index.Reads {
		r := &n.Index.Reads[i]
		a := n.Args[r.Arg]
		w.Fails = w.Fails || r.Fails
		if why := n.Elsewhere(r); why != "" {
			if w.store(a.Under(), why); len(n.Index.Reads) == 1 {
				if a, base := n.View(); a != nil { // now that the operand is in memory
					w.load(v, base, a)
					return
				}
			}
		}
		v.use(w.value(a, w.through(v, r), max(v.Bounds, r.Bounds)))
	}
}

// Rows of up to mostSelected elements are copied in less time than a loop takes to begin them at computed positions. All of them together
// have at most mostCopied elements, unless each block of the loop reads a block of the copy alone.
const (
	mostSelected = 1024
	mostCopied   = 1 << 24
)

// selectsRows reports whether the vectors of a loop along rows or down columns go along short rows that an index of v selects.
func (w *walk) selectsRows(v *Value) bool {
	along := w.Nest.Inner
	last := len(w.Nest.Outer) + len(along) - 1
	if w.Nest.Kind == Columns {
		along = w.Nest.Outer
		last = len(along) - 1
	}
	goes := func(arg int) bool { // whether the elements of an operand that v reads change along a vector
		return slices.ContainsFunc(v.Node.Index.Reads, func(r graph.Read) bool {
			return r.Arg == arg && slices.ContainsFunc(r.At, func(c graph.Coord) bool { return c >= 0 && int(v.at.at[c]) == last })
		})
	}
	blocks := func(c graph.Coord) bool { return c >= 0 && int(c) < len(w.Nest.Outer) }
	return w.Nest.Kind != Map && len(along) > 0 && along[len(along)-1] <= mostSelected && goes(0) && !goes(1) &&
		(blocks(v.at.at[0]) || v.Node.Shape.Size() <= mostCopied)
}

// reduction visits the operand of a reduction that runs along the inner axes of
// the nest, at the current position of the outer axes. It returns false for
// other reductions.
func (w *walk) reduction(v *Value) bool {
	n := v.Node
	if w.Nest.singleRow && w.inside > 0 || !w.fits(v) {
		return false
	}
	w.inside++
	v.use(w.value(n.Args[0], w.place(v.at, w.Nest.Operand(n)), ir.InBounds))
	w.inside--
	w.later(v)
	return true
}

// fits reports whether a reduction or a scan runs along the inner axes of the nest, at
// the current position of the outer axes.
func (w *walk) fits(v *Value) bool {
	n := v.Node
	if v.Bounds != ir.InBounds || !w.Nest.fits(n) {
		return false
	}
	next := 0
	for i, d := range n.Args[0].Shape {
		if d == 1 || slices.Contains(n.Src.Axes, i) {
			continue
		}
		if int(v.at.at[i]) != next {
			return false
		}
		next++
	}
	return true
}

// later makes v a result of a loop: only later phases see it.
func (w *walk) later(v *Value) {
	v.depth++
	for len(w.Phases) < int(v.depth) {
		w.Phases = append(w.Phases, nil)
	}
	phase := &w.Phases[v.depth-1]
	if !slices.ContainsFunc(*phase, func(x *Value) bool { return x.Node == v.Node }) {
		*phase = append(*phase, v)
	}
}

// scan visits the trees of the step of a scan that walks the inner axis of the nest.
// It returns false for other scans, and if faults are stored: those of a scan count for
// all later steps.
func (w *walk) scan(v *Value) bool {
	n := v.Node
	at := w.Nest.Operand(n)
	if w.Faults != nil && n.Faulty || !w.fits(v) || !n.Src.ScanIsLast() && !slices.Equal(v.at.at, at) {
		return false
	}
	w.scans = true
	own := w.place(v.at, at)
	for _, a := range n.Args {
		v.use(w.value(a, own, ir.InBounds))
	}
	if n.Src.ScanIsLast() {
		w.later(v)
	}
	return true
}

// alone gives the node a step of its own.
func (w *walk) alone(v *Value, why string) {
	w.store(v.Node, why)
	w.load(v, v.Node, v.Node.Array)
}

// store stores n, unless it is in memory.
func (w *walk) store(n *graph.Node, why string) {
	if n.Array == nil {
		w.f.g.Store(n, why)
		w.stored, w.again = true, w.again || n.Mark == w.mark
	}
}

// load makes v an element of array a, which belongs to node n or is a view of
// it.
func (w *walk) load(v *Value, n *graph.Node, a *graph.Array) {
	v.Load, v.Of = a, n
	w.loads = append(w.loads, v)
}

// storesAside reports whether this loop computes a node that another loop will
// load, and stores it at every position.
func (w *walk) storesAside(v *Value) bool {
	by, ok := w.f.asides[v.Node]
	if !ok || !v.Node.Pending || slices.ContainsFunc(w.Roots, func(r graph.Root) bool { return r.Value == by }) {
		return false
	}
	if !v.own {
		delete(w.f.asides, v.Node) // it gets a step of its own
		w.again = true
	}
	if v.own {
		w.sides = append(w.sides, v)
	}
	return v.own
}
