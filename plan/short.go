package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/shape"
)

// shortGroup is the length up to which a reduction over the last axes is
// written out: a loop over rows of three elements would be all overhead.
const shortGroup = 8

// combineRows names the row that combines two values of a reduction.
var combineRows = map[string]string{"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "fmax": "fmax", "fmin": "fmin", "any": "bitwise_or", "all": "bitwise_and"}

// empty is the value of a reduction of nothing, for those that have one.
var empty = map[string]int64{"prod": 1, "all": 1}

// filled is a constant in the place of e.
func (g *graph) filled(e *expr.Node, v int64) *node {
	c := g.make(expr.ConstInt(e.DType(), v), nil)
	return g.make(expr.NewView(broadcastRow, e.Shape(), e.DType(), e.Shape()), []*node{c})
}

// shortReduction writes a reduction of nothing as a constant, of one element as
// that element, and of a few as the tree that the lane order makes of them: lane j is folded with
// lane j + 2^k, the largest 2^k first.
func (g *graph) shortReduction(e *expr.Node, a *node) *node {
	size := 1
	for _, x := range e.Axes {
		size *= a.shape[x]
	}
	name, ok := combineRows[e.Op.Reduce]
	switch {
	case !ok && size == 1:
		return g.filled(e, 0)
	case size == 0:
		return g.filled(e, empty[e.Op.Reduce])
	case !ok || size > shortGroup || size > 1 && (!slices.Contains(e.Axes, len(a.shape)-1) || len(e.Axes) > 1 || a.shape.Size()/size < 64 || a.work > 2*keepCost):
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
	row := expr.Node{Op: mustRow(name)}
	for ; half > 0; half /= 2 {
		for j := 0; j < half && j+half < len(lanes); j++ {
			lanes[j] = g.make(expr.Untyped(row.Op, lanes[j].shape, e.DType()), []*node{lanes[j], lanes[j+half]})
		}
		lanes = lanes[:min(half, len(lanes))]
	}
	return lanes[0]
}

// maxParts bounds the operands of a concatenation in one kernel.
const maxParts = 256

// nestConcat makes a concatenation of concatenations of at most maxParts operands.
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

// pick is element i along an axis, which keeps size 1. Of an operation it is
// the operation on elements of its operands. done holds what has been picked.
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
