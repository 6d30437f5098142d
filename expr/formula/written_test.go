package formula_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/lists"
)

// TestWritten checks functions that are formulas themselves, and functions of positions.
func TestWritten(t *testing.T) {
	vars := map[string]any{"v": []float64{3, 1, 2}, "k": []int64{1, 1, 0}, "m": engine.MustFromSlice([]float64{1, 1, 1, 0}, 2, 2)}
	for text, want := range map[string][]float64{
		"hanning(4)":                               {0, .75, .75, 0},
		"hamming(3)":                               {.08, 1, .08},
		"blackman(3)":                              {0, 1, 0},
		"bartlett(5)":                              {0, .5, 1, .5, 0},
		"bartlett(1)":                              {1},
		"kaiser(1, 5)":                             {1},
		"kaiser(3, 0)":                             {1, 1, 1},
		"vander(v, 3)":                             {9, 3, 1, 1, 1, 1, 4, 2, 1},
		"vander(k, 2, increasing=True)":            {1, 1, 1, 1, 1, 0},
		"diagflat(v[:2], 1)":                       {0, 3, 0, 0, 0, 1, 0, 0, 0},
		"polyder(v)":                               {6, 1},
		"polyint([2, 1])":                          {1, 1, 0},
		"m[ix_([1, 0], [0])]":                      {1, 1},
		"m[diag_indices(2)]":                       {1, 0},
		"indices((2, 2))":                          {0, 0, 1, 1, 0, 1, 0, 1},
		"unravel_index([5, 0], (2, 3))":            {1, 0, 2, 0},
		"ravel_multi_index((k, 2), (2, 3))":        {5, 5, 2},
		"lexsort((v, k))":                          {2, 1, 0},
		"choose(k, [v, -v])":                       {-3, -1, 2},
		"np.linalg.matrix_power(m, 6)":             {13, 8, 8, 5},
		"var([1., 2, 4], ddof=0.5)":                {28. / 15},
		"nanvar(v, correction=1.5)":                {4. / 3},
		"matrix_power(m, 0)":                       {1, 0, 0, 1},
		"zeros_like(v, shape=(2, 1)) + v.itemsize": {8, 8},
	} {
		out, err := formula.MustCompile[float64](text).Eval(context.Background(), vars)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := numbers(t, out["_"])
		for i, x := range got {
			if len(want) != len(got) || math.Abs(x-want[i]) > 1e-15 {
				t.Errorf("%s is %v, not %v", text, got, want)
				break
			}
		}
	}
	for text, want := range map[string]string{
		"vander(m)":                                     "vander takes a vector",
		"polyder(v[0])":                                 "polyder takes a vector",
		"concatenate(zeros((257, 3)))":                  "takes a list of arrays, such as [a, b], or an array of 1 to 256 parts",
		"polyint(m)":                                    "polyint takes a vector",
		"sum(v*1j, dtype=uint8, initial=2.5)":           "complex128 cannot be converted to uint8",
		"unravel_index(6, (2, 3))":                      "index 6 is out of range for axis 0 of size 6",
		"ravel_multi_index((1, 3), (2, 3))":             "index 3 is out of range for axis 0 of size 3",
		"ravel_multi_index((1, 3), (2, 3, 4))":          "2 lists of positions do not fit 3 axes",
		"choose(k + 2, [1, 2])":                         "index 3 at [0 0] is out of range for axis 0 of size 2",
		"matrix_power(v, 2)":                            "matrix_power takes square matrices",
		"lexsort((v, m))":                               "keys of shapes [3] and [2 2] do not sort together",
		"unravel_index(3, (2**31-1, 2**31-1, 2**31-1))": "is no shape with elements",
		"unravel_index(3, (0, 2))":                      "is no shape with elements",
		"unravel_index([.5], (2, 3))":                   "indices are integers, not float64",
		"matrix_power(m, -1)":                           "there are no inverse matrices",
		"m[k, k + 1]":                                   "index 2 at [0] is out of range for axis 1 of size 2",
		"take_along_axis(m, [[2], [0]], 1)":             "index 2 at [0 0] is out of range for axis 1 of size 2",
	} {
		f, err := formula.Compile[float64](text)
		if err == nil {
			_, err = f.Eval(context.Background(), vars)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

// TestRandom compares random numbers with those of package op.
func TestRandom(t *testing.T) {
	key := op.Fold(expr.Const[uint64](7), 3)
	of32 := func(e expr.Exp[float32]) expr.Exp[float64] { return op.Cast[float64](e) }
	ofInt := func(e expr.Exp[int64]) expr.Exp[float64] { return op.Cast[float64](e) }
	for text, want := range map[string]expr.Exp[float64]{
		"random_uniform(k, (2, 3))":          op.Uniform[float64](key, 2, 3),
		"random_normal(k, 5)":                op.Normal[float64](key, 5),
		"random_exponential(k, ())":          op.Exponential[float64](key),
		"random_gamma(k, 2.5, 4)":            op.Gamma[float64](key, 2.5, 4),
		"float64(random_normal(k, 5, 'f4'))": of32(op.Normal[float32](key, 5)),
		"float64(random_integers(k, 9, 7))":  ofInt(op.Integers[int64](key, 9, 7)),
		"float64(random_poisson(k, 4, 7))":   ofInt(op.Poisson(key, 4, 7)),
		"float64(random_permutation(k, 7))":  ofInt(op.Permutation(key, 7)),
		"1.0*random_bernoulli(k, .3, 7)":     op.Cast[float64](op.Bernoulli(key, .3, 7)),
	} {
		out, err := formula.MustCompile[float64]("k = random_fold(key, 3); "+text).Eval(context.Background(), map[string]any{"key": 7})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if y, err := engine.Eval(want); err != nil || !slices.Equal(numbers(t, out["_"]), y.Values()) || !y.Shape().Equal(out["_"].Shape()) {
			t.Errorf("%s is %v, not %v %v", text, out["_"], y, err)
		}
	}
	for text, want := range map[string]string{
		"random_uniform(.5, 3)":       "a key is an integer, not float64",
		"random_uniform([1, 2], 3)":   "the key has shape [2] and is no scalar",
		"random_normal(1, 3, 'int8')": "random numbers of type int8 are not floats",
		"random_integers(1, -3, 2)":   "0 integers are no int64",
		"random_bernoulli(1, 2, 3)":   "2 is no probability",
		"np.random.normal(size=3)":    "random numbers are random_normal(key, shape)",
		"random_permutation(1, 2.5)":  "n must be an integer",
	} {
		if _, err := formula.Compile[float64](text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

// numbers returns the elements of an array of float64 or int64.
func numbers(t *testing.T, a *engine.Array) []float64 {
	if x, err := engine.TensorOf[float64](a); err == nil {
		return x.Values()
	}
	x, err := engine.TensorOf[int64](a)
	if err != nil {
		t.Fatal(err)
	}
	return lists.Map(x.Values(), func(v int64) float64 { return float64(v) })
}
