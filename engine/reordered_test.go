package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestReorderedSums sums what is read from arrays in another order, which programs store in the order of the sum. The sum has
// the bits of the sum of a copy. A maximum, whose axes may be read in any order, stores a
// copy only if memory has the elements in none of these orders. Positions along each axis, also of equal elements, are those of a copy.
func TestReorderedSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 27))
	x := engine.Zeros[float32](40, 33, 12)
	for i := range x.Data() {
		x.Data()[i] = float32(math.Exp(4*r.Float64())) - 9
	}
	type E = expr.Exp[float32]
	long := op.Reshape[float32](x, 40, 396)
	backward := op.Flip[float32](op.Slice[float32](long, op.Range(7, 8)), 1)
	column := op.Transpose[float32](op.Slice[float32](op.Reshape[float32](x, 1584, 10), op.Until(396), op.Range(3, 4)))
	for _, c := range []struct {
		name   string
		view   E
		axes   []int
		stored [2]bool // the sum, the maximum
	}{
		{"transposed", op.Transpose[float32](x), []int{0, 1, 2}, [2]bool{true, false}},
		{"last two transposed", op.Transpose[float32](x, 0, 2, 1), []int{1, 2}, [2]bool{true, false}},
		{"every other", op.Slice[float32](x, op.From(0), op.By(op.From(0), 2), op.By(op.From(0), 2)), []int{1, 2}, [2]bool{true, true}},
		{"short rows", op.Slice[float32](x, op.From(0), op.From(0), op.Until(11)), []int{1, 2}, [2]bool{true, true}},
		{"in order", x, []int{0, 1, 2}, [2]bool{false, false}},
		{"one row", op.Transpose[float32](x, 2, 0, 1), []int{1, 2}, [2]bool{false, false}},
		{"squares of transposed", op.Square[float32](op.Transpose[float32](x)), []int{0, 1, 2}, [2]bool{true, false}},
		{"one transposed", op.Mul[float32](op.Transpose[float32](x, 0, 2, 1), op.Reshape[float32](x, 40, 12, 33)), []int{1, 2}, [2]bool{true, true}},
		{"rows beside columns", op.Mul[float32](op.Transpose[float32](x, 0, 2, 1), op.Reshape[float32](x, 40, 12, 33)), []int{2}, [2]bool{true, true}},
		{"columns beside rows", op.Mul[float32](x, op.Transpose[float32](op.Reshape[float32](x, 40, 12, 33), 0, 2, 1)), []int{1}, [2]bool{false, true}},
		{"columns alone", op.Mul[float32](op.Transpose[float32](x, 0, 2, 1), op.Transpose[float32](op.Flip[float32](x, 0), 0, 2, 1)), []int{2}, [2]bool{false, false}},
		{"differences of rows", op.Sub[float32](op.Slice[float32](long, op.From(0), op.From(1)), op.Slice[float32](long, op.From(0), op.Until(395))), []int{0, 1}, [2]bool{false, true}},
		{"a broadcast", op.Mul[float32](x, op.Slice[float32](x, op.Until(1))), []int{0, 1, 2}, [2]bool{false, false}},
		{"a row that repeats", op.Mul[float32](x, op.BroadcastTo(op.Slice[float32](long, op.Until(1), op.Until(12)), 40, 33, 12)), []int{0, 1, 2}, [2]bool{false, false}},
		{"elements that repeat", op.Mul[float32](x, op.Slice[float32](x, op.From(0), op.From(0), op.Until(1))), []int{0, 1, 2}, [2]bool{true, true}},
		{"elements that repeat in long rows", op.Mul[float32](long, op.Slice[float32](long, op.From(0), op.Until(1))), []int{0, 1}, [2]bool{false, false}},
		{"a vector that repeats", op.Mul[float32](x, op.Index[float32](x, 0, 0)), []int{0, 1, 2}, [2]bool{false, false}},
		{"squares of one row", op.Square[float32](op.Transpose[float32](x, 2, 0, 1)), []int{1, 2}, [2]bool{false, false}},
		{"a reversed row for all rows", op.Mul[float32](long, backward), []int{1}, [2]bool{true, false}},
		{"a column for all rows", op.Sub[float32](long, column), []int{1}, [2]bool{true, false}},
		{"a column for few rows", op.Sub[float32](op.Slice[float32](long, op.Until(7)), column), []int{1}, [2]bool{false, false}},
		{"a column for a part of each row", op.Sub[float32](op.Reshape[float32](x, 20, 2, 396), column), []int{1, 2}, [2]bool{true, false}},
		{"long rows", op.Slice[float32](long, op.From(0), op.Until(390)), []int{0, 1}, [2]bool{false, false}},
	} {
		copied := engine.Zeros[float32](expr.NodeOf(c.view).Shape()...)
		if err := copied.Assign(c.view); err != nil {
			t.Fatal(err)
		}
		sum := func(e E) E { return op.Sum(e, op.Axis(c.axes...)) }
		for _, backend := range engine.Backends() {
			got, want := engine.Zeros[float32](expr.NodeOf(sum(c.view)).Shape()...), engine.Zeros[float32](expr.NodeOf(sum(c.view)).Shape()...)
			of := compiledFor(t, backend, expr.Let[float32](want, sum(copied)))
			if stages := compiledFor(t, backend, expr.Let[float32](got, sum(c.view))); backend != "interp" && (stages > of) != c.stored[0] {
				t.Errorf("%s, %s: %d stages, of a copy %d", c.name, backend, stages, of)
			}
			for i, y := range want.Data() {
				if math.Float32bits(got.Data()[i]) != math.Float32bits(y) {
					t.Errorf("%s, %s: sum %d is %v, want %v", c.name, backend, i, got.Data()[i], y)
				}
			}
		}
		largest, want := engine.Zeros[float32](), engine.Zeros[float32]()
		p, err := engine.Compile(t.Context(), expr.Let[float32](largest, op.Max(c.view)))
		if err == nil {
			err = errors.Join(p.Run(t.Context()), want.Assign(op.Max[float32](copied)))
		}
		if err != nil || (len(p.Plan().Stages) > 1) != c.stored[1] || largest.Data()[0] != want.Data()[0] {
			t.Errorf("%s: the maximum %v, want %v, has %d stages: %v", c.name, largest, want, len(p.Plan().Stages), err)
		}
		for axis := range copied.Shape() {
			s := copied.Shape().Reduce([]int{axis}, false)
			got, want, signs := engine.Zeros[int64](s...), engine.Zeros[int64](s...), op.Sign[float32]
			if err := errors.Join(got.Assign(op.ArgMax[float32](signs(c.view), op.Axis(axis))), want.Assign(op.ArgMax[float32](signs(copied), op.Axis(axis)))); err != nil || !slices.Equal(got.Data(), want.Data()) {
				t.Errorf("%s: positions along axis %d: %v, want %v: %v", c.name, axis, got, want, err)
			}
		}
	}
}

