package op_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// one returns number i of a list of one or more, or the default.
func one(list []int, i, without int) int {
	if len(list) == 0 {
		return without
	}
	return list[min(i, len(list)-1)]
}

// places returns the shape of the positions of windows over the last axes.
func places(dims shape.Shape, k []int, s op.Sliding, stride []int) (out shape.Shape) {
	for i, n := range k {
		d := dims[len(dims)-len(k)+i] + 2*one(s.Padding, i, 0)
		out = append(out, (d-one(s.Dilation, i, 1)*(n-1)-1)/one(stride, i, 1)+1)
	}
	return out
}

// inside returns the place that element e of the window at place p reads, or false
// if it is padding.
func inside(dims shape.Shape, p, e []int, s op.Sliding, stride []int) (at []int, ok bool) {
	for i, d := range dims {
		x := p[i]*one(stride, i, 1) + e[i]*one(s.Dilation, i, 1) - one(s.Padding, i, 0)
		if x < 0 || x >= d {
			return nil, false
		}
		at = append(at, x)
	}
	return at, true
}

func at(t *engine.Tensor[float64], ix ...int) *float64 {
	offset, err := t.Shape().Offset(ix...)
	if err != nil {
		panic(err)
	}
	return &t.Data()[offset]
}

// convolved is the definition of Conv.
func convolved(x, w *engine.Tensor[float64], s op.Sliding) *engine.Tensor[float64] {
	groups := max(s.Groups, 1)
	k := w.Shape()[2:]
	pos := places(x.Shape(), k, s, s.Stride)
	out := engine.Zeros[float64](slices.Concat([]int{x.Shape()[0], w.Shape()[0]}, pos)...)
	each := w.Shape()[1]
	for ix := range out.Shape().Indices() {
		sum := at(out, ix...)
		g := ix[1] / (w.Shape()[0] / groups)
		for c := range each {
			for e := range k.Indices() {
				if p, ok := inside(x.Shape()[2:], ix[2:], e, s, s.Stride); ok {
					*sum += *at(x, slices.Concat([]int{ix[0], g*each + c}, p)...) * *at(w, slices.Concat([]int{ix[1], c}, e)...)
				}
			}
		}
	}
	return out
}

