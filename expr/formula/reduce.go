package formula

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// reduction reads axis, keepdims and ddof. nothing reports that axis is the empty
// tuple: no axis is reduced.
func (b *builder) reduction(c *call, n *expr.Node) (r op.Reduction, nothing bool, err error) {
	if v, at, ok := c.get("axis"); ok {
		if r.Axes, err = b.integers(at, v, "axis"); err != nil {
			return r, false, err
		}
		nothing = len(r.Axes) == 0
		if o := operatorRow(c.f.Name); o != nil && o.Class == expr.Reduction && len(n.Shape()) == 0 && len(r.Axes) == 1 && (r.Axes[0] == 0 || r.Axes[0] == -1) {
			r.Axes = nil // NumPy admits these for a scalar
		}
	}
	if v, at, ok := c.get("keepdims"); ok {
		if r.Keep, err = b.truth(at, v, "keepdims"); err != nil {
			return r, false, err
		}
	}
	for _, name := range []string{"ddof", "correction"} {
		if v, at, ok := c.get(name); ok {
			if r.DDof != 0 {
				return r, false, b.fail(at, nil, "%s takes ddof or correction, not both", c.name)
			}
			if r.DDof, err = b.integer(at, v, name); err != nil {
				return r, false, err
			}
		}
	}
	return r, nothing, nil
}

// reducible is the first argument as a tree, in the type that dtype= names.
func (b *builder) reducible(c *call) (*expr.Node, dtype.Type, error) {
	v, err := b.operand(c.pos[0], c.args[0])
	if err != nil {
		return nil, 0, err
	}
	n, err := asTree(v)
	if err != nil {
		return nil, 0, fromTree(b.src.text, c.pos[0].pos, err)
	}
	if v, at, ok := c.get("dtype"); ok {
		t, err := b.typeOf(at, v)
		return n, t, err
	}
	return n, dtype.Invalid, nil
}

// reducing is what every reduction begins with.
func (b *builder) reducing(c *call) (n *expr.Node, t dtype.Type, r op.Reduction, nothing bool, err error) {
	if n, t, err = b.reducible(c); err == nil {
		r, nothing, err = b.reduction(c, n)
	}
	return n, t, r, nothing, err
}

// sumType is the type in which NumPy adds up and multiplies elements of type t.
func sumType(t dtype.Type) dtype.Type {
	switch {
	case t.IsFloat():
		return t
	case t.IsUnsigned():
		return dtype.U64
	}
	return dtype.I64
}

func reduced(o *expr.Operator) func(b *builder, c *call) (value, error) {
	return func(b *builder, c *call) (value, error) {
		n, t, r, nothing, err := b.reducing(c)
		if err != nil {
			return value{}, err
		}
		return b.reduce(c.a, o, n, t, r, nothing)
	}
}

// logical names the reduction of bools that a primitive of numbers is.
var logical = map[prim.Op]string{prim.Add: "any", prim.Max: "any", prim.Mul: "all", prim.Min: "all"}

// reduce is a reduction of the table, with NumPy's types. t is Invalid or what
// dtype= says.
func (b *builder) reduce(a *ast, o *expr.Operator, n *expr.Node, t dtype.Type, r op.Reduction, nothing bool) (value, error) {
	have := n.DType()
	name := o.Name
	switch {
	case o.Reduce.Op == prim.Add || o.Reduce.Op == prim.Mul:
		if t == dtype.Invalid {
			t = sumType(have)
		}
		n = cast(n, t)
		if t == dtype.Bool {
			name = logical[o.Reduce.Op]
		}
	case t != dtype.Invalid:
		return value{}, b.fail(a, nil, "%s has no argument \"dtype\"", a.text)
	case o.Types.Has(have):
	case o.Types.Has(dtype.Bool): // any, all
		n = cast(n, dtype.Bool)
	case o.Result == expr.ResultInt64: // argmax of bools
		n = cast(n, dtype.U8)
		if len(r.Axes) > 1 {
			return value{}, b.fail(a, expr.ErrType, "%s takes one axis or none", a.text)
		}
	case have == dtype.Bool && logical[o.Reduce.Op] != "":
		name = logical[o.Reduce.Op]
	}
	if o.Result == expr.ResultInt64 && (len(r.Axes) > 1 || nothing) {
		return value{}, b.fail(a, expr.ErrType, "%s takes one axis or none", a.text)
	}
	if nothing {
		return b.check(a, n, nil)
	}
	return b.check(a, rounded(op.ReduceNode(name, n, r)), nil)
}

