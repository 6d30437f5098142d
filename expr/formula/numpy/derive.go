package numpy

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

// maxDifferentiated bounds how many nodes all derivatives of a formula visit. A
// derivative of a derivative is several times as large.
const maxDifferentiated = 50_000

// derive returns a derivative, f of the trees x. The caller has checked none of
// them.
func (c *call) derive(f func() ([]*expr.Node, error), x ...*expr.Node) *expr.Node {
	for _, n := range x {
		if n.Err() != nil {
			return n
		}
		expr.Walk(n, func(*expr.Node) { c.scope.differentiated++ })
	}
	if c.scope.differentiated > maxDifferentiated {
		return expr.Errorf(expr.ErrUnsupported, "", "the derivatives of the formula have more than %d operations", maxDifferentiated)
	}
	out, err := f()
	if err != nil {
		return expr.Failed(err)
	}
	return rounded(out[0])
}

// vector returns argument i in the type and the shape of n.
func (c *call) vector(i int, n *expr.Node) *expr.Node {
	if n.Err() != nil {
		return n
	}
	return op.BroadcastToNode(c.as(i, n.DType()), n.Shape())
}

// variable returns argument i, which is no literal.
func (c *call) variable(i int) *expr.Node {
	if x := c.args[i]; x.kind != vTree {
		return c.fail(x.at, expr.ErrType, "%s differentiates by a name, not by %s", c.at.Text, x.describe())
	}
	return c.array(i)
}

func callGrad(c *call) *expr.Node {
	y, x := c.array(0), c.variable(1)
	return c.derive(func() ([]*expr.Node, error) { return grad.OfNodes(y, x) }, y, x)
}

func callVJP(c *call) *expr.Node {
	y, x := c.array(0), c.variable(2)
	v := c.vector(1, y)
	return c.derive(func() ([]*expr.Node, error) { return grad.VJPNodes(y, v, x) }, y, v, x)
}

func callJVP(c *call) *expr.Node {
	y, x := c.array(0), c.variable(1)
	v := c.vector(2, x)
	return c.derive(func() ([]*expr.Node, error) {
		n, err := grad.JVPNodes(y, []*expr.Node{x}, []*expr.Node{v})
		return []*expr.Node{n}, err
	}, y, v, x)
}

func callHVP(c *call) *expr.Node {
	y, x := c.array(0), c.variable(1)
	v := c.vector(2, x)
	return c.derive(func() ([]*expr.Node, error) { return grad.HVPNodes(y, []*expr.Node{x}, []*expr.Node{v}) }, y, v, x)
}
