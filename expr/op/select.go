package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"golang.org/x/exp/constraints"
)

var rounding = family(tree.Row{Class: tree.Elementwise, Arity: 1, Types: floats}, []tree.Row{
	{Name: "floor", Lower: prim1(prim.Floor), Grad: flat, Doc: "the greatest integer <= x."},
	{Name: "ceil", Lower: prim1(prim.Ceil), Grad: flat, Doc: "the least integer >= x."},
	{Name: "trunc", Lower: prim1(prim.Trunc), Grad: flat, Doc: "x without its fraction."},
	{Name: "rint", Lower: prim1(prim.Rint), Grad: flat, Doc: "the nearest integer, ties to even."},
})

var selection = family(tree.Row{Class: tree.Elementwise, Arity: 2, Types: numbers}, []tree.Row{
	{
		Name: "maximum", Lower: prim2(prim.Max), Grad: gradExtreme("less"),
		Doc: "the larger of x and y; NaN wins, -0 < +0.",
	},
	{
		Name: "minimum", Lower: prim2(prim.Min), Grad: gradExtreme("greater"),
		Doc: "the smaller of x and y; NaN wins, -0 < +0.",
	},
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
		Name: "where", Operands: "cond x y", Arity: 3, Types: elems, Cond: true, Lower: prim3(prim.Select),
		Grad: gradWhere,
		Doc:  "x where the condition holds, else y.",
	},
	{
		Name: "cast", Arity: 1, Types: elems, Result: tree.ResultTo, ULP: .5, Lower: identity, Grad: gradCast,
		Doc: "x as another element type: to float rounds to nearest even; float to integer truncates and saturates, NaN gives 0; integer to integer wraps; to bool: x != 0.",
	},
	{
		Name: "stop_gradient", Arity: 1, Types: elems, Lower: identity, Same: true, Grad: flat,
		Doc: "x, as a constant to derivatives.",
	},
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

// Where returns x where cond holds, else y. The three operands broadcast.
func Where[T expr.Elem](cond expr.Exp[bool], x, y expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](call("where", expr.NodeOf(cond), expr.NodeOf(x), expr.NodeOf(y)))
}

// Cast returns a with elements converted to type To. Floats round to nearest
// even. Float to integer truncates and saturates, and NaN gives 0. Integers
// wrap. The conversion to bool is != 0.
func Cast[To, From expr.Elem](a expr.Exp[From]) expr.Exp[To] {
	return expr.Of[To](CastNode(expr.NodeOf(a), dtype.Of[To]()))
}

// CastNode returns Cast for untyped trees. If the type fits, it returns a.
func CastNode(a *tree.Node, to dtype.Type) *tree.Node {
	if a != nil && a.Err() == nil && a.DType() == to && !to.IsHalf() {
		return a
	}
	return tree.ApplyWith(row("cast"), tree.Attributes{To: to}, a)
}

// Real is the constraint of the Go scalars that constructors take.
type Real interface {
	constraints.Integer | constraints.Float
}

func scalar[T expr.AnyNumber, S Real](s S) *tree.Node {
	t, f := dtype.Of[T](), float64(s)
	if t.IsInt() {
		// The conversion of a float out of range depends on the machine.
		integer := S(1)/2 == 0
		if i := int64(s); (integer || -0x1p63 <= f && f < 0x1p63) && S(i) == s && (s < 0) == (i < 0) {
			return tree.ConstInt(t, i)
		}
		if u := uint64(s); t == dtype.U64 && s > 0 && (integer || f < 0x1p64) && S(u) == s { // above the greatest int64
			return tree.NewConst(t, u)
		}
	}
	return tree.ConstFloat(t, f)
}

// Scale returns s * a. The scalar is converted to the element type. If an
// integer type cannot hold it, the result carries an error.
func Scale[T expr.AnyNumber, S Real](s S, a expr.Exp[T]) expr.Exp[T] {
	n := expr.NodeOf(a)
	return expr.Of[T](tree.Apply(rowMul, scalar[T](s), n).As("Scale", n))
}

// WhereScalar returns x where cond holds, else s. The element type has to hold
// the scalar.
func WhereScalar[T expr.AnyNumber, S Real](cond expr.Exp[bool], x expr.Exp[T], s S) expr.Exp[T] {
	c, n := expr.NodeOf(cond), expr.NodeOf(x)
	return expr.Of[T](call("where", c, n, scalar[T](s)).As("WhereScalar", c, n))
}

// Full returns a scalar of element type T, which broadcasts to any shape.
func Full[T expr.AnyNumber, S Real](s S) expr.Exp[T] { return expr.Of[T](scalar[T](s).As("Full")) }
