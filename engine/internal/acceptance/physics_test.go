package acceptance

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// TestAllPairs is the second half of case 7: the energy of every pair of
// particles by broadcasting.
func TestAllPairs(t *testing.T) {
	for _, n := range []int{1, 7, 64} {
		run(t, allPairs[float64], n)
		run(t, allPairs[float32], n)
	}
	// Not float16: repulsive pairs are above 65504.
}

func allPairs[T expr.Float](w *world[T]) program {
	pos := make([]float64, 3*w.n)
	for i := range pos {
		// A crooked lattice, exact in float32.
		pos[i] = float64([]int{i / 3 % 4, i / 12 % 4, i / 48}[i%3]) + float64(i*37%101)/256
	}
	x := w.in(pos, w.n, 3)
	d := op.Sub(op.NewAxis(x, 1), op.NewAxis(x, 0))
	r2 := op.Sum(op.Square(d), op.Axis(-1))
	i := op.Arange[T](0, float64(w.n), 1)
	self := op.Equal(op.NewAxis(i, 1), i)
	pair := op.Where(self, num[T](0), lennardJones(r2))
	each, total := w.out(w.n, w.n), w.out()
	return program{
		stmts: []expr.Statement{expr.Let[T](each, pair), expr.Let[T](total, op.Scale(.5, op.Sum(pair)))},
		check: func(t *testing.T) {
			got, sum, all := values(each), 0., 0.
			for a := range w.n {
				for b := range w.n {
					r2 := 0.
					for k := range 3 {
						r2 += (pos[3*a+k] - pos[3*b+k]) * (pos[3*a+k] - pos[3*b+k])
					}
					want := 0.
					if a != b {
						s6 := 1 / (r2 * r2 * r2)
						want = 4 * (s6*s6 - s6)
						// Near its zero the energy is a difference of nearly equal terms.
						if diff := math.Abs(got[a*w.n+b] - want); diff > tolerance[T]()*4*(s6*s6+s6) {
							t.Fatalf("pair %d %d has energy %g, want %g", a, b, got[a*w.n+b], want)
						}
					}
					sum += want / 2
					all += math.Abs(want) / 2
				}
			}
			if v := values(total)[0]; math.Abs(v-sum) > tolerance[T]()*all {
				t.Errorf("the total is %.17g, want %.17g", v, sum)
			}
		},
	}
}

// TestHeat is case 9: explicit steps of the heat equation, each of which
// overwrites what it reads. Not float16: a step changes a value by less than
// its rounding.
func TestHeat(t *testing.T) {
	run(t, heat[float64])
	run(t, heat[float32])
}

func heat[T expr.Float](w *world[T]) program {
	const n = 64
	mode := make([]float64, (n+2)*(n+2))
	for i := 1; i <= n; i++ {
		for j := 1; j <= n; j++ {
			mode[i*(n+2)+j] = math.Sin(math.Pi*float64(i)/(n+1)) * math.Sin(math.Pi*float64(j)/(n+1))
		}
	}
	u := w.state(mode, n+2, n+2)
	part := func(di, dj int) E[T] { return u.Span(op.Range(1+di, n+1+di), op.Range(1+dj, n+1+dj)) }
	inner := u.Span(op.Range(1, -1), op.Range(1, -1))
	around := op.Add(op.Add(part(-1, 0), part(1, 0)), op.Add(part(0, -1), part(0, 1)))
	return program{
		stmts: []expr.Statement{expr.LetAdd[T](inner, op.Scale(.2, op.Sub(around, op.Scale(4, inner))))},
		times: 100,
		check: func(t *testing.T) {
			for i, v := range values(u) {
				// float32 is judged by the greatest value: rounding spreads from there.
				want, slack := .9107694212847302*mode[i], tolerance[T]()
				if dtype.Of[T]() == dtype.F64 {
					slack *= math.Abs(want)
				}
				if math.Abs(v-want) > slack {
					t.Fatalf("point %d is %.17g, want %.17g", i, v, want)
				}
			}
		},
	}
}

