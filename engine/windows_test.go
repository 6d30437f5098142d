package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// TestWindowsAreSlices counts the stages of windows. A reduction of small windows
// is one loop over slices, with the bits of the reduction of stored windows. A
// gradient stores at most what each of its windows reads.
func TestWindowsAreSlices(t *testing.T) {
	x, k := numbers(20, 30), numbers(3, 3)
	side := op.Window{Size: 3}
	w := op.Windows[float32](x, side, side)
	padded := op.Windows(op.Pad[float32](x, [][2]int{{1, 1}, {1, 1}}, 0), side, side)
	filter := op.Sum(op.Mul(w, expr.Exp[float32](k)), op.Axis(2, 3))
	images, weight := numbers(2, 4, 9, 9), numbers(3, 4, 3, 3)
	conv := op.Conv[float32](images, weight, op.Sliding{Padding: []int{1}})
	of := func(e, x expr.Exp[float32]) expr.Exp[float32] {
		g, err := grad.Of(op.Sum(op.Square(e)), x)
		if err != nil {
			t.Fatal(err)
		}
		return g[0]
	}
	for name, c := range map[string]struct {
		e    expr.Exp[float32]
		most int
	}{
		"filter":             {filter, 1},
		"maximum":            {op.Max(w, op.Axis(2, 3)), 1},
		"padded maximum":     {op.Max(padded, op.Axis(2, 3)), 6}, // the array and its four borders, the maximum
		"gradient of filter": {of(filter, x), 2},
		"pool":               {op.MaxPool[float32](images, op.Sliding{Kernel: []int{2, 2}, Stride: []int{1}}), 1},
		"pool with steps":    {op.MaxPool[float32](images, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2}}), 1},
		"convolution":        {conv, 6}, // the image and its four borders, the product
		"gradient of images": {of(conv, images), 13},
	} {
		y := engine.Zeros[float32](expr.NodeOf(c.e).Shape()...)
		p, err := engine.Compile(context.Background(), expr.Let[float32](y, c.e))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count("\n"+p.Explain(), "\nstage "); n > c.most {
			t.Errorf("%s has %d stages, want at most %d:\n%s", name, n, c.most, p.Explain())
		}
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	stored := engine.Zeros[float32](18, 28, 9)
	got, want := engine.Zeros[float32](18, 28), engine.Zeros[float32](18, 28)
	for _, err := range []error{
		stored.Assign(op.Reshape(op.Mul(w, expr.Exp[float32](k)), 18, 28, 9)), want.Assign(op.Sum[float32](stored, op.Axis(2))), got.Assign(filter),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got.Data(), want.Data()) {
		t.Error("the filter and the sum of stored products differ")
	}
}

// numbers returns a tensor of fractions.
func numbers(dims ...int) *engine.Tensor[float32] {
	x := engine.Zeros[float32](dims...)
	for i := range x.Data() {
		x.Data()[i] = float32(i*7919%1013) / 1013
	}
	return x
}

// TestLargeWindows compares reductions of windows of more float64 than a block has lanes, which are written out, with those of stored
// windows.
func TestLargeWindows(t *testing.T) {
	for _, k := range []int{6, 7, 8} {
		for stride, f := range map[int]func(x expr.Exp[float64], opts ...op.ReduceOption) expr.Exp[float64]{1: op.Sum[float64], k: op.Max[float64]} {
			x := engine.Zeros[float64](7*stride+k, 8*stride+k)
			for i := range x.Data() {
				x.Data()[i] = 1 / float64(1+i*i%997)
			}
			side := op.Window{Size: k, Stride: stride}
			w := op.Windows[float64](x, side, side)
			got, stored := engine.Zeros[float64](8, 9), engine.Zeros[float64](8, 9, k, k)
			p, err := engine.Compile(t.Context(), expr.Let(got, f(w, op.Axis(2, 3))))
			if err != nil {
				t.Fatal(err)
			}
			if err := cmp.Or(p.Run(t.Context()), stored.Assign(w)); err != nil {
				t.Fatal(err)
			}
			if views := fmt.Sprintf("as %d views", k*k); !strings.Contains(p.Explain(), views) {
				t.Errorf("%d x %d with steps of %d does not read its array %s:\n%s", k, k, stride, views, p.Explain())
			}
			want, err := engine.Eval(f(stored.Reshape(8, 9, k*k), op.Axis(2)))
			if err != nil || !slices.Equal(got.Data(), want.Data()) {
				t.Errorf("%d x %d with steps of %d: %v, not %v: %v", k, k, stride, got, want, err)
			}
		}
	}
}

