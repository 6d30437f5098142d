package nn

import (
	"math"
	"math/rand/v2"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Attention lets each position of a sequence take a mean of all positions, of
// which softmax(q @ k.T / sqrt(width/Heads)) are the weights, for each head apart
// (Vaswani et al. 2017). The input and the output have the shape [n length width].
type Attention[T Float] struct {
	In     *Linear[T] // width to queries, keys and values: [3*width width]
	Out    *Linear[T] // [width width]
	Heads  int        // divides the width
	Causal bool       // no position sees a later one
}

// NewAttention returns a layer with weights of [XavierUniform] and biases of zero,
// as in PyTorch.
func NewAttention[T Float](r *rand.Rand, width, heads int) *Attention[T] {
	a := &Attention[T]{In: NewLinear[T](r, width, 3*width), Out: NewLinear[T](r, width, width), Heads: heads}
	a.In.Weight.fill(r, XavierUniform(1))
	a.In.Bias.fill(r, Constant(0))
	a.Out.Bias.fill(r, Constant(0))
	return a
}

// Forward returns the means, projected by Out.
func (a *Attention[T]) Forward(p *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	a = zero.IfNil(a)
	n := expr.NodeOf(x)
	if n.Err() != nil {
		return x
	}
	s := n.Shape()
	if len(s) != 3 || a.Heads < 1 || s[2]%a.Heads != 0 {
		return expr.Of[T](tree.Errorf(tree.ErrShape, "nn.Attention", "shape %v is not [n length width] with a width that %d heads divide", s, a.Heads))
	}
	// [n length 3 heads each] to [3 n heads length each]
	each := s[2] / a.Heads
	all := op.Transpose(op.Reshape(a.In.Forward(p, x), s[0], s[1], 3, a.Heads, each), 2, 0, 3, 1, 4)
	q, k, v := op.Index(all, 0, 0), op.Index(all, 0, 1), op.Index(all, 0, 2)
	scores := op.Scale(1/math.Sqrt(float64(each)), op.MatMul(q, op.SwapAxes(k, -1, -2)))
	if a.Causal {
		at := op.Arange[int64](0, float64(s[1]), 1)
		scores = op.Where(op.GreaterEqual(op.NewAxis(at, 1), at), scores, op.Full[T](math.Inf(-1)))
	}
	y := op.MatMul(op.Softmax(scores, -1), v)
	return a.Out.Forward(p, op.Reshape(op.Transpose(y, 0, 2, 1, 3), s...))
}

// Params returns the parameters of In, as "in.weight" and so on, and of Out.
func (a *Attention[T]) Params() (all []*Param[T]) {
	a = zero.IfNil(a)
	return append(prefixed("in", a.In.Params()), prefixed("out", a.Out.Params())...)
}
