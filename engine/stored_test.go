package engine_test

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestStoredFaults reads quotients through views after a statement stored them
// and used none. A fault counts where, and only where, the last statement uses
// the quotient.
func TestStoredFaults(t *testing.T) {
	const n = 8
	p, q := engine.Zeros[int32](n, n), engine.Full[int32](1, n, n)
	q.Set(0, 3, 4)
	none, zero := engine.Zeros[bool](n, n), engine.Zeros[int32](n, n)
	index := engine.MustFromSlice([]int64{0, 1, 2, 3, 4, 5, 6, 7})
	quotient := op.Div(p, q)
	back := op.Flip(quotient, 0)
	turned := op.Transpose(back)
	used := op.Add(op.Take(quotient, index, 0), op.Add(turned, op.Take(back, index, 0)))
	first := expr.Assign(engine.Zeros[int32](n, n), op.Where(none, used, zero))
	apart := expr.Assign(engine.Zeros[float32](3), op.Full[float32](1))

	f := op.Exp(op.Sin(op.Cast[float32](op.Transpose(quotient))))
	most := op.Max(op.Where(none, f, engine.Zeros[float32](n, n)), op.Axis(-1), op.KeepDims())
	rows := expr.Assign(engine.Zeros[float32](n, n), op.Add(f, most))
	for _, backend := range engine.Backends() {
		o := engine.Options{Backend: backend}
		if err := engine.RunWith(t.Context(), o, first, apart, rows); !errors.Is(err, expr.ErrDivide) {
			t.Errorf("%s: a later phase uses the quotient, but the error is %v", backend, err)
		}
		for i := range n {
			one := engine.Zeros[bool](n, n)
			one.Set(true, 4, i)
			last := expr.Assign(engine.Zeros[int32](n, n), op.Where(one, turned, zero))
			if err := engine.RunWith(t.Context(), o, first, apart, last); errors.Is(err, expr.ErrDivide) != (i == n-1-3) {
				t.Errorf("%s: the error of column %d is %v", backend, i, err)
			}
		}
	}
}
