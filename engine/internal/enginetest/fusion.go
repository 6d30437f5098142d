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

// Fusion tests the patterns that plans fuse, in several element types and sizes.
// They must have the bits of the reference, and of the same operators run one by
// one.
func Fusion(t *testing.T, o Options) {
	for _, c := range fusionCases {
		t.Run(c.name, func(t *testing.T) {
			s := suite{t, o}
			for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
				for i, d := range fusionSizes {
					if step := testlevel.Every(2, 4); typ != dtype.F32 && (i+int(typ))%step != 0 || !testlevel.Deep() && i%2 != 0 {
						continue
					}
					r := newRand(uint64(i))
					f := &fusion{
						t: typ,
						x: place(r, typ, packed, tame, d.rows, d.cols).Named("x").Node(),
						y: place(r, typ, columnMajor, tame, d.rows, d.cols).Named("y").Node(),
						v: place(r, typ, packed, tame, d.cols).Named("v").Node(),
						u: place(r, typ, gaps, tame, d.rows, 1).Named("u").Node(),
					}
					value := c.make(f)
					if value.Err() != nil {
						s.Errorf("%v", value.Err())
						return
					}
					out := place(r, value.DType(), packed, tame, value.Shape()...).Named("out").Node()
					if !s.checkFused(expr.Statement{Target: out, Value: value}) {
						s.Logf("%v of %dx%d", typ, d.rows, d.cols)
						return
					}
				}
			}
		})
	}
	t.Run("adam", func(t *testing.T) { adam(suite{t, o}) })
	t.Run("products", func(t *testing.T) { products(suite{t, o}) })
}

var fusionSizes = []struct{ rows, cols int }{{1, 1}, {3, 5}, {65, 33}, {2, 4099}, {130, 64}, {1, 33000}, {700, 3}}

// fusion has the operands of a case: two matrices, a row and a column.
type fusion struct {
	t          dtype.Type
	x, y, v, u *tree.Node
}

func (f *fusion) num(v float64) *tree.Node { return tree.ConstFloat(f.t, v) }

func axis(axes ...int) untyped.Options { return untyped.Options{Axes: axes} }

func keep(axes ...int) untyped.Options { return untyped.Options{Axes: axes, Keep: true} }

