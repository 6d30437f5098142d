package formula

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

func itself(b *builder, c *call) (value, error) { return b.argument(c, 0) }

func length(b *builder, c *call) (value, error) {
	if c.args[0].kind == vSeq {
		return literal(pyInt(len(c.args[0].seq))), nil
	}
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	if len(v.n.Shape()) == 0 {
		return value{}, b.fail(c.a, expr.ErrShape, "an array of rank 0 has no len")
	}
	return literal(pyInt(v.n.Shape()[0])), nil
}

// argument returns argument i as an array.
func (b *builder) argument(c *call, i int) (value, error) {
	v, err := b.operand(c.pos[i], c.args[i])
	if err != nil {
		return value{}, err
	}
	n, err := asTree(v)
	return b.check(c.pos[i], n, err)
}

// two returns the first two arguments as arrays.
func (b *builder) two(c *call) (x, y value, err error) {
	if x, err = b.argument(c, 0); err == nil {
		y, err = b.argument(c, 1)
	}
	return x, y, err
}

// floating returns argument i as an array of floats.
func (b *builder) floating(c *call, i int) (*expr.Node, error) {
	v, err := b.argument(c, i)
	if err != nil {
		return nil, err
	}
	if t := v.n.DType(); !t.IsFloat() {
		return cast(v.n, floatFor(t)), nil
	}
	return v.n, nil
}

// rearrange returns a function of an array and, as parameter 1, of integers. f
// gets whether the caller gave them.
func rearrange(what string, f func(n *expr.Node, given bool, ints []int) *expr.Node) func(b *builder, c *call) (value, error) {
	return func(b *builder, c *call) (value, error) {
		v, err := b.argument(c, 0)
		if err != nil {
			return value{}, err
		}
		var ints []int
		given := c.args[1].kind != vNone
		if given {
			if ints, err = b.integers(c.pos[1], c.args[1], what); err != nil {
				return value{}, err
			}
		}
		return b.check(c.a, f(v.n, given, ints), nil)
	}
}

var (
	reshape     = rearrange("shape", func(n *expr.Node, _ bool, dims []int) *expr.Node { return op.ReshapeNode(n, dims) })
	broadcastTo = rearrange("shape", func(n *expr.Node, _ bool, dims []int) *expr.Node { return op.BroadcastToNode(n, dims) })
	squeeze     = rearrange("axis", func(n *expr.Node, given bool, axes []int) *expr.Node {
		if given && len(axes) == 0 {
			return n
		}
		return op.SqueezeNode(n, axes)
	})
	flip = rearrange("axis", func(n *expr.Node, given bool, axes []int) *expr.Node {
		if given && len(axes) == 0 {
			return n
		}
		return op.FlipNode(n, axes)
	})
	transpose = rearrange("axes", func(n *expr.Node, given bool, axes []int) *expr.Node {
		if given && len(axes) != len(n.Shape()) {
			return expr.Errorf(expr.ErrShape, "", "%d axes do not fit an array of rank %d", len(axes), len(n.Shape()))
		}
		return op.PermuteNode(n, axes)
	})
	expandDims = rearrange("axis", func(n *expr.Node, _ bool, axes []int) *expr.Node {
		if len(axes) == 0 {
			return n
		}
		axes, err := shape.Axes(axes, len(n.Shape())+len(axes))
		if err != nil {
			return expr.Errorf(expr.ErrShape, "", "%s", err)
		}
		for _, x := range axes {
			n = op.NewAxisNode(n, x)
		}
		return n
	})
)

func flatten(b *builder, c *call) (value, error) {
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	return b.check(c.a, op.ReshapeNode(v.n, []int{v.n.Shape().Size()}), nil)
}

func swapaxes(b *builder, c *call) (value, error) {
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	i, err := b.integer(c.pos[1], c.args[1], "axis1")
	if err != nil {
		return value{}, err
	}
	j, err := b.integer(c.pos[2], c.args[2], "axis2")
	if err != nil {
		return value{}, err
	}
	return b.check(c.a, op.SwapAxesNode(v.n, i, j), nil)
}

