package enginetest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reductionCase is a shape and the axes to reduce, which are all if they are nil.
type reductionCase struct{ dims, axes []int }

// reductionCases are shapes and axes around the boundaries of lanes, blocks and runs. In the text
// the axes follow a slash. Few elements are written out (80,2,3/1,2), and records lie down columns (330,37,3/0,2).
var reductionCases = lists.Map(strings.Fields(`
	/ 1 2 31 33 64 65 129 4095 4096 4097 12358 40000 5,7/0 5,7/1 5,7 200,3/1 200,8/-1
	200,9/1 150,13/1 130,16/1 80,2,3/1,2 3,70,2,2,2/0,2,3,4 2,90/0 3,16,70/1 3,5,70/0,1
	2,9,3,40/0,2 63,5/0 64,5/0 65,70/0 130,33/0 700,2/0 3,4200/1 3,5,130/1,2 3,65,7/1 3,65,7/0,1
	9,5,67/0,2 4,3,2,5/1,3 4,3,2,5/0,2 4,3,2,5/1,2 4,3,2,5/0,1,2,3 4,1,5/1 1,5,1/0,2 6,1/0 0 0,3/1
	3,0/1 3,0/0 2,0,3/0,2 330,37,3/0,2 66,50,8/0,2 200,21,5/0,2
	3,256 20,300 2,5,257 9,700/0,1 2,3,2,300/0,2,3`), func(text string) reductionCase {
	dims, axes, _ := strings.Cut(text, "/")
	return reductionCase{numbersIn(dims), numbersIn(axes)}
})

// numbersIn returns the integers of a text, which have commas between them, or nil if there are none.
func numbersIn(text string) []int {
	if text == "" {
		return nil
	}
	return lists.Map(strings.Split(text, ","), func(s string) int { return must(strconv.Atoi(s)) })
}

// userReductions are reductions that a user could define.
var userReductions = []*tree.Operator{
	op.DefineReduction("max_abs", zero, func(b *op.B, x ...op.V) op.V { return b.Max(b.Abs(x[0]), b.Abs(x[1])) }),
	op.DefineReduction("norm", zero, func(b *op.B, x ...op.V) op.V { return b.Sqrt(b.Fma(x[0], x[0], b.Mul(x[1], x[1]))) }),
	op.DefineReduction("bits_xor", zero, func(b *op.B, x ...op.V) op.V { return b.Xor(x[0], x[1]) }),
	op.DefineReduction("root", zero, magnitudes, op.Finish(untyped.Row("sqrt"))),
	op.DefineReduction("implies", zero, func(b *op.B, x ...op.V) op.V { return b.Or(b.Not(x[0]), x[1]) }, op.On(dtype.Bool)),
	// It is neither commutative nor associative, and its identity changes values.
	op.DefineReduction("zigzag", func(b *op.B, t dtype.Type) op.V { return b.Int(t, 3) }, zigzag),
}

func zero(b *op.B, t dtype.Type) op.V { return b.Int(t, 0) }

func magnitudes(b *op.B, x ...op.V) op.V { return b.Add(b.Abs(x[0]), b.Abs(x[1])) }

func zigzag(b *op.B, x ...op.V) op.V {
	one := b.Int(x[0].Type, 1)
	less := b.Lt(x[0], x[1])
	far := b.Cold(b.And(less, b.Lt(x[1], one)), b.Sub(x[1], x[0]), func() op.V {
		return b.Lookup(x[0].Type, []uint64{prim.FromInt(x[0].Type, 5), prim.FromInt(x[0].Type, 7)}, b.Cvt(dtype.I32, x[0]))
	})
	return b.Select(less, far, b.Add(x[0], one))
}

// reductionRows returns the reductions of the table and userReductions.
func reductionRows() []*tree.Operator {
	rows := lists.Where(untyped.Table(), func(o *tree.Operator) bool { return o.Class() == tree.Reduction })
	return append(rows, userReductions...)
}

// Reductions tests every reduction with every element type that it takes, over
// leading, middle, trailing and several axes.
func Reductions(t *testing.T, o Options) {
	c := coverage{}
	for _, row := range reductionRows() {
		t.Run(row.Name(), func(t *testing.T) {
			types := row.Types().List()
			every := testlevel.Every(1, max(4, len(types))) // so each case has a type, if there are four, and each type a case
			for k, typ := range types {
				n := 0
				for i, rc := range reductionCases {
					if (i+k)%every != 0 {
						continue
					}
					n += testReduction(suite{t, o}, row, typ, rc.dims, rc.axes, i)
				}
				if _, ok := untyped.Lookup(row.Name()); ok {
					c[cell{row.Name(), typ}] = fmt.Sprint(n)
				} else if n == 0 {
					t.Errorf("no case of %s", typ)
				}
			}
		})
	}
	c.report(t, tree.Reduction)
	t.Run("states", func(t *testing.T) { stateReductions(suite{t, o}) })
	t.Run("accumulators", func(t *testing.T) { accumulators(suite{t, o}) })
	t.Run("orders", func(t *testing.T) { orders(suite{t, o}) })
	t.Run("updates", func(t *testing.T) { updates(suite{t, o}) })
}

