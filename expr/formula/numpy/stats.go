package numpy

import (
	"cmp"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has statistics with masks and weights, and histograms.

// mask returns the argument where as an array of bools in the shape s, or nil.
func (c *call) mask(s shape.Shape) *tree.Node {
	i := c.f.parameter("where")
	if i < 0 || c.isNone(i) || c.args[i].isTrue() {
		return nil
	}
	n := c.array(i)
	stopIf(n.DType() != dtype.Bool, c.args[i].at, tree.ErrType, "where must be an array of bools, not of %v", n.DType())
	if len(n.Shape()) == 0 {
		return n
	}
	return sound(c.args[i].at, untyped.BroadcastTo(n, s))
}

// callMoment returns a mean, a variance or a standard deviation, over the elements where a mask
// holds, and from a mean that is given.
func callMoment(name string, withoutNaN bool) func(c *call) *tree.Node {
	plain := compositionNamed(name)
	return func(c *call) *tree.Node {
		m := c.f.parameter("mean")
		given := m >= 0 && !c.isNone(m)
		a := c.array(0)
		mask := c.mask(a.Shape())
		withoutNaN := withoutNaN && fractional(a.DType()) // integers have no NaN
		if ofParts := withoutNaN && a.DType().IsComplex(); mask == nil && !given && !ofParts {
			return plain(c)
		}
		mask = cmp.Or(mask, truth(true))
		o := c.optionsOf(withoutNaN)
		in := a.DType()
		if given && name[:3] != "nan" {
			in = promoted(c.operand(0), c.operand(m))
		}
		t := cmp.Or(o.To, quotientType(in))
		wide := t.Register()
		if withoutNaN {
			mask = apply("logical_and", mask, apply("logical_not", apply("isnan", a)))
		}
		a = cast(a, wide)
		over := untyped.Options{Axes: o.Axes, Keep: o.Keep}
		kept := over
		kept.Keep = true
		sum := func(n *tree.Node, over untyped.Options) *tree.Node {
			return untyped.Reduce("sum", apply("where", mask, n, number0(n)), over)
		}
		one := untyped.BroadcastTo(tree.ConstInt(wide.Part(), 1), a.Shape())
		count := func(over untyped.Options) *tree.Node { return sum(one, over) }
		if name == "mean" || name == "nanmean" {
			return cast(apply("div", sum(a, over), cast(count(over), wide)), t)
		}
		middle := apply("div", sum(a, kept), cast(count(kept), wide))
		if given {
			middle = c.as(m, wide)
		}
		d := apply("sub", a, middle)
		if wide.IsComplex() {
			d = apply("add", apply("square", apply("real", d)), apply("square", apply("imag", d)))
			if o.To == dtype.Invalid {
				t = d.DType()
			}
		} else {
			d = apply("square", d)
		}
		n := apply("sub", count(over), tree.ConstFloat(d.DType(), o.DDof))
		if n = apply("maximum", n, number0(n)); withoutNaN {
			n = apply("where", apply("equal", n, number0(n)), tree.ConstFloat(n.DType(), math.NaN()), n)
		}
		v := apply("div", sum(d, over), n)
		if name == "std" || name == "nanstd" {
			v = apply("sqrt", v)
		}
		return cast(v, t)
	}
}

// callWithoutNaN is a reduction or a scan of what is not NaN: with v for NaN.
func callWithoutNaN(reduce func(c *call) *tree.Node, v float64) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		a := c.array(0)
		if t := a.DType(); fractional(t) {
			a = apply("where", apply("isnan", a), tree.ConstFloat(t, v), a)
		}
		return c.with(0, valueOf(a), reduce)
	}
}

// callQuantile is a quantile of elements, or of elements that count as much as their weights.
func callQuantile(name string, per float64, withoutNaN bool) func(c *call) *tree.Node {
	plain := compositionNamed(name)
	return func(c *call) *tree.Node {
		const q = 1
		w := c.f.parameter("weights")
		switch {
		case c.isNone(w):
			return plain(c)
		case c.text(c.f.parameter("method")) != "inverted_cdf":
			panic(fail(c.args[w].at, tree.ErrValue, "only the method 'inverted_cdf' has weights"))
		case c.args[q].kind == vSeq:
			return c.each(q, func(c *call) *tree.Node { return c.weightedQuantile(w, c.float(q)/per, withoutNaN) })
		}
		return c.weightedQuantile(w, c.float(q)/per, withoutNaN)
	}
}

