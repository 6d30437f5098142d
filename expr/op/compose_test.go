package op_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// near requires values within 1e-14 of the expected ones.
func near(t *testing.T, name string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if d := math.Abs(got[i] - want[i]); !(d <= 1e-14*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func TestMoments(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 4, 3, 5, 10}, 2, 3)
	for _, c := range []struct {
		name  string
		e     expr.Exp[float64]
		shape []int
		want  []float64
	}{
		{"mean", op.Mean[float64](x), nil, []float64{25. / 6}},
		{"mean of rows", op.Mean[float64](x, op.Axis(1)), []int{2}, []float64{7. / 3, 6}},
		{"mean of columns", op.Mean[float64](x, op.Axis(0), op.KeepDims()), []int{1, 3}, []float64{2, 3.5, 7}},
		{"var of rows", op.Var[float64](x, op.Axis(1)), []int{2}, []float64{14. / 9, 26. / 3}},
		{"var with ddof", op.Var[float64](x, op.Axis(1), op.DDof(1)), []int{2}, []float64{7. / 3, 13}},
		{"std", op.Std[float64](x, op.Axis(1), op.DDof(1), op.KeepDims()), []int{2, 1}, []float64{math.Sqrt(7. / 3), math.Sqrt(13)}},
		{"var without freedom", op.Var[float64](x, op.Axis(0), op.DDof(2)), []int{3}, []float64{inf, inf, inf}},
	} {
		got, s := eval(t, c.e)
		if !slices.Equal(s, c.shape) {
			t.Errorf("%s has shape %v, want %v", c.name, s, c.shape)
		}
		if c.name == "var without freedom" {
			for i, v := range got {
				if v != inf {
					t.Errorf("%s: element %d is %v", c.name, i, v)
				}
			}
			continue
		}
		near(t, c.name, got, c.want)
	}
}

// TestNarrowMoments checks that moments of narrow types are computed in a wider
// type and rounded once.
func TestNarrowMoments(t *testing.T) {
	h := engine.Zeros[expr.Float16](4, 2)
	for i := range h.Data() {
		h.Data()[i] = dtype.F16From(float32(40000 + 64*i)) // the sum is above 65504
	}
	got, _ := eval(t, op.Mean[expr.Float16](h))
	if want := dtype.F16From(40224); got[0] != want {
		t.Errorf("mean of halves: %v, want %v", got[0], want)
	}
	got, _ = eval(t, op.Var[expr.Float16](h))
	if want := dtype.F16From(64 * 64 * 5.25); got[0] != want {
		t.Errorf("variance of halves: %v, want %v", got[0], want)
	}
	f := engineOf[float32](1<<24, 1<<24+2, 1<<24+4, 1<<24+6)
	wide, _ := eval(t, op.Var[float32](f, op.AccumFloat64()))
	mean, _ := eval(t, op.Mean[float32](f, op.AccumFloat64()))
	if wide[0] != 5 || mean[0] != 1<<24+4 { // 3 after 2^24 is a tie
		t.Errorf("in float64: variance %v, mean %v", wide[0], mean[0])
	}
}

