package engine_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// TestUnevenSteps counts the temporaries of unpooling where extents are no multiples
// of the step: each phase of the places is stored in the result.
func TestUnevenSteps(t *testing.T) {
	for _, dims := range [][]int{{2, 3, 57, 57}, {2, 3, 56, 59}, {16, 61, 64}} {
		x := numbers(dims...)
		for stride := 2; stride <= 3; stride++ {
			s := op.Sliding{Kernel: []int{3, 3}, Stride: []int{stride}}
			best, err := engine.Eval(op.MaxPool[float32](x, s))
			if err != nil {
				t.Fatal(err)
			}
			p, err := engine.Compile(t.Context(), expr.Let[float32](engine.Zeros[float32](dims...), op.Unpool[float32](x, best, best, s)))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(p.Plan().Temps); n > 1 { // of what is too large for one loop
				t.Errorf("%v, stride %d: %d temporaries:\n%s", dims, stride, n, p.Explain())
			}
		}
	}
}

// TestStagesOfWindows counts the stages of windows of many elements, and of filters for one channel each: padded arrays are
// stored once, and a gradient is added along one axis after the other, or to the places of the extremes.
func TestStagesOfWindows(t *testing.T) {
	filter := func(channels, size int) expr.Exp[float32] { return numbers(channels, 1, size, size) }
	all := func(n int, s op.Sliding) op.Sliding {
		s.Kernel = []int{n, n}
		return s
	}
	for _, c := range []struct {
		name     string
		x        []int
		y        func(x expr.Exp[float32]) expr.Exp[float32]
		gradient bool
		most     int
	}{
		{"padded mean", []int{2, 4, 30, 30}, func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.AvgPool(x, all(5, op.Sliding{Stride: []int{1}, Padding: []int{2}}))
		}, false, 4},
		{"side by side", []int{2, 4, 32, 48}, func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.Conv(x, expr.Exp[float32](numbers(3, 4, 16, 16)), op.Sliding{Stride: []int{16}})
		}, true, 4},
		{"by axis", []int{1, 3, 80, 80}, func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.Conv(x, expr.Exp[float32](numbers(3, 3, 7, 7)), op.Sliding{Stride: []int{2}, Padding: []int{3}})
		}, true, 24},
		{"maxima", []int{2, 4, 31, 31}, func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.MaxPool(x, all(5, op.Sliding{Stride: []int{1}, Padding: []int{2}}))
		}, true, 15},
		{"maxima of rows", []int{8, 64, 1000}, func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.MaxPool(x, op.Sliding{Kernel: []int{3}, Stride: []int{2}, Padding: []int{1}})
		}, true, 4},
		{"filters", []int{2, 4, 31, 31}, func(x expr.Exp[float32]) expr.Exp[float32] {
			return op.Conv(x, filter(4, 5), op.Sliding{Padding: []int{2}, Groups: 4})
		}, false, 4},
	} {
		x := numbers(c.x...)
		e := c.y(x)
		if c.gradient {
			g, err := grad.Of(op.Sum(op.Square(e)), expr.Exp[float32](x))
			if err != nil {
				t.Fatal(err)
			}
			e = g[0]
		}
		p, err := engine.Compile(t.Context(), expr.Let[float32](engine.Zeros[float32](e.Node().Shape()...), e))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Plan().Stages); n > c.most {
			t.Errorf("%s: %d stages, want at most %d:\n%s", c.name, n, c.most, p.Explain())
		}
	}
}

// TestGradientsOfFilters counts what reads padded arrays: the sums for all elements of a filter read them from memory. The loops that
// store them and the sums of large images are one chain.
func TestGradientsOfFilters(t *testing.T) {
	w := numbers(16, 1, 3, 3)
	for _, c := range []struct {
		size, stride int
		chained      bool
	}{{30, 1, false}, {30, 2, false}, {130, 1, true}, {130, 2, true}} {
		x := numbers(2, 16, c.size, c.size)
		y := op.Conv(expr.Exp[float32](x), expr.Exp[float32](w), op.Sliding{Padding: []int{1}, Stride: []int{c.stride}, Groups: 16})
		g, err := grad.VJP(y, numbers(y.Node().Shape()...), expr.Exp[float32](w))
		if err != nil {
			t.Fatal(err)
		}
		p, err := engine.Compile(t.Context(), expr.Let[float32](engine.Zeros[float32](16, 1, 3, 3), g[0]))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.Explain(), "border would be found again"); n < 2 {
			t.Errorf("%+v: %d padded arrays are stored:\n%s", c, n, p.Explain())
		}
		chained := slices.ContainsFunc(p.Plan().Stages, func(s *plan.Stage) bool { return s.Kind == plan.Chain && len(s.Own) >= 2 })
		if chained != c.chained {
			t.Errorf("%+v: a chain keeps padded images: %t\n%s", c, chained, p.Explain())
		}
	}
}

