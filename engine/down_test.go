package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// TestRowsDownMemory reduces rows that are columns in memory: every result has the bits of the same rows side by side.
func TestRowsDownMemory(t *testing.T) {
	t.Run("float32", rowsDown[float32])
	t.Run("float64", rowsDown[float64])
	t.Run("int64", rowsDown[int64])
}

func rowsDown[T float32 | float64 | int64](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for i, n := range []int{17, 32, 33, 63, 65, 100, 128, 129, 200, 201} {
		const rows = 70
		if (i+int(dtype.Of[T]()))%testlevel.Every(1, 2) != 0 {
			continue
		}
		x := engine.Zeros[T](n, rows)
		for i := range x.Data() {
			x.Data()[i] = T(1000 * r.NormFloat64() * math.Exp(r.NormFloat64()))
		}
		down := x.Transpose(1, 0)
		beside := down.Clone()
		for name, f := range map[string]func(e expr.Exp[T]) expr.Exp[T]{
			"sum":    func(e expr.Exp[T]) expr.Exp[T] { return op.Sum(e, op.Axis(1)) },
			"prod":   func(e expr.Exp[T]) expr.Exp[T] { return op.Prod(e, op.Axis(-1)) },
			"max":    func(e expr.Exp[T]) expr.Exp[T] { return op.Max(e, op.Axis(1)) },
			"square": func(e expr.Exp[T]) expr.Exp[T] { return op.Sum(op.Mul(e, e), op.Axis(1)) },
		} {
			for _, backend := range engine.Backends() {
				for _, step := range []int{1, -1} { // from the last element to the first
					a, b := down, beside
					if step < 0 {
						back := shape.Slice{Step: shape.At(-1)}
						a, b = down.Span(shape.Slice{}, back), beside.Span(shape.Slice{}, back)
					}
					y, z := engine.Zeros[T](rows), engine.Zeros[T](rows)
					if err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, f(a)), expr.Let(z, f(b))); err != nil {
						t.Fatal(err)
					}
					for i := range y.Data() {
						if fmt.Sprintf("%x", y.Data()[i]) != fmt.Sprintf("%x", z.Data()[i]) {
							t.Fatalf("%s, %s of %d elements, step %d: row %d is %v, side by side %v", backend, name, n, step, i, y.Data()[i], z.Data()[i])
						}
					}
				}
			}
		}
	}
}

// TestLongRowsDownMemory sums rows that are so long, and so few, that one call does not go down all of them.
func TestLongRowsDownMemory(t *testing.T) {
	t.Run("int64", longRowsDown[int64])
	t.Run("float32", longRowsDown[float32])
	t.Run("float64", longRowsDown[float64])
}

func longRowsDown[T int64 | float32 | float64](t *testing.T) {
	const length = 1280
	for _, n := range []int{7, 13, 37} { // the last vector of n rows is not whole
		all := engine.Zeros[T](8, n+1, length)
		for i := range all.Data() {
			all.Data()[i] = T(i * 7919 % 1013)
		}
		x := op.Transpose(all.Span(shape.Slice{}, op.Range(0, n)), 2, 0, 1)
		sameEverywhere(t, fmt.Sprintf("%d rows", n), op.Sum(x, op.Axis(0)))
	}
}

// TestTriangles takes triangles of matrices whose positions just fit 2 bytes, and of one row more.
func TestTriangles(t *testing.T) {
	for _, n := range [][2]int{{32764, 3}, {32765, 3}, {3, 32764}, {3, 32765}} {
		rows, columns := n[0], n[1]
		x, y := engine.Zeros[int16](rows, columns), engine.Zeros[int16](rows, columns)
		if err := x.Fill(7); err != nil {
			t.Fatal(err)
		}
		for k, want := range map[int]int16{math.MinInt: 7, math.MaxInt: 0} {
			if err := y.Assign(op.TriU(x, k)); err != nil || slices.Contains(y.Data(), 7-want) {
				t.Fatalf("%dx%d, k = %d: an element is not %d, or %v", rows, columns, k, want, err)
			}
		}
		for _, k := range []int{0, 2, -2, rows, -rows, columns, -columns, 32766, -32767} {
			if err := y.Assign(op.TriL(x, k)); err != nil {
				t.Fatal(err)
			}
			for i, v := range y.Data() {
				if below := i%columns <= i/columns+k; (v == 7) != below {
					t.Fatalf("%dx%d, k = %d: element %d is %d", rows, columns, k, i, v)
				}
			}
		}
	}
}

// TestExtremesDownMemory subtracts the extremes of rows that are columns in memory from their elements: a stage of its own makes these
// extremes, and the results have the bits of the same rows side by side.
func TestExtremesDownMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, n := range []int{33, 40, 63} {
		for _, rows := range []int{15, 70, 1000} {
			x := engine.Zeros[float32](n, rows)
			for i := range x.Data() {
				x.Data()[i] = float32(r.NormFloat64())
			}
			down := x.Transpose(1, 0)
			beside := down.Clone()
			f := func(e expr.Exp[float32]) expr.Exp[float32] { return op.Softmax(e, -1) }
			for _, backend := range engine.Backends() {
				y, z := engine.Zeros[float32](rows, n), engine.Zeros[float32](rows, n)
				p, err := engine.CompileWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, f(down)))
				if err != nil {
					t.Fatal(err)
				}
				want := 1
				if n*rows >= 1024 {
					want = 2
				}
				if got := len(p.Plan().Stages); got != want {
					t.Errorf("%d stages for %d rows of %d elements, want %d", got, rows, n, want)
				}
				if err = p.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err = engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(z, f(beside))); err != nil {
					t.Fatal(err)
				}
				for i := range y.Data() {
					if math.Float32bits(y.Data()[i]) != math.Float32bits(z.Data()[i]) {
						t.Fatalf("%s, %d rows of %d elements: element %d is %v, side by side %v", backend, rows, n, i, y.Data()[i], z.Data()[i])
					}
				}
			}
		}
	}
}