// weightedQuantile returns the first of the sorted elements with which the sum of the weights
// reaches the part q of the sum of all.
func (c *call) weightedQuantile(weights int, q float64, withoutNaN bool) *tree.Node {
	a, w := c.array(0), c.as(weights, dtype.F64)
	stopIf(!(q >= 0 && q <= 1), c.args[1].at, tree.ErrValue, "%v is not from 0 to 1", q)
	axes := c.integers(2)
	rank := len(a.Shape())
	if axes == nil {
		axes = lists.UpTo(len(a.Shape()))
	}
	order, err := shape.Order(axes, rank)
	switch {
	case err != nil:
		panic(fail(c.args[2].at, tree.ErrShape, "%s", err))
	case !w.Shape().Equal(a.Shape()) && (c.isNone(2) || len(w.Shape()) != len(order)):
		panic(fail(c.args[weights].at, tree.ErrShape, "weights of shape %v do not belong to the axes of %v", w.Shape(), a.Shape()))
	case !w.Shape().Equal(a.Shape()):
		places := lists.Map(lists.UpTo(rank), func(i int) int { return slices.Index(order, i) })
		w = sound(c.args[weights].at, untyped.BroadcastTo(untyped.Transpose(w, places), a.Shape()))
	}
	dims := a.Shape().Reduce(order, false)
	ends := lists.UpTo(rank)[len(dims):]
	line := func(n *tree.Node) *tree.Node {
		n = untyped.Compose("moveaxis", untyped.Options{Axes: order, Ints: ends}, n)
		return untyped.Reshape(n, append(dims.Clone(), -1))
	}
	a, w = line(a), line(w)
	stopIf(a.Err() != nil || a.Shape()[len(dims)] == 0, c.at, tree.ErrShape, "an empty axis has no quantile")
	if nan := a.DType().IsFloat(); nan && withoutNaN {
		w = apply("where", apply("isnan", a), number0(w), w)
	}
	along := untyped.Options{Axes: []int{-1}}
	at := sound(c.at, untyped.Compose("argsort", along, a))
	a, w = untyped.TakeAlongAxis(a, at, -1), untyped.TakeAlongAxis(w, at, -1)
	sums := untyped.Compose("cumsum", along, w)
	last := untyped.Compose("expand_dims", along, untyped.Index(sums, -1, -1))
	part := apply("div", sums, last)
	below := apply("logical_or", apply("less", part, tree.ConstFloat(dtype.F64, q)), apply("less_equal", part, number0(part)))
	i := untyped.Reduce("sum", cast(below, dtype.I64), untyped.Options{Axes: []int{-1}, Keep: true})
	i = apply("minimum", i, tree.ConstInt(dtype.I64, int64(a.Shape()[len(dims)]-1)))
	v := untyped.TakeAlongAxis(a, i, -1)
	if a.DType().IsFloat() {
		worst := untyped.Compose("expand_dims", along, untyped.Index(a, -1, -1))
		if none := apply("less", number0(last), last); withoutNaN {
			v = apply("where", none, v, worst)
		} else {
			v = apply("where", apply("isnan", worst), worst, v)
		}
	}
	return untyped.Reshape(v, c.array(0).Shape().Reduce(order, c.options().Keep))
}

// first returns the first node with an error, or the last one.
func first(x ...*tree.Node) *tree.Node {
	for _, n := range x {
		if n.Err() != nil {
			return n
		}
	}
	return x[len(x)-1]
}

// edges returns the edges of bins for the elements a: the value bins, a number of equal bins in
// a range, by default from the least element to the greatest, or the edges themselves.
func (c *call) edges(bins, within value, a *tree.Node) *tree.Node {
	if a.DType() == dtype.Bool {
		a = cast(a, dtype.U8)
	}
	stopIf(bins.kind == vString, c.at, tree.ErrUnsupported, "the number of bins of the method %q depends on the elements", bins.str)
	if bins.kind != vScalar {
		n := sound(c.at, item{bins, c.at}.node())
		stopIf(len(n.Shape()) != 1 || n.Shape()[0] < 2, c.at, tree.ErrShape, "bins are a number, or a vector of at least two edges")
		return n
	}
	n, ok := bins.s.Small()
	stopIf(!ok || n < 1 || n > 1<<27, c.at, tree.ErrValue, "%s is no number of bins", bins.describe())
	t := a.DType()
	if !t.IsFloat() {
		t = dtype.F64
	}
	lo, hi := c.limits(within, a)
	in := lo.DType() // NumPy computes with the limits of elements in their type
	if !in.IsFloat() {
		in = dtype.F64
	}
	lo, hi = cast(lo, in), cast(hi, in)
	level := apply("equal", lo, hi)
	half := tree.ConstFloat(in, .5)
	lo, hi = apply("where", level, apply("sub", lo, half), lo), apply("where", level, apply("add", hi, half), hi)
	i := untyped.Iota(n + 1)
	at := apply("add", apply("mul", cast(i, in), apply("div", apply("sub", hi, lo), tree.ConstFloat(in, float64(n)))), lo)
	return sound(c.at, cast(apply("where", apply("equal", i, tree.ConstInt(dtype.I64, int64(n))), hi, at), t))
}

