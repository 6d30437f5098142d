package grad_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// A mapping is a function of two matrices of 3 x 4.
var mappings = map[string]func(x, y E) E{
	"elementwise":  func(x, y E) E { return op.Mul(op.Sin(x), op.Exp(y)) },
	"broadcast":    func(x, y E) E { return op.Add(x, op.Square(op.Sum(y, op.Axis(0)))) },
	"matmul":       func(x, y E) E { return op.MatMul(x, op.T(y)) },
	"softmax":      func(x, y E) E { return op.Mul(op.Softmax(x, -1), y) },
	"scalar":       func(x, y E) E { return op.Sum(op.Mul(op.Cube(x), y)) },
	"views":        func(x, y E) E { return op.Concat(0, op.Flip(x, 1), op.Roll(y, 1, 0)) },
	"one variable": func(x, _ E) E { return op.Tanh(x) },
	"variances":    func(x, y E) E { return op.Std(op.Mul(x, y), op.Axis(1)) },
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// TestProducts compares products of Jacobians with differences along a vector,
// and with each other.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range slices.Sorted(maps.Keys(mappings)) {
		f := mappings[name]
		x, y := array(r, -1, 1, 3, 4), array(r, -1, 1, 3, 4)
		vx, vy := array(r, -1, 1, 3, 4), array(r, -1, 1, 3, 4)
		e := f(x, y)
		jvp, err := grad.JVP(e, []E{x, y}, []E{vx, vy})
		if err != nil {
			t.Fatal(name, err)
		}
		got := eval(t, jvp.Node())[0]
		const h = 1e-4
		at := func(d float64) []float64 {
			step := func(a, v T) E { return op.Add(a, op.Scale(d, v)) }
			return eval(t, f(step(x, vx), step(y, vy)).Node())[0]
		}
		more, less := at(h), at(-h)
		for i := range got {
			if want := (more[i] - less[i]) / (2 * h); !(math.Abs(got[i]-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s: element %d of JVP is %v, by differences %v", name, i, got[i], want)
			}
		}
		w := array(r, -1, 1, e.Node().Shape()...)
		vjp, err := grad.VJP(e, w, x, y)
		if err != nil {
			t.Fatal(name, err)
		}
		back := eval(t, vjp[0].Node(), vjp[1].Node())
		one, two := dot(w.Values(), got), dot(back[0], vx.Values())+dot(back[1], vy.Values())
		if !(math.Abs(one-two) <= 1e-12*(1+math.Abs(one))) {
			t.Errorf("%s: w*(J*v) is %v and (w*J)*v is %v", name, one, two)
		}
	}
}

// TestHessianProducts compares products of Hessians with differences of the
// gradient. They are of the fourth order: near a standard deviation of 0 the
// higher derivatives are so large that those of the second order lose 5 digits.
func TestHessianProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range slices.Sorted(maps.Keys(mappings)) {
		f := mappings[name]
		x, y := array(r, .5, 1, 3, 4), array(r, .5, 1, 3, 4)
		vx, vy := array(r, -1, 1, 3, 4), array(r, -1, 1, 3, 4)
		loss := func(x, y E) *tree.Node { return weighted(t, f(x, y).Node()) }
		h, err := grad.HVP(expr.Of[float64](loss(x, y)), []E{x, y}, []E{vx, vy})
		if err != nil {
			t.Fatal(name, err)
		}
		got := eval(t, h[0].Node(), h[1].Node())
		const d = 1e-4
		at := func(d float64) [][]float64 {
			moved := []T{engine.Zeros[float64](3, 4), engine.Zeros[float64](3, 4)}
			for k, a := range []T{x, y} {
				if err := moved[k].Assign(op.Add(a, op.Scale(d, []T{vx, vy}[k]))); err != nil {
					t.Fatal(err)
				}
			}
			return eval(t, gradients(t, loss(moved[0], moved[1]), nodes(moved)...)...)
		}
		more, less, more2, less2 := at(d), at(-d), at(2*d), at(-2*d)
		for k := range got {
			for i := range got[k] {
				want := (8*(more[k][i]-less[k][i]) - (more2[k][i] - less2[k][i])) / (12 * d)
				if !(math.Abs(got[k][i]-want) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("%s: element %d of HVP %d is %v, by differences %v", name, i, k, got[k][i], want)
				}
			}
		}
	}
}

// TestHVPTakesConstants tests that the vector may be the variable itself.
func TestHVPTakesConstants(t *testing.T) {
	x := vec(1, 2)
	h, err := grad.HVP(op.Sum(op.Cube(x)), []E{x}, []E{x})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "6*x*x", eval(t, h[0].Node())[0], 6, 24)
}

