package untyped

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions that join and rotate arrays, those that read
// diagonals, and products that need no contraction.

// rotate rotates the plane of two axes o.Ints[0] times by 90 degrees, from the
// first axis to the second.
func rotate(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	o = o.orAxes(0, 1)
	axes, err := shape.Order(o.Axes, len(a.Shape()))
	stopIf(err != nil || len(axes) != 2, misshapen, "axes %v are no plane of an array of rank %d", o.Axes, len(a.Shape()))
	flipped := func(which ...int) *tree.Node { return flip(Options{Axes: which}, a) }
	switch o.int(0, 1) & 3 {
	case 1:
		return swapAxes(Options{Axes: axes}, flipped(axes[1]))
	case 2:
		return flipped(axes...)
	case 3:
		return swapAxes(Options{Axes: axes}, flipped(axes[0]))
	}
	return a
}

// reversed returns a composition that reverses an axis.
func reversed(axis int) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node { return flip(Options{Axes: []int{axis}}, x[0]) }
}

// atLeast returns a with at least rank axes. Vectors become rows, and matrices
// layers of one element, as in NumPy.
func atLeast(rank int) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node {
		s := x[0].Shape()
		dims := slices.Concat(ones(max(min(rank, 2)-len(s), 0)), s)
		return Reshape(x[0], append(dims, ones(max(rank-len(dims), 0))...))
	}
}

// joined returns a composition that concatenates arrays of at least rank axes.
// Vectors have the axis 0 only.
func joined(rank, axis int) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		parts := lists.Map(x, func(a *tree.Node) *tree.Node { return atLeast(rank)(o, a) })
		return Concat(min(axis, max(len(parts[0].Shape())-1, 0)), parts)
	}
}

// columns makes columns of vectors.
func columns(_ Options, x ...*tree.Node) *tree.Node {
	parts := make([]*tree.Node, len(x))
	for i, a := range x {
		if parts[i] = a; len(a.Shape()) < 2 {
			parts[i] = Reshape(a, []int{a.Shape().Size(), 1})
		}
	}
	return Concat(1, parts)
}

// appended concatenates two arrays along an axis, or as vectors.
func appended(o Options, x ...*tree.Node) *tree.Node {
	if o.Axes == nil {
		return Concat(0, []*tree.Node{flatten(o, x[0]), flatten(o, x[1])})
	}
	return Concat(o.axis(0, len(x[0].Shape())), x)
}

// edited returns the array a, the axis that the options name, and their positions o.Ints
// along it, of which negative ones count from the end. If the options name no axis, a becomes
// a vector. The greatest position allowed is the size of the axis - 1 + last.
func (o Options) edited(a *tree.Node, last int) (n *tree.Node, axis int, at []int) {
	n, axis = oneLine(o, a)
	at = slices.Clone(o.Ints)
	for i, x := range at {
		size := n.Shape()[axis]
		if x < -size || x >= size+last {
			panic(stop{tree.Errorf(tree.ErrIndex, "", "index %d is out of range for axis %d of size %d", x, axis, size)})
		}
		if x < 0 {
			at[i] += size
		}
	}
	return n, axis, at
}

// without leaves out positions o.Ints of an axis, or of all elements.
func without(o Options, x ...*tree.Node) *tree.Node {
	a, axis, at := o.edited(x[0], 0)
	slices.Sort(at)
	at = slices.Compact(at)
	var parts []*tree.Node
	start := 0
	for _, i := range append(at, a.Shape()[axis]) {
		if i > start || len(parts) == 0 && i == a.Shape()[axis] {
			parts = append(parts, cut(a, axis, shape.Range(start, i)))
		}
		start = i + 1
	}
	return Concat(axis, parts)
}

// inserted puts x[1] before position o.Ints[0] of an axis of x[0], or an element of its axis
// before each of several positions. Other axes of x[1] broadcast.
func inserted(o Options, x ...*tree.Node) *tree.Node {
	a, axis, at := o.edited(x[0], 1)
	v, rank := x[1], len(a.Shape())
	stopIf(len(v.Shape()) > rank, misshapen, "values of rank %d do not fit an array of rank %d", len(v.Shape()), rank)
	for len(v.Shape()) < rank {
		v = withAxis(v, 0)
	}
	dims := a.Shape().Clone()
	if dims[axis] = len(at); len(at) == 1 {
		dims[axis] = v.Shape()[axis]
	}
	if v = sound(BroadcastTo(v, dims)); len(at) == 0 {
		return a
	}
	order := lists.UpTo(len(at))
	slices.SortStableFunc(order, func(i, j int) int { return at[i] - at[j] })
	var parts []*tree.Node
	start := 0
	for _, i := range order {
		if at[i] > start {
			parts = append(parts, cut(a, axis, shape.Range(start, at[i])))
		}
		if start = at[i]; len(at) > 1 {
			parts = append(parts, cut(v, axis, shape.Range(i, i+1)))
		} else {
			parts = append(parts, v)
		}
	}
	if start < a.Shape()[axis] {
		parts = append(parts, cut(a, axis, shape.From(start)))
	}
	return Concat(axis, parts)
}

