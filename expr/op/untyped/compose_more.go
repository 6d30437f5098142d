package untyped

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of differences, repetitions, triangles,
// statistics without NaN and comparisons within a tolerance.

// diff takes the difference of neighbours o.Ints[0] times along an axis, by
// default once along the last. Bools differ if they are not equal.
func diff(o Options, x ...*tree.Node) *tree.Node {
	a, times := x[0], o.int(0, 1)
	axis := o.axis(-1, len(a.Shape()))
	switch {
	case times < 0:
		return misshapen("the number of differences is %d", times)
	case times == 0: // also with others before and after, as in NumPy
		return a
	}
	a = sound(between(x[1], a, x[2], axis))
	name := "sub"
	if a.DType() == dtype.Bool {
		name = "not_equal"
	}
	for range min(times, a.Shape()[axis]) {
		a = Call(name, cut(a, axis, shape.From(1)), cut(a, axis, shape.Until(-1)))
	}
	return a
}

// between returns a with others before and after it along an axis. They may be nil, and
// numbers become arrays of size 1 along the axis.
func between(before, a, after *tree.Node, axis int) *tree.Node {
	rest := sound(a).Shape()
	list := []*tree.Node{}
	for _, n := range []*tree.Node{before, a, after} {
		switch {
		case n == nil:
			continue
		case len(n.Shape()) == 0:
			dims := slices.Clone(rest)
			dims[axis] = 1
			n = BroadcastTo(n, dims)
		}
		list = append(list, n)
	}
	if len(list) == 1 {
		return a
	}
	return Concat(axis, list)
}

// differences returns x[2], the differences of neighbours, and x[1], one after the other. x[1] and x[2]
// may be nil.
func differences(o Options, x ...*tree.Node) *tree.Node {
	vector := func(a *tree.Node) *tree.Node {
		if a == nil {
			return nil
		}
		return flatten(o, a)
	}
	return between(vector(x[2]), diff(o, vector(x[0]), nil, nil), vector(x[1]), 0)
}

// axis returns the only axis of the options, or the given one.
func (o Options) axis(without, rank int) int {
	o = o.orAxes(without)
	stopIf(len(o.Axes) != 1, misshapen, "takes one axis, not %v", o.Axes)
	return valid(shape.Axis(o.Axes[0], rank))
}

// tile repeats a o.Ints[i] times along axis i, counted from the last ones.
func tile(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	rank := max(len(o.Ints), len(a.Shape()))
	var split, spread, joined []int
	for i := range rank {
		d, n := 1, 1
		if k := i - rank + len(a.Shape()); k >= 0 {
			d = a.Shape()[k]
		}
		if k := i - rank + len(o.Ints); k >= 0 {
			n = o.Ints[k]
		}
		if n < 0 || d > 0 && n > math.MaxInt/d {
			return misshapen("an axis of %d elements cannot be repeated %d times", d, n)
		}
		split, spread, joined = append(split, 1, d), append(spread, n, d), append(joined, n*d)
	}
	return Reshape(BroadcastTo(Reshape(a, split), spread), joined)
}

// repeat repeats each element o.Ints[0] times along an axis, or element i o.Ints[i] times.
// Without an axis the result is a vector.
func repeat(o Options, x ...*tree.Node) *tree.Node {
	n := o.int(0, 1)
	a, axis := oneLine(o, x[0])
	if o.Ints != nil && len(o.Ints) != 1 {
		return repeatEach(a, axis, o.Ints)
	}
	spread, joined := slices.Insert(a.Shape().Clone(), axis+1, n), a.Shape().Clone()
	stopIf(n < 0 || n > 0 && joined[axis] > math.MaxInt/n, misshapen, "an axis of %d elements cannot be repeated %d times", joined[axis], n)
	joined[axis] *= n
	if axis == len(joined)-1 && n > 1 && n <= fewCopies {
		return Reshape(stack(Options{Axes: []int{axis + 1}}, slices.Repeat([]*tree.Node{a}, n)...), joined)
	}
	return Reshape(BroadcastTo(withAxis(a, axis+1), spread), joined)
}