func TestValueAnd(t *testing.T) {
	x, y := vec(1, 2, 3), vec(4, 5, 6)
	v, g, err := grad.ValueAnd(context.Background(), op.Sum(op.Mul(x, op.Square(y))), E(x), y)
	if err != nil || v != 174 {
		t.Fatal(v, err)
	}
	same(t, "by x", g[0].Values(), 16, 25, 36)
	same(t, "by y", g[1].Values(), 8, 20, 36)
}

func TestProductErrors(t *testing.T) {
	x, long := vec(1, 2, 3), vec(1, 2, 3, 4)
	s := op.Sum(op.Square(x))
	var none context.Context
	for name, c := range map[string]struct {
		f    func() error
		kind error
	}{
		"VJP of another shape": {func() error { _, err := grad.VJP[float64](op.Exp(x), long, x); return err }, expr.ErrShape},
		"VJP without a vector": {func() error { _, err := grad.VJP[float64](op.Exp(x), nil, x); return err }, expr.ErrType},
		"JVP of another shape": {func() error { _, err := grad.JVP(op.Exp(x), []E{x}, []E{long}); return err }, expr.ErrShape},
		"JVP of nothing":       {func() error { _, err := grad.JVP(op.Exp(x), nil, nil); return err }, expr.ErrValue},
		"JVP of too few":       {func() error { _, err := grad.JVP(op.Exp(x), []E{x}, nil); return err }, expr.ErrValue},
		"HVP of no scalar":     {func() error { _, err := grad.HVP(op.Exp(x), []E{x}, []E{x}); return err }, expr.ErrShape},
		"HVP of another shape": {func() error { _, err := grad.HVP(s, []E{x}, []E{long}); return err }, expr.ErrShape},
		"HVP by a nil vector":  {func() error { _, err := grad.HVP(s, []E{x}, []E{nil}); return err }, expr.ErrType},
		"ValueAnd no scalar":   {func() error { _, _, err := grad.ValueAnd(context.Background(), op.Exp(x), E(x)); return err }, expr.ErrShape},
		"ValueAnd without ctx": {func() error { _, _, err := grad.ValueAnd(none, s, E(x)); return err }, expr.ErrValue},
	} {
		if err := c.f(); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v is not %v", name, err, c.kind)
		}
	}
}

// TestSecondDerivativeAtZero checks the second derivative of i1, whose first one has a quotient by x.
func TestSecondDerivativeAtZero(t *testing.T) {
	x, v := engine.MustFromSlice([]float64{0, 5e-324, 1e-310, .5}), engine.MustFromSlice([]float64{1, 1, 1, 1})
	h, err := grad.HVP(op.Sum(op.BesselI1[float64](x)), []E{x}, []E{v})
	if err != nil {
		t.Fatal(err)
	}
	y, err := engine.Eval(h[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range y.Data() {
		a := x.Data()[i]
		if want := 3 * a / 8; math.Abs(got-want) > .05*want { // the first term of the series
			t.Errorf("i1''(%v) is %v, about %v expected", a, got, want)
		}
	}
}

// TestDerivativesAtInfinity checks derivatives of i0 and i1 where the functions are infinite, as
// their derivatives are too.
func TestDerivativesAtInfinity(t *testing.T) {
	inf := math.Inf(1)
	t.Run("float64", func(t *testing.T) { derivativesAtInfinity(t, []float64{713, 714, 1e300, inf, -714, -inf}) })
	t.Run("float32", func(t *testing.T) {
		derivativesAtInfinity(t, []float32{91, 92, 1e38, float32(inf), -92, float32(-inf)})
	})
}

func derivativesAtInfinity[T float32 | float64](t *testing.T, at []T) {
	x, one := engine.MustFromSlice(at), engine.Ones[T](len(at))
	for name, f := range map[string]func(expr.Exp[T]) expr.Exp[T]{"i0": op.BesselI0[T], "i1": op.BesselI1[T]} {
		e := f(x)
		for order := 1; order <= 4; order++ {
			j, err := grad.JVP(e, []expr.Exp[T]{x}, []expr.Exp[T]{one})
			if err != nil {
				t.Fatal(err)
			}
			d, err := grad.VJP(e, expr.Exp[T](one), expr.Exp[T](x))
			if err != nil {
				t.Fatal(err)
			}
			e = d[0]
			for _, e := range []expr.Exp[T]{j, e} {
				y, err := engine.Eval(e)
				if err != nil {
					t.Fatal(err)
				}
				for i, got := range y.Data() {
					want := T(math.Inf(1))
					if odd := (order%2 == 1) != (name == "i1"); odd && at[i] < 0 {
						want = -want
					}
					if i == 0 && (got == want || !(got > 1e37)) || i > 0 && got != want {
						t.Errorf("derivative %d of %s at %v is %v", order, name, at[i], got)
					}
				}
			}
		}
	}
}
