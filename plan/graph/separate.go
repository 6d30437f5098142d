package graph

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// separated returns the node of the reduction e of windows a, whose values may be combined in any order, as two reductions: along one axis,
// whose results are stored, and of these along the other axes. Windows that overlap share what is stored: an extreme of 3 by 3 elements takes
// 4 comparisons and 6 loads, not 8 and 9. Go would copy the rows of windows that are too large to be written out; the results along
// their columns need no copy, and leave short rows. A long window along one axis is reduced by its parts. separated returns nil if e
// is no such reduction, or if this would not pay.
func (g *Graph) separated(e *tree.Node, a *Node) *Node {
	w := windowsOf(e, a)
	if w == nil {
		return g.separatedRows(e, a)
	}
	if w.Args[0].Faulty || e.Shape().Size() < leastStage {
		return nil
	}
	axis, r, size, sum, overlap, apart := -1, len(w.Shape)/2, 1, 0, false, 0
	for i, k := range w.Shape[r:] {
		if k == 1 {
			continue
		}
		if axis < 0 {
			axis = i
		}
		size, sum = size*k, sum+k
		overlap = overlap || w.Src.Ints[3*i+1] < k
	}
	if overlap && size == w.Shape[r+axis] {
		sum, apart = sharedParts(size, w.Src.Ints[3*axis+1], w.Src.Ints[3*axis+2])
	}
	op := e.Op.Reduce().Op()
	if op == prim.Add && overlap && size == w.Shape[r+axis] && moves(w, axis, sum) {
		return g.movingSums(e, w.Args[0], axis, size)
	}
	if !overlap && size <= mostWindow || 2*size < 3*sum {
		return nil
	}
	again := op == prim.Min || op == prim.Max || op == prim.And || op == prim.Or // a value that is combined twice changes nothing
	if apart > 0 && size%apart > 0 && !again {
		return g.besideRest(e, w, axis, size%apart)
	}
	x, after := w.Args[0], []int(nil)
	if x.Array == nil && x.Src.Op == PadRow && again && constantOf(x.Args[1]) != nil { // each step pads its own axes
		before := make([]int, 2*r)
		after = slices.Clone(x.Src.Ints)
		copy(before[2*axis:], after[2*axis:2*axis+2])
		after[2*axis], after[2*axis+1] = 0, 0
		x = g.padded(x.Args[0], before, x.Args[1])
	}
	first, rest := make([]int, 0, 3*r), slices.Clone(w.Src.Ints)
	for i := range r {
		if i == axis {
			first = append(first, rest[3*i:3*i+3]...)
			copy(rest[3*i:], []int{1, 1, 1})
			if apart > 0 {
				first[3*i] = apart + size%apart
				copy(rest[3*i:], []int{size / apart, 1, apart * first[3*i+2] / first[3*i+1]})
			}
		} else {
			first = append(first, 1, 1, 1)
		}
	}
	part := g.overWindows(e, x, first)
	g.Store(part, "windows share the results of their elements along one axis")
	if after != nil {
		part = g.padded(part, after, w.Args[0].Args[1])
	}
	return g.reshape(g.overWindows(e, part, rest), e.Shape())
}

// The fewest elements and parts of windows, see [sharedParts], whose sums take less time one from the other: along rows, and down columns
// whose neighbours fill vectors. The neighbours have at least leastBeside bytes, or there is one, and a row has leastRow bytes.
const (
	leastMoving = 10
	leastDown   = 7
	leastBeside = 8
	leastRow    = 64
)

// moves reports whether sums of windows w along one axis, which have so many elements and parts, are found one from the other. Along the
// other axes a window is one element, and all are windows.
func moves(w *Node, axis, sum int) bool {
	for i := range len(w.Shape) / 2 {
		if w.Src.Ints[3*i+1] != 1 {
			return false
		}
	}
	neighbours, size := w.Args[0].Shape[axis+1:].Size(), w.Type.Size()
	long := neighbours == 1 && w.Shape[axis]*size >= leastRow || neighbours*size >= leastBeside
	saved := sum - w.Shape[len(w.Shape)/2+axis]/w.Shape[axis] // the first sum adds up all elements
	down := saved >= leastDown && neighbours*size >= leastRow
	return long && w.Src.Ints[3*axis+2] == 1 && (down || saved >= leastMoving)
}

