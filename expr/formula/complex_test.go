package formula_test

import (
	"context"
	"errors"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// The types and the first elements of complex formulas are those of NumPy 2.
func TestComplex(t *testing.T) {
	vars := func() map[string]any {
		return map[string]any{
			"f": engine.MustFromSlice([]float32{2, 3}), "d": engine.MustFromSlice([]float64{2, 3}), "i": engine.MustFromSlice([]int32{2, 3}),
			"b": engine.MustFromSlice([]int8{2, 3}), "c": []complex64{1 + 2i, 3}, "z": []complex128{1 + 2i, -3i},
		}
	}
	for _, c := range []struct {
		text string
		t    dtype.Type
		want complex128
	}{
		{"f + 2j", dtype.C64, 2 + 2i},
		{"d + 2j", dtype.C128, 2 + 2i},
		{"b * 1J", dtype.C128, 2i},
		{"i * (1+.5j)", dtype.C128, 2 + 1i},
		{"c * 2", dtype.C64, 2 + 4i},
		{"c * f", dtype.C64, 2 + 4i},
		{"c * b", dtype.C64, 2 + 4i},
		{"c * i", dtype.C128, 2 + 4i},
		{"c - d", dtype.C128, -1 + 2i},
		{"c / 2j", dtype.C64, 1 - .5i},
		{"-z", dtype.C128, -1 - 2i},
		{"abs(c)", dtype.F32, complex(float64(float32(cmplx.Abs(1+2i))), 0)},
		{"abs(3j + 4)", dtype.F64, 5},
		{"real(z) + imag(z)", dtype.F64, 3},
		{"imag(i)", dtype.I32, 0},
		{"np.conj(z) * z", dtype.C128, 5},
		{"conjugate(d)", dtype.F64, 2},
		{"real(d > 2.5)", dtype.Bool, 0},
		{"(d < 2.5).imag", dtype.Bool, 0},
		{"angle(d < 2.5)", dtype.F64, 0},
		{"angle(b)", dtype.F16, 0},
		{"var(d, dtype=complex64)", dtype.C64, .25},
		{"std(z, dtype=complex128) * 2", dtype.C128, complex(2*math.Sqrt(6.5), 0)},
		{"angle(z * 1j)", dtype.F64, complex(cmplx.Phase(-2+1i), 0)},
		{"z ** 2", dtype.C128, -3 + 4i},
		{"z ** 3", dtype.C128, -11 - 2i},
		{"z ** -1", dtype.C128, .2 - .4i},
		{"z ** 0", dtype.C128, 1},
		{"sum(z)", dtype.C128, 1 - 1i},
		{"z.mean()", dtype.C128, .5 - .5i},
		{"prod(z)", dtype.C128, 6 - 3i},
		{"z @ z", dtype.C128, -12 + 4i},
		{"z == 1+2j", dtype.Bool, 1},
		{"iscomplexobj(z)", dtype.Bool, 1},
		{"iscomplexobj(d)", dtype.Bool, 0},
		{"isrealobj(d)", dtype.Bool, 1},
		{"iscomplex(c)", dtype.Bool, 1},
		{"isreal(i)", dtype.Bool, 1},
		{"where(real(z) > 0, z, 0)", dtype.C128, 1 + 2i},
		{"d.astype(complex)", dtype.C128, 2},
		{"z.astype('complex64')", dtype.C64, 1 + 2i},
		{"full(2, 1j)", dtype.C128, 1i},
		{"exp(1j * pi * d)", dtype.C128, cmplx.Exp(complex(0, 2*3.141592653589793))},
		{"arcsin(c)", dtype.C64, cmplx.Asin(1 + 2i)},
		{"arccosh(z)", dtype.C128, cmplx.Acosh(1 + 2i)},
		{"log1p(z) + expm1(z)", dtype.C128, cmplx.Log(2+2i) + cmplx.Exp(1+2i) - 1},
		{"sign(3 + 4j)", dtype.C128, .6 + .8i},
		{"cumsum(z)[1]", dtype.C128, 1 - 1i},
		{"fft(z)[0]", dtype.C128, 1 - 1i},
		{"ifft(fft(c))", dtype.C64, 1 + 2i},
		{"fft(d, norm='forward')", dtype.C128, 2.5},
		{"rfft(b, n=4)", dtype.C128, 5},
		{"rfft(f)", dtype.C64, 5},
		{"irfft(rfft(d), n=2, axis=0)", dtype.F64, 2},
		{"fftfreq(4)[1] + rfftfreq(4, d=2)", dtype.F64, .25},
		{"z.real + z.imag", dtype.F64, 3},
		{"d.imag", dtype.F64, 0},
		{"vdot(z, z)", dtype.C128, 14},
		{"vdot(c, d)", dtype.C128, 11 - 4i},
		{"var(z)", dtype.F64, 6.5},
		{"var(c, axis=0)", dtype.F32, 2},
		{"isclose(z, z * (1 + 1e-7j))", dtype.Bool, 1},
		{"allclose(z, z + 1e-3j)", dtype.Bool, 0},
		{"reciprocal(z)", dtype.C128, .2 - .4i},
		{"rint(z * 1.3)", dtype.C128, 1 + 3i},
		{"np.diff(z)[0]", dtype.C128, -1 - 5i},
	} {
		v := vars()
		a, err := evaluated(c.text, v)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		bound := 4e-15
		if c.t == dtype.C64 {
			bound = cmplx.Abs(c.want) * 0x1p-23
		}
		got, err := engine.Eval(expr.Of[complex128](untyped.Cast(a.Node(), dtype.C128)))
		if err != nil || a.DType() != c.t || cmplx.Abs(got.Values()[0]-c.want) > bound {
			t.Errorf("%s: %v %v, %v, want %v %v", c.text, a.DType(), got, err, c.t, c.want)
		}
	}
	for _, text := range []string{"z < z", "maximum(z, 1j)", "max(z)", "sort(z)", "z // 2", "floor(z)", "~z", "z & 1"} {
		if a, err := evaluated(text, vars()); !errors.Is(err, expr.ErrType) {
			t.Errorf("%s: %v, %v", text, a, err)
		}
	}
	f, err := formula.Compile[float64]("z *= 1j\nz[0] = 2\nw = z")
	w := make([]complex128, 2)
	v := vars()
	v["w"] = w
	if err == nil {
		err = f.Run(context.Background(), v)
	}
	if err != nil || w[0] != 2 || w[1] != 3 {
		t.Errorf("%v: %v", err, w)
	}
}

// Complex scalars and parameters have new values in each run, and the types of Python's
// complex numbers.
func TestComplexScalars(t *testing.T) {
	ctx := context.Background()
	f, err := formula.Compile[float64]("y = k*x + k; w = k*x[0]; s = k + 1; n = 2*k")
	if err != nil {
		t.Fatal(err)
	}
	x := engine.MustFromSlice([]complex64{1, 1i})
	param := expr.NewParam(complex128(0))
	for _, k := range []complex128{3 + 4i, -4 + 3i, 5} {
		param.Set(k)
		for name, v := range map[string]any{"complex128": k, "complex64": complex64(k), "parameter": param, "struct": nil} {
			vars := any(map[string]any{"x": x, "k": v})
			if name == "struct" {
				vars = struct {
					X *engine.Tensor[complex64]
					K complex128
				}{x, k}
			}
			out, err := f.Eval(ctx, vars)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for name, want := range map[string][]complex128{"y": {2 * k, k*1i + k}, "w": {k}, "s": {k + 1}, "n": {2 * k}} {
				typ := dtype.C64
				if name == "s" || name == "n" {
					typ = dtype.C128
				}
				got, err := engine.Eval(expr.Of[complex128](untyped.Cast(out[name].Node(), dtype.C128)))
				if err != nil || out[name].DType() != typ || !slices.Equal(got.Values(), want) {
					t.Errorf("%s of %v: %v %v, %v, want %v %v", name, k, out[name].DType(), got, err, typ, want)
				}
			}
		}
	}
	if _, err := f.Eval(ctx, map[string]any{"x": x, "k": op.Mul(param, param)}); err == nil {
		t.Error("a tree is taken for a parameter")
	}
	for text, want := range map[string]error{"y = k < 2": expr.ErrType, "y = roll(x, k)": expr.ErrType} {
		f, err := formula.Compile[float64](text)
		if err == nil {
			_, err = f.Eval(ctx, map[string]any{"x": x, "k": 1i})
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func evaluated(text string, vars map[string]any) (*engine.Array, error) {
	f, err := formula.Compile[float64]("r = " + text)
	if err != nil {
		return nil, err
	}
	out, err := f.Eval(context.Background(), vars)
	return out["r"], err
}
