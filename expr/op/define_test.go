package op_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

func TestDefine(t *testing.T) {
	twice := op.Define("twice", 1, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], x[0]) }, op.Doc("x + x."))
	if twice.Doc() != "x + x." || twice.ULP() != -1 {
		t.Errorf("the row says %q and %g ULP", twice.Doc(), twice.ULP())
	}
	// Without On an operator takes the types for which its program type-checks.
	if got := twice.Types(); got.Has(dtype.Bool) || !got.Has(dtype.I8) || !got.Has(dtype.F16) || !got.Has(dtype.F64) {
		t.Errorf("it takes %v", got.List())
	}
	root := op.Define("root", 1, func(b *op.B, x ...op.V) op.V { return b.Sqrt(x[0]) }, op.ULP(.5), op.On(dtype.F64))
	if !slices.Equal(root.Types().List(), []dtype.Type{dtype.F64}) || root.ULP() != .5 {
		t.Errorf("it takes %v, with %g ULP", root.Types().List(), root.ULP())
	}
	fails(t, "float32", op.Map1(root, iota[float32](2)).Node(), expr.ErrType)
	fails(t, "two operands", op.Map2(root, iota[float64](2), iota[float64](2)).Node(), expr.ErrType)

	if got, _ := eval(t, op.Map1(twice, iota[int8](3))); !slices.Equal(got, []int8{2, 4, 6}) {
		t.Errorf("twice: %v", got)
	}
	dist := op.Define("dist", 2, func(b *op.B, x ...op.V) op.V { return b.Abs(b.Sub(x[0], x[1])) })
	if got, _ := eval(t, op.Map2(dist, iota[int32](3), op.Full[int32](2))); !slices.Equal(got, []int32{1, 0, 1}) {
		t.Errorf("dist: %v", got)
	}
	mix := op.Define("mix", 3, func(b *op.B, x ...op.V) op.V { return b.Fma(x[2], b.Sub(x[1], x[0]), x[0]) })
	if got, _ := eval(t, op.Map3(mix, op.Full[float64](1), op.Full[float64](3), engineOf(0., .5, 1))); !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("mix: %v", got)
	}
	nameless := op.Define("", 1, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], x[0]) })
	if got, _ := eval(t, op.Map1(nameless, iota[int8](3))); !slices.Equal(got, []int8{2, 4, 6}) {
		t.Errorf("without a name: %v", got)
	}
}

// TestDefineFails uses operators whose programs fit no type: the error of a use says why, and where
// the use is.
func TestDefineFails(t *testing.T) {
	for want, f := range map[string]func(b *op.B, x ...op.V) op.V{
		"op.mine: the lowering for float64 panics: runtime error: index out of range [5] with length 1 (define_test.go:": func(_ *op.B, x ...op.V) op.V { return x[5] },
		"op.mine: the lowering for float64 returns a value of type bool, not float64 (define_test.go:":                   func(b *op.B, x ...op.V) op.V { return b.Lt(x[0], x[0]) },
		"op.mine: the lowering for float64 fails: add[f64 bool]: operand type not supported (define_test.go:":            func(b *op.B, x ...op.V) op.V { return b.Add(x[0], b.Lt(x[0], x[0])) },
	} {
		_, err := engine.Eval(op.Map1(op.Define("mine", 1, f), iota[float64](3)))
		if !errors.Is(err, expr.ErrType) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestDefineView(t *testing.T) {
	roll := op.DefineView("roll", 1,
		func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
		func(g *tree.Gather) op.V {
			i := g.Add(g.Out[0], g.Int(g.Node.Ints[0]))
			return g.At(0, []prim.Ix{g.Mod(i, g.Int(g.Node.Shape()[0]))})
		}, op.Doc("rolled along its axis."))
	x := iota[float64](5)
	if got, _ := eval(t, op.View(roll, []int{2}, x)); !slices.Equal(got, []float64{3, 4, 5, 1, 2}) {
		t.Errorf("roll: %v", got)
	}
	// It fuses like the built-in ones.
	y := engine.Zeros[float64](5)
	p, err := engine.Compile(t.Context(), expr.Let(y, op.Sub(op.View(roll, []int{1}, x), op.Exp[float64](x))))
	if err != nil || len(p.Plan().Stages) != 1 || len(p.Plan().Temps) != 0 {
		t.Errorf("%v\n%s", err, p.Explain())
	}
	twice := op.Define("twice", 1, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], x[0]) })
	fails(t, "a map as a view", op.View(twice, nil, x).Node(), expr.ErrType)
}

func TestGoFunc(t *testing.T) {
	add := op.GoFunc("addOne", func(v float64) float64 { return v + 1 })
	x := iota[float64](2, 3)
	got, s := eval(t, op.Scale(2, add(op.T[float64](x))))
	if !slices.Equal(s, []int{3, 2}) || !slices.Equal(got, []float64{4, 10, 6, 12, 8, 14}) {
		t.Errorf("got %v %v", s, got)
	}
	not := op.GoFunc("not", func(v bool) bool { return !v })
	if got, _ := eval(t, not(op.Less[float64](engineOf(1., 3), op.Full[float64](2)))); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("got %v", got)
	}
}

func TestFMAisOneRounding(t *testing.T) {
	x := engineOf(1 + 0x1p-30)
	fused, _ := eval(t, op.Sub(op.FMA(x, x, op.Full[float64](-1)), op.Full[float64](0x1p-29)))
	apart, _ := eval(t, op.Sub(op.Add(op.Mul[float64](x, x), op.Full[float64](-1)), op.Full[float64](0x1p-29)))
	if fused[0] != 0x1p-60 || apart[0] != 0 {
		t.Errorf("fma %g, multiply and add %g", fused[0], apart[0])
	}
}
