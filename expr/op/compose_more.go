package op

import (
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
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
	axis, err := o.axis(-1, len(a.Shape()))
	if err != nil {
		return misshapen("%s", err)
	}
	if a = between(x[1], a, x[2], axis); a.Err() != nil {
		return a
	}
	if times < 0 {
		return misshapen("the number of differences is %d", times)
	}
	name := "sub"
	if a.DType() == dtype.Bool {
		name = "not_equal"
	}
	upper, lower := make([]Span, axis+1), make([]Span, axis+1)
	upper[axis], lower[axis] = From(1), Until(-1)
	for range min(times, a.Shape()[axis]) {
		a = call(name, SliceNode(a, upper), SliceNode(a, lower))
	}
	return a
}

// between returns a with others before and after it along an axis. They may be nil, and
// numbers become arrays of size 1 along the axis.
func between(before, a, after *tree.Node, axis int) *tree.Node {
	list := []*tree.Node{}
	for _, n := range []*tree.Node{before, a, after} {
		switch {
		case n == nil:
			continue
		case len(n.Shape()) == 0:
			dims := slices.Clone(a.Shape())
			dims[axis] = 1
			n = BroadcastToNode(n, dims)
		}
		list = append(list, n)
	}
	if len(list) == 1 {
		return a
	}
	return ConcatNode(axis, list)
}

// differences stand between the elements of x[2] and x[1], which may be nil.
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
func (o Options) axis(without, rank int) (int, error) {
	if o.Axes == nil {
		return shape.Axis(without, rank)
	}
	if len(o.Axes) != 1 {
		return 0, fmt.Errorf("takes one axis, not %v", o.Axes)
	}
	return shape.Axis(o.Axes[0], rank)
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
	return ReshapeNode(BroadcastToNode(ReshapeNode(a, split), spread), joined)
}

// repeat repeats each element o.Ints[0] times along an axis, or element i o.Ints[i] times.
// Without an axis the result is a vector.
func repeat(o Options, x ...*tree.Node) *tree.Node {
	a, n := x[0], o.int(0, 1)
	if o.Axes == nil {
		a = flatten(o, a)
	}
	axis, err := o.axis(0, len(a.Shape()))
	if err != nil {
		return misshapen("%s", err)
	}
	if len(o.Ints) > 1 {
		return repeatEach(a, axis, o.Ints)
	}
	spread, joined := slices.Insert(a.Shape().Clone(), axis+1, n), a.Shape().Clone()
	if n < 0 || n > 0 && joined[axis] > math.MaxInt/n {
		return misshapen("an axis of %d elements cannot be repeated %d times", joined[axis], n)
	}
	joined[axis] *= n
	if axis == len(joined)-1 && n > 1 && n <= fewCopies {
		return ReshapeNode(stack(Options{Axes: []int{axis + 1}}, slices.Repeat([]*tree.Node{a}, n)...), joined)
	}
	return ReshapeNode(BroadcastToNode(newAxes(Options{Axes: []int{axis + 1}}, a), spread), joined)
}

// repeatEach repeats element i of an axis counts[i] times. Neighbours with one count are one part.
func repeatEach(a *tree.Node, axis int, counts []int) *tree.Node {
	if len(counts) != a.Shape()[axis] {
		return misshapen("%d numbers of repetitions do not fit an axis of size %d", len(counts), a.Shape()[axis])
	}
	var parts []*tree.Node
	for i := 0; i < len(counts); {
		start := i
		for i < len(counts) && counts[i] == counts[start] {
			i++
		}
		part := repeat(Options{Ints: counts[start : start+1], Axes: []int{axis}}, SliceNode(a, spanAlong(axis, Range(start, i))))
		if part.Err() != nil {
			return part
		}
		parts = append(parts, part)
	}
	return ConcatNode(axis, parts)
}

// fewCopies is the number of copies of each element of a row that one loop stores beside each
// other, without a division of their places.
const fewCopies = 4

// lower returns whether the column of each element is at most its row plus k.
func lower(rows, columns, k int) *tree.Node {
	at := call("add", newAxes(Options{Axes: []int{1}}, IotaNode(rows)), tree.ConstInt(dtype.I64, int64(k)))
	return call("greater_equal", at, IotaNode(columns))
}

func tri(o Options, _ ...*tree.Node) *tree.Node {
	rows, columns, bad := o.matrix()
	if bad != nil {
		return bad
	}
	return CastNode(lower(rows, columns, o.int(2, 0)), o.elements())
}

// triangle returns the part of the last two axes below the k-th diagonal, or
// above it.
func triangle(k func(o Options) int, below bool) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		s := x[0].Shape()
		if len(s) < 2 {
			return misshapen("a value of rank %d has no diagonal", len(s))
		}
		on := lower(s[len(s)-2], s[len(s)-1], k(o))
		if zero := tree.ConstInt(x[0].DType(), 0); below {
			return call("where", on, x[0], zero)
		} else {
			return call("where", on, zero, x[0])
		}
	}
}