var convolutions = []struct {
	x, w []int
	s    op.Sliding
}{
	{[]int{2, 3, 7}, []int{4, 3, 3}, op.Sliding{}},
	{[]int{1, 2, 9}, []int{3, 2, 2}, op.Sliding{Stride: []int{2}, Padding: []int{3}, Dilation: []int{3}}},
	{[]int{2, 3, 6, 5}, []int{4, 3, 3, 2}, op.Sliding{Padding: []int{1}}},
	{[]int{2, 4, 8, 9}, []int{6, 2, 3, 3}, op.Sliding{Groups: 2, Stride: []int{2, 1}, Padding: []int{1, 2}, Dilation: []int{1, 2}}},
	{[]int{2, 3, 6, 6}, []int{6, 1, 3, 3}, op.Sliding{Groups: 3, Padding: []int{1}}},
	{[]int{2, 3, 6, 6}, []int{4, 3, 2, 2}, op.Sliding{Stride: []int{2}}},
	{[]int{3, 5, 4, 4}, []int{2, 5, 1, 1}, op.Sliding{}},
	{[]int{1, 2, 4, 5, 3}, []int{3, 2, 2, 3, 2}, op.Sliding{Padding: []int{0, 1, 1}}},
	{[]int{0, 2, 5}, []int{3, 2, 2}, op.Sliding{}},
	{[]int{2, 1, 5, 5}, []int{1, 1, 5, 5}, op.Sliding{}},
	{[]int{1, 3, 20, 19}, []int{2, 3, 7, 7}, op.Sliding{Stride: []int{2}, Padding: []int{3}}},
	{[]int{1, 2, 14, 21}, []int{3, 2, 7, 7}, op.Sliding{Stride: []int{7}}},
	{[]int{1, 2, 71, 70}, []int{2, 2, 7, 6}, op.Sliding{Stride: []int{2}, Padding: []int{3, 2}}}, // many windows
	{[]int{9, 1, 20, 24}, []int{2, 1, 5, 8}, op.Sliding{Stride: []int{1, 2}}},
	{[]int{1, 2, 12, 15}, []int{3, 2, 5, 7}, op.Sliding{Stride: []int{7, 2}, Padding: []int{4, 0}, Dilation: []int{2, 1}}},
	{[]int{2, 2, 130}, []int{3, 2, 40}, op.Sliding{Stride: []int{3}, Padding: []int{2}}},
	{[]int{1, 1, 80}, []int{2, 1, 40}, op.Sliding{Stride: []int{40}}},
	{[]int{1, 1, 5, 6, 7}, []int{2, 1, 3, 4, 5}, op.Sliding{Stride: []int{2, 1, 3}, Padding: []int{1}}},
	{[]int{2, 4, 7, 8}, []int{4, 1, 3, 2}, op.Sliding{Groups: 4, Stride: []int{2, 1}, Padding: []int{1, 0}, Dilation: []int{1, 3}}},
	{[]int{3, 2, 9, 8}, []int{6, 1, 3, 3}, op.Sliding{Groups: 2, Stride: []int{2}, Padding: []int{1}}},
	{[]int{3, 2, 9, 8}, []int{4, 1, 3, 3}, op.Sliding{Groups: 2, Stride: []int{2}, Dilation: []int{2}}},
	{[]int{2, 3, 40}, []int{3, 1, 5}, op.Sliding{Groups: 3, Stride: []int{3}, Padding: []int{2}}},
	{[]int{0, 3, 6}, []int{3, 1, 3}, op.Sliding{Groups: 3}},
	{[]int{1, 2, 3, 4, 5}, []int{2, 1, 2, 3, 2}, op.Sliding{Groups: 2, Padding: []int{1}}},
	{[]int{1, 2, 9, 4}, []int{2, 1, 2, 4}, op.Sliding{Groups: 2, Stride: []int{5, 1}}},
	{[]int{1, 2, 0, 5}, []int{2, 1, 3, 3}, op.Sliding{Groups: 2, Padding: []int{2}}},
	{[]int{1, 2, 0, 5}, []int{2, 2, 3, 3}, op.Sliding{Padding: []int{2}}},
	{[]int{2, 2, 141, 60}, []int{4, 1, 3, 4}, op.Sliding{Groups: 2, Padding: []int{1}}}, // in bands
	{[]int{3, 2, 165, 150}, []int{2, 1, 3, 2}, op.Sliding{Groups: 2, Stride: []int{2}, Padding: []int{1}}},
	{[]int{2, 2, 90, 80}, []int{2, 1, 5, 3}, op.Sliding{Groups: 2, Dilation: []int{3, 2}}},
	{[]int{2, 2, 7001}, []int{2, 1, 5}, op.Sliding{Groups: 2, Padding: []int{2}}},
	{[]int{1, 2, 4, 5000}, []int{2, 1, 3, 4}, op.Sliding{Groups: 2, Padding: []int{1}}}, // bands of one row
	{[]int{1, 2, 4, 3}, []int{2, 1, 2, 2}, op.Sliding{Groups: 2, Stride: []int{math.MaxInt >> 20, math.MaxInt}}},
}

// TestConv compares convolutions with loops.
func TestConv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range convolutions {
		x, w := drawn(r, c.x...), drawn(r, c.w...)
		got, dims := eval(t, op.Conv(expr.Exp[float64](x), expr.Exp[float64](w), c.s))
		want := convolved(x, w, c.s)
		if !slices.Equal(dims, want.Shape()) || !slices.Equal(got, want.Data()) {
			t.Errorf("%v by %v, %+v: %v of shape %v, want %v of shape %v", c.x, c.w, c.s, got, dims, want.Data(), want.Shape())
		}
	}
}

// TestConvAdjoint checks that the derivatives are the adjoints: the convolution is
// linear in both operands, so the scalar product of an operand and its gradient is
// that of the value and the weights of the loss.
func TestConvAdjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range convolutions {
		x, w := drawn(r, c.x...), drawn(r, c.w...)
		y := op.Conv(expr.Exp[float64](x), expr.Exp[float64](w), c.s)
		loss := op.Sum(op.Mul(y, expr.Exp[float64](drawn(r, y.Node().Shape()...))))
		g, err := grad.Of(loss, expr.Exp[float64](x), expr.Exp[float64](w))
		if err != nil {
			t.Fatal(err)
		}
		value, _ := eval(t, loss)
		for i, v := range []expr.Exp[float64]{x, w} {
			if got, _ := eval(t, op.Sum(op.Mul(v, g[i]))); got[0] != value[0] {
				t.Errorf("%v by %v, %+v: operand %d and its gradient give %v, want %v", c.x, c.w, c.s, i, got[0], value[0])
			}
		}
	}
}

