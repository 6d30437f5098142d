package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/tree"
)

// A placing is where a method of NumPy has the quantile q of n sorted elements, counted
// from 0 (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996): n*q rounded, plus
// add + q*slope - 1, or (n-1)*q rounded. It lies between two elements if it is not an integer.
type placing struct {
	fewer      bool // (n-1)*q
	add, slope float64
	round      string // an element-wise function; "middle": the mean of floor and ceil
}

// continuous returns the placing of a method with the constants alpha and beta.
func continuous(alpha, beta float64) placing { return placing{add: alpha, slope: 1 - alpha - beta} }

// chooses reports whether every quantile is an element.
func (p placing) chooses() bool { return p.round != "" && p.round != "middle" }

// placings are the methods of quantiles.
var placings = map[string]placing{
	"":                          {fewer: true},
	"linear":                    {fewer: true},
	"lower":                     {fewer: true, round: "floor"},
	"higher":                    {fewer: true, round: "ceil"},
	"nearest":                   {fewer: true, round: "rint"},
	"midpoint":                  {fewer: true, round: "middle"},
	"inverted_cdf":              {round: "ceil"},
	"closest_observation":       {round: "rint"}, // of two the one whose place from 1 is even
	"averaged_inverted_cdf":     {add: .5, round: "middle"},
	"interpolated_inverted_cdf": continuous(0, 1),
	"hazen":                     continuous(.5, .5),
	"weibull":                   continuous(0, 0),
	"median_unbiased":           continuous(1./3, 1./3),
	"normal_unbiased":           continuous(3./8, 3./8),
}

// placeOf returns the place of the quantile q among n elements. The functions compute with
// numbers, or with trees.
func placeOf[T any](p placing, q float64, n T, number func(float64) T, do func(name string, x ...T) T) T {
	last := do("sub", n, number(1))
	at := n
	if p.fewer {
		at = last
	}
	at = do("mul", at, number(q))
	switch p.round {
	case "":
	case "middle":
		at = do("mul", do("add", do("floor", at), do("ceil", at)), number(.5))
	default:
		at = do(p.round, at)
	}
	if add := p.add + float64(q*p.slope); add != 0 {
		at = do("add", at, number(add))
	}
	if !p.fewer {
		at = do("sub", at, number(1))
	}
	return do("minimum", do("maximum", at, number(0)), last)
}

// numeric has the functions of placeOf for numbers.
func numeric(name string, x ...float64) float64 {
	switch name {
	case "add":
		return x[0] + x[1]
	case "sub":
		return x[0] - x[1]
	case "mul":
		return x[0] * x[1]
	case "floor":
		return math.Floor(x[0])
	case "ceil":
		return math.Ceil(x[0])
	case "rint":
		return math.RoundToEven(x[0])
	case "minimum":
		return min(x[0], x[1])
	}
	return max(x[0], x[1])
}

// placing returns the method o.Text.
func (o Options) placing() (placing, *tree.Node) {
	p, ok := placings[o.Text]
	if !ok {
		return p, tree.Errorf(tree.ErrValue, "", "there is no method %q", o.Text)
	}
	return p, nil
}

// between returns the places of the two of n sorted elements between which the quantile q
// is, and its distance from the first one in parts of their distance. Methods without
// interpolation name one element.
func (p placing) between(n int, q float64) (low, high int, t float64) {
	at := placeOf(p, q, float64(n), func(v float64) float64 { return v }, numeric)
	low = int(at)
	return low, min(low+1, n-1), at - float64(low)
}
