package grad_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A forest makes random trees of smooth operators, broadcasts, views,
// reductions and products over a few arrays. It uses nodes several times.
type forest struct {
	t      *testing.T
	r      *rapid.T
	values []*tree.Node
}

func (f *forest) pick() *tree.Node { return rapid.SampledFrom(f.values).Draw(f.r, "node") }

func (f *forest) upTo(n int) int { return rapid.IntRange(0, n).Draw(f.r, "number") }

// grow adds one node with elements between -2 and 2, so that values stay small.
func (f *forest) grow() {
	x := f.pick()
	s := x.Shape()
	var n *tree.Node
	switch rapid.SampledFrom([]string{"map", "binary", "where", "reduce", "view", "matmul"}).Draw(f.r, "kind") {
	case "map":
		n = call(f.t, rapid.SampledFrom([]string{"sin", "cos", "tanh", "sigmoid", "atan", "gelu", "erf"}).Draw(f.r, "map"), x)
	case "binary":
		y := f.pick()
		if _, err := shape.Broadcast(s, y.Shape()); err != nil {
			return
		}
		n = call(f.t, rapid.SampledFrom([]string{"add", "sub", "mul", "hypot"}).Draw(f.r, "binary"), call(f.t, "sigmoid", x), y)
	case "where":
		i := untyped.Reshape(untyped.Cast(untyped.Iota(s.Size()), x.DType()), s)
		n = call(f.t, "where", call(f.t, "less", i, tree.ConstFloat(x.DType(), 2)), x, f.scalar())
	case "reduce":
		r := untyped.Options{Keep: f.upTo(1) == 1}
		for i := range s {
			if f.upTo(1) == 1 {
				r.Axes = append(r.Axes, i)
			}
		}
		if r.Axes == nil {
			return
		}
		n = untyped.Reduce("sum", x, r)
	case "view":
		n = f.view(x)
	case "matmul":
		n = untyped.MatMul(x, f.pick())
		if n.Err() != nil { // another shape
			return
		}
	}
	if n.Shape().Size() <= 64 && len(n.Shape()) <= 4 {
		f.values = append(f.values, call(f.t, "tanh", n))
	}
}

func (f *forest) scalar() *tree.Node { return untyped.Reduce("sum", f.pick(), untyped.Options{}) }

func (f *forest) view(x *tree.Node) *tree.Node {
	s := x.Shape()
	if len(s) == 0 {
		return untyped.BroadcastTo(x, []int{2, 3})
	}
	axis := f.upTo(len(s) - 1)
	switch f.upTo(6) {
	case 0:
		return untyped.Permute(x, nil)
	case 1:
		return untyped.Reshape(x, []int{-1})
	case 2:
		spans := make([]op.Span, len(s))
		spans[axis] = op.By(op.Span{}, rapid.SampledFrom([]int{1, 2, -1, -2}).Draw(f.r, "step"))
		return untyped.Slice(x, spans)
	case 3:
		widths := make([]int, 2*len(s))
		widths[2*axis], widths[2*axis+1] = f.upTo(2), f.upTo(2)
		return untyped.Pad(x, widths, f.scalar())
	case 4:
		return untyped.Concat(axis, []*tree.Node{x, call(f.t, "sin", x)})
	case 5:
		return untyped.Take(x, call(f.t, "mod", untyped.Iota(3), tree.ConstInt(dtype.I64, int64(s[axis]))), axis)
	}
	return untyped.Compose("expand_dims", untyped.Options{Axes: []int{axis}}, x)
}

// TestRandomTrees compares the gradients of random trees with differences.
func TestRandomTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "values"), 1))
		xs := []T{array(r, -1, 1, 2, 3), array(r, -1, 1, 3), array(r, -1, 1), array(r, -1, 1, 2, 1, 3)}
		f := forest{t: t, r: rt, values: nodes(xs)}
		for range rapid.IntRange(1, 12).Draw(rt, "nodes") {
			f.grow()
		}
		loss := tree.ConstFloat(dtype.F64, 0)
		for _, n := range slices.Backward(f.values) {
			loss = call(t, "add", loss, weighted(t, n))
		}
		differences(rt, loss.String(), loss, xs...)
	})
}