// movingSums returns the sums of integers over windows of size elements along an axis of x: each is the one before, with the element that
// comes, and without the one that goes.
func (g *Graph) movingSums(e *tree.Node, x *Node, axis, size int) *Node {
	if x.Strided() == nil {
		g.Store(x, "each sum of neighbours adds an element, and subtracts another one")
	}
	all := tree.Untyped(copyRow, x.Shape, x.Type)
	cut := func(s shape.Slice) *tree.Node {
		return untyped.Cast(untyped.Slice(all, append(make([]shape.Slice, axis), s)), x.Type.Register())
	}
	first := untyped.Cast(untyped.Reduce("sum", cut(shape.Until(size)), untyped.Options{Axes: []int{axis}}), x.Type.Register())
	elements := untyped.Call("sub", cut(shape.From(size)), cut(shape.Until(-size)))
	step := func(_ *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
		sum := []*tree.Node{untyped.Call("add", state[0], x[0])}
		return sum, sum
	}
	rest := untyped.Scan([]*tree.Node{first}, []*tree.Node{elements}, untyped.ScanOptions{Axis: axis}, step).Out(0)
	sums := untyped.Concat(axis, []*tree.Node{untyped.Reshape(first, x.Shape.Reduce([]int{axis}, true)), rest})
	return g.reshape(g.grow(untyped.Cast(sums, x.Type), map[*tree.Node]*Node{all: x}), e.Shape())
}

// grow returns the node of a tree, some of whose nodes are known.
func (g *Graph) grow(e *tree.Node, known map[*tree.Node]*Node) *Node {
	if known[e] == nil {
		known[e] = g.make(e, lists.Map(e.Args, func(a *tree.Node) *Node { return g.grow(a, known) }))
	}
	return known[e]
}

// besideRest reduces windows w along one axis in two parts, the last elements of each window, whose number is rest, and those before them,
// and combines the two results.
func (g *Graph) besideRest(e *tree.Node, w *Node, axis, rest int) *Node {
	r := len(w.Shape) / 2
	size, stride, dilation := w.Src.Ints[3*axis], w.Src.Ints[3*axis+1], w.Src.Ints[3*axis+2]
	some := func(n, from int) *Node {
		ints := slices.Clone(w.Src.Ints)
		ints[3*axis] = n
		return g.part(g.overWindows(e, w.Args[0], ints), axis, from*dilation/stride, w.Shape[:r])
	}
	return g.reshape(g.pair(e, some(size-rest, 0), some(rest, size-rest)), e.Shape())
}

// sharedParts divides windows of size elements along one axis into size/apart parts of apart + size%apart elements, which begin apart
// elements from each other. Parts begin where windows do, so windows share them. sum is the number of parts and of elements of one, which
// is the least there is, or size if apart is 0.
func sharedParts(size, stride, dilation int) (sum, apart int) {
	sum = size
	for d := 2; d*d <= 2*size; d++ {
		if n := d + size%d + size/d; n < sum && d*dilation%stride == 0 {
			sum, apart = n, d
		}
	}
	return sum, apart
}

// separatedRows does the same for an array whose rows are cut into pieces, as by windows side by side: each row of a block is a few
// elements, and the next one is elsewhere.
func (g *Graph) separatedRows(e *tree.Node, a *Node) *Node {
	k, last := len(e.Axes)-1, len(a.Shape)-1
	if !anyOrder(e, a) || k < 1 || e.Axes[k] != last || a.Shape[last] > mostWindow || e.Shape().Size() < leastStage ||
		a.Shape.Size()/e.Shape().Size() <= mostWindow || a.Strided() == nil || oneRun(e, a) {
		return nil
	}
	part := g.reduceOver(e, a, e.Axes[:k])
	g.Store(part, "blocks share the results of the columns of short rows")
	return g.reshape(g.reduceOver(e, part, e.Axes[k:]), e.Shape())
}