// averaged are the compositions that compute in floating point.
func averaged(f func(*expr.Node, op.Reduction) *expr.Node) func(b *builder, c *call) (value, error) {
	return func(b *builder, c *call) (value, error) {
		n, t, r, nothing, err := b.reducing(c)
		if err != nil {
			return value{}, err
		}
		if nothing {
			return value{}, b.fail(c.a, expr.ErrUnsupported, "%s over no axes is not supported", c.name)
		}
		if t == dtype.Invalid {
			if t = n.DType(); !t.IsFloat() {
				t = dtype.F64
			}
		}
		if !t.IsFloat() {
			return value{}, b.fail(c.a, expr.ErrType, "%s in %v is not supported", c.name, t)
		}
		n = cast(n, t)
		return b.check(c.a, rounded(f(n, r)), nil)
	}
}

func nanSum(b *builder, c *call) (value, error) {
	n, t, r, nothing, err := b.reducing(c)
	if err != nil {
		return value{}, err
	}
	if n.DType().IsFloat() {
		bad, err := b.row(c.a, "isnan", n)
		if err != nil {
			return value{}, err
		}
		v, err := b.row(c.a, "where", bad.n, expr.ConstFloat(n.DType(), 0), n)
		if err != nil {
			return value{}, err
		}
		n = v.n
	}
	o, _ := op.Lookup("sum")
	return b.reduce(c.a, o, n, t, r, nothing)
}

func countNonzero(b *builder, c *call) (value, error) {
	n, _, r, nothing, err := b.reducing(c)
	if err != nil {
		return value{}, err
	}
	o, _ := op.Lookup("sum")
	return b.reduce(c.a, o, cast(n, dtype.Bool), dtype.Invalid, r, nothing)
}

func peakToPeak(b *builder, c *call) (value, error) {
	n, _, r, nothing, err := b.reducing(c)
	if err != nil {
		return value{}, err
	}
	if n.DType() == dtype.Bool {
		return value{}, b.fail(c.a, expr.ErrType, "ptp is not defined for bool")
	}
	most, least := n, n
	if !nothing {
		most, least = op.ReduceNode("max", n, r), op.ReduceNode("min", n, r)
	}
	return b.row(c.a, "sub", most, least)
}

// softmax is over the last axis where none is named.
func softmax(b *builder, c *call) (value, error) {
	n, err := b.floating(c, 0)
	if err != nil {
		return value{}, err
	}
	axis := -1
	if c.set[1] {
		if axis, err = b.integer(c.pos[1], c.args[1], "axis"); err != nil {
			return value{}, err
		}
	}
	if _, err := shape.Axis(axis, len(n.Shape())); err != nil {
		return value{}, fromTree(b.src.text, c.a.pos, err)
	}
	return b.check(c.a, halfThrough(n, func(n *expr.Node) *expr.Node { return op.SoftmaxNode(n, axis) }), nil)
}

// halfThrough computes a composition of a half in float32 and rounds once.
func halfThrough(n *expr.Node, f func(*expr.Node) *expr.Node) *expr.Node {
	t := n.DType()
	if !t.IsHalf() {
		return f(n)
	}
	return cast(f(cast(n, dtype.F32)), t)
}

// layerNorm is over the last axis.
func layerNorm(b *builder, c *call) (value, error) {
	vs := []value{c.args[0]}
	for i := 1; i < 3; i++ {
		if c.args[i].kind != vNone {
			vs = append(vs, c.args[i])
		}
	}
	for i := range vs {
		var err error
		if vs[i], err = b.operand(c.pos[i], vs[i]); err != nil {
			return value{}, err
		}
	}
	t := promoteValues(vs...)
	if !t.IsFloat() {
		t = dtype.F64
	}
	wide := t.Register()
	var nodes [3]*expr.Node
	for i := range nodes {
		if c.args[i].kind == vNone {
			continue
		}
		v, err := b.operand(c.pos[i], c.args[i])
		if err != nil {
			return value{}, err
		}
		n, err := v.as(wide)
		if err != nil {
			return b.check(c.pos[i], nil, err)
		}
		nodes[i] = n
	}
	eps := 1e-5
	if c.set[3] {
		if c.args[3].kind != vScalar {
			return value{}, b.fail(c.pos[3], expr.ErrType, "eps must be a number written in the formula")
		}
		var err error
		if eps, err = c.args[3].s.float(); err != nil {
			return value{}, b.fail(c.pos[3], expr.ErrValue, "%s", err)
		}
	}
	n := op.LayerNormNode(nodes[0], nodes[1], nodes[2], eps)
	return b.check(c.a, cast(n, t), nil)
}
