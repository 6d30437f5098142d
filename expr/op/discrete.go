package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// Discrete distributions are drawn by inversion. A table has the cumulative
// probabilities of all values but those whose probability is together below 2^-53, the
// unit of a uniform number. Each number is a search in the table. The table is computed
// once a run, by the statement that draws.

// maxTable is the largest number of values in a table.
const maxTable = 1 << 24

// deviations and least bound the values of a table: their distance from the mean is at
// most deviations times the standard deviation, and least. By Bernstein's inequality,
// the others have a probability below 2^-54.
const (
	deviations = 9
	least      = 30
)

// discrete returns integers with the given probabilities. ratio returns the probability
// of each value k, divided by that of k-1, for values in float64. The least value is
// from, and the greatest to.
func discrete(called string, key expr.Exp[uint64], from, to float64, ratio func(k *tree.Node) *tree.Node, dims []int) expr.Exp[int64] {
	from, to = max(math.Floor(from), 0), math.Ceil(to)
	if !(to-from < maxTable && to < 1<<53) {
		return expr.Of[int64](tree.Errorf(tree.ErrValue, called, "the distribution has too many values, from %v to %v", from, to))
	}
	n := int(to-from) + 1
	i := untyped.Iota(n)
	k := untyped.Call("add", untyped.Cast(i, dtype.F64), number(from))
	step := untyped.Call("where", untyped.Call("equal", i, integer(0)), number(0), untyped.Call("log", ratio(k)))
	along := untyped.Options{Axes: []int{0}}
	weight := untyped.Compose("cumsum", along, step)
	weight = untyped.Call("exp", untyped.Call("sub", weight, untyped.Reduce("max", weight, untyped.Options{})))
	sums := untyped.Compose("cumsum", along, weight)
	u := untyped.Call("mul", unit(dtype.F64, block(called, key, dims)), untyped.Index(sums, 0, n-1))
	at := untyped.Call("minimum", untyped.With("searchsorted", nil, []int{1}, sums, u), integer(n-1))
	return expr.Of[int64](untyped.Call("add", at, integer(from)).As(called, expr.NodeOf(key)))
}

// Poisson returns numbers of the Poisson distribution with a mean, in the shape dims. A
// mean that is negative, NaN, or above some 8e11 is an error, [expr.ErrValue].
func Poisson(key expr.Exp[uint64], mean float64, dims ...int) expr.Exp[int64] {
	if !(mean >= 0) {
		return expr.Of[int64](tree.Errorf(tree.ErrValue, "Poisson", "the mean is %v", mean))
	}
	far := least + deviations*math.Sqrt(mean)
	if mean == 0 {
		far = 0
	}
	return discrete("Poisson", key, mean-far, mean+far, func(k *tree.Node) *tree.Node {
		return untyped.Call("div", number(mean), k)
	}, dims)
}

// Binomial returns how many of n trials succeed with probability p each, in the shape
// dims. A negative n, and a p outside of 0 to 1, are [expr.ErrValue].
func Binomial(key expr.Exp[uint64], n int, p float64, dims ...int) expr.Exp[int64] {
	if n < 0 || !(p >= 0 && p <= 1) {
		return expr.Of[int64](tree.Errorf(tree.ErrValue, "Binomial", "%d trials with probability %v", n, p))
	}
	size := float64(n)
	mean, far := size*p, least+deviations*math.Sqrt(size*p*(1-p))
	if p == 0 || p == 1 {
		far = 0
	}
	return discrete("Binomial", key, mean-far, min(mean+far, size), func(k *tree.Node) *tree.Node {
		left := untyped.Call("sub", number(size+1), k)
		return untyped.Call("mul", untyped.Call("div", left, k), number(p/(1-p)))
	}, dims)
}

// NegativeBinomial returns how many trials fail before the r-th success, if each
// succeeds with probability p, in the shape dims. r need not be an integer. An r that is
// not above 0, or a p that is not above 0 and at most 1, is [expr.ErrValue].
func NegativeBinomial(key expr.Exp[uint64], r, p float64, dims ...int) expr.Exp[int64] {
	if !(r > 0 && p > 0 && p <= 1) || math.IsInf(r, 0) {
		return expr.Of[int64](tree.Errorf(tree.ErrValue, "NegativeBinomial", "%v successes with probability %v", r, p))
	}
	mean := r * (1 - p) / p
	far := deviations * math.Sqrt(mean/p)
	to := mean + far + 40/p // the tail falls like (1-p)^k
	if p == 1 {
		to = 0
	}
	return discrete("NegativeBinomial", key, mean-far-least, to, func(k *tree.Node) *tree.Node {
		more := untyped.Call("div", untyped.Call("add", k, number(r-1)), k)
		return untyped.Call("mul", more, number(1-p))
	}, dims)
}

// Permutation returns 0, 1 ... n-1 in random order: the order that sorts n random
// numbers of 64 bits.
func Permutation(key expr.Exp[uint64], n int) expr.Exp[int64] {
	bits := block("Permutation", key, []int{n})
	return expr.Of[int64](untyped.With("argsort", []int{0}, nil, bits).As("Permutation", expr.NodeOf(key)))
}

// Choice returns count parts of a along its first axis, drawn at random. With
// replacement a part may come several times. Without it, more parts than a has are an
// error, [expr.ErrShape].
func Choice[T expr.Elem](key expr.Exp[uint64], a expr.Exp[T], count int, replacement bool) expr.Exp[T] {
	x := untyped.Given(expr.NodeOf(a), "Choice")
	switch {
	case x.Err() != nil:
		return expr.Of[T](x)
	case len(x.Shape()) == 0 || count < 0 || count > 0 && x.Shape()[0] == 0 || !replacement && count > x.Shape()[0]:
		return expr.Of[T](tree.Errorf(tree.ErrShape, "Choice", "%d parts of shape %v cannot be drawn", count, []int(x.Shape())))
	}
	index := untyped.Slice(Permutation(key, x.Shape()[0]).Node(), []Span{Until(count)})
	if replacement {
		index = expr.NodeOf(Integers[int64](key, uint64(max(x.Shape()[0], 1)), count))
	}
	return expr.Of[T](untyped.Take(x, index, 0).As("Choice", expr.NodeOf(key), x))
}
