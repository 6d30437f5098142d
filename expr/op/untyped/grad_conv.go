package untyped

import (
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has the derivatives of windows and convolutions as a whole. Operators
// whose value is their first operand carry them: the derivatives of the views and the
// product of which that operand is made would store columns and add them up again.

// windowedOp is the first operand, to derivatives the windows over the second one,
// padded. Ints: size, stride, padding and dilation for each axis.
var windowedOp = tree.NewOperator(tree.Row{
	Name: "windowed", Class: tree.View, Arity: 2, Types: elems, Same: true,
	Shape: windowedShape, Gather: firstGather, Grad: gradWindowed,
	Doc: "the first operand, to derivatives the windows over the padded second one.",
})

// pooledOp is the first operand, to derivatives the extremes of the windows over the
// second one. Ints: 1 for maxima, 1 if equal extremes receive the whole adjoint each, then
// size, stride, padding and dilation for each of the last axes.
var pooledOp = tree.NewOperator(tree.Row{
	Name: "pooled", Class: tree.View, Arity: 2, Types: numbers, Same: true,
	Shape: pooledShape, Gather: firstGather, Grad: gradPooled,
	Doc: "the first operand, to derivatives the extremes of windows over the second one.",
})

// convolvedOp is the first operand, to derivatives the convolution of the second by
// the third. Ints: groups, then stride, padding and dilation for each axis of the
// images.
var convolvedOp *tree.Operator

func init() { // the derivative makes convolutions, which refer to the operator
	convolvedOp = tree.NewOperator(tree.Row{
		Name: "convolved", Class: tree.View, Arity: 3, Types: numbers, Same: true,
		Shape: convolvedShape, Gather: firstGather, Grad: gradConvolved,
		Doc: "the first operand, to derivatives the convolution of the others.",
	})
}

// gradConvolved returns the adjoints of images and weights as products of windows,
// which are not stored.
func gradConvolved(g *tree.Adjoint, arg int) *tree.Node {
	a, weight, groups := g.Arg(1), g.Arg(2), g.Node.Ints[0]
	w := strides(g.Node.Ints[1:], weight.Shape()[2:])
	switch arg {
	case 1:
		return gradImages(g, weight, w, groups)
	case 2:
		return gradWeights(g.Full(), a, weight.Shape(), w, groups)
	}
	return nil
}

// windowsLast returns the windows over images. It pads the images with their channels as the last axis, so that the columns of
// the product of gradWeights are neighbours in memory. Few channels are fewer than the elements of a row, and stay the first axis.
func windowsLast(a *tree.Node, w []slide) *tree.Node {
	const few = 8
	r, zero := len(w), tree.NewConst(a.DType(), 0)
	if a.Shape()[1] < few {
		return windowed(a, w, zero)
	}
	a = Transpose(a, slices.Concat([]int{0}, lists.UpTo(2 + r)[2:], []int{1}))
	v := windowed(a, append(slices.Clip(w), slide{1, 1, 0, 1}), zero) // image, positions, channel, elements, 1
	return Transpose(v, slices.Concat([]int{0, 1 + r}, lists.UpTo(1 + r)[1:], lists.UpTo(2 + 2*r)[2+r:]))
}

// gradFilters is gradWeights for groups of one channel. Images and adjoint have rows of the same lengths in memory, so that the sum for an
// element of the windows goes along one row, which begins elsewhere in the images. No window begins at the ends of rows: such terms are left
// out. With strides, the places of one remainder are images. A row is all images of a channel if they are small, and otherwise a band of an
// image, which stays in the first-level cache for all elements.
func gradFilters(out, a *tree.Node, k shape.Shape, w []slide) *tree.Node {
	const longRow, band = 1 << 10, 3 << 10
	s, in, r, zero := out.Shape(), a.Shape(), len(w), tree.NewConst(a.DType(), 0)
	before, after := make([]int, 4, 2*r+4), make([]int, 4, 2*r+4)
	places := lists.Make(r, func(i int) int { return (in[2+i] + 2*w[i].padding + w[i].stride - 1) / w[i].stride })
	count := lists.Map(w, func(x slide) int { return (x.size + x.stride - 1) / x.stride })
	below, more := shape.Shape(places[1:]).Size(), (count[0]-1)*w[0].dilation
	together, bands, starts, size := s[0], 1, places[0], s[0]*places[0]
	if places[0]*below >= longRow {
		together, bands = 1, max(1, s[2]*below/band)
		starts = (s[2] + bands - 1) / bands
		bands = (s[2] + starts - 1) / starts // a row may be longer than a band
		size = starts + more
		places[0] = max(places[0], bands*starts+more)
	}
	split, images, axes, back := shape.Shape{s[0] / together * in[1], together}, []int{0}, []int{1}, []int{0, 1}
	strides, whole, ends := k[:2].Clone(), k[:2].Clone(), lists.Map(k, shape.Until)
	for i, x := range w {
		n := places[i]
		if i == 0 {
			n = bands * starts
		}
		before, after = append(before, x.padding, places[i]*x.stride-in[2+i]-x.padding), append(after, 0, n-s[2+i])
		split, images, axes = append(split, places[i], x.stride), append(images, 3+2*i), append(axes, 2+2*i)
		strides, whole, back = append(strides, x.stride), append(whole, count[i]*x.stride), append(back, 2+r+i, 2+i)
	}
	// channels has an axis of rows and channels and one of the images of a row.
	channels := func(x *tree.Node) *tree.Node {
		s := x.Shape()
		if together == 1 {
			return Reshape(x, slices.Concat(shape.Shape{s[0] * s[1], 1}, s[2:]))
		}
		return Transpose(x, append([]int{1, 0}, lists.UpTo(2 + r)[2:]...))
	}
	v := Reshape(Pad(channels(a), before, zero), split)
	length := size * below
	v = Reshape(Transpose(v, append(images, axes...)), []int{split[0], 1, -1, together * places[0] * below})
	v = windowed(v, []slide{{length, starts * below, 0, 1}}, zero)
	for i, x := range w {
		step := x.dilation * shape.Shape(places[i+1:]).Size()
		length -= (count[i] - 1) * step
		v = windowed(v, []slide{{length, step, 0, 1}}, zero)
	}
	rows := func(x, zero *tree.Node, outputs ...int) *tree.Node {
		x = Reshape(Pad(channels(x), after, zero), slices.Concat(outputs, shape.Shape{1, bands}, ones(r), shape.Shape{-1}))
		return Slice(x, append(make([]shape.Slice, 4+r), shape.Until(length)))
	}
	windows := slices.Concat(shape.Shape{together, 1}, s[2:])
	meets := rows(BroadcastTo(tree.NewConst(dtype.Bool, 1), windows), tree.NewConst(dtype.Bool, 0), 1, 1)
	terms := Call("where", meets, Call("mul", v, rows(out, zero, split[0], k[0]/in[1])), zero)
	y := Reshape(Reduce("sum", terms, Options{Axes: []int{4 + r}}), slices.Concat(shape.Shape{-1}, k[:1], strides[2:], shape.Shape{bands}, count))
	y = Reduce("sum", y, Options{Axes: []int{0, 2 + r}})
	y = Transpose(Reshape(y, slices.Concat(strides, count)), back)
	return Slice(Reshape(y, whole), ends)
}

// gradWeights is a sum over all positions of all images.
func gradWeights(out, a *tree.Node, k shape.Shape, w []slide, groups int) *tree.Node {
	const fewOutputs = 4 // of a group: a product has a row for each, and so few take longer than sums
	// gradFilters reads all remainders by a stride, so windows must read all too, from neighbouring elements.
	apart := func(x slide) bool { return x.stride > x.size || x.stride > 1 && x.dilation > 1 }
	if k[1] == 1 && k[0] < fewOutputs*groups && out.Shape().Size() > 0 && !slices.ContainsFunc(w, apart) {
		return gradFilters(out, a, k, w)
	}
	v := windowsLast(a, w)
	s, r := out.Shape(), len(w)
	n, each, terms := k[0]/groups, k[1:].Size(), s[0]*s[2:].Size()
	// [group output, image positions] by [group, image positions, elements channel]: the
	// channels of an element are at equal distances
	x := Transpose(out, append([]int{1, 0}, lists.UpTo(2 + r)[2:]...))
	if groups == 1 {
		v = Transpose(v, slices.Concat([]int{0}, lists.UpTo(2 + 2*r)[2:], []int{1}))
	} else {
		v = Reshape(v, slices.Concat(shape.Shape{s[0], groups, k[1]}, v.Shape()[2:]))
		v = Transpose(v, slices.Concat([]int{1, 0}, lists.UpTo(3 + 2*r)[3:], []int{2}))
	}
	rows, columns := shape.Shape{n, terms}, shape.Shape{terms, each}
	if groups > 1 {
		rows, columns = shape.Shape{groups, n, terms}, shape.Shape{groups, terms, each}
	}
	y := Reshape(MatMul(Reshape(x, rows), Reshape(v, columns)), slices.Concat(k[:1], k[2:], k[1:2]))
	return Transpose(y, slices.Concat([]int{0, r + 1}, lists.UpTo(1 + r)[1:]))
}

// gradImages is the convolution by the mirrored weights, with outputs and channels
// exchanged, if windows move by one element. Otherwise the elements of windows are
// added to their places, and those of small filters that have one channel and are
// alone in their group: an infinite weight does not meet the padding there.
func gradImages(g *tree.Adjoint, weight *tree.Node, w []slide, groups int) *tree.Node {
	const few = 9
	k, r, s := weight.Shape(), len(w), g.Arg(1).Shape()
	apart := k[1] == 1 && k[0] == groups && elements(w) <= few
	weight = Reshape(weight, slices.Concat(shape.Shape{groups, k[0] / groups}, k[1:]))
	weight = Transpose(weight, append([]int{0, 2, 1}, lists.UpTo(3 + r)[3:]...))
	back := slices.Clone(w)
	for i, x := range w {
		back[i].padding = (x.size-1)*x.dilation - x.padding
		if apart || x.stride != 1 || back[i].padding < 0 || s[2+i] == 0 {
			return gradStrided(g, weight, w, s)
		}
	}
	spans := make([]shape.Slice, 2+r)
	for i := range w {
		spans[2+i] = shape.By(shape.Slice{}, -1)
	}
	weight = Reshape(weight, slices.Concat(shape.Shape{s[1], k[0] / groups}, k[2:]))
	return convolved(g.Full(), Slice(weight, spans), back, groups)
}

// gradStrided returns the adjoint of images of shape s. weight has the axes group,
// channel, output, elements.
func gradStrided(g *tree.Adjoint, weight *tree.Node, w []slide, s shape.Shape) *tree.Node {
	r, k, out := len(w), weight.Shape(), g.Node.Shape()
	weight = Transpose(weight, slices.Concat([]int{0, 1}, lists.UpTo(3 + r)[3:], []int{2}))
	split := slices.Concat(shape.Shape{s[0], s[1]}, k[3:], out[2:])
	var y *tree.Node
	if k[1] == 1 && k[2] == 1 { // a product of matrices would have one term
		weight = Reshape(weight, append(split[1:2+r:2+r], ones(r)...))
		y = Call("mul", weight, Reshape(g.Full(), slices.Concat(split[:2], ones(r), out[2:])))
	} else {
		rows := Reshape(weight, []int{k[0], k[1] * k[3:].Size(), k[2]})
		y = Reshape(MatMul(rows, Reshape(g.Full(), []int{s[0], k[0], k[2], out[2:].Size()})), split)
	}
	y = Transpose(y, slices.Concat([]int{0, 1}, lists.UpTo(2 + 2*r)[2+r:], lists.UpTo(2 + r)[2:]))
	return fold(y, s, w)
}

func firstGather(g *tree.Gather) V { return g.At(0, g.Out) }

// slides returns how windows move, as the attributes of windowed say it.
func slides(ints []int) []slide {
	return lists.Make(len(ints)/4, func(i int) slide { return slide{ints[4*i], ints[4*i+1], ints[4*i+2], ints[4*i+3]} })
}

// positions returns the number of windows along an axis of size d. It returns an
// error if they are not possible.
func (s slide) positions(d int) (int, error) {
	if s.size < 1 || s.stride < 1 || s.dilation < 1 || s.padding < 0 || s.padding > (math.MaxInt-d)/2 {
		return 0, fmt.Errorf("a window has size %d, stride %d, padding %d and dilation %d", s.size, s.stride, s.padding, s.dilation)
	}
	d += 2 * s.padding
	if wide := reach(s.size, s.dilation, d); wide < d {
		return (d-1-wide)/s.stride + 1, nil
	}
	return 0, nil
}

func windowedShape(n *tree.Node) (shape.Shape, error) {
	out, in, w := n.Args[0].Shape(), n.Args[1].Shape(), slides(n.Ints)
	if len(n.Ints) != 4*len(in) || len(out) != 2*len(in) {
		return nil, fmt.Errorf("the number of windows is %d, the shapes are %v and %v", len(w), out, in)
	}
	bad := func() error { return fmt.Errorf("%v is no shape of windows over %v", out, in) }
	if !out[len(in):].Equal(sizes(w)) {
		return nil, bad()
	}
	return out, checkCounts(w, in, out, bad)
}

// checkCounts returns an error unless there are out[i] windows along each axis i: the one of bad, or the reason why there are no
// such windows at all.
func checkCounts(w []slide, in, out shape.Shape, bad func() error) error {
	for i, s := range w {
		switch count, err := s.positions(in[i]); {
		case err != nil:
			return err
		case count != out[i]:
			return bad()
		}
	}
	return nil
}

func gradWindowed(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return nil
	}
	return folded(g, g.Full(), g.Arg(1).Shape(), slides(g.Node.Ints))
}

