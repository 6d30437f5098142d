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
	"github.com/oneloop/oneloop/expr/op/untyped"
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
	for i, n := range []int{17, 32, 33, 63, 65, 100, 128, 129, 192, 201, 224, 256, 400, 449} {
		rows := 70
		if n%32 == 0 { // rows share sets of the caches
			rows = 128 + 128*(i%2)
		}
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

// compiled runs a program of statements.
func compiled(t *testing.T, s ...expr.Statement) {
	t.Helper()
	compiledFor(t, "", s...)
}

// compiledFor runs a program of statements by a back end, and returns the number of its stages.
func compiledFor(t *testing.T, backend string, s ...expr.Statement) int {
	t.Helper()
	p, err := engine.CompileWith(t.Context(), engine.Options{Backend: backend}, s...)
	if err == nil {
		err = p.Run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(p.Plan().Stages)
}

// TestTrianglesInParts takes triangles of matrices with more elements of one kind than of the diagonal's: what lies outside of its rows
// and columns is stored by loops of its own.
func TestTrianglesInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, n := range [][2]int{{7, 160}, {160, 7}, {33, 34}, {5, 1000}, {300, 4}, {600, 2}, {2, 600}, {1024, 1}, {1, 1024}} {
		rows, columns := n[0], n[1]
		x := engine.Zeros[float64](rows, columns)
		for i := range x.Data() {
			x.Data()[i] = r.NormFloat64()
		}
		x.Data()[len(x.Data())-1], x.Data()[0] = math.NaN(), math.Copysign(0, -1)
		for _, k := range []int{0, 1, -1, 3, -3, rows - 1, 1 - rows, columns - 1, 1 - columns, rows / 2, -rows / 2, columns / 2, -columns / 2, math.MaxInt, math.MinInt} {
			name := fmt.Sprintf("%dx%d, k = %d", rows, columns, k)
			lower, upper := engine.Full(9., rows, columns), engine.Full(9., columns, rows) // the upper one is transposed
			compiled(t, expr.Let(lower, op.TriL(x, k)))
			compiled(t, expr.Let(upper, op.T(op.TriU(x, k))))
			for i, v := range x.Data() {
				row, column := i/columns, i%columns
				for which, kept := range []bool{column-row <= k, column-row >= k} {
					want, got := 0., [2]float64{lower.Data()[i], upper.Data()[column*rows+row]}[which]
					if kept {
						want = v
					}
					if math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("%s: [%d %d] of triangle %d is %v of %v", name, row, column, which, got, v)
					}
				}
			}
			sameEverywhere(t, name+", two matrices", op.TriL(op.Stack(0, x, op.Neg(x)), k))
			y := engine.Zeros[float64](rows, columns)
			compiled(t, expr.Let(y, x), expr.Let(y, op.TriL(y, k)))
			if !slices.EqualFunc(y.Data(), lower.Data(), func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Fatalf("%s: in place differs", name)
			}
		}
	}
}

// TestPositionsThatWrap selects by positions that are no progression: the sum, the conversion or the slice of iota wraps or goes by steps.
func TestPositionsThatWrap(t *testing.T) {
	const n = 3000
	x, y, z := engine.Full(1., n), engine.Full(2., n), engine.Full(2., n)
	positions := func(n int) expr.Exp[int64] { return expr.Of[int64](untyped.Iota(n)) }
	at, twice, none := positions(n), positions(2*n), positions(1)
	narrow := op.Cast[int8](at)
	for _, c := range []struct {
		name string
		on   expr.Exp[bool]
		want func(i int) bool
	}{
		{"narrow", op.GreaterEqual(narrow, op.AddScalar(op.Cast[int8](none), 100)), func(i int) bool { return int8(i) >= 100 }},
		{"backward", op.GreaterEqual(op.Flip(at, 0), op.AddScalar(none, n+700)), func(i int) bool { return n-1-i >= n+700 }},
		{"by steps", op.GreaterEqual(op.Slice(twice, shape.By(op.Span{}, 2)), op.AddScalar(none, 2100)), func(i int) bool { return 2*i >= 2100 }},
		{"a part", op.GreaterEqual(op.Slice(twice, op.Range(n, 2*n)), op.AddScalar(none, 2100)), func(i int) bool { return n+i >= 2100 }},
		{"overflow", op.GreaterEqual(op.AddScalar(at, int64(math.MaxInt64-100)), op.AddScalar(none, int64(math.MaxInt64-50))), func(i int) bool { return 50 <= i && i <= 100 }},
		{"narrow sum", op.GreaterEqual(op.AddScalar(op.Cast[int16](at), 32000), op.AddScalar(op.Cast[int16](none), 32100)), func(i int) bool { return int16(i+32000) >= 32100 }},
		{"both", op.GreaterEqual(at, op.AddScalar(at, 1)), func(i int) bool { return false }},
		{"swapped", op.GreaterEqual(op.AddScalar(none, 100), at), func(i int) bool { return 100 >= i }},
	} {
		compiled(t, expr.Let(y, op.Where(c.on, x, z)))
		for i, v := range y.Data() {
			if (v == 1) != c.want(i) {
				t.Fatalf("%s: element %d is %v", c.name, i, v)
			}
		}
	}
}