// anyOrder reports whether the values of a reduction of a may be combined in any order, as extremes and integers are, in the type of a.
func anyOrder(e *tree.Node, a *Node) bool {
	r := e.Op.Reduce()
	return r.Native() && !r.Position() && !r.Ordered(a.Type.Register()) && e.DType() == a.Type
}

// windowsOf returns the windows over whose elements the reduction e of a goes, or nil if it is no
// reduction in any order of all elements of windows.
func windowsOf(e *tree.Node, a *Node) *Node {
	if !anyOrder(e, a) {
		return nil
	}
	w := a
	for w.Array == nil && w.Src.Op == TransposeRow && slices.IsSorted(w.Src.Axes) && slices.Equal(LoopShape(w.Shape), LoopShape(w.Args[0].Shape)) {
		w = w.Args[0]
	}
	if w.Array != nil || w.Src.Op != WindowsRow || len(e.Axes) == 0 {
		return nil
	}
	first := e.Axes[0]
	if lists.Product(a.Shape, e.Axes) != a.Shape[first:].Size() || !slices.Equal(LoopShape(a.Shape[first:]), LoopShape(w.Shape[len(w.Shape)/2:])) {
		return nil
	}
	return w
}

// overWindows returns the reduction e of windows of x, in the shape of their positions.
func (g *Graph) overWindows(e *tree.Node, x *Node, ints []int) *Node {
	r := len(x.Shape)
	s, axes := make(shape.Shape, 2*r), []int(nil)
	for i, d := range x.Shape {
		size, stride, dilation := ints[3*i], ints[3*i+1], ints[3*i+2]
		if s[i], s[r+i] = (d-1-(size-1)*dilation)/stride+1, size; size > 1 {
			axes = append(axes, r+i)
		}
	}
	w := g.make(tree.NewView(WindowsRow, s, x.Type, ints), []*Node{x})
	return g.reshape(g.reduceOver(e, w, axes), s[:r])
}

// padded returns x with widths before and after each axis.
func (g *Graph) padded(x *Node, widths []int, fill *Node) *Node {
	to := x.Shape.Clone()
	for i := range to {
		to[i] += widths[2*i] + widths[2*i+1]
	}
	if to.Equal(x.Shape) {
		return x
	}
	return g.make(tree.NewView(PadRow, to, x.Type, widths), []*Node{x, fill})
}

// Operands of at most mostOrdered elements are stored in the order of a reduction, but not those of one array with contiguous rows of rowBytes
// and more, of two arrays with rows of four times as many, and so on. Operands of more than manyBytes need rows of a quarter of that: they
// come from memory. Predicates may end early, and are stored up to mostEnding elements.
//
// Operands are stored too if Go would copy elements of 1 or 2 bytes, which are apart in memory, or, up to manyBytes, if the rows of one
// array are the columns of another one. Elements of 8 bytes gain only where the first level does not keep the lines of such a column: more
// than mostLines, or some that share sets.
const (
	mostOrdered = 1 << 24
	rowBytes    = 1024
	manyBytes   = 1 << 23
	mostEnding  = 1 << 18
	mostLines   = 512
)

// anotherOrder is why an operand of a reduction or a scan is stored.
const anotherOrder = "its elements have another order in memory than in the reduction or scan"

