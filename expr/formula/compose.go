package formula

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// where is x where the condition is not 0, else y.
func where(b *builder, c *call) (value, error) {
	cond, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	n, err := b.common(c, 1, 2)
	if err != nil {
		return value{}, err
	}
	return b.check(c.a, op.Apply(operatorRow("where"), cast(cond.n, dtype.Bool), n[0], n[1]), nil)
}

func operatorRow(name string) *expr.Operator {
	o, _ := op.Lookup(name)
	return o
}

// common returns some arguments as arrays of their common type.
func (b *builder) common(c *call, which ...int) ([]*expr.Node, error) {
	vs := make([]value, len(which))
	for k, i := range which {
		var err error
		if vs[k], err = b.operand(c.pos[i], c.args[i]); err != nil {
			return nil, err
		}
	}
	t := promoteValues(vs...)
	nodes := make([]*expr.Node, len(which))
	for k, i := range which {
		n, err := vs[k].as(t)
		if err != nil {
			return nil, fromTree(b.src.text, c.pos[i].pos, err)
		}
		nodes[k] = n
	}
	return nodes, nil
}

// clip is minimum(maximum(a, lo), hi). A Python integer at or beyond the limits
// of an integer type is no bound, as in NumPy.
func clip(b *builder, c *call) (value, error) {
	lo, hi := 1, 2
	for i, with := range []int{3, 4} {
		if c.set[with] {
			if c.set[1] || c.set[2] {
				return value{}, b.fail(c.pos[with], nil, "clip takes a_min and a_max, or min and max")
			}
			if i == 0 {
				lo = 3
			} else {
				hi = 4
			}
		}
	}
	if lo == 1 && hi == 2 && c.set[1] != c.set[2] && c.a.kind == aCall {
		return value{}, b.fail(c.a, nil, "clip takes a_min and a_max, or min and max; None stands for no bound")
	}
	x, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	least, most := c.args[lo], c.args[hi]
	if t := x.n.DType(); t.IsInt() {
		min, max := limits(t)
		if least.kind == vScalar && least.s.kind == kInt && least.s.i.Cmp(min) <= 0 {
			least = none
		}
		if most.kind == vScalar && most.s.kind == kInt && most.s.i.Cmp(max) >= 0 {
			most = none
		}
	}
	name, which := "clip", []int{0, lo, hi}
	switch {
	case least.kind == vNone && most.kind == vNone:
		return x, nil
	case least.kind == vNone:
		name, which = "minimum", []int{0, hi}
	case most.kind == vNone:
		name, which = "maximum", []int{0, lo}
	}
	n, err := b.common(c, which...)
	if err != nil {
		return value{}, err
	}
	t := n[0].DType()
	for i := range n {
		if t == dtype.Bool {
			n[i] = cast(n[i], dtype.U8)
		}
	}
	r, err := b.row(c.a, name, n...)
	if err == nil {
		r.n = cast(r.n, t)
	}
	return r, err
}

// round is to the nearest integer, ties to even; of integers it is the integer.
func round(b *builder, c *call) (value, error) {
	x, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	if c.set[1] {
		d, err := b.integer(c.pos[1], c.args[1], "decimals")
		if err != nil {
			return value{}, err
		}
		if d != 0 {
			return value{}, b.fail(c.pos[1], expr.ErrUnsupported, "only decimals=0 is supported")
		}
	}
	switch t := x.n.DType(); {
	case t == dtype.Bool:
		return b.row(c.a, "rint", cast(x.n, dtype.F16))
	case t.IsInt():
		return x, nil
	}
	return b.row(c.a, "rint", x.n)
}

func product(b *builder, c *call) (value, error) {
	x, y, err := b.two(c)
	if err != nil {
		return value{}, err
	}
	return b.matmul(c.a, x, y)
}

// dot is NumPy's dot: the product of scalars, or matmul where y is a
// vector or both are matrices at most.
func dot(b *builder, c *call) (value, error) {
	x, y, err := b.two(c)
	if err != nil {
		return value{}, err
	}
	rx, ry := len(x.n.Shape()), len(y.n.Shape())
	switch {
	case rx == 0 || ry == 0:
		return b.binary(c.a, "*", x, y)
	case ry > 2 || rx > 2 && ry != 1:
		return value{}, b.fail(c.a, expr.ErrUnsupported, "dot of ranks %d and %d is not supported; @ multiplies stacks of matrices", rx, ry)
	}
	return b.matmul(c.a, x, y)
}

// inner is the sum of products over the last axes.
func inner(b *builder, c *call) (value, error) {
	x, y, err := b.two(c)
	if err != nil {
		return value{}, err
	}
	switch rx, ry := len(x.n.Shape()), len(y.n.Shape()); {
	case rx == 0 || ry == 0:
		return b.binary(c.a, "*", x, y)
	case rx > 2 || ry > 2:
		return value{}, b.fail(c.a, expr.ErrUnsupported, "inner of ranks %d and %d is not supported", rx, ry)
	case ry == 2:
		y = tree(op.PermuteNode(y.n, nil))
	}
	return b.matmul(c.a, x, y)
}

// outer is the products of all pairs.
func outer(b *builder, c *call) (value, error) {
	x, y, err := b.two(c)
	if err != nil {
		return value{}, err
	}
	x.n = op.ReshapeNode(x.n, []int{x.n.Shape().Size(), 1})
	y.n = op.ReshapeNode(y.n, []int{y.n.Shape().Size()})
	return b.binary(c.a, "*", x, y)
}

func oneHot(b *builder, c *call) (value, error) {
	x, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	depth, err := b.integer(c.pos[1], c.args[1], "depth")
	if err != nil {
		return value{}, err
	}
	t, err := b.dtypeArgument(c, 2, dtype.F64)
	if err != nil {
		return value{}, err
	}
	n := op.OneHotNode(x.n, depth)
	if n.Err() == nil {
		n = cast(n, t)
	}
	return b.check(c.a, n, nil)
}

// nanToNum replaces NaN and brings infinities into range.
func nanToNum(b *builder, c *call) (value, error) {
	x, err := b.argument(c, 0)
	if err != nil || !x.n.DType().IsFloat() {
		return x, err
	}
	t := x.n.DType()
	fill := literal(pyFloat(0))
	if c.set[2] {
		fill = c.args[2]
	}
	with, err := fill.as(t)
	if err != nil {
		return b.check(c.pos[2], nil, err)
	}
	bad, err := b.row(c.a, "isnan", x.n)
	if err != nil {
		return value{}, err
	}
	most := largest[t]
	v, err := b.row(c.a, "clip", x.n, expr.ConstFloat(t, -most), expr.ConstFloat(t, most))
	if err != nil {
		return value{}, err
	}
	return b.row(c.a, "where", bad.n, with, v.n)
}

// largest are the greatest finite numbers.
var largest = map[dtype.Type]float64{dtype.F16: 65504, dtype.BF16: 0x1.fep127, dtype.F32: 0x1.fffffep127, dtype.F64: 0x1.fffffffffffffp1023}

// signBit reports for each element whether its sign is set. A NaN has none.
func signBit(b *builder, c *call) (value, error) {
	x, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	t := x.n.DType()
	if !t.IsFloat() {
		if t == dtype.Bool {
			x.n, t = cast(x.n, dtype.I8), dtype.I8
		}
		return b.row(c.a, "less", x.n, expr.ConstInt(t, 0))
	}
	s, err := b.row(c.a, "copysign", expr.ConstFloat(t, 1), x.n)
	if err != nil {
		return value{}, err
	}
	return b.row(c.a, "less", s.n, expr.ConstFloat(t, 0))
}
