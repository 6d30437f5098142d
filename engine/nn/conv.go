package nn

import (
	"math"
	"math/rand/v2"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// A Window2D is a square window that slides over the last two axes of images of
// shape [n channels height width]. Zero Stride and Dilation mean 1. Padding is the
// number of zeros on each side.
type Window2D struct{ Size, Stride, Padding, Dilation int }

// over returns the windows of x: [n channels rows columns 1 1 Size Size].
func over[T Float](w Window2D, x expr.Exp[T], fill T) expr.Exp[T] {
	if p := w.Padding; p != 0 {
		x = op.Pad(x, [][2]int{{}, {}, {p, p}, {p, p}}, fill)
	}
	if s := expr.NodeOf(x).Shape(); w.tile(s) {
		// Windows side by side are a reshape, whose gradient is one too.
		n := w.Size
		y := op.Reshape(x, s[0], s[1], s[2]/n, n, s[3]/n, n, 1, 1)
		return op.Transpose(y, 0, 1, 2, 4, 6, 7, 3, 5)
	}
	one := op.Window{Size: w.Size, Stride: w.Stride, Dilation: w.Dilation}
	return op.Windows(x, op.Window{}, op.Window{}, one, one)
}

// tile reports whether the windows cover images of shape s side by side.
func (w Window2D) tile(s shape.Shape) bool {
	return len(s) == 4 && w.Size > 0 && max(w.Stride, 1) == w.Size && max(w.Dilation, 1) == 1 && s[2]%w.Size == 0 && s[3]%w.Size == 0
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

// Forward returns images of shape [n outputs rows columns]: a product of the
// windows, one in each row, with the weights.
func (c *Conv2D[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	w := over(c.Window, x, 0)
	s := expr.NodeOf(w).Shape()
	if expr.NodeOf(w).Err() != nil {
		return w
	}
	each := s[1] * s[6] * s[7]
	rows := op.Reshape(op.Transpose(w, 0, 2, 3, 1, 6, 7, 4, 5), s[0]*s[2]*s[3], each)
	weight := op.Reshape[T](c.Weight, -1, each)
	y := biased(op.MatMul(rows, op.T(weight)), c.Bias)
	return op.Transpose(op.Reshape(y, s[0], s[2], s[3], -1), 0, 3, 1, 2)
}

// Params returns the weight, and the bias if there is one.
func (c *Conv2D[T]) Params() []*Param[T] { return present(c.Weight, c.Bias) }

// MaxPool2D returns the module of the largest elements of windows. What pads is
// never the largest.
func MaxPool2D[T Float](w Window2D) Func[T] {
	return func(x expr.Exp[T]) expr.Exp[T] {
		return op.Max(elementsOf(over(w, x, T(math.Inf(-1)))), op.Axis(-1))
	}
}

// AvgPool2D returns the module of the means of windows, of which what pads is a
// part.
func AvgPool2D[T Float](w Window2D) Func[T] {
	return func(x expr.Exp[T]) expr.Exp[T] { return op.Mean(elementsOf(over(w, x, 0)), op.Axis(-1)) }
}

// elementsOf returns windows with their elements along one axis.
func elementsOf[T Float](w expr.Exp[T]) expr.Exp[T] {
	s := expr.NodeOf(w).Shape()
	if expr.NodeOf(w).Err() != nil {
		return w
	}
	return op.Reshape(w, s[0], s[1], s[2], s[3], s[6]*s[7])
}