func TestSoftmaxAndFriends(t *testing.T) {
	x := engine.MustFromSlice([]float64{1000, 1001, 1002, -inf, 0, math.Log(3)}, 2, 3)
	sum := 1 + math.E + math.E*math.E
	got, s := eval(t, op.Softmax[float64](x, -1))
	if !slices.Equal(s, []int{2, 3}) {
		t.Errorf("softmax has shape %v", s)
	}
	near(t, "softmax", got, []float64{1 / sum, math.E / sum, math.E * math.E / sum, 0, .25, .75})
	got, _ = eval(t, op.LogSumExp[float64](x, op.Axis(1)))
	near(t, "log-sum-exp", got, []float64{1000 + math.Log(sum), math.Log(4)})
	got, s = eval(t, op.LogSumExp[float64](x, op.Axis(0, 1), op.KeepDims()))
	if !slices.Equal(s, []int{1, 1}) {
		t.Errorf("log-sum-exp has shape %v", s)
	}
	near(t, "log-sum-exp of all", got, []float64{1000 + math.Log(sum)})
	for v, want := range map[float64]float64{-inf: -inf, inf: inf} { // not NaN
		if got, _ := eval(t, op.LogSumExp[float64](engineOf(v, v))); got[0] != want {
			t.Errorf("log-sum-exp of %v is %v", v, got[0])
		}
	}
	none := engine.Zeros[float64](2, 0) // SciPy, PyTorch and JAX: the logarithm of 0, and no elements
	got, s = eval(t, op.LogSumExp(none, op.Axis(1), op.KeepDims()))
	if !slices.Equal(s, []int{2, 1}) || got[0] != -inf || got[1] != -inf {
		t.Errorf("log-sum-exp of nothing is %v of shape %v", got, s)
	}
	for _, e := range []expr.Exp[float64]{op.Softmax(none, 1), op.LogSoftmax(none, 1)} {
		if _, s := eval(t, e); !slices.Equal(s, []int{2, 0}) {
			t.Errorf("a softmax of nothing has shape %v", s)
		}
	}
	y := engine.MustFromSlice([]float64{1, 3, 10, 14}, 2, 2)
	got, _ = eval(t, op.LayerNorm[float64](y, nil, nil, 0))
	near(t, "layer norm", got, []float64{-1, 1, -1, 1})
	got, _ = eval(t, op.LayerNorm[float64](y, engineOf(2., 3), engineOf(10., 20), 0))
	near(t, "layer norm with scale and shift", got, []float64{8, 23, 8, 23})
}

func TestProducts(t *testing.T) {
	for _, c := range []struct{ a, b, want []int }{
		{[]int{3}, []int{3}, nil},
		{[]int{2, 3}, []int{3}, []int{2}},
		{[]int{3}, []int{3, 4}, []int{4}},
		{[]int{2, 3}, []int{3, 4}, []int{2, 4}},
		{[]int{5, 2, 3}, []int{3, 4}, []int{5, 2, 4}},
		{[]int{5, 1, 2, 3}, []int{6, 3, 4}, []int{5, 6, 2, 4}},
		{[]int{3}, []int{5, 3, 4}, []int{5, 4}},
		{[]int{2, 0}, []int{0, 4}, []int{2, 4}},
	} {
		n := op.MatMul[float64](engine.Zeros[float64](c.a...), engine.Zeros[float64](c.b...)).Node()
		if n.Err() != nil || !slices.Equal(n.Shape(), c.want) {
			t.Errorf("%v @ %v has shape %v, %v, want %v", c.a, c.b, n.Shape(), n.Err(), c.want)
		}
	}
	for name, n := range map[string]*tree.Node{
		"scalars": op.MatMul[float64](op.Full[float64](1), engine.Zeros[float64](1)).Node(),
		"inner":   op.MatMul[float64](engine.Zeros[float64](2, 3), engine.Zeros[float64](2, 3)).Node(),
		"stacks":  op.MatMul[float64](engine.Zeros[float64](2, 1, 1), engine.Zeros[float64](3, 1, 1)).Node(),
		"dot":     op.Dot[float64](engine.Zeros[float64](2, 1, 1), engine.Zeros[float64](1, 1)).Node(),
	} {
		fails(t, name, n, expr.ErrShape)
	}
	a, b := iota[float64](2, 3), iota[float64](3, 2)
	got, _ := eval(t, op.Dot[float64](a, b))
	near(t, "dot", got, []float64{22, 28, 49, 64})
}