func moveaxis(b *builder, c *call) (value, error) {
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	from, err := b.integers(c.pos[1], c.args[1], "source")
	if err != nil {
		return value{}, err
	}
	to, err := b.integers(c.pos[2], c.args[2], "destination")
	if err != nil {
		return value{}, err
	}
	rank := len(v.n.Shape())
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = -1
	}
	if len(from) != len(to) {
		return value{}, b.fail(c.a, expr.ErrShape, "source and destination differ in length")
	}
	moved := map[int]bool{}
	for k := range from {
		s, err := shape.Axis(from[k], rank)
		d, err2 := shape.Axis(to[k], rank)
		if err != nil || err2 != nil || moved[s] || perm[d] >= 0 {
			return value{}, b.fail(c.a, expr.ErrShape, "axes %v cannot be moved to %v in rank %d", from, to, rank)
		}
		perm[d], moved[s] = s, true
	}
	next := 0
	for d := range perm {
		if perm[d] < 0 {
			for moved[next] {
				next++
			}
			perm[d] = next
			next++
		}
	}
	return b.check(c.a, op.PermuteNode(v.n, perm), nil)
}

// roll moves the elements of an axis, or of the flattened array, by shift
// positions. Those that leave one end enter at the other.
func roll(b *builder, c *call) (value, error) {
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	shift, err := b.integer(c.pos[1], c.args[1], "shift")
	if err != nil {
		return value{}, err
	}
	n, axis := v.n, 0
	if c.args[2].kind == vNone {
		n = op.ReshapeNode(n, []int{n.Shape().Size()})
	} else if axis, err = b.integer(c.pos[2], c.args[2], "axis"); err != nil {
		return value{}, err
	}
	if axis, err = shape.Axis(axis, len(n.Shape())); err != nil {
		return value{}, fromTree(b.src.text, c.a.pos, err)
	}
	d := n.Shape()[axis]
	if d > 0 {
		if shift = (shift%d + d) % d; shift != 0 {
			tail, head := make([]op.Span, axis+1), make([]op.Span, axis+1)
			tail[axis], head[axis] = op.From(d-shift), op.Until(d-shift)
			n = op.ConcatNode(axis, []*expr.Node{op.SliceNode(n, tail), op.SliceNode(n, head)})
		}
	}
	return b.check(c.a, op.ReshapeNode(n, v.n.Shape()), nil)
}

