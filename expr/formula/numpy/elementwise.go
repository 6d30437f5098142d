package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
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
		stopIf(!o.Takes(t), c.at, tree.ErrType, "%s is not defined for %v", c.at.Text, t)
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
		stopIf(c.at.Text == "fabs" && t.IsComplex(), c.at, tree.ErrType, "fabs is not defined for %v; abs is", t)
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
		stopIf(isBool, c.at, tree.ErrType, "%s is not defined for bool", c.at.Text)
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

// callWhere is x where the condition is not 0, else y.
func callWhere(c *call) *tree.Node {
	x := c.common(1, 2)
	o, _ := untyped.Lookup("where") // a choice needs no rounding
	return untyped.Apply(o, cast(c.array(0), dtype.Bool), x[0], x[1])
}

// callClip is minimum(maximum(a, lo), hi). A Python integer at or beyond the limits
// of an integer type is no bound, as in NumPy.
func callClip(c *call) *tree.Node {
	lo, hi := 1, 2
	old := c.args[1].given || c.args[2].given
	for i, with := range []int{3, 4} {
		if !c.args[with].given {
			continue
		}
		stopIf(old, c.args[with].at, nil, "clip takes a_min and a_max, or min and max")
		if i == 0 {
			lo = 3
		} else {
			hi = 4
		}
	}
	if c.args[1].given != c.args[2].given && c.at.Kind == syntax.Call {
		return tree.Errorf(nil, "", "clip takes a_min and a_max, or min and max; None stands for no bound")
	}
	x := c.array(0)
	c.args[0].value = valueOf(x) // NumPy makes an array of a number
	which, name := []int{0, lo, hi}, "clip"
	switch noLow, noHigh := c.unbounded(lo, x.DType(), false), c.unbounded(hi, x.DType(), true); {
	case noLow && noHigh:
		return x
	case noLow:
		name, which = "minimum", []int{0, hi}
	case noHigh:
		name, which = "maximum", []int{0, lo}
	}
	n := c.common(which...)
	t := n[0].DType()
	if t == dtype.Bool {
		for i := range n {
			n[i] = cast(n[i], dtype.U8)
		}
	}
	return cast(apply(name, n...), t)
}

// unbounded reports whether argument i bounds no value of type t.
func (c *call) unbounded(i int, t dtype.Type, above bool) bool {
	x := c.args[i]
	if x.kind == vNone || !t.IsInt() || x.kind != vScalar || x.s.Class != syntax.Int {
		return x.kind == vNone
	}
	lo, hi := limits(t)
	if above {
		return x.s.I.Cmp(hi) >= 0
	}
	return x.s.I.Cmp(lo) <= 0
}

// callRound returns integers as they are, and bools as halves.
func callRound(c *call) *tree.Node {
	n := c.array(0)
	if n.DType() == dtype.Bool {
		n = cast(n, dtype.F16)
	}
	return rounded(untyped.Compose("round", c.options(), n))
}

// callDot is NumPy's dot: the product of scalars, matmul where y is a vector or
// both are matrices at most, and else the products of all matrices.
func callDot(c *call) *tree.Node {
	x, y := valueOf(c.array(0)), valueOf(c.array(1))
	rx, ry := len(x.n.Shape()), len(y.n.Shape())
	switch {
	case rx == 0 || ry == 0:
		return binary("*", x, y, true).n
	case ry > 2 || rx > 2 && ry != 1:
		n := c.common(0, 1)
		t, in := n[0].DType(), n[0].DType()
		if t == dtype.Bool {
			in = dtype.I64
		}
		return cast(rounded(untyped.Compose("tensordot", untyped.Options{Axes: []int{-1}, Ints: []int{-2}}, cast(n[0], in), cast(n[1], in))), t)
	}
	return matmul(x, y)
}
