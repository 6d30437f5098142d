package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestAnscombe is the first part of case 20: Pearson's correlation.
func TestAnscombe(t *testing.T) {
	run(t, anscombe[float64])
	run(t, anscombe[float32])
	run(t, anscombe[expr.Float16])
}

func anscombe[T expr.Float](w *world[T]) program {
	x := w.in([]float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5})
	y := w.in([]float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68})
	dx, dy := op.Sub[T](x, op.Mean[T](x)), op.Sub[T](y, op.Mean[T](y))
	r := w.out()
	spread := op.Sqrt(op.Mul(op.Sum(op.Square(dx)), op.Sum(op.Square(dy))))
	return program{
		stmts: []expr.Statement{expr.Let[T](r, op.Div(op.Sum(op.Mul(dx, dy)), spread))},
		check: func(t *testing.T) { near(t, "r", values(r)[0], .81642051634484, tolerance[T]()) },
	}
}

// TestNumAcc4 is from the NIST StRD collection: 1001 values. Not float32: it
// does not hold their decimals.
func TestNumAcc4(t *testing.T) { run(t, numAcc4[float64]) }

func numAcc4[T expr.Float](w *world[T]) program {
	vals := []float64{10000000.2}
	for range 500 {
		vals = append(vals, 10000000.1, 10000000.3)
	}
	x, mean, sd := w.in(vals), w.out(), w.out()
	return program{
		stmts: []expr.Statement{expr.Let[T](mean, op.Mean[T](x)), expr.Let[T](sd, op.Std[T](x, op.DDof(1)))},
		check: func(t *testing.T) {
			near(t, "mean", values(mean)[0], 10000000.2, 1e-15)
			// The nearest float64 to 10000000.1 is off by 4e-10: the deviations
			// are known to 1e-8 of their size, whatever the algorithm.
			near(t, "sd", values(sd)[0], .1, 1e-8)
		},
	}
}

// norris is the data of the NIST StRD linear regression of that name: y, x.
var norris = [][2]float64{
	{.1, .2},
	{338.8, 337.4},
	{118.1, 118.2},
	{888.0, 884.6},
	{9.2, 10.1},
	{228.1, 226.5},
	{668.5, 666.3},
	{998.5, 996.3},
	{449.1, 448.6},
	{778.9, 777.0},
	{559.2, 558.2},
	{.3, .4},
	{.1, .6},
	{778.1, 775.5},
	{668.8, 666.9},
	{339.3, 338.0},
	{448.9, 447.5},
	{10.8, 11.6},
	{557.7, 556.0},
	{228.3, 228.1},
	{998.0, 995.8},
	{888.8, 887.6},
	{119.6, 120.2},
	{.3, .3},
	{.6, .3},
	{557.6, 556.8},
	{339.3, 339.1},
	{888.0, 887.2},
	{998.5, 999.0},
	{778.9, 779.0},
	{10.2, 11.1},
	{117.6, 118.3},
	{228.9, 229.2},
	{668.4, 669.1},
	{449.2, 448.9},
	{.2, .5},
}

// TestNorris is the rest of case 20.
func TestNorris(t *testing.T) {
	run(t, regression[float64])
	run(t, regression[float32])
}

func regression[T expr.Float](w *world[T]) program {
	var xs, ys []float64
	for _, p := range norris {
		xs, ys = append(xs, p[1]), append(ys, p[0])
	}
	x, y := w.in(xs), w.in(ys)
	mx, my := op.Mean[T](x), op.Mean[T](y)
	dx := op.Sub[T](x, mx)
	slope := op.Div(op.Sum(op.Mul(dx, op.Sub[T](y, my))), op.Sum(op.Square(dx)))
	b0, b1 := w.out(), w.out()
	return program{
		stmts: []expr.Statement{expr.Let[T](b1, slope), expr.Let[T](b0, op.Sub(my, op.Mul[T](b1, mx)))},
		check: func(t *testing.T) {
			near(t, "slope", values(b1)[0], 1.00211681802045, tolerance[T]())
			tol := tolerance[T]()
			if dtype.Of[T]() == dtype.F32 {
				tol = 1e-3 // a difference of means of about 430
			}
			near(t, "intercept", values(b0)[0], -.262323073774029, tol)
		},
	}
}

