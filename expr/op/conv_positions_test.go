package op_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

type real interface {
	int8 | uint16 | int64 | uint64 | float32 | float64
}

// few returns a tensor of few values, so that windows have equal extremes: small integers, and of
// floats zeros of both signs, NaN and infinities.
func few[T real](rnd *rand.Rand, dims []int) *engine.Tensor[T] {
	x := engine.Zeros[T](dims...)
	d := x.Data()
	for i := range d {
		v := rnd.IntN(8)
		d[i] = T(v % 4)
		if zero := T(0); T(1)/T(2) != zero && v > 3 { // floats
			special := []float64{math.NaN(), math.Inf(-1), math.Inf(1), math.Copysign(0, -1)}
			if d[i] = T(special[v-4]); rnd.IntN(4) > 0 {
				d[i] = T(math.Inf(-1))
			}
		}
	}
	return x
}

// firstOf is the definition of ArgMaxPool and ArgMinPool for one window: the position in the last
// axes of x of the first extreme or NaN among the elements of the window at p of image number.
func firstOf[T real](x []T, dims shape.Shape, p []int, s op.Sliding, stride []int, less func(a, b T) bool) int64 {
	best := -1
	for e := range shape.Shape(s.Kernel).Indices() {
		at, ok := inside(dims, p, e, s, stride)
		if !ok {
			continue
		}
		i, _ := dims.Offset(at...)
		if best < 0 || x[best] == x[best] && (x[i] != x[i] || less(x[best], x[i])) {
			best = i
		}
	}
	return int64(best)
}

func positionsOf[T real](t *testing.T, dims shape.Shape, s op.Sliding) {
	t.Helper()
	x := few[T](rand.New(rand.NewPCG(1, 2)), dims)
	stride := s.Stride
	if stride == nil {
		stride = s.Kernel
	}
	lead := len(dims) - len(s.Kernel)
	image := dims[lead:]
	for name, c := range map[string]struct {
		got  expr.Exp[int64]
		less func(a, b T) bool
	}{
		"max": {op.ArgMaxPool(expr.Exp[T](x), s), func(a, b T) bool { return a < b }},
		"min": {op.ArgMinPool(expr.Exp[T](x), s), func(a, b T) bool { return a > b }},
	} {
		got, out := eval(t, c.got)
		want := make([]int64, 0, len(got))
		for i := range dims[:lead].Size() {
			for p := range shape.Shape(out[lead:]).Indices() {
				want = append(want, firstOf(x.Data()[i*image.Size():(i+1)*image.Size()], image, p, s, stride, c.less))
			}
		}
		if !slices.Equal(got, want) {
			i := 0
			for got[i] == want[i] {
				i++
			}
			t.Errorf("%T %v %+v: %s %d is at %d, want %d", x.Data()[0], dims, s, name, i, got[i], want[i])
		}
	}
}

// TestArgMaxPool compares positions with their definition, of few windows and many, with padding,
// steps and dilation, over one to three axes.
func TestArgMaxPool(t *testing.T) {
	for _, c := range []struct {
		dims shape.Shape
		s    op.Sliding
	}{
		{shape.Shape{5}, op.Sliding{Kernel: []int{1}}},
		{shape.Shape{0, 6}, op.Sliding{Kernel: []int{2}}},
		{shape.Shape{3, 40}, op.Sliding{Kernel: []int{3}, Stride: []int{1}, Padding: []int{2}}},
		{shape.Shape{2100}, op.Sliding{Kernel: []int{5}, Stride: []int{2}, Padding: []int{1}, Dilation: []int{2}}},
		{shape.Shape{2, 9, 11}, op.Sliding{Kernel: []int{2, 2}}},
		{shape.Shape{3, 70, 61}, op.Sliding{Kernel: []int{2, 2}}},
		{shape.Shape{3, 70, 61}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}}},
		{shape.Shape{50, 40}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{1, 1}, Padding: []int{1, 2}, Dilation: []int{1, 3}}},
		{shape.Shape{50, 40}, op.Sliding{Kernel: []int{5, 2}, Stride: []int{1, 3}}},
		{shape.Shape{60, 50}, op.Sliding{Kernel: []int{1, 3}, Stride: []int{1, 1}, Padding: []int{0, 1}}},
		{shape.Shape{40, 60}, op.Sliding{Kernel: []int{9, 9}, Stride: []int{3, 3}, Padding: []int{4, 4}}},
		{shape.Shape{2, 12, 14, 16}, op.Sliding{Kernel: []int{3, 3, 3}, Stride: []int{1, 1, 1}, Padding: []int{1, 1, 1}}},
		{shape.Shape{2, 18, 14, 16}, op.Sliding{Kernel: []int{6, 7, 8}}},
	} {
		positionsOf[float32](t, c.dims, c.s)
		positionsOf[float64](t, c.dims, c.s)
		positionsOf[int8](t, c.dims, c.s)
		positionsOf[uint16](t, c.dims, c.s)
		positionsOf[int64](t, c.dims, c.s)
	}
}

