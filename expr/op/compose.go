package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// The compositions are trees of rows and have no rows of their own. Formulas
// call the Node functions.

func (r Reduction) keep() Reduction {
	r.Keep = true
	return r
}

// count returns the number of elements that one result combines, less r.DDof
// and at least 0, as a scalar of the accumulator's type. It also returns that
// number without r.DDof.
func count(a *expr.Node, r Reduction) (*expr.Node, int, error) {
	axes, err := shape.Axes(r.Axes, len(a.Shape()))
	if err != nil {
		return nil, 0, err
	}
	n := 1
	for _, x := range axes {
		n *= a.Shape()[x]
	}
	t := a.DType().Register()
	if r.Acc != dtype.Invalid {
		t = r.Acc
	}
	by := max(float64(n)-float64(r.DDof), 0)
	return expr.ConstFloat(t, by), n, nil
}

// MeanNode returns the sum over the axes divided by their size. An empty axis
// is an error.
func MeanNode(a *expr.Node, r Reduction) *expr.Node {
	if a != nil && a.Err() == nil && r.DDof != 0 {
		return expr.Errorf(expr.ErrValue, "Mean", "ddof is an option of var and std")
	}
	return meanNode("Mean", a, r)
}

func meanNode(name string, a *expr.Node, r Reduction) *expr.Node {
	if a == nil || a.Err() != nil {
		return ReduceNode("sum", a, r).As(name, a)
	}
	t := a.DType()
	if !t.IsFloat() {
		return expr.Errorf(expr.ErrType, name, "does not take elements of type %v", t)
	}
	n, size, err := count(a, r)
	if err != nil {
		return expr.Errorf(expr.ErrShape, name, "%s", err)
	}
	if size == 0 {
		return expr.Errorf(expr.ErrShape, name, "an empty axis has no mean")
	}
	if t.IsHalf() || r.Acc != dtype.Invalid { // the quotient is rounded last
		a = CastNode(a, n.DType())
		r.Acc = dtype.Invalid
		return CastNode(call("div", sum(a, r), n), t)
	}
	return call("div", sum(a, r), n)
}

// sum returns the sum for a variance. Its divisor uses r.DDof, so the sum does
// not.
func sum(a *expr.Node, r Reduction) *expr.Node {
	r.DDof = 0
	return ReduceNode("sum", a, r)
}

// VarNode returns the mean squared distance from the mean, in two passes.
func VarNode(a *expr.Node, r Reduction) *expr.Node {
	if a == nil || a.Err() != nil {
		return ReduceNode("sum", a, r).As("Var", a)
	}
	t := a.DType()
	if wide := accumulator(t, r); wide != t && t.IsFloat() {
		r.Acc = dtype.Invalid
		return CastNode(VarNode(CastNode(a, wide), r), t)
	}
	mean := r.keep()
	mean.DDof = 0
	return meanNode("Var", call("square", call("sub", a, MeanNode(a, mean))), r).As("Var", a)
}

func accumulator(t dtype.Type, r Reduction) dtype.Type {
	if r.Acc != dtype.Invalid {
		return r.Acc
	}
	return t.Register()
}

// StdNode returns the square root of the variance.
func StdNode(a *expr.Node, r Reduction) *expr.Node {
	return call("sqrt", VarNode(a, r)).As("Std", a)
}

// shift returns the maximum over axes. The exact results below do not depend on
// it.
func shift(a *expr.Node, r Reduction) *expr.Node {
	return call("stop_gradient", ReduceNode("max", a, r.keep()))
}

// SoftmaxNode returns exp(a) / sum(exp(a)) over an axis, shifted by the
// maximum.
func SoftmaxNode(a *expr.Node, axis int) *expr.Node {
	r := Reduction{Axes: []int{axis}, Keep: true}
	e := call("exp", call("sub", a, shift(a, r)))
	return call("div", e, ReduceNode("sum", e, r)).As("Softmax", a)
}

// LogSumExpNode returns log(sum(exp(a))) over axes, shifted by the maximum if
// that is finite.
func LogSumExpNode(a *expr.Node, r Reduction) *expr.Node {
	m := shift(a, r)
	if m.Err() != nil {
		return m.As("LogSumExp", a)
	}
	m = call("where", call("isfinite", m), m, expr.ConstFloat(m.DType(), 0))
	l := call("add", call("log", ReduceNode("sum", call("exp", call("sub", a, m)), r.keep())), m)
	axes, err := shape.Axes(r.Axes, len(a.Shape()))
	if err != nil {
		return expr.Errorf(expr.ErrShape, "LogSumExp", "%s", err)
	}
	if !r.Keep {
		l = dropAxes(l, axes)
	}
	return l.As("LogSumExp", a)
}

// LayerNormNode returns (a - mean) / sqrt(var + eps) * gamma + beta over the
// last axis; gamma and beta may be nil.
func LayerNormNode(a, gamma, beta *expr.Node, eps float64) *expr.Node {
	r := Reduction{Axes: []int{-1}, Keep: true}
	if a == nil || a.Err() != nil {
		return ReduceNode("sum", a, r).As("LayerNorm", a)
	}
	d := call("sub", a, MeanNode(a, r))
	v := MeanNode(call("square", d), r)
	y := call("div", d, call("sqrt", call("add", v, expr.ConstFloat(a.DType(), eps))))
	if gamma != nil {
		y = call("mul", y, gamma)
	}
	if beta != nil {
		y = call("add", y, beta)
	}
	return y.As("LayerNorm", a, gamma, beta)
}

// Mean returns the arithmetic mean over axes. An empty axis is an error.
func Mean[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return expr.Of[T](MeanNode(expr.NodeOf(a), options(opts)))
}

// Var returns the variance over axes: the mean squared distance from the mean,
// computed in two passes; see DDof.
func Var[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return expr.Of[T](VarNode(expr.NodeOf(a), options(opts)))
}

// Std returns the square root of Var.
func Std[T expr.Float](a expr.Exp[T], opts ...VarOption) expr.Exp[T] {
	return expr.Of[T](StdNode(expr.NodeOf(a), options(opts)))
}

// Softmax returns exp(a - max) / sum(exp(a - max)) over an axis.
func Softmax[T expr.Float](a expr.Exp[T], axis int) expr.Exp[T] {
	return expr.Of[T](SoftmaxNode(expr.NodeOf(a), axis))
}

// LogSumExp returns log(sum(exp(a))) over axes, without overflow.
func LogSumExp[T expr.Float](a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return expr.Of[T](LogSumExpNode(expr.NodeOf(a), options(opts)))
}

// LayerNorm returns a normalised over the last axis to mean 0 and variance 1,
// scaled by gamma and shifted by beta, which may be nil: (a - mean) / sqrt(var
// + eps) * gamma + beta (Ba, Kiros, Hinton 2016).
func LayerNorm[T expr.Float](a, gamma, beta expr.Exp[T], eps float64) expr.Exp[T] {
	var g, b *expr.Node
	if gamma != nil {
		g = gamma.Node()
	}
	if beta != nil {
		b = beta.Node()
	}
	return expr.Of[T](LayerNormNode(expr.NodeOf(a), g, b, eps))
}
