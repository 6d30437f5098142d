package op_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestScatterOfComplex scatters both parts.
func TestScatterOfComplex(t *testing.T) {
	at := engineOf[int32](0, 2, 0)
	z := engine.MustFromSlice([]complex64{1 + 2i, 3, 5i})
	for name, c := range map[string]struct {
		e    expr.Exp[complex64]
		want []complex64
	}{
		"set":   {op.SetAt(z, at, expr.Exp[complex64](engine.MustFromSlice([]complex64{1i, 2, 3i})), 0), []complex64{3i, 3, 2}},
		"add":   {op.AddAt(z, at, expr.Exp[complex64](z), 0), []complex64{2 + 9i, 3, 3 + 5i}},
		"plain": {op.ScatterAdd(at, expr.Exp[complex64](z), 0, 3), []complex64{1 + 7i, 0, 3}},
	} {
		y, err := engine.Eval(c.e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.want {
			if got := y.At(i); got != want {
				t.Errorf("%s: element %d is %v, want %v", name, i, got, want)
			}
		}
	}
	if err := op.ScatterAdd(at, expr.Exp[complex64](z), 0, -1).Node().Err(); err == nil {
		t.Error("a negative shape gives no error")
	} else {
		t.Log(err)
	}
}