// TestUnpoolAt checks that the elements of a gradient at the positions of maxima, of several types, are the gradient of the
// maxima, and that a position outside of its window counts for nothing.
func TestUnpoolAt(t *testing.T) {
	three, five := op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}}, op.Sliding{Kernel: []int{5, 5}, Stride: []int{2, 1}, Padding: []int{2, 2}}
	for _, c := range []struct {
		dims shape.Shape
		s    op.Sliding
	}{
		{shape.Shape{4, 9, 12}, three},
		{shape.Shape{3, 70, 62}, three},
		{shape.Shape{2, 3, 14, 15}, five},
		{shape.Shape{190, 191}, five},
		{shape.Shape{20, 0}, op.Sliding{Kernel: []int{12, 1}, Stride: []int{3, 1}}},
		{shape.Shape{2, 30, 31}, op.Sliding{Kernel: []int{3, 4}, Stride: []int{2, 1}, Padding: []int{2, 3}, Dilation: []int{3, 2}}},
		{shape.Shape{3, 100}, op.Sliding{Kernel: []int{12}, Stride: []int{3}}},
		{shape.Shape{2, 8, 9, 10}, op.Sliding{Kernel: []int{3, 3, 3}, Stride: []int{2, 2, 1}, Padding: []int{1, 1, 1}}},
		{shape.Shape{40, 42}, op.Sliding{Kernel: []int{5, 5}, Stride: []int{5, 7}}},
	} {
		dims, s := c.dims, c.s
		x := few[float64](rand.New(rand.NewPCG(3, 4)), dims)
		y := op.MaxPool(expr.Exp[float64](x), s)
		pools := y.Node().Shape()
		g := iota[float64](pools.Size())
		out := op.Reshape[float64](g, pools...)
		back, err := grad.VJP(y, out, expr.Exp[float64](x))
		if err != nil {
			t.Fatal(err)
		}
		at := op.ArgMaxPool(expr.Exp[float64](x), s)
		want, _ := eval(t, back[0])
		if got, _ := eval(t, op.UnpoolAt(out, at, dims, s)); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", dims, got, want)
		}
		for _, e := range []expr.Exp[float64]{
			op.UnpoolAt(out, op.Cast[int32](at), dims, s), op.UnpoolAt(out, op.Cast[uint16](at), dims, s),
			op.UnpoolAt(out, op.Cast[uint32](at), dims, s), op.UnpoolAt(out, op.Cast[uint64](at), dims, s),
		} {
			if got, _ := eval(t, e); !slices.Equal(got, want) {
				t.Errorf("%v: %v, want %v of %v", dims, got, want, e.Node())
			}
		}
		sum := 0.
		for _, v := range want {
			sum += v
		}
		if n := float64(pools.Size()); sum != n*(n+1)/2 {
			t.Errorf("%v: the gradients have the sum %v, not that of %v windows", dims, sum, n)
		}
		for _, far := range []int64{-1, int64(dims.Size()), 1<<33 + 1, math.MinInt64} {
			for _, e := range []expr.Exp[float64]{
				op.UnpoolAt(out, op.BroadcastTo[int64](expr.Const(far), pools...), dims, s),
				op.UnpoolAt(out, op.BroadcastTo[uint64](expr.Const(uint64(far)), pools...), dims, s),
				op.UnpoolAt(out, op.BroadcastTo[uint32](expr.Const(uint32(min(max(far, 1<<31), math.MaxUint32))), pools...), dims, s),
			} {
				if got, _ := eval(t, e); slices.ContainsFunc(got, func(v float64) bool { return v != 0 }) {
					t.Errorf("%v: position %d counts in %v", dims, far, e.Node())
				}
			}
		}
		anywhere, want := unpooledAnywhere(dims, pools, s)
		if got, _ := eval(t, op.UnpoolAt(out, expr.Exp[int64](anywhere), dims, s)); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", dims, got, want)
		}
	}
}