// testReduction tests one reduction and returns the number of cases that it
// compared.
func testReduction(s suite, row *tree.Operator, t dtype.Type, dims, axes []int, seed int) int {
	s.Helper()
	r := newRand(uint64(seed))
	n := 0
	kinds := []data{tame, wild}
	if len(dims) > 0 && dims[0] > 5000 { // of wild data the result would be NaN
		kinds = kinds[:1]
	} else if !testlevel.Deep() {
		kinds = kinds[(seed/2)%2:][:1]
	}
	for _, k := range kinds {
		l := layout(r.IntN(int(numLayouts)))
		a := place(r, t, l, k, dims...)
		node := untyped.ReduceBy(row, a.Named("x").Node(), untyped.Options{Axes: axes, Keep: seed%2 == 0})
		if node.Err() != nil {
			if a.Shape().Size() > 0 {
				s.Errorf("%s of %v over %v: %v", row.Name(), dims, axes, node.Err())
			}
			continue
		}
		out := blank(r, node.DType(), node.Shape()...).Named("out")
		if s.check(expr.Statement{Target: out.Node(), Value: node}) {
			n++
		} else {
			s.Logf("%s of %v%v over %v, %v", row.Name(), t, dims, axes, l)
		}
	}
	return n
}

// stateReducers are reductions of several states.
var stateReducers = []op.Reducer{
	{
		Name: "position and value",
		First: func(t dtype.Type) []*tree.Node {
			return []*tree.Node{tree.ConstInt(t, 1), tree.ConstInt(dtype.I64, -1)}
		},
		Element: func(at, x *tree.Node) []*tree.Node { return []*tree.Node{x, at} },
		Combine: func(x, y []*tree.Node) []*tree.Node {
			better := apply("less", x[0], y[0])
			return []*tree.Node{apply("where", better, y[0], x[0]), apply("where", better, y[1], x[1])}
		},
		Result: func(s []*tree.Node) *tree.Node { return s[1] },
	},
	{
		Name: "rising", // whether each element is above the one before
		First: func(t dtype.Type) []*tree.Node {
			return []*tree.Node{tree.NewConst(dtype.Bool, 1), tree.NewConst(dtype.Bool, 1), tree.ConstInt(t, 0), tree.ConstInt(t, 0)}
		},
		Element: func(_, x *tree.Node) []*tree.Node {
			return []*tree.Node{tree.NewConst(dtype.Bool, 1), tree.NewConst(dtype.Bool, 0), x, x}
		},
		Combine: func(x, y []*tree.Node) []*tree.Node {
			step := apply("bitwise_or", apply("bitwise_or", x[1], y[1]), apply("less", x[3], y[2]))
			return []*tree.Node{
				apply("bitwise_and", apply("bitwise_and", x[0], y[0]), step), apply("bitwise_and", x[1], y[1]),
				apply("where", x[1], y[2], x[2]), apply("where", y[1], x[3], y[3]),
			}
		},
	},
	{
		Name: "sum and its error",
		First: func(t dtype.Type) []*tree.Node {
			return []*tree.Node{tree.ConstInt(t, 0), tree.ConstInt(t, 0)}
		},
		Element: func(_, x *tree.Node) []*tree.Node { return []*tree.Node{x, tree.ConstInt(x.DType(), 0)} },
		Combine: func(x, y []*tree.Node) []*tree.Node {
			s := apply("add", x[0], y[0])
			d := apply("sub", s, x[0])
			lost := apply("add", apply("sub", x[0], apply("sub", s, d)), apply("sub", y[0], d))
			return []*tree.Node{s, apply("add", apply("add", x[1], y[1]), lost)}
		},
		Result: func(s []*tree.Node) *tree.Node { return apply("add", s[0], s[1]) },
	},
}

// stateReductions tests reductions of several states with every element type.
func stateReductions(s suite) {
	n := 0
	for i, f := range stateReducers {
		for _, t := range dtype.Real() {
			if t == dtype.Bool {
				continue
			}
			for _, c := range reductionCases {
				if n++; n%testlevel.Every(1, 37) != 0 {
					continue
				}
				r := newRand(uint64(n))
				x := place(r, t, layout(n%int(numLayouts)), data(i%2), c.dims...)
				v := untyped.ReduceStates(f, apply("neg", apply("neg", x.Node())), untyped.Options{Axes: c.axes, Keep: n%2 == 0})
				if !s.check(expr.Statement{Target: blank(r, v.DType(), v.Shape()...).Node(), Value: v}) {
					s.Fatalf("%s of %v%v over %v", f.Name, t, c.dims, c.axes)
				}
			}
		}
	}
}

