package engine_test

import (
	"fmt"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// TestCombinedProducts compares products that are scaled and combined with their
// target to the same statements with a temporary. They must have the same bits,
// and be one stage without a temporary.
func TestCombinedProducts(t *testing.T) {
	combinedProducts[float32](t)
	combinedProducts[float64](t)
	combinedProducts[int32](t)
	combinedProducts[uint8](t)
}

func combinedProducts[T float32 | float64 | int32 | uint8](t *testing.T) {
	type tree = expr.Exp[T]
	number := func(n, mod int) []T {
		out := make([]T, n)
		for i := range out {
			out[i] = T((i*7 + 3) % mod)
		}
		return out
	}
	const m, k, n = 5, 300, 7
	a := engine.MustFromSlice(number(m*k, 11), m, k)
	b := engine.MustFromSlice(number(k*n, 5), k, n)
	x := engine.MustFromSlice(number(k, 5))
	alpha, beta := expr.NewParam(T(3)), expr.NewParam(T(2))
	var zero T
	_, float := any(zero).(float32)
	_, double := any(zero).(float64)
	targets := map[string]func() engine.Tensor[T]{
		"whole":      func() engine.Tensor[T] { return *engine.Zeros[T](m, n) },
		"transposed": func() engine.Tensor[T] { return *engine.Zeros[T](n, m).Transpose() },
	}
	for _, backend := range engine.Backends() {
		for place, target := range targets {
			for name, c := range map[string]struct {
				saver expr.Saver
				value func(p, c tree) tree
				float bool
			}{
				"c = 3p":         {expr.Set, func(p, c tree) tree { return op.Mul(tree(alpha), p) }, false},
				"c += p":         {expr.Plus, func(p, c tree) tree { return p }, false},
				"c += 3p":        {expr.Plus, func(p, c tree) tree { return op.Mul(p, tree(alpha)) }, false},
				"c -= p":         {expr.Minus, func(p, c tree) tree { return p }, false},
				"c -= 2 * p":     {expr.Minus, func(p, c tree) tree { return op.Scale(2, p) }, false},
				"c *= p":         {expr.Times, func(p, c tree) tree { return p }, false},
				"c *= 3p":        {expr.Times, func(p, c tree) tree { return op.Mul(tree(alpha), p) }, false},
				"c /= 3p":        {expr.Over, func(p, c tree) tree { return op.Mul(tree(alpha), p) }, true},
				"c = p + c":      {expr.Set, func(p, c tree) tree { return op.Add(p, c) }, false},
				"c = 2c + 3p":    {expr.Set, func(p, c tree) tree { return op.Add(op.Mul(tree(beta), c), op.Mul(tree(alpha), p)) }, false},
				"c = 3p + 2 * c": {expr.Set, func(p, c tree) tree { return op.Add(op.Mul(tree(alpha), p), op.Scale(2, c)) }, false},
				"c = 2c - p":     {expr.Set, func(p, c tree) tree { return op.Sub(op.Mul(tree(beta), c), p) }, false},
			} {
				if c.float && !float && !double {
					continue
				}
				y, z := target(), target()
				p := engine.Zeros[T](m, n)
				o := engine.Options{Backend: backend}
				for _, w := range []*engine.Tensor[T]{&y, &z} {
					if err := engine.Run(t.Context(), expr.Let(w, engine.MustFromSlice(number(m*n, 13), m, n))); err != nil {
						t.Fatal(err)
					}
				}
				s := expr.Statement{Saver: c.saver, Target: y.Node(), Value: c.value(op.Dot(a, b), &y).Node()}
				program, err := engine.CompileWith(t.Context(), o, s)
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s, %T, %s, %s", backend, zero, place, name)
				if pl := program.Plan(); len(pl.Stages) != 1 || pl.Stages[0].Kind != plan.Product || pl.Arena != 0 {
					t.Errorf("%s:\n%s", what, pl.Explain())
				}
				for i := range 3 {
					alpha.Set(T(3 - i))
					apart := []expr.Statement{expr.Let(p, op.Dot(a, b)), {Saver: c.saver, Target: z.Node(), Value: c.value(p, &z).Node()}}
					for _, s := range apart {
						if err := engine.RunWith(t.Context(), o, s); err != nil {
							t.Fatal(what, err)
						}
					}
					if err := program.Run(t.Context()); err != nil {
						t.Fatal(what, err)
					}
					if fmt.Sprint(&y) != fmt.Sprint(&z) {
						t.Errorf("%s: %v, want %v", what, &y, &z)
					}
				}
			}
		}
		v, w := engine.Zeros[T](m), engine.Zeros[T](m)
		if err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.LetSub(v, op.MatMul(a, x))); err != nil {
			t.Fatal(err)
		}
		if err := engine.Run(t.Context(), expr.Let(w, op.Neg(op.MatMul(a, x)))); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(v) != fmt.Sprint(w) {
			t.Errorf("%s: %v, want %v", backend, v, w)
		}
	}
}

// TestProductsKeepTemporaries has products that cannot be combined with their
// target: they read it, or their value is used elsewhere.
func TestProductsKeepTemporaries(t *testing.T) {
	a := engine.MustFromSlice([]float32{1, 2, 3, 4}, 2, 2)
	b := engine.MustFromSlice([]float32{5, 6, 7, 8}, 2, 2)
	p := op.Dot(a, b)
	for name, s := range map[string]expr.Statement{
		"reads its target": expr.LetAdd(a, p),
		"used twice":       expr.LetAdd(b, op.Mul(p, p)),
	} {
		program, err := engine.Compile(t.Context(), s)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(program.Plan().Stages) != 2 {
			t.Errorf("%s:\n%s", name, program.Explain())
		}
	}
	if err := a.AddAssign(p); err != nil || fmt.Sprint(a) != fmt.Sprint(engine.MustFromSlice([]float32{20, 24, 46, 54}, 2, 2)) {
		t.Error(err, a)
	}
}
