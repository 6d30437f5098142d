package engine

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestIdleTemporaries tests that the cache keeps small temporaries between runs
// and no large ones.
func TestIdleTemporaries(t *testing.T) {
	for _, n := range []int{16, 1 << 11} {
		x, y := Zeros[float32](n, 1), Zeros[float32](n)
		s := expr.Assign(y, op.Sum(op.MatMul(x, op.T[float32](x)), op.Axis(0)))
		if err := Run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		a := assignmentOf(t.Context(), Options{}, []expr.Statement{s})
		p := a.Program
		if size := p.plan.Arena; size < 4*n*n || (len(p.arena) == size) != (size <= keepArena) {
			t.Errorf("of temporaries of %d bytes %d are kept", size, len(p.arena))
		}
		if a.Bytes < 12<<10 || a.Bytes > 12<<10+80*1000+keepArena {
			t.Errorf("the size of an idle program is %d bytes", a.Bytes)
		}
	}
}
