package untyped

import (
	"math"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has what moves windows over the last axes: convolutions, pools, and
// images as columns.

// A Sliding says how windows move over the last axes of an array. A list of one
// number stands for all axes.
type Sliding struct {
	Kernel   []int // the size of a window, one number for each axis; convolutions take it from the weights
	Stride   []int // nil: 1; for pools the size of the window
	Padding  []int // elements added before and after each axis; nil: 0
	Dilation []int // the distance of the elements of a window; nil: 1
	Groups   int   // of channels of a convolution; 0: 1. Other windows have one channel each
}

// slide is how windows move along one axis.
type slide struct{ size, stride, padding, dilation int }

// windows is over for windows of the size s.Kernel that have one channel each, such as those of pools.
func (s Sliding) windows(stride []int) []slide {
	stopIf(s.Groups != 0 && s.Groups != 1, wrong, "%d groups of channels are given, which only convolutions have", s.Groups)
	return s.over(s.Kernel, stride)
}

// over returns how windows move along each of the last len(kernel) axes.
func (s Sliding) over(kernel []int, stride []int) []slide {
	stopIf(len(kernel) == 0, wrong, "the size of the windows is missing")
	out := make([]slide, len(kernel))
	if s.Stride != nil {
		stride = s.Stride
	}
	for i, size := range kernel {
		at := func(list []int, without int) int {
			switch len(list) {
			case 0:
				return without
			case 1:
				return list[0]
			}
			return list[i]
		}
		for _, list := range [][]int{stride, s.Padding, s.Dilation} {
			stopIf(len(list) > 1 && len(list) != len(kernel), misshapen, "%d numbers are given for windows over %d axes", len(list), len(kernel))
		}
		out[i] = slide{size, at(stride, 1), at(s.Padding, 0), at(s.Dilation, 1)}
		if w := out[i]; w.size < 1 || w.stride < 1 || w.dilation < 1 || w.padding < 0 {
			panic(stop{misshapen("a window has size %d, stride %d, padding %d and dilation %d", w.size, w.stride, w.padding, w.dilation)})
		}
	}
	return out
}

// windowed returns the windows over the last axes of a, surrounded by fill. The
// axes are those of a, with the positions of windows in place of the last ones, and
// then the elements of a window. Large windows side by side are a reshape.
func windowed(a *tree.Node, w []slide, fill *tree.Node) *tree.Node {
	r, lead := len(a.Shape()), len(a.Shape())-len(w)
	if lead < 0 {
		return misshapen("windows over %d axes do not fit an operand of rank %d", len(w), r)
	}
	widths, ints, all, x := make([]int, 0, 2*r), make([]int, 0, 3*r), make([]int, 0, 4*r), a
	for _, s := range everySlide(w, r) {
		widths = append(widths, s.padding, s.padding)
		ints = append(ints, s.size, s.stride, s.dilation)
		all = append(all, s.size, s.stride, s.padding, s.dilation)
	}
	if slices.ContainsFunc(w, func(s slide) bool { return s.padding > 0 }) {
		a = Pad(a, widths, fill)
	}
	if a.Err() != nil {
		return a
	}
	if tiles(a.Shape()[lead:], w) && elements(w) > fewElements {
		split, axes := a.Shape()[:lead].Clone(), lists.UpTo(lead)
		for i, s := range w {
			split, axes = append(split, a.Shape()[lead+i]/s.size, s.size), append(axes, lead+2*i)
		}
		for i := range w {
			axes = append(axes, lead+2*i+1)
		}
		return Transpose(Reshape(a, split), axes)
	}
	n := tree.ApplyWith(Row("windows"), tree.Attributes{Ints: ints}, a)
	if n = tree.ApplyWith(windowedOp, tree.Attributes{Ints: all}, n, x); n.Err() != nil {
		return n
	}
	return dropAxes(n, lists.UpTo(r + lead)[r:])
}

// everySlide returns how windows over the last of rank axes move along each axis. They do not move over the others.
func everySlide(w []slide, rank int) []slide {
	return slices.Concat(slices.Repeat([]slide{{1, 1, 0, 1}}, rank-len(w)), w)
}

// elements returns the number of elements of a window, at most fewElements + 1.
func elements(w []slide) int {
	n := 1
	for _, s := range w {
		n = min(n*min(s.size, fewElements+1), fewElements+1)
	}
	return n
}

// tiles reports whether windows cover axes side by side.
func tiles(dims shape.Shape, w []slide) bool {
	for i, s := range w {
		if s.stride != s.size || s.dilation != 1 || dims[i]%s.size != 0 {
			return false
		}
	}
	return true
}

// convolution multiplies the weights of each group and the windows of its channels
// as the columns of a matrix, one matrix for each image. A filter of each channel
// alone is a sum of products.
func convolution(o Options, x ...*tree.Node) *tree.Node {
	a, weight := x[0], x[1]
	s, k, groups := a.Shape(), weight.Shape(), max(o.Slide.Groups, 1)
	stopIf(len(s) < 3 || len(k) != len(s), misshapen, "shapes %v and %v are not those of images [n channels ...] and of weights [outputs channels/groups ...]", s, k)
	size := o.Slide.Kernel
	stopIf(size != nil && !slices.Equal(size, k[2:]), wrong, "the weights of shape %v have no windows of size %v; Kernel may be left out", k, size)
	stopIf(o.Slide.Groups < 0, wrong, "the number of groups is %d", o.Slide.Groups)
	stopIf(s[1]%groups != 0 || k[0]%groups != 0 || k[1] != s[1]/groups, misshapen, "%d channels in %d groups do not fit weights of shape %v", s[1], groups, k)
	return convolved(a, weight, o.Slide.over(k[2:], nil), groups)
}

func convolved(a, weight *tree.Node, w []slide, groups int) *tree.Node {
	s, k := a.Shape(), weight.Shape()
	v := windowed(a, w, tree.NewConst(a.DType(), 0))
	if v.Err() != nil {
		return v
	}
	r := len(w)
	places, each := v.Shape()[2:2+r], k[1:].Size()
	out := slices.Concat(shape.Shape{s[0], k[0]}, places)
	var y *tree.Node
	if k[1] == 1 && k[0] == groups {
		v = Reshape(v, slices.Concat(shape.Shape{s[0], groups, 1}, places, k[2:]))
		rows := Reshape(weight, slices.Concat(shape.Shape{groups, 1}, ones(r), k[2:]))
		y = reshaped(Reduce("sum", Call("mul", v, rows), Options{Axes: lists.UpTo(3 + 2*r)[3+r:]}), out)
	} else {
		// axes: image, channel, elements of the window, positions
		v = Transpose(v, slices.Concat([]int{0, 1}, lists.UpTo(2 + 2*r)[2+r:], lists.UpTo(2 + r)[2:]))
		columns, rows := shape.Shape{s[0], each, places.Size()}, shape.Shape{k[0], each}
		if groups > 1 {
			columns, rows = shape.Shape{s[0], groups, each, places.Size()}, shape.Shape{groups, k[0] / groups, each}
		}
		y = reshaped(MatMul(reshaped(weight, rows), reshaped(v, columns)), out)
	}
	ints := []int{groups}
	for _, x := range w {
		ints = append(ints, x.stride, x.padding, x.dilation)
	}
	return tree.ApplyWith(convolvedOp, tree.Attributes{Ints: ints}, y, a, weight)
}

// extreme returns the value of type t that no other value is below, or above.
func extreme(t dtype.Type, lowest bool) *tree.Node {
	name := "min"
	if lowest {
		name = "max"
	}
	return tree.NewConst(t, Row(name).Reduce().Identity(t.Register()))
}

// pool returns the composition that reduces each window.
func pool(reducer string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a := x[0]
		fill := tree.NewConst(a.DType(), 0)
		if reducer == "max" || reducer == "min" {
			fill = extreme(a.DType(), reducer == "max")
		}
		stopIf(o.Axes != nil || o.Keep, wrong, "a pool takes no axes")
		w := o.Slide.windows(o.Slide.Kernel)
		v := sound(windowed(a, w, fill))
		over := Options{Axes: lists.UpTo(len(v.Shape()))[len(a.Shape()):], Acc: o.Acc, Ties: o.Ties}
		switch y := Reduce(reducer, v, over); {
		case reducer == "mean":
			return average(over, v)
		case reducer == "sum":
			return y
		default:
			return pooled(y, a, w, reducer == "max", o.Ties)
		}
	}
}

