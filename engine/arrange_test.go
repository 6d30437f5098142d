package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// An arranged value is an expression, and its value computed one operation at a time.
type arranged struct {
	e    expr.Exp[float64]
	have *engine.Tensor[float64]
}

// arrange returns a random arrangement of values of a shape, or nil.
func arrange(r *rand.Rand, dims []int) func(e expr.Exp[float64]) expr.Exp[float64] {
	type E = expr.Exp[float64]
	axis, k := r.IntN(len(dims)), 1+r.IntN(3)
	reps, widths, span := make([]int, len(dims)), make([][2]int, len(dims)), make([]op.Span, axis+1)
	for i := range dims {
		reps[i], widths[i] = 1+r.IntN(2), [2]int{r.IntN(3), r.IntN(3)}
	}
	span[axis] = op.From(r.IntN(dims[axis]))
	mode := []string{"edge", "wrap", "reflect", "symmetric"}[r.IntN(4)]
	return []func(e E) E{
		func(e E) E { return op.Roll(e, k-2, axis) },
		func(e E) E { return op.Tile(e, reps...) },
		func(e E) E { return op.Repeat(e, k, axis) },
		func(e E) E { return op.PadMode(e, widths, mode) },
		func(e E) E { return op.Pad(e, widths, 9) },
		func(e E) E { return op.Transpose(e) },
		func(e E) E { return op.Flip(e, axis) },
		func(e E) E { return op.Slice(e, span...) },
		func(e E) E { return op.Reshape(e, -1, dims[len(dims)-1]) },
		func(e E) E { return op.Add(e, op.Max(e, op.Axis(axis), op.KeepDims())) },
	}[r.IntN(10)]
}

// TestChains compares arrangements of arrangements, which are one loop, with
// the same computed one at a time.
func TestChains(t *testing.T) {
	for seed := range uint64(testlevel.Every(20000, 100)) {
		r := rand.New(rand.NewPCG(seed, 7))
		dims := []int{1 + r.IntN(4), 1 + r.IntN(4), 1 + r.IntN(3)}[:2+r.IntN(2)]
		x := engine.Zeros[float64](dims...)
		for i := range x.Data() {
			x.Data()[i] = float64(i + 1)
		}
		list := []arranged{{x, x}}
		for range 2 + r.IntN(6) {
			a, b := list[r.IntN(len(list))], list[len(list)-1]
			f := arrange(r, b.have.Shape())
			if n := b.have.Shape().Size(); n > 2000 {
				break
			}
			next := arranged{f(b.e), evaluated(t, f(b.have))}
			if a.have.Shape().Equal(b.have.Shape()) && r.IntN(2) == 0 {
				axis := r.IntN(len(b.have.Shape()))
				next = arranged{op.Concat(axis, a.e, op.Neg(b.e)), evaluated(t, op.Concat(axis, expr.Exp[float64](a.have), op.Neg(b.have)))}
			}
			list = append(list, next)
		}
		last := list[len(list)-1]
		if got := evaluated(t, last.e); !slices.Equal(got.Values(), last.have.Values()) {
			t.Fatalf("seed %d: %v gives %v, want %v", seed, last.e.Node(), got, last.have)
		}
	}
}

func evaluated(t *testing.T, e expr.Exp[float64]) *engine.Tensor[float64] {
	t.Helper()
	x, err := engine.Eval(e)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
