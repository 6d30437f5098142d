package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// TestTemporariesAreCut checks that a padded temporary is stored in parts, each without
// borders, also if what is padded or joined depends on reductions or products, and that a
// reduction does not compute the parts of a concatenation again.
func TestTemporariesAreCut(t *testing.T) {
	x, w := numbers(4, 8, 16, 16), numbers(8, 8, 3, 3)
	mean := op.Mean[float32](x, op.Axis(0, 2, 3), op.KeepDims())
	conv := op.Conv(op.Tanh(op.Sub(expr.Exp[float32](x), mean)), expr.Exp[float32](w), op.Sliding{Padding: []int{1}})
	parts := op.Concat(3, op.Tanh(expr.Exp[float32](x)), op.Exp(expr.Exp[float32](x)))
	product := op.MatMul(op.Reshape(op.Tanh(expr.Exp[float32](x)), 4, 8, 256), expr.Exp[float32](numbers(256, 16)))
	rows := op.Reshape(product, 4, 8, 1, 16)
	woven := op.Concat(2, op.Tanh(rows), op.Exp(rows))
	for name, c := range map[string]struct {
		e      expr.Exp[float32]
		dims   []int
		reason string
		stages int
	}{
		"padded":  {conv, []int{4, 8, 16, 16}, "an operand of a matrix product", 2},
		"joined":  {op.Sum(parts, op.Axis(2, 3)), []int{4, 8}, "its parts would be computed again", 2},
		"product": {op.Sum(woven, op.Axis(2, 3)), []int{4, 8}, "its parts would be computed again", 1}, // one loop stores both rows
	} {
		y := engine.Zeros[float32](c.dims...)
		p, err := engine.Compile(context.Background(), expr.Let[float32](y, c.e))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.Explain(), c.reason); n != c.stages {
			t.Errorf("%s: %d stages for %q, want %d:\n%s", name, n, c.reason, c.stages, p.Explain())
		}
	}
}

// TestPadOfEqualRows tests the padding of an array whose rows are one row of memory, in a loop that stores both parts of complex
// numbers: all lanes load one element, but some are padding, so they have an order.
func TestPadOfEqualRows(t *testing.T) {
	row := engine.FromFunc(func(i []int) complex128 { return complex(float64(i[0]+1), float64(-i[0])) }, 64)
	a, err := engine.ArrayOf(row.Array().Memory(), dtype.C128, shape.Shape{64, 64}, shape.Strides{0, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := engine.TensorOf[complex128](a)
	if err != nil {
		t.Fatal(err)
	}
	first, second := engine.Zeros[float32](2, 4), engine.Zeros[float32](1, 4) // beside such a target paddings are not cut
	for _, backend := range engine.Backends() {
		y := engine.Zeros[complex128](68, 66)
		err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(op.Into(0, first, second), op.Exp(engine.Zeros[float32](3, 4))),
			expr.Let(y, op.T(op.Pad(x, [][2]int{{0, 2}, {3, 1}}, -1))))
		if err != nil {
			t.Fatal(err)
		}
		for at, v := range y.All() {
			want := complex128(-1)
			if i, j := at[0]-3, at[1]; i >= 0 && i < 64 && j < 64 {
				want = row.At(i)
			}
			if v != want {
				t.Fatalf("%s: element %v is %v, want %v", backend, at, v, want)
			}
		}
	}
}

// TestFarPadding tests elements of a padding that are more positions before the array than 32 bits hold.
func TestFarPadding(t *testing.T) {
	const fill = 7
	x, m := engine.Ones[uint8](3), engine.Ones[uint8](3, 40)
	for _, far := range []int64{1 << 31, 1 << 32, 1<<32 - 7, 1 << 40} {
		far := int(far)
		if far <= 0 {
			t.Skip("int has 32 bits")
		}
		before := func(axis int, e expr.Exp[uint8]) expr.Exp[uint8] {
			widths := make([][2]int, len(e.Node().Shape()))
			widths[axis][0] = far
			return op.Pad(e, widths, fill)
		}
		row, column := op.Slice(before(1, m), op.Span{}, op.Range(0, 50)), op.Slice(before(0, m), op.Range(0, 50))
		for name, e := range map[string]expr.Exp[uint8]{
			"vector":  op.Slice(before(0, x), op.Range(0, 50)),
			"rows":    row,
			"columns": column,
			"reduced": op.Max(row, op.Axis(1)),
			"down":    op.Max(row, op.Axis(0)),
			"scan":    op.CumMax(row, 0),
			"along":   op.CumMax(column, 0),
			"pool":    op.Slice(op.MaxPool(before(1, m), op.Sliding{Kernel: []int{3}, Stride: []int{2}}), op.Span{}, op.Range(0, 50)),
			"steps":   op.Slice(before(0, x), op.By(op.Range(0, far), far/3)),
		} {
			for backend, got := range everyBackend(t, e, e.Node().Shape()...) {
				if slices.Min(got) != fill || slices.Max(got) != fill {
					t.Errorf("%s, %s, %d before: %v", backend, name, far, got)
				}
			}
		}
	}
}

// TestJoinedParts joins parts of rows of many lengths, which one loop over the rows stores, on all back ends. Each part is of two
// axes as well.
func TestJoinedParts(t *testing.T) {
	joinParts(t, func(i int) uint8 { return uint8(i) })
	joinParts(t, func(i int) bool { return i%3 == 0 })
	joinParts(t, func(i int) float32 { return float32(i) })
	joinParts(t, func(i int) float64 { return float64(i) })
}

func joinParts[T expr.Elem](t *testing.T, value func(i int) T) {
	t.Helper()
	const rows = 5
	for _, lengths := range [][]int{{18, 27}, {1, 64, 2}, {33, 40, 7, 70}, {3, 9, 30, 31, 65}, {130, 300}, {511, 1}, {513, 200}, {2100, 5}} {
		for _, backend := range engine.Backends() {
			var parts []expr.Exp[T]
			var want [rows][]T
			n := 0
			for k, length := range lengths {
				x := engine.FromFunc(func(at []int) T { return value((k+1)*1000*at[0] + at[1]) }, rows, length)
				parts = append(parts, x)
				for i := range want {
					for j := range length {
						want[i] = append(want[i], x.At(i, j))
					}
				}
				n += length
			}
			y, planes := engine.Zeros[T](rows, n), engine.Zeros[T](rows, n, 3)
			var blocks []expr.Exp[T]
			for _, x := range parts {
				block, err := engine.Eval(op.Stack(2, x, x, x))
				if err != nil {
					t.Fatal(err)
				}
				blocks = append(blocks, block)
			}
			if err := engine.RunWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, op.Concat(1, parts...)), expr.Let(planes, op.Concat(1, blocks...))); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				for j, v := range want[i] {
					if y.At(i, j) != v || planes.At(i, j, 0) != v || planes.At(i, j, 2) != v {
						t.Fatalf("%s: %T, rows of %v: element %d of row %d is %v, want %v", backend, v, lengths, j, i, y.At(i, j), v)
					}
				}
			}
		}
	}
}