// TestArrangements compares the compositions that rearrange and make arrays with
// NumPy's results.
func TestArrangements(t *testing.T) {
	x := op.AddScalar(expr.Exp[float64](iota[float64](2, 3)), -1) // 0 1 2, 3 4 5
	for _, c := range []struct {
		name  string
		e     expr.Exp[float64]
		shape []int
		want  []float64
	}{
		{"flatten", op.Flatten(x), []int{6}, []float64{0, 1, 2, 3, 4, 5}},
		{"move", op.MoveAxis(x, -1, 0), []int{3, 2}, []float64{0, 3, 1, 4, 2, 5}},
		{"move 3", op.MoveAxis(op.NewAxis(x, 0), 0, 2), []int{2, 3, 1}, []float64{0, 1, 2, 3, 4, 5}},
		{"roll", op.Roll(x, 1, 1), []int{2, 3}, []float64{2, 0, 1, 5, 3, 4}},
		{"roll back", op.Roll(x, -7, 1), []int{2, 3}, []float64{1, 2, 0, 4, 5, 3}},
		{"roll all", expr.Of[float64](untyped.Compose("roll", untyped.Options{Ints: []int{2}}, x.Node())), []int{2, 3}, []float64{4, 5, 0, 1, 2, 3}},
		{"roll both", expr.Of[float64](untyped.Compose("roll", untyped.Options{Axes: []int{0, 1}, Ints: []int{1, -1}}, x.Node())), []int{2, 3}, []float64{4, 5, 3, 1, 2, 0}},
		{"roll rolled", op.Roll(op.Roll(iota[float64](3, 4), 1, 0), 2, 1), []int{3, 4}, []float64{11, 12, 9, 10, 3, 4, 1, 2, 7, 8, 5, 6}},
		{"roll nothing", op.Roll(iota[float64](0, 2), 5, 0), []int{0, 2}, nil},
		{"diagonal, far below", op.Diagonal(x, math.MinInt), []int{0}, nil},
		{"diagonal, far above", op.Diagonal(x, math.MaxInt), []int{0}, nil},
		{"stack", op.Stack(-1, x, op.Neg(x)), []int{2, 3, 2}, []float64{0, zero, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5}},
		{"eye", op.Eye[float64](2, 3, 1), []int{2, 3}, []float64{0, 1, 0, 0, 0, 1}},
		{"linspace", op.Linspace[float64](1, 2, 5), []int{5}, []float64{1, 1.25, 1.5, 1.75, 2}},
		{"linspace, one", op.Linspace[float64](1, 2, 1), []int{1}, []float64{1}},
		{"linspace, underflow", op.Linspace[float64](0, 0x1p-1074, 3), []int{3}, []float64{0, 0, 0x1p-1074}},
		{"linspace, open", expr.Of[float64](untyped.Compose("linspace", untyped.Options{Numbers: []float64{0, 1}, Ints: []int{4}, Open: true})), []int{4}, []float64{0, .25, .5, .75}},
		{"linspace of integers", op.Cast[float64](op.Linspace[int32](-1, 1, 4)), []int{4}, []float64{-1, -1, 0, 1}},
		{"nan_to_num", op.NaNToNum(engineOf(nan, inf, -inf, 2), 7), []int{4}, []float64{7, math.MaxFloat64, -math.MaxFloat64, 2}},
		{"nansum", op.NaNSum(engineOf(nan, 1, 2)), nil, []float64{3}},
		{"count_nonzero", op.Cast[float64](op.CountNonzero(engineOf(nan, zero, 2))), nil, []float64{2}},
		{"ptp", op.PeakToPeak(x, op.Axis(0)), []int{3}, []float64{3, 3, 3}},
		{"diff", op.Diff(x, 1), []int{2, 2}, []float64{1, 1, 1, 1}},
		{"tile", op.Tile(op.Diff(x, 0), 2, 1, 2), []int{2, 1, 6}, []float64{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
		{"repeat", op.Repeat(x, 2, 0), []int{4, 3}, []float64{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}},
		{"tri", op.Tri[float64](2, 3, 1), []int{2, 3}, []float64{1, 1, 0, 1, 1, 1}},
		{"tril", op.TriL(x, 0), []int{2, 3}, []float64{0, 0, 0, 3, 4, 0}},
		{"triu", op.TriU(x, 1), []int{2, 3}, []float64{0, 1, 2, 0, 0, 5}},
		{"tril of all", op.TriL(x, math.MaxInt), []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}},
		{"tril of none", op.TriL(x, math.MinInt), []int{2, 3}, []float64{0, 0, 0, 0, 0, 0}},
		{"triu of none", op.TriU(x, math.MaxInt), []int{2, 3}, []float64{0, 0, 0, 0, 0, 0}},
		{"triu of all", op.TriU(x, math.MinInt), []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}},
		{"nanmean", op.NaNMean(engineOf(nan, 1, 3)), nil, []float64{2}},
		{"nanvar", op.NaNVar(engineOf(nan, 1, 3), op.DDof(1)), nil, []float64{2}},
		{"nanstd", op.NaNStd(engineOf(nan, 1, 5)), nil, []float64{2}},
		{"round", op.Round(engineOf(1.25, -1.35, 120), 1), []int{3}, []float64{1.2, -1.4, 120}},
		{"isclose", op.Cast[float64](op.IsClose(x, op.AddScalar(x, .3), .1, 0)), []int{2, 3}, []float64{0, 0, 0, 1, 1, 1}},
		{"outer", op.Outer(engineOf(1., 2), engineOf(3., 4)), []int{2, 2}, []float64{3, 4, 6, 8}},
		{"pad, reflect", op.PadMode(x, [][2]int{{0, 0}, {2, 1}}, "reflect"), []int{2, 6}, []float64{2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}},
		{"flip of no axes", op.Flip(x, []int{}...), []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}},
	} {
		got, s := eval(t, c.e)
		if !slices.Equal(s, c.shape) || !slices.Equal(got, c.want) {
			t.Errorf("%s is %v of shape %v, want %v of shape %v", c.name, got, s, c.want, c.shape)
		}
	}
}

