package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has the compositions that work element by element, the activations of networks among them.

// like returns v as a scalar with the type of a.
func like(a *tree.Node, v float64) *tree.Node {
	if a.Err() != nil {
		return a
	}
	return tree.ConstFloat(a.DType(), v)
}

// widened returns a numeric operand in the type in which the engine computes it. Constants with
// this type are not rounded to halves.
func widened(a *tree.Node) *tree.Node { return sound(Cast(a, a.DType().Register())) }

// scaled returns a composition that multiplies by v.
func scaled(v float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node {
		a := widened(x[0])
		return Cast(Call("mul", a, like(a, v)), x[0].DType())
	}
}

// logAdd returns a composition for the logarithm of the sum of two powers. The function power computes them,
// and ln is the natural logarithm of their base. The distance of equal exponents, also of infinite ones, is 0.
// They share the adjoint, as the maximum does.
func logAdd(power string, ln float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(_ Options, x ...*tree.Node) *tree.Node {
		a, b := widened(x[0]), widened(x[1])
		apart := Call("where", Call("equal", a, b), like(a, 0), Call("sub", a, b))
		rest := Call("log1p", Call(power, Call("neg", Call("abs", apart))))
		return Cast(Call("add", Call("maximum", a, b), Call("div", rest, like(a, ln))), x[0].DType())
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
	m := sound(shift(o, x[0]))
	d := Call("sub", x[0], Call("where", Call("isfinite", m), m, like(m, 0)))
	return Call("sub", d, Call("log", Reduce("sum", Call("exp", d), o.keep())))
}

// magnitude returns |a| of integers as unsigned ones of the same size, which have the magnitude of the least integer too.
func magnitude(a *tree.Node) *tree.Node { return Cast(Call("abs", a), a.DType().Unsigned()) }

// quotient is a division by numbers that are not 0: it has no fault, which would take a pass of its own.
var quotient = tree.NewOperator(tree.Row{
	Name: "quotient", Class: tree.Elementwise, Arity: 2, Types: ints, Lower: primitive(prim.Div), Doc: "x / y for y that are not 0",
})

// commonDivisor returns the greatest common divisor of unsigned integers by the binary algorithm of Stein
// (1967): b is odd, and each step halves a, or the difference that takes its place. Then a*b falls by
// half at least, so twice the number of bits are enough steps. The powers of 2 are taken out first.
func commonDivisor(a, b *tree.Node) *tree.Node {
	t := a.DType()
	number := func(v int64) *tree.Node { return tree.ConstInt(t, v) }
	bits := Call("bitwise_or", a, b)
	twos := Call("maximum", Call("bitwise_and", bits, Call("neg", bits)), number(1))
	a, b = Apply(quotient, a, twos), Apply(quotient, b, twos)
	odd := func(x *tree.Node) *tree.Node { return Call("not_equal", Call("bitwise_and", x, number(1)), number(0)) }
	first := []*tree.Node{Call("where", odd(b), a, b), Call("where", odd(b), b, a)}
	r := Scan(first, nil, ScanOptions{Length: 16 * t.Size()}, func(_ *tree.Node, s, _ []*tree.Node) (next, out []*tree.Node) {
		a, b := s[0], s[1]
		least := Call("minimum", a, b)
		rest := Call("where", odd(a), Call("sub", Call("maximum", a, b), least), a)
		return []*tree.Node{Call("right_shift", rest, number(1)), Call("where", odd(a), least, b)}, nil
	})
	return Call("mul", r.Last(1), twos)
}

func gcd(_ Options, x ...*tree.Node) *tree.Node {
	return Cast(commonDivisor(magnitude(x[0]), magnitude(x[1])), x[0].DType())
}

func lcm(_ Options, x ...*tree.Node) *tree.Node {
	a, b := magnitude(x[0]), magnitude(x[1])
	d := Call("maximum", commonDivisor(a, b), tree.ConstInt(a.DType(), 1)) // 0 of 0 and 0
	return Cast(Call("mul", Apply(quotient, a, d), b), x[0].DType())
}
