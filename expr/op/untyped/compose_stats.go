package untyped

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of statistics, sampled functions and
// comparisons of whole arrays.

// weighted returns the mean of x[0] with the weights x[1], which may be nil.
func weighted(o Options, x ...*tree.Node) *tree.Node {
	if x[1] == nil {
		return mean(o, x[0])
	}
	w := o.weights(x[0], x[1])
	return Call("div", Reduce("sum", Call("mul", x[0], w), o), Reduce("sum", w, o))
}

// weights returns w in the shape of a. Otherwise w has the shape of the axes of the options.
func (o Options) weights(a, w *tree.Node) *tree.Node {
	if w.Shape().Equal(a.Shape()) {
		return w
	}
	axes, err := shape.Order(o.Axes, len(a.Shape()))
	stopIf(err != nil || len(axes) == 0 || len(axes) != len(w.Shape()), misshapen, "weights of shape %v do not belong to the axes %v of %v", w.Shape(), o.Axes, a.Shape())
	places := make([]int, len(a.Shape()))
	for i := range places {
		places[i] = slices.Index(axes, i)
		if k := places[i]; k >= 0 && w.Shape()[k] != a.Shape()[i] {
			return misshapen("%d weights do not fit an axis of size %d", w.Shape()[k], a.Shape()[i])
		}
	}
	return BroadcastTo(Transpose(w, places), a.Shape())
}

// vectorAlong returns a vector as an array of a rank whose other axes have size 1.
func vectorAlong(v *tree.Node, axis, rank int) *tree.Node {
	dims := ones(rank)
	dims[axis] = v.Shape().Size()
	return Reshape(v, dims)
}

// variables returns a matrix with variables in rows and observations in columns. If
// o.Ints[0] is 0, rows and columns of a are exchanged. A vector is one variable.
func (o Options) variables(a *tree.Node) *tree.Node {
	switch rank := len(a.Shape()); {
	case rank > 2:
		return misshapen("a value of rank %d has no variables in rows", rank)
	case rank < 2:
		return Reshape(a, []int{1, a.Shape().Size()})
	case o.int(0, 1) == 0:
		return Permute(a, nil)
	}
	return a
}

// covariance has the variables of x[0] and of x[1], which may be nil. The divisor is the
// number of observations less o.DDof, at least 0. x[2] says how often each observation
// counts, and x[3] how much; both may be nil.
func covariance(o Options, x ...*tree.Node) *tree.Node {
	a := sound(o.variables(x[0]))
	if x[1] != nil {
		more := sound(o.variables(x[1]))
		stopIf(more.Shape()[1] != a.Shape()[1], misshapen, "%d and %d observations differ", a.Shape()[1], more.Shape()[1])
		a = sound(Concat(0, []*tree.Node{a, more}))
	}
	n := a.Shape()[1]
	for _, w := range x[2:] {
		stopIf(w != nil && !w.Shape().Equal(shape.Shape{n}), misshapen, "weights of shape %v do not fit %d observations", w.Shape(), n)
	}
	by, w := like(a, max(float64(n)-o.DDof, 0)), x[2]
	if more := x[3]; w == nil {
		w = more
	} else if more != nil {
		w = Call("mul", w, more)
	}
	if w == nil {
		a = Call("sub", a, average(Options{Axes: []int{1}, Keep: true}, a))
		return squeezeSingle(Call("div", MatMul(a, conjugate(Permute(a, nil))), by))
	}
	sum := Reduce("sum", w, Options{})
	free := like(a, o.DDof)
	if x[3] != nil {
		free = Call("div", Call("mul", free, Reduce("sum", Call("mul", w, x[3]), Options{})), sum)
	}
	by = Call("real", Call("sub", sum, free))
	by = Cast(Call("maximum", by, like(by, 0)), a.DType())
	a = Call("sub", a, weighted(Options{Axes: []int{1}, Keep: true}, a, w))
	return squeezeSingle(Call("div", MatMul(Call("mul", a, w), conjugate(Permute(a, nil))), by))
}

// squeezeSingle returns a matrix, or the element of one with a single element.
func squeezeSingle(c *tree.Node) *tree.Node {
	if c.Err() == nil && c.Shape().Size() == 1 {
		return Reshape(c, nil)
	}
	return c
}

