package engine_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// integral returns the integral of f from 0 to x by the midpoint rule in the
// variable t^p, which takes away a pole of f at 0.
func integral(f func(t float64) float64, x, p float64) (sum float64) {
	const steps = 4000
	top := math.Pow(x, 1/p)
	h := top / steps
	for i := range steps {
		s := (float64(i) + .5) * h
		sum += f(math.Pow(s, p)) * p * math.Pow(s, p-1) * h
	}
	return sum
}

// TestContinuous compares uniform, exponential, gamma and beta numbers with their distributions, by the statistic of
// Kolmogorov and Smirnov, and by means and variances. All back ends have the same bits.
func TestContinuous(t *testing.T) {
	const n = 20000
	key := expr.Const[uint64](12)
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	gamma := func(a float64) func(x float64) float64 {
		return func(x float64) float64 { return math.Exp((a-1)*math.Log(x) - x - lg(a)) }
	}
	beta := func(a, b float64) func(x float64) float64 {
		return func(x float64) float64 {
			return math.Exp(lg(a+b) - lg(a) - lg(b) + (a-1)*math.Log(x) + (b-1)*math.Log1p(-x))
		}
	}
	for name, c := range map[string]struct {
		e              expr.Exp[float64]
		density        func(x float64) float64
		power          float64
		mean, variance float64
	}{
		"uniform":     {op.Uniform[float64](key, n), beta(1, 1), 1, .5, 1. / 12},
		"float32":     {op.Cast[float64](op.Uniform[float32](key, n)), beta(1, 1), 1, .5, 1. / 12},
		"exponential": {op.Exponential[float64](key, n), gamma(1), 1, 1, 1},
		"gamma .2":    {op.Gamma[float64](key, .2, n), gamma(.2), 10, .2, .2},
		"gamma 1":     {op.Gamma[float64](key, 1, n), gamma(1), 1, 1, 1},
		"gamma 2.5":   {op.Gamma[float64](key, 2.5, n), gamma(2.5), 1, 2.5, 2.5},
		"gamma 300":   {op.Gamma[float64](key, 300, n), gamma(300), 1, 300, 300},
		"beta 2 3":    {op.Beta[float64](key, 2, 3, n), beta(2, 3), 1, .4, .04},
		"beta .5 1":   {op.Beta[float64](key, .5, 1, n), beta(.5, 1), 4, 1. / 3, 4. / 45},
	} {
		var first []float64
		for _, backend := range engine.Backends() {
			y := engine.Zeros[float64](n)
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend}, expr.Let(y, c.e))
			if err == nil {
				err = p.Run(context.Background())
			}
			if err != nil {
				t.Fatalf("%s on %s: %v", name, backend, err)
			}
			if first == nil {
				first = y.Data()
			}
			if !slices.Equal(first, y.Data()) {
				t.Errorf("%s: %s differs from %s", name, backend, engine.Backends()[0])
			}
		}
		x := slices.Sorted(slices.Values(first))
		mean, variance := 0.0, 0.0
		for _, v := range x {
			mean += v / n
		}
		for _, v := range x {
			variance += (v - mean) * (v - mean) / n
		}
		if deviation := math.Sqrt(c.variance / n); math.Abs(mean-c.mean) > 5*deviation || math.Abs(variance/c.variance-1) > .15 {
			t.Errorf("%s: the mean is %v, the variance %v", name, mean, variance)
		}
		worst := 0.0
		for i := 500; i < n; i += 500 {
			worst = max(worst, math.Abs(integral(c.density, x[i], c.power)-float64(i)/n))
		}
		if worst*math.Sqrt(n) > 1.95 { // a probability of .001
			t.Errorf("%s: the distribution functions differ by %v", name, worst)
		}
	}
	half, err := engine.Eval(op.Gamma[float32](key, 3, 2, 2))
	if err != nil || half.At(1, 1) <= 0 {
		t.Errorf("float32: %v, %v", half, err)
	}
	for _, small := range []float64{1e-4, 1e-300} {
		tiny, err := engine.Eval(op.Beta[float64](key, small, small, 1000))
		if err != nil || slices.ContainsFunc(tiny.Data(), func(v float64) bool { return !(v >= 0 && v <= 1) }) {
			t.Errorf("beta of the parameters %v: %v", small, err)
		}
	}
	for name, e := range map[string]expr.Exp[float64]{
		"shape 0": op.Gamma[float64](key, 0), "nan": op.Gamma[float64](key, math.NaN()), "b": op.Beta[float64](key, 1, -1, 2), "tiny": op.Beta[float64](key, 1, 1e-308, 2), "dims": op.Gamma[float64](key, 1, -2),
	} {
		if e.Node().Err() == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
