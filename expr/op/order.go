package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of sorts, searches and scatters.

// ordered returns the composition of a row of a sort along one axis, or without an
// axis of the vector of all elements.
func ordered(name string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a, axis, bad := oneLine(o, x[0])
		if bad != nil {
			return bad
		}
		return makeRow(name, []int{axis}, nil, a)
	}
}

// parted returns a partition or its positions: the sorted row, because machine code sorts it
// faster than it selects. The integers are the places, which count from the end if they are negative.
func parted(name string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a, axis, bad := oneLine(o, x[0])
		if bad != nil {
			return bad
		}
		return partedAlong(name, a, axis, o.Ints)
	}
}

// partedNames are the names of constructors and of the sorts that they are.
var partedNames = map[string][2]string{"partition": {"Partition", "sort"}, "argpartition": {"ArgPartition", "argsort"}}

func partedAlong(name string, a *tree.Node, axis int, kth []int) *tree.Node {
	if a.Err() != nil {
		return a
	}
	for _, place := range kth {
		if n := a.Shape()[axis]; (place < -n || place >= n) && a.Shape().Size() > 0 {
			return tree.Errorf(tree.ErrIndex, partedNames[name][0], "place %d is outside of axis %d of size %d", place, axis, n)
		}
	}
	return makeRow(partedNames[name][1], []int{axis}, nil, a)
}

// Partition returns the elements along an axis, in the shape of a. At the places kth are the
// elements that come there in sorted order. Before such a place are lesser elements, or equal
// ones, after it greater or equal ones. The elements between them are in sorted order too, since
// sorting is faster than selecting. Negative places count from the end. A place outside
// of the axis is an error, [expr.ErrIndex], unless there are no elements at all.
func Partition[T expr.Elem](a expr.Exp[T], axis int, kth ...int) expr.Exp[T] {
	return expr.Of[T](partedOf("partition", expr.NodeOf(a), axis, kth))
}

// ArgPartition returns the positions of the elements of [Partition], from 0 on.
func ArgPartition[T expr.Elem](a expr.Exp[T], axis int, kth ...int) expr.Exp[int64] {
	return expr.Of[int64](partedOf("argpartition", expr.NodeOf(a), axis, kth))
}

func partedOf(name string, a *tree.Node, axis int, kth []int) *tree.Node {
	called := partedNames[name][0]
	a = given(a, called)
	at, bad := axisOf(called, a, axis)
	if bad != nil {
		return bad
	}
	return partedAlong(name, a, at, kth)
}

// oneLine returns a, and the only axis of the options. Without an axis it returns a
// vector of all elements.
func oneLine(o Options, a *tree.Node) (*tree.Node, int, *tree.Node) {
	if o.Axes == nil {
		return flatten(o, a), 0, nil
	}
	axis, err := o.axis(0, len(a.Shape()))
	if err != nil {
		return nil, 0, misshapen("%s", err)
	}
	return a, axis, nil
}

// lines returns the elements of several axes, or of all, along one axis, and the
// shape that a reduction over them keeps.
func (o Options) lines(a *tree.Node) (line *tree.Node, axis int, kept shape.Shape, bad *tree.Node) {
	rank := len(a.Shape())
	axes, err := shape.Axes(o.Axes, rank)
	if o.Axes == nil {
		axes, err = upTo(rank), nil
	}
	if err != nil {
		return nil, 0, nil, misshapen("%s", err)
	}
	kept = a.Shape().Reduce(axes, true)
	if !o.Keep {
		kept = a.Shape().Reduce(axes, false)
	}
	if len(axes) == 1 {
		return a, axes[0], kept, nil
	}
	var order []int
	dims := shape.Shape{}
	for i, d := range a.Shape() {
		if !slices.Contains(axes, i) {
			order, dims = append(order, i), append(dims, d)
		}
	}
	a = TransposeNode(a, append(order, axes...))
	return ReshapeNode(a, append(dims, a.Shape()[len(dims):].Size())), len(dims), kept, nil
}

