package enginetest

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Size tests trees and programs that are too large for one loop.
func Size(t *testing.T, o Options) {
	if !testlevel.Deep() && len(o.Backends) > 1 {
		o.Backends = o.Backends[:1] // the plan splits trees for all of them alike
	}
	for _, c := range sizes {
		t.Run(c.name, func(t *testing.T) {
			s := suite{t, o}
			r := newRand(3)
			x := place(r, dtype.F32, packed, tame, 12, 12).Named("x").Node()
			y := place(r, dtype.F32, columnMajor, tame, 12, 12).Named("y").Node()
			out := blank(r, dtype.F32, 12, 12).Named("out").Node()
			v := c.make(x, y)
			s.check(set(out, v))
			s.check(set(x, v))
			one := blank(r, dtype.F32).Named("one").Node()
			s.check(set(one, untyped.Reduce("sum", v, untyped.Options{})))
		})
	}
	t.Run("statements", func(t *testing.T) { manyStatements(suite{t, o}) })
}

// sizes are trees of x and y with many nodes.
var sizes = []struct {
	name string
	make func(x, y *tree.Node) *tree.Node
}{
	{"chain", func(x, y *tree.Node) *tree.Node {
		v := x
		for i := range 5000 {
			v = apply([]string{"add", "mul", "sub", "maximum"}[i%4], v, []*tree.Node{x, y}[i/4%2])
		}
		return v
	}},
	{"casts", func(x, y *tree.Node) *tree.Node {
		v := x
		for i := range 1000 {
			v = untyped.Cast(apply("add", untyped.Cast(v, dtype.F64), untyped.Cast(y, dtype.F64)), dtype.F32)
			if i%100 == 0 {
				v = apply("tanh", v)
			}
		}
		return v
	}},
	{"balanced", func(x, y *tree.Node) *tree.Node { return balanced(x, y, 11) }},
	{"fibonacci", func(x, y *tree.Node) *tree.Node { // 2^40 nodes without sharing
		a, b := x, y
		for range 60 {
			a, b = b, apply("mul", apply("add", a, b), tree.ConstFloat(dtype.F32, .6))
		}
		return b
	}},
	{"functions", func(x, y *tree.Node) *tree.Node {
		v := x
		for range 60 {
			v = apply("sin", apply("add", apply("exp", apply("neg", apply("abs", v))), y))
		}
		return v
	}},
	{"reductions", func(x, y *tree.Node) *tree.Node {
		v := x
		for i := range 60 {
			v = apply("sub", apply("tanh", v), untyped.Compose("mean", keep(i%2), v))
		}
		return v
	}},
	{"transposes", func(x, y *tree.Node) *tree.Node {
		v := x
		for range 100 {
			v = apply("sub", untyped.Permute(apply("sin", v), nil), y)
		}
		return v
	}},
	{"inputs", func(x, y *tree.Node) *tree.Node {
		r := newRand(4)
		v := x
		for i := range 200 {
			v = apply("add", v, apply("mul", y, place(r, dtype.F32, layout(i%int(numLayouts)), tame, 12, 12).Node()))
		}
		return v
	}},
	{"concatenation", func(x, y *tree.Node) *tree.Node {
		r := newRand(4)
		parts := lists.Make(144, func(int) *tree.Node { return apply("neg", place(r, dtype.F32, packed, tame, 1, 12).Node()) })
		return apply("add", untyped.Reduce("sum", concat(0, parts...), axis(0)), x)
	}},
}

func balanced(x, y *tree.Node, depth int) *tree.Node {
	if depth == 0 {
		return apply("mul", x, apply("add", y, x))
	}
	l, r := balanced(x, apply("mul", y, tree.ConstFloat(dtype.F32, float64(depth))), depth-1), balanced(y, x, depth-1)
	return apply("sub", l, r)
}

// manyStatements tests a program of a thousand statements over a few arrays.
func manyStatements(s suite) {
	r := newRand(8)
	arrays := lists.Make(10, func(i int) *tree.Node { return place(r, dtype.F32, layout(i)%repeated, tame, 6, 6).Node() })
	var stmts []expr.Statement
	for range 1000 {
		a, b, c := arrays[r.IntN(10)], arrays[r.IntN(10)], arrays[r.IntN(10)]
		v := apply("sub", b, apply("mul", c, tree.ConstFloat(dtype.F32, .5)))
		switch r.IntN(5) {
		case 0:
			v = apply("tanh", untyped.Permute(v, nil))
		case 1:
			v = untyped.Reduce("max", v, keep(r.IntN(2)))
		}
		stmts = append(stmts, set(a, v))
	}
	s.check(stmts...)
}