func correlation(o Options, x ...*tree.Node) *tree.Node {
	o.DDof = 1
	c := sound(covariance(o, x[0], x[1], nil, nil))
	if len(c.Shape()) == 0 {
		return Call("div", c, c)
	}
	scaled := func(c, d *tree.Node) *tree.Node {
		c = Call("div", Call("div", c, withAxis(d, 1)), d)
		return Call("clip", c, like(c, -1), like(c, 1))
	}
	if c.DType().IsComplex() {
		re, im := Call("real", c), Call("imag", c)
		d := Call("sqrt", diagonal(Options{}, re))
		return Complex(scaled(re, d), scaled(im, d))
	}
	return scaled(c, Call("sqrt", diagonal(Options{}, c)))
}

// trapezoid integrates x[0] at the positions x[1], or at distances o.Numbers[0].
func trapezoid(o Options, x ...*tree.Node) *tree.Node {
	y, rank := x[0], len(x[0].Shape())
	axis := o.axis(-1, rank)
	upper := func(a *tree.Node) *tree.Node { return cut(a, axis, shape.From(1)) }
	lower := func(a *tree.Node) *tree.Node { return cut(a, axis, shape.Until(-1)) }
	d := like(y, o.number(1))
	if at := x[1]; at != nil {
		if len(at.Shape()) == 1 {
			at = vectorAlong(at, axis, rank)
		}
		stopIf(len(at.Shape()) != rank, misshapen, "positions of shape %v do not fit values of shape %v", at.Shape(), y.Shape())
		d = Call("sub", upper(at), lower(at))
	}
	y = Call("mul", d, Call("add", upper(y), lower(y)))
	return Reduce("sum", Call("div", y, like(y, 2)), Options{Axes: []int{axis}})
}

// slope returns central differences inside, and one-sided ones at both ends. Samples are at
// distances o.Numbers[0], or x[1] if that is a number, or at the coordinates x[1].
func slope(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	stopIf(o.Axes == nil && len(a.Shape()) != 1, misshapen, "a value of rank %d has a gradient along each axis; name one", len(a.Shape()))
	axis := o.axis(0, len(a.Shape()))
	n, order := a.Shape()[axis], o.int(0, 1)
	switch {
	case order != 1 && order != 2:
		return misshapen("edge_order is 1 or 2, not %d", order)
	case n < order+1:
		return misshapen("an axis of size %d has no gradient of edge_order %d", n, order)
	}
	part := func(s shape.Slice) *tree.Node { return cut(a, axis, s) }
	apart := func(upper, lower shape.Slice) *tree.Node { return Call("sub", part(upper), part(lower)) }
	gap := func(int) *tree.Node { return like(a, o.number(1)) } // between sample i and the next; i may count from the end
	inner := Call("div", apart(shape.From(2), shape.Until(-2)), Call("mul", gap(0), like(a, 2)))
	switch at := x[1]; {
	case at == nil:
	case len(at.Shape()) == 0:
		gap = func(int) *tree.Node { return at }
		inner = Call("div", apart(shape.From(2), shape.Until(-2)), Call("mul", at, like(a, 2)))
	case len(at.Shape()) != 1 || at.Shape()[0] != n:
		return misshapen("coordinates of shape %v do not fit an axis of size %d", at.Shape(), n)
	default:
		d := vectorAlong(Call("sub", cut(at, 0, shape.From(1)), cut(at, 0, shape.Until(-1))), axis, len(a.Shape()))
		between := func(s shape.Slice) *tree.Node { return cut(d, axis, s) }
		gap = func(i int) *tree.Node { return between(shape.Range((i+n-1)%(n-1), (i+n-1)%(n-1)+1)) }
		inner = unevenSlope(between(shape.Until(-1)), between(shape.From(1)), part(shape.Until(-2)), part(shape.Range(1, -1)), part(shape.From(2)))
	}
	first := Call("div", apart(shape.Range(1, 2), shape.Range(0, 1)), gap(0))
	last := Call("div", apart(shape.From(-1), shape.Range(-2, -1)), gap(-1))
	if order == 2 {
		first = beyond(first, Call("div", apart(shape.Range(2, 3), shape.Range(1, 2)), gap(1)), gap(0), gap(1))
		last = beyond(last, Call("div", apart(shape.Range(-2, -1), shape.Range(-3, -2)), gap(-2)), gap(-1), gap(-2))
	}
	parts := []*tree.Node{first}
	if n > 2 {
		parts = append(parts, inner)
	}
	return Concat(axis, append(parts, last))
}

// unevenSlope returns the slope at the middle one of three samples, of which before and after
// are the distances: of second order.
func unevenSlope(before, after, low, middle, high *tree.Node) *tree.Node {
	both := Call("add", before, after)
	a := Call("neg", Call("div", after, Call("mul", before, both)))
	b := Call("div", Call("sub", after, before), Call("mul", before, after))
	c := Call("div", before, Call("mul", after, both))
	return Call("add", Call("add", Call("mul", a, low), Call("mul", b, middle)), Call("mul", c, high))
}

