package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of numbers, as trees and as constructors.

func (o Options) keep() Options {
	o.Keep = true
	return o
}

// orAxes returns the options with axes, if they have none.
func (o Options) orAxes(axes ...int) Options {
	if o.Axes == nil {
		o.Axes = axes
	}
	return o
}

// whole divides by the number of elements.
func (o Options) whole() Options {
	o.DDof = 0
	return o
}

func mean(o Options, x ...*tree.Node) *tree.Node {
	stopIf(o.DDof != 0, wrong, "ddof is an option of var and std")
	return average(o, x[0])
}

// average returns the sum over the axes divided by the number of elements that
// one result combines, less o.DDof and at least 0.
func average(o Options, a *tree.Node) *tree.Node {
	n := lists.Product(sound(a).Shape(), valid(shape.Axes(o.Axes, len(a.Shape()))))
	stopIf(n == 0, misshapen, "an empty axis has no mean")
	by, sum := max(float64(n)-o.DDof, 0), Reduce("sum", a, o.whole())
	if f, _ := math.Frexp(by); f == 0.5 && (a.DType() == dtype.F32 || a.DType() == dtype.F64) { // a power of two: the product has the same bits
		return Call("mul", sum, tree.ConstFloat(a.DType(), 1/by))
	}
	return Call("div", sum, tree.ConstFloat(a.DType(), by))
}

// variation averages the squared distances from the mean. Those of complex numbers
// are sums of two squares.
func variation(o Options, x ...*tree.Node) *tree.Node {
	d := Call("sub", x[0], average(o.keep().whole(), x[0]))
	if d.DType().IsComplex() {
		return average(o, Call("add", Call("square", Call("real", d)), Call("square", Call("imag", d))))
	}
	return average(o, Call("square", d))
}

func deviation(o Options, x ...*tree.Node) *tree.Node { return Call("sqrt", variation(o, x...)) }

// shift returns the maximum over axes, or 0 if they have no elements. The exact results
// below do not depend on it.
func shift(o Options, a *tree.Node) *tree.Node {
	if lists.Product(sound(a).Shape(), valid(shape.Axes(o.Axes, len(a.Shape())))) == 0 {
		return tree.ConstFloat(a.DType(), 0)
	}
	return Call("stop_gradient", Reduce("max", a, o.keep()))
}

// softmax reduces the last axis if the options name none.
func softmax(o Options, x ...*tree.Node) *tree.Node {
	o = o.orAxes(-1)
	e := Call("exp", Call("sub", x[0], shift(o, x[0])))
	return Call("div", e, Reduce("sum", e, o.keep()))
}

// logSumExp shifts by the maximum if that is finite.
func logSumExp(o Options, x ...*tree.Node) *tree.Node {
	m := sound(shift(o, x[0]))
	m = Call("where", Call("isfinite", m), m, tree.ConstFloat(m.DType(), 0))
	l := Call("add", Call("log", Reduce("sum", Call("exp", Call("sub", x[0], m)), o.keep())), m)
	if o.Keep {
		return l
	}
	axes, _ := shape.Axes(o.Axes, len(x[0].Shape()))
	return dropAxes(l, axes)
}

// layerNorm has eps 1e-5 if the options do not state it.
func layerNorm(o Options, x ...*tree.Node) *tree.Node {
	last := Options{Axes: []int{-1}, Keep: true}
	d := Call("sub", x[0], average(last, x[0]))
	y := Call("div", d, Call("sqrt", Call("add", average(last, Call("square", d)), like(d, o.number(1e-5)))))
	if x[1] != nil {
		y = Call("mul", y, x[1])
	}
	if x[2] != nil {
		y = Call("add", y, x[2])
	}
	stopIf(y.Err() == nil && !y.Shape().Equal(x[0].Shape()), misshapen, "gamma or beta broadcasts the operand of shape %v to %v", x[0].Shape(), y.Shape())
	return y
}

// reducing returns the composition that reduces its operand by the reduction of a name.
func reducing(name string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node { return Reduce(name, x[0], o) }
}

var nanSum, nanProd = withoutNaN(0, reducing("sum")), withoutNaN(1, reducing("prod"))

func countNonzero(o Options, x ...*tree.Node) *tree.Node {
	return Reduce("sum", Cast(Cast(x[0], dtype.Bool), dtype.I64), o)
}

func peakToPeak(o Options, x ...*tree.Node) *tree.Node {
	return Call("sub", Reduce("max", x[0], o), Reduce("min", x[0], o))
}

// largest are the greatest finite numbers.
var largest = map[dtype.Type]float64{dtype.F16: 65504, dtype.BF16: 0x1.fep127, dtype.F32: math.MaxFloat32, dtype.F64: math.MaxFloat64}

func nanToNum(o Options, x ...*tree.Node) *tree.Node {
	a, t := x[0], x[0].DType()
	switch {
	case t.IsComplex():
		return Complex(nanToNum(o, Call("real", a)), nanToNum(o, Call("imag", a)))
	case !t.IsFloat():
		return a
	}
	v := []float64{0, math.MaxFloat64, -math.MaxFloat64} // for NaN, +Inf and -Inf
	copy(v, o.Numbers)
	number := func(v float64) *tree.Node { // the greatest float64 stands for the greatest number of T
		if math.Abs(v) == math.MaxFloat64 {
			v = math.Copysign(largest[t], v)
		}
		return tree.ConstFloat(t, v)
	}
	most := number(math.MaxFloat64)
	a = Call("where", Call("greater", a, most), number(v[1]), a)
	a = Call("where", Call("less", a, Call("neg", most)), number(v[2]), a)
	return Call("where", Call("isnan", x[0]), number(v[0]), a)
}
