package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// The rules of views keep an adjoint that is one number for all elements as one
// number.

func gradReshape(g *expr.Adjoint, _ int) *expr.Node {
	if len(g.Out.Shape()) == 0 {
		return g.Out
	}
	return g.Reshape(g.Full(), g.Arg(0).Shape())
}

func gradTranspose(g *expr.Adjoint, _ int) *expr.Node {
	if len(g.Out.Shape()) == 0 {
		return g.Out
	}
	back := make([]int, len(g.Arg(0).Shape()))
	for i := range back {
		back[i] = slices.Index(g.Node.Axes, i) // -1 for a dropped axis: a new axis
	}
	return g.With("transpose", back, nil, g.Full())
}

func gradBroadcast(g *expr.Adjoint, _ int) *expr.Node {
	return g.SumTo(g.Out, g.Node.Shape(), g.Arg(0).Shape())
}

// gradSlice returns the adjoint surrounded by zeros. For steps of 1 and -1 that
// is a padding.
func gradSlice(g *expr.Adjoint, _ int) *expr.Node {
	ints := g.Node.Ints
	in, out := g.Arg(0).Shape(), g.Node.Shape()
	var place, widths, flip []int
	dense, forwards := true, true
	for i, d := range in {
		start, step, count := ints[3*i], ints[3*i+1], ints[3*i+2]
		place = append(place, start, step, d)
		switch {
		case count <= 1:
			step = 1
		case step < 0: // the same elements in forward order
			start += (count - 1) * step
		}
		dense = dense && (step == 1 || step == -1)
		if count == 0 {
			start = 0
		}
		widths = append(widths, start, d-start-count)
		if step == 1 {
			flip = append(flip, 0, 1, out[i])
		} else {
			flip = append(flip, out[i]-1, -1, out[i])
			forwards = false
		}
	}
	if !dense {
		return g.With("unslice", nil, place, g.Full())
	}
	inner := g.Full()
	if !forwards {
		inner = g.With("slice", nil, flip, inner)
	}
	return g.With("pad", nil, widths, inner, g.Const(0))
}

// gradUnslice selects the elements that Unslice placed.
func gradUnslice(g *expr.Adjoint, _ int) *expr.Node {
	var ints []int
	for i, d := range g.Arg(0).Shape() {
		ints = append(ints, g.Node.Ints[3*i], g.Node.Ints[3*i+1], d)
	}
	return g.With("slice", nil, ints, g.Full())
}

// part returns count elements of a along axis, beginning at from.
func part(g *expr.Adjoint, a *expr.Node, axis, from, count int) *expr.Node {
	var ints []int
	for i, d := range a.Shape() {
		if i == axis {
			ints = append(ints, from, 1, count)
		} else {
			ints = append(ints, 0, 1, d)
		}
	}
	return g.With("slice", nil, ints, a)
}

func gradConcat(g *expr.Adjoint, arg int) *expr.Node {
	axis, from := g.Node.Axes[0], 0
	for _, a := range g.Node.Args[:arg] {
		from += a.Shape()[axis]
	}
	return part(g, g.Full(), axis, from, g.Arg(arg).Shape()[axis])
}

// gradPad gives the adjoint of the inside to the operand, and the sum of the
// rest to the fill.
func gradPad(g *expr.Adjoint, arg int) *expr.Node {
	in := g.Arg(0).Shape()
	if arg == 0 {
		var ints []int
		for i, d := range in {
			ints = append(ints, g.Node.Ints[2*i], 1, d)
		}
		return g.With("slice", nil, ints, g.Full())
	}
	inside := g.Expand(expr.NewConst(dtype.Bool, 0), in)
	outside := g.With("pad", nil, g.Node.Ints, inside, expr.NewConst(dtype.Bool, 1))
	return g.SumTo(g.Where(outside, g.Out, g.Const(0)), g.Node.Shape(), nil)
}

