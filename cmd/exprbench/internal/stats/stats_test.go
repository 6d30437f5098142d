package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestQuantile(t *testing.T) {
	xs := []float64{4, 1, 3, 2}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {.25, 1.75}, {.5, 2.5}, {1, 4}} {
		if got := Quantile(xs, c.q); got != c.want {
			t.Errorf("Quantile(%v) = %v, want %v", c.q, got, c.want)
		}
	}
	if xs[0] != 4 {
		t.Error("the samples were reordered")
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
	if got := Median([]float64{7}); got != 7 {
		t.Errorf("the median of one sample is %v", got)
	}
	if got := Spread([]float64{1, 2, 3, 4, 5}); got != 2./3 {
		t.Errorf("spread %v", got)
	}
}

// The ranks are those of the tables of the sign test: Conover, Practical
// Nonparametric Statistics, table A3.
func TestMedianCIRanks(t *testing.T) {
	for _, c := range []struct{ n, lo, hi int }{{1, 1, 1}, {5, 1, 5}, {6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {15, 4, 12}, {20, 6, 15}, {30, 10, 21}} {
		xs := make([]float64, c.n)
		for i := range xs {
			xs[i] = float64(c.n - i)
		}
		if lo, hi := MedianCI(xs, .95); lo != float64(c.lo) || hi != float64(c.hi) {
			t.Errorf("n=%d: ranks %v..%v, want %d..%d", c.n, lo, hi, c.lo, c.hi)
		}
	}
}

func TestMedianCICoverage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const trials = 20000
	hit := 0
	for range trials {
		xs := make([]float64, 12)
		for i := range xs {
			xs[i] = rnd.ExpFloat64()
		}
		if lo, hi := MedianCI(xs, .95); lo <= math.Ln2 && math.Ln2 <= hi {
			hit++
		}
	}
	if p := float64(hit) / trials; p < .95 || p > .99 {
		t.Errorf("the interval covers the median in %v of the trials", p)
	}
}

func TestRatios(t *testing.T) {
	if got := Ratios([]float64{6, 8, 9}, []float64{2, 4}); len(got) != 2 || got[0] != 3 || got[1] != 2 {
		t.Error(got)
	}
}
