package graph

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// shortGroup is the longest reduction that is written out. For rows or columns of
// a few elements the overhead of a loop exceeds its work.
const shortGroup = 16

// The longest rows of elements of 1 and 2 bytes that are written out, and those of predicates. A load of one element of each row
// takes as many permutes as a row has elements, if these are no power of two. A loop loads and folds several rows of 8 or 16 bytes at
// once, so it takes integers and predicates from rows of mostNarrow elements on.
const (
	mostNarrow     = 8
	mostPredicates = 12
)

// packedBytes is the size of rows of which a loop loads several at once: their sums, which are wider, are the lanes of a vector.
// A loop loads several rows of twice the size at once too. foldedBytes is the size of rows of 4-byte elements that do not repeat, of
// which a loop on the host folds several at once in less time than it takes to bring each element to a vector of its own.
const (
	packedBytes = 8
	foldedBytes = 32
)

// longRow reports whether a loop over the elements of a row takes less time than code that names each element, for the reduction
// e of rows of size elements, at most shortGroup. It returns false unless e is the last reduction: others are written out, so that
// one loop has them and what depends on them.
func (g *Graph) longRow(e *tree.Node, a *Node, size int) bool {
	if e != g.last || e.Op.Reduce().Position() {
		return false
	}
	arrays, least, back := g.arraysOf(a, false), 8, false
	apart := !g.Separates || a.Shape.Size() < leastStage || len(g.arraysOf(a, true)) > len(arrays)
	for _, m := range arrays {
		step := m.Strides[len(a.Shape)-1]
		least, back, apart = min(least, m.Type.Size()), back || step < 0, apart || step != 1
	}
	switch own := a.Type.Size(); {
	case len(arrays) == 0:
		return false
	case least < own && least <= 2 && e.Op.Reduce().Op() == prim.Add && !a.Type.IsFloat() && (size*least == packedBytes || size*least == 2*packedBytes):
		return true
	case least > 2 || own == 8 && least == 2:
		return size == shortGroup && !back || size*own == foldedBytes && own == 4 && !apart
	case a.Type == dtype.Bool:
		return size == mostNarrow || size > mostPredicates
	case own == least && !a.Type.IsFloat():
		return size >= mostNarrow
	}
	return size > mostNarrow
}

// shortWork is the most primitives of the operands of a reduction that is written out.
const shortWork = 400

// leastStage is the fewest elements of a stage that is made because each of them takes less time there than in
// the loop that uses it. The overhead of a stage exceeds the gain of fewer.
const leastStage = 1 << 10

// fewBordered is the most elements of a window that is written out over a padded array that is not stored. The loop is
// cut at the borders, and more elements have more of them.
const fewBordered = 9

// mostWindow is the most elements of a window that is written out, and mostLong of one with rows of more than shortGroup.
const (
	mostWindow = 64
	mostLong   = 48
)

// A row down memory is written out up to mostDown elements, and in the order of lanes up to laneDown of each lane, half as many if elements
// of 2 bytes are converted. Those of an array of laneApart of each lane and more are not if they are a multiple of apartBytes apart: their lines
// share sets of the caches, and a loop along memory takes less time.
const (
	mostDown   = 63
	laneDown   = 7
	laneApart  = 2
	apartBytes = 1 << 10
)

// workAlong returns the primitives that each element of n along an axis takes by itself.
// Nodes that repeat along the axis do not count, nor do reductions.
func (g *Graph) workAlong(n *Node, axis int) (work int) {
	mark := g.Walk()
	var visit func(n *Node, axis int)
	visit = func(n *Node, axis int) {
		if n.Mark == mark || n.Array != nil || axis < 0 || n.Shape[axis] == 1 || work > shortWork || n.Src.Op.Class() == tree.Reduction {
			return
		}
		n.Mark = mark
		work += int(n.own)
		if n.Src.Op.Class() == tree.View && n.Src.Op != BroadcastRow { // it may exchange axes
			work += n.Work - int(n.own)
			return
		}
		for _, a := range n.Args {
			visit(a, axis-len(n.Shape)+len(a.Shape))
		}
	}
	visit(n, axis)
	return work
}