// limits returns the two ends of a range, or for None the least and the greatest element.
func (c *call) limits(within value, a *tree.Node) (lo, hi *tree.Node) {
	switch {
	case within.kind == vSeq && len(within.seq) == 2:
		lo, hi = sound(c.at, within.seq[0].as(dtype.F64)), sound(c.at, within.seq[1].as(dtype.F64))
		if x, y := within.seq[0], within.seq[1]; x.kind == vScalar && y.kind == vScalar {
			from, _ := x.s.Float64()
			to, _ := y.s.Float64()
			width := to - from
			stopIf(width < 0, c.at, tree.ErrValue, "the range ends before it begins")
			stopIf(math.IsInf(width, 0) || math.IsNaN(width), c.at, tree.ErrValue, "the range has no finite width")
		}
		return lo, hi
	case within.kind != vNone:
		panic(fail(c.at, tree.ErrType, "a range is a pair of numbers, not %s", within.describe()))
	case a.Shape().Size() == 0:
		return tree.ConstInt(dtype.F64, 0), tree.ConstInt(dtype.F64, 1)
	}
	return sound(c.at, untyped.Reduce("min", a, untyped.Options{})), sound(c.at, untyped.Reduce("max", a, untyped.Options{}))
}

// bin returns the number of the bin of each element, from 1 on: 0 and one more than there are
// bins lie outside. The last bin has its upper edge.
func bin(a, edges *tree.Node) *tree.Node {
	t := promote(a.DType(), edges.DType())
	a, edges = cast(a, t), cast(edges, t)
	n := edges.Shape()[0] - 1
	at := untyped.Compose("searchsorted", untyped.Options{Text: "right"}, edges, a)
	return apply("where", apply("equal", a, untyped.Index(edges, 0, -1)), tree.ConstInt(dtype.I64, int64(n)), at)
}

// counted returns how many elements, or how much weight, each bin of several axes has. The
// vectors samples have the numbers of the bins. With density the sum of counts times sizes of
// bins is 1.
func (c *call) counted(samples, edges []*tree.Node, weights *tree.Node, density bool) *tree.Node {
	n := c.binned(samples, edges, weights)
	if !density {
		return n
	}
	n = cast(n, dtype.F64)
	total := untyped.Reduce("sum", n, untyped.Options{})
	for i, e := range edges {
		d := cast(untyped.Compose("diff", untyped.Options{}, e, nil, nil), dtype.F64)
		sizes := slices.Repeat([]int{1}, len(edges))
		sizes[i] = d.Shape().Size()
		n = apply("div", n, untyped.Reshape(d, sizes))
	}
	return apply("div", n, total)
}

// leastSorted is the number of given edges from which on a sort of the elements takes less time than a search for each. Among the edges of
// equal bins a search takes less time.
const leastSorted = 33

// binned returns how many samples each bin has, or the sums of their weights.
func (c *call) binned(samples, edges []*tree.Node, weights *tree.Node) *tree.Node {
	n, given := edges[0].Shape()[0], c.args[1].value.kind != vScalar
	if many := given && n >= leastSorted && n <= samples[0].Shape()[0]; many && len(samples) == 1 && weights == nil {
		return sound(c.at, binnedBySort(samples[0], edges[0]))
	}
	var at *tree.Node
	dims, spans := []int{}, make([]op.Span, len(edges))
	for i, x := range samples {
		n := edges[i].Shape()[0] + 1
		dims, spans[i] = append(dims, n), op.Range(1, n-1)
		k := bin(x, edges[i])
		if at == nil {
			at = k
		} else {
			at = apply("add", apply("mul", at, tree.ConstInt(dtype.I64, int64(n))), k)
		}
	}
	all, err := shape.New(dims...)
	stopIf(err != nil, c.at, tree.ErrShape, "%s", err)
	by := cmp.Or(weights, tree.ConstInt(dtype.I64, 1))
	counts := untyped.Scatter("bincount", at, by, nil, 0, []int{all.Size()})
	return sound(c.at, untyped.Slice(untyped.Reshape(counts, dims), spans))
}

// binnedBySort returns how many elements of a vector each bin has. The last one has its upper edge.
func binnedBySort(a, edges *tree.Node) *tree.Node {
	t := promote(a.DType(), edges.DType())
	a = untyped.Compose("sort", untyped.Options{Axes: []int{0}}, cast(a, t))
	part := func(side string, s shape.Slice) *tree.Node {
		return untyped.Compose("searchsorted", untyped.Options{Text: side}, a, untyped.Slice(cast(edges, t), []shape.Slice{s}))
	}
	below := untyped.Concat(0, []*tree.Node{part("left", shape.Until(-1)), part("right", shape.From(-1))})
	return untyped.Compose("diff", untyped.Options{}, below, nil, nil)
}

