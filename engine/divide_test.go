package engine_test

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestDivideByConstant divides by several constants in succession. The program
// for a divisor other than 0 must not serve the divisor 0.
func TestDivideByConstant(t *testing.T) {
	for _, backend := range engine.Backends() {
		x, y := engine.MustFromSlice([]int32{9, -7, 5}), engine.Zeros[int32](3)
		for _, d := range []int32{4, 5, 0, 3, 0} {
			c := op.Full[int32](d)
			for name, s := range map[string]expr.Statement{
				"floor_divide": expr.Assign(y, op.FloorDiv(x, c)),
				"mod":          expr.Assign(y, op.Mod(x, op.BroadcastTo(c, 3))),
				"saver":        expr.DivAssign(y, c),
				"where":        expr.Assign(y, op.Add(y, op.Div(x, op.Add(c, c)))),
			} {
				err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, s)
				if errors.Is(err, expr.ErrDivide) != (d == 0) || d != 0 && err != nil {
					t.Errorf("%s: %s by %d: %v", backend, name, d, err)
				}
			}
		}
	}
}

// TestLargeFaults divides under a condition that excludes zeros. The condition
// must protect the division, however many operations use the quotient.
func TestLargeFaults(t *testing.T) {
	for _, backend := range engine.Backends() {
		for _, times := range []int{1, 300, 1000} {
			x, d, y := engine.MustFromSlice([]int64{9, -7, 5}), engine.MustFromSlice([]int64{3, 0, 1}), engine.Zeros[int64](3)
			e := nested(times, op.Div(x, d), func(e expr.Exp[int64]) expr.Exp[int64] { return op.Neg(op.AddScalar(e, 1)) })
			err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Assign(y, op.Where(op.NotEqual(d, op.Full[int64](0)), e, x)))
			if err != nil || y.At(1) != -7 {
				t.Errorf("%s, %d operations: %v, %v", backend, times, y, err)
			}
		}
	}
}
