package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has the functions that give a tuple of arrays, or Python numbers.

// several returns arrays as a tuple.
func (c *call) several(nodes ...*tree.Node) value {
	return sequence(lists.Map(nodes, func(n *tree.Node) value { return valueOf(sound(c.at, n)) }))
}

// oneOrSeveral returns the only array, or a tuple of arrays.
func (c *call) oneOrSeveral(nodes []*tree.Node) value {
	if len(nodes) == 1 {
		return valueOf(nodes[0])
	}
	return c.several(nodes...)
}

// arrays returns the list that argument 0 is, each as an array of its own type.
func (c *call) arrays() []*tree.Node {
	return lists.Map(c.args[0].seq, func(v value) *tree.Node { return sound(c.args[0].at, v.node()) })
}

// callEach returns what a composition of one operand makes of each array of a list.
func callEach(name string) func(c *call) value {
	return func(c *call) value {
		return c.oneOrSeveral(lists.Map(c.arrays(), func(n *tree.Node) *tree.Node { return untyped.Compose(name, untyped.Options{}, n) }))
	}
}

// broadcast repeats arrays to their common shape.
func broadcast(nodes []*tree.Node) []*tree.Node {
	s, err := shape.Broadcast(lists.Map(nodes, (*tree.Node).Shape)...)
	return lists.Map(nodes, func(n *tree.Node) *tree.Node {
		if err != nil {
			return first(n, tree.Errorf(tree.ErrShape, "", "%s", err))
		}
		return untyped.BroadcastTo(n, s)
	})
}

// maxParts bounds how many arrays a function gives.
const maxParts = 256

// callSplit cuts an axis: argument 2, or the given one, from the first of several ranks on the
// second one. Parts of different sizes are an error if even is set.
func callSplit(axis, least int, even bool) func(c *call) value {
	return func(c *call) value {
		n, at := c.array(0), axis
		rank := len(n.Shape())
		if len(c.args) > 2 {
			at = c.integer(2)
		}
		if axis == 1 && rank == 1 {
			at = 0
		}
		at, err := shape.Axis(at, rank)
		stopIf(err != nil || rank < least, c.at, tree.ErrShape, "%s cannot split an array of rank %d", c.at.Text, rank)
		bounds := c.integers(1)
		if c.args[1].kind != vSeq {
			bounds = c.evenly(n.Shape()[at], even)
		}
		stopIf(len(bounds) >= maxParts, c.at, tree.ErrUnsupported, "%s gives more than %d arrays", c.at.Text, maxParts)
		parts := make([]*tree.Node, 0, len(bounds)+1)
		from := op.Span{}
		for _, b := range bounds {
			from.Stop = shape.At(b)
			parts = append(parts, section(n, at, from))
			from = op.From(b)
		}
		return c.several(append(parts, section(n, at, from))...)
	}
}

// evenly returns the places between the parts of an axis. The first parts may be longer by one.
func (c *call) evenly(size int, even bool) []int {
	parts := c.integer(1)
	stopIf(parts <= 0 || parts > maxParts, c.args[1].at, tree.ErrValue, "an axis is split into 1 to %d parts, not %d", maxParts, parts)
	stopIf(even && size%parts != 0, c.args[1].at, tree.ErrShape, "an axis of size %d has no %d equal parts", size, parts)
	return lists.Make(parts-1, func(i int) int { return (i+1)*(size/parts) + min(i+1, size%parts) })
}

func callUnstack(c *call) value {
	n := c.array(0)
	axis, err := shape.Axis(c.integer(1), len(n.Shape()))
	stopIf(err != nil || n.Shape()[axis] > maxParts, c.at, tree.ErrShape, "an array of rank %d cannot be taken apart along axis %d", len(n.Shape()), c.integer(1))
	return partsOf(n, axis)
}

