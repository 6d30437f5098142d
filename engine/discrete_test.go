package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestDiscrete compares counts of discrete distributions with their probabilities by
// the chi-squared statistic. Values that are expected less than 10 times are one class.
func TestDiscrete(t *testing.T) {
	const n = 20000
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	key := expr.Const[uint64](11)
	poisson := func(mean float64) func(k float64) float64 {
		return func(k float64) float64 { return math.Exp(k*math.Log(mean) - mean - lg(k+1)) }
	}
	binomial := func(n, p float64) func(k float64) float64 {
		return func(k float64) float64 {
			return math.Exp(lg(n+1) - lg(k+1) - lg(n-k+1) + k*math.Log(p) + (n-k)*math.Log1p(-p))
		}
	}
	negative := func(r, p float64) func(k float64) float64 {
		return func(k float64) float64 {
			return math.Exp(lg(k+r) - lg(k+1) - lg(r) + r*math.Log(p) + k*math.Log1p(-p))
		}
	}
	for name, c := range map[string]struct {
		e           expr.Exp[int64]
		probability func(k float64) float64
		mean        float64
	}{
		"poisson .3":     {op.Poisson(key, .3, n), poisson(.3), .3},
		"poisson 7":      {op.Poisson(key, 7, n), poisson(7), 7},
		"poisson 4000":   {op.Poisson(key, 4000, n), poisson(4000), 4000},
		"binomial 10":    {op.Binomial(key, 10, .25, n), binomial(10, .25), 2.5},
		"binomial 50000": {op.Binomial(key, 50000, .9, n), binomial(50000, .9), 45000},
		"negative 2.5":   {op.NegativeBinomial(key, 2.5, .2, n), negative(2.5, .2), 10},
		"negative 1":     {op.NegativeBinomial(key, 1, .01, n), negative(1, .01), 99},
		"integers":       {op.Integers[int64](key, 700, n), func(float64) float64 { return 1. / 700 }, 349.5},
		"small integers": {op.Cast[int64](op.Integers[uint8](key, 200, n)), func(float64) float64 { return 1. / 200 }, 99.5},
		"bernoulli":      {op.Cast[int64](op.Bernoulli(key, .3, n)), binomial(1, .3), .3},
	} {
		x, err := engine.Eval(c.e)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		counts := map[int64]float64{}
		sum := 0.0
		for _, k := range x.Data() {
			counts[k]++
			sum += float64(k)
		}
		if math.Abs(sum/n-c.mean) > .05*c.mean+.02 {
			t.Errorf("%s: the mean is %v", name, sum/n)
		}
		chi, classes, seen, expected := 0.0, 0, 0.0, 0.0
		begin, end := slices.Min(x.Data()), slices.Max(x.Data())
		for k := begin; k <= end; k++ {
			if e := n * c.probability(float64(k)); e >= 10 {
				chi += (counts[k] - e) * (counts[k] - e) / e
				classes++
				seen, expected = seen+counts[k], expected+e
			}
		}
		if rest := n - expected; rest > 5 {
			chi += (n - seen - rest) * (n - seen - rest) / rest
		}
		if d := float64(classes); chi > d+4.5*math.Sqrt(2*d)+6 {
			t.Errorf("%s: chi squared is %v of %d classes", name, chi, classes)
		}
	}
	for name, e := range map[string]expr.Exp[int64]{"poisson 0": op.Poisson(key, 0, 9), "binomial 0": op.Binomial(key, 7, 0, 9), "negative 1": op.NegativeBinomial(key, 3, 1, 9)} {
		if x, err := engine.Eval(e); err != nil || slices.Max(x.Data()) != 0 {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	if x, err := engine.Eval(op.Binomial(key, 7, 1, 9)); err != nil || slices.Min(x.Data()) != 7 {
		t.Errorf("certain trials: %v, %v", x, err)
	}
}

// TestPermutation tests that a permutation has each number once, that all orders of
// three occur equally often, and that a choice without replacement repeats nothing.
func TestPermutation(t *testing.T) {
	orders := map[[3]int64]int{}
	for i := range uint64(240) {
		p, err := engine.Eval(op.Permutation(op.Fold(expr.Const[uint64](5), i), 3))
		if err != nil {
			t.Fatal(err)
		}
		orders[[3]int64(p.Data())]++
	}
	for order, n := range orders {
		if len(orders) != 6 || n < 18 || n > 68 {
			t.Errorf("%v occurs %d times of 240", order, n)
		}
	}
	x := engine.MustFromSlice([]int32{5, 6, 7, 8})
	for _, again := range []bool{false, true} {
		y, err := engine.Eval(op.Choice(expr.Const[uint64](2), x, 4, again))
		if err != nil || !again && !slices.Equal(slices.Sorted(slices.Values(y.Data())), x.Data()) {
			t.Errorf("with replacement %v: %v, %v", again, y, err)
		}
	}
	key, all := expr.Const[uint64](3), engine.Arange[int64](0, 1000, 1)
	p, err := engine.Eval(op.Permutation(key, 1000))
	for _, count := range []int{0, 1, 2, 249, 250, 251, 1000} { // few ones are selected, not sorted
		y, err2 := engine.Eval(op.Choice(key, all, count, false))
		if err != nil || err2 != nil || !slices.Equal(y.Data(), p.Data()[:count]) {
			t.Errorf("%d of 1000 are %v, and of a permutation %v: %v, %v", count, y, p.Data()[:count], err, err2)
		}
	}
}
