package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

// The functions of complex numbers treat the axes apart, for the signs of zeros. The
// derivatives of their parts would be those on the axis alone. So the parts of a
// value are marked: an operator that gives the value has the derivative of the
// function, by the equations of Cauchy and Riemann.

// slopes are the derivatives of the functions by each operand.
var slopes = map[string][]func(z []expr.Parts) expr.Parts{
	"exp":  {func(z []expr.Parts) expr.Parts { return function("exp", z...) }},
	"log":  {func(z []expr.Parts) expr.Parts { return function("reciprocal", z...) }},
	"sqrt": {func(z []expr.Parts) expr.Parts { return times(.5, function("reciprocal", function("sqrt", z...))) }},
	"sinh": {func(z []expr.Parts) expr.Parts { return function("cosh", z...) }},
	"cosh": {func(z []expr.Parts) expr.Parts { return function("sinh", z...) }},
	"tanh": {func(z []expr.Parts) expr.Parts { return plus(1, times(-1, function("square", function("tanh", z...)))) }},
	"sin":  {func(z []expr.Parts) expr.Parts { return function("cos", z...) }},
	"cos":  {func(z []expr.Parts) expr.Parts { return times(-1, function("sin", z...)) }},
	"tan":  {func(z []expr.Parts) expr.Parts { return plus(1, function("square", function("tan", z...))) }},
	"pow":  {slopeOfBase, slopeOfExponent},
}

// slopeOfBase is y*x^(y-1), and 0 for the power 0.
func slopeOfBase(z []expr.Parts) expr.Parts {
	x, y := z[0], z[1]
	return unless(isZero(y), function("mul", y, function("pow", x, plus(-1, y))))
}

// slopeOfExponent is log(x)*x^y, and 0 where the power of 0 is 0 or 1.
func slopeOfExponent(z []expr.Parts) expr.Parts {
	x, y := z[0], z[1]
	flat := call("logical_and", isZero(x), call("greater_equal", y.Re, like(y.Re, 0)))
	return unless(flat, function("mul", function("log", x), function("pow", x, y)))
}

// function returns the parts of a function of complex numbers.
func function(name string, x ...expr.Parts) expr.Parts { return splits[name](nil, x) }

// times returns v*z for a real number v.
func times(v float64, z expr.Parts) expr.Parts {
	return expr.Parts{Re: call("mul", like(z.Re, v), z.Re), Im: call("mul", like(z.Im, v), z.Im)}
}

// plus returns v+z for a real number v.
func plus(v float64, z expr.Parts) expr.Parts {
	return expr.Parts{Re: call("add", like(z.Re, v), z.Re), Im: z.Im}
}

// unless returns z, or 0 where the condition holds.
func unless(cond *expr.Node, z expr.Parts) expr.Parts {
	return expr.Parts{Re: either(cond, like(z.Re, 0), z.Re), Im: either(cond, like(z.Im, 0), z.Im)}
}

func isZero(z expr.Parts) *expr.Node {
	return call("logical_and", call("equal", z.Re, like(z.Re, 0)), call("equal", z.Im, like(z.Im, 0)))
}

// marks are the operators that mark the real parts and the imaginary parts of values.
// They are made before functions can look rows up.
var marks = map[string][2]*expr.Operator{}

func init() {
	for name, by := range slopes {
		var pair [2]*expr.Operator
		for part := range pair {
			pair[part] = mark(name, 2*len(by), func(g *expr.Adjoint, arg int) *expr.Node { return partOfSlope(g, part, arg, by) })
		}
		marks[name] = pair
	}
}

// mark returns an operator whose value is its first operand, and whose derivative is
// the derivative of a function of the n other operands.
func mark(name string, n int, grad expr.Rule) *expr.Operator {
	return expr.NewOperator(expr.Row{
		Name: name, Class: expr.Elementwise, Arity: 1 + n, Types: expr.TypesOf(dtype.F32, dtype.F64), Same: true,
		Lower: func(_ *B, x ...V) V { return x[0] },
		Grad: func(g *expr.Adjoint, arg int) *expr.Node {
			if arg == 0 {
				return nil
			}
			return grad(g, arg-1)
		},
		Doc: "the value of a function of a complex number, with its derivative.",
	})
}

// partOfSlope returns the adjoint of a part of an operand. The adjoint in g belongs to a
// part of the value.
func partOfSlope(g *expr.Adjoint, part, arg int, by []func(z []expr.Parts) expr.Parts) *expr.Node {
	z := make([]expr.Parts, len(by))
	for i := range z {
		z[i] = expr.Parts{Re: g.Arg(1 + 2*i), Im: g.Arg(2 + 2*i)}
	}
	d := by[arg/2](z)
	switch {
	case part == arg%2:
		return g.Mul(g.Out, d.Re)
	case part == 0:
		return g.Op("neg", g.Mul(g.Out, d.Im))
	}
	return g.Mul(g.Out, d.Im)
}

// marked returns the value of a function of z with the derivative of the function.
func marked(name string, value expr.Parts, z []expr.Parts) expr.Parts {
	apply := func(part int, v *expr.Node) *expr.Node {
		args := []*expr.Node{v}
		for _, p := range z {
			args = append(args, p.Re, p.Im)
		}
		return expr.Apply(marks[name][part], args...)
	}
	return expr.Parts{Re: apply(0, value.Re), Im: apply(1, value.Im)}
}

// analytic makes a function of one complex number a splitter of nodes.
func analytic(name string, f func(expr.Parts) expr.Parts) func(*expr.Node, []expr.Parts) expr.Parts {
	return func(_ *expr.Node, x []expr.Parts) expr.Parts { return marked(name, f(x[0]), x) }
}

// modulus splits the absolute value. Its derivative at 0 is 0, as for real numbers.
func modulus(_ *expr.Node, x []expr.Parts) expr.Parts {
	r := call("hypot", x[0].Re, x[0].Im)
	return expr.Parts{Re: expr.Apply(modulusMark, r, x[0].Re, x[0].Im)}
}

var modulusMark = mark("abs", 2, func(g *expr.Adjoint, arg int) *expr.Node {
	r, zero := g.Op("hypot", g.Arg(1), g.Arg(2)), g.Const(0)
	return g.Mul(g.Out, g.Div(g.Arg(1+arg), g.Where(g.Op("equal", r, zero), g.Const(1), r)))
})
