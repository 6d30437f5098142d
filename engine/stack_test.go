package engine_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestStackOfMany tests that one loop stores many arrays side by side, along the last axis and
// along a middle one.
func TestStackOfMany(t *testing.T) {
	for _, c := range []struct{ n, parts int }{{500, 8}, {500, 9}, {777, 17}, {300, 30}, {10, 12}, {5, 70}, {200, 100}} {
		var args []expr.Exp[float32]
		for k := range c.parts {
			args = append(args, engine.Arange[float32](float64(k*c.n), float64((k+1)*c.n), 1))
		}
		y := engine.Zeros[float32](c.n, c.parts)
		p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1}, expr.Let(y, op.Stack(1, args...)))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Plan().Stages); n != 1 {
			t.Errorf("%v: %d stages", c, n)
		}
		if one := p.Plan().Stages[0].Kernel; c.n >= 300 && len(one.Bufs) != 2*c.parts {
			t.Errorf("%v: the kernel has %d arrays: a loop of all elements selects", c, len(one.Bufs))
		}
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range c.n {
			for k := range c.parts {
				if got, want := y.At(i, k), float32(k*c.n+i); got != want {
					t.Fatal(fmt.Sprint(c, ": element ", i, k, " is ", got, ", want ", want))
				}
			}
		}
	}
}

// TestOperationsOnStacks compares operations on views of a stack, and transposes of them, with those on the stored stack. No
// loop has a quotient for each element, but where the stack is read in two orders.
func TestOperationsOnStacks(t *testing.T) {
	const m, n = 37, 23
	filled := func(from float64, dims ...int) *engine.Tensor[float32] {
		x := engine.Zeros[float32](dims...)
		for i := range x.Data() {
			x.Data()[i] = float32(from) + float32(i*7919%1013)/8 - 60
		}
		return x
	}
	a, b, c := filled(0, m, n), filled(.5, m, n), filled(1, m, 2*n)
	stack := op.Reshape(op.Stack[float32](2, a, b), m, 2*n)
	stored, err := engine.Eval(stack)
	if err != nil {
		t.Fatal(err)
	}
	deep := op.T[float32](c)
	for range 30 {
		deep = op.Maximum(deep, op.Neg(deep))
	}
	for name, f := range map[string]func(x expr.Exp[float32]) expr.Exp[float32]{
		"negated":        func(x expr.Exp[float32]) expr.Exp[float32] { return op.Neg(x) },
		"two operations": func(x expr.Exp[float32]) expr.Exp[float32] { return op.Abs(op.Neg(x)) },
		"cast":           func(x expr.Exp[float32]) expr.Exp[float32] { return op.Cast[float32](op.Cast[expr.Float16](x)) },
		"a number":       func(x expr.Exp[float32]) expr.Exp[float32] { return op.MulScalar(x, 2) },
		"another array":  func(x expr.Exp[float32]) expr.Exp[float32] { return op.Sub[float32](c, x) },
		"a slice":        func(x expr.Exp[float32]) expr.Exp[float32] { return op.Add(x, op.Flip[float32](c, 0)) },
		"selected": func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.Where(op.GreaterScalar[float32](c, 3), x, op.Neg[float32](c))
		},
		"transposed":        func(x expr.Exp[float32]) expr.Exp[float32] { return op.T(x) },
		"and another array": func(x expr.Exp[float32]) expr.Exp[float32] { return op.Sub(op.T(x), op.Exp(op.T[float32](c))) },
		"with a new axis":   func(x expr.Exp[float32]) expr.Exp[float32] { return op.Neg(op.Reshape(op.T(x), 2*n, 1, m)) },
		"two orders": func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.Add(op.Abs(op.Reshape(op.T(x), m, 2*n)), op.Neg(x))
		},
		"two uses many times": func(x expr.Exp[float32]) expr.Exp[float32] { return op.Sub(op.T(x), deep) },
		"the stack of itself": func(x expr.Exp[float32]) expr.Exp[float32] { return op.Add(x, op.Abs(x)) },
	} {
		want, err := engine.Eval(f(stored))
		if err != nil {
			t.Fatal(err)
		}
		for _, backend := range engine.Backends() {
			y := engine.Zeros[float32](want.Shape()...)
			p, err := engine.CompileWith(t.Context(), engine.Options{Backend: backend, Threads: 1}, expr.Let(y, f(stack)))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Plan().Stages {
				if text := fmt.Sprint(s.Kernel); name != "two orders" && (strings.Contains(text, "div(") || strings.Contains(text, "mod(")) {
					t.Errorf("%s: %s", name, text)
				}
			}
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, v := range y.Data() {
				if w := want.Data()[i]; math.Float32bits(v) != math.Float32bits(w) {
					t.Fatalf("%s, %s: element %d is %v, want %v", name, backend, i, v, w)
				}
			}
		}
	}
}