// pooled returns y, which has the extremes of windows over a.
func pooled(y, a *tree.Node, w []slide, largest, whole bool) *tree.Node {
	ints := make([]int, 2, 2+4*len(w))
	for i, is := range []bool{largest, whole} {
		if is {
			ints[i] = 1
		}
	}
	for _, s := range w {
		ints = append(ints, s.size, s.stride, s.padding, s.dilation)
	}
	return tree.ApplyWith(pooledOp, tree.Attributes{Ints: ints}, y, a)
}

func pooledShape(n *tree.Node) (shape.Shape, error) {
	out, in := n.Args[0].Shape(), n.Args[1].Shape()
	bad := func() error { return fmt.Errorf("%v is no pool of %v", out, in) }
	lead := len(in) - len(n.Ints)/4
	if len(out) != len(in) || len(n.Ints) < 2 || len(n.Ints)%4 != 2 || lead < 0 || !out[:lead].Equal(in[:lead]) {
		return nil, bad()
	}
	return out, checkCounts(slides(n.Ints[2:]), in[lead:], out[lead:], bad)
}

// toExtremes reports whether a scatter to the places of the extremes takes less time than a sum over the elements of windows, of images of
// shape in. Each window has an element there.
func toExtremes(w []slide, in shape.Shape) bool {
	few := 9
	if len(w) > 2 {
		few = 4
	}
	return elements(w) > few && !slices.ContainsFunc(lists.UpTo(len(w)), func(i int) bool { return !w[i].meets(in[i]) })
}

