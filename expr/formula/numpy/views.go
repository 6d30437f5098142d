package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// columnMajor reports whether the argument order is F. Values have no layout that A or K name.
func (c *call) columnMajor(i int) bool {
	s := c.text(i)
	stopIf(s != "C" && s != "F", c.args[i].at, tree.ErrUnsupported, "the order is 'C' or 'F', not %q: values of formulas have no layout", s)
	return c.args[i].str == "F"
}

// callReshape reads and writes elements in row-major order, or in column-major order.
func callReshape(c *call) *tree.Node {
	n, dims := c.array(0), c.integers(1)
	if !c.columnMajor(2) {
		return untyped.Reshape(n, dims)
	}
	turned := slices.Clone(dims)
	slices.Reverse(turned)
	return untyped.Permute(untyped.Reshape(untyped.Permute(n, nil), turned), nil)
}

func callRavel(c *call) *tree.Node {
	n := c.array(0)
	if c.columnMajor(1) {
		n = untyped.Permute(n, nil)
	}
	return untyped.Compose("ravel", untyped.Options{}, n)
}

// callRollAxis moves an axis before another one.
func callRollAxis(c *call) *tree.Node {
	n, start := c.array(0), c.integer(2)
	rank := len(n.Shape())
	axis, err := shape.Axis(c.integer(1), rank)
	if start < 0 {
		start += rank
	}
	stopIf(err != nil || start < 0 || start > rank, c.at, tree.ErrShape, "axis %d of %d cannot be moved before %d", c.integer(1), rank, c.integer(2))
	if axis < start {
		start--
	}
	return untyped.Compose("moveaxis", untyped.Options{Axes: []int{axis}, Ints: []int{start}}, n)
}

func callTranspose(c *call) *tree.Node {
	n, axes := c.array(0), c.integers(1)
	rank := len(n.Shape())
	stopIf(axes != nil && len(axes) != rank, c.at, tree.ErrShape, "%d axes do not fit an array of rank %d", len(axes), rank)
	return untyped.Permute(n, axes)
}

// flat returns an array as a vector.
func flat(n *tree.Node) *tree.Node { return untyped.Reshape(n, []int{n.Shape().Size()}) }

// along returns an array and an axis: arguments 0 and i, or the flattened array and
// 0 if argument i is None.
func (c *call) along(i int) (n *tree.Node, axis int) {
	if n = c.array(0); c.isNone(i) {
		return flat(n), 0
	}
	return n, c.integer(i)
}

func callConcatenate(c *call) *tree.Node {
	nodes, axis := c.joint(true), 0
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
	if n := nodes[0]; len(nodes) == 1 {
		_, err := shape.Axis(axis, len(n.Shape()))
		stopIf(err != nil, c.at, tree.ErrShape, "%s", err)
		return n
	}
	return untyped.Concat(axis, nodes)
}

// callJoin is a composition of a list of arrays.
func callJoin(name string) func(c *call) *tree.Node {
	return func(c *call) *tree.Node { return untyped.Compose(name, c.options(), c.joint(false)...) }
}

// joint returns the arrays of a list in their common type, or in the one that dtype names if
// the argument casting admits that.
func (c *call) joint(weak bool) []*tree.Node {
	i, rule := c.f.parameter("dtype"), c.f.parameter("casting")
	items := c.listed(0, weak)
	t := c.dtype(i, promoted(items...))
	if c.isNone(i) && c.text(rule) == "same_kind" {
		return c.converted(0, items, t)
	}
	for _, x := range items {
		from := x.dtype()
		ok := false
		switch c.text(rule) {
		case "unsafe":
			ok = true
		case "same_kind":
			ok = sameKind(from, t)
		case "safe":
			ok = promote(from, t) == t
		case "no", "equiv":
			ok = from == t
		}
		stopIf(!ok, c.at, tree.ErrType, "the casting %q does not convert %v to %v", c.args[rule].str, from, t)
	}
	return c.converted(0, items, t)
}

func callTake(c *call) *tree.Node {
	n, axis := c.along(2)
	if len(n.Shape()) == 0 {
		n = flat(n)
	}
	i := c.array(1)
	if x := c.args[1]; x.kind == vSeq && x.seq != nil && len(x.seq) == 0 {
		i = cast(i, dtype.I64)
	}
	stopIf(!i.DType().IsInt(), c.args[1].at, tree.ErrType, "indices are integers, not %v", i.DType())
	mode, t := c.text(3), dtype.I64
	stopIf(mode != "raise" && mode != "clip" && mode != "wrap", c.args[3].at, tree.ErrValue, "there is no mode %q; there are raise, clip and wrap", mode)
	at, err := shape.Axis(axis, len(n.Shape()))
	if mode == "raise" || err != nil || n.Shape()[at] == 0 {
		return untyped.Take(n, i, axis) // finds the errors
	}
	if i.DType() == dtype.U64 {
		t = dtype.U64
	}
	size := int64(n.Shape()[at])
	if i = cast(i, t); mode == "clip" {
		i = untyped.Call("clip", i, tree.ConstInt(t, 0), tree.ConstInt(t, size-1))
	} else {
		i = untyped.Call("mod", i, tree.ConstInt(t, size))
	}
	return untyped.Take(n, i, axis)
}

// callPutAlong returns an array with other values at the positions along an axis.
func callPutAlong(c *call) *tree.Node {
	a := c.array(0)
	n, axis := c.along(3)
	at := sound(c.at, c.alongAxis(positions(n.Shape()), axis))
	return untyped.Reshape(scattered("scatter", n, at, dropLeading(c.as(2, a.DType()), at)), a.Shape())
}

// alongAxis returns the elements of n at the indices, argument 1, along an axis. The other axes broadcast against
// each other.
func (c *call) alongAxis(n *tree.Node, axis int) *tree.Node {
	i := c.array(1)
	s, t := n.Shape().Clone(), i.Shape().Clone()
	if at, err := shape.Axis(axis, len(s)); err == nil && len(t) == len(s) {
		size, count := s[at], t[at]
		s[at], t[at] = 1, 1
		if dims, err := shape.Broadcast(s, t); err == nil {
			with := func(extent int) shape.Shape { return slices.Concat(dims[:at], shape.Shape{extent}, dims[at+1:]) }
			n, i = untyped.BroadcastTo(n, with(size)), untyped.BroadcastTo(i, with(count))
		}
	}
	return untyped.TakeAlongAxis(n, i, axis)
}
