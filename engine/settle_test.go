package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestSettled looks for one element, in any block of 4096, that decides whether predicates hold. A statement beside it, whose loop
// it may share, goes on to the end.
func TestSettled(t *testing.T) {
	for _, n := range []int{1, 100, 4096, 4097, 70000, 400000} {
		x := engine.Zeros[int32](n)
		for _, at := range []int{-1, 0, n / 3, n/3 + 17, n/3 + 34, n/3 + 51, n/3 + 68, n/3 + 85, n/3 + 102, n/3 + 119, 4095, 4096, n - 1} {
			if at >= n {
				continue
			}
			clear(x.Data())
			if at >= 0 {
				x.Data()[at] = 7
			}
			holds := op.EqualScalar(x, 7)
			some, err := engine.Item(op.Any(holds))
			if err != nil || some != (at >= 0) {
				t.Errorf("any of %d elements, one at %d: %v, %v", n, at, some, err)
			}
			y, found := engine.Zeros[int32](n), engine.Zeros[bool]()
			if err := engine.Run(t.Context(), expr.Let(y, op.AddScalar(x, 1)), expr.Let(found, op.Any(holds)), expr.Let(x, op.AddScalar(y, 1))); err != nil || found.Data()[0] != some || x.Data()[n-1] != 2 && at != n-1 {
				t.Errorf("any of %d elements beside a store, one at %d: %v, %v", n, at, found, err)
			}
			if err := x.Assign(op.SubScalar(x, 2)); err != nil {
				t.Fatal(err)
			}
			all, err := engine.Item(op.All(op.LogicalNot(holds)))
			if err != nil || all == (at >= 0) {
				t.Errorf("all of %d elements, one at %d: %v, %v", n, at, all, err)
			}
		}
	}
}
