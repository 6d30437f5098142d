package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// The arguments of pad that belong to some modes only, and these modes.
var padModes = []struct {
	argument string
	modes    []string
}{
	{"constant_values", []string{"constant"}},
	{"end_values", []string{"linear_ramp"}},
	{"stat_length", []string{"maximum", "minimum", "mean", "median"}},
	{"reflect_type", []string{"reflect", "symmetric"}},
}

// callPad surrounds with numbers, with elements of the array, or with what it computes from them.
func callPad(c *call) *tree.Node {
	mode, n := c.args[2], c.array(0)
	stopIf(mode.kind != vString, mode.at, tree.ErrType, "the mode of pad must be a string, not %s", mode.describe())
	for _, p := range padModes {
		i := c.f.parameter(p.argument)
		stopIf(c.args[i].given && !slices.Contains(p.modes, mode.str), c.args[i].at, nil, "the mode %q has no %s", mode.str, p.argument)
	}
	widths := c.widths(c.args[1], n)
	switch mode.str {
	case "constant", "linear_ramp", "maximum", "minimum", "mean", "median":
		return c.padded(n, widths, mode.str)
	case "empty":
		panic(fail(mode.at, tree.ErrUnsupported, "the mode \"empty\" leaves elements without a value"))
	case "edge", "wrap", "reflect", "symmetric":
		if c.text(c.f.parameter("reflect_type")) == "odd" {
			return c.oddlyPadded(n, widths, mode.str)
		}
		return untyped.PadMode(n, widths, mode.str)
	}
	panic(fail(mode.at, tree.ErrValue, "there is no mode %.40q of pad; there are constant, edge, wrap, reflect, symmetric, linear_ramp, maximum, minimum, mean and median", mode.str))
}

// perAxis returns two values for each of rank axes: an argument that is one value, a pair
// for all axes, or a pair or a list of one value for each axis.
func (c *call) perAxis(x argument, rank int) []value {
	each := []value{x.value}
	if x.kind == vSeq && len(x.seq) > 0 && x.seq[0].kind == vSeq {
		each = x.seq
	}
	stopIf(len(each) != rank && len(each) != 1, x.at, tree.ErrShape, "%d pairs do not fit an array of rank %d", len(each), rank)
	out := make([]value, 0, 2*rank)
	for i := range rank {
		pair := each[min(i, len(each)-1)]
		switch {
		case pair.kind != vSeq:
			out = append(out, pair, pair)
		case len(pair.seq) == 1 || len(pair.seq) == 2:
			out = append(out, pair.seq[0], pair.seq[len(pair.seq)-1])
		default:
			panic(fail(x.at, tree.ErrShape, "what belongs to an axis is one value or a pair"))
		}
	}
	return out
}

// widths returns integers that are not negative, two for each axis of an array.
func (c *call) widths(x argument, n *tree.Node) []int {
	values := c.perAxis(x, max(len(n.Shape()), 1)) // the widths of a number must be right too
	out := make([]int, len(values))
	for i, v := range values {
		k := item{v, x.at}.integer("a width")
		out[i] = k
		stopIf(k < 0 || k > 1<<30, x.at, tree.ErrValue, "a width of %d is not possible", k)
	}
	return out[:2*len(n.Shape())]
}

// section returns n with the elements of an axis that a span selects.
func section(n *tree.Node, axis int, s op.Span) *tree.Node {
	spans := make([]op.Span, axis+1)
	spans[axis] = s
	return untyped.Slice(n, spans)
}