var fusionCases = []struct {
	name string
	make func(f *fusion) *tree.Node
}{
	{"chain", func(f *fusion) *tree.Node {
		return apply("sub", apply("mul", apply("add", f.x, f.y), f.v), apply("div", apply("tanh", f.x), apply("add", f.u, f.num(1))))
	}},
	{"no-contraction", func(f *fusion) *tree.Node { return apply("add", apply("mul", f.x, f.y), apply("mul", f.v, f.u)) }},
	{"shared", func(f *fusion) *tree.Node {
		e := apply("exp", f.x)
		return apply("div", apply("sub", e, apply("reciprocal", e)), apply("add", e, apply("reciprocal", apply("exp", f.x))))
	}},
	{"softmax", func(f *fusion) *tree.Node { return untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, f.x) }},
	{"softmax-columns", func(f *fusion) *tree.Node { return untyped.Compose("softmax", untyped.Options{Axes: []int{0}}, f.x) }},
	{"softmax-of-tree", func(f *fusion) *tree.Node {
		return untyped.Compose("softmax", untyped.Options{Axes: []int{-1}}, apply("mul", apply("sin", f.y), f.v))
	}},
	{"softmax-of-two", func(f *fusion) *tree.Node {
		return untyped.Compose("softmax", axis(1), apply("mul", f.x, f.y))
	}},
	{"softmax-of-three", func(f *fusion) *tree.Node {
		return untyped.Compose("softmax", axis(1), apply("add", apply("mul", f.x, f.y), untyped.Compose("flip", axis(0), f.x)))
	}},
	{"layernorm-of-two", func(f *fusion) *tree.Node {
		return untyped.Compose("layernorm", untyped.Options{Numbers: []float64{1e-5}}, apply("sub", f.x, f.y), f.v, f.v)
	}},
	{"layernorm", func(f *fusion) *tree.Node {
		return untyped.Compose("layernorm", untyped.Options{Numbers: []float64{1e-5}}, f.x, f.v, f.v)
	}},
	{"layernorm-twice", func(f *fusion) *tree.Node {
		return untyped.Compose("layernorm", untyped.Options{Numbers: []float64{1e-5}}, apply("relu", untyped.Compose("layernorm", untyped.Options{Numbers: []float64{1e-3}}, f.y, f.v, nil)), nil, f.v)
	}},
	{"var-rows", func(f *fusion) *tree.Node { return untyped.Compose("var", axis(1), f.x) }},
	{"var-columns", func(f *fusion) *tree.Node { return untyped.Compose("var", axis(0), f.x) }},
	{"var-all", func(f *fusion) *tree.Node { return untyped.Compose("var", untyped.Options{}, f.y) }},
	{"var-outer-and-inner", func(f *fusion) *tree.Node {
		return untyped.Compose("var", axis(0, 2), untyped.Reshape(concat(0, f.x, f.y), []int{2, f.x.Shape()[0], f.x.Shape()[1]}))
	}},
	{"std-normalised", func(f *fusion) *tree.Node {
		return apply("div", apply("sub", f.x, untyped.Compose("mean", keep(0), f.x)), untyped.Compose("std", keep(0), f.x))
	}},
	{"logsumexp", func(f *fusion) *tree.Node { return untyped.Compose("logsumexp", axis(1), f.x) }},
	{"argmax", func(f *fusion) *tree.Node { return untyped.Reduce("argmax", apply("abs", f.x), axis(1)) }},
	{"argmin-columns", func(f *fusion) *tree.Node { return untyped.Reduce("argmin", f.x, axis(0)) }},
	{"argmax-all", func(f *fusion) *tree.Node { return untyped.Reduce("argmax", f.y, untyped.Options{}) }},
	{"max-minus-min", func(f *fusion) *tree.Node {
		return apply("sub", untyped.Reduce("max", f.x, axis(1)), untyped.Reduce("min", f.x, axis(1)))
	}},
	{"rows-and-columns", func(f *fusion) *tree.Node {
		return apply("sub", apply("sub", f.x, untyped.Compose("mean", keep(0), f.x)), untyped.Compose("mean", keep(1), f.x))
	}},
	{"two-roots-of-sums", func(f *fusion) *tree.Node {
		return apply("div", untyped.Reduce("sum", apply("mul", f.x, f.y), untyped.Options{}), apply("sqrt", apply("mul",
			untyped.Reduce("sum", apply("square", f.x), untyped.Options{}), untyped.Reduce("sum", apply("square", f.y), untyped.Options{}))))
	}},
	{"sum-of-transposed", func(f *fusion) *tree.Node {
		return untyped.Reduce("sum", apply("mul", untyped.Permute(f.x, nil), untyped.Permute(f.y, nil)), axis(1))
	}},
	{"stencil", func(f *fusion) *tree.Node {
		p := untyped.Pad(f.x, []int{1, 1, 1, 1}, f.num(0))
		rows, cols := f.x.Shape()[0], f.x.Shape()[1]
		at := func(i, j int) *tree.Node {
			return untyped.Slice(p, []op.Span{op.Range(i, i+rows), op.Range(j, j+cols)})
		}
		return apply("sub", apply("add", apply("add", at(0, 1), at(2, 1)), apply("add", at(1, 0), at(1, 2))), apply("mul", f.num(4), at(1, 1)))
	}},
	{"pad-concat-flip", func(f *fusion) *tree.Node {
		c := concat(1, apply("neg", f.x), untyped.Compose("flip", untyped.Options{Axes: []int{0}}, f.y), untyped.BroadcastTo(f.u, f.x.Shape()))
		return untyped.Compose("flip", untyped.Options{Axes: []int{1}}, untyped.Pad(apply("square", c), []int{0, 2, 1, 0}, f.num(-1)))
	}},
	{"take-of-tree", func(f *fusion) *tree.Node {
		rows := f.x.Shape()[0]
		return untyped.Take(apply("sqrt", apply("abs", f.x)), apply("mod", apply("mul", untyped.Iota(2*rows), tree.ConstInt(dtype.I64, 7)), tree.ConstInt(dtype.I64, int64(rows))), 0)
	}},
	{"one-hot", func(f *fusion) *tree.Node {
		hot := untyped.Cast(untyped.Compose("one_hot", untyped.Options{Ints: []int{f.x.Shape()[1]}, To: dtype.Bool}, untyped.Reduce("argmax", f.x, axis(1))), f.t)
		return untyped.Reduce("sum", apply("mul", hot, f.y), axis(1))
	}},
	{"pooling", func(f *fusion) *tree.Node {
		p := untyped.Pad(f.x, []int{1, 1, 1, 1}, f.num(-8))
		w := tree.ApplyWith(untyped.Row("windows"), tree.Attributes{Ints: []int{2, 2, 1, 3, 1, 1}}, p)
		return untyped.Reduce("max", apply("tanh", w), axis(2, 3))
	}},
	{"iota", func(f *fusion) *tree.Node {
		return apply("add", apply("mul", untyped.Cast(untyped.Iota(f.x.Shape()[1]), f.t), f.num(.5)), f.x)
	}},
	{"reshapes", func(f *fusion) *tree.Node {
		n := f.x.Shape().Size()
		flat := untyped.Reshape(apply("exp", apply("neg", apply("abs", f.x))), []int{n})
		return untyped.Reshape(apply("add", flat, untyped.Reshape(f.y, []int{n})), []int{f.x.Shape()[1], f.x.Shape()[0]})
	}},
	{"where-guards-division", func(f *fusion) *tree.Node {
		i := untyped.Cast(apply("rint", f.x), dtype.I32)
		zero := tree.ConstInt(dtype.I32, 0)
		return apply("where", apply("not_equal", i, zero), apply("div", tree.ConstInt(dtype.I32, 100), i), zero)
	}},
	{"where-guards-broadcast-division", func(f *fusion) *tree.Node {
		i := untyped.Cast(apply("rint", f.v), dtype.I32)
		zero := tree.ConstInt(dtype.I32, 0)
		q := apply("floor_divide", tree.ConstInt(dtype.I32, 100), i)
		return apply("add", apply("where", apply("not_equal", i, zero), apply("square", q), zero), untyped.Cast(f.x, dtype.I32))
	}},
	{"where-guards-row-division", func(f *fusion) *tree.Node {
		i := untyped.Cast(apply("rint", f.v), dtype.I32)
		zero := tree.ConstInt(dtype.I32, 0)
		q := apply("floor_divide", tree.ConstInt(dtype.I32, 100), i)
		q = apply("mul", apply("square", apply("add", apply("square", q), i)), apply("add", q, q))
		return apply("where", apply("logical_and", apply("not_equal", i, zero), apply("less", f.x, f.y)), q, zero)
	}},
	{"where-guards-index", func(f *fusion) *tree.Node {
		n := f.v.Shape()[0]
		i := apply("sub", untyped.Iota(n), tree.ConstInt(dtype.I64, 1000))
		return apply("where", apply("less", untyped.Iota(n), tree.ConstInt(dtype.I64, -1)), untyped.Take(f.v, i, 0), f.v)
	}},
	{"half-casts", func(f *fusion) *tree.Node {
		h := untyped.Cast(apply("mul", f.x, f.y), dtype.F16)
		b := untyped.Cast(apply("add", h, untyped.Cast(f.v, dtype.F16)), dtype.BF16)
		return untyped.Cast(apply("sub", untyped.Cast(b, dtype.F16), h), f.t)
	}},
	{"two-tables", func(f *fusion) *tree.Node { // huge angles need a table, and each width has its own
		x, y := untyped.Cast(f.x, dtype.F32), untyped.Cast(f.y, dtype.F64)
		s := apply("sin", apply("mul", x, tree.ConstFloat(dtype.F32, 1e20)))
		c := apply("cos", apply("mul", y, tree.ConstFloat(dtype.F64, 1e200)))
		return untyped.Cast(apply("sub", untyped.Cast(s, dtype.F64), c), f.t)
	}},
	{"mixed-widths", func(f *fusion) *tree.Node {
		return untyped.Cast(apply("add", untyped.Cast(f.x, dtype.F64), untyped.Cast(untyped.Cast(f.y, dtype.I8), dtype.F64)), dtype.F32)
	}},
}

