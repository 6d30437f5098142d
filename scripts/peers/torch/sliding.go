package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/lists"
)

// This file has windows of many forms beside torch: convolutions and pools. Their peers are expressions, which JAX does not have.

// A conv is a convolution of images x by weights w.
type conv struct {
	x, w []int
	s    op.Sliding
}

var convs = []conv{
	{[]int{8, 64, 56, 56}, []int{64, 64, 1, 1}, op.Sliding{}},
	{[]int{8, 64, 56, 56}, []int{128, 64, 3, 3}, op.Sliding{Stride: []int{2}, Padding: []int{1}}},
	{[]int{1, 64, 56, 56}, []int{64, 64, 3, 3}, op.Sliding{Padding: []int{1}}},
	{[]int{8, 32, 28, 28}, []int{32, 32, 5, 5}, op.Sliding{Padding: []int{2}}},
	{[]int{1, 3, 224, 224}, []int{64, 3, 7, 7}, op.Sliding{Stride: []int{2}, Padding: []int{3}}},
	{[]int{4, 3, 224, 224}, []int{64, 3, 7, 7}, op.Sliding{Stride: []int{2}, Padding: []int{3}}},
	{[]int{1, 3, 224, 224}, []int{768, 3, 16, 16}, op.Sliding{Stride: []int{16}}},
	{[]int{32, 1, 28, 28}, []int{32, 1, 3, 3}, op.Sliding{}},
	{[]int{8, 4, 64, 64}, []int{4, 4, 3, 3}, op.Sliding{Padding: []int{1}}},
	{[]int{8, 16, 64, 64}, []int{16, 16, 3, 3}, op.Sliding{Padding: []int{1}}},
	{[]int{8, 32, 112, 112}, []int{32, 1, 3, 3}, op.Sliding{Padding: []int{1}, Groups: 32}},
	{[]int{4, 64, 56, 56}, []int{64, 1, 3, 3}, op.Sliding{Stride: []int{2}, Padding: []int{1}, Groups: 64}},
	{[]int{4, 256, 14, 14}, []int{256, 1, 3, 3}, op.Sliding{Padding: []int{1}, Groups: 256}},
	{[]int{4, 64, 28, 28}, []int{64, 1, 5, 5}, op.Sliding{Padding: []int{2}, Groups: 64}},
	{[]int{4, 32, 28, 28}, []int{64, 1, 3, 3}, op.Sliding{Padding: []int{1}, Groups: 32}},
	{[]int{4, 64, 28, 28}, []int{64, 16, 3, 3}, op.Sliding{Padding: []int{1}, Groups: 4}},
	{[]int{4, 64, 28, 28}, []int{64, 64, 3, 3}, op.Sliding{Padding: []int{2}, Dilation: []int{2}}},
	{[]int{4, 16, 10000}, []int{16, 16, 3}, op.Sliding{Padding: []int{1}}},
	{[]int{4, 64, 1000}, []int{64, 64, 9}, op.Sliding{Padding: []int{4}}},
	{[]int{4, 64, 1000}, []int{64, 1, 3}, op.Sliding{Padding: []int{1}, Groups: 64}},
	{[]int{2, 16, 16, 16, 16}, []int{16, 16, 3, 3, 3}, op.Sliding{Padding: []int{1}}},
}

var pools = []conv{
	{x: []int{8, 64, 56, 56}, s: op.Sliding{Kernel: []int{3, 3}, Stride: []int{1}, Padding: []int{1}}},
	{x: []int{8, 64, 56, 56}, s: op.Sliding{Kernel: []int{3, 3}, Stride: []int{2}, Padding: []int{1}}},
	{x: []int{8, 64, 56, 56}, s: op.Sliding{Kernel: []int{5, 5}, Stride: []int{2}}},
	{x: []int{8, 64, 14, 14}, s: op.Sliding{Kernel: []int{5, 5}, Stride: []int{1}, Padding: []int{2}}},
	{x: []int{8, 512, 7, 7}, s: op.Sliding{Kernel: []int{7, 7}, Stride: []int{7}}},
	{x: []int{8, 64, 1000}, s: op.Sliding{Kernel: []int{3}, Stride: []int{2}, Padding: []int{1}}},
	{x: []int{2, 16, 32, 32, 32}, s: op.Sliding{Kernel: []int{2, 2, 2}, Stride: []int{2}}},
	{x: []int{2, 16, 16, 16, 16}, s: op.Sliding{Kernel: []int{3, 3, 3}, Stride: []int{2}, Padding: []int{1}}},
}

// each returns a number for each of n axes.
func each(v []int, n, without int) []int {
	if v == nil {
		v = []int{without}
	}
	return slices.Repeat(v, n)[:n]
}

func (c conv) String() string { return fmt.Sprintf("%v by %v %+v", c.x, c.w, c.s) }

// args returns some of the steps, the padding and the distances of windows over r axes as Python writes them.
func (c conv) args(r, some int) string {
	all := [][]int{each(c.s.Stride, r, 1), each(c.s.Padding, r, 0), each(c.s.Dilation, r, 1)}
	return strings.Join(lists.Map(all[:some], python), ", ")
}

func python(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }

// shapeOf returns the shape of f of operands of some shapes.
func shapeOf(f func(x ...exp) exp, in [][]int) []int {
	return f(lists.Map(in, func(dims []int) exp { return op.BroadcastTo(op.Full[float32](0), dims...) })...).Node().Shape()
}

// add adds the cases of f, of its gradients and of all of them by the first operands to the cases. call is f in Python, of x and y, and back their names.
func (c conv) add(name, call string, f func(x ...exp) exp, in [][]int, back ...string) {
	y := shapeOf(f, in)
	layer{name + " " + c.String(), call, f, in, len(in)}.add()
	cases = append(cases, workload{name + " " + c.String(), call, 1, 1e-4, plain(func(x ...exp) (exp, error) { return f(x...), nil }, in...)})
	for i, of := range back {
		cases = append(cases, workload{
			name + "_" + of + " " + c.String(), fmt.Sprintf("grad%d: %s", i, call), 1, 1e-4,
			plain(func(x ...exp) (exp, error) { return adjoint(f(x...), x[len(in)], x[i]) }, append(slices.Clone(in), y)...),
		})
	}
}

func init() {
	for _, c := range convs {
		r := len(c.x) - 2
		call := fmt.Sprintf("t.ops.aten.convolution(x, y, None, %s, False, %s, %d)", c.args(r, 3), python(make([]int, r)), max(c.s.Groups, 1))
		c.add("convolution", call, func(x ...exp) exp { return op.Conv(x[0], x[1], c.s) }, [][]int{c.x, c.w}, "dx", "dw")
	}
	for _, c := range pools {
		r := len(c.s.Kernel)
		for _, kind := range []string{"max", "avg"} {
			call := fmt.Sprintf("F.%s_pool%dd(x, %s, %s)", kind, r, python(c.s.Kernel), c.args(r, 2))
			c.add(kind+" pool", call, func(x ...exp) exp { return op.Pool(kind, x[0], c.s) }, [][]int{c.x}, "dx")
		}
	}
}
