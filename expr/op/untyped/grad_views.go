package untyped

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// movesOnly returns the rule of an operator that gives each element another place. An adjoint that is one
// number for all elements stays one number.
func movesOnly(rule func(g *tree.Adjoint) *tree.Node) tree.Rule {
	return func(g *tree.Adjoint, _ int) *tree.Node {
		if len(g.Out.Shape()) == 0 {
			return g.Out
		}
		return rule(g)
	}
}

func gradTranspose(g *tree.Adjoint) *tree.Node {
	back := lists.Make(len(g.Arg(0).Shape()), func(i int) int { return slices.Index(g.Node.Axes, i) }) // -1 for a dropped axis: a new axis
	return g.With("transpose", back, nil, g.Full())
}

// gradSlice returns the adjoint surrounded by zeros. For steps of 1 and -1 that
// is a padding.
func gradSlice(g *tree.Adjoint, _ int) *tree.Node {
	ints := g.Node.Ints
	in, out := g.Arg(0).Shape(), g.Node.Shape()
	var widths, flip []int
	dense, forwards := true, true
	for i, d := range in {
		start, step, count := ints[3*i], ints[3*i+1], ints[3*i+2]
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
		return g.With("unslice", nil, withExtents(ints, in), g.Full())
	}
	inner := g.Full()
	if !forwards {
		inner = g.With("slice", nil, flip, inner)
	}
	return g.With("pad", nil, widths, inner, g.Const(0))
}

// gradUnslice selects the elements that Unslice placed.
func gradUnslice(g *tree.Adjoint, _ int) *tree.Node {
	return g.With("slice", nil, withExtents(g.Node.Ints, g.Arg(0).Shape()), g.Full())
}

// withExtents returns three integers for each axis, of which the third is the extent in s.
func withExtents(ints []int, s shape.Shape) []int {
	ints = slices.Clone(ints)
	for i, d := range s {
		ints[3*i+2] = d
	}
	return ints
}

// part returns count elements of a along axis, beginning at from.
func part(g *tree.Adjoint, a *tree.Node, axis, from, count int) *tree.Node {
	var ints []int
	for _, d := range a.Shape() {
		ints = append(ints, 0, 1, d)
	}
	ints[3*axis], ints[3*axis+2] = from, count
	return g.With("slice", nil, ints, a)
}

func gradConcat(g *tree.Adjoint, arg int) *tree.Node {
	axis := g.Node.Axes[0]
	from := lists.Sum(g.Node.Args[:arg], func(a *tree.Node) int { return a.Shape()[axis] })
	return part(g, g.Full(), axis, from, g.Arg(arg).Shape()[axis])
}

// gradPad gives the adjoint of the inside to the operand, and the sum of the
// rest to the fill.
func gradPad(g *tree.Adjoint, arg int) *tree.Node {
	in := g.Arg(0).Shape()
	if arg == 0 {
		var ints []int
		for i, d := range in {
			ints = append(ints, g.Node.Ints[2*i], 1, d)
		}
		return g.With("slice", nil, ints, g.Full())
	}
	inside := g.Expand(tree.NewConst(dtype.Bool, 0), in)
	outside := g.With("pad", nil, g.Node.Ints, inside, tree.NewConst(dtype.Bool, 1))
	return g.SumTo(g.Where(outside, g.Out, g.Const(0)), g.Node.Shape(), nil)
}

// gradTake adds the adjoints of the elements to the positions that they were taken
// from, in the order of the indices.
func gradTake(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 1 {
		return nil
	}
	index := g.Arg(1)
	if index.DType() == dtype.U64 {
		index = g.Op("minimum", index, tree.ConstInt(dtype.U64, math.MaxInt64))
	}
	lead := len(g.Node.Shape()) - len(g.Out.Shape())
	updates := g.Reshape(g.Out, slices.Concat(ones(lead), g.Out.Shape()))
	return g.With("scatter_add", g.Node.Axes, g.Arg(0).Shape(), g.Cast(index, dtype.I64), updates)
}

// gradAlong adds the adjoints to the elements of the operand in the order of memory.
func gradAlong(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 1 {
		return nil
	}
	s, index, axis := g.Arg(0).Shape(), g.Arg(1), g.Node.Axes[0]
	at := g.With("take", []int{0}, nil, g.With("iota", nil, []int{s[axis]}), index) // none is negative
	place := func(n *tree.Node, k int) *tree.Node {
		return g.Mul(n, tree.ConstInt(dtype.I64, int64(s.Strides()[k])))
	}
	at = place(at, axis)
	for k, d := range index.Shape() {
		if k != axis && d > 1 {
			dims := ones(len(s))
			dims[k] = d
			at = g.Add(at, place(g.Reshape(g.With("iota", nil, []int{d}), dims), k))
		}
	}
	return g.Reshape(g.With("scatter_add", []int{0}, []int{s.Size()}, at, g.Full()), s)
}

