package numpy

import (
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// toShape returns a function of an array and a shape.
func toShape(f func(n *tree.Node, dims []int) *tree.Node) func(c *call) *tree.Node {
	return func(c *call) *tree.Node { return f(c.array(0), c.integers(1)) }
}

func callTranspose(c *call) *tree.Node {
	n, axes := c.array(0), c.integers(1)
	if rank := len(n.Shape()); axes != nil && len(axes) != rank {
		return tree.Errorf(tree.ErrShape, "", "%d axes do not fit an array of rank %d", len(axes), rank)
	}
	return op.PermuteNode(n, axes)
}

// flat returns an array as a vector.
func flat(n *tree.Node) *tree.Node { return op.ReshapeNode(n, []int{n.Shape().Size()}) }

// along returns an array and an axis: those of arguments 0 and i, or the
// flattened array and 0 if argument i is None.
func (c *call) along(i int) (n *tree.Node, axis int) {
	if n = c.array(0); c.isNone(i) {
		return flat(n), 0
	}
	return n, c.integer(i)
}

func callConcatenate(c *call) *tree.Node {
	nodes, axis := c.sequence(true), 0
	if !c.isNone(1) {
		axis = c.integer(1)
	}
	for i, n := range nodes {
		if c.isNone(1) {
			nodes[i] = flat(n)
		} else if len(n.Shape()) == 0 {
			return tree.Errorf(tree.ErrShape, "", "arrays of rank 0 cannot be concatenated; use stack")
		}
	}
	if len(nodes) == 1 {
		return nodes[0]
	}
	return op.ConcatNode(axis, nodes)
}

func callTake(c *call) *tree.Node {
	n, axis := c.along(2)
	i := c.array(1)
	if i.Err() == nil && !i.DType().IsInt() {
		return c.fail(c.args[1].at, tree.ErrType, "indices are integers, not %v", i.DType())
	}
	return op.TakeNode(n, i, axis)
}

func callTakeAlong(c *call) *tree.Node {
	n, axis := c.along(2)
	return op.TakeAlongAxisNode(n, c.array(1), axis)
}

// callPad surrounds with a scalar, or with elements of the array.
func callPad(c *call) *tree.Node {
	mode, n := c.args[2], c.array(0)
	switch {
	case mode.kind != vString:
		return c.fail(mode.at, tree.ErrType, "the mode of pad must be a string, not %s", mode.describe())
	case mode.str != "constant" && c.args[3].given:
		return c.fail(c.args[3].at, nil, "the mode %q has no constant_values", mode.str)
	}
	widths := c.widths(len(n.Shape()))
	if mode.str != "constant" {
		return op.PadModeNode(n, widths, mode.str)
	}
	return op.PadNode(n, widths, c.operand(3).as(n.DType()))
}

// widths returns pad_width, two integers for each axis. The argument is n,
// (before, after), or a pair for each axis.
func (c *call) widths(rank int) []int {
	w := c.args[1]
	each := []value{w.value}
	if w.kind == vSeq && len(w.seq) > 0 && w.seq[0].kind == vSeq {
		each = w.seq
	}
	if len(each) != rank && len(each) != 1 {
		c.fail(w.at, tree.ErrShape, "%d pad widths do not fit an array of rank %d", len(each), rank)
		return nil
	}
	out := make([]int, 0, 2*rank)
	for i := range rank {
		p, err := item{each[min(i, len(each)-1)], w.at}.integers("pad_width")
		if err == nil && len(p) != 1 && len(p) != 2 {
			err = fail(w.at, tree.ErrShape, "a pad width is an integer or a pair")
		}
		if err != nil {
			if c.err == nil {
				c.err = err
			}
			return nil
		}
		out = append(out, p[0], p[len(p)-1])
	}
	return out
}

// callLength returns len(x), a Python integer.
func callLength(c *call) value {
	if x := c.args[0]; x.kind == vSeq {
		return integer(len(x.seq))
	}
	n := c.array(0)
	switch {
	case n.Err() != nil:
		return valueOf(n)
	case len(n.Shape()) == 0:
		return failed(tree.ErrShape, "an array of rank 0 has no len")
	}
	return integer(n.Shape()[0])
}