// order stores the operand a of reduction e, or of a step of scan e, in the order of its axes, if arrays that it reads have
// another order in memory: a block of the reduction would copy parts of many rows of each, or load its elements one by one. Scans transpose
// blocks of rows themselves.
func (g *Graph) order(e *tree.Node, a *Node) {
	size, last := a.Shape.Size(), len(a.Shape)-1
	if size < leastStage || size > mostOrdered || a.Faulty || a.Type == dtype.Bool && size > mostEnding {
		return
	}
	arrays, shortest, alongRows := 0, mostOrdered, slices.Contains(e.Axes, last)
	transposes := alongRows && e.Op.Class() == tree.Reduction
	var own, across, copied bool // some array has elements of a row side by side, or those of a column, or Go copies some
	for _, x := range g.arraysOf(a, true) {
		if rows, bytes := x.rows(e.Axes); rows > 1 {
			arrays, shortest = arrays+1, min(shortest, bytes)
		}
		switch axes, n := x.order(), x.Type.Size(); {
		case len(axes) == 0: // elements repeat
		case axes[len(axes)-1] == last:
			own, copied = true, copied || n < 4 && x.Strides[last] != 1
		default:
			copied = copied || n == 1 || n < 4 && alongRows
			kept := x.Shape[last] <= mostLines && x.Strides[last]*n%apartBytes != 0 // lines in the first level
			across = across || transposes && (n < 8 || !kept)
		}
	}
	if size*a.Type.Size() > manyBytes {
		shortest, across = 4*shortest, false
	}
	if own && (copied || across) || shortest < rowBytes*arrays*arrays {
		g.Store(a, anotherOrder)
	}
}

// leastAgain is the fewest rows whose common operand is worth a copy.
const leastAgain = 8

// again stores operands of a that all rows of reduction e read, if their elements are apart in memory or in reverse: each row would permute
// them again.
func (g *Graph) again(e *tree.Node, a *Node) {
	last := len(a.Shape) - 1
	if !slices.Contains(e.Axes, last) || e.Shape().Size() < leastAgain || a.Shape.Size() < leastStage {
		return
	}
	g.finder(func(n *Node) (found, stop bool) {
		m, i, size := n.Strided(), len(n.Shape)-1, n.Shape.Size()
		if oneRow := 1 < size && size == a.Shape[last] && size == n.Shape[i]; oneRow && m != nil && m.Strides[i] != 1 {
			g.Store(n, "rows of a reduction would read it again in another order than in memory")
		}
		return false, n.Array != nil || n.Src.Op.Class() != tree.Elementwise || !n.Shape.Equal(a.Shape)
	})(a)
}

// rows returns how many rows in memory the elements along axes are, in the order of the axes, and the bytes that follow each other in one.
// A row that repeats is one row.
func (a *Array) rows(axes []int) (rows, bytes int) {
	row, step, rows, apart := 1, 1, 1, false // row and step of the last group of axes
	for i := len(a.Shape) - 1; i >= 0 && slices.Contains(axes, i); i-- {
		switch d, s := a.Shape[i], a.Strides[i]; {
		case d == 1:
		case row == 1:
			row, step = d, s
		case !apart && s == step*row:
			row *= d
		case s == 0:
			apart = true
		default:
			apart, rows = true, rows*d
		}
	}
	if step > 1 || step < 0 {
		row = 1
	}
	return rows, row * a.Type.Size()
}

// mostTransposed is the most columns whose positions are found in a transposed copy, and mostRowBytes the most bytes of a row of them.
const (
	mostTransposed = 8
	mostRowBytes   = 32
)

// alongRows returns the positions e of the extremes down few long columns of a as those along the rows of a transposed copy, or nil: down a
// column each row waits for the row before it, and a vector has few columns.
func (g *Graph) alongRows(e *tree.Node, a *Node) *Node {
	k, columns, size := len(e.Axes), e.Shape().Size(), a.Shape.Size()
	few := 2 <= columns && columns <= mostTransposed && columns*a.Type.Size() <= mostRowBytes
	if !e.Op.Reduce().Position() || !downColumns(e) || a.Faulty || !few || size < leastStage || size > mostOrdered {
		return nil
	}
	to, at := append(a.Shape[k:].Clone(), a.Shape[:k]...), lists.UpTo(len(a.Shape))
	t := g.transpose(a, append(at[k:len(at):len(at)], at[:k]...), to)
	if v := t.Strided(); v == nil || v.Strides[len(to)-1] != 1 {
		g.Store(t, "few columns are rows of a copy")
	}
	return g.reshape(g.reduceOver(e, t, at[len(at)-k:]), e.Shape())
}

// downColumns reports whether a reduction goes along the first axes.
func downColumns(e *tree.Node) bool { return slices.Equal(e.Axes, lists.UpTo(len(e.Axes))) }

