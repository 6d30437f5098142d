package untyped

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/internal/routine"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// calls are the operators that are no loops: Go functions over whole arrays. Each
// is a stage of its own. The comment at each row states its attributes.
var calls = slices.Concat(
	// Axes: the axis. Ints: the shape of the result. The operands are indices,
	// updates, and optionally a base.
	family(tree.Row{Class: tree.Opaque, Arity: -1, Types: numbers, Shape: scatterShape}, []tree.Row{
		{
			Name: "scatter", GoName: "ScatterSet", Types: elems, Routine: routine.Scatter(routine.Set), Grad: gradScatterSet,
			Doc: "updates stored at the indices along an axis of a base, or of zeros; the last update of an element wins.",
		},
		{
			Name: "scatter_add", Routine: routine.Scatter(routine.Add), Grad: gradScatterAdd,
			Doc: "updates added at the indices along an axis of a base, or of zeros, in the order of the indices.",
		},
		{
			Name: "bincount", Routine: routine.Scatter(routine.Count), Grad: gradScatterAdd,
			Doc: "scatter_add of indices that do not count from the end.",
		},
		{
			Name: "scatter_max", Routine: routine.Scatter(routine.Max), Grad: gradScatterExtreme,
			Doc: "the maximum of the updates at each index along an axis, and of a base; -infinity or the least integer where there is none.",
		},
		{
			Name: "scatter_min", Routine: routine.Scatter(routine.Min), Grad: gradScatterExtreme,
			Doc: "the minimum of the updates at each index along an axis, and of a base; infinity or the greatest integer where there is none.",
		},
	}),
	// Axes: the axis. Ints: 1 for descending order.
	family(tree.Row{Class: tree.Opaque, Arity: 1, Types: elems, Shape: sortShape}, []tree.Row{
		{
			Name: "sort", Routine: routine.Sort(routine.Values), Grad: movesOnly(gradSort),
			Doc: "the elements along an axis in order, -0 before +0, NaN last.",
		},
		{
			Name: "argsort", GoName: "ArgSort", Result: tree.ResultInt64, Routine: routine.Sort(routine.Order),
			Doc: "the positions along an axis that sort it, as int64; equal elements keep their order.",
		},
		{
			Name: "rank", Result: tree.ResultInt64, Routine: routine.Sort(routine.Ranks),
			Doc: "how many elements along an axis come before each in sorted order, as int64.",
		},
		// Ints: 1 for descending order or 0, and the places in ascending order.
		{
			Name: "partition", Shape: partShape, Routine: routine.Sort(routine.Parted), Grad: movesOnly(gradPart),
			Doc: "the elements along an axis, those at given places as in sorted order; those between two places keep their order.",
		},
		{
			Name: "argpartition", GoName: "ArgPartition", Result: tree.ResultInt64, Shape: partShape, Routine: routine.Sort(routine.PartedOrder),
			Doc: "the positions along an axis of the elements of partition, as int64.",
		},
		// Ints: the places.
		{
			Name: "select", GoName: "SelectSorted", Shape: selectShape, Routine: routine.Sort(routine.Selected), Grad: gradSelect,
			Doc: "the elements along an axis that come at given places in sorted order.",
		},
	}),
	// Ints: 1 for the places after equal elements.
	[]tree.Row{{
		Name: "searchsorted", GoName: "SearchSorted", Class: tree.Opaque, Arity: 2, Types: elems, Result: tree.ResultInt64,
		Shape: searchShape, Routine: routine.Search(),
		Doc: "the places of the second operand in a sorted vector, as int64; NaN is above everything.",
	}},
)

