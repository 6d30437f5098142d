package enginetest

import (
	"fmt"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// Extensions tests operators, Chainers and functions that a user defines,
// parameters, and the rounding of halves.
func Extensions(t *testing.T, o Options) {
	t.Run("operators", func(t *testing.T) { userOperators(suite{t, o}) })
	t.Run("chainers", func(t *testing.T) { userChainers(suite{t, o}) })
	t.Run("index maps", func(t *testing.T) { wildMaps(suite{t, o}) })
	t.Run("functions", func(t *testing.T) {
		if o.Device != nil {
			t.Skip("Go functions run on the host only")
		}
		goFunctions(suite{t, o})
	})
	t.Run("parameters", func(t *testing.T) { parameters(suite{t, o}) })
	t.Run("rebinding", func(t *testing.T) { suite{t, o}.each(rebinding) })
	t.Run("halves", func(t *testing.T) { suite{t, o}.each(roundedHalves) })
}

var (
	swish = op.Define("swish", 1, func(b *op.B, x ...op.V) op.V {
		return b.Div(x[0], b.Add(b.Like(x[0], 1), b.Mul(x[0], x[0])))
	}, op.ULP(4))
	mix = op.Define("mix", 3, func(b *op.B, x ...op.V) op.V {
		return b.Add(b.Mul(x[0], x[1]), b.Mul(b.Sub(b.Like(x[0], 1), x[0]), x[2]))
	})
	// steps has a table, and a region that few elements need.
	steps = op.Define("steps", 1, func(b *op.B, x ...op.V) op.V {
		i := b.Cvt(dtype.I32, x[0])
		v := b.Lookup(dtype.F32, []uint64{0, 0x3f800000, 0x40000000, 0x40400000}, i)
		return b.Cold(b.Lt(b.Like(x[0], 3), b.Abs(x[0])), v, func() op.V {
			return b.Sqrt(b.Abs(b.Fma(x[0], x[0], v)))
		})
	}, op.On(dtype.F32, dtype.F16))
)

func userOperators(s suite) {
	for _, t := range dtype.Real() {
		for _, o := range []*tree.Operator{swish, mix, steps} {
			if !o.Types().Has(t) || t.IsInt() {
				continue
			}
			r := newRand(uint64(t))
			args := lists.Make(o.Arity(), func(i int) *tree.Node { return place(r, t, layout(i), wild, 3, 700).Node() })
			out := blank(r, t, 3, 700).Node()
			row := blank(r, t, 700).Node()
			v := untyped.Apply(o, args...)
			s.checkFused(set(out, v))
			s.checkFused(set(out, apply("sub", v, apply("exp", v))))
			s.checkFused(set(row, untyped.Reduce("max", v, axis(0))))
		}
	}
	s.each(func(b backend) {
		if err := b.run(expr.Let(engine.Zeros[bool](3), op.Map1(swish, engine.Zeros[bool](3)))); err == nil {
			b.Errorf("an operator runs on a type that it does not take")
		}
	})
}

// Three Chainers of a user: every second diagonal neighbour, a rotation by the
// size of the operand, and a lookup of elements by another array.
var (
	diagonal = op.DefineView("diagonal", 1,
		func(n *tree.Node) (shape.Shape, error) {
			s := n.Args[0].Shape()
			if len(s) != 2 {
				return nil, fmt.Errorf("rank %d", len(s))
			}
			return shape.Shape{min(s[0], s[1])}, nil
		},
		func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Out[0], g.Out[0]}) })
	shifted = op.DefineView("shifted", 1,
		func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
		func(g *tree.Gather) op.V {
			v := g.Guarded(0, []prim.Ix{g.Add(g.Out[0], g.Int(g.Node.Ints[0]))}, g.B.Like(g.At(0, g.Out), 7))
			return g.B.Sub(v, g.At(0, g.Out))
		})
	rotated = op.DefineView("rotated", 1,
		func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
		func(g *tree.Gather) op.V {
			n := g.Int(g.Node.Shape()[0])
			return g.At(0, []prim.Ix{g.Mod(g.Add(g.Out[0], g.Int(g.Node.Ints[0])), n)})
		})
	chased = op.DefineView("chased", 1,
		func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
		func(g *tree.Gather) op.V {
			at := g.B.Cvt(dtype.I64, g.At(0, g.Out))
			return g.Checked(0, []prim.Ix{g.IxTable.Value(at)})
		})
)

func userView(o *tree.Operator, ints []int, args ...*tree.Node) *tree.Node {
	return tree.ApplyWith(o, tree.Attributes{Ints: ints}, args...)
}

func userChainers(s suite) {
	for _, t := range []dtype.Type{dtype.F32, dtype.F16, dtype.I64, dtype.U8} {
		for l := range numLayouts {
			r := newRand(uint64(l))
			m := place(r, t, l, wild, 40, 33).Named("m").Node()
			x := place(r, t, l, wild, 700).Named("x").Node()
			for _, v := range []*tree.Node{
				userView(diagonal, nil, m),
				userView(diagonal, nil, apply("square", m)),
				apply("add", userView(diagonal, nil, untyped.Permute(m, nil)), tree.ConstInt(t, 1)),
				userView(rotated, []int{13}, x),
				userView(rotated, []int{13}, userView(rotated, []int{5}, apply("neg", x))),
				apply("mul", userView(shifted, []int{3}, x), userView(shifted, []int{-650}, x)),
			} {
				s.checkFused(set(blank(r, t, v.Shape()...).Named("out").Node(), v))
			}
			if l.writable() {
				s.check(set(x, userView(rotated, []int{1}, apply("square", x))))
			}
		}
	}
	for _, bad := range []uint64{0, 70, 1 << 40, math.MaxUint64} {
		bits := lists.Make(70, func(i int) uint64 { return uint64((i*7 + 3) % 70) })
		bits[33] = bad
		x := of(dtype.I64, bits, 70).Named("x").Node()
		s.check(set(blank(newRand(1), dtype.I64, 70).Named("out").Node(), userView(chased, nil, x)))
		s.check(set(x, userView(chased, nil, x)))
	}
}

