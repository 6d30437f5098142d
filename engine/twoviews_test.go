package engine_test

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// TestTargetThroughTwoViews tests that statements store in their order, though
// they name the same elements by two views: with other strides of an axis of
// size 1, or of two memories that are one.
func TestTargetThroughTwoViews(t *testing.T) {
	const n = 24
	for name, second := range map[string]struct {
		stride int  // of the axis of size 1
		apart  bool // by a memory of its own
	}{"strides": {-2, false}, "memories": {2, true}} {
		for _, backend := range engine.Backends() {
			t.Run(name+"/"+backend, func(t *testing.T) {
				data := make([]int64, n)
				for i := range data {
					data[i] = int64(10 + i)
				}
				m := engine.MemoryOf(dtype.Bytes(data))
				view := func(m *engine.Memory, st shape.Strides, offset int) *engine.Tensor[int64] {
					t.Helper()
					a, err := engine.ArrayOf(m, dtype.I64, shape.Shape{2, 2, 1}, st, offset)
					if err != nil {
						t.Fatal(err)
					}
					x, err := engine.TensorOf[int64](a)
					if err != nil {
						t.Fatal(err)
					}
					return x
				}
				x, y := view(m, shape.Strides{3, 3, 2}, 9), view(m, shape.Strides{2, 3, 2}, 17)
				if second.apart {
					m = engine.MemoryOf(dtype.Bytes(data))
				}
				z := view(m, shape.Strides{2, 3, second.stride}, 17)
				err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.LetMul(z, op.Full[int64](3)), expr.Let(y, op.Flip(x)), expr.Let(z, x))
				got, want := []int64{data[17], data[20], data[19], data[22]}, []int64{19, 22, 22, 25}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, %v, want %v", got, err, want)
				}
			})
		}
	}
}
