package graph

import (
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// A concatenation or a padding reads other operands on each side of its borders. A
// loop over all of it loads every operand under a mask, and selects. Split cuts such
// a value at its borders into parts that load what they need alone.

// The limits of parts. A part is a loop, and often a stage, of its own: it costs up to 10 ns in a run and 10 us in a compilation.
// Without parts, each operand of a concatenation takes time for every element.
const (
	fewParts   = 4 // so many parts may have any number of elements
	mostParts  = 32
	leastPart  = 2   // elements for each of more parts, on average, times the operands of concatenations
	leastPad   = 128 // leastPart for paddings: the stored one is two loops
	mostJoined = 4   // the operands of a concatenation that a loop selects from
)

// parts returns the roots of a group cut at the borders of concatenations and
// paddings: a list of roots for each part, to be stored one after the other. It returns the roots
// uncut if they have no borders, if the parts would be too many or too small, if
// storing a part could change what another reads, or if an array of the program could be
// stored in part when what the other parts read fails. It stores what the loop of the roots
// would store first. What stays whole reads concatenations of many operands from memory.
// A single root without borders is cut by the fields of the records that it reads: see byField.
func (g *Graph) parts(roots []Root) [][]Root {
	if !g.borders {
		return g.byField(roots)
	}
	parts := g.split(roots)
	if len(parts) == 1 && len(parts[0]) == len(roots) && g.storeJoined(roots) {
		return g.split(roots) // there may be few enough parts now
	}
	return parts
}

// storeJoined stores the concatenations of many operands below roots. It reports whether there are any.
func (g *Graph) storeJoined(roots []Root) (stored bool) {
	find := g.finder(func(n *Node) (found, stop bool) {
		if n.Array != nil {
			return false, true
		}
		for _, a := range n.Args {
			if a.Src.Op == ConcatRow && !a.Faulty && a.Array == nil && a.joined() > mostJoined && n.Src.Op != ConcatRow {
				g.Store(a, "a loop for each operand")
				stored = true
			}
		}
		return false, false
	})
	for _, r := range roots {
		find(r.Value)
	}
	return stored
}

// joined returns the number of operands of a concatenation and of those below it, or 1 for other nodes.
func (n *Node) joined() int {
	for n.Array == nil && len(n.Args) == 1 && n.Index != nil {
		n = n.Args[0]
	}
	if n.Array != nil || n.Src.Op != ConcatRow {
		return 1
	}
	count := 0
	for _, a := range n.Args {
		if count += a.joined(); count > maxParts {
			break
		}
	}
	return count
}

// split is parts without stores of what is read.
func (g *Graph) split(roots []Root) [][]Root {
	whole := [][]Root{roots}
	if !g.bordered(roots) {
		return g.byField(roots)
	}
	roots = g.unshaped(roots)
	first := roots[0].Target
	for _, r := range roots {
		if !r.Target.Shape.Equal(first.Shape) || r.Value.Faulty || r.Value.Raises && r.Target.Mem != nil {
			return whole
		}
	}
	if parts := g.scansApart(roots); parts != nil {
		return parts
	}
	g.storeMoved(roots)
	if g.settleApart(roots); !g.isMap(roots) || g.readsTargets(roots) {
		return whole
	}
	for _, r := range roots {
		if r.Value.Cost > MaxCost && g.refresh(r.Value) {
			g.sum(r.Value)
		}
		if r.Value.Cost > MaxCost {
			return whole
		}
	}
	if parts := g.fillFirst(roots); parts != nil {
		return parts
	}
	parts, operands, least := [][]Root{roots}, 1, leastPart
	if g.inLoop(roots, func(n *Node) bool { return n.Src.Op == PadRow }) {
		least = leastPad
	}
	for _, r := range roots {
		operands = max(operands, r.Value.joined())
	}
	for axis := range first.Shape {
		var next [][]Root
		for _, part := range parts {
			next = append(next, g.woven(g.splitAxis(part, axis), axis)...)
			if n := len(next); n > mostParts || n > fewParts && n*least > first.Shape.Size()*operands {
				return whole
			}
		}
		parts = next
	}
	if len(parts) == 1 && len(parts[0]) == len(roots) {
		return whole
	}
	var all [][]Root
	for _, part := range parts { // a reshape of it may have borders inside
		all = append(all, g.parts(part)...)
	}
	return all
}

// scansApart returns the operands of a concatenation as parts if some are scans, whose loops store them in the target, and those of fillFirst
// for a padding of a scan. It returns nil for other roots, and for a concatenation that the target repeats.
func (g *Graph) scansApart(roots []Root) (parts [][]Root) {
	n, t, end := roots[0].Value, roots[0].Target, 0
	scans := g.inLoop(roots, func(n *Node) bool { return n.Src.Op.Class() == tree.Scan })
	switch {
	case len(roots) > 1 || !scans || g.readsTargets(roots):
		return nil
	case n.Src.Op != ConcatRow:
		return g.fillFirst(roots)
	case !n.Shape.Equal(t.Shape):
		return nil
	}
	for _, a := range n.Args {
		begin, axis := end, n.Src.Axes[0]
		if end += a.Shape[axis]; end > begin {
			parts = append(parts, g.parts([]Root{{a, t.cut(axis, begin, end)}})...)
		}
	}
	return parts
}

// The limits of fillFirst, in bytes, and in elements of a single row.
const (
	shortRow    = 104
	smallTarget = 8 << 10
	shortFill   = 256
)

// fillFirst returns the parts of a padding with short rows, or of a small one: the fill, which is stored
// everywhere, and then the operand. The fill goes over whole rows. That takes less time than parts
// that have few elements of each row, or than four more stages, or two for a single row. It returns nil for other roots.
func (g *Graph) fillFirst(roots []Root) [][]Root {
	n, t := roots[0].Value, roots[0].Target
	if len(roots) > 1 || n.Array != nil || n.Src.Op != PadRow {
		return nil
	}
	x, fill, size := n.Args[0], n.Args[1], t.Shape.Size()
	if x.Shape.Size() == 0 || len(t.Shape) == 0 || fewColumns(roots, len(t.Shape)-1) {
		return nil
	}
	if row := t.Shape[len(t.Shape)-1]; t.Bytes() > smallTarget && row*t.Type.Size() > shortRow || size > shortFill && size == row {
		return nil
	}
	inner := t
	for axis, d := range x.Shape {
		if n.Shape[axis] != 1 { // else the target may repeat it, and it has no border
			before := n.Src.Ints[2*axis]
			inner = inner.cut(axis-len(x.Shape)+len(t.Shape), before, before+d)
		}
	}
	all := Root{g.Broadcast(g.reshape(fill, nil), t.Shape), t}
	return append([][]Root{{all}}, g.parts([]Root{{x, inner}})...)
}

// unshaped returns roots without the reshapes and transposes that their targets can express by
// strides. A border below a view is a border of the target with other axes.
func (g *Graph) unshaped(roots []Root) []Root {
	if len(roots) > 1 {
		each := lists.Map(roots, func(r Root) Root { return g.unshaped([]Root{r})[0] })
		if slices.ContainsFunc(each, func(r Root) bool { return !r.Target.Shape.Equal(each[0].Target.Shape) }) {
			return roots
		}
		return each
	}
	for {
		n, t := roots[0].Value, roots[0].Target
		view, x := g.onView(n, mostOnView)
		if view == nil || !t.Shape.Equal(n.Shape) {
			break
		}
		under, ok := *t, true
		under.Shape = x.Shape
		if view.Src.Op == ReshapeRow {
			if under.Strides, ok = shape.Reshape(t.Shape, t.Strides, x.Shape); !ok {
				break
			}
		} else {
			under.Strides = lists.Map(returned(view, x), func(from int) int {
				if from < 0 {
					return 0
				}
				return t.Strides[from]
			})
		}
		roots = []Root{{x, &under}}
	}
	return roots
}

// mostOnView is the number of element-wise operations through which onView looks.
const mostOnView = 4

// onView returns a reshape or transpose, and the node of which n is that view, or nil. An element-wise operation
// on views of one kind that have borders below is a view of the operation. The other operands get the inverse view. They have
// no borders, because then the next call would invert the view again, without an end.
func (g *Graph) onView(n *Node, most int) (view, x *Node) {
	switch op := n.Src.Op; {
	case n.Array != nil:
		return nil, nil
	case op == ReshapeRow || op == TransposeRow:
		return n, n.Args[0]
	case op.Class() != tree.Elementwise || most == 0:
		return nil, nil
	}
	args := slices.Clone(n.Args)
	for i, a := range args { // what has borders below: views of the same kind
		if !g.bordered([]Root{{Value: a}}) {
			continue
		}
		v, y := g.onView(a, most-1)
		if v == nil || !a.Shape.Equal(n.Shape) || view != nil && (v.Src.Op != view.Src.Op || !slices.Equal(v.Src.Axes, view.Src.Axes) || !y.Shape.Equal(x.Shape)) {
			return nil, nil
		}
		view, x, args[i] = v, y, y
	}
	if view == nil {
		return nil, nil
	}
	for i, a := range n.Args {
		switch {
		case args[i] != a || len(a.Shape) == 0:
			continue
		case !a.Shape.Equal(n.Shape):
			return nil, nil
		case view.Src.Op == TransposeRow:
			args[i] = g.pushTranspose(a, returned(view, x), x.Shape, mostOnView)
		default:
			args[i] = g.reshape(a, x.Shape)
		}
		if args[i].Src.Op == ReshapeRow && args[i].Strided() == nil {
			return nil, nil
		}
	}
	if from := g.from; g.Origins != nil {
		g.from = n.Src
		defer func() { g.from = from }()
	}
	return view, g.intern(n.Src, args, x.Shape)
}

// pushTranspose is transpose below at most so many element-wise operations, of which others do not use those that take work.
func (g *Graph) pushTranspose(a *Node, axes []int, to shape.Shape, most int) *Node {
	other := func(x *Node) bool { return len(x.Shape) > 0 && !x.Shape.Equal(a.Shape) }
	if most == 0 || a.Array != nil || a.Src.Op.Class() != tree.Elementwise || a.Uses > 1 && a.Work > 2 || slices.ContainsFunc(a.Args, other) {
		return g.transpose(a, axes, to)
	}
	return g.intern(a.Src, lists.Map(a.Args, func(x *Node) *Node {
		if len(x.Shape) == 0 {
			return x
		}
		return g.pushTranspose(x, axes, to, most-1)
	}), to)
}

// returned returns the axes of a transpose of x that are the axes of x; -1 is one that it drops.
func returned(view, x *Node) []int {
	return lists.Make(len(x.Shape), func(axis int) int { return slices.Index(view.Src.Axes, axis) })
}

// The records that byField takes apart have at most mostFields elements and recordBytes: longer ones gain little or lose, as their fields are
// stored to many rows at once. At least leastRecords of them follow each other, and there are four times as many. The loop goes along at most
// mostAlong rows at once, of its target and of the arrays that are no records.
const (
	mostFields   = 8
	recordBytes  = 48
	leastRecords = 16
	mostAlong    = 24
)

// byField returns roots cut along an axis that is short and innermost in an array which they read, but not in their target, as in the
// transpose of a few columns. The parts share a loop, which reads each record once. A loop over the target would read all records again
// for each field.
func (g *Graph) byField(roots []Root) [][]Root {
	v, t, whole := roots[0].Value, roots[0].Target, [][]Root{roots}
	if len(roots) > 1 || v.Faulty || v.Raises || v.Work > 2*KeepCost || !t.Shape.Equal(v.Shape) {
		return whole
	}
	axis := g.fieldAxis(v)
	if axis < 0 || innermost(t, axis) || t.Shape.Size() < 4*leastRecords*t.Shape[axis] || g.readsTargets(roots) {
		return whole
	}
	rows := t.Shape[axis]
	for _, a := range g.arraysOf(v, false) {
		if !innermost(a, axis) {
			rows += t.Shape[axis]
		}
	}
	if rows > mostAlong {
		return whole
	}
	return [][]Root{slices.Concat(g.cutAt(roots, axis, lists.UpTo(t.Shape[axis]+1))...)}
}

// fieldAxis returns the axis of v along which the elements of short records in an array that it reads follow each other, or -1.
func (g *Graph) fieldAxis(v *Node) int {
	for _, a := range g.arraysOf(v, false) {
		order, size := a.order(), a.Type.Size()
		k := len(order) - 1
		if k < 1 || a.Strides[order[k]] != 1 || a.Shape[order[k-1]] < leastRecords {
			continue
		}
		n := a.Shape[order[k]]
		if abs(a.Strides[order[k-1]]) == n && n <= mostFields && n*size <= recordBytes {
			return order[k]
		}
	}
	return -1
}

// bordered reports whether a root that is not stored has borders.
func (g *Graph) bordered(roots []Root) bool {
	return slices.ContainsFunc(roots, func(r Root) bool { return r.Value.Under().bySide() }) ||
		g.inLoop(roots, func(n *Node) bool { return n.Src.Op == ConcatRow || n.Src.Op == PadRow })
}

// isMap reports whether the loop of roots has nothing but views and element-wise operations
// on what is stored.
func (g *Graph) isMap(roots []Root) bool { return !g.inLoop(roots, apart) }

// settleApart stores what the loop of a root would store: what depends on a reduction and is read
// elsewhere by a view, scans below borders, and below concatenations products and calls. Then the loop of each part
// is a map.
func (g *Graph) settleApart(roots []Root) {
	var bordered []Root
	g.inLoop(roots, func(n *Node) bool {
		if n.Src.Op == ConcatRow || n.Src.Op == PadRow {
			bordered = append(bordered, Root{Value: n})
		}
		return false
	})
	g.inLoop(bordered, func(n *Node) bool {
		if n.Src.Op.Class() == tree.Scan {
			g.Store(n, "the loop of a scan is not cut at borders")
		}
		return false
	})
	for _, r := range roots {
		one := []Root{r}
		joined := g.inLoop(one, func(n *Node) bool { return n.Src.Op == ConcatRow })
		g.inLoop(one, func(n *Node) bool {
			if c := n.Src.Op.Class(); joined && (c == tree.Contraction || c == tree.Opaque) {
				g.Store(n, HasSchedule)
			}
			for i := range n.reads() {
				r := &n.Index.Reads[i]
				if why := n.Elsewhere(r); why != "" && n.Args[r.Arg].Reduces {
					g.Store(n.Args[r.Arg].Under(), why)
				}
			}
			return false
		})
	}
}

// storeMoved stores what takes work and what paddings put at several places: each part would compute it again.
func (g *Graph) storeMoved(roots []Root) {
	by, pads := map[*Node]*Node{}, []*Node(nil) // the last padding of each node
	g.inLoop(roots, func(n *Node) bool {
		if n.Src.Op == PadRow && n.Args[0].Work > 2*KeepCost {
			pads = append(pads, n)
		}
		return false
	})
	for _, p := range pads {
		g.inLoop([]Root{{Value: p.Args[0]}}, func(n *Node) bool {
			if n.Uses > 1 && n.Work > 2*KeepCost && !n.Faulty && !apart(n) && n.Shape.Size() >= leastStage {
				if before := by[n]; before != nil && !slices.Equal(before.Src.Ints, p.Src.Ints) {
					g.Store(n, "it is read at several positions, and would be computed for each")
				}
				by[n] = p
			}
			return false
		})
	}
}

// HasSchedule is why products and calls are stored.
const HasSchedule = "it has a schedule of its own"

// reads returns the reads of a view, and none of other nodes.
func (n *Node) reads() []Read {
	if n.Index == nil {
		return nil
	}
	return n.Index.Reads
}

// apart reports whether n is no view and no element-wise operation.
func apart(n *Node) bool {
	switch n.Src.Op.Class() {
	case tree.Reduction, tree.Contraction, tree.Opaque, tree.State, tree.Scan:
		return true
	}
	return false
}

// inLoop reports whether a node that is not stored is as is says.
func (g *Graph) inLoop(roots []Root, is func(n *Node) bool) bool {
	find := g.finder(func(n *Node) (found, stop bool) {
		return n.Array == nil && is(n), n.Array != nil || apart(n)
	})
	return slices.ContainsFunc(roots, func(r Root) bool { return find(r.Value) })
}

// readsTargets reports whether a root, or what is stored before it, reads memory of a target.
func (g *Graph) readsTargets(roots []Root) bool {
	find := g.finder(func(n *Node) (found, stop bool) {
		return n.Array != nil && slices.ContainsFunc(roots, func(r Root) bool { return n.Array.Overlaps(r.Target) }), n.Array != nil && !n.Pending
	})
	return slices.ContainsFunc(roots, func(r Root) bool { return find(r.Value) })
}

// splitAxis cuts roots at their borders along an axis of their targets.
func (g *Graph) splitAxis(roots []Root, axis int) (parts [][]Root) {
	d := roots[0].Target.Shape[axis]
	at := []int{0, d}
	b := borders{seen: map[borderKey]bool{}}
	for _, r := range roots {
		axis, border := axis-len(r.Target.Shape)+len(r.Value.Shape), func(p int) {
			if 0 < p && p < d {
				at = append(at, p)
			}
		}
		r.Value.chosenAt(axis, border)
		b.find(r.Value, axis, border)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) == 2 || len(at) > max(mostParts, mostWoven+1) {
		return [][]Root{roots}
	}
	if fewColumns(roots, axis) {
		at = lists.UpTo(d + 1) // woven joins the columns
	}
	parts = g.cutAt(roots, axis, at)
	computed := func(part []Root) bool { return part[0].Value.Strided() == nil } // cut at more places, what it reads may be stored
	if even := evenly(at, roots[0].Target.Type.Size()); len(even) > len(at) && !slices.ContainsFunc(parts, computed) {
		if rows := g.cutAt(roots, axis, even); copied(rows, axis) {
			return rows
		}
	}
	return parts
}

// cutAt cuts roots at positions along an axis of their targets, of which the first and the last are its ends.
func (g *Graph) cutAt(roots []Root, axis int, at []int) (parts [][]Root) {
	for i := range at[1:] {
		c := cutter{g: g, done: map[cutKey]*Node{}}
		parts = append(parts, lists.Map(roots, func(r Root) Root {
			return Root{c.cut(r.Value, axis-len(r.Target.Shape)+len(r.Value.Shape), at[i], at[i+1]), r.Target.cut(axis, at[i], at[i+1])}
		}))
	}
	return parts
}

// cut returns the elements lo..hi of an array along an axis.
func (a *Array) cut(axis, lo, hi int) *Array {
	c := *a
	c.Offset += lo * a.Strides[axis]
	c.Shape = a.Shape.Clone()
	c.Shape[axis] = hi - lo
	return &c
}

// A cutter cuts nodes along an axis, and remembers what it cut.
type cutter struct {
	g    *Graph
	done map[cutKey]*Node
}

type cutKey struct {
	n            *Node
	axis, lo, hi int
}

// cut returns the elements lo..hi of n along an axis. It cuts the operands where it
// can. A node that lacks or repeats the axis is returned as it is.
func (c *cutter) cut(n *Node, axis, lo, hi int) *Node {
	if axis < 0 || n.Shape[axis] == 1 || lo == 0 && hi == n.Shape[axis] {
		return n
	}
	k := cutKey{n, axis, lo, hi}
	if c.done[k] == nil {
		from := c.g.from
		if c.g.Origins != nil {
			c.g.from = n.Src
		}
		c.done[k] = c.make(n, axis, lo, hi)
		c.g.from = from
	}
	return c.done[k]
}

func (c *cutter) make(n *Node, axis, lo, hi int) *Node {
	to := n.Shape.Clone()
	to[axis] = hi - lo
	if n.Array != nil {
		return c.g.part(n, axis, lo, to)
	}
	switch op := n.Src.Op; {
	case op.Class() == tree.Elementwise:
		args := lists.Map(n.Args, func(a *Node) *Node { return c.cut(a, axis-len(n.Shape)+len(a.Shape), lo, hi) })
		cut := c.g.intern(n.Src, args, to)
		if a := cut.chosen(); a != nil {
			return c.g.Broadcast(a, to)
		}
		return cut
	case op == BroadcastRow:
		a := n.Args[0]
		return c.g.Broadcast(c.cut(a, axis-len(n.Shape)+len(a.Shape), lo, hi), to)
	case op == ConcatRow:
		return c.concat(n, axis, lo, hi, to)
	case op == PadRow:
		return c.pad(n, axis, lo, hi, to)
	case op == SliceRow && n.Src.Ints[3*axis+1] > 0:
		start, step := n.Src.Ints[3*axis], n.Src.Ints[3*axis+1]
		a := c.cut(n.Args[0], axis, start+lo*step, start+(hi-1)*step+1)
		ints := slices.Clone(n.Src.Ints)
		ints[3*axis], ints[3*axis+2] = 0, hi-lo
		return c.g.make(tree.NewView(SliceRow, to, n.Type, ints), []*Node{a})
	case op == TransposeRow || op == ReshapeRow:
		if from := below(n, axis); from >= 0 {
			a := c.cut(n.Args[0], from, lo, hi)
			switch {
			case op == TransposeRow:
			case n.Args[0].Uses > 1 && a.Array == nil && a.Src.Op.Class() == tree.Elementwise: // what else uses a is not there yet
				return c.g.intern(tree.NewView(ReshapeRow, to, a.Type, to), []*Node{a}, to)
			default:
				return c.g.reshape(a, to)
			}
			return c.g.transpose(a, n.Src.Axes, to)
		}
	}
	return c.g.part(n, axis, lo, to)
}

func (c *cutter) concat(n *Node, axis, lo, hi int, to shape.Shape) *Node {
	var args []*Node
	begin := 0
	for _, a := range n.Args {
		if axis != n.Src.Axes[0] {
			args = append(args, c.cut(a, axis, lo, hi))
			continue
		}
		end := begin + a.Shape[axis]
		if from, until := max(lo, begin), min(hi, end); from < until {
			args = append(args, c.cut(a, axis, from-begin, until-begin))
		}
		begin = end
	}
	if len(args) == 1 {
		return args[0]
	}
	return c.g.make(concatenation(n.Src, to), args)
}

func (c *cutter) pad(n *Node, axis, lo, hi int, to shape.Shape) *Node {
	a, fill := n.Args[0], n.Args[1]
	before, size := n.Src.Ints[2*axis], a.Shape[axis]
	from, until := max(lo, before), min(hi, before+size)
	if from >= until {
		return c.g.Broadcast(c.g.reshape(fill, nil), to)
	}
	ints := slices.Clone(n.Src.Ints)
	ints[2*axis], ints[2*axis+1] = from-lo, hi-until
	a = c.cut(a, axis, from-before, until-before)
	if !slices.ContainsFunc(ints, func(w int) bool { return w != 0 }) {
		return a
	}
	return c.g.make(tree.NewView(PadRow, to, n.Type, ints), []*Node{a, fill})
}
