package nn

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Loss returns a scalar from the output of a network and the wanted output.
type Loss[T Float] func(out, want expr.Exp[T]) expr.Exp[T]

// MSE returns the mean of (out - want)^2 over all elements.
func MSE[T Float](out, want expr.Exp[T]) expr.Exp[T] {
	return op.Mean(op.Square(op.Sub(out, want)))
}

// Huber returns the loss with the mean over all elements, with d = |out - want|,
// of d^2/2 where d <= delta, and delta*(d - delta/2) elsewhere.
func Huber[T Float](delta float64) Loss[T] {
	return func(out, want expr.Exp[T]) expr.Exp[T] {
		e := op.Sub(out, want)
		d := op.Abs(e)
		near := op.LessEqual(d, op.Full[T](delta))
		return op.Mean(op.Where(near, op.Scale(.5, op.Square(e)), op.Scale(delta, op.AddScalar(d, -delta/2))))
	}
}

// BCEWithLogits returns the mean over all elements of the cross-entropy of the
// probability want and the probability sigmoid(out):
// -want*log(sigmoid(out)) - (1-want)*log(1-sigmoid(out)), without overflow.
func BCEWithLogits[T Float](out, want expr.Exp[T]) expr.Exp[T] {
	// (1-want)*x + m + log(exp(-m) + exp(-x-m)) is exact for every m. The maximum
	// of -x and 0 avoids overflow, and no gradient needs to pass through it.
	m := op.StopGradient(op.ReLU(op.Neg(out)))
	l := op.Log(op.Add(op.Exp(op.Neg(m)), op.Exp(op.Sub(op.Neg(out), m))))
	return op.Mean(op.Add(op.Mul(op.Sub(op.Full[T](1), want), out), op.Add(m, l)))
}

// Ignored is the label that CrossEntropy ignores, as in PyTorch.
const Ignored = -100

// CrossEntropy returns the loss for classes: the mean of
// log(sum(exp(out))) - out[label] over the labels that are not Ignored. The output
// has the shape [... classes]. The wanted output is the labels, as numbers from 0
// to classes-1 of which the integer parts count, in the shape [...]. Another label
// makes the run fail with [expr.ErrIndex]. If all labels are ignored, the loss is
// NaN.
func CrossEntropy[T Float]() Loss[T] {
	return func(out, labels expr.Exp[T]) expr.Exp[T] {
		n := expr.NodeOf(out)
		if n.Err() != nil {
			return out
		}
		if len(n.Shape()) == 0 || !n.Shape()[:len(n.Shape())-1].Equal(expr.NodeOf(labels).Shape()) {
			return expr.Of[T](tree.Errorf(tree.ErrShape, "CrossEntropy", "the output %v and the labels %v do not fit", n.Shape(), expr.NodeOf(labels).Shape()))
		}
		classes := n.Shape()[len(n.Shape())-1]
		label := CheckLabels(op.Cast[int64](labels), classes)
		own := op.Equal(op.NewAxis(label, -1), op.Arange[int64](0, float64(classes), 1))
		picked := op.Sum(op.Where(own, out, op.Full[T](0)), op.Axis(-1))
		counts := op.NotEqual(label, expr.Const[int64](Ignored))
		each := op.Where(counts, op.Sub(op.LogSumExp(out, op.Axis(-1)), picked), op.Full[T](0))
		return op.Div(op.Sum(each), op.Sum(op.Where(counts, op.Full[T](1), op.Full[T](0))))
	}
}

// CheckLabels returns the labels. Where one is not from 0 to classes-1, nor Ignored,
// the run fails with [expr.ErrIndex].
func CheckLabels(labels expr.Exp[int64], classes int) expr.Exp[int64] {
	return op.Map2(checkedLabel, labels, expr.Const(int64(classes)))
}

// checkedLabel returns its first operand, a label, and fails unless it is below
// the second and not negative, or Ignored.
var checkedLabel = op.Define("label", 2, func(_ *op.B, x ...op.V) op.V { return x[0] }, op.On(dtype.I64),
	func(o *tree.Row) {
		o.GoName, o.FaultKind = "nn.CrossEntropy", tree.ErrIndex
		o.Fault = func(b *op.B, x ...op.V) op.V {
			outside := b.Or(b.Lt(x[0], b.Like(x[0], 0)), b.Ge(x[0], x[1]))
			return b.And(outside, b.Ne(x[0], b.Like(x[0], Ignored)))
		}
	})

// Accuracy returns the part of the labels that are the position of the largest
// output, for [Trainer.Metrics]. Ignored labels do not count.
func Accuracy[T Float](out, labels expr.Exp[T]) expr.Exp[T] {
	label := op.Cast[int64](labels)
	one, zero := op.Full[T](1), op.Full[T](0)
	right := op.Sum(op.Where(op.Equal(op.ArgMax(out, op.Axis(-1)), label), one, zero))
	return op.Div(right, op.Sum(op.Where(op.NotEqual(label, expr.Const[int64](Ignored)), one, zero)))
}