// TestLongRowsOfWindows compares sums of windows along one axis with those of stored windows: along rows of elements side by side and
// of elements apart, down columns, with weights, and over a border. All but the longest with weights are written out.
func TestLongRowsOfWindows(t *testing.T) {
	testLongRowsOfWindows[float32](t)
	testLongRowsOfWindows[float64](t)
	testLongRowsOfWindows[int64](t)
}

func testLongRowsOfWindows[T float32 | float64 | int64](t *testing.T) {
	for _, c := range []struct {
		rows, columns, k, dilation, border int
		step                               int // of the windows along the other axis
		down                               bool
	}{
		{rows: 1, columns: 1500, k: 17},
		{rows: 9, columns: 300, k: 31},
		{rows: 9, columns: 300, k: 33, border: 16},
		{rows: 5, columns: 400, k: 48, dilation: 2},
		{rows: 7, columns: 330, k: 64},
		{rows: 30, columns: 300, k: 33, step: 3},
		{rows: 200, columns: 33, k: 65, down: true},
		{rows: 300, columns: 40, k: 97, down: true},
		{rows: 300, columns: 40, k: 224, down: true},
	} {
		x, border := engine.Zeros[T](c.rows, c.columns), [][2]int{{}, {c.border, c.border}}
		for i := range x.Data() {
			x.Data()[i] = T(float64(i*7919%1013) / 7)
		}
		side, one := op.Window{Size: c.k, Dilation: c.dilation}, op.Window{Stride: c.step}
		weights, w := op.Reshape(op.Linspace[T](3, 1, c.k), 1, c.k), op.Windows(op.Pad[T](x, border, 0), one, side)
		if c.down {
			weights, w = op.Reshape(weights, c.k, 1), op.Windows[T](x, side, one)
		}
		for name, e := range map[string]expr.Exp[T]{"plain": w, "weighted": op.Mul(w, weights)} {
			dims := e.Node().Shape()
			got, stored := engine.Zeros[T](dims[:2]...), engine.Zeros[T](dims...)
			p, err := engine.Compile(t.Context(), expr.Let(got, op.Sum(e, op.Axis(2, 3))))
			if err != nil {
				t.Fatal(err)
			}
			if err := cmp.Or(p.Run(t.Context()), stored.Assign(e)); err != nil {
				t.Fatal(err)
			}
			want, err := engine.Eval(op.Sum[T](stored.Reshape(dims[0], dims[1], c.k), op.Axis(2)))
			if err != nil || !slices.Equal(got.Data(), want.Data()) {
				t.Errorf("%s sums of %+v of %T differ: %v", name, c, x, err)
			}
			written := strings.Contains(p.Explain(), fmt.Sprintf("as %d views", c.k))
			if _, float := any(x).(*engine.Tensor[float32]); float && written != (c.k < 48 || name == "plain" && c.k != 64) {
				t.Errorf("%s sums of %+v: written out %t", name, c, written)
			}
		}
	}
}

// TestBlocksOfExtremes compares extremes of windows side by side, with a rest of the array and without, with those of stored windows.
// They share those of columns.
func TestBlocksOfExtremes(t *testing.T) {
	const rows, columns = 32, 33
	for _, k := range []int{9, 14} {
		for rest := range 2 {
			x := engine.Zeros[float32](rows*k+rest, columns*k+rest)
			for i := range x.Data() {
				x.Data()[i] = float32(i*7919%1013) - 500
			}
			x.Data()[k], x.Data()[2*k] = float32(math.NaN()), float32(math.Inf(-1))
			side := op.Window{Size: k, Stride: k}
			w := op.Windows[float32](x, side, side)
			got, stored := engine.Zeros[float32](rows, columns), engine.Zeros[float32](rows, columns, k, k)
			p, err := engine.Compile(t.Context(), expr.Let(got, op.Min(w, op.Axis(2, 3))))
			if err != nil {
				t.Fatal(err)
			}
			if err := cmp.Or(p.Run(t.Context()), stored.Assign(w)); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(p.Explain(), "share the results") {
				t.Errorf("windows of %d share nothing:\n%s", k, p.Explain())
			}
			want, err := engine.Eval(op.Min[float32](stored.Reshape(rows, columns, k*k), op.Axis(2)))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got.Data() {
				if w := want.Data()[i]; math.Float32bits(v) != math.Float32bits(w) && (v == v || w == w) { // all NaNs are equal
					t.Fatalf("windows of %d, rest %d: minimum %d is %v, not %v", k, rest, i, v, w)
				}
			}
		}
	}
}

