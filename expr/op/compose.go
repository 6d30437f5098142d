package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of numbers, as trees and as constructors.

func (o Options) keep() Options {
	o.Keep = true
	return o
}

func (o Options) freedom(ddof int) Options {
	o.DDof = ddof
	return o
}

func mean(o Options, x ...*tree.Node) *tree.Node {
	if o.DDof != 0 {
		return tree.Errorf(tree.ErrValue, "", "ddof is an option of var and std")
	}
	return average(o, x[0])
}

// average returns the sum over the axes divided by the number of elements that
// one result combines, less o.DDof and at least 0.
func average(o Options, a *tree.Node) *tree.Node {
	if a.Err() != nil {
		return a
	}
	axes, err := shape.Axes(o.Axes, len(a.Shape()))
	if err != nil {
		return tree.Errorf(tree.ErrShape, "", "%s", err)
	}
	n := 1
	for _, x := range axes {
		n *= a.Shape()[x]
	}
	if n == 0 {
		return tree.Errorf(tree.ErrShape, "", "an empty axis has no mean")
	}
	by, sum := max(float64(n)-float64(o.DDof), 0), ReduceNode("sum", a, o.freedom(0))
	if f, _ := math.Frexp(by); f == 0.5 && (a.DType() == dtype.F32 || a.DType() == dtype.F64) { // a power of two: the product has the same bits
		return call("mul", sum, tree.ConstFloat(a.DType(), 1/by))
	}
	return call("div", sum, tree.ConstFloat(a.DType(), by))
}

// variation averages the squared distances from the mean. Those of complex numbers
// are sums of two squares.
func variation(o Options, x ...*tree.Node) *tree.Node {
	d := call("sub", x[0], average(o.keep().freedom(0), x[0]))
	if d.DType().IsComplex() {
		return average(o, call("add", call("square", call("real", d)), call("square", call("imag", d))))
	}
	return average(o, call("square", d))
}

func deviation(o Options, x ...*tree.Node) *tree.Node { return call("sqrt", variation(o, x...)) }

// shift returns the maximum over axes. The exact results below do not depend on
// it.
func shift(o Options, a *tree.Node) *tree.Node {
	return call("stop_gradient", ReduceNode("max", a, o.keep()))
}

// softmax reduces the last axis if the options name none.
func softmax(o Options, x ...*tree.Node) *tree.Node {
	if o.Axes == nil {
		o.Axes = []int{-1}
	}
	e := call("exp", call("sub", x[0], shift(o, x[0])))
	return call("div", e, ReduceNode("sum", e, o.keep()))
}

// logSumExp shifts by the maximum if that is finite.
func logSumExp(o Options, x ...*tree.Node) *tree.Node {
	m := shift(o, x[0])
	if m.Err() != nil {
		return m
	}
	m = call("where", call("isfinite", m), m, tree.ConstFloat(m.DType(), 0))
	l := call("add", call("log", ReduceNode("sum", call("exp", call("sub", x[0], m)), o.keep())), m)
	if o.Keep {
		return l
	}
	axes, _ := shape.Axes(o.Axes, len(x[0].Shape()))
	return dropAxes(l, axes)
}

// layerNorm has eps 1e-5 if the options do not state it.
func layerNorm(o Options, x ...*tree.Node) *tree.Node {
	eps := 1e-5
	if len(o.Numbers) > 0 {
		eps = o.Numbers[0]
	}
	last := Options{Axes: []int{-1}, Keep: true}
	d := call("sub", x[0], average(last, x[0]))
	y := call("div", d, call("sqrt", call("add", average(last, call("square", d)), tree.ConstFloat(d.DType(), eps))))
	if x[1] != nil {
		y = call("mul", y, x[1])
	}
	if x[2] != nil {
		y = call("add", y, x[2])
	}
	return y
}

func nanSum(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	if t := a.DType(); t.IsFloat() {
		a = call("where", call("isnan", a), tree.ConstFloat(t, 0), a)
	}
	return ReduceNode("sum", a, o)
}

func countNonzero(o Options, x ...*tree.Node) *tree.Node {
	return ReduceNode("sum", CastNode(CastNode(x[0], dtype.Bool), dtype.I64), o)
}

func peakToPeak(o Options, x ...*tree.Node) *tree.Node {
	return call("sub", ReduceNode("max", x[0], o), ReduceNode("min", x[0], o))
}