// filled returns a constant with the shape of e. bits are of its register type.
func (g *Graph) filled(e *tree.Node, bits uint64) *Node {
	c := g.make(tree.NewConst(e.DType(), bits), nil)
	return g.make(tree.NewView(BroadcastRow, e.Shape(), e.DType(), e.Shape()), []*Node{c})
}

// pair returns the combination of two values of a reduction.
func (g *Graph) pair(e *tree.Node, x, y *Node) *Node {
	return g.make(tree.Untyped(e.Op.Pair(), x.Shape, e.DType()), []*Node{x, y})
}

// single returns the reduction of one element by a program: the identity
// combined with the element. For the last axis, the folds with the other lanes
// follow, which hold the identity alone. It returns nil if the program is
// wrong.
func (g *Graph) single(e *tree.Node, a *Node) *Node {
	t := e.DType().Register()
	d := ir.Reducer{Reduction: e.Op.Reduce(), Type: t}
	p, err := d.Scalar()
	if err != nil {
		return nil // the kernel of the reduction reports the error
	}
	other := e.Op.Reduce().Identity(t)
	v := g.pair(e, g.filled(e, other), a)
	if slices.Contains(e.Axes, len(a.Shape)-1) {
		for lanes := ir.Lanes(t); lanes > 1; lanes /= 2 {
			v = g.pair(e, v, g.filled(e, other))
			other = p.Call(other, other)
		}
	}
	return v
}

// shortReduction returns a node for a reduction of few elements, or nil for
// others. A reduction of no elements is a constant. A reduction of one element
// is that element. One of more elements of rows is the tree of the lane order:
// lane j is combined with lane j + 2^k, the largest 2^k first. The elements of
// columns are combined one after the other.
func (g *Graph) shortReduction(e *tree.Node, a *Node) *Node {
	size := lists.Product(a.Shape, e.Axes)
	r := e.Op.Reduce()
	switch {
	case size == 0:
		return g.filled(e, r.Nothing(a.Type.Register()))
	case size == 1 && r.Position():
		return g.filled(e, 0)
	case size == 1 && !r.Native():
		return g.single(e, a)
	case size == 1:
		return a
	case r.Position() && splits(a, e.Axes):
		return g.splitPosition(e, a.Args[0])
	case !r.Native() || a.Faulty || !g.isShort(e, a, size):
		return nil // of a.Faulty: a loop raises the faults of a reduction that nothing selects
	}
	if w := windowsBelow(a); g.Separates && size > fewBordered && e.Shape().Size() >= leastStage && w != nil && w.framed() {
		g.Store(w.Args[0], borderAgain)
	}
	lanes := []*Node{a}
	for _, axis := range e.Axes {
		var next []*Node
		for _, x := range lanes {
			done := map[*Node]*Node{}
			for i := range a.Shape[axis] {
				clear(done)
				next = append(next, g.pick(x, axis, i, done))
			}
		}
		lanes = next
	}
	if r.Position() {
		return g.position(e, lanes)
	}
	if !slices.Contains(e.Axes, len(a.Shape)-1) { // down columns, one after the other
		v := lanes[0]
		for _, x := range lanes[1:] {
			v = g.pair(e, v, x)
		}
		return v
	}
	most := ir.Lanes(a.Type.Register())
	for i := most; i < size; i++ {
		lanes[i%most] = g.pair(e, lanes[i%most], lanes[i])
	}
	lanes = lanes[:min(size, most)]
	half := 1
	for 2*half < len(lanes) {
		half *= 2
	}
	for ; half > 0; half /= 2 {
		for j := 0; j < half && j+half < len(lanes); j++ {
			lanes[j] = g.pair(e, lanes[j], lanes[j+half])
		}
		lanes = lanes[:min(half, len(lanes))]
	}
	return lanes[0]
}