// unpool adds each element of grad to the elements of its window that the pool
// chose.
func unpool(o Options, x ...*tree.Node) *tree.Node {
	w := o.Slide.windows(nil)
	data := x[0]
	v := sound(windowed(data, w, extreme(data.DType(), true)))
	zero := tree.NewConst(data.DType(), 0)
	return fold(Call("where", Call("equal", v, forEach(w, x[1])), forEach(w, x[2]), zero), data.Shape(), w)
}

// sizes returns the shape of windows.
func sizes(w []slide) shape.Shape { return lists.Map(w, func(s slide) int { return s.size }) }

// firstExtremes returns the number of the first extreme of each window over a, or of the first NaN, as an int32. Padding has the
// least extreme value. Where it is the first extreme, all elements inside are extremes, and the first of them counts.
func firstExtremes(a *tree.Node, w []slide, largest bool) *tree.Node {
	name := "argmin"
	if largest {
		name = "argmax"
	}
	v := windowed(a, w, extreme(a.DType(), largest))
	if v.Err() != nil {
		return v
	}
	r := len(a.Shape())
	out := v.Shape()[:r:r]
	at := Reduce(name, Reshape(v, append(out, sizes(w).Size())), Options{Axes: []int{r}, Keep: true})
	at = Reshape(Cast(at, dtype.I32), out)
	if slices.ContainsFunc(w, func(s slide) bool { return s.padding > 0 }) {
		at = Call("maximum", at, firstInside(out, w))
	}
	return at
}