// Up to mostFew columns of computed values are reduced as more columns, those of groups of rows that fill vectors: of mostGrouped elements
// at most, and leastGroup rows or more.
const (
	mostFew     = 24
	mostGrouped = 128
	leastGroup  = 4
)

// groupsRows returns the reduction e down few columns of values that a computes from arrays without gaps, as one down the columns of groups
// of rows, whose results are combined. It returns nil if the order of the values matters, or if such groups do not suit. The loop that reads
// one array has several rows in a vector as it is.
func (g *Graph) groupsRows(e *tree.Node, a *Node) *Node {
	columns := e.Shape().Size()
	few := 2 <= columns && columns <= mostFew && leastStage*columns <= a.Shape.Size()
	if !anyOrder(e, a) || !downColumns(e) || a.Faulty || a.Strided() != nil || !few {
		return nil
	}
	rows, m := a.Shape.Size()/columns, mostGrouped/columns
	for rows%m != 0 {
		m--
	}
	arrays := g.arraysOf(a, false)
	gaps := func(x *Array) bool { return !slices.Equal(x.Strides, x.Shape.Strides()) }
	if m < leastGroup || len(arrays) == 0 || slices.ContainsFunc(arrays, gaps) {
		return nil
	}
	groups := g.reduceOver(e, g.reshape(a, shape.Shape{rows / m, m, columns}), []int{0})
	return g.reshape(g.reduceOver(e, groups, []int{1}), e.Shape())
}

// The result of many reductions does not depend on the order of the values: extremes, bits, sums of integers, and positions along one axis,
// whose elements keep their order. Their axes are put in the order of memory. A loop reads whole vectors then, whatever the order of the
// axes in the tree. A block of a reduction is one row, so the reduced axes must follow each other in memory; of several groups of them the
// largest is reduced first.

// inMemoryOrder returns the reduction e of a with its axes in the order of memory, or nil if they are, or if the order in memory is not
// known. If the order of the values matters, only the axes that it keeps are put in the order of memory.
func (g *Graph) inMemoryOrder(e *tree.Node, a *Node) *Node {
	r := e.Op.Reduce()
	if r.Position() && len(e.Axes) > 1 || a.Faulty || a.Shape.Size() < leastStage {
		return nil
	}
	reduced := func(i int) bool { return slices.Contains(e.Axes, i) }
	if r.Ordered(a.Type.Register()) || !r.Native() { // the axes that are kept have no order
		order := g.memoryOrder(a)
		if k := len(order) - 1; k < 0 || reduced(order[k]) || !reduced(len(a.Shape)-1) {
			return nil
		}
		return g.reorder(e, a, append(lists.Where(order, func(i int) bool { return !reduced(i) }), lists.Where(e.Axes, func(i int) bool { return a.Shape[i] > 1 })...), reduced)
	}
	inner := a.Array == nil && a.Uses == 0 && a.Src.Op == e.Op && !r.Position()
	if inner && lists.Product(a.Shape, e.Axes) > lists.Product(a.Args[0].Shape, a.Src.Axes) {
		return g.reduceOver(a.Src, g.reduceOver(e, a.Args[0], e.Axes), a.Src.Axes)
	}
	order := g.memoryOrder(a)
	var groups [][]int
	for k, i := range order {
		switch {
		case !reduced(i):
		case k > 0 && reduced(order[k-1]):
			groups[len(groups)-1] = append(groups[len(groups)-1], i)
		default:
			groups = append(groups, []int{i})
		}
	}
	if len(groups) > 1 {
		first := slices.MaxFunc(groups, func(x, y []int) int { return cmp.Compare(lists.Product(a.Shape, x), lists.Product(a.Shape, y)) })
		rest := lists.Where(e.Axes, func(i int) bool { return !slices.Contains(first, i) })
		return g.reduceOver(e, g.reduceOver(e, a, slices.Sorted(slices.Values(first))), rest)
	}
	if len(groups) == 0 {
		return nil
	}
	return g.reorder(e, a, order, reduced)
}