// quantileAt returns NumPy's quantile, for q from 0 to 1: the value at a place among
// the sorted elements, between its neighbours in proportion.
func (o Options) quantileAt(a *tree.Node, q float64) *tree.Node {
	line, axis, kept, bad := o.lines(a)
	if bad != nil {
		return bad
	}
	n := line.Shape()[axis]
	if n == 0 {
		return misshapen("an empty axis has no quantile")
	}
	low, high, t, bad := o.quantilePlace(n, q)
	if bad != nil {
		return bad
	}
	pick := sortedPlaces(line, axis, kept, low, high, n-1)
	x, y, last := pick(0), pick(1), pick(2)
	if x.DType().IsInt() {
		return x
	}
	number := func(v float64) *tree.Node { return tree.ConstFloat(x.DType(), v) }
	step := call("sub", y, x)
	v := x
	switch {
	case t >= .5:
		v = call("sub", y, call("mul", step, number(1-t)))
	case t > 0:
		v = call("add", x, call("mul", step, number(t)))
	}
	return call("where", call("isnan", last), last, v)
}

// median returns the mean of the two elements in the middle. Unlike a quantile of .5,
// it is infinite if both are the same infinity.
func median(o Options, x ...*tree.Node) *tree.Node {
	line, axis, kept, bad := o.lines(x[0])
	if bad != nil {
		return bad
	}
	n := line.Shape()[axis]
	if n == 0 {
		return misshapen("an empty axis has no median")
	}
	pick := sortedPlaces(line, axis, kept, n/2, (n-1)/2, n-1)
	v, last := pick(0), pick(2)
	if n%2 == 0 {
		v = call("div", call("add", pick(1), v), like(v, 2))
	}
	return call("where", call("isnan", last), last, v)
}

// sortedPlaces returns a function that returns the elements at one of the places of the
// sorted axis.
func sortedPlaces(a *tree.Node, axis int, kept shape.Shape, places ...int) func(i int) *tree.Node {
	sorted := makeRow("select", []int{axis}, places, a)
	return func(i int) *tree.Node { return ReshapeNode(IndexNode(sorted, axis, i), kept) }
}

func quantile(per float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		q, _, bad := o.quantile(per, x[0])
		if bad != nil {
			return bad
		}
		return o.quantileAt(x[0], q)
	}
}

// quantile returns the options of a quantile of a. Integers have those that are elements.
func (o Options) quantile(per float64, a *tree.Node) (q float64, method placing, bad *tree.Node) {
	if q, bad = o.fraction(per); bad == nil {
		method, bad = o.placing()
	}
	if bad == nil && a.DType().IsInt() && !method.chooses() {
		bad = tree.Errorf(tree.ErrType, "", "elements of type %v have no quantiles by a method that interpolates", a.DType())
	}
	return q, method, bad
}

// fraction returns the number of the options, which is from 0 to per, as a part of per.
func (o Options) fraction(per float64) (q float64, bad *tree.Node) {
	if len(o.Numbers) != 1 {
		return 0, tree.Errorf(tree.ErrValue, "", "takes one number")
	}
	if q := o.Numbers[0]; !(q >= 0 && q <= per) {
		return 0, tree.Errorf(tree.ErrValue, "", "%v is not from 0 to %v", q, per)
	}
	return o.Numbers[0] / per, nil
}

// amongNumbers sorts the elements over axes, with NaN last. It returns the number of those
// that are not NaN, as float64, and a function that returns the elements at places
// among them; a place outside is brought inside.
func (o Options) amongNumbers(a *tree.Node) (count *tree.Node, pick func(place *tree.Node) *tree.Node, bad *tree.Node) {
	line, axis, kept, bad := o.lines(a)
	if bad != nil {
		return nil, nil, bad
	}
	n := line.Shape()[axis]
	if n == 0 {
		return nil, nil, misshapen("an empty axis has no quantile")
	}
	sorted := makeRow("sort", []int{axis}, nil, line)
	one := line.Shape().Reduce([]int{axis}, true)
	number := CastNode(call("equal", line, line), dtype.F64)
	count = ReshapeNode(ReduceNode("sum", number, Options{Axes: []int{axis}, Keep: true}), kept)
	return count, func(place *tree.Node) *tree.Node {
		i := CastNode(call("clip", place, like(place, 0), like(place, float64(n-1))), dtype.I64)
		return ReshapeNode(takenAlong(makeRow, sorted, ReshapeNode(i, one), nil, axis), kept)
	}, nil
}

