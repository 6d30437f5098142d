package untyped

import (
	"math"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of images and of labels.

// upsample repeats the elements of the last two axes o.Ints[0] times, or
// interpolates between them.
func upsample(o Options, x ...*tree.Node) *tree.Node {
	a, scale := x[0], o.int(0, 0)
	rank := len(a.Shape())
	switch {
	case rank < 2 || scale < 1:
		return misshapen("an operand of shape %v cannot be enlarged %d times", a.Shape(), scale)
	case o.Text == "bilinear" && !a.DType().IsFloat():
		return tree.Errorf(tree.ErrType, "", "elements of type %v cannot be interpolated; op.Cast converts to floats", a.DType())
	case o.Text != "bilinear" && o.Text != "nearest":
		return wrong("there is no mode %q; there are nearest and bilinear", o.Text)
	}
	for axis := rank - 2; axis < rank; axis++ {
		if o.Text == "nearest" {
			a = sound(repeat(Options{Ints: []int{scale}, Axes: []int{axis}}, a))
		} else {
			a = sound(interpolated(a, axis, scale))
		}
	}
	return a
}

// interpolated enlarges an axis. The centre of element i of the result lies at
// (i + 1/2)/scale - 1/2, brought inside the axis. The elements with one remainder by scale
// are sums of neighbours with the same weights.
func interpolated(a *tree.Node, axis, scale int) *tree.Node {
	s, t := a.Shape(), a.DType()
	n := s[axis]
	stopIf(n == 0 || n > math.MaxInt/4/scale, misshapen, "an axis of %d elements cannot be enlarged %d times", n, scale)
	if scale > fewPhases {
		return interpolatedAt(a, axis, n*scale)
	}
	take := func(x *tree.Node, from, to int) *tree.Node { return cut(x, axis, shape.Range(from, to)) }
	near := []*tree.Node{ // the elements before, a itself, and the elements after
		Concat(axis, []*tree.Node{take(a, 0, 1), take(a, 0, n-1)}), a,
		Concat(axis, []*tree.Node{take(a, 1, n), take(a, n-1, n)}),
	}
	phases := make([]*tree.Node, scale)
	for k := range phases {
		low, part := 1, (float64(k)+.5)/float64(scale)-.5
		if part < 0 {
			low, part = 0, part+1
		}
		if part == 0 {
			phases[k] = a
			continue
		}
		x, y := near[low], near[low+1]
		phases[k] = Call("add", x, Call("mul", Call("sub", y, x), tree.ConstFloat(t, part)))
	}
	s = s.Clone()
	s[axis] *= scale
	return reshaped(stack(Options{Axes: []int{axis + 1}}, phases...), s)
}

// fewPhases is the number of remainders up to which one loop stores them all.
const fewPhases = 8

// resizedTo gives o.Axes, by default the last two, the sizes o.Ints.
func resizedTo(o Options, x ...*tree.Node) *tree.Node {
	a, axes := x[0], o.Axes
	if axes == nil {
		axes = []int{-2, -1}
	}
	switch {
	case len(axes) != len(o.Ints):
		return misshapen("%d sizes are given for %d axes", len(o.Ints), len(axes))
	case o.Text == "bilinear" && !a.DType().IsFloat():
		return tree.Errorf(tree.ErrType, "", "elements of type %v cannot be interpolated; op.Cast converts to floats", a.DType())
	case o.Text != "bilinear" && o.Text != "nearest":
		return wrong("there is no mode %q; there are nearest and bilinear", o.Text)
	}
	for i, size := range o.Ints {
		axis := valid(shape.Axis(axes[i], len(a.Shape())))
		n := a.Shape()[axis]
		stopIf(size < 0 || size > math.MaxInt/4/max(n, 1) || n == 0 && size > 0, misshapen, "an axis of %d elements cannot get %d", n, size)
		if o.Text == "bilinear" {
			a = interpolatedAt(a, axis, size)
			continue
		}
		at := Call("mul", Iota(size), tree.ConstInt(dtype.I64, int64(n)))
		a = takeInside(a, Call("floor_divide", at, tree.ConstInt(dtype.I64, int64(max(size, 1)))), axis)
	}
	return a
}

// interpolatedAt is interpolated for any size of the result: it computes the places of neighbours.
func interpolatedAt(a *tree.Node, axis, size int) *tree.Node {
	n, t := a.Shape()[axis], a.DType()
	number := func(v float64) *tree.Node { return tree.ConstFloat(dtype.F64, v) }
	at := Call("mul", Call("add", Cast(Iota(size), dtype.F64), number(.5)), number(float64(n)))
	at = Call("div", at, number(float64(size)))
	at = Call("clip", Call("sub", at, number(.5)), number(0), number(float64(n-1)))
	low := Call("floor", at)
	high := Call("minimum", Call("add", low, number(1)), number(float64(n-1)))
	part := Cast(Call("sub", at, low), t)
	if after := len(a.Shape()) - 1 - axis; after > 0 {
		part = Reshape(part, append([]int{size}, ones(after)...))
	}
	x, y := takeInside(a, Cast(low, dtype.I64), axis), takeInside(a, Cast(high, dtype.I64), axis)
	return Call("add", x, Call("mul", Call("sub", y, x), part))
}

// crop takes o.Ints elements of the last axes, from o.Axes or from the middle.
func crop(o Options, x ...*tree.Node) *tree.Node {
	s := x[0].Shape()
	lead := len(s) - len(o.Ints)
	stopIf(lead < 0 || o.Axes != nil && len(o.Axes) != len(o.Ints), misshapen, "%d sizes and %d starts are given for rank %d", len(o.Ints), len(o.Axes), len(s))
	spans := make([]shape.Slice, len(s))
	for i, n := range o.Ints {
		d := s[lead+i]
		from := (d - n) / 2
		if o.Axes != nil {
			from = o.Axes[i]
		}
		stopIf(n < 0 || n > d || from < 0 || from > d-n, misshapen, "%d elements from %d leave an axis of size %d", n, from, d)
		spans[lead+i] = shape.Range(from, from+n)
	}
	return Slice(x[0], spans)
}

// layout has the names of the axes before and after in o.Text, with a space
// between them.
func layout(o Options, x ...*tree.Node) *tree.Node {
	from, to, _ := strings.Cut(o.Text, " ")
	axes := make([]int, 0, len(to))
	for i, r := range to {
		k := strings.IndexRune(from, r)
		if k < 0 || strings.Count(from, string(r)) != 1 || strings.IndexRune(to, r) != i {
			axes = nil
			break
		}
		axes = append(axes, k)
	}
	stopIf(len(from) != len(to) || len(axes) != len(x[0].Shape()), wrong, "axes named %q cannot be rearranged as %q for rank %d", from, to, len(x[0].Shape()))
	return Transpose(x[0], axes)
}

// isAt returns whether each element of a along the last axis has the number that
// index states.
func isAt(a, index *tree.Node) *tree.Node {
	s := a.Shape()
	stopIf(len(s) == 0 || !shape.Shape(s[:len(s)-1]).Equal(index.Shape()), misshapen, "indices of shape %v do not fit the rows of shape %v", index.Shape(), s)
	at := withAxis(Cast(index, dtype.I64), -1)
	return Call("equal", at, Iota(s[len(s)-1]))
}

func pick(_ Options, x ...*tree.Node) *tree.Node {
	on := isAt(x[0], x[1])
	return Reduce("sum", Call("where", on, x[0], tree.NewConst(x[0].DType(), 0)), Options{Axes: []int{-1}})
}

func fillAt(_ Options, x ...*tree.Node) *tree.Node {
	on := sound(isAt(x[0], x[1]))
	v := x[2]
	if len(v.Shape()) > 0 {
		stopIf(!v.Shape().Equal(x[1].Shape()), misshapen, "%v values do not fit %v indices", v.Shape(), x[1].Shape())
		v = withAxis(v, -1)
	}
	return Call("where", on, v, x[0])
}

// softmaxGrad ignores the label o.Ints[0], if there is one.
func softmaxGrad(o Options, x ...*tree.Node) *tree.Node {
	on := sound(isAt(x[0], x[1]))
	y, t := x[0], x[0].DType()
	d := Call("where", on, Call("sub", y, tree.ConstFloat(t, 1)), y)
	if len(o.Ints) == 0 {
		return d
	}
	stopIf(len(o.Ints) > 1, wrong, "there may be one label to ignore, not %v", o.Ints)
	label := withAxis(Cast(x[1], dtype.I64), -1)
	return Call("where", Call("equal", label, tree.ConstInt(dtype.I64, int64(o.Ints[0]))), tree.ConstFloat(t, 0), d)
}

// smoothSoftmaxGrad gives o.Numbers[0] of each label to all others.
func smoothSoftmaxGrad(o Options, x ...*tree.Node) *tree.Node {
	on := sound(isAt(x[0], x[1]))
	stopIf(len(o.Numbers) != 1 || !(o.Numbers[0] >= 0 && o.Numbers[0] <= 1), wrong, "the part of a label that all others share is %v", o.Numbers)
	y, t, alpha := x[0], x[0].DType(), o.Numbers[0]
	others := max(y.Shape()[len(y.Shape())-1]-1, 1)
	here := Call("add", Call("sub", y, tree.ConstFloat(t, 1)), tree.ConstFloat(t, alpha))
	return Call("where", on, here, Call("sub", y, tree.ConstFloat(t, alpha/float64(others))))
}