// TestReadImages checks that an element of an image has a part in the gradient by those weights only that a window multiplies with it.
func TestReadImages(t *testing.T) {
	for _, n := range []int{8, 170} { // rows of several images, and bands of one
		x, w := engine.Zeros[float64](2, 2, n, n), engine.Zeros[float64](4, 1, 3, 3)
		for i := range x.Data() {
			if i%n == n-1 || i/n%n == n-1 {
				x.Data()[i] = math.NaN() // no window reads it
			}
		}
		x.Data()[n/4*2*n] = math.Inf(1) // the first weight of two rows reads it
		want := make([]float64, 36)
		for _, i := range []int{0, 6} {
			want[i], want[9+i] = math.Inf(1), math.Inf(1)
		}
		g, err := grad.Of(op.Sum(op.Conv(expr.Exp[float64](x), expr.Exp[float64](w), op.Sliding{Groups: 2, Stride: []int{2}})), expr.Exp[float64](w))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := eval(t, g[0]); !slices.Equal(got, want) {
			t.Errorf("%d: the gradient is %v", n, got)
		}
	}
}

// TestBandsOfLongRows checks that no band of a gradient by the weights lies behind the images, also where a row alone is longer than a band.
func TestBandsOfLongRows(t *testing.T) {
	for _, s := range [][]int{{1, 2, 4, 20000}, {1, 2, 100, 2000}, {1, 2, 16, 80, 80}} {
		x, w := engine.Zeros[float32](s...), engine.Zeros[float32]([]int{2, 1, 3, 3, 3}[:len(s)]...)
		g, err := grad.Of(op.Sum(op.Conv(expr.Exp[float32](x), expr.Exp[float32](w), op.Sliding{Groups: 2})), expr.Exp[float32](w))
		if err != nil {
			t.Fatal(err)
		}
		tree.Walk(g[0].Node(), func(n *tree.Node) {
			if n.Op.Name() == "pad" && n.Shape().Size() > 2*len(x.Data()) {
				t.Errorf("images of shape %v are padded to %v", s, n.Shape())
			}
		})
	}
}

// TestInfiniteWeights checks that an infinite weight of a filter of one channel reaches only the elements of images that windows multiply
// with it.
func TestInfiniteWeights(t *testing.T) {
	x, w := engine.Zeros[float64](1, 2, 5, 6), engine.Zeros[float64](2, 1, 3, 3)
	w.Data()[0] = math.Inf(1) // the last row and column have no window that begins there
	g, err := grad.Of(op.Sum(op.Conv(expr.Exp[float64](x), expr.Exp[float64](w), op.Sliding{Groups: 2, Padding: []int{1}})), expr.Exp[float64](x))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := eval(t, g[0])
	for i, v := range got {
		if want := i < 24 && i%6 < 5; math.IsInf(v, 1) != want || !want && v != 0 {
			t.Errorf("element %d is %v", i, v)
		}
	}
}