// splits reports whether the axes are the last one of a, which is several axes of its operand.
func splits(a *Node, axes []int) bool {
	last := len(a.Shape) - 1
	if a.Array != nil || a.Src.Op != ReshapeRow || len(axes) != 1 || axes[0] != last {
		return false
	}
	s := a.Args[0].Shape
	return len(s) > last+1 && s[:last].Equal(a.Shape[:last])
}

// splitPosition returns the reduction e over the axes of a that one axis joined, because windows
// are written out by their axes.
func (g *Graph) splitPosition(e *tree.Node, a *Node) *Node {
	kept := a.Shape.Clone()
	view := tree.NewView(e.Op, kept, e.DType(), nil)
	for i := e.Axes[0]; i < len(kept); i++ {
		kept[i], view.Axes = 1, append(view.Axes, i)
	}
	if n := g.rewrite(view, []*Node{a}); n != nil {
		return g.reshape(n, e.Shape())
	}
	return nil
}

// position returns the position of the first of lanes that is their extreme, or of the first NaN. It compares the extremes of the two
// halves. The second one wins only if the first one is not NaN, and the second one is NaN or more extreme. Positions have the size of the
// elements, so both fill the same vectors.
func (g *Graph) position(e *tree.Node, lanes []*Node) *Node {
	x, stays := lanes[0], "less_equal"
	if e.Op.Reduce().Op() == prim.Min {
		stays = "greater_equal"
	}
	apply := func(name string, of dtype.Type, args ...*Node) *Node {
		return g.make(tree.Untyped(untyped.Row(name), x.Shape, of), args)
	}
	count := tree.Untyped(e.Op, x.Shape, dtype.Integer(x.Type.Register().Size(), true))
	var find func(lo, hi int) (best, at *Node)
	find = func(lo, hi int) (best, at *Node) {
		if hi-lo == 1 {
			return lanes[lo], g.filled(count, uint64(lo))
		}
		best, at = find(lo, (lo+hi)/2)
		y, then := find((lo+hi)/2, hi)
		is := apply(stays, dtype.Bool, y, best)
		if x.Type.IsFloat() {
			is = apply("logical_or", dtype.Bool, is, apply("not_equal", dtype.Bool, best, best))
		}
		return apply("where", x.Type, is, best, y), apply("where", count.DType(), is, at, then)
	}
	_, first := find(0, len(lanes))
	if first.Type == e.DType() {
		return first
	}
	if g.Separates && len(lanes) > shortGroup && first.Shape.Size() >= leastStage { // a loop that does more has too few registers
		g.Store(first, moreLanes)
	}
	return g.cast(first, e.DType())
}

// moreLanes is why an integer is stored before it is converted.
const moreLanes = "vectors of it have more elements than vectors of what it is converted to"

