package enginetest

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Order tests that the statements of a program act one after the other. A later
// statement must read the rounded values that an earlier one stored.
func Order(t *testing.T, o Options) {
	for _, typ := range []dtype.Type{dtype.F32, dtype.F16, dtype.BF16, dtype.F64, dtype.I32} {
		t.Run(typ.String(), func(t *testing.T) {
			for _, n := range []int{3, 40, 130} {
				if !testlevel.Deep() && n != 40 {
					continue
				}
				sequences(suite{t, o}, typ, n)
			}
		})
	}
}

func sequences(s suite, t dtype.Type, n int) {
	s.Helper()
	r := newRand(uint64(n))
	x := place(r, t, packed, tame, n, n).Named("x").Node()
	y := place(r, t, turned, tame, n, n).Named("y").Node()
	z := place(r, t, packed, tame, n, n).Named("z").Node()
	v := place(r, t, packed, tame, n).Named("v").Node()
	third := tree.ConstInt(t, 3)
	add := func(to, e *tree.Node) expr.Statement {
		return expr.Statement{Saver: expr.Plus, Target: to, Value: e}
	}
	programs := [][]expr.Statement{
		{set(x, apply("add", y, z)), set(y, apply("mul", x, third)), set(z, apply("sub", x, y))},
		{set(x, y), set(y, x)},
		{set(x, y), set(y, z), set(z, x)},
		{set(x, apply("mul", y, third)), set(x, apply("sub", x, y)), add(x, x)},
		{set(x, untyped.Permute(y, nil)), set(y, untyped.Permute(x, nil))},
		{set(v, untyped.Reduce("sum", x, axis(0))), set(x, apply("sub", x, v)), set(v, untyped.Reduce("max", x, axis(1)))},
		{set(v, untyped.Reduce("sum", x, axis(1))), set(y, apply("sub", x, v)), set(v, apply("mul", v, v)), add(y, v)},
		{add(span(x, op.From(1)), span(x, op.Range(0, -1))), add(span(x, op.Range(0, -1)), span(x, op.From(1)))},
		{set(span(x, op.Until(1)), third), set(z, x), set(span(x, op.From(n-1)), span(z, op.Until(1))), set(y, x)},
		{set(concat(0, x, y), concat(0, y, x)), set(z, x), set(concat(1, z, x), concat(1, x, y))},
		{set(x, apply("square", x)), set(x, apply("square", x)), set(y, apply("add", x, x)), set(v, untyped.Reduce("min", y, axis(0)))},
		{set(z, untyped.MatMul(untyped.Cast(untyped.Cast(x, dtype.I8), t), untyped.Cast(untyped.Cast(y, dtype.I8), t))), set(x, z), set(z, y)},
	}
	if t.IsFloat() {
		programs = append(
			programs,
			[]expr.Statement{set(x, apply("div", y, third)), set(y, apply("mul", x, third)), set(z, apply("mul", apply("div", y, third), third))},
			[]expr.Statement{set(x, untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, y)), set(y, apply("log", x)), set(v, untyped.Reduce("sum", y, axis(1)))},
			[]expr.Statement{set(v, untyped.Compose("mean", axis(0), x)), set(y, apply("sub", x, v)), set(v, untyped.Compose("mean", axis(0), apply("square", y)))},
		)
	}
	for i, p := range programs {
		if !s.check(p...) {
			s.Logf("program %d, %v, n = %d", i, t, n)
		}
	}
	many := []expr.Statement{}
	for i := range 100 {
		many = append(many, set([]*tree.Node{x, y, z}[i%3], apply("sub", []*tree.Node{y, z, x}[i%3], []*tree.Node{x, y, z}[i%3])))
	}
	s.check(many...)
}
