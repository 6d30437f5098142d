package reverse

import (
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
)

// VJP returns the products of a vector and the Jacobians of y.
func VJP(y, v *tree.Node, wrt ...*tree.Node) (products []*tree.Node, err error) {
	defer failure.Catch(&err)
	check(append([]*tree.Node{y, v}, wrt...))
	alike("grad.VJP", y, v)
	return pull(y, v, wrt), nil
}

// JVP returns the product of the Jacobian of y and a vector v. The product VJP(y, u) is linear in u,
// so the derivative of v*VJP(y, u) with respect to u is this product for every u.
func JVP(y *tree.Node, wrt, v []*tree.Node) (product *tree.Node, err error) {
	defer failure.Catch(&err)
	check(append([]*tree.Node{y}, wrt...))
	u := untyped.BroadcastTo(tree.NewParamNode(y.DType(), &tree.Scalar{Name: "u"}), y.Shape())
	total := inner("grad.JVP", failure.Must(VJP(y, u, wrt...)), v)
	return pull(total, tree.ConstFloat(total.DType(), 1), []*tree.Node{u})[0], nil
}

// HVP returns the products of the Hessian of loss and a vector.
func HVP(loss *tree.Node, wrt, v []*tree.Node) (products []*tree.Node, err error) {
	defer failure.Catch(&err)
	return Of(inner("grad.HVP", failure.Must(Of(loss, wrt...)), v), wrt...)
}

// inner returns the sum of the products of all elements of a and v. Derivatives of it treat v as a constant.
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
