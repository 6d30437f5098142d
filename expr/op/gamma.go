package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// The gamma distribution is drawn by the rejection method of Marsaglia and Tsang
// (2000). Each element has the same number of tries, in a scan: the first that is
// accepted counts, and the scan ends when all elements of a vector have one. A try is
// accepted with a probability above .95, so all fail with one below 2^-52. Then the
// result is the mode of the accepted numbers.

const (
	gammaTries = 12
	// Each try reads two blocks, and a shape below 1 one more, of streams that no other
	// distribution reads.
	gammaStream  = 2
	gammaStreams = 2*gammaTries + 1
)

// gammaLog returns logarithms of numbers of the gamma distribution in float64. stream
// is the first of its streams.
func gammaLog(called string, key expr.Exp[uint64], shape float64, stream int64, dims []int) *tree.Node {
	position := block(row("philox"), called, key, dims)
	if position.Err() != nil {
		return position
	}
	position = position.Args[0] // the counters
	k := scalarKey(called, key).Node()
	number := func(v float64) *tree.Node { return tree.ConstFloat(dtype.F64, v) }
	bits := func(name string, stream *tree.Node) *tree.Node {
		return unit(dtype.F64, call(name, position, stream, k))
	}
	// positive returns the logarithm of a uniform number of (0, 1].
	positive := func(stream *tree.Node) *tree.Node {
		return call("log1p", call("neg", bits("philox", stream)))
	}
	wide := shape
	if shape < 1 {
		wide++
	}
	d := wide - 1./3
	first := BroadcastToNode(number(-1), dims)
	if len(dims) == 0 {
		first = number(-1)
	}
	r := ScanNodes([]*tree.Node{first}, nil, ScanOptions{Length: gammaTries}, func(index *tree.Node, state, _ []*tree.Node) (next, out []*tree.Node) {
		at := call("add", CastNode(call("add", index, index), dtype.U64), tree.ConstInt(dtype.U64, stream))
		e := call("neg", positive(at))
		angle := call("mul", bits("philox_high", at), number(2*math.Pi))
		x := call("mul", call("sqrt", call("add", e, e)), call("cos", angle))
		v := call("add", number(1), call("mul", x, number(1/math.Sqrt(9*d))))
		v = call("mul", v, call("mul", v, v))
		bound := call("mul", number(d), call("add", call("sub", number(1), v), call("log", v)))
		bound = call("add", call("mul", number(.5), call("mul", x, x)), bound)
		accepted := call("less", positive(call("add", at, tree.ConstInt(dtype.U64, 1))), bound) // not for a v that has no logarithm
		fresh := call("logical_and", call("less", state[0], number(0)), accepted)
		return []*tree.Node{call("where", fresh, v, state[0])}, nil
	})
	v := r.Last(0)
	v = call("where", call("less", v, number(0)), number(1), v)
	y := call("add", call("log", v), number(math.Log(d)))
	if shape < 1 {
		last := tree.ConstInt(dtype.U64, stream+2*gammaTries)
		y = call("add", y, call("mul", positive(last), number(1/shape)))
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
	x := call("exp", gammaLog("Gamma", key, shape, gammaStream, dims))
	return expr.Of[T](CastNode(x, dtype.Of[T]()).As("Gamma", expr.NodeOf(key)))
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
	one := tree.ConstFloat(dtype.F64, 1)
	ratio := call("div", one, call("add", one, call("exp", call("sub", y, x))))
	return expr.Of[T](CastNode(ratio, dtype.Of[T]()).As("Beta", expr.NodeOf(key)))
}