var (
	tril = triangle(func(o Options) int { return o.int(0, 0) }, true)
	triu = triangle(func(o Options) int { return o.int(0, 0) - 1 }, false)
)

// nanMean divides the sum of what is not NaN by its number less o.DDof. If that is
// not above 0, the result is NaN.
func nanMean(o Options, x ...*tree.Node) *tree.Node {
	return call("div", nanSum(o.freedom(0), x[0]), o.observations(x[0]))
}

// observations returns the number of elements that are not NaN less o.DDof, or NaN if that
// is not above 0.
func (o Options) observations(a *tree.Node) *tree.Node {
	t := a.DType()
	valid := CastNode(call("logical_not", call("isnan", a)), t)
	by := call("sub", ReduceNode("sum", valid, o.freedom(0)), tree.ConstFloat(t, float64(o.DDof)))
	return call("where", call("greater", by, tree.ConstFloat(t, 0)), by, tree.ConstFloat(t, math.NaN()))
}

// nanVariation is NaN over an infinite element, whose distance from the mean is.
func nanVariation(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	square := call("square", call("sub", a, nanMean(o.keep().freedom(0), a)))
	sum := ReduceNode("sum", call("where", call("isnan", a), like(square, 0), square), o.freedom(0))
	return call("div", sum, o.observations(a))
}

func nanDeviation(o Options, x ...*tree.Node) *tree.Node {
	return call("sqrt", nanVariation(o, x...))
}

// round has o.Ints[0] decimals. It scales by a power of ten, as NumPy does, so the
// scaled value is rounded too. Integers have no decimals to round.
func round(o Options, x ...*tree.Node) *tree.Node {
	a, d := x[0], o.int(0, 0)
	switch {
	case a.DType().IsInt() && d >= 0:
		return a
	case a.DType().IsInt():
		return tree.Errorf(tree.ErrUnsupported, "", "integers cannot be rounded to %d decimals", d)
	case d == 0:
		return call("rint", a)
	}
	by := tree.ConstFloat(a.DType(), math.Pow10(max(d, -d)))
	if d < 0 {
		return call("mul", call("rint", call("div", a, by)), by)
	}
	return call("div", call("rint", call("mul", a, by)), by)
}

// isClose compares in float64 for integers. The relative tolerance is one of the
// second operand.
func isClose(o Options, x ...*tree.Node) *tree.Node {
	a, b := x[0], x[1]
	if a.DType().IsInt() {
		a, b = CastNode(a, dtype.F64), CastNode(b, dtype.F64)
	}
	relative, absolute := 1e-5, 1e-8
	if len(o.Numbers) == 2 {
		relative, absolute = o.Numbers[0], o.Numbers[1]
	}
	size := call("abs", b) // a real number also of complex ones
	number := func(v float64) *tree.Node { return tree.ConstFloat(size.DType(), v) }
	most := call("add", call("mul", size, number(relative)), number(absolute))
	near := call("less_equal", call("abs", call("sub", a, b)), most)
	return call("logical_or", call("logical_and", near, call("isfinite", b)), o.same(a, b))
}

// same compares elements. If the first integer of the options is 1, NaN equals NaN.
func (o Options) same(a, b *tree.Node) *tree.Node {
	equal := call("equal", a, b)
	if t := a.DType(); o.int(0, 0) == 0 || !t.IsFloat() && !t.IsComplex() {
		return equal
	}
	return call("logical_or", equal, call("logical_and", call("isnan", a), call("isnan", b)))
}

func outer(o Options, x ...*tree.Node) *tree.Node {
	name := "mul"
	if x[0].DType() == dtype.Bool {
		name = "logical_and"
	}
	return call(name, newAxes(Options{Axes: []int{1}}, flatten(o, x[0])), flatten(o, x[1]))
}

// PadModeNode returns PadMode for untyped trees. widths holds the elements before
// and after for each axis.
func PadModeNode(a *tree.Node, widths []int, mode string) *tree.Node {
	if a = given(a, "PadMode"); a.Err() != nil {
		return a
	}
	if len(widths) != 2*len(a.Shape()) {
		return tree.Errorf(tree.ErrShape, "PadMode", "%d paddings given for rank %d", len(widths)/2, len(a.Shape()))
	}
	for axis, n := range a.Shape() {
		before, after := widths[2*axis], widths[2*axis+1]
		if before == 0 && after == 0 {
			continue
		}
		if before < 0 || after < 0 || n == 0 || before > math.MaxInt/4-n || after > math.MaxInt/4-n-before {
			return tree.Errorf(tree.ErrShape, "PadMode", "an axis of size %d cannot be padded by %d and %d", n, before, after)
		}
		at, err := padded(before+n+after, before, n, mode)
		if err != nil {
			return tree.Failed(err)
		}
		a = TakeNode(a, at, axis)
	}
	return a
}