// TestSharedParts compares reductions of integers over long windows along one axis and over squares with those of stored windows. Windows
// share the results of their parts, also where these leave a rest, with steps, and with padding that is no identity. Sums of neighbours follow from each other.
func TestSharedParts(t *testing.T) {
	sharesParts[int64](t)
	sharesParts[int8](t)
}

func sharesParts[T int8 | int64](t *testing.T) {
	t.Helper()
	reduce := func(name string, x expr.Exp[T], axes ...int) expr.Exp[T] {
		return expr.Of[T](untyped.Reduce(name, x.Node(), untyped.Options{Axes: axes}))
	}
	for _, c := range []struct {
		size, stride, dilation, padding int
		rows                            bool
	}{{20, 1, 1, 0, false}, {101, 1, 1, 0, false}, {101, 1, 1, 3, true}, {101, 2, 1, 3, false}, {60, 1, 3, 0, false}, {67, 2, 2, 5, false}} {
		for _, name := range []string{"sum", "prod", "reduce_xor", "reduce_or", "max"} {
			x := engine.Zeros[T](300, 16)
			if c.rows {
				x = engine.Zeros[T](16, 300)
			}
			for i := range x.Data() {
				x.Data()[i] = T(i*7919%1013) | 1
			}
			padded := op.Pad[T](x, [][2]int{{c.padding, c.padding}, {c.padding, c.padding}}, 7)
			for _, across := range []op.Window{{}, {Size: 5}} {
				sides := []op.Window{{Size: c.size, Stride: c.stride, Dilation: c.dilation}, across}
				if c.rows {
					slices.Reverse(sides)
				}
				w := op.Windows(padded, sides...)
				dims := w.Node().Shape()
				got, stored := engine.Zeros[T](dims[:2]...), engine.Zeros[T](dims...)
				p, err := engine.Compile(t.Context(), expr.Let(got, reduce(name, w, 2, 3)))
				if err = cmp.Or(err, p.Run(t.Context()), stored.Assign(w)); err != nil {
					t.Fatal(err)
				}
				moves := name == "sum" && across.Size == 0 && c.stride == 1 && c.dilation == 1
				if text := p.Explain(); !strings.Contains(text, "share the results") && !(moves && strings.Contains(text, "as 2 views")) {
					t.Errorf("%s of %+v shares nothing:\n%s", name, c, p.Explain())
				}
				want, err := engine.Eval(reduce(name, stored.Reshape(dims[0], dims[1], dims[2]*dims[3]), 2))
				if err != nil || !slices.Equal(got.Data(), want.Data()) {
					t.Errorf("%s of %+v beside %+v differs: %v", name, c, across, err)
				}
			}
		}
	}
}

// TestPaddedPoolsStoreNoPadding counts the temporaries of padded pools of several ranks: the extremes along
// one axis, of windows that overlap. Their loops are cut at the border, also where windows are two elements apart.
func TestPaddedPoolsStoreNoPadding(t *testing.T) {
	for _, dims := range [][]int{{60, 70}, {5, 40, 31}, {2, 3, 30, 33}} {
		for stride := 1; stride <= 3; stride++ {
			x, window := numbers(dims...), op.Sliding{Kernel: []int{3, 3}, Stride: []int{stride}, Padding: []int{1}}
			e := op.MaxPool[float32](x, window)
			y := engine.Zeros[float32](expr.NodeOf(e).Shape()...)
			p, err := engine.Compile(context.Background(), expr.Let[float32](y, e))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(p.Plan().Temps); n > 1 || stride == 3 && n > 0 {
				t.Errorf("%v with stride %d:\n%s", dims, stride, p.Explain())
			}
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			h, w := dims[len(dims)-2], dims[len(dims)-1]
			out := expr.NodeOf(e).Shape()[len(dims)-2:]
			for i, got := range y.Data() {
				image, row, col := i/out.Size()*h*w, i/out[1]%out[0]*stride, i%out[1]*stride
				want := float32(-1)
				for r := max(row-1, 0); r < min(row+2, h); r++ {
					want = max(want, slices.Max(x.Data()[image+r*w+max(col-1, 0):image+r*w+min(col+2, w)]))
				}
				if got != want {
					t.Fatalf("%v with stride %d: element %d is %v, not %v", dims, stride, i, got, want)
				}
			}
		}
	}
}
