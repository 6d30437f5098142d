package numpy

import (
	"github.com/oneloop/oneloop/expr/internal/reverse"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// maxDifferentiated bounds how many nodes all derivatives of a formula visit. A
// derivative of a derivative is several times as large.
const maxDifferentiated = 50_000

// derive returns a derivative, f of the trees x.
func (c *call) derive(f func() ([]*tree.Node, error), x ...*tree.Node) *tree.Node {
	for _, n := range x {
		tree.Walk(n, func(*tree.Node) { c.scope.differentiated++ })
	}
	stopIf(c.scope.differentiated > maxDifferentiated, c.at, tree.ErrUnsupported, "the derivatives of the formula have more than %d operations", maxDifferentiated)
	out, err := f()
	if err != nil {
		return tree.Failed(err)
	}
	return rounded(out[0])
}

// vector returns argument i in the type and the shape of n.
func (c *call) vector(i int, n *tree.Node) *tree.Node {
	return sound(c.at, untyped.BroadcastTo(c.as(i, n.DType()), n.Shape()))
}

// variable returns argument i, which is no literal.
func (c *call) variable(i int) *tree.Node {
	x := c.args[i]
	stopIf(x.kind != vTree, x.at, tree.ErrType, "%s differentiates by a name, not by %s", c.at.Text, x.describe())
	return c.array(i)
}

func callGrad(c *call) *tree.Node {
	y, x := c.array(0), c.variable(1)
	return c.derive(func() ([]*tree.Node, error) { return reverse.Of(y, x) }, y, x)
}

func callVJP(c *call) *tree.Node {
	y, x := c.array(0), c.variable(2)
	v := c.vector(1, y)
	return c.derive(func() ([]*tree.Node, error) { return reverse.VJP(y, v, x) }, y, v, x)
}

func callJVP(c *call) *tree.Node {
	y, x := c.array(0), c.variable(1)
	v := c.vector(2, x)
	return c.derive(func() ([]*tree.Node, error) {
		n, err := reverse.JVP(y, []*tree.Node{x}, []*tree.Node{v})
		return []*tree.Node{n}, err
	}, y, v, x)
}

func callHVP(c *call) *tree.Node {
	y, x := c.array(0), c.variable(1)
	v := c.vector(2, x)
	return c.derive(func() ([]*tree.Node, error) { return reverse.HVP(y, []*tree.Node{x}, []*tree.Node{v}) }, y, v, x)
}
