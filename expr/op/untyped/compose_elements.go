package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the compositions that work element by element.

// like returns v as a scalar with the type of a.
func like(a *tree.Node, v float64) *tree.Node {
	if a.Err() != nil {
		return a
	}
	return tree.ConstFloat(a.DType(), v)
}

// scaled returns a composition that multiplies by v.
func scaled(v float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node { return Call("mul", x[0], like(x[0], v)) }
}

// logAdd returns the logarithm of the sum of two powers. The distance of equal exponents, also of
// infinite ones, is 0. They share the adjoint, as the maximum does.
func logAdd(power float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node {
		a, b := x[0], x[1]
		apart := Call("where", Call("equal", a, b), like(a, 0), Call("sub", a, b))
		rest := Call("exp", Call("mul", Call("neg", Call("abs", apart)), like(a, power)))
		return Call("add", Call("maximum", a, b), Call("div", Call("log1p", rest), like(a, power)))
	}
}

// sinc has the value 1 at 0, as NumPy computes it.
func sinc(_ Options, x ...*tree.Node) *tree.Node {
	zero := Call("equal", x[0], like(x[0], 0))
	y := Call("mul", Call("where", zero, like(x[0], 1), x[0]), like(x[0], math.Pi))
	return Call("where", zero, like(x[0], 1), Call("div", Call("sin", y), y))
}

func heaviside(_ Options, x ...*tree.Node) *tree.Node {
	a := x[0]
	positive := Call("where", Call("greater", a, like(a, 0)), like(a, 1), x[1])
	step := Call("where", Call("less", a, like(a, 0)), like(a, 0), positive)
	return Call("where", Call("isnan", a), a, step)
}

func infinite(sign int) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node { return Call("equal", x[0], like(x[0], math.Inf(sign))) }
}

// bitCount adds neighbouring groups of 1, 2 and 4 bits, and then bytes, in integers of the size of the elements.
func bitCount(_ Options, x ...*tree.Node) *tree.Node {
	a := magnitude(x[0])
	t := a.DType()
	number := func(v uint64) *tree.Node { return tree.NewConst(t, v&t.Mask()) }
	shift := func(a *tree.Node, by int) *tree.Node { return Call("right_shift", a, number(uint64(by))) }
	and := func(a *tree.Node, mask uint64) *tree.Node { return Call("bitwise_and", a, number(mask)) }
	a = Call("sub", a, and(shift(a, 1), 0x5555555555555555))
	a = Call("add", and(a, 0x3333333333333333), and(shift(a, 2), 0x3333333333333333))
	a = and(Call("add", a, shift(a, 4)), 0x0f0f0f0f0f0f0f0f)
	width := 8 * t.Size()
	for by := 8; by < width; by *= 2 {
		a = Call("add", a, shift(a, by))
	}
	if width > 8 { // the upper bytes have other sums
		a = and(a, uint64(2*width-1))
	}
	return Cast(a, dtype.U8)
}
