package engine_test

import (
	"context"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// A scan ends when no later step changes a state: this one would take days.
func TestScanEnds(t *testing.T) {
	const n, length = 1000, math.MaxInt >> 22
	x := engine.Zeros[float64](n)
	for i := range x.Data() {
		x.Data()[i] = float64(i % 77)
	}
	// The number of times that 3 goes into x, and what is left.
	rest := op.Scan([]expr.Exp[float64]{x, op.Full[float64](0)}, nil, op.ScanOptions{Length: length}, func(s op.Step[float64]) (next, out []expr.Exp[float64]) {
		running := op.GreaterEqualScalar(s.State[0], 3)
		return []expr.Exp[float64]{
			op.Where(running, op.SubScalar(s.State[0], 3), s.State[0]),
			op.Where(running, op.AddScalar(s.State[1], 1), s.State[1]),
		}, nil
	})
	for _, backend := range engine.Backends() {
		y, count := engine.Zeros[float64](n), engine.Zeros[float64](n)
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend}, expr.Let(y, rest.Last(0)), expr.Let(count, rest.Last(1)))
		if err == nil {
			err = p.Run(context.Background())
		}
		if err != nil {
			t.Fatalf("%s: %v", backend, err)
		}
		for i := range n {
			if y.Data()[i] != float64(i%77%3) || count.Data()[i] != float64(i%77/3) {
				t.Fatalf("%s: 3 goes into %d %v times, and %v are left", backend, i%77, count.Data()[i], y.Data()[i])
			}
		}
	}
}