// firstInside returns the number, within each window, of its first element that does not lie before the start of an axis. The
// windows have the shape out. For a window of padding alone the number has no meaning.
func firstInside(out shape.Shape, w []slide) *tree.Node {
	number := func(v int) *tree.Node { return tree.NewConst(dtype.I64, uint64(v)) }
	at, below, lead := tree.NewConst(dtype.I32, 0), sizes(w).Size(), len(out)-len(w)
	for i, s := range w {
		below /= s.size
		e := Call("floor_divide", Call("sub", number(s.dilation-1), start(out, lead+i, s, dtype.I64)), number(s.dilation))
		at = Call("add", at, Cast(Call("mul", Call("maximum", e, number(0)), number(below)), dtype.I32))
	}
	return at
}

// start returns where the windows begin along an axis of their positions, which have the shape out.
func start(out shape.Shape, axis int, s slide, t dtype.Type) *tree.Node {
	at := Call("mul", Cast(Iota(out[axis]), t), tree.NewConst(t, uint64(s.stride)))
	at = Call("sub", at, tree.NewConst(t, uint64(s.padding)))
	return Reshape(at, append(shape.Shape{out[axis]}, ones(len(out)-axis-1)...))
}

// argPool returns the composition of the positions of extremes in the axes of windows, row-major.
func argPool(largest bool) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		w := o.Slide.windows(o.Slide.Kernel)
		lead := len(x[0].Shape()) - len(w)
		n, dims := sound(firstExtremes(x[0], w, largest)), x[0].Shape()[lead:]
		for i, s := range w {
			stopIf(!s.meets(dims[i]), misshapen, "a window of %d elements with padding %d and dilation %d has nothing but padding", s.size, s.padding, s.dilation)
		}
		return Cast(inImage(n, w, dims), dtype.I64)
	}
}

