package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// Partition returns the elements along an axis, in the shape of a. At the places kth are the
// elements that come there in sorted order. Before such a place are lesser elements, or equal
// ones that come before it in a, after it greater or equal ones. The elements between two places keep their
// order, but they are sorted where that is faster: in an axis of at most 256 elements, or 512 of up to 4 bytes, or
// 1024 integers of 2 bytes, and of bytes, or of integers of 2 bytes at several places. Negative places count from the end. A place outside
// of the axis is an error, [expr.ErrIndex], unless there are no elements at all.
func Partition[T expr.Elem](a expr.Exp[T], axis int, kth ...int) expr.Exp[T] {
	return expr.Of[T](untyped.Partition("partition", expr.NodeOf(a), axis, kth))
}

// ArgPartition returns the positions of the elements of a partition, from 0 on. The positions between two places
// ascend. But of an axis of at most 256 elements, and of integers of 1 and 2 bytes, it returns the positions of [ArgSort].
func ArgPartition[T expr.Elem](a expr.Exp[T], axis int, kth ...int) expr.Exp[int64] {
	return expr.Of[int64](untyped.Partition("argpartition", expr.NodeOf(a), axis, kth))
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
type QuantileOption interface{ setQuantile(r *untyped.Options) }

type quantileOption func(r *untyped.Options)

func (f quantileOption) setQuantile(r *untyped.Options) { f(r) }
func (f reduceOption) setQuantile(r *untyped.Options)   { f(r) }

// Method chooses one of NumPy's methods of quantiles by name: "linear", "lower", "higher",
// "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
// "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased".
func Method(name string) QuantileOption {
	return quantileOption(func(r *untyped.Options) { r.Text = name })
}

// Percentile returns the quantile q/100 over axes, for q from 0 to 100; see [Quantile].
func Percentile[T expr.Float](a expr.Exp[T], q float64, opts ...QuantileOption) expr.Exp[T] {
	return quantiles("percentile", a, q, opts)
}

func quantiles[T expr.Float](name string, a expr.Exp[T], q float64, opts []QuantileOption) expr.Exp[T] {
	var o untyped.Options
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
// it count too. NaN is above everything. In a vector that is not sorted the result is some
// place, which is the same on every device.
func SearchSorted[T expr.Elem](a, v expr.Exp[T], right bool) expr.Exp[int64] {
	var o untyped.Options
	if right {
		o.Text = "right"
	}
	return composed[int64]("searchsorted", o, expr.NodeOf(a), expr.NodeOf(v))
}

// SelectSorted returns the elements that come at some places of an axis in sorted
// order, without sorting all. The axis has the size len(places). Places count from 0. A
// place outside of the axis is an error, [expr.ErrIndex].
func SelectSorted[T expr.Elem](a expr.Exp[T], axis int, places ...int) expr.Exp[T] {
	at, bad := untyped.AxisOf("SelectSorted", expr.NodeOf(a), axis)
	if bad != nil {
		return expr.Of[T](bad)
	}
	return expr.Of[T](untyped.With("select", []int{at}, slices.Clone(places), expr.NodeOf(a)))
}

// leastOf is the least number of elements for each of the first ones from which on these are selected, and
// not all elements sorted.
const leastOf = 4

// TopK returns the k greatest elements along an axis, from the greatest down, and
// their positions. The axis of both results has size k. Equal elements come in the
// order of their positions, and NaN comes last. A k outside of 0 to the size of the
// axis is an error, [expr.ErrShape].
func TopK[T expr.Elem](a expr.Exp[T], k, axis int) (values expr.Exp[T], positions expr.Exp[int64]) {
	n := untyped.Given(expr.NodeOf(a), "TopK")
	at, bad := untyped.AxisOf("TopK", n, axis)
	if bad == nil && n.Err() == nil && (k < 0 || k > n.Shape()[at]) {
		bad = tree.Errorf(tree.ErrShape, "TopK", "an axis of size %d has no %d greatest elements", n.Shape()[at], k)
	}
	if bad != nil {
		return expr.Of[T](bad), expr.Of[int64](bad)
	}
	if n.Err() != nil {
		return expr.Of[T](n), expr.Of[int64](n)
	}
	return firstOf(a, k, at, Descending)
}

// firstOf returns the first k elements along an axis in an order, and their positions.
func firstOf[T expr.Elem](a expr.Exp[T], k, axis int, order Order) (values expr.Exp[T], positions expr.Exp[int64]) {
	n, spans := expr.NodeOf(a), make([]Span, axis+1)
	spans[axis] = Until(k)
	if k == 0 || n.Shape()[axis] < leastOf*k {
		return Slice(Sort(a, axis, order), spans...), Slice(ArgSort(a, axis, order), spans...)
	}
	// Of equal elements those before the last one of the k keep their order, so a stable sort of the k orders them.
	among := Slice(expr.Of[int64](untyped.With("argpartition", []int{axis}, []int{int(order), k - 1}, n)), spans...)
	some := TakeAlongAxis(a, among, axis)
	first := ArgSort(some, axis, order)
	return TakeAlongAxis(some, first, axis), TakeAlongAxis(among, first, axis)
}

// Bincount returns how often each integer from 0 to n-1 occurs in a vector: n numbers.
// If an element is outside, the assignment returns ErrIndex.
func Bincount[I expr.Integer](a expr.Exp[I], n int) expr.Exp[int64] {
	return expr.Of[int64](untyped.Bins("Bincount", expr.NodeOf(a), integer(1), n))
}

// BincountWeights returns the sum of the weights of each integer from 0 to n-1 of a
// vector, added in the order of the vector: n numbers. The weights broadcast to the
// shape of a. If an element of a is outside, the assignment returns ErrIndex.
func BincountWeights[I expr.Integer, T expr.Number](a expr.Exp[I], weights expr.Exp[T], n int) expr.Exp[T] {
	return expr.Of[T](untyped.Bins("BincountWeights", expr.NodeOf(a), expr.NodeOf(weights), n))
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
	return untyped.Scatter(name, segments, a, nil, 0, dims).As(called, a, segments)
}

// Histogram returns how many elements of a lie in each of n bins of equal width from
// lo to hi. A bin has its lower edge; the last also has hi. What lies outside, and
// NaN, is in none. The edges are those of [HistogramEdges]. Fewer than 1 or more than
// 2^30 bins, and a range that is empty or infinite, are [expr.ErrValue].
func Histogram[T expr.Float](a expr.Exp[T], n int, lo, hi float64) expr.Exp[int64] {
	x := untyped.Given(expr.NodeOf(a), "Histogram")
	switch {
	case x.Err() != nil:
		return expr.Of[int64](x)
	case n < 1 || n > 1<<30 || !(lo < hi) || math.IsInf(hi-lo, 0):
		return expr.Of[int64](tree.Errorf(tree.ErrValue, "Histogram", "%d bins from %v to %v", n, lo, hi))
	}
	x = untyped.Cast(untyped.Reshape(x, []int{x.Shape().Size()}), dtype.F64)
	bin := untyped.Cast(untyped.Call("mul", untyped.Call("div", untyped.Call("sub", x, number(lo)), number(hi-lo)), number(float64(n))), dtype.I64)
	bin = untyped.Call("minimum", untyped.Call("maximum", bin, integer(0)), integer(n-1))
	// Rounding may put an element beside its bin. The edges decide.
	edge := func(i *tree.Node) *tree.Node { return edgeAt(i, n, lo, hi) }
	lower := untyped.Call("less", x, edge(bin))
	bin = untyped.Call("sub", bin, untyped.Cast(lower, dtype.I64))
	next := untyped.Call("add", bin, integer(1))
	higher := untyped.Call("logical_and", untyped.Call("greater_equal", x, edge(next)), untyped.Call("less", next, integer(n)))
	bin = untyped.Call("add", bin, untyped.Cast(higher, dtype.I64))
	inside := untyped.Call("logical_and", untyped.Call("greater_equal", x, number(lo)), untyped.Call("less_equal", x, number(hi)))
	bin = untyped.Call("where", inside, bin, integer(n)) // one more bin for what lies outside
	all := untyped.Bins("Histogram", bin, integer(1), n+1)
	return expr.Of[int64](untyped.Slice(all, []Span{Until(n)}).As("Histogram", expr.NodeOf(a)))
}

// HistogramEdges returns the n+1 edges of the bins of [Histogram], as NumPy's linspace.
// Fewer than 1 or more than 2^30 bins are [expr.ErrValue].
func HistogramEdges(n int, lo, hi float64) expr.Exp[float64] {
	if n < 1 || n > 1<<30 {
		return expr.Of[float64](tree.Errorf(tree.ErrValue, "HistogramEdges", "%d bins", n))
	}
	return expr.Of[float64](edgeAt(untyped.Iota(n+1), n, lo, hi))
}

// edgeAt returns edge i of n bins.
func edgeAt(i *tree.Node, n int, lo, hi float64) *tree.Node {
	at := untyped.Call("add", untyped.Call("mul", untyped.Cast(i, dtype.F64), number((hi-lo)/float64(n))), number(lo))
	return untyped.Call("where", untyped.Call("equal", i, integer(n)), number(hi), at)
}