func ones(n int) shape.Shape { return slices.Repeat(shape.Shape{1}, n) }

// gradWindows adds every element of every window to the position that it was
// read from.
func gradWindows(g *tree.Adjoint, _ int) *tree.Node {
	in := g.Arg(0).Shape()
	w := lists.Make(len(in), func(i int) slide { return slide{g.Node.Ints[3*i], g.Node.Ints[3*i+1], 0, g.Node.Ints[3*i+2]} })
	return folded(g, g.Full(), in, w)
}

// once returns n with extent 1 along the axes that a broadcast repeats, which only transposes may follow.
func once(g *tree.Adjoint, n *tree.Node) *tree.Node {
	switch n.Op {
	case g.Row("broadcast_to"):
		a := n.Args[0]
		return g.Reshape(a, slices.Concat(ones(len(n.Shape())-len(a.Shape())), a.Shape()))
	case g.Row("transpose"):
		if a := once(g, n.Args[0]); a != n.Args[0] {
			return g.With("transpose", n.Axes, nil, a)
		}
	}
	return n
}

// fewElements is the largest number of elements of a window, and of phases, whose
// adjoint is a sum of slices put back to their places. For others it is added along one axis after the other, from manyWindows on.
const (
	fewElements = 32
	manyWindows = 1 << 10
)

// folded returns an array of shape in, in which each element of each window of out is
// added to the place that it was read from: the adjoint of windows w over all axes
// of an array with padding. Elements along axes of extent 1 of longer windows are equal.
func folded(g *tree.Adjoint, out *tree.Node, in shape.Shape, w []slide) *tree.Node {
	r, full := len(in), out.Shape()
	w = slices.Clone(w)
	out = once(g, out)
	out = g.Expand(out, slices.Concat(full[:r], out.Shape()[r:]))
	count, most, equal := 1, 1, 0
	for i := range w {
		if out.Shape()[i] == 1 { // the one window moves nowhere
			w[i].stride = 1
		}
		count, most = count*min(w[i].size, fewElements+1), most*min(w[i].stride, fewElements+1)
		if out.Shape()[r+i] < w[i].size {
			equal++
		}
		if count > fewElements || most > fewElements || equal > 1 && count > 4 && full[:r].Size() >= manyWindows {
			return foldedByAxis(g, out, in, w)
		}
	}
	p := phases{g: g, out: g.Expand(out, slices.Concat(full[:r], sizes(w))), in: in, w: w, first: make([]int, r), counts: make(shape.Shape, r), phase: make([]int, r)}
	return p.from(0)
}

// foldedByAxis adds the elements along one axis of the windows after the other. Few windows, and many elements along the last axis that is
// left, are a reduction, whose loop costs more for each element of the result and less for each of the window.
func foldedByAxis(g *tree.Adjoint, out *tree.Node, in shape.Shape, w []slide) *tree.Node {
	r, s := len(in), out.Shape().Clone()
	last := r - 1
	for last > 0 && !w[last].moves() {
		last--
	}
	single, x := !slices.ContainsFunc(w[:last], slide.moves), w[last]
	element := r + last
	others := slices.Delete(lists.UpTo(2*r), element, element+1)
	switch {
	case x.tile(in[last], s[last]):
		s[element] = x.size
		out = g.With("transpose", slices.Insert(others, last+1, element), nil, g.Expand(out, s))
	case single && max(x.size, x.stride) > fewElements || s[:r].Size() < manyWindows:
		return reduced(g, g.Expand(out, slices.Concat(s[:r], sizes(w))), in, w)
	default: // what is along other axes are positions
		split := slices.Concat(slices.Delete(s.Clone(), element, element+1), ones(2*r-1))
		split[2*r-1+last] = s[element]
		out = g.Reshape(g.With("transpose", append(others, element), nil, out), split)
		each := everySlide(nil, 2*r-1)
		each[last] = x
		places := split[:2*r-1].Clone()
		places[last] = in[last]
		out = folded(g, out, places, each)
	}
	if w[last] = (slide{1, 1, 0, 1}); single {
		return g.Reshape(out, in)
	}
	s[last], s[element] = in[last], 1
	if out = g.Reshape(out, s); slices.ContainsFunc(lists.UpTo(last), func(i int) bool { return w[i].moves() && !w[i].tile(in[i], s[i]) }) {
		return folded(g, out, in, w)
	}
	return foldedByAxis(g, out, in, w)
}