// truthOf returns argument i as a bool; None is false.
func (c *call) truthOf(i int) bool { return !c.isNone(i) && c.args[i].s.Truth() }

// callHistogram returns the counts, or densities, of the elements in bins, and the edges.
func callHistogram(c *call) value {
	const bins, within, density, weights = 1, 2, 3, 4
	a := c.array(0)
	edges := c.edges(c.args[bins].value, c.args[within].value, a)
	var w *tree.Node
	if !c.isNone(weights) {
		w = c.array(weights)
		stopIf(!w.Shape().Equal(a.Shape()), c.at, tree.ErrShape, "weights of shape %v do not fit elements of shape %v", w.Shape(), a.Shape())
		w = flat(w)
	}
	n := c.counted([]*tree.Node{flat(a)}, []*tree.Node{edges}, w, c.truthOf(density))
	return c.several(n, edges)
}

// callHistogramND returns the counts in a grid of bins, and the edges along each axis: for
// two vectors x and y, or for a matrix with a sample in each row or a list of vectors.
func callHistogramND(c *call) value {
	two := c.at.Text == "histogram2d"
	k := 1
	var samples []*tree.Node
	switch x := c.args[0]; {
	case two:
		k, samples = 2, []*tree.Node{c.array(0), c.array(1)}
	case x.kind == vSeq:
		samples = c.arrays()
	default:
		n := c.array(0)
		stopIf(len(n.Shape()) > 2 || len(n.Shape()) == 0, c.at, tree.ErrShape, "a sample is a row of a matrix")
		if len(n.Shape()) == 1 {
			n = untyped.Reshape(n, []int{-1, 1})
		}
		samples = lists.Make(min(n.Shape()[1], maxParts), func(i int) *tree.Node { return untyped.Index(n, 1, i) })
	}
	stopIf(len(samples) == 0, c.at, tree.ErrShape, "%s takes at least one sample", c.at.Text)
	var t dtype.Type // NumPy makes one array of all samples
	for _, x := range samples {
		t = promote(t, x.DType())
	}
	samples = lists.Map(samples, func(x *tree.Node) *tree.Node { return sound(c.at, cast(x, t)) })
	bins, within, density, weights := c.args[k].value, c.args[k+1].value, k+2, k+3
	edges := make([]*tree.Node, len(samples))
	for i, x := range samples {
		stopIf(len(x.Shape()) != 1 || !x.Shape().Equal(samples[0].Shape()), c.at, tree.ErrShape, "samples are vectors of one size, not of shapes %v and %v", samples[0].Shape(), x.Shape())
		b, r := bins, within
		if r.kind == vSeq {
			stopIf(len(r.seq) != len(samples), c.at, tree.ErrShape, "%d ranges do not fit %d axes", len(r.seq), len(samples))
			r = r.seq[i]
		}
		if b.kind == vSeq && (!two || len(b.seq) <= 2) { // for each axis
			stopIf(len(b.seq) != len(samples), c.at, tree.ErrShape, "%d bins do not fit %d axes", len(b.seq), len(samples))
			b = b.seq[i]
		}
		edges[i] = c.edges(b, r, x)
	}
	var w *tree.Node
	if !c.isNone(weights) {
		w = c.as(weights, dtype.F64)
		stopIf(!w.Shape().Equal(samples[0].Shape()), c.at, tree.ErrShape, "weights of shape %v do not fit samples of shape %v", w.Shape(), samples[0].Shape())
	}
	n := cast(c.counted(samples, edges, w, c.truthOf(density)), dtype.F64)
	if two {
		return c.several(n, edges[0], edges[1])
	}
	list := c.several(edges...)
	return sequence([]value{valueOf(sound(c.at, n)), list})
}

// callUnwrap computes integers with an integer period in integers.
func callUnwrap(c *call) *tree.Node {
	const period = 3
	p := c.array(0)
	t := promoted(valueOf(p), c.args[period].value)
	return rounded(untyped.Compose("unwrap", c.options(), cast(p, t)))
}

// callAngle returns the angle in radians or degrees.
func callAngle(c *call) *tree.Node {
	o, _ := untyped.Lookup("angle")
	alone := *c
	alone.args = c.args[:1]
	n := sound(c.at, elementwise(o)(&alone))
	if !c.args[1].s.Truth() {
		return n
	}
	return apply("mul", n, tree.ConstFloat(n.DType(), 180/math.Pi))
}