// inImage returns the row-major positions in images of shape dims of the elements n of windows, which are given by their numbers.
func inImage(n *tree.Node, w []slide, dims shape.Shape) *tree.Node {
	lead, k, t := len(n.Shape())-len(w), sizes(w), n.DType()
	if dims.Size() > math.MaxInt32 {
		t = dtype.I64
	}
	n = Cast(n, t)
	at := tree.NewConst(t, 0)
	for i, s := range w {
		e := n
		if below := k[i+1:].Size(); i+1 < len(w) {
			e = smallQuotient(n, below, k.Size())
			n = Call("sub", n, Call("mul", e, tree.NewConst(t, uint64(below))))
		}
		e = Call("add", start(n.Shape(), lead+i, s, t), Call("mul", e, tree.NewConst(t, uint64(s.dilation))))
		at = Call("add", Call("mul", at, tree.NewConst(t, uint64(dims[i]))), e)
	}
	return at
}

// smallQuotient returns n/d of integers 0 <= n < most, for d <= most. For small ones it is a shifted product with a power of two over d, rounded up.
// The power is above most*d, so the rounding adds less than 1/d to the quotient.
func smallQuotient(n *tree.Node, d, most int) *tree.Node {
	number := func(v int) *tree.Node { return tree.NewConst(n.DType(), uint64(v)) }
	if most <= 1<<15 {
		shift := bits.Len(uint(most * d))
		return Call("right_shift", Call("mul", n, number((1<<shift+d-1)/d)), number(shift))
	}
	return Call("floor_divide", n, number(d))
}

// meets reports whether each window along an axis of size d has an element that is no padding.
func (s slide) meets(d int) bool {
	count, err := s.positions(d)
	for o := 0; o < count && o*s.stride < s.padding; o++ {
		before := (s.padding - o*s.stride + s.dilation - 1) / s.dilation
		if before >= s.size || o*s.stride-s.padding+before*s.dilation >= d {
			return false
		}
	}
	return err == nil && (count-1)*s.stride-s.padding < d
}

// unpoolAt adds each element of grad to the element of its window at its position, as argPool returns it.
func unpoolAt(o Options, x ...*tree.Node) *tree.Node {
	w := o.Slide.windows(o.Slide.Kernel)
	dims, err := shape.New(o.Ints...)
	lead := len(dims) - len(w)
	stopIf(err != nil || lead < 0, misshapen, "%v is no shape with windows over %d axes", o.Ints, len(w))
	grad, at, image := x[0], x[1], dims[lead:]
	t := dtype.I64
	if image.Size() <= math.MaxInt32 {
		if t = dtype.I32; at.DType() != t && at.DType().Size() >= t.Size() { // positions outside remain outside
			number := func(v int) *tree.Node { return tree.NewConst(dtype.I64, uint64(v)) }
			at = Call("minimum", Call("maximum", Cast(at, dtype.I64), number(-1)), number(image.Size()))
		}
	}
	v := sound(windowed(Reshape(Cast(Iota(image.Size()), t), image), w, tree.NewConst(t, t.Mask())))
	out := slices.Concat(dims[:lead], v.Shape()[:len(w)])
	stopIf(!grad.Shape().Equal(out) || !at.Shape().Equal(out), misshapen, "%v and %v are no shapes of pools of %v, which is %v", grad.Shape(), at.Shape(), dims, out)
	at = Cast(at, t)
	zero, overlap := tree.NewConst(grad.DType(), 0), slices.ContainsFunc(w, func(s slide) bool { return s.stride < s.size })
	if image.Size() > 0 && overlap && toExtremes(w, image) {
		is := inWindows(at, w, image)
		return scatterInto(dims, lead, Call("where", is, at, tree.NewConst(t, 0)), Call("where", is, grad, zero))
	}
	return fold(Call("where", Call("equal", v, forEach(w, at)), forEach(w, grad), zero), dims, w)
}