// nanMedian returns the mean of the two elements in the middle of those that are not NaN.
func nanMedian(o Options, x ...*tree.Node) *tree.Node {
	count, pick, bad := o.amongNumbers(x[0])
	if bad != nil {
		return bad
	}
	half := call("div", count, like(count, 2))
	low, high := call("sub", call("ceil", half), like(count, 1)), call("floor", half)
	v, y := pick(low), pick(high)
	return call("where", call("equal", low, high), v, call("div", call("add", v, y), like(v, 2)))
}

func nanQuantile(per float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		q, method, bad := o.quantile(per, x[0])
		if bad != nil {
			return bad
		}
		count, pick, bad := o.amongNumbers(x[0])
		if bad != nil {
			return bad
		}
		one := like(count, 1)
		last := call("sub", count, one)
		at := placeOf(method, q, count, func(v float64) *tree.Node { return like(count, v) }, call)
		low := call("floor", at)
		v := pick(low)
		if method.chooses() {
			return v
		}
		t, y := call("sub", at, low), pick(call("minimum", call("add", low, one), last))
		step := call("sub", y, v)
		up := call("add", v, call("mul", step, CastNode(t, v.DType())))
		down := call("sub", y, call("mul", step, CastNode(call("sub", one, t), v.DType())))
		between := call("where", call("less", t, like(t, .5)), up, down)
		return call("where", call("greater", t, like(t, 0)), between, v)
	}
}

func searchSorted(o Options, x ...*tree.Node) *tree.Node {
	side := slices.Index([]string{"left", "right"}, o.Text)
	if o.Text == "" {
		side = 0
	}
	if side < 0 {
		return tree.Errorf(tree.ErrValue, "", "the side is left or right, not %q", o.Text)
	}
	return makeRow("searchsorted", nil, []int{side}, x[0], x[1])
}

func binCount(o Options, x ...*tree.Node) *tree.Node {
	return bins("Bincount", x[0], tree.ConstInt(dtype.I64, 1), o.int(0, 0))
}

// bins adds weights at indices from 0 to n-1. A negative index is outside.
func bins(called string, index, weights *tree.Node, n int) *tree.Node {
	switch {
	case index.Err() != nil:
		return index.As(called, index, weights)
	case !index.DType().IsInt() || len(index.Shape()) != 1:
		return tree.Errorf(tree.ErrType, called, "the operand is %v of rank %d, not a vector of integers", index.DType(), len(index.Shape()))
	}
	return ScatterNode("bincount", index, weights, nil, 0, []int{n}).As(called, index, weights)
}

// Median returns the median over axes: the mean of the two elements in the middle. It
// is NaN if an element is. An empty axis is an error, [expr.ErrShape].
func Median[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("median", options(opts), expr.NodeOf(a))
}

// Quantile returns the quantile q over axes, by NumPy's linear method or the one that
// [Method] names. It is NaN if an element is. A q outside of 0 to 1 is an error,
// [expr.ErrValue]. An empty axis is [expr.ErrShape].
func Quantile[T expr.Float](a expr.Exp[T], q float64, opts ...QuantileOption) expr.Exp[T] {
	return quantiles("quantile", a, q, opts)
}

// A QuantileOption changes a quantile: a [ReduceOption], or [Method].
type QuantileOption interface{ setQuantile(r *Reduction) }

type quantileOption func(r *Reduction)

func (f quantileOption) setQuantile(r *Reduction) { f(r) }
func (f reduceOption) setQuantile(r *Reduction)   { f(r) }

// Method chooses one of NumPy's methods of quantiles by name: "linear", "lower", "higher",
// "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
// "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased".
func Method(name string) QuantileOption { return quantileOption(func(r *Reduction) { r.Text = name }) }

// Percentile returns the quantile q/100 over axes, for q from 0 to 100; see [Quantile].
func Percentile[T expr.Float](a expr.Exp[T], q float64, opts ...QuantileOption) expr.Exp[T] {
	return quantiles("percentile", a, q, opts)
}

func quantiles[T expr.Float](name string, a expr.Exp[T], q float64, opts []QuantileOption) expr.Exp[T] {
	var o Options
	for _, set := range opts {
		if set != nil {
			set.setQuantile(&o)
		}
	}
	o.Numbers = []float64{q}
	return composed[T](name, o, expr.NodeOf(a))
}

// NaNMedian returns the median over axes of the elements that are not NaN; see [Median].
// It is NaN if there are none.
func NaNMedian[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nanmedian", options(opts), expr.NodeOf(a))
}

