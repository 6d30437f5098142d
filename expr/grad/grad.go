// Package grad differentiates expressions in reverse mode. It takes a tree and
// returns trees.
//
// [Of] computes nothing. The gradients are trees. If they are assigned
// together, also with the loss, they share sub-expressions and loops. They can
// be differentiated again.
//
// The derivative of an operator is a field of its row in package untyped. A
// user-defined operator gets it from [op.Derivative]. docs/grad.md states the
// conventions for points at which a function has no derivative.
package grad

import (
	"context"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/internal/reverse"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
)

// Of returns the gradient of loss, a scalar, with respect to each of wrt. Each
// gradient has the shape of its variable. A variable is an array, a parameter,
// or a sub-tree of loss.
//
// Arrays are one variable if they view the same elements of a memory with the
// same shape and strides. Sub-trees are one variable only if they are the same
// node. The gradient is zero if loss does not depend on the variable. Integers
// and bools pass no gradient on.
//
// The errors are: ErrShape if loss is no scalar; ErrUnsupported for an operator
// without a derivative between loss and wrt; ErrValue if loss reads elements of
// an array of wrt through another view of its memory, because the gradient would
// miss that part. Make such a view with package op instead.
func Of[T expr.Float](loss expr.Exp[T], wrt ...expr.Exp[T]) ([]expr.Exp[T], error) {
	return typed[T](OfNodes(expr.NodeOf(loss), nodes(wrt)...))
}

// OfNodes is Of for untyped trees, and for variables of several float types. The
// loss is real. A variable may be complex. As in PyTorch, its gradient is the
// derivative with respect to the real part plus i times the derivative with respect
// to the imaginary part, so the loss falls fastest in the opposite direction.
func OfNodes(loss *tree.Node, wrt ...*tree.Node) (grads []*tree.Node, err error) {
	return reverse.Of(loss, wrt...)
}

// ValueAnd runs one program that computes loss, a scalar, and its gradients with
// respect to each of wrt. It returns their values. The errors are those of [Of]
// and of the run.
func ValueAnd[T expr.Float](ctx context.Context, loss expr.Exp[T], wrt ...expr.Exp[T]) (value T, gradients []*engine.Tensor[T], err error) {
	defer failure.Catch(&err)
	grads := failure.Must(Of(loss, wrt...))
	results := make([]*engine.Tensor[T], len(grads)+1)
	var stmts []expr.Statement
	for i, e := range append([]expr.Exp[T]{loss}, grads...) {
		results[i] = failure.Must(engine.New[T](e.Node().Shape()...))
		stmts = append(stmts, expr.Let(results[i], e))
	}
	failure.Check(engine.Run(ctx, stmts...))
	return results[0].At(), results[1:], nil
}

// VJP returns the products of a vector v and the Jacobians of y: for each variable
// the gradient of sum(v*y), which has the shape of the variable. v has the shape of
// y and counts as a constant. See [Of] for variables and errors.
func VJP[T expr.Float](y, v expr.Exp[T], wrt ...expr.Exp[T]) ([]expr.Exp[T], error) {
	return typed[T](VJPNodes(expr.NodeOf(y), expr.NodeOf(v), nodes(wrt)...))
}

// VJPNodes is VJP for untyped trees.
func VJPNodes(y, v *tree.Node, wrt ...*tree.Node) (products []*tree.Node, err error) {
	return reverse.VJP(y, v, wrt...)
}

// JVP returns the product of the Jacobian of y and a vector: the derivative of y
// as each variable wrt[i] moves by v[i]. v[i] has the shape of wrt[i], and the
// result the shape of y. See [Of] for variables and errors. Every operator between y
// and wrt must have a derivative that can be differentiated again. All operators of
// package op that have a derivative do.
func JVP[T expr.Float](y expr.Exp[T], wrt, v []expr.Exp[T]) (expr.Exp[T], error) {
	n, err := JVPNodes(expr.NodeOf(y), nodes(wrt), nodes(v))
	if err != nil {
		return nil, err
	}
	return expr.Of[T](n), nil
}

// JVPNodes is JVP for untyped trees.
func JVPNodes(y *tree.Node, wrt, v []*tree.Node) (product *tree.Node, err error) {
	return reverse.JVP(y, wrt, v)
}

// HVP returns the products of the Hessian of loss, a scalar, and a vector: for
// each variable the derivative of its gradient as every variable wrt[i] moves by
// v[i]. v[i] has the shape of wrt[i] and counts as a constant. See [Of] for variables
// and errors.
func HVP[T expr.Float](loss expr.Exp[T], wrt, v []expr.Exp[T]) ([]expr.Exp[T], error) {
	return typed[T](HVPNodes(expr.NodeOf(loss), nodes(wrt), nodes(v)))
}

// HVPNodes is HVP for untyped trees.
func HVPNodes(loss *tree.Node, wrt, v []*tree.Node) (products []*tree.Node, err error) {
	return reverse.HVP(loss, wrt, v)
}

func nodes[T expr.Float](list []expr.Exp[T]) []*tree.Node { return lists.Map(list, expr.NodeOf[T]) }

func typed[T expr.Float](nodes []*tree.Node, err error) ([]expr.Exp[T], error) {
	if err != nil {
		return nil, err
	}
	return lists.Map(nodes, expr.Of[T]), nil
}