// padded surrounds one axis after the other.
func (c *call) padded(n *tree.Node, widths []int, mode string) *tree.Node {
	rank := len(n.Shape())
	name := "constant_values"
	if mode == "linear_ramp" {
		name = "end_values"
	}
	ends := c.perAxis(c.args[c.f.parameter(name)], rank)
	lengths := c.statLengths(n)
	if !slices.ContainsFunc(widths, func(w int) bool { return w != 0 }) {
		return n
	}
	if v := c.args[c.f.parameter(name)]; mode == "constant" && v.kind != vSeq {
		return untyped.Pad(n, widths, sound(c.at, ends[0].as(n.DType())))
	}
	for axis := range rank {
		size := n.Shape()[axis]
		sides := make([]*tree.Node, 2)
		for k := range sides {
			width := widths[2*axis+k]
			dims := n.Shape().Clone()
			dims[axis] = width
			stopIf(size == 0 && width > 0 && mode != "constant", c.at, tree.ErrShape, "an empty axis cannot be padded in the mode %q", mode)
			edge := 0
			if k == 1 {
				edge = max(size-1, 0)
			}
			var v *tree.Node
			switch mode {
			case "constant":
				v = sound(c.at, ends[2*axis+k].as(n.DType()))
			case "linear_ramp":
				v = ramp(sound(c.at, ends[2*axis+k].as(n.DType())), section(n, axis, op.Range(edge, edge+1)), width, axis, k == 1)
			default:
				start, length := 0, min(lengths[2*axis+k], size)
				if k == 1 {
					start = size - length
				}
				v = statistic(mode, section(n, axis, op.Range(start, start+length)), axis)
			}
			sides[k] = untyped.BroadcastTo(v, dims)
		}
		n = sound(c.at, untyped.Concat(axis, []*tree.Node{sides[0], n, sides[1]}))
	}
	return n
}

// statLengths returns how many elements at each end of each axis count.
func (c *call) statLengths(n *tree.Node) []int {
	i := c.f.parameter("stat_length")
	if c.isNone(i) {
		out := []int{}
		for _, d := range n.Shape() {
			out = append(out, d, d)
		}
		return out
	}
	out := c.widths(c.args[i], n)
	stopIf(slices.Contains(out, 0), c.args[i].at, tree.ErrValue, "a stat_length of 0 has no elements")
	return out
}

// statistic returns the maximum, minimum, mean or median along an axis, which stays. Those of
// integers are rounded.
func statistic(mode string, n *tree.Node, axis int) *tree.Node {
	o, t := untyped.Options{Axes: []int{axis}, Keep: true}, n.DType()
	switch {
	case t == dtype.Bool: // a mean that is not 0 is true
		return cast(statistic(mode, cast(n, dtype.F32), axis), t)
	case mode == "maximum" || mode == "minimum":
		return untyped.Reduce(mode[:3], n, o)
	case fractional(t):
		return rounded(untyped.Compose(mode, o, n))
	}
	return cast(apply("rint", untyped.Compose(mode, o, cast(n, dtype.F64))), t)
}

// ramp returns width numbers from end on to edge, which is not among them, or the other way
// round. Integers are rounded down.
func ramp(end, edge *tree.Node, width, axis int, back bool) *tree.Node {
	t := edge.DType()
	wide := quotientType(t).Register()
	end, edge = cast(end, wide), cast(edge, wide)
	i := cast(untyped.Iota(width), wide)
	if back {
		i = untyped.Compose("flip", untyped.Options{}, i)
	}
	dims := slices.Repeat([]int{1}, len(edge.Shape()))
	dims[axis] = width
	step := apply("div", apply("sub", edge, end), tree.ConstInt(wide, int64(max(width, 1))))
	v := apply("add", apply("mul", untyped.Reshape(i, dims), step), end)
	if t.IsInt() {
		v = apply("floor", v)
	}
	return cast(v, t)
}

// oddlyPadded reflects also the differences from the element at the end.
func (c *call) oddlyPadded(n *tree.Node, widths []int, mode string) *tree.Node {
	for axis, size := range n.Shape() {
		before, after := widths[2*axis], widths[2*axis+1]
		if before == 0 && after == 0 {
			continue
		}
		most := size - 1
		if mode == "symmetric" {
			most = size
		}
		stopIf(before > most || after > most, c.args[1].at, tree.ErrUnsupported, "odd reflections of more than %d elements are not supported", most)
		only := make([]int, 2*len(n.Shape()))
		only[2*axis], only[2*axis+1] = before, after
		twice := func(at int) *tree.Node {
			edge := section(n, axis, op.Range(at, at+1))
			return apply("add", edge, edge)
		}
		wide := untyped.PadMode(n, only, mode)
		n = sound(c.at, untyped.Concat(axis, []*tree.Node{
			apply("sub", twice(0), section(wide, axis, op.Range(0, before))),
			n,
			apply("sub", twice(size-1), section(wide, axis, op.Range(before+size, before+size+after))),
		}))
	}
	return n
}
