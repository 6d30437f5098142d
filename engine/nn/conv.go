package nn

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Window2D is a square window that slides over the last two axes of images of
// shape [n channels height width]. Zero Stride and Dilation mean 1. Padding is the
// number of zeros on each side.
type Window2D struct{ Size, Stride, Padding, Dilation int }

// sliding returns w for two axes.
func (w Window2D) sliding() op.Sliding {
	return op.Sliding{
		Kernel: []int{w.Size, w.Size}, Stride: []int{cmp.Or(w.Stride, 1)},
		Padding: []int{w.Padding}, Dilation: []int{cmp.Or(w.Dilation, 1)},
	}
}

// A Conv2D is a convolution, or rather a correlation as in other libraries, of
// images [n inputs height width].
type Conv2D[T Float] struct {
	Weight *Param[T] // [outputs inputs Size Size]
	Bias   *Param[T] // [outputs], or nil
	Window Window2D
}

// NewConv2D returns a layer whose elements are drawn uniformly from -a to a with
// a = 1/sqrt(inputs*Size*Size), as in PyTorch.
func NewConv2D[T Float](r *rand.Rand, inputs, outputs int, w Window2D) *Conv2D[T] {
	c := &Conv2D[T]{NewParam[T]("weight", outputs, inputs, w.Size, w.Size), NewParam[T]("bias", outputs), w}
	a := 1 / math.Sqrt(float64(inputs)*float64(w.Size)*float64(w.Size))
	c.Weight.fill(r, Uniform(-a, a))
	c.Bias.fill(r, Uniform(-a, a))
	return c
}

// Forward returns images of shape [n outputs rows columns]; see [op.Conv].
func (c *Conv2D[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	c = zero.IfNil(c)
	w := c.Window.sliding()
	w.Kernel = nil
	y := op.Conv[T](x, c.Weight, w)
	if c.Bias == nil {
		return y
	}
	return op.Add(y, op.Reshape[T](c.Bias, -1, 1, 1))
}

// Params returns the weight, and the bias if there is one.
func (c *Conv2D[T]) Params() []*Param[T] {
	c = zero.IfNil(c)
	return present(c.Weight, c.Bias)
}

// MaxPool2D returns the module of the largest elements of windows. What pads is
// never the largest.
func MaxPool2D[T Float](w Window2D) Func[T] {
	return func(x expr.Exp[T]) expr.Exp[T] { return op.MaxPool(x, w.sliding()) }
}

// AvgPool2D returns the module of the means of windows, of which what pads is a
// part.
func AvgPool2D[T Float](w Window2D) Func[T] {
	return func(x expr.Exp[T]) expr.Exp[T] { return op.AvgPool(x, w.sliding()) }
}