// isShort reports whether the reduction e of a over size elements is written
// out. For rows of a few elements the overhead of a loop exceeds its work, also
// where they have several axes but are one run of memory. The elements of a window
// are written out up to mostWindow, because windows at neighbouring positions lie
// side by side. Those of long rows are up to mostLong, if neighbours are side by side.
// Few results share no vectors, so the elements are written out only if they are those of
// a reduction, which are stored anyway: what uses the result combines them.
func (g *Graph) isShort(e *tree.Node, a *Node, size int) bool {
	last := len(a.Shape) - 1
	if a.Shape.Size()/size < 64 && (a.Array != nil || a.Src.Op.Class() != tree.Reduction) {
		return false
	}
	columns, axes := !slices.Contains(e.Axes, last), lists.Count(e.Axes, func(axis int) bool { return a.Shape[axis] > 1 })
	if size <= shortGroup && size*elementsOf(e) < 2*shortGroup && (columns || !g.longRow(e, a, size)) && (columns || axes == 1 || len(e.Axes) > last-e.Axes[0] && oneRun(e, a)) {
		return size*lists.Sum(e.Axes, func(axis int) int { return g.workAlong(a, axis) }) <= shortWork
	}
	if columns {
		return false
	}
	r := e.Op.Reduce()
	most, lanes := mostDown, ir.Lanes(a.Type.Register())
	// Windows along one axis have an axis for each axis of their array.
	along := e.Axes[slices.IndexFunc(e.Axes, func(axis int) bool { return a.Shape[axis] > 1 })]
	if r.Ordered(a.Type.Register()) { // else accumulators of all rows suffice
		if v := a.Strided(); v == nil || size < laneApart*lanes || v.Strides[along]*a.Type.Size()%apartBytes != 0 {
			most = laneDown * lanes * min(a.Type.Size(), 4) / 4
		}
	}
	if axes == 1 && !r.Position() && size <= most && size*g.workAlong(a, along) <= MaxCost/2 && g.down(a, along) {
		return true
	}
	w, x := windowsBelow(a), operandBelow(a)
	aside := w != nil && w.Src.Ints[len(w.Src.Ints)-2] == 1 // elements of windows that are next to each other are side by side
	long := a.Shape[last] > shortGroup && (!aside || size > mostLong)
	if long || size > mostWindow || size*max(g.workAlong(a, last), 2) > MaxCost/2 {
		return false
	}
	if x != nil && x.Strided() != nil && !aside { // the elements of a row that is one run of memory are no window
		return !oneRun(e, x)
	}
	return w != nil
}

// operandBelow returns the first operand of element-wise operations of the shape of a that is no such operation, or nil.
func operandBelow(a *Node) *Node {
	for a.Array == nil && a.Src.Op.Class() == tree.Elementwise {
		i := slices.IndexFunc(a.Args, func(x *Node) bool { return x.Shape.Equal(a.Shape) })
		if i < 0 {
			return nil
		}
		a = a.Args[i]
	}
	return a
}

// windowsBelow returns the windows that a is views of, or element-wise operations of such, or nil.
func windowsBelow(a *Node) *Node {
	a = operandBelow(a)
	for a != nil && a.Array == nil && a.Index != nil && len(a.Args) == 1 {
		if a.Src.Op == WindowsRow {
			return a
		}
		a = a.Args[0]
	}
	return nil
}

// elementsOf returns the number of elements of a short reduction that e reduces the results of, or 1 if there is none. Two short axes
// with others between them, both written out, would be a load of an element of each row for each pair of their elements.
func elementsOf(e *tree.Node) int {
	if len(e.Args) > 0 && e.Args[0].Op.Class() == tree.Reduction {
		if n := lists.Product(e.Args[0].Args[0].Shape(), e.Args[0].Axes); n <= shortGroup {
			return n
		}
	}
	return 1
}

// down reports whether the rows along an axis of all arrays that a reads are their columns in memory: elements that are side by side belong to
// rows that are. A vector has elements of as many rows.
func (g *Graph) down(a *Node, along int) bool {
	mark := g.Walk()
	var visit func(a *Node) bool
	visit = func(a *Node) bool {
		if a.Array == nil && a.Src.Op.Class() == tree.Elementwise {
			return !slices.ContainsFunc(a.Args, func(x *Node) bool {
				if x.Mark == mark || len(x.Shape) <= along || x.Shape[along] <= 1 {
					return false
				}
				x.Mark = mark // the visit returns at the first false
				return !visit(x)
			})
		}
		m := a.Strided()
		return m != nil && (m.Strides[along] > 1 || m.Strides[along] < -1) && slices.Contains(m.Strides[:along], 1)
	}
	return visit(a)
}

// oneRun reports whether the axes of a from the first that e reduces on are one run of memory.
func oneRun(e *tree.Node, a *Node) bool {
	m := a.Strided()
	if m == nil {
		return false
	}
	for i := e.Axes[0]; i < len(a.Shape)-1; i++ {
		if m.Shape[i] > 1 && m.Strides[i] != m.Strides[i+1]*m.Shape[i+1] {
			return false
		}
	}
	return true
}
