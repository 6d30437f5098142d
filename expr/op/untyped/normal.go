package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// Numbers of the normal distribution are quantiles of random numbers x between -1 and 1: x times
// a polynomial in log(1-x^2) (Giles 2010). One number in 300 is in the tails, and has a polynomial
// in the root of the logarithm, in a cold region.

// normalQuantile returns the quantiles of (1+x)/2.
var normalQuantile = tree.NewOperator(tree.Row{
	Name: "normal_quantile", Class: tree.Elementwise, Arity: 1, Types: tree.TypesOf(dtype.F32, dtype.F64), Lower: lowerNormalQuantile, ULP: -1,
	Doc: "the quantile of the normal distribution for the probability (1+x)/2",
})

// The polynomial of the centre has log(1-x^2) plus normalMiddle, which is between -normalMiddle
// and normalMiddle there, and that of the tails has the root of -log(1-x^2) less tailsMiddle.
const (
	normalMiddle = 2.5
	tailsMiddle  = 4
)

// lowerNormalQuantile has an error of 2^-34, or 2^-23 for float32. It rounds 1-x^2 once, so the tails keep their
// relative accuracy. The logarithm needs no relative accuracy near 1, and is log((1+s)/(1-s)).
func lowerNormalQuantile(b *B, x ...V) V {
	f := formatOf(b, x[0])
	e, m1 := splitLog(b, f, b.Fma(b.Neg(x[0]), x[0], f.c(b, 1)), math.Sqrt2/2)
	u := b.Div(m1, b.Add(m1, f.c(b, 2)))
	z := b.Mul(u, u)
	t := b.Fma(b.Mul(u, z), horner2(b, z, b.Mul(z, z), normalLog[f.row]), b.Fma(u, f.c(b, 2), f.c(b, normalMiddle)))
	t = b.Fma(e, f.at(b, ln2Near, 0), t) // log(1-x^2) + normalMiddle
	q := b.Cold(b.Lt(t, f.c(b, -normalMiddle)), horner4(b, t, normalCentre[f.row]), func() V { return quantileTail(b, f, t) })
	return b.Mul(x[0], q)
}

// quantileTail returns the quantile of (1+x)/2, divided by x, in the tails. t is log(1-x^2) + normalMiddle.
func quantileTail(b *B, f *format, t V) V {
	r := b.Sqrt(b.Sub(f.c(b, normalMiddle), t))
	return horner(b, b.Sub(r, f.c(b, tailsMiddle)), normalTails[f.row])
}

// NormalOf returns numbers of the normal distribution in type t, float32 or float64. They are
// made of x = (2k+1) 2^-n, where k is the integer of the upper n bits of the width of t, and n is
// 24 or 53, so that x is exact.
func NormalOf(t dtype.Type, bits *tree.Node) *tree.Node {
	i, width, n := dtype.I64, 64, 53
	if t == dtype.F32 {
		i, width, n = dtype.I32, 32, 24
	}
	k := Call("right_shift", Cast(bits, i), tree.ConstInt(i, int64(width-n)))
	x := Call("fma", Cast(k, t), tree.ConstFloat(t, math.Ldexp(2, -n)), tree.ConstFloat(t, math.Ldexp(1, -n)))
	return Apply(normalQuantile, x)
}
