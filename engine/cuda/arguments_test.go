package cuda

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// testManyArguments runs a loop whose arguments are too large to be passed, until
// the program is a graph, and then changes one argument.
func testManyArguments(t *testing.T, _ *standIn) {
	d := open(t)
	there := ramp(t, d, 100)
	host, err := there.To(engine.CPU())
	check(t, err)
	var on, off []expr.Statement
	var got, want []*engine.Tensor[float32]
	params := make([]*expr.Param[float32], 30*40)
	for i := range params {
		params[i] = expr.NewParam(float32(i%7) / 4)
	}
	for i := range 30 {
		var x, y expr.Exp[float32] = there, host
		for _, p := range params[40*i : 40*i+40] {
			x, y = op.Add(op.Mul(x, p), there), op.Add(op.Mul(y, p), host)
		}
		got, want = append(got, zeros(t, d, 100)), append(want, engine.Zeros[float32](100))
		on, off = append(on, expr.Let(got[i], x)), append(off, expr.Let(want[i], y))
	}
	p, err := engine.Compile(ctx, on...)
	check(t, err)
	for i := range 2 * stableRuns {
		if i == stableRuns+1 {
			params[len(params)-1].Set(5)
		}
		check(t, p.Run(ctx))
		check(t, engine.Run(ctx, off...))
		for k := range got {
			if !slices.Equal(got[k].Values(), want[k].Values()) {
				t.Fatalf("run %d: array %d differs", i, k)
			}
		}
	}
	if s := p.Plan().Stages; len(s) != 1 || 8*len(s[0].Scalars) < 2*partBytes {
		t.Errorf("%d stages, the first of %d scalars", len(s), len(s[0].Scalars))
	}
	noAllocations(t, p, 10)
	check(t, p.Close())
}