// inWindows reports for each window whether a position in images of shape dims is one of its elements.
func inWindows(at *tree.Node, w []slide, dims shape.Shape) *tree.Node {
	number := func(v int) *tree.Node { return tree.NewConst(at.DType(), uint64(v)) }
	within := func(v *tree.Node, n int) *tree.Node { // negative numbers are large ones without a sign
		t := dtype.Integer(v.DType().Size(), false)
		return Call("less", Cast(v, t), tree.NewConst(t, uint64(n)))
	}
	lead, is, rest := len(at.Shape())-len(w), within(at, dims.Size()), at
	for i := len(w) - 1; i >= 0; i-- {
		e, s := rest, w[i]
		if i > 0 {
			rest = smallQuotient(rest, dims[i], dims[:i+1].Size())
			e = Call("sub", e, Call("mul", rest, number(dims[i])))
		}
		e = Call("sub", e, start(at.Shape(), lead+i, s, at.DType()))
		is = Call("logical_and", is, within(e, (s.size-1)*s.dilation+1))
		if s.dilation > 1 {
			is = Call("logical_and", is, Call("equal", Call("mod", e, number(s.dilation)), number(0)))
		}
	}
	return is
}

// scatterInto adds the elements of a to their positions in images, which are the axes of dims after lead.
func scatterInto(dims shape.Shape, lead int, at, a *tree.Node) *tree.Node {
	images, n := dims[:lead], dims[lead:].Size()
	first := Call("mul", Iota(images.Size()), tree.NewConst(dtype.I64, uint64(n)))
	at = Call("add", Reshape(first, append(images.Clone(), ones(len(dims)-lead)...)), Cast(at, dtype.I64))
	return Reshape(tree.ApplyWith(Row("scatter_add"), tree.Attributes{Axes: []int{0}, Ints: []int{dims.Size()}}, at, a), dims)
}

// forEach returns a, which has an element for each window, for each element of windows.
func forEach(w []slide, a *tree.Node) *tree.Node {
	return Reshape(a, append(a.Shape().Clone(), ones(len(w))...))
}

// imageToColumns returns the matrix with a row for each element of a window of each
// channel, and a column for each window of each image.
func imageToColumns(o Options, x ...*tree.Node) *tree.Node {
	w := o.Slide.windows(nil)
	a, r := x[0], len(w)
	stopIf(len(a.Shape()) != r+2, misshapen, "%v is no shape of images with windows over %d axes", a.Shape(), r)
	v := sound(windowed(a, w, tree.NewConst(a.DType(), 0)))
	v = Transpose(v, slices.Concat([]int{1}, lists.UpTo(2 + 2*r)[2+r:], []int{0}, lists.UpTo(2 + r)[2:]))
	return Reshape(v, []int{v.Shape().Count(0, 1+r), v.Shape().Count(1+r, len(v.Shape()))})
}

// columnsToImage makes images of the shape o.Ints.
func columnsToImage(o Options, x ...*tree.Node) *tree.Node {
	w := o.Slide.windows(nil)
	dims, err := shape.New(o.Ints...)
	r := len(w)
	stopIf(err != nil || len(dims) != r+2, misshapen, "%v is no shape of images with windows over %d axes", o.Ints, r)
	// The windows of an image without values have the shape that the columns need.
	v := sound(imageToColumns(o, BroadcastTo(tree.NewConst(x[0].DType(), 0), dims)))
	stopIf(!v.Shape().Equal(x[0].Shape()), misshapen, "columns of shape %v do not make images of shape %v, which have columns of shape %v", x[0].Shape(), dims, v.Shape())
	channelsFirst := v.Args[0].Shape() // channel, elements, image, positions
	a := Transpose(Reshape(x[0], channelsFirst), slices.Concat([]int{1 + r, 0}, lists.UpTo(2 + 2*r)[2+r:], lists.UpTo(1 + r)[1:]))
	return fold(a, dims, w)
}