// adam tests an update with three targets in one program.
func adam(s suite) {
	for _, t := range []dtype.Type{dtype.F32, dtype.F16, dtype.F64} {
		for _, n := range []int{1, 70, 5000} {
			r := newRand(uint64(n))
			w, g := place(r, t, packed, tame, n).Named("w").Node(), place(r, t, misaligned, tame, n).Named("g").Node()
			m, v := place(r, t, packed, tame, n).Named("m").Node(), place(r, t, packed, tame, n).Named("v").Node()
			write(v, evaluate(apply("abs", v)))
			num := func(x float64) *tree.Node { return tree.ConstFloat(t, x) }
			m1 := apply("add", apply("mul", num(.9), m), apply("mul", num(.1), g))
			v1 := apply("add", apply("mul", num(.999), v), apply("mul", num(.001), apply("square", g)))
			step := apply("div", apply("mul", num(1e-3), m1), apply("add", apply("sqrt", v1), num(1e-8)))
			lr := apply("div", apply("mul", num(1e-3), m), apply("add", apply("sqrt", v), num(1e-8)))
			s.checkFused(
				expr.Statement{Target: m, Value: m1},
				expr.Statement{Target: v, Value: v1},
				expr.Statement{Saver: expr.Minus, Target: w, Value: step},
				expr.Statement{Saver: expr.Minus, Target: w, Value: lr},
			)
		}
	}
}