// TestPools compares pools with loops, and their derivatives with the adjoint.
func TestPools(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		x []int
		s op.Sliding
	}{
		{[]int{9}, op.Sliding{Kernel: []int{3}, Stride: []int{1}}},
		{[]int{2, 3, 6, 8}, op.Sliding{Kernel: []int{2, 2}}},
		{[]int{2, 7, 9}, op.Sliding{Kernel: []int{3, 2}, Stride: []int{2, 3}, Padding: []int{1, 0}}},
		{[]int{3, 10, 10}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{1}, Padding: []int{1}, Dilation: []int{2}}},
		{[]int{2, 4, 5, 6}, op.Sliding{Kernel: []int{2, 3, 2}, Stride: []int{1}}},
		{[]int{20, 20}, op.Sliding{Kernel: []int{9, 9}, Stride: []int{2}}},
		{[]int{2, 21, 14}, op.Sliding{Kernel: []int{7, 7}}},
		{[]int{70, 75}, op.Sliding{Kernel: []int{9, 9}, Stride: []int{2, 1}, Padding: []int{0, 2}}},
		{[]int{40, 41}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{1}}},
		{[]int{2, 14, 13, 14}, op.Sliding{Kernel: []int{3, 3, 4}, Stride: []int{1}, Padding: []int{1}}},
		{[]int{12, 40, 40}, op.Sliding{Kernel: []int{4, 10}}},
		{[]int{3, 7, 7}, op.Sliding{Kernel: []int{7, 7}, Stride: []int{1}}},
		{[]int{2, 7, 8, 9}, op.Sliding{Kernel: []int{3, 4, 3}, Stride: []int{1, 2, 3}, Padding: []int{1}}},
		{[]int{90}, op.Sliding{Kernel: []int{41}, Stride: []int{5}, Padding: []int{3}}},
		{[]int{2, 3, 5}, op.Sliding{Kernel: []int{2, 3}, Stride: []int{1, 3}, Padding: []int{4, 9}}},
		{[]int{4}, op.Sliding{Kernel: []int{2}, Stride: []int{3}, Padding: []int{20}, Dilation: []int{3}}},
		{[]int{3, 6, 4}, op.Sliding{Kernel: []int{1, 2}, Stride: []int{2, 1}, Padding: []int{5, 0}}},
	} {
		x, k := drawn(r, c.x...), c.s.Kernel
		stride := c.s.Stride
		if stride == nil {
			stride = k
		}
		lead := len(c.x) - len(k)
		for reducer, f := range testlevel.InOrder(map[string]struct {
			start float64
			step  func(a, b float64) float64
		}{
			"max": {math.Inf(-1), math.Max}, "min": {math.Inf(1), math.Min},
			"sum": {0, func(a, b float64) float64 { return a + b }}, "avg": {0, func(a, b float64) float64 { return a + b }},
		}) {
			y := op.Pool(reducer, expr.Exp[float64](x), c.s)
			got, dims := eval(t, y)
			want := engine.Zeros[float64](slices.Concat(c.x[:lead], places(c.x, k, c.s, stride))...)
			for ix := range want.Shape().Indices() {
				v, n := f.start, 0
				for e := range shape.Shape(k).Indices() {
					if n++; true {
						if p, ok := inside(c.x[lead:], ix[lead:], e, c.s, stride); ok {
							v = f.step(v, *at(x, slices.Concat(ix[:lead], p)...))
						}
					}
				}
				if reducer == "avg" {
					v /= float64(n)
				}
				*at(want, ix...) = v
			}
			if !slices.Equal(dims, want.Shape()) || !slices.Equal(got, want.Data()) {
				t.Errorf("%s pool of %v, %+v: %v of shape %v, want %v of shape %v", reducer, c.x, c.s, got, dims, want.Data(), want.Shape())
			}
			if reducer == "sum" { // it is linear
				loss := op.Sum(op.Mul(y, expr.Exp[float64](drawn(r, dims...))))
				g, err := grad.Of(loss, expr.Exp[float64](x))
				if err != nil {
					t.Fatal(err)
				}
				value, _ := eval(t, loss)
				if got, _ := eval(t, op.Sum(op.Mul(expr.Exp[float64](x), g[0]))); got[0] != value[0] {
					t.Errorf("sum pool of %v, %+v: its gradient gives %v, want %v", c.x, c.s, got[0], value[0])
				}
			}
		}
	}
}

