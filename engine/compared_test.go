package engine_test

import (
	"context"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestComparedDifferences compares one difference of unsigned integers with several scalars.
func TestComparedDifferences(t *testing.T) {
	comparedDifferences[uint8](t)
	comparedDifferences[uint16](t)
	comparedDifferences[uint32](t)
}

func comparedDifferences[T uint8 | uint16 | uint32](t *testing.T) {
	const n = 300
	x, y := engine.Zeros[T](n), engine.Zeros[bool](n)
	for i := range x.Data() {
		x.Data()[i] = T(i)
	}
	d := op.SubScalar[T](x, 3)
	v := op.NotEqual(op.LessScalar[T](d, 10), op.LessScalar[T](d, 100))
	for _, name := range engine.Backends() {
		if err := engine.RunWith(context.Background(), engine.Options{Backend: name}, expr.Let(y, v)); err != nil {
			t.Fatal(err)
		}
		for i, got := range y.Data() {
			d := x.Data()[i] - 3
			if want := (d < 10) != (d < 100); got != want {
				t.Errorf("%s: %T %d: %v", name, d, i, got)
				break
			}
		}
	}
}
