package untyped

import (
	"fmt"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// unviews are the views that put elements back at the positions that slices and
// windows read, with zeros in between. The derivatives of slices and windows
// use them.
var unviews = family(tree.Row{Class: tree.View, Arity: 1, Types: elems}, []tree.Row{
	// Ints: start, step and the new size of each axis.
	{
		Name: "unslice", Shape: spansShape(true), Gather: unsliceGather, Grad: gradUnslice,
		Doc: "zeros with the elements at every step-th position from a start: the adjoint of slice.",
	},
	// Ints: stride, dilation and the new size of each position axis.
	{
		Name: "window_scatter", GoName: "WindowScatter", Shape: windowShape(true),
		Gather: windowScatterGather, Grad: gradMovedWindows("window_gather"),
		Doc: "windows, each element moved to the position that it was read from; zeros elsewhere.",
	},
	// Ints: stride, dilation and the number of windows along each position axis.
	{
		Name: "window_gather", GoName: "WindowGather", Shape: windowShape(false), Gather: windowsGather(0),
		Grad: gradMovedWindows("window_scatter"),
		Doc:  "windows, each element from an array of its own: the adjoint of window_scatter.",
	},
})

// reach returns the greater of (n-1)*step and d.
func reach(n, step, d int) int {
	if n > 1 && step > d/(n-1) {
		return d
	}
	return (n - 1) * step
}

// unsliceGather finds the operand's coordinate as the distance from the start
// divided by the step.
func unsliceGather(g *tree.Gather) V {
	coords := make([]prim.Ix, len(g.Out))
	on := g.B.Int(dtype.Bool, 1)
	for i, o := range g.Out {
		start, step := g.Node.Ints[3*i], g.Node.Ints[3*i+1]
		off := g.Add(o, g.Int(-start))
		if step < 0 {
			off, step = g.Mul(off, g.Const(-1)), -step
		}
		coords[i] = divided(g, off, step, &on)
	}
	return scattered(g, coords, on)
}

// divided returns off/step. It restricts on to the positions where step divides
// off.
func divided(g *tree.Gather, off prim.Ix, step int, on *V) prim.Ix {
	if step == 1 {
		return off
	}
	rest := g.Value(g.Mod(off, g.Int(step)))
	*on = g.B.And(*on, g.B.Eq(rest, g.B.Int(dtype.I64, 0)))
	return g.Div(off, g.Int(step))
}

// scattered returns the operand at coords, or 0 outside its shape and where on
// is false.
func scattered(g *tree.Gather, coords []prim.Ix, on V) V {
	zero := g.B.Bits(g.Node.Args[0].DType().Register(), 0)
	return g.B.Select(on, g.Guarded(0, coords, zero), zero)
}

// Unslice returns op.Unslice of untyped trees.
func Unslice(a *tree.Node, dims []int, spans []shape.Slice) *tree.Node {
	if a = Given(a, "Unslice"); a.Err() != nil {
		return a
	}
	if len(dims) != len(a.Shape()) || len(spans) > len(dims) {
		return tree.Errorf(tree.ErrShape, "Unslice", "the number of sizes is %d, the number of spans is %d, the rank is %d", len(dims), len(spans), len(a.Shape()))
	}
	var ints []int
	for i, span := range everyAxis(spans, len(dims)) {
		start, count, step, err := span.Resolve(dims[i])
		switch {
		case err != nil:
			return tree.Errorf(tree.ErrShape, "Unslice", "%s", err)
		case count != a.Shape()[i]:
			return tree.Errorf(tree.ErrShape, "Unslice", "the span selects %d elements of axis %d, not %d", count, i, a.Shape()[i])
		}
		ints = append(ints, start, step, dims[i])
	}
	return tree.ApplyWith(Row("unslice"), tree.Attributes{Ints: ints}, a)
}

// windowShape returns the function of the shape of window_scatter or of window_gather. The axes of the
// operand are the positions, then the elements of a window.
func windowShape(scatter bool) func(*tree.Node) (shape.Shape, error) {
	return func(n *tree.Node) (shape.Shape, error) {
		in := n.Args[0].Shape()
		r := len(in) / 2
		if len(in)%2 != 0 {
			return nil, fmt.Errorf("%v is no shape of windows: it has as many axes of positions as of elements", in)
		}
		if len(n.Ints) != 3*r {
			return nil, fmt.Errorf("the number of windows is %d, the number of axes of positions is %d", len(n.Ints)/3, r)
		}
		out := in.Clone()
		for i := range r {
			stride, dilation := n.Ints[3*i], n.Ints[3*i+1]
			if stride < 1 || dilation < 1 {
				return nil, fmt.Errorf("a window has stride %d and dilation %d", stride, dilation)
			}
			out[i] = n.Ints[3*i+2]
			count, size, d := out[i], in[r+i], in[i]
			if scatter {
				count, d = d, count
			}
			if count > 0 && size > 0 && reach(count, stride, d) >= d-reach(size, dilation, d) {
				return nil, fmt.Errorf("%d windows of size %d, stride %d, dilation %d do not fit an axis of size %d", count, size, stride, dilation, d)
			}
		}
		return out, nil
	}
}

func windowScatterGather(g *tree.Gather) V {
	r := len(g.Out) / 2
	coords := append([]prim.Ix(nil), g.Out...)
	on := g.B.Int(dtype.Bool, 1)
	for i := range r {
		stride, dilation := g.Node.Ints[3*i], g.Node.Ints[3*i+1]
		off := g.Add(g.Out[i], g.Mul(g.Out[r+i], g.Int(-dilation)))
		coords[i] = divided(g, off, stride, &on)
	}
	return scattered(g, coords, on)
}