// aloneDown reports whether reduction e of a takes less time in a loop of its own, with the operand computed again for what uses
// both: the operand takes few primitives, and its rows are long columns of memory. A loop that goes along such a row twice loads a
// cache line for each element, twice. A loop of one reduction reads many rows at once.
func (g *Graph) aloneDown(e *tree.Node, a *Node) bool {
	last := len(a.Shape) - 1
	return g.Separates && e.Op.Class() == tree.Reduction && slices.Contains(e.Axes, last) && lists.Product(a.Shape, e.Axes) > mostDown &&
		a.Shape.Size() >= leastStage && a.Work <= 2*KeepCost && g.down(a, last)
}

// reduceOver returns the reduction of a over axes by the operator of e. The axes have extent 1 in the result.
func (g *Graph) reduceOver(e *tree.Node, a *Node, axes []int) *Node {
	view := tree.NewView(e.Op, a.Shape.Reduce(axes, true), e.DType(), nil)
	view.Axes = axes
	return g.make(view, []*Node{a})
}

// leastKept is the fewest elements of a reduction whose result is worth a transposition.
const leastKept = 8

// reorder returns the reduction e of a over axes that follow each other in an order, or nil if this is the order of the loops.
func (g *Graph) reorder(e *tree.Node, a *Node, order []int, reduced func(int) bool) *Node {
	single := lists.Where(lists.UpTo(len(a.Shape)), func(i int) bool { return a.Shape[i] == 1 })
	kept := append(single, lists.Where(order, func(i int) bool { return !reduced(i) })...)
	axes := lists.Where(order, reduced)
	rows := reduced(order[len(order)-1])
	permuted := !slices.IsSorted(kept[len(single):])
	if !permuted && slices.IsSorted(axes) && rows == reduced(len(a.Shape)-1) || permuted && lists.Product(a.Shape, axes) < leastKept {
		return nil
	}
	perm, from := slices.Concat(axes, kept), 0
	if rows {
		perm, from = slices.Concat(kept, axes), len(kept)
	}
	to := make(shape.Shape, len(perm))
	back := make([]int, len(perm))
	for k, i := range perm {
		to[k], back[i] = a.Shape[i], k
	}
	at := lists.Map(lists.UpTo(len(axes)), func(k int) int { return from + k })
	n := g.reduceOver(e, g.transpose(a, perm, to), at)
	if permuted {
		return g.transpose(n, back, e.Shape())
	}
	return g.reshape(n, e.Shape())
}

// memoryOrder returns the axes of a that are longer than 1 in the order of memory, the one whose elements are side by side last.
// It returns nil if the arrays of the shape of a that it reads have different orders, or if one has none.
func (g *Graph) memoryOrder(a *Node) (order []int) {
	arrays := g.arraysOf(a, false)
	for i, m := range arrays {
		if next := m.order(); i == 0 {
			order = next
		} else if !slices.Equal(order, next) {
			return nil
		}
	}
	return order
}

// order returns the axes that are longer than 1 by their strides, the longest first. It returns nil if elements repeat, or rows
// overlap.
func (a *Array) order() []int {
	step := func(i int) int { return max(a.Strides[i], -a.Strides[i]) }
	order := lists.Where(lists.UpTo(len(a.Shape)), func(i int) bool { return a.Shape[i] > 1 })
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(step(j), step(i)) })
	for k, i := range order {
		if step(i) == 0 || k > 0 && step(order[k-1]) < step(i)*a.Shape[i] {
			return nil
		}
	}
	return order
}

// wideWork is the number of primitives from which an integer is stored before it is converted to
// one of twice the size.
const wideWork = 24

// storeNarrow stores such integers below v. Those whose conversions other conversions have replaced are not below it.
func (g *Graph) storeNarrow(v *Node) {
	g.finder(func(n *Node) (found, stop bool) {
		if n.Array == nil && n.Src.Op == castRow {
			x := n.Args[0]
			doubles := 2*x.Type.Size() <= n.Type.Size() && widens(x.Type, n.Type)
			long := x.Work >= wideWork && x.Work*x.Shape.Size() >= 2*leastStage
			if doubles && long && x.Array == nil && !x.Faulty {
				g.Store(x, moreLanes)
			}
		}
		return false, n.Array != nil && !n.Pending
	})(v)
}