// TestReorderedBytes compares extremes of bytes and words that are apart in memory, which programs store first, with those of copies.
func TestReorderedBytes(t *testing.T) {
	t.Run("uint8", reorderedBytes[uint8])
	t.Run("int16", reorderedBytes[int16])
}

func reorderedBytes[T uint8 | int16](t *testing.T) {
	x := engine.Zeros[T](65, 70)
	for i := range x.Data() {
		x.Data()[i] = T(i * i % 97)
	}
	sum := op.Add(op.Transpose[T](x), op.Reshape[T](x, 70, 65))
	for _, c := range []struct {
		name   string
		view   expr.Exp[T]
		axes   []int
		stored bool
	}{
		{"reversed rows", op.Flip[T](x, 1), []int{1}, true},
		{"reversed rows down", op.Flip[T](x, 1), []int{0}, true},
		{"every other", op.Slice[T](x, op.From(0), op.By(op.From(0), 2)), []int{1}, true},
		{"a vector", op.Flip(op.Reshape[T](x, 4550)), []int{0}, true},
		{"reversed order of rows", op.Flip[T](x, 0), []int{1}, false},
		{"rows beside columns", sum, []int{1}, true},
		{"columns beside rows", sum, []int{0}, expr.NodeOf[T](x).DType().Size() == 1},
	} {
		copied := engine.Zeros[T](expr.NodeOf(c.view).Shape()...)
		if err := copied.Assign(c.view); err != nil {
			t.Fatal(err)
		}
		axis := op.Axis(c.axes...)
		s := copied.Shape().Reduce(c.axes, false)
		for _, backend := range engine.Backends() {
			largest, want, at, wantAt := engine.Zeros[T](s...), engine.Zeros[T](s...), engine.Zeros[int64](s...), engine.Zeros[int64](s...)
			some, wantSome := engine.Zeros[bool](s...), engine.Zeros[bool](s...)
			for k, statements := range [][]expr.Statement{
				{expr.Let[T](largest, op.Max(c.view, axis))},
				{expr.Let[int64](at, op.ArgMax(c.view, axis))},
				{expr.Let[T](want, op.Max[T](copied, axis)), expr.Let[int64](wantAt, op.ArgMax[T](copied, axis))},
				{expr.Let[bool](some, op.Any(op.Equal(c.view, op.Full[T](3)), axis)), expr.Let[bool](wantSome, op.Any(op.Equal[T](copied, op.Full[T](3)), axis))},
			} {
				if stages := compiledFor(t, backend, statements...); k < 2 && backend != "interp" && (stages == 2) != c.stored {
					t.Errorf("%s, %s: %d stages", c.name, backend, stages)
				}
			}
			if !slices.Equal(largest.Data(), want.Data()) || !slices.Equal(at.Data(), wantAt.Data()) || !slices.Equal(some.Data(), wantSome.Data()) {
				t.Errorf("%s, %s: maxima %v at %v, want %v at %v; some %v, want %v", c.name, backend, largest, at, want, wantAt, some, wantSome)
			}
		}
	}
}

