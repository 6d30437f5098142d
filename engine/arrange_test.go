package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
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

// TestPadModes compares paddings of vectors, longer than the vectors too, with their definition.
func TestPadModes(t *testing.T) {
	place := map[string]func(i, n int) int{
		"edge":      func(i, n int) int { return min(max(i, 0), n-1) },
		"wrap":      func(i, n int) int { return (i%n + n) % n },
		"symmetric": func(i, n int) int { i = (i%(2*n) + 2*n) % (2 * n); return min(i, 2*n-1-i) },
		"reflect":   func(i, n int) int { p := max(2*n-2, 1); i = (i%p + p) % p; return min(i, p-i) % n },
	}
	step := testlevel.Every(1, 5) // of the widths after the elements, which with those before meet all places
	for mode, at := range place {
		for n := 1; n <= 4; n++ {
			x := engine.Arange[float64](0, float64(n), 1)
			for before := range 14 {
				for after := before % step; after < 14; after += step {
					y, err := engine.Eval(op.PadMode(x, [][2]int{{before, after}}, mode))
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range y.Data() {
						if want := at(i-before, n); v != float64(want) {
							t.Fatalf("%s of %d by %d and %d: element %d is %v, not %d", mode, n, before, after, i, v, want)
						}
					}
				}
			}
		}
	}
}

// TestTurns compares matrices that are turned, with and without arithmetic, with their elements.
func TestTurns(t *testing.T) {
	turns[uint8](t)
	turns[int16](t)
	turns[float32](t)
	turns[float64](t)
}

func turns[T uint8 | int16 | float32 | float64](t *testing.T) {
	cases := int(dtype.Of[T]()) // so the types take different cases
	for _, d := range [][2]int{{1, 1}, {8, 16}, {16, 8}, {17, 33}, {5, 300}, {300, 5}, {33, 40}, {100, 129}, {1000, 65}, {64, 1000}} {
		x := engine.Zeros[T](d[0], d[1])
		for i := range x.Data() {
			x.Data()[i] = T(i*7 + i/100)
		}
		for k := -1; k <= 3; k++ {
			for _, plus := range []T{0, 1} {
				if cases++; cases%testlevel.Every(1, 3) != 0 {
					continue
				}
				e := op.Rot90[T](x, k)
				if plus > 0 {
					e = op.AddScalar(e, plus)
				}
				y, err := engine.Eval(e)
				if err != nil {
					t.Fatal(err)
				}
				rows, columns := d[0], d[1]
				for i := range y.Shape()[0] {
					for j := range y.Shape()[1] {
						from := [][2]int{{i, j}, {j, columns - 1 - i}, {rows - 1 - i, columns - 1 - j}, {rows - 1 - j, i}}[k&3]
						if want := x.At(from[0], from[1]) + plus; y.At(i, j) != want {
							t.Fatalf("%T, %v turned %d times plus %v: element %d, %d is %v, not %v", want, d, k, plus, i, j, y.At(i, j), want)
						}
					}
				}
			}
		}
	}
}
