package engine_test

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/op"
)

func TestSmoke(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	y := engine.Zeros[float64](2, 3)
	if err := y.Assign(op.Softmax[float64](x, 1)); err != nil {
		t.Fatal(err)
	}
	t.Log(y)
	if err := y.Assign(op.Sub(x, op.Mean(x, op.Axis(0)))); err != nil {
		t.Fatal(err)
	}
	t.Log(y)
	s := engine.Zeros[float64]()
	if err := s.Assign(op.Var(x)); err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.At()-35./12) > 1e-12 {
		t.Error(s)
	}
	a := engine.MustFromSlice([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)
	if err := a.Assign(op.Add(op.T[int32](a), a)); err != nil {
		t.Fatal(err)
	}
	t.Log(a)
	d := engine.MustFromSlice([]int32{1, 0, 2}, 3)
	b := engine.Zeros[int32](3, 3)
	err := b.Assign(op.Div[int32](a, d))
	t.Log(err, b)
	err = b.Assign(op.Where(op.NotEqual[int32](d, op.Full[int32](0)), op.Div[int32](a, d), a))
	t.Log(err, b)
	err = b.Assign(op.Take(a, d, 0))
	t.Log(err, b)
	c := engine.Zeros[float64](2, 2)
	err = c.Assign(op.Dot(x, op.T[float64](x)))
	t.Log(err, c)
	err = c.Assign(op.Add(c, op.Sub(x, y)))
	t.Log(err)
}