// sequence returns the arrays of a list in their common type. weak says whether
// Python numbers among them take the type of the arrays.
func (b *builder) sequence(c *call, weak bool) ([]*expr.Node, error) {
	items := slices.Clone(c.args[0].seq)
	for i, x := range items {
		if x.kind != vScalar || !weak {
			n, err := b.as(c.pos[0], x, x.naturalType())
			if err != nil {
				return nil, err
			}
			items[i] = tree(n)
		}
	}
	t := promoteValues(items...)
	nodes := make([]*expr.Node, len(items))
	for i, x := range items {
		var err error
		if nodes[i], err = b.as(c.pos[0], x, t); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

func concatenate(b *builder, c *call) (value, error) {
	nodes, err := b.sequence(c, true)
	if err != nil {
		return value{}, err
	}
	axis := 0
	if c.set[1] && c.args[1].kind == vNone {
		for i, n := range nodes {
			nodes[i] = op.ReshapeNode(n, []int{n.Shape().Size()})
		}
	} else if c.set[1] {
		if axis, err = b.integer(c.pos[1], c.args[1], "axis"); err != nil {
			return value{}, err
		}
	}
	for _, n := range nodes {
		if len(n.Shape()) == 0 {
			return value{}, b.fail(c.a, expr.ErrShape, "arrays of rank 0 cannot be concatenated; use stack")
		}
	}
	if len(nodes) == 1 {
		return b.check(c.a, nodes[0], nil)
	}
	return b.check(c.a, op.ConcatNode(axis, nodes), nil)
}

func stack(b *builder, c *call) (value, error) {
	nodes, err := b.sequence(c, false)
	if err != nil {
		return value{}, err
	}
	axis := 0
	if c.set[1] {
		if axis, err = b.integer(c.pos[1], c.args[1], "axis"); err != nil {
			return value{}, err
		}
	}
	for _, n := range nodes {
		if !n.Shape().Equal(nodes[0].Shape()) {
			return value{}, b.fail(c.a, expr.ErrShape, "arrays of shapes %v and %v cannot be stacked", nodes[0].Shape(), n.Shape())
		}
	}
	for i, n := range nodes {
		nodes[i] = op.NewAxisNode(n, axis)
	}
	if len(nodes) == 1 {
		return b.check(c.a, nodes[0], nil)
	}
	return b.check(c.a, op.ConcatNode(axis, nodes), nil)
}

func take(b *builder, c *call) (value, error) {
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	i, err := b.argument(c, 1)
	if err != nil {
		return value{}, err
	}
	if !i.n.DType().IsInt() {
		return value{}, b.fail(c.pos[1], expr.ErrType, "indices are integers, not %v", i.n.DType())
	}
	n, axis := v.n, 0
	if c.args[2].kind == vNone {
		n = op.ReshapeNode(n, []int{n.Shape().Size()})
	} else if axis, err = b.integer(c.pos[2], c.args[2], "axis"); err != nil {
		return value{}, err
	}
	return b.check(c.a, op.TakeNode(n, i.n, axis), nil)
}

// pad surrounds with a scalar. pad_width is n, (before, after), or a pair for
// each axis.
func pad(b *builder, c *call) (value, error) {
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	if c.set[2] && (c.args[2].kind != vString || c.args[2].str != "constant") {
		return value{}, b.fail(c.pos[2], expr.ErrUnsupported, "only the mode 'constant' is supported")
	}
	rank := len(v.n.Shape())
	widths := make([]int, 0, 2*rank)
	w := c.args[1]
	pair := func(x value) error {
		p, err := b.integers(c.pos[1], x, "pad_width")
		if err == nil && len(p) != 1 && len(p) != 2 {
			err = b.fail(c.pos[1], expr.ErrShape, "a pad width is an integer or a pair")
		}
		if err == nil {
			widths = append(widths, p[0], p[len(p)-1])
		}
		return err
	}
	if w.kind == vSeq && len(w.seq) > 0 && w.seq[0].kind == vSeq {
		if len(w.seq) != rank && len(w.seq) != 1 {
			return value{}, b.fail(c.pos[1], expr.ErrShape, "%d pad widths do not fit an array of rank %d", len(w.seq), rank)
		}
		for i := range rank {
			if err := pair(w.seq[min(i, len(w.seq)-1)]); err != nil {
				return value{}, err
			}
		}
	} else {
		for range rank {
			if err := pair(w); err != nil {
				return value{}, err
			}
		}
	}
	fill := literal(pyInt(0))
	if c.set[3] {
		if fill, err = b.operand(c.pos[3], c.args[3]); err != nil {
			return value{}, err
		}
	}
	f, err := fill.as(v.n.DType())
	if err != nil {
		return b.check(c.pos[3], nil, err)
	}
	return b.check(c.a, op.PadNode(v.n, widths, f), nil)
}

func astype(b *builder, c *call) (value, error) {
	t, err := b.typeOf(c.pos[1], c.args[1])
	if err != nil {
		return value{}, err
	}
	v, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	return b.check(c.a, cast(v.n, t), nil)
}

// dtypeArgument returns the element type that argument i names, or t.
func (b *builder) dtypeArgument(c *call, i int, t dtype.Type) (dtype.Type, error) {
	if c.args[i].kind == vNone {
		return t, nil
	}
	return b.typeOf(c.pos[i], c.args[i])
}
