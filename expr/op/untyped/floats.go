package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// A float x is m * 2^e with .5 <= |m| < 1. The rows below give m and e, and multiply by powers of
// 2. What follows from them for the types in memory is a composition: a half is a float32 in
// kernels, whose neighbours are others.

// lowerLdexp takes the part of the power before the point.
func lowerLdexp(b builder, x ...V) V {
	far := float64(4 * b.bias) // beyond, every result has overflowed or underflowed
	k := b.Cvt(b.i, clampTo(b, x[1], -far, far))
	return b.Select(b.Eq(x[1], x[1]), b.Scale(x[0], k), x[1])
}

// normalized returns x times 2^shift, where shift is 0 unless x is subnormal, and whether x is
// finite and not 0.
func normalized(b builder, x V) (y, shift, ok V) {
	a, k := b.Abs(x), b.mant+1
	small := b.Lt(a, b.c(math.Ldexp(1, int(1-b.bias))))
	y = b.Select(small, b.Mul(x, b.c(math.Ldexp(1, int(k)))), x)
	ok = b.And(b.Lt(b.c(0), a), b.Lt(a, b.c(math.Inf(1))))
	return y, b.Select(small, b.int(k), b.int(0)), ok
}

func lowerMantissa(b builder, x ...V) V {
	y, _, ok := normalized(b, x[0])
	kept := b.int(math.MinInt64>>(64-b.width) | 1<<b.mant - 1) // the sign and the significand
	m := b.Or(b.And(b.bits(y), kept), b.int((b.bias-1)<<b.mant))
	return b.Select(ok, b.float(m), x[0])
}

func lowerExponent(b builder, x ...V) V {
	y, shift, ok := normalized(b, x[0])
	e := b.Sub(b.Shr(b.bits(b.Abs(y)), b.int(b.mant)), b.Add(shift, b.int(b.bias-1)))
	return b.Cvt(b.t, b.Select(ok, e, b.int(0)))
}

func gradLdexp(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 1 {
		return nil
	}
	return g.Op("ldexp", g.Out, g.Arg(1))
}

func gradMantissa(g *tree.Adjoint, _ int) *tree.Node {
	return g.Op("ldexp", g.Out, g.Op("neg", g.Op("exponent", g.Arg(0))))
}

// grids are the bits of a significand after the first, and the least exponents of normal numbers
// with a significand from 1 to 2.
var grids = map[dtype.Type]struct{ bits, least float64 }{dtype.F16: {10, -14}, dtype.BF16: {7, -126}, dtype.F32: {23, -126}, dtype.F64: {52, -1022}}

// unitAt returns the distance of the numbers that have the exponent e, as of the row exponent.
func unitAt(e *tree.Node) *tree.Node {
	grid := grids[e.DType()]
	e = Call("maximum", Call("sub", e, like(e, 1)), like(e, grid.least))
	return Call("ldexp", like(e, 1), Call("sub", e, like(e, grid.bits)))
}

// exponentOf returns the exponent of a number. For 0 it is one whose numbers have the least distance.
func exponentOf(a *tree.Node) *tree.Node {
	return Call("where", Call("equal", a, like(a, 0)), like(a, grids[a.DType()].least), Call("exponent", a))
}

// spacing, as nextAfter, takes the digits that an element has: a half inside a tree has more.
func spacing(_ Options, x ...*tree.Node) *tree.Node {
	a := Cast(x[0], x[0].DType())
	most := like(a, largest[a.DType()])
	u := Call("where", Call("greater_equal", Call("abs", a), most), like(a, math.Inf(1)), unitAt(exponentOf(a)))
	u = Call("where", Call("less", a, like(a, 0)), Call("neg", u), u)
	return Call("where", Call("isfinite", a), u, like(a, math.NaN()))
}

// nextAfter adds the distance of numbers. It is half of that below a power of 2.
func nextAfter(_ Options, x ...*tree.Node) *tree.Node {
	a, to := Cast(x[0], x[0].DType()), Cast(x[1], x[1].DType())
	zero, up := Call("equal", a, like(a, 0)), Call("greater", to, a)
	inwards := Call("where", up, Call("less", a, like(a, 0)), Call("greater", a, like(a, 0)))
	power := Call("equal", Call("abs", Call("mantissa", a)), like(a, .5))
	e := exponentOf(a)
	step := unitAt(Call("where", Call("logical_and", inwards, power), Call("sub", e, like(e, 1)), e))
	y := Call("add", a, Call("where", up, step, Call("neg", step)))
	y = Call("where", zero, y, Call("copysign", y, a))
	y = Call("where", Call("isinf", a), Call("copysign", like(a, largest[a.DType()]), a), y)
	y = Call("where", Call("equal", a, to), to, y)
	return Call("where", Call("logical_or", Call("isnan", a), Call("isnan", to)), Call("add", a, to), y)
}