// TestVariance is case 21, alone and as the rows and columns of a matrix. In
// float64 only: float32 does not hold the values.
func TestVariance(t *testing.T) {
	run(t, variance[float64], 1, 7, 4097)
	million(t, variance[float64])
}

func variance[T expr.Float](w *world[T]) program {
	vals := make([]float64, 0, 4*w.n)
	for range w.n {
		vals = append(vals, 1e9+4, 1e9+7, 1e9+13, 1e9+16)
	}
	x, rows, cols, all := w.in(vals, w.n, 4), w.out(w.n), w.out(4), w.out()
	return program{
		stmts: []expr.Statement{
			expr.Let[T](rows, op.Var[T](x, op.Axis(1), op.DDof(1))),
			expr.Let[T](cols, op.Var[T](x, op.Axis(0))),
			expr.Let[T](all, op.Var[T](x)),
		},
		check: func(t *testing.T) {
			for _, v := range values(rows) {
				near(t, "variance of a row", v, 30, 0)
			}
			for _, v := range values(cols) {
				near(t, "variance of equal values", v, 0, 0)
			}
			if near(t, "variance of all", values(all)[0], 22.5, 1e-12); w.n&(w.n-1) == 0 {
				near(t, "variance of all", values(all)[0], 22.5, 0)
			}
		},
	}
}

// TestSum is case 22.
func TestSum(t *testing.T) {
	n := 1_000_000
	if !testlevel.Deep() {
		n = 70_001
	}
	var plain, wide []float32
	for _, l := range []layout{contiguous, strided, transposed} {
		for _, threads := range []int{1, 2, 3, 4, 7, 8, 16, 33, 64} {
			if !testlevel.Deep() && threads > 4 {
				continue
			}
			w := &world[float32]{t: t, layout: l}
			x, y := w.in(slices.Repeat([]float64{.1}, n)), w.out(2)
			p, err := engine.CompileWith(t.Context(), engine.Options{Threads: threads},
				expr.Let(y.Slice(0, 1), op.Sum[float32](x)), expr.Let(y.Slice(1, 2), op.Sum[float32](x, op.AccumFloat64())))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			plain, wide = append(plain, y.At(0)), append(wide, y.At(1))
			what := fmt.Sprintf("%v, %d threads", l, threads)
			if plain[0] != plain[len(plain)-1] || wide[0] != wide[len(wide)-1] {
				t.Errorf("%s: other bits: %v %v", what, plain, wide)
			}
		}
	}
	near(t, "the sum", float64(plain[0]), float64(n)/10, 1e-6)
	near(t, "the sum in float64", float64(wide[0]), float64(float32(n)/10), 0)
	if n == 1_000_000 && wide[0] != 100000 {
		t.Errorf("the sum in float64 is %v, not 100000", wide[0])
	}
}

// TestSumNaive compares the sums with those of one operator at a time.
func TestSumNaive(t *testing.T) {
	run(t, sums[float64], lengths...)
	run(t, sums[float32], lengths...)
	run(t, sums[expr.Float16], lengths...)
}

func sums[T expr.Float](w *world[T]) program {
	vals := make([]float64, w.n)
	for i := range vals {
		vals[i] = .1
	}
	x, a, b := w.in(vals), w.out(), w.out()
	return program{
		stmts: []expr.Statement{expr.Let[T](a, op.Sum[T](x)), expr.Let[T](b, op.Sum[T](x, op.AccumFloat64()))},
		check: func(t *testing.T) {
			want := float64(w.n) * to(from[T](.1))
			tol := map[dtype.Type]float64{dtype.F64: 1e-13, dtype.F32: 1e-6, dtype.F16: math.Ldexp(1, -11)}[dtype.Of[T]()]
			near(t, "the sum", values(a)[0], want, tol)
			near(t, "the sum in float64", values(b)[0], want, tol)
		},
	}
}
