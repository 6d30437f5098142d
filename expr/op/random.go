package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// The streams of a key. Derived keys come from a stream of their own, so that
// they share no block with the numbers of the key.
const (
	elementStream = 0
	keyStream     = 1
)

// Fold returns a key made of a key and a number. The numbers of different keys
// are independent. A key is any scalar: a constant, or a parameter, which gives
// every run of a program other numbers.
func Fold(key expr.Exp[uint64], n uint64) expr.Exp[uint64] {
	return expr.Of[uint64](untyped.Call("philox", tree.NewConst(dtype.U64, n), tree.NewConst(dtype.U64, keyStream), scalarKey("Fold", key).Node()).As("Fold", expr.NodeOf(key)))
}

// scalarKey returns key, or an error if it is no scalar.
func scalarKey(name string, key expr.Exp[uint64]) expr.Exp[uint64] {
	if n := expr.NodeOf(key); n.Err() == nil && len(n.Shape()) > 0 {
		return expr.Of[uint64](tree.Errorf(tree.ErrShape, name, "the key has shape %v and is no scalar", n.Shape()))
	}
	return expr.Of[uint64](expr.NodeOf(key))
}

// block applies philox to the row-major positions of a shape, for the constructor called name.
func block(name string, key expr.Exp[uint64], dims []int) *tree.Node {
	n := 1
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return tree.Errorf(tree.ErrShape, name, "%v is no shape", dims)
		}
		n *= d
	}
	position := untyped.Cast(untyped.Reshape(untyped.Iota(n), slices.Clone(dims)), dtype.U64)
	return untyped.Call("philox", position, tree.NewConst(dtype.U64, elementStream), scalarKey(name, key).Node()).As(name, expr.NodeOf(key))
}

// RandomBits returns 64 random bits for each element of a shape.
func RandomBits(key expr.Exp[uint64], dims ...int) expr.Exp[uint64] {
	return expr.Of[uint64](block("RandomBits", key, dims))
}

// unit returns a multiple of 2^-k in [0, 1) made of the k high bits, where k is
// 24 for float32 and halves, and 53 for float64.
func unit(t dtype.Type, bits *tree.Node) *tree.Node {
	wide, k := t.Register(), 24
	if wide == dtype.F64 {
		k = 53
	}
	high := untyped.Call("right_shift", bits, tree.ConstInt(dtype.U64, int64(64-k)))
	high = untyped.Cast(high, dtype.Integer(wide.Size(), true))
	return untyped.Call("mul", untyped.Cast(high, wide), tree.ConstFloat(wide, math.Ldexp(1, -k)))
}

// Uniform returns numbers of [0, 1), evenly distributed: multiples of 2^-53 in
// float64, and of 2^-24 in the narrower types. A half is rounded, to at most 1. They
// follow from the key: a number such as expr.Const[uint64](1), or a parameter. [Fold]
// makes other keys of it.
func Uniform[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	return expr.Of[T](untyped.Cast(unit(t, block("Uniform", key, dims)), t))
}

// Exponential returns numbers of the exponential distribution with mean 1.
func Exponential[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	return expr.Of[T](untyped.Cast(untyped.Call("neg", logOfUnit(t, block("Exponential", key, dims))), t))
}

// logOfUnit returns the logarithm of a uniform number of (0, 1], which is finite.
func logOfUnit(t dtype.Type, bits *tree.Node) *tree.Node {
	return untyped.Call("log1p", untyped.Call("neg", unit(t, bits)))
}

// Bernoulli returns true with probability p, rounded to a multiple of 2^-53.
func Bernoulli(key expr.Exp[uint64], p float64, dims ...int) expr.Exp[bool] {
	if !(p >= 0 && p <= 1) {
		return expr.Of[bool](tree.Errorf(tree.ErrValue, "Bernoulli", "%v is no probability", p))
	}
	u := unit(dtype.F64, block("Bernoulli", key, dims))
	return expr.Of[bool](untyped.Call("less", u, tree.ConstFloat(dtype.F64, p)))
}

// Integers returns integers from 0 to n-1: the high half of the product of 64
// random bits and n. The probabilities differ by at most 2^-64.
func Integers[T expr.Integer](key expr.Exp[uint64], n uint64, dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	bits := 8 * t.Size()
	if t.IsSigned() {
		bits--
	}
	if n == 0 || bits < 64 && (n-1)>>bits != 0 {
		return expr.Of[T](tree.Errorf(tree.ErrValue, "Integers", "%d integers are no %v", n, t))
	}
	high := untyped.Call("multiply_high", block("Integers", key, dims), tree.NewConst(dtype.U64, n))
	return expr.Of[T](untyped.Cast(high, t))
}

// Normal returns numbers of the normal distribution with mean 0 and variance 1. Those of float64
// have magnitudes below 8.3, and those of float32 and halves below 5.5. See docs/numerics.md.
// [Uniform] says what a key is.
func Normal[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	at := block("Normal", key, dims)
	if at.Err() != nil {
		return expr.Of[T](at)
	}
	z := untyped.NormalOf(t.Register(), at.Args[0], at.Args[1], at.Args[2])
	return expr.Of[T](untyped.Cast(z, t).As("Normal", expr.NodeOf(key)))
}

// The gamma distribution is drawn by the rejection method of Marsaglia and Tsang
// (2000). Each element has the same number of tries, in a scan: the first that is
// accepted counts, and the scan ends when all elements of a vector have one. A try is
// accepted with a probability above .95, so all fail with one below 2^-52. Then the
// result is the mode of the accepted numbers.

const (
	gammaTries = 12
	// Each try reads a block, and a shape below 1 one more, of streams that no other
	// distribution reads.
	gammaStream  = 2
	gammaStreams = gammaTries + 1
)