// TestInterpGradient tests that a position of the table has the slope after it, but its ends, and that
// there is no slope outside.
func TestInterpGradient(t *testing.T) {
	x := engineOf(1., 2, 3, -1, 0, 4, 9)
	g, err := grad.Of(op.Sum(op.Interp(expr.Exp[float64](x), engineOf(0., 2, 4), engineOf(0., 1, 5))), expr.Exp[float64](x))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := eval(t, g[0]); !slices.Equal(got, []float64{.5, 2, 2, 0, 0, 0, 0}) {
		t.Errorf("the slopes are %v", got)
	}
}

// TestWideCompositions checks that a composition with an accumulator computes
// everything in it.
func TestWideCompositions(t *testing.T) {
	x := engineOf[float32](0, 0x1p-30)
	got, _ := eval(t, op.LogSumExp[float32](x, op.AccumFloat64()))
	if want := float32(math.Log(2 + 0x1p-30)); got[0] != want {
		t.Errorf("log-sum-exp in float64 is %v, want %v", got[0], want)
	}
}

// TestQuantileRange tests that the error of a number outside has the number and the
// limits of the caller.
func TestQuantileRange(t *testing.T) {
	x := engine.Zeros[float64](3)
	for want, e := range map[string]expr.Exp[float64]{
		"op.Percentile: 101 is not from 0 to 100":   op.Percentile[float64](x, 101),
		"op.NaNPercentile: -1 is not from 0 to 100": op.NaNPercentile[float64](x, -1),
		"op.Quantile: NaN is not from 0 to 1":       op.Quantile[float64](x, math.NaN()),
		"op.NaNQuantile: 1.5 is not from 0 to 1":    op.NaNQuantile[float64](x, 1.5),
	} {
		if err := expr.NodeOf(e).Err(); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLinspaceOfIntegers checks that ends which the type does not have are errors.
func TestLinspaceOfIntegers(t *testing.T) {
	if x, err := engine.Eval(op.Linspace[int8](-128.5+.5, 127.9, 3)); err != nil || x.At(2) != 127 || x.At(0) != -128 {
		t.Error(x, err)
	}
	for name, n := range map[string]*tree.Node{
		"above":    op.Linspace[int8](0, 128, 5).Node(),
		"below":    op.Linspace[uint8](-1, 5, 5).Node(),
		"NaN":      op.Linspace[int32](0, math.NaN(), 2).Node(),
		"infinite": op.Linspace[int64](math.Inf(-1), 0, 2).Node(),
	} {
		if !errors.Is(n.Err(), expr.ErrType) {
			t.Errorf("%s: %v", name, n.Err())
		}
	}
}