// TestColumns checks that Im2Col is the windows of the convolution, and Col2Im its
// adjoint.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, s := range []op.Sliding{
		{Kernel: []int{2, 3}}, {Kernel: []int{3, 3}, Padding: []int{1}}, {Kernel: []int{2, 2}, Stride: []int{2, 3}, Dilation: []int{3}, Padding: []int{0, 2}},
	} {
		x, w := drawn(r, 2, 3, 7, 8), drawn(r, append([]int{4, 3}, s.Kernel...)...)
		columns := op.Im2Col(expr.Exp[float64](x), s)
		move := s
		move.Kernel = nil
		direct := op.Conv(expr.Exp[float64](x), expr.Exp[float64](w), move)
		product := op.MatMul(op.Reshape(expr.Exp[float64](w), 4, -1), columns)
		n := direct.Node().Shape()
		got, _ := eval(t, op.Transpose(op.Reshape(product, 4, n[0], n[2], n[3]), 1, 0, 2, 3))
		if want, _ := eval(t, direct); !slices.Equal(got, want) {
			t.Errorf("%+v: the columns give %v, want %v", s, got, want)
		}
		y := drawn(r, columns.Node().Shape()...)
		left, _ := eval(t, op.Sum(op.Mul(columns, expr.Exp[float64](y))))
		back := op.Col2Im(expr.Exp[float64](y), []int{2, 3, 7, 8}, s)
		if right, dims := eval(t, op.Sum(op.Mul(expr.Exp[float64](x), back))); left[0] != right[0] {
			t.Errorf("%+v: <Ax, y> is %v, <x, A'y> is %v; %v", s, left[0], right[0], dims)
		}
	}
}