func scatterShape(n *tree.Node) (shape.Shape, error) {
	dims := shape.Shape(n.Ints)
	axis, err := oneAxis(n.Axes, len(dims))
	switch {
	case err != nil:
		return nil, err
	case len(n.Args) < 2 || len(n.Args) > 3:
		return nil, tree.NewError(tree.ErrType, n.Op.Constructor(), "the number of operands is %d, not 2 or 3", len(n.Args))
	case n.Args[0].DType() != dtype.I64:
		return nil, tree.NewError(tree.ErrType, n.Op.Constructor(), "the indices are %v, not int64", n.Args[0].DType())
	}
	if err := dims.Check(); err != nil {
		return nil, err
	}
	if dims[axis] == 0 && n.Args[0].Shape().Size() > 0 { // an array without elements is not computed
		return nil, tree.NewError(tree.ErrIndex, n.Op.Constructor(), "%d indices are outside of axis %d of size 0", n.Args[0].Shape().Size(), axis)
	}
	full := replaced(dims, axis, n.Args[0].Shape())
	updates := n.Args[1].Shape()
	fits := len(updates) == len(full)
	for i := range updates {
		fits = fits && (updates[i] == 1 || updates[i] == full[i])
	}
	if !fits {
		return nil, fmt.Errorf("updates of shape %v do not broadcast to %v", updates, full)
	}
	for _, base := range n.Args[2:] {
		if base.DType() != n.Args[1].DType() {
			return nil, tree.NewError(tree.ErrType, n.Op.Constructor(), "the base is %v, the updates are %v", base.DType(), n.Args[1].DType())
		}
		if !base.Shape().Equal(dims) {
			return nil, fmt.Errorf("the base has shape %v, not %v", base.Shape(), dims)
		}
	}
	return dims, nil
}

// replaced returns dims with an axis replaced by other axes.
func replaced(dims shape.Shape, axis int, by shape.Shape) shape.Shape {
	return slices.Concat(dims[:axis], by, dims[axis+1:])
}

func sortShape(n *tree.Node) (shape.Shape, error) {
	s := n.Args[0].Shape()
	if _, err := sortedAxis(n); err != nil {
		return nil, err
	}
	if len(n.Ints) > 1 || len(n.Ints) == 1 && n.Ints[0]>>1 != 0 {
		return nil, tree.NewError(tree.ErrValue, n.Op.Constructor(), "the order is one integer, 0 or 1, not %v", n.Ints)
	}
	return s, nil
}

// sortedAxis returns the axis of a sort, whose positions have 32 bits.
func sortedAxis(n *tree.Node) (int, error) {
	s := n.Args[0].Shape()
	axis, err := oneAxis(n.Axes, len(s))
	if err == nil && uint64(s[axis]) > math.MaxUint32 && s.Size() > 0 {
		err = tree.NewError(tree.ErrUnsupported, n.Op.Constructor(), "an axis of %d elements is too long", s[axis])
	}
	return axis, err
}

func partShape(n *tree.Node) (shape.Shape, error) {
	s := n.Args[0].Shape()
	axis, err := sortedAxis(n)
	if err != nil {
		return nil, err
	}
	if len(n.Ints) == 0 || n.Ints[0]>>1 != 0 {
		return nil, tree.NewError(tree.ErrValue, n.Op.Constructor(), "the order is the first integer, 0 or 1, of %v", n.Ints)
	}
	last := -1
	for _, place := range n.Ints[1:] {
		if place <= last || place >= s[axis] {
			return nil, tree.NewError(tree.ErrIndex, n.Op.Constructor(), "the places %v do not ascend, or are outside of axis %d of size %d", n.Ints[1:], axis, s[axis])
		}
		last = place
	}
	return s, nil
}

func selectShape(n *tree.Node) (shape.Shape, error) {
	s := n.Args[0].Shape().Clone()
	axis, err := sortedAxis(n)
	if err != nil {
		return nil, err
	}
	for _, place := range n.Ints {
		if place < 0 || place >= s[axis] {
			return nil, tree.NewError(tree.ErrIndex, n.Op.Constructor(), "place %d is outside of axis %d of size %d", place, axis, s[axis])
		}
	}
	s[axis] = len(n.Ints)
	return s, nil
}