// moves reports whether windows are more than the elements of an axis.
func (s slide) moves() bool { return s != slide{1, 1, 0, 1} }

// tile reports whether so many windows cover an axis of size d side by side.
func (s slide) tile(d, windows int) bool {
	return s.padding == 0 && s.dilation == 1 && windows*s.size == d && (windows == 1 || s.stride == s.size)
}

// A phase is the places that have the same remainders by the strides. It is a sum of slices of
// windows, without a division. phases joins them.
type phases struct {
	g   *tree.Adjoint
	out *tree.Node  // the windows
	in  shape.Shape // of the result
	w   []slide
	// What is joined now, by axis: the phase, and its places from first on, counted in strides.
	first, phase []int
	counts       shape.Shape
}

// from returns the places of the axes from i on. The places after the last whole stride are
// apart: they are in some of the phases.
func (p *phases) from(i int) *tree.Node {
	if i == len(p.in) {
		return p.sum()
	}
	whole, rest := p.in[i]/p.w[i].stride, p.in[i]%p.w[i].stride
	switch {
	case rest == 0:
		return p.join(i, 0, whole, p.w[i].stride)
	case whole == 0:
		return p.join(i, 0, 1, rest)
	}
	return p.g.With("concat", []int{i}, nil, p.join(i, 0, whole, p.w[i].stride), p.join(i, whole, 1, rest))
}

// join returns count places of each of the first n phases of axis i.
func (p *phases) join(i, first, count, n int) *tree.Node {
	parts := make([]*tree.Node, n)
	for k := range parts {
		p.first[i], p.counts[i], p.phase[i] = first, count, k
		if parts[k] = p.from(i + 1); n == 1 {
			return parts[k]
		}
		parts[k] = p.g.Reshape(parts[k], slices.Insert(parts[k].Shape().Clone(), i+1, 1))
	}
	s := slices.Delete(parts[0].Shape().Clone(), i+1, i+2)
	s[i] *= n
	return p.g.Reshape(p.g.With("concat", []int{i + 1}, nil, parts...), s)
}

// reduced is folded as a reduction.
func reduced(g *tree.Adjoint, out *tree.Node, in shape.Shape, w []slide) *tree.Node {
	var ints, axes, inside []int
	for i, d := range in {
		ints = append(ints, w[i].stride, w[i].dilation, d+2*w[i].padding)
		inside = append(inside, w[i].padding, 1, d)
		axes = append(axes, len(in)+i)
	}
	spread := g.With("window_scatter", nil, ints, out)
	if len(axes) > 0 {
		spread = g.Reduce("sum", spread, axes)
	}
	return g.With("slice", nil, inside, g.Reshape(spread, spread.Shape()[:len(in)]))
}

// sum returns some places of a phase: for each element of the window that is in the phase,
// the adjoints of all positions, at the places that the element was read from.
func (p *phases) sum() (sum *tree.Node) {
	g, out, r := p.g, p.out, len(p.w)
elements:
	for element := range out.Shape()[r:].Indices() {
		// The element of window o is at place o + shift.
		spans, widths := make([]int, 0, 6*r), make([]int, 0, 2*r)
		counts := make(shape.Shape, r)
		for i, s := range p.w {
			at := element[i]*s.dilation - s.padding - p.phase[i]
			if at%s.stride != 0 {
				continue elements
			}
			shift := at/s.stride - p.first[i]
			from, to := max(0, -shift), min(out.Shape()[i], p.counts[i]-shift)
			if from >= to {
				continue elements
			}
			counts[i] = to - from
			spans = append(spans, from, 1, to-from)
			widths = append(widths, from+shift, p.counts[i]-to-shift)
		}
		for _, e := range element {
			spans = append(spans, e, 1, 1)
		}
		part := g.Reshape(g.With("slice", nil, spans, out), counts)
		part = g.With("pad", nil, widths, part, g.Const(0))
		if sum != nil {
			part = g.Add(sum, part)
		}
		sum = part
	}
	if sum == nil {
		return g.Expand(g.Const(0), p.counts.Clone())
	}
	return sum
}

// gradMovedWindows returns the derivative of window_scatter or window_gather, which is the other one.
func gradMovedWindows(other string) tree.Rule {
	return func(g *tree.Adjoint, _ int) *tree.Node {
		in := g.Arg(0).Shape()
		return g.With(other, nil, withExtents(g.Node.Ints, in[:len(in)/2]), g.Full())
	}
}
