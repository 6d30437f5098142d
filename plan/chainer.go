package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// view writes a Chainer: loads of a strided view of an array, or whatever its
// index map asks for.
func (k *gen) view(key valueKey, n *node, coords []prim.Ix) prim.V {
	if a := k.c.strided(n); a != nil {
		base := n
		for base.array == nil {
			base = base.args[0]
		}
		k.need(base)
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
	inner := func(arg int, at []prim.Ix, bounds ir.Bounds, wanted prim.V) prim.V {
		a := operand(arg)
		old := k.bounds
		k.bounds = max(k.bounds, bounds)
		v := k.value(a, at)
		if k.faults.on {
			k.faults.edge(k.key(a, at), key, wanted, false)
		}
		k.bounds = old
		return v
	}
	g := &expr.Gather{IxTable: k.ix, B: k.p, Node: n.source(), Out: coords, Int: k.int, Value: k.b.Value}
	g.At = func(arg int, at []prim.Ix) prim.V { return inner(arg, at, ir.InBounds, prim.V{}) }
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
		return k.p.Select(inside, inner(arg, at, ir.Guarded, inside), fill)
	}
	g.Checked = func(arg int, at []prim.Ix) prim.V {
		a := operand(arg)
		if a.array == nil && a.computes {
			k.c.materialise(a, "it is read at computed positions")
		}
		for i, c := range at {
			if k.ix.At(c).Op != prim.IxValue || !k.faults.on {
				continue
			}
			i64 := k.b.Value(c)
			low := k.p.Lt(i64, k.p.Int(dtype.I64, 0))
			high := k.p.Le(k.b.Value(k.int(a.shape[i])), i64)
			k.fault(key, k.p.Or(low, high), expr.ErrIndex)
		}
		return inner(arg, at, ir.Clamped, prim.V{})
	}
	return n.src.Op.Gather(g)
}

// inside holds where coordinates lie within a shape.
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
	if !equalInts(loopShape(n.shape), loopShape(a.shape)) {
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
