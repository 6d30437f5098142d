package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestWiderSums adds elements of 2 bytes along rows in lanes of 8 bytes, whose blocks are not transposed: rows around the lengths
// from which other rows are.
func TestWiderSums(t *testing.T) {
	for _, steps := range []int{7, 8, 17, 31, 127, 129} {
		const rows = 18
		x := engine.Zeros[int16](rows, steps)
		for i := range x.Data() {
			x.Data()[i] = int16(i*i*7 - 9000)
		}
		wide := op.Cast[float64](x)
		for _, backend := range engine.Backends() {
			sums, all := engine.Zeros[float64](rows, steps), engine.Zeros[float64](rows)
			for _, s := range []expr.Statement{expr.Let(sums, op.CumSum(wide, 1)), expr.Let(all, op.Sum(wide, op.Axis(1)))} {
				if err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, s); err != nil {
					t.Fatal(backend, err)
				}
			}
			for i := range rows {
				sum := 0.
				for k := range steps {
					if sum += float64(x.At(i, k)); sums.At(i, k) != sum {
						t.Fatalf("%s: %d steps: sum %d of row %d is %v, not %v", backend, steps, k, i, sums.At(i, k), sum)
					}
				}
				if all.At(i) != sum {
					t.Errorf("%s: %d steps: the sum of row %d is %v, not %v", backend, steps, i, all.At(i), sum)
				}
			}
		}
	}
}