func goFunctions(s suite) {
	r := newRand(1)
	half := op.GoFunc("half", func(x float32) float32 { return float32(math.Floor(float64(x) / 2)) })
	flip := op.GoFunc("flip", func(x bool) bool { return !x })
	for l := range numLayouts {
		x := tensor[float32](place(r, dtype.F32, l, wild, 30, 41))
		b := tensor[bool](place(r, dtype.Bool, l, wild, 30, 41))
		out, row := engine.Zeros[float32](30, 41), engine.Zeros[float32](41)
		s.checkFused(expr.Let(out, half(x)))
		s.checkFused(expr.Let(out, op.Sub(half(op.Exp(x)), half(x))))
		s.checkFused(expr.Let(out, half(half(op.T(op.T(x))))))
		s.checkFused(expr.Let(row, half(op.Sum(half(x), op.Axis(0)))))
		s.checkFused(expr.Let(out, half(op.BroadcastTo[float32](row, 30, 41))))
		s.checkFused(expr.Let(engine.Zeros[bool](30, 41), flip(op.Equal[bool](b, flip(b)))))
		if l.writable() {
			s.check(expr.Let(x, half(x)))
			s.check(expr.Let(x, half(op.Flip(x))))
		}
	}
}

// parameters tests parameters that change between the runs of one program.
func parameters(s suite) {
	r := newRand(1)
	for _, t := range dtype.Real() {
		if t == dtype.Bool {
			continue
		}
		c, d := &tree.Scalar{Name: "c"}, &tree.Scalar{Name: "d"}
		x := place(r, t, packed, tame, 3, 50).Named("x").Node()
		out := blank(r, t, 3, 50).Named("out").Node()
		sums := blank(r, t, 3).Named("sums").Node()
		cn, dn := tree.NewParamNode(t, c), tree.NewParamNode(t, d)
		stmts := []expr.Statement{
			set(out, apply("sub", apply("mul", x, cn), apply("add", dn, cn))),
			set(sums, apply("mul", untyped.Reduce("sum", apply("maximum", x, dn), axis(1)), cn)),
		}
		backends := s.backends()
		programs := lists.Map(backends, func(b backend) runner { return b.compile(stmts...) })
		for range 5 {
			c.Store(sample(r, t, wild))
			d.Store(sample(r, t, wild))
			all := newTrial(stmts)
			for i, b := range backends {
				if err := all.again(programs[i]); err != nil {
					b.Errorf("%v: c = %s, d = %s: %v", t, show(t, c.Load()), show(t, d.Load()), err)
				}
			}
		}
	}
}

// rebinding tests a program that is moved to other memory.
func rebinding(b backend) {
	data := []float32{1, 2, 3, 4}
	out := make([]float32, 4)
	x, y := engine.MustFromSlice(data), engine.MustFromSlice(out)
	p := b.compile(expr.Let(y, op.Scale(2, x)))
	other, res := []float32{5, 6, 7, 8}, make([]float32, 4)
	if err := x.Array().Memory().Rebind(dtype.Bytes(other)); err != nil {
		b.Fatalf("%v", err)
	}
	if err := y.Array().Memory().Rebind(dtype.Bytes(res)); err != nil {
		b.Fatalf("%v", err)
	}
	if err := p.Run(ctx); err != nil || res[3] != 16 || out[3] != 0 {
		b.Errorf("after rebinding: %v, %v, %v", res, out, err)
	}
}

// roundedHalves tests written-out cases. The value of a tree of halves is float32
// until it is stored or cast.
func roundedHalves(b backend) {
	h := func(v float32) *engine.Tensor[expr.Float16] {
		return engine.MustFromSlice([]expr.Float16{dtype.F16From(v)})
	}
	big, small := h(2048), h(1)
	out := engine.Zeros[expr.Float16](1)
	for _, c := range []struct {
		name string
		e    expr.Exp[expr.Float16]
		want float32
	}{
		{"kept", op.Sub(op.Add[expr.Float16](big, small), big), 1},
		{"cast", op.Sub(op.Cast[expr.Float16](op.Add[expr.Float16](big, small)), big), 0},
		{"stored", op.Add[expr.Float16](big, small), 2048},
		{"sum", op.Sum(op.Concat[expr.Float16](0, big, small, small)), 2050},
		{"beyond the range", op.Mul(op.Mul[expr.Float16](big, big), op.Reciprocal[expr.Float16](big)), 2048},
		{"overflow", op.Mul[expr.Float16](big, big), float32(math.Inf(1))},
	} {
		if err := b.run(expr.Let(out, c.e)); err != nil {
			b.Errorf("%s: %v", c.name, err)
		} else if got := out.At(0).Float32(); got != c.want {
			b.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