func searchShape(n *tree.Node) (shape.Shape, error) {
	switch a, v := n.Args[0], n.Args[1]; {
	case len(a.Shape()) != 1:
		return nil, fmt.Errorf("the sorted operand has rank %d, not 1", len(a.Shape()))
	case a.DType() != v.DType():
		return nil, tree.NewError(tree.ErrType, n.Op.Constructor(), "operands of types %v and %v differ", a.DType(), v.DType())
	case len(n.Ints) > 1 || len(n.Ints) == 1 && n.Ints[0]>>1 != 0:
		return nil, tree.NewError(tree.ErrValue, n.Op.Constructor(), "the side is one integer, 0 or 1, not %v", n.Ints)
	}
	return n.Args[1].Shape(), nil
}

// With returns the node of the operator of a name with axes and integers. It panics if
// there is no such operator.
func With(name string, axes, ints []int, args ...*tree.Node) *tree.Node {
	return tree.ApplyWith(Row(name), tree.Attributes{Axes: axes, Ints: ints}, args...)
}

// gradScatterAdd takes the adjoints at the indices.
func gradScatterAdd(g *tree.Adjoint, arg int) *tree.Node {
	switch arg {
	case 0:
		return nil
	case 2:
		return g.Out
	}
	d := g.With("take", g.Node.Axes, nil, g.Full(), g.Arg(0))
	return g.SumTo(d, d.Shape(), g.Arg(1).Shape())
}

// gradScatterExtreme shares the adjoint among all updates, and the base, that are
// the extreme.
func gradScatterExtreme(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return nil
	}
	t := g.Out.DType()
	found := g.Cast(g.Op("equal", g.Arg(1), g.With("take", g.Node.Axes, nil, g.Node, g.Arg(0))), t)
	operands := []*tree.Node{g.Arg(0), found}
	if len(g.Node.Args) > 2 {
		operands = append(operands, g.Cast(g.Op("equal", g.Arg(2), g.Node), t))
	}
	each := g.Div(g.Full(), g.With("scatter_add", g.Node.Axes, g.Node.Ints, operands...))
	if arg == 2 {
		return g.Where(g.Op("equal", g.Arg(2), g.Node), each, g.Const(0))
	}
	d := g.Mul(found, g.With("take", g.Node.Axes, nil, each, g.Arg(0)))
	return g.SumTo(d, d.Shape(), g.Arg(1).Shape())
}

// gradScatterSet gives the adjoint to the last update of an element, or to the
// base.
func gradScatterSet(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return nil
	}
	axis, index := g.Node.Axes[0], g.Arg(0)
	size := g.Node.Shape()[axis]
	position := g.Reshape(g.With("iota", nil, []int{index.Shape().Size()}), index.Shape())
	none := g.Expand(tree.ConstInt(dtype.I64, -1), shape.Shape{size})
	last := g.With("scatter", []int{0}, []int{size}, index, position, none)
	after := ones(len(g.Node.Shape()) - 1 - axis)
	if arg == 2 {
		kept := g.Op("less", last, tree.ConstInt(dtype.I64, 0))
		return g.Where(g.Reshape(kept, append(shape.Shape{size}, after...)), g.Out, g.Const(0))
	}
	wins := g.Op("equal", g.With("take", []int{0}, nil, last, index), position)
	taken := g.With("take", g.Node.Axes, nil, g.Full(), index)
	d := g.Where(g.Reshape(wins, slices.Concat(index.Shape(), after)), taken, g.Const(0))
	return g.SumTo(d, d.Shape(), g.Arg(1).Shape())
}

// gradSort returns each adjoint to the position that its element came from.
func gradSort(g *tree.Adjoint) *tree.Node {
	return g.With("take_along", g.Node.Axes, nil, g.Full(), g.With("rank", g.Node.Axes, g.Node.Ints, g.Arg(0)))
}

