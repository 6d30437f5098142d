package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

// TestActivations tests values and derivatives: where a formula overflows, at infinities, NaN, and
// on both sides of 0. Those of other functions are there for their derivatives. PyTorch has these results, but for silu at -Inf, where it has NaN.
func TestActivations(t *testing.T) {
	type E = expr.Exp[float64]
	e := math.E
	for name, c := range map[string]struct {
		f                 func(x E) E
		x, value, derived []float64
	}{
		"softplus": {
			op.Softplus[float64],
			[]float64{-inf, -800, -40, 0, 1, 1e3, inf, nan},
			[]float64{0, 0, math.Exp(-40), math.Ln2, math.Log1p(e), 1e3, inf, nan},
			[]float64{0, 0, math.Exp(-40), .5, e / (1 + e), 1, 1, nan},
		},
		"silu": {
			op.SiLU[float64],
			[]float64{-inf, -1e5, -1, zero, 0, 1, 1e300, inf, nan},
			[]float64{zero, zero, -1 / (1 + e), zero, 0, e / (1 + e), 1e300, inf, nan},
			[]float64{0, 0, 1/(1+e) - e/(1+e)/(1+e), .5, .5, e/(1+e) + e/(1+e)/(1+e), 1, 1, nan},
		},
		"elu": {
			func(x E) E { return op.ELU(x, 2) },
			[]float64{-inf, -1, zero, 0, 2, 1e300, inf, nan},
			[]float64{-2, 2 * math.Expm1(-1), zero, 0, 2, 1e300, inf, nan},
			[]float64{0, 2 / e, 2, 2, 1, 1, 1, nan},
		},
		"leaky_relu": {
			func(x E) E { return op.LeakyReLU(x, .25) },
			[]float64{-inf, -4, zero, 0, 2, inf, nan},
			[]float64{-inf, -1, zero, 0, 2, inf, nan},
			[]float64{.25, .25, .25, .25, 1, 1, .25},
		},
		"log_softmax": {
			func(x E) E { return op.LogSoftmax(x, 0) },
			[]float64{-inf, 1000, 1000},
			[]float64{-inf, -math.Ln2, -math.Ln2},
			[]float64{1, -.5, -.5},
		},
		"log_softmax of +Inf": {
			func(x E) E { return op.LogSoftmax(x, -1) }, []float64{inf, 1, -inf}, []float64{nan, -inf, -inf}, nil,
		},
		"gelu": {
			op.Gelu[float64],
			[]float64{-inf, -1e200, zero, 0, 1e200, inf, nan},
			[]float64{zero, zero, zero, 0, 1e200, inf, nan},
			[]float64{0, 0, .5, .5, 1, 1, nan},
		},
		"gelu_tanh": {
			op.GeluTanh[float64],
			[]float64{-1e200, zero, 0, 1e200, inf, nan},
			[]float64{zero, zero, 0, 1e200, inf, nan},
			[]float64{0, .5, .5, 1, 1, nan},
		},
		"erfinv": {op.ErfInv[float64], []float64{-1, 0, 1, nan}, []float64{-inf, 0, inf, nan}, []float64{inf, math.Sqrt(math.Pi) / 2, inf, nan}},
		"ndtr": {
			op.NormalCDF[float64], []float64{-inf, 0, inf, nan}, []float64{0, .5, 1, nan}, []float64{0, 1 / math.Sqrt(2*math.Pi), 0, nan},
		},
		"ndtri": {op.NormalQuantile[float64], []float64{0, .5, 1, nan}, []float64{-inf, 0, inf, nan}, []float64{inf, math.Sqrt(2 * math.Pi), inf, nan}},
		"gammaln": {
			op.LogGamma[float64],
			[]float64{-inf, -1, zero, 0, 1, 2, inf, nan},
			[]float64{inf, inf, inf, inf, 0, 0, inf, nan},
			[]float64{nan, nan, inf, -inf, -0.5772156649015329, 0.42278433509846714, inf, nan},
		},
		"gamma": {
			op.GammaFunction[float64], []float64{-inf, -1, zero, 0, 1, 5, 172, inf, nan}, []float64{nan, nan, -inf, inf, 1, 24, inf, inf, nan}, nil,
		},
		"digamma": {op.Digamma[float64], []float64{-inf, -2, zero, 0, inf, nan}, []float64{nan, nan, inf, -inf, inf, nan}, []float64{nan, inf, inf, inf, 0, nan}},
		"i0":      {op.BesselI0[float64], []float64{0, inf, -inf, nan, -714}, []float64{1, inf, inf, nan, inf}, []float64{0, inf, -inf, nan, -inf}},
		"i1": {
			op.BesselI1[float64],
			[]float64{zero, 5e-324, inf, -inf, nan, -715, 714},
			[]float64{zero, 0, inf, -inf, nan, -inf, inf},
			[]float64{.5, .5, inf, inf, nan, inf, inf},
		},
		"trigamma": {op.Trigamma[float64], []float64{-2, 0, inf, nan}, []float64{inf, inf, 0, nan}, nil},
		"hypot": {
			func(x E) E { return op.Hypot(x, vector(0, 4, 0, 1, 1)) },
			[]float64{0, 3, -2, -inf, inf},
			[]float64{0, 5, 2, inf, inf},
			[]float64{0, .6, -1, -1, 1},
		},
		"logaddexp of infinities": {
			func(x E) E { return op.LogAddExp(x, vector(1, 1, inf, 1)) },
			[]float64{-inf, inf, inf, 1e300},
			[]float64{1, inf, inf, 1e300},
			[]float64{0, 1, .5, 1},
		},
		"logaddexp of equal numbers": {
			func(x E) E { return op.LogAddExp(x, vector(3, -inf)) }, []float64{3, -inf}, []float64{3 + math.Ln2, -inf}, []float64{.5, .5},
		},
	} {
		x := E(engine.MustFromSlice(c.x))
		got, _ := eval(t, c.f(x))
		equalish(t, name, c.x, got, c.value)
		if c.derived == nil {
			continue
		}
		y := c.f(x)
		loss := op.Sum(y)
		if name == "log_softmax" { // one row of its Jacobian
			loss = op.Sum(op.Slice(y, op.Until(1)))
		}
		g, err := grad.Of(loss, x)
		if err != nil {
			t.Fatal(err)
		}
		got, _ = eval(t, g[0])
		equalish(t, name+"'", c.x, got, c.derived)
	}
}