// gradTake adds the adjoints of the elements to the positions that they were taken
// from, in the order of the indices.
func gradTake(g *expr.Adjoint, arg int) *expr.Node {
	if arg == 1 {
		return nil
	}
	index := g.Arg(1)
	if index.DType() == dtype.U64 {
		index = g.Op("minimum", index, expr.ConstInt(dtype.U64, math.MaxInt64))
	}
	lead := len(g.Node.Shape()) - len(g.Out.Shape())
	updates := g.Reshape(g.Out, slices.Concat(ones(lead), g.Out.Shape()))
	return g.With("scatter_add", g.Node.Axes, g.Arg(0).Shape(), g.Cast(index, dtype.I64), updates)
}

func ones(n int) shape.Shape { return slices.Repeat(shape.Shape{1}, n) }

// gradWindows adds every element of every window to the position that it was
// read from.
func gradWindows(g *expr.Adjoint, _ int) *expr.Node {
	in := g.Arg(0).Shape()
	r := len(in)
	if g.Node.Shape().Count(r, 2*r) <= fewElements {
		return sumOfElements(g, g.Full(), in)
	}
	var ints, axes []int
	for i, d := range in {
		ints = append(ints, g.Node.Ints[3*i+1], g.Node.Ints[3*i+2], d)
		axes = append(axes, r+i)
	}
	spread := g.With("window_scatter", nil, ints, g.Full())
	if len(axes) > 0 {
		spread = g.Reduce("sum", spread, axes)
	}
	return g.Reshape(spread, in)
}

// fewElements is the largest number of elements of a window whose adjoint is a sum
// of slices put back to their places. For larger windows it is a reduction, whose
// loop costs more for each element of the result and less for each of the window.
const fewElements = 32

// sumOfElements returns the adjoint of windows of an array of shape in: for each
// element of the window, the adjoints of all positions, at the places that the
// element was read from.
func sumOfElements(g *expr.Adjoint, out *expr.Node, in shape.Shape) *expr.Node {
	r := len(in)
	counts := out.Shape()[:r]
	element := make([]int, r)
	var sum *expr.Node
	for more := true; more; {
		var from, to []int
		for _, n := range counts {
			from = append(from, 0, 1, n)
		}
		for i, x := range element {
			from = append(from, x, 1, 1)
			to = append(to, x*g.Node.Ints[3*i+2], g.Node.Ints[3*i+1], in[i])
		}
		part := g.Reshape(g.With("slice", nil, from, out), counts)
		if part = spread(g, part, to); sum != nil {
			part = g.Add(sum, part)
		}
		sum = part
		more = false
		for i := r - 1; i >= 0 && !more; i-- {
			element[i]++
			if more = element[i] < out.Shape()[r+i]; !more {
				element[i] = 0
			}
		}
	}
	return sum
}

// spread returns a at every step-th position of zeros, as unslice with ints does.
// Without steps that is a padding.
func spread(g *expr.Adjoint, a *expr.Node, ints []int) *expr.Node {
	var widths []int
	for i, n := range a.Shape() {
		if ints[3*i+1] != 1 && n != 1 {
			return g.With("unslice", nil, ints, a)
		}
		widths = append(widths, ints[3*i], ints[3*i+2]-ints[3*i]-n)
	}
	return g.With("pad", nil, widths, a, g.Const(0))
}

func gradWindowScatter(g *expr.Adjoint, _ int) *expr.Node {
	in := g.Arg(0).Shape()
	var ints []int
	for i, count := range in[:len(in)/2] {
		ints = append(ints, g.Node.Ints[3*i], g.Node.Ints[3*i+1], count)
	}
	return g.With("window_gather", nil, ints, g.Full())
}

func gradWindowGather(g *expr.Adjoint, _ int) *expr.Node {
	in := g.Arg(0).Shape()
	var ints []int
	for i, d := range in[:len(in)/2] {
		ints = append(ints, g.Node.Ints[3*i], g.Node.Ints[3*i+1], d)
	}
	return g.With("window_scatter", nil, ints, g.Full())
}
