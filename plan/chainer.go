package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// view returns the value of a Chainer at coordinates. It loads from an array if
// strides express the view, and otherwise runs the index map.
func (k *gen) view(key valueKey, n *node, coords []prim.Ix) prim.V {
	if a := strided(n); a != nil {
		k.need(n.base())
		return k.load(a, coords)
	}
	operand := func(arg int) *node {
		a := n.args[arg]
		if a.array == nil && a.computes && !sameLoop(n, a) &&
			(a.complex || !a.faulty && (a.uses > 1 && a.work > 2 || n.shape.Size() > a.shape.Size() && n.src.Op != padRow)) {
			k.c.materialise(a, "a view reads it at other positions than it is computed")
		}
		return a
	}
	g := &expr.Gather{IxTable: k.ix, B: k.p, Node: n.source(), Out: coords, Int: k.int, Value: k.b.Value}
	g.At = func(arg int, at []prim.Ix) prim.V { return k.inner(key, operand(arg), at, ir.InBounds, prim.V{}) }
	g.Guarded = func(arg int, at []prim.Ix, fill prim.V) prim.V {
		if n.args[arg].shape.Size() == 0 { // nowhere inside
			return fill
		}
		a := operand(arg)
		if a.array != nil && k.bounds == ir.InBounds {
			k.need(a)
			return k.loadAs(a.array, at, ir.Guarded, fill)
		}
		inside := k.inside(at, a.shape)
		return k.p.Select(inside, k.inner(key, a, at, ir.Guarded, inside), fill)
	}
	if !builtIn(n.src.Op) {
		return k.userView(key, n, g)
	}
	g.Checked = func(arg int, at []prim.Ix) prim.V {
		return k.checked(key, n, arg, at, func(c prim.Ix, _ int) bool { return k.ix.At(c).Op != prim.IxValue })
	}
	return n.src.Op.Gather(g)
}

// checked returns operand arg of n at coordinates that may lie outside. It
// raises ErrIndex for a coordinate that is outside, unless inside shows that
// the coordinate cannot be.
func (k *gen) checked(key valueKey, n *node, arg int, at []prim.Ix, inside func(c prim.Ix, d int) bool) prim.V {
	a := n.args[arg]
	if a.array == nil && a.computes {
		k.c.materialise(a, "it is read at computed positions")
	}
	if a.shape.Size() == 0 { // nowhere inside
		k.fault(key, n, k.p.Int(dtype.Bool, 1), expr.ErrIndex)
		return k.p.Bits(a.typ.Register(), 0)
	}
	for i, c := range at {
		if inside(c, a.shape[i]) || !k.faults.on {
			continue
		}
		i64 := k.b.Value(c)
		low := k.p.Lt(i64, k.p.Int(dtype.I64, 0))
		high := k.p.Le(k.b.Value(k.int(a.shape[i])), i64)
		k.fault(key, n, k.p.Or(low, high), expr.ErrIndex)
	}
	return k.inner(key, a, at, ir.Clamped, prim.V{})
}

// inner returns operand a of the view called key, loaded with the given bounds.
// wanted is the condition under which the view uses the value.
func (k *gen) inner(key valueKey, a *node, at []prim.Ix, bounds ir.Bounds, wanted prim.V) prim.V {
	old := k.bounds
	k.bounds = max(k.bounds, bounds)
	v := k.value(a, at)
	if k.faults.on {
		k.faults.edge(k.key(a, at), key, wanted, false)
	}
	k.bounds = old
	return v
}

// inside returns the condition that the coordinates lie within a shape.
func (k *gen) inside(at []prim.Ix, s shape.Shape) prim.V {
	all := k.p.Int(dtype.Bool, 1)
	for i, c := range at {
		if n := k.ix.At(c); n.Op == prim.IxAxis && k.extents[n.K] <= s[i] {
			continue
		}
		v := k.b.Value(c)
		low := k.p.Le(k.p.Int(dtype.I64, 0), v)
		high := k.p.Lt(v, k.b.Value(k.int(s[i])))
		all = k.p.And(all, k.p.And(low, high))
	}
	return all
}

// sameLoop reports whether a view only adds and drops axes of size 1.
func sameLoop(n, a *node) bool {
	if !slices.Equal(loopShape(n.shape), loopShape(a.shape)) {
		return false
	}
	switch n.src.Op {
	case reshapeRow:
		return true
	case transposeRow:
		last := -1
		for _, x := range n.src.Axes {
			if x >= 0 && a.shape[x] != 1 {
				if x < last {
					return false
				}
				last = x
			}
		}
		return true
	}
	return false
}