// repeatEach repeats element i of an axis counts[i] times. Neighbours with one count are one part.
func repeatEach(a *tree.Node, axis int, counts []int) *tree.Node {
	stopIf(len(counts) != a.Shape()[axis], misshapen, "%d numbers of repetitions do not fit an axis of size %d", len(counts), a.Shape()[axis])
	if len(counts) == 0 {
		return a
	}
	var parts []*tree.Node
	for i := 0; i < len(counts); {
		start := i
		for i < len(counts) && counts[i] == counts[start] {
			i++
		}
		parts = append(parts, repeat(Options{Ints: counts[start : start+1], Axes: []int{axis}}, cut(a, axis, shape.Range(start, i))))
	}
	return Concat(axis, parts)
}

// fewCopies is the number of copies of each element of a row that one loop stores beside each
// other, without a division of their places.
const fewCopies = 4

// lower returns whether the column of each element is at most its row plus k, as computed for elements of a size in bytes: positions
// have as few bytes as hold them, but 2, or 4 beside wider elements.
func lower(size, rows, columns, k int) *tree.Node {
	k = max(-rows, min(k, columns)) // all elements, or none, beyond
	t := dtype.I64
	switch most := rows + columns; {
	case size <= 2 && most <= math.MaxInt16:
		t = dtype.I16
	case most <= math.MaxInt32:
		t = dtype.I32
	}
	at := Call("add", withAxis(Cast(Iota(rows), t), 1), tree.ConstInt(t, int64(k)))
	return Call("greater_equal", at, Cast(Iota(columns), t))
}

func tri(o Options, _ ...*tree.Node) *tree.Node {
	rows, columns := o.matrix()
	return Cast(lower(o.elements().Size(), rows, columns, o.int(2, 0)), o.elements())
}

// triangle returns the part of the last two axes below the k-th diagonal, or
// above it. A vector is each row of a square matrix, as in NumPy.
func triangle(k func(o Options) int, below bool) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		s := x[0].Shape()
		switch len(s) {
		case 0:
			return misshapen("a value of rank 0 has no diagonal")
		case 1:
			s = shape.Shape{s[0], s[0]}
		}
		on := lower(x[0].DType().Size(), s[len(s)-2], s[len(s)-1], k(o))
		if zero := tree.ConstInt(x[0].DType(), 0); below {
			return Call("where", on, x[0], zero)
		} else {
			return Call("where", on, zero, x[0])
		}
	}
}

var (
	tril = triangle(func(o Options) int { return o.int(0, 0) }, true)
	triu = triangle(func(o Options) int { return max(o.int(0, 0), math.MinInt+1) - 1 }, false)
)

// nanMean divides the sum of what is not NaN by its number less o.DDof. If that is
// not above 0, the result is NaN.
func nanMean(o Options, x ...*tree.Node) *tree.Node {
	return Call("div", nanSum(o.whole(), x[0]), o.observations(x[0]))
}

// observations returns the number of elements that are not NaN less o.DDof, or NaN if that
// is not above 0.
func (o Options) observations(a *tree.Node) *tree.Node {
	t := a.DType()
	valid := Cast(Call("logical_not", Call("isnan", a)), t)
	by := Call("sub", Reduce("sum", valid, o.whole()), tree.ConstFloat(t, o.DDof))
	return Call("where", Call("greater", by, tree.ConstFloat(t, 0)), by, tree.ConstFloat(t, math.NaN()))
}

// nanVariation is NaN over an infinite element, whose distance from the mean is.
func nanVariation(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	square := Call("square", Call("sub", a, nanMean(o.keep().whole(), a)))
	sum := Reduce("sum", Call("where", Call("isnan", a), like(square, 0), square), o.whole())
	return Call("div", sum, o.observations(a))
}

func nanDeviation(o Options, x ...*tree.Node) *tree.Node { return Call("sqrt", nanVariation(o, x...)) }

// round has o.Ints[0] decimals. It scales by a power of ten, as NumPy does, so the
// scaled value is rounded too. Integers are scaled in float64.
func round(o Options, x ...*tree.Node) *tree.Node {
	a, d := x[0], o.int(0, 0)
	switch {
	case a.DType().IsInt() && d >= 0:
		return a
	case a.DType().IsInt():
		return Cast(round(o, Cast(a, dtype.F64)), a.DType())
	case d == 0:
		return Call("rint", a)
	case a.DType().IsComplex(): // apart, because infinity times an imaginary 0 is NaN
		return Complex(round(o, Call("real", a)), round(o, Call("imag", a)))
	}
	by := tree.ConstFloat(a.DType(), math.Pow10(max(d, -d)))
	if d < 0 {
		return Call("mul", Call("rint", Call("div", a, by)), by)
	}
	return Call("div", Call("rint", Call("mul", a, by)), by)
}

