package op_test

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestScalarForms checks the order of the operands of constructors that take
// scalars, and how scalars convert.
func TestScalarForms(t *testing.T) {
	x := iota[float64](3)
	for name, c := range map[string]struct {
		got  expr.Exp[float64]
		want []float64
	}{
		"SubScalar":      {op.SubScalar(x, 1), []float64{0, 1, 2}},
		"ScalarSub":      {op.ScalarSub(1, x), []float64{0, -1, -2}},
		"ScalarDiv":      {op.ScalarDiv(6, x), []float64{6, 3, 2}},
		"PowScalar":      {op.PowScalar(x, 2), []float64{1, 4, 9}},
		"ScalarPow":      {op.ScalarPow(2, x), []float64{2, 4, 8}},
		"MaximumScalar":  {op.MaximumScalar(x, 2), []float64{2, 2, 3}},
		"MaximumScalar.": {op.MaximumScalar(x, float32(1.5)), []float64{1.5, 2, 3}},
		"ClipScalar":     {op.ClipScalar(x, 1.5, 2.5), []float64{1.5, 2, 2.5}},
		"WhereScalar":    {op.WhereScalar(op.GreaterScalar(x, 1), x, 0), []float64{0, 2, 3}},
	} {
		if got, _ := eval(t, c.got); !slices.Equal(got, c.want) {
			t.Errorf("%s gives %v, want %v", name, got, c.want)
		}
	}
	i := iota[int8](3)
	if got, _ := eval(t, op.ShlScalar(i, 2)); !slices.Equal(got, []int8{4, 8, 12}) {
		t.Errorf("ShlScalar gives %v", got)
	}
	fails(t, "a scalar out of range", op.GreaterScalar(i, 200).Node(), expr.ErrType)
	fails(t, "a fraction", op.AddScalar(i, .5).Node(), expr.ErrType)
	fails(t, "nil", op.ScalarSub[float64](1, nil).Node(), expr.ErrType)
}
