// Package stats summarises samples of measurements.
package stats

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
)

// Quantile is the value below which the fraction q of the samples lies, with
// linear interpolation; NaN without samples.
func Quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(xs))
	at := q * float64(len(s)-1)
	i := min(int(at), len(s)-1)
	j := min(i+1, len(s)-1)
	return s[i] + (at-float64(i))*(s[j]-s[i])
}

// Median is the middle sample.
func Median(xs []float64) float64 { return Quantile(xs, .5) }

// Spread is the interquartile range divided by the median.
func Spread(xs []float64) float64 { return (Quantile(xs, .75) - Quantile(xs, .25)) / Median(xs) }

// Ratios divides samples taken in the same rounds.
func Ratios(over, under []float64) []float64 {
	return lists.Make(min(len(over), len(under)), func(i int) float64 { return over[i] / under[i] })
}

// MedianCI is a confidence interval of the median, from order statistics: it
// holds at the level at least, whatever the distribution. With too few samples
// for the level it is the whole range.
func MedianCI(xs []float64, level float64) (lo, hi float64) {
	n := len(xs)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	s := slices.Sorted(slices.Values(xs))
	// Leaving out k samples at each end misses the median with probability
	// 2 P(Binomial(n, 1/2) <= k-1).
	k, tail, p := 0, 0., math.Pow(.5, float64(n))
	for ; k < (n-1)/2; k++ {
		tail += p
		if 2*tail > 1-level {
			break
		}
		p *= float64(n-k) / float64(k+1)
	}
	// The loop stopped at the first k for which k+1 would be too many.
	k = max(k-1, 0)
	return s[k], s[n-1-k]
}