// TestGradientsOfPools compares the gradients of pools with a search for the first extreme of each window, and those
// that give all equal elements the whole with the gradients of reductions of windows. It counts the temporaries: the pool and its
// extremes along one axis, what equal elements share, and some of the borders; with padding also how much of it each window has.
func TestGradientsOfPools(t *testing.T) {
	x := engine.Zeros[float32](2, 3, 32, 30)
	for i := range x.Data() {
		x.Data()[i] = float32(i * 7919 % 13)
	}
	x.Data()[1000] = float32(math.NaN())
	for _, s := range []op.Sliding{
		{Kernel: []int{2, 2}},
		{Kernel: []int{3, 3}, Stride: []int{2}, Padding: []int{1}},
		{Kernel: []int{2, 3}, Stride: []int{1}, Dilation: []int{2}},
		{Kernel: []int{3, 5}, Stride: []int{3, 4}},
		{Kernel: []int{4, 31}, Stride: []int{5, 40}, Padding: []int{1}},
	} {
		pad := 0
		if s.Padding != nil {
			pad = s.Padding[0]
		}
		stride := s.Stride
		if stride == nil {
			stride = s.Kernel
		}
		window := func(i int) op.Window {
			w := op.Window{Size: s.Kernel[i], Stride: stride[min(i, len(stride)-1)]}
			if s.Dilation != nil {
				w.Dilation = s.Dilation[0]
			}
			return w
		}
		border := [][2]int{{0, 0}, {0, 0}, {pad, pad}, {pad, pad}}
		for _, o := range [][]op.ReduceOption{nil, {op.WholeTies()}} {
			for largest, fill := range map[bool]float32{true: float32(math.Inf(-1)), false: float32(math.Inf(1))} {
				w := op.Windows(op.Pad[float32](x, border, fill), op.Window{Size: 1}, op.Window{Size: 1}, window(0), window(1))
				axes := append([]op.ReduceOption{op.Axis(4, 5, 6, 7)}, o...)
				pool, slow := op.MaxPool[float32](x, s, o...), op.Max(w, axes...)
				if !largest {
					pool, slow = op.MinPool[float32](x, s, o...), op.Min(w, axes...)
				}
				got, p := gradientOf(t, pool, x)
				want := firstsOf(x, window(0), window(1), pad, largest)
				if o != nil {
					w, _ := gradientOf(t, slow, x)
					want = w.Data()
				}
				for i, v := range got.Data() {
					if d := want[i]; math.Float32bits(v) != math.Float32bits(d) && v == v || (v != v) != (d != d) {
						t.Fatalf("%+v, largest %v, whole ties %v: element %d of the gradient is %v, want %v", s, largest, o != nil, i, v, d)
					}
				}
				if n := len(p.Plan().Temps); n > 7 {
					t.Errorf("%+v, largest %v, whole ties %v: %d temporaries, want at most 7:\n%s", s, largest, o != nil, n, p.Explain())
				}
			}
		}
	}
}

// firstsOf returns the gradient of a pool of the last two axes of x, with the weights of gradientOf: the weight of each
// window goes to its first extreme, or its first NaN.
func firstsOf(x *engine.Tensor[float32], h, w op.Window, pad int, largest bool) []float32 {
	d, out, number := x.Shape(), make([]float32, x.Size()), 0
	reach := func(w op.Window) int { return (w.Size - 1) * max(w.Dilation, 1) }
	for image := 0; image < x.Size(); image += d[2] * d[3] {
		for r := -pad; r+reach(h) < d[2]+pad; r += h.Stride {
			for c := -pad; c+reach(w) < d[3]+pad; c += w.Stride {
				first := -1
				for k := range h.Size * w.Size {
					i, j := r+k/w.Size*max(h.Dilation, 1), c+k%w.Size*max(w.Dilation, 1)
					if i < 0 || i >= d[2] || j < 0 || j >= d[3] {
						continue
					}
					at := image + i*d[3] + j
					if v := x.Data()[at]; first < 0 || v != v && x.Data()[first] == x.Data()[first] ||
						largest && v > x.Data()[first] || !largest && v < x.Data()[first] {
						first = at
					}
				}
				out[first] += float32(number%5) + .5
				number++
			}
		}
	}
	return out
}

