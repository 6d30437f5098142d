package acceptance

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestPixels is the cast of case 18: truncation and saturation.
func TestPixels(t *testing.T) {
	t.Run("float64", testPixels[float64])
	t.Run("float32", testPixels[float32])
	t.Run("float16", testPixels[expr.Float16])
}

func testPixels[T expr.Float](t *testing.T) {
	for _, l := range []layout{contiguous, strided, transposed} {
		for _, n := range lengths {
			in := []float64{117.65, 300, -1, 255, math.NaN(), math.Inf(1), .99}
			want := []uint8{117, 255, 0, 255, 0, 255, 0}
			vals, pixels := make([]float64, n), make([]uint8, n)
			for i := range vals {
				vals[i], pixels[i] = in[i%7], want[i%7]
			}
			w := &world[T]{t: t, layout: l}
			for _, threads := range []int{1, 2, 4} {
				y := engine.Zeros[uint8](n)
				once(t, threads, true, expr.Let(y, op.Cast[uint8](w.in(vals))))
				if !slices.Equal(y.Values(), pixels) {
					t.Errorf("%v/%d: %v..., want %v", l, n, y.Values()[:min(n, 7)], pixels[:min(n, 7)])
				}
			}
		}
	}
	w := &world[T]{t: t}
	y := engine.Zeros[uint8](1)
	once(t, 1, true, expr.Let(y, op.Cast[uint8](luma[T](w.in([]float64{200}), w.in([]float64{100}), w.in([]float64{50})))))
	if y.At(0) != 117 {
		t.Errorf("luma is %d as a pixel, want 117", y.At(0))
	}
}

// once compiles and runs a statement, which must be one loop if loop is set.
func once(t *testing.T, threads int, loop bool, s expr.Statement) {
	t.Helper()
	p, err := engine.CompileWith(t.Context(), engine.Options{Threads: threads}, s)
	if err != nil {
		t.Fatal(err)
	}
	if loop && !oneLoop(p.Plan()) {
		t.Errorf("the plan is not one loop:\n%s", p.Explain())
	}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestRounding is the floating-point part of case 23.
func TestRounding(t *testing.T) {
	run(t, halves, lengths...)
	run(t, lost[float64], lengths...)
	run(t, lost[float32], lengths...)
}

// halves stores float32 values as float16: too large, and a tie.
func halves(w *world[float32]) program {
	vals := make([]float64, w.n)
	for i := range vals {
		vals[i] = []float64{65520, 1 + 0x1p-11, 65519, 1 + 3*0x1p-11}[i%4]
	}
	x := w.in(vals, w.dims()...)
	y := engine.Zeros[expr.Float16](w.dims()...)
	w.outs = append(w.outs, y.Array())
	return program{
		stmts: []expr.Statement{expr.Let(y, op.Cast[expr.Float16](x))},
		loop:  true,
		check: func(t *testing.T) {
			for i, v := range values(y) {
				near(t, "float16", v, []float64{math.Inf(1), 1, 65504, 1 + 0x1p-9}[i%4], 0)
			}
		},
	}
}

// lost is (big+1)-big, which is 0 unless something is reassociated.
func lost[T expr.Float](w *world[T]) program {
	big := make([]float64, w.n)
	for i := range big {
		big[i] = 1e16
	}
	x, y := w.in(big, w.dims()...), w.out(w.dims()...)
	return program{
		stmts: []expr.Statement{expr.Let[T](y, op.Sub[T](op.AddScalar(x, 1), x))},
		loop:  true,
		check: func(t *testing.T) {
			for _, v := range values(y) {
				near(t, "(1e16+1)-1e16", v, 0, 0)
			}
		},
	}
}

// TestIntegers is the integer part of case 23.
func TestIntegers(t *testing.T) {
	for _, n := range lengths {
		for _, threads := range []int{1, 2, 4} {
			x := engine.MustFromSlice(slices.Repeat([]int32{math.MinInt32}, 2*n), n, 2)
			d := engine.MustFromSlice(slices.Repeat([]int32{-1}, n))
			y := engine.MustFromSlice(slices.Repeat([]int32{5}, n))
			column := op.Index[int32](x, 1, 1) // strided
			once(t, threads, false, expr.Let(y, op.Div[int32](column, d)))
			for _, v := range y.Values() {
				if v != math.MinInt32 {
					t.Fatalf("MinInt32 / -1 is %d", v)
				}
			}
			d.Data()[n-1] = 0
			before := y.Values()
			err := engine.Run(t.Context(), expr.Let(y, op.Div[int32](column, d)))
			if !errors.Is(err, expr.ErrDivide) {
				t.Errorf("division by zero gives the error %v", err)
			}
			if !slices.Equal(y.Values(), before) {
				t.Error("division by zero has changed the target")
			}
			// A quotient that is not selected is no fault.
			zero := op.Equal[int32](d, op.Full[int32](0))
			if err := engine.Run(t.Context(), expr.Let(y, op.Where(zero, op.Full[int32](7), op.Div[int32](column, d)))); err != nil || y.At(n-1) != 7 {
				t.Errorf("an unselected quotient: %v, %d", err, y.At(n-1))
			}
		}
	}
}

// TestOverlap is case 24: what is assigned is what the right side was before
// anything was stored.
func TestOverlap(t *testing.T) {
	for _, n := range []int{1, 7, 64} {
		run(t, overlap[float64], n)
		run(t, overlap[float32], n)
		run(t, overlap[expr.Float16], n)
	}
	if testlevel.Deep() {
		t.Run("float32/1000x1000", func(t *testing.T) { variant(t, contiguous, 1000, []int{4}, overlap[float32]) })
	}
	run(t, reversal[float64], lengths...)
	run(t, reversal[float32], lengths...)
	run(t, reversal[expr.Float16], lengths...)
	million(t, reversal[float64])
}

func overlap[T expr.Float](w *world[T]) program {
	n := w.n
	vals := make([]float64, n*n)
	for i := range vals {
		vals[i] = float64(i*31%127 - 60)
	}
	a, b := w.state(vals, n, n), w.state(vals, n, n)
	return program{
		stmts: []expr.Statement{
			expr.Let(a, op.Add(op.T[T](a), a)),
			expr.LetAdd[T](b.Slice(1, n), b.Slice(0, n-1)),
		},
		check: func(t *testing.T) {
			x, y := values(a), values(b)
			for i := range n {
				for j := range n {
					at := i*n + j
					near(t, "A.T + A", x[at], vals[j*n+i]+vals[at], 0)
					want := vals[at]
					if i > 0 {
						want += vals[at-n]
					}
					near(t, "A[1:] + A[:-1]", y[at], want, 0)
				}
			}
		},
	}
}

func reversal[T expr.Float](w *world[T]) program {
	vals := make([]float64, w.n)
	for i := range vals {
		vals[i] = float64(i*31%127 - 60)
	}
	x := w.state(vals)
	return program{
		stmts: []expr.Statement{expr.Let(x, op.Sub(op.Flip[T](x), op.Scale(2, x)))},
		check: func(t *testing.T) {
			for i, v := range values(x) {
				near(t, "x[::-1] - 2x", v, vals[w.n-1-i]-2*vals[i], 0)
			}
		},
	}
}
