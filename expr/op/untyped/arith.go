package untyped

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

var arithmetic = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: numbers}, []tree.Row{
	{Name: "add", Symbol: "+", ULP: .5, Lower: primitive(prim.Add), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Out }, Doc: "x + y; integers wrap."},
	{Name: "sub", Symbol: "-", ULP: .5, Lower: primitive(prim.Sub), Grad: gradSub, Doc: "x - y; integers wrap."},
	{Name: "mul", Symbol: "*", ULP: .5, Lower: primitive(prim.Mul), Grad: func(g *tree.Adjoint, arg int) *tree.Node { return g.Mul(g.Out, g.Arg(1-arg)) }, Doc: "x * y; integers wrap."},
	{
		Name: "div", Symbol: "/", ULP: .5, Lower: primitive(prim.Div), Fault: zeroDivisor,
		FaultKind: tree.ErrDivide, Grad: gradDiv,
		Doc: "x / y; integers truncate towards zero and division by zero is an error.",
	},
	{
		Name: "floor_divide", Symbol: "//", GoName: "FloorDiv", ULP: .5,
		Lower: byClass(floorDivFloat, floorDivInt, floorDivInt), Fault: zeroDivisor,
		FaultKind: tree.ErrDivide, Grad: flat,
		Doc: "floor(x / y) as NumPy's //: of floats it agrees with mod; of integers division by zero is an error.",
	},
	{
		Name: "mod", Symbol: "%", ULP: .5, Lower: byClass(modFloat, modInt, modInt),
		Fault: zeroDivisor, FaultKind: tree.ErrDivide, Grad: gradMod,
		Doc: "x - y*floor(x/y) as NumPy's %: the sign is that of y; exact but for the rounding where that moves the remainder to the sign of y; of integers division by zero is an error.",
	},
	{
		Name: "fmod", Lower: byClass(fmodFloat, fmodInt, fmodInt), Fault: zeroDivisor, FaultKind: tree.ErrDivide, Grad: gradFmod,
		Doc: "x - y*trunc(x/y): the sign is that of x; exact; of integers division by zero is an error.",
	},
	{Name: "fma", GoName: "FMA", Arity: 3, Types: floats, ULP: .5, Lower: primitive(prim.Fma), Grad: gradFMA, Doc: "x*y + z, rounded once."},
	{Name: "neg", Arity: 1, Lower: primitive(prim.Neg), Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", g.Out) }, Doc: "-x; integers wrap."},
	{
		Name: "abs", Arity: 1, Result: tree.ResultPart, Lower: byClass(primitive(prim.Abs), primitive(prim.Abs), identity), Grad: gradAbs,
		Doc: "x without its sign; the least integer stays.",
	},
	{Name: "sign", Arity: 1, Lower: lowerSign, Grad: flat, Doc: "-1, 0 or 1 by the sign of x; +0 for both zeros; NaN stays."},
	{
		Name: "square", Arity: 1, ULP: .5, Lower: func(b *B, x ...V) V { return b.Mul(x[0], x[0]) },
		Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Mul(g.Const(2), g.Arg(0))) },
		Doc:  "x * x.",
	},
	{
		Name: "reciprocal", Arity: 1, Types: floats, ULP: .5,
		Lower: func(b *B, x ...V) V { return b.Div(b.Like(x[0], 1), x[0]) }, Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.Op("neg", g.Mul(g.Out, g.Op("square", g.Node))) },
		Doc: "1 / x.",
	},
	{
		Name: "copysign", GoName: "CopySign", Types: floats, Lower: signOfNumber, Grad: gradCopySign,
		Doc: "the magnitude of x with the sign of y, of which NaN has none.",
	},
})

// zeroDivisor returns the condition under which an integer division is
// undefined.
func zeroDivisor(b *B, x ...V) V {
	if prim.Float.Has(x[1].Type) {
		return V{}
	}
	return b.Eq(x[1], b.Like(x[1], 0))
}

// lowerSign adds 0 to values that are neither above nor below 0: the sum is +0 for -0,
// and NaN for NaN.
func lowerSign(b *B, x ...V) V {
	v, zero, one := x[0], b.Like(x[0], 0), b.Like(x[0], 1)
	switch {
	case prim.Float.Has(v.Type):
		return b.Select(b.Lt(v, zero), b.Like(v, -1), b.Select(b.Lt(zero, v), one, b.Add(v, zero)))
	case prim.Uint.Has(v.Type):
		return b.Min(v, one)
	}
	return b.Max(b.Min(v, one), b.Like(v, -1))
}

func signMask(b *B, x V) (bits, sign V) {
	t := prim.IntOf(x.Type)
	if t == dtype.I64 {
		return b.Bitcast(t, x), b.Bits(t, 1<<63)
	}
	return b.Bitcast(t, x), b.Bits(t, 1<<31)
}

// signOfNumber treats a NaN as positive, because the sign of a NaN is not
// defined.
func signOfNumber(b *B, x ...V) V {
	mag, sign := signMask(b, x[0])
	set := b.Select(negative(b, x[1]), sign, b.Like(sign, 0))
	return b.Bitcast(x[0].Type, b.Or(b.And(mag, b.Not(sign)), set))
}

func lowerCopySign(b *B, x ...V) V {
	mag, sign := signMask(b, x[0])
	from, _ := signMask(b, x[1])
	return b.Bitcast(x[0].Type, b.Or(b.And(mag, b.Not(sign)), b.And(from, sign)))
}
