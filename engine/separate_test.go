package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestPoolsByAxes compares extremes of windows that overlap, which a program finds axis by axis, with
// extremes of one element after the other: with NaN, zeros of both signs, padding, steps and
// dilations, over two and three axes.
func TestPoolsByAxes(t *testing.T) {
	nan, zero := float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range []struct {
		dims []int
		s    op.Sliding
		most int // stages
	}{
		{[]int{40, 41}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{1}}, 2},
		{[]int{3, 63, 65}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2}}, 2},
		{[]int{2, 3, 40, 38}, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 1}, Padding: []int{1}}, 6},
		{[]int{3, 50, 52}, op.Sliding{Kernel: []int{5, 4}, Stride: []int{1}, Padding: []int{2, 0}, Dilation: []int{1, 2}}, 6},
		{[]int{2, 20, 22, 21}, op.Sliding{Kernel: []int{3, 2, 3}, Stride: []int{1}}, 3},
		{[]int{20, 22, 21}, op.Sliding{Kernel: []int{3, 1, 3}, Stride: []int{2, 1, 1}, Padding: []int{0, 0, 1}}, 4},
		{[]int{1100}, op.Sliding{Kernel: []int{12}, Stride: []int{1}}, 2}, // parts of one axis
		{[]int{3, 500}, op.Sliding{Kernel: []int{31}, Stride: []int{1}, Padding: []int{15}}, 9},
		{[]int{2, 2000}, op.Sliding{Kernel: []int{67}, Stride: []int{3}, Padding: []int{33}}, 8},
		{[]int{2000}, op.Sliding{Kernel: []int{20}, Stride: []int{1}, Dilation: []int{7}}, 2},
		{[]int{3300}, op.Sliding{Kernel: []int{50}, Stride: []int{3}, Dilation: []int{2}}, 2},
		{[]int{150, 30}, op.Sliding{Kernel: []int{100, 1}, Stride: []int{1}}, 2},
		{[]int{70, 71}, op.Sliding{Kernel: []int{17, 23}, Stride: []int{1}, Padding: []int{8, 11}}, 17},
	} {
		for special := range 3 {
			x := engine.Zeros[float32](c.dims...)
			for i := range x.Data() {
				switch x.Data()[i] = float32(i * 7919 % 1013); {
				case special == 0 && i%50 == 7:
					x.Data()[i] = nan
				case special == 1 && i%3 > 0: // zeros are the maxima
					x.Data()[i] = -x.Data()[i]
				case special == 1 && i%5 > 0:
					x.Data()[i] = zero
				case special == 1:
					x.Data()[i] = 0
				}
			}
			for name, pool := range map[string]func(expr.Exp[float32], op.Sliding, ...op.ReduceOption) expr.Exp[float32]{"max": op.MaxPool[float32], "min": op.MinPool[float32]} {
				t.Run(fmt.Sprint(name, c.dims, c.s.Kernel, special), func(t *testing.T) {
					comparePool(t, pool(x, c.s), slowPool(x, c.s, name == "max"), c.most)
				})
			}
		}
	}
}

// comparePool runs the program of y, which has at most so many stages, and compares its result.
func comparePool(t *testing.T, y expr.Exp[float32], want *engine.Tensor[float32], most int) {
	got := engine.Zeros[float32](want.Shape()...)
	p, err := engine.Compile(t.Context(), expr.Let[float32](got, y))
	if err == nil {
		err = p.Run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count("\n"+p.Explain(), "\nstage "); n < 2 || n > most {
		t.Errorf("there are %d stages, want 2 to %d:\n%s", n, most, p.Explain())
	}
	for i, v := range want.Data() {
		if d := got.Data()[i]; math.Float32bits(d) != math.Float32bits(v) && (v == v || d == d) {
			t.Fatalf("element %d is %v, want %v", i, d, v)
		}
	}
}

// slowPool returns the extremes of the windows of x.
func slowPool(x *engine.Tensor[float32], s op.Sliding, largest bool) *engine.Tensor[float32] {
	at := func(list []int, i, without int) int {
		if len(list) == 0 {
			return without
		}
		return list[min(i, len(list)-1)]
	}
	dims, r := x.Shape(), len(s.Kernel)
	lead := len(dims) - r
	to := append([]int(nil), dims...)
	for i, k := range s.Kernel {
		to[lead+i] = (dims[lead+i]+2*at(s.Padding, i, 0)-(k-1)*at(s.Dilation, i, 1)-1)/at(s.Stride, i, 1) + 1
	}
	y := engine.Zeros[float32](to...)
	for n := range y.Data() {
		best, from := float32(math.Inf(1)), make([]int, len(dims))
		if largest {
			best = -best
		}
		for i, rest := len(to)-1, n; i >= 0; i-- {
			from[i], rest = rest%to[i], rest/to[i]
		}
		var visit func(axis, offset int)
		visit = func(axis, offset int) {
			if axis == len(dims) {
				if v := x.Data()[offset]; largest {
					best = max(best, v)
				} else {
					best = min(best, v)
				}
				return
			}
			if axis < lead {
				visit(axis+1, offset*dims[axis]+from[axis])
				return
			}
			i := axis - lead
			for k := range s.Kernel[i] {
				p := from[axis]*at(s.Stride, i, 1) - at(s.Padding, i, 0) + k*at(s.Dilation, i, 1)
				if 0 <= p && p < dims[axis] {
					visit(axis+1, offset*dims[axis]+p)
				}
			}
		}
		visit(0, 0)
		y.Data()[n] = best
	}
	return y
}
