package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// shortGroup is the longest reduction over the last axis that is written out.
// For rows of a few elements the overhead of a loop exceeds its work.
const shortGroup = 8

// filled returns a constant with the shape of e. bits are of its register type.
func (g *graph) filled(e *expr.Node, bits uint64) *node {
	c := g.make(expr.NewConst(e.DType(), bits), nil)
	return g.make(expr.NewView(broadcastRow, e.Shape(), e.DType(), e.Shape()), []*node{c})
}

// pair returns the combination of two values of a reduction.
func (g *graph) pair(e *expr.Node, x, y *node) *node {
	return g.make(expr.Untyped(e.Op.Pair, x.shape, e.DType()), []*node{x, y})
}

// single returns the reduction of one element by a program: the identity
// combined with the element. For the last axis, the folds with the other lanes
// follow, which hold the identity alone. It returns nil if the program is
// wrong.
func (g *graph) single(e *expr.Node, a *node) *node {
	t := e.DType().Register()
	d := ir.Reducer{Reduction: e.Op.Reduce, Type: t}
	p, err := d.Scalar()
	if err != nil {
		return nil // the kernel of the reduction reports the error
	}
	other := e.Op.Reduce.Identity(t)
	v := g.pair(e, g.filled(e, other), a)
	if slices.Contains(e.Axes, len(a.shape)-1) {
		for lanes := ir.Lanes(t); lanes > 1; lanes /= 2 {
			v = g.pair(e, v, g.filled(e, other))
			other = p.Call(other, other)
		}
	}
	return v
}

// shortReduction returns a node for a reduction of few elements, or nil for
// others. A reduction of no elements is a constant. A reduction of one element
// is that element. A reduction of up to shortGroup elements is the tree of the
// lane order: lane j is combined with lane j + 2^k, the largest 2^k first.
func (g *graph) shortReduction(e *expr.Node, a *node) *node {
	size := 1
	for _, x := range e.Axes {
		size *= a.shape[x]
	}
	r := e.Op.Reduce
	switch {
	case size == 0:
		return g.filled(e, r.Nothing(a.typ.Register()))
	case size == 1 && r.Position:
		return g.filled(e, 0)
	case size == 1 && !r.Native():
		return g.single(e, a)
	case !r.Native() || r.Position || size > shortGroup || size > 1 && (!slices.Contains(e.Axes, len(a.shape)-1) || len(e.Axes) > 1 || a.shape.Size()/size < 64 || a.work > 2*keepCost):
		return nil
	case size == 1:
		return a
	}
	axis := e.Axes[0]
	lanes := make([]*node, size)
	for i := range lanes {
		lanes[i] = g.pick(a, axis, i, map[*node]*node{})
	}
	half := 1
	for 2*half < size {
		half *= 2
	}
	for ; half > 0; half /= 2 {
		for j := 0; j < half && j+half < len(lanes); j++ {
			lanes[j] = g.pair(e, lanes[j], lanes[j+half])
		}
		lanes = lanes[:min(half, len(lanes))]
	}
	return lanes[0]
}

// maxParts bounds the operands of a concatenation in one kernel.
const maxParts = 256

// nestConcat returns a concatenation of concatenations of at most maxParts
// operands.
func (g *graph) nestConcat(e *expr.Node, args []*node) *node {
	var outer []*node
	for part := range slices.Chunk(args, maxParts) {
		to := e.Shape().Clone()
		to[e.Axes[0]] = 0
		for _, a := range part {
			to[e.Axes[0]] += a.shape[e.Axes[0]]
		}
		outer = append(outer, g.make(concat(e, to), part))
	}
	return g.make(concat(e, e.Shape()), outer)
}

func concat(e *expr.Node, to shape.Shape) *expr.Node {
	v := expr.NewView(concatRow, to, e.DType(), nil)
	v.Attributes = e.Attributes
	return v
}

// pick returns element i of a along an axis, which keeps size 1. For an
// element-wise operation it picks from the operands. done holds the result for
// each node.
func (g *graph) pick(a *node, axis, i int, done map[*node]*node) *node {
	if a.shape[axis] == 1 {
		return a
	}
	if done[a] == nil {
		done[a] = g.picked(a, axis, i, done)
	}
	return done[a]
}

func (g *graph) picked(a *node, axis, i int, done map[*node]*node) *node {
	to := a.shape.Clone()
	to[axis] = 1
	if a.array == nil && a.src.Op.Class == expr.Elementwise {
		args := make([]*node, len(a.args))
		for k, x := range a.args {
			args[k] = x
			if at := axis - (len(a.shape) - len(x.shape)); at >= 0 {
				args[k] = g.pick(x, at, i, done)
			}
		}
		return g.intern(a.src, args, to)
	}
	ints := make([]int, 0, 3*len(to))
	for k, d := range to {
		start := 0
		if k == axis {
			start = i
		}
		ints = append(ints, start, 1, d)
	}
	return g.make(expr.NewView(sliceRow, shape.Shape(to), a.typ, ints), []*node{a})
}