// resized repeats the elements until the shape o.Ints is full.
func resized(o Options, x ...*tree.Node) *tree.Node {
	a := flatten(o, x[0])
	s := valid(shape.New(o.Ints...))
	have, want := a.Shape().Size(), s.Size()
	if have == 0 {
		return BroadcastTo(tree.ConstInt(a.DType(), 0), s)
	}
	times := want / have
	if want%have > 0 {
		times++
	}
	return Reshape(cut(tile(Options{Ints: []int{times}}, a), 0, shape.Until(want)), s)
}

// diagonal returns diagonal o.Ints[0] of two axes, as the last axis.
func diagonal(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	if o.Axes != nil {
		a = sound(moveAxis(Options{Axes: o.Axes, Ints: []int{-2, -1}}, a))
	}
	s := a.Shape()
	stopIf(len(s) < 2, misshapen, "a value of rank %d has no diagonal", len(s))
	rows, cols, k := s[len(s)-2], s[len(s)-1], o.int(0, 0)
	row, col := 0, 0
	if row = -min(max(k, -rows), 0); k > 0 {
		col = min(k, cols)
	}
	n := min(rows-row, cols-col)
	start := row*cols + col
	span := shape.By(shape.Range(start, start+max((n-1)*(cols+1)+1, 0)), cols+1)
	if n <= 0 {
		span = shape.Until(0)
	}
	return cut(Reshape(a, append(s[:len(s)-2].Clone(), rows*cols)), len(s)-2, span)
}

func trace(o Options, x ...*tree.Node) *tree.Node {
	return Reduce("sum", diagonal(o, x...), Options{Axes: []int{-1}})
}

// diag returns a diagonal of a matrix, or a matrix with a vector on a diagonal.
func diag(o Options, x ...*tree.Node) *tree.Node {
	v, k := x[0], o.int(0, 0)
	switch len(v.Shape()) {
	case 1:
	case 2:
		return diagonal(o, v)
	default:
		return misshapen("a value of rank %d is no vector and no matrix", len(v.Shape()))
	}
	n := v.Shape()[0]
	most := math.MaxInt32 / 2
	stopIf(k > most || k < -most, misshapen, "diagonal %d is too far out", k)
	below, right := max(-k, 0), max(k, 0)
	zero := tree.ConstInt(v.DType(), 0)
	row := withAxis(Pad(v, []int{right, below}, zero), 0)
	on := eye(Options{Ints: []int{n + below + right, n + below + right, k}, To: dtype.Bool})
	return Call("where", on, row, zero)
}

// kron interleaves the axes of all pairs of elements.
func kron(_ Options, x ...*tree.Node) *tree.Node {
	rank := max(len(x[0].Shape()), len(x[1].Shape()))
	var spread [2][]int
	product := make([]int, rank)
	for i := range rank {
		for k, a := range x {
			d, at := 1, i-rank+len(a.Shape())
			if at >= 0 {
				d = a.Shape()[at]
			}
			pair := [2]int{1, 1}
			pair[k] = d
			spread[k] = append(spread[k], pair[:]...)
		}
		product[i] = spread[0][2*i] * spread[1][2*i+1]
	}
	name := "mul"
	if x[0].DType() == dtype.Bool {
		name = "logical_and"
	}
	return Reshape(Call(name, Reshape(x[0], spread[0]), Reshape(x[1], spread[1])), product)
}

