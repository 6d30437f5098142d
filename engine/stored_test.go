package engine_test

import (
	"errors"
	"strings"
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
	first := expr.Let(engine.Zeros[int32](n, n), op.Where(none, used, zero))
	apart := expr.Let(engine.Zeros[float32](3), op.Full[float32](1))

	f := op.Exp(op.Sin(op.Cast[float32](op.Transpose(quotient))))
	most := op.Max(op.Where(none, f, engine.Zeros[float32](n, n)), op.Axis(-1), op.KeepDims())
	rows := expr.Let(engine.Zeros[float32](n, n), op.Add(f, most))
	for _, backend := range engine.Backends() {
		o := engine.Options{Backend: backend}
		if err := engine.RunWith(t.Context(), o, first, apart, rows); !errors.Is(err, expr.ErrDivide) {
			t.Errorf("%s: a later phase uses the quotient, but the error is %v", backend, err)
		}
		for i := range n {
			one := engine.Zeros[bool](n, n)
			one.Set(true, 4, i)
			last := expr.Let(engine.Zeros[int32](n, n), op.Where(one, turned, zero))
			if err := engine.RunWith(t.Context(), o, first, apart, last); errors.Is(err, expr.ErrDivide) != (i == n-1-3) {
				t.Errorf("%s: the error of column %d is %v", backend, i, err)
			}
		}
	}
}

// TestFaultsBesideReductions stores a value that has a quotient and a reduction.
// The fault of the quotient counts only where the statement uses the value.
func TestFaultsBesideReductions(t *testing.T) {
	const n = 8
	p, q := engine.Zeros[int32](n, n), engine.Full[int32](1, n, n)
	q.Set(0, 3, 4)
	zero := engine.Zeros[int32](n, n)
	index := engine.MustFromSlice([]int64{7, 6, 5, 4, 3, 2, 1, 0})
	for _, axis := range []int{0, 1} {
		for _, keep := range []bool{false, true} {
			most := op.Max(op.Mul(q, q), op.Axis(axis))
			if keep {
				most = op.Max(op.Mul(q, q), op.Axis(axis), op.KeepDims())
			}
			v := op.Take(op.Add(op.Div(p, q), most), index, 0)
			for _, backend := range engine.Backends() {
				for i := range n * n {
					one, y := engine.Zeros[bool](n, n), engine.Full[int32](-1, n, n)
					one.Set(true, i/n, i%n)
					err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, op.Where(one, v, zero)))
					if fails := i == 4*n+4; errors.Is(err, expr.ErrDivide) != fails || (y.At(i/n, i%n) != 1) != fails {
						t.Errorf("%s, axis %d: element %d is %v, the error is %v", backend, axis, i, y.At(i/n, i%n), err)
					}
				}
			}
		}
	}
}

// TestStoredNarrower tests a value of halves that is stored in a target with one axis more, and then converted to
// halves and stored in a target of its own shape: the conversion has the shape of the value.
func TestStoredNarrower(t *testing.T) {
	v := op.Sqrt(op.Cast[expr.Float16](engine.MustFromSlice([]float64{1, 2, 3, 4})))
	row, vector, read := engine.Zeros[expr.Float16](1, 4), engine.Zeros[expr.Float16](4), engine.Zeros[expr.Float16](1, 4)
	if err := engine.Run(t.Context(), expr.Let(row, v), expr.Let(vector, op.Cast[expr.Float16](v)), expr.Let(read, op.Neg(row))); err != nil {
		t.Fatal(err)
	}
	for x, want := range map[*engine.Tensor[expr.Float16]]string{row: "[[1 1.414 1.732 2]]", vector: "[1 1.414 1.732 2]", read: "[[-1 -1.414 -1.732 -2]]"} {
		if got := strings.Join(strings.Fields(x.String()), " "); strings.ReplaceAll(got, "[ ", "[") != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
