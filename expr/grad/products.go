package grad

import (
	"context"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
)

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

// VJP returns the products of a vector and the Jacobians of y: for each variable
// the gradient of sum(v*y), which has the shape of the variable. The shape of v
// is that of y. The derivative takes v for a constant. See [Of] for variables
// and errors.
func VJP[T expr.Float](y, v expr.Exp[T], wrt ...expr.Exp[T]) ([]expr.Exp[T], error) {
	return typed[T](VJPNodes(expr.NodeOf(y), expr.NodeOf(v), nodes(wrt)...))
}

// VJPNodes is VJP for untyped trees.
func VJPNodes(y, v *tree.Node, wrt ...*tree.Node) (products []*tree.Node, err error) {
	defer failure.Catch(&err)
	check(append([]*tree.Node{y, v}, wrt...))
	alike("grad.VJP", y, v)
	return pull(y, v, wrt), nil
}

// JVP returns the product of the Jacobian of y and a vector: the derivative of y
// as each variable wrt[i] moves by v[i]. The shape of v[i] is that of wrt[i]. The
// result has the shape of y. See [Of] for variables and errors. Every operator
// in between must be differentiable twice, as all rows of the table are.
func JVP[T expr.Float](y expr.Exp[T], wrt, v []expr.Exp[T]) (expr.Exp[T], error) {
	n, err := JVPNodes(expr.NodeOf(y), nodes(wrt), nodes(v))
	if err != nil {
		return nil, err
	}
	return expr.Of[T](n), nil
}

// JVPNodes is JVP for untyped trees. VJP is linear in its vector. So the
// derivative of v*VJP(y, u) by the vector u is the product of the Jacobian and
// v, whatever u is.
func JVPNodes(y *tree.Node, wrt, v []*tree.Node) (product *tree.Node, err error) {
	defer failure.Catch(&err)
	check(append([]*tree.Node{y}, wrt...))
	u := untyped.BroadcastTo(tree.NewParamNode(y.DType(), &tree.Scalar{Name: "u"}), y.Shape())
	if len(y.Shape()) == 0 {
		u = tree.NewParamNode(y.DType(), &tree.Scalar{Name: "u"})
	}
	total := inner("grad.JVP", failure.Must(VJPNodes(y, u, wrt...)), v)
	return pull(total, tree.ConstFloat(total.DType(), 1), []*tree.Node{u})[0], nil
}

// HVP returns the products of the Hessian of loss, a scalar, and a vector: for
// each variable the derivative of its gradient as every variable wrt[i] moves by
// v[i]. The shape of v[i] is that of wrt[i]. The derivative takes v for a
// constant. See [Of] for variables and errors.
func HVP[T expr.Float](loss expr.Exp[T], wrt, v []expr.Exp[T]) ([]expr.Exp[T], error) {
	return typed[T](HVPNodes(expr.NodeOf(loss), nodes(wrt), nodes(v)))
}

// HVPNodes is HVP for untyped trees.
func HVPNodes(loss *tree.Node, wrt, v []*tree.Node) (products []*tree.Node, err error) {
	defer failure.Catch(&err)
	return OfNodes(inner("grad.HVP", failure.Must(OfNodes(loss, wrt...)), v), wrt...)
}

// inner returns the sum of all products of elements of a and v, which are
// constants to derivatives.
func inner(name string, a, v []*tree.Node) *tree.Node {
	if len(a) != len(v) || len(a) == 0 {
		fail(tree.ErrValue, name, "%d vectors given for %d variables", len(v), len(a))
	}
	check(v)
	var total *tree.Node
	for i, x := range a {
		alike(name, x, v[i])
		g := adjoint(x, x)
		term := g.Op("mul", x, g.Op("stop_gradient", v[i]))
		if axes := len(term.Shape()); axes > 0 {
			term = untyped.Reduce("sum", term, untyped.Options{})
		}
		switch {
		case total == nil:
			total = term
		case term.DType() != total.DType():
			fail(tree.ErrType, name, "the variables have elements of types %v and %v", total.DType(), term.DType())
		default:
			total = g.Op("add", total, term)
		}
	}
	failure.Check(total.Err())
	return total
}

// alike fails unless v has the shape and the type of x.
func alike(name string, x, v *tree.Node) {
	if !x.Shape().Equal(v.Shape()) || x.DType() != v.DType() {
		fail(tree.ErrShape, name, "a vector of %v%v is given for %v%v", v.DType(), v.Shape(), x.DType(), x.Shape())
	}
}

func nodes[T expr.Float](list []expr.Exp[T]) []*tree.Node { return lists.Map(list, expr.NodeOf[T]) }

func typed[T expr.Float](nodes []*tree.Node, err error) ([]expr.Exp[T], error) {
	if err != nil {
		return nil, err
	}
	return lists.Map(nodes, expr.Of[T]), nil
}