// NaNQuantile returns the quantile q over axes of the elements that are not NaN; see
// [Quantile]. It is NaN if there are none.
func NaNQuantile[T expr.Float](a expr.Exp[T], q float64, opts ...QuantileOption) expr.Exp[T] {
	return quantiles("nanquantile", a, q, opts)
}

// NaNPercentile returns the quantile q/100 over axes, for q from 0 to 100; see
// [NaNQuantile].
func NaNPercentile[T expr.Float](a expr.Exp[T], q float64, opts ...QuantileOption) expr.Exp[T] {
	return quantiles("nanpercentile", a, q, opts)
}

// SearchSorted returns for each element of v the number of elements of the sorted
// vector a that are below it, in the shape of v. If right is set, the elements equal to
// it count too. NaN is above everything. In a vector that is not sorted the result is a
// place that a search by halving finds, which is the same on every device.
func SearchSorted[T expr.Elem](a, v expr.Exp[T], right bool) expr.Exp[int64] {
	var o Options
	if right {
		o.Text = "right"
	}
	return composed[int64]("searchsorted", o, expr.NodeOf(a), expr.NodeOf(v))
}

// SelectSorted returns the elements that come at some places of an axis in sorted
// order, without sorting all. The axis has the size len(places). Places count from 0. A
// place outside of the axis is an error, [expr.ErrIndex].
func SelectSorted[T expr.Elem](a expr.Exp[T], axis int, places ...int) expr.Exp[T] {
	at, bad := axisOf("SelectSorted", expr.NodeOf(a), axis)
	if bad != nil {
		return expr.Of[T](bad)
	}
	return expr.Of[T](makeRow("select", []int{at}, slices.Clone(places), expr.NodeOf(a)))
}

// TopK returns the k greatest elements along an axis, from the greatest down, and
// their positions. The axis of both results has size k. Equal elements come in the
// order of their positions, and NaN comes last. A k outside of 0 to the size of the
// axis is an error, [expr.ErrShape].
func TopK[T expr.Elem](a expr.Exp[T], k, axis int) (values expr.Exp[T], positions expr.Exp[int64]) {
	n := given(expr.NodeOf(a), "TopK")
	at, bad := axisOf("TopK", n, axis)
	if bad == nil && n.Err() == nil && (k < 0 || k > n.Shape()[at]) {
		bad = tree.Errorf(tree.ErrShape, "TopK", "an axis of size %d has no %d greatest elements", n.Shape()[at], k)
	}
	if bad != nil {
		return expr.Of[T](bad), expr.Of[int64](bad)
	}
	if n.Err() != nil {
		return expr.Of[T](n), expr.Of[int64](n)
	}
	spans := make([]Span, at+1)
	spans[at] = Until(k)
	return Slice(Sort(a, axis, Descending), spans...), Slice(ArgSort(a, axis, Descending), spans...)
}

// Bincount returns how often each integer from 0 to n-1 occurs in a vector: n numbers.
// If an element is outside, the assignment returns ErrIndex.
func Bincount[I expr.Integer](a expr.Exp[I], n int) expr.Exp[int64] {
	return expr.Of[int64](bins("Bincount", expr.NodeOf(a), tree.ConstInt(dtype.I64, 1), n))
}

// BincountWeights returns the sum of the weights of each integer from 0 to n-1 of a
// vector, added in the order of the vector: n numbers. The weights broadcast to the
// shape of a. If an element of a is outside, the assignment returns ErrIndex.
func BincountWeights[I expr.Integer, T expr.Number](a expr.Exp[I], weights expr.Exp[T], n int) expr.Exp[T] {
	return expr.Of[T](bins("BincountWeights", expr.NodeOf(a), expr.NodeOf(weights), n))
}

// SegmentSum returns the sums of the parts of a along its first axis that have the
// same segment: [ScatterAdd] along axis 0. The first axis of the result has size n. If a
// segment is outside of 0 to n-1, the assignment returns ErrIndex; negative segments
// count from the end.
func SegmentSum[T expr.Number, I expr.Integer](a expr.Exp[T], segments expr.Exp[I], n int) expr.Exp[T] {
	return expr.Of[T](segmented("SegmentSum", "scatter_add", expr.NodeOf(a), expr.NodeOf(segments), n))
}

