package untyped

import (
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the activations of networks that are compositions.

// softplus takes the exponential of a number that is not above 0. The maximum shares the adjoint
// at 0, so the derivative there is 1/2.
func softplus(_ Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	rest := Call("log1p", Call("exp", Call("neg", Call("abs", a))))
	return Call("add", Call("maximum", a, like(a, 0)), rest)
}

// silu multiplies finite factors, so neither the product at negative infinity, which is -0, nor the
// derivatives at infinities are products of 0 and infinity. The sigmoid is 0 or 1 already where the
// factor begins to differ from x.
func silu(_ Options, x ...*tree.Node) *tree.Node {
	a, least, most := x[0], like(x[0], -1e4), like(x[0], 1e4)
	// Selections, as NaN and zeros need no order here.
	near := Call("where", Call("less", a, least), least, a)
	near = Call("where", Call("greater", near, most), most, near)
	return Call("where", Call("greater", a, most), a, Call("mul", near, Call("sigmoid", a)))
}

// elu takes the exponential only of numbers that are not above 0, so no adjoint is a product of 0
// and infinity.
func elu(o Options, x ...*tree.Node) *tree.Node {
	a, zero := x[0], like(x[0], 0)
	above := Call("greater", a, zero)
	below := Call("mul", Call("expm1", Call("where", above, zero, a)), like(a, o.number(1)))
	return Call("where", above, a, below)
}

func leakyReLU(o Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	return Call("where", Call("greater", a, like(a, 0)), a, Call("mul", a, like(a, o.number(.01))))
}

// number returns the first number of the options, or the given one.
func (o Options) number(without float64) float64 {
	if len(o.Numbers) > 0 {
		return o.Numbers[0]
	}
	return without
}

// logSoftmax reduces the last axis if the options name none. It shifts by the maximum if that is
// finite.
func logSoftmax(o Options, x ...*tree.Node) *tree.Node {
	o = o.orAxes(-1)
	m := shift(o, x[0])
	if m.Err() != nil {
		return m
	}
	d := Call("sub", x[0], Call("where", Call("isfinite", m), m, like(m, 0)))
	return Call("sub", d, Call("log", Reduce("sum", Call("exp", d), o.keep())))
}