// partsOf returns a tuple of the parts of an array along an axis.
func partsOf(n *tree.Node, axis int) value {
	return sequence(lists.Make(n.Shape()[axis], func(i int) value { return valueOf(untyped.Index(n, axis, i)) }))
}

// callMeshgrid returns the coordinates of a grid, of which the first two are exchanged for
// the indexing xy.
func callMeshgrid(c *call) value {
	indexing := c.text(3)
	stopIf(indexing != "xy" && indexing != "ij", c.at, tree.ErrValue, "the indexing is 'xy' or 'ij', not %q", indexing)
	return c.several(untyped.Meshgrid(c.arrays(), indexing == "xy", c.args[2].s.Truth())...)
}

// callModf returns the part after the point, with the sign of the number, and the integer part.
func callModf(c *call) value {
	n := c.array(0)
	n = cast(n, floatFor(n.DType()))
	whole := apply("trunc", n)
	part := apply("where", apply("isinf", n), number0(n), apply("sub", n, whole))
	return c.several(apply("copysign", part, n), whole)
}

// callFrexp returns the significand and the exponent.
func callFrexp(c *call) value {
	n := c.array(0)
	n = cast(n, floatFor(n.DType()))
	return c.several(apply("mantissa", n), cast(apply("exponent", n), dtype.I32))
}

// callI0 computes what is no float in float64, as NumPy does.
func callI0(c *call) *tree.Node {
	n := c.array(0)
	if t := n.DType(); !t.IsFloat() && !t.IsComplex() {
		n = cast(n, dtype.F64)
	}
	return apply("i0", n)
}

// callLdexp takes the exponent as a float. Integers from 2^24 on are rounded, but exponents beyond 2^12 give 0 or infinity.
// Halves are computed as float32, because few digits would round exponents.
func callLdexp(c *call) *tree.Node {
	n, e := c.array(0), c.array(1)
	stopIf(!e.DType().IsInt() && e.DType() != dtype.Bool, c.args[1].at, tree.ErrType, "the exponents of ldexp are integers, not %v", e.DType())
	t := floatFor(n.DType())
	wide := t.Register()
	return cast(apply("ldexp", cast(n, wide), cast(e, wide)), t)
}

// number0 returns 0 in the type of n.
func number0(n *tree.Node) *tree.Node {
	if n.Err() != nil {
		return n
	}
	return tree.ConstInt(n.DType(), 0)
}

func callDivmod(c *call) value {
	x := c.common(0, 1)
	return c.several(binary("//", valueOf(x[0]), valueOf(x[1]), true).node(), binary("%", valueOf(x[0]), valueOf(x[1]), true).node())
}

// callAverage returns the mean, and with returned the sum of the weights too.
func callAverage(c *call) value {
	mean := sound(c.at, compositionNamed("average")(c))
	if !c.args[c.f.parameter("returned")].s.Truth() {
		return valueOf(mean)
	}
	a := c.array(0)
	const axis, by = 1, 2
	weights, over := tree.ConstInt(mean.DType(), 1), untyped.Options{Axes: c.integers(axis), Keep: c.options().Keep}
	if !c.isNone(by) {
		weights = c.as(by, mean.DType())
	}
	if s := weights.Shape(); len(s) > 0 && !s.Equal(a.Shape()) { // weights of the axes
		return c.several(mean, untyped.BroadcastTo(rounded(untyped.Reduce("sum", weights, untyped.Options{})), mean.Shape()))
	}
	return c.several(mean, rounded(untyped.Reduce("sum", untyped.BroadcastTo(weights, a.Shape()), over)))
}

