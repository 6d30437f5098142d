package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestIntoView compares assignments to views with those to the slices, flips and transpositions of
// numbers by hand.
func TestIntoView(t *testing.T) {
	testIntoView(t, func(i int) float32 { return float32(i) })
	testIntoView(t, func(i int) uint8 { return uint8(i) })
	testIntoView(t, func(i int) complex64 { return complex(float32(i), -1) })
}

func testIntoView[T float32 | uint8 | complex64](t *testing.T, number func(int) T) {
	t.Helper()
	for _, back := range engine.Backends() {
		x := engine.Zeros[T](4, 5, 3)
		want := slices.Clone(x.Data())
		// x[1:, ::-2, :].transpose(2, 0, 1)[:, ::-1]
		view := op.Flip(op.Transpose(op.Slice[T](x, op.From(1), op.By(op.Span{}, -2)), 2, 0, 1), 1)
		y := engine.Zeros[T](3, 3, 3)
		for i := range y.Data() {
			y.Data()[i] = number(i)
			k, a, b := i/9, 2-i/3%3, i%3
			want[((a+1)*5+4-2*b)*3+k] = number(i) + number(i)
		}
		target := op.IntoView(view)
		if target.Node().Kind() != tree.RValue || !target.Node().Shape().Equal(view.Node().Shape()) {
			t.Errorf("%v: the target is %v of shape %v", *new(T), target.Node().Kind(), target.Node().Shape())
		}
		err := engine.RunWith(t.Context(), engine.Options{Backend: back}, expr.Let(target, y), expr.LetAdd(target, y))
		if err != nil || !slices.Equal(x.Data(), want) {
			t.Errorf("%s: %v, not %v: %v", back, x.Data(), want, err)
		}
	}
	x := engine.Zeros[T](4, 0)
	if err := engine.Run(t.Context(), expr.Let(op.IntoView(op.Flip(x, 1)), engine.Zeros[T](4, 0))); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		e    expr.Exp[T]
		want error
	}{
		"a sum": {op.Add(x, x), expr.ErrUnsupported}, "a broadcast": {op.BroadcastTo(x, 2, 4, 0), expr.ErrUnsupported},
		"a wrong slice": {op.Transpose(x, 7), expr.ErrShape}, "nothing": {nil, expr.ErrType},
	} {
		if err := op.IntoView(c.e).Node().Err(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