// TestGradientsOfInfinitePools checks that padding gets no part of the adjoint of a window whose
// extreme is as infinite as the padding.
func TestGradientsOfInfinitePools(t *testing.T) {
	s := op.Sliding{Kernel: []int{2}, Stride: []int{2}, Padding: []int{1}}
	for sign, pool := range map[int]func(expr.Exp[float32], op.Sliding, ...op.ReduceOption) expr.Exp[float32]{-1: op.MaxPool[float32], 1: op.MinPool[float32]} {
		inf := float32(math.Inf(sign))
		x := engine.MustFromSlice([]float32{inf, inf, inf, 1, 2, inf, inf, inf}, 2, 4)
		// The windows of a row are its first element, the two in the middle, and its last one.
		got, _ := gradientOf(t, pool(x, s), x)
		want := []float32{.5, 1.5, 0, 2.5, 3.5, 4.5, 0, .5}
		if !slices.Equal(got.Data(), want) {
			t.Errorf("the gradient is %v, want %v", got.Data(), want)
		}
	}
}

// gradientOf returns the gradient of the sum of y times a weight for each element, and the
// program that computes it.
func gradientOf(t *testing.T, y expr.Exp[float32], x *engine.Tensor[float32]) (*engine.Tensor[float32], *engine.Program) {
	t.Helper()
	ctx, n := context.Background(), expr.NodeOf(y)
	weight := engine.Zeros[float32](n.Shape()...)
	for i := range weight.Data() {
		weight.Data()[i] = float32(i%5) + .5
	}
	g, err := grad.Of(op.Sum(op.Mul(y, expr.Exp[float32](weight))), expr.Exp[float32](x))
	if err != nil {
		t.Fatal(err)
	}
	out := engine.Zeros[float32](x.Shape()...)
	p, err := engine.Compile(ctx, expr.Let[float32](out, g[0]))
	if err == nil {
		err = p.Run(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, p
}

// TestProductsEndFaults checks that what follows a product whose operand can fail stores no
// faults: the stage that computes the operand raises them. A concatenated target keeps its
// parts if such a product fails.
func TestProductsEndFaults(t *testing.T) {
	ctx := context.Background()
	x, w := numbers(8, 16), numbers(16, 400)
	rows := engine.MustFromSlice([]int32{0, 3, 7, 2})
	y := op.MatMul(op.Take(x, rows, 0), expr.Exp[float32](w))
	image := op.Reshape(op.Tanh(y), 1, 4, 20, 20)
	pool := op.MaxPool(image, op.Sliding{Kernel: []int{3, 3}, Stride: []int{1}, Padding: []int{1}})
	out := engine.Zeros[float32](1, 3, 18, 18)
	p, err := engine.Compile(ctx, expr.Let[float32](out, op.Conv(op.Tanh(pool), expr.Exp[float32](numbers(3, 4, 3, 3)), op.Sliding{})))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Plan().Temps {
		if a.Array.Type == dtype.I32 {
			t.Errorf("a temporary has faults:\n%s", p.Explain())
		}
	}
	rows.Data()[2] = 8
	if err := p.Run(ctx); !errors.Is(err, expr.ErrIndex) {
		t.Errorf("an index that is too large gives %v", err)
	}
	first, second := engine.Zeros[float32](1, 400), engine.Zeros[float32](4, 400)
	err = engine.Run(ctx, expr.Let(op.Into(0, first, second), op.Concat(0, op.Reshape[float32](op.AddScalar[float32](numbers(400), 1), 1, 400), y)))
	if !errors.Is(err, expr.ErrIndex) || first.Data()[0] != 0 {
		t.Errorf("the first part of a target is %v after %v", first.Data()[0], err)
	}
}
