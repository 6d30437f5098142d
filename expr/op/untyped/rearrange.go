package untyped

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions that rearrange elements or make arrays, as
// trees and as constructors.

// misshapen returns a node with an ErrShape. Compose adds the name.
func misshapen(format string, args ...any) *tree.Node {
	return tree.Errorf(tree.ErrShape, "", "%s", fmt.Sprintf(format, args...))
}

// int returns integer i of the options, or the value without if it is not
// given.
func (o Options) int(i, without int) int {
	if i < len(o.Ints) {
		return o.Ints[i]
	}
	return without
}

// elements returns the type of the elements to make.
func (o Options) elements() dtype.Type { return cmp.Or(o.To, dtype.F64) }

func flatten(_ Options, x ...*tree.Node) *tree.Node { return Reshape(x[0], []int{x[0].Shape().Size()}) }

func swapAxes(o Options, x ...*tree.Node) *tree.Node {
	rank := len(x[0].Shape())
	stopIf(len(o.Axes) != 2, misshapen, "%d axes given, not 2", len(o.Axes))
	i, err := shape.Axis(o.Axes[0], rank)
	j, err2 := shape.Axis(o.Axes[1], rank)
	stopIf(err != nil || err2 != nil, misshapen, "axes %d and %d do not both exist in rank %d", o.Axes[0], o.Axes[1], rank)
	perm := lists.UpTo(rank)
	perm[i], perm[j] = j, i
	return Transpose(x[0], perm)
}

// moveAxis moves o.Axes to o.Ints. The other axes keep their order.
func moveAxis(o Options, x ...*tree.Node) *tree.Node {
	rank := len(x[0].Shape())
	from, err := shape.Order(o.Axes, rank)
	to, err2 := shape.Order(o.Ints, rank)
	stopIf(err != nil || err2 != nil || len(from) != len(to), misshapen, "axes %v cannot be moved to %v in rank %d", o.Axes, o.Ints, rank)
	perm := othersThan(from, x[0])
	for d := range rank {
		if i := slices.Index(to, d); i >= 0 {
			perm = slices.Insert(perm, d, from[i])
		}
	}
	return Transpose(x[0], perm)
}

// newAxes adds the axes that have the numbers o.Axes in the result.
func newAxes(o Options, x ...*tree.Node) *tree.Node {
	if x[0].Err() != nil {
		return x[0]
	}
	rank := len(x[0].Shape()) + len(o.Axes)
	added, err := shape.Order(o.Axes, rank)
	if err != nil {
		return misshapen("%s", err)
	}
	axes, next := make([]int, rank), 0
	for i := range axes {
		if axes[i] = -1; !slices.Contains(added, i) {
			axes[i] = next
			next++
		}
	}
	return Transpose(x[0], axes)
}

// withAxis returns a with a new axis of size 1, which is number axis of the result.
func withAxis(a *tree.Node, axis int) *tree.Node { return newAxes(Options{Axes: []int{axis}}, a) }

// squeeze drops all axes of size 1 if o.Axes is nil.
func squeeze(o Options, x ...*tree.Node) *tree.Node {
	if o.Axes == nil {
		s := x[0].Shape()
		o.Axes = lists.Where(lists.UpTo(len(s)), func(i int) bool { return s[i] == 1 })
	}
	return eachAxis(o, x[0], dropAxes)
}

// eachAxis returns f of a and the canonical axes of the options. Without axes
// it returns a, and also if a carries an error, as then it has no shape.
func eachAxis(o Options, a *tree.Node, f func(a *tree.Node, axes []int) *tree.Node) *tree.Node {
	if len(o.Axes) == 0 || a.Err() != nil {
		return a
	}
	axes, err := shape.Axes(o.Axes, len(a.Shape()))
	if err != nil {
		return misshapen("%s", err)
	}
	return f(a, axes)
}

// flip reverses all axes if o.Axes is nil.
func flip(o Options, x ...*tree.Node) *tree.Node {
	o = o.orAxes(lists.UpTo(len(x[0].Shape()))...)
	return eachAxis(o, x[0], func(a *tree.Node, axes []int) *tree.Node {
		spans := make([]shape.Slice, len(a.Shape()))
		for _, x := range axes {
			spans[x].Step = shape.At(-1)
		}
		return Slice(a, spans)
	})
}

// roll moves along each of o.Axes by one of o.Ints, or by the only one. It moves
// along one axis by the sum of several. If
// o.Axes is nil, it moves the elements in row-major order.
func roll(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	if o.Axes == nil {
		return Reshape(roll(o.orAxes(0), flatten(o, a)), a.Shape())
	}
	if len(o.Axes) == 1 && len(o.Ints) > 1 {
		total := 0
		for _, shift := range o.Ints {
			total += shift
		}
		o.Ints = []int{total}
	}
	stopIf(len(o.Ints) != len(o.Axes) && len(o.Ints) != 1, misshapen, "%d shifts given for %d axes", len(o.Ints), len(o.Axes))
	for i, axis := range o.Axes {
		axis := valid(shape.Axis(axis, len(a.Shape())))
		d := a.Shape()[axis]
		if d == 0 {
			continue
		}
		at := (d - o.Ints[min(i, len(o.Ints)-1)]%d) % d
		if at == 0 {
			continue
		}
		a = Concat(axis, []*tree.Node{cut(a, axis, shape.From(at)), cut(a, axis, shape.Until(at))})
	}
	return a
}

