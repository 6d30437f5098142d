package nn

import (
	"math"
	"math/rand/v2"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Linear is x @ Weight.T + Bias. The input has the shape [... inputs] and the
// output [... outputs].
type Linear[T Float] struct {
	Weight *Param[T] // [outputs inputs]
	Bias   *Param[T] // [outputs], or nil
}

// NewLinear returns a layer whose elements are drawn uniformly from -a to a with
// a = 1/sqrt(inputs), as in PyTorch.
func NewLinear[T Float](r *rand.Rand, inputs, outputs int) *Linear[T] {
	l := &Linear[T]{NewParam[T]("weight", outputs, inputs), NewParam[T]("bias", outputs)}
	a := 1 / math.Sqrt(float64(inputs))
	l.Weight.fill(r, Uniform(-a, a))
	l.Bias.fill(r, Uniform(-a, a))
	return l
}

// Forward returns x @ Weight.T + Bias.
func (l *Linear[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	l = zero.IfNil(l)
	return biased(op.MatMul(x, op.T[T](l.Weight)), l.Bias)
}

// Params returns the weight, and the bias if there is one.
func (l *Linear[T]) Params() []*Param[T] {
	l = zero.IfNil(l)
	return present(l.Weight, l.Bias)
}

func biased[T Float](y expr.Exp[T], bias *Param[T]) expr.Exp[T] {
	if bias == nil {
		return y
	}
	return op.Add[T](y, bias)
}

// present returns the parameters that are not nil and have a variable.
func present[T Float](ps ...*Param[T]) []*Param[T] {
	return lists.Where(ps, func(p *Param[T]) bool { return p != nil && p.Variable != nil })
}

// An Embedding gives each number its row of a table.
type Embedding[T Float] struct {
	Weight *Param[T] // [rows width]
}

// NewEmbedding returns a table with elements of the standard normal distribution.
func NewEmbedding[T Float](r *rand.Rand, rows, width int) *Embedding[T] {
	e := &Embedding[T]{NewParam[T]("weight", rows, width)}
	e.Weight.fill(r, Normal(0, 1))
	return e
}

// Forward returns the rows of the numbers x, of which the integer parts count. The
// shape is that of x and then the width.
func (e *Embedding[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	e = zero.IfNil(e)
	return e.Rows(op.Cast[int64](x))
}

// Rows returns the rows of index. One outside of the table makes the run fail with
// [expr.ErrIndex].
func (e *Embedding[T]) Rows(index expr.Exp[int64]) expr.Exp[T] {
	e = zero.IfNil(e)
	return op.Take[T](e.Weight, index, 0)
}

// Params returns the table.
func (e *Embedding[T]) Params() []*Param[T] { return present(zero.IfNil(e).Weight) }

// A Dropout sets elements to zero with probability P while it is trained, and
// divides the others by 1 - P. It is the identity otherwise.
type Dropout[T Float] struct{ P float64 }

// Forward returns x with elements dropped. The tree has an error unless
// 0 <= P < 1.
func (d Dropout[T]) Forward(p *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	switch {
	case !(d.P >= 0 && d.P < 1):
		return expr.Of[T](tree.Errorf(tree.ErrValue, "nn.Dropout", "the probability %v is not in [0, 1)", d.P))
	case !p.Training() || d.P == 0:
		return x
	}
	return op.Where(p.Keep(x, 1-d.P), op.Scale(1/(1-d.P), x), op.Full[T](0))
}

// Params returns nil.
func (d Dropout[T]) Params() []*Param[T] { return nil }

// A Flatten makes [n ...] into [n m].
type Flatten[T Float] struct{}

// Forward returns x with two axes.
func (Flatten[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	n := expr.NodeOf(x)
	if n.Err() != nil {
		return x
	}
	if len(n.Shape()) == 0 {
		return expr.Of[T](tree.Errorf(tree.ErrShape, "nn.Flatten", "a scalar has no axis for the samples"))
	}
	return op.Reshape(x, n.Shape()[0], n.Shape().Count(1, len(n.Shape())))
}

// Params returns nil.
func (Flatten[T]) Params() []*Param[T] { return nil }
