package engine_test

import (
	"errors"
	"strings"
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
				"floor_divide": expr.Let(y, op.FloorDiv(x, c)),
				"mod":          expr.Let(y, op.Mod(x, op.BroadcastTo(c, 3))),
				"saver":        expr.LetDiv(y, c),
				"where":        expr.Let(y, op.Add(y, op.Div(x, op.Add(c, c)))),
			} {
				err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, s)
				if errors.Is(err, expr.ErrDivide) != (d == 0) || d != 0 && err != nil {
					t.Errorf("%s: %s by %d: %v", backend, name, d, err)
				}
			}
		}
	}
}

// TestLargeFaults divides under a condition. Only a zero that the condition
// selects is an error, however many operations use the quotient.
func TestLargeFaults(t *testing.T) {
	for _, backend := range engine.Backends() {
		for _, times := range []int{1, 300, 1000, 5000} {
			x, d, y := engine.MustFromSlice([]int64{9, -7, 5}), engine.MustFromSlice([]int64{3, 0, 1}), engine.Zeros[int64](3)
			e := nested(times, op.Div(x, d), func(e expr.Exp[int64]) expr.Exp[int64] { return op.Neg(op.AddScalar(e, 1)) })
			selected := func(zero int64) error {
				return engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, op.Where(op.NotEqual(d, op.Full[int64](zero)), e, x)))
			}
			if err := selected(0); err != nil || y.At(1) != -7 {
				t.Errorf("%s, %d operations: %v, %v", backend, times, y, err)
			}
			if err := selected(1); !errors.Is(err, expr.ErrDivide) || !strings.Contains(err.Error(), "at [1]") || y.At(1) != -7 {
				t.Errorf("%s, %d operations: %v, %v", backend, times, y, err)
			}
		}
	}
}

// TestFaultsOfStored divides in values that get stages of their own. Only a
// quotient that the program uses is an error.
func TestFaultsOfStored(t *testing.T) {
	type vector = expr.Exp[int64]
	d := engine.MustFromSlice([]int64{3, 0, 1, 2})
	at := func(i ...int64) vector { return engine.MustFromSlice(i) }
	yes, no := op.Less(op.Full[int64](0), op.Full[int64](1)), op.Less(op.Full[int64](1), op.Full[int64](0))
	q := op.Div(op.Full[int64](6), d)
	large := nested(2000, q, func(e vector) vector { return op.Neg(op.AddScalar(e, 1)) })
	for name, c := range map[string]struct {
		e    vector
		fail bool
	}{
		"taken":            {op.Take(q, at(0, 2), 0), false},
		"taken zero":       {op.Take(q, at(0, 1), 0), true},
		"not selected":     {op.Where(no, op.Take(q, at(0, 1), 0), at(0, 0)), false},
		"selected":         {op.Where(yes, op.Take(q, at(0, 1), 0), at(0, 0)), true},
		"sliced":           {op.Slice(large, op.From(2)), false},
		"sliced zero":      {op.Slice(large, op.From(1)), true},
		"padded":           {op.Slice(op.Pad(large, [][2]int{{3, 0}}, 0), op.Range(0, 4)), false},
		"padded zero":      {op.Slice(op.Pad(large, [][2]int{{3, 0}}, 0), op.Range(0, 5)), true},
		"summed":           {op.Sum(op.Where(op.Equal(d, op.Full[int64](0)), d, large)), false},
		"summed zero":      {op.Sum(op.Where(op.Less(d, op.Full[int64](3)), d, large)), false},
		"summed with zero": {op.Sum(op.Where(op.Less(d, op.Full[int64](3)), large, d)), true},
	} {
		for _, backend := range engine.Backends() {
			y := engine.Zeros[int64](c.e.Node().Shape()...)
			err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, c.e))
			if errors.Is(err, expr.ErrDivide) != c.fail || !c.fail && err != nil {
				t.Errorf("%s: %s: %v", backend, name, err)
			}
		}
	}
}

// TestFaultsOfPhases divides once for each row. The first loop along the row
// uses the quotient under a condition, the second one always does.
func TestFaultsOfPhases(t *testing.T) {
	for _, backend := range engine.Backends() {
		for _, zero := range []bool{false, true} {
			x := engine.MustFromSlice([]int64{-1, -2, -3, -4, -5, -6}, 2, 3)
			d, g := engine.MustFromSlice([]int64{2, 3}, 2, 1), engine.MustFromSlice([]int64{7, 7}, 2, 1)
			if zero {
				d.Set(0, 1, 0)
				g.Set(4, 1, 0) // opposite to an element of x
			}
			for name, e := range map[string]expr.Exp[int64]{
				"each row":     op.Neg(op.Div(op.Full[int64](6), d)),
				"each element": op.Neg(op.Neg(op.Neg(op.Neg(op.Div(x, op.Add(x, g)))))),
			} {
				some := op.Sum(op.Where(op.Less(op.Full[int64](0), x), e, op.Full[int64](0)), op.Axis(1), op.KeepDims())
				y := engine.Zeros[int64](2, 3)
				err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, op.Add(op.Add(x, some), e)))
				if errors.Is(err, expr.ErrDivide) != zero || !zero && err != nil {
					t.Errorf("%s: %s: %v", backend, name, err)
				}
			}
		}
	}
}