// accumulators tests float64 accumulators and the 64-bit sums of small integers.
func accumulators(s suite) {
	r := newRand(7)
	for _, t := range []dtype.Type{dtype.F16, dtype.BF16, dtype.F32, dtype.F64} {
		for _, name := range []string{"sum", "prod"} {
			for _, axes := range [][]int{{0}, {1}, {0, 1}} {
				x := place(r, t, packed, tame, 70, 131).Named("x")
				node := untyped.Reduce(name, x.Node(), untyped.Options{Axes: axes, Acc: dtype.F64})
				out := blank(r, t, node.Shape()...).Named("out")
				s.check(expr.Statement{Target: out.Node(), Value: node})
			}
		}
	}
	i8, u8 := tensor[int8](place(r, dtype.I8, packed, wild, 5000)), tensor[uint8](place(r, dtype.U8, gaps, wild, 5000))
	b := tensor[bool](place(r, dtype.Bool, packed, wild, 30, 40))
	s.check(expr.Let(engine.Zeros[int64](), op.SumInt(i8)))
	s.check(expr.Let(engine.Zeros[uint64](), op.SumUint(u8)))
	s.check(expr.Let(engine.Zeros[int64](40), op.Count(b, op.Axis(0))))
	s.check(expr.Let(engine.Zeros[int64](30), op.Count(b, op.Axis(1))))
	const rows = 1031
	for _, n := range []int{3, 5, 8, 16} { // sums of few integers and predicates have narrow types
		for _, t := range []dtype.Type{dtype.I8, dtype.U8, dtype.Bool, dtype.I16, dtype.U16, dtype.F32, dtype.I64} {
			for at, x := range []*tree.Node{place(r, t, packed, wild, n, rows).Node(), place(r, t, packed, wild, rows, n).Node()} {
				for _, to := range []dtype.Type{dtype.I64, dtype.F32} {
					s.check(set(blank(r, to, rows).Node(), untyped.Reduce("sum", untyped.Cast(x, to), axis(at))))
				}
				over := apply("greater", x, untyped.Cast(tree.ConstInt(dtype.I8, 0), t))
				s.check(set(blank(r, dtype.I64, rows).Node(), untyped.Reduce("sum", untyped.Cast(over, dtype.I64), axis(at))))
				square := apply("mul", untyped.Cast(x, dtype.I32), untyped.Cast(x, dtype.I32)) // too large for narrow sums
				s.check(set(blank(r, dtype.I64, rows).Node(), untyped.Reduce("sum", untyped.Cast(square, dtype.I64), axis(at))))
			}
		}
	}
}

// orders tests reductions whose result does not depend on the order of the values, and others, over all axes in all orders, of
// arrays that are read directly and below arithmetic.
func orders(s suite) {
	r, n := newRand(9), 0
	for _, c := range []struct {
		name string
		t    dtype.Type
	}{{"sum", dtype.I32}, {"max", dtype.F32}, {"prod", dtype.U8}, {"all", dtype.Bool}, {"xor", dtype.I64}, {"sum", dtype.F64}} {
		x, z := place(r, c.t, packed, wild, 13, 3, 35).Node(), place(r, c.t, packed, wild, 13, 3, 35).Node()
		row := cmp.Or(ir.ReductionByName(c.name).Row().Operator, c.name)
		for _, perm := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			for _, axes := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
				if n++; n%testlevel.Every(1, 5) != 0 {
					continue
				}
				v := untyped.Permute(x, perm)
				if c.t != dtype.Bool && n%2 == 0 {
					v = apply("maximum", v, untyped.Permute(z, perm))
				}
				v = untyped.Reduce(row, v, untyped.Options{Axes: axes, Keep: n%3 == 0})
				if !s.check(set(blank(r, v.DType(), v.Shape()...).Node(), v)) {
					s.Fatalf("%s of %v, order %v, axes %v", c.name, c.t, perm, axes)
				}
			}
		}
	}
}

// updates tests targets that are read and stored after a reduction over long columns and rows.
func updates(s suite) {
	r := newRand(8)
	x := tensor[float32](place(r, dtype.F32, packed, tame, 9000, 3))
	columns, rows := tensor[float32](place(r, dtype.F32, packed, tame, 3)), tensor[float32](place(r, dtype.F32, packed, tame, 2))
	s.check(expr.LetMul(columns, op.Max(x, op.Axis(0))))
	s.check(expr.LetMul(rows, op.Max(tensor[float32](place(r, dtype.F32, packed, tame, 2, 20000)), op.Axis(1))))
}