// halfTurn rolls axes by the half of their extents, rounded down, or back.
func halfTurn(back bool) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		s := x[0].Shape()
		o = o.orAxes(lists.UpTo(len(s))...)
		o.Ints = make([]int, len(o.Axes))
		for i, axis := range o.Axes {
			if o.Ints[i] = s[valid(shape.Axis(axis, len(s)))] / 2; back {
				o.Ints[i] = -o.Ints[i]
			}
		}
		return roll(o, x...)
	}
}

// stack has the new axis o.Axes[0], or 0.
func stack(o Options, x ...*tree.Node) *tree.Node {
	o = o.orAxes(0)
	parts := make([]*tree.Node, len(x))
	for i, a := range x {
		stopIf(!a.Shape().Equal(x[0].Shape()) || len(o.Axes) != 1, misshapen, "arrays of shapes %v and %v cannot be stacked along axes %v", x[0].Shape(), a.Shape(), o.Axes)
		parts[i] = newAxes(o, a)
	}
	return Concat(o.Axes[0], parts)
}

func oneHot(o Options, x ...*tree.Node) *tree.Node {
	depth := o.int(0, 0)
	stopIf(depth < 0, misshapen, "the depth %d is negative", depth)
	at := withAxis(Cast(x[0], dtype.I64), -1)
	return Cast(Call("equal", at, Iota(depth)), o.elements())
}

// eye reads the numbers of rows and columns and the diagonal from o.Ints.
func eye(o Options, _ ...*tree.Node) *tree.Node {
	rows, columns := o.matrix()
	at := withAxis(Iota(rows), 1)
	on := Call("equal", Call("add", at, tree.ConstInt(dtype.I64, int64(o.int(2, 0)))), Iota(columns))
	return Cast(on, o.elements())
}

// matrix reads the numbers of rows and columns from o.Ints.
func (o Options) matrix() (rows, columns int) {
	rows = o.int(0, 0)
	if columns = o.int(1, rows); rows < 0 || columns < 0 {
		panic(stop{misshapen("a matrix cannot have %d rows and %d columns", rows, columns)})
	}
	return rows, columns
}

// linspace rounds as NumPy does: first the step, then its product with the
// position. The last number is the end itself. Integers round down.
func linspace(o Options, _ ...*tree.Node) *tree.Node {
	n := o.int(0, 50)
	stopIf(n < 0 || len(o.Numbers) != 2, wrong, "%d numbers between %d ends do not exist", n, len(o.Numbers))
	number := func(v float64) *tree.Node { return tree.ConstFloat(dtype.F64, v) }
	start, stop := o.Numbers[0], o.Numbers[1]
	parts := n
	if !o.Open {
		parts--
	}
	if t := o.elements(); t.IsInt() && n > 0 {
		last := start
		if n > 1 {
			last += (stop - start) * (float64(n-1) / float64(parts))
		}
		for _, end := range []float64{start, last} {
			if tree.ConstFloat(t, math.Floor(end)).Err() != nil {
				return tree.Errorf(tree.ErrType, "", "the element %v is no %v", math.Floor(end), t)
			}
		}
	}
	i := Iota(n)
	y, step := Cast(i, dtype.F64), stop-start
	if s := step / float64(parts); parts > 0 && s != 0 {
		step = s
	} else if parts > 0 {
		y = Call("div", y, number(float64(parts)))
	}
	y = Call("add", Call("mul", y, number(step)), number(start))
	if !o.Open && n > 1 {
		y = Call("where", Call("equal", i, tree.ConstInt(dtype.I64, int64(n-1))), number(stop), y)
	}
	if o.elements().IsInt() {
		y = Call("floor", y)
	}
	return Cast(y, o.elements())
}

// Meshgrid returns the coordinates of a grid: operand i along axis i, but for the first two axes, which are exchanged if xy is
// set. The other axes have size 1 if sparse is set, else all have the shape of the grid.
func Meshgrid(x []*tree.Node, xy, sparse bool) []*tree.Node {
	rank := len(x)
	full, out := ones(rank), make([]*tree.Node, rank)
	for i, a := range x {
		at := i
		if xy && rank > 1 && i < 2 {
			at = 1 - i
		}
		full[at] = a.Shape().Size()
		out[i] = vectorAlong(a, at, rank)
	}
	if !sparse {
		for i, a := range out {
			out[i] = BroadcastTo(a, full)
		}
	}
	return out
}
