package op

import (
	"math"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of statistics, sampled functions and
// comparisons of whole arrays.

func nanProd(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	if a.DType().IsFloat() {
		a = call("where", call("isnan", a), like(a, 1), a)
	}
	return ReduceNode("prod", a, o)
}

// weighted returns the mean of x[0] with the weights x[1], which may be nil.
func weighted(o Options, x ...*tree.Node) *tree.Node {
	if x[1] == nil {
		return mean(o, x[0])
	}
	w := o.weights(x[0], x[1])
	return call("div", ReduceNode("sum", call("mul", x[0], w), o), ReduceNode("sum", w, o))
}

// weights returns w in the shape of a. Otherwise w has the shape of the axes of the options.
func (o Options) weights(a, w *tree.Node) *tree.Node {
	if w.Shape().Equal(a.Shape()) {
		return w
	}
	axes, err := shape.Order(o.Axes, len(a.Shape()))
	if err != nil || len(axes) == 0 || len(axes) != len(w.Shape()) {
		return misshapen("weights of shape %v do not belong to the axes %v of %v", w.Shape(), o.Axes, a.Shape())
	}
	places := make([]int, len(a.Shape()))
	for i := range places {
		places[i] = slices.Index(axes, i)
		if k := places[i]; k >= 0 && w.Shape()[k] != a.Shape()[i] {
			return misshapen("%d weights do not fit an axis of size %d", w.Shape()[k], a.Shape()[i])
		}
	}
	return BroadcastToNode(TransposeNode(w, places), a.Shape())
}

// vectorAlong returns a vector as an array of a rank whose other axes have size 1.
func vectorAlong(v *tree.Node, axis, rank int) *tree.Node {
	dims := make([]int, rank)
	for i := range dims {
		dims[i] = 1
	}
	dims[axis] = v.Shape().Size()
	return ReshapeNode(v, dims)
}

// variables returns a matrix with variables in rows and observations in columns. If
// o.Ints[0] is 0, rows and columns of a are exchanged. A vector is one variable.
func (o Options) variables(a *tree.Node) *tree.Node {
	switch rank := len(a.Shape()); {
	case rank > 2:
		return misshapen("a value of rank %d has no variables in rows", rank)
	case rank < 2:
		return ReshapeNode(a, []int{1, a.Shape().Size()})
	case o.int(0, 1) == 0:
		return PermuteNode(a, nil)
	}
	return a
}

// covariance has the variables of x[0] and of x[1], which may be nil. The divisor is the
// number of observations less o.DDof, at least 0. x[2] says how often each observation
// counts, and x[3] how much; both may be nil.
func covariance(o Options, x ...*tree.Node) *tree.Node {
	a := o.variables(x[0])
	if x[1] != nil && a.Err() == nil {
		more := o.variables(x[1])
		if more.Err() == nil && more.Shape()[1] != a.Shape()[1] {
			return misshapen("%d and %d observations differ", a.Shape()[1], more.Shape()[1])
		}
		a = ConcatNode(0, []*tree.Node{a, more})
	}
	if a.Err() != nil {
		return a
	}
	n := a.Shape()[1]
	for _, w := range x[2:] {
		if w != nil && !w.Shape().Equal(shape.Shape{n}) {
			return misshapen("weights of shape %v do not fit %d observations", w.Shape(), n)
		}
	}
	by, w := like(a, max(float64(n)-float64(o.DDof), 0)), x[2]
	if more := x[3]; w == nil {
		w = more
	} else if more != nil {
		w = call("mul", w, more)
	}
	if w == nil {
		a = call("sub", a, average(Options{Axes: []int{1}, Keep: true}, a))
		return squeezeSingle(call("div", MatMulNode(a, PermuteNode(a, nil)), by))
	}
	sum := ReduceNode("sum", w, Options{})
	free := like(a, float64(o.DDof))
	if x[3] != nil {
		free = call("div", call("mul", free, ReduceNode("sum", call("mul", w, x[3]), Options{})), sum)
	}
	by = call("maximum", call("sub", sum, free), like(a, 0))
	a = call("sub", a, weighted(Options{Axes: []int{1}, Keep: true}, a, w))
	return squeezeSingle(call("div", MatMulNode(call("mul", a, w), PermuteNode(a, nil)), by))
}

// squeezeSingle returns a matrix, or the element of one with a single element.
func squeezeSingle(c *tree.Node) *tree.Node {
	if c.Err() == nil && c.Shape().Size() == 1 {
		return ReshapeNode(c, nil)
	}
	return c
}

func correlation(o Options, x ...*tree.Node) *tree.Node {
	o.DDof = 1
	c := covariance(o, x[0], x[1], nil, nil)
	if c.Err() != nil {
		return c
	}
	if len(c.Shape()) == 0 {
		return call("div", c, c)
	}
	d := call("sqrt", diagonal(Options{}, c))
	c = call("div", call("div", c, newAxes(Options{Axes: []int{1}}, d)), d)
	return call("clip", c, like(c, -1), like(c, 1))
}

// trapezoid integrates x[0] at the positions x[1], or at distances o.Numbers[0].
func trapezoid(o Options, x ...*tree.Node) *tree.Node {
	y, rank := x[0], len(x[0].Shape())
	axis, err := o.axis(-1, rank)
	if err != nil {
		return misshapen("%s", err)
	}
	upper, lower := make([]Span, axis+1), make([]Span, axis+1)
	upper[axis], lower[axis] = From(1), Until(-1)
	d := like(y, 1)
	if len(o.Numbers) > 0 {
		d = like(y, o.Numbers[0])
	}
	if at := x[1]; at != nil {
		if len(at.Shape()) == 1 {
			at = vectorAlong(at, axis, rank)
		}
		if len(at.Shape()) != rank {
			return misshapen("positions of shape %v do not fit values of shape %v", at.Shape(), y.Shape())
		}
		d = call("sub", SliceNode(at, upper), SliceNode(at, lower))
	}
	y = call("mul", d, call("add", SliceNode(y, upper), SliceNode(y, lower)))
	return ReduceNode("sum", call("div", y, like(y, 2)), Options{Axes: []int{axis}})
}

// slope returns central differences inside, and one-sided ones at both ends. Samples are at
// distances o.Numbers[0], or x[1] if that is a number, or at the coordinates x[1].
func slope(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	if o.Axes == nil && len(a.Shape()) != 1 {
		return misshapen("a value of rank %d has a gradient along each axis; name one", len(a.Shape()))
	}
	axis, err := o.axis(0, len(a.Shape()))
	if err != nil {
		return misshapen("%s", err)
	}
	n, order := a.Shape()[axis], o.int(0, 1)
	switch {
	case order != 1 && order != 2:
		return misshapen("edge_order is 1 or 2, not %d", order)
	case n < order+1:
		return misshapen("an axis of size %d has no gradient of edge_order %d", n, order)
	}
	part := func(s Span) *tree.Node {
		spans := make([]Span, axis+1)
		spans[axis] = s
		return SliceNode(a, spans)
	}
	apart := func(upper, lower Span) *tree.Node { return call("sub", part(upper), part(lower)) }
	gap := func(int) *tree.Node { return like(a, 1) } // between sample i and the next; i may count from the end
	if len(o.Numbers) > 0 {
		gap = func(int) *tree.Node { return like(a, o.Numbers[0]) }
	}
	inner := call("div", apart(From(2), Until(-2)), call("mul", gap(0), like(a, 2)))
	switch at := x[1]; {
	case at == nil:
	case len(at.Shape()) == 0:
		gap = func(int) *tree.Node { return at }
		inner = call("div", apart(From(2), Until(-2)), call("mul", at, like(a, 2)))
	case len(at.Shape()) != 1 || at.Shape()[0] != n:
		return misshapen("coordinates of shape %v do not fit an axis of size %d", at.Shape(), n)
	default:
		d := vectorAlong(call("sub", SliceNode(at, []Span{From(1)}), SliceNode(at, []Span{Until(-1)})), axis, len(a.Shape()))
		between := func(s Span) *tree.Node {
			spans := make([]Span, axis+1)
			spans[axis] = s
			return SliceNode(d, spans)
		}
		gap = func(i int) *tree.Node { return between(Range((i+n-1)%(n-1), (i+n-1)%(n-1)+1)) }
		inner = unevenSlope(between(Until(-1)), between(From(1)), part(Until(-2)), part(Range(1, -1)), part(From(2)))
	}
	first := call("div", apart(Range(1, 2), Range(0, 1)), gap(0))
	last := call("div", apart(From(-1), Range(-2, -1)), gap(-1))
	if order == 2 {
		first = beyond(first, call("div", apart(Range(2, 3), Range(1, 2)), gap(1)), gap(0), gap(1))
		last = beyond(last, call("div", apart(Range(-2, -1), Range(-3, -2)), gap(-2)), gap(-1), gap(-2))
	}
	parts := []*tree.Node{first}
	if n > 2 {
		parts = append(parts, inner)
	}
	return ConcatNode(axis, append(parts, last))
}

// unevenSlope returns the slope at the middle one of three samples, of which before and after
// are the distances: of second order.
func unevenSlope(before, after, low, middle, high *tree.Node) *tree.Node {
	both := call("add", before, after)
	a := call("neg", call("div", after, call("mul", before, both)))
	b := call("div", call("sub", after, before), call("mul", before, after))
	c := call("div", before, call("mul", after, both))
	return call("add", call("add", call("mul", a, low), call("mul", b, middle)), call("mul", c, high))
}

// beyond returns the slope at the end, from the slopes of the first two distances d and e.
func beyond(near, far, d, e *tree.Node) *tree.Node {
	share := call("div", d, call("add", d, e))
	return call("add", near, call("mul", share, call("sub", near, far)))
}

// interpolate finds the last of the positions x[1] that is not above each
// element, by bisection, and goes from its value along the line to the next.
func interpolate(o Options, x ...*tree.Node) *tree.Node {
	a, at, values := x[0], x[1], x[2]
	if len(at.Shape()) != 1 || !at.Shape().Equal(values.Shape()) || at.Shape().Size() == 0 {
		return misshapen("positions of shape %v and values of shape %v are no table", at.Shape(), values.Shape())
	}
	if len(o.Numbers) > 0 {
		if o.Numbers[0] == 0 {
			return tree.Errorf(tree.ErrValue, "", "a period is not 0")
		}
		a, at, values = cycle(math.Abs(o.Numbers[0]), a, at, values)
		x = []*tree.Node{a, at, values, nil, nil}
	}
	n := at.Shape().Size()
	number := func(v int) *tree.Node { return tree.ConstInt(dtype.I64, int64(v)) }
	last := number(n - 1)
	item := func(of, i *tree.Node) *tree.Node { return TakeNode(of, i, 0) }
	i := BroadcastToNode(number(0), a.Shape())
	for step := 1 << max(bits.Len(uint(n-1))-1, 0); step > 0; step /= 2 {
		next := call("minimum", call("add", i, number(step)), last)
		i = call("where", call("less_equal", item(at, next), a), next, i)
	}
	next := call("minimum", call("add", i, number(1)), last)
	left, from, right, to := item(at, i), item(values, i), item(at, next), item(values, next)
	rise := call("div", call("sub", to, from), call("sub", right, left))
	along := func(at, value *tree.Node) *tree.Node {
		return call("add", call("mul", rise, call("sub", a, at)), value)
	}
	choose := func(y, other *tree.Node) *tree.Node { return call("where", call("isnan", y), other, y) }
	// A value may be infinite. Then the other end decides, or the value at the place or at both ends.
	known := call("logical_or", call("equal", a, left), call("equal", from, to))
	level := call("where", known, from, tree.ConstFloat(a.DType(), math.NaN()))
	y := choose(along(left, from), choose(along(right, to), level))
	outside := call("logical_or", call("less_equal", a, item(at, number(0))), call("equal", i, last))
	y = call("where", outside, from, y)
	if x[3] != nil {
		y = call("where", call("less", a, item(at, number(0))), x[3], y)
	}
	if x[4] != nil {
		y = call("where", call("less", item(at, last), a), x[4], y)
	}
	return call("where", call("isnan", a), a, y)
}

// cycle brings positions into one period, and returns the table in order, with its last point
// before the first and its first one after the last.
func cycle(period float64, a, at, values *tree.Node) (_, _, _ *tree.Node) {
	by := like(at, period)
	at = call("mod", at, by)
	order := makeRow("argsort", []int{0}, nil, at)
	at, values = TakeNode(at, order, 0), TakeNode(values, order, 0)
	first, last := []Span{Until(1)}, []Span{From(-1)}
	table := []*tree.Node{call("sub", SliceNode(at, last), by), at, call("add", SliceNode(at, first), by)}
	return call("mod", a, by), ConcatNode(0, table), ConcatNode(0, []*tree.Node{SliceNode(values, last), values, SliceNode(values, first)})
}

func allClose(o Options, x ...*tree.Node) *tree.Node {
	return ReduceNode("all", isClose(o, x...), Options{})
}

// arrayEqual is false for arrays of different shapes.
func arrayEqual(o Options, x ...*tree.Node) *tree.Node {
	if !x[0].Shape().Equal(x[1].Shape()) {
		return tree.ConstInt(dtype.Bool, 0)
	}
	return ReduceNode("all", o.same(x[0], x[1]), Options{})
}

// arrayEquivalent is false for arrays of shapes that do not broadcast.
func arrayEquivalent(_ Options, x ...*tree.Node) *tree.Node {
	same := call("equal", x[0], x[1])
	if same.Err() != nil {
		return tree.ConstInt(dtype.Bool, 0)
	}
	return ReduceNode("all", same, Options{})
}

// NaNProd returns the product over axes of the elements that are not NaN.
func NaNProd[T expr.Number](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nanprod", options(opts), expr.NodeOf(a))
}

// Average returns the mean over axes with weights: an array of the shape of a, or of the
// shape of the axes. Without weights, nil, it is the mean.
func Average[T expr.Float](a, weights expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("average", options(opts), expr.NodeOf(a), optional(weights))
}

// optional returns the tree of an operand that may be nil.
func optional[T expr.Elem](a expr.Exp[T]) *tree.Node {
	if a == nil {
		return nil
	}
	return expr.NodeOf(a)
}

// Cov returns the covariances of variables in rows, observed in columns. The
// divisor is the number of observations less ddof.
func Cov[T expr.Float](a expr.Exp[T], ddof int) expr.Exp[T] {
	return composed[T]("cov", Options{DDof: ddof}, expr.NodeOf(a), nil, nil, nil)
}

// CovWeights is [Cov] of observations that count as often as frequencies say, and as much as
// weights. One of them may be nil.
func CovWeights[T expr.Float](a, frequencies, weights expr.Exp[T], ddof int) expr.Exp[T] {
	return composed[T]("cov", Options{DDof: ddof}, expr.NodeOf(a), nil, optional(frequencies), optional(weights))
}

// CorrCoef returns the correlation coefficients of variables in rows, observed
// in columns.
func CorrCoef[T expr.Float](a expr.Exp[T]) expr.Exp[T] {
	return composed[T]("corrcoef", Options{}, expr.NodeOf(a), nil)
}

// Trapezoid returns the integral of y along an axis by the trapezoidal rule, for
// samples at distances dx.
func Trapezoid[T expr.Float](y expr.Exp[T], dx float64, axis int) expr.Exp[T] {
	return composed[T]("trapezoid", Options{Numbers: []float64{dx}, Axes: []int{axis}}, expr.NodeOf(y), nil)
}

// Gradient returns central differences along an axis, for samples at distances
// dx. At both ends it returns the differences from the neighbour.
func Gradient[T expr.Float](a expr.Exp[T], dx float64, axis int) expr.Exp[T] {
	return composed[T]("gradient", Options{Numbers: []float64{dx}, Axes: []int{axis}}, expr.NodeOf(a), nil)
}

// GradientAt is [Gradient] for samples at coordinates, one for each element of the axis. Inside
// the differences are of second order also where the distances differ.
func GradientAt[T expr.Float](a, at expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("gradient", Options{Axes: []int{axis}}, expr.NodeOf(a), expr.NodeOf(at))
}

// Interp returns the values at x of the polygon through the points (at[i],
// values[i]). The positions at must increase. Outside of them it returns the
// first and the last value.
func Interp[T expr.Float](x, at, values expr.Exp[T]) expr.Exp[T] {
	return composed[T]("interp", Options{}, expr.NodeOf(x), expr.NodeOf(at), expr.NodeOf(values), nil, nil)
}

// InterpPeriodic is [Interp] for positions on a circle: a position counts less multiples of the
// period, which is not 0. The positions at have any order.
func InterpPeriodic[T expr.Float](x, at, values expr.Exp[T], period float64) expr.Exp[T] {
	return composed[T]("interp", Options{Numbers: []float64{period}}, expr.NodeOf(x), expr.NodeOf(at), expr.NodeOf(values), nil, nil)
}

// AllClose returns whether IsClose holds for all elements.
func AllClose[T expr.Number](a, b expr.Exp[T], relative, absolute float64) expr.Exp[bool] {
	return composed[bool]("allclose", Options{Numbers: []float64{relative, absolute}}, expr.NodeOf(a), expr.NodeOf(b))
}

// ArrayEqual returns whether a and b have one shape and equal elements.
func ArrayEqual[T expr.Elem](a, b expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("array_equal", Options{}, expr.NodeOf(a), expr.NodeOf(b))
}

// ArrayEquiv returns whether a and b broadcast to arrays with equal elements.
func ArrayEquiv[T expr.Elem](a, b expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("array_equiv", Options{}, expr.NodeOf(a), expr.NodeOf(b))
}
