package acceptance

import (
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestSoftmax is case 13, for rows of three and for long rows that repeat the
// three values.
func TestSoftmax(t *testing.T) {
	testSoftmax[float64](t)
	testSoftmax[float32](t)
	testSoftmax[expr.Float16](t)
}

func testSoftmax[T expr.Float](t *testing.T) {
	t.Run("rows of 3", func(t *testing.T) {
		run(t, func(w *world[T]) program { return softmax(w, w.n, 3) }, lengths...)
	})
	t.Run("3 rows", func(t *testing.T) {
		run(t, func(w *world[T]) program { return softmax(w, 3, w.n) }, lengths...)
		million(t, func(w *world[T]) program { return softmax(w, 3, w.n) })
	})
}

func softmax[T expr.Float](w *world[T], rows, cols int) program {
	vals := make([]float64, rows*cols)
	for i := range vals {
		vals[i] = 1000 + float64(i%cols%3)
	}
	sum := float64((cols+2)/3) + float64((cols+1)/3)*math.E + float64(cols/3)*math.E*math.E
	x := w.in(vals, rows, cols)
	y, lse := w.out(rows, cols), w.out(rows)
	return program{
		stmts: []expr.Statement{expr.Let[T](y, op.Softmax[T](x, -1)), expr.Let[T](lse, op.LogSumExp[T](x, op.Axis(-1)))},
		check: func(t *testing.T) {
			tol := tolerance[T]()
			want := []float64{1 / sum, math.E / sum, math.E * math.E / sum}
			if cols == 3 && tol < 1e-8 { // the stated values have eight decimals
				for k, v := range []float64{.09003057, .24472847, .66524096} {
					near(t, "softmax", values(y)[k], v, 1e-7)
				}
				near(t, "log-sum-exp", values(lse)[0], 1002.4076059644444, tol)
			}
			for i, v := range values(y) {
				// Of a long row each value is below what float16 resolves.
				if cols <= 7 || tol < 1e-3 {
					near(t, "softmax", v, want[i%cols%3], tol)
				}
			}
			for _, v := range values(lse) {
				near(t, "log-sum-exp", v, 1000+math.Log(sum), tol)
			}
		},
	}
}

// TestAdam is case 15: one loop with three outputs.
func TestAdam(t *testing.T) {
	run(t, adam[float64], lengths...)
	run(t, adam[float32], lengths...)
	run(t, adam[expr.Float16], lengths...)
	million(t, adam[float32])
}

func adam[T expr.Float](w *world[T]) program {
	const lr, b1, b2, eps = .001, .9, .999, 1e-8
	fill := func(v float64) []float64 { return slices.Repeat([]float64{v}, w.n) }
	x, m, v := w.state(fill(1), w.dims()...), w.state(fill(0), w.dims()...), w.state(fill(0), w.dims()...)
	g := w.in(fill(.1), w.dims()...)
	// The correction of the bias of the first step, taken into the rate and eps.
	root := math.Sqrt(1 - b2)
	rate := lr * root / (1 - b1)
	return program{
		stmts: []expr.Statement{
			expr.Let[T](m, op.Add(op.Scale(b1, m), op.Scale(1-b1, g))),
			expr.Let[T](v, op.Add(op.Scale(b2, v), op.Mul(op.Scale(1-b2, g), g))),
			expr.LetSub(x, op.Div(op.Scale(rate, m), op.AddScalar(op.Sqrt(v), eps*root))),
		},
		loop: true,
		check: func(t *testing.T) {
			for _, v := range values(x) {
				near(t, "w", v, .9990000001, tolerance[T]())
			}
		},
	}
}

// TestReverseMode is the second half of case 16: the gradient of the Rosenbrock
// function, at many points at once, in one loop with the function.
func TestReverseMode(t *testing.T) {
	run(t, rosenbrock[float64], lengths...)
	run(t, rosenbrock[float32], lengths...)
	run(t, rosenbrock[expr.Float16], lengths...)
	million(t, rosenbrock[float32])
}

func rosenbrock[T expr.Float](w *world[T]) program {
	x := w.in(slices.Repeat([]float64{-1.2}, w.n), w.dims()...)
	y := w.in(slices.Repeat([]float64{1}, w.n), w.dims()...)
	a, b := op.Sub(num[T](1), x), op.Sub[T](y, op.Square[T](x))
	f := op.Add(op.Square(a), op.Scale(100, op.Square(b)))
	g, err := grad.Of(op.Sum(f), E[T](x), E[T](y))
	if err != nil {
		w.t.Fatal(err)
	}
	value, dx, dy := w.out(w.dims()...), w.out(w.dims()...), w.out(w.dims()...)
	return program{
		stmts: []expr.Statement{expr.Let[T](value, f), expr.Let[T](dx, g[0]), expr.Let[T](dy, g[1])},
		loop:  true,
		check: func(t *testing.T) {
			for k, want := range []float64{24.2, -215.6, -88} {
				for _, v := range values([]*engine.Tensor[T]{value, dx, dy}[k]) {
					near(t, []string{"value", "d/dx", "d/dy"}[k], v, want, tolerance[T]())
				}
			}
		},
	}
}

// TestConvolution is case 17: windows and a product against a sum of shifted
// images, and the adjoint of the windows.
func TestConvolution(t *testing.T) {
	for _, n := range []int{3, 7, 65} {
		run(t, convolution[float64], n)
		run(t, convolution[float32], n)
	}
	// Not float16: the sums, which are integers, are not all below 2048.
}

func convolution[T expr.Float](w *world[T]) program {
	const k = 3
	n := w.n
	out := n - k + 1
	ints := func(count, m int) []float64 { // integers: every order of summation is exact
		vals := make([]float64, count)
		for i := range vals {
			vals[i] = float64(i*m%23 - 11)
		}
		return vals
	}
	x, kernel, y := w.in(ints(n*n, 7), n, n), w.in(ints(k*k, 5), k, k), w.in(ints(out*out*k*k, 13), out, out, k, k)
	windows := op.Windows[T](x, op.Window{Size: k}, op.Window{Size: k})
	byProduct := op.Reshape(op.MatMul(op.Reshape(windows, out*out, k*k), op.Reshape[T](kernel, k*k)), out, out)
	var direct, back E[T]
	for i := range k {
		for j := range k {
			weight := op.Index(op.Index[T](kernel, 0, i), 0, j)
			term := op.Mul(weight, op.Slice[T](x, op.Range(i, i+out), op.Range(j, j+out)))
			// col2im: each element of a window goes back to its place.
			part := op.Pad(op.Index(op.Index[T](y, 2, i), 2, j), [][2]int{{i, k - 1 - i}, {j, k - 1 - j}}, from[T](0))
			if direct == nil {
				direct, back = term, part
			} else {
				direct, back = op.Add(direct, term), op.Add(back, part)
			}
		}
	}
	o1, o2 := w.out(out, out), w.out(out, out)
	left, right := w.out(), w.out()
	return program{
		stmts: []expr.Statement{
			expr.Let[T](o1, byProduct), expr.Let[T](o2, direct),
			expr.Let[T](left, op.Sum(op.Mul[T](windows, y))), expr.Let[T](right, op.Sum(op.Mul[T](x, back))),
		},
		check: func(t *testing.T) {
			if !slices.Equal(values(o1), values(o2)) {
				t.Error("windows and product differ from the direct convolution")
			}
			if a, b := values(left)[0], values(right)[0]; a != b {
				t.Errorf("<Ax,y> = %g and <x,A'y> = %g", a, b)
			}
		},
	}
}

// TestUpdate is case 25, bit by bit against the same operations in Go.
func TestUpdate(t *testing.T) {
	run(t, update[float64], 1, 7, 1000, 4097)
	run(t, update[float32], 1, 7, 1000, 4097)
	run(t, update[expr.Float16], 1, 7, 1000, 4097)
	million(t, update[float32])
}

// TestUpdateLarge is case 25 at its greatest length, fused only: arrays that no
// cache holds.
func TestUpdateLarge(t *testing.T) {
	if !testlevel.Deep() {
		t.Skip("takes 256 MB")
	}
	const n, eta, lambda = 32_000_000, .1, 1e-4
	w, g := make([]float32, n), make([]float32, n)
	for i := range w {
		w[i], g[i] = float32(i%1013)/1013, float32(i%997)/997
	}
	x, grad := engine.MustFromSlice(w), engine.MustFromSlice(g)
	once(t, 4, true, expr.LetAdd(x, op.Scale(-eta, op.Add(grad, op.Scale(lambda, x)))))
	for i, v := range w {
		old := float32(i%1013) / 1013
		if want := old + float32(-eta*(g[i]+float32(lambda*old))); v != want {
			t.Fatalf("element %d is %g, want %g", i, v, want)
		}
	}
}

func update[T expr.Float](w *world[T]) program {
	const eta, lambda = .1, 1e-4
	a, b := make([]float64, w.n), make([]float64, w.n)
	for i := range a {
		a[i], b[i] = to(from[T](float64(i%1013)/1013-.5)), to(from[T](float64(i%997)/997-.5))
	}
	x, g := w.state(a, w.dims()...), w.in(b, w.dims()...)
	return program{
		stmts: []expr.Statement{expr.LetAdd(x, op.Scale(-eta, op.Add(g, op.Scale(lambda, x))))},
		loop:  true,
		check: func(t *testing.T) {
			f := func(w, g float64) float64 { return w + float64(-eta*(g+float64(lambda*w))) }
			if tolerance[T]() > 1e-12 { // halves too are float32 inside; their scalars are halves
				e, l := float32(to(from[T](-eta))), float32(to(from[T](lambda)))
				f = func(w, g float64) float64 { return float64(float32(w) + float32(e*(float32(g)+float32(l*float32(w))))) }
			}
			for i, v := range values(x) {
				if want := to(from[T](f(a[i], b[i]))); v != want {
					t.Fatalf("element %d is %.17g, want %.17g", i, v, want)
				}
			}
		},
	}
}
