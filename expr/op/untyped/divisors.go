package untyped

import (
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

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
