package untyped

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

var rounding = family(tree.Row{Class: tree.Elementwise, Arity: 1, Types: floats}, []tree.Row{
	{Name: "floor", Lower: primitive(prim.Floor), Grad: flat, Doc: "the greatest integer <= x."},
	{Name: "ceil", Lower: primitive(prim.Ceil), Grad: flat, Doc: "the least integer >= x."},
	{Name: "trunc", Lower: primitive(prim.Trunc), Grad: flat, Doc: "x without its fraction."},
	{Name: "rint", Lower: primitive(prim.Rint), Grad: flat, Doc: "the nearest integer, ties to even."},
	{Name: "mantissa", Lower: lowerMantissa, Grad: gradMantissa, Doc: "m of x = m * 2**e with 0.5 <= |m| < 1; 0, infinity and NaN stay."},
	{Name: "exponent", Lower: lowerExponent, Grad: flat, Doc: "e of x = m * 2**e with 0.5 <= |m| < 1; 0 for 0, infinity and NaN."},
	{
		Name: "ldexp", Arity: 2, ULP: .5, Lower: lowerLdexp, Grad: gradLdexp,
		Doc: "x * 2**y, rounded once, for an integer y; of other numbers the part before the point counts.",
	},
})

var selection = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: numbers}, []tree.Row{
	{Name: "maximum", Lower: primitive(prim.Max), Grad: gradExtreme("less"), Doc: "the larger of x and y; NaN wins, -0 < +0."},
	{Name: "minimum", Lower: primitive(prim.Min), Grad: gradExtreme("greater"), Doc: "the smaller of x and y; NaN wins, -0 < +0."},
	{
		Name: "fmax", GoName: "FMax", Lower: ignoreNaN(prim.Max), Grad: gradNumber("greater"),
		Doc: "the larger of x and y; a NaN is ignored where the other is none.",
	},
	{
		Name: "fmin", GoName: "FMin", Lower: ignoreNaN(prim.Min), Grad: gradNumber("less"),
		Doc: "the smaller of x and y; a NaN is ignored where the other is none.",
	},
	{
		Name: "clip", Operands: "x lo hi", Arity: 3,
		Lower: func(b *B, x ...V) V { return b.Min(b.Max(x[0], x[1]), x[2]) }, Grad: gradClip,
		Doc: "x brought into lo..hi: minimum(maximum(x, lo), hi).",
	},
	{
		Name: "relu", GoName: "ReLU", Arity: 1,
		Lower: func(b *B, x ...V) V { return b.Max(x[0], b.Like(x[0], 0)) }, Grad: gradReLU,
		Doc: "x where x > 0, else +0; NaN stays.",
	},
	{
		Name: "where", Operands: "cond x y", Arity: 3, Types: elems, Cond: true, Lower: primitive(prim.Select),
		Grad: gradWhere,
		Doc:  "x where the condition holds, else y.",
	},
	{
		Name: "cast", Arity: 1, Types: elems, Result: tree.ResultTo, ULP: .5, Lower: identity, Grad: gradCast,
		Doc: "x as another element type: to float rounds to nearest even; float to integer truncates and saturates, NaN gives 0; integer to integer wraps; to bool: x != 0.",
	},
	{Name: "stop_gradient", Arity: 1, Types: elems, Lower: identity, Same: true, Grad: flat, Doc: "x, as a constant to derivatives."},
})

func ignoreNaN(p prim.Op) func(*B, ...V) V {
	return func(b *B, x ...V) V {
		m := b.Op(p, x[0], x[1])
		if !prim.Float.Has(x[0].Type) {
			return m
		}
		m = b.Select(b.Ne(x[1], x[1]), x[0], m)
		return b.Select(b.Ne(x[0], x[0]), x[1], m)
	}
}

// Cast returns op.Cast of untyped trees. If the type fits, it returns a.
func Cast(a *tree.Node, to dtype.Type) *tree.Node {
	if a != nil && a.Err() == nil && a.DType() == to && !to.IsHalf() {
		return a
	}
	return tree.ApplyWith(Row("cast"), tree.Attributes{To: to}, a)
}