// callGradient returns the gradient along each of some axes, by default all.
func callGradient(c *call) value {
	f := c.array(0)
	axes := lists.UpTo(len(f.Shape()))
	if i := c.f.parameter("axis"); !c.isNone(i) {
		var err error
		axes, err = shape.Order(c.integers(i), len(f.Shape()))
		stopIf(err != nil, c.args[i].at, tree.ErrShape, "%s", err)
	}
	gaps := c.args[1].seq
	stopIf(len(axes) == 0, c.at, tree.ErrShape, "gradient takes at least one axis")
	stopIf(len(gaps) > 1 && len(gaps) != len(axes), c.at, tree.ErrShape, "%d distances do not fit %d axes", len(gaps), len(axes))
	t := quotientType(f.DType())
	edge := c.integer(c.f.parameter("edge_order"))
	out := make([]*tree.Node, len(axes))
	for i, axis := range axes {
		o := untyped.Options{Axes: []int{axis}, Ints: []int{edge}}
		var at *tree.Node
		if len(gaps) > 0 {
			if gap := gaps[min(i, len(gaps)-1)]; gap.kind == vScalar {
				v, err := gap.s.Float64()
				stopIf(err != nil, c.at, tree.ErrValue, "%s", err)
				o.Numbers = []float64{v}
			} else {
				at = sound(c.args[1].at, gap.node())
				stopIf(len(gaps) == 1 && len(at.Shape()) > 0 && len(axes) > 1, c.at, tree.ErrShape, "%d distances do not fit %d axes", len(gaps), len(axes))
				at = cast(at, promote(t, floatFor(at.DType())))
			}
		}
		of := t
		if at != nil && at.Err() == nil {
			of = at.DType()
		}
		out[i] = rounded(cast(untyped.Compose("gradient", o, cast(f, of), at), t))
	}
	return c.oneOrSeveral(out)
}

// callBlock joins the arrays of nested lists: the arrays of an innermost list along the last axis, the results of
// the list around it along the axis before, and so on.
func callBlock(c *call) value {
	items, depth := c.blocks(c.args[0].value, 0)
	rank := depth
	for i, x := range items {
		items[i] = valueOf(sound(c.at, x.node())) // NumPy makes arrays of numbers first
		rank = max(rank, len(items[i].n.Shape()))
	}
	t := promoted(items...)
	var join func(v value, level int) *tree.Node
	join = func(v value, level int) *tree.Node {
		if v.kind != vSeq {
			n := sound(c.at, v.as(t))
			return untyped.Reshape(n, append(slices.Repeat([]int{1}, rank-len(n.Shape())), n.Shape()...))
		}
		parts := lists.Map(v.seq, func(x value) *tree.Node { return join(x, level+1) })
		return untyped.Concat(rank-depth+level, parts)
	}
	return valueOf(join(c.args[0].value, 0))
}

// blocks returns the numbers and the arrays in nested lists, all of which are in the same number of lists.
func (c *call) blocks(v value, level int) (out []value, depth int) {
	if v.kind != vSeq {
		stopIf(!v.isOperand(), c.at, tree.ErrType, "%s is no operand", v.describe())
		return []value{v}, level
	}
	stopIf(len(v.seq) == 0, c.at, tree.ErrShape, "block takes no empty list")
	for i, x := range v.seq {
		more, d := c.blocks(x, level+1)
		stopIf(i > 0 && d != depth, c.at, tree.ErrShape, "the lists of block have different depths")
		out, depth = append(out, more...), d
	}
	return out, depth
}

// callSize returns the number of elements, or the product of the extents of axes.
func callSize(c *call) value {
	s := c.array(0).Shape()
	if c.isNone(1) {
		return integer(s.Size())
	}
	axes, err := shape.Axes(c.integers(1), len(s))
	stopIf(err != nil, c.at, tree.ErrShape, "%s", err)
	return integer(lists.Product(s, axes))
}

// callLength returns len(x), a Python integer.
func callLength(c *call) value {
	if x := c.args[0]; x.kind == vSeq {
		return integer(len(x.seq))
	}
	n := c.array(0)
	if len(n.Shape()) == 0 {
		return failed(tree.ErrShape, "an array of rank 0 has no len")
	}
	return integer(n.Shape()[0])
}