// gradPart gives each adjoint to the element that went to its place.
func gradPart(g *tree.Adjoint) *tree.Node {
	positions := g.With("argpartition", g.Node.Axes, g.Node.Ints, g.Arg(0))
	back := g.With("argsort", g.Node.Axes, nil, positions)
	return g.With("take_along", g.Node.Axes, nil, g.Full(), back)
}

// gradSelect gives each adjoint to the element that came at its place.
func gradSelect(g *tree.Adjoint, _ int) *tree.Node {
	axis := g.Node.Axes[0]
	rank := g.With("rank", g.Node.Axes, nil, g.Arg(0))
	var sum *tree.Node
	for i, place := range g.Node.Ints {
		here := g.Op("equal", rank, tree.ConstInt(dtype.I64, int64(place)))
		d := g.Where(here, part(g, g.Full(), axis, i, 1), g.Const(0))
		if sum != nil {
			d = g.Add(sum, d)
		}
		sum = d
	}
	return sum
}

// Scatter returns the row of a scatter for untyped trees: "scatter",
// "scatter_add", "scatter_max" or "scatter_min". updates broadcast to
// dims with the axis replaced by the axes of index. base may be nil.
func Scatter(name string, index, updates, base *tree.Node, axis int, dims []int) *tree.Node {
	o, ok := Lookup(name)
	if !ok || o.Class() != tree.Opaque || o.Arity() >= 0 {
		return tree.Errorf(tree.ErrValue, "Scatter", "there is no scatter %q", name)
	}
	called := o.Constructor()
	at, err := shape.Axis(axis, len(dims))
	switch {
	case index == nil || updates == nil:
		return tree.Errorf(tree.ErrType, called, "an operand is nil")
	case index.Err() != nil:
		return index
	case updates.Err() != nil:
		return updates
	case err != nil:
		return tree.Errorf(tree.ErrShape, called, "%s", err)
	case !index.DType().IsInt():
		return tree.Errorf(tree.ErrType, called, "the indices are %v, not integers", index.DType())
	}
	if updates.DType().IsComplex() && !strings.HasPrefix(name, "scatter_m") { // extremes need an order
		part := func(of string) *tree.Node {
			b := base
			if b != nil {
				b = Call(of, b)
			}
			return Scatter(name, index, Call(of, updates), b, axis, dims)
		}
		return Complex(part("real"), part("imag")).As(called, index, updates, base)
	}
	i := index
	if index.DType() == dtype.U64 { // what int64 cannot hold becomes the greatest int64
		i = Call("minimum", index, tree.ConstInt(dtype.U64, math.MaxInt64))
	}
	args := []*tree.Node{Cast(i, dtype.I64), updates}
	if rank := len(dims) - 1 + len(index.Shape()); len(updates.Shape()) < rank {
		args[1] = Reshape(updates, slices.Concat(ones(rank-len(updates.Shape())), updates.Shape()))
	}
	if base != nil {
		args = append(args, BroadcastTo(base, dims))
	}
	return With(name, []int{at}, dims, args...).As(called, index, updates, base)
}

// TakeAlongAxis returns op.TakeAlongAxis of untyped trees.
func TakeAlongAxis(a, index *tree.Node, axis int) *tree.Node {
	const called = "TakeAlongAxis"
	a = Given(a, called)
	at, bad := AxisOf(called, a, axis)
	switch {
	case bad != nil:
		return bad
	case a.Err() != nil:
		return a
	case index.Err() != nil:
		return index.As(called, a, index)
	}
	return With("take_along", []int{at}, nil, a, index).As(called, a, index)
}

// Position returns indices of an axis of n positions as positions from its start. The error of an index outside of
// the axis names it.
func Position(index *tree.Node, n, axis int) *tree.Node {
	if axis < 0 || axis >= shape.MaxRank {
		return tree.Errorf(tree.ErrShape, "Position", "there is no axis %d", axis)
	}
	return Reshape(Take(Reshape(Iota(n), append(ones(axis), n)), index, axis), index.Shape())
}
