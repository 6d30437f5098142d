package enginetest

import (
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
	"pgregory.net/rapid"
)

// randomChain returns a check of a program that has products, what computes their
// operands and what uses their results. Where a chain is possible, there is one.
func randomChain(o Options) func(*rapid.T) {
	return func(t *rapid.T) {
		g := newGenerator(t, 3000)
		var stmts []expr.Statement
		for range rapid.IntRange(1, 2).Draw(t, "statements") {
			g.made = nil
			typ := pick(g, "type", []dtype.Type{dtype.F32, dtype.F32, dtype.F64, dtype.I32, dtype.F16})
			s := shape.Shape{pick(g, "rows", []int{7, 16, 33, 4, 100, 1}), pick(g, "columns", []int{16, 5, 1, 33, 8})}
			if g.flip("batch", 3) {
				s = append(shape.Shape{pick(g, "batch", []int{3, 2, 1})}, s...)
			}
			value := g.around(typ, s, 1+g.index("depth", 3))
			st := expr.Statement{Target: g.array(typ, s, true), Value: value}
			if typ.IsFloat() {
				st.Saver = pick(g, "saver", []expr.Saver{expr.Set, expr.Set, expr.Plus, expr.Minus, expr.Times, expr.Over})
			}
			stmts = append(stmts, st)
		}
		o := o
		o.Threads, o.Chains = rapid.IntRange(1, 4).Draw(t, "threads"), engine.ChainsAlways
		if s := (suite{t, o}); !s.checkFused(stmts...) {
			t.FailNow()
		}
	}
}

// around returns what uses a product: element by element, along rows or columns, or
// as an operand of the next product.
func (g *generator) around(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if depth <= 0 {
		if x := g.product(t, s, 1); x != nil && x.DType() == t {
			return x
		}
		return g.leaf(t, s)
	}
	x := g.around(t, s, depth-1)
	last := untyped.Options{Axes: []int{len(s) - 1}, Keep: true}
	switch pick(g, "around", []string{"map", "map", "rows", "next", "next", "view", "columns"}) {
	case "rows":
		if t.IsFloat() {
			return untyped.Compose("softmax", untyped.Options{Axes: last.Axes}, x)
		}
		return apply("sub", x, untyped.Reduce("max", x, last))
	case "columns":
		return apply("maximum", x, untyped.Reduce("min", x, untyped.Options{Axes: []int{len(s) - 2}, Keep: true}))
	case "view":
		return untyped.Permute(g.around(t, transposed(s), depth-1), swapped(len(s)))
	case "next":
		n := pick(g, "terms", []int{5, 16, 33})
		inner := s.Clone()
		inner[len(s)-1] = n
		if b := (shape.Shape{n, s[len(s)-1]}); inner.Size() <= g.grow {
			return untyped.MatMul(g.digits(t, g.around(t, inner, depth-1)), g.digits(t, g.leaf(t, b)))
		}
	}
	if t.IsInt() {
		return apply("mul", x, g.operand(t, s, 1))
	}
	return apply(pick(g, "map", []string{"add", "mul", "maximum"}), apply("tanh", x), g.operand(t, s, 1))
}

// digits returns integers from -4 to 4 made of the elements of x, so that sums of their products
// are exact.
func (g *generator) digits(t dtype.Type, x *tree.Node) *tree.Node {
	if t.IsInt() {
		return x
	}
	return untyped.Cast(apply("mod", untyped.Cast(apply("mul", apply("tanh", x), tree.ConstInt(t, 100)), dtype.I8), tree.ConstInt(dtype.I8, 5)), t)
}

// swapped returns the order of n axes with the last two exchanged.
func swapped(n int) []int {
	order := lists.UpTo(n)
	order[n-1], order[n-2] = n-2, n-1
	return order
}

// transposed returns a shape with its last two axes exchanged.
func transposed(s shape.Shape) shape.Shape {
	s = s.Clone()
	n := len(s)
	s[n-1], s[n-2] = s[n-2], s[n-1]
	return s
}

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
