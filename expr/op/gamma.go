package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

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
func gammaShape(v float64) bool { return v >= 1e-300 && v <= 1e15 }

// Gamma returns numbers of the gamma distribution with the given shape and the scale
// 1, in the shape dims. Its mean is the shape. They are computed in float64. A shape
// below 1e-300 or above 1e15 is [expr.ErrValue]. See docs/numerics.md.
func Gamma[T expr.Float](key expr.Exp[uint64], shape float64, dims ...int) expr.Exp[T] {
	if !gammaShape(shape) {
		return expr.Of[T](tree.Errorf(tree.ErrValue, "Gamma", "the shape is %v", shape))
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
		return expr.Of[T](tree.Errorf(tree.ErrValue, "Beta", "the parameters are %v and %v", a, b))
	}
	x := gammaLog("Beta", key, a, gammaStream, dims)
	y := gammaLog("Beta", key, b, gammaStream+gammaStreams, dims)
	one := number(1)
	ratio := untyped.Call("div", one, untyped.Call("add", one, untyped.Call("exp", untyped.Call("sub", y, x))))
	return expr.Of[T](untyped.Cast(ratio, dtype.Of[T]()).As("Beta", expr.NodeOf(key)))
}
