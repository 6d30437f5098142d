package enginetest

import (
	"pgregory.net/rapid"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
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