// padded returns the positions in an axis of n elements that a padded axis
// reads.
func padded(size, before, n int, mode string) (*tree.Node, error) {
	number := func(v int) *tree.Node { return tree.ConstInt(dtype.I64, int64(v)) }
	at := call("sub", IotaNode(size), number(before))
	switch mode {
	case "edge":
		return call("clip", at, number(0), number(n-1)), nil
	case "wrap":
		return call("mod", at, number(n)), nil
	case "symmetric":
		at = call("mod", at, number(2*n))
		return call("minimum", at, call("sub", number(2*n-1), at)), nil
	case "reflect":
		period := max(2*n-2, 1)
		at = call("mod", at, number(period))
		return call("minimum", at, call("sub", number(period), at)), nil
	}
	return nil, tree.NewError(tree.ErrValue, "PadMode", "there is no mode %q; there are edge, wrap, reflect and symmetric", mode)
}

// PadMode returns a surrounded by its own elements. widths[i] is the number of
// elements before and after along axis i. The mode is one of NumPy's: "edge"
// repeats the last element, "wrap" goes on at the other end, "reflect" goes back
// without the last element, and "symmetric" with it.
func PadMode[T expr.Elem](a expr.Exp[T], widths [][2]int, mode string) expr.Exp[T] {
	return expr.Of[T](PadModeNode(expr.NodeOf(a), flatPairs(widths), mode))
}

// Diff returns the differences of neighbours along an axis. The axis becomes
// shorter by one.
func Diff[T expr.Number](a expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("diff", Options{Axes: []int{axis}}, expr.NodeOf(a), nil, nil)
}

// Tile returns a repeated reps[i] times along axis i, counted from the last
// ones.
func Tile[T expr.Elem](a expr.Exp[T], reps ...int) expr.Exp[T] {
	return composed[T]("tile", Options{Ints: reps}, expr.NodeOf(a))
}

// Repeat returns a with each element repeated n times along an axis.
func Repeat[T expr.Elem](a expr.Exp[T], n, axis int) expr.Exp[T] {
	return composed[T]("repeat", Options{Ints: []int{n}, Axes: []int{axis}}, expr.NodeOf(a))
}

// RepeatEach returns a with element i of an axis repeated counts[i] times.
func RepeatEach[T expr.Elem](a expr.Exp[T], axis int, counts ...int) expr.Exp[T] {
	return composed[T]("repeat", Options{Ints: counts, Axes: []int{axis}}, expr.NodeOf(a))
}

// Tri returns 1 on and below the k-th diagonal of a matrix, else 0.
func Tri[T expr.Number](rows, columns, k int) expr.Exp[T] {
	return composed[T]("tri", Options{Ints: []int{rows, columns, k}, To: dtype.Of[T]()})
}

// TriL returns the matrices in the last two axes with zeros above the k-th
// diagonal.
func TriL[T expr.Number](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("tril", Options{Ints: []int{k}}, expr.NodeOf(a))
}

// TriU returns the matrices in the last two axes with zeros below the k-th
// diagonal.
func TriU[T expr.Number](a expr.Exp[T], k int) expr.Exp[T] {
	return composed[T]("triu", Options{Ints: []int{k}}, expr.NodeOf(a))
}

// NaNMean returns the mean over axes of the elements that are not NaN. It is NaN
// if there are none.
func NaNMean[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nanmean", options(opts), expr.NodeOf(a))
}

// NaNVar returns the variance over axes of the elements that are not NaN; see
// [DDof].
func NaNVar[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("nanvar", options(opts), expr.NodeOf(a))
}

// NaNStd returns the square root of NaNVar.
func NaNStd[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("nanstd", options(opts), expr.NodeOf(a))
}

// Round returns a rounded to a number of decimals, ties to even. Negative numbers
// round to tens, hundreds ...
func Round[T expr.Number](a expr.Exp[T], decimals int) expr.Exp[T] {
	return composed[T]("round", Options{Ints: []int{decimals}}, expr.NodeOf(a))
}

// IsClose returns whether |a - b| <= absolute + relative*|b|, or a == b.
func IsClose[T expr.Number](a, b expr.Exp[T], relative, absolute float64) expr.Exp[bool] {
	return composed[bool]("isclose", Options{Numbers: []float64{relative, absolute}}, expr.NodeOf(a), expr.NodeOf(b))
}

// Outer returns the products of all pairs of elements of a and b, as a matrix.
func Outer[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] {
	return composed[T]("outer", Options{}, expr.NodeOf(a), expr.NodeOf(b))
}
