package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestProductSkipsNothing tests that a product of NaN or infinity with zero is
// NaN.
func TestProductSkipsNothing(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	zeros := engine.MustFromSlice([]float64{0, 1, 0, 2}, 2, 2)
	bad := engine.MustFromSlice([]float64{nan, inf, 1, 1}, 2, 2)
	y := engine.Zeros[float64](2, 2)
	for name, x := range map[string]expr.Exp[float64]{
		"left":  op.MatMul(zeros, bad),
		"right": op.MatMul(op.T(bad), op.T(zeros)),
	} {
		if err := y.Assign(x); err != nil {
			t.Fatal(err)
		}
		for i, v := range y.Data() {
			if !math.IsNaN(v) {
				t.Errorf("%s: element %d is %v, want NaN", name, i, v)
			}
		}
	}
}

// TestProductLayouts tests that a product has the same bits for a view and for a
// copy of it, on each back end and with any number of threads.
func TestProductLayouts(t *testing.T) {
	const n, k = 67, 300
	random := func(rows, cols int) *engine.Tensor[float32] {
		x := engine.Zeros[float32](rows, cols)
		for i := range x.Data() {
			x.Data()[i] = float32(math.Sin(float64(i * i)))
		}
		return x
	}
	a, b := random(n, k), random(n, k)
	c := engine.Zeros[float32](k, n)
	if err := c.Assign(op.T(b)); err != nil {
		t.Fatal(err)
	}
	wide := engine.Zeros[float32](2*n, 3*k)
	for i, x := range b.Data() { // row and column of b, and theirs in wide
		wide.Data()[i/k*2*3*k+3*k-1-i%k*3] = x
	}
	gaps := op.T(op.Slice(wide, op.By(op.Span{}, 2), op.By(op.Span{}, -3)))
	var want []float32
	for _, backend := range engine.Backends() {
		for threads := 1; threads <= 4; threads++ {
			for name, right := range map[string]expr.Exp[float32]{"view": op.T(b), "copy": c, "gaps": gaps} {
				y := engine.Zeros[float32](n, n)
				o := engine.Options{Backend: backend, Threads: threads}
				if err := engine.RunWith(context.Background(), o, expr.Let(y, op.MatMul(a, right))); err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = y.Data()
				}
				for i, v := range y.Data() {
					if v != want[i] {
						t.Fatalf("%s, %d threads, %s: element %d is %v, want %v", backend, threads, name, i, v, want[i])
					}
				}
			}
		}
	}
}

// TestProductHalves tests that a product of halves, which converts them as it packs,
// has the bits of a product of float32.
func TestProductHalves(t *testing.T) {
	const m, n, k = 130, 140, 300
	a, b := engine.Zeros[expr.Float16](m, k), engine.Zeros[expr.BFloat16](n, k)
	for i := range a.Data() {
		a.Data()[i] = dtype.F16From(float32(math.Sin(float64(i * i))))
	}
	for i := range b.Data() {
		b.Data()[i] = dtype.BF16From(float32(math.Cos(float64(i * i))))
	}
	wideA, wideB := engine.Zeros[float32](m, k), engine.Zeros[float32](n, k)
	want, y := engine.Zeros[expr.Float16](m, m), engine.Zeros[expr.Float16](m, m)
	other, z := engine.Zeros[expr.BFloat16](n, n), engine.Zeros[expr.BFloat16](n, n)
	ctx := context.Background()
	if err := engine.Run(ctx, expr.Let(wideA, op.Cast[float32](a)), expr.Let(wideB, op.Cast[float32](b)),
		expr.Let(want, op.Cast[expr.Float16](op.MatMul(wideA, op.T(wideA)))), expr.Let(other, op.Cast[expr.BFloat16](op.MatMul(wideB, op.T(wideB))))); err != nil {
		t.Fatal(err)
	}
	for _, backend := range engine.Backends() {
		o := engine.Options{Backend: backend, Threads: 2}
		if err := engine.RunWith(ctx, o, expr.Let(y, op.MatMul(a, op.T(a))), expr.Let(z, op.MatMul(b, op.T(b)))); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(y.Data(), want.Data()) || !slices.Equal(z.Data(), other.Data()) {
			t.Errorf("%s: the bits are not those of float32", backend)
		}
	}
}

// TestProductCancelled tests that a long product ends soon after its context is
// cancelled.
func TestProductCancelled(t *testing.T) {
	const n = 3000
	x, y := engine.Zeros[int64](n, n), engine.Zeros[int64](n, n)
	for _, backend := range engine.Backends() {
		t.Run(backend, func(t *testing.T) {
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend, Threads: 4}, expr.Let(y, op.MatMul(x, x)))
			if err != nil {
				t.Fatal(err)
			}
			best := time.Hour
			for try := 0; try < 10 && best > time.Second; try++ { // a busy machine may count too much time for a process
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				began := testlevel.CPUTime()
				err = p.Run(ctx)
				best = min(best, testlevel.CPUTime()-began)
				cancel()
				if err != context.DeadlineExceeded {
					t.Fatal(err)
				}
			}
			if best > time.Second {
				t.Errorf("the run ended after %v of processor time", best)
			}
		})
	}
}

// countingBLAS is a BLAS that counts the products it computes.
type countingBLAS struct {
	blas.Float64
	calls int
}

func (c *countingBLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, out []float64, ldc int) {
	c.calls++
	c.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, out, ldc)
}

// TestProductsByBLAS tests that a registered BLAS computes products if the options
// say so, and only then.
func TestProductsByBLAS(t *testing.T) {
	old := blas64.Implementation()
	defer blas64.Use(old)
	lib := &countingBLAS{Float64: old}
	blas64.Use(lib)
	x := engine.MustFromSlice([]float64{1, 2, 3, 4}, 2, 2)
	y := engine.Zeros[float64](2, 2)
	for _, c := range []struct {
		products string
		calls    int
	}{{"", 0}, {engine.ProductsByBLAS, 1}} {
		lib.calls = 0
		o := engine.Options{Products: c.products}
		if err := engine.RunWith(context.Background(), o, expr.Let(y, op.MatMul(x, op.T(x)))); err != nil {
			t.Fatal(err)
		}
		if want := []float64{5, 11, 11, 25}; lib.calls != c.calls || !slices.Equal(y.Data(), want) {
			t.Errorf("%q: %v by %d calls, want %v by %d", c.products, y.Data(), lib.calls, want, c.calls)
		}
	}
	err := engine.RunWith(context.Background(), engine.Options{Products: "mkl"}, expr.Let(y, op.MatMul(x, x)))
	if !errors.Is(err, expr.ErrUnsupported) {
		t.Errorf("an unknown way: error %v", err)
	}
}

func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{2, 8, 64, 256, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := engine.Zeros[float32](n, n), engine.Zeros[float32](n, n)
			p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1}, expr.Let(y, op.MatMul(x, x)))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
