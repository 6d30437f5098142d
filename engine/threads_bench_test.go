package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// threadCases returns statements from bandwidth-bound to compute-bound.
func threadCases(n int) []struct {
	name string
	stmt expr.Statement
} {
	w, g, y := engine.MustFromSlice(ramp(n)), engine.MustFromSlice(ramp(n)), engine.Zeros[float32](n)
	s := engine.Zeros[float32]()
	return []struct {
		name string
		stmt expr.Statement
	}{
		{"update", expr.LetSub(y, op.Scale(.1, op.Add(g, op.Scale(1e-4, w))))},
		{"exp", expr.Let(y, op.Exp[float32](w))},
		{"gelu", expr.Let(y, op.Mul(op.Scale(.5, w), op.AddScalar(op.Tanh(op.Scale(.79788456, op.Add(w, op.Scale(.044715, op.Mul(w, op.Mul(w, w)))))), 1)))},
		{"blackscholes", expr.Let(y, call(w, g))},
		{"sumexp", expr.Let(s, op.Sum(op.Exp[float32](w)))},
	}
}

// call returns the price of a European call option by Black and Scholes, with
// strike k, rate .02, volatility .3 and time 1.
func call(s, k expr.Exp[float32]) expr.Exp[float32] {
	cdf := func(x expr.Exp[float32]) expr.Exp[float32] {
		return op.Scale(.5, op.AddScalar(op.Erf(op.Scale(.70710678, x)), 1))
	}
	d := op.Scale(1/.3, op.AddScalar(op.Log(op.Div(s, k)), .02+.045))
	return op.Sub(op.Mul(s, cdf(d)), op.Mul(op.Scale(.98019867, k), cdf(op.AddScalar(d, -.3))))
}

// paired runs two programs alternately, each for about a millisecond, and at least
// once. It returns the sorted quotients of their times, and the least time of a
// run of each.
func paired(b testing.TB, rounds int, first, second *engine.Program) (quotients []float64, times [2]time.Duration) {
	ctx := context.Background()
	reps := 1
	measure := func(p *engine.Program) time.Duration {
		begin := time.Now()
		for range reps {
			if err := p.Run(ctx); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(begin)
	}
	measure(second)
	for measure(first) < time.Millisecond && reps < 1<<20 {
		reps *= 2
	}
	for range 8 { // the first runs measure the time of a unit
		measure(second)
	}
	times = [2]time.Duration{time.Hour, time.Hour}
	for i := range rounds {
		var t [2]time.Duration
		order := [2]*engine.Program{first, second}
		for k := range 2 {
			k ^= i & 1
			t[k] = measure(order[k])
			times[k] = min(times[k], t[k]/time.Duration(reps))
		}
		quotients = append(quotients, float64(t[0])/float64(t[1]))
	}
	slices.Sort(quotients)
	return quotients, times
}

// BenchmarkThreads compares runs with all processors and with one, alternately.
// The metrics are quantiles of the quotients of times: the median, the first and
// the ninth decile. The ninth is near the quotient on an idle machine.
func BenchmarkThreads(b *testing.B) {
	for _, n := range []int{16, 1000, 4000, 10_000, 20_000, 40_000, 100_000, 1_000_000, 10_000_000} {
		for _, c := range threadCases(n) {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				var p [2]*engine.Program
				for i := range p {
					var err error
					if p[i], err = engine.CompileWith(context.Background(), engine.Options{Threads: 1 - i}, c.stmt); err != nil {
						b.Fatal(err)
					}
				}
				var q []float64
				var t [2]time.Duration
				for b.Loop() {
					q, t = paired(b, 100, p[0], p[1])
				}
				b.ReportMetric(q[10], "speedup-p10")
				b.ReportMetric(q[50], "speedup-p50")
				b.ReportMetric(q[90], "speedup-p90")
				b.ReportMetric(float64(t[0].Nanoseconds()), "best-one-ns")
				b.ReportMetric(float64(t[1].Nanoseconds()), "best-all-ns")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