// TestTies checks the derivatives of a maximum of equal elements.
func TestTies(t *testing.T) {
	x := engineOf(3., 1, 3, 2)
	s := op.Sliding{Kernel: []int{4}}
	for _, c := range []struct {
		e    expr.Exp[float64]
		want []float64
	}{
		{op.Max(x), []float64{.5, 0, .5, 0}},
		{op.Max(x, op.WholeTies()), []float64{1, 0, 1, 0}},
		{op.Sum(op.MaxPool(expr.Exp[float64](x), s)), []float64{1, 0, 0, 0}}, // the first one, as in PyTorch
		{op.Sum(op.MaxPool(expr.Exp[float64](x), s, op.WholeTies())), []float64{1, 0, 1, 0}},
	} {
		g, err := grad.Of(c.e, expr.Exp[float64](x))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := eval(t, g[0]); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	got, _ := eval(t, op.Unpool(expr.Exp[float64](x), engineOf(3.), engineOf(5.), s))
	if want := []float64{5, 0, 5, 0}; !slices.Equal(got, want) {
		t.Errorf("unpool: %v, want %v", got, want)
	}
}

// TestUpsample compares enlarged images with a loop over their elements, for scales that have
// few remainders and many.
func TestUpsample(t *testing.T) {
	x := drawn(rand.New(rand.NewPCG(6, 6)), 2, 3, 4)
	for _, scale := range []int{1, 2, 3, 4, 5, 8, 9} {
		place := func(i, n int) (low, high int, part float64) {
			at := min(max((float64(i)+.5)/float64(scale)-.5, 0), float64(n-1))
			low = int(at)
			return low, min(low+1, n-1), at - float64(low)
		}
		for _, mode := range []string{"nearest", "bilinear"} {
			got, dims := eval(t, op.Upsample(expr.Exp[float64](x), scale, mode))
			if !slices.Equal(dims, []int{2, 3 * scale, 4 * scale}) {
				t.Fatalf("scale %d: the shape is %v", scale, dims)
			}
			for i, v := range got {
				image, r, c := i/dims[1]/dims[2], i/dims[2]%dims[1], i%dims[2]
				want := x.At(image, r/scale, c/scale)
				if mode == "bilinear" {
					r0, r1, p := place(r, 3)
					c0, c1, q := place(c, 4)
					column := func(c int) float64 { return x.At(image, r0, c) + (x.At(image, r1, c)-x.At(image, r0, c))*p }
					want = column(c0) + (column(c1)-column(c0))*q
				}
				if !(math.Abs(v-want) <= 1e-13) {
					t.Fatalf("%s, scale %d: element %d is %v, not %v", mode, scale, i, v, want)
				}
			}
		}
	}
}

// TestConvKernel states the size of the weights, as other libraries ask for.
func TestConvKernel(t *testing.T) {
	x, w := drawn(rand.New(rand.NewPCG(6, 7)), 1, 2, 5, 5), drawn(rand.New(rand.NewPCG(8, 9)), 3, 2, 3, 2)
	want, _ := eval(t, op.Conv[float64](x, w, op.Sliding{}))
	if got, _ := eval(t, op.Conv[float64](x, w, op.Sliding{Kernel: []int{3, 2}})); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestInterpolateSeeksNoFault checks that a run does not look for indices outside of an axis: the
// places of neighbours lie inside.
func TestInterpolateSeeksNoFault(t *testing.T) {
	x, at := engine.Zeros[float32](40, 50), engine.Zeros[float32](9)
	for name, e := range map[string]expr.Exp[float32]{
		"nearest": op.Interpolate[float32](x, []int{17, 23}, "nearest"), "bilinear": op.Interpolate[float32](x, []int{17, 23}, "bilinear"),
		"interp": op.Interp[float32](x, at, at),
	} {
		p, err := engine.Compile(t.Context(), expr.Let(engine.Zeros[float32](e.Node().Shape()...), e))
		if err != nil || strings.Contains(p.Explain(), "prescan") {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

// TestInterpolate compares images of other sizes, with their channels last, with a loop.
func TestInterpolate(t *testing.T) {
	x := drawn(rand.New(rand.NewPCG(6, 7)), 5, 3, 2)
	place := func(i, size, n int) (low, high int, part float64) {
		at := min(max((float64(i)+.5)*float64(n)/float64(size)-.5, 0), float64(n-1))
		low = int(at)
		return low, min(low+1, n-1), at - float64(low)
	}
	for _, size := range [][]int{{5, 3}, {1, 1}, {2, 7}, {13, 2}, {4, 40}, {0, 3}} {
		for _, mode := range []string{"nearest", "bilinear"} {
			got, dims := eval(t, op.Interpolate(expr.Exp[float64](x), size, mode, 0, -2))
			if !slices.Equal(dims, []int{size[0], size[1], 2}) {
				t.Fatalf("size %v: the shape is %v", size, dims)
			}
			for i, v := range got {
				r, c, k := i/2/size[1], i/2%size[1], i%2
				want := x.At(r*5/size[0], c*3/size[1], k)
				if mode == "bilinear" {
					r0, r1, p := place(r, size[0], 5)
					c0, c1, q := place(c, size[1], 3)
					column := func(c int) float64 { return x.At(r0, c, k) + (x.At(r1, c, k)-x.At(r0, c, k))*p }
					want = column(c0) + (column(c1)-column(c0))*q
				}
				if !(math.Abs(v-want) <= 1e-13) {
					t.Fatalf("%s, size %v: element %d is %v, not %v", mode, size, i, v, want)
				}
			}
		}
	}
}

// TestConvolve compares the bits of convolutions with those of sums of padded windows. Infinite values times padding are no terms.
func TestConvolve(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		n, m int
		mode string
	}{{7, 7, "full"}, {256, 256, "full"}, {700, 601, "full"}, {700, 601, "same"}, {1000, 1000, "full"}, {4300, 4200, "full"}} {
		compareConvolutions[float32](t, r, c.n, c.m, c.mode)
		compareConvolutions[float64](t, r, c.n, c.m, c.mode)
	}
	huge := math.Inf(1)
	v := slices.Repeat([]float64{1}, 600)
	v[0], v[599] = huge, huge
	got, _ := eval(t, op.Convolve(expr.Exp[float64](engine.MustFromSlice(slices.Repeat([]float64{1}, 600), 600)), engine.MustFromSlice(v, 600), "full"))
	if slices.ContainsFunc(got, math.IsNaN) {
		t.Error("a convolution of finite numbers and positive infinities has NaN")
	}
}

func compareConvolutions[T float32 | float64](t *testing.T, r *rand.Rand, n, m int, mode string) {
	t.Helper()
	a, v := make([]T, n), make([]T, m)
	for _, x := range [][]T{a, v} {
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
	}
	x, y := expr.Exp[T](engine.MustFromSlice(a, n)), expr.Exp[T](engine.MustFromSlice(v, m))
	pad := [2]int{m - 1, m - 1}
	if mode == "same" {
		pad = [2]int{m / 2, m - 1 - m/2}
	}
	w := op.Windows(op.Pad(x, [][2]int{pad}, 0), op.Window{Size: m})
	want, _ := eval(t, op.Cast[float64](op.Sum(op.Mul(w, op.Flip(y)), op.Axis(-1))))
	if got, _ := eval(t, op.Cast[float64](op.Convolve(x, y, mode))); !slices.Equal(got, want) {
		t.Errorf("%s convolution of %d and %d elements: the bits are not those of sums of windows", mode, n, m)
	}
}

// TestImages compares the compositions of images and labels with results worked
// out by hand, or by NumPy and PyTorch.
func TestImages(t *testing.T) {
	E := func(x *engine.Tensor[float64]) expr.Exp[float64] { return x }
	m := iota[float64](2, 3)
	label := engine.MustFromSlice([]int32{2, 0}, 2)
	outside := engine.MustFromSlice([]int32{2, -1}, 2)
	y := engine.MustFromSlice([]float64{.25, .25, .5, .5, .25, .25}, 2, 3)
	for name, c := range map[string]struct {
		e    expr.Exp[float64]
		dims []int
		want []float64
	}{
		"upsample":             {op.Upsample(E(iota[float64](2, 2)), 2, "nearest"), []int{4, 4}, []float64{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}},
		"upsample, bilinear":   {op.Upsample(E(iota[float64](1, 3)), 2, "bilinear"), []int{2, 6}, []float64{1, 1.25, 1.75, 2.25, 2.75, 3, 1, 1.25, 1.75, 2.25, 2.75, 3}},
		"crop":                 {op.Crop(E(iota[float64](4, 5)), []int{2, 2}), []int{2, 2}, []float64{7, 8, 12, 13}},
		"crop at":              {op.Crop(E(iota[float64](4, 5)), []int{2, 2}, 2, 3), []int{2, 2}, []float64{14, 15, 19, 20}},
		"layout":               {op.Layout(E(iota[float64](1, 2, 1, 3)), "NCHW", "NHWC"), []int{1, 1, 3, 2}, []float64{1, 4, 2, 5, 3, 6}},
		"pick":                 {op.Pick(E(m), expr.Exp[int32](outside)), []int{2}, []float64{3, 0}},
		"fill_at":              {op.FillAt(E(m), expr.Exp[int32](label), engineOf(7., 8)), []int{2, 3}, []float64{1, 2, 7, 8, 5, 6}},
		"fill_at a scalar":     {op.FillAt(E(m), expr.Exp[int32](outside), op.Full[float64](9)), []int{2, 3}, []float64{1, 2, 9, 4, 5, 6}},
		"softmax_grad":         {op.SoftmaxGrad(E(y), expr.Exp[int32](label)), []int{2, 3}, []float64{.25, .25, -.5, -.5, .25, .25}},
		"softmax_grad, ignore": {op.SoftmaxGrad(E(y), expr.Exp[int32](label), 2), []int{2, 3}, []float64{0, 0, 0, -.5, .25, .25}},
		"smooth_softmax_grad":  {op.SmoothSoftmaxGrad(E(y), expr.Exp[int32](label), .25), []int{2, 3}, []float64{.125, .125, -.25, -.25, .125, .125}},
		"convolve":             {op.Convolve(engineOf(1., 2, 3), engineOf(0, 1, .5), "full"), []int{5}, []float64{0, 1, 2.5, 4, 1.5}},
		"convolve, same":       {op.Convolve(engineOf(1., 2, 3), engineOf(0, 1, .5), "same"), []int{3}, []float64{1, 2.5, 4}},
		"convolve, valid":      {op.Convolve(engineOf(1., 2, 3), engineOf(0, 1, .5), "valid"), []int{1}, []float64{2.5}},
		"correlate":            {op.Correlate(engineOf(1., 2, 3), engineOf(0, 1, .5), "full"), []int{5}, []float64{.5, 2, 3.5, 3, 0}},
		"correlate, same":      {op.Correlate(engineOf(1., 2, 3), engineOf(0, 1, .5), "same"), []int{3}, []float64{2, 3.5, 3}},
		"correlate, shorter":   {op.Correlate(engineOf(1., 2), engineOf(0, 1, .5), "full"), []int{4}, []float64{.5, 2, 2, 0}},
	} {
		got, dims := eval(t, c.e)
		if !slices.Equal(dims, c.dims) || !slices.Equal(got, c.want) {
			t.Errorf("%s is %v of shape %v, want %v of shape %v", name, got, dims, c.want, c.dims)
		}
	}
}
