package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

func ExampleTensor_fourier() {
	x := engine.MustFromSlice([]float64{1, 2, 0, 2})
	y, err := engine.Eval(op.RFFT[complex128](x, 0))
	fmt.Println(y, err)
	back, err := engine.Eval(op.IRFFT[float64](y, 0))
	fmt.Println(back, err)
	// Output:
	// [5+0j 1+0j -3+0j] <nil>
	// [1 2 0 2] <nil>
}

// transformed returns the transform by its definition. sign is -1 for forward.
func transformed(x []complex128, sign float64) []complex128 {
	y := make([]complex128, len(x))
	for k := range y {
		for t, v := range x {
			y[k] += v * cmplx.Rect(1, sign*2*math.Pi*float64(k*t%len(x))/float64(len(x)))
		}
	}
	return y
}

// columns cuts or pads the columns of a 5 x 3 array to n rows.
func columns(x []complex128, n int) [][]complex128 {
	out := make([][]complex128, 3)
	for j := range out {
		out[j] = make([]complex128, n)
		for i := range min(n, 5) {
			out[j][i] = x[3*i+j]
		}
	}
	return out
}

// Transforms of columns are those of the definition, for lengths with and without
// small factors, cut and padded, under each norm, on each back end.
func TestFourier(t *testing.T) {
	x := complexes(15, 21)
	real := make([]float64, 15)
	for i, v := range x {
		real[i] = imag(v)
	}
	ctx := context.Background()
	for _, n := range []int{1, 2, 3, 5, 8, 12, 17} {
		for _, norm := range []string{"", "ortho", "forward"} {
			by := map[string]float64{"": 1, "ortho": 1 / math.Sqrt(float64(n)), "forward": 1 / float64(n)}[norm]
			z, r := engine.MustFromSlice(x, 5, 3), engine.MustFromSlice(real, 5, 3)
			opts := []op.FourierOption{op.FourierPoints(n), op.FourierNorm(norm)}
			forward, backward := engine.Zeros[complex128](n, 3), engine.Zeros[complex128](n, 3)
			half, whole := engine.Zeros[complex128](n/2+1, 3), engine.Zeros[float64](n, 3)
			p, err := engine.Compile(ctx, expr.Let(forward, op.FFT[complex128](z, 0, opts...)), expr.Let(backward, op.IFFT[complex128](forward, 0, opts...)),
				expr.Let(half, op.RFFT[complex128](r, -2, opts...)), expr.Let(whole, op.IRFFT[float64](half, 0, opts...)))
			for range 2 {
				if err == nil {
					err = p.Run(ctx)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			reals := make([]complex128, 15)
			for i, v := range real {
				reals[i] = complex(v, 0)
			}
			for j := range 3 {
				in := columns(x, n)[j]
				want, wantReal := transformed(in, -1), transformed(columns(reals, n)[j], -1)
				for k := range n {
					if d := forward.At(k, j) - complex(by, 0)*want[k]; cmplx.Abs(d) > 1e-13 {
						t.Errorf("fft of %d points, norm %q: %d is off by %v", n, norm, k, d)
					}
					if d := backward.At(k, j) - in[k]; cmplx.Abs(d) > 1e-13 {
						t.Errorf("ifft of %d points, norm %q: %d is off by %v", n, norm, k, d)
					}
					if d := whole.At(k, j) - columnsOf(real, n, j)[k]; math.Abs(d) > 1e-13 {
						t.Errorf("irfft of %d points, norm %q: %d is off by %v", n, norm, k, d)
					}
				}
				for k := range n/2 + 1 {
					if d := half.At(k, j) - complex(by, 0)*wantReal[k]; cmplx.Abs(d) > 1e-13 {
						t.Errorf("rfft of %d points, norm %q: %d is off by %v", n, norm, k, d)
					}
				}
			}
		}
	}
	if f, err := engine.Eval(op.FFTFreq[float64](5, .1)); err != nil || !slices.Equal(f.Data(), []float64{0, 2, 4, -4, -2}) {
		t.Errorf("fftfreq: %v, %v", f, err)
	}
	if f, err := engine.Eval(op.RFFTFreq[float64](6, .5)); err != nil || len(f.Data()) != 4 || f.At(3) != 1 {
		t.Errorf("rfftfreq: %v, %v", f, err)
	}
}

func columnsOf(x []float64, n, j int) []float64 {
	out := make([]float64, n)
	for i := range min(n, 5) {
		out[i] = x[3*i+j]
	}
	return out
}

// Transforms along several axes are those along each one, and inverses undo them.
func TestFourierAxes(t *testing.T) {
	z, r := engine.MustFromSlice(complexes(24, 24), 2, 3, 4), engine.Zeros[float64](2, 3, 4)
	if err := r.Assign(op.RealPart[float64](z)); err != nil {
		t.Fatal(err)
	}
	type pair struct{ got, want *tree.Node }
	for name, c := range map[string]pair{
		"fftn":         {op.FFTN(z, nil).Node(), op.FFT(op.FFT(op.FFT(z, 0), 1), 2).Node()},
		"ifftn":        {op.IFFTN(op.FFTN(z, []int{0, -1}), []int{0, 2}).Node(), z.Node()},
		"points":       {op.FFTN(z, nil, op.FourierPoints(5, -1)).Node(), op.FFT(op.FFT(z, 2), 1, op.FourierPoints(5)).Node()},
		"twice":        {op.FFTN(z, []int{1, 1}).Node(), op.FFT(op.FFT(z, 1), 1).Node()},
		"no axes":      {op.FFTN(z, []int{}).Node(), z.Node()},
		"rfftn":        {op.RFFTN[complex128](r, []int{2, 0}).Node(), op.FFT(op.RFFT[complex128](r, 0), 2).Node()},
		"irfftn":       {op.IRFFTN[float64](op.RFFTN[complex128](r, nil), nil, op.FourierPoints(2, 3, 4)).Node(), r.Node()},
		"irfftn odd":   {op.IRFFTN[float64](op.RFFTN[complex128](r, []int{2, 1}), []int{2, 1}, op.FourierPoints(-1, 3)).Node(), r.Node()},
		"hfft":         {op.HFFT[float64](z, 1, op.FourierPoints(5)).Node(), op.IRFFT[float64](op.Conj(z), 1, op.FourierPoints(5), op.FourierNorm("forward")).Node()},
		"ihfft":        {op.HFFT[float64](op.IHFFT[complex128](r, 2), 2).Node(), r.Node()},
		"ihfft, ortho": {op.HFFT[float64](op.IHFFT[complex128](r, 1, op.FourierNorm("ortho")), 1, op.FourierPoints(3), op.FourierNorm("ortho")).Node(), r.Node()},
		"shifts":       {op.IFFTShift(op.FFTShift(r)).Node(), r.Node()},
	} {
		if !c.got.Shape().Equal(c.want.Shape()) || c.got.DType() != c.want.DType() {
			t.Errorf("%s: %v%v, want %v%v: %v", name, c.got.DType(), c.got.Shape(), c.want.DType(), c.want.Shape(), c.got.Err())
			continue
		}
		d := untyped.Cast(c.got, dtype.C128)
		e := untyped.Cast(c.want, dtype.C128)
		if off := item(t, op.Max(op.Modulus[float64](op.Sub(expr.Of[complex128](d), expr.Of[complex128](e))))); !(off < 1e-13) {
			t.Errorf("%s is off by %v", name, off)
		}
	}
	shifted, err := engine.Eval(op.FFTShift(engine.MustFromSlice([]float64{0, 1, 2, -2, -1})))
	if err != nil || !slices.Equal(shifted.Data(), []float64{-2, -1, 0, 1, 2}) {
		t.Errorf("fftshift: %v, %v", shifted, err)
	}
}

// The gradients of transforms agree with differences, and by Parseval's theorem.
func TestFourierGradient(t *testing.T) {
	for _, n := range []int{5, 6} {
		z := engine.MustFromSlice(complexes(5, 22))
		w := engine.MustFromSlice(complexes(n, 23))
		r := engine.MustFromSlice([]float64{1, -2, 3, .5, 2, -1})
		for name, loss := range map[string]expr.Exp[float64]{
			"fft":  op.Sum(op.RealPart[float64](op.Mul(op.FFT[complex128](z, 0, op.FourierPoints(n)), w))),
			"ifft": op.Sum(op.Modulus[float64](op.IFFT[complex128](z, 0, op.FourierPoints(n)))),
		} {
			g, err := grad.OfNodes(loss.Node(), z.Node())
			if err != nil {
				t.Fatal(err)
			}
			got, err := engine.Eval(expr.Of[complex128](g[0]))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				slope := func(d complex128) float64 {
					v := z.At(i)
					z.Set(v+d, i)
					a := item(t, loss)
					z.Set(v-d, i)
					b := item(t, loss)
					z.Set(v, i)
					return (a - b) / 2e-5
				}
				if want := complex(slope(1e-5), slope(1e-5i)); cmplx.Abs(got.At(i)-want) > 1e-8 {
					t.Errorf("%s of %d points: the gradient by element %d is %v, by differences %v", name, n, i, got.At(i), want)
				}
			}
		}
		for name, loss := range map[string]expr.Exp[float64]{
			"rfftn": op.Sum(op.Modulus[float64](op.RFFTN[complex128](op.Reshape(r, 2, 3), nil, op.FourierPoints(3, n)))),
			"hfft":  op.Sum(op.Square(op.HFFT[float64](op.IHFFT[complex128](r, 0, op.FourierPoints(n)), 0))),
			"rfft":  op.Sum(op.Modulus[float64](op.RFFT[complex128](r, 0, op.FourierPoints(n)))),
			"irfft": op.Sum(op.Square(op.IRFFT[float64](op.Mul(op.RFFT[complex128](r, 0, op.FourierPoints(n)), expr.Const(2+1i)), 0, op.FourierPoints(n)))),
		} {
			g, err := grad.Of(loss, expr.Exp[float64](r))
			if err != nil {
				t.Fatal(err)
			}
			got, err := engine.Eval(g[0])
			if err != nil {
				t.Fatal(err)
			}
			for i := range 6 {
				v := r.At(i)
				r.Set(v+1e-5, i)
				a := item(t, loss)
				r.Set(v-1e-5, i)
				b := item(t, loss)
				r.Set(v, i)
				if want := (a - b) / 2e-5; math.Abs(got.At(i)-want) > 1e-7 {
					t.Errorf("%s of %d points: the gradient by element %d is %v, by differences %v", name, n, i, got.At(i), want)
				}
			}
		}
	}
}

func item(t *testing.T, e expr.Exp[float64]) float64 {
	t.Helper()
	v, err := engine.Item(e)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFourierErrors(t *testing.T) {
	z, r := engine.Zeros[complex128](4).Node(), engine.Zeros[float64](4).Node()
	for name, c := range map[string]struct {
		n    *tree.Node
		want error
	}{
		"axis":            {untyped.Fourier("fft", z, []int{1}, untyped.FourierOptions{}), expr.ErrShape},
		"no points":       {untyped.Fourier("fft", z, []int{0}, untyped.FourierOptions{Points: []int{0}}), expr.ErrShape},
		"negative points": {untyped.Fourier("rfft", r, []int{0}, untyped.FourierOptions{Points: []int{-3}}), expr.ErrShape},
		"norm":            {untyped.Fourier("ifft", z, []int{0}, untyped.FourierOptions{Norm: "x"}), expr.ErrValue},
		"complex to rfft": {untyped.Fourier("rfft", z, []int{0}, untyped.FourierOptions{}), expr.ErrType},
		"integers":        {untyped.Fourier("fft", engine.Zeros[int32](4).Node(), []int{0}, untyped.FourierOptions{}), expr.ErrType},
		"name":            {untyped.Fourier("dct", z, []int{0}, untyped.FourierOptions{}), expr.ErrValue},
		"empty":           {untyped.Fourier("fft", engine.Zeros[complex64](0).Node(), []int{0}, untyped.FourierOptions{}), expr.ErrShape},
		"two axes":        {untyped.Fourier("fft", engine.Zeros[complex64](2, 2).Node(), []int{0, 1}, untyped.FourierOptions{}), expr.ErrShape},
		"no axis":         {untyped.Fourier("ifft", z, nil, untyped.FourierOptions{Points: []int{}}), expr.ErrShape},
		"real, no axes":   {untyped.Fourier("irfftn", z, []int{}, untyped.FourierOptions{}), expr.ErrShape},
		"points of axes":  {untyped.Fourier("fftn", z, []int{0}, untyped.FourierOptions{Points: []int{2, 3}}), expr.ErrShape},
		"more points":     {untyped.Fourier("fftn", z, nil, untyped.FourierOptions{Points: []int{2, 3}}), expr.ErrShape},
		"-1 of one axis":  {untyped.Fourier("hfft", z, []int{0}, untyped.FourierOptions{Points: []int{-1}}), expr.ErrShape},
		"-2 of axes":      {untyped.Fourier("fftn", z, nil, untyped.FourierOptions{Points: []int{-2}}), expr.ErrShape},
		"norm of ihfft":   {untyped.Fourier("ihfft", r, []int{0}, untyped.FourierOptions{Norm: "x"}), expr.ErrValue},
		"many points":     {untyped.Fourier("irfftn", z, nil, untyped.FourierOptions{Points: []int{math.MaxInt}}), expr.ErrShape},
		"axis of fftn":    {untyped.Fourier("fftn", z, []int{0, math.MinInt}, untyped.FourierOptions{}), expr.ErrShape},
		"frequencies":     {op.FFTFreq[float64](0, 1).Node(), expr.ErrShape},
	} {
		if err := c.n.Err(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
