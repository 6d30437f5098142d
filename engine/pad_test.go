package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// TestPadding compares paddings that are stored as several loops with loops of Go, also to
// targets with strides, and from elements of the target.
func TestPadding(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {3, 3}, {100, 5}, {70, 40}, {120, 130}, {200, 63}, {3000, 7}, {300, 200}} {
		for _, w := range [][2][2]int{{{1, 1}, {1, 1}}, {{0, 0}, {2, 0}}, {{3, 0}, {0, 0}}, {{0, 1}, {0, 70}}} {
			elements := make([]int32, dims[0]*dims[1])
			for i := range elements {
				elements[i] = int32(i + 1)
			}
			x := engine.MustFromSlice(elements, dims[0], dims[1])
			rows, columns := dims[0]+w[0][0]+w[0][1], dims[1]+w[1][0]+w[1][1]
			e := op.Pad(x, w[:], -7)
			back := shape.By(shape.Slice{}, -1)
			inside := engine.Zeros[int32](rows, columns)
			part := inside.Span(shape.Range(w[0][0], w[0][0]+dims[0]), shape.Range(w[1][0], w[1][0]+dims[1]))
			if err := part.Assign(x); err != nil {
				t.Fatal(err)
			}
			for name, c := range map[string]struct {
				y *engine.Tensor[int32]
				e expr.Exp[int32]
			}{
				"rows":            {engine.Zeros[int32](rows, columns), e},
				"turned":          {engine.Zeros[int32](rows, 2*columns).Span(back, shape.By(shape.Slice{}, 2)), e},
				"columns":         {engine.Zeros[int32](columns, rows).Transpose(), e},
				"from the target": {inside, op.Pad(part, w[:], -7)},
			} {
				if err := c.y.Assign(c.e); err != nil {
					t.Fatal(err)
				}
				if err := checkPadding(c.y, dims, w); err != nil {
					t.Errorf("%v padded by %v, %s: %v", dims, w, name, err)
				}
			}
		}
	}
}

// TestRepeatedPadding stores paddings to targets with more axes, or whose axes repeat those of the padding.
func TestRepeatedPadding(t *testing.T) {
	for _, c := range []struct {
		dims   []int
		widths [][2]int
		target []int
	}{
		{[]int{100}, [][2]int{{1, 2}}, []int{4, 103}},
		{[]int{20, 30}, [][2]int{{1, 1}, {0, 2}}, []int{3, 22, 32}},
		{[]int{11, 9, 11}, [][2]int{{0, 0}, {3, 0}, {0, 0}}, []int{1, 11, 12, 11}},
		{[]int{70, 1}, [][2]int{{2, 1}, {0, 0}}, []int{73, 50}},
		{[]int{1, 70}, [][2]int{{0, 0}, {2, 1}}, []int{2, 50, 73}},
	} {
		x := engine.Zeros[int32](c.dims...)
		for i := range x.Data() {
			x.Data()[i] = int32(i + 1)
		}
		e := op.Pad(x, c.widths, -7)
		y, padded := engine.Zeros[int32](c.target...), engine.Zeros[int32](expr.NodeOf(e).Shape()...)
		if err := y.Assign(e); err != nil {
			t.Fatal(err)
		}
		at := make([]int, len(c.dims))
		for i := range padded.Data() { // by Go: the operand or the fill
			k, inside, rest := 0, true, i
			for axis := len(at) - 1; axis >= 0; axis-- {
				d := padded.Shape()[axis]
				at[axis] = rest%d - c.widths[axis][0]
				rest /= d
			}
			for axis, d := range c.dims {
				inside = inside && 0 <= at[axis] && at[axis] < d
				k = k*d + at[axis]
			}
			if padded.Data()[i] = -7; inside {
				padded.Data()[i] = x.Data()[k]
			}
		}
		want := engine.Zeros[int32](c.target...)
		if err := want.Assign(padded); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(y.Data(), want.Data()) {
			t.Errorf("%v padded by %v, stored to %v: wrong elements", c.dims, c.widths, c.target)
		}
	}
}

// TestFailedParts tests that paddings and concatenations of what fails in a loop of its own store nothing.
func TestFailedParts(t *testing.T) {
	const n = 40
	x, at := engine.Ones[float32](n, n), engine.Zeros[int64](n)
	at.Data()[17] = n
	bad := op.Take(x, expr.Exp[int64](at), 0)
	widths := [][2]int{{1, 1}, {1, 1}}
	for name, e := range map[string]expr.Exp[float32]{
		"padded difference":    op.Pad(less(op.Sort(bad, 1)), widths, 1),
		"padded windows":       op.Pad(op.Sum(op.Windows(op.Exp(op.MatMul(bad, x)), op.Window{Size: 3}, op.Window{Size: 3}), op.Axis(2, 3)), widths, 1),
		"concatenated":         op.Concat(0, expr.Exp[float32](x), less(op.Sort(bad, 1))),
		"concatenated product": op.Concat(0, expr.Exp[float32](x), op.Exp(op.MatMul(bad, x))),
	} {
		y := engine.Zeros[float32](expr.NodeOf(e).Shape()...)
		if err := y.Assign(e); !errors.Is(err, expr.ErrIndex) {
			t.Errorf("%s: error %v", name, err)
		}
		if slices.ContainsFunc(y.Data(), func(v float32) bool { return v != 0 }) {
			t.Errorf("%s: the target has changed", name)
		}
	}
}

