package nn

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// A BatchNorm normalises each feature, along axis 1, to mean 0 and variance 1:
//
//	y = (x - mean) / sqrt(var + Eps) * Weight + Bias
//
// In training it uses the mean and the variance of the batch, and the running mean and
// variance move towards them: running = (1-Momentum)*running + Momentum*batch. The running
// variance divides by n - 1, as in PyTorch. Otherwise the layer uses the running mean and
// variance.
type BatchNorm[T Float] struct {
	Weight, Bias *Param[T] // [features]
	Mean, Var    *Param[T] // [features], buffers
	Eps          float64
	Momentum     float64
}

// NewBatchNorm returns a BatchNorm with Eps 1e-5 and Momentum .1.
func NewBatchNorm[T Float](features int) *BatchNorm[T] {
	b := &BatchNorm[T]{
		NewParam[T]("weight", features), NewParam[T]("bias", features),
		newBuffer[T]("running_mean", 0, features), newBuffer[T]("running_var", 1, features), 1e-5, .1,
	}
	b.Weight.fill(nil, Constant(1))
	return b
}

// Forward normalises x, of shape [n features ...].
func (b *BatchNorm[T]) Forward(p *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	s := expr.NodeOf(x).Shape()
	if expr.NodeOf(x).Err() != nil {
		return x
	}
	if len(b.Params()) < 4 {
		return expr.Of[T](tree.Errorf(tree.ErrType, "nn.BatchNorm", "a parameter is nil"))
	}
	features := b.Weight.Value().Shape().Size()
	if len(s) < 2 || s[1] != features {
		return expr.Of[T](tree.Errorf(tree.ErrShape, "nn.BatchNorm", "shape %v has no axis 1 of %d features", s, features))
	}
	row := slices.Repeat([]int{1}, len(s))
	row[1] = features
	along := func(e expr.Exp[T]) expr.Exp[T] { return op.Reshape(e, row...) }
	mean, v := along(b.Mean), along(b.Var)
	if p.Training() {
		if s.Size() <= features {
			return expr.Of[T](tree.Errorf(tree.ErrShape, "nn.BatchNorm", "shape %v has one value of a feature, which has no variance", s))
		}
		mean, v = b.batch(p, x, s)
	}
	y := op.Div(op.Sub(x, mean), op.Sqrt(op.AddScalar(v, b.Eps)))
	return op.Add(op.Mul(y, along(b.Weight)), along(b.Bias))
}

// batch returns the mean and the variance of the batch, and moves the running ones.
func (b *BatchNorm[T]) batch(p *Pass[T], x expr.Exp[T], s shape.Shape) (mean, v expr.Exp[T]) {
	axes := []int{0}
	for i := 2; i < len(s); i++ {
		axes = append(axes, i)
	}
	over := []op.ReduceOption{op.Axis(axes...), op.KeepDims()}
	mean = op.Mean(x, over...)
	v = op.Mean(op.Square(op.Sub(x, mean)), over...)
	n := float64(s.Size()) / float64(s[1])
	moved := func(r *Param[T], by expr.Exp[T]) {
		p.After(r.Value(), op.Add(op.Scale(1-b.Momentum, r.Detach()), op.Scale(b.Momentum, op.Reshape(by, s[1]))))
	}
	moved(b.Mean, mean)
	moved(b.Var, op.Scale(n/(n-1), v))
	return mean, v
}

// Params returns the weight, the bias and the running mean and variance.
func (b *BatchNorm[T]) Params() []*Param[T] {
	b = zero.IfNil(b)
	return present(b.Weight, b.Bias, b.Mean, b.Var)
}

// A LayerNorm normalises the last axis to mean 0 and variance 1, see
// [op.LayerNorm].
type LayerNorm[T Float] struct {
	Weight, Bias *Param[T] // [features]
	Eps          float64
}

// NewLayerNorm returns a LayerNorm with Eps 1e-5.
func NewLayerNorm[T Float](features int) *LayerNorm[T] {
	l := &LayerNorm[T]{NewParam[T]("weight", features), NewParam[T]("bias", features), 1e-5}
	l.Weight.fill(nil, Constant(1))
	return l
}

// Forward normalises x, of shape [... features].
func (l *LayerNorm[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	l = zero.IfNil(l)
	if n := featured("nn.LayerNorm", x, l.Weight); n.Err() != nil {
		return expr.Of[T](n)
	}
	return op.LayerNorm[T](x, l.Weight, l.Bias, l.Eps)
}

// Params returns the weight and the bias.
func (l *LayerNorm[T]) Params() []*Param[T] {
	l = zero.IfNil(l)
	return present(l.Weight, l.Bias)
}

// An RMSNorm divides the last axis by the root of its mean square (Zhang, Sennrich
// 2019): y = x / sqrt(mean(x^2) + Eps) * Weight.
type RMSNorm[T Float] struct {
	Weight *Param[T] // [features]
	Eps    float64
}

// NewRMSNorm returns an RMSNorm with Eps 1e-5.
func NewRMSNorm[T Float](features int) *RMSNorm[T] {
	l := &RMSNorm[T]{NewParam[T]("weight", features), 1e-5}
	l.Weight.fill(nil, Constant(1))
	return l
}

// Forward normalises x, of shape [... features].
func (l *RMSNorm[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	l = zero.IfNil(l)
	if n := featured("nn.RMSNorm", x, l.Weight); n.Err() != nil {
		return expr.Of[T](n)
	}
	ms := op.Mean(op.Square(x), op.Axis(-1), op.KeepDims())
	return op.Mul[T](op.Div(x, op.Sqrt(op.AddScalar(ms, l.Eps))), l.Weight)
}

// Params returns the weight.
func (l *RMSNorm[T]) Params() []*Param[T] { return present(zero.IfNil(l).Weight) }