// TestLogAddExp2OfEqual tests that the sum of two equal powers of 2 is exact.
func TestLogAddExp2OfEqual(t *testing.T) {
	wide, narrow := vector(-inf, -3, 0, .25, 1000, inf), engineOf[float32](-100, 3, 1e6)
	got, _ := eval(t, op.LogAddExp2(wide, wide))
	if want := []float64{-inf, -2, 1, 1.25, 1001, inf}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got32, _ := eval(t, op.LogAddExp2[float32](narrow, narrow))
	if want := []float32{-99, 4, 1e6 + 1}; !slices.Equal(got32, want) {
		t.Errorf("%v, want %v", got32, want)
	}
	halves := engineOf(dtype.F16From(-3), dtype.F16From(0))
	got16, _ := eval(t, op.Cast[float32](op.Cast[expr.Float16](op.LogAddExp2(halves, halves))))
	if want := []float32{-2, 1}; !slices.Equal(got16, want) {
		t.Errorf("halves: %v, want %v", got16, want)
	}
}

// TestLogAddExp2Far tests a small power beside a large one: log2(1 + p) is p/ln(2).
func TestLogAddExp2Far(t *testing.T) {
	got, _ := eval(t, op.LogAddExp2(vector(0, -745.2), vector(-745.2, 0)))
	for i, v := range got {
		if want := 6.7861236733211e-225; math.Abs(v/want-1) > 2e-15 {
			t.Errorf("%d: %v, want %v", i, v, want)
		}
	}
}

// TestDegreesOfHalves tests that angles of halves are rounded once: their factor is no half.
func TestDegreesOfHalves(t *testing.T) {
	for x := float32(1); x < 100; x++ {
		v := engineOf(dtype.F16From(x))
		degrees, _ := eval(t, op.Rad2Deg(v))
		radians, _ := eval(t, op.Deg2Rad(v))
		for _, c := range [][2]float32{
			{degrees[0].Float32(), x * float32(180/math.Pi)}, {radians[0].Float32(), x * float32(math.Pi/180)},
		} {
			if want := dtype.F16From(c[1]).Float32(); c[0] != want {
				t.Errorf("of %v: %v, want %v", x, c[0], want)
			}
		}
	}
}

// equalish requires values within 4 units of the last place of 1 or of the expected value, the
// sign of zero, and NaN for NaN.
func equalish(t *testing.T, name string, x, got, want []float64) {
	t.Helper()
	for i := range want {
		g, w := got[i], want[i]
		same := g == w && math.Signbit(g) == math.Signbit(w) || math.IsNaN(g) && math.IsNaN(w)
		if !same && !(math.Abs(g-w) <= 0x1p-50*math.Abs(w)) {
			t.Errorf("%s(%v) is %v, want %v", name, x[i], g, w)
		}
	}
}

// TestFloatsOfHalves compares functions of the digits of halves that a tree computes with those of halves in arrays.
func TestFloatsOfHalves(t *testing.T) {
	a, b := engineOf[dtype.Float16](dtype.F16From(1), dtype.F16From(2)), engineOf[dtype.Float16](dtype.F16From(0x1p-12), dtype.F16From(-0x1p-12))
	sum := op.Add[dtype.Float16](a, b)
	stored, err := engine.Eval(sum)
	if err != nil {
		t.Fatal(err)
	}
	zero := engineOf[dtype.Float16](dtype.F16From(0), dtype.F16From(0))
	for name, f := range map[string]func(x expr.Exp[dtype.Float16]) expr.Exp[dtype.Float16]{
		"spacing":   op.Spacing[dtype.Float16],
		"nextafter": func(x expr.Exp[dtype.Float16]) expr.Exp[dtype.Float16] { return op.NextAfter[dtype.Float16](x, zero) },
		"mantissa":  func(x expr.Exp[dtype.Float16]) expr.Exp[dtype.Float16] { m, _ := op.Frexp(x); return m },
		"exponent": func(x expr.Exp[dtype.Float16]) expr.Exp[dtype.Float16] {
			_, e := op.Frexp(x)
			return op.Cast[dtype.Float16](e)
		},
	} {
		got, _ := eval(t, f(sum))
		want, _ := eval(t, f(stored))
		if !slices.Equal(got, want) {
			t.Errorf("%s of a sum of halves is %v, of the stored sum %v", name, got, want)
		}
	}
}