// narrowSum returns the last sum e of a few predicates or integers that were converted to a wider type, as a conversion of their sum in a
// narrower type that has it, which is a stage of its own: its vectors have more elements. It returns nil for other reductions.
func (g *Graph) narrowSum(e *tree.Node, a *Node) *Node {
	converted := a.Array == nil && a.Src.Op == castRow && !a.Type.IsHalf() && !a.Faulty
	if e != g.last || e.Op.Reduce().Op() != prim.Add || !converted || a.Shape.Size() < leastStage {
		return nil
	}
	x, n, arrays, widest := a.Args[0], lists.Product(a.Shape, e.Axes), g.arraysOf(a.Args[0], false), 0
	for _, m := range arrays {
		widest = max(widest, m.Type.Size())
	}
	t := dtype.Integer(widest, false)
	if x.Type != dtype.Bool {
		t = dtype.Integer(2*widest, true)
	}
	most := shortGroup
	if slices.Contains(e.Axes, len(a.Shape)-1) && !(n == shortGroup && t == dtype.U8 && x.Strided() == nil) { // longer rows are loops
		most = mostNarrow
	}
	packed := n == packedBytes && most == mostNarrow && (widest == 2 || widest == 1 && x.Array != nil)
	exact := x.Type == dtype.Bool || x.Type.IsInt() && x.Type.Size() <= widest && t != dtype.Invalid
	if n < max(2, widest) || n > most || packed || len(arrays) == 0 || a.Type.Size() <= t.Size() || !exact {
		return nil
	}
	view := tree.NewView(e.Op, e.Shape(), t, nil)
	view.Axes = e.Axes
	sum := g.make(view, []*Node{g.cast(x, t)})
	g.Store(sum, moreLanes)
	return g.cast(sum, e.DType())
}

// mostSteps is the most steps of a scan that bySteps takes apart.
const mostSteps = 8

// What a scan along one row reads is stored first from asideWork primitives of an element and asideSteps steps on. With fewer the stage
// takes longer than it saves.
const asideWork, asideSteps = 8, 128

// storeAside stores what the steps of scan v read without a state, if it has another order in memory: see order. A reshaped array that
// strides do not express is stored in any case: Go would copy each element in a call of its own. What takes long is stored if v goes along
// one row, where a vector has one step. Accumulations in any grouping go along it by whole vectors.
func (g *Graph) storeAside(v *Node) {
	first, aside := v.Args[0], []*Node(nil)
	size, steps := first.Shape.Size(), first.Shape[v.Src.Axes[0]]
	grouped := g.accumulates(v) && (v.Type.IsInt() || first.Src.Op == greaterRow || first.Src.Op == lesserRow)
	longRow := !grouped && steps >= asideSteps && steps == size
	g.finder(func(n *Node) (found, stop bool) {
		if n == v || n.Open != nil {
			return false, false
		}
		if n.Array == nil && !n.Faulty && n.Shape.Equal(first.Shape) {
			aside = append(aside, n)
		}
		return false, true
	})(v)
	for _, n := range aside {
		if steps > mostSteps {
			x := operandBelow(n)
			reshaped := x != nil && x.Src.Op == ReshapeRow && x.Strided() == nil && x.Args[0].Strided() != nil
			if reshaped && size >= leastStage {
				g.Store(x, anotherOrder)
			}
			g.order(v.Src, n)
		}
		if long := n.Computes && !n.Complex && n.Work >= asideWork; longRow && long && n.Array == nil {
			g.Store(n, "a step of one row computes one element, a vector several")
		}
	}
}

// accumulates reports whether v is a forward scan of one instruction of a state and an element, as of sums but not of products of bytes.
func (g *Graph) accumulates(v *Node) bool {
	states, next := v.States()
	x := next[0]
	return !v.Reversed() && len(states) == 1 && v.Args[0] == x && len(x.Args) == 2 && slices.Contains(x.Args, states[0]) && g.ownCost(x) == 1 &&
		(x.Type.Size() > 1 || x.Src.Op != SaverRows[expr.Times])
}