// isClose compares in float64 for integers. The relative tolerance is one of the
// second operand.
func isClose(o Options, x ...*tree.Node) *tree.Node {
	a, b := x[0], x[1]
	if a.DType().IsInt() {
		a, b = Cast(a, dtype.F64), Cast(b, dtype.F64)
	}
	relative, absolute := 1e-5, 1e-8
	if len(o.Numbers) == 2 {
		relative, absolute = o.Numbers[0], o.Numbers[1]
	}
	size := Call("abs", b) // a real number also of complex ones
	most := Call("add", Call("mul", size, like(size, relative)), like(size, absolute))
	near := Call("less_equal", Call("abs", Call("sub", a, b)), most)
	return Call("logical_or", Call("logical_and", near, Call("isfinite", b)), o.same(a, b))
}

// same compares elements. If the first integer of the options is 1, NaN equals NaN.
func (o Options) same(a, b *tree.Node) *tree.Node {
	equal := Call("equal", a, b)
	if t := a.DType(); o.int(0, 0) == 0 || !t.IsFloat() && !t.IsComplex() {
		return equal
	}
	return Call("logical_or", equal, Call("logical_and", Call("isnan", a), Call("isnan", b)))
}

func outer(o Options, x ...*tree.Node) *tree.Node {
	name := "mul"
	if x[0].DType() == dtype.Bool {
		name = "logical_and"
	}
	return Call(name, withAxis(flatten(o, x[0]), 1), flatten(o, x[1]))
}

// PadMode returns op.PadMode of untyped trees. widths holds the elements before
// and after for each axis.
func PadMode(a *tree.Node, widths []int, mode string) *tree.Node {
	if a = Given(a, "PadMode"); a.Err() != nil {
		return a
	}
	if len(widths) != 2*len(a.Shape()) {
		return tree.Errorf(tree.ErrShape, "PadMode", "%d paddings given for rank %d", len(widths)/2, len(a.Shape()))
	}
	if !slices.Contains([]string{"edge", "wrap", "reflect", "symmetric"}, mode) {
		return tree.Errorf(tree.ErrValue, "PadMode", "there is no mode %q; there are edge, wrap, reflect and symmetric, and op.Pad for a constant", mode)
	}
	x := a
	for axis, n := range x.Shape() {
		before, after := widths[2*axis], widths[2*axis+1]
		if before < 0 || after < 0 || n == 0 && before+after > 0 || before > math.MaxInt/4-n || after > math.MaxInt/4-n-before {
			return tree.Errorf(tree.ErrShape, "PadMode", "an axis of size %d cannot be padded by %d and %d", n, before, after)
		}
		period := n // a reflection at an end of so many elements is the sequence again, in reverse
		if mode == "reflect" {
			period--
		}
		for before+after > 0 {
			most := before + after
			if have := a.Shape()[axis]; n > 1 && mode != "edge" {
				most = (have - n + period) / period * period
			}
			b, e := min(before, most), min(after, most)
			if a = padded(a, axis, b, e, most, mode); a.Err() != nil {
				return a.As("PadMode", x) // it has too many elements
			}
			before, after = before-b, after-e
		}
	}
	return a
}

// padded returns a with elements before and after an axis. Neither are more than most, after which the elements of the axis repeat.
func padded(a *tree.Node, axis, before, after, most int, mode string) *tree.Node {
	n := a.Shape()[axis]
	part := func(first, count int) *tree.Node { return cut(a, axis, shape.Range(first, first+count)) }
	flipped := func(first, count int) *tree.Node { return flip(Options{Axes: []int{axis}}, part(first, count)) }
	repeated := func(at, count int) *tree.Node {
		dims := slices.Clone([]int(a.Shape()))
		dims[axis] = count
		return BroadcastTo(part(at, 1), dims)
	}
	var first, last *tree.Node
	switch {
	case mode == "edge" || n == 1:
		first, last = repeated(0, before), repeated(n-1, after)
	case mode == "wrap":
		first, last = part(most-before, before), part(n-most, after)
	case mode == "symmetric":
		first, last = flipped(0, before), flipped(n-after, after)
	default:
		first, last = flipped(1, before), flipped(n-1-after, after)
	}
	return Concat(axis, []*tree.Node{first, a, last})
}
