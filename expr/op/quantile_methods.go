package op

import (
	"math"

	"github.com/oneloop/oneloop/expr/tree"
)

// plotting has the constants alpha and beta of the continuous methods of quantiles:
// the place of q is n*q + alpha + q*(1-alpha-beta), counted from 1 (Hyndman and Fan,
// Sample Quantiles in Statistical Packages, 1996).
var plotting = map[string][2]float64{
	"interpolated_inverted_cdf": {0, 1},
	"hazen":                     {.5, .5},
	"weibull":                   {0, 0},
	"median_unbiased":           {1. / 3, 1. / 3},
	"normal_unbiased":           {3. / 8, 3. / 8},
}

// quantilePlace returns the places of the two of n sorted elements between which
// the quantile q is, by the method o.Text, and its distance from the first one in
// parts of their distance. Methods without interpolation name one element.
func (o Options) quantilePlace(n int, q float64) (low, high int, t float64, bad *tree.Node) {
	size, last := float64(n), float64(n-1)
	at := q * last
	switch o.Text {
	case "", "linear":
	case "lower":
		at = math.Floor(at)
	case "higher":
		at = math.Ceil(at)
	case "nearest":
		at = math.RoundToEven(at)
	case "midpoint":
		at = (math.Floor(at) + math.Ceil(at)) / 2
	case "inverted_cdf":
		at = math.Ceil(float64(size*q) - 1)
	case "closest_observation": // the nearest element, of two the one whose place from 1 is even
		at = math.RoundToEven(size*q) - 1
	case "averaged_inverted_cdf":
		if at = float64(size*q) - 1; at == math.Floor(at) {
			at += .5
		} else {
			at = math.Ceil(at)
		}
	default:
		p, ok := plotting[o.Text]
		if !ok {
			return 0, 0, 0, tree.Errorf(tree.ErrValue, "", "there is no method %q", o.Text)
		}
		at = float64(size*q) + float64(p[0]+float64(q*(1-p[0]-p[1]))) - 1
	}
	at = min(max(at, 0), last)
	low = int(at)
	return low, min(low+1, n-1), at - float64(low), nil
}
