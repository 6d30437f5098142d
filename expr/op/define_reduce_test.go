package op_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

func nought(b *op.B, t dtype.Type) op.V { return b.Int(t, 0) }

func rowOf(name string) *tree.Operator {
	o, _ := untyped.Lookup(name)
	return o
}

func magnitudes(b *op.B, x ...op.V) op.V { return b.Add(b.Abs(x[0]), b.Abs(x[1])) }

func TestDefineReduction(t *testing.T) {
	gcdLike := func(b *op.B, x ...op.V) op.V { return b.Max(b.Abs(x[0]), b.Abs(x[1])) }
	maxAbs := op.DefineReduction("max_abs", nought, gcdLike, op.Doc("the greatest magnitude."))
	if maxAbs.Doc() == "" || maxAbs.Reduce().Doc() != maxAbs.Doc() || maxAbs.Types().Has(dtype.Bool) || !maxAbs.Types().Has(dtype.BF16) {
		t.Errorf("the row says %q and takes %v", maxAbs.Doc(), maxAbs.Types().List())
	}
	x := engineOf(1., -5, 2, 4).Reshape(2, 2)
	for _, c := range []struct {
		opts []op.ReduceOption
		want []float64
	}{
		{nil, []float64{5}},
		{[]op.ReduceOption{op.Axis(0)}, []float64{2, 5}},
		{[]op.ReduceOption{op.Axis(-1), op.KeepDims()}, []float64{5, 4}},
	} {
		if got, _ := eval(t, op.Reduce(maxAbs, x, c.opts...)); !slices.Equal(got, c.want) {
			t.Errorf("max_abs: %v, want %v", got, c.want)
		}
	}
	// One element is combined with the identity. The result for no elements is
	// the identity.
	if got, _ := eval(t, op.Reduce(maxAbs, engineOf(-3.))); got[0] != 3 {
		t.Errorf("of one element: %v", got)
	}
	ten := op.DefineReduction("ten", func(b *op.B, t dtype.Type) op.V { return b.Int(t, 10) }, gcdLike)
	if got, _ := eval(t, op.Reduce(ten, engine.Zeros[int8](0))); got[0] != 10 {
		t.Errorf("of nothing: %v", got)
	}
	if got, _ := eval(t, op.Reduce(ten, engine.Zeros[int32](0, 3), op.Axis(0))); !slices.Equal(got, []int32{10, 10, 10}) {
		t.Errorf("of no rows: %v", got)
	}
}

// TestDefineReductionFuses checks that a user's reduction fuses with its
// operand and with its uses.
func TestDefineReductionFuses(t *testing.T) {
	norm := op.DefineReduction("norm", nought, magnitudes, op.Finish(rowOf("sqrt")))
	x, y := iota[float64](12).Reshape(3, 4), engine.Zeros[float64](3, 4)
	p, err := engine.Compile(t.Context(), expr.Let(y, op.Div(x, op.Reduce(norm, op.Scale(2, x), op.Axis(1), op.KeepDims()))))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Plan().Stages) != 1 || len(p.Plan().Temps) != 0 {
		t.Errorf("it does not fuse:\n%s", p.Explain())
	}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := 1 / math.Sqrt(2*(1+2+3+4)); y.Data()[0] != want {
		t.Errorf("got %v, want %v", y.Data()[0], want)
	}
}

// TestDefineReductionsApart checks that reductions of one name with different
// programs do not share a program.
func TestDefineReductionsApart(t *testing.T) {
	least := op.DefineReduction("r", nought, func(b *op.B, x ...op.V) op.V { return b.Min(x[0], x[1]) })
	most := op.DefineReduction("r", nought, func(b *op.B, x ...op.V) op.V { return b.Max(x[0], x[1]) })
	x := engineOf(-1., 2)
	for range 3 {
		a, _ := eval(t, op.Reduce(least, x))
		b, _ := eval(t, op.Reduce(most, x))
		if a[0] != -1 || b[0] != 2 {
			t.Fatalf("got %v and %v", a, b)
		}
	}
	a, _ := eval(t, op.Add(op.Reduce(least, x), op.Scale(10, op.Reduce(most, x))))
	if a[0] != 19 {
		t.Errorf("together: %v", a)
	}
}

func TestDefineReductionGrad(t *testing.T) {
	rule := func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Op("sign", g.Arg(0))) }
	sum := op.DefineReduction("sum_magnitudes", nought, magnitudes, op.Derivative(rule), op.Finish(rowOf("sqrt")))
	x := engineOf(3., -13)
	g, err := grad.Of(op.Reduce(sum, x), x)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := eval(t, g[0]); !slices.Equal(got, []float64{.125, -.125}) {
		t.Errorf("the gradient is %v", got)
	}
	none := op.DefineReduction("none", nought, magnitudes)
	_, err = grad.Of(op.Reduce(none, x), x)
	if !errors.Is(err, expr.ErrUnsupported) {
		t.Errorf("without a derivative: %v", err)
	}
}

func TestDefineReductionErrors(t *testing.T) {
	x := iota[float64](3)
	var foreign op.V
	op.DefineReduction("leak", nought, func(b *op.B, x ...op.V) op.V { foreign = b.Add(x[0], b.Add(x[1], x[1])); return foreign })
	add := func(b *op.B, x ...op.V) op.V { return b.Add(x[0], x[1]) }
	for name, o := range map[string]*tree.Operator{
		"nil":                nil,
		"no program":         op.DefineReduction("r", nought, nil),
		"no identity":        op.DefineReduction("r", nil, add),
		"wrong result":       op.DefineReduction("r", nought, func(b *op.B, x ...op.V) op.V { return b.Lt(x[0], x[1]) }),
		"wrong operands":     op.DefineReduction("r", nought, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], b.Lt(x[0], x[1])) }),
		"no value":           op.DefineReduction("r", nought, func(*op.B, ...op.V) op.V { return op.V{ID: 77, Type: dtype.F64} }),
		"foreign value":      op.DefineReduction("r", nought, func(*op.B, ...op.V) op.V { return foreign }),
		"a panic":            op.DefineReduction("r", nought, func(_ *op.B, x ...op.V) op.V { return x[2] }),
		"identity of a type": op.DefineReduction("r", func(b *op.B, _ dtype.Type) op.V { return b.Int(dtype.I8, 0) }, add, op.On(dtype.F64)),
		"bools":              op.DefineReduction("r", nought, add, op.On(dtype.Bool, dtype.F64)),
		"other types":        op.DefineReduction("r", nought, add, op.On(dtype.F32)),
		"finish of two":      op.DefineReduction("r", nought, add, op.Finish(rowOf("add"))),
		"an operator":        rowOf("exp"),
	} {
		fails(t, name, op.Reduce(o, x).Node(), expr.ErrType)
	}
	sum := op.DefineReduction("r", nought, add)
	fails(t, "axis", op.Reduce(sum, x, op.Axis(3)).Node(), expr.ErrShape)
	fails(t, "wide integers", op.Reduce(sum, iota[int32](2), op.AccumFloat64()).Node(), expr.ErrType)
	fails(t, "bools", untyped.ReduceBy(sum, op.Less(x, x).Node(), untyped.Options{}), expr.ErrType)
	if got, _ := eval(t, op.Reduce(sum, iota[float32](3), op.AccumFloat64())); got[0] != 6 {
		t.Errorf("in float64: %v", got)
	}
}
