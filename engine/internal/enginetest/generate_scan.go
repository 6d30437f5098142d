package enginetest

import (
	"pgregory.net/rapid"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// scan returns an output of a random scan along an axis, or a state after it.
func (g *generator) scan(t dtype.Type, s shape.Shape, axis, depth int) *tree.Node {
	o := op.ScanOptions{Axis: axis, Reverse: g.flip("reverse", 2)}
	others := append(s[:axis:axis], s[axis+1:]...)
	first := []*tree.Node{g.operand(t, others, depth-1)}
	if g.flip("second state", 2) {
		first = append(first, g.operand(t, others, depth-1))
	}
	last := g.flip("last", 4)
	whole := s.Clone()
	if last {
		whole[axis] = rapid.IntRange(1, 7).Draw(g.t, "steps")
		if whole.Size() > g.grow {
			return nil
		}
	}
	x := []*tree.Node{g.node(t, whole, depth)}
	free := g.operand(t, others, depth-1)
	r := untyped.Scan(first, x, o, func(i *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
		made := append(append([]*tree.Node{free, untyped.Cast(i, t)}, state...), x...)
		for range 1 + g.index("operations", 4) {
			made = append(made, g.pair(made))
		}
		n := len(made)
		for k := range state {
			next = append(next, made[n-1-k])
		}
		return next, []*tree.Node{pick(g, "output", made)}
	})
	if last {
		return untyped.BroadcastTo(untyped.Reshape(r.Last(0), keepAxis(s, axis)), s)
	}
	return r.Out(0)
}

func keepAxis(s shape.Shape, axis int) shape.Shape {
	k := s.Clone()
	k[axis] = 1
	return k
}

// pair returns an operation on two of the nodes, or a choice by their comparison.
func (g *generator) pair(made []*tree.Node) *tree.Node {
	x, y := pick(g, "left", made), made[len(made)-1-g.index("right", 3)]
	if g.flip("choice", 3) {
		return apply("where", apply("less", x, y), y, pick(g, "otherwise", made))
	}
	return apply(pick(g, "pair", []string{"add", "mul", "maximum", "sub", "minimum"}), x, y)
}
