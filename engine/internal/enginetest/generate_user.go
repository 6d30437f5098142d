package enginetest

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A computingView is a view as a user defines it: an index map that computes, and reads its
// operand at several positions of the first axis. The result is shorter by less.
type computingView struct {
	op   *tree.Operator
	less int
}

var computingViews = []computingView{
	newComputingView("double_head", 1, func(g *tree.Gather) op.V { return added(g, g.At(0, g.Out), g.At(0, g.Out)) }),
	newComputingView("pairs", 1, func(g *tree.Gather) op.V {
		return added(g, g.At(0, g.Out), g.At(0, first(g, g.Add(g.Out[0], g.Const(1)))))
	}),
	newComputingView("add_first", 0, func(g *tree.Gather) op.V {
		return added(g, g.At(0, first(g, g.Const(0))), g.At(0, g.Out))
	}),
	newComputingView("add_neighbours", 0, func(g *tree.Gather) op.V {
		v := g.At(0, g.Out)
		before, after := first(g, g.Add(g.Out[0], g.Const(-1))), first(g, g.Add(g.Out[0], g.Const(1)))
		return added(g, g.Guarded(0, before, v), g.Guarded(0, after, v))
	}),
	newComputingView("add_half", 0, func(g *tree.Gather) op.V {
		return added(g, g.At(0, g.Out), g.At(0, first(g, g.Div(g.Out[0], g.Const(2)))))
	}),
}

func newComputingView(name string, less int, index func(g *tree.Gather) op.V) computingView {
	return computingView{op.DefineView(name, 1, func(n *tree.Node) (shape.Shape, error) {
		s := n.Args[0].Shape().Clone()
		s[0] -= less
		return s, nil
	}, index), less}
}

// added returns x+y, or x and y of predicates.
func added(g *tree.Gather, x, y op.V) op.V {
	if x.Type == dtype.Bool {
		return g.B.And(x, y)
	}
	return g.B.Add(x, y)
}

// first returns the position of the result with another index of the first axis.
func first(g *tree.Gather, index prim.Ix) []prim.Ix {
	at := slices.Clone(g.Out)
	at[0] = index
	return at
}

// user returns a view of the user's of type t and shape s, or nil if s has no first
// element.
func (g *generator) user(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 || s.Size() == 0 {
		return nil
	}
	v := pick(g, "user's view", computingViews)
	from := s.Clone()
	from[0] += v.less
	return tree.ApplyWith(v.op, tree.Attributes{}, g.node(t, from, depth))
}