// beyond returns the slope at the end, from the slopes of the first two distances d and e.
func beyond(near, far, d, e *tree.Node) *tree.Node {
	share := Call("div", d, Call("add", d, e))
	return Call("add", near, Call("mul", share, Call("sub", near, far)))
}

// interpolate finds the last of the positions x[1] that is not above each
// element, by bisection, and goes from its value along the line to the next.
func interpolate(o Options, x ...*tree.Node) *tree.Node {
	a, at, values := x[0], x[1], x[2]
	stopIf(len(at.Shape()) != 1 || !at.Shape().Equal(values.Shape()) || at.Shape().Size() == 0, misshapen, "positions of shape %v and values of shape %v are no table", at.Shape(), values.Shape())
	if len(o.Numbers) > 0 {
		stopIf(o.Numbers[0] == 0, wrong, "a period is not 0")
		a, at, values = cycle(math.Abs(o.Numbers[0]), a, at, values)
		x = []*tree.Node{a, at, values, nil, nil}
	}
	n := at.Shape().Size()
	number := func(v int) *tree.Node { return tree.ConstInt(dtype.I64, int64(v)) }
	last := number(n - 1)
	item := func(of, i *tree.Node) *tree.Node { return takeInside(of, i, 0) }
	i := Call("clip", Call("sub", places(at, a, 1), number(1)), number(0), last)
	next := Call("minimum", Call("add", i, number(1)), last)
	left, from, right, to := item(at, i), item(values, i), item(at, next), item(values, next)
	end := Call("equal", i, last)
	run := Call("where", end, like(at, 1), Call("sub", right, left)) // not 0: 0/0 would make the gradient NaN
	rise := Call("div", Call("sub", to, from), run)
	along := func(at, value *tree.Node) *tree.Node {
		return Call("add", Call("mul", rise, Call("sub", a, at)), value)
	}
	choose := func(y, other *tree.Node) *tree.Node { return Call("where", Call("isnan", y), other, y) }
	// A value may be infinite. Then the other end decides, or the value at the place or at both ends.
	known := Call("logical_or", Call("equal", a, left), Call("equal", from, to))
	level := Call("where", known, from, tree.ConstFloat(a.DType(), math.NaN()))
	y := choose(along(left, from), choose(along(right, to), level))
	outside := Call("logical_or", Call("less_equal", a, item(at, number(0))), end)
	y = Call("where", outside, from, y)
	if x[3] != nil {
		y = Call("where", Call("less", a, item(at, number(0))), x[3], y)
	}
	if x[4] != nil {
		y = Call("where", Call("less", item(at, last), a), x[4], y)
	}
	return Call("where", Call("isnan", a), a, y)
}

// cycle returns positions modulo a period, and the table in the order of such positions, with its last
// point before the first and its first one after the last.
func cycle(period float64, a, at, values *tree.Node) (_, _, _ *tree.Node) {
	by := like(at, period)
	at = Call("mod", at, by)
	order := With("argsort", []int{0}, nil, at)
	at, values = Take(at, order, 0), Take(values, order, 0)
	first := func(a *tree.Node) *tree.Node { return cut(a, 0, shape.Until(1)) }
	last := func(a *tree.Node) *tree.Node { return cut(a, 0, shape.From(-1)) }
	table := []*tree.Node{Call("sub", last(at), by), at, Call("add", first(at), by)}
	return Call("mod", a, by), Concat(0, table), Concat(0, []*tree.Node{last(values), values, first(values)})
}

func allClose(o Options, x ...*tree.Node) *tree.Node {
	return Reduce("all", isClose(o, x...), Options{})
}

// arrayEqual is false for arrays of different shapes.
func arrayEqual(o Options, x ...*tree.Node) *tree.Node {
	if !x[0].Shape().Equal(x[1].Shape()) {
		return tree.ConstInt(dtype.Bool, 0)
	}
	return Reduce("all", o.same(x[0], x[1]), Options{})
}

// arrayEquivalent is false for arrays of shapes that do not broadcast.
func arrayEquivalent(_ Options, x ...*tree.Node) *tree.Node {
	same := Call("equal", x[0], x[1])
	if same.Err() != nil {
		return tree.ConstInt(dtype.Bool, 0)
	}
	return Reduce("all", same, Options{})
}