// unpooledAnywhere returns positions near to those of windows, in them and outside, and what op.UnpoolAt makes of them and of 1, 2, ...
func unpooledAnywhere(dims, pools shape.Shape, s op.Sliding) (*engine.Tensor[int64], []float64) {
	lead, rnd := len(dims)-len(s.Kernel), rand.New(rand.NewPCG(5, 6))
	image, at, sum, k := dims[lead:], engine.Zeros[int64](pools...), make([]float64, dims.Size()), 0
	for i := range dims[:lead].Size() {
		for p := range pools[lead:].Indices() {
			elements := map[int]bool{}
			for e := range shape.Shape(s.Kernel).Indices() {
				if place, ok := inside(image, p, e, s, s.Stride); ok {
					n, _ := image.Offset(place...)
					elements[n] = true
					if at.Data()[k] == 0 || rnd.IntN(4) == 0 {
						at.Data()[k] = int64(n + max(0, rnd.IntN(6)-3)*(1-2*rnd.IntN(2)))
					}
				}
			}
			if n := int(at.Data()[k]); elements[n] {
				sum[i*image.Size()+n] += float64(k + 1)
			}
			k++
		}
	}
	return at, sum
}

// TestShortPositions compares the positions of extremes along short axes of many rows, which are
// written out, with a loop.
func TestShortPositions(t *testing.T) {
	t.Run("float32", shortPositions[float32])
	t.Run("float64", shortPositions[float64])
	t.Run("int8", shortPositions[int8])
	t.Run("uint64", shortPositions[uint64])
}

func shortPositions[T real](t *testing.T) {
	for _, dims := range []shape.Shape{{100, 1}, {100, 2}, {2000, 3}, {333, 16}, {70, 17}} {
		x := few[T](rand.New(rand.NewPCG(5, 6)), dims)
		for name, of := range map[string]expr.Exp[T]{"rows": x, "columns": op.Transpose[T](op.Add(expr.Exp[T](x), expr.Const(T(0)))), "turned": op.Transpose[T](x)} {
			axis := 1
			if name != "rows" {
				axis = 0
			}
			got, _ := eval(t, op.ArgMax(of, op.Axis(axis)))
			for i, g := range got {
				row := x.Data()[i*dims[1] : (i+1)*dims[1]]
				want := 0
				for k, v := range row {
					if b := row[want]; b == b && (v != v || v > b) {
						want = k
					}
				}
				if g != int64(want) {
					t.Fatalf("%v, %s, row %d, %v: %d, want %d", dims, name, i, row, g, want)
				}
			}
		}
	}
}

// TestPaddedPoolGradient compares the gradient of pools with its definition, where some windows have nothing but padding, which
// receives nothing, and where the elements are the lowest values, which padding equals.
func TestPaddedPoolGradient(t *testing.T) {
	for _, s := range []op.Sliding{
		{Kernel: []int{2, 3}, Stride: []int{1, 1}, Padding: []int{3, 4}},
		{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}},
		{Kernel: []int{3, 2}, Stride: []int{1, 2}, Padding: []int{2, 5}, Dilation: []int{2, 3}},
	} {
		image := shape.Shape{30, 40}
		for _, lowest := range []float64{math.Inf(-1), 0} {
			x := few[float64](rand.New(rand.NewPCG(7, 8)), image)
			for i := range x.Data() {
				if lowest != 0 && i%5 > 0 {
					x.Data()[i] = lowest
				}
			}
			y := op.MaxPool(expr.Exp[float64](x), s)
			pools := y.Node().Shape()
			back, err := grad.VJP(y, op.Reshape[float64](iota[float64](pools.Size()), pools...), expr.Exp[float64](x))
			if err != nil {
				t.Fatal(err)
			}
			want, n := make([]float64, image.Size()), 0.
			for p := range pools.Indices() {
				n++
				if i := firstOf(x.Data(), image, p, s, s.Stride, func(a, b float64) bool { return a < b }); i >= 0 {
					want[i] += n
				}
			}
			if got, _ := eval(t, back[0]); !slices.Equal(got, want) {
				t.Errorf("%+v, %v: %v, want %v", s, lowest, got, want)
			}
		}
	}
}