// gradPooled adds the adjoint of each window to the first of its elements that is the extreme, or
// NaN, or to all elements that equal the extreme. Padding is NaN to these, which equals nothing.
// A program that has the windows' first elements for another reason reads them.
func gradPooled(g *tree.Adjoint, arg int) *tree.Node {
	if arg == 0 {
		return nil
	}
	a, w, largest, whole := g.Arg(1), slides(g.Node.Ints[2:]), g.Node.Ints[0] == 1, g.Node.Ints[1] == 1
	var is *tree.Node
	if whole {
		is = g.Op("equal", windowed(a, w, g.Const(math.NaN())), forEach(w, g.Node))
	} else {
		first := firstExtremes(a, w, largest)
		if lead := len(a.Shape()) - len(w); toExtremes(w, a.Shape()[lead:]) {
			return scatterInto(a.Shape(), lead, inImage(first, w, a.Shape()[lead:]), g.Full())
		}
		number := Reshape(Cast(Iota(sizes(w).Size()), first.DType()), sizes(w)) // of each element of a window
		is = g.Op("equal", number, forEach(w, first))
	}
	return fold(g.Where(is, forEach(w, g.Full()), g.Const(0)), a.Shape(), w)
}

func convolvedShape(n *tree.Node) (shape.Shape, error) {
	out, x, k := n.Args[0].Shape(), n.Args[1].Shape(), n.Args[2].Shape()
	r := len(x) - 2
	bad := func() error { return fmt.Errorf("%v is no convolution of %v by %v", out, x, k) }
	if r < 1 || len(k) != len(x) || len(out) != len(x) || len(n.Ints) != 1+3*r {
		return nil, bad()
	}
	groups := n.Ints[0]
	if groups < 1 || x[1]%groups != 0 || k[0]%groups != 0 || k[1] != x[1]/groups || out[0] != x[0] || out[1] != k[0] {
		return nil, bad()
	}
	return out, checkCounts(strides(n.Ints[1:], k[2:]), x[2:], out[2:], bad)
}