func signBit(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	switch t := a.DType(); {
	case t == dtype.Bool:
		a = CastNode(a, dtype.I8)
	case t.IsFloat():
		a = call("copysign", tree.ConstFloat(t, 1), a)
	}
	return call("less", a, CastNode(tree.ConstInt(dtype.I64, 0), a.DType()))
}

// SignBit returns whether elements are negative, -0 too. A NaN has no sign.
func SignBit[T expr.Number](a expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("signbit", Options{}, expr.NodeOf(a))
}

// largest are the greatest finite numbers.
var largest = map[dtype.Type]float64{dtype.F16: 65504, dtype.BF16: 0x1.fep127, dtype.F32: math.MaxFloat32, dtype.F64: math.MaxFloat64}

func nanToNum(o Options, x ...*tree.Node) *tree.Node {
	a, t := x[0], x[0].DType()
	if !t.IsFloat() {
		return a
	}
	v := []float64{0, math.MaxFloat64, -math.MaxFloat64} // for NaN, +Inf and -Inf
	copy(v, o.Numbers)
	number := func(v float64) *tree.Node { // the greatest number of float64 stands for that of T
		if math.Abs(v) == math.MaxFloat64 {
			v = math.Copysign(largest[t], v)
		}
		return tree.ConstFloat(t, v)
	}
	most := number(math.MaxFloat64)
	a = call("where", call("greater", a, most), number(v[1]), a)
	a = call("where", call("less", a, call("neg", most)), number(v[2]), a)
	return call("where", call("isnan", x[0]), number(v[0]), a)
}

// Mean returns the arithmetic mean over axes. An empty axis is an error.
func Mean[T expr.AnyFloat](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("mean", options(opts), expr.NodeOf(a))
}

// Var returns the variance over axes: the mean squared distance from the mean,
// computed in two passes; see DDof.
func Var[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("var", options(opts), expr.NodeOf(a))
}

// Std returns the square root of Var.
func Std[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return composed[T]("std", options(opts), expr.NodeOf(a))
}

// Softmax returns exp(a - max) / sum(exp(a - max)) over an axis.
func Softmax[T expr.Float](a expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("softmax", Options{Axes: []int{axis}}, expr.NodeOf(a))
}

// LogSumExp returns log(sum(exp(a))) over axes, without overflow.
func LogSumExp[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("logsumexp", options(opts), expr.NodeOf(a))
}

// LayerNorm returns a normalised over the last axis to mean 0 and variance 1,
// scaled by gamma and shifted by beta, which may be nil: (a - mean) / sqrt(var
// + eps) * gamma + beta (Ba, Kiros, Hinton 2016).
func LayerNorm[T expr.Float](a, gamma, beta expr.Exp[T], eps float64) expr.Exp[T] {
	x := []*tree.Node{expr.NodeOf(a), nil, nil}
	for i, e := range []expr.Exp[T]{gamma, beta} {
		if e != nil {
			x[i+1] = e.Node()
		}
	}
	return composed[T]("layernorm", Options{Numbers: []float64{eps}}, x...)
}

// NaNSum returns the sum over axes of the elements that are not NaN.
func NaNSum[T expr.Number](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("nansum", options(opts), expr.NodeOf(a))
}

// CountNonzero returns the number of elements over axes that are not 0.
func CountNonzero[T expr.Elem](a expr.Exp[T], opts ...ReduceOption) expr.Exp[int64] {
	return composed[int64]("count_nonzero", options(opts), expr.NodeOf(a))
}

// PeakToPeak returns the maximum less the minimum over axes.
func PeakToPeak[T expr.Number](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return composed[T]("ptp", options(opts), expr.NodeOf(a))
}

// NaNToNum returns a with NaN replaced by nan, and infinities by the greatest
// finite numbers.
func NaNToNum[T expr.Float](a expr.Exp[T], nan float64) expr.Exp[T] {
	return composed[T]("nan_to_num", Options{Numbers: []float64{nan}}, expr.NodeOf(a))
}

// OneHot returns 1 at the position of the index along a new last axis of size
// depth, and 0 elsewhere. An index outside gives zeros.
func OneHot[T expr.Number, I expr.Integer](index expr.Exp[I], depth int) expr.Exp[T] {
	return composed[T]("one_hot", Options{Ints: []int{depth}, To: dtype.Of[T]()}, expr.NodeOf(index))
}