// SegmentMax is [SegmentSum] with maxima. An empty segment is -infinity or the least
// integer.
func SegmentMax[T expr.Number, I expr.Integer](a expr.Exp[T], segments expr.Exp[I], n int) expr.Exp[T] {
	return expr.Of[T](segmented("SegmentMax", "scatter_max", expr.NodeOf(a), expr.NodeOf(segments), n))
}

// SegmentMin is [SegmentSum] with minima. An empty segment is infinity or the greatest
// integer.
func SegmentMin[T expr.Number, I expr.Integer](a expr.Exp[T], segments expr.Exp[I], n int) expr.Exp[T] {
	return expr.Of[T](segmented("SegmentMin", "scatter_min", expr.NodeOf(a), expr.NodeOf(segments), n))
}

func segmented(called, name string, a, segments *tree.Node, n int) *tree.Node {
	if a.Err() == nil && len(a.Shape()) == 0 {
		return tree.Errorf(tree.ErrShape, called, "a scalar has no segments")
	}
	dims := []int{n}
	if a.Err() == nil {
		dims = append(dims, a.Shape()[1:]...)
	}
	return ScatterNode(name, segments, a, nil, 0, dims).As(called, a, segments)
}

// Histogram returns how many elements of a lie in each of n bins of equal width from
// lo to hi. A bin has its lower edge; the last also has hi. What lies outside, and
// NaN, is in none. The edges are those of [HistogramEdges]. Fewer than 1 or more than
// 2^30 bins, and a range that is empty or infinite, are [expr.ErrValue].
func Histogram[T expr.Float](a expr.Exp[T], n int, lo, hi float64) expr.Exp[int64] {
	x := given(expr.NodeOf(a), "Histogram")
	switch {
	case x.Err() != nil:
		return expr.Of[int64](x)
	case n < 1 || n > 1<<30 || !(lo < hi) || math.IsInf(hi-lo, 0):
		return expr.Of[int64](tree.Errorf(tree.ErrValue, "Histogram", "%d bins from %v to %v", n, lo, hi))
	}
	f64 := func(v float64) *tree.Node { return tree.ConstFloat(dtype.F64, v) }
	i64 := func(v int) *tree.Node { return tree.ConstInt(dtype.I64, int64(v)) }
	x = CastNode(flatten(Options{}, x), dtype.F64)
	bin := CastNode(call("mul", call("div", call("sub", x, f64(lo)), f64(hi-lo)), f64(float64(n))), dtype.I64)
	bin = call("minimum", call("maximum", bin, i64(0)), i64(n-1))
	// Rounding may put an element beside its bin. The edges decide.
	edge := func(i *tree.Node) *tree.Node { return edgeAt(i, n, lo, hi) }
	lower := call("less", x, edge(bin))
	bin = call("sub", bin, CastNode(lower, dtype.I64))
	next := call("add", bin, i64(1))
	higher := call("logical_and", call("greater_equal", x, edge(next)), call("less", next, i64(n)))
	bin = call("add", bin, CastNode(higher, dtype.I64))
	inside := call("logical_and", call("greater_equal", x, f64(lo)), call("less_equal", x, f64(hi)))
	bin = call("where", inside, bin, i64(n)) // one more bin for what lies outside
	all := bins("Histogram", bin, i64(1), n+1)
	return expr.Of[int64](SliceNode(all, []Span{Until(n)}).As("Histogram", expr.NodeOf(a)))
}

// HistogramEdges returns the n+1 edges of the bins of [Histogram], as NumPy's linspace.
// Fewer than 1 or more than 2^30 bins are [expr.ErrValue].
func HistogramEdges(n int, lo, hi float64) expr.Exp[float64] {
	if n < 1 || n > 1<<30 {
		return expr.Of[float64](tree.Errorf(tree.ErrValue, "HistogramEdges", "%d bins", n))
	}
	return expr.Of[float64](edgeAt(IotaNode(n+1), n, lo, hi))
}

// edgeAt returns edge i of n bins.
func edgeAt(i *tree.Node, n int, lo, hi float64) *tree.Node {
	f64 := func(v float64) *tree.Node { return tree.ConstFloat(dtype.F64, v) }
	at := call("add", call("mul", CastNode(i, dtype.F64), f64((hi-lo)/float64(n))), f64(lo))
	return call("where", call("equal", i, tree.ConstInt(dtype.I64, int64(n))), f64(hi), at)
}
