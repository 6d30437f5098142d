package engine_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// holds fails the test if err is not nil or got differs from want.
func holds[T comparable](t *testing.T, err error, got []T, want ...T) {
	t.Helper()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestSmoke(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	y := engine.Zeros[float64](2, 3)
	if err := y.Assign(op.Softmax(x, 1)); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for j := range 3 {
			want := math.Exp(float64(j)) / (1 + math.E + math.E*math.E)
			if got := y.At(i, j); math.Abs(got-want) > 1e-15 {
				t.Errorf("softmax [%d %d] is %v, want %v", i, j, got, want)
			}
		}
	}
	holds(t, y.Assign(op.Sub(x, op.Mean(x, op.Axis(0)))), y.Data(), -1.5, -1.5, -1.5, 1.5, 1.5, 1.5)
	s := engine.Zeros[float64]()
	if err := s.Assign(op.Var(x)); err != nil || math.Abs(s.At()-35./12) > 1e-12 {
		t.Errorf("variance is %v, %v", s, err)
	}
	a := engine.MustFromSlice([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)
	holds(t, a.Assign(op.Add(op.T(a), a)), a.Data(), 2, 6, 10, 6, 10, 14, 10, 14, 18)
	d := engine.MustFromSlice([]int32{1, 0, 2}, 3)
	b := engine.Zeros[int32](3, 3)
	if err := b.Assign(op.Div(a, d)); !errors.Is(err, expr.ErrDivide) {
		t.Errorf("a division by zero gives %v", err)
	}
	holds(t, nil, b.Data(), make([]int32, 9)...)
	safe := op.Where(op.NotEqual(d, op.Full[int32](0)), op.Div(a, d), a)
	holds(t, b.Assign(safe), b.Data(), 2, 6, 5, 6, 10, 7, 10, 14, 9)
	holds(t, b.Assign(op.Take(a, d, 0)), b.Data(), 6, 10, 14, 2, 6, 10, 10, 14, 18)
	c := engine.Zeros[float64](2, 2)
	holds(t, c.Assign(op.Dot(x, op.T(x))), c.Data(), 14, 32, 32, 77)
	if err := c.Assign(op.Add(c, op.Sub(x, y))); !errors.Is(err, expr.ErrShape) {
		t.Errorf("shapes that do not broadcast give %v", err)
	}
}
