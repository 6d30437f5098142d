package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"golang.org/x/exp/constraints"
)

// Where returns x where cond holds, else y. The three operands broadcast.
func Where[T expr.Elem](cond expr.Exp[bool], x, y expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](untyped.Call("where", expr.NodeOf(cond), expr.NodeOf(x), expr.NodeOf(y)))
}

// Cast returns a with elements converted to type To. Floats round to nearest
// even. Float to integer truncates and saturates, and NaN gives 0. Integers
// wrap. The conversion to bool is != 0.
func Cast[To, From expr.Elem](a expr.Exp[From]) expr.Exp[To] {
	return expr.Of[To](untyped.Cast(expr.NodeOf(a), dtype.Of[To]()))
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

// scalarsAfter returns an operator of x and Go scalars, for the generated constructors.
func scalarsAfter[T expr.AnyNumber, R expr.Elem, S Real](o *tree.Operator, called string, x expr.Exp[T], scalars ...S) expr.Exp[R] {
	args := append(make([]*tree.Node, 0, 3), expr.NodeOf(x))
	for _, s := range scalars {
		args = append(args, scalar[T](s))
	}
	return expr.Of[R](tree.Apply(o, args...).As(called, args[0]))
}

// scalarBefore returns an operator of a Go scalar and x.
func scalarBefore[T expr.AnyNumber, S Real](o *tree.Operator, called string, x expr.Exp[T], s S) expr.Exp[T] {
	n := expr.NodeOf(x)
	return expr.Of[T](tree.Apply(o, scalar[T](s), n).As(called, n))
}

// Scale returns s * a. The scalar is converted to the element type. If an
// integer type cannot hold it, the result carries an error.
func Scale[T expr.AnyNumber, S Real](s S, a expr.Exp[T]) expr.Exp[T] {
	return scalarBefore(rowMul, "Scale", a, s)
}

// WhereScalar returns x where cond holds, else s. The element type has to hold
// the scalar.
func WhereScalar[T expr.AnyNumber, S Real](cond expr.Exp[bool], x expr.Exp[T], s S) expr.Exp[T] {
	c, n := expr.NodeOf(cond), expr.NodeOf(x)
	return expr.Of[T](untyped.Call("where", c, n, scalar[T](s)).As("WhereScalar", c, n))
}

// number and integer return scalars of float64 and int64.
func number(v float64) *tree.Node { return tree.ConstFloat(dtype.F64, v) }

func integer[V int | float64](v V) *tree.Node { return tree.ConstInt(dtype.I64, int64(v)) }

// Full returns a scalar of element type T, which broadcasts to any shape.
func Full[T expr.AnyNumber, S Real](s S) expr.Exp[T] { return expr.Of[T](scalar[T](s).As("Full")) }
