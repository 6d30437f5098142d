package numpy

import "github.com/oneloop/oneloop/expr"

// callIsComplex reports whether the type of an argument is complex, or is not.
func callIsComplex(want bool) func(c *call) *expr.Node {
	return func(c *call) *expr.Node { return truth(c.array(0).DType().IsComplex() == want) }
}

// callImaginary compares the imaginary parts of an argument with 0.
func callImaginary(comparison string) func(c *call) *expr.Node {
	return func(c *call) *expr.Node {
		n := c.array(0)
		if !n.DType().IsComplex() {
			n = cast(n, floatFor(n.DType()))
		}
		n = apply("imag", n)
		return apply(comparison, n, zero(n.DType()).n)
	}
}
