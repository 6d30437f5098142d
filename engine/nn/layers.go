package nn

import (
	"cmp"
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
	evenly(r, float64(inputs), l.Weight, l.Bias)
	return l
}

// evenly draws parameters from -a to a, with a = 1/sqrt(inputs), or 0 without inputs.
func evenly[T Float](r *rand.Rand, inputs float64, params ...*Param[T]) {
	a := 0.
	if inputs != 0 {
		a = 1 / math.Sqrt(inputs)
	}
	for _, p := range params {
		p.fill(r, Uniform(-a, a))
	}
}

// Forward returns x @ Weight.T + Bias.
func (l *Linear[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	l = zero.IfNil(l)
	if n := featured("nn.Linear", x, l.Weight); n.Err() != nil {
		return expr.Of[T](n)
	}
	return biased(op.MatMul(x, op.T[T](l.Weight)), l.Bias)
}

// featured returns the node of x, or an error unless the last axes of x and of the weight
// have one size.
func featured[T Float](name string, x expr.Exp[T], weight *Param[T]) *tree.Node {
	n, w := expr.NodeOf(x), expr.NodeOf[T](weight)
	if n.Absent() {
		return tree.Errorf(tree.ErrType, name, "the input is nil")
	}
	if n.Err() != nil {
		return n
	}
	if w.Err() != nil {
		return w
	}
	if s, k := n.Shape(), w.Shape(); len(s) == 0 || len(k) == 0 || s[len(s)-1] != k[len(k)-1] {
		return tree.Errorf(tree.ErrShape, name, "the last axes of the input %v and of the weight %v differ", s, k)
	}
	return n
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
// result has the shape of x and then the width. NaN makes the run fail, as a number outside of the table does.
func (e *Embedding[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	e = zero.IfNil(e)
	return e.Rows(classOf(x))
}

// Rows returns the rows of index. One outside of the table, such as -1, makes the run fail
// with [expr.ErrIndex].
func (e *Embedding[T]) Rows(index expr.Exp[int64]) expr.Exp[T] {
	e = zero.IfNil(e)
	w := expr.NodeOf[T](e.Weight)
	if w.Err() != nil || len(w.Shape()) == 0 {
		return op.Take[T](e.Weight, index, 0)
	}
	return op.Take[T](e.Weight, op.Map2(checkedRow, index, expr.Const(int64(w.Shape()[0]))), 0)
}

// checkedRow is [within] for the rows of an embedding.
var checkedRow = within("row", "nn.Embedding", nil)

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
	evenly(r, float64(inputs)*float64(w.Size)*float64(w.Size), c.Weight, c.Bias)
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
	return append(Prefixed("in", a.In.Params()), Prefixed("out", a.Out.Params())...)
}