// cross multiplies vectors along an axis of each operand, and returns them along another: the
// axes of the options, all of which are the last ones by default.
func cross(o Options, x ...*tree.Node) *tree.Node {
	axes := []int{-1, -1, -1}
	if copy(axes, o.Axes) == 1 {
		axes = slices.Repeat(o.Axes, 3)
	}
	var v [2]*tree.Node
	for i, a := range x {
		axis := valid(shape.Axis(axes[i], len(a.Shape())))
		n := a.Shape()[axis]
		stopIf(n != 3, misshapen, "axis %d of %v has not three elements", axis, a.Shape())
		v[i] = moveAxis(Options{Axes: []int{axis}, Ints: []int{-1}}, a)
	}
	rolled := func(a *tree.Node, by int) *tree.Node { return roll(Options{Axes: []int{-1}, Ints: []int{-by}}, a) }
	one := Call("mul", rolled(v[0], 1), rolled(v[1], 2))
	y := Call("sub", one, Call("mul", rolled(v[0], 2), rolled(v[1], 1)))
	return moveAxis(Options{Axes: []int{-1}, Ints: axes[2:]}, sound(y))
}

// convolve slides the shorter vector over the longer one, backwards.
func convolve(o Options, x ...*tree.Node) *tree.Node {
	a, v := x[0], x[1]
	stopIf(len(a.Shape()) != 1 || len(v.Shape()) != 1 || a.Shape()[0] == 0 || v.Shape()[0] == 0, misshapen, "arrays of shapes %v and %v are no vectors with elements", a.Shape(), v.Shape())
	if a.Shape()[0] < v.Shape()[0] {
		a, v = v, a
	}
	n, m := a.Shape()[0], v.Shape()[0]
	before, after := m-1, m-1
	switch o.Text {
	case "", "full":
	case "same":
		before, after = m/2, m-1-m/2
	case "valid":
		before, after = 0, 0
	default:
		return tree.Errorf(tree.ErrValue, "", "there is no mode %q; there are full, same and valid", o.Text)
	}
	stopIf(n > math.MaxInt-2*m, misshapen, "vectors of %d and %d elements are too long", n, m)
	weights := flip(Options{}, v)
	if a.DType().IsInt() {
		return slid(a, weights, before, after, false)
	}
	// An infinite weight times the padding is no term. Only the ends compare places. They are divided in pieces, which leave out what
	// is padding for all their sums. That keeps the order of the terms in one block, whose lanes are combined in the same way if all of
	// them move by some places.
	const leastPiece = 256
	var parts []*tree.Node
	piece := max(leastPiece, m/8)
	for lo := 0; lo < before; lo += piece {
		hi, left := min(lo+piece, before), 0
		if m <= ir.Block {
			left = before - hi + 1
		}
		parts = append(parts, slid(cut(a, 0, shape.Until(hi-1+m-before)), cut(weights, 0, shape.From(left)), before-lo-left, 0, true))
	}
	parts = append(parts, slid(a, weights, 0, 0, false))
	for lo := 0; lo < after; lo += piece {
		hi := min(lo+piece, after)
		parts = append(parts, slid(cut(a, 0, shape.From(n-m+1+lo)), cut(weights, 0, shape.Until(m-lo)), 0, hi-lo, true))
	}
	return Concat(0, parts)
}

// slid returns the sums of the windows of a vector times weights. The vector is padded with
// zeros, which are no terms if inner is set.
func slid(a, weights *tree.Node, before, after int, inner bool) *tree.Node {
	windows := func(a *tree.Node) *tree.Node {
		padded := Pad(a, []int{before, after}, tree.ConstInt(a.DType(), 0))
		return tree.ApplyWith(Row("windows"), tree.Attributes{Ints: []int{weights.Shape()[0], 1, 1}}, padded)
	}
	terms := Call("mul", windows(a), weights)
	if inner {
		inside := windows(BroadcastTo(tree.ConstInt(dtype.Bool, 1), a.Shape()))
		terms = Call("where", inside, terms, tree.ConstInt(a.DType(), 0))
	}
	return Reduce("sum", terms, Options{Axes: []int{1}})
}

// correlate is convolve with the second vector reversed, and conjugate if it is complex.
func correlate(o Options, x ...*tree.Node) *tree.Node {
	x = []*tree.Node{x[0], conjugate(x[1])}
	if len(x[1].Shape()) == 1 && len(x[0].Shape()) == 1 && x[1].Shape()[0] > x[0].Shape()[0] {
		return flip(Options{}, convolve(o, flip(Options{}, x[0]), x[1]))
	}
	return convolve(o, x[0], flip(Options{}, x[1]))
}

// conjugate returns the conjugate of a complex operand, and others as they are.
func conjugate(n *tree.Node) *tree.Node {
	if !n.DType().IsComplex() {
		return n
	}
	return Call("conjugate", n)
}
