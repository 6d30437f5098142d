package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// callIsComplex reports whether the type of an argument is complex, or is not.
func callIsComplex(want bool) func(c *call) *tree.Node {
	return func(c *call) *tree.Node { return truth(c.array(0).DType().IsComplex() == want) }
}

// The arguments of Fourier transforms along one axis, two and several.
const (
	fourierArguments  = "a, n=None, axis=-1, norm='backward'?"
	fourier2Arguments = "a, s=None, axes=(-2,-1), norm='backward'?"
	fourierNArguments = "a, s=None, axes=None, norm='backward'?"
)

// callFourier returns a transform. It converts other elements to complex128, or for
// the transform of real numbers to float64.
func callFourier(name string) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		a := c.array(0)
		t := quotientType(a.DType()).Register()
		if !slices.Contains([]string{"rfft", "rfftn", "ihfft"}, name) {
			t = promote(t, dtype.C64)
		}
		o := untyped.FourierOptions{Norm: c.text(3)}
		if !c.isNone(1) {
			o.Points = append([]int{}, c.integers(1)...)
		}
		axes := c.integers(2)
		n := untyped.Fourier(name, cast(a, t), axes, o)
		alone := len(axes) == 1 || axes == nil && (len(a.Shape()) == 1 || len(o.Points) == 1)
		if a.DType().IsHalf() && alone && n.DType().IsFloat() { // as NumPy, which computes these in float16
			n = cast(n, a.DType())
		}
		return n
	}
}

// callFrequencies returns the frequencies of the points of a transform.
func callFrequencies(half bool) func(c *call) *tree.Node {
	return func(c *call) *tree.Node { return untyped.Frequency(dtype.F64, c.integer(0), c.float(1), half) }
}
