package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestStackOfMany tests that one loop stores many arrays side by side, along the last axis and
// along a middle one.
func TestStackOfMany(t *testing.T) {
	for _, c := range []struct{ n, parts int }{{500, 8}, {500, 9}, {777, 17}, {300, 30}, {10, 12}, {5, 70}, {200, 100}} {
		var args []expr.Exp[float32]
		for k := range c.parts {
			args = append(args, engine.Arange[float32](float64(k*c.n), float64((k+1)*c.n), 1))
		}
		y := engine.Zeros[float32](c.n, c.parts)
		p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1}, expr.Let(y, op.Stack(1, args...)))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Plan().Stages); n != 1 {
			t.Errorf("%v: %d stages", c, n)
		}
		if one := p.Plan().Stages[0].Kernel; c.n >= 300 && len(one.Bufs) != 2*c.parts {
			t.Errorf("%v: the kernel has %d arrays: a loop of all elements selects", c, len(one.Bufs))
		}
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range c.n {
			for k := range c.parts {
				if got, want := y.At(i, k), float32(k*c.n+i); got != want {
					t.Fatal(fmt.Sprint(c, ": element ", i, k, " is ", got, ", want ", want))
				}
			}
		}
	}
}
