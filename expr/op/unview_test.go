package op_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestUnslice checks that Unslice puts elements where Slice takes them from.
func TestUnslice(t *testing.T) {
	x := iota[float64](3)
	got, s := eval(t, op.Unslice[float64](x, []int{7}, op.By(op.From(1), 2)))
	if !slices.Equal(s, []int{7}) || !slices.Equal(got, []float64{0, 1, 0, 2, 0, 3, 0}) {
		t.Errorf("got %v %v", s, got)
	}
	got, _ = eval(t, op.Unslice[float64](x, []int{8}, op.By(op.Range(-2, 1), -2)))
	if !slices.Equal(got, []float64{0, 0, 3, 0, 2, 0, 1, 0}) {
		t.Errorf("backwards: %v", got)
	}
	m := iota[float64](2, 3)
	spans := []op.Span{op.By(op.Span{}, -1), op.By(op.From(1), 3)}
	back, _ := eval(t, op.Slice(op.Unslice[float64](m, []int{2, 9}, spans...), spans...))
	if !slices.Equal(back, m.Data()) {
		t.Errorf("there and back: %v", back)
	}
	fails(t, "another count", op.Unslice[float64](x, []int{7}, op.By(op.Span{}, 2)).Node(), expr.ErrShape)
	fails(t, "another rank", op.Unslice[float64](x, []int{7, 7}).Node(), expr.ErrShape)
	fails(t, "a step of 0", op.Unslice[float64](x, []int{7}, op.From(9)).Node(), expr.ErrShape)
	row, _ := untyped.Lookup("unslice")
	for _, ints := range [][]int{{0, 3, 6}, {5, -3, 7}, {-1, 1, 7}, {0, 0, 7}, {0, 1, -1}, {0, math.MaxInt, 7}, {6, math.MinInt, 7}, {math.MaxInt, 1, math.MaxInt}, {0, 1}} {
		fails(t, fmt.Sprint(ints), tree.ApplyWith(row, tree.Attributes{Ints: ints}, x.Node()), expr.ErrShape)
	}
}

// dot returns the sum of products.
func dot(t *testing.T, a, b expr.Exp[float64]) float64 {
	t.Helper()
	got, _ := eval(t, op.Sum(op.Mul(a, b)))
	return got[0]
}

// TestUnwindows checks that Unwindows is the adjoint of Windows: <Wx, y> = <x,
// W'y>. It is exact because the elements are integers.
func TestUnwindows(t *testing.T) {
	for _, c := range []struct {
		dims []int
		w    []op.Window
	}{
		{[]int{10}, []op.Window{{Size: 3}}},
		{[]int{11}, []op.Window{{Size: 3, Stride: 2, Dilation: 2}}},
		{[]int{6, 7}, []op.Window{{Size: 2, Stride: 2}, {Size: 3, Dilation: 2}}},
	} {
		x := iota[float64](c.dims...)
		windows := op.Windows[float64](x, c.w...)
		y := op.Reshape[float64](iota[float64](windows.Node().Shape().Size()), windows.Node().Shape()...)
		if a, b := dot(t, windows, y), dot(t, x, op.Unwindows(y, c.dims, c.w...)); a != b {
			t.Errorf("%v of %v: %g and %g", c.w, c.dims, a, b)
		}
		// Gathering the scattered windows gives the windows back.
		counts := windows.Node().Shape()[:len(c.dims)]
		back := op.WindowGather(op.WindowScatter(y, c.dims, c.w...), counts, c.w...)
		if n := dot(t, op.Square(op.Sub(back, y)), op.Full[float64](1)); n != 0 {
			t.Errorf("%v of %v: gathered again they differ by %g", c.w, c.dims, n)
		}
	}
	y := engine.Zeros[float64](4, 3)
	fails(t, "a size too small", op.Unwindows[float64](y, []int{5}, op.Window{Size: 3}).Node(), expr.ErrShape)
	fails(t, "no size", op.Unwindows[float64](y, nil, op.Window{Size: 3}).Node(), expr.ErrShape)
	fails(t, "a stride that overflows", op.WindowScatter[float64](y, []int{7}, op.Window{Stride: math.MaxInt}).Node(), expr.ErrShape)
	fails(t, "a dilation that overflows", op.WindowScatter[float64](y, []int{7}, op.Window{Dilation: math.MaxInt}).Node(), expr.ErrShape)
	fails(t, "too many", op.WindowGather[float64](y, []int{3}, op.Window{}).Node(), expr.ErrShape)
	fails(t, "an odd rank", op.WindowScatter[float64](engine.Zeros[float64](4), []int{4}).Node(), expr.ErrShape)
}
