package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// operatorFunction returns the function that stands for an operator.
func operatorFunction(sign string) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		x := lists.Map(lists.UpTo(len(c.args)), c.operand)
		// Numbers alone are NumPy's and not Python's: power(2, -1) is an error.
		if !slices.ContainsFunc(x, func(v value) bool { return v.kind != vScalar }) {
			x = lists.Map(x, func(v value) value { return valueOf(v.node()) })
		}
		if len(x) == 2 {
			return binary(sign, x[0], x[1], true).node()
		}
		return unary(sign, x[0]).node()
	}
}

// elementwise returns the function of a row. It converts its arguments to a
// type that the row takes.
func elementwise(o *tree.Operator) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		values := lists.Map(lists.UpTo(len(c.args)), c.operand)
		t := promoted(values...)
		if r := special(c, o, t, values); r != nil {
			return r
		}
		if t == dtype.Bool && !o.Types().Has(t) && o.Types().Has(dtype.I8) {
			t = dtype.I8
		}
		if !o.Types().Has(t) && !fractional(t) {
			t = floatLoop(t, values)
		}
		if !o.Takes(t) {
			return tree.Errorf(tree.ErrType, "", "%s is not defined for %v", c.at.Text, t)
		}
		return apply(o.Name(), c.all(values, t)...)
	}
}

// floatLoop returns the type in which a function of floats computes for
// arguments of common type t: one to which each argument converts safely.
func floatLoop(t dtype.Type, values []value) dtype.Type {
	loop := dtype.Invalid
	for _, v := range values {
		if v.weakClass() != syntax.NoNumber {
			return floatFor(t)
		}
		loop = promote(loop, floatFor(v.n.DType()))
	}
	return loop
}

// special returns the result of a row whose treatment of bools and integers in
// NumPy follows no general rule, or nil for other rows and types.
func special(c *call, o *tree.Operator, t dtype.Type, v []value) *tree.Node {
	isBool := t == dtype.Bool
	switch o.Name() {
	case "floor", "ceil", "trunc":
		if !fractional(t) {
			return v[0].as(t)
		}
	case "abs":
		if c.at.Text == "fabs" && t.IsComplex() {
			return tree.Errorf(tree.ErrType, "", "fabs is not defined for %v; abs is", t)
		}
		if c.at.Text == "fabs" && !fractional(t) {
			return apply("abs", v[0].as(floatFor(t)))
		}
		if isBool {
			return v[0].as(t)
		}
	case "logical_and", "logical_or", "logical_xor", "logical_not":
		return apply(o.Name(), c.all(v, dtype.Bool)...)
	case "angle":
		if isBool { // NumPy takes them together with a Python integer
			return apply(o.Name(), v[0].as(dtype.F64))
		}
	case "sign":
		if isBool {
			return tree.Errorf(tree.ErrType, "", "%s is not defined for bool", c.at.Text)
		}
	case "maximum", "fmax":
		if isBool {
			return arithmetic("|", t, v[0], v[1], true)
		}
	case "minimum", "fmin":
		if isBool {
			return arithmetic("&", t, v[0], v[1], true)
		}
	case "reciprocal":
		if isBool {
			t = dtype.I8
		}
		if !fractional(t) { // the quotient of integers, truncated
			return apply("div", tree.ConstInt(t, 1), v[0].as(t))
		}
	}
	return nil
}
