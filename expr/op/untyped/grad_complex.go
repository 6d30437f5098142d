package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// The functions of complex numbers treat the axes apart, for the signs of zeros. The
// derivatives of their parts would be those on the axis alone. So the parts of a
// value are marked: an operator that gives the value has the derivative of the
// function, by the equations of Cauchy and Riemann.

// slopes are the derivatives of the functions by each operand.
var slopes = map[string][]func(z []tree.Parts) tree.Parts{
	"exp":   {func(z []tree.Parts) tree.Parts { return function("exp", z...) }},
	"log":   {func(z []tree.Parts) tree.Parts { return function("reciprocal", z...) }},
	"sqrt":  {func(z []tree.Parts) tree.Parts { return times(.5, function("reciprocal", function("sqrt", z...))) }},
	"sinh":  {func(z []tree.Parts) tree.Parts { return function("cosh", z...) }},
	"cosh":  {func(z []tree.Parts) tree.Parts { return function("sinh", z...) }},
	"tanh":  {func(z []tree.Parts) tree.Parts { return plus(1, times(-1, function("square", function("tanh", z...)))) }},
	"sin":   {func(z []tree.Parts) tree.Parts { return function("cos", z...) }},
	"cos":   {func(z []tree.Parts) tree.Parts { return times(-1, function("sin", z...)) }},
	"tan":   {func(z []tree.Parts) tree.Parts { return plus(1, function("square", function("tan", z...))) }},
	"asin":  {func(z []tree.Parts) tree.Parts { return overRoots(1, -1, z[0]) }},
	"acos":  {func(z []tree.Parts) tree.Parts { return times(-1, overRoots(1, -1, z[0])) }},
	"atan":  {func(z []tree.Parts) tree.Parts { return function("reciprocal", plus(1, function("square", z...))) }},
	"asinh": {func(z []tree.Parts) tree.Parts { return overRoots(1, -1, timesI(z[0])) }},
	"acosh": {func(z []tree.Parts) tree.Parts { return overRoots(-1, 1, z[0]) }},
	"atanh": {func(z []tree.Parts) tree.Parts {
		return function("reciprocal", plus(1, times(-1, function("square", z...))))
	}},
	"log2":  {func(z []tree.Parts) tree.Parts { return times(math.Log2E, function("reciprocal", z...)) }},
	"log10": {func(z []tree.Parts) tree.Parts { return times(math.Log10E, function("reciprocal", z...)) }},
	"log1p": {func(z []tree.Parts) tree.Parts { return function("reciprocal", plus(1, z[0])) }},
	"expm1": {func(z []tree.Parts) tree.Parts { return function("exp", z...) }},
	"exp2":  {func(z []tree.Parts) tree.Parts { return times(math.Ln2, function("exp2", z...)) }},
	"pow":   {slopeOfBase, slopeOfExponent},
}

// overRoots is the reciprocal of the product of the roots of z+v and w*z+1.
func overRoots(v, w float64, z tree.Parts) tree.Parts {
	return function("reciprocal", function("mul", sqrtComplex(plus(v, z)), sqrtComplex(plus(1, times(w, z)))))
}

// slopeOfBase is y*x^(y-1), and 0 for the power 0.
func slopeOfBase(z []tree.Parts) tree.Parts {
	x, y := z[0], z[1]
	return unless(isZero(y), function("mul", y, function("pow", x, plus(-1, y))))
}

// slopeOfExponent is log(x)*x^y, and 0 where the power of 0 is 0 or 1.
func slopeOfExponent(z []tree.Parts) tree.Parts {
	x, y := z[0], z[1]
	flat := Call("logical_and", isZero(x), Call("greater_equal", y.Re, like(y.Re, 0)))
	return unless(flat, function("mul", function("log", x), function("pow", x, y)))
}

// function returns the parts of a function of complex numbers.
func function(name string, x ...tree.Parts) tree.Parts { return splits[name](nil, x) }

// times returns v*z for a real number v.
func times(v float64, z tree.Parts) tree.Parts {
	return tree.Parts{Re: Call("mul", like(z.Re, v), z.Re), Im: Call("mul", like(z.Im, v), z.Im)}
}

// plus returns v+z for a real number v.
func plus(v float64, z tree.Parts) tree.Parts {
	return tree.Parts{Re: Call("add", like(z.Re, v), z.Re), Im: z.Im}
}

// unless returns z, or 0 where the condition holds.
func unless(cond *tree.Node, z tree.Parts) tree.Parts {
	return tree.Parts{Re: either(cond, like(z.Re, 0), z.Re), Im: either(cond, like(z.Im, 0), z.Im)}
}

func isZero(z tree.Parts) *tree.Node {
	return Call("logical_and", Call("equal", z.Re, like(z.Re, 0)), Call("equal", z.Im, like(z.Im, 0)))
}

// marks are the operators that mark the real parts and the imaginary parts of values.
// They are made before functions can look rows up.
var marks = map[string][2]*tree.Operator{}

func init() {
	for name, by := range slopes {
		var pair [2]*tree.Operator
		for part := range pair {
			pair[part] = mark(name, 2*len(by), func(g *tree.Adjoint, arg int) *tree.Node { return partOfSlope(g, part, arg, by) })
		}
		marks[name] = pair
	}
}

// mark returns an operator whose value is its first operand, and whose derivative is
// the derivative of a function of the n other operands.
func mark(name string, n int, grad tree.Rule) *tree.Operator {
	return tree.NewOperator(tree.Row{
		Name: name, Class: tree.Elementwise, Arity: 1 + n, Types: tree.TypesOf(dtype.F32, dtype.F64), Same: true,
		Lower: func(_ *B, x ...V) V { return x[0] },
		Grad: func(g *tree.Adjoint, arg int) *tree.Node {
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
func partOfSlope(g *tree.Adjoint, part, arg int, by []func(z []tree.Parts) tree.Parts) *tree.Node {
	z := lists.Make(len(by), func(i int) tree.Parts { return tree.Parts{Re: g.Arg(1 + 2*i), Im: g.Arg(2 + 2*i)} })
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
func marked(name string, value tree.Parts, z []tree.Parts) tree.Parts {
	apply := func(part int, v *tree.Node) *tree.Node {
		args := []*tree.Node{v}
		for _, p := range z {
			args = append(args, p.Re, p.Im)
		}
		return tree.Apply(marks[name][part], args...)
	}
	return tree.Parts{Re: apply(0, value.Re), Im: apply(1, value.Im)}
}

// analytic makes a function of one complex number a splitter of nodes.
func analytic(name string, f func(tree.Parts) tree.Parts) func(*tree.Node, []tree.Parts) tree.Parts {
	return func(_ *tree.Node, x []tree.Parts) tree.Parts { return marked(name, f(x[0]), x) }
}

// modulus splits the absolute value. Its derivative at 0 is 0, as for real numbers.
func modulus(_ *tree.Node, x []tree.Parts) tree.Parts {
	r := Call("hypot", x[0].Re, x[0].Im)
	return tree.Parts{Re: tree.Apply(modulusMark, r, x[0].Re, x[0].Im)}
}

var modulusMark = mark("abs", 2, func(g *tree.Adjoint, arg int) *tree.Node {
	r, zero := g.Op("hypot", g.Arg(1), g.Arg(2)), g.Const(0)
	return g.Mul(g.Out, g.Div(g.Arg(1+arg), g.Where(g.Op("equal", r, zero), g.Const(1), r)))
})
