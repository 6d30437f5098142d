package nn

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Loss returns a scalar from the output of a network and the wanted output.
type Loss[T Float] func(out, want expr.Exp[T]) expr.Exp[T]

// MSE returns the mean of (out - want)^2 over all elements. The wanted output is a
// number or has the shape of the output.
func MSE[T Float](out, want expr.Exp[T]) expr.Exp[T] {
	if n := alike("nn.MSE", out, want); n.Err() != nil {
		return expr.Of[T](n)
	}
	return op.Mean(op.Square(op.Sub(out, want)))
}

// Huber returns the loss with the mean over all elements, with d = |out - want|,
// of d^2/2 where d <= delta, and delta*(d - delta/2) elsewhere. The shapes are those of
// [MSE]. The loss has an error unless delta is positive and finite.
func Huber[T Float](delta float64) Loss[T] {
	return func(out, want expr.Exp[T]) expr.Exp[T] {
		if !(delta > 0) || math.IsInf(delta, 1) {
			return expr.Of[T](tree.Errorf(tree.ErrValue, "nn.Huber", "the delta %v is not positive and finite", delta))
		}
		if n := alike("nn.Huber", out, want); n.Err() != nil {
			return expr.Of[T](n)
		}
		e := op.Sub(out, want)
		d := op.Abs(e)
		near := op.LessEqual(d, op.Full[T](delta))
		return op.Mean(op.Where(near, op.Scale(.5, op.Square(e)), op.Scale(delta, op.AddScalar(d, -delta/2))))
	}
}

// BCEWithLogits returns the mean over all elements of the cross-entropy of the
// probability want and the probability sigmoid(out):
// -want*log(sigmoid(out)) - (1-want)*log(1-sigmoid(out)), without overflow, and
// without cancellation where it is small. The shapes are those of [MSE].
func BCEWithLogits[T Float](out, want expr.Exp[T]) expr.Exp[T] {
	if n := alike("nn.BCEWithLogits", out, want); n.Err() != nil {
		return expr.Of[T](n)
	}
	// -log(sigmoid(x)) is softplus(-x), and -log(1-sigmoid(x)) is x + softplus(-x).
	return op.Mean(op.Add(op.Mul(op.Sub(op.Full[T](1), want), out), op.Softplus(op.Neg(out))))
}

// Ignored is the label that CrossEntropy ignores, as in PyTorch.
const Ignored = -100

// CrossEntropy returns the loss for classes: the mean of
// log(sum(exp(out))) - out[label] over the labels that are not Ignored. The output
// has the shape [... classes]. The wanted output is the labels, as numbers from 0
// to classes-1 of which the integer parts count, in the shape [...]. Another label
// or NaN makes the run fail with [expr.ErrIndex]. If all labels are ignored, the loss is
// NaN.
func CrossEntropy[T Float]() Loss[T] {
	return func(out, labels expr.Exp[T]) expr.Exp[T] {
		if n := labelled("nn.CrossEntropy", out, labels); n.Err() != nil {
			return expr.Of[T](n)
		}
		s := expr.NodeOf(out).Shape()
		classes := s[len(s)-1]
		label := CheckLabels(classOf(labels), classes)
		own := op.Equal(op.NewAxis(label, -1), op.Arange[int64](0, float64(classes), 1))
		picked := op.Sum(op.Where(own, out, op.Full[T](0)), op.Axis(-1))
		counts := op.NotEqual(label, expr.Const[int64](Ignored))
		each := op.Where(counts, op.Sub(op.LogSumExp(out, op.Axis(-1)), picked), op.Full[T](0))
		return op.Div(op.Sum(each), op.Sum(op.Where(counts, op.Full[T](1), op.Full[T](0))))
	}
}

// classOf returns the integer parts of labels, and -1 for NaN.
func classOf[T Float](labels expr.Exp[T]) expr.Exp[int64] {
	return op.Cast[int64](op.Where(op.IsNaN(labels), op.Full[T](-1), labels))
}

// alike returns the node of an output, or an error unless the wanted output is a number or
// has its shape: a column and a vector would broadcast to a matrix.
func alike[T Float](name string, out, want expr.Exp[T]) *tree.Node {
	n, w := expr.NodeOf(out), expr.NodeOf(want)
	if n.Absent() || w.Absent() {
		return missing(name)
	}
	if n.Err() == nil && w.Err() == nil && len(w.Shape()) > 0 && !w.Shape().Equal(n.Shape()) {
		return tree.Errorf(tree.ErrShape, name, "the output %v and the wanted output %v differ in shape", n.Shape(), w.Shape())
	}
	return n
}

// labelled returns the node of an output of shape [... classes], or an error unless the
// labels have the shape [...].
func labelled[T Float](name string, out, labels expr.Exp[T]) *tree.Node {
	n, l := expr.NodeOf(out), expr.NodeOf(labels)
	if n.Absent() || l.Absent() {
		return missing(name)
	}
	if n.Err() != nil {
		return n
	}
	if s := n.Shape(); len(s) == 0 || !s[:len(s)-1].Equal(l.Shape()) {
		return tree.Errorf(tree.ErrShape, name, "the output %v and the labels %v do not fit", s, l.Shape())
	}
	return n
}

// missing returns the error of a loss of which an operand is nil.
func missing(name string) *tree.Node {
	return tree.Errorf(tree.ErrType, name, "the output or the wanted output is nil")
}

// CheckLabels returns the labels. Where one is not from 0 to classes-1, nor Ignored,
// the run fails with [expr.ErrIndex].
func CheckLabels(labels expr.Exp[int64], classes int) expr.Exp[int64] {
	return op.Map2(checkedLabel, labels, expr.Const(int64(classes)))
}

// checkedLabel is [within] for labels, of which [Ignored] is one.
var checkedLabel = within("label", "nn.CrossEntropy", func(b *op.B, x op.V) op.V { return b.Ne(x, b.Like(x, Ignored)) })

// within returns an operator with the value of its first operand, an index. A run fails, and
// names the function called, if the index is negative or not below the second operand. If wrong
// is not nil, the run fails only where wrong holds as well.
func within(name, called string, wrong func(b *op.B, x op.V) op.V) *tree.Operator {
	return op.Define(name, 2, func(_ *op.B, x ...op.V) op.V { return x[0] }, op.On(dtype.I64), func(o *tree.Row) {
		o.GoName, o.FaultKind = called, tree.ErrIndex
		o.Fault = func(b *op.B, x ...op.V) op.V {
			outside := b.Or(b.Lt(x[0], b.Like(x[0], 0)), b.Ge(x[0], x[1]))
			if wrong == nil {
				return outside
			}
			return b.And(outside, wrong(b, x[0]))
		}
	})
}

// Accuracy returns the part of the labels that are the position of the largest
// output, for [Trainer.Metrics]. Output and labels have the shapes of
// [CrossEntropy]. Ignored labels do not count.
func Accuracy[T Float](out, labels expr.Exp[T]) expr.Exp[T] {
	if n := labelled("nn.Accuracy", out, labels); n.Err() != nil {
		return expr.Of[T](n)
	}
	label := classOf(labels)
	one, zero := op.Full[T](1), op.Full[T](0)
	right := op.Sum(op.Where(op.Equal(op.ArgMax(out, op.Axis(-1)), label), one, zero))
	return op.Div(right, op.Sum(op.Where(op.NotEqual(label, expr.Const[int64](Ignored)), one, zero)))
}
