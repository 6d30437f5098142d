package acceptance

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestParity is the second half of case 2: call - put = s - k*exp(-r*t), for
// all rows.
func TestParity(t *testing.T) {
	run(t, parity[float64], lengths...)
	million(t, parity[float64])
}

func parity[T expr.Float](w *world[T]) program {
	axis := func(lo, hi float64, m int) E[T] {
		vals := make([]float64, w.n)
		for i := range vals {
			vals[i] = lo + (hi-lo)*float64(i*m%1009)/1008
		}
		return w.in(vals, w.dims()...)
	}
	s, k, years := axis(20, 80, 1), axis(30, 70, 17), axis(.1, 3, 101)
	r, sigma := axis(0, .1, 3), axis(.1, .6, 7)
	o := blackScholes(s, k, years, r, sigma)
	forward := op.Sub(s, op.Mul(k, op.Exp(op.Neg(op.Mul(r, years)))))
	worst := w.out()
	return program{
		stmts: []expr.Statement{expr.Let[T](worst, op.Max(op.Abs(op.Sub(op.Sub(o[0], o[1]), forward))))},
		loop:  true,
		check: func(t *testing.T) {
			if v := values(worst)[0]; !(v <= 80e-12) {
				t.Errorf("parity fails by %g", v)
			}
		},
	}
}

// TestImpliedVolatility is case 3: Newton's method, in which rows that have
// converged stay as they are.
func TestImpliedVolatility(t *testing.T) {
	run(t, impliedVolatility[float64], lengths...)
	run(t, impliedVolatility[float32], lengths...)
	run(t, impliedVolatility[expr.Float16], lengths...)
}

func impliedVolatility[T expr.Float](w *world[T]) program {
	start := make([]float64, w.n)
	for i := range start {
		start[i] = .1 + .05*float64(i%10)
	}
	sigma := w.state(start, w.dims()...)
	o := blackScholes[T](num[T](100), num[T](100), num[T](1), num[T](.05), sigma)
	miss := op.Sub(o[0], num[T](10.450583572185565))
	moving := op.Less(num[T](1e-12), op.Abs(miss))
	return program{
		stmts: []expr.Statement{expr.Let[T](sigma, op.Where(moving, op.Sub[T](sigma, op.Div(miss, o[3])), sigma))},
		times: 8,
		loop:  true,
		check: func(t *testing.T) {
			for _, v := range values(sigma) {
				near(t, "sigma", v, .2, tolerance[T]())
			}
		},
	}
}
