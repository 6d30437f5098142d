package enginetest

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// Aliasing tests assignments whose value reads the memory that they write, at
// other positions. The program must behave as if it computed the whole value
// first.
func Aliasing(t *testing.T, o Options) {
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I8, dtype.I16, dtype.I64, dtype.Bool} {
		for _, n := range []int{2, 5, 33, 70, 200} {
			if !testlevel.Deep() && n != 5 && n != 70 || n == 200 && typ != dtype.F32 {
				continue
			}
			t.Run(typ.String(), func(t *testing.T) {
				s := suite{t, o}
				matrixAliases(s, typ, n)
				vectorAliases(s, typ, n*n)
				targetAliases(s, typ, n)
				memoryAliases(s, typ, n*n)
			})
		}
	}
}

// plus returns x + y, for bool x xor y.
func plus(x, y *tree.Node) *tree.Node {
	if x.DType() == dtype.Bool {
		return apply("bitwise_xor", x, y)
	}
	return apply("add", x, y)
}

func set(to, v *tree.Node) expr.Statement { return expr.Statement{Target: to, Value: v} }

func span(n *tree.Node, list ...op.Span) *tree.Node { return restrided(untyped.Slice(n, list), n) }

// restrided returns a slice of a leaf as a leaf, which can be a target.
func restrided(slice, leaf *tree.Node) *tree.Node {
	l := *leaf.Leaf
	l.Strides = append(shape.Strides(nil), l.Strides...)
	for i := range l.Strides {
		l.Offset += slice.Ints[3*i] * l.Strides[i]
		l.Strides[i] *= slice.Ints[3*i+1]
	}
	return tree.NewLeaf(leaf.DType(), slice.Shape(), &l)
}

func matrixAliases(s suite, t dtype.Type, n int) {
	s.Helper()
	r := newRand(uint64(n))
	a := place(r, t, packed, tame, n, n).Named("a").Node()
	transpose := untyped.Permute(a, nil)
	s.check(set(a, transpose))
	s.check(set(a, plus(transpose, a)))
	s.check(set(a, untyped.Compose("flip", untyped.Options{Axes: []int{0}}, transpose)))
	upper, lower := span(a, op.From(1)), span(a, op.Range(0, -1))
	s.check(set(upper, plus(upper, lower)))
	s.check(set(lower, plus(upper, lower)))
	if t != dtype.Bool {
		s.check(expr.Statement{Saver: expr.Plus, Target: upper, Value: lower})
		s.check(expr.Statement{Saver: expr.Minus, Target: span(a, op.Span{}, op.From(1)), Value: span(a, op.Span{}, op.Range(0, -1))})
		s.check(expr.Statement{Saver: expr.Minus, Target: a, Value: untyped.Reduce("sum", a, keep(1))})
		s.check(expr.Statement{Saver: expr.Minus, Target: a, Value: untyped.Reduce("max", a, keep(0))})
		s.check(expr.Statement{Saver: expr.Times, Target: a, Value: span(a, op.Range(0, 1))})
		s.check(set(span(a, op.Range(0, 1)), untyped.Reduce("sum", a, keep(0))))
		s.check(set(span(a, op.Span{}, op.Range(1, 2)), untyped.Reduce("min", a, keep(1))))
	}
	if t.IsFloat() {
		s.check(set(a, untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, a)))
		s.check(set(a, untyped.Compose("softmax", untyped.Options{Axes: []int{0}}, transpose)))
		s.check(set(a, untyped.Compose("layernorm", untyped.Options{Numbers: []float64{1e-5}}, a, span(a, op.Range(0, 1)), nil)))
	}
}

func vectorAliases(s suite, t dtype.Type, n int) {
	s.Helper()
	r := newRand(uint64(n))
	x := place(r, t, packed, tame, n).Named("x").Node()
	back := untyped.Compose("flip", untyped.Options{}, x)
	s.check(set(x, back))
	s.check(set(x, plus(back, plus(x, x))))
	if t != dtype.Bool {
		s.check(set(x, apply("sub", back, apply("mul", tree.ConstInt(t, 2), x))))
	}
	half := n / 2
	s.check(set(span(x, op.Until(half)), span(x, op.By(op.Until(2*half), 2))))
	s.check(set(span(x, op.By(op.Until(2*half), 2)), span(x, op.Until(half))))
	s.check(set(span(x, op.By(op.Until(2*half), 2)), span(x, op.By(op.Range(1, 2*half), 2))))
}

// targetAliases stores in several parts of one memory.
func targetAliases(s suite, t dtype.Type, n int) {
	s.Helper()
	r := newRand(uint64(n))
	a := place(r, t, packed, tame, 2*n, n).Named("a").Node()
	top, bottom := span(a, op.Until(n)), span(a, op.From(n))
	s.check(set(concat(0, top, bottom), concat(0, bottom, top)))
	s.check(set(concat(0, bottom, top), a))
	s.check(set(concat(0, top, bottom), plus(a, untyped.Compose("flip", untyped.Options{Axes: []int{0}}, a))))
	s.check(set(concat(1, top, bottom), untyped.Permute(a, nil)))
	s.check(set(concat(1, top, bottom), span(a, op.Until(1), op.Until(1))))
	if t != dtype.Bool {
		s.check(expr.Statement{Saver: expr.Plus, Target: concat(0, top, bottom), Value: untyped.Compose("flip", untyped.Options{}, a)})
	}
}

// memoryAliases reads and writes the same bytes through different memories.
func memoryAliases(s suite, t dtype.Type, n int) {
	s.Helper()
	r := newRand(uint64(n))
	whole := place(r, t, packed, tame, n+3)
	data := host(whole.Memory())[whole.Offset()*t.Size():]
	view := func(from, count int, name string) *tree.Node {
		m := engine.MemoryOf(data[from*t.Size() : (from+count)*t.Size()])
		return array(m, t, shape.Shape{count}, shape.Strides{1}, 0).Named(name).Node()
	}
	x, y, z := view(0, n, "x"), view(1, n, "y"), view(3, n, "z")
	s.check(set(y, x))
	s.check(set(x, y))
	s.check(set(y, plus(x, z)))
	s.check(set(y, plus(x, z)), set(x, plus(y, z)), set(z, plus(x, y)))
	s.check(set(x, z), set(z, y), set(y, x))
	s.check(set(concat(0, view(0, n/2, "v"), view(n/2, n-n/2, "w")), y))
}

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
	y := place(r, t, columnMajor, tame, n, n).Named("y").Node()
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