// products tests matrix products of small integers, with prologues and epilogues.
func products(s suite) {
	for _, t := range dtype.Real()[1:] {
		for i, d := range []struct{ m, k, n int }{{1, 1, 1}, {3, 4, 5}, {33, 17, 9}, {70, 65, 66}, {3, 0, 4}, {0, 3, 4}} {
			r := newRand(uint64(i))
			for _, l := range []layout{packed, columnMajor, gaps, backward, misaligned} {
				if !testlevel.Deep() && (int(l)+i+int(t))%3 != 0 {
					continue
				}
				a := place(r, t, l, exact, d.m, d.k).Named("a").Node()
				b := place(r, t, columnMajor, exact, d.k, d.n).Named("b").Node()
				bias := place(r, t, packed, exact, d.n).Named("bias").Node()
				ab := untyped.MatMul(a, b)
				for _, v := range []*tree.Node{
					ab,
					apply("relu", apply("add", ab, bias)),
					untyped.MatMul(apply("add", a, a), apply("relu", b)),
					apply("sub", untyped.Reduce("max", ab, keep(1)), ab),
					untyped.Permute(ab, nil),
					untyped.MatMul(a, untyped.Index(b, 1, max(d.n-1, 0))),
					untyped.MatMul(concat(0, untyped.Reshape(a, []int{1, d.m, d.k}), untyped.Reshape(apply("square", a), []int{1, d.m, d.k})), b),
				} {
					if v.Err() != nil {
						continue // an error: the maximum of an empty axis
					}
					out := place(r, t, packed, tame, v.Shape()...).Named("out").Node()
					if !s.check(expr.Statement{Target: out, Value: v}) {
						s.Logf("%v %+v %v", t, d, l)
						return
					}
				}
			}
		}
	}
	r := newRand(9) // the target is also an operand
	a := place(r, dtype.F32, packed, exact, 20, 20).Named("a").Node()
	s.check(expr.Statement{Target: a, Value: untyped.MatMul(a, untyped.Permute(a, nil))})
	s.check(expr.Statement{Saver: expr.Plus, Target: a, Value: untyped.MatMul(a, a)})
}
