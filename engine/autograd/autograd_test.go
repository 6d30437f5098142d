package autograd_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

type E = expr.Exp[float64]

func variable(x ...float64) *autograd.Variable[float64] {
	return autograd.New(engine.MustFromSlice(x))
}

func record(t testing.TB, loss E, vars ...*autograd.Variable[float64]) *autograd.Graph[float64] {
	t.Helper()
	g, err := autograd.Record(loss, vars...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func backward(t testing.TB, g *autograd.Graph[float64]) {
	t.Helper()
	if err := g.Backward(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, what string, got *engine.Tensor[float64], want ...float64) {
	t.Helper()
	if !slices.Equal(got.Values(), want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestBackward(t *testing.T) {
	x, w, b := engine.MustFromSlice([]float64{1, 2, 3}), variable(1, -1, 2), autograd.New(engine.MustFromSlice([]float64{.5}, 1))
	// sum((w*x + b)^2): d/dw = 2*(w*x+b)*x, d/db = sum(2*(w*x+b)).
	loss := op.Sum(op.Square(op.Add(op.Mul(w, x), b)))
	if w.Grad() != nil {
		t.Error("a new variable has a gradient")
	}
	g := record(t, loss, w, b)
	backward(t, g)
	want(t, "loss", g.Loss(), 1.5*1.5+1.5*1.5+6.5*6.5)
	want(t, "dw", w.Grad(), 3, -6, 39)
	want(t, "db", b.Grad(), 13)
	backward(t, g) // gradients add up
	want(t, "twice dw", w.Grad(), 6, -12, 78)
	if err := errors.Join(w.ZeroGrad(), variable(1).ZeroGrad()); err != nil {
		t.Error(err)
	}
	want(t, "after ZeroGrad", w.Grad(), 0, 0, 0)
	w.Value().Data()[0] = 3 // the next run reads the new value
	backward(t, g)
	want(t, "dw of the new value", w.Grad(), 7, -6, 39)
}

func TestGraph(t *testing.T) {
	w := variable(1, 2)
	c := engine.MustFromSlice([]float64{3, 4})
	p := op.Mul(w, c)
	loss := op.Sum(op.Add(p, op.Exp(p)))
	g := record(t, loss, w)
	if g.Operator(p).Name() != "mul" || g.Operator(w) != nil {
		t.Errorf("operators %v, %v", g.Operator(p), g.Operator(w))
	}
	if ps := g.Parents(p); len(ps) != 2 || ps[0] != w.Node() || ps[1] != c.Node() {
		t.Errorf("parents %v", ps)
	}
	if cs := g.Children(p); len(cs) != 2 || cs[0].Op.Name() != "exp" || cs[1].Op.Name() != "add" {
		t.Errorf("children %v", cs)
	}
	if len(g.Children(loss)) != 0 {
		t.Errorf("the loss has children %v", g.Children(loss))
	}
	if !g.RequiresGrad(p) || !g.RequiresGrad(w) || g.RequiresGrad(c) {
		t.Error("RequiresGrad is wrong")
	}
}

func TestNoGrad(t *testing.T) {
	w, v := variable(2), variable(3)
	var fixed E
	autograd.NoGrad(func() {
		if w.RequiresGrad() {
			t.Error("w requires a gradient inside NoGrad")
		}
		fixed = op.Mul(w, v) // built without gradients
	}, w)
	if !w.RequiresGrad() {
		t.Error("w requires no gradient after NoGrad")
	}
	g := record(t, op.Sum(op.Add(fixed, op.Mul(w.Detach(), op.Square(w)))), w, v)
	backward(t, g)
	want(t, "dw", w.Grad(), 8) // of w^2 alone, times the detached 2
	want(t, "dv", v.Grad(), 2)

	v.SetRequiresGrad(false)
	g = record(t, op.Sum(op.Mul(w, v)), w, v)
	if g.Gradient(v) != nil || g.Gradient(w) == nil {
		t.Error("a frozen variable has a gradient")
	}
	w.SetRequiresGrad(false)
	if _, err := autograd.Record(op.Sum(op.Mul(w, v)), w, v); !errors.Is(err, expr.ErrValue) {
		t.Errorf("no variable requires a gradient: %v", err)
	}
}

func TestHooks(t *testing.T) {
	w := variable(1, 2)
	removed := w.Hook(func(g E) E { return op.AddScalar(g, 100) })
	w.Hook(func(g E) E { return op.Scale(10, g) })
	var seen E
	w.Hook(func(g E) E { seen = g; return g })
	removed()
	g := record(t, op.Sum(op.Square(w)), w)
	backward(t, g)
	want(t, "dw", w.Grad(), 20, 40)
	if seen == nil || seen.Node() != g.Gradient(w).Node() {
		t.Error("the last hook has not seen the gradient")
	}
	w.Hook(nil)()
	w.Hook(func(E) E { return nil })
	if _, err := autograd.Record(op.Sum(op.Square(w)), w); !errors.Is(err, expr.ErrType) {
		t.Errorf("a hook that returns nil: %v", err)
	}
}

// TestSecond differentiates the square of the norm of a gradient.
func TestSecond(t *testing.T) {
	w := variable(1, 2)
	g := record(t, op.Sum(op.Mul(op.Square(w), w)), w)       // w^3
	second := record(t, op.Sum(op.Square(g.Gradient(w))), w) // (3w^2)^2 = 9w^4, derivative 36w^3
	backward(t, second)
	want(t, "d2w", w.Grad(), 36, 288)
}

// TestStep compiles the loss, the gradients and the update into one program, and
// checks that a run allocates nothing.
func TestStep(t *testing.T) {
	ctx := context.Background()
	w := variable(4)
	g := record(t, op.Sum(op.Square(w)), w)
	step, err := engine.Compile(ctx, append(g.Statements(expr.Set), expr.LetSub(w.Value(), op.Scale(.25, w.Grad())))...)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := step.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "w", w.Value(), 1)
	want(t, "loss", g.Loss(), 4)
	for what, f := range map[string]func() error{
		"a step":   func() error { return step.Run(ctx) },
		"Backward": func() error { return g.Backward(ctx) },
	} {
		if n := testlevel.Allocs(10, func() {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s allocates %v times", what, n)
		}
	}
}

func TestErrors(t *testing.T) {
	w := variable(1, 2)
	for name, c := range map[string]struct {
		loss E
		vars []*autograd.Variable[float64]
		kind error
	}{
		"no scalar":    {op.Square(w), []*autograd.Variable[float64]{w}, expr.ErrShape},
		"no variable":  {op.Sum(op.Square(w)), nil, expr.ErrValue},
		"nil variable": {op.Sum(op.Square(w)), []*autograd.Variable[float64]{nil}, expr.ErrType},
		"nil loss":     {nil, []*autograd.Variable[float64]{w}, expr.ErrType},
		"nil tensor":   {op.Sum(op.Square(w)), []*autograd.Variable[float64]{autograd.New[float64](nil)}, expr.ErrType},
	} {
		if _, err := autograd.Record(c.loss, c.vars...); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	var v *autograd.Variable[float64]
	if err := v.Node().Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("a nil variable in a tree: %v", err)
	}
}

func TestCheck(t *testing.T) {
	w := autograd.New(engine.MustFromSlice([]float64{.5, -1, 2, 3}, 2, 2))
	loss := op.Sum(op.Tanh(op.MatMul(w, op.T[float64](w))))
	if err := autograd.Check(loss, 1e-6, w); err != nil {
		t.Error(err)
	}
	want(t, "values after Check", w.Value(), .5, -1, 2, 3)
	if w.Grad() != nil {
		t.Error("Check has left a gradient")
	}
	single := autograd.New(engine.MustFromSlice([]float32{.5, 2}))
	if err := autograd.Check(op.Sum(op.Exp(single)), 1e-2, single); err != nil {
		t.Error(err)
	}

	wrong := op.Define("wrong", 1, func(b *op.B, x ...op.V) op.V { return b.Mul(x[0], x[0]) },
		op.Derivative(func(g *tree.Adjoint, _ int) *tree.Node { return g.Mul(g.Out, g.Arg(0)) })) // 2 is missing
	v := variable(0, 3)
	err := autograd.Check(op.Sum(op.Map1(wrong, v)), 1e-6, w, v)
	if !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "variable 1, element 1: the gradient is 3, the difference quotient 6") {
		t.Errorf("a wrong derivative: %v", err)
	}
}

// TestRecordTwice gives a variable twice: its gradient is added once.
func TestRecordTwice(t *testing.T) {
	w := variable(3)
	backward(t, record(t, op.Sum(op.Square[float64](w)), w, w))
	want(t, "dw", w.Grad(), 6)
}

// TestCheckFails has a loss that is not defined beside the value of the variable.
func TestCheckFails(t *testing.T) {
	const x = 3 - 1e-9
	w := variable(x)
	row := op.Take[float64](engine.Ones[float64](3), op.Cast[int64](op.Floor[float64](w)), 0)
	if err := autograd.Check(op.Sum(op.Mul(w, row)), 1e-6, w); !errors.Is(err, expr.ErrIndex) {
		t.Errorf("the error is %v", err)
	}
	want(t, "the value", w.Value(), x)
}