// strides returns how windows of a size move, as the attributes of convolved say it.
func strides(ints []int, size shape.Shape) []slide {
	return lists.Make(len(size), func(i int) slide { return slide{size[i], ints[3*i], ints[3*i+1], ints[3*i+2]} })
}

// fold returns the adjoint of windowed: an array of shape dims, in which each
// element of each window of a is added to the place that it was read from.
func fold(a *tree.Node, dims shape.Shape, w []slide) *tree.Node {
	if a.Err() != nil {
		return a
	}
	r := len(dims)
	if len(a.Shape()) != r+len(w) {
		return misshapen("%v is no shape of windows over %d axes of %v", a.Shape(), len(w), dims)
	}
	split := slices.Concat(a.Shape()[:r], ones(r-len(w)), a.Shape()[r:])
	all := everySlide(w, r)
	for i, d := range dims {
		if all[i].padding > math.MaxInt/4 || d > math.MaxInt/4 {
			return misshapen("an axis has %d elements", d)
		}
	}
	return folded(adjointOf(a), Reshape(a, split), dims, all)
}

// adjointOf returns an Adjoint for constructors that share code with derivatives.
func adjointOf(a *tree.Node) *tree.Adjoint {
	return &tree.Adjoint{Node: a, Out: a, Row: Row, Reduce: func(name string, a *tree.Node, axes []int) *tree.Node {
		return Reduce(name, a, Options{Axes: axes, Keep: true})
	}}
}
