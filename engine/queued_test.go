package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func ExampleTensor_On() {
	s := engine.NewStream()
	defer s.Close()
	x, y := engine.MustFromSlice([]float32{1, 2, 3}), engine.Zeros[float32](3)
	y.On(s).Assign(op.Scale(2, x))
	done := y.On(s).AddAssign(x)
	err := done.Wait(context.Background())
	fmt.Println(y, err)
	// Output: [3 6 9] <nil>
}

// TestOn tests that assignments on a stream run in its order, and carry their errors.
func TestOn(t *testing.T) {
	s, gate := engine.NewStream(), make(chan struct{})
	x, y := engine.MustFromSlice([]float64{1, 2}), engine.MustFromSlice([]float64{5, 7})
	s.Go(func(context.Context) error { <-gate; return nil })
	q := y.On(s)
	var last driver.Event
	for _, f := range []func(expr.Exp[float64]) driver.Event{q.Assign, q.AddAssign, q.MulAssign, q.SubAssign, q.DivAssign} {
		last = f(op.AddScalar(x, 1))
	}
	if done, _ := last.Done(); done || y.At(0) != 5 {
		t.Errorf("before its turn: %v", y)
	}
	copy(x.Data(), []float64{3, 4}) // operands are read when the stream comes to them
	close(gate)
	if err := last.Wait(t.Context()); err != nil || !slices.Equal(y.Data(), []float64{7, 9}) {
		t.Errorf("%v: %v", y, err)
	}
	bad := y.On(s).Assign(engine.Zeros[float64](3))
	if err := bad.Wait(t.Context()); !errors.Is(err, expr.ErrShape) {
		t.Errorf("a wrong shape: %v", err)
	}
	if err := s.Sync(t.Context()); !errors.Is(err, expr.ErrShape) {
		t.Errorf("the stream: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, s := range []driver.Stream{s, nil} { // closed, and none
		done, err := y.On(s).Assign(nil).Done()
		if !done || err == nil {
			t.Errorf("on %v: %t, %v", s, done, err)
		}
	}
	if done, err := y.On(nil).Assign(x).Done(); !done || err != nil || y.At(1) != 4 {
		t.Errorf("without a stream: %t, %v, %v", done, err, y)
	}
}
