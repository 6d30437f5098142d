package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/op"
)

// TestBordersOfViews assigns one expression to parts of an array in turn. The program
// of the first must not store to its elements again. Nor may it serve an array that is
// rotated into itself, or into one that overlaps it.
func TestBordersOfViews(t *testing.T) {
	const n = 600
	x, y := engine.Arange[int32](0, 3*n, 1), engine.Zeros[int32](3*n)
	for _, at := range []int{0, 700, 1200, 1} {
		to := y.Span(op.Range(at, at+n))
		if err := to.Assign(op.Roll(x.Span(op.Range(at, at+n)), 5, 0)); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got, want := y.At(at+i), int32(at+(i+n-5)%n); got != want {
				t.Fatalf("element %d from %d on is %d, want %d", i, at, got, want)
			}
		}
	}
	for _, by := range []int{0, 100, -100} {
		old := y.Clone()
		from, to := y.Span(op.Range(200, 200+n)), y.Span(op.Range(200+by, 200+by+n))
		if err := to.Assign(op.Roll(from, 5, 0)); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got, want := y.At(200+by+i), old.At(200+(i+n-5)%n); got != want {
				t.Fatalf("moved by %d, element %d is %d, want %d", by, i, got, want)
			}
		}
	}
}