// gammaLog returns logarithms of numbers of the gamma distribution in float64. stream
// is the first of its streams.
func gammaLog(called string, key expr.Exp[uint64], shape float64, stream int64, dims []int) *tree.Node {
	position := block(called, key, dims)
	if position.Err() != nil {
		return position
	}
	position = position.Args[0] // the counters
	k := scalarKey(called, key).Node()
	positive := func(half string, stream *tree.Node) *tree.Node {
		return logOfUnit(dtype.F64, untyped.Call(half, position, stream, k))
	}
	wide := shape
	if shape < 1 {
		wide++
	}
	d := wide - 1./3
	first := untyped.BroadcastTo(number(-1), slices.Clone(dims))
	if len(dims) == 0 {
		first = number(-1)
	}
	r := untyped.Scan([]*tree.Node{first}, nil, ScanOptions{Length: gammaTries}, func(index *tree.Node, state, _ []*tree.Node) (next, out []*tree.Node) {
		at := untyped.Call("add", untyped.Cast(index, dtype.U64), tree.ConstInt(dtype.U64, stream))
		x := untyped.NormalOfBlock(position, at, k) // of the lower half of the block
		v := untyped.Call("add", number(1), untyped.Call("mul", x, number(1/math.Sqrt(9*d))))
		v = untyped.Call("mul", v, untyped.Call("mul", v, v))
		bound := untyped.Call("mul", number(d), untyped.Call("add", untyped.Call("sub", number(1), v), untyped.Call("log", v)))
		bound = untyped.Call("add", untyped.Call("mul", number(.5), untyped.Call("mul", x, x)), bound)
		accepted := untyped.Call("less", positive("philox_high", at), bound) // not for a v that has no logarithm
		fresh := untyped.Call("logical_and", untyped.Call("less", state[0], number(0)), accepted)
		return []*tree.Node{untyped.Call("where", fresh, v, state[0])}, nil
	})
	v := r.Last(0)
	v = untyped.Call("where", untyped.Call("less", v, number(0)), number(1), v)
	y := untyped.Call("add", untyped.Call("log", v), number(math.Log(d)))
	if shape < 1 {
		last := tree.ConstInt(dtype.U64, stream+gammaTries)
		y = untyped.Call("add", y, untyped.Call("mul", positive("philox", last), number(1/shape)))
	}
	return y
}

// gammaShape reports whether numbers of the gamma distribution with a shape have finite
// logarithms. Those of smaller shapes have not, and beta would compare infinities.
func gammaShape(v float64) bool { return v >= leastShape && v <= mostShape }

const leastShape, mostShape = 1e-300, 1e15

// Gamma returns numbers of the gamma distribution with the given shape and the scale
// 1, in the shape dims. Its mean is the shape. They are computed in float64. A shape
// below 1e-300 or above 1e15 is [expr.ErrValue]. See docs/numerics.md.
func Gamma[T expr.Float](key expr.Exp[uint64], shape float64, dims ...int) expr.Exp[T] {
	if !gammaShape(shape) {
		return expr.Of[T](tree.Errorf(tree.ErrValue, "Gamma", "the shape parameter %v is not from %v to %v", shape, leastShape, mostShape))
	}
	x := untyped.Call("exp", gammaLog("Gamma", key, shape, gammaStream, dims))
	return expr.Of[T](untyped.Cast(x, dtype.Of[T]()).As("Gamma", expr.NodeOf(key)))
}

// Beta returns numbers of the beta distribution with the parameters a and b, in the
// shape dims. Its mean is a/(a+b). It has two independent gamma distributions x and y,
// and is x/(x+y). They are computed in float64. Parameters are as the shape of
// [Gamma].
func Beta[T expr.Float](key expr.Exp[uint64], a, b float64, dims ...int) expr.Exp[T] {
	if !gammaShape(a) || !gammaShape(b) {
		return expr.Of[T](tree.Errorf(tree.ErrValue, "Beta", "a parameter of %v and %v is not from %v to %v", a, b, leastShape, mostShape))
	}
	x := gammaLog("Beta", key, a, gammaStream, dims)
	y := gammaLog("Beta", key, b, gammaStream+gammaStreams, dims)
	one := number(1)
	ratio := untyped.Call("div", one, untyped.Call("add", one, untyped.Call("exp", untyped.Call("sub", y, x))))
	return expr.Of[T](untyped.Cast(ratio, dtype.Of[T]()).As("Beta", expr.NodeOf(key)))
}

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
	at := untyped.Call("minimum", untyped.Compose("searchsorted", untyped.Options{Text: "right"}, sums, u), integer(n-1))
	return expr.Of[int64](untyped.Call("add", at, integer(from)).As(called, expr.NodeOf(key)))
}

// Poisson returns numbers of the Poisson distribution with a mean, in the shape dims. A
// mean that is negative, NaN, or above about 8e11 is an error, [expr.ErrValue].
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
// succeeds with probability p, in the shape dims. r need not be an integer: 1/a and
// 1/(1 + a*m) give the distribution of mean m and variance m + a*m*m. An r that is not
// above 0, or a p that is not above 0 and at most 1, is [expr.ErrValue].
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
	bits := block("Choice", key, x.Shape()[:1])
	if bits.Err() != nil {
		return expr.Of[T](bits)
	}
	_, index := firstOf(expr.Of[uint64](bits), count, 0, Ascending) // those of Permutation
	if replacement {
		index = Integers[int64](key, uint64(max(x.Shape()[0], 1)), count)
	}
	return expr.Of[T](untyped.Take(x, expr.NodeOf(index), 0).As("Choice", expr.NodeOf(key), x))
}
