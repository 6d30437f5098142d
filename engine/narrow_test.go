package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// TestNarrowPositions converts positions where the register of the result is not the
// one of the position, so that a temporary of the conversion could take that one.
func TestNarrowPositions(t *testing.T) {
	narrowPositions[int8](t)
	narrowPositions[uint8](t)
	narrowPositions[int32](t)
	narrowPositions[uint32](t)
}

func narrowPositions[T int8 | uint8 | int32 | uint32](t *testing.T) {
	const n = 40
	none, x := engine.Zeros[T](0), engine.Zeros[T](n)
	positions := expr.Of[T](untyped.Cast(untyped.Iota(n), x.Node().DType()))
	e := op.Add(op.Concat(0, none, x), positions)
	for _, backend := range engine.Backends() {
		y := engine.Zeros[T](n)
		if err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, e)); err != nil {
			t.Fatal(backend, err)
		}
		for i := range n {
			if y.At(i) != T(i) {
				t.Fatalf("%s, %T: element %d is %v", backend, T(0), i, y.At(i))
			}
		}
	}
}
