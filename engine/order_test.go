package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestLastStoreCounts stores to one element twice in one loop: first a reduction
// down a column, and then a value that needs no loop.
func TestLastStoreCounts(t *testing.T) {
	for _, backend := range engine.Backends() {
		y, x, c := engine.Zeros[float32](1), engine.Zeros[float32](12, 1), engine.Zeros[float32](1)
		c.Data()[0] = 7
		err := engine.RunWith(t.Context(), engine.Options{Backend: backend},
			expr.Let(y, op.Sum(x, op.Axis(0))),
			expr.Let(y, c))
		if err != nil || y.Data()[0] != 7 {
			t.Errorf("%s: %v, %v, want 7", backend, y.Data(), err)
		}
	}
}