// TestFailedComplex tests that an assignment to complex elements stores no real parts if the imaginary ones fail.
func TestFailedComplex(t *testing.T) {
	const n = 300
	x, at, m := engine.Ones[float64](n), engine.Zeros[int64](n), engine.Ones[float64](n, 4)
	at.Data()[17] = n
	bad := op.Reshape(op.ScatterAdd(expr.Exp[int64](at), expr.Exp[float64](x), 0, n), n/10, 10)
	taken := op.MatMul(op.Take[float64](m, expr.Exp[int64](at), 0), op.Transpose[float64](m))
	good := op.Reshape(op.ScatterAdd(expr.Exp[int64](engine.Zeros[int64](n)), expr.Exp[float64](x), 0, n), n/10, 10)
	for name, e := range map[string]expr.Exp[complex128]{
		"scatter":               op.Complex[complex128](good, bad),
		"scatter of real parts": op.Complex[complex128](bad, good),
		"padded":                op.Concat(0, op.Complex[complex128](op.Exp(good), bad), op.Complex[complex128](good, good)),
		"product":               op.Complex[complex128](op.MatMul[float64](m, op.Transpose[float64](m)), taken),
		"product, added":        op.Complex[complex128](op.Add(op.MatMul[float64](m, op.Transpose[float64](m)), op.MatMul[float64](m, op.Transpose[float64](m))), op.Reshape(taken, n, n)),
	} {
		y := engine.Zeros[complex128](expr.NodeOf(e).Shape()...)
		for i, assign := range []func(expr.Exp[complex128]) error{y.Assign, y.AddAssign, y.MulAssign} {
			if err := assign(e); !errors.Is(err, expr.ErrIndex) {
				t.Errorf("%s: error %v", name, err)
			}
			for _, v := range y.Data() {
				if v != 0 {
					t.Errorf("%s: assignment %d: the target has changed", name, i)
					break
				}
			}
		}
	}
}

// less returns x without the maxima of its columns.
func less(x expr.Exp[float32]) expr.Exp[float32] {
	return op.Sub(x, op.Max(x, op.Axis(0), op.KeepDims()))
}

func checkPadding(y *engine.Tensor[int32], dims [2]int, w [2][2]int) error {
	for i := range y.Shape()[0] {
		for j := range y.Shape()[1] {
			want, r, c := int32(-7), i-w[0][0], j-w[1][0]
			if 0 <= r && r < dims[0] && 0 <= c && c < dims[1] {
				want = int32(r*dims[1] + c + 1)
			}
			if got := y.At(i, j); got != want {
				return fmt.Errorf("%d at %d, %d, want %d", got, i, j, want)
			}
		}
	}
	return nil
}

// TestPartsReadTheTarget assigns paddings and concatenations, which are stored by parts, to an array of
// which they read reductions, sorts and products. These are stored before the first part.
func TestPartsReadTheTarget(t *testing.T) {
	type E = expr.Exp[int32]
	w := engine.FromFunc(func(at []int) int32 { return int32(at[0] - 2*at[1]) }, 8, 8)
	for name, f := range map[string]func(x E) E{
		"maximum": func(x E) E {
			return op.Pad(op.Sub(x, op.Max(x, op.Axis(0), op.KeepDims())), [][2]int{{0, 0}, {0, 0}}, -4)
		},
		"maximum, border": func(x E) E {
			return op.Pad(op.Slice(op.Sub(x, op.Max(x, op.Axis(0))), op.Range(1, -1), op.Range(2, -2)), [][2]int{{1, 1}, {2, 2}}, 9)
		},
		"maximum, joined": func(x E) E {
			return op.Concat(0, op.Slice(x, op.Until(20)), op.Sub(op.Slice(x, op.From(20)), op.Max(x, op.Axis(0))))
		},
		"product": func(x E) E {
			return op.Concat(0, op.Slice(x, op.From(40)), op.MatMul[int32](op.Slice(x, op.Until(40)), w))
		},
		"product, padded": func(x E) E { return op.Pad(op.MatMul[int32](op.Slice(x, op.From(1)), w), [][2]int{{1, 0}, {0, 0}}, 3) },
		"sort": func(x E) E {
			return op.Concat(0, op.BroadcastTo(op.Full[int32](1), 1, 8), op.Sort(op.Slice(x, op.From(1)), 0))
		},
		"joined twice": func(x E) E { return op.Concat(0, op.Slice(x, op.From(1)), op.Max(x, op.Axis(0), op.KeepDims())) },
	} {
		x := engine.FromFunc(func(at []int) int32 { return int32((at[0]*37+at[1]*11)%101 - 50) }, 100, 8)
		want, err := engine.Eval(f(x.Clone()))
		if err == nil {
			err = x.Assign(f(x))
		}
		if err != nil || !slices.Equal(x.Values(), want.Values()) {
			t.Errorf("%s: %v, or the result differs from that of a copy", name, err)
		}
	}
}
