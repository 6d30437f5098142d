package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func vector(v ...float64) expr.Exp[float64] { return engine.MustFromSlice(v) }

// TestNumPyCompositions checks that each constructor passes its arguments on.
// The formulas of expr/formula compare the compositions with NumPy itself.
func TestNumPyCompositions(t *testing.T) {
	v := engine.MustFromSlice([]float64{1, 2, 4})
	w := engine.MustFromSlice([]float64{0, 1, 3})
	m := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 7}, 2, 3)
	n := engine.MustFromSlice([]float64{1, 2, 4, 3}, 2, 2)
	for name, c := range map[string]struct {
		e     expr.Exp[float64]
		shape []int
		want  []float64
	}{
		"Deg2Rad":      {op.Deg2Rad(op.Scale(90, v)), []int{3}, []float64{math.Pi / 2, math.Pi, 2 * math.Pi}},
		"Rad2Deg":      {op.Rad2Deg(op.Scale(math.Pi, v)), []int{3}, []float64{180, 360, 720}},
		"LogAddExp":    {op.LogAddExp(v, v), []int{3}, []float64{1 + math.Ln2, 2 + math.Ln2, 4 + math.Ln2}},
		"LogAddExp2":   {op.LogAddExp2(v, v), []int{3}, []float64{2, 3, 5}},
		"Sinc":         {op.Sinc(op.Scale(.5, w)), []int{3}, []float64{1, 2 / math.Pi, -2 / (3 * math.Pi)}},
		"Heaviside":    {op.Heaviside(op.AddScalar(w, -1), expr.Const(.5)), []int{3}, []float64{0, .5, 1}},
		"NaNProd":      {op.NaNProd(op.Concat(0, v, vector(math.NaN()))), nil, []float64{8}},
		"Average":      {op.Average(m, v, op.Axis(1)), []int{2}, []float64{17. / 7, 6}},
		"Average nil":  {op.Average(v, nil), nil, []float64{7. / 3}},
		"Cov":          {op.Cov(n, 1), []int{2, 2}, []float64{.5, -.5, -.5, .5}},
		"CovWeights":   {op.CovWeights(n, engine.MustFromSlice([]float64{1, 3}), nil, 1), []int{2, 2}, []float64{.25, -.25, -.25, .25}},
		"GradientAt":   {op.GradientAt(v, w, 0), []int{3}, []float64{1, 1, 1}},
		"InterpPeriod": {op.InterpPeriodic(engine.MustFromSlice([]float64{3.5, -.5, 5}), w, v, 4), []int{3}, []float64{2.5, 2.5, 2}},
		"DeleteAll":    {op.DeleteAll(m, 1, -1, 0), []int{2, 1}, []float64{2, 5}},
		"Insert":       {op.Insert(n, 1, expr.Const(9.), 1), []int{2, 3}, []float64{1, 9, 2, 4, 9, 3}},
		"RepeatEach":   {op.RepeatEach(v, 0, 2, 0, 1), []int{3}, []float64{1, 1, 4}},
		"Unwrap":       {op.Unwrap(engine.MustFromSlice([]float64{0, 3, 1}), 4, 0), []int{3}, []float64{0, -1, -3}},
		"CorrCoef":     {op.CorrCoef(n), []int{2, 2}, []float64{1, -1, -1, 1}},
		"Trapezoid":    {op.Trapezoid(m, 2, 1), []int{2}, []float64{8, 21}},
		"Gradient":     {op.Gradient(v, 2, 0), []int{3}, []float64{.5, .75, 1}},
		"Interp":       {op.Interp(engine.MustFromSlice([]float64{-1, .5, 2, 9}), w, v), []int{4}, []float64{1, 1.5, 3, 4}},
		"Rot90":        {op.Rot90(n, 1), []int{2, 2}, []float64{2, 3, 1, 4}},
		"FlipUD":       {op.FlipUD(n), []int{2, 2}, []float64{4, 3, 1, 2}},
		"FlipLR":       {op.FlipLR(n), []int{2, 2}, []float64{2, 1, 3, 4}},
		"AtLeast1D":    {op.AtLeast1D(expr.Const(3.)), []int{1}, []float64{3}},
		"AtLeast2D":    {op.AtLeast2D(v), []int{1, 3}, []float64{1, 2, 4}},
		"AtLeast3D":    {op.AtLeast3D(v), []int{1, 3, 1}, []float64{1, 2, 4}},
		"HStack":       {op.HStack[float64](v, w), []int{6}, []float64{1, 2, 4, 0, 1, 3}},
		"VStack":       {op.VStack[float64](v, w), []int{2, 3}, []float64{1, 2, 4, 0, 1, 3}},
		"DStack":       {op.DStack[float64](v, w), []int{1, 3, 2}, []float64{1, 0, 2, 1, 4, 3}},
		"ColumnStack":  {op.ColumnStack[float64](v, w), []int{3, 2}, []float64{1, 0, 2, 1, 4, 3}},
		"Append":       {op.Append(n, n, 0), []int{4, 2}, []float64{1, 2, 4, 3, 1, 2, 4, 3}},
		"Delete":       {op.Delete(m, -2, 1), []int{2, 2}, []float64{1, 3, 4, 7}},
		"Resize":       {op.Resize(v, 2, 2), []int{2, 2}, []float64{1, 2, 4, 1}},
		"EDiff1D":      {op.EDiff1D(n), []int{3}, []float64{1, 2, -1}},
		"Diagonal":     {op.Diagonal(m, 1), []int{2}, []float64{2, 7}},
		"Trace":        {op.Trace(m, 0), nil, []float64{6}},
		"Diag":         {op.Diag(op.Slice(v, op.Until(2)), 0), []int{2, 2}, []float64{1, 0, 0, 2}},
		"Kron":         {op.Kron(op.Slice(v, op.Until(2)), w), []int{6}, []float64{0, 1, 3, 0, 2, 6}},
		"Cross":        {op.Cross(v, w), []int{3}, []float64{2, -3, 1}},
		"Convolve":     {op.Convolve(v, w, "full"), []int{5}, []float64{0, 1, 5, 10, 12}},
		"Correlate":    {op.Correlate(v, w, "valid"), []int{1}, []float64{14}},
		"Meshgrid":     {op.Meshgrid[float64](v, op.Slice(w, op.Until(2)))[0], []int{2, 3}, []float64{1, 2, 4, 1, 2, 4}},
		"Meshgrid's y": {op.Meshgrid[float64](v, op.Slice(w, op.Until(2)))[1], []int{2, 3}, []float64{0, 0, 0, 1, 1, 1}},
	} {
		got, s := eval(t, c.e)
		if !slices.Equal(s, c.shape) {
			t.Errorf("%s has shape %v, want %v", name, s, c.shape)
		}
		near(t, name, got, c.want)
	}
	for name, c := range map[string]struct {
		e    expr.Exp[bool]
		want []bool
	}{
		"IsPosInf":   {op.IsPosInf(engineOf(inf, -inf, 1)), []bool{true, false, false}},
		"IsNegInf":   {op.IsNegInf(engineOf(inf, -inf, 1)), []bool{false, true, false}},
		"AllClose":   {op.AllClose(v, w, 0, 1), []bool{true}},
		"ArrayEqual": {op.ArrayEqual(v, op.NewAxis(v, 0)), []bool{false}},
		"ArrayEquiv": {op.ArrayEquiv(v, op.NewAxis(v, 0)), []bool{true}},
	} {
		if got, _ := eval(t, c.e); !slices.Equal(got, c.want) {
			t.Errorf("%s is %v, want %v", name, got, c.want)
		}
	}
	if got, _ := eval(t, op.BitCount(engineOf[int8](-128, -1, 7, -127))); !slices.Equal(got, []uint8{1, 1, 3, 7}) {
		t.Errorf("BitCount of int8 is %v", got)
	}
	if got, _ := eval(t, op.BitCount(engineOf[int16](-1<<15, -1, 7, math.MaxInt16))); !slices.Equal(got, []uint8{1, 1, 3, 15}) {
		t.Errorf("BitCount of int16 is %v", got)
	}
	if got, _ := eval(t, op.BitCount(engineOf[uint32](1<<31, math.MaxUint32, 0, 0xf00f))); !slices.Equal(got, []uint8{1, 32, 0, 8}) {
		t.Errorf("BitCount of uint32 is %v", got)
	}
	if got, _ := eval(t, op.BitCount(engineOf[int64](math.MinInt64, -1, 0, math.MaxInt64))); !slices.Equal(got, []uint8{1, 1, 0, 63}) {
		t.Errorf("BitCount of int64 is %v", got)
	}
	if got, _ := eval(t, op.BitCount(engineOf[uint64](math.MaxUint64, 1<<63|1))); !slices.Equal(got, []uint8{64, 2}) {
		t.Errorf("BitCount of uint64 is %v", got)
	}
	nan := math.Copysign(math.NaN(), -1)
	if got, _ := eval(t, op.SignBit(engineOf(math.Copysign(0, -1), 0, -inf, inf, nan, math.NaN(), -1, 2))); !slices.Equal(got, []bool{true, false, true, false, false, false, true, false}) {
		t.Errorf("SignBit is %v", got)
	}
}