// TestKepler is case 10, by Newton's method.
func TestKepler(t *testing.T) {
	run(t, kepler[float64], lengths...)
	run(t, kepler[float32], lengths...)
	run(t, kepler[expr.Float16], lengths...)
	million(t, kepler[float32])
}

func kepler[T expr.Float](w *world[T]) program {
	ones, ecc := make([]float64, w.n), make([]float64, w.n)
	for i := range ones {
		if ones[i], ecc[i] = 1, .3; !known(i, w.n) {
			ecc[i] = .3 + float64(i%13)/64
		}
	}
	m, e, big := w.in(ones, w.dims()...), w.in(ecc, w.dims()...), w.state(ones, w.dims()...)
	off := op.Sub(op.Sub[T](big, op.Mul(e, op.Sin(big))), m)
	slope := op.Sub(num[T](1), op.Mul(e, op.Cos(big)))
	return program{
		stmts: []expr.Statement{expr.LetSub(big, op.Div(off, slope))},
		times: 6,
		loop:  true,
		check: func(t *testing.T) {
			for i, v := range values(big) {
				if known(i, w.n) {
					near(t, "E", v, 1.2880913132118377, tolerance[T]())
				}
			}
		},
	}
}

// TestMandelbrot is case 12, with a step of all points for each run and with
// all steps in one tree. In float64 only: which points on the edge escape
// depends on the precision.
func TestMandelbrot(t *testing.T) {
	run(t, mandelbrot[float64])
	run(t, mandelbrotUnrolled[float64])
}

// plane is the grid of constants of case 12: i along the first axis.
func plane[T expr.Float](w *world[T]) (re, im E[T]) {
	var x, y []float64
	for i := range 64 * 64 {
		x = append(x, -2+3*float64(i/64)/63)
		y = append(y, -1.5+3*float64(i%64)/63)
	}
	return w.in(x, 64, 64), w.in(y, 64, 64)
}

func mandelbrotStep[T expr.Float](re, im, cr, ci, count E[T]) (nre, nim, ncount E[T]) {
	rr, ii := op.Square(re), op.Square(im)
	in := op.LessEqual(op.Add(rr, ii), num[T](4))
	nre = op.Where(in, op.Add(op.Sub(rr, ii), cr), re)
	nim = op.Where(in, op.Add(op.Scale(2, op.Mul(re, im)), ci), im)
	return nre, nim, op.Add(count, op.Cast[T](in))
}

func checkCounts(t *testing.T, counts []float64) {
	t.Helper()
	total, inside := 0., 0
	for _, c := range counts {
		total += c
		if c == 50 {
			inside++
		}
	}
	if total != 48698 || inside != 686 {
		t.Errorf("%g iterations in all and %d points inside, want 48698 and 686", total, inside)
	}
}

func mandelbrot[T expr.Float](w *world[T]) program {
	cr, ci := plane(w)
	zero := make([]float64, 64*64)
	re, im, n, next := w.state(zero, 64, 64), w.state(zero, 64, 64), w.state(zero, 64, 64), w.out(64, 64)
	nre, nim, count := mandelbrotStep[T](re, im, cr, ci, n)
	return program{
		// The real part waits until the imaginary part has read the old one.
		stmts: []expr.Statement{expr.Let[T](n, count), expr.Let[T](next, nre), expr.Let[T](im, nim), expr.Let[T](re, next)},
		times: 50,
		loop:  w.layout != transposed, // its arrays do not all have one layout
		check: func(t *testing.T) { checkCounts(t, values(n)) },
	}
}

func mandelbrotUnrolled[T expr.Float](w *world[T]) program {
	cr, ci := plane(w)
	re, im, count := num[T](0), num[T](0), num[T](0)
	for range 50 {
		re, im, count = mandelbrotStep(re, im, cr, ci, count)
	}
	n := w.out(64, 64)
	return program{
		stmts: []expr.Statement{expr.Let[T](n, count)},
		check: func(t *testing.T) { checkCounts(t, values(n)) },
	}
}