// TestReorderedScans compares scans of what has another order in memory with scans of copies. Programs store it first.
func TestReorderedScans(t *testing.T) {
	x := engine.Zeros[float32](40, 33)
	small := engine.Zeros[int16](40, 33)
	for i := range x.Data() {
		x.Data()[i], small.Data()[i] = float32(i*i%97)/7, int16(i*i%97)
	}
	flat := op.Reshape(op.Transpose[float32](x), 1320)
	compareScans(t, "transposed", flat, 0, true)
	compareScans(t, "squares", op.Square(flat), 0, true)
	compareScans(t, "short rows", op.Reshape(op.Slice[float32](x, op.From(0), op.From(1)), 1280), 0, true)
	compareScans(t, "other rows", op.Reshape(op.Transpose[float32](x), 20, 66), 1, true)
	compareScans(t, "in order", op.Reshape[float32](x, 1320), 0, false)
	compareScans(t, "columns", op.Transpose[float32](x), 1, false)
	compareScans(t, "rows beside columns", op.Add(op.Transpose[float32](x), op.Reshape[float32](x, 33, 40)), 1, false)
	compareScans(t, "reversed rows of two bytes", op.Flip[int16](small, 1), 1, true)
	compareScans(t, "two bytes beside columns", op.Add(op.Transpose[int16](small), op.Reshape[int16](small, 33, 40)), 1, true)
}

// compareScans compares scans of a view with those of its copy, and checks whether programs store the view.
func compareScans[T float32 | int16](t *testing.T, name string, view expr.Exp[T], axis int, stored bool) {
	s := expr.NodeOf(view).Shape()
	copied, want := engine.Zeros[T](s...), engine.Zeros[T](s...)
	if err := errors.Join(copied.Assign(view), want.Assign(op.CumSum[T](copied, axis))); err != nil {
		t.Fatal(err)
	}
	for _, backend := range engine.Backends() {
		got := engine.Zeros[T](s...)
		if stages := compiledFor(t, backend, expr.Let[T](got, op.CumSum(view, axis))); backend != "interp" && (stages == 2) != stored {
			t.Errorf("%s, %s: %d stages", name, backend, stages)
		}
		if !slices.Equal(got.Data(), want.Data()) {
			t.Errorf("%s, %s: %v, want %v", name, backend, got, want)
		}
	}
}
